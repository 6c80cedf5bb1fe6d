//! Puts the nets of a draft in order, or finds the loop that forbids it.

use super::super::{Net, NetId, Op};
use super::draft::{Draft, Source};

/// The nets that some roots depend on, in topological order.
pub(super) struct Sorted {
    pub nets: Vec<Net>,
    /// The new id of a net of the draft.
    new_ids: Vec<Option<NetId>>,
}

impl Sorted {
    /// The new id of a net of the draft that a root depends on.
    pub fn net(&self, old: NetId) -> NetId {
        self.new_ids[old.index()].expect("a net that matters")
    }

    /// Puts nets with equally many operations before them together, and among
    /// those the ones of one kind: an engine that goes through the list then
    /// does the same many times in a row, which a processor predicts well.
    fn by_level(self) -> Self {
        let mut levels: Vec<u32> = vec![];
        for net in &self.nets {
            let operands = net.op.operands().into_iter();
            let below = operands.map(|operand| levels[operand.index()] + 1);
            levels.push(below.max().unwrap_or(0));
        }
        let mut order: Vec<usize> = (0..self.nets.len()).collect();
        order.sort_by_key(|&i| (levels[i], &self.nets[i].op));

        let mut moved = vec![NetId(0); order.len()];
        for (new, &old) in order.iter().enumerate() {
            moved[old] = NetId(new as u32);
        }
        let net = |&old: &usize| Net {
            op: self.nets[old].op.clone().map(|id| moved[id.index()]),
            width: self.nets[old].width,
        };
        let new_ids = self.new_ids.iter().map(|id| id.map(|id| moved[id.index()]));
        Sorted {
            nets: order.iter().map(net).collect(),
            new_ids: new_ids.collect(),
        }
    }
}

/// Sorts the nets that the roots depend on and does away with placeholders. If
/// that is impossible, the nets on a loop come back: each depends on the next
/// and the last on the first.
pub(super) fn sort(draft: &Draft, roots: &[NetId]) -> Result<Sorted, Vec<NetId>> {
    let mut search = Search {
        draft,
        state: vec![State::New; draft.len()],
        done: vec![],
    };
    for &root in roots {
        search.visit(root)?;
    }
    let mut sorted = Sorted {
        nets: vec![],
        new_ids: vec![None; draft.len()],
    };
    for id in search.done {
        sorted.new_ids[id.index()] = Some(match form(draft, id) {
            Form::Same(other) => sorted.net(other),
            Form::Op(op) => {
                let op = op.map(|operand| sorted.net(operand));
                let width = draft.width(id);
                sorted.nets.push(Net { op, width });
                NetId(sorted.nets.len() as u32 - 1)
            }
        });
    }
    Ok(sorted.by_level())
}

/// What a net is when all placeholders are filled.
enum Form {
    Same(NetId),
    Op(Op),
}

fn form(draft: &Draft, id: NetId) -> Form {
    match draft.source(id) {
        Source::Placeholder(target) => Form::Same(target.expect("every instance is made")),
        Source::Op(Op::Slice { value, offset }) => {
            let width = draft.width(id);
            let (value, offset) = *trace(draft, *value, *offset, width)
                .last()
                .expect("a start");
            match width == draft.width(value) {
                true => Form::Same(value),
                false => Form::Op(Op::Slice { value, offset }),
            }
        }
        Source::Op(op) => Form::Op(op.clone()),
    }
}

/// Follows the `width` bits from `offset` up to where they come from, through
/// words put together from parts and through placeholders: only so a wire in a
/// bundle depends on nothing but itself. All stops on the way, the start first.
fn trace(draft: &Draft, value: NetId, offset: u32, width: u32) -> Vec<(NetId, u32)> {
    let mut stops = vec![(value, offset)];
    loop {
        let (value, offset) = stops[stops.len() - 1];
        let next = match draft.source(value) {
            Source::Placeholder(target) => target.map(|target| (target, offset)),
            Source::Op(Op::Slice {
                value,
                offset: inner,
            }) => Some((*value, inner + offset)),
            Source::Op(Op::Concat(parts)) => draft.part(parts, offset, width),
            Source::Op(_) => None,
        };
        match next {
            None => return stops,
            // The wire runs in a circle; the search will find that.
            Some(_) if stops.len() > draft.len() => return vec![stops[0]],
            Some(next) => stops.push(next),
        }
    }
}

#[derive(Clone, Copy, PartialEq)]
enum State {
    New,
    /// What it depends on is being visited.
    Open,
    Done,
}

/// A depth-first search, without recursion since circuits may be deep.
struct Search<'a> {
    draft: &'a Draft,
    state: Vec<State>,
    /// What a net depends on stands before it.
    done: Vec<NetId>,
}

impl Search<'_> {
    fn visit(&mut self, root: NetId) -> Result<(), Vec<NetId>> {
        let mut path: Vec<(NetId, Vec<NetId>)> = vec![];
        let mut next = Some(root);
        loop {
            if let Some(id) = next {
                match self.state[id.index()] {
                    State::Done => {}
                    State::Open => return Err(self.circle(&path, id)),
                    State::New => {
                        self.state[id.index()] = State::Open;
                        path.push((id, self.operands(id)));
                    }
                }
            }
            let Some((id, operands)) = path.last_mut() else {
                return Ok(());
            };
            next = operands.pop();
            if next.is_none() {
                self.state[id.index()] = State::Done;
                self.done.push(*id);
                path.pop();
            }
        }
    }

    /// In reverse, for they are popped.
    fn operands(&self, id: NetId) -> Vec<NetId> {
        match form(self.draft, id) {
            Form::Same(other) => vec![other],
            Form::Op(op) => op.operands().into_iter().rev().collect(),
        }
    }

    /// The end of the path from `first` on, and what its slices skipped, so that
    /// no name on the loop is missing.
    fn circle(&self, path: &[(NetId, Vec<NetId>)], first: NetId) -> Vec<NetId> {
        let mut circle = vec![];
        for &(id, _) in path.iter().skip_while(|(id, _)| *id != first) {
            circle.push(id);
            if let Source::Op(Op::Slice { value, offset }) = self.draft.source(id) {
                let stops = trace(self.draft, *value, *offset, self.draft.width(id));
                circle.extend(stops.iter().map(|(value, _)| *value));
            }
        }
        circle
    }
}
