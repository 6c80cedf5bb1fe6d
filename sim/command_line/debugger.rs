//! Instruction traces (`--instructions`), and the GDB server (`--gdb`) with a client of its own.

use super::data::json;
use super::program::{call, program, refused_in, with_tools, CallResult};
use phasecube::program::sources::find_program;
use phasecube::program::{Firmware, NodeKind, ShippedProgram};
use rrs_lib::instruction_executor::InstructionExecutor;
use rrs_lib::{HartState, MemAccessSize, Memory};
use serde_json::Value;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, ChildStderr, Command, Stdio};
use std::time::Duration;

/// First address of the data memory.
const DATA: u32 = 0x1000_0000;

/// Values of each node. The program adds them pair by pair, which takes a superframe for each.
const VALUES: u32 = 40;

fn firmware() -> Firmware {
    let file = find_program("parallel_sum").unwrap();
    let shipped = ShippedProgram::for_kind(file, NodeKind::CUBE);
    shipped.unwrap().firmware
}

fn address(function: &str) -> u32 {
    let firmware = firmware();
    let mut functions = firmware.symbols.iter();
    functions.find(|(_, name)| *name == function).unwrap().0
}

fn folder() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let values: Vec<String> = (1..=VALUES).map(|value| value.to_string()).collect();
    fs::write(dir.path().join("d.csv"), format!("*,{}\n", values.join(","))).unwrap();
    fs::write(dir.path().join("few.csv"), "*,1,2\n").unwrap();
    dir
}

const RUN: &str = "run --dims 1 --firmware parallel_sum --data";

fn run(dir: &Path, args: &str) -> CallResult {
    let line = format!("{RUN} few.csv {args}");
    call(dir, &line.split_whitespace().collect::<Vec<_>>())
}

/// Program and data of a node for the simulator of instructions. A read of a register of the node
/// returns the value that the traced program got, which the next branch shows.
struct ProgramMemory {
    program: Vec<u32>,
    data: Vec<u8>,
    /// A register of the node was read.
    port: bool,
}

impl Memory for ProgramMemory {
    fn read_mem(&mut self, address: u32, size: MemAccessSize) -> Option<u32> {
        let bytes = match size {
            MemAccessSize::Byte => 1,
            MemAccessSize::HalfWord => 2,
            MemAccessSize::Word => 4,
        };
        let byte = |address: u32| match address {
            DATA..0x1000_0200 => self.data[(address - DATA) as usize],
            _ => {
                (self.program.get(address as usize / 4).unwrap_or(&0) >> (8 * (address % 4))) as u8
            }
        };
        self.port |= address >= 0x4000_0000;
        Some((0..bytes).map(|i| u32::from(byte(address + i)) << (8 * i)).sum())
    }

    fn write_mem(&mut self, address: u32, size: MemAccessSize, data: u32) -> bool {
        let bytes = match size {
            MemAccessSize::Byte => 1,
            MemAccessSize::HalfWord => 2,
            MemAccessSize::Word => 4,
        };
        if (DATA..0x1000_0200).contains(&address) {
            let from = (address - DATA) as usize;
            self.data[from..from + bytes].copy_from_slice(&data.to_le_bytes()[..bytes]);
        }
        true
    }
}

fn number(entry: &Value, key: &str) -> u64 {
    entry[key].as_u64().unwrap_or_else(|| panic!("{key}: {entry}"))
}

