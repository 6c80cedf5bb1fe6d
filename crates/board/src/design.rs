//! Requirements on a circuit that runs on a board: ports, clock, baud rate.

use lockstep::design::{Design, SignalKind, Type};
use thiserror::Error;

/// Circuit that a board can run.
///
/// The circuit has a clock called `clock`, and exactly these ports:
///
/// | port | | width in bits | |
/// | --- | --- | ---: | --- |
/// | `rx` | in | 1 | line from the host, high when idle, synchronised to `clock` |
/// | `tx` | out | 1 | line to the host, high when idle, from the first clock cycle on |
/// | `led` | out | 8 | lit where high |
///
/// There is no reset. All state has its initial value when the clock starts, and a board's reset
/// button reloads the whole chip.
#[derive(Clone, Debug, PartialEq)]
pub struct BoardDesign {
    name: String,
    circuit: Design,
    clock_mhz: u32,
    baud: u32,
    ingredients: Vec<String>,
}

/// The circuit does not have the ports of a [`BoardDesign`].
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("the circuit {module} cannot be put on a board: {fault}")]
pub struct WrongPorts {
    module: String,
    fault: String,
}

/// Name, direction (true for an input), width in bits.
const PORTS: [(&str, bool, u32); 3] = [("rx", true, 1), ("tx", false, 1), ("led", false, 8)];
const CLOCK: &str = "clock";

impl BoardDesign {
    /// `name` is the name of the image, such as `cube3`. `clock_mhz` is the frequency of the
    /// circuit's clock. `baud` is the baud rate of the host port at that frequency.
    ///
    /// # Errors
    /// If the circuit has other ports than a board serves.
    pub fn new(
        name: impl Into<String>,
        circuit: Design,
        clock_mhz: u32,
        baud: u32,
    ) -> Result<Self, WrongPorts> {
        match port_fault(&circuit) {
            Some(fault) => Err(WrongPorts {
                module: circuit.top().name.clone(),
                fault,
            }),
            None => Ok(BoardDesign {
                name: name.into(),
                circuit,
                clock_mhz,
                baud,
                ingredients: vec![],
            }),
        }
    }

    /// Adds an ingredient to the manifest that the circuit itself does not show. An example is the
    /// compiler of the program in its memory, with its version.
    pub fn with_ingredient(mut self, ingredient: impl Into<String>) -> Self {
        self.ingredients.push(ingredient.into());
        self
    }

    /// Changes the clock frequency to `mhz`. A bit-time at the host port keeps its number of clock
    /// cycles, so the baud rate changes with the clock.
    ///
    /// # Panics
    /// If the new baud rate is not a whole number.
    pub fn with_clock_mhz(mut self, mhz: u32) -> Self {
        let clocks = self.clocks_per_bit();
        let hertz = mhz * 1_000_000;
        assert!(
            hertz.is_multiple_of(clocks),
            "{mhz} MHz over {clocks} clock cycles per bit is not an integer baud rate"
        );
        (self.clock_mhz, self.baud) = (mhz, hertz / clocks);
        self
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn circuit(&self) -> &Design {
        &self.circuit
    }

    /// Clock frequency in MHz.
    pub fn clock_mhz(&self) -> u32 {
        self.clock_mhz
    }

    /// Baud rate of the host port, in bit-times per second.
    pub fn baud(&self) -> u32 {
        self.baud
    }

    /// Clock cycles per bit-time of the host port.
    pub fn clocks_per_bit(&self) -> u32 {
        self.clock_mhz * 1_000_000 / self.baud
    }

    /// Ingredients added with [`BoardDesign::with_ingredient`].
    pub fn ingredients(&self) -> &[String] {
        &self.ingredients
    }
}

/// Describes the first error in the ports.
fn port_fault(circuit: &Design) -> Option<String> {
    let top = circuit.top();
    if top.clock.as_deref() != Some(CLOCK) {
        return Some(format!("its clock is to be called `{CLOCK}`"));
    }
    for (name, input, width) in PORTS {
        let kind = match input {
            true => SignalKind::Input,
            false => SignalKind::Output,
        };
        let is_it = top
            .port(name)
            .is_some_and(|(_, port)| port.kind == kind && port.ty == Type::Bits(width));
        if !is_it {
            let direction = if input { "input" } else { "output" };
            return Some(format!("it lacks the {direction} `{name}` of {width} bits"));
        }
    }
    let other = top
        .ports()
        .find(|(_, port)| PORTS.iter().all(|(name, ..)| *name != port.name))?;
    Some(format!(
        "nothing is connected to its port `{}`",
        other.1.name
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use hdl::lower::lower;
    use rtl::board::Echo;
    use rtl::uart::Uart;

    #[test]
    fn a_circuit_with_the_board_ports_is_accepted() {
        let echo = lower(&Echo::<25>::default()).unwrap();
        let design = BoardDesign::new("echo", echo, 25, 1_000_000).unwrap();
        assert_eq!(design.clocks_per_bit(), 25);
        let slower = design.with_clock_mhz(24);
        assert_eq!((slower.clock_mhz(), slower.baud()), (24, 960_000));
        assert_eq!(slower.clocks_per_bit(), 25);
    }

    #[test]
    fn a_wrong_port_is_rejected_by_name() {
        let uart = lower(&Uart::<25>::default()).unwrap();
        let error = BoardDesign::new("uart", uart, 25, 1_000_000).unwrap_err();
        assert!(
            error
                .to_string()
                .ends_with("it lacks the output `led` of 8 bits"),
            "{error}"
        );
        let mut echo = lower(&Echo::<25>::default()).unwrap();
        let top = echo.top.index();
        let mut extra = echo.top().signals[echo.top().port("rx").unwrap().0.index()].clone();
        extra.name = "reset".into();
        echo.modules[top].signals.push(extra);
        let error = BoardDesign::new("echo", echo, 25, 1_000_000).unwrap_err();
        assert!(
            error
                .to_string()
                .contains("nothing is connected to its port `reset`"),
            "{error}"
        );
    }
}
