//! Netlist of a 16-bit processor with eight registers, an arithmetic unit, a shifter, 256 words of
//! program and 256 words of memory.

use lockstep::design::Type;
use lockstep::netlist::{MemoryWrite, Name, Net, NetId, NetOp, Netlist, NetlistMemory, Register};
use num_bigint::BigUint;

/// Width of a word in bits.
const WORD: u32 = 16;

/// Width of an address in bits.
const ADDRESS: u32 = 8;

/// Nets under construction, operands first.
#[derive(Default)]
struct NetlistBuilder(Netlist);

impl NetlistBuilder {
    fn net(&mut self, op: NetOp, width: u32) -> NetId {
        self.0.nets.push(Net { op, width });
        NetId(self.0.nets.len() as u32 - 1)
    }

    fn input(&mut self, path: &str, width: u32) -> NetId {
        let net = self.net(NetOp::Input(self.0.inputs.len() as u32), width);
        self.0.inputs.push(port(path, net, width));
        net
    }

    fn output(&mut self, path: &str, net: NetId) {
        let width = self.0.width(net);
        self.0.outputs.push(port(path, net, width));
    }

    fn constant(&mut self, value: u64, width: u32) -> NetId {
        self.net(NetOp::Const(value.into()), width)
    }

    /// Adds a register and returns its value. `next` sets its input later.
    fn register(&mut self, name: &str, width: u32) -> NetId {
        let q = self.net(NetOp::Register(self.0.registers.len() as u32), width);
        self.0.registers.push(Register { name: name.into(), d: q, q, init: BigUint::ZERO });
        q
    }

    fn next(&mut self, q: NetId, d: NetId) {
        let register = self.0.registers.iter_mut().find(|r| r.q == q);
        register.expect("a register").d = d;
    }

    fn slice(&mut self, value: NetId, offset: u32, width: u32) -> NetId {
        self.net(NetOp::Slice { value, offset }, width)
    }

    fn mux(&mut self, cond: NetId, then: NetId, otherwise: NetId) -> NetId {
        let width = self.0.width(then);
        let mux = NetOp::Mux { cond, then, otherwise };
        self.net(mux, width)
    }

    fn word(&mut self, op: NetOp) -> NetId {
        self.net(op, WORD)
    }

    fn is(&mut self, value: NetId, number: u64) -> NetId {
        let width = self.0.width(value);
        let number = self.constant(number, width);
        self.net(NetOp::Eq(value, number), 1)
    }
}

fn port(path: &str, net: NetId, width: u32) -> Name {
    Name { path: path.into(), net, ty: Type::Bits(width) }
}

/// Returns the words of the random program.
fn program() -> Vec<BigUint> {
    let mut state = 1u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        BigUint::from(state >> 48)
    };
    (0..1 << ADDRESS).map(|_| next()).collect()
}

/// Returns the circuit. An instruction has an operation (4 bits), a register (3) and a number (8).
/// Each instruction takes one clock cycle.
pub fn netlist() -> Netlist {
    let mut b = NetlistBuilder::default();
    let (number, rx) = (b.input("number", WORD), b.input("rx", 1));
    let counter = b.register("counter", ADDRESS);
    let accumulator = b.register("accumulator", WORD);
    let serial = b.register("serial", WORD);
    let registers: Vec<NetId> =
        (0..8).map(|i| b.register(&format!("registers[{i}]"), WORD)).collect();
    let instruction = b.net(NetOp::Memory(0), WORD);
    let loaded = b.net(NetOp::Memory(1), WORD);

    let operation = b.slice(instruction, 12, 4);
    let selected = b.slice(instruction, 8, 3);
    let small = b.slice(instruction, 0, ADDRESS);
    let zero = b.constant(0, WORD - ADDRESS);
    let immediate = b.word(NetOp::Concat(vec![small, zero]));
    let mut level = registers.clone();
    for i in 0..3 {
        let bit = b.slice(selected, i, 1);
        let pairs = level.chunks(2);
        level = pairs.map(|pair| b.mux(bit, pair[1], pair[0])).collect();
    }
    let operand = level[0];
    let distance = b.slice(operand, 0, 4);
    let a = accumulator;
    let results = [
        b.word(NetOp::Add(a, operand)),
        b.word(NetOp::Sub(a, operand)),
        b.word(NetOp::And(a, operand)),
        b.word(NetOp::Or(a, operand)),
        b.word(NetOp::Xor(a, operand)),
        b.word(NetOp::Shl(a, distance)),
        b.word(NetOp::Shr(a, distance)),
        b.word(NetOp::Add(a, immediate)),
        b.word(NetOp::Xor(a, number)),
        loaded,
        serial,
    ];
    let mut result = a;
    for (i, value) in results.into_iter().enumerate() {
        let chosen = b.is(operation, i as u64);
        result = b.mux(chosen, value, result);
    }
    b.next(accumulator, result);

    let keep = b.is(operation, 12);
    for (i, &register) in registers.iter().enumerate() {
        let here = b.is(selected, i as u64);
        let enable = b.net(NetOp::And(here, keep), 1);
        let next = b.mux(enable, a, register);
        b.next(register, next);
    }

    let branch = b.is(operation, 13);
    let odd = b.slice(a, 0, 1);
    let taken = b.net(NetOp::And(branch, odd), 1);
    let one = b.constant(1, ADDRESS);
    let following = b.net(NetOp::Add(counter, one), ADDRESS);
    let next = b.mux(taken, small, following);
    b.next(counter, next);

    let rest = b.slice(serial, 1, WORD - 1);
    let shifted = b.word(NetOp::Concat(vec![rest, rx]));
    let send = b.is(operation, 14);
    let next = b.mux(send, a, shifted);
    b.next(serial, next);
    let tx = b.slice(serial, 0, 1);
    b.output("tx", tx);
    b.output("accumulator", accumulator);

    let write =
        MemoryWrite { address: small, data: a, enable: b.is(operation, 15), disjoint: false };
    let address = b.slice(operand, 0, ADDRESS);
    let program_port = (counter, instruction);
    b.0.memories = memories(program_port, (address, loaded), write).into();
    b.0
}

/// Returns the memories for program and data. A port has an address and the word read.
fn memories(
    (counter, instruction): (NetId, NetId),
    (address, loaded): (NetId, NetId),
    write: MemoryWrite,
) -> [NetlistMemory; 2] {
    let program = NetlistMemory {
        name: "program".into(),
        words: 1 << ADDRESS,
        width: WORD,
        read_address: counter,
        read_data: instruction,
        write: None,
        init: program(),
        copy_of: None,
    };
    let memory = NetlistMemory {
        name: "memory".into(),
        words: 1 << ADDRESS,
        width: WORD,
        read_address: address,
        read_data: loaded,
        write: Some(write),
        init: vec![],
        copy_of: None,
    };
    [program, memory]
}
