use super::{Accumulator, Alu, Cause, Decoder, Format, Immediate, LoadLanes, StoreLanes};
use crate::lower::{kernel, Circuit};
use crate::rtl::cells::{Memory, Reg};
use rust_hdl::prelude::*;

const MISALIGNED_JUMP: u64 = Cause::MisalignedJump as u64;
const ILLEGAL_INSTRUCTION: u64 = Cause::IllegalInstruction as u64;
const BREAKPOINT: u64 = Cause::Breakpoint as u64;
const MISALIGNED_LOAD: u64 = Cause::MisalignedLoad as u64;
const MISALIGNED_STORE: u64 = Cause::MisalignedStore as u64;
const ENVIRONMENT_CALL: u64 = Cause::EnvironmentCall as u64;

/// That `A` address bits are 5 for the register and `C` for the context.
struct AddressBits<const C: usize, const A: usize>;

impl<const C: usize, const A: usize> Default for AddressBits<C, A> {
    fn default() -> Self {
        assert_eq!(A, C + 5, "an address is context and register");
        AddressBits
    }
}

/// Where the core is in an instruction. One clock cycle each, but for `Idle`,
/// `Fetch`, `Execute` of a load or store, and `Shift`.
#[derive(LogicState, Copy, Clone, Debug, PartialEq)]
pub enum Step {
    /// Waiting for `go`.
    Idle,
    /// The instruction is read; `a` becomes its address.
    Fetch,
    /// The address is written down; `a` becomes the first operand.
    Operand,
    /// `a` becomes the result. Loads and stores access memory.
    Execute,
    /// `a` is shifted by one bit.
    Shift,
    /// `a` becomes the address of the instruction. A branch not taken is over.
    Recall,
    /// `a` becomes the target of a branch.
    Target,
    /// The target is written down; `a` becomes the address of the instruction.
    Jump,
    /// `a` becomes the return address.
    Link,
    /// The result is written to its register.
    Retire,
}

/// An RV32I core, shared in time by `2^C` contexts, one instruction at a turn. `A`
/// is `C + 5`, else `default` panics.
///
/// What it does is said in the [module](super). All state of a context is in the
/// register file: its registers, and in the place of register 0 its program
/// counter. Every context begins at address 0 with all registers zero.
///
/// **Turns.** When `go` is high in the last clock cycle of a turn, or later, the
/// turn of `context` begins in the next; it is `current` from then to the end of
/// the turn. Exactly one of `retired`, `asleep` and `halted` is high in the last
/// clock cycle of every turn. A wrapper for `n` contexts shows in `context` the one
/// that comes next (`current + 1` for a fixed rotation) and holds `go` high.
///
/// **Sleep.** After `wfi` the context sleeps: its turns end at once (one clock
/// cycle, no request, and for a core of one context no flip-flop changes) until
/// `wake` is high in the first clock cycle of one. `wake` is looked at in no other,
/// so it must be held for a context until its turn comes; `wake` belongs to
/// `current`. `wfi` itself never waits: with `wake` high it is a no-op.
///
/// **Halt.** An instruction that cannot be done ends the turn with `halted` and a
/// `cause` ([`Cause`]); registers, memory and program counter stay. It is tried
/// again in the context's next turn, and so on; it can be done if the host
/// has put another in its place.
///
/// **Bus.** `request`, `address`, `write_data` and `write_strobe` hold from the
/// first clock cycle of an access to the one in which `ready` is high, too. All
/// accesses are of aligned words; a read takes `read_data` as it is in that clock
/// cycle. `ready` may come in the first clock cycle.
///
/// Clock cycles of a turn, with a memory that answers one clock cycle after the
/// request:
///
/// | | |
/// | --- | --- |
/// | arithmetic, `lui`, `auipc`, fences, `wfi` | 5 |
/// | load, store, branch not taken | 6 |
/// | shift by `n` | 6 + `n` |
/// | `jal`, `jalr` | 7 |
/// | branch taken | 8 |
#[derive(LogicBlock, Circuit)]
pub struct SoftCore<const C: usize, const A: usize> {
    pub clock: Signal<In, Clock>,
    /// The context of the next turn.
    pub context: Signal<In, Bits<C>>,
    /// The next turn may begin.
    pub go: Signal<In, Bit>,
    /// The context whose turn it is need not sleep.
    pub wake: Signal<In, Bit>,
    /// The context whose turn it is.
    pub current: Signal<Out, Bits<C>>,
    /// The turn ends: an instruction was finished.
    pub retired: Signal<Out, Bit>,
    /// The turn ends: the context sleeps.
    pub asleep: Signal<Out, Bit>,
    /// The turn ends: the instruction cannot be done.
    pub halted: Signal<Out, Bit>,
    /// Why not, while `halted` is high.
    pub cause: Signal<Out, Bits<4>>,
    /// The core wants an access.
    pub request: Signal<Out, Bit>,
    /// Of this word; bits 0 and 1 are zero.
    pub address: Signal<Out, Bits<32>>,
    pub write_data: Signal<Out, Bits<32>>,
    /// The bytes to write; none: the word is read.
    pub write_strobe: Signal<Out, Bits<4>>,
    /// The access is done in this clock cycle.
    pub ready: Signal<In, Bit>,
    /// The word, while `ready` is high.
    pub read_data: Signal<In, Bits<32>>,
    decoder: Decoder,
    immediate: Immediate,
    alu: Alu,
    load_lanes: LoadLanes,
    store_lanes: StoreLanes,
    registers: Memory<Bits<32>, A>,
    step: Reg<Step>,
    instruction: Reg<Bits<32>>,
    accumulator: Accumulator,
    owner: Reg<Bits<C>>,
    /// The fetch is under way.
    begun: Reg<Bit>,
    /// Bits still to be shifted.
    count: Reg<Bits<5>>,
    /// The access or the jump is misaligned.
    fault: Reg<Bit>,
    /// The branch is taken.
    taken: Reg<Bit>,
    _address_bits: AddressBits<C, A>,
    second: Signal<Local, Bits<5>>,
    from_register: Signal<Local, Bit>,
    misaligned: Signal<Local, Bit>,
    accessing: Signal<Local, Bit>,
}

