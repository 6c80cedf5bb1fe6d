//! The plan, the code and the routes of a machine, made once for all of its chunks.

use super::gates::{cover, Gates};
use super::jit::{Isa, Simd};
use super::options::{Backend, Keep};
use super::plan::Plan;
use super::program::Program;
use super::routes::Routes;
use super::segments::most_slots;
use super::{LaneMap, LanesError, Wiring};
use crate::netlist::Netlist;

/// What all chunks of lanes have in common and never changes.
#[derive(Debug)]
pub struct Engine {
    pub plan: Plan,
    /// The clock cycle: what all registers and pins of memories become.
    pub step: Program,
    /// The instructions of that, if code can be made of them that skips some.
    pub gates: Option<Gates>,
    /// What other lanes see, unless they see it as it stands.
    pub publish: Program,
    /// By position in [`Plan::looks`].
    pub looks: Vec<Program>,
    routes: Vec<Routes>,
    /// The routes of each link.
    routes_of_link: Vec<usize>,
    /// Slots of the plan, and as many as segments may need.
    pub slots: u32,
    /// What runs the gates.
    pub backend: Backend,
    /// What runs the rest.
    pub simd: Simd,
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
        let isa = backend.isa(width);
        let luts = isa.is_some_and(Isa::has_luts);
        let gates = cover(&plan.graph, plan.slots, &plan.step, luts);
        let slots = plan.slots + isa.map_or(0, |_| most_slots(&gates));
        let step = Program::new(&gates.with_slots(slots), backend, width)?;
        let program = |roots: &[_]| Program::of_roots(&plan.graph, slots, roots, backend, width);
        let publish = program(&plan.publish)?;
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
            gates: isa.map(|_| gates),
            slots,
            publish,
            looks,
            plan,
            simd: Simd::new(isa, width),
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
        vectors.max().unwrap_or(0).max(self.slots as usize)
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