/// Until the program reads a register of its node, each traced instruction is the one that an
/// independent simulator executes. Later each successor is possible: the next instruction, or the
/// target of a jump. The number of instructions is the one that the profile counts.
#[test]
fn a_trace_has_every_instruction_of_its_node() {
    let dir = folder();
    let result = json(&run(dir.path(), "--instructions 1 --profile --json"));
    let trace = result["instructions"].as_array().unwrap();
    let node = &result["profile"]["nodes"][1];
    assert_eq!(trace.len() as u64, number(node, "instructions"));

    let firmware = firmware();
    let mut hart = HartState::new();
    hart.pc = 0;
    let mut memory =
        ProgramMemory { program: firmware.words.clone(), data: vec![0; 512], port: false };
    let mut simulated = 0;
    for entry in trace {
        let (pc, word) = (number(entry, "pc") as u32, number(entry, "word") as u32);
        assert_eq!(pc, hart.pc, "{simulated}: {entry}");
        assert_eq!(word, firmware.words[pc as usize / 4], "{entry}");
        let mut executor = InstructionExecutor { mem: &mut memory, hart_state: &mut hart };
        match rrs_lib::process_instruction(&mut executor, word) {
            Some(Ok(true)) => {}
            _ => hart.pc += 4,
        }
        simulated += 1;
        if memory.port {
            break;
        }
    }
    assert!(simulated > 15, "{simulated}");

    for pair in trace.windows(2) {
        assert!(number(&pair[0], "clock") + 4 <= number(&pair[1], "clock"), "{pair:?}");
        let [pc, next] = [0, 1].map(|i| number(&pair[i], "pc"));
        let text = pair[0]["text"].as_str().unwrap();
        let jumps = text.starts_with("jalr") || text.ends_with(&format!("0x{next:08x}"));
        assert!(next == pc + 4 && !text.starts_with("jal ") || jumps, "{pair:?}");
    }
    let phase = |entry: &Value| 2 * number(entry, "superframe") + number(entry, "phase");
    let in_phase_1 = trace.iter().filter(|entry| phase(entry) == 1).count();
    let part = json(&run(dir.path(), "--instructions 1 --from 1 --to 2 --json"));
    assert_eq!(part["instructions"].as_array().unwrap().len(), in_phase_1);

    let done = run(dir.path(), "--instructions 0 --instructions 0x1");
    let lines = done.stdout.lines().filter(|line| line.contains("  0x0000"));
    assert!(lines.count() > trace.len(), "{done:?}");
    let first = "        4      0.0  0x00000000  lui a0, 0x10000000        _start + 0x0\n";
    assert!(done.stdout.contains(first), "{done:?}");
}

/// A trace that begins with a phase has the instruction that is open then, as the trace of the whole
/// run. Its node computes for ever.
#[test]
#[ignore = "thorough: compiles firmware"]
fn a_trace_of_a_phase_begins_with_the_open_instruction() {
    let dir = folder();
    let source = include_str!("../../firmware/programs/busy.c");
    fs::write(dir.path().join("busy.c"), source).unwrap();
    let traced = |args: &str| {
        let run = "run --dims 1 --firmware busy.c --data none --superframes 8 --json";
        let line = format!("{run} --instructions 1 {args}");
        let mut command = with_tools(dir.path());
        let done = command.args(line.split_whitespace()).output().unwrap();
        json(&done.into())["instructions"].take()
    };
    let all = traced("");
    let all = all.as_array().unwrap();
    let phase = |entry: &Value| 2 * number(entry, "superframe") + number(entry, "phase");
    let mut open = vec![];
    for first in 1..16 {
        let part = traced(&format!("--from {first} --to {}", first + 1));
        let expected: Vec<&Value> = all.iter().filter(|entry| phase(entry) == first).collect();
        assert_eq!(part.as_array().unwrap().iter().collect::<Vec<_>>(), expected);
        open.extend(expected[0]["text"].as_str().unwrap().split(' ').next().map(str::to_owned));
    }
    // Jumps and others.
    let jumps = |name: &&String| name.starts_with('b') || name.starts_with('j');
    let count = open.iter().filter(jumps).count();
    assert!((1..open.len()).contains(&count), "{open:?}");
}

