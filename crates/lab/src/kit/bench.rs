//! Kit of a published design: a self-checking test bench, a Makefile and a README.
//!
//! The bench applies random inputs to the circuit. In every clock cycle it compares the outputs
//! with the results of this project's evaluator for the same circuit. Inputs and outputs are in a
//! file of hexadecimal numbers, with one clock cycle per line.

use engine::agree::trace_with;
use engine::{ports, EngineError, EnginePort, EvaluatorEngine, Stimulus};
use hdl::verilog::{PublishedDesign, VerilogModule};
use lockstep::design::{Design, DesignModule, DesignSignal, SignalKind};
use num_bigint::BigUint;
use std::fmt::Write;
use thiserror::Error;

/// Reason why a kit could not be made.
#[derive(Debug, Error)]
pub enum KitError {
    #[error("the test bench cannot be generated: {0}")]
    Engine(#[from] EngineError),
}

/// All files of the kit: the modules, files for other flows, the bench, its numbers, the Makefile
/// and the README.
///
/// # Errors
/// If the evaluator cannot run the circuit. This happens for no published circuit.
pub fn kit(published: &PublishedDesign) -> Result<Vec<(String, String)>, KitError> {
    let module = published.verilog.top_module();
    let bench = KitBench::of(published)?;
    let mut files = published.files();
    let sources = files.iter().map(|(name, _)| name.as_str());
    let sources: Vec<&str> = sources.filter(|name| name.ends_with(".v")).collect();
    let (makefile, readme) = (
        makefile(&module.name, &sources, &published.verilog.preamble),
        readme(module, published.circuit.top(), &bench),
    );
    let top = &module.name;
    files.extend([
        (format!("{top}_tb.v"), bench.verilog(module, published)),
        (format!("{top}_tb.hex"), bench.readmemh_text()),
        ("Makefile".into(), makefile),
        ("README.md".into(), readme),
    ]);
    Ok(files)
}

/// Inputs and outputs of a circuit, by their Verilog names, with their values.
struct KitBench {
    inputs: Vec<(String, u32)>,
    outputs: Vec<(String, u32)>,
    /// For each clock cycle, all inputs and all outputs as one number each, the first port lowest.
    values: Vec<[BigUint; 2]>,
}

impl KitBench {
    fn of(published: &PublishedDesign) -> Result<Self, KitError> {
        let module = published.verilog.top_module();
        let circuit = &published.circuit;
        let mut evaluator = EvaluatorEngine::new(circuit)?;
        let ports = ports(circuit);
        let of = |input: bool| -> Vec<(String, u32)> {
            let both = ports.iter().zip(&module.ports);
            let those = both.filter(|(port, _)| port.input == input);
            those.map(|(port, name)| (name.clone(), port.width)).collect()
        };
        let (inputs, outputs) = (of(true), of(false));
        let clock_cycles = clock_cycles(circuit);
        let found = trace_with(&mut evaluator, default_stimulus(circuit, &ports), clock_cycles)?;
        // An equal stimulus, to obtain the inputs of the run.
        let mut stimulus = default_stimulus(circuit, &ports);
        let values = found.iter().map(|found| {
            let given = stimulus.next_cycle();
            [concatenate(&inputs, given), concatenate(&outputs, found)]
        });
        let values = values.collect();
        Ok(KitBench { inputs, outputs, values })
    }

    /// Total widths of the inputs and of the outputs in bits, each at least one.
    fn widths(&self) -> [u32; 2] {
        let width = |ports: &[(String, u32)]| ports.iter().map(|(_, width)| width).sum::<u32>();
        [width(&self.inputs).max(1), width(&self.outputs).max(1)]
    }

    /// File for `$readmemh`: outputs, followed by inputs.
    fn readmemh_text(&self) -> String {
        let [inputs, outputs] = self.widths();
        let digits = (inputs + outputs).div_ceil(4) as usize;
        let lines = self.values.iter().map(|[given, found]| {
            let line = (found << inputs) | given;
            format!("{line:0digits$x}\n")
        });
        lines.collect()
    }

