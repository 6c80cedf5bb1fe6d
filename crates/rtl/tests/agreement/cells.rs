//! Registers, memories and ROMs: widths, types and initial contents.

use crate::agreement::engines::agree;
use crate::agreement::time_multiplexed::compare_time_multiplexed;
use hdl::prelude::*;
use num_bigint::BigUint;

#[word]
enum Mood {
    Calm,
    Curious,
    Alarmed,
}

#[word]
#[derive(Default)]
struct CellNote {
    tag: Bits<3>,
    body: Bits<9>,
    urgent: Bit,
}

fn note(tag: u64, body: u64, urgent: bool) -> CellNote {
    CellNote { tag: bits(tag), body: bits(body), urgent }
}

/// Returns a word wider than any machine word, with a pattern in all bits.
fn wide<const N: usize>(seed: u32) -> Bits<N> {
    let digits = (0..N as u32).map(|i| seed.wrapping_mul(0x9E37_79B9).rotate_left(7 * i) ^ i);
    let all = (BigUint::from(1u32) << N) - 1u32;
    (BigUint::new(digits.collect()) & all).into()
}

/// One register of each type, loaded when `load` is high.
#[derive(LogicBlock, Circuit)]
struct EveryRegister {
    clock: Signal<In, Clock>,
    load: Signal<In, Bits<6>>,
    bit_in: Signal<In, Bit>,
    bit: Signal<Out, Bit>,
    narrow_in: Signal<In, Bits<7>>,
    narrow: Signal<Out, Bits<7>>,
    word_in: Signal<In, Bits<64>>,
    word: Signal<Out, Bits<64>>,
    wide_in: Signal<In, Bits<100>>,
    wide: Signal<Out, Bits<100>>,
    mood: Signal<Out, Mood>,
    note: Signal<Out, CellNote>,
    bit_reg: Reg<Bit>,
    narrow_reg: Reg<Bits<7>>,
    word_reg: Reg<Bits<64>>,
    wide_reg: Reg<Bits<100>>,
    mood_reg: Reg<Mood>,
    note_reg: Reg<CellNote>,
}

impl Default for EveryRegister {
    fn default() -> Self {
        EveryRegister {
            clock: Signal::default(),
            load: Signal::default(),
            bit_in: Signal::default(),
            bit: Signal::default(),
            narrow_in: Signal::default(),
            narrow: Signal::default(),
            word_in: Signal::default(),
            word: Signal::default(),
            wide_in: Signal::default(),
            wide: Signal::default(),
            mood: Signal::default(),
            note: Signal::default(),
            bit_reg: Reg::new(true),
            narrow_reg: Reg::new(bits(0x55)),
            word_reg: Reg::new(wide(1)),
            wide_reg: Reg::new(wide(2)),
            mood_reg: Reg::new(Mood::Alarmed),
            note_reg: Reg::new(note(5, 0x1A1, true)),
        }
    }
}

impl Logic for EveryRegister {
    #[kernel]
    fn update(&mut self) {
        dff_setup!(self, clock, bit_reg, narrow_reg, word_reg, wide_reg, mood_reg, note_reg);
        if self.load.val().get_bit(0) {
            self.bit_reg.d.next = self.bit_in.val();
        }
        if self.load.val().get_bit(1) {
            self.narrow_reg.d.next = self.narrow_in.val();
        }
        if self.load.val().get_bit(2) {
            self.word_reg.d.next = self.word_in.val();
        }
        if self.load.val().get_bit(3) {
            self.wide_reg.d.next = self.wide_in.val();
        }
        if self.load.val().get_bit(4) {
            match self.mood_reg.q.val() {
                Mood::Calm => self.mood_reg.d.next = Mood::Curious,
                Mood::Curious => self.mood_reg.d.next = Mood::Alarmed,
                Mood::Alarmed => self.mood_reg.d.next = Mood::Calm,
            }
        }
        if self.load.val().get_bit(5) {
            self.note_reg.d.next.tag = self.narrow_in.val().get_bits::<3>(2);
            self.note_reg.d.next.body = self.word_in.val().get_bits::<9>(40);
            self.note_reg.d.next.urgent = self.bit_in.val();
        }
        self.bit.next = self.bit_reg.q.val();
        self.narrow.next = self.narrow_reg.q.val();
        self.word.next = self.word_reg.q.val();
        self.wide.next = self.wide_reg.q.val();
        self.mood.next = self.mood_reg.q.val();
        self.note.next = self.note_reg.q.val();
    }
}

/// Memories of single bits, words, wide words and structs, with full, partial and no initial
/// contents, and one that ignores address bits.
#[derive(LogicBlock, Circuit)]
struct EveryMemory {
    clock: Signal<In, Clock>,
    read_address: Signal<In, Bits<4>>,
    write_address: Signal<In, Bits<4>>,
    write: Signal<In, Bits<4>>,
    data: Signal<In, Bits<70>>,
    bit: Signal<Out, Bit>,
    word: Signal<Out, Bits<8>>,
    wide: Signal<Out, Bits<70>>,
    note: Signal<Out, CellNote>,
    bit_memory: Memory<Bit, 1>,
    word_memory: Memory<Bits<8>, 4>,
    wide_memory: Memory<Bits<70>, 3>,
    note_memory: Memory<CellNote, 2>,
    narrow: Signal<Out, Bits<6>>,
    narrow_memory: Memory<Bits<6>, 4>,
}

impl Default for EveryMemory {
    fn default() -> Self {
        EveryMemory::with(Memory::decoding(2, narrow_words()))
    }
}

fn narrow_words() -> impl Iterator<Item = Bits<6>> {
    (0..3).map(|i| bits(0x2A ^ i))
}