#[test]
fn what_cannot_be_followed_is_rejected() {
    let dir = folder();
    fs::write(dir.path().join("idle.v"), super::flags::IDLE).unwrap();
    let cases = [
        ("run --instructions 1", "--instructions: the nodes run no program; accepted: --firmware"),
        ("run --dims 2 --firmware route --gdb 4", "--gdb: 4 (0x4) is outside"),
        (
            "run --firmware route --gdb 1 --engine evaluator",
            "--gdb: the engine evaluator does not show the inside of a core; accepted: --engine lockstep",
        ),
        (
            "run --firmware route --instructions 1 --engine reference",
            "accepted: --engine lockstep, evaluator",
        ),
        (
            "run --firmware route --gdb 1 --core idle.v",
            "--gdb follows the soft core of the nodes; accepted: no --core",
        ),
        (
            "run --firmware route --gdb 1 --gdb-address nowhere",
            "invalid value 'nowhere' for '--gdb-address",
        ),
        ("run --firmware route --from 1", "--picture or --instructions"),
    ];
    for (args, says) in cases {
        let args: Vec<&str> = args.split_whitespace().collect();
        refused_in(dir.path(), 2, &args, says);
    }
}

/// Run that waits for a debugger, and the connection of a debugger.
struct Debugged {
    child: Child,
    errors: BufReader<ChildStderr>,
    stream: TcpStream,
}

impl Debugged {
    /// Starts a run in which node 1 is debugged, and connects.
    fn start(dir: &Path, data: &str) -> Self {
        let line = format!("{RUN} {data} --json --gdb 1 --gdb-address 127.0.0.1:0");
        let mut command: Command = program(dir);
        command.args(line.split_whitespace());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut errors = BufReader::new(child.stderr.take().unwrap());
        let port: u16 = loop {
            let mut line = String::new();
            assert!(errors.read_line(&mut line).unwrap() > 0, "no server");
            if let Some((_, rest)) = line.split_once("waits at 127.0.0.1:") {
                break rest.split(';').next().unwrap().parse().unwrap();
            }
        };
        let stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
        let limit = Some(Duration::from_secs(60));
        stream.set_read_timeout(limit).unwrap();
        Debugged { child, errors, stream }
    }

    fn send(&mut self, packet: &str) {
        let sum = packet.bytes().fold(0u8, u8::wrapping_add);
        write!(self.stream, "${packet}#{sum:02x}").unwrap();
    }

    /// Returns the next packet of the server, and acknowledges it.
    fn receive(&mut self) -> String {
        let mut byte = [0];
        let mut next = || {
            self.stream.read_exact(&mut byte).unwrap();
            byte[0]
        };
        while next() != b'$' {}
        let mut packet = vec![];
        loop {
            match next() {
                b'#' => break,
                // A run of the same character: its length follows.
                b'*' => {
                    let (count, last) = (next() - 29, *packet.last().unwrap());
                    packet.extend((0..count).map(|_| last));
                }
                other => packet.push(other),
            }
        }
        let sum = packet.len();
        assert!(next() > 0 && next() > 0 && sum < 100_000);
        self.stream.write_all(b"+").unwrap();
        String::from_utf8(packet).unwrap()
    }

    fn ask(&mut self, packet: &str) -> String {
        self.send(packet);
        self.receive()
    }

    /// Registers x0 to x31, and the program counter.
    fn registers(&mut self) -> Vec<u32> {
        let hex = self.ask("g");
        let word = |chars: &[u8]| {
            let text = std::str::from_utf8(chars).unwrap();
            u32::from_str_radix(text, 16).unwrap().swap_bytes()
        };
        hex.as_bytes().chunks(8).map(word).collect()
    }

    fn pc(&mut self) -> u32 {
        self.registers()[32]
    }

    /// Closes the connection, and waits for the end of the run.
    fn end(self) -> CallResult {
        let Self { child, errors, stream } = self;
        drop(stream);
        result_of(child, errors)
    }

    /// Waits for the end of the run, with the connection open.
    fn end_of_run(self) -> CallResult {
        result_of(self.child, self.errors)
    }
}

fn result_of(child: Child, mut errors: BufReader<ChildStderr>) -> CallResult {
    let mut stderr = vec![];
    errors.read_to_end(&mut stderr).unwrap();
    let mut output = child.wait_with_output().unwrap();
    output.stderr = stderr;
    output.into()
}

