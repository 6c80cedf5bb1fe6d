//! Steps of the evaluator on words of more than 64 bits, limb by limb.

use super::limbs;
use super::slots::LimbPositions;
use crate::netlist::{Net, NetId, NetOp, Netlist};

/// Operation of one net with operands or a result of more than 64 bits.
#[derive(Debug)]
pub struct WideOp {
    net: NetId,
    op: NetOp,
    width: u32,
    operand_widths: Vec<u32>,
}

impl WideOp {
    pub fn new(netlist: &Netlist, net: NetId) -> Self {
        let Net { op, width } = netlist.net(net).clone();
        let operands = op.operands().into_iter();
        WideOp {
            operand_widths: operands.map(|id| netlist.width(id)).collect(),
            net,
            op,
            width,
        }
    }

    /// Computes the net.
    pub fn run(&self, values: &mut [u64], slots: &LimbPositions) {
        let out = slots.range(self.net);
        let (before, rest) = values.split_at_mut(out.start);
        let (out, width) = (&mut rest[..out.len()], self.width);
        let v = |id: &NetId| &before[slots.range(*id)];
        match &self.op {
            NetOp::Input(_) | NetOp::Register(_) | NetOp::Memory(_) | NetOp::Const(_) => {
                unreachable!("nothing to compute")
            }
            NetOp::Not(a) => limbs::not(out, v(a), width),
            NetOp::And(a, b) => limbs::bitwise(out, v(a), v(b), |a, b| a & b),
            NetOp::Or(a, b) => limbs::bitwise(out, v(a), v(b), |a, b| a | b),
            NetOp::Xor(a, b) => limbs::bitwise(out, v(a), v(b), |a, b| a ^ b),
            NetOp::Add(a, b) => limbs::add(out, v(a), v(b), width),
            NetOp::Sub(a, b) => limbs::sub(out, v(a), v(b), width),
            NetOp::Eq(a, b) => out[0] = (v(a) == v(b)).into(),
            NetOp::Lt(a, b) => out[0] = limbs::less(v(a), v(b)).into(),
            NetOp::All(a) => out[0] = limbs::all(v(a), self.operand_widths[0]).into(),
            NetOp::Any(a) => out[0] = limbs::any(v(a)).into(),
            NetOp::Parity(a) => out[0] = limbs::parity(v(a)).into(),
            NetOp::Mux {
                cond,
                then,
                otherwise,
            } => match v(cond)[0] {
                0 => out.copy_from_slice(v(otherwise)),
                _ => out.copy_from_slice(v(then)),
            },
            NetOp::Shl(a, by) => limbs::shl(out, v(a), limbs::amount(v(by)), width),
            NetOp::Shr(a, by) => limbs::shr(out, v(a), limbs::amount(v(by)), width),
            NetOp::Slice { value, offset } => limbs::shr(out, v(value), (*offset).into(), width),
            NetOp::Concat(parts) => {
                out.fill(0);
                let mut offset = 0;
                for (part, width) in parts.iter().zip(&self.operand_widths) {
                    limbs::insert(out, v(part), offset);
                    offset += width;
                }
            }
            NetOp::BitAt { value, index } => {
                out[0] = limbs::bit(v(value), limbs::amount(v(index))).into()
            }
            NetOp::ReplaceBit { value, index, bit } => {
                limbs::replace_bit(out, v(value), limbs::amount(v(index)), v(bit)[0] == 1)
            }
        }
    }
}
