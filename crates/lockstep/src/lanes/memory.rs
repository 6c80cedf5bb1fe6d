use super::jit::Vector;
use super::plan::{MemoryPlan, Slots, WritePlan};
use num_bigint::BigUint;

/// The words of a memory in all lanes of a chunk.
///
/// They stand as in the frame, each bit of a word as a vector of all lanes. So
/// lanes that ask for the same word get it all at once, and nothing is done lane by
/// lane. Lanes are rarely so far apart that each has an address of its own.
#[derive(Clone, Debug)]
pub struct Words {
    contents: Contents,
    words: usize,
    /// Of a word, in bits.
    width: usize,
    /// Words of 64 lanes in a vector.
    vector: usize,
    /// The address that each lane read last, bit by bit.
    last: Vec<u64>,
    /// The lanes that must read again even if their address is the same.
    again: Vec<u64>,
}

#[derive(Clone, Debug)]
enum Contents {
    /// Of a read-only memory, which is the same in all lanes: as many integers for
    /// each word as it takes, the least significant first.
    Shared(Vec<u64>),
    /// Vectors: for each word its bits.
    PerLane(Vec<u64>),
}

/// What a clock edge did in some lane.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Edge {
    /// Another word was read than before.
    pub changed: bool,
    pub wrote: bool,
}

impl Words {
    /// As the memory starts; a vector has 64 lanes for each of `vector`.
    pub fn new(plan: &MemoryPlan, vector: usize) -> Self {
        let contents = match plan.write {
            None => Contents::Shared(vec![0; plan.words * limbs(plan.width)]),
            Some(_) => Contents::PerLane(vec![0; plan.words * plan.width * vector]),
        };
        let mut words = Words {
            contents,
            words: plan.words,
            width: plan.width,
            vector,
            last: vec![0; plan.read_address.count * vector],
            again: vec![],
        };
        words.reset(plan);
        words
    }

    /// Back to how the memory starts.
    pub fn reset(&mut self, plan: &MemoryPlan) {
        let zero = BigUint::ZERO;
        for address in 0..self.words {
            self.set_all(address, plan.init.get(address).unwrap_or(&zero));
        }
    }

    pub fn is_shared(&self) -> bool {
        matches!(self.contents, Contents::Shared(_))
    }

    /// Where a bit of a word of a lane is: the integer, and the bit in it.
    fn at(&self, lane: usize, address: usize, bit: usize) -> (usize, usize) {
        match self.contents {
            Contents::Shared(_) => (address * limbs(self.width) + bit / 64, bit % 64),
            Contents::PerLane(_) => {
                let vector = address * self.width + bit;
                (vector * self.vector + lane / 64, lane % 64)
            }
        }
    }

    fn integers(&self) -> &[u64] {
        match &self.contents {
            Contents::Shared(integers) | Contents::PerLane(integers) => integers,
        }
    }

    fn integers_mut(&mut self) -> &mut [u64] {
        match &mut self.contents {
            Contents::Shared(integers) | Contents::PerLane(integers) => integers,
        }
    }

    pub fn get(&self, lane: usize, address: usize) -> BigUint {
        let mut word = BigUint::ZERO;
        for bit in 0..self.width {
            let (integer, place) = self.at(lane, address, bit);
            word.set_bit(bit as u64, self.integers()[integer] >> place & 1 == 1);
        }
        word
    }

    /// Sets a word, whose width the value fits.
    pub fn set(&mut self, lane: usize, address: usize, value: &BigUint) {
        for bit in 0..self.width {
            let (integer, place) = self.at(lane, address, bit);
            let integer = &mut self.integers_mut()[integer];
            *integer &= !(1 << place);
            *integer |= u64::from(value.bit(bit as u64)) << place;
        }
        self.read_again();
    }

    /// Sets a word in all lanes.
    pub fn set_all(&mut self, address: usize, value: &BigUint) {
        let (width, vector) = (self.width, self.vector);
        match &mut self.contents {
            Contents::Shared(_) => self.set(0, address, value),
            Contents::PerLane(bits) => {
                let word = &mut bits[address * width * vector..][..width * vector];
                for (bit, lanes) in (0..).zip(word.chunks_exact_mut(vector)) {
                    lanes.fill(u64::from(value.bit(bit)).wrapping_neg());
                }
                self.read_again();
            }
        }
    }

    fn read_again(&mut self) {
        self.again = vec![u64::MAX; self.vector];
    }

