//! TDMA cube as a `Machine`, with cores or with forwarders.

use super::profile::{ProfileStudy, Profiler};
use super::LinkKind;
use crate::flags::{CoreFlags, FlagChoice};
use crate::networks::tdma::cube::{
    ClockSpread, CubeCircuit, CubeDriver, CubeFaults, PhaseClockDelayTooLong, ProgramDriver,
    DEADLOCK_AFTER,
};
use crate::networks::tdma::wires::period_name;
use crate::networks::{Machine, Study};
use crate::program::{star, Firmware, FirmwareError, NodeMemory, NodeTarget, ProgramName};
use crate::programs::CORE_CONTEXT;
use crate::text::format_count;
use crate::user_core::UserCore;
use crate::wave::WaveSubject;
use crate::{
    JsonEntry, Load, LoadError, MachineCircuit, MachineDriver, Silicon, Timebase, WireCounts,
};
use engine::{NodeEngine, WordStream};
use hdl::lower::LowerErrors;
use interconnect::routing::tdma::{PhaseSchedule, Routing};
use interconnect::routing::Schedule;
use interconnect::topology::Topology;
use std::ffi::OsStr;
use std::path::Path;
use toolchain::{progress, Toolchain};

/// Program that is to be fetched or built.
pub struct ProgramRequest {
    /// Program as requested: a name, an ELF file, or a C file.
    pub name: ProgramName,
    /// Service window in bit-times. `None` selects the default.
    pub service: Option<u32>,
    /// True if the program is given data and has work of its own. Its default service window is
    /// then longer than for `route`.
    pub has_work: bool,
    /// Memories of the nodes.
    pub memory: NodeMemory,
    /// The core has multiplication and division.
    pub multiplies: bool,
    /// Core that runs the program, if it is not the soft core.
    pub core: CoreFlags,
}

impl ProgramRequest {
    /// Returns the default program of the nodes.
    pub fn route() -> Self {
        ProgramRequest {
            name: "route".into(),
            service: None,
            has_work: false,
            memory: NodeMemory::BOARD,
            multiplies: false,
            core: CoreFlags::default(),
        }
    }
}

/// Hypercube whose router is a time schedule.
pub struct Tdma {
    pub(super) circuit: CubeCircuit,
    /// Log2 of the processors of a node.
    pub proc_bits: u32,
    /// Program of soft nodes. `None` if the nodes have forwarders.
    pub(super) program: Option<ProgramRequest>,
    /// Compiled program, once it is prepared.
    pub(super) firmware: Firmware,
    pub faults: CubeFaults,
    /// Limits of the clocks, if nodes have individual clocks.
    clocks: Option<ClockSpread>,
    /// True if the activity of the cores is to be printed.
    pub profile: bool,
}

impl Tdma {
    /// Creates the machine with this program, which must be [prepared](Machine::prepare).
    pub fn new(circuit: CubeCircuit, program: Option<ProgramRequest>) -> Self {
        let circuit = match &program {
            // The observable signals do not depend on the program.
            Some(program) => with_program(circuit, &Firmware::default(), program),
            None => circuit,
        };
        Tdma {
            circuit,
            proc_bits: 0,
            program,
            firmware: Firmware::default(),
            faults: CubeFaults::default(),
            clocks: None,
            profile: false,
        }
    }

    /// Returns the phases in which each link is open.
    pub fn schedule(&self) -> &PhaseSchedule {
        self.circuit.schedule()
    }

    /// Gives each node an individual clock, drawn from this seed.
    ///
    /// # Errors
    /// If the phase clock could be late by half a phase.
    pub fn set_node_clocks(
        &mut self,
        spread: ClockSpread,
        seed: u64,
    ) -> Result<(), PhaseClockDelayTooLong> {
        let timing = self.circuit.timing();
        let nodes = self.circuit.shape().nodes();
        let (phase, bit) = (timing.clock_cycles(), timing.clocks_per_bit);
        let clocks = spread.clocks(nodes, phase, bit, seed)?;
        self.circuit = self.circuit.clone().with_node_clocks(clocks);
        self.clocks = Some(spread);
        Ok(())
    }
}

fn with_program(
    circuit: CubeCircuit,
    firmware: &Firmware,
    program: &ProgramRequest,
) -> CubeCircuit {
    let circuit = circuit.with_program(firmware);
    let circuit = match program.has_work {
        true => circuit.with_guard(firmware.guard_limits()),
        false => circuit,
    };
    match program.service {
        Some(service) => circuit.with_service(service),
        None if program.has_work => {
            let timing = circuit.timing();
            let timing = match program.name.user_path().is_some_and(star::is_starc) {
                true => timing.with_exchange(),
                false => timing.with_work(),
            };
            circuit.with_service(timing.service)
        }
        None => circuit,
    }
}

impl Tdma {
    /// Returns the name of the kind of links.
    fn link(&self) -> &'static str {
        let link = match self.circuit.timing().acked {
            true => LinkKind::Acked,
            false => LinkKind::Raw,
        };
        link.name()
    }
}

