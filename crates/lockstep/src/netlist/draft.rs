//! Netlist under construction, with wiring kept apart from logic, and its topological order.

use super::{MemoryWrite, Name, Net, NetId, NetNames, NetOp, Netlist, NetlistMemory, Register};
use num_bigint::BigUint;
use num_traits::{ToPrimitive, Zero};
use std::collections::HashMap;

/// Nets under construction, in no particular order, with placeholders among them.
///
/// Moving bits to constant positions is only wiring. The methods keep it apart from logic:
/// selecting a part of a concatenated word returns that part itself. In a bundle of wires, the
/// wires to a block therefore do not depend on the wires from it.
///
/// Ids refer to the draft. [`NetDraft::finish`] replaces them.
///
/// ```
/// use lockstep::design::Type;
/// use lockstep::eval::Evaluator;
/// use lockstep::netlist::{DraftParts, Name, NetDraft, NetOp, Register};
///
/// // A register that counts clock cycles.
/// let mut draft = NetDraft::default();
/// let count = draft.net(NetOp::Register(0), 8);
/// let one = draft.constant(1u8.into(), 8);
/// let next = draft.net(NetOp::Add(count, one), 8);
/// let name = |path: &str, net| Name { path: path.into(), net, ty: Type::Bits(8) };
/// let parts = DraftParts {
///     outputs: vec![name("count", count)],
///     registers: vec![Register { name: "count".into(), d: next, q: count, init: 5u8.into() }],
///     ..DraftParts::default()
/// };
/// let mut evaluator = Evaluator::new(draft.finish(parts).unwrap());
/// evaluator.clock();
/// let count = evaluator.netlist().output("count").unwrap();
/// assert_eq!(evaluator.get(count), 6);
/// ```
#[derive(Default)]
pub struct NetDraft {
    nets: Vec<(DraftSource, u32)>,
    /// Existing nets. The same operation on the same operands is the same net.
    known: HashMap<(NetOp, u32), NetId>,
}

enum DraftSource {
    Op(NetOp),
    /// Alias of another net, which is known when the draft is complete.
    Placeholder(Option<NetId>),
}

impl NetDraft {
    fn len(&self) -> usize {
        self.nets.len()
    }

    /// Returns the width of a net in bits.
    pub fn width(&self, id: NetId) -> u32 {
        self.nets[id.index()].1
    }

    fn source(&self, id: NetId) -> &DraftSource {
        &self.nets[id.index()].0
    }

    fn add(&mut self, source: DraftSource, width: u32) -> NetId {
        debug_assert!(width > 0);
        self.nets.push((source, width));
        NetId(self.nets.len() as u32 - 1)
    }

    /// Adds a net. The same operation on the same operands is the same net.
    pub fn net(&mut self, op: NetOp, width: u32) -> NetId {
        if let Some(&net) = self.known.get(&(op.clone(), width)) {
            return net;
        }
        let net = self.add(DraftSource::Op(op.clone()), width);
        self.known.insert((op, width), net);
        net
    }

    /// Adds a net whose operation is not yet known. [`Self::fill`] must be called for it.
    pub fn placeholder(&mut self, width: u32) -> NetId {
        self.add(DraftSource::Placeholder(None), width)
    }

    /// Sets the net for which a placeholder stands.
    pub fn fill(&mut self, placeholder: NetId, with: NetId) {
        debug_assert_eq!(self.width(placeholder), self.width(with));
        self.nets[placeholder.index()].0 = DraftSource::Placeholder(Some(with));
    }

    /// Adds a constant. The value must fit the width.
    pub fn constant(&mut self, value: BigUint, width: u32) -> NetId {
        debug_assert!(value.bits() <= width.into());
        self.net(NetOp::Const(value), width)
    }

    /// Adds the constant zero.
    pub fn zero(&mut self, width: u32) -> NetId {
        self.constant(BigUint::zero(), width)
    }

    /// Returns the value of a net if it is a constant.
    fn value(&self, id: NetId) -> Option<&BigUint> {
        match self.source(id) {
            DraftSource::Op(NetOp::Const(value)) => Some(value),
            _ => None,
        }
    }

    /// Returns the bits of `value` from `offset` up. All of them must exist.
    pub fn slice(&mut self, value: NetId, offset: u32, width: u32) -> NetId {
        debug_assert!(offset + width <= self.width(value));
        if width == self.width(value) {
            return value;
        }
        match self.source(value) {
            DraftSource::Op(NetOp::Const(bits)) => {
                let mask = (BigUint::from(1u8) << width) - 1u8;
                self.constant((bits >> offset) & mask, width)
            }
            DraftSource::Op(NetOp::Slice { value, offset: inner }) => {
                self.slice(*value, inner + offset, width)
            }
            DraftSource::Op(NetOp::Concat(parts)) => match self.part(parts, offset, width) {
                Some((part, offset)) => self.slice(part, offset, width),
                None => self.net(NetOp::Slice { value, offset }, width),
            },
            _ => self.net(NetOp::Slice { value, offset }, width),
        }
    }