    /// The clock edge: reads and then writes in these lanes, as the slots of the
    /// pins say. The vectors of the frame are as long as the memory's.
    #[inline(always)]
    pub fn edge<V: Vector<W>, const W: usize>(
        &mut self,
        plan: &MemoryPlan,
        frame: &mut [[u64; W]],
        present: V,
    ) -> Edge {
        let lanes_of = |slot: u32, frame: &[[u64; W]]| {
            let lanes = present.load(&frame[slot as usize]);
            lanes.and(present)
        };
        let wanted = plan
            .read_enable
            .map_or(present, |slot| lanes_of(slot, frame));
        let mut changed = false;
        if !wanted.is_zero() {
            let moved = self.moved(rows(frame, plan.read_address), wanted);
            changed = self.read(rows_mut(frame, plan.read_data), moved);
        }
        let mut wrote = false;
        if let Some(write) = &plan.write {
            let active = lanes_of(write.enable, frame);
            wrote = !active.is_zero();
            if wrote {
                self.write(write, frame, active);
                // The word read may be one of those just written.
                let again = &mut self.again.as_chunks_mut::<W>().0[0];
                active.load(again).or(active).store(again);
            }
        }
        Edge { changed, wrote }
    }

    /// The lanes, of those that want a word, that read another one than they did
    /// last, or one that may have changed since.
    #[inline(always)]
    fn moved<V: Vector<W>, const W: usize>(&mut self, address: &[[u64; W]], wanted: V) -> V {
        let again = &mut self.again.as_chunks_mut::<W>().0[0];
        let mut moved = wanted.load(again);
        moved.and_not(wanted).store(again);
        for (last, now) in self.last.as_chunks_mut::<W>().0.iter_mut().zip(address) {
            let (before, now) = (wanted.load(last), wanted.load(now));
            moved = moved.or(before.xor(now));
            before.blend(now, wanted).store(last);
        }
        moved.and(wanted)
    }

    /// Whether what was read differs from what had been read before.
    #[inline(always)]
    fn read<V: Vector<W>, const W: usize>(&self, data: &mut [[u64; W]], lanes: V) -> bool {
        let mut changed = lanes.splat(0);
        let mut put = |old: &mut [u64; W], new: V, lanes: V| {
            let before = new.load(old);
            let change = before.xor(new).and(lanes);
            changed = changed.or(change);
            before.xor(change).store(old);
        };
        let address = self.last.as_chunks::<W>().0;
        match &self.contents {
            Contents::Shared(integers) => each_address(address, lanes, |address, lanes| {
                let word = &integers[address * limbs(self.width)..];
                for (data, integer) in data.chunks_mut(64).zip(word) {
                    for (bit, data) in data.iter_mut().enumerate() {
                        let new = lanes.splat((integer >> bit & 1).wrapping_neg());
                        put(data, new, lanes);
                    }
                }
            }),
            Contents::PerLane(bits) => each_address(address, lanes, |address, lanes| {
                let word = &bits.as_chunks::<W>().0[address * self.width..];
                for (data, bit) in data.iter_mut().zip(word) {
                    put(data, lanes.load(bit), lanes);
                }
            }),
        }
        !changed.is_zero()
    }

    #[inline(always)]
    fn write<V: Vector<W>, const W: usize>(
        &mut self,
        pins: &WritePlan,
        frame: &[[u64; W]],
        lanes: V,
    ) {
        let Contents::PerLane(bits) = &mut self.contents else {
            unreachable!("it has a write port");
        };
        let (bits, data) = (bits.as_chunks_mut::<W>().0, rows(frame, pins.data));
        each_address(rows(frame, pins.address), lanes, |address, lanes| {
            let word = &mut bits[address * self.width..];
            for (old, new) in word.iter_mut().zip(data) {
                let (before, new) = (lanes.load(old), lanes.load(new));
                before.blend(new, lanes).store(old);
            }
        });
    }
}

/// Does something for each address that some of these lanes have, with the lanes
/// that have it. Addresses are given bit by bit.
#[inline(always)]
fn each_address<V: Vector<W>, const W: usize>(
    address: &[[u64; W]],
    lanes: V,
    mut act: impl FnMut(usize, V),
) {
    let mut left = lanes.words();
    for word in 0..W {
        while left[word] != 0 {
            let lane = left[word].trailing_zeros();
            let (mut value, mut same) = (0, lanes.load(&left));
            for (k, bits) in address.iter().enumerate() {
                let bit = bits[word] >> lane & 1;
                value |= (bit as usize) << k;
                let others = same.splat(bit.wrapping_sub(1));
                same = same.and(same.load(bits).xor(others));
            }
            same.load(&left).and_not(same).store(&mut left);
            act(value, same);
        }
    }
}

fn rows<const W: usize>(frame: &[[u64; W]], slots: Slots) -> &[[u64; W]] {
    &frame[slots.range()]
}

fn rows_mut<const W: usize>(frame: &mut [[u64; W]], slots: Slots) -> &mut [[u64; W]] {
    &mut frame[slots.range()]
}

/// Integers of 64 bits that a word takes.
fn limbs(width: usize) -> usize {
    width.div_ceil(64)
}
