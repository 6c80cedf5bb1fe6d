//! Waveforms and logic analysers on a run.

use super::outputs::wave_kind;
use crate::cli::args::{LookArgs, Time};
use crate::cli::files::{Draft, Target};
use crate::cli::Failure;
use crate::engine::{EngineError, NodeEngine, Observer};
use crate::flags::Choice;
use crate::machine::array::Array;
use crate::machine::{EngineKind, PhaseTiming};
use crate::report::LogicAnalyzer;
use crate::topology::{Hypercube, Link};
use crate::wave::{
    self, Beat, Catalog, FileKind, LinkProbe, Recorder, Selection, Taps, WatchError, Window,
};
use anyhow::{anyhow, Context};
use lockstep::lanes::Keep;
use std::ops::Range;

/// What is to be looked at, checked before anything runs.
pub struct View {
    cube: Hypercube,
    beat: Beat,
    /// Of the links, in a machine that has them.
    timing: Option<PhaseTiming>,
    phases: Range<u64>,
    wave: Option<Wave>,
    pictures: bool,
    links: Vec<Link>,
}

/// What a waveform is to be.
struct Wave {
    target: Target,
    kind: FileKind,
    catalog: Catalog,
    chosen: Selection,
}

/// Those who look.
pub struct Lookers {
    waveform: Option<Waveform>,
    analyzers: Vec<LogicAnalyzer>,
}

/// A waveform that is being written. The file has its name from the first clock cycle
/// on that is in it; until then what was there before is.
struct Waveform {
    recorder: Recorder,
    draft: Draft,
    /// What is said if it cannot be written.
    unwritten: String,
}

impl View {
    /// Of a machine with this beat on this engine; `array` is asked for only if it is
    /// needed.
    pub fn new<E: Into<EngineError>>(
        args: &LookArgs,
        wave: Option<&Target>,
        (cube, engine): (Hypercube, EngineKind),
        (beat, timing): (Beat, Option<PhaseTiming>),
        array: impl FnOnce() -> Result<Array, E>,
    ) -> Result<Self, Failure> {
        let phases = phases(args, beat.superframe)?;
        let wave = match (&args.wave, wave) {
            (None, _) | (_, None) => None,
            (Some(path), Some(target)) => {
                let kind = wave_kind(path, target)?;
                let array = array().map_err(|e| Failure::Failed(e.into().into()))?;
                let catalog = Catalog::new(&array, cube, timing.is_some());
                let catalog = catalog.map_err(|e| Failure::Failed(e.into()))?;
                let watches = match args.watch.is_empty() {
                    true => catalog.usual(),
                    false => args.watch.clone(),
                };
                let chosen = catalog
                    .select(&watches)
                    .map_err(|e| bad("--watch")(e.into()))?;
                is_shown(engine, &catalog, &chosen)?;
                Some(Wave {
                    target: target.clone(),
                    kind,
                    catalog,
                    chosen,
                })
            }
        };
        let mut links = vec![];
        for ends in &args.logic_analyzer {
            let flag = "--logic-analyzer";
            if timing.is_none() {
                return Err(bad(flag)(WatchError::NoLinks.into()));
            }
            let place = wave::link(ends, cube).map_err(|e| bad(flag)(e.into()))?;
            links.extend(wave::links(place, cube));
        }
        Ok(View {
            cube,
            beat,
            timing,
            phases,
            wave,
            pictures: args.picture.is_some(),
            links,
        })
    }

    /// What the lockstep engine must keep for it.
    pub fn keep(&self) -> Keep {
        match &self.wave {
            None => Keep::Outputs,
            Some(wave) => Keep::Named(wave.catalog.paths(&wave.chosen)),
        }
    }

    /// The superframe that a picture shows.
    pub fn superframe(&self) -> u64 {
        self.phases.start / self.beat.superframe.unwrap_or(1)
    }

    /// Begins to look.
    pub fn begin(&self, engine: &mut dyn NodeEngine) -> Result<Lookers, Failure> {
        let waveform = match &self.wave {
            None => None,
            Some(wave) => Some(self.record(engine, wave)?),
        };
        let mut analyzers = vec![];
        for link in &self.links {
            let timing = self.timing.expect("links were refused without");
            let probe = LinkProbe::new(engine, self.cube, *link, timing);
            let window = Window::new(engine, self.beat, self.phases.clone());
            analyzers.push(LogicAnalyzer::new(window, self.cube, probe));
        }
        Ok(Lookers {
            waveform,
            analyzers,
        })
    }

