//! Waveforms and logic analysers on a run.

use super::wave_kind;
use crate::cli::args::{LookArgs, LookTime};
use crate::cli::files::{OutputTarget, PendingFile};
use crate::cli::CliError;
use anyhow::{anyhow, Context};
use engine::{EngineError, NodeEngine, Observer};
use interconnect::topology::{links, Link};
use lab::report::{LogicAnalyzer, RunPicture};
use lockstep::lanes::Keep;
use machine::array::Array;
use machine::flags::FlagChoice;
use machine::networks::MachineJob;
use machine::wave::{
    self, Selection, Steps, Taps, WatchError, Watchable, WaveRecorder, WaveSubject, Window,
};
use machine::{EngineKind, RunStats};
use std::ops::Range;
use testbench::wave::FileKind;

/// Requested waveforms, pictures and analysers, checked before a run.
pub struct ObservationPlan {
    subject: WaveSubject,
    /// Steps that are observed.
    range: Range<u64>,
    wave: Option<WavePlan>,
    /// Pictures or instruction traces are requested.
    shows_steps: bool,
    links: Vec<Link>,
}

/// Requested waveform.
struct WavePlan {
    target: OutputTarget,
    kind: FileKind,
    watchable: Watchable,
    chosen: Selection,
}

/// Active waveform and logic analysers of a run.
pub struct RunObservers {
    waveform: Option<Waveform>,
    analyzers: Vec<LogicAnalyzer>,
}

/// Waveform that is being written. Its file gets its name at the first recorded clock cycle. Until
/// then an old file of that name stays unchanged.
struct Waveform {
    recorder: WaveRecorder,
    draft: PendingFile,
    /// Error message for a failed write.
    unwritten: String,
}

impl ObservationPlan {
    /// Creates the view of a machine on this engine. `array` is called only if it is needed.
    /// `traces` is true if instruction traces are requested, too.
    pub fn new<E: Into<EngineError>>(
        (args, traces): (&LookArgs, bool),
        wave: Option<&OutputTarget>,
        (subject, engine): (WaveSubject, EngineKind),
        array: impl FnOnce() -> Result<Array, E>,
    ) -> Result<Self, CliError> {
        let range = observed_steps(args, traces, &subject.steps)?;
        check_wires(args, engine)?;
        let wave = match (&args.wave, wave) {
            (None, _) | (_, None) => None,
            (Some(path), Some(target)) => {
                let kind = wave_kind(path, target)?;
                let array = array().map_err(|e| CliError::Failed(e.into().into()))?;
                let watchable = Watchable::new(&array, &subject);
                let watchable = watchable.map_err(|e| CliError::Failed(e.into()))?;
                let watches = match args.watch.is_empty() {
                    true => watchable.default_watches(),
                    false => args.watch.clone(),
                };
                let chosen =
                    watchable.select(&watches).map_err(|e| bad_flag("--watch")(e.into()))?;
                check_visible(engine, &watchable, &chosen)?;
                Some(WavePlan { target: target.clone(), kind, watchable, chosen })
            }
        };
        let mut printed = vec![];
        for ends in &args.logic_analyzer {
            let flag = "--logic-analyzer";
            if subject.links.is_none() {
                return Err(bad_flag(flag)(WatchError::NoLinks.into()));
            }
            let topology = &*subject.topology;
            let place = wave::parse_link(ends, topology).map_err(|e| bad_flag(flag)(e.into()))?;
            printed.extend(links(topology).filter(|link| place.contains_link(*link)));
        }
        Ok(ObservationPlan {
            subject,
            range,
            wave,
            shows_steps: args.picture.is_some() || traces,
            links: printed,
        })
    }

    /// Signals that the lockstep engine must keep for this view.
    pub fn kept_signals(&self) -> Keep {
        match &self.wave {
            None => Keep::Outputs,
            Some(wave) => Keep::Named(wave.watchable.paths(&wave.chosen)),
        }
    }

    /// Machine that a picture shows.
    pub fn subject(&self) -> &WaveSubject {
        &self.subject
    }

    /// Observed steps.
    pub fn steps(&self) -> Range<u64> {
        self.range.clone()
    }

    /// Starts the waveform and the logic analysers that the flags request.
    pub fn start(&self, engine: &mut dyn NodeEngine) -> Result<RunObservers, CliError> {
        let waveform = match &self.wave {
            None => None,
            Some(wave) => Some(self.record(engine, wave)?),
        };
        let mut analyzers = vec![];
        if let Some(decoder) = &self.subject.links {
            let subject = (&self.subject, &**decoder);
            for link in &self.links {
                let range = self.range.clone();
                analyzers.push(LogicAnalyzer::new(engine, subject, *link, range));
            }
        }
        Ok(RunObservers { waveform, analyzers })
    }

