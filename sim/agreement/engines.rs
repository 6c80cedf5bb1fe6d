//! The engines that run a block.

use hdl::lower::{lower, Circuit};
use phasecube::engine::{Engine, EvaluatorEngine, Reference, Verilator};
use phasecube::toolchain::{Effort, Toolchain};
use std::sync::LazyLock;

pub fn reference(block: impl Circuit + 'static) -> Box<dyn Engine> {
    Box::new(Reference::new(block).expect("the reference runs every block"))
}

pub fn evaluator(block: &impl Circuit) -> Box<dyn Engine> {
    let design = lower(block).expect("the block is in the subset");
    Box::new(EvaluatorEngine::new(&design).expect("the block has no combinational loop"))
}

pub fn verilator(block: &impl Circuit) -> Box<dyn Engine> {
    static TOOLS: LazyLock<Toolchain> = LazyLock::new(|| Toolchain::open().unwrap());
    let design = lower(block).expect("the block is in the subset");
    let models = concat!(env!("CARGO_TARGET_TMPDIR"), "/models");
    let engine = Verilator::new(&design, &TOOLS, models.as_ref(), Effort::Quick);
    Box::new(engine.unwrap_or_else(|e| panic!("{e}")))
}

/// All of them.
pub fn all<C: Circuit + 'static>(make: impl Fn() -> C) -> [Box<dyn Engine>; 3] {
    [reference(make()), evaluator(&make()), verilator(&make())]
}
