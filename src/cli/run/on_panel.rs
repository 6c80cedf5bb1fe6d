//! A run that is shown on a panel.

use crate::cli::files::OutputTarget;
use crate::cli::CliError;
use anyhow::{anyhow, Context};
use clap::ArgMatches;
use engine::{NodeEngine, Observer};
use machine::networks::tdma::cube::DeadMode;
use machine::networks::MachineJob;
use machine::{EndReason, ProgramResults};
use panel::{PanelObserver, PanelServer, PanelState, PictureFormat, Recorder, ShownMachine, Speed};
use std::sync::atomic::AtomicBool;
use std::sync::Arc;
use toolchain::progress;

/// Panel of a run: its page and its recording.
pub struct PanelPlan {
    /// Port of the page; `None` for no page.
    pub port: Option<u16>,
    pub record: Option<(OutputTarget, PictureFormat)>,
    pub speed: Speed,
    pub is_paused: bool,
}

/// Panel of a run in progress.
pub struct RunningPanel {
    observer: PanelObserver,
    server: Option<PanelServer>,
    target: Option<OutputTarget>,
}

impl PanelPlan {
    /// Starts the page, and shows the machine on an engine that has just been started. `dead` are
    /// the nodes that are dead from the start.
    ///
    /// # Errors
    /// Bad input, if the nodes have no LED or the port cannot be used.
    pub fn start(
        &self,
        engine: &mut dyn NodeEngine,
        job: &MachineJob,
        dead: Vec<u32>,
        stop: Arc<AtomicBool>,
    ) -> Result<RunningPanel, CliError> {
        let bad = |why: anyhow::Error| CliError::BadInput(why);
        let firmware = job.machine.firmware().ok_or_else(no_program)?;
        if !firmware.uses_led() {
            progress::note(&format!(
                "{} does not set its LED (tdma_led in C, led_set in StarC), so all stay dark",
                firmware.name
            ));
        }
        let subject = job.machine.subject();
        let period = subject.steps.period.as_ref().map_or(1, |p| p.steps());
        let state = PanelState::new(self.speed, self.is_paused);
        let machine = ShownMachine {
            subject,
            symbols: firmware.symbols.clone(),
            dead,
            stop,
            pass: Arc::default(),
        };
        let counts_exchanges = machine.exchanges().is_some();
        let recorder = self.record.as_ref().map(|(_, format)| Recorder::new(*format));
        let nodes = engine.nodes();
        let observer = PanelObserver::new(engine, machine, state.clone(), recorder)
            .map_err(|e| bad(e.into()))?;
        let title = format!("{}: {}", job.machine.headline(), firmware.name);
        let serve =
            |port| PanelServer::start(port, &title, (nodes, period), counts_exchanges, &state);
        let server = self.port.map(serve).transpose().map_err(|e| bad(e.into()))?;
        if let Some(server) = &server {
            progress::note(&format!("panel: {}", server.url()));
        }
        Ok(RunningPanel {
            observer,
            server,
            target: self.record.as_ref().map(|(target, _)| target.clone()),
        })
    }
}

impl RunningPanel {
    pub fn observer(&mut self) -> &mut dyn Observer {
        &mut self.observer
    }

    /// Writes the recording. If there is a page, keeps it until a signal stops the program.
    ///
    /// # Errors
    /// If the recording cannot be written.
    pub fn end(
        mut self,
        engine: &mut dyn NodeEngine,
        end: EndReason,
        programs: Option<&ProgramResults>,
    ) -> Result<(), CliError> {
        if let Some((recorder, grid)) = self.observer.finish(engine) {
            if recorder.dropped > 0 {
                progress::note(&format!(
                    "--record: the file has no room for the last {} pictures",
                    recorder.dropped
                ));
            }
            if let Some(target) = &self.target {
                let written = target.write(|out| recorder.write(grid, out).context("--record"));
                written.map_err(CliError::Failed)?;
            }
        }
        if self.server.is_some() && !matches!(end, EndReason::Stopped { .. }) {
            let text = end_text(end, programs);
            progress::note(&format!("{text} The panel remains until Ctrl-C."));
            self.observer.after_end(engine, &text);
        }
        Ok(())
    }
}

/// Nodes of `--dead`.
pub fn dead_nodes(flags: &ArgMatches) -> Vec<u32> {
    let dead = flags.try_get_many::<(u64, DeadMode)>("dead");
    let dead = dead.ok().flatten().into_iter().flatten();
    dead.map(|(node, _)| *node as u32).collect()
}

/// Error for a run without a program.
pub fn no_program() -> CliError {
    CliError::BadInput(anyhow!(
        "the nodes run no program, so they have no LED; accepted: --firmware FILE"
    ))
}

/// Says in one sentence how the run ended.
fn end_text(end: EndReason, programs: Option<&ProgramResults>) -> String {
    let unfinished = programs.map_or_else(String::new, |programs| {
        format!(", and {} programs have not ended", programs.unfinished_count())
    });
    let failed = programs.and_then(ProgramResults::failed);
    match (end, failed) {
        (EndReason::Complete, None) if programs.is_none() => {
            "Every message is accounted for.".to_owned()
        }
        (EndReason::Complete, None) => "All programs have ended.".to_owned(),
        (EndReason::Complete, Some((node, code))) => {
            format!("All programs have ended; that of node 0x{node:X} with exit code {code}.")
        }
        (EndReason::Deadlock { .. } | EndReason::Livelock { .. }, _) => {
            format!("Nothing moves any more{unfinished}.")
        }
        (EndReason::Limit { .. }, _) => {
            format!("The limit of the run is reached{unfinished}.")
        }
        (EndReason::Halted { .. }, _) => "A program was halted by a wrong instruction.".to_owned(),
        (EndReason::Stopped { .. }, _) => "The run was stopped.".to_owned(),
    }
}
