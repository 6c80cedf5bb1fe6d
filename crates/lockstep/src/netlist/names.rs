//! Names of the nets of a netlist, from the hierarchy of the design.

use super::NetId;
use crate::design::Type;
use std::collections::HashMap;

/// Net with its name in the design.
#[derive(Clone, Debug, PartialEq)]
pub struct Name {
    /// Hierarchical name (`nodes[3].uart.tx`): the instances from the top down and the signal,
    /// joined by dots.
    pub path: String,
    pub net: NetId,
    /// Type for displaying the value, as wide as the net.
    pub ty: Type,
}

/// Names of a netlist: the signals of a module in order of declaration, then those of its
/// instances.
///
/// The list contains inputs, outputs, locals and the pins of cells and instances. A local that is
/// never assigned has no value and no name. A net may have several names.
#[derive(Clone, Debug, Default)]
pub struct NetNames {
    list: Vec<Name>,
    by_path: HashMap<String, usize>,
}

impl NetNames {
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

    /// Adds a name. If the path already exists for another net, the path is returned as an error. A
    /// pin `nodes[3].tx` and the port `tx` of the instance `nodes[3]` are the same net.
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
