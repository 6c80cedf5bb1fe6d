//! The tests of the circuits, one module per area: every block in all engines, and the soft core
//! against an independent simulator.

mod agreement;

/// The soft core implements RV32I, and with multiplication RV32IM.
///
/// * `isa`: instructions of RV32I, decoded and encoded independently of the core.
/// * `model`, `program`, `bench`: the model (`rrs-lib`, an independent instruction-set simulator),
///   random programs, and a core on a bus.
/// * `lockstep`: *truth*, the core against the model on random programs, turn by turn.
/// * `signatures`: *truth*, the edge cases of each instruction.
/// * `multiply`: *truth*, the unit for multiplication and division on corner cases, and in lanes.
/// * `edges`: *truth*, other edge cases by hand, and the clock cycles that each instruction takes.
/// * `agreement`: *agreement*, reference, evaluator and Verilator on every output in every clock
///   cycle.
/// * `verilog_example`: the core of the examples in Verilog against the model.
mod soft_core {
    mod agreement;
    mod bench;
    mod edges;
    mod isa;
    mod lockstep;
    mod model;
    mod multiply;
    mod program;
    mod signatures;
    mod verilog_example;
}
