//! Ports of a compiled simulation.

/// A port of the module to simulate, or a signal inside it that is read like one.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct PortSpec {
    /// Its name in the Verilog; of a signal inside, the hierarchical name (`node.core.request`).
    pub name: String,
    /// Its width in bits, 1 or more.
    pub width: usize,
    /// An input; else an output.
    pub input: bool,
    /// No port: the harness reads it from outside, and the module stays as it is.
    pub inside: bool,
}

impl PortSpec {
    /// An input.
    pub fn input(name: impl Into<String>, width: usize) -> PortSpec {
        PortSpec {
            name: name.into(),
            width,
            input: true,
            inside: false,
        }
    }

    /// An output.
    pub fn output(name: impl Into<String>, width: usize) -> PortSpec {
        PortSpec {
            name: name.into(),
            width,
            input: false,
            inside: false,
        }
    }

    /// A signal inside, by its hierarchical name.
    pub fn inside(path: impl Into<String>, width: usize) -> PortSpec {
        PortSpec {
            inside: true,
            ..PortSpec::output(path, width)
        }
    }

    /// 32-bit words of its value.
    pub fn words(&self) -> usize {
        self.width.div_ceil(32)
    }
}
