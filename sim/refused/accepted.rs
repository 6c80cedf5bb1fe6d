//! Legal blocks that a purely syntactic translation would get wrong.

use crate::refused::blocks::assert_agrees;
use hdl::lower::Word;
use hdl::prelude::*;
use lockstep::eval::Evaluator;
use lockstep::netlist::flatten;

block! {
    Names { a: Signal<In, Bits<4>>, b: Signal<In, Bits<4>>, o: Signal<Out, Bits<4>>, p: Signal<Out, Bits<4>>, clock: Signal<In, Clock>, subject: Reg<Bits<4>> }
    fn update(&mut self) {
        dff_setup!(self, clock, subject);
        // Names that the translation uses itself, shadowed repeatedly.
        let branch = self.a.val();
        let arms = branch + 1;
        let subject = arms ^ self.b.val();
        let s = subject;
        let w = s - self.subject.q.val();
        let a = w;
        let a = a + a;
        self.subject.d.next = a;
        self.p.next = 0.into();
        if branch == arms - 1 && w != 3 {
            let a = self.b.val();
            let arms = a + arms;
            match arms.index() {
                0 | 5 if subject == a => self.p.next = arms,
                1 => {
                    let subject = arms + subject;
                    self.p.next = subject;
                }
                _ => self.p.next = a,
            }
        }
        self.o.next = a;
        for a in 0..2_u64 {
            for a in a..2 * a + 1 {
                self.o.next = self.o.val() + a;
            }
            self.o.next = self.o.val() ^ a;
        }
    }
}

#[test]
fn names_mean_what_they_mean_in_rust() {
    assert_agrees(Names::default);
}

/// The operands are groups without parentheses, and the `let` of the macro differs from the one of
/// its caller.
macro_rules! grouped {
    ($name:ident, $this:ident, $e:expr, $f:expr, $x:ident) => {
        #[derive(LogicBlock, Circuit, Default)]
        pub struct $name {
            pub a: Signal<In, Bits<4>>,
            pub b: Signal<In, Bits<4>>,
            pub o: Signal<Out, Bits<4>>,
            pub p: Signal<Out, Bit>,
        }

        impl Logic for $name {
            #[kernel]
            fn update(&mut $this) {
                let x = $this.a.val() + 3;
                let $x = $this.b.val();
                $this.o.next = $e & $f ^ x;
                $this.p.next = (!$e == $f) ^ ($e).all();
            }
        }
    };
}

grouped!(Grouped, self, self.a.val() | self.b.val(), x - 1, x);

#[test]
fn macros_keep_their_groups_and_names() {
    assert_agrees(Grouped::default);
}

/// The driven signals depend on values known at generation.
#[derive(LogicBlock, Circuit)]
pub struct Driven<const N: usize> {
    pub a: Signal<In, Bits<2>>,
    pub o: [Signal<Out, Bits<2>>; N],
    pub p: [Signal<Out, Bits<2>>; 2],
    pub q: Signal<Out, Bit>,
    both: Constant<bool>,
}

impl<const N: usize> Driven<N> {
    fn new(both: bool) -> Self {
        Driven {
            a: Signal::default(),
            o: std::array::from_fn(|_| Signal::default()),
            p: Default::default(),
            q: Signal::default(),
            both: Constant::new(both),
        }
    }
}

impl<const N: usize> Logic for Driven<N> {
    #[kernel]
    fn update(&mut self) {
        let number = self.a.val();
        let last = N - 1;
        let none = last + 1 - N;
        for number in none..last {
            if number + 1 < N {
                self.o[number + 1].next = self.a.val() ^ number as u64;
            } else {
                self.o[number + N].next = self.a.val();
            }
        }
        self.o[none].next = number;
        self.q.next = false;
        match number.index() {
            0 => self.p[0].next = number,
            1 if self.q.val() || self.a.val() == 1 => self.p[0].next = number + 1,
            _ => self.p[0].next = 3.into(),
        }
        match self.both.val() {
            true => {
                self.p[1].next = number + 1;
                self.q.next = number.any();
            }
            false if number == 2 => self.q.next = true,
            false => {}
        }
    }
}

