//! Hierarchy of a file. Nodes and links are named as in `--watch`: `node[0x2A3]` and
//! `link[0x2A3-0x2A2]`. A node has the hierarchy of the emitted Verilog. The time of the machine is
//! beside them.

use super::format::{Var, WaveError, WaveFormat, WaveValue};
use super::recorder::SignalVar;
use super::{LinkSignal, Period, Selection, SignalType, SimTime, Steps, Watchable};
use hdl::verilog::NamedSignal;
use lockstep::design::Type;
use lockstep::netlist::NetId;
use std::collections::{BTreeMap, HashMap};

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
        false => instance(
            file,
            "shared",
            (&watchable.shared, &watchable.shared_nets),
            &shared,
        )?,
    };
    let mut nodes: BTreeMap<usize, Vec<(usize, SignalVar)>> = BTreeMap::new();
    for (node, positions) in &chosen.nodes {
        let name = format!("node[{}]", watchable.topology.node_name(*node));
        let positions: Vec<usize> = positions.iter().copied().collect();
        let signals = (&watchable.node[..], &watchable.node_nets[..]);
        for (position, follower) in instance(file, &name, signals, &positions)? {
            let followers = nodes.entry(position).or_default();
            followers.push((*node as usize, follower));
        }
    }
    let links = link_vars(file, watchable, chosen)?;
    file.close_scope()?;
    file.begin()?;
    Ok(DeclaredVars {
        time,
        shared,
        nodes,
        links,
    })
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

/// Declares signals of one instance. Each net is declared once, and its other names are aliases.
fn instance(
    file: &mut dyn WaveFormat,
    name: &str,
    (signals, nets): (&[NamedSignal], &[NetId]),
    positions: &[usize],
) -> Result<Vec<(usize, SignalVar)>, WaveError> {
    file.open_scope(name)?;
    let mut open: &[String] = &[];
    let mut known: HashMap<NetId, (Var, Option<Var>)> = HashMap::new();
    let mut followers = vec![];
    for &position in positions {
        let signal = &signals[position];
        let common = open
            .iter()
            .zip(&signal.scopes)
            .take_while(|(a, b)| a == b)
            .count();
        for _ in common..open.len() {
            file.close_scope()?;
        }
        for scope in &signal.scopes[common..] {
            file.open_scope(scope)?;
        }
        open = &signal.scopes;
        let in_words = format!("{}_text", signal.name);
        if let Some((var, text)) = known.get(&nets[position]) {
            file.alias(&signal.name, *var)?;
            if let Some(text) = text {
                file.alias(&in_words, *text)?;
            }
            continue;
        }
        let var = file.bits(&signal.name, signal.ty.width())?;
        let text = match &signal.ty {
            Type::Enum(ty) => {
                let longest = ty.variants.iter().map(String::len).max().unwrap_or(1);
                Some((file.text(&in_words, longest)?, ty.clone()))
            }
            _ => None,
        };
        let in_words = text.as_ref().map(|(var, _)| *var);
        known.insert(nets[position], (var, in_words));
        let follower = SignalVar {
            var,
            text,
            last: None,
        };
        followers.push((position, follower));
    }
    for _ in 0..=open.len() {
        file.close_scope()?;
    }
    Ok(followers)
}

impl TimeVars {
    fn declare(file: &mut dyn WaveFormat, steps: &Steps) -> Result<Self, WaveError> {
        file.open_scope("schedule")?;
        let step = steps.name.variable();
        let time = match &steps.period {
            None => TimeVars {
                step: file.bits(&step, COUNTER_BITS)?,
                period: None,
            },
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
    pub fn record(&self, moment: SimTime, steps: &Steps, pending: &mut Vec<(u64, Var, WaveValue)>) {
        let SimTime { clock, t, .. } = moment;
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
    pub fn has_late_signals(&self) -> bool {
        self.0.iter().any(|(_, signal, _)| signal.late)
    }

    /// Values of the late signals while they are unknown.
    pub fn unknown_values(&self) -> impl Iterator<Item = (Var, WaveValue)> + '_ {
        let late = self.0.iter().filter(|(_, signal, _)| signal.late);
        late.map(|(_, signal, var)| (*var, signal.unknown_value()))
    }
}
