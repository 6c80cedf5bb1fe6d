//! Evaluates each gate operation on vectors of lanes.

use super::gates::Op;
use super::jit::Vector;

impl Op {
    /// Returns the result of the operation. Operands beyond its arity are ignored.
    #[inline(always)]
    pub fn apply<V: Vector<W>, const W: usize>(self, [a, b, c]: [V; 3]) -> V {
        let ones = a.splat(u64::MAX);
        match self {
            Op::Zero => a.splat(0),
            Op::Copy => a,
            Op::Not => a.xor(ones),
            Op::And => a.and(b),
            Op::AndNot => a.and_not(b),
            Op::Or => a.or(b),
            Op::Xor => a.xor(b),
            Op::Lut(table) => {
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
