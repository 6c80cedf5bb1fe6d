//! Records a running machine to a waveform file.

use super::format::{Var, WaveError, WaveFormat, WaveValue};
use super::hierarchy::{declare, LinkVars, TimeVars};
use super::{LinkProbe, LinkStep, Selection, SimTime, Steps, Taps, Watchable, Window, NO_TEXT};
use engine::{EngineError, NodeEngine, NodePortId, Observer, SharedPortId};
use lockstep::design::EnumType;
use std::collections::HashMap;
use std::sync::Arc;

/// Writes the selected signals of a machine to a file, clock cycle by clock cycle.
///
/// The recorder reads only the selected signals. Decoded traffic of a link appears at the time of
/// its bytes, so a step is written when it has ended.
pub struct WaveRecorder {
    window: Window,
    steps: Steps,
    file: Box<dyn WaveFormat>,
    time: TimeVars,
    shared: Vec<SharedTap>,
    nodes: Vec<NodeTap>,
    links: Vec<LinkTap>,
    /// Changes that are not written yet.
    pending: Vec<(u64, Var, WaveValue)>,
    /// Buffer for the changes of a link.
    link_changes: Vec<(usize, WaveValue)>,
    /// Last clock cycle that was sampled.
    last: Option<u64>,
    /// Buffer for one port of all nodes.
    values: Vec<u64>,
}

/// Variable that follows a signal.
pub(super) struct SignalVar {
    pub var: Var,
    /// Text variable for the same signal.
    pub text: Option<(Var, Arc<EnumType>)>,
    pub last: Option<u64>,
}

/// Signal of the shared circuit.
struct SharedTap {
    port: SharedPortId,
    var: SignalVar,
}

/// Signal of some nodes.
struct NodeTap {
    port: NodePortId,
    vars: Vec<(usize, SignalVar)>,
}

struct LinkTap {
    probe: Box<dyn LinkProbe>,
    vars: LinkVars,
}

impl WaveRecorder {
    /// Starts the file.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn new(
        (watchable, chosen): (&Watchable, &Selection),
        taps: Taps,
        (steps, window): (&Steps, Window),
        mut file: Box<dyn WaveFormat>,
    ) -> Result<Self, WaveError> {
        let declared = declare(&mut *file, watchable, chosen, steps)?;
        let ports: HashMap<usize, SharedPortId> =
            chosen.shared.iter().copied().zip(taps.shared).collect();
        let shared = declared.shared.into_iter();
        let nodes = declared.nodes.into_iter();
        let links = declared.links.into_iter().zip(taps.links);
        Ok(WaveRecorder {
            window,
            steps: steps.clone(),
            file,
            time: declared.time,
            shared: shared
                .map(|(position, follower)| SharedTap {
                    port: ports[&position],
                    var: follower,
                })
                .collect(),
            nodes: nodes
                .map(|(position, followers)| NodeTap {
                    port: taps.nodes[&position],
                    vars: followers,
                })
                .collect(),
            links: links.map(|(vars, probe)| LinkTap { probe, vars }).collect(),
            pending: vec![],
            link_changes: vec![],
            last: None,
            values: vec![],
        })
    }

    /// True if no clock cycle was sampled yet.
    pub fn is_empty(&self) -> bool {
        self.last.is_none()
    }

    /// Writes the remaining changes and the end of the file.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn finish(mut self) -> Result<(), WaveError> {
        for i in 0..self.links.len() {
            let over = self.links[i].probe.end();
            self.decode(i, over);
        }
        let last = self.pending.iter().map(|(time, ..)| *time).max();
        self.write()?;
        let end = self.last.map_or(0, |clock| clock + 1);
        self.file.finish(end.max(last.unwrap_or(0)))
    }

    fn record(&mut self, engine: &mut dyn NodeEngine, moment: SimTime) -> Result<(), WaveError> {
        if moment.in_step == 0 || self.last.is_none() {
            self.step_begins(engine, moment)?;
        } else {
            self.look_at_links(engine, moment);
        }
        for SharedTap {
            port,
            var: follower,
        } in &mut self.shared
        {
            let value = engine.get_shared(*port);
            follower.record_change(moment.clock, value, &mut self.pending);
        }
        for NodeTap {
            port,
            vars: followers,
        } in &mut self.nodes
        {
            // Many nodes are read faster in one call.
            let all = followers.len() > 16;
            if all {
                engine.get_all(*port, &mut self.values);
            }
            for (node, follower) in followers {
                let value = match all {
                    true => self.values[*node],
                    false => engine.get(*port, *node),
                };
                follower.record_change(moment.clock, value, &mut self.pending);
            }
        }
        self.last = Some(moment.clock);
        if !self.links.iter().any(|link| link.vars.has_late_signals()) {
            self.write()?;
        }
        Ok(())
    }

    fn step_begins(
        &mut self,
        engine: &mut dyn NodeEngine,
        moment: SimTime,
    ) -> Result<(), WaveError> {
        let before = self.pending.len();
        self.look_at_links(engine, moment);
        // Late values of the previous step are written before the present values.
        let mut now: Vec<_> = self.pending.drain(before..).collect();
        let (old, new): (Vec<_>, Vec<_>) = now.drain(..).partition(|c| c.0 < moment.clock);
        self.pending.extend(old);
        self.write()?;
        self.file.flush()?;
        self.pending.extend(new);
        self.time.record(moment, &self.steps, &mut self.pending);
        if self.last.is_none() {
            let decoded = self
                .links
                .iter()
                .flat_map(|link| link.vars.unknown_values());
            let at = |(var, value)| (moment.clock, var, value);
            self.pending.extend(decoded.map(at));
        }
        Ok(())
    }

    fn look_at_links(&mut self, engine: &mut dyn NodeEngine, moment: SimTime) {
        for i in 0..self.links.len() {
            let LinkTap { probe, vars } = &mut self.links[i];
            let over = probe.look(engine, moment, &mut self.link_changes);
            for (place, value) in self.link_changes.drain(..) {
                if let Some(var) = vars.get(place) {
                    self.pending.push((moment.clock, var, value));
                }
            }
            self.decode(i, over);
        }
    }

    /// Records the late values of a link's finished step.
    fn decode(&mut self, link: usize, over: Option<Box<dyn LinkStep>>) {
        let vars = &self.links[link].vars;
        let over = over.filter(|over| vars.has_late_signals() && !over.is_idle());
        let changes = over.map_or(vec![], |over| over.changes());
        for (time, place, value) in changes {
            if let Some(var) = vars.get(place) {
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

impl SignalVar {
    fn record_change(&mut self, clock: u64, value: u64, pending: &mut Vec<(u64, Var, WaveValue)>) {
        if self.last == Some(value) {
            return;
        }
        self.last = Some(value);
        pending.push((clock, self.var, WaveValue::Bits(value)));
        if let Some((var, ty)) = &self.text {
            let variant = ty.variants.get(value as usize);
            let name = variant.map_or(NO_TEXT, String::as_str);
            pending.push((clock, *var, WaveValue::Text(name.into())));
        }
    }
}

impl Observer for WaveRecorder {
    fn next_look(&self, clock: u64) -> Option<u64> {
        self.window.next_look(clock)
    }

    fn look(&mut self, engine: &mut dyn NodeEngine, clock: u64) -> Result<(), EngineError> {
        match self.window.time_at(engine, clock) {
            Some(moment) => self
                .record(engine, moment)
                .map_err(|e| EngineError::Observer(e.into())),
            None => Ok(()),
        }
    }
}
