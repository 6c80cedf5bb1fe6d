//! Inputs of a simulation: constant, from a CSV file, or random.

use interconnect::RowLines;
use lockstep::lanes::{InputSource, LaneInput, LaneMachine, LaneWiring, LanesError};
use lockstep::netlist::Netlist;
use num_bigint::BigUint;
use std::collections::BTreeMap;
use thiserror::Error;

/// Reason why inputs are not accepted.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum StimulusError {
    #[error("the design has no input {name}; accepted: {ports}")]
    NoInput { name: String, ports: String },
    #[error("{text} is no value of the input {port}; accepted: 0 to 2^{width} - 1, decimal or after 0x, 0b or 0o")]
    Value { text: String, port: String, width: u32 },
    #[error("{port} is set twice; accepted: one value, or a column of the file")]
    Twice { port: String },
    #[error("line {line}: {what}")]
    Row { line: u64, what: String },
}

/// Inputs of each lane in each clock cycle.
///
/// An input is constant, or a column of the CSV file, or random if there is a seed, and 0 else.
#[derive(Clone, Debug)]
pub struct Stimulus {
    ports: Vec<InputPort>,
    /// Changes by clock cycle, in the order of the file.
    changes: BTreeMap<u64, Vec<Change>>,
    seed: Option<u64>,
    lanes: usize,
}

#[derive(Clone, Debug)]
struct InputPort {
    name: String,
    width: u32,
    kind: PortKind,
    /// True if the user gave a constant or a column.
    is_given: bool,
}

#[derive(Clone, Debug, PartialEq)]
enum PortKind {
    Constant(BigUint),
    /// Column of the file. `per_lane` if a row names a lane.
    Column {
        per_lane: bool,
    },
    Random,
}

#[derive(Clone, Debug)]
struct Change {
    port: usize,
    /// All lanes if absent.
    lane: Option<usize>,
    value: BigUint,
}

impl Stimulus {
    /// Begins with all inputs 0, or random if there is a seed.
    pub fn new(netlist: &Netlist, lanes: usize, seed: Option<u64>) -> Self {
        let kind = match seed {
            Some(_) => PortKind::Random,
            None => PortKind::Constant(BigUint::default()),
        };
        let ports = netlist.inputs.iter().map(|input| InputPort {
            name: input.path.clone(),
            width: netlist.width(input.net),
            kind: kind.clone(),
            is_given: false,
        });
        Stimulus { ports: ports.collect(), changes: BTreeMap::new(), seed, lanes }
    }

    /// Sets an input to a constant.
    ///
    /// # Errors
    /// If the input does not exist or is set already, or the value does not fit.
    pub fn set_constant(&mut self, port: &str, value: &str) -> Result<(), StimulusError> {
        let port = self.port(port)?;
        let value = self.value(port, value)?;
        self.set_kind(port, PortKind::Constant(value))
    }

    fn set_kind(&mut self, port: usize, kind: PortKind) -> Result<(), StimulusError> {
        let port = &mut self.ports[port];
        if port.is_given {
            return Err(StimulusError::Twice { port: port.name.clone() });
        }
        port.kind = kind;
        port.is_given = true;
        Ok(())
    }