/// The figures of a run that must not depend on a debugger.
fn figures(result: &Value) -> Value {
    let mut figures = result.clone();
    let figures_of = figures.as_object_mut().unwrap();
    figures_of.retain(|key, _| {
        ["hops", "clock_cycles", "bit_times", "programs", "channel_loads"].contains(&key.as_str())
    });
    figures
}

/// A debugger stops, steps, reads and writes. The machine notices nothing, because all nodes stop.
#[test]
fn a_debugger_controls_a_node_and_the_machine_stays_in_lockstep() {
    let dir = folder();
    let plain = json(&run(dir.path(), "--instructions 1 --json"));
    let trace = plain["instructions"].as_array().unwrap();
    let pcs: Vec<u32> = trace.iter().map(|entry| number(entry, "pc") as u32).collect();
    let main = address("main");
    let in_main = pcs.iter().position(|pc| *pc == main).unwrap();

    let mut gdb = Debugged::start(dir.path(), "few.csv");
    assert!(gdb.ask("qSupported:swbreak+;vContSupported+").contains("PacketSize="));
    assert_eq!(&gdb.ask("?")[..3], "T05");
    assert_eq!(gdb.pc(), 0);
    assert_eq!(gdb.ask(&format!("Z0,{main:x},4")), "OK");
    let stop = gdb.ask("vCont;c");
    assert!(stop.starts_with("T05") && stop.contains("swbreak"), "{stop}");
    assert_eq!(gdb.pc(), main);
    assert_eq!(gdb.ask(&format!("z0,{main:x},4")), "OK");

    // The words of the program, and the steps of the trace.
    let firmware = firmware();
    let word = firmware.words[main as usize / 4];
    assert_eq!(gdb.ask(&format!("m{main:x},4")), format!("{:08x}", word.swap_bytes()));
    for pc in &pcs[in_main + 1..in_main + 40] {
        assert_eq!(&gdb.ask("vCont;s")[..3], "S05");
        assert_eq!(gdb.pc(), *pc);
    }
    // One step over a range.
    let ends = pcs[in_main + 40..].iter().position(|pc| !(main..main + 0x90).contains(pc));
    let beyond = pcs[in_main + 40 + ends.unwrap()];
    assert_eq!(&gdb.ask(&format!("vCont;r{main:x},{:x}", main + 0x90))[..3], "S05");
    assert_eq!(gdb.pc(), beyond);

    // Registers and data are writable, the program and the program counter are not.
    let before = gdb.registers();
    assert_eq!(gdb.ask("P1f=78563412"), "OK");
    let last = DATA + 0x1FC;
    assert_eq!(gdb.ask(&format!("m{last:x},8")).len(), 8, "the end of the memory");
    let old = gdb.ask(&format!("m{DATA:x},4"));
    assert_eq!(gdb.ask(&format!("M{DATA:x},4:01020304")), "OK");
    assert_eq!(&gdb.ask("vCont;s")[..3], "S05");
    assert_eq!(gdb.registers()[31], 0x1234_5678);
    assert_eq!(gdb.ask(&format!("m{DATA:x},4")), "01020304");
    assert_eq!(gdb.ask(&format!("M{DATA:x},4:{old}")), "OK");
    assert_eq!(gdb.ask(&format!("P1f={:08x}", before[31].swap_bytes())), "OK");
    for wrong in ["P20=00000000", "M0,4:00000000", "m40000000,4", "m20000000,4"] {
        assert!(gdb.ask(wrong).starts_with('E'), "{wrong}");
    }
    assert_eq!(gdb.ask("vCont;c"), "W00");
    let done = gdb.end();
    assert_eq!(done.code, Some(0), "{done:?}");
    assert_eq!(figures(&json(&done)), figures(&plain));
}

/// Starts a run whose node stops at its first call of `ctrl_send`.
fn stopped_at_ctrl_send(dir: &Path) -> Debugged {
    let mut gdb = Debugged::start(dir, "few.csv");
    let send = address("ctrl_send");
    assert_eq!(gdb.ask(&format!("Z1,{send:x},4")), "OK");
    assert!(gdb.ask("vCont;c").starts_with("T05"));
    gdb
}

