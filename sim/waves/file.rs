//! Waveforms read by the independent library `wellen`.

use std::collections::HashMap;
use std::path::Path;
use wellen::simple::{self, Waveform};
use wellen::{SignalRef, SignalValue};

/// A file that was read completely.
pub struct WaveFile {
    file: Waveform,
    vars: HashMap<String, (SignalRef, Option<u32>)>,
}

impl WaveFile {
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
        WaveFile { file, vars }
    }

    pub fn names(&self) -> impl Iterator<Item = &String> {
        self.vars.keys()
    }

    /// Returns the width in bits, or `None` for a text.
    pub fn width(&self, name: &str) -> Option<u32> {
        self.vars[name].1
    }

    /// Returns the time of the last entry.
    pub fn end(&self) -> u64 {
        *self.file.time_table().last().unwrap()
    }

    /// Returns every change of a variable: time and digits or text. A word of characters is
    /// returned as digits.
    pub fn changes(&self, name: &str) -> Vec<(u64, String)> {
        let (signal, _) = self.vars.get(name).unwrap_or_else(|| panic!("no {name}"));
        let signal = self.file.get_signal(*signal).unwrap();
        let times = self.file.time_table();
        let change = |(time, value): (u32, SignalValue)| (times[time as usize], value.to_string());
        signal.iter_changes().map(change).collect()
    }

    /// Returns the changes of a text in either encoding.
    pub fn texts(&self, name: &str) -> Vec<(u64, String)> {
        let text = |digits: String| match self.width(name) {
            None => digits,
            Some(_) => ascii(&digits),
        };
        let changes = self.changes(name).into_iter();
        // An FST also lists every variable at time 0.
        let changes = changes.filter(|(_, value)| !value.starts_with('x'));
        changes.map(|(time, value)| (time, text(value))).collect()
    }

    /// Returns the value of a variable in each of these clock cycles, or `None` where it is no
    /// number.
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

/// Decodes a word of characters, the first one in the highest bits.
fn ascii(digits: &str) -> String {
    let bytes = digits.as_bytes().chunks(8);
    let bytes = bytes.map(|b| u8::from_str_radix(std::str::from_utf8(b).unwrap(), 2).unwrap());
    bytes.filter(|b| *b != 0).map(char::from).collect()
}
