//! Modules of plain cells that replace cells made in turns.

use lockstep::design::{BinaryOp, Builder, CellKind, DesignModule, SignalId, Type};
use num_bigint::BigUint;
use num_traits::Zero;

/// Builds a register for several turns as a row of one register per turn. Its ports are `d` and
/// `q`, like the pins of the cell.
pub(super) fn time_multiplexed_register(ty: &Type, init: &BigUint, turns: usize) -> DesignModule {
    let mut m = Builder::new(
        "ring",
        "A register of a circuit that is several in turn: each of them has a place of it.",
    );
    m.param("TURNS", turns);
    let d = m.input("d", ty.clone(), "of the circuit whose turn it is");
    let q = m.output("q", ty.clone(), "of the circuit whose turn it is");
    let last = delay_line(&mut m, "place", ty, init, d, turns);
    m.connect(q, last);
    m.finish()
}

/// Parameters of a memory.
pub(super) struct MemoryParams<'a> {
    pub address_width: u32,
    pub ty: &'a Type,
    pub disjoint: bool,
    pub init: &'a [BigUint],
}

/// Builds a memory with words for each turn. Its ports have the names and order of the cell's pins.
pub(super) fn time_multiplexed_memory(storage: &MemoryParams, turns: usize) -> DesignModule {
    let mut m = Builder::new(
        "turned_memory",
        "A memory of a circuit that is several in turn: each of them has its own words. The word \
         that is read comes when it is its turn again.",
    );
    m.param("TURNS", turns);
    let turn_bits = turns.ilog2();
    let (ty, width) = (storage.ty, storage.address_width);
    let read_address = m.input("read_address", Type::Bits(width), "");
    let read_data = m.output("read_data", ty.clone(), "");
    let write_address = m.input("write_address", Type::Bits(width), "");
    let write_data = m.input("write_data", ty.clone(), "");
    let write_enable = m.input("write_enable", Type::BIT, "");

    let turn = m.register("turn", Type::Bits(turn_bits), 0u8, "the turn that it is");
    let (now, one) = (m.read(turn.q), m.constant(1u8, turn_bits));
    let next = m.binary(BinaryOp::Add, now, one);
    m.assign(turn.d, next);
    let mut init = vec![];
    if storage.init.iter().any(|word| !word.is_zero()) {
        for _ in 0..turns {
            init.extend_from_slice(storage.init);
            init.resize(init.len().next_multiple_of(1 << width), BigUint::zero());
        }
    }
    let (read, write) = m.memory("words", ty.clone(), width + turn_bits, init, "");
    for (whole, own) in [(read.address, read_address), (write.address, write_address)] {
        let (turn, own) = (m.read(turn.q), m.read(own));
        m.assign_slice(whole, 0, own);
        m.assign_slice(whole, width, turn);
    }
    m.connect(write.data, write_data);
    m.connect(write.enable, write_enable);
    let last = delay_line(&mut m, "later", ty, &BigUint::zero(), read.data, turns - 1);
    m.connect(read_data, last);
    let mut module = m.finish();
    for cell in &mut module.cells {
        if let CellKind::Memory {
            write: Some(port), ..
        } = &mut cell.kind
        {
            port.disjoint = storage.disjoint;
        }
    }
    module
}

/// Adds a row of registers. The last one shows `from`, delayed by the length of the row in clock
/// cycles.
fn delay_line(
    m: &mut Builder,
    name: &str,
    ty: &Type,
    init: &BigUint,
    from: SignalId,
    places: usize,
) -> SignalId {
    (0..places).fold(from, |before, i| {
        let place = m.register(&format!("{name}[{i}]"), ty.clone(), init.clone(), "");
        m.connect(place.d, before);
        place.q
    })
}
