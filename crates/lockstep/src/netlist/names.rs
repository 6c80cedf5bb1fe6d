//! What the nets of a netlist are called, in the hierarchy that they come from.

use super::NetId;
use crate::design::Type;
use std::collections::HashMap;

/// A net under the name that a person knows it by.
#[derive(Clone, Debug, PartialEq)]
pub struct Name {
    /// Hierarchical (`nodes[3].uart.tx`): the names of the instances from the
    /// top down and the name of the signal, joined by dots.
    pub path: String,
    pub net: NetId,
    /// How to show the value; as wide as the net.
    pub ty: Type,
}

/// The names of a netlist: a module's signals in order of declaration, then
/// those of its instances.
///
/// Inputs, outputs, locals and the pins of cells and instances are here; a local
/// that is never assigned has no value and no name. Several names may stand for
/// one net.
#[derive(Clone, Debug, Default)]
pub struct Names {
    list: Vec<Name>,
    by_path: HashMap<String, usize>,
}

impl Names {
    pub fn get(&self, path: &str) -> Option<&Name> {
        self.by_path.get(path).map(|&i| &self.list[i])
    }

    pub fn iter(&self) -> impl Iterator<Item = &Name> {
        self.list.iter()
    }

    pub fn len(&self) -> usize {
        self.list.len()
    }

    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Adds a name. One that is there already must be of the same net, else the
    /// path comes back: a pin `nodes[3].tx` and the port `tx` in the instance
    /// `nodes[3]` are one thing.
    pub(super) fn add(&mut self, name: Name) -> Result<(), String> {
        match self.get(&name.path) {
            Some(known) if known.net == name.net => Ok(()),
            Some(_) => Err(name.path),
            None => {
                self.by_path.insert(name.path.clone(), self.list.len());
                self.list.push(name);
                Ok(())
            }
        }
    }
}