impl EveryMemory {
    /// Makes the block with this memory beside the others.
    fn with(narrow_memory: Memory<Bits<6>, 4>) -> Self {
        EveryMemory {
            clock: Signal::default(),
            read_address: Signal::default(),
            write_address: Signal::default(),
            write: Signal::default(),
            data: Signal::default(),
            bit: Signal::default(),
            word: Signal::default(),
            wide: Signal::default(),
            note: Signal::default(),
            bit_memory: Memory::new([false, true]),
            word_memory: Memory::new((0..11).map(|i| bits(0xF0 ^ i))),
            wide_memory: Memory::new((0..8).map(wide)),
            note_memory: Memory::default(),
            narrow: Signal::default(),
            narrow_memory,
        }
    }
}

impl Logic for EveryMemory {
    #[kernel]
    fn update(&mut self) {
        clock!(self, clock, bit_memory, word_memory, wide_memory, note_memory, narrow_memory);
        let read = self.read_address.val();
        let write = self.write_address.val();
        self.bit_memory.read_address.next = read.get_bits::<1>(0);
        self.word_memory.read_address.next = read;
        self.wide_memory.read_address.next = read.get_bits::<3>(0);
        self.note_memory.read_address.next = read.get_bits::<2>(0);
        self.bit_memory.write_address.next = write.get_bits::<1>(0);
        self.word_memory.write_address.next = write;
        self.wide_memory.write_address.next = write.get_bits::<3>(0);
        self.note_memory.write_address.next = write.get_bits::<2>(0);
        self.bit_memory.write_enable.next = self.write.val().get_bit(0);
        self.word_memory.write_enable.next = self.write.val().get_bit(1);
        self.wide_memory.write_enable.next = self.write.val().get_bit(2);
        self.note_memory.write_enable.next = self.write.val().get_bit(3);
        self.bit_memory.write_data.next = self.data.val().get_bit(0);
        self.word_memory.write_data.next = self.data.val().get_bits::<8>(1);
        self.wide_memory.write_data.next = self.data.val();
        self.note_memory.write_data.next.tag = self.data.val().get_bits::<3>(60);
        self.note_memory.write_data.next.body = self.data.val().get_bits::<9>(20);
        self.note_memory.write_data.next.urgent = self.data.val().get_bit(69);
        self.bit.next = self.bit_memory.read_data.val();
        self.word.next = self.word_memory.read_data.val();
        self.wide.next = self.wide_memory.read_data.val();
        self.note.next = self.note_memory.read_data.val();
        self.narrow_memory.read_address.next = read;
        self.narrow_memory.write_address.next = write;
        self.narrow_memory.write_enable.next = self.write.val().get_bit(1);
        self.narrow_memory.write_data.next = self.data.val().get_bits::<6>(3);
        self.narrow.next = self.narrow_memory.read_data.val();
    }
}

/// ROMs of words, wide words and enums, some full and some with words missing at the end.
#[derive(LogicBlock, Circuit)]
struct Roms {
    clock: Signal<In, Clock>,
    address: Signal<In, Bits<5>>,
    full: Signal<Out, Bits<12>>,
    short: Signal<Out, Bits<3>>,
    wide: Signal<Out, Bits<90>>,
    mood: Signal<Out, Mood>,
    full_rom: Rom<Bits<12>, 5>,
    short_rom: Rom<Bits<3>, 3>,
    wide_rom: Rom<Bits<90>, 2>,
    mood_rom: Rom<Mood, 2>,
    narrow: Signal<Out, Bits<12>>,
    narrow_rom: Rom<Bits<12>, 5>,
}

impl Default for Roms {
    fn default() -> Self {
        Roms {
            clock: Signal::default(),
            address: Signal::default(),
            full: Signal::default(),
            short: Signal::default(),
            wide: Signal::default(),
            mood: Signal::default(),
            full_rom: Rom::new((0..32).map(|i| bits(0xFFF & (i * 1237)))),
            short_rom: Rom::new([bits(5), bits(3), bits(6)]),
            wide_rom: Rom::new((3..6).map(wide)),
            mood_rom: Rom::new([Mood::Alarmed, Mood::Calm, Mood::Curious]),
            narrow: Signal::default(),
            narrow_rom: Rom::decoding(3, (0..7).map(|i| bits(0xFFF & (i * 1237 + 9)))),
        }
    }
}

impl Logic for Roms {
    #[kernel]
    fn update(&mut self) {
        clock!(self, clock, full_rom, short_rom, wide_rom, mood_rom, narrow_rom);
        self.full_rom.address.next = self.address.val();
        self.short_rom.address.next = self.address.val().get_bits::<3>(0);
        self.wide_rom.address.next = self.address.val().get_bits::<2>(1);
        self.mood_rom.address.next = self.address.val().get_bits::<2>(3);
        self.full.next = self.full_rom.data.val();
        self.short.next = self.short_rom.data.val();
        self.wide.next = self.wide_rom.data.val();
        self.mood.next = self.mood_rom.data.val();
        self.narrow_rom.address.next = self.address.val();
        self.narrow.next = self.narrow_rom.data.val();
    }
}

#[test]
fn registers_agree() {
    agree(EveryRegister::default);
}

#[test]
fn memories_agree() {
    agree(EveryMemory::default);
}

#[test]
fn roms_agree() {
    agree(Roms::default);
}

#[test]
#[ignore = "thorough: Verilator on each block"]
fn time_multiplexed_cells_agree() {
    compare_time_multiplexed(16, EveryRegister::default, |stimulus| stimulus, &[]);
    // A time-multiplexed memory decodes all address bits.
    let memories = || EveryMemory::with(Memory::new(narrow_words()));
    compare_time_multiplexed(2, memories, |stimulus| stimulus, &[]);
    compare_time_multiplexed(4, memories, |stimulus| stimulus, &[]);
}
