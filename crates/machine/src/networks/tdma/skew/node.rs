//! One of the two nodes, with its own clock and a host that checks the received bytes.

use super::SkewConditions;
use engine::{CircuitEngine, EngineError, EvaluatorEngine, PortId};

/// Node: its circuit, the time of its next clock edge, and its host. The host sends one frame in
/// each of the node's phases and keeps the bytes received in the other node's phases.
pub(super) struct SkewNode {
    engine: EvaluatorEngine,
    pins: SkewPins,
    /// Time of the next rising clock edge, in bit-times.
    pub next_edge: f64,
    clock_cycle: f64,
    /// Clock cycles that the host waits before it sends.
    guard: u32,
    elapsed: u32,
    frame: Vec<u8>,
    sent: usize,
    /// Bytes received since the phase began. `None` is a framing error.
    pub received: Vec<Option<u8>>,
    /// True if the node pulls the wire.
    pub pull: bool,
}

struct SkewPins {
    phase_clock: SkewInput,
    sync: SkewInput,
    level: SkewInput,
    pull: PortId,
    begin: PortId,
    transmit: PortId,
    tx_data: SkewInput,
    tx_start: SkewInput,
    tx_ready: PortId,
    rx_data: PortId,
    rx_valid: PortId,
    rx_error: PortId,
}

/// Input and its value. Most inputs are constant for many clock cycles. Only a changed input makes
/// the engine recompute.
struct SkewInput {
    port: PortId,
    value: u64,
}

impl SkewInput {
    /// Creates the input with the value 0, which all inputs have initially.
    fn of(engine: &EvaluatorEngine, name: &str) -> Self {
        SkewInput {
            port: engine.port(name),
            value: 0,
        }
    }

    fn set(&mut self, engine: &mut EvaluatorEngine, value: u64) {
        if self.value != value {
            self.value = value;
            engine.set_u64(self.port, value);
        }
    }
}

/// Lines that a node samples at its clock edge.
pub(super) struct SkewLines {
    pub phase_clock: bool,
    pub sync: bool,
    pub level: bool,
}

impl SkewNode {
    /// Creates a node. `engine` is [`SkewConditions::node`], `first_edge` is in bit-times, `guard` is
    /// in clock cycles of the node.
    pub fn new(
        number: usize,
        conditions: &SkewConditions,
        mut engine: EvaluatorEngine,
        guard: u32,
        first_edge: f64,
    ) -> Self {
        let address = engine.port("address");
        engine.set_u64(address, number as u64);
        let pins = SkewPins {
            phase_clock: SkewInput::of(&engine, "phase_clock"),
            sync: SkewInput::of(&engine, "sync"),
            level: SkewInput::of(&engine, "level"),
            pull: engine.port("pull"),
            begin: engine.port("begin"),
            transmit: engine.port("transmit"),
            tx_data: SkewInput::of(&engine, "tx_data"),
            tx_start: SkewInput::of(&engine, "tx_start"),
            tx_ready: engine.port("tx_ready"),
            rx_data: engine.port("rx_data"),
            rx_valid: engine.port("rx_valid"),
            rx_error: engine.port("rx_error"),
        };
        SkewNode {
            engine,
            pins,
            next_edge: first_edge,
            clock_cycle: conditions.clock_cycle(number),
            guard,
            elapsed: 0,
            frame: vec![],
            sent: 0,
            received: vec![],
            pull: false,
        }
    }

    /// Sets the bytes to send in the node's next own phase.
    pub fn load(&mut self, frame: Vec<u8>) {
        self.frame = frame;
        self.sent = self.frame.len();
    }

    /// Applies the rising clock edge. Returns true if a phase began with the previous clock cycle.
    /// `received` then contains the bytes received in the phase before.
    pub fn clock(&mut self, lines: &SkewLines) -> Result<bool, EngineError> {
        let pins = &mut self.pins;
        let engine = &mut self.engine;
        pins.phase_clock.set(engine, lines.phase_clock.into());
        pins.sync.set(engine, lines.sync.into());
        pins.level.set(engine, lines.level.into());
        engine.settle()?;
        let began = engine.get_u64(pins.begin) == 1;
        if began {
            self.elapsed = 0;
            if engine.get_u64(pins.transmit) == 1 {
                self.sent = 0;
            }
        }
        if engine.get_u64(pins.rx_valid) == 1 {
            self.received.push(Some(engine.get_u64(pins.rx_data) as u8));
        }
        if engine.get_u64(pins.rx_error) == 1 {
            self.received.push(None);
        }
        let open = self.elapsed >= self.guard && engine.get_u64(pins.tx_ready) == 1;
        let start = open && self.sent < self.frame.len();
        if start {
            pins.tx_data.set(engine, self.frame[self.sent].into());
            self.sent += 1;
        }
        pins.tx_start.set(engine, start.into());
        self.elapsed += 1;
        engine.clock()?;
        self.pull = engine.get_u64(pins.pull) == 1;
        self.next_edge += self.clock_cycle;
        Ok(began)
    }
}