    /// Adds a CSV file. Its first row has `clock`, optionally `lane`, and names of inputs. A value
    /// holds until the next row that changes it. An empty cell changes nothing.
    ///
    /// # Errors
    /// The line and what is wrong with it.
    pub fn add_csv(&mut self, text: &str) -> Result<(), StimulusError> {
        let at = |line, what: String| StimulusError::Row { line, what };
        let mut reader =
            csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(text.as_bytes());
        let headers = reader.headers().map_err(|e| at(1, e.to_string()))?.clone();
        let mut columns = vec![];
        for name in &headers {
            columns.push(match name {
                "clock" => Column::Clock,
                "lane" => Column::Lane,
                name => Column::Port(self.port(name).map_err(|e| at(1, e.to_string()))?),
            });
        }
        if !columns.contains(&Column::Clock) {
            return Err(at(
                1,
                "there is no column clock; accepted: clock, lane, and names of inputs".into(),
            ));
        }
        let per_lane = columns.contains(&Column::Lane);
        for column in &columns {
            let Column::Port(port) = *column else {
                continue;
            };
            self.set_kind(port, PortKind::Column { per_lane }).map_err(|e| at(1, e.to_string()))?;
        }
        let mut lines = RowLines::new(text, false);
        for row in reader.records() {
            let row = row.map_err(|e| {
                let byte = e.position().map_or(0, csv::Position::byte);
                let line = RowLines::new(text, false).line_of(byte);
                at(
                    line,
                    "the row has another number of cells than the first one; accepted: as many"
                        .into(),
                )
            })?;
            let line = lines.line_of(row.position().map_or(0, csv::Position::byte));
            self.add_row(&columns, &row, line)?;
        }
        Ok(())
    }

    fn add_row(
        &mut self,
        columns: &[Column],
        row: &csv::StringRecord,
        line: u64,
    ) -> Result<(), StimulusError> {
        let at = |what: String| StimulusError::Row { line, what };
        let (mut clock, mut lane) = (None, None);
        for (column, cell) in columns.iter().zip(row) {
            match column {
                Column::Clock => {
                    clock = Some(cell.parse::<u64>().map_err(|_| {
                        at(format!("{cell:?} is no clock cycle; accepted: a number from 0 on"))
                    })?)
                }
                Column::Lane if cell.is_empty() => {}
                Column::Lane => {
                    let number = cell.parse::<usize>().ok().filter(|lane| *lane < self.lanes);
                    lane = Some(number.ok_or_else(|| {
                        at(format!(
                            "{cell:?} is no lane; accepted: 0 to {}, or nothing for all lanes",
                            self.lanes - 1
                        ))
                    })?);
                }
                Column::Port(_) => {}
            }
        }
        let clock = clock.expect("there is a column clock");
        for (column, cell) in columns.iter().zip(row) {
            let Column::Port(port) = *column else {
                continue;
            };
            if !cell.is_empty() {
                let value = self.value(port, cell).map_err(|e| at(e.to_string()))?;
                let changes = self.changes.entry(clock).or_default();
                changes.push(Change { port, lane, value });
            }
        }
        Ok(())
    }

    fn port(&self, name: &str) -> Result<usize, StimulusError> {
        let found = self.ports.iter().position(|port| port.name == name);
        found.ok_or_else(|| {
            let ports: Vec<&str> = self.ports.iter().map(|port| port.name.as_str()).collect();
            StimulusError::NoInput {
                name: name.to_owned(),
                ports: match ports.is_empty() {
                    true => "none, for it has no inputs".into(),
                    false => ports.join(", "),
                },
            }
        })
    }

    fn value(&self, port: usize, text: &str) -> Result<BigUint, StimulusError> {
        let InputPort { name, width, .. } = &self.ports[port];
        let (digits, radix) = match text.get(..2) {
            Some("0x") => (&text[2..], 16),
            Some("0b") => (&text[2..], 2),
            Some("0o") => (&text[2..], 8),
            _ => (text, 10),
        };
        let value = BigUint::parse_bytes(digits.replace('_', "").as_bytes(), radix);
        value.filter(|value| value.bits() <= u64::from(*width)).ok_or_else(|| {
            StimulusError::Value { text: text.to_owned(), port: name.clone(), width: *width }
        })
    }

    /// Returns how the host drives the inputs.
    pub(super) fn wiring(&self) -> LaneWiring {
        let mut wiring = LaneWiring::new();
        for port in &self.ports {
            let source = match &port.kind {
                PortKind::Constant(value) => InputSource::Constant(value.clone()),
                PortKind::Column { per_lane: false } => InputSource::Broadcast,
                PortKind::Column { per_lane: true } | PortKind::Random => InputSource::PerLane,
            };
            wiring.port(&port.name, source);
        }
        wiring
    }