    /// Returns the part that holds all of these bits, and their offset in it.
    fn part(&self, parts: &[NetId], mut offset: u32, width: u32) -> Option<(NetId, u32)> {
        for &part in parts {
            let part_width = self.width(part);
            if offset < part_width {
                return (offset + width <= part_width).then_some((part, offset));
            }
            offset -= part_width;
        }
        None
    }

    /// Returns the pieces that make up these bits of `value`, least significant first. The list is
    /// empty if `width` is zero.
    fn pieces(&mut self, value: NetId, offset: u32, width: u32) -> Vec<NetId> {
        let parts = match self.source(value) {
            DraftSource::Op(NetOp::Concat(parts)) => parts.clone(),
            _ => vec![value],
        };
        let (mut pieces, end, mut start) = (vec![], offset + width, 0);
        for part in parts {
            let part_width = self.width(part);
            let (low, high) = (offset.max(start), end.min(start + part_width));
            if low < high {
                pieces.push(self.slice(part, low - start, high - low));
            }
            start += part_width;
        }
        pieces
    }

    /// Concatenates at least one word, least significant first.
    pub fn concat(&mut self, parts: Vec<NetId>) -> NetId {
        if let [only] = parts[..] {
            return only;
        }
        let width = parts.iter().map(|&part| self.width(part)).sum();
        self.net(NetOp::Concat(parts), width)
    }

    /// Returns `base` with the bits from `offset` up replaced by `value`.
    pub fn splice(&mut self, base: NetId, offset: u32, value: NetId) -> NetId {
        let end = offset + self.width(value);
        let mut parts = self.pieces(base, 0, offset);
        parts.push(value);
        parts.extend(self.pieces(base, end, self.width(base) - end));
        self.concat(parts)
    }

    /// Truncates or zero-extends a word.
    pub fn resize(&mut self, value: NetId, width: u32) -> NetId {
        let old = self.width(value);
        if width <= old {
            return self.slice(value, 0, width);
        }
        let mut parts = self.pieces(value, 0, old);
        parts.push(self.zero(width - old));
        self.concat(parts)
    }

    /// Shifts a word to the left by a word of any width.
    pub fn shl(&mut self, value: NetId, by: NetId) -> NetId {
        let width = self.width(value);
        match self.value(by).map(|by| by.to_u32().unwrap_or(u32::MAX)) {
            None => self.net(NetOp::Shl(value, by), width),
            Some(0) => value,
            Some(by) if by >= width => self.zero(width),
            Some(by) => {
                let mut parts = vec![self.zero(by)];
                parts.extend(self.pieces(value, 0, width - by));
                self.concat(parts)
            }
        }
    }

    /// Shifts a word to the right by a word of any width.
    pub fn shr(&mut self, value: NetId, by: NetId) -> NetId {
        let width = self.width(value);
        match self.value(by).map(|by| by.to_u32().unwrap_or(u32::MAX)) {
            None => self.net(NetOp::Shr(value, by), width),
            Some(0) => value,
            Some(by) if by >= width => self.zero(width),
            Some(by) => {
                let mut parts = self.pieces(value, by, width - by);
                parts.push(self.zero(by));
                self.concat(parts)
            }
        }
    }

    /// Selects one bit of a word. Every value of `index` must be below the width of `value`.
    pub fn bit_at(&mut self, value: NetId, index: NetId) -> NetId {
        match self.value(index).and_then(|index| index.to_u32()) {
            Some(index) => self.slice(value, index, 1),
            None => self.net(NetOp::BitAt { value, index }, 1),
        }
    }

    /// Replaces one bit of a word. Every value of `index` must be below the width of `value`.
    pub fn replace_bit(&mut self, value: NetId, index: NetId, bit: NetId) -> NetId {
        match self.value(index).and_then(|index| index.to_u32()) {
            Some(index) => self.splice(value, index, bit),
            None => {
                let width = self.width(value);
                self.net(NetOp::ReplaceBit { value, index, bit }, width)
            }
        }
    }

    /// Selects one of two words of the same width by a one-bit condition.
    pub fn mux(&mut self, cond: NetId, then: NetId, otherwise: NetId) -> NetId {
        if then == otherwise {
            return then;
        }
        let width = self.width(then);
        self.net(NetOp::Mux { cond, then, otherwise }, width)
    }
}

