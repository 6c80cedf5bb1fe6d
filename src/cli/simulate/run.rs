//! A simulation with its files: outputs, waveform and the signal of `--until`.

use super::{LaneOutputs, SimulateArgs};
use crate::cli::files::{OutputTarget, PendingFile};
use crate::cli::CliError;
use anyhow::{anyhow, Context};
use import::Imported;
use lab::simulate::{self, SimulateError, Simulation, Stimulus};
use lockstep::lanes::{Keep, LaneProbe};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::Write;
use testbench::wave::{FileKind, Var, WaveError, WaveFormat, WaveValue};

/// A running simulation and its files.
pub(super) struct Run<'a> {
    pub simulation: Simulation,
    outputs: Vec<(String, LaneProbe)>,
    shown: Vec<usize>,
    csv: Option<(PendingFile, &'a OutputTarget)>,
    wave: Option<WaveFile<'a>>,
    until_probe: Option<LaneProbe>,
    /// Clock cycle in which the signal of `--until` was first other than 0, by lane.
    pub until: Vec<Option<u64>>,
    /// Number of lanes in which it was 0 so far.
    left: usize,
}

/// Waveform of the shown lanes.
struct WaveFile<'a> {
    file: Box<dyn WaveFormat>,
    draft: PendingFile,
    target: &'a OutputTarget,
    signals: Vec<WaveSignal>,
}

/// Up to 64 bits of a signal in one lane.
struct WaveSignal {
    probe: LaneProbe,
    lane: usize,
    low: u32,
    width: u32,
    var: Var,
    last: Option<u64>,
}

impl<'a> Run<'a> {
    pub fn new(
        args: &SimulateArgs,
        imported: &Imported,
        stimulus: &Stimulus,
        out: &'a Option<OutputTarget>,
        wave: &'a Option<OutputTarget>,
    ) -> Result<Self, CliError> {
        let until = args.until.iter().cloned();
        let keep = match wave {
            Some(_) => Keep::All,
            None => Keep::Named(until.collect()),
        };
        if let Some(signal) = &args.until {
            let known = imported.netlist.output(signal).or(imported.netlist.find(signal));
            if known.is_none() {
                return Err(simulate::no_signal(&imported.netlist, signal).into());
            }
        }
        let threads = args.lockstep.options().threads;
        let lanes = args.lanes as usize;
        let simulation = Simulation::new(imported, stimulus.clone(), lanes, keep, threads)?;
        let outputs = imported.netlist.outputs.iter();
        let outputs = outputs.map(|o| Ok((o.path.clone(), simulation.probe(&o.path)?)));
        let outputs = outputs.collect::<Result<Vec<_>, SimulateError>>()?;
        let shown: BTreeSet<usize> = args.shown.iter().map(|lane| *lane as usize).collect();
        let shown: Vec<usize> = shown.into_iter().collect();
        let until_probe = args.until.as_ref().map(|signal| simulation.probe(signal)).transpose()?;
        let csv = out.as_ref().map(|target| Ok((target.create()?, target)));
        let csv = csv.transpose().map_err(CliError::Failed)?;
        let mut run = Run {
            simulation,
            outputs,
            shown,
            csv,
            wave: None,
            until_probe,
            until: vec![None; lanes],
            left: lanes,
        };
        if let Some((file, _)) = &mut run.csv {
            let names = run.outputs.iter().map(|(name, _)| format!(",{name}"));
            let header = format!("clock,lane{}\n", names.collect::<String>());
            file.file.write_all(header.as_bytes()).map_err(|e| CliError::Failed(e.into()))?;
        }
        if let (Some(target), Some(path)) = (wave, &args.wave) {
            let kind = FileKind::of(path).map_err(|e| CliError::BadInput(e.into()))?;
            run.wave = Some(run.wave_file(imported, kind, target)?);
        }
        Ok(run)
    }

