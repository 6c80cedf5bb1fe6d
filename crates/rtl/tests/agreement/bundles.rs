//! Bundles and `link!`: all engines agree on them, and they produce the same circuit as
//! the same wiring written signal by signal.

use crate::agreement::engines::agree;
use hdl::prelude::*;
use hdl::verilog::emit;

/// A stream of words.
#[derive(Bundle, Default)]
#[bundle(flipped = Source)]
pub struct WordSink<const N: usize> {
    /// A word is offered.
    pub valid: Signal<In, Bit>,
    /// The word offered.
    pub data: Signal<In, Bits<N>>,
    /// The word would be accepted.
    pub ready: Signal<Out, Bit>,
}

/// A two-level bundle that contains bundles and a list.
#[derive(Bundle)]
#[bundle(flipped = OtherWay)]
pub struct NestedBundle<const N: usize, const LANES: usize> {
    pub lanes: [WordSink<N>; LANES],
    pub back: Source<N>,
    /// One bit for each lane.
    pub marks: [Signal<In, Bit>; LANES],
}

impl<const N: usize, const LANES: usize> Default for NestedBundle<N, LANES> {
    fn default() -> Self {
        NestedBundle {
            lanes: std::array::from_fn(|_| WordSink::default()),
            back: Source::default(),
            marks: std::array::from_fn(|_| Signal::default()),
        }
    }
}

/// A flat bundle, whose members keep their own names.
#[derive(Bundle, Default)]
#[bundle(flat)]
pub struct CounterState {
    /// Words received.
    pub count: Signal<Out, Bits<4>>,
    /// Stops the counter.
    pub hold: Signal<In, Bit>,
    pub inner: ParityBundle,
}

#[derive(Bundle, Default)]
pub struct ParityBundle {
    pub parity: Signal<Out, Bit>,
}

/// Offers the words of the marked lanes one at a time, lowest lane first.
#[derive(LogicBlock, Circuit)]
pub struct Merge<const N: usize, const LANES: usize> {
    pub clock: Signal<In, Clock>,
    pub channel: NestedBundle<N, LANES>,
    pub state: CounterState,
    pub level: Signal<In, Bits<3>>,
    pub echo: Signal<Out, Bits<3>>,
    word: Reg<Bits<N>>,
    full: Reg<Bit>,
    counter: Reg<Bits<4>>,
    free: Signal<Local, Bit>,
}

impl<const N: usize, const LANES: usize> Default for Merge<N, LANES> {
    fn default() -> Self {
        Merge {
            clock: Default::default(),
            channel: Default::default(),
            state: Default::default(),
            level: Default::default(),
            echo: Default::default(),
            word: Default::default(),
            full: Default::default(),
            counter: Default::default(),
            free: Default::default(),
        }
    }
}

impl<const N: usize, const LANES: usize> Logic for Merge<N, LANES> {
    #[kernel]
    fn update(&mut self) {
        dff_setup!(self, clock, word, full, counter);
        self.channel.back.valid.next = self.full.q.val();
        self.channel.back.data.next = self.word.q.val();
        self.free.next = !self.full.q.val() | self.channel.back.ready.val();
        if self.channel.back.ready.val() {
            self.full.d.next = false;
        }
        for i in 0..LANES {
            let takes = self.free.val() & self.channel.marks[i].val();
            self.channel.lanes[i].ready.next = takes;
            if takes & self.channel.lanes[i].valid.val() {
                self.word.d.next = self.channel.lanes[i].data.val();
                self.full.d.next = true;
                self.free.next = false;
                if !self.state.hold.val() {
                    self.counter.d.next = self.counter.q.val() + 1;
                }
            }
        }
        self.state.count.next = self.counter.q.val();
        self.state.inner.parity.next = self.counter.q.val().xor();
        self.echo.next = self.level.val() + self.counter.q.val().get_bits::<3>(0);
    }
}

/// Changes words as they pass.
#[derive(LogicBlock, Circuit, Default)]
pub struct WordIncrement<const N: usize> {
    pub from: WordSink<N>,
    pub to: Source<N>,
}

impl<const N: usize> Logic for WordIncrement<N> {
    #[kernel]
    fn update(&mut self) {
        self.to.valid.next = self.from.valid.val();
        self.to.data.next = self.from.data.val() + 1;
        self.from.ready.next = self.to.ready.val();
    }
}

