//! Variables for the signals of one instance, in the hierarchy of the emitted Verilog.

use super::{Var, WaveError, WaveFormat, WaveValue};
use hdl::verilog::NamedSignal;
use lockstep::design::{EnumType, Type};
use lockstep::netlist::NetId;
use std::collections::HashMap;
use std::sync::Arc;

/// Value of a text signal without content.
pub const NO_TEXT: &str = "-";

/// Variable that follows a signal.
pub struct SignalVar {
    var: Var,
    /// Text variable for the same signal.
    text: Option<(Var, Arc<EnumType>)>,
    last: Option<u64>,
}

impl SignalVar {
    /// Appends the change at this time to `pending`, if the value differs from the previous one.
    /// The signal has up to 64 bits.
    pub fn record_change(
        &mut self,
        time: u64,
        value: u64,
        pending: &mut Vec<(u64, Var, WaveValue)>,
    ) {
        if self.last == Some(value) {
            return;
        }
        self.last = Some(value);
        pending.push((time, self.var, WaveValue::Bits(value)));
        if let Some((var, ty)) = &self.text {
            let variant = ty.variants.get(value as usize);
            let name = variant.map_or(NO_TEXT, String::as_str);
            pending.push((time, *var, WaveValue::Text(name.into())));
        }
    }
}

/// Declares the signals of an instance at these positions, in a scope of this name. Each net is
/// declared once, and its other names are aliases. An enum also has a variable with the names of
/// its variants. Returns the variables to follow, each with its position.
///
/// # Errors
/// If the file cannot be written.
pub fn declare_instance(
    file: &mut dyn WaveFormat,
    name: &str,
    (signals, nets): (&[NamedSignal], &[NetId]),
    positions: &[usize],
) -> Result<Vec<(usize, SignalVar)>, WaveError> {
    file.open_scope(name)?;
    let mut open: &[String] = &[];
    let mut known: HashMap<NetId, (Var, Option<Var>)> = HashMap::new();
    let mut followers = vec![];
    for &position in positions {
        let signal = &signals[position];
        let common = open.iter().zip(&signal.scopes).take_while(|(a, b)| a == b).count();
        for _ in common..open.len() {
            file.close_scope()?;
        }
        for scope in &signal.scopes[common..] {
            file.open_scope(scope)?;
        }
        open = &signal.scopes;
        let in_words = format!("{}_text", signal.name);
        if let Some((var, text)) = known.get(&nets[position]) {
            file.alias(&signal.name, *var)?;
            if let Some(text) = text {
                file.alias(&in_words, *text)?;
            }
            continue;
        }
        let var = file.bits(&signal.name, signal.ty.width())?;
        let text = match &signal.ty {
            Type::Enum(ty) => {
                let longest = ty.variants.iter().map(String::len).max().unwrap_or(1);
                Some((file.text(&in_words, longest)?, ty.clone()))
            }
            _ => None,
        };
        let in_words = text.as_ref().map(|(var, _)| *var);
        known.insert(nets[position], (var, in_words));
        let follower = SignalVar { var, text, last: None };
        followers.push((position, follower));
    }
    for _ in 0..=open.len() {
        file.close_scope()?;
    }
    Ok(followers)
}