#[test]
fn driven_elements_are_those_driven_in_rust() {
    assert_agrees(|| Driven::<3>::new(true));
    let mut block = Driven::<3>::new(false);
    block.connect_all();
    let open: Vec<bool> = block.p.iter().map(|p| !p.connected()).collect();
    assert_eq!(open, [false, true]);
    assert!(block.o.iter().all(|o| o.connected()) && block.q.connected());
}

/// Sequential reads of a signal that is assigned several times.
#[derive(LogicBlock, Circuit, Default)]
pub struct Sequence {
    pub a: Signal<In, Bits<4>>,
    pub o: Signal<Out, Bits<4>>,
    pub p: Signal<Out, Bits<4>>,
    t: Signal<Local, Bits<4>>,
}

impl Logic for Sequence {
    #[kernel]
    fn update(&mut self) {
        self.t.next = self.a.val();
        let before = self.t.val();
        self.o.next = self.t.val();
        self.t.next = self.t.val() + 1;
        if self.t.val() == 0 {
            self.t.next = before ^ 9;
            self.o.next = self.o.val() - self.t.val();
        }
        self.p.next = before + self.t.val() + self.o.val();
    }
}

/// Variables that are read, assigned in branches and loops, shadowed, and reset.
#[derive(LogicBlock, Circuit)]
pub struct Variables {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub a: Signal<In, Bits<4>>,
    pub o: Signal<Out, Bits<4>>,
    pub p: Signal<Out, Bits<4>>,
    pub q: Signal<Out, Bits<4>>,
    kept: Reg<Bits<4>>,
    free: Reg<Bits<4>>,
}

impl Default for Variables {
    fn default() -> Self {
        Variables {
            clock: Signal::default(),
            reset: Signal::default(),
            a: Signal::default(),
            o: Signal::default(),
            p: Signal::default(),
            q: Signal::default(),
            kept: Reg::new(11.into()),
            free: Reg::default(),
        }
    }
}

impl Logic for Variables {
    #[kernel]
    fn update(&mut self) {
        dff_setup!(self, clock, kept, free);
        let mut x = bits::<4>(3);
        let before = x;
        let mut ones: Bits<4> = 0.into();
        for i in 0..4 {
            if self.a.val().get_bit(i) {
                ones = ones + 1;
                let mut x = ones + before;
                if self.free.q.val() > 7 {
                    x = x ^ 5;
                }
                self.kept.d.next = self.kept.q.val() + x;
            } else {
                x = x + ones;
            }
        }
        self.o.next = before + ones;
        match ones.index() {
            0 | 4 => x = x + 1,
            1 if x > 4 => x = self.a.val(),
            _ => {}
        }
        let ones = x;
        x = !x;
        self.p.next = ones ^ self.kept.q.val();
        self.q.next = x + self.free.q.val();
        self.free.d.next = self.free.q.val() + ones;
        reset!(self, reset, kept);
    }
}

#[test]
fn variables_and_resets_mean_what_they_mean_in_rust() {
    assert_agrees(Variables::default);
    let mut circuit = Evaluator::new(flatten(&lower(&Variables::default()).unwrap()).unwrap());
    let netlist = circuit.netlist().clone();
    let (a, reset) = (netlist.input("a").unwrap(), netlist.input("reset").unwrap());
    let [kept, free] = ["kept.q", "free.q"].map(|name| netlist.names.get(name).unwrap().net);
    circuit.set(a, 7);
    circuit.clock();
    assert_ne!(circuit.get(kept), 11);
    let other = circuit.get(free);
    circuit.set(reset, 1);
    circuit.clock();
    assert_eq!(circuit.get(kept), 11);
    assert_ne!(circuit.get(free), other);
}

#[test]
fn reads_are_in_source_order() {
    assert_agrees(Sequence::default);
}

#[derive(Clone, Debug, Default, LogicInterface)]
pub struct NestedInterface {
    pub data: Signal<Out, Bits<4>>,
    pub more: DeeperInterface,
}