/// Links and joins single signals, bundles, elements and lists.
#[derive(LogicBlock, Circuit, Default)]
pub struct Wired {
    pub clock: Signal<In, Clock>,
    pub lanes: [WordSink<5>; 3],
    pub marks: [Signal<In, Bit>; 2],
    pub channel: NestedBundle<5, 3>,
    pub state: CounterState,
    pub level: [Signal<In, Bits<3>>; 2],
    pub echo: [Signal<Out, Bits<3>>; 2],
    pub held: Signal<In, Bit>,
    pub other_count: Signal<Out, Bits<4>>,
    pub other_parity: Signal<Out, Bit>,
    pub through: Signal<Out, Bit>,
    merges: [Merge<5, 3>; 2],
    changes: [WordIncrement<5>; 2],
    last: WordIncrement<5>,
    pairs: SerialIncrements,
}

impl Logic for Wired {
    #[kernel]
    fn update(&mut self) {
        clock!(self, clock, pairs);
        link!(self <-> merges[0]: channel, state);
        for i in 0..2 {
            let next = 1 - i;
            self.merges[i].clock.next = self.clock.val();
            link!(self -> merges[next]: level[next]);
            link!(merges[next] -> self: echo[next]);
        }
        self.merges[1].state.hold.next = self.held.val();
        self.other_count.next = self.merges[1].state.count.val();
        self.other_parity.next = self.merges[1].state.inner.parity.val();
        // The second merge has two lanes with a change in the path and one without.
        for i in 0..2 {
            link!(self <-> changes[i]: lanes[i] <-> from);
            self.merges[1].channel.lanes[i].valid.next = self.changes[i].to.valid.val();
            self.merges[1].channel.lanes[i].data.next = self.changes[i].to.data.val();
            self.changes[i].to.ready.next = self.merges[1].channel.lanes[i].ready.val();
            self.merges[1].channel.marks[i].next = self.marks[i].val();
        }
        self.merges[1].channel.lanes[2].valid.next = self.lanes[2].valid.val();
        self.merges[1].channel.lanes[2].data.next = self.lanes[2].data.val();
        self.lanes[2].ready.next = self.merges[1].channel.lanes[2].ready.val();
        self.merges[1].channel.marks[2].next = true;
        self.last.from.valid.next = self.merges[1].channel.back.valid.val();
        self.last.from.data.next = self.merges[1].channel.back.data.val();
        self.merges[1].channel.back.ready.next = self.last.from.ready.val();
        link!(last <-> pairs: to <-> from);
        link!(pairs -> self: odd -> through);
    }
}

/// Two changes in series, plus one bit of their output.
#[derive(LogicBlock, Circuit, Default)]
pub struct SerialIncrements {
    pub clock: Signal<In, Clock>,
    pub from: WordSink<5>,
    pub odd: Signal<Out, Bit>,
    first: WordIncrement<5>,
    drain: Drain,
    seen: Reg<Bits<5>>,
}

impl Logic for SerialIncrements {
    #[kernel]
    fn update(&mut self) {
        dff_setup!(self, clock, seen);
        clock!(self, clock, drain);
        link!(self <-> first: from);
        link!(first <-> drain: to);
        if self.drain.comes.val() {
            self.seen.d.next = self.drain.word.val();
        }
        self.odd.next = self.seen.q.val().xor();
    }
}

/// Accepts a word every second clock cycle.
#[derive(LogicBlock, Circuit, Default)]
pub struct Drain {
    pub clock: Signal<In, Clock>,
    pub to: WordSink<5>,
    pub comes: Signal<Out, Bit>,
    pub word: Signal<Out, Bits<5>>,
    turn: Reg<Bit>,
}

impl Logic for Drain {
    #[kernel]
    fn update(&mut self) {
        dff_setup!(self, clock, turn);
        self.turn.d.next = !self.turn.q.val();
        self.to.ready.next = self.turn.q.val();
        self.comes.next = self.turn.q.val() & self.to.valid.val();
        self.word.next = self.to.data.val();
    }
}

#[test]
#[ignore = "thorough: Verilator on each block"]
fn wide_bundles_agree() {
    agree(Merge::<40, 1>::default);
}

