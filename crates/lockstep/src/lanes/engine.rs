use super::options::{Backend, Keep};
use super::plan::Plan;
use super::program::Program;
use super::routes::Routes;
use super::{LaneMap, LanesError, Wiring};
use crate::netlist::Netlist;

/// What all chunks of lanes have in common and never changes.
#[derive(Debug)]
pub struct Engine {
    pub plan: Plan,
    /// The clock cycle: what all registers and pins of memories become.
    pub step: Program,
    /// What other lanes see, unless they see it as it stands.
    pub publish: Program,
    /// By position in [`Plan::looks`].
    pub looks: Vec<Program>,
    routes: Vec<Routes>,
    /// The routes of each link.
    routes_of_link: Vec<usize>,
    /// What runs the gates.
    pub backend: Backend,
    /// Words of 64 lanes in a chunk.
    pub width: usize,
    /// Words of 64 lanes in all chunks.
    pub words: usize,
}

impl Engine {
    pub fn new(
        netlist: &Netlist,
        lanes: usize,
        wiring: &Wiring,
        keep: &Keep,
        backend: Backend,
    ) -> Result<Self, LanesError> {
        let plan = Plan::new(netlist, lanes, wiring, keep)?;
        let backend = backend.resolve()?;
        let width = backend.chunk_words(lanes);
        let words = lanes.div_ceil(64 * width) * width;
        let program = |roots: &[_]| Program::new(&plan.graph, plan.slots, roots, backend, width);
        let (step, publish) = (program(&plan.step)?, program(&plan.publish)?);
        let looks = plan.looks.iter().map(|roots| program(roots));
        let looks = looks.collect::<Result<_, _>>()?;
        let mut maps: Vec<&LaneMap> = vec![];
        let mut routes_of_link = vec![];
        for link in &plan.links {
            let known = maps.iter().position(|map| **map == link.from);
            routes_of_link.push(known.unwrap_or(maps.len()));
            if known.is_none() {
                maps.push(&link.from);
            }
        }
        let routes = maps.iter().map(|map| Routes::new(map, lanes, words));
        Ok(Engine {
            routes: routes.collect(),
            routes_of_link,
            step,
            publish,
            looks,
            plan,
            backend,
            width,
            words,
        })
    }

    /// The routes of a link.
    pub fn routes(&self, link: usize) -> &Routes {
        &self.routes[self.routes_of_link[link]]
    }

    pub fn chunks(&self) -> usize {
        self.words / self.width
    }

    /// Vectors in a frame.
    pub fn vectors(&self) -> usize {
        let programs = [&self.step, &self.publish].into_iter().chain(&self.looks);
        let vectors = programs.map(Program::vectors);
        vectors.max().unwrap_or(0).max(self.plan.slots as usize)
    }

    /// Which of the 64 lanes of a word there are.
    pub fn present(&self, word: usize) -> u64 {
        match self.plan.lanes.saturating_sub(64 * word) {
            0 => 0,
            lanes if lanes < 64 => (1 << lanes) - 1,
            _ => u64::MAX,
        }
    }
}