impl<const C: usize, const A: usize> Default for SoftCore<C, A> {
    fn default() -> Self {
        SoftCore {
            clock: Signal::default(),
            context: Signal::default(),
            go: Signal::default(),
            wake: Signal::default(),
            current: Signal::default(),
            retired: Signal::default(),
            asleep: Signal::default(),
            halted: Signal::default(),
            cause: Signal::default(),
            request: Signal::default(),
            address: Signal::default(),
            write_data: Signal::default(),
            write_strobe: Signal::default(),
            ready: Signal::default(),
            read_data: Signal::default(),
            decoder: Decoder::default(),
            immediate: Immediate::default(),
            alu: Alu::default(),
            load_lanes: LoadLanes::default(),
            store_lanes: StoreLanes::default(),
            registers: Memory::default().disjoint(),
            step: Reg::default(),
            instruction: Reg::default(),
            accumulator: Accumulator::default(),
            owner: Reg::default(),
            begun: Reg::default(),
            count: Reg::default(),
            fault: Reg::default(),
            taken: Reg::default(),
            _address_bits: Default::default(),
            second: Signal::default(),
            from_register: Signal::default(),
            misaligned: Signal::default(),
            accessing: Signal::default(),
        }
    }
}

impl<const C: usize, const A: usize> Logic for SoftCore<C, A> {
    #[kernel]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            step,
            instruction,
            owner,
            begun,
            count,
            fault,
            taken
        );
        clock!(self, clock, registers, accumulator);
        let step = self.step.q.val();
        let word = self.instruction.q.val();
        let funct3 = word.get_bits::<3>(12);
        let a = self.accumulator.value.val();
        let r = self.registers.read_data.val();
        let execute = step == Step::Execute;
        let fault = self.fault.q.val();
        let owner = self.owner.q.val();

        self.decoder.instruction.next = word;
        let load = self.decoder.load.val();
        let store = self.decoder.store.val();
        let branch = self.decoder.branch.val();
        let jal = self.decoder.jal.val();
        let jalr = self.decoder.jalr.val();
        let lui = self.decoder.lui.val();
        let auipc = self.decoder.auipc.val();
        let register = self.decoder.register.val();
        let arithmetic = register | self.decoder.immediate.val();
        let ecall = self.decoder.ecall.val();
        let ebreak = self.decoder.ebreak.val();
        let illegal = self.decoder.illegal.val();
        let stops = illegal | ecall | ebreak;
        let shift = arithmetic & (funct3.get_bits::<2>(0) == 1);

        // The second operand of the ALU.
        self.immediate.instruction.next = word;
        self.immediate.format.next = Format::Zero;
        self.from_register.next = true;
        match step {
            Step::Operand => {
                self.from_register.next = word.get_bits::<5>(15).any();
                if jal {
                    self.immediate.format.next = Format::J;
                    self.from_register.next = false;
                }
                if auipc {
                    self.immediate.format.next = Format::U;
                    self.from_register.next = false;
                }
            }
            Step::Execute => {
                self.from_register.next = word.get_bits::<5>(20).any() & (register | branch);
                if store {
                    self.immediate.format.next = Format::S;
                } else if lui {
                    self.immediate.format.next = Format::U;
                } else if !(register | branch) {
                    self.immediate.format.next = Format::I;
                }
            }
            Step::Target => {
                self.from_register.next = false;
                if !fault {
                    self.immediate.format.next = Format::B;
                }
            }
            Step::Link => {
                self.from_register.next = false;
                self.immediate.format.next = Format::Four;
            }
            Step::Shift => self.from_register.next = false,
            _ => {}
        }
        // With a register the immediate is zero. The two lowest bits of the program
        // counter are no part of the address.
        let recalls = (step == Step::Recall) | (step == Step::Jump);
        let takes_low = self.from_register.val() & !recalls;
        let low = if takes_low { r & 3 } else { 0.into() };
        let high = if self.from_register.val() {
            r & 0xFFFF_FFFC
        } else {
            0.into()
        };
        let second = high | low | self.immediate.value.val();
        self.alu.a.next = a;
        self.alu.b.next = second;
        let compares = branch | (arithmetic & (funct3.get_bits::<2>(1) == 1));
        let subtracts = register & word.get_bit(30) & (funct3 == 0);
        self.alu.subtract.next = execute & (compares | subtracts);
        self.alu.without_sign.next = if branch {
            funct3.get_bit(1)
        } else {
            funct3.get_bit(0)
        };
        // `funct3` is 4 for exclusive or, 6 for or, 7 for and.
        let combines = execute & !lui;
        let either = combines & (branch | funct3.get_bit(0) | !funct3.get_bit(1));
        let inclusive = combines & !branch & (funct3.get_bits::<2>(1) == 3);
        self.alu.bitwise.next = bits::<2>(0)
            .replace_bit(0, either)
            .replace_bit(1, inclusive);
        let sum = self.alu.sum.val();
        let less = self.alu.less.val();
        let decides = if funct3.get_bit(2) {
            less
        } else {
            self.alu.equal.val()
        };
        let taken = self.taken.q.val();

        // Memory. The low bits of the address have an adder of their own: much hangs
        // on them, and the other is slow.
        let low_immediate = if store {
            word.get_bits::<2>(7)
        } else {
            word.get_bits::<2>(20)
        };
        let offset = bit_cast::<2, 32>(a) + low_immediate;
        let odd_half = (funct3.get_bits::<2>(0) == 1) & offset.get_bit(0);
        let odd_word = funct3.get_bit(1) & offset.any();
        self.misaligned.next = ((load | store) & (odd_half | odd_word))
            | (jalr & offset.get_bit(1))
            | (jal & a.get_bit(1));
        let misaligned = self.misaligned.val();
        let sleeping =
            (step == Step::Fetch) & r.get_bit(0) & !self.wake.val() & !self.begun.q.val();
        let fetching = (step == Step::Fetch) & !sleeping;
        self.accessing.next = execute & (load | store) & !misaligned;
        let accessing = self.accessing.val();
        let ready = self.ready.val();
        self.begun.d.next = fetching & !ready;
        self.request.next = fetching | accessing;
        self.address.next = sum & 0xFFFF_FFFC;
        self.load_lanes.word.next = self.read_data.val();
        self.load_lanes.offset.next = offset;
        self.load_lanes.size.next = funct3;
        self.store_lanes.value.next = r;
        self.store_lanes.zero.next = !word.get_bits::<5>(20).any();
        self.store_lanes.offset.next = offset;
        self.store_lanes.size.next = funct3.get_bits::<2>(0);
        self.write_data.next = self.store_lanes.word.val();
        self.write_strobe.next = if accessing & store {
            self.store_lanes.strobe.val()
        } else {
            0.into()
        };

        // The registers. Register 0 holds the program counter.
        let begins = (step == Step::Idle) | (step == Step::Retire) | sleeping;
        let next_owner = if begins { self.context.val() } else { owner };
        self.owner.d.next = next_owner;
        self.current.next = owner;
        // Never 0, so that no word is read while it is written: the memory is disjoint.
        let rs2 = word.get_bits::<5>(20);
        self.second.next = if rs2 == 0 { bits::<5>(1) } else { rs2 };
        let operand = step == Step::Operand;
        let jump = step == Step::Jump;
        let reads_second = operand | jump | (execute & store & !misaligned);
        let read_register = if fetching & ready {
            self.read_data.val().get_bits::<5>(15)
        } else if reads_second {
            self.second.val()
        } else {
            bits::<5>(0)
        };
        self.registers.read_address.next =
            (bit_cast::<A, C>(next_owner) << 5) | bit_cast::<A, 5>(read_register);
        let has_result = arithmetic | lui | auipc | jal | jalr;
        let loaded = accessing & load & ready;
        let rd = word.get_bits::<5>(7);
        let written = if operand | jump { 0.into() } else { rd };
        self.registers.write_address.next =
            (bit_cast::<A, C>(owner) << 5) | bit_cast::<A, 5>(written);
        self.registers.write_enable.next =
            operand | jump | ((((step == Step::Retire) & has_result) | loaded) & rd.any());
        let goes_on = operand & !stops;
        let done = bit_cast::<32, 1>(goes_on.into()) << 1;
        let sleeps = bit_cast::<32, 1>((goes_on & self.decoder.wfi.val()).into());
        self.registers.write_data.next = if execute {
            self.load_lanes.value.val()
        } else {
            a | done | sleeps
        };

        // The accumulator.
        let fetch = step == Step::Fetch;
        let shifting = step == Step::Shift;
        self.accumulator.begins.next = begins;
        self.accumulator.sets.next = execute & arithmetic & (funct3.get_bits::<2>(1) == 1);
        self.accumulator.less.next = less;
        self.accumulator.holds.next = (fetch & !(fetching & ready))
            | (execute & (jal | auipc | shift | load | store))
            | (shifting & !self.count.q.val().any());
        self.accumulator.adds.next = fetch
            | (operand & (jal | auipc))
            | (execute & !lui & !(arithmetic & funct3.any()))
            | (step == Step::Target)
            | (step == Step::Link);
        self.accumulator.sum.next = sum;
        self.accumulator.word.next = self.alu.word.val();
        self.accumulator.shifts.next = shifting;
        self.accumulator.right.next = funct3.get_bit(2);
        self.accumulator.arithmetic.next = word.get_bit(30);
        // Addresses of instructions are even, and multiples of four when fetched.
        self.accumulator.cleared.next = if fetch {
            bits::<2>(3)
        } else if execute & jalr {
            bits::<2>(1)
        } else {
            bits::<2>(0)
        };

        // What follows.
        match step {
            Step::Idle => {}
            Step::Fetch => {
                if fetching & ready {
                    self.instruction.d.next = self.read_data.val();
                    self.step.d.next = Step::Operand;
                }
            }
            Step::Operand => {
                self.fault.d.next = false;
                self.step.d.next = if stops { Step::Idle } else { Step::Execute };
            }
            Step::Execute => {
                self.count.d.next = bit_cast::<5, 32>(second);
                self.fault.d.next = misaligned;
                self.step.d.next = Step::Retire;
                if shift {
                    self.step.d.next = Step::Shift;
                }
                if jal | jalr {
                    self.step.d.next = Step::Jump;
                }
                if (load | store) & !ready {
                    self.step.d.next = Step::Execute;
                }
                self.taken.d.next = decides ^ funct3.get_bit(0);
                if branch | misaligned {
                    self.step.d.next = Step::Recall;
                }
            }
            Step::Shift => {
                if self.count.q.val() == 0 {
                    self.step.d.next = Step::Retire;
                } else {
                    self.count.d.next = self.count.q.val() - 1;
                }
            }
            Step::Recall => {
                self.step.d.next = Step::Target;
                if branch {
                    self.fault.d.next = word.get_bit(8);
                    if !taken {
                        self.step.d.next = Step::Retire;
                    }
                }
            }
            Step::Target => self.step.d.next = Step::Jump,
            Step::Jump => {
                self.step.d.next = if branch { Step::Retire } else { Step::Link };
                if fault {
                    self.step.d.next = Step::Idle;
                }
            }
            Step::Link => self.step.d.next = Step::Retire,
            Step::Retire => {}
        }
        if begins {
            self.step.d.next = if self.go.val() {
                Step::Fetch
            } else {
                Step::Idle
            };
        }

        self.retired.next = step == Step::Retire;
        self.asleep.next = sleeping;
        self.halted.next = (operand & stops) | (jump & fault);
        self.cause.next = if load {
            MISALIGNED_LOAD.into()
        } else if store {
            MISALIGNED_STORE.into()
        } else {
            MISALIGNED_JUMP.into()
        };
        if operand {
            self.cause.next = if illegal {
                ILLEGAL_INSTRUCTION.into()
            } else if ecall {
                ENVIRONMENT_CALL.into()
            } else {
                BREAKPOINT.into()
            };
        }
    }
}