impl Machine for Tdma {
    fn label(&self) -> &'static str {
        let is_metacube = self.circuit.shape().class_bits() > 0;
        let is_adaptive = self.circuit.routing() == Routing::Adaptive;
        if self.circuit.programs().is_some() {
            return match is_metacube {
                true => "metacube compiled",
                false => "TDMA compiled",
            };
        }
        match self.program {
            Some(_) if is_metacube => "metacube route",
            None if is_metacube => "metacube forwarder",
            Some(_) if is_adaptive => "TDMA adaptive route",
            None if is_adaptive => "TDMA adaptive",
            Some(_) => "TDMA route",
            None => "TDMA forwarder",
        }
    }

    fn headline(&self) -> String {
        let name = self.circuit.shape().name();
        if self.circuit.programs().is_some() {
            return format!("{name}, compiled schedule");
        }
        let order = match self.circuit.schedule().order() {
            None => "",
            Some(_) => ", programmed order",
        };
        let routing = match self.circuit.routing() {
            Routing::ECube => "",
            Routing::Adaptive => ", adaptive routing",
        };
        let clocks = self.clocks.as_ref().map_or(String::new(), |spread| {
            let skew = spread.skew.max_skew(self.circuit.shape().nodes());
            // A sum of levels such as 0.3 has a rounding error.
            let skew = (skew * 1e6).round() / 1e6;
            format!(", clocks up to {skew} bit-times and {} ppm apart", spread.ppm)
        });
        format!("{name}, {} link{order}{routing}{clocks}", self.link())
    }

    fn settings(&self) -> Vec<JsonEntry> {
        let mut settings = vec![
            JsonEntry::new("dims", self.circuit.shape().bits()),
            JsonEntry::new("link", self.link()),
        ];
        if self.circuit.routing() == Routing::Adaptive {
            settings.push(JsonEntry::new("routing", Routing::Adaptive.name()));
        }
        if let Some(spread) = &self.clocks {
            let skew = spread.skew.max_skew(self.circuit.shape().nodes());
            settings.push(JsonEntry::new("skew", skew));
            settings.push(JsonEntry::new("ppm", spread.ppm));
        }
        settings
    }

    fn circuit(&self) -> &dyn MachineCircuit {
        &self.circuit
    }

    fn timebase(&self) -> Timebase {
        let timing = self.circuit.timing();
        let phase = u64::from(timing.bit_times());
        let schedule = self.circuit.schedule();
        // A programmed order of superframes is counted in superframes, as an order that is not
        // programmed.
        let (phases, period_name) = match schedule.consists_of_superframes() {
            true => (PhaseSchedule::from(schedule.shape()).period(), "superframe"),
            false => (schedule.period(), period_name(schedule).full),
        };
        Timebase {
            clocks_per_bit: timing.clocks_per_bit.into(),
            step: phase,
            period: phase * u64::from(phases),
            period_name,
            step_name: "phase",
            steps_name: "phases",
            arrival: phase,
        }
    }

    /// Counts one wire for each pair of neighbours.
    fn wire_counts(&self) -> WireCounts {
        let links = self.circuit.shape().links();
        WireCounts { per_node: f64::from(links) / 2.0, pins: links }
    }

    fn subject(&self) -> WaveSubject {
        self.circuit.subject()
    }

    fn buffer_name(&self, place: u32) -> String {
        self.circuit.buffer_name(place)
    }

    fn may_lose(&self) -> bool {
        !self.circuit.timing().acked && self.circuit.programs().is_none()
    }

    /// A machine with a compiled schedule ends with the schedule.
    fn deadlock_after(&self) -> Option<u64> {
        self.circuit.programs().is_none().then_some(DEADLOCK_AFTER)
    }

    fn prepare(&mut self, work_dir: &Path) -> Result<Option<String>, FirmwareError> {
        let Some(program) = &self.program else {
            return Ok(None);
        };
        let tools = Toolchain::open()?;
        let target = NodeTarget {
            kind: self.circuit.node_kind(),
            memory: program.memory,
            multiplies: program.multiplies,
        };
        let open = |name: &OsStr| Firmware::open(name, target, &tools, work_dir);
        let options = star::Options {
            dims: self.circuit.shape().bits(),
            has_background: program.core.core.is_empty(),
            has_answers: self.circuit.timing().acked,
            ..star::Options::default()
        };
        let firmware = star::open_for_cube(&program.name, &options, work_dir, open)?;
        self.circuit = with_program(self.circuit.clone(), &firmware, program);
        let mut what = firmware.to_string();
        if firmware.multiplies {
            what += ", on cores with multiplication";
        }
        if !program.core.core.is_empty() {
            UserCore::check_program(&firmware)?;
            let core = UserCore::open(&program.core, &tools, &work_dir.join("core"))?;
            core.notes.iter().for_each(|line| progress::note(line));
            what += &format!(", on the core {}", core.top());
            self.circuit = self.circuit.clone().with_core(core);
        }
        self.firmware = firmware;
        Ok(Some(what))
    }

    fn firmware(&self) -> Option<&Firmware> {
        self.program.is_some().then_some(&self.firmware)
    }

    fn driver<'a>(
        &self,
        engine: &'a mut dyn NodeEngine,
        load: Load,
    ) -> Result<Box<dyn MachineDriver + 'a>, LoadError> {
        if let Some(data) = &load.data {
            let symbols = self.firmware.symbols.clone();
            let driver = ProgramDriver::new(engine, &self.circuit, Some(data), symbols);
            let max_values = load.max_values.unwrap_or(usize::MAX);
            let driver = driver.with_max_values(max_values);
            let driver = driver.with_faults(&self.faults);
            let driver = match load.keep_events {
                true => driver.with_log(),
                false => driver,
            };
            return Ok(Box::new(driver.with_shown_nodes(load.shown_nodes)));
        }
        let load = load.between_nodes(self.proc_bits);
        let driver = CubeDriver::new(engine, &self.circuit, &self.faults, &load);
        Ok(Box::new(driver))
    }

    fn describe_nodes(&self) -> String {
        match self.program.as_ref().map(|program| &program.name) {
            None if self.circuit.routing() == Routing::Adaptive => {
                "Nodes with adaptive forwarders.".to_owned()
            }
            None => "Nodes with forwarders.".to_owned(),
            Some(name) => match name.project_name() {
                Some("route_at_once") => {
                    "Nodes with a core that runs route_at_once: it sleeps from its decision to \
                     the next phase, each node from another clock cycle on."
                        .to_owned()
                }
                Some("route") => {
                    "Nodes with a core that runs route: it looks ahead while frames are on the \
                     wire."
                        .to_owned()
                }
                _ => format!(
                    "Nodes with a core that runs {name}; its bus counts in the fingerprint."
                ),
            },
        }
    }

    fn stream(&self) -> Option<WordStream> {
        Some(WordStream {
            valid: "out_valid".into(),
            toggles: false,
            data: "out_data".into(),
            last: Some("out_last".into()),
        })
    }

    /// A program that sends nothing leaves the outputs idle. Its bus shows all activity.
    fn bus_signals(&self) -> Vec<String> {
        let routers = ["route", "route_at_once"];
        let own = self.program.as_ref().is_some_and(|program| {
            !program.name.project_name().is_some_and(|own| routers.contains(&own))
        });
        let bus = ["request", "address", "write_data", "read_data"];
        let bus = bus.iter().filter(|_| own);
        bus.map(|signal| format!("node.core.{signal}")).collect()
    }

    fn ineffective_flags(&self, steps: u64) -> Option<String> {
        let late = self.faults.slips.iter().find(|slip| slip.t >= steps)?;
        Some(format!(
            "--slip 0x{:X}@{}: the run ended after {}, so this slip did not happen; \
             accepted: a phase below {steps}, counted from 0",
            late.node,
            late.t,
            format_count(steps, "phase")
        ))
    }

    fn not_reference(&self) -> Option<&'static str> {
        let program = self.program.as_ref()?;
        if program.multiplies {
            return Some(
                "--engine reference simulates blocks of rust-hdl, and --multiply replaces the \
                 core in the netlist of the node; accepted: no --multiply, or --engine lockstep, \
                 evaluator, verilator or functional",
            );
        }
        (!program.core.core.is_empty()).then_some(
            "--engine reference simulates blocks of rust-hdl, and --core replaces the core in the \
             netlist of the node; accepted: no --core, or --engine lockstep, evaluator or verilator",
        )
    }

    fn not_functional(&self) -> Option<&'static str> {
        let faults = &self.faults;
        if faults.noise > 0.0 || !faults.slips.is_empty() {
            return Some(
                "--engine functional moves whole frames; accepted: no --noise and no --slip, or \
                 another engine",
            );
        }
        if self.profile {
            return Some(
                "--engine functional skips the time in which programs wait; accepted: no \
                 --profile, or another engine",
            );
        }
        self.circuit().functional().err()
    }

    fn watched_signals(&self) -> Vec<String> {
        let has_soft_core = |program: &ProgramRequest| program.core.core.is_empty();
        let is_sampled = self.profile && self.program.as_ref().is_some_and(has_soft_core);
        is_sampled.then(|| CORE_CONTEXT.to_owned()).into_iter().collect()
    }

    fn studies(&self, engine: &mut dyn NodeEngine) -> Vec<Box<dyn Study>> {
        let profile = |engine: &mut dyn NodeEngine| -> Box<dyn Study> {
            Box::new(ProfileStudy {
                profiler: Profiler::new(engine),
                shape: self.circuit.shape(),
                window: self.circuit.timing().window(),
                symbols: self.firmware.symbols.clone(),
            })
        };
        let profile = self.profile.then(|| profile(engine));
        profile.into_iter().collect()
    }

    fn silicon(&self) -> Result<Option<Silicon>, LowerErrors> {
        self.synthesised()
    }
}