#[test]
fn bundles_agree() {
    agree(Merge::<5, 3>::default);
    agree(WordIncrement::<2>::default);
    agree(Wired::default);
}

/// The design connected with bundles and `link!`.
mod bundled {
    use super::*;

    /// A node and its parts.
    #[derive(LogicBlock, Circuit, Default)]
    pub struct Node {
        pub clock: Signal<In, Clock>,
        pub from: [WordSink<4>; 2],
        pub state: CounterState,
        pub to: Source<4>,
        choice: Choice,
        store: Store,
    }

    impl Logic for Node {
        #[kernel]
        fn update(&mut self) {
            clock!(self, clock, store);
            link!(self <-> choice: from);
            link!(choice <-> store: out <-> to);
            link!(store <-> self: state);
            self.to.valid.next = self.store.full.val();
            self.to.data.next = self.store.word.val();
            self.store.ready.next = self.to.ready.val();
        }
    }

    /// Passes the word of the first of two inputs that has one.
    #[derive(LogicBlock, Circuit, Default)]
    pub struct Choice {
        pub from: [WordSink<4>; 2],
        pub out: Source<4>,
    }

    impl Logic for Choice {
        #[kernel]
        fn update(&mut self) {
            let first = self.from[0].valid.val();
            self.out.valid.next = first | self.from[1].valid.val();
            self.from[0].ready.next = self.out.ready.val();
            self.from[1].ready.next = self.out.ready.val() & !first;
            self.out.data.next =
                if first { self.from[0].data.val() } else { self.from[1].data.val() };
        }
    }

    /// Holds a word.
    #[derive(LogicBlock, Circuit, Default)]
    pub struct Store {
        pub clock: Signal<In, Clock>,
        pub to: WordSink<4>,
        pub state: CounterState,
        pub full: Signal<Out, Bit>,
        pub word: Signal<Out, Bits<4>>,
        pub ready: Signal<In, Bit>,
        held: Reg<Bits<4>>,
        has: Reg<Bit>,
        counter: Reg<Bits<4>>,
    }

    impl Logic for Store {
        #[kernel]
        fn update(&mut self) {
            dff_setup!(self, clock, held, has, counter);
            self.full.next = self.has.q.val();
            self.word.next = self.held.q.val();
            if self.ready.val() {
                self.has.d.next = false;
            }
            self.to.ready.next = !self.has.q.val();
            if self.to.valid.val() & !self.has.q.val() {
                self.has.d.next = true;
                self.held.d.next = self.to.data.val();
                if !self.state.hold.val() {
                    self.counter.d.next = self.counter.q.val() + 1;
                }
            }
            self.state.count.next = self.counter.q.val();
            self.state.inner.parity.next = self.counter.q.val().xor();
        }
    }
}

/// The same design connected signal by signal.
mod by_hand {
    use super::*;

    /// A node and its parts.
    #[derive(LogicBlock, Circuit, Default)]
    pub struct Node {
        pub clock: Signal<In, Clock>,
        /// A word is offered.
        pub from_valid_0: Signal<In, Bit>,
        /// The word offered.
        pub from_data_0: Signal<In, Bits<4>>,
        /// The word would be accepted.
        pub from_ready_0: Signal<Out, Bit>,
        /// A word is offered.
        pub from_valid_1: Signal<In, Bit>,
        /// The word offered.
        pub from_data_1: Signal<In, Bits<4>>,
        /// The word would be accepted.
        pub from_ready_1: Signal<Out, Bit>,
        /// Words received.
        pub count: Signal<Out, Bits<4>>,
        /// Stops the counter.
        pub hold: Signal<In, Bit>,
        pub inner_parity: Signal<Out, Bit>,
        /// A word is offered.
        pub to_valid: Signal<Out, Bit>,
        /// The word offered.
        pub to_data: Signal<Out, Bits<4>>,
        /// The word would be accepted.
        pub to_ready: Signal<In, Bit>,
        choice: Choice,
        store: Store,
    }

