//! Generates random modules.

use super::{big, case, if_, TestBuilder, TestRandom};
use lockstep::design::*;

const WIDTHS: [u32; 12] = [1, 2, 3, 7, 8, 17, 33, 63, 64, 65, 100, 200];
const SIGNALS: usize = 8;

/// Number of links of a [`circuit`].
pub const LINKS: usize = 3;

/// Width of a link in bits.
pub const LINK_WIDTH: u32 = 5;

/// Generator of a module with inputs `in0`.. and outputs `out0`.. of random widths.
struct ModuleGenerator<'a> {
    random: &'a mut TestRandom,
    m: TestBuilder,
    inputs: Vec<SignalId>,
    outputs: Vec<SignalId>,
}

impl ModuleGenerator<'_> {
    /// Assigns every output, so that it has a value before it is read.
    fn initialise(&mut self) {
        for output in self.outputs.clone() {
            let width = self.m.module.signal(output).width();
            let value = self.random.word(width);
            let value = self.m.expr(ExprOp::Const(value), width);
            self.m.drive(output, value);
        }
    }

    fn body(&mut self) {
        for _ in 0..10 {
            let stmt = self.stmt(3);
            self.m.module.body.push(stmt);
        }
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.random.below(from.len() as u64) as usize]
    }

    fn signal(&mut self) -> SignalId {
        let all: Vec<SignalId> = self.inputs.iter().chain(&self.outputs).copied().collect();
        self.pick(&all)
    }

    /// Makes an expression of random width.
    fn any(&mut self, depth: u32) -> ExprId {
        let width = self.pick(&WIDTHS);
        self.expr(width, depth)
    }

    fn expr(&mut self, width: u32, depth: u32) -> ExprId {
        if depth == 0 {
            if self.random.below(4) == 0 {
                let value = self.random.word(width);
                return self.m.expr(ExprOp::Const(value), width);
            }
            let signal = self.signal();
            let value = self.m.read(signal);
            return self.m.expr(ExprOp::Resize(value), width);
        }
        let depth = depth - 1;
        use BinaryOp::*;
        let op = match self.random.below(12) {
            0 => ExprOp::Unary(UnaryOp::Not, self.expr(width, depth)),
            1..=3 => {
                let op = self.pick(&[And, Or, Xor, Add, Sub, Mul]);
                // Sometimes both operands are the same expression.
                let a = self.expr(width, depth);
                let b = match self.random.below(8) {
                    0 => a,
                    _ => self.expr(width, depth),
                };
                ExprOp::Binary(op, a, b)
            }
            4 => {
                let op = self.pick(&[Shl, Shr]);
                ExprOp::Binary(op, self.expr(width, depth), self.any(depth))
            }
            5 | 6 => ExprOp::Mux {
                cond: self.expr(1, depth),
                then: self.expr(width, depth),
                otherwise: self.expr(width, depth),
            },
            7 => ExprOp::Resize(self.any(depth)),
            8 => {
                let offset = self.random.below(150) as u32;
                let above = self.random.below(3) as u32;
                let value = self.expr(offset + width + above, depth);
                ExprOp::Slice { value, offset }
            }
            9 if width > 1 => ExprOp::ReplaceBit {
                value: self.expr(width, depth),
                index: self.index(width, depth),
                bit: self.expr(1, depth),
            },
            _ if width > 1 => ExprOp::Resize(self.expr(1, depth)),
            10 => {
                let value = self.any(depth);
                let index = self.index(self.m.width(value), depth);
                ExprOp::BitAt { value, index }
            }
            9 => {
                let op = self.pick(&[UnaryOp::All, UnaryOp::Any, UnaryOp::Parity]);
                ExprOp::Unary(op, self.any(depth))
            }
            _ => {
                let op = self.pick(&[Eq, Ne, Lt, Le, Gt, Ge]);
                let a = self.any(depth);
                ExprOp::Binary(op, a, self.expr(self.m.width(a), depth))
            }
        };
        self.m.expr(op, width)
    }

    /// Makes an index that exists in a word of this width.
    fn index(&mut self, width: u32, depth: u32) -> ExprId {
        if width == 1 || self.random.below(2) == 0 {
            let index = self.random.below(width.into());
            return self.m.constant(index, 16);
        }
        self.expr(width.ilog2(), depth)
    }

    fn block(&mut self, depth: u32) -> Vec<Stmt> {
        (0..self.random.below(4)).map(|_| self.stmt(depth)).collect()
    }

    fn stmt(&mut self, depth: u32) -> Stmt {
        match self.random.below(if depth == 0 { 2 } else { 4 }) {
            0 => {
                let target = self.outputs[self.random.below(self.outputs.len() as u64) as usize];
                let value = self.expr(self.m.module.signal(target).width(), 3);
                self.m.assign(target, value)
            }
            1 => {
                let target = self.outputs[self.random.below(self.outputs.len() as u64) as usize];
                let all = self.m.module.signal(target).width();
                let offset = self.random.below(all.into()) as u32;
                let width = 1 + self.random.below((all - offset).into()) as u32;
                let value = self.expr(width, 2);
                self.m.assign_slice(target, offset, value)
            }
            2 => {
                let cond = self.expr(1, 2);
                let then = self.block(depth - 1);
                if_(cond, then, self.block(depth - 1))
            }
            _ => {
                let subject = self.expr(2, 2);
                let arms = (0..self.random.below(4))
                    .map(|_| CaseArm {
                        values: (0..self.random.below(3))
                            .map(|_| big(self.random.below(4)))
                            .collect(),
                        body: self.block(depth - 1),
                    })
                    .collect();
                case(subject, arms, self.block(depth - 1))
            }
        }
    }
}

