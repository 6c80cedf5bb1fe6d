//! Ports of a compiled simulation.

/// Port of the module to simulate, or an inner signal that is read like one.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct PortSpec {
    /// Name in the Verilog. For an inner signal, the hierarchical name (`node.core.request`).
    pub name: String,
    /// Width in bits, 1 or more.
    pub width: usize,
    /// True for an input, false for an output.
    pub input: bool,
    /// True for an inner signal. The harness reads it from outside, and the module remains
    /// unchanged.
    pub inside: bool,
}

impl PortSpec {
    /// Makes an input.
    pub fn input(name: impl Into<String>, width: usize) -> PortSpec {
        PortSpec {
            name: name.into(),
            width,
            input: true,
            inside: false,
        }
    }

    /// Makes an output.
    pub fn output(name: impl Into<String>, width: usize) -> PortSpec {
        PortSpec {
            name: name.into(),
            width,
            input: false,
            inside: false,
        }
    }

    /// Makes an inner signal with this hierarchical name.
    pub fn inside(path: impl Into<String>, width: usize) -> PortSpec {
        PortSpec {
            inside: true,
            ..PortSpec::output(path, width)
        }
    }

    /// Number of 32-bit words of its value.
    pub fn words(&self) -> usize {
        self.width.div_ceil(32)
    }
}
