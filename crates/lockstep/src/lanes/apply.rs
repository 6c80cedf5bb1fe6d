//! Evaluates each gate operation on vectors of lanes.

use super::gates::GateOp;
use super::jit::Vector;

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