    /// Checks that a run of `steps` steps reached the observed steps.
    ///
    /// # Errors
    /// Bad input, if the run ended before the first observed step.
    pub fn check_end(&self, steps: u64) -> Result<(), CliError> {
        let looks = self.wave.is_some() || self.shows_steps || !self.links.is_empty();
        if !looks || self.range.start < steps.max(1) {
            return Ok(());
        }
        let (from, last) = (self.range.start, steps.saturating_sub(1));
        let Steps { name: word, period } = &self.subject.steps;
        let step = word.full;
        let ended = match period {
            Some(period) => {
                let (number, period) = (period.number(last), period.name.full);
                format!("{step} {last}, of {period} {number}")
            }
            None => format!("{step} {last}"),
        };
        Err(CliError::BadInput(anyhow!(
            "--from is {step} {from}, but the run ended in {ended} (counted from 0), so nothing \
             was written; accepted: an earlier --from"
        )))
    }

    fn record(&self, engine: &mut dyn NodeEngine, wave: &WavePlan) -> Result<Waveform, CliError> {
        let (watchable, chosen) = (&wave.watchable, &wave.chosen);
        let taps = Taps::new(engine, watchable, chosen);
        let taps = taps.map_err(|e| bad_flag("--watch")(e.into()))?;
        let window = Window::new(engine, &self.subject, self.range.clone());
        let time = (&self.subject.steps, window);
        let begin = || -> anyhow::Result<Waveform> {
            let draft = wave.target.create()?;
            let file = wave.kind.begin(draft.file.try_clone()?)?;
            Ok(Waveform {
                recorder: WaveRecorder::new((watchable, chosen), taps, time, file)?,
                draft,
                unwritten: wave.target.write_error(),
            })
        };
        begin().with_context(|| wave.target.write_error()).map_err(CliError::Failed)
    }
}

/// Rejects views of wires in the functional engine.
fn check_wires(args: &LookArgs, engine: EngineKind) -> Result<(), CliError> {
    let flag = match args.wave {
        Some(_) => "--wave",
        None => "--logic-analyzer",
    };
    if engine != EngineKind::Functional || args.wave.is_none() && args.logic_analyzer.is_empty() {
        return Ok(());
    }
    Err(CliError::BadInput(anyhow!(
        "{flag}: --engine functional moves whole frames and has no wires; accepted: another engine"
    )))
}

/// Rejects signals that a simulator cannot show, because it gives access to ports only. The check
/// runs before the simulator is built, which takes long.
fn check_visible(
    engine: EngineKind,
    watchable: &Watchable,
    chosen: &Selection,
) -> Result<(), CliError> {
    if matches!(engine, EngineKind::Evaluator | EngineKind::Lockstep) {
        return Ok(());
    }
    let nodes = chosen.nodes.values().flatten();
    let mut paths = nodes.map(|position| &watchable.node[*position].path);
    match paths.find(|path| path.contains('.')) {
        None => Ok(()),
        Some(path) => Err(bad_flag("--watch")(
            WatchError::Hidden { engine: engine.name(), path: path.clone() }.into(),
        )),
    }
}

impl Waveform {
    fn finish(mut self, steps: Option<u64>) -> Result<(), CliError> {
        if self.recorder.is_empty() && steps != Some(0) {
            return Ok(());
        }
        // An empty run still writes an empty waveform.
        let put = self.draft.commit();
        let finished = put.and_then(|()| Ok(self.recorder.finish()?));
        finished.context(self.unwritten).map_err(CliError::Failed)
    }
}

impl Observer for Waveform {
    fn next_look(&self, clock: u64) -> Option<u64> {
        self.recorder.next_look(clock)
    }

    fn look(&mut self, engine: &mut dyn NodeEngine, clock: u64) -> Result<(), EngineError> {
        let first = self.recorder.is_empty();
        self.recorder.look(engine, clock)?;
        if first && !self.recorder.is_empty() {
            let put = self.draft.commit();
            put.map_err(|e| EngineError::Observer(format!("{}: {e:#}", self.unwritten).into()))?;
        }
        Ok(())
    }
}