/// Ports, state and names of a netlist under construction, with the ids of its [`NetDraft`].
#[derive(Default)]
pub struct DraftParts {
    /// Input ports, in the order of [`NetOp::Input`].
    pub inputs: Vec<Name>,
    pub outputs: Vec<Name>,
    /// Registers, in the order of [`NetOp::Register`].
    pub registers: Vec<Register>,
    /// Memories, in the order of [`NetOp::Memory`].
    pub memories: Vec<NetlistMemory>,
    /// Names of nets. The same net may occur twice with the same path.
    pub names: Vec<Name>,
}

/// Reason why a draft is no netlist.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DraftError {
    /// A combinational loop: the names of the nets in the direction of the dependence, with all
    /// names of a net together. Nets without a name are absent.
    #[error(
        "combinational loop through {}: they depend on themselves; accepted: a register somewhere \
         in the loop",
        .0.join(", ")
    )]
    Loop(Vec<String>),
    /// Two different nets have the same name.
    #[error("two different signals are called {0}; rename one of them or its instance")]
    SameName(String),
}

impl NetDraft {
    /// Sorts the required nets topologically and builds the netlist.
    ///
    /// # Errors
    /// If there is a combinational loop, or two nets have the same name.
    pub fn finish(&self, parts: DraftParts) -> Result<Netlist, DraftError> {
        let named = parts.inputs.iter().chain(&parts.names);
        let mut roots: Vec<NetId> = named.chain(&parts.outputs).map(|name| name.net).collect();
        roots.extend(parts.registers.iter().flat_map(|r| [r.d, r.q]));
        for memory in &parts.memories {
            roots.extend([memory.read_address, memory.read_data]);
            let write = memory.write.iter();
            roots.extend(write.flat_map(|write| [write.address, write.data, write.enable]));
        }
        let sorted = sort(self, &roots)
            .map_err(|nets| DraftError::Loop(names_of_loop(&parts.names, &nets)))?;
        let net = |id: NetId| sorted.net(id);
        let placed = |name: Name| Name { net: net(name.net), ..name };
        let mut names = NetNames::default();
        for name in parts.names {
            names.add(placed(name)).map_err(DraftError::SameName)?;
        }
        let registers = parts.registers.into_iter().map(|register| Register {
            d: net(register.d),
            q: net(register.q),
            ..register
        });
        let memories = parts.memories.into_iter().map(|memory| NetlistMemory {
            read_address: net(memory.read_address),
            read_data: net(memory.read_data),
            write: memory.write.map(|write| MemoryWrite {
                address: net(write.address),
                data: net(write.data),
                enable: net(write.enable),
                ..write
            }),
            ..memory
        });
        Ok(Netlist {
            registers: registers.collect(),
            memories: memories.collect(),
            inputs: parts.inputs.into_iter().map(placed).collect(),
            outputs: parts.outputs.into_iter().map(placed).collect(),
            names,
            nets: sorted.nets,
        })
    }
}

/// Returns the names of the nets on a loop.
fn names_of_loop(names: &[Name], nets: &[NetId]) -> Vec<String> {
    let mut found: Vec<String> = vec![];
    for net in nets {
        for Name { path, .. } in names.iter().filter(|name| name.net == *net) {
            if !found.contains(path) {
                found.push(path.clone());
            }
        }
    }
    found
}

// Sorts the nets of a draft topologically, or finds a loop that prevents it.

/// Nets that the roots depend on, in topological order.
struct Sorted {
    nets: Vec<Net>,
    /// New id of each net of the draft, if a root depends on it.
    new_ids: Vec<Option<NetId>>,
}

impl Sorted {
    /// Returns the new id of a net of the draft. A root must depend on the net.
    fn net(&self, old: NetId) -> NetId {
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
        Sorted { nets: order.iter().map(net).collect(), new_ids: new_ids.collect() }
    }
}

/// Sorts the nets that the roots depend on and resolves placeholders. If there is a loop, the error
/// lists its nets: each depends on the next and the last on the first.
fn sort(draft: &NetDraft, roots: &[NetId]) -> Result<Sorted, Vec<NetId>> {
    let mut search =
        DepthFirstSearch { draft, state: vec![VisitState::New; draft.len()], done: vec![] };
    for &root in roots {
        search.visit(root)?;
    }
    let mut sorted = Sorted { nets: vec![], new_ids: vec![None; draft.len()] };
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
            let (value, offset) = *trace(draft, *value, *offset, width).last().expect("a start");
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
            DraftSource::Op(NetOp::Slice { value, offset: inner }) => {
                Some((*value, inner + offset))
            }
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
