//! Compiled into the engine of the copy: the fault that the environment asks for is there, and
//! what a test could see of all others is noted.

mod circuits;
mod same;

use std::collections::HashSet;
use std::io::Write;
use std::sync::{LazyLock, Mutex};

/// The fault that is put in.
static WANTED: LazyLock<Option<String>> = LazyLock::new(|| std::env::var("MUTANTS_FAULT").ok());

/// The file into which the faults that a test comes by are written.
static NOTES: LazyLock<Option<Mutex<Notes>>> = LazyLock::new(|| {
    let path = std::env::var("MUTANTS_NOTES").ok()?;
    // A test that starts programs has their notes in the same file.
    let file = std::fs::OpenOptions::new().create(true).append(true).open(path);
    let file = file.expect("the folder is there");
    Some(Mutex::new(Notes {
        file,
        known: HashSet::new(),
    }))
});

/// What is noted of a fault that changes no netlist.
const SAME: &str = "same netlist";

struct Notes {
    file: std::fs::File,
    known: HashSet<String>,
}

impl Notes {
    /// Whether it is new.
    fn first(&mut self, name: &str) -> bool {
        !self.known.contains(name) && self.known.insert(name.into())
    }

    fn write(&mut self, name: &str) {
        let line = format!("{name}\n");
        self.file.write_all(line.as_bytes()).expect("the disk has room");
    }
}

/// Whether the fault with this name in a source is there.
pub fn on(name: &str) -> bool {
    if let Some(notes) = &*NOTES {
        let mut notes = notes.lock().unwrap();
        if notes.first(name) {
            notes.write(name);
        }
    }
    WANTED.as_deref() == Some(name)
}

/// A circuit with the fault that is wanted, if it is one of it.
pub fn circuit(mut design: crate::design::Design) -> crate::design::Design {
    if let Some(notes) = &*NOTES {
        let mut notes = notes.lock().unwrap();
        let blocks = design.modules.iter().enumerate();
        for (at, module) in blocks.filter(|_| WANTED.is_none()) {
            // One that was there already has nothing new.
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