/// Results other than the first value of node 1.
fn other_results(result: &Value) -> (Value, Value) {
    let nodes = &result["programs"]["nodes"];
    (nodes[0].clone(), nodes[1]["values"][1].clone())
}

/// A register that GDB changes has its new value for the program, which then sends another word.
#[test]
fn a_register_of_the_debugger_reaches_the_program() {
    let dir = folder();
    let plain = json(&run(dir.path(), "--json"));
    let mut gdb = stopped_at_ctrl_send(dir.path());
    // The first argument is the address of the message. The program sends other data in its place.
    let mut word = |address: u32| {
        let hex = gdb.ask(&format!("m{address:x},4"));
        u32::from_str_radix(&hex, 16).unwrap().swap_bytes() as i32
    };
    let sent = plain["programs"]["nodes"][1]["values"][0].as_i64().unwrap();
    let mut places = (DATA..DATA + 0x200).step_by(4).map(|at| (at, word(at)));
    let is_other = |(_, word): &(u32, i32)| *word != 0 && i64::from(*word) != sent;
    let (other, expected) = places.find(is_other).unwrap();
    assert_eq!(gdb.ask(&format!("Pa={:08x}", other.swap_bytes())), "OK");
    assert_eq!(gdb.ask("D"), "OK");
    let result = json(&gdb.end());
    assert_eq!(result["programs"]["nodes"][1]["values"][0], expected);
    assert_eq!(other_results(&result), other_results(&plain));
}

/// A word of the data memory that GDB changes has its new value for the program: the results differ.
#[test]
fn a_write_of_the_debugger_reaches_the_program() {
    let dir = folder();
    let plain = json(&run(dir.path(), "--json"));
    let mut gdb = stopped_at_ctrl_send(dir.path());
    // The first argument is the address of the message.
    let message = gdb.registers()[10];
    assert_eq!(gdb.ask(&format!("M{message:x},4:2a000000")), "OK");
    assert_eq!(gdb.ask("D"), "OK");
    let done = gdb.end();
    assert!(done.stderr.contains("the debugger has detached"), "{done:?}");
    let result = json(&done);
    assert_eq!(result["programs"]["nodes"][1]["values"][0], 42);
    assert_eq!(other_results(&result), other_results(&plain));
}

#[test]
fn interrupts_and_lost_debuggers_are_reported() {
    let dir = folder();
    let mut gdb = Debugged::start(dir.path(), "d.csv");
    gdb.send("vCont;c");
    gdb.stream.write_all(&[3]).unwrap();
    assert_eq!(&gdb.receive()[..3], "S02");
    let pc = gdb.pc();
    assert!((pc as usize) < 4 * firmware().words.len(), "{pc}");
    // The debugger is killed.
    let done = gdb.end();
    assert_eq!(done.code, Some(0), "{done:?}");
    assert!(done.stderr.contains("closed its connection without detaching"), "{done:?}");
    assert_eq!(json(&done)["programs"]["ended"], 2);

    // `kill` ends the run.
    let mut gdb = Debugged::start(dir.path(), "d.csv");
    gdb.ask("?");
    gdb.send("k");
    let done = gdb.end();
    assert_eq!(done.code, Some(1), "{done:?}");
    assert!(done.stderr.contains("the debugger ended the run"), "{done:?}");
}

/// Ctrl-C ends the run while the machine is stopped.
#[cfg(unix)]
#[test]
fn a_signal_ends_a_run_that_is_stopped_by_a_debugger() {
    let dir = folder();
    let mut gdb = Debugged::start(dir.path(), "d.csv");
    gdb.ask("?");
    let pid = gdb.child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    // A closed connection would let the machine run on before the signal is noticed.
    let done = gdb.end_of_run();
    assert_eq!(done.code, Some(130), "{done:?}");
    assert!(done.stderr.contains("stopped by Ctrl-C in superframe 0"), "{done:?}");
}
