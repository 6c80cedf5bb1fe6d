//! Clock domain of a node with its own clock: the circuits around the node.

use hdl::lower::{lower, LowerErrors};
use lockstep::design::{BinaryOp, Builder, Design, ExprId, Library, SignalId, Type};
use rtl::tdma::parts::synchroniser;
use rtl::tdma::{NodeOscillator, PhaseClockDelay, DELAY_BITS, SLOWER_BITS};
use std::collections::HashMap;

/// Report ports of a node for a phase that is over, each with its name at the station. The values
/// are captured when the node sees the next phase begin, because this time is known only in its own
/// domain.
pub(super) const REPORT_PORTS: [(&str, &str); 7] = [
    ("phase", "node_phase"),
    ("muted", "muted"),
    ("sent", "sent"),
    ("sent_slot", "sent_slot"),
    ("received", "received"),
    ("late", "late"),
    ("slips", "slips"),
];

/// Outputs to the host that are high for one clock cycle of the node. The station shortens them to
/// one clock cycle of the simulation.
pub(super) const PULSE_PORTS: [&str; 2] = ["host_taken", "out_valid"];

/// Clock enable input that holds the node's clock.
pub(super) const CLOCK_ENABLE: &str = "clock_enable";

/// Builder of the clock domain of a node.
///
/// [`PhaseClockDelay`] delays the phase clock (input `delay`). [`NodeOscillator`] derives the node's clock
/// from the simulation clock by skipping edges (inputs `slower`, `start`). Signals from other
/// domains pass a [`Synchroniser`].
pub(super) struct ClockDomain<'a> {
    pub top: &'a mut Builder,
    pub library: &'a mut Library,
    /// Pins of the node, which has an input [`CLOCK_ENABLE`].
    pub node: &'a HashMap<String, SignalId>,
}

impl ClockDomain<'_> {
    /// Builds the domain around a node with `links` links. `phase_clock` is the level of the phase
    /// clock. `counter` generates the node's `sync` if no wire does. Returns the pin for the levels
    /// of the wires, which the caller must drive.
    ///
    /// # Errors
    /// A released circuit causes no error.
    pub fn build(
        mut self,
        links: u32,
        phase_clock: ExprId,
        counter: Option<&Design>,
    ) -> Result<SignalId, LowerErrors> {
        let oscillator = self.place("own_clock", &lower(&NodeOscillator::default())?);
        let of_simulation = "; set before the first phase.";
        for (name, doc) in [
            ("slower", "Edges that its clock misses in 2^24"),
            ("start", "From where on they are counted"),
        ] {
            let ty = Type::Bits(SLOWER_BITS as u32);
            let outside = self.top.input(name, ty, &format!("{doc}{of_simulation}"));
            self.top.connect(oscillator[name], outside);
        }
        let tick = oscillator["tick"];

        let way = self.place("phase_clock_way", &lower(&PhaseClockDelay::default())?);
        let ty = Type::Bits(DELAY_BITS as u32);
        let doc = format!("Clock cycles by which the phase clock comes late{of_simulation}");
        let delay = self.top.input("delay", ty, &doc);
        self.top.connect(way["delay"], delay);
        self.top.assign(way["phase_clock"], phase_clock);

        let synchroniser = lower(&*synchroniser(links))?;
        let synchroniser = self.place_in_domain("synchroniser", &synchroniser, tick);
        let pairs = [("phase_clock", "late_phase_clock"), ("sync", "late_sync")];
        for (to, from) in pairs {
            self.top.connect(synchroniser[to], way[from]);
        }
        let rises = synchroniser["node_phase_clock"];
        self.top.connect(self.node["phase_clock"], rises);
        self.top
            .connect(self.node["level"], synchroniser["node_level"]);
        self.top.connect(self.node[CLOCK_ENABLE], tick);
        match counter {
            None => {
                let sync = self.top.input("sync", Type::BIT, "High in phase 0.");
                self.top.connect(way["sync"], sync);
                self.top
                    .connect(self.node["sync"], synchroniser["node_sync"]);
            }
            Some(counter) => {
                let none = self.top.constant(0u8, 1);
                self.top.assign(way["sync"], none);
                let counter = self.place_in_domain("own_sync", counter, tick);
                self.top.connect(counter["phase_clock"], rises);
                self.top.connect(self.node["sync"], counter["sync"]);
            }
        }
        self.build_outputs(rises, tick);
        Ok(synchroniser["level"])
    }

    fn place(&mut self, name: &str, design: &Design) -> HashMap<String, SignalId> {
        self.top.instantiate_design(self.library, name, design)
    }

    /// Places a design that is clocked in the node's domain.
    fn place_in_domain(
        &mut self,
        name: &str,
        design: &Design,
        tick: SignalId,
    ) -> HashMap<String, SignalId> {
        let pins = self.place(name, &design.with_clock_enable(CLOCK_ENABLE));
        self.top.connect(pins[CLOCK_ENABLE], tick);
        pins
    }

    /// Builds the outputs to the environment.
    fn build_outputs(&mut self, phase_clock: SignalId, tick: SignalId) {
        let was_high = self
            .top
            .register("was_high", Type::BIT, 0u8, "What the node saw last.");
        self.top.connect(was_high.d, was_high.q);
        let kept: Vec<_> = REPORT_PORTS
            .iter()
            .map(|(port, name)| {
                let pin = self.node[*port];
                let ty = self.top.module().signal(pin).ty.clone();
                let doc = "As it was when the phase was over.";
                let init = u8::from(*port == "muted");
                let kept = self
                    .top
                    .register(&format!("over.{port}"), ty.clone(), init, doc);
                let outside = self.top.output(name, ty, doc);
                self.top.connect(outside, kept.q);
                self.top.connect(kept.d, kept.q);
                (pin, kept.d)
            })
            .collect();
        let [on, now, before] = [tick, phase_clock, was_high.q].map(|s| self.top.read(s));
        let before = self.top.not(before);
        let rises = self.top.binary(BinaryOp::And, now, before);
        let rises = self.top.binary(BinaryOp::And, rises, on);
        let on = self.top.read(tick);
        self.top.if_(on, |top| top.connect(was_high.d, phase_clock));
        self.top.if_(rises, |top| {
            for (pin, kept) in &kept {
                top.connect(*kept, *pin);
            }
        });
        for port in PULSE_PORTS {
            let outside =
                self.top
                    .output(port, Type::BIT, "For one clock cycle of the simulation.");
            let [pulse, on] = [self.node[port], tick].map(|s| self.top.read(s));
            let pulse = self.top.binary(BinaryOp::And, pulse, on);
            self.top.assign(outside, pulse);
        }
    }
}
