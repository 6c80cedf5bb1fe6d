//! Builds a CM-1 for given messages.

use super::machine::Cm1;
use crate::networks::cm1::{Cm1Circuit, Cm1Faults, Cm1Shape};
use crate::networks::NetworkError;
use interconnect::topology::Hypercube;
use interconnect::traffic::{MessageList, Recipe, MESSAGES_MAX};
use rtl::cm1::{EjectMode, MessageFormat, PetitPlan};

/// Parameters of a machine.
#[derive(Clone, Copy, Debug)]
pub struct Cm1Params {
    /// Rows of a heart.
    pub rows: usize,
    /// Log2 of the processors on a chip.
    pub proc_bits: u32,
    /// Bits of VP-ADDRESS.
    pub vp_bits: u32,
    /// Virtual processors of a processor. Each sends the pattern's messages.
    pub vp_ratio: u32,
    /// Bits of DATA. `None` selects the bits of the longest payload.
    pub data_bits: Option<u32>,
    pub eject: EjectMode,
}

impl Cm1Params {
    /// Returns the processors of a machine on this cube, as a cube of their own.
    pub fn processors(&self, cube: Hypercube) -> Hypercube {
        let bits = cube.dims() + self.proc_bits;
        Hypercube::new(bits.into()).expect("12 dimensions and 16 processors are 16 bits")
    }

    /// Returns the messages of all virtual processors, one processor after the other. Random values
    /// are drawn for each virtual processor from a seed of its own. The seeds are 2^32 apart.
    ///
    /// # Errors
    /// If they cannot be generated, or are too many.
    pub fn messages(&self, cube: Hypercube, recipe: &Recipe) -> Result<MessageList, NetworkError> {
        let payload = self.data_bits.map(|bits| bits as usize / 8);
        let round = |k: u64| {
            let recipe = Recipe {
                seed: recipe.seed.wrapping_add(k << 32),
                payload: payload.unwrap_or(recipe.payload),
                ..recipe.clone()
            };
            recipe.list(self.processors(cube))
        };
        let mut list = round(0)?;
        let messages = list.len() as u64 * u64::from(self.vp_ratio);
        if messages > MESSAGES_MAX {
            return Err(NetworkError::bad(format!(
                "{} for {} virtual processors is {messages} messages; accepted: up to \
                 {MESSAGES_MAX}",
                recipe.pattern, self.vp_ratio
            )));
        }
        for k in 1..self.vp_ratio.into() {
            for message in round(k)?.iter() {
                list.push(message);
            }
        }
        Ok(list)
    }

    /// Returns the machine for these messages.
    ///
    /// # Errors
    /// If the machine cannot carry them.
    pub fn machine(&self, cube: Hypercube, messages: &MessageList) -> Result<Cm1, NetworkError> {
        let longest = messages.longest() as u32;
        let format = MessageFormat {
            dims: cube.dims(),
            proc_bits: self.proc_bits,
            vp_bits: self.vp_bits,
            data_bits: self.data_bits.unwrap_or(8 * longest),
        };
        let shape = Cm1Shape {
            rows: self.rows,
            format,
        };
        let circuit = Cm1Circuit::new(shape, PetitPlan::new(format, self.eject));
        let circuit = circuit.ok_or_else(|| {
            NetworkError::size(format!(
                "a cube of {} dimensions is too large; accepted: --dims 1 to {}",
                cube.dims(),
                Cm1Circuit::MAX_DIMS
            ))
        })?;
        let machine = Cm1 {
            circuit,
            round: messages.len() / self.vp_ratio as usize,
            faults: Cm1Faults::default(),
            hearts: vec![],
        };
        machine.messages(messages)?;
        Ok(machine)
    }
}
