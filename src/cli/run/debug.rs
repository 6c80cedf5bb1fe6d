//! Instruction traces and the GDB server of a run.

use crate::cli::{build_dir, CliError};
use anyhow::{anyhow, Context};
use clap::Args;
use debugger::{DebuggedProgram, GdbServer, InstructionTrace, WATCHED};
use engine::{NodeEngine, Observer};
use interconnect::topology::{node_at, number};
use machine::flags::FlagChoice;
use machine::networks::MachineJob;
use machine::program::sources::{write_files, RUNTIME, STAR_RUNTIME};
use machine::program::Firmware;
use machine::{EngineKind, JsonEntry, ProgramResults};
use std::fs;
use std::net::SocketAddr;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::Arc;
use toolchain::progress;

/// How to follow the program of a node.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Looking inside")]
pub struct DebugArgs {
    /// Print each instruction of the program of this node, decimal or hexadecimal after 0x, with
    /// its clock cycle, superframe and phase, address, source line and disassembly. --from and --to
    /// select phases; can be repeated
    #[arg(long, value_name = "NODE", value_parser = number::parse)]
    pub instructions: Vec<u64>,

    /// Serve the remote protocol of GDB for the program of this node. The run waits for GDB, and
    /// all nodes stop while this node is stopped
    #[arg(long, value_name = "NODE", value_parser = number::parse)]
    gdb: Option<u64>,

    /// Address of the server; port 0 selects a free one. Everyone who reaches the address can read
    /// and write the memory of the node
    #[arg(long, value_name = "HOST:PORT", requires = "gdb", default_value = "127.0.0.1:1234")]
    gdb_address: SocketAddr,
}

/// Checked request to follow programs.
pub struct DebugPlan {
    /// Nodes with a trace.
    traced: Vec<usize>,
    /// Node with a debugger, and the address of the server.
    debugged: Option<(usize, SocketAddr)>,
}

/// Traces and server of a run in progress.
pub struct RunningDebug {
    traces: Vec<InstructionTrace>,
    server: Option<(usize, GdbServer)>,
}

impl DebugPlan {
    /// Checks the request for a machine on this engine. `own_core` is true if the nodes run a core of
    /// the user.
    ///
    /// # Errors
    /// Bad input, if a node does not exist, has no soft core, or the engine does not show it.
    pub fn new(
        args: &DebugArgs,
        job: &MachineJob,
        engine: EngineKind,
        own_core: bool,
    ) -> Result<Self, CliError> {
        let topology = job.machine.circuit().topology();
        let node = |flag: &'static str, value: u64| {
            let node = node_at(topology, value).context(flag);
            let node = node.map_err(CliError::BadInput)?;
            if job.machine.firmware().is_none() {
                return Err(bad(format!(
                    "{flag}: the nodes run no program; accepted: --firmware FILE"
                )));
            }
            if own_core {
                return Err(bad(format!(
                    "{flag} follows the soft core of the nodes; accepted: no --core"
                )));
            }
            let engines: &[EngineKind] = match flag {
                "--gdb" => &[EngineKind::Lockstep],
                _ => &[EngineKind::Lockstep, EngineKind::Evaluator],
            };
            if !engines.contains(&engine) {
                let accepted: Vec<&str> = engines.iter().map(|engine| engine.name()).collect();
                return Err(bad(format!(
                    "{flag}: the engine {} does not show the inside of a core; accepted: --engine {}",
                    engine.name(),
                    accepted.join(", ")
                )));
            }
            Ok(node as usize)
        };
        let traced = args.instructions.iter();
        let traced = traced.map(|value| node("--instructions", *value));
        let debugged = args.gdb.map(|value| node("--gdb", value)).transpose()?;
        Ok(DebugPlan {
            traced: traced.collect::<Result<_, _>>()?,
            debugged: debugged.map(|node| (node, args.gdb_address)),
        })
    }

    /// Inner signals of the nodes that the engine must keep.
    pub fn kept_signals(&self) -> Vec<String> {
        match self.traced.is_empty() && self.debugged.is_none() {
            true => vec![],
            false => WATCHED.iter().map(ToString::to_string).collect(),
        }
    }

    /// Starts the traces of these steps and the server, on an engine that has just been started.
    ///
    /// # Errors
    /// Bad input, if the address of the server cannot be used. Also if the ELF file for GDB cannot be
    /// written.
    pub fn start(
        &self,
        engine: &mut dyn NodeEngine,
        job: &MachineJob,
        steps: Range<u64>,
        stop: Arc<AtomicBool>,
    ) -> Result<RunningDebug, CliError> {
        let Some(firmware) = job.machine.firmware() else {
            return Ok(RunningDebug { traces: vec![], server: None });
        };
        let subject = job.machine.subject();
        let mut traces = vec![];
        for node in &self.traced {
            let symbols = firmware.symbols.clone();
            let trace = InstructionTrace::new(engine, *node, &subject, steps.clone(), symbols);
            traces.push(trace.map_err(|e| CliError::BadInput(e.into()))?);
        }
        let server = match self.debugged {
            None => None,
            Some((node, address)) => {
                let program = DebuggedProgram {
                    node,
                    program: firmware.bytes(),
                    memory: firmware.memory,
                    stop,
                    note: progress::note,
                };
                let server = GdbServer::start(engine, program, address);
                let server =
                    server.map_err(|e| CliError::BadInput(anyhow!(e).context("--gdb-address")))?;
                let listens = server.address().unwrap_or(address);
                announce(node, listens, firmware)?;
                Some((node, server))
            }
        };
        Ok(RunningDebug { traces, server })
    }
}