impl RunObservers {
    pub fn observers(&mut self) -> Vec<&mut dyn Observer> {
        let analyzers = self.analyzers.iter_mut().map(|a| a as &mut dyn Observer);
        let waveform = self.waveform.as_mut();
        let waveform = waveform.map(|w| w as &mut dyn Observer);
        analyzers.chain(waveform).collect()
    }

    /// Ends the waveform; `steps` is the length of the run, or `None` if it failed. Returns the
    /// output of the analysers.
    pub fn finish(self, steps: Option<u64>) -> Result<String, CliError> {
        if let Some(waveform) = self.waveform {
            waveform.finish(steps)?;
        }
        let texts = self.analyzers.into_iter().map(|a| a.finish() + "\n");
        Ok(texts.collect())
    }
}

/// Returns the steps to observe, for a machine that counts time in `steps`. `traces` is true if
/// instruction traces are requested.
///
/// # Errors
/// Bad input, if the arguments do not fit the machine.
pub fn observed_steps(
    args: &LookArgs,
    traces: bool,
    steps: &Steps,
) -> Result<Range<u64>, CliError> {
    let looks = args.wave.is_some() || args.picture.is_some() || !args.logic_analyzer.is_empty();
    if !looks && !traces && (args.from.is_some() || args.to.is_some()) {
        return Err(CliError::BadInput(anyhow!(
            "--from and --to have no effect here; accepted: with --wave, --logic-analyzer, \
             --picture or --instructions"
        )));
    }
    let drawn_whole = args.picture.is_some() && steps.period.is_none();
    if drawn_whole && (args.message.is_some() || args.from.is_some()) {
        return Err(CliError::BadInput(anyhow!(
            "--picture draws the whole run of a machine without a schedule; accepted: no --from \
             and no --message"
        )));
    }
    let step = |time: LookTime| match (time, &steps.period) {
        (LookTime::Phase(step), _) => Ok(step),
        (LookTime::Superframe(s), Some(period)) => Ok(s.saturating_mul(period.steps())),
        (LookTime::Superframe(_), None) => Err(CliError::BadInput(anyhow!(
            "this machine has no superframes; accepted: --from and --to in {}s",
            steps.name.full
        ))),
    };
    let from = args.from.map_or(Ok(0), step)?;
    let to = args.to.map_or(Ok(u64::MAX), step)?;
    match from < to {
        true => Ok(from..to),
        false => Err(CliError::BadInput(anyhow!(
            "--from {from} is not before --to {to}; accepted: a later --to"
        ))),
    }
}

fn bad_flag(flag: &'static str) -> impl Fn(anyhow::Error) -> CliError {
    move |error| CliError::BadInput(error.context(flag))
}

// `--picture`.

/// Rejects, before the run, a picture without messages, or of a message that does not exist.
/// Programs with `data` have no messages: their picture has the frames only.
pub fn check_request(args: &LookArgs, job: &MachineJob, data: bool) -> Result<(), CliError> {
    let all = job.load.messages.len();
    match args.message {
        _ if args.picture.is_none() => Ok(()),
        Some(_) if data => Err(CliError::BadInput(anyhow!(
            "--message is a message of a pattern, and a run with --data has none; accepted: \
             --picture without --message"
        ))),
        _ if data => Ok(()),
        _ if all == 0 => Err(CliError::BadInput(anyhow!(
            "--picture has no messages to draw; accepted: another --pattern"
        ))),
        Some(message) if message >= all => Err(CliError::BadInput(anyhow!(
            "--message {message}: there are {all} messages; accepted: 0 to {}",
            all - 1
        ))),
        _ => Ok(()),
    }
}

/// Draws one period of a schedule. Without a schedule, draws the network with the loads of its
/// channels in the whole run, and the messages.
pub fn draw(
    args: &LookArgs,
    target: Option<&OutputTarget>,
    view: &ObservationPlan,
    (job, stats): (&MachineJob, &RunStats),
) -> Result<(), CliError> {
    let Some(target) = target else {
        return Ok(());
    };
    let subject = view.subject();
    let number = match &subject.steps.period {
        Some(period) => period.number(view.steps().start),
        None => 0,
    };
    let picture = RunPicture {
        subject,
        messages: &job.load.messages,
        stats,
        processors: (job.addresses.nodes() / subject.topology.nodes()).max(1),
        number,
        message: args.message,
    };
    let Some(svg) = picture.svg() else {
        return Err(CliError::BadInput(anyhow!(
            "--picture: this machine does not count the loads of its channels; accepted: no --picture"
        )));
    };
    let written = target.write(|out| Ok(out.write_all(svg.as_bytes())?));
    written.map_err(CliError::Failed)
}
