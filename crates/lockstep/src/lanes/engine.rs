//! Plan, code and routes of a machine, built once for all of its chunks.

use super::gates::{cover, GateList};
use super::jit::{Isa, Simd};
use super::options::{Backend, Keep};
use super::plan::LanePlan;
use super::program::FrameProgram;
use super::routes::Routes;
use super::segments::most_slots;
use super::{LaneMap, LaneWiring, LanesError};
use crate::netlist::Netlist;

/// Constant data shared by all chunks of lanes.
#[derive(Debug)]
pub struct LaneEngine {
    pub plan: LanePlan,
    /// Code of a clock cycle: the next values of all registers and memory pins.
    pub step: FrameProgram,
    /// Instructions of `step`, if machine code that skips some can be made from them.
    pub gates: Option<GateList>,
    /// Code that computes the published values that are not stored in slots already.
    pub publish: FrameProgram,
    /// Code that computes kept signals, by position in [`LanePlan::looks`].
    pub looks: Vec<FrameProgram>,
    routes: Vec<Routes>,
    /// Position in `routes`, by link.
    routes_of_link: Vec<usize>,
    /// Number of slots: those of the plan and those that segments may need.
    pub slots: u32,
    /// Backend that runs the gates.
    pub backend: Backend,
    /// Vector operations for everything else.
    pub simd: Simd,
    /// Number of 64-lane words in a chunk.
    pub width: usize,
    /// Number of 64-lane words in all chunks.
    pub words: usize,
}

impl LaneEngine {
    pub fn new(
        netlist: &Netlist,
        lanes: usize,
        wiring: &LaneWiring,
        keep: &Keep,
        backend: Backend,
    ) -> Result<Self, LanesError> {
        let plan = LanePlan::new(netlist, lanes, wiring, keep)?;
        let backend = backend.resolve()?;
        let width = backend.chunk_words(lanes);
        let words = lanes.div_ceil(64 * width) * width;
        let isa = backend.isa(width);
        let luts = isa.is_some_and(Isa::has_luts);
        let gates = cover(&plan.graph, plan.slots, &plan.step, luts);
        let slots = plan.slots + isa.map_or(0, |_| most_slots(&gates));
        let step = FrameProgram::new(&gates.with_slots(slots), backend, width)?;
        let program =
            |roots: &[_]| FrameProgram::for_roots(&plan.graph, slots, roots, backend, width);
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
        Ok(LaneEngine {
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

    /// Returns the routes of a link.
    pub fn routes(&self, link: usize) -> &Routes {
        &self.routes[self.routes_of_link[link]]
    }

    pub fn chunks(&self) -> usize {
        self.words / self.width
    }

    /// Returns the number of vectors in a frame.
    pub fn vectors(&self) -> usize {
        let programs = [&self.step, &self.publish].into_iter().chain(&self.looks);
        let vectors = programs.map(FrameProgram::vectors);
        vectors.max().unwrap_or(0).max(self.slots as usize)
    }

    /// Returns the mask of existing lanes among the 64 lanes of a word.
    pub fn present(&self, word: usize) -> u64 {
        match self.plan.lanes.saturating_sub(64 * word) {
            0 => 0,
            lanes if lanes < 64 => (1 << lanes) - 1,
            _ => u64::MAX,
        }
    }
}
