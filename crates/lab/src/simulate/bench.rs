//! Speed of the lanes of an imported design, beside Verilator with one object for each lane.
//!
//! The inputs of a lane are constant. Lanes differ in these constants if there is a seed, and in
//! their programs if there are several. Both engines compute the signature of each lane.

use super::{no_memory, SimulateError};
use import::{ClockEdge, Imported, YosysJob, SIGNATURE};
use interconnect::traffic::SplitMix64;
use lockstep::lanes::{InputSource, Keep, LaneMachine, LaneOptions, LaneWiring};
use lockstep::netlist::Netlist;
use num_bigint::BigUint;
use serde::Serialize;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Instant;
use toolchain::{
    compile_seconds, with_parameters, CompileEffort, PortSpec, ToolError, Toolchain, MODEL_PREFIX,
};

/// Design to measure.
pub struct LaneBench<'a> {
    pub imported: &'a Imported,
    pub job: &'a YosysJob,
    /// Seconds of yosys and of the import.
    pub elaboration_seconds: f64,
    /// Programs of the lanes: lane `i` has number `i` modulo their number. Each is a list of words
    /// from the first address on.
    pub programs: Vec<Vec<u64>>,
    /// Memory for the programs, by its name in the source.
    pub memory: Option<String>,
    /// Seed of the constant inputs, which are 0 without one.
    pub seed: Option<u64>,
}

/// Speed of one engine.
#[derive(Clone, Debug, Serialize)]
pub struct LaneMeasurement {
    pub lanes: usize,
    pub engine: &'static str,
    pub threads: usize,
    /// Time from the sources to the first clock cycle.
    pub start_seconds: f64,
    pub run_seconds: f64,
    /// Clock cycles of each lane.
    pub clock_cycles: u64,
    /// Million clock cycles of a lane per second, without the start.
    pub rate: f64,
    /// Depends on all outputs in all lanes and clock cycles.
    pub fingerprint: String,
}

/// Widest word of a program memory, in bits.
const WORD_MAX: u32 = 64;

