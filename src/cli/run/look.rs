//! Waveforms and logic analysers on a run.

use crate::cli::args::{LookArgs, Time};
use crate::cli::Failure;
use crate::engine::{EngineError, NodeEngine, Observer};
use crate::machine::array::Array;
use crate::machine::PhaseTiming;
use crate::report::LogicAnalyzer;
use crate::topology::{Hypercube, Link};
use crate::wave::{
    self, Beat, Catalog, FileKind, LinkProbe, Recorder, Selection, Taps, WatchError, WaveError,
    Window,
};
use anyhow::anyhow;
use lockstep::lanes::Keep;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// What is to be looked at, checked before anything runs.
pub struct View<'a> {
    cube: Hypercube,
    beat: Beat,
    /// Of the links, in a machine that has them.
    timing: Option<PhaseTiming>,
    phases: Range<u64>,
    wave: Option<Wave<'a>>,
    links: Vec<Link>,
}

/// A waveform.
struct Wave<'a> {
    path: &'a Path,
    kind: FileKind,
    catalog: Catalog,
    chosen: Selection,
}

/// Those who look.
pub struct Lookers {
    /// And the name of its file.
    recorder: Option<(PathBuf, Recorder)>,
    analyzers: Vec<LogicAnalyzer>,
}

impl<'a> View<'a> {
    /// Of a machine with this beat; `array` is asked for only if it is needed.
    pub fn new<E: Into<EngineError>>(
        args: &'a LookArgs,
        cube: Hypercube,
        beat: Beat,
        timing: Option<PhaseTiming>,
        array: impl FnOnce() -> Result<Array, E>,
    ) -> Result<Self, Failure> {
        let phases = phases(args, beat)?;
        let wave = match &args.wave {
            None => None,
            Some(path) => {
                let kind = FileKind::of(path);
                let kind = kind.map_err(|e| bad("--wave")(e.into()))?;
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
                Some(Wave {
                    path,
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
        let recorder = match &self.wave {
            None => None,
            Some(wave) => Some((wave.path.to_path_buf(), self.record(engine, wave)?)),
        };
        let mut analyzers = vec![];
        for link in &self.links {
            let timing = self.timing.expect("links were refused without");
            let probe = LinkProbe::new(engine, self.cube, *link, timing);
            let window = Window::new(engine, self.beat, self.phases.clone());
            analyzers.push(LogicAnalyzer::new(window, self.cube, probe));
        }
        Ok(Lookers {
            recorder,
            analyzers,
        })
    }
}

impl View<'_> {
    fn record(&self, engine: &mut dyn NodeEngine, wave: &Wave) -> Result<Recorder, Failure> {
        let (catalog, chosen) = (&wave.catalog, &wave.chosen);
        let taps = Taps::new(engine, catalog, chosen, self.timing);
        let taps = taps.map_err(|e| bad("--watch")(e.into()))?;
        let window = Window::new(engine, self.beat, self.phases.clone());
        let begun = wave.kind.create(wave.path);
        let begun = begun.and_then(|file| Recorder::new((catalog, chosen), taps, window, file));
        begun.map_err(|e| unwritten(wave.path, e))
    }
}

impl Lookers {
    pub fn list(&mut self) -> Vec<&mut dyn Observer> {
        let analyzers = self.analyzers.iter_mut().map(|a| a as &mut dyn Observer);
        let recorder = self.recorder.as_mut();
        let recorder = recorder.map(|(_, r)| r as &mut dyn Observer);
        analyzers.chain(recorder).collect()
    }

    /// Ends the waveform; what the analysers have printed.
    pub fn finish(self) -> Result<String, Failure> {
        if let Some((path, recorder)) = self.recorder {
            recorder.finish().map_err(|e| unwritten(&path, e))?;
        }
        let texts = self.analyzers.into_iter().map(|a| a.finish() + "\n");
        Ok(texts.collect())
    }
}

/// The phases that are looked at.
fn phases(args: &LookArgs, beat: Beat) -> Result<Range<u64>, Failure> {
    let looks = args.wave.is_some() || args.picture.is_some() || !args.logic_analyzer.is_empty();
    if !looks && (args.from.is_some() || args.to.is_some()) {
        return Err(Failure::BadInput(anyhow!(
            "--from and --to say when to look, but nothing looks; accepted: with --wave, \
             --logic-analyzer or --picture"
        )));
    }
    let phase = |time: Time| match (time, beat.superframe) {
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

fn unwritten(path: &Path, error: WaveError) -> Failure {
    let what = format!("{} cannot be written", path.display());
    Failure::Failed(anyhow::Error::new(error).context(what))
}