    /// # Errors
    /// Bad input, if a run of so many phases ended before there was anything to see.
    pub fn check_end(&self, phases: u64) -> Result<(), Failure> {
        let looks = self.wave.is_some() || self.pictures || !self.links.is_empty();
        if !looks || self.phases.start < phases.max(1) {
            return Ok(());
        }
        let (from, last) = (self.phases.start, phases.saturating_sub(1));
        let (step, ended) = match self.beat.superframe {
            Some(phases) => {
                let ended = format!("phase {last}, of superframe {}", last / phases);
                ("phase", ended)
            }
            None => ("petit cycle", format!("petit cycle {last}")),
        };
        Err(Failure::BadInput(anyhow!(
            "--from is {step} {from}, but the run ended in {ended}, all counted from 0: there was \
             nothing to look at, and nothing was written; accepted: an earlier --from"
        )))
    }

    fn record(&self, engine: &mut dyn NodeEngine, wave: &Wave) -> Result<Waveform, Failure> {
        let (catalog, chosen) = (&wave.catalog, &wave.chosen);
        let taps = Taps::new(engine, catalog, chosen, self.timing);
        let taps = taps.map_err(|e| bad("--watch")(e.into()))?;
        let window = Window::new(engine, self.beat, self.phases.clone());
        let begin = || -> anyhow::Result<Waveform> {
            let draft = wave.target.begin()?;
            let file = wave.kind.begin(draft.file.try_clone()?)?;
            Ok(Waveform {
                recorder: Recorder::new((catalog, chosen), taps, window, file)?,
                draft,
                unwritten: wave.target.unwritten(),
            })
        };
        begin()
            .with_context(|| wave.target.unwritten())
            .map_err(Failure::Failed)
    }
}

/// What the simulators show of which only ports are known is told before they are
/// built, which takes long.
fn is_shown(engine: EngineKind, catalog: &Catalog, chosen: &Selection) -> Result<(), Failure> {
    if matches!(engine, EngineKind::Evaluator | EngineKind::Lockstep) {
        return Ok(());
    }
    let nodes = chosen.nodes.values().flatten();
    let mut paths = nodes.map(|position| &catalog.node[*position].path);
    match paths.find(|path| path.contains('.')) {
        None => Ok(()),
        Some(path) => Err(bad("--watch")(
            WatchError::Hidden {
                engine: engine.name(),
                path: path.clone(),
            }
            .into(),
        )),
    }
}

impl Waveform {
    fn finish(mut self, phases: Option<u64>) -> Result<(), Failure> {
        if self.recorder.is_empty() && phases != Some(0) {
            return Ok(());
        }
        // A run of nothing has a waveform of nothing.
        let put = self.draft.put();
        let finished = put.and_then(|()| Ok(self.recorder.finish()?));
        finished.context(self.unwritten).map_err(Failure::Failed)
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
            let put = self.draft.put();
            put.map_err(|e| EngineError::Observer(format!("{}: {e:#}", self.unwritten).into()))?;
        }
        Ok(())
    }
}

impl Lookers {
    pub fn list(&mut self) -> Vec<&mut dyn Observer> {
        let analyzers = self.analyzers.iter_mut().map(|a| a as &mut dyn Observer);
        let waveform = self.waveform.as_mut();
        let waveform = waveform.map(|w| w as &mut dyn Observer);
        analyzers.chain(waveform).collect()
    }

    /// Ends the waveform of a run that had so many phases, if it did not fail; what the
    /// analysers have printed.
    pub fn finish(self, phases: Option<u64>) -> Result<String, Failure> {
        if let Some(waveform) = self.waveform {
            waveform.finish(phases)?;
        }
        let texts = self.analyzers.into_iter().map(|a| a.finish() + "\n");
        Ok(texts.collect())
    }
}

/// The phases that are looked at, of a machine with so many in a superframe, if it has
/// those.
///
/// # Errors
/// Bad input, if the arguments do not fit.
pub fn phases(args: &LookArgs, superframe: Option<u64>) -> Result<Range<u64>, Failure> {
    let looks = args.wave.is_some() || args.picture.is_some() || !args.logic_analyzer.is_empty();
    if !looks && (args.from.is_some() || args.to.is_some()) {
        return Err(Failure::BadInput(anyhow!(
            "--from and --to say when to look, but nothing looks; accepted: with --wave, \
             --logic-analyzer or --picture"
        )));
    }
    let phase = |time: Time| match (time, superframe) {
        (Time::Phase(phase), _) => Ok(phase),
        (Time::Superframe(s), Some(phases)) => Ok(s.saturating_mul(phases)),
        (Time::Superframe(_), None) => Err(Failure::BadInput(anyhow!(
            "this machine has no superframes; accepted: --from and --to in petit cycles"
        ))),
    };
    let from = args.from.map_or(Ok(0), phase)?;
    let to = args.to.map_or(Ok(u64::MAX), phase)?;
    match from < to {
        true => Ok(from..to),
        false => Err(Failure::BadInput(anyhow!(
            "--from {from} is not before --to {to}; accepted: a later --to"
        ))),
    }
}

fn bad(flag: &'static str) -> impl Fn(anyhow::Error) -> Failure {
    move |error| Failure::BadInput(error.context(flag))
}