    fn verilog(&self, module: &VerilogModule, published: &PublishedDesign) -> String {
        let top = &module.name;
        let [inputs, outputs] = self.widths();
        let mut pins = module.clock.iter().map(|clock| format!(".{clock}(clock)"));
        let mut pins: Vec<String> = pins.by_ref().collect();
        for (bus, ports) in [("given", &self.inputs), ("found", &self.outputs)] {
            let mut low = 0;
            for (name, width) in ports {
                pins.push(format!(".{name}({bus}[{}:{low}])", low + width - 1));
                low += width;
            }
        }
        format!(
            "{preamble}
// Gives {top} random inputs and compares its outputs, in each clock cycle, with what they
// are to be: {top}_tb.hex, inputs in the low bits.
module {top}_tb;
  localparam CLOCK_CYCLES = {cycles};
  reg [{line}:0] lines [0:CLOCK_CYCLES - 1];
  reg clock = 1'b0;
  reg [{given}:0] given;
  wire [{found}:0] found;
  reg [{found}:0] expected;
  integer i;
  integer wrong = 0;

  {top} dut (
    {pins}
  );

  initial begin
    $readmemh(\"{top}_tb.hex\", lines);
    for (i = 0; i < CLOCK_CYCLES; i = i + 1) begin
      {{expected, given}} = lines[i];
      #4;
      if (found !== expected) begin
        if (wrong < 10) $display(\"clock cycle %0d: outputs %h, expected %h\", i, found, expected);
        wrong = wrong + 1;
      end
      #1 clock = 1'b1;
      #5 clock = 1'b0;
    end
    if (wrong == 0) $display(\"PASSED: %0d clock cycles\", CLOCK_CYCLES);
    else $display(\"FAILED: in %0d of %0d clock cycles\", wrong, CLOCK_CYCLES);
    $finish;
  end
endmodule
",
            preamble = published.verilog.preamble,
            cycles = self.values.len(),
            line = inputs + outputs - 1,
            given = inputs - 1,
            found = outputs - 1,
            pins = pins.join(",\n    "),
        )
    }
}

/// Concatenates the values of ports to one number, the first port lowest.
fn concatenate(ports: &[(String, u32)], values: &[BigUint]) -> BigUint {
    let all = ports.iter().zip(values).rev();
    all.fold(BigUint::ZERO, |word, ((_, width), value)| (word << width) | value)
}

fn makefile(top: &str, sources: &[&str], preamble: &str) -> String {
    let sources = sources.join(" ");
    format!(
        "{preamble}#
#   make icarus     the test bench under Icarus Verilog
#   make verilator  the same under Verilator (5.020 or newer)
#   make test       both
#   make synth      cells on an iCE40, by yosys

IVERILOG  = iverilog
VVP       = vvp
VERILATOR = verilator
YOSYS     = yosys
BUILD     = build
VERILATOR_FLAGS =
RTL = {sources}

.PHONY: test icarus verilator synth clean
test: icarus verilator

# A bench that passes says so in its last line; whatever else is a failure.
define passes
@cat $(1)
@grep -q '^PASSED' $(1) && ! grep -q 'FAILED' $(1)
endef

icarus: $(RTL) {top}_tb.v
\t@mkdir -p $(BUILD)
\t$(IVERILOG) -g2005 -s {top}_tb -o $(BUILD)/icarus $^
\t$(VVP) -n $(BUILD)/icarus > $(BUILD)/icarus.log
\t$(call passes,$(BUILD)/icarus.log)

verilator: $(RTL) {top}_tb.v
\t@mkdir -p $(BUILD)
\t$(VERILATOR) --binary --timing -Wno-fatal -Wno-lint $(VERILATOR_FLAGS) --Mdir $(BUILD)/verilator --top-module {top}_tb $^ > $(BUILD)/verilator.build
\t$(BUILD)/verilator/V{top}_tb > $(BUILD)/verilator.log
\t$(call passes,$(BUILD)/verilator.log)

synth: $(RTL)
\t$(YOSYS) -q -p \"read_verilog $(RTL); synth_ice40 -top {top}; stat\"

clean:
\trm -rf $(BUILD)
",
        preamble = preamble.replace("//", "#"),
    )
}

fn readme(module: &VerilogModule, circuit: &DesignModule, bench: &KitBench) -> String {
    let top = &module.name;
    // Names are links in the source.
    let doc = circuit.doc.replace("[`", "`").replace("`]", "`");
    let mut text = format!("# {top}\n\n{}\n\n", doc.trim());
    for param in &circuit.params {
        let _ = writeln!(text, "* {} = {}", param.name, param.value);
    }
    text.push_str("\n## Ports\n\n| port | bits | | |\n| --- | ---: | --- | --- |\n");
    if let Some(clock) = &module.clock {
        let _ = writeln!(
            text,
            "| `{clock}` | 1 | in | the clock: all registers change with its rise |"
        );
    }
    let signals: Vec<&DesignSignal> = circuit.ports().map(|(_, signal)| signal).collect();
    for (signal, name) in signals.iter().zip(&module.ports) {
        let direction = match signal.kind {
            SignalKind::Input => "in",
            _ => "out",
        };
        let doc = signal.doc.split_whitespace().collect::<Vec<_>>().join(" ");
        let _ = writeln!(text, "| `{name}` | {} | {direction} | {doc} |", signal.width());
    }
    let _ = write!(
        text,
        "
## Timing

One clock. Registers change with its rise and begin with the values that `initial` gives them: there is no reset. Outputs may depend on
inputs in the same clock cycle. An input that comes from another clock needs a synchroniser, unless its line in the table says otherwise.

## Test

`make test` runs `{top}_tb.v` under Icarus Verilog and Verilator: {} clock cycles of random inputs, each output compared in each of
them with what the project's evaluator says. `make synth` prints the cells that yosys finds on an iCE40.

`{top}.core` is for FuseSoC, `{top}.f` is the list of files, `{top}.sdc` the clock.
",
        bench.values.len()
    );
    text
}

// Inputs for a published circuit that runs on its own: random, with meaningful values where a port
// needs them.

/// Clock cycles of a run: enough for some bytes of a UART or some packets of a router.
const CLOCK_CYCLES: usize = 4_000;

/// Clock cycles of a run for a circuit with phase inputs: a few superframes.
const PHASED_CLOCK_CYCLES: usize = 16_000;

/// Half a phase, in clock cycles. A phase is long enough for a frame of 16 bytes.
const HALF_PHASE: u64 = 650;

/// Number of clock cycles in which the circuit shows its function.
pub fn clock_cycles(circuit: &Design) -> usize {
    match has_phase_inputs(&ports(circuit)) {
        true => PHASED_CLOCK_CYCLES,
        false => CLOCK_CYCLES,
    }
}

/// Inputs for these ports, which have the names of the circuit's ports. Ports with well-known names
/// get meaningful values. Nodes see phases that are long enough for a frame, keep their address,
/// and have short messages to send.
pub fn default_stimulus(circuit: &Design, ports: &[EnginePort]) -> Stimulus {
    let mut stimulus = Stimulus::new(ports, 1);
    if has_phase_inputs(ports) {
        let phases = phases(circuit);
        let mut clock_cycle = 0;
        stimulus = stimulus.script(&["phase_clock", "sync"], move |_| {
            clock_cycle += 1;
            let phase = clock_cycle / (2 * HALF_PHASE) % phases;
            vec![clock_cycle / HALF_PHASE % 2, u64::from(phase == 0)]
        });
    }
    for (name, max) in [("address", 0), ("hang", 0), ("skip", 0), ("host_data", 9)] {
        if is_input(ports, name) {
            stimulus = stimulus.at_most(name, max);
        }
    }
    stimulus
}

/// Phases of a superframe: two for each link.
fn phases(circuit: &Design) -> u64 {
    let params = &circuit.top().params;
    let links = ["LINKS", "DIMS"].iter().find_map(|name| {
        let param = params.iter().find(|param| param.name == *name)?;
        param.value.parse::<u64>().ok()
    });
    2 * links.unwrap_or(1)
}

/// True if the circuit receives phases from outside.
fn has_phase_inputs(ports: &[EnginePort]) -> bool {
    is_input(ports, "phase_clock") && is_input(ports, "sync")
}

fn is_input(ports: &[EnginePort], name: &str) -> bool {
    ports.iter().any(|port| port.input && port.name == name)
}