    impl Logic for Node {
        #[kernel]
        fn update(&mut self) {
            clock!(self, clock, store);
            self.choice.from_valid_0.next = self.from_valid_0.val();
            self.choice.from_data_0.next = self.from_data_0.val();
            self.from_ready_0.next = self.choice.from_ready_0.val();
            self.choice.from_valid_1.next = self.from_valid_1.val();
            self.choice.from_data_1.next = self.from_data_1.val();
            self.from_ready_1.next = self.choice.from_ready_1.val();
            self.store.to_valid.next = self.choice.out_valid.val();
            self.store.to_data.next = self.choice.out_data.val();
            self.choice.out_ready.next = self.store.to_ready.val();
            self.count.next = self.store.count.val();
            self.store.hold.next = self.hold.val();
            self.inner_parity.next = self.store.inner_parity.val();
            self.to_valid.next = self.store.full.val();
            self.to_data.next = self.store.word.val();
            self.store.ready.next = self.to_ready.val();
        }
    }

    /// Passes the word of the first of two inputs that has one.
    #[derive(LogicBlock, Circuit, Default)]
    pub struct Choice {
        /// A word is offered.
        pub from_valid_0: Signal<In, Bit>,
        /// The word offered.
        pub from_data_0: Signal<In, Bits<4>>,
        /// The word would be accepted.
        pub from_ready_0: Signal<Out, Bit>,
        /// A word is offered.
        pub from_valid_1: Signal<In, Bit>,
        /// The word offered.
        pub from_data_1: Signal<In, Bits<4>>,
        /// The word would be accepted.
        pub from_ready_1: Signal<Out, Bit>,
        /// A word is offered.
        pub out_valid: Signal<Out, Bit>,
        /// The word offered.
        pub out_data: Signal<Out, Bits<4>>,
        /// The word would be accepted.
        pub out_ready: Signal<In, Bit>,
    }

    impl Logic for Choice {
        #[kernel]
        fn update(&mut self) {
            let first = self.from_valid_0.val();
            self.out_valid.next = first | self.from_valid_1.val();
            self.from_ready_0.next = self.out_ready.val();
            self.from_ready_1.next = self.out_ready.val() & !first;
            self.out_data.next =
                if first { self.from_data_0.val() } else { self.from_data_1.val() };
        }
    }

    /// Holds a word.
    #[derive(LogicBlock, Circuit, Default)]
    pub struct Store {
        pub clock: Signal<In, Clock>,
        /// A word is offered.
        pub to_valid: Signal<In, Bit>,
        /// The word offered.
        pub to_data: Signal<In, Bits<4>>,
        /// The word would be accepted.
        pub to_ready: Signal<Out, Bit>,
        /// Words received.
        pub count: Signal<Out, Bits<4>>,
        /// Stops the counter.
        pub hold: Signal<In, Bit>,
        pub inner_parity: Signal<Out, Bit>,
        pub full: Signal<Out, Bit>,
        pub word: Signal<Out, Bits<4>>,
        pub ready: Signal<In, Bit>,
        held: Reg<Bits<4>>,
        has: Reg<Bit>,
        counter: Reg<Bits<4>>,
    }

    impl Logic for Store {
        #[kernel]
        fn update(&mut self) {
            dff_setup!(self, clock, held, has, counter);
            self.full.next = self.has.q.val();
            self.word.next = self.held.q.val();
            if self.ready.val() {
                self.has.d.next = false;
            }
            self.to_ready.next = !self.has.q.val();
            if self.to_valid.val() & !self.has.q.val() {
                self.has.d.next = true;
                self.held.d.next = self.to_data.val();
                if !self.hold.val() {
                    self.counter.d.next = self.counter.q.val() + 1;
                }
            }
            self.count.next = self.counter.q.val();
            self.inner_parity.next = self.counter.q.val().xor();
        }
    }
}

#[test]
fn check_connected_reports_unconnected_signals() {
    let mut wired = Wired::default();
    wired.connect_all();
    check_connected(&wired).unwrap();
    // The check can fail: a partly connected circuit is reported.
    let mut pairs = SerialIncrements::default();
    pairs.drain.connect_all();
    assert!(check_connected(&pairs).is_err());
}

#[test]
#[ignore = "thorough: Verilator on each block"]
fn bundled_verilog_equals_signal_by_signal_wiring() {
    agree(bundled::Node::default);
    let bundled = emit(&lower(&bundled::Node::default()).unwrap()).to_string();
    let by_hand = emit(&lower(&by_hand::Node::default()).unwrap()).to_string();
    assert_eq!(bundled, by_hand);
    assert!(bundled.contains("from_valid") && bundled.contains("to_ready"), "{bundled}");
}
