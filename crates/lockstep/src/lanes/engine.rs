//! Plan, code and routes of a machine, built once for all of its chunks.

use super::frame::ChunkFrame;
use super::gates::{cover, GateGraph, GateList, GateOp, GateSet, Lit};
use super::jit::{compile, Isa, MachineCode, Simd, Vector};
use super::links::Routes;
use super::machine::{Backend, Keep};
use super::plan::LanePlan;
use super::segments::most_slots;
use super::tape::GateTape;
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
    /// Number of slots: one for each slot of the plan, and more for segments.
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
        let backend = backend.resolve()?;
        let plan = LanePlan::new(netlist, lanes, wiring, keep)?;
        let width = backend.chunk_words(lanes);
        let words = lanes.div_ceil(64 * width) * width;
        let isa = backend.isa(width);
        let gates = cover(&plan.graph, plan.slots, &plan.step, gate_set(isa));
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

    /// Returns the instructions of a clock cycle, and the number of words in their vectors.
    pub fn gates(
        netlist: &Netlist,
        lanes: usize,
        wiring: &LaneWiring,
        keep: &Keep,
        backend: Backend,
    ) -> Result<(usize, GateList), LanesError> {
        let plan = LanePlan::new(netlist, lanes, wiring, keep)?;
        let width = backend.chunk_words(lanes);
        let set = gate_set(backend.isa(width));
        Ok((width, cover(&plan.graph, plan.slots, &plan.step, set)))
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

/// Returns the functions that are one instruction or one step of the interpreter.
fn gate_set(isa: Option<Isa>) -> GateSet {
    isa.map_or(GateSet::Luts, Isa::gate_set)
}

/// Program that computes roots and stores them in the slots of a frame.
#[derive(Debug)]
pub enum FrameProgram {
    Tape(GateTape),
    Code(MachineCode),
}

impl FrameProgram {
    pub fn new(gates: &GateList, backend: Backend, width: usize) -> Result<Self, LanesError> {
        match backend.isa(width) {
            Some(isa) => compile(gates, isa).map(FrameProgram::Code),
            None => Ok(FrameProgram::Tape(GateTape::new(gates))),
        }
    }

    /// Creates a program for roots of a graph. The first `slots` vectors of the frame are reserved.
    pub fn for_roots(
        graph: &GateGraph,
        slots: u32,
        roots: &[(Lit, u32)],
        backend: Backend,
        width: usize,
    ) -> Result<Self, LanesError> {
        let gates = cover(graph, slots, roots, gate_set(backend.isa(width)));
        FrameProgram::new(&gates, backend, width)
    }

    /// Returns the minimum number of vectors in the frame.
    pub fn vectors(&self) -> usize {
        match self {
            FrameProgram::Tape(tape) => tape.vectors(),
            FrameProgram::Code(code) => code.vectors(),
        }
    }

    #[inline]
    pub fn run(&self, frame: &mut ChunkFrame) {
        match self {
            FrameProgram::Code(code) => code.run(frame, &mut [0; 2]),
            FrameProgram::Tape(tape) => tape.run(frame),
        }
    }
}

// Evaluates each gate operation on vectors of lanes.

impl GateOp {
    /// Returns the result of the operation. Operands beyond its arity are ignored.
    #[inline(always)]
    pub fn apply<V: Vector<W>, const W: usize>(self, [a, b, c]: [V; 3]) -> V {
        let ones = a.splat(u64::MAX);
        match self {
            GateOp::Zero => a.splat(0),
            GateOp::Copy => a,
            GateOp::Not => a.xor(ones),
            GateOp::And => a.and(b),
            GateOp::AndNot => a.and_not(b),
            GateOp::Or => a.or(b),
            GateOp::OrNot => a.or(b.xor(ones)),
            GateOp::Xor => a.xor(b),
            GateOp::Lut(table) => {
                // The first two operands select a function of the third. The code has no branches
                // because processors cannot predict them.
                let bit = |at: u8| a.splat(u64::from(table >> at & 1).wrapping_neg());
                let of_c = |case: u8| bit(2 * case).blend(bit(2 * case + 1), c);
                let (low, high) = (of_c(0).blend(of_c(1), b), of_c(2).blend(of_c(3), b));
                low.blend(high, a)
            }
        }
    }
}
