//! Sorts the nets of a draft topologically, or finds a loop that prevents it.

use super::super::{Net, NetId, NetOp};
use super::draft::{DraftSource, NetDraft};

/// Nets that the roots depend on, in topological order.
pub(super) struct Sorted {
    pub nets: Vec<Net>,
    /// New id of each net of the draft, if a root depends on it.
    new_ids: Vec<Option<NetId>>,
}

impl Sorted {
    /// Returns the new id of a net of the draft. A root must depend on the net.
    pub fn net(&self, old: NetId) -> NetId {
        self.new_ids[old.index()].expect("a net that matters")
    }

    /// Groups nets by level and, within a level, by kind of operation. An engine then executes the
    /// same operation many times in a row, which a processor predicts well.
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

/// Sorts the nets that the roots depend on and resolves placeholders. If there is a loop, the error
/// lists its nets: each depends on the next and the last on the first.
pub(super) fn sort(draft: &NetDraft, roots: &[NetId]) -> Result<Sorted, Vec<NetId>> {
    let mut search = DepthFirstSearch {
        draft,
        state: vec![VisitState::New; draft.len()],
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
        sorted.new_ids[id.index()] = Some(match resolve_net(draft, id) {
            ResolvedNet::Same(other) => sorted.net(other),
            ResolvedNet::Op(op) => {
                let op = op.map(|operand| sorted.net(operand));
                let width = draft.width(id);
                sorted.nets.push(Net { op, width });
                NetId(sorted.nets.len() as u32 - 1)
            }
        });
    }
    Ok(sorted.by_level())
}

/// A net after all placeholders are filled.
enum ResolvedNet {
    Same(NetId),
    Op(NetOp),
}

fn resolve_net(draft: &NetDraft, id: NetId) -> ResolvedNet {
    match draft.source(id) {
        DraftSource::Placeholder(target) => {
            ResolvedNet::Same(target.expect("every instance is made"))
        }
        DraftSource::Op(NetOp::Slice { value, offset }) => {
            let width = draft.width(id);
            let (value, offset) = *trace(draft, *value, *offset, width)
                .last()
                .expect("a start");
            match width == draft.width(value) {
                true => ResolvedNet::Same(value),
                false => ResolvedNet::Op(NetOp::Slice { value, offset }),
            }
        }
        DraftSource::Op(op) => ResolvedNet::Op(op.clone()),
    }
}

/// Follows the `width` bits from `offset` up to their source, through concatenations and
/// placeholders. A wire in a bundle then depends only on itself. Returns all nets on the path, the
/// start first.
fn trace(draft: &NetDraft, value: NetId, offset: u32, width: u32) -> Vec<(NetId, u32)> {
    let mut stops = vec![(value, offset)];
    loop {
        let (value, offset) = stops[stops.len() - 1];
        let next = match draft.source(value) {
            DraftSource::Placeholder(target) => target.map(|target| (target, offset)),
            DraftSource::Op(NetOp::Slice {
                value,
                offset: inner,
            }) => Some((*value, inner + offset)),
            DraftSource::Op(NetOp::Concat(parts)) => draft.part(parts, offset, width),
            DraftSource::Op(_) => None,
        };
        match next {
            None => return stops,
            // The wire forms a loop, which the search reports.
            Some(_) if stops.len() > draft.len() => return vec![stops[0]],
            Some(next) => stops.push(next),
        }
    }
}

#[derive(Clone, Copy, PartialEq)]
enum VisitState {
    New,
    /// The dependences of the net are being visited.
    Open,
    Done,
}

/// Depth-first search, without recursion because circuits may be deep.
struct DepthFirstSearch<'a> {
    draft: &'a NetDraft,
    state: Vec<VisitState>,
    /// Visited nets. Dependences come before their users.
    done: Vec<NetId>,
}

impl DepthFirstSearch<'_> {
    fn visit(&mut self, root: NetId) -> Result<(), Vec<NetId>> {
        let mut path: Vec<(NetId, Vec<NetId>)> = vec![];
        let mut next = Some(root);
        loop {
            if let Some(id) = next {
                match self.state[id.index()] {
                    VisitState::Done => {}
                    VisitState::Open => return Err(self.loop_nets(&path, id)),
                    VisitState::New => {
                        self.state[id.index()] = VisitState::Open;
                        path.push((id, self.operands(id)));
                    }
                }
            }
            let Some((id, operands)) = path.last_mut() else {
                return Ok(());
            };
            next = operands.pop();
            if next.is_none() {
                self.state[id.index()] = VisitState::Done;
                self.done.push(*id);
                path.pop();
            }
        }
    }

    /// Returns the operands in reverse order because they are popped.
    fn operands(&self, id: NetId) -> Vec<NetId> {
        match resolve_net(self.draft, id) {
            ResolvedNet::Same(other) => vec![other],
            ResolvedNet::Op(op) => op.operands().into_iter().rev().collect(),
        }
    }

    /// Returns the path from `first` to its end, and the nets that its slices skip, so that all
    /// names on the loop are found.
    fn loop_nets(&self, path: &[(NetId, Vec<NetId>)], first: NetId) -> Vec<NetId> {
        let mut loop_nets = vec![];
        for &(id, _) in path.iter().skip_while(|(id, _)| *id != first) {
            loop_nets.push(id);
            if let DraftSource::Op(NetOp::Slice { value, offset }) = self.draft.source(id) {
                let stops = trace(self.draft, *value, *offset, self.draft.width(id));
                loop_nets.extend(stops.iter().map(|(value, _)| *value));
            }
        }
        loop_nets
    }
}
