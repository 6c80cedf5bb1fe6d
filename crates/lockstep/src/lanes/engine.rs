use super::jit::{compile_segments, cover, Code, Isa, Simd};
use super::options::{Backend, Keep};
use super::plan::Plan;
use super::program::Program;
use super::routes::Routes;
use super::segments::{memory_bit, weight, Flag, Mask, Segments, SHOWN};
use super::{LaneMap, LanesError, Wiring};
use crate::netlist::Netlist;

/// What all chunks of lanes have in common and never changes.
#[derive(Debug)]
pub struct Engine {
    pub plan: Plan,
    /// The clock cycle: what all registers and pins of memories become.
    pub step: Program,
    /// The same, but for what has not changed, if there is code for that.
    pub segmented: Option<Segmented>,
    /// What other lanes see, unless they see it as it stands.
    pub publish: Program,
    /// What is marked if a memory has read something else.
    memory_readers: Vec<Mask>,
    /// By position in [`Plan::looks`].
    pub looks: Vec<Program>,
    routes: Vec<Routes>,
    /// The routes of each link.
    routes_of_link: Vec<usize>,
    /// Slots of the plan, and those of segments.
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

/// A clock cycle that is computed as far as something has changed.
#[derive(Debug)]
pub struct Segmented {
    pub code: Code,
    /// Who asks for each slot of the plan: segments, and whoever sees what is shown.
    pub readers: Vec<Mask>,
    pub weights: Vec<u32>,
    /// The weight of computing all at once.
    pub all: u32,
}

impl Segmented {
    /// The code, and the number of slots with those that it needs itself.
    fn new(plan: &Plan, isa: Isa) -> Result<(Self, u32), LanesError> {
        let mut marks = vec![Flag::default(); plan.slots as usize];
        for (i, memory) in plan.memories.iter().enumerate() {
            for slot in memory.pins() {
                marks[slot as usize].now = memory_bit(i);
            }
        }
        let shown = plan.shown();
        for &slot in &shown {
            marks[slot as usize].next = SHOWN;
        }
        let gates = cover(&plan.graph, plan.slots, &plan.step, isa);
        let others = |slot: u32| marks[slot as usize];
        let mut segments = Segments::new(&gates, others, isa != Isa::Avx2);
        for &slot in &shown {
            segments.readers[slot as usize] |= SHOWN;
        }
        let segmented = Segmented {
            code: compile_segments(&segments, isa)?,
            readers: segments.readers,
            weights: segments.weights,
            all: weight(&gates),
        };
        Ok((segmented, segments.slots))
    }
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
        let (segmented, slots) = match backend.isa(width) {
            Some(isa) => {
                let (segmented, slots) = Segmented::new(&plan, isa)?;
                (Some(segmented), slots)
            }
            None => (None, plan.slots),
        };
        let program = |roots: &[_]| Program::new(&plan.graph, slots, roots, backend, width);
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
        let mut memory_readers = vec![0; plan.memories.len()];
        if let Some(segmented) = &segmented {
            for (readers, memory) in memory_readers.iter_mut().zip(&plan.memories) {
                let of_slots = &segmented.readers[memory.read_data.range()];
                *readers = of_slots.iter().fold(0, |all, readers| all | readers);
            }
        }
        Ok(Engine {
            routes: routes.collect(),
            routes_of_link,
            step,
            segmented,
            slots,
            publish,
            memory_readers,
            looks,
            plan,
            simd: Simd::new(backend.isa(width), width),
            backend,
            width,
            words,
        })
    }

    /// The routes of a link.
    pub fn routes(&self, link: usize) -> &Routes {
        &self.routes[self.routes_of_link[link]]
    }

    /// Who asks for a slot of the plan.
    pub fn readers(&self, slot: u32) -> Mask {
        let segmented = self.segmented.as_ref();
        segmented.map_or(Mask::MAX, |s| s.readers[slot as usize])
    }

    /// What is marked if a memory has read something else.
    pub fn memory_readers(&self, memory: usize) -> Mask {
        self.memory_readers[memory]
    }

    pub fn chunks(&self) -> usize {
        self.words / self.width
    }

    /// Vectors in a frame.
    pub fn vectors(&self) -> usize {
        let programs = [&self.step, &self.publish].into_iter().chain(&self.looks);
        let segmented = self.segmented.iter().map(|s| s.code.vectors());
        let vectors = programs.map(Program::vectors).chain(segmented);
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