    fn wave_file(
        &self,
        imported: &Imported,
        kind: FileKind,
        target: &'a OutputTarget,
    ) -> Result<WaveFile<'a>, CliError> {
        if kind == FileKind::Fst && !target.is_seekable() {
            return Err(CliError::BadInput(anyhow!(
                "--wave {}: FST needs a file in which one can seek; accepted: a regular file, or VCD",
                target.display_path()
            )));
        }
        let failed = |error: WaveError| CliError::Failed(error.into());
        let draft = target.create().map_err(CliError::Failed)?;
        let out = draft.file.try_clone().map_err(|e| CliError::Failed(e.into()))?;
        let mut file = kind.begin(out).map_err(failed)?;
        let mut signals = vec![];
        for &lane in &self.shown {
            file.open_scope(&format!("lane{lane}")).map_err(failed)?;
            let mut open: Vec<&str> = vec![];
            let mut names: Vec<&str> =
                imported.netlist.names.iter().map(|n| n.path.as_str()).collect();
            names.sort_unstable();
            for name in names {
                let mut scopes: Vec<&str> = name.split('.').collect();
                let leaf = scopes.pop().expect("a name has a part");
                let same = open.iter().zip(&scopes).take_while(|(a, b)| a == b).count();
                for _ in same..open.len() {
                    file.close_scope().map_err(failed)?;
                }
                open.truncate(same);
                for scope in &scopes[same..] {
                    file.open_scope(scope).map_err(failed)?;
                    open.push(scope);
                }
                let probe = self.simulation.probe(name)?;
                let net = imported.netlist.find(name).expect("a name of it");
                let width = imported.netlist.width(net);
                for low in (0..width).step_by(64) {
                    let part = (width - low).min(64);
                    let label = match width <= 64 {
                        true => leaf.to_owned(),
                        false => format!("{leaf}[{}:{low}]", low + part - 1),
                    };
                    let var = file.bits(&label, part).map_err(failed)?;
                    signals.push(WaveSignal { probe, lane, low, width: part, var, last: None });
                }
            }
            for _ in 0..=open.len() {
                file.close_scope().map_err(failed)?;
            }
        }
        file.begin().map_err(failed)?;
        Ok(WaveFile { file, draft, target, signals })
    }

    /// Returns whether the signal of `--until` was other than 0 in each lane.
    pub fn is_done(&self) -> bool {
        self.until_probe.is_some() && self.left == 0
    }

    /// Runs one clock cycle, or several if nothing observes them.
    pub fn cycle(&mut self, limit: u64) -> Result<(), CliError> {
        self.simulation.set_inputs()?;
        if self.csv.is_none() && self.wave.is_none() && self.until_probe.is_none() {
            // A stop request is noticed between pieces of the run.
            const PIECE: u64 = 10_000;
            let limit = limit.min(self.simulation.clock() + PIECE);
            self.simulation.clock_edges(limit);
            return Ok(());
        }
        self.observe()?;
        if !self.is_done() {
            self.simulation.clock_edge();
        }
        Ok(())
    }

    /// Writes the present clock cycle to the files, and looks at the signal of `--until`.
    fn observe(&mut self) -> Result<(), CliError> {
        let clock = self.simulation.clock();
        if let Some((file, _)) = &mut self.csv {
            let mut text = String::new();
            for &lane in &self.shown {
                let _ = write!(text, "{clock},{lane}");
                for (_, probe) in &self.outputs {
                    let value = self.simulation.machine.get_big(*probe, lane);
                    let _ = write!(text, ",{value:#x}");
                }
                text.push('\n');
            }
            file.file.write_all(text.as_bytes()).map_err(|e| CliError::Failed(e.into()))?;
        }
        if let Some(wave) = &mut self.wave {
            for signal in &mut wave.signals {
                let value =
                    self.simulation.machine.get_big(signal.probe, signal.lane) >> signal.low;
                let mask = u64::MAX >> (64 - signal.width);
                let value = value.iter_u64_digits().next().unwrap_or(0) & mask;
                if signal.last != Some(value) {
                    signal.last = Some(value);
                    let changed = wave.file.change(clock, signal.var, &WaveValue::Bits(value));
                    changed.map_err(|e| CliError::Failed(e.into()))?;
                }
            }
        }
        if let Some(probe) = self.until_probe {
            let mut lanes = vec![];
            self.simulation.machine.nonzero(probe, &mut lanes);
            for lane in lanes {
                if self.until.get(lane) == Some(&None) {
                    self.until[lane] = Some(clock);
                    self.left -= 1;
                }
            }
        }
        Ok(())
    }

    /// Ends the files, and returns the outputs of the shown lanes.
    pub fn finish(&mut self) -> Result<Vec<LaneOutputs>, CliError> {
        let clock = self.simulation.clock();
        if let Some((mut file, target)) = self.csv.take() {
            let done = file.file.flush().map_err(anyhow::Error::from).and_then(|()| file.commit());
            done.with_context(|| target.write_error()).map_err(CliError::Failed)?;
        }
        if let Some(mut wave) = self.wave.take() {
            wave.file.finish(clock).map_err(|e| CliError::Failed(e.into()))?;
            drop(wave.file);
            let done = wave.draft.commit();
            done.with_context(|| wave.target.write_error()).map_err(CliError::Failed)?;
        }
        let machine = &mut self.simulation.machine;
        let lanes = self.shown.iter().map(|&lane| LaneOutputs {
            lane,
            values: self
                .outputs
                .iter()
                .map(|(name, probe)| {
                    (name.clone(), format!("{:#x}", machine.get_big(*probe, lane)))
                })
                .collect(),
        });
        Ok(lanes.collect())
    }
}
