//! Records a running machine to a waveform file.

use super::{
    LinkProbe, LinkSignal, LinkStep, Period, Selection, SignalType, SimTime, Steps, Taps,
    Watchable, Window,
};
use engine::{EngineError, NodeEngine, NodePortId, Observer, SharedPortId};
use std::collections::{BTreeMap, HashMap};
use testbench::wave::{declare_instance, SignalVar, Var, WaveError, WaveFormat, WaveValue};

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
                .map(|(position, follower)| SharedTap { port: ports[&position], var: follower })
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

    fn record(&mut self, engine: &mut dyn NodeEngine, sim_time: SimTime) -> Result<(), WaveError> {
        if sim_time.clock_in_step == 0 || self.last.is_none() {
            self.step_begins(engine, sim_time)?;
        } else {
            self.look_at_links(engine, sim_time);
        }
        for SharedTap { port, var: follower } in &mut self.shared {
            let value = engine.get_shared(*port);
            follower.record_change(sim_time.clock, value, &mut self.pending);
        }
        for NodeTap { port, vars: followers } in &mut self.nodes {
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
                follower.record_change(sim_time.clock, value, &mut self.pending);
            }
        }
        self.last = Some(sim_time.clock);
        if !self.links.iter().any(|link| link.vars.has_step_end_signals()) {
            self.write()?;
        }
        Ok(())
    }

    fn step_begins(
        &mut self,
        engine: &mut dyn NodeEngine,
        sim_time: SimTime,
    ) -> Result<(), WaveError> {
        let before = self.pending.len();
        self.look_at_links(engine, sim_time);
        // Late values of the previous step are written before the present values.
        let mut now: Vec<_> = self.pending.drain(before..).collect();
        let (old, new): (Vec<_>, Vec<_>) = now.drain(..).partition(|c| c.0 < sim_time.clock);
        self.pending.extend(old);
        self.write()?;
        self.file.flush()?;
        self.pending.extend(new);
        self.time.record(sim_time, &self.steps, &mut self.pending);
        if self.last.is_none() {
            let decoded = self.links.iter().flat_map(|link| link.vars.unknown_values());
            let at = |(var, value)| (sim_time.clock, var, value);
            self.pending.extend(decoded.map(at));
        }
        Ok(())
    }

    fn look_at_links(&mut self, engine: &mut dyn NodeEngine, sim_time: SimTime) {
        for i in 0..self.links.len() {
            let LinkTap { probe, vars } = &mut self.links[i];
            let over = probe.look(engine, sim_time, &mut self.link_changes);
            for (place, value) in self.link_changes.drain(..) {
                if let Some(var) = vars.get(place) {
                    self.pending.push((sim_time.clock, var, value));
                }
            }
            self.decode(i, over);
        }
    }

    /// Records the values of a finished step of a link that are known only at its end.
    fn decode(&mut self, link: usize, over: Option<Box<dyn LinkStep>>) {
        let vars = &self.links[link].vars;
        let over = over.filter(|over| vars.has_step_end_signals() && !over.is_idle());
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

impl Observer for WaveRecorder {
    fn next_look(&self, clock: u64) -> Option<u64> {
        self.window.next_look(clock)
    }

    fn look(&mut self, engine: &mut dyn NodeEngine, clock: u64) -> Result<(), EngineError> {
        match self.window.time_at(engine, clock) {
            Some(sim_time) => {
                self.record(engine, sim_time).map_err(|e| EngineError::Observer(e.into()))
            }
            None => Ok(()),
        }
    }
}

// Hierarchy of a file. Nodes and links are named as in `--watch`: `node[0x2A3]` and
// `link[0x2A3-0x2A2]`. A node has the hierarchy of the emitted Verilog. The time of the machine is
// beside them.

/// Variables of a file.
pub(super) struct DeclaredVars {
    pub time: TimeVars,
    /// Variables of the shared circuit, each with its position in [`Watchable::shared`].
    pub shared: Vec<(usize, SignalVar)>,
    /// Variables of the nodes, by position in [`Watchable::node`], each with the number of its node.
    pub nodes: BTreeMap<usize, Vec<(usize, SignalVar)>>,
    /// Variables of the links, in the order of the selection.
    pub links: Vec<LinkVars>,
}

/// Time of a machine.
pub(super) struct TimeVars {
    /// Step in its period, or from the start in a machine without periods.
    step: Var,
    period: Option<PeriodVars>,
}

/// Time of a machine with periods.
struct PeriodVars {
    /// Step, counted from the start.
    t: Var,
    number: Var,
    /// Further numbers of the schedule for a step.
    numbers: Vec<Var>,
}

/// Variables of a link, by the positions of their signals.
pub(super) struct LinkVars(Vec<(usize, LinkSignal, Var)>);

/// Declares everything and begins the file.
pub(super) fn declare(
    file: &mut dyn WaveFormat,
    watchable: &Watchable,
    chosen: &Selection,
    steps: &Steps,
) -> Result<DeclaredVars, WaveError> {
    file.open_scope(&watchable.name)?;
    let time = TimeVars::declare(file, steps)?;
    let shared: Vec<usize> = chosen.shared.iter().copied().collect();
    let shared = match shared.is_empty() {
        true => vec![],
        false => {
            declare_instance(file, "shared", (&watchable.shared, &watchable.shared_nets), &shared)?
        }
    };
    let mut nodes: BTreeMap<usize, Vec<(usize, SignalVar)>> = BTreeMap::new();
    for (node, positions) in &chosen.nodes {
        let name = format!("node[{}]", watchable.topology.node_name(*node));
        let positions: Vec<usize> = positions.iter().copied().collect();
        let signals = (&watchable.node[..], &watchable.node_nets[..]);
        for (position, follower) in declare_instance(file, &name, signals, &positions)? {
            let followers = nodes.entry(position).or_default();
            followers.push((*node as usize, follower));
        }
    }
    let links = link_vars(file, watchable, chosen)?;
    file.close_scope()?;
    file.begin()?;
    Ok(DeclaredVars { time, shared, nodes, links })
}

/// Declares the selected signals of links, in the order of the selection.
fn link_vars(
    file: &mut dyn WaveFormat,
    watchable: &Watchable,
    chosen: &Selection,
) -> Result<Vec<LinkVars>, WaveError> {
    let Some(links) = &watchable.links else {
        return Ok(vec![]);
    };
    let mut declared = vec![];
    for (position, signals) in &chosen.links {
        file.open_scope(&watchable.link_name(links.all[*position]))?;
        let mut vars = vec![];
        for place in signals {
            let signal = links.signals[*place];
            let var = match signal.shape {
                SignalType::Bits(width) => file.bits(signal.name, width)?,
                SignalType::Text(longest) => file.text(signal.name, longest)?,
            };
            vars.push((*place, signal, var));
        }
        file.close_scope()?;
        declared.push(LinkVars(vars));
    }
    Ok(declared)
}

impl TimeVars {
    fn declare(file: &mut dyn WaveFormat, steps: &Steps) -> Result<Self, WaveError> {
        file.open_scope("schedule")?;
        let step = steps.name.variable();
        let time = match &steps.period {
            None => TimeVars { step: file.bits(&step, COUNTER_BITS)?, period: None },
            Some(period) => {
                let t = file.bits("t", COUNTER_BITS)?;
                let number = file.bits(&period.name.variable(), COUNTER_BITS)?;
                let step = file.bits(&step, step_width(period))?;
                let numbers = period.schedule.step_numbers(0).into_iter();
                let numbers = numbers.map(|number| file.bits(number.name, number.bits));
                TimeVars {
                    step,
                    period: Some(PeriodVars {
                        t,
                        number,
                        numbers: numbers.collect::<Result<_, WaveError>>()?,
                    }),
                }
            }
        };
        file.close_scope()?;
        Ok(time)
    }

    /// Records the time from this moment on.
    pub fn record(
        &self,
        sim_time: SimTime,
        steps: &Steps,
        pending: &mut Vec<(u64, Var, WaveValue)>,
    ) {
        let SimTime { clock, t, .. } = sim_time;
        let mut tell = |var: Var, value: u64| pending.push((clock, var, WaveValue::Bits(value)));
        let (Some(vars), Some(period)) = (&self.period, &steps.period) else {
            return tell(self.step, t);
        };
        let step = period.step(t);
        tell(vars.t, t);
        tell(vars.number, period.number(t));
        tell(self.step, step.into());
        let numbers = period.schedule.step_numbers(step);
        for (var, number) in vars.numbers.iter().zip(numbers) {
            tell(*var, number.value);
        }
    }
}

/// Width of a number that is counted from the start, in bits.
const COUNTER_BITS: u32 = 32;

/// Width of a step in a period, the same for every cube.
fn step_width(period: &Period) -> u32 {
    let last = period.steps() - 1;
    (u64::BITS - last.leading_zeros()).max(5)
}

impl LinkVars {
    pub fn get(&self, place: usize) -> Option<Var> {
        let found = self.0.iter().find(|(known, ..)| *known == place);
        found.map(|(.., var)| *var)
    }

    /// True if some values are known only at the end of a step.
    pub fn has_step_end_signals(&self) -> bool {
        self.0.iter().any(|(_, signal, _)| signal.at_step_end)
    }

    /// Values of the signals at the end of a step while they are unknown.
    pub fn unknown_values(&self) -> impl Iterator<Item = (Var, WaveValue)> + '_ {
        let at_step_end = self.0.iter().filter(|(_, signal, _)| signal.at_step_end);
        at_step_end.map(|(_, signal, var)| (*var, signal.unknown_value()))
    }
}