impl LaneBench<'_> {
    /// Measures the lockstep engine.
    ///
    /// # Errors
    /// If the engine cannot run the lanes, or there is no such memory.
    pub fn lockstep(
        &self,
        lanes: usize,
        threads: usize,
        clock_cycles: u64,
    ) -> Result<LaneMeasurement, SimulateError> {
        let start = Instant::now();
        let netlist = Arc::new(self.imported.netlist.clone());
        let mut wiring = LaneWiring::new();
        for input in &netlist.inputs {
            wiring.port(&input.path, InputSource::PerLane);
        }
        let options = LaneOptions {
            keep: Keep::Named(vec![SIGNATURE.into()]),
            threads,
            ..LaneOptions::default()
        };
        let mut machine = LaneMachine::new(netlist.clone(), lanes.max(2), &wiring, &options)?;
        for input in &netlist.inputs {
            let port = machine.input(&input.path)?;
            for lane in 0..lanes {
                machine.set_big(port, lane, &self.input(&netlist, lane, &input.path))?;
            }
        }
        self.load(&mut machine, lanes)?;
        machine.settle();
        let start_seconds = self.elaboration_seconds + start.elapsed().as_secs_f64();
        let start = Instant::now();
        machine.clocks(clock_cycles);
        let probe = machine.probe(SIGNATURE)?;
        let mut signatures = vec![];
        machine.get_all(probe, &mut signatures);
        let run_seconds = start.elapsed().as_secs_f64();
        signatures.truncate(lanes);
        Ok(measurement(
            "lockstep",
            threads,
            clock_cycles,
            [start_seconds, run_seconds],
            &signatures,
        ))
    }

    /// Returns the constant value of an input of a lane.
    fn input(&self, netlist: &Netlist, lane: usize, name: &str) -> BigUint {
        let width = netlist.input(name).map_or(0, |net| netlist.width(net));
        let Some(seed) = self.seed else {
            return BigUint::default();
        };
        let position = netlist.inputs.iter().position(|input| input.path == name);
        let of_lane = (lane as u64) << 16 | position.unwrap_or(0) as u64;
        let mut random = SplitMix64::new(seed ^ of_lane.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let digits = (0..width.div_ceil(32)).map(|_| random.next_u64() as u32);
        BigUint::new(digits.collect()) & ((BigUint::from(1u8) << width) - 1u8)
    }

    /// Writes the programs to the memory of each lane. Each read port of the source's memory has
    /// its own copy, and a copy can consist of parts with some bits of the words.
    fn load(&self, machine: &mut LaneMachine, lanes: usize) -> Result<(), SimulateError> {
        let Some(name) = self.program_memory() else {
            return Ok(());
        };
        let parts = self.parts_of_memory(name)?;
        for (memory, low) in parts {
            let width = machine.netlist().memories[memory].width;
            let mask = (BigUint::from(1u8) << width) - 1u8;
            for lane in 0..lanes {
                let program = &self.programs[lane % self.programs.len()];
                for (address, word) in program.iter().enumerate() {
                    let part = (BigUint::from(*word) >> low) & &mask;
                    machine.set_memory_word(memory, lane, address, &part)?;
                }
            }
        }
        Ok(())
    }

    /// Checks that the memory exists and holds each program.
    ///
    /// # Errors
    /// If there is no such memory, or it is too small.
    pub fn check_programs(&self) -> Result<(), SimulateError> {
        match self.program_memory() {
            Some(name) => self.parts_of_memory(name).map(drop),
            None => Ok(()),
        }
    }

    /// Returns the name of the memory for the programs, if there are any.
    fn program_memory(&self) -> Option<&str> {
        let memory = self.memory.as_deref();
        memory.filter(|_| !self.programs.is_empty())
    }

    /// Returns the memories of the netlist with the bits of this memory of the source, each with the
    /// position of its lowest bit.
    fn parts_of_memory(&self, name: &str) -> Result<Vec<(usize, u32)>, SimulateError> {
        let netlist = &self.imported.netlist;
        let memories = netlist.memories.iter().enumerate();
        let parts = memories.filter_map(|(position, memory)| {
            let rest = memory.name.strip_prefix(name)?.strip_prefix(".port")?;
            let (_, range) = rest.split_once('[')?;
            let (_, low) = range.trim_end_matches(']').split_once(':')?;
            Some((position, low.parse().ok()?))
        });
        let parts: Vec<(usize, u32)> = parts.collect();
        let bits = |(position, low): &(usize, u32)| low + netlist.memories[*position].width;
        let width = parts.iter().map(bits).max().unwrap_or(0);
        let words = parts.iter().map(|(position, _)| netlist.memories[*position].words);
        let words = words.min().unwrap_or(0);
        let is_narrow = |word: &u64| width >= u64::BITS || word >> width == 0;
        let fits = |program: &Vec<u64>| program.len() <= words && program.iter().all(is_narrow);
        match (1..=WORD_MAX).contains(&width) && self.programs.iter().all(fits) {
            true => Ok(parts),
            false => Err(no_memory(netlist, name)),
        }
    }

    /// Measures Verilator, with one object for each lane.
    ///
    /// # Errors
    /// If a tool is missing or fails.
    pub fn verilator(
        &self,
        lanes: usize,
        threads: usize,
        clock_cycles: u64,
        tools: &Toolchain,
        work_dir: &Path,
    ) -> Result<LaneMeasurement, SimulateError> {
        let executable = self.compile(tools, work_dir)?;
        let script = work_dir.join("lanes.txt");
        let file = |error: std::io::Error| SimulateError::File {
            path: script.display().to_string(),
            what: error.to_string(),
        };
        std::fs::write(&script, self.script(lanes)).map_err(file)?;
        let path = std::path::absolute(&script).map_err(file)?;
        let mut command = Command::new(&executable);
        let numbers = [lanes.to_string(), threads.to_string(), clock_cycles.to_string()];
        let output = command.args(numbers).arg(path).output().map_err(file)?;
        let text = String::from_utf8_lossy(&output.stdout);
        let mut lines = text.lines();
        let seconds = lines.next().and_then(|line| {
            let (start, run) = line.split_once(' ')?;
            Some([start.parse().ok()?, run.parse().ok()?])
        });
        let signatures = lines.map(|line| u64::from_str_radix(line, 16).ok());
        let signatures: Option<Vec<u64>> = signatures.collect();
        match (seconds, signatures) {
            (Some([start, run]), Some(signatures)) if signatures.len() == lanes => {
                let start: f64 = start;
                let seconds = [compile_seconds(&executable) + start, run];
                Ok(measurement("verilator", threads, clock_cycles, seconds, &signatures))
            }
            _ => Err(SimulateError::Tool(ToolError::Simulation {
                top: self.imported.top.clone(),
                what: output.status.to_string(),
            })),
        }
    }

    /// Compiles the design with the program that runs its lanes, or reuses an earlier result.
    fn compile(&self, tools: &Toolchain, work_dir: &Path) -> Result<PathBuf, SimulateError> {
        let job = self.job;
        let netlist = &self.imported.netlist;
        let width = |net| netlist.width(net) as usize;
        let inputs = netlist.inputs.iter();
        let outputs = netlist.outputs.iter();
        let ports = inputs.map(|i| PortSpec::input(&i.path, width(i.net)));
        let ports = ports.chain(outputs.map(|o| PortSpec::output(&o.path, width(o.net))));
        let clock = self.imported.clock.as_ref();
        let ports = ports.chain(clock.map(|(name, _)| PortSpec::input(name, 1)));
        let ports: Vec<PortSpec> = ports.collect();
        let sources = tools.preprocess(&job.files, &job.includes, &job.defines, work_dir)?;
        let text = match &self.memory {
            Some(memory) => {
                let variable = memory.rsplit('.').next().unwrap_or(memory);
                format!(
                    "`verilator_config\npublic_flat_rw -module \"*\" -var \"{variable}\"\n\
                     `verilog\n{sources}"
                )
            }
            None => sources,
        };
        let top = &self.imported.top;
        let (text, top) = match &job.parameters[..] {
            [] => (text, top.clone()),
            parameters => {
                let wrapper = format!("{top}_in_lanes");
                let module = with_parameters(&wrapper, top, parameters, &ports);
                (text + "\n" + &module, wrapper)
            }
        };
        let (program, effort) = (self.program(&ports), CompileEffort::Fast);
        Ok(tools.verilate_program(&text, &top, &ports, program, work_dir, effort)?)
    }

    /// Returns the C++ program. Port number `i` is the member `pI`, and the last is the clock.
    fn program(&self, ports: &[PortSpec]) -> String {
        let (mut take, mut sign, mut turn) = (String::new(), String::new(), 0);
        let has_clock = self.imported.clock.is_some();
        let data = &ports[..ports.len() - usize::from(has_clock)];
        for (i, port) in data.iter().enumerate() {
            if port.input {
                let _ = writeln!(take, "    take(top.p{i}, file);");
                continue;
            }
            for part in 0..port.width.div_ceil(64) {
                let _ = writeln!(sign, "    word ^= turned(part(top.p{i}, {part}), {turn});");
                turn = (turn + 7) % 64;
            }
        }
        let load = self.memory.as_ref().map_or(String::new(), |memory| {
            // A module with parameters is inside a wrapper that sets them.
            let scope = match self.job.parameters[..] {
                [] => "dut",
                _ => "dut.inner",
            };
            let path = format!("{}.{scope}.{memory}", toolchain::MODEL_WRAPPER);
            let memory = format!("top.rootp->{}", path.replace('.', "__DOT__"));
            format!(
                "    auto& words = {memory};\n    if (program.size() > words.size()) std::exit(4);\n    \
                 for (size_t i = 0; i < program.size(); ++i)\n        \
                 words[i] = static_cast<std::decay_t<decltype(words[0])>>(program[i]);\n"
            )
        });
        let clock = format!("p{}", ports.len() - 1);
        let [idle, active] = match self.imported.clock {
            Some((_, ClockEdge::Falling)) => ["1", "0"],
            _ => ["0", "1"],
        };
        include_str!("lanes.cpp")
            .replace("@PREFIX@", MODEL_PREFIX)
            .replace("@IDLE@", idle)
            .replace("@ACTIVE@", active)
            .replace("@CLOCK@", &clock)
            .replace("@TAKE@", take.trim_end())
            .replace("@SIGN@", sign.trim_end())
            .replace("@LOAD@", load.trim_end())
    }

    /// Returns the programs and the inputs of each lane, in hexadecimal.
    fn script(&self, lanes: usize) -> String {
        let netlist = &self.imported.netlist;
        let programs = match self.memory {
            Some(_) => &self.programs[..],
            None => &[],
        };
        let mut text = format!("{:x}\n", programs.len());
        for program in programs {
            let _ = write!(text, "{:x}", program.len());
            program.iter().for_each(|word| {
                let _ = write!(text, " {word:x}");
            });
            text.push('\n');
        }
        for lane in 0..lanes {
            for input in &netlist.inputs {
                let value = self.input(netlist, lane, &input.path);
                let mut digits = value.to_u32_digits();
                digits.resize(netlist.width(input.net).div_ceil(32) as usize, 0);
                digits.iter().for_each(|digit| {
                    let _ = write!(text, "{digit:x} ");
                });
            }
            text.push('\n');
        }
        text
    }
}