    /// Returns the inputs of a machine in the order of the ports.
    ///
    /// # Errors
    /// If the machine is of another circuit.
    pub(super) fn inputs(&self, machine: &LaneMachine) -> Result<Vec<LaneInput>, LanesError> {
        let ports = self.ports.iter();
        ports.map(|port| machine.input(&port.name)).collect()
    }

    /// Sets the inputs that change in this clock cycle. `inputs` come from [`Self::inputs`].
    pub(super) fn set(
        &self,
        machine: &mut LaneMachine,
        inputs: &[LaneInput],
        clock: u64,
    ) -> Result<(), LanesError> {
        for change in self.changes.get(&clock).into_iter().flatten() {
            let input = inputs[change.port];
            match change.lane {
                None => machine.set_all_big(input, &change.value)?,
                Some(lane) => machine.set_big(input, lane, &change.value)?,
            }
        }
        if let Some(seed) = self.seed {
            let mut plane = vec![0; machine.words()];
            for (number, port) in self.random_ports() {
                for bit in 0..port.width {
                    let random = RandomPlane::new(seed, clock, number, bit);
                    for (word, value) in plane.iter_mut().enumerate() {
                        *value = random.word(word);
                    }
                    machine.set_plane(inputs[number], bit, &plane)?;
                }
            }
        }
        Ok(())
    }

    fn random_ports(&self) -> impl Iterator<Item = (usize, &InputPort)> {
        let ports = self.ports.iter().enumerate();
        ports.filter(|(_, port)| port.kind == PortKind::Random)
    }

    /// Returns the first clock cycle after this one in which an input changes.
    pub(super) fn next_change(&self, clock: u64) -> u64 {
        match self.random_ports().next() {
            Some(_) => clock + 1,
            None => self.changes.range(clock + 1..).next().map_or(u64::MAX, |(clock, _)| *clock),
        }
    }

    /// Returns the inputs of one lane, clock cycle by clock cycle, in the order of the ports.
    pub(super) fn of_lane(&self, lane: usize) -> impl Iterator<Item = Vec<BigUint>> + '_ {
        let mut values: Vec<BigUint> = self
            .ports
            .iter()
            .map(|port| match &port.kind {
                PortKind::Constant(value) => value.clone(),
                PortKind::Column { .. } | PortKind::Random => BigUint::default(),
            })
            .collect();
        (0..).map(move |clock| {
            for change in self.changes.get(&clock).into_iter().flatten() {
                if change.lane.is_none_or(|changed| changed == lane) {
                    values[change.port] = change.value.clone();
                }
            }
            for (number, port) in self.random_ports() {
                let seed = self.seed.expect("random inputs have a seed");
                for bit in 0..port.width {
                    let plane = RandomPlane::new(seed, clock, number, bit).word(lane / 64);
                    values[number].set_bit(bit.into(), plane >> (lane % 64) & 1 == 1);
                }
            }
            values.clone()
        })
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Column {
    Clock,
    Lane,
    Port(usize),
}

/// Random bits of all lanes for one bit of an input in one clock cycle.
#[derive(Clone, Copy)]
struct RandomPlane(u64);

impl RandomPlane {
    fn new(seed: u64, clock: u64, port: usize, bit: u32) -> Self {
        let parts = [clock, port as u64, bit.into()];
        RandomPlane(parts.into_iter().fold(seed, |state, part| mixed(state ^ part)))
    }

    /// Returns the bits of lanes `64 * word` and up.
    fn word(self, word: usize) -> u64 {
        mixed(self.0.wrapping_add(word as u64))
    }
}

/// Mixing function of SplitMix64.
fn mixed(state: u64) -> u64 {
    let mut z = state.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ z >> 31
}

#[cfg(test)]
mod tests {
    use super::*;
    use lockstep::design::{Builder, Design, Type};
    use lockstep::netlist::flatten;

