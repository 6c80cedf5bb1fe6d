//! Part of the engine in the copy. It injects the fault that the environment names, and records all
//! faults that a test could detect.

mod circuits;
mod same;

use std::collections::HashSet;
use std::io::Write;
use std::sync::{LazyLock, Mutex};

/// The fault to inject.
static WANTED: LazyLock<Option<String>> = LazyLock::new(|| std::env::var("MUTANTS_FAULT").ok());

/// File for the names of the faults that a test reaches.
static NOTES: LazyLock<Option<Mutex<Notes>>> = LazyLock::new(|| {
    let path = std::env::var("MUTANTS_NOTES").ok()?;
    // A test that starts other programs shares the file with them.
    let file = std::fs::OpenOptions::new().create(true).append(true).open(path);
    let file = file.expect("the folder is there");
    Some(Mutex::new(Notes {
        file,
        known: HashSet::new(),
    }))
});

/// Note for a fault that changes no netlist.
const SAME: &str = "same netlist";

struct Notes {
    file: std::fs::File,
    known: HashSet<String>,
}

impl Notes {
    /// Returns whether the name is new.
    fn first(&mut self, name: &str) -> bool {
        !self.known.contains(name) && self.known.insert(name.into())
    }

    fn write(&mut self, name: &str) {
        let line = format!("{name}\n");
        self.file.write_all(line.as_bytes()).expect("the disk has room");
    }
}

/// Returns whether the fault with this name in a source is active.
pub fn on(name: &str) -> bool {
    if let Some(notes) = &*NOTES {
        let mut notes = notes.lock().unwrap();
        if notes.first(name) {
            notes.write(name);
        }
    }
    WANTED.as_deref() == Some(name)
}

/// Returns the circuit, with the requested fault if it is a fault of this circuit.
pub fn circuit(mut design: crate::design::Design) -> crate::design::Design {
    if let Some(notes) = &*NOTES {
        let mut notes = notes.lock().unwrap();
        let blocks = design.modules.iter().enumerate();
        for (at, module) in blocks.filter(|_| WANTED.is_none()) {
            // A repeated module adds no faults.
            if !notes.first(&format!("{module:?}")) {
                continue;
            }
            for name in circuits::faults(&design, at) {
                if notes.first(&name) {
                    notes.write(&name);
                }
            }
        }
    }
    let Some(name) = &*WANTED else {
        return design;
    };
    let without = NOTES.is_some().then(|| design.clone());
    if circuits::put(&mut design, name) {
        if let (Some(notes), Some(without)) = (&*NOTES, without) {
            let same = same::same_netlist(&design, &without);
            notes.lock().unwrap().write(if same { SAME } else { "changed" });
        }
    }
    design
}