fn measurement(
    engine: &'static str,
    threads: usize,
    clock_cycles: u64,
    [start_seconds, run_seconds]: [f64; 2],
    signatures: &[u64],
) -> LaneMeasurement {
    // FNV-1a over the signatures.
    let mix = |hash: u64, word: &u64| (hash ^ word).wrapping_mul(0x100_0000_01b3);
    let hash = signatures.iter().fold(0xcbf2_9ce4_8422_2325, mix);
    let cycles = clock_cycles as f64 * signatures.len() as f64;
    LaneMeasurement {
        lanes: signatures.len(),
        engine,
        threads,
        start_seconds,
        run_seconds,
        clock_cycles,
        rate: cycles / run_seconds.max(1e-9) / 1e6,
        fingerprint: format!("{hash:016x}"),
    }
}

/// Number of addresses of a program.
const ADDRESSES: usize = 1 << 16;

/// Parses a program in the format of `$readmemh`: hexadecimal words, `@` before an address, and
/// comments. Words that are not given are 0.
///
/// # Errors
/// If a word is none of these, or an address is too large: the line and the word.
pub fn parse_program(text: &str) -> Result<Vec<u64>, String> {
    let (mut words, mut address) = (vec![], 0);
    for (line, text) in text.lines().enumerate() {
        let text = text.split("//").next().unwrap_or_default();
        for token in text.split_whitespace() {
            let wrong = || {
                format!(
                    "line {}: {token:?}; accepted: hexadecimal words, @ADDRESS, and comments after //",
                    line + 1
                )
            };
            let number = |digits: &str| {
                u64::from_str_radix(&digits.replace('_', ""), 16).map_err(|_| wrong())
            };
            match token.strip_prefix('@') {
                Some(digits) => address = number(digits)? as usize,
                None => {
                    if address >= ADDRESSES {
                        return Err(format!(
                            "line {}: {token:?} is at address {address:#x}; accepted: addresses \
                             below {ADDRESSES:#x}",
                            line + 1
                        ));
                    }
                    words.resize(words.len().max(address + 1), 0);
                    words[address] = number(token)?;
                    address += 1;
                }
            }
        }
    }
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::parse_program;

    #[test]
    fn programs_have_words_addresses_and_comments() {
        let words = parse_program("// first\n12 3_4\n@4 ff // last\n").unwrap();
        assert_eq!(words, [0x12, 0x34, 0, 0, 0xFF]);
        let wrong = parse_program("1\n2 xyz\n").unwrap_err();
        assert!(wrong.starts_with("line 2: \"xyz\"; accepted: "), "{wrong}");
        let wrong = parse_program("@fffff 1").unwrap_err();
        assert!(wrong.contains("accepted: addresses below 0x10000"), "{wrong}");
    }
}