impl RunningDebug {
    pub fn observers(&mut self) -> Vec<&mut dyn Observer> {
        let traces = self.traces.iter_mut().map(|t| t as &mut dyn Observer);
        let server = self.server.as_mut();
        let server = server.map(|(_, server)| server as &mut dyn Observer);
        traces.chain(server).collect()
    }

    /// Reports the end of the run to GDB.
    pub fn end(&mut self, programs: Option<&ProgramResults>) {
        if let Some((node, server)) = self.server.take() {
            server.finish(programs.and_then(|programs| programs.exits[node]));
        }
    }

    /// Returns the instructions for `--json`, if there are traces.
    pub fn json_entry(&self) -> Option<JsonEntry> {
        let entries: Vec<_> = self.traces.iter().flat_map(|trace| trace.json()).collect();
        (!self.traces.is_empty()).then(|| JsonEntry::new("instructions", entries))
    }

    /// Formats the traces.
    pub fn text(&self) -> String {
        let texts = self.traces.iter().map(|trace| trace.text() + "\n");
        texts.collect()
    }
}

/// Writes the program for GDB, and prints how to connect.
fn announce(node: usize, address: SocketAddr, firmware: &Firmware) -> Result<(), CliError> {
    let elf = write_elf(firmware).map_err(CliError::Failed)?;
    let file = match &elf {
        Some(path) => {
            let folder = path.parent().unwrap_or(path);
            format!("-d {} {} ", folder.display(), path.display())
        }
        None => String::new(),
    };
    let remark = match elf {
        Some(_) => "",
        None => {
            " (the program is distributed without debug information; a copy of its source has it)"
        }
    };
    progress::note(&format!(
        "gdb: node 0x{node:X} waits at {address}; connect with gdb-multiarch {file}-ex 'target remote {address}'{remark}"
    ));
    Ok(())
}

/// Writes the ELF file of a program, if there is one, with the sources of the runtime in its folder.
/// Returns its path.
fn write_elf(firmware: &Firmware) -> anyhow::Result<Option<PathBuf>> {
    if firmware.elf.is_empty() {
        return Ok(None);
    }
    let folder = build_dir().join("gdb");
    fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
    for sources in [RUNTIME, STAR_RUNTIME] {
        write_files(&folder, sources)?;
    }
    let name = PathBuf::from(&firmware.name).with_extension("elf");
    let path = folder.join(name.file_name().unwrap_or_default());
    fs::write(&path, &firmware.elf).with_context(|| path.display().to_string())?;
    Ok(Some(path))
}

fn bad(what: String) -> CliError {
    CliError::BadInput(anyhow!(what))
}