    fn netlist() -> Netlist {
        let mut m = Builder::new("wide", "");
        let inputs =
            [("a", 70), ("b", 3)].map(|(name, width)| m.input(name, Type::Bits(width), ""));
        for (i, input) in inputs.into_iter().enumerate() {
            let out = m.output(&format!("out{i}"), m.module().signal(input).ty.clone(), "");
            m.connect(out, input);
        }
        flatten(&Design::from(m.finish())).unwrap()
    }

    /// The machine's inputs are those that `of_lane` lists, in each lane and clock cycle.
    #[test]
    fn lanes_get_the_listed_inputs() {
        let (netlist, lanes) = (netlist(), 70);
        for csv in ["", "clock,b\n3,5\n", "clock,lane,b\n0,,1\n2,69,0b111\n2,4,2\n5,,0x3\n"] {
            let mut stimulus = Stimulus::new(&netlist, lanes, Some(9));
            if !csv.is_empty() {
                stimulus.add_csv(csv).unwrap();
            }
            let options = lockstep::lanes::LaneOptions::default();
            let mut machine =
                LaneMachine::new(netlist.clone(), lanes, &stimulus.wiring(), &options).unwrap();
            let inputs = stimulus.inputs(&machine).unwrap();
            let mut expected: Vec<_> = (0..lanes).map(|lane| stimulus.of_lane(lane)).collect();
            for clock in 0..7 {
                stimulus.set(&mut machine, &inputs, clock).unwrap();
                for (lane, expected) in expected.iter_mut().enumerate() {
                    let found = ["out0", "out1"].map(|name| {
                        let probe = machine.probe(name).unwrap();
                        machine.get_big(probe, lane)
                    });
                    assert_eq!(
                        found.to_vec(),
                        expected.next().unwrap(),
                        "lane {lane}, clock {clock}, {csv}"
                    );
                }
                machine.clock();
            }
        }
    }

    #[test]
    fn wrong_inputs_are_named_with_their_line() {
        let netlist = netlist();
        let error_of = |csv: &str| {
            let mut stimulus = Stimulus::new(&netlist, 4, None);
            stimulus.add_csv(csv).unwrap_err().to_string()
        };
        assert!(
            error_of("clock,c\n").starts_with("line 1: the design has no input c; accepted: a, b")
        );
        assert!(error_of("a,b\n").starts_with("line 1: there is no column clock"));
        assert!(error_of("clock,b\n0,1\n1,8\n").starts_with("line 3: 8 is no value of the input b"));
        assert!(error_of("clock,lane,b\n0,4,1\n").contains("accepted: 0 to 3"));
        assert!(error_of("clock,b\nx,1\n").starts_with("line 2: \"x\" is no clock cycle"));
        assert!(error_of("clock,b\n1,2,3\n").starts_with("line 2: the row has another number"));
        assert!(error_of("clock,b\r\n\r\n0,1\r\n1,8\r\n").starts_with("line 4: 8 is no value"));
        assert!(error_of("clock,b,b\n").starts_with("line 1: b is set twice"));
        let mut stimulus = Stimulus::new(&netlist, 4, None);
        let error = stimulus.set_constant("b", "0x1f").unwrap_err().to_string();
        assert_eq!(error, "0x1f is no value of the input b; accepted: 0 to 2^3 - 1, decimal or after 0x, 0b or 0o");
        stimulus.set_constant("b", "1").unwrap();
        let error = stimulus.set_constant("b", "2").unwrap_err();
        assert_eq!(error, StimulusError::Twice { port: "b".to_owned() });
        let error = stimulus.add_csv("clock,b\n0,3\n").unwrap_err().to_string();
        assert!(error.starts_with("line 1: b is set twice"), "{error}");
    }
}