#[derive(Clone, Debug, Default, LogicInterface)]
pub struct DeeperInterface {
    pub data: Signal<Out, Bits<4>>,
}

/// Namespaces, with the same names inside and around them.
#[derive(LogicBlock, Circuit, Default)]
pub struct Spaces {
    pub data: Signal<In, Bits<4>>,
    pub more: Signal<Out, Bits<4>>,
    bus: [NestedInterface; 2],
    deeper: DeeperInterface,
}

impl Logic for Spaces {
    #[kernel]
    fn update(&mut self) {
        self.deeper.data.next = self.data.val() + 1;
        for i in 0..2 {
            self.bus[i].data.next = self.data.val() ^ bits::<4>(3 * i as u64);
            self.bus[i].more.data.next = self.bus[i].data.val() + self.deeper.data.val();
        }
        self.more.next = self.bus[0].more.data.val() - self.bus[1].more.data.val();
    }
}

/// A wrapper, because an engine has no names for ports in interfaces.
#[derive(LogicBlock, Circuit, Default)]
pub struct HasSpaces {
    pub a: Signal<In, Bits<4>>,
    pub o: Signal<Out, Bits<4>>,
    pub p: Signal<Out, Bits<4>>,
    spaces: Spaces,
}

impl Logic for HasSpaces {
    #[kernel]
    fn update(&mut self) {
        self.spaces.data.next = self.a.val();
        self.o.next = self.spaces.more.val() ^ self.spaces.deeper.data.val();
        self.p.next = self.spaces.bus[1].data.val() + self.spaces.bus[0].more.data.val();
    }
}

#[test]
fn interfaces_are_namespaces() {
    assert_agrees(HasSpaces::default);
}

/// A step of generic type, by its parameters and by its own constant.
#[derive(LogicBlock, Circuit, Clone, Debug)]
pub struct GenericStep<T: Word, const N: usize> {
    pub clock: Signal<In, Clock>,
    pub i: Signal<In, T>,
    pub o: Signal<Out, T>,
    pub n: Signal<Out, Bits<8>>,
    last: Reg<T>,
    k: Constant<Bits<8>>,
}

impl<T: Word, const N: usize> GenericStep<T, N> {
    const OFFSET: u64 = 2 * N as u64;

    fn new(k: u64) -> Self {
        GenericStep {
            clock: Default::default(),
            i: Default::default(),
            o: Default::default(),
            n: Default::default(),
            last: Default::default(),
            k: Constant::new(bits(k)),
        }
    }
}

impl<T: Word, const N: usize> Logic for GenericStep<T, N> {
    #[kernel]
    fn update(&mut self) {
        dff_setup!(self, clock, last);
        self.last.d.next = self.i.val();
        self.o.next = self.last.q.val();
        if self.k.val() == 3 {
            self.o.next = T::default();
        }
        self.n.next = self.k.val() + Self::OFFSET;
    }
}

/// Copies of blocks, whose signals have the same ids but whose constants differ.
#[derive(LogicBlock, Circuit)]
pub struct BlockCopies {
    pub clock: Signal<In, Clock>,
    pub a: Signal<In, Bits<4>>,
    pub o: Signal<Out, Bits<4>>,
    pub n: Signal<Out, Bits<8>>,
    steps: Vec<GenericStep<Bits<4>, 5>>,
    flag: GenericStep<bool, 7>,
}

impl Default for BlockCopies {
    fn default() -> Self {
        let mut steps = vec![GenericStep::new(4); 2];
        steps.push(GenericStep::new(3));
        steps.push(steps[0].clone());
        BlockCopies {
            clock: Default::default(),
            a: Default::default(),
            o: Default::default(),
            n: Default::default(),
            steps,
            flag: GenericStep::new(3),
        }
    }
}

