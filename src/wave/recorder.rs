//! From a running machine to the file of its waveform.

use super::decoded::{self, NOTHING};
use super::format::{Format, Value, Var, WaveError};
use super::hierarchy::{declare, LinkVars, TimeVars};
use super::link_probe::{LinkProbe, Seen};
use super::window::{Moment, Window};
use super::{Catalog, LinkSignal, Selection, Taps};
use crate::engine::{EngineError, NodeEngine, NodePort, Observer, SharedPort};
use crate::topology::Hypercube;
use lockstep::rtl::EnumType;
use std::collections::HashMap;
use std::sync::Arc;

/// Writes what was chosen of a machine into a file, clock cycle by clock cycle.
///
/// It reads what is watched and nothing else. What is decoded of a link stands at
/// the place of its bytes, so a phase is written when it is over.
pub struct Recorder {
    window: Window,
    cube: Hypercube,
    file: Box<dyn Format>,
    time: TimeVars,
    shared: Vec<SharedTap>,
    nodes: Vec<NodeTap>,
    links: Vec<LinkTap>,
    /// Changes that are not written yet.
    pending: Vec<(u64, Var, Value)>,
    /// The last clock cycle that was looked at.
    last: Option<u64>,
    /// For one port of all nodes, to be used again.
    values: Vec<u64>,
}

/// A variable that follows a signal.
pub(super) struct Follower {
    pub var: Var,
    /// Says the same in words.
    pub text: Option<(Var, Arc<EnumType>)>,
    pub last: Option<u64>,
}

/// A signal of the shared circuit.
struct SharedTap {
    port: SharedPort,
    follower: Follower,
}

/// A signal of some nodes.
struct NodeTap {
    port: NodePort,
    followers: Vec<(usize, Follower)>,
}

struct LinkTap {
    probe: LinkProbe,
    vars: LinkVars,
    level: Option<bool>,
    driver: String,
}

