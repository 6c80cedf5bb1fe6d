//! One example of each construct in the subset.
use hdl::prelude::*;

#[word]
enum State {
    Idle,
    Busy,
    Done,
}

#[word]
#[derive(Default)]
pub struct Pair {
    high: Bits<4>,
    low: Bits<4>,
}

#[derive(LogicBlock, Circuit)]
pub struct Block<const N: usize> {
    pub clock: Signal<In, Clock>,
    pub a: Signal<In, Bits<4>>,
    pub f: Signal<In, Bit>,
    pub o: Signal<Out, Bits<4>>,
    pub p: Signal<Out, Pair>,
    pub flags: Signal<Out, Bits<8>>,
    state: Reg<State>,
    list: [Reg<Bits<4>>; N],
    memory: Memory<Bits<4>, 4>,
    rom: Rom<Bits<4>, 4>,
    t: Signal<Local, Bits<8>>,
    k: Constant<Bits<4>>,
}

impl<const N: usize> Default for Block<N> {
    fn default() -> Self {
        Block {
            clock: Default::default(),
            a: Default::default(),
            f: Default::default(),
            o: Default::default(),
            p: Default::default(),
            flags: Default::default(),
            state: Reg::new(State::Done),
            list: std::array::from_fn(|_| Reg::default()),
            memory: Memory::default(),
            rom: Rom::new([3, 1, 2].map(bits)),
            t: Default::default(),
            k: Constant::new(bits(5)),
        }
    }
}

const LIMIT: u64 = 9;

const fn twice(x: u64) -> u64 {
    2 * x
}

impl<const N: usize> Logic for Block<N> {
    #[kernel]
    fn update(&mut self) {
        dff_setup!(self, clock, state);
        clock!(self, clock, memory, rom);
        for i in 0..self.list.len() {
            self.list[i].clock.next = self.clock.val();
            self.list[i].d.next = if i == 0 { self.a.val() } else { self.list[i - 1].q.val() };
        }
        self.memory.read_address.next = self.a.val();
        self.memory.write_address.next = self.list[N - 1].q.val();
        self.memory.write_data.next = self.rom.data.val() + self.f.val();
        self.memory.write_enable.next = self.f.val() && self.a.val() != self.k.val();
        self.rom.address.next = !self.a.val();
        match self.state.q.val() {
            State::Idle if self.f.val() => self.state.d.next = State::Busy,
            State::Idle => (),
            State::Busy | State::Done => {
                if self.a.val() > LIMIT {
                    self.state.d.next = State::Done;
                } else if self.a.val() < twice(2) {
                    self.state.d.next = State::Idle;
                }
            }
        }
        let sum = self.a.val() + self.memory.read_data.val() - 1;
        let wide = bit_cast::<8, 4>(sum) << bits::<2>(3);
        self.t.next = wide | (wide >> 1) ^ 0x55;
        self.t.next = self.t.val().replace_bit(self.a.val().get_bits::<3>(1).index(), sum.xor());
        self.o.next = self.t.val().get_bits::<4>(2);
        self.p.next.high = sum;
        self.p.next.low = 7_u32.to_bits();
        self.flags.next = 0.into();
        match self.a.val().index() {
            1 | 2 => self.flags.next = wide,
            _ => {
                if sum.any() || sum.all() || sum.get_bit(N) {
                    self.flags.next = bit_cast::<8, 1>(self.f.val().into());
                }
            }
        }
    }
}

pub fn run() {
    let design = hdl::lower::lower(&Block::<3>::default()).expect("it is legal");
    assert_eq!(design.top().name, "block");
    let a = phasecube::engine::ReferenceEngine::new(Block::<3>::default()).expect("it settles");
    let b = phasecube::engine::EvaluatorEngine::new(&design).expect("it has no loop");
    super::agree(a, b);
}
