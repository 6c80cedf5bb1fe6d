//! Waveforms read by `wellen`, which others wrote.

use std::collections::HashMap;
use std::path::Path;
use wellen::simple::{self, Waveform};
use wellen::{SignalRef, SignalValue};

/// A file that was read whole.
pub struct Wave {
    file: Waveform,
    vars: HashMap<String, (SignalRef, Option<u32>)>,
}

impl Wave {
    pub fn open(path: &Path) -> Self {
        let mut file = simple::read(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let hierarchy = file.hierarchy();
        let vars = hierarchy.iter_vars().map(|var| {
            let name = var.full_name(hierarchy);
            (name, (var.signal_ref(), var.length()))
        });
        let vars: HashMap<_, _> = vars.collect();
        let signals: Vec<SignalRef> = vars.values().map(|(signal, _)| *signal).collect();
        file.load_signals(&signals);
        Wave { file, vars }
    }

    pub fn names(&self) -> impl Iterator<Item = &String> {
        self.vars.keys()
    }

    /// Width in bits; `None` for a text.
    pub fn width(&self, name: &str) -> Option<u32> {
        self.vars[name].1
    }

    /// The time of the last entry.
    pub fn end(&self) -> u64 {
        *self.file.time_table().last().unwrap()
    }

    /// Every change of a variable: when, and to which digits or which text. A word
    /// that holds characters comes as digits.
    pub fn changes(&self, name: &str) -> Vec<(u64, String)> {
        let (signal, _) = self.vars.get(name).unwrap_or_else(|| panic!("no {name}"));
        let signal = self.file.get_signal(*signal).unwrap();
        let times = self.file.time_table();
        let change = |(time, value): (u32, SignalValue)| (times[time as usize], value.to_string());
        signal.iter_changes().map(change).collect()
    }

    /// The changes of a text, in whichever way the format keeps it.
    pub fn texts(&self, name: &str) -> Vec<(u64, String)> {
        let text = |digits: String| match self.width(name) {
            None => digits,
            Some(_) => ascii(&digits),
        };
        let changes = self.changes(name).into_iter();
        // A FST shows every variable at time 0, too.
        let changes = changes.filter(|(_, value)| !value.starts_with('x'));
        changes.map(|(time, value)| (time, text(value))).collect()
    }

    /// The number that a variable is in each of these clock cycles; `None` where
    /// it is no number.
    pub fn numbers(&self, name: &str, clocks: std::ops::Range<u64>) -> Vec<Option<u64>> {
        let changes = self.changes(name);
        let mut at = 0;
        let mut now = None;
        clocks
            .map(|clock| {
                while changes.get(at).is_some_and(|(time, _)| *time <= clock) {
                    now = u64::from_str_radix(&changes[at].1, 2).ok();
                    at += 1;
                }
                now
            })
            .collect()
    }
}

/// A word of characters, the first one highest.
fn ascii(digits: &str) -> String {
    let bytes = digits.as_bytes().chunks(8);
    let bytes = bytes.map(|b| u8::from_str_radix(std::str::from_utf8(b).unwrap(), 2).unwrap());
    bytes.filter(|b| *b != 0).map(char::from).collect()
}
