//! Random bodies mean the same to the netlist and to an interpreter that
//! executes them statement by statement.

mod common;

use common::{big, case, if_, interpreter, Builder, ByName, Random};
use lockstep::rtl::*;

const WIDTHS: [u32; 12] = [1, 2, 3, 7, 8, 17, 33, 63, 64, 65, 100, 200];
const SIGNALS: usize = 8;

/// A module whose signals are `in0`.. and `out0`.., one of each of eight widths.
struct Generator<'a> {
    random: &'a mut Random,
    m: Builder,
    inputs: Vec<SignalId>,
    outputs: Vec<SignalId>,
}

impl Generator<'_> {
    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.random.below(from.len() as u64) as usize]
    }

    fn signal(&mut self) -> SignalId {
        let all: Vec<SignalId> = self.inputs.iter().chain(&self.outputs).copied().collect();
        self.pick(&all)
    }

    /// An expression of any width.
    fn any(&mut self, depth: u32) -> ExprId {
        let width = self.pick(&WIDTHS);
        self.expr(width, depth)
    }

    fn expr(&mut self, width: u32, depth: u32) -> ExprId {
        if depth == 0 {
            if self.random.below(4) == 0 {
                let value = self.random.word(width);
                return self.m.expr(Op::Const(value), width);
            }
            let signal = self.signal();
            let value = self.m.read(signal);
            return self.m.expr(Op::Resize(value), width);
        }
        let depth = depth - 1;
        use BinaryOp::*;
        let op = match self.random.below(12) {
            0 => Op::Unary(UnaryOp::Not, self.expr(width, depth)),
            1..=3 => {
                let op = self.pick(&[And, Or, Xor, Add, Sub]);
                // Now and then both operands are one expression.
                let a = self.expr(width, depth);
                let b = match self.random.below(8) {
                    0 => a,
                    _ => self.expr(width, depth),
                };
                Op::Binary(op, a, b)
            }
            4 => {
                let op = self.pick(&[Shl, Shr]);
                Op::Binary(op, self.expr(width, depth), self.any(depth))
            }
            5 | 6 => Op::Mux {
                cond: self.expr(1, depth),
                then: self.expr(width, depth),
                otherwise: self.expr(width, depth),
            },
            7 => Op::Resize(self.any(depth)),
            8 => {
                let offset = self.random.below(150) as u32;
                let above = self.random.below(3) as u32;
                let value = self.expr(offset + width + above, depth);
                Op::Slice { value, offset }
            }
            9 if width > 1 => Op::ReplaceBit {
                value: self.expr(width, depth),
                index: self.index(width, depth),
                bit: self.expr(1, depth),
            },
            _ if width > 1 => Op::Resize(self.expr(1, depth)),
            10 => {
                let value = self.any(depth);
                let index = self.index(self.m.width(value), depth);
                Op::BitAt { value, index }
            }
            9 => {
                let op = self.pick(&[UnaryOp::All, UnaryOp::Any, UnaryOp::Parity]);
                Op::Unary(op, self.any(depth))
            }
            _ => {
                let op = self.pick(&[Eq, Ne, Lt, Le, Gt, Ge]);
                let a = self.any(depth);
                Op::Binary(op, a, self.expr(self.m.width(a), depth))
            }
        };
        self.m.expr(op, width)
    }

    /// A bit number that exists in a word of this width.
    fn index(&mut self, width: u32, depth: u32) -> ExprId {
        if width == 1 || self.random.below(2) == 0 {
            let index = self.random.below(width.into());
            return self.m.constant(index, 16);
        }
        self.expr(width.ilog2(), depth)
    }

    fn block(&mut self, depth: u32) -> Vec<Stmt> {
        (0..self.random.below(4))
            .map(|_| self.stmt(depth))
            .collect()
    }

    fn stmt(&mut self, depth: u32) -> Stmt {
        match self.random.below(if depth == 0 { 2 } else { 4 }) {
            0 => {
                let target = self.outputs[self.random.below(SIGNALS as u64) as usize];
                let value = self.expr(self.m.module.signal(target).width(), 3);
                self.m.assign(target, value)
            }
            1 => {
                let target = self.outputs[self.random.below(SIGNALS as u64) as usize];
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

fn module(random: &mut Random) -> Module {
    let mut m = Builder::new("random");
    let (mut inputs, mut outputs) = (vec![], vec![]);
    for i in 0..SIGNALS {
        let width = WIDTHS[random.below(WIDTHS.len() as u64) as usize];
        inputs.push(m.input(&format!("in{i}"), width));
        let width = WIDTHS[random.below(WIDTHS.len() as u64) as usize];
        outputs.push(m.output(&format!("out{i}"), width));
    }
    let mut generator = Generator {
        random,
        m,
        inputs,
        outputs,
    };
    // Each has a value before it is read.
    for output in generator.outputs.clone() {
        let width = generator.m.module.signal(output).width();
        let value = generator.random.word(width);
        let value = generator.m.expr(Op::Const(value), width);
        generator.m.drive(output, value);
    }
    for _ in 0..10 {
        let stmt = generator.stmt(3);
        generator.m.module.body.push(stmt);
    }
    generator.m.module
}

#[test]
fn netlist_and_interpreter_agree() {
    let mut random = Random(2);
    for round in 0..400 {
        let module = module(&mut random);
        let mut evaluator = common::evaluator(&common::design(vec![module.clone()]));
        for _ in 0..20 {
            let mut inputs = vec![];
            for (id, port) in module.ports().filter(|(_, p)| p.kind == SignalKind::Input) {
                let value = random.word(port.width());
                evaluator.put_big(&port.name, &value);
                inputs.push((id, value));
            }
            evaluator.settle();
            let expected = interpreter::run(&module, &inputs);
            for (id, port) in module.ports() {
                let value = evaluator.at_big(&port.name);
                assert_eq!(value, expected[id.index()], "round {round}: {}", port.name);
            }
        }
    }
}
