//! The circuits of a CM-1, for a number of dimensions that is known only at run time.

use super::{Chip, EjectMode, PetitControl, Router};
use crate::shapes::for_dims;
use hdl::lower::Circuit;

/// Makes a [`Chip`] with `rows` rows, for a cube of 1 to 16 dimensions.
///
/// # Panics
/// If there are more dimensions.
pub fn chip(dims: u32, rows: usize, plan: PetitPlan) -> Box<dyn Circuit> {
    for_dims!(dims, ..=16, C => Chip::<C>::new(rows, plan))
}

/// Makes the [`PetitControl`] of a cube of 1 to 16 dimensions.
///
/// # Panics
/// If there are more dimensions.
pub fn petit_control(dims: u32, plan: PetitPlan) -> Box<dyn Circuit> {
    for_dims!(dims, ..=16, C => PetitControl::<C>::new(plan))
}

/// Makes the [`Router`] of a chip with `rows` rows, for a cube of 1 to 16 dimensions.
///
/// # Panics
/// If there are more dimensions.
pub fn router(dims: u32, rows: usize, plan: PetitPlan) -> Box<dyn Circuit> {
    for_dims!(dims, ..=16, C => Router::<C>::new(rows, plan))
}

// The length of a CM-1 message and the timing that follows from it.

/// Number of bit-times that MSGP takes to pass a column of the heart.
pub(super) const COLUMN_BIT_TIMES: u32 = 2;

/// Fields of a message, in order of transmission, each least significant bit first
/// (`cm1-message-router`, section 3.1, Figure 5): MSGP, CUBE-ADDRESS, PROC-ADDRESS, VP-ADDRESS,
/// DATA, PARITY.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MessageFormat {
    /// Dimensions of the cube, and bits of CUBE-ADDRESS; at least one.
    pub dims: u32,
    /// Bits of PROC-ADDRESS.
    pub proc_bits: u32,
    /// Bits of VP-ADDRESS.
    pub vp_bits: u32,
    /// Bits of DATA.
    pub data_bits: u32,
}

impl MessageFormat {
    /// Number of bits of a message, l.
    pub fn length(self) -> u32 {
        2 + self.dims + self.proc_bits + self.vp_bits + self.data_bits
    }
}

/// Timing of a petit cycle, in bit-times since MSGP was at the injector. Times past the period
/// belong to the previous petit cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PetitPlan {
    pub format: MessageFormat,
    pub mode: EjectMode,
    /// Bit-times from the beginning of one petit cycle to the beginning of the next.
    pub period: u32,
}

impl PetitPlan {
    /// Makes the petit cycle of docs/cm1.md: max(l, 3c + 1) bit-times. `per-processor` adds log2 P
    /// bit-times, and `bank` also adds the bits of VP-ADDRESS.
    pub fn new(format: MessageFormat, mode: EjectMode) -> Self {
        let longer = match mode {
            EjectMode::Or | EjectMode::PerChip => 0,
            EjectMode::PerProcessor => format.proc_bits,
            EjectMode::Bank => format.proc_bits + format.vp_bits,
        };
        let period = format.length().max(3 * format.dims + 1) + longer;
        PetitPlan { format, mode, period }
    }

    /// Bit-time in which MSGP leaves the heart.
    pub fn exit(self) -> u32 {
        COLUMN_BIT_TIMES * self.format.dims
    }

    /// Bit-time in which the last bit of CUBE-ADDRESS leaves the heart.
    pub fn home(self) -> u32 {
        self.exit() + self.format.dims
    }

    /// Bit-time in which the last bit of PROC-ADDRESS leaves the heart.
    pub fn processor(self) -> u32 {
        self.home() + self.format.proc_bits
    }

    /// Bit-time in which the last address bit that the ejector uses leaves the heart, and the
    /// ejector decides.
    pub fn sort(self) -> u32 {
        match self.mode {
            EjectMode::Bank => self.processor() + self.format.vp_bits,
            EjectMode::Or | EjectMode::PerProcessor | EjectMode::PerChip => self.processor(),
        }
    }

    /// Bit-time in which the messages that stay are known.
    pub fn settle(self) -> u32 {
        match self.mode {
            EjectMode::PerProcessor | EjectMode::Bank => self.sort(),
            EjectMode::Or | EjectMode::PerChip => self.home(),
        }
    }

    /// Bit-time in which PARITY reaches the processor.
    pub fn over(self) -> u32 {
        self.exit() + self.format.length()
    }

    /// Number of bit-times that a message spends in the buffer, between the heart and the injector.
    pub fn buffered(self) -> u32 {
        self.period - self.exit()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(dims: u32, proc_bits: u32, data_bits: u32, mode: EjectMode) -> PetitPlan {
        let format = MessageFormat { dims, proc_bits, vp_bits: 0, data_bits };
        PetitPlan::new(format, mode)
    }

    /// The paper's typical case: 50 bits, and 12 petit cycles are 624 bit-times.
    #[test]
    fn the_typical_case_matches_the_paper() {
        let plan = plan(12, 4, 32, EjectMode::Or);
        assert_eq!(plan.format.length(), 50);
        assert_eq!(plan.period, 50);
        assert_eq!(11 * plan.period + plan.format.length() + plan.exit(), 624);
    }

    /// Short messages end before the address is known.
    #[test]
    fn short_messages_wait_for_the_address() {
        assert_eq!(plan(12, 4, 2, EjectMode::PerChip).period, 37);
        assert_eq!(plan(12, 4, 2, EjectMode::PerProcessor).period, 41);
        assert_eq!(plan(1, 0, 0, EjectMode::Or).period, 4);
        let format = MessageFormat { vp_bits: 3, ..plan(12, 4, 2, EjectMode::Bank).format };
        assert_eq!(PetitPlan::new(format, EjectMode::Bank).period, 44);
    }

    /// The circuits rely on two conditions. The messages that stay are known before the next petit
    /// cycle begins. One batch of messages has left before the next arrives.
    #[test]
    fn every_period_is_long_enough() {
        use EjectMode::{Bank, Or, PerChip, PerProcessor};
        for mode in [Or, PerProcessor, PerChip, Bank] {
            for dims in 1..=16 {
                for proc_bits in 0..=4 {
                    for (vp_bits, data_bits) in [(0, 0), (0, 1), (3, 0), (16, 8), (0, 100)] {
                        let format = MessageFormat {
                            vp_bits,
                            ..plan(dims, proc_bits, data_bits, mode).format
                        };
                        let plan = PetitPlan::new(format, mode);
                        assert!(plan.settle() < plan.period);
                        assert!(plan.format.length() <= plan.period);
                        assert!(plan.buffered() >= 2);
                    }
                }
            }
        }
    }
}