impl Logic for BlockCopies {
    #[kernel]
    fn update(&mut self) {
        clock!(self, clock, flag);
        self.flag.i.next = self.a.val().any();
        for i in 0..self.steps.len() {
            self.steps[i].clock.next = self.clock.val();
            self.steps[i].i.next = if i == 0 || i == 3 {
                self.a.val() + bits::<4>(i as u64)
            } else {
                self.steps[i - 1].o.val()
            };
        }
        self.o.next = (self.steps[1].o.val() + self.steps[2].o.val()) ^ self.steps[3].o.val();
        self.n.next = self.steps[2].n.val() + self.flag.n.val();
        if self.steps[1].o.val() == 9 {
            self.n.next = self.steps[0].n.val();
        }
    }
}

#[test]
fn copies_of_blocks_are_kept_apart() {
    assert_agrees(BlockCopies::default);
}

/// Methods by reference. Methods of `rust-hdl` come before them, methods of a slice after them.
trait Behind {
    #[allow(dead_code, reason = "it is to be passed over")]
    fn any(&self) -> bool {
        false
    }
    fn len(&self) -> usize {
        1
    }
}

impl<const N: usize> Behind for Bits<N> {}
impl<T, const N: usize> Behind for [T; N] {}

static SHIFT: u64 = 2;
const TABLE: [u64; 4] = [3, 1, 4, 1];

const fn squared(x: u64) -> u64 {
    x * x
}

block! {
    Known { a: Signal<In, Bits<8>>, o: Signal<Out, Bits<8>>, p: Signal<Out, Bit>, list: [Signal<Local, Bits<8>>; 4] }
    fn update(&mut self) {
        self.o.next = self.a.val() << SHIFT;
        for i in 0..4 {
            self.list[i].next = self.a.val() + squared(TABLE[i]);
            if TABLE[i] == 1 && i < 2 {
                self.o.next = self.o.val() ^ self.list[i].val();
            }
        }
        // The trait's `len` is one in `update`.
        for i in 0..self.list.len() {
            self.o.next = self.o.val() + self.list[i].val();
        }
        self.p.next = self.a.val().get_bits::<3>(2).any();
    }
}

const NIBBLES: [u8; 4] = [9, 2, 12, 7];

/// Returns the position of the first of three words that is the largest.
#[kernel]
fn largest(x: Bits<4>, y: Bits<4>, z: Bits<4>) -> Bits<2> {
    let words = [x, y, z];
    let mut place: Bits<2> = 0.into();
    let mut best: Bits<4> = words[0];
    for i in 1..3 {
        place = if words[i] > best { bits::<2>(i as u64) } else { place };
        best = if words[i] > best { words[i] } else { best };
    }
    place
}

block! {
    Arrays { a: Signal<In, Bits<4>>, b: Signal<In, Bits<4>>, at: Signal<In, Bits<2>>, o: Signal<Out, Bits<4>>, p: Signal<Out, Bits<4>>, q: Signal<Out, Bits<2>>, r: Signal<Out, Bit>, z: Signal<Out, Bits<4>> }
    fn update(&mut self) {
        let fourth: Bits<4> = 11.into();
        let list = [self.a.val(), self.b.val(), self.a.val() + 1, fourth];
        let last: usize = 3;
        let known = [bits::<4>(NIBBLES[last] as u64); 4];
        self.o.next = list[self.at.val().index()];
        self.p.next = list[1] ^ known[self.at.val().index()] ^ list[3 - 1];
        self.q.next = largest(self.a.val(), self.b.val(), list[self.at.val().index()]);
        self.r.next = list[self.at.val().index()].get_bit(self.at.val().index());
        self.z.next = self.o.val();
    }
}

block! {
    BeyondArray { a: Signal<In, Bits<4>>, at: Signal<In, Bits<2>>, o: Signal<Out, Bits<4>> }
    fn update(&mut self) {
        let list = [self.a.val(), self.a.val() + 1, bits::<4>(11)];
        self.o.next = list[self.at.val().index()]; //~ an element at a position that can be 3, in an array of 3
    }
}

#[test]
fn an_element_of_an_array_is_inside() {
    assert_agrees(Arrays::default);
    refused!(BeyondArray);
}

#[test]
fn known_values_equal_those_of_rust() {
    assert_agrees(Known::default);
}