impl Recorder {
    /// The file begins here.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn new(
        (catalog, chosen): (&Catalog, &Selection),
        taps: Taps,
        window: Window,
        mut file: Box<dyn Format>,
    ) -> Result<Self, WaveError> {
        let declared = declare(&mut *file, catalog, chosen, window.beat())?;
        let ports: HashMap<usize, SharedPort> =
            chosen.shared.iter().copied().zip(taps.shared).collect();
        let shared = declared.shared.into_iter();
        let nodes = declared.nodes.into_iter();
        let links = declared.links.into_iter().zip(taps.links);
        Ok(Recorder {
            window,
            cube: catalog.cube,
            file,
            time: declared.time,
            shared: shared
                .map(|(position, follower)| SharedTap {
                    port: ports[&position],
                    follower,
                })
                .collect(),
            nodes: nodes
                .map(|(position, followers)| NodeTap {
                    port: taps.nodes[&position],
                    followers,
                })
                .collect(),
            links: links
                .map(|(vars, probe)| LinkTap {
                    probe,
                    vars,
                    level: None,
                    driver: String::new(),
                })
                .collect(),
            pending: vec![],
            last: None,
            values: vec![],
        })
    }

    /// Whether no clock cycle was looked at yet.
    pub fn is_empty(&self) -> bool {
        self.last.is_none()
    }

    /// Writes what is left, and the end of the file.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn finish(mut self) -> Result<(), WaveError> {
        for i in 0..self.links.len() {
            let seen = self.links[i].probe.end();
            self.decode(i, seen);
        }
        let last = self.pending.iter().map(|(time, ..)| *time).max();
        self.write()?;
        let end = self.last.map_or(0, |clock| clock + 1);
        self.file.finish(end.max(last.unwrap_or(0)))
    }

    fn record(&mut self, engine: &mut dyn NodeEngine, moment: Moment) -> Result<(), WaveError> {
        if moment.in_phase == 0 || self.last.is_none() {
            self.phase_begins(engine, moment)?;
        } else {
            self.look_at_links(engine, moment);
        }
        for SharedTap { port, follower } in &mut self.shared {
            let value = engine.get_shared(*port);
            follower.follow(moment.clock, value, &mut self.pending);
        }
        for NodeTap { port, followers } in &mut self.nodes {
            // Many of them are read faster all at once.
            let all = followers.len() > 16;
            if all {
                engine.get_all(*port, &mut self.values);
            }
            for (node, follower) in followers {
                let value = match all {
                    true => self.values[*node],
                    false => engine.get(*port, *node),
                };
                follower.follow(moment.clock, value, &mut self.pending);
            }
        }
        self.last = Some(moment.clock);
        if !self.links.iter().any(|link| link.vars.is_decoded()) {
            self.write()?;
        }
        Ok(())
    }

    fn phase_begins(
        &mut self,
        engine: &mut dyn NodeEngine,
        moment: Moment,
    ) -> Result<(), WaveError> {
        let before = self.pending.len();
        self.look_at_links(engine, moment);
        // What the links are now comes after what they were found to have been.
        let mut now: Vec<_> = self.pending.drain(before..).collect();
        let (old, new): (Vec<_>, Vec<_>) = now.drain(..).partition(|c| c.0 < moment.clock);
        self.pending.extend(old);
        self.write()?;
        self.file.flush()?;
        self.pending.extend(new);
        self.time
            .tell(moment, self.window.beat(), &mut self.pending);
        if self.last.is_none() {
            let decoded = self.links.iter().flat_map(|link| link.vars.silent());
            let at = |(var, value)| (moment.clock, var, value);
            self.pending.extend(decoded.map(at));
        }
        Ok(())
    }

    fn look_at_links(&mut self, engine: &mut dyn NodeEngine, moment: Moment) {
        for i in 0..self.links.len() {
            let link = &mut self.links[i];
            let (wire, seen) = link.probe.look(engine, moment);
            if let (Some(var), true) = (
                link.vars.get(LinkSignal::Wire),
                link.level != Some(wire.level),
            ) {
                let value = Value::Bits(wire.level.into());
                self.pending.push((moment.clock, var, value));
                link.level = Some(wire.level);
            }
            if let Some(var) = link.vars.get(LinkSignal::Driver) {
                let driver = decoded::driver(wire, link.probe.link(), self.cube);
                if driver != link.driver {
                    link.driver.clone_from(&driver);
                    self.pending.push((moment.clock, var, Value::Text(driver)));
                }
            }
            self.decode(i, seen);
        }
    }

    /// What the phase of a link that is over was.
    fn decode(&mut self, link: usize, seen: Option<Seen>) {
        let vars = &self.links[link].vars;
        let seen = seen.filter(|seen| vars.is_decoded() && !seen.idle);
        let changes = seen.map_or(vec![], |seen| decoded::changes(&seen, self.cube));
        for (time, signal, value) in changes {
            if let Some(var) = vars.get(signal) {
                self.pending.push((time, var, value));
            }
        }
    }

    fn write(&mut self) -> Result<(), WaveError> {
        self.pending.sort_by_key(|(time, ..)| *time);
        for (time, var, value) in self.pending.drain(..) {
            self.file.change(time, var, &value)?;
        }
        Ok(())
    }
}

impl Follower {
    fn follow(&mut self, clock: u64, value: u64, pending: &mut Vec<(u64, Var, Value)>) {
        if self.last == Some(value) {
            return;
        }
        self.last = Some(value);
        pending.push((clock, self.var, Value::Bits(value)));
        if let Some((var, ty)) = &self.text {
            let variant = ty.variants.get(value as usize);
            let name = variant.map_or(NOTHING, String::as_str);
            pending.push((clock, *var, Value::Text(name.into())));
        }
    }
}

impl Observer for Recorder {
    fn next_look(&self, clock: u64) -> Option<u64> {
        self.window.next_look(clock)
    }

    fn look(&mut self, engine: &mut dyn NodeEngine, clock: u64) -> Result<(), EngineError> {
        match self.window.moment(engine, clock) {
            Some(moment) => self
                .record(engine, moment)
                .map_err(|e| EngineError::Observer(e.into())),
            None => Ok(()),
        }
    }
}
