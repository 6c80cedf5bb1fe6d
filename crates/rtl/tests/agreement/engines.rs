//! Constructors of the engines that run a block.

use crate::agreement::circuits;
use engine::{CircuitEngine, EvaluatorEngine, ReferenceEngine, VerilatorEngine};
use hdl::lower::{lower, Circuit};
use lockstep::design::Design;
use std::cell::RefCell;
use std::sync::LazyLock;
use toolchain::{CompileEffort, Toolchain};

thread_local! {
    /// Name of the fault in the circuits of this thread, if any.
    static FAULT: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Returns true if a test still passes when every circuit that it creates has a fault.
pub fn passes_with(fault: &str, test: fn()) -> bool {
    FAULT.set(Some(fault.to_owned()));
    let passes = std::panic::catch_unwind(test).is_ok();
    FAULT.set(None);
    passes
}

fn lowered(block: &impl Circuit) -> Design {
    let mut design = lower(block).expect("the block is in the subset");
    FAULT.with_borrow(|fault| {
        if let Some(name) = fault {
            circuits::put(&mut design, name);
        }
    });
    design
}

pub fn reference(block: impl Circuit + 'static) -> Box<dyn CircuitEngine> {
    Box::new(ReferenceEngine::new(block).expect("the reference runs every block"))
}

pub fn evaluator(block: &impl Circuit) -> Box<dyn CircuitEngine> {
    let design = lowered(block);
    Box::new(EvaluatorEngine::new(&design).expect("the block has no combinational loop"))
}

pub fn verilator(block: &impl Circuit) -> Box<dyn CircuitEngine> {
    static TOOLS: LazyLock<Toolchain> = LazyLock::new(|| Toolchain::open().unwrap());
    let design = lowered(block);
    let models = concat!(env!("CARGO_TARGET_TMPDIR"), "/models");
    let engine = VerilatorEngine::new(&design, &TOOLS, models.as_ref(), CompileEffort::Quick);
    Box::new(engine.unwrap_or_else(|e| panic!("{e}")))
}

/// Returns the engines for a test of documented behaviour. A circuit with a fault runs in the
/// evaluator alone. [`all`] compares Verilator with these engines on random stimulus.
pub fn both<C: Circuit + 'static>(make: impl Fn() -> C) -> [Box<dyn CircuitEngine>; 2] {
    if FAULT.with_borrow(Option::is_some) {
        return [(); 2].map(|()| evaluator(&make()));
    }
    [reference(make()), evaluator(&make())]
}

/// Returns all engines that run a block.
pub fn all<C: Circuit + 'static>(make: impl Fn() -> C) -> [Box<dyn CircuitEngine>; 3] {
    [reference(make()), evaluator(&make()), verilator(&make())]
}
