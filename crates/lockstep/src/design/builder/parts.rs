//! Existing circuits inside a module.

use super::{Builder, Design, DesignSignal, Library, SignalId, SignalKind};
use std::collections::HashMap;

impl Builder {
    /// Places a circuit inside the module and adds its modules to the library. Returns its pins by
    /// port name.
    ///
    /// ```
    /// use lockstep::design::{Builder, Design, Library, Type};
    ///
    /// let mut inverter = Builder::new("inverter", "");
    /// let (a, b) = (inverter.input("a", Type::BIT, ""), inverter.output("b", Type::BIT, ""));
    /// let read = inverter.read(a);
    /// let not = inverter.not(read);
    /// inverter.assign(b, not);
    /// let inverter = Design::from(inverter.finish());
    ///
    /// let (mut library, mut top) = (Library::default(), Builder::new("two", ""));
    /// let first = top.instantiate_design(&mut library, "first", &inverter);
    /// let second = top.instantiate_design(&mut library, "second", &inverter);
    /// top.connect(second["a"], first["b"]);
    /// let (_, port) = inverter.top().port("a").unwrap();
    /// top.export_port(first["a"], port, "a");
    /// let top = library.add_module(top.finish());
    /// assert_eq!(library.finish(top).modules.len(), 2);
    /// ```
    pub fn instantiate_design(
        &mut self,
        library: &mut Library,
        name: &str,
        part: &Design,
    ) -> HashMap<String, SignalId> {
        let id = library.add(part);
        let pins = self.instance(name, id, library.module(id));
        let names = part.top().ports().map(|(_, port)| port.name.clone());
        names.zip(pins).collect()
    }

    /// Exports a port of an inner circuit as a port of this module. `pin` is the pin of that
    /// circuit, `name` the new port. Returns the new port.
    #[track_caller]
    pub fn export_port(&mut self, pin: SignalId, port: &DesignSignal, name: &str) -> SignalId {
        if port.kind == SignalKind::Input {
            let outside = self.input(name, port.ty.clone(), &port.doc);
            self.connect(pin, outside);
            outside
        } else {
            let outside = self.output(name, port.ty.clone(), &port.doc);
            self.connect(outside, pin);
            outside
        }
    }
}