/// Makes a module without state: inputs, outputs and a body.
pub fn module(random: &mut TestRandom) -> DesignModule {
    let mut m = TestBuilder::new("random");
    let (mut inputs, mut outputs) = (vec![], vec![]);
    for i in 0..SIGNALS {
        let width = WIDTHS[random.below(WIDTHS.len() as u64) as usize];
        inputs.push(m.input(&format!("in{i}"), width));
        let width = WIDTHS[random.below(WIDTHS.len() as u64) as usize];
        outputs.push(m.output(&format!("out{i}"), width));
    }
    let mut generator = ModuleGenerator { random, m, inputs, outputs };
    generator.initialise();
    generator.body();
    generator.m.module
}

/// Makes a module with registers, some of them with an enable, and with memories: writable and
/// read-only, with a clocked and an asynchronous read port.
///
/// The module has inputs `in0`.. and outputs `out0`... For links it has inputs `rx0`.. and outputs
/// `tx0`.. of [`LINK_WIDTH`] bits. The outputs for links depend on registers and some also on
/// `in0`.
pub fn circuit(random: &mut TestRandom) -> DesignModule {
    let mut m = TestBuilder::new("random");
    let (mut inputs, mut outputs, mut registers) = (vec![], vec![], vec![]);
    for i in 0..4 {
        let width = WIDTHS[random.below(WIDTHS.len() as u64) as usize];
        inputs.push(m.input(&format!("in{i}"), width));
        let width = WIDTHS[random.below(WIDTHS.len() as u64) as usize];
        outputs.push(m.output(&format!("out{i}"), width));
    }
    for i in 0..LINKS {
        inputs.push(m.input(&format!("rx{i}"), LINK_WIDTH));
    }
    for i in 0..6 {
        // The links show the first registers.
        let width = match i < LINKS {
            true => LINK_WIDTH,
            false => WIDTHS[random.below(WIDTHS.len() as u64) as usize],
        };
        let init = random.next() >> (64 - width.min(64));
        registers.push(m.register(&format!("r{i}"), width, init));
    }
    inputs.extend(registers.iter().map(|(_, q)| q));
    let sizes = [random.below(WIDTHS.len() as u64), random.below(WIDTHS.len() as u64)];
    let widths = sizes.map(|i| WIDTHS[i as usize]);
    // Lanes store memories of many words and of few words differently.
    let address_bits = 1 + random.below(8) as u32;
    let pin = |m: &mut TestBuilder, name: &str, width| m.signal(name, width, SignalKind::PinIn);
    let few = address_bits.min(4);
    let mut memory = |m: &mut TestBuilder, name: &str, width: u32, kind: (bool, bool)| {
        let (writes, asynchronous) = kind;
        let address_bits = if asynchronous { few } else { address_bits };
        let read_address = pin(m, &format!("{name}.ra"), address_bits);
        let read_data = m.signal(&format!("{name}.rd"), width, SignalKind::PinOut);
        let write = writes.then(|| WritePort {
            address: pin(m, &format!("{name}.wa"), address_bits),
            data: pin(m, &format!("{name}.wd"), width),
            enable: pin(m, &format!("{name}.we"), 1),
            disjoint: false,
        });
        let words = random.below((1 << address_bits) + 1);
        let init = (0..words).map(|_| random.word(width)).collect();
        let kind = CellKind::Memory { read_address, read_data, asynchronous, write, init };
        m.cell(name, kind);
        inputs.push(read_data);
        let write = write.into_iter();
        write
            .flat_map(|w| [w.address, w.data, w.enable])
            .chain([read_address])
            .collect::<Vec<SignalId>>()
    };
    let mut pins = memory(&mut m, "ram", widths[0], (true, false));
    pins.extend(memory(&mut m, "rom", widths[1], (false, false)));
    let mut addresses = vec![];
    for (name, width, writes) in [("file", widths[1], true), ("table", widths[0], false)] {
        let mut own = memory(&mut m, name, width, (writes, true));
        addresses.extend(own.pop());
        pins.extend(own);
    }
    let clocked = inputs[..inputs.len() - addresses.len()].to_vec();
    let mut generator = ModuleGenerator { random, m, inputs, outputs };
    generator.initialise();
    generator.body();
    for pin in pins {
        let value = generator.expr(generator.m.module.signal(pin).width(), 2);
        generator.m.drive(pin, value);
    }
    // The address of an asynchronous read must not depend on its data.
    for address in addresses {
        let visible = match generator.random.below(2) {
            0 => registers.iter().map(|(_, q)| *q).collect(),
            _ => clocked.clone(),
        };
        let inputs = std::mem::replace(&mut generator.inputs, visible);
        let outputs = std::mem::take(&mut generator.outputs);
        let value = generator.expr(few, 2);
        generator.m.drive(address, value);
        (generator.inputs, generator.outputs) = (inputs, outputs);
    }
    for (i, &(d, q)) in registers.iter().enumerate() {
        let width = generator.m.module.signal(d).width();
        let then = generator.expr(width, 3);
        let next = match generator.random.below(3) {
            0 => then,
            1 => generator.m.read(q),
            _ => {
                let (cond, otherwise) = (generator.expr(1, 1), generator.m.read(q));
                let mux = ExprOp::Mux { cond, then, otherwise };
                generator.m.expr(mux, width)
            }
        };
        // Some registers take the value of another one. The order of such registers in the lanes'
        // clock cycle matters.
        let next = match generator.random.below(4) {
            0 if i < LINKS => generator.m.read(registers[(i + 1) % LINKS].1),
            _ => next,
        };
        generator.m.drive(d, next);
    }
    for (i, &(_, q)) in registers[..LINKS].iter().enumerate() {
        let tx = generator.m.output(&format!("tx{i}"), LINK_WIDTH);
        let shown = generator.m.read(q);
        let shown = match generator.random.below(8) {
            0..3 => shown,
            3..5 => generator.m.unary(UnaryOp::Not, shown),
            5..7 => generator.m.binary(BinaryOp::Add, shown, shown),
            _ => {
                let input = generator.m.read(generator.inputs[0]);
                let input = generator.m.expr(ExprOp::Resize(input), LINK_WIDTH);
                generator.m.binary(BinaryOp::Xor, shown, input)
            }
        };
        generator.m.drive(tx, shown);
    }
    generator.m.module
}
