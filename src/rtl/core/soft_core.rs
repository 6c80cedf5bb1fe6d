//! The soft core itself: its control, its register file, its bus.

use super::{Accumulator, Alu, Cause, Decoder, Format, Immediate, LoadLanes, Step, StoreLanes};
use hdl::cells::{Memory, Reg};
use hdl::lower::{kernel, Circuit};
use rust_hdl::prelude::*;
use smart_default::SmartDefault;

/// What is added to the word of the program counter, and to the bit there that
/// says that its instruction is done, to get the address of the next; see the
/// [module](super).
const ADVANCE: u64 = 2;

const MISALIGNED_JUMP: u64 = Cause::MisalignedJump as u64;
const ILLEGAL_INSTRUCTION: u64 = Cause::IllegalInstruction as u64;
const BREAKPOINT: u64 = Cause::Breakpoint as u64;
const MISALIGNED_LOAD: u64 = Cause::MisalignedLoad as u64;
const MISALIGNED_STORE: u64 = Cause::MisalignedStore as u64;
const ENVIRONMENT_CALL: u64 = Cause::EnvironmentCall as u64;

/// That an address of the registers is the register, 5 bits, and the context.
struct AddressBits<const CONTEXT_BITS: usize, const ADDRESS_BITS: usize>;

impl<const CONTEXT_BITS: usize, const ADDRESS_BITS: usize> Default
    for AddressBits<CONTEXT_BITS, ADDRESS_BITS>
{
    fn default() -> Self {
        assert_eq!(
            ADDRESS_BITS,
            CONTEXT_BITS + 5,
            "an address is context and register"
        );
        AddressBits
    }
}

/// An RV32I core, shared in time by `2^CONTEXT_BITS` contexts, one instruction at a
/// turn. `ADDRESS_BITS` is `CONTEXT_BITS + 5`, else `default` panics.
///
/// What it does is said in the [module](super). All state of a context is in the
/// register file: its registers, and in the place of register 0 its program
/// counter. Every context begins at address 0 with all registers zero.
///
/// **Turns.** When `go` is high in the last clock cycle of a turn, or later, the
/// turn of `context` begins in the next; it is `current` from then to the end of
/// the turn. Exactly one of `retired`, `asleep` and `halted` is high in the last
/// clock cycle of every turn. The result of an instruction is in its register a
/// clock cycle later, in the first of the next turn. A wrapper for `n` contexts shows in `context` the one
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
/// cycle. A load or a store may be answered in its first clock cycle, a fetch
/// only from its second on: `ready` in its first is not looked at. The fetch of the
/// next turn may follow an access without a clock cycle between them.
///
/// **Reset.** Not needed at the start. No turn begins while `reset` is high; after it
/// every context begins again at address 0, awake, with its registers as they were.
/// For one context it must be high for two clock cycles; for several, `context`
/// must have shown each of them between its first and its last clock cycle.
///
/// Clock cycles of a turn, with a memory that answers one clock cycle after the
/// request:
///
/// | | |
/// | --- | --- |
/// | arithmetic, `lui`, `auipc`, fences, `wfi` | 4 |
/// | load, store, branch not taken | 5 |
/// | shift by `n` | 5 + `n` |
/// | `jal`, `jalr` | 6 |
/// | branch taken | 8 |
#[derive(LogicBlock, Circuit, SmartDefault)]
pub struct SoftCore<const CONTEXT_BITS: usize, const ADDRESS_BITS: usize> {
    pub clock: Signal<In, Clock>,
    /// Begin again, as said above.
    pub reset: Signal<In, Bit>,
    /// The context of the next turn.
    pub context: Signal<In, Bits<CONTEXT_BITS>>,
    /// The next turn may begin.
    pub go: Signal<In, Bit>,
    /// The context whose turn it is need not sleep.
    pub wake: Signal<In, Bit>,
    /// The context whose turn it is.
    pub current: Signal<Out, Bits<CONTEXT_BITS>>,
    /// The turn ends: an instruction was finished.
    pub retired: Signal<Out, Bit>,
    /// The turn ends: the context sleeps.
    pub asleep: Signal<Out, Bit>,
    /// The turn ends: the instruction cannot be done.
    pub halted: Signal<Out, Bit>,
    /// Why not, while `halted` is high.
    pub cause: Signal<Out, Bits<4>>,
    /// The instruction of the latest turn that has read one.
    pub instruction: Signal<Out, Bits<32>>,
    /// Its address, while the core waits for `go`, but for the first clock cycle
    /// after `halted`; as long as `context` is the one of that turn.
    pub program_counter: Signal<Out, Bits<32>>,
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
    #[default(Memory::default().disjoint())]
    registers: Memory<Bits<32>, ADDRESS_BITS>,
    step: Reg<Step>,
    word: Reg<Bits<32>>,
    accumulator: Accumulator,
    owner: Reg<Bits<CONTEXT_BITS>>,
    /// Whose turn it was a clock cycle ago.
    previous: Reg<Bits<CONTEXT_BITS>>,
    /// The turn that ended a clock cycle ago has a result.
    pending: Reg<Bit>,
    /// The fetch is under way.
    begun: Reg<Bit>,
    /// Bits still to be shifted.
    count: Reg<Bits<5>>,
    /// The access or the jump is misaligned.
    fault: Reg<Bit>,
    /// The branch is taken.
    taken: Reg<Bit>,
    _address_bits: AddressBits<CONTEXT_BITS, ADDRESS_BITS>,
    second: Signal<Local, Bits<5>>,
    from_register: Signal<Local, Bit>,
    misaligned: Signal<Local, Bit>,
    accessing: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
}

impl<const CONTEXT_BITS: usize, const ADDRESS_BITS: usize> Logic
    for SoftCore<CONTEXT_BITS, ADDRESS_BITS>
{
    #[kernel]
    fn update(&mut self) {
        dff_setup!(self, clock, step, word, owner, previous, pending, begun, count, fault, taken);
        clock!(self, clock, registers, accumulator);
        let step = self.step.q.val();
        let word = self.word.q.val();
        let funct3 = word.get_bits::<3>(12);
        let a = self.accumulator.value.val();
        let r = self.registers.read_data.val();
        let execute = step == Step::Execute;
        let fetch = step == Step::Fetch;
        let shifting = step == Step::Shift;
        let reset = self.reset.val();
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
        // `a` still has the result of the turn before when the next one begins.
        self.alu.a.next = if fetch { ADVANCE.into() } else { a };
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
        let begun = self.begun.q.val();
        let sleeping = fetch & r.get_bit(0) & !self.wake.val() & !begun;
        let fetching = fetch & !sleeping;
        self.accessing.next = execute & (load | store) & !misaligned;
        let accessing = self.accessing.val();
        let ready = self.ready.val();
        // Not before the result of the turn before is in its register.
        let fetched = begun & ready & !reset;
        self.begun.d.next = fetching & !fetched & !reset;
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

        // The instruction is finished.
        let jump = step == Step::Jump;
        let shifted = !self.count.q.val().any();
        self.ends.next = (shifting & shifted) | (step == Step::Link);
        if execute {
            self.ends.next =
                !(shift | jal | jalr | branch | misaligned) & !((load | store) & !ready);
        }
        if step == Step::Recall {
            self.ends.next = branch & !taken;
        }
        let ends = self.ends.val();
        let has_result = arithmetic | lui | auipc | jal | jalr;
        let rd = word.get_bits::<5>(7);
        let pending = self.pending.q.val();
        self.pending.d.next = ends & has_result & rd.any() & !reset;

        // The registers. Register 0 holds the program counter.
        let begins = (step == Step::Idle) | ends | sleeping;
        let next_owner = if begins { self.context.val() } else { owner };
        self.owner.d.next = next_owner;
        self.previous.d.next = owner;
        self.current.next = owner;
        // Never 0, so that no word is read while it is written: the memory is disjoint.
        let rs2 = word.get_bits::<5>(20);
        self.second.next = if rs2 == 0 { bits::<5>(1) } else { rs2 };
        let operand = step == Step::Operand;
        let holds_second = execute & store & !misaligned & !ready;
        let read_register = if fetched {
            self.read_data.val().get_bits::<5>(15)
        } else if operand | jump | holds_second | reset {
            self.second.val()
        } else {
            bits::<5>(0)
        };
        self.registers.read_address.next = (bit_cast::<ADDRESS_BITS, CONTEXT_BITS>(next_owner)
            << 5)
            | bit_cast::<ADDRESS_BITS, 5>(read_register);
        let loaded = accessing & load & ready & rd.any();
        let counts = operand | jump | reset;
        let written = if counts { 0.into() } else { rd };
        let writer = if pending {
            self.previous.q.val()
        } else {
            owner
        };
        self.registers.write_address.next = (bit_cast::<ADDRESS_BITS, CONTEXT_BITS>(writer) << 5)
            | bit_cast::<ADDRESS_BITS, 5>(written);
        self.registers.write_enable.next = counts | pending | loaded;
        let goes_on = operand & !stops;
        let done = bit_cast::<32, 1>(goes_on.into()) << 1;
        let sleeps = bit_cast::<32, 1>((goes_on & self.decoder.wfi.val()).into());
        self.registers.write_data.next = if execute {
            self.load_lanes.value.val()
        } else {
            a | done | sleeps
        };

        // The accumulator.
        self.accumulator.sets.next =
            (execute & arithmetic & (funct3.get_bits::<2>(1) == 1)) | reset;
        self.accumulator.less.next = less & !reset;
        self.accumulator.holds.next = (fetch & !fetched)
            | (execute & (jal | auipc | shift | load | store))
            | (shifting & shifted);
        self.accumulator.adds.next = fetch
            | (operand & (jal | auipc))
            | (execute & !lui & !(arithmetic & funct3.any()))
            | (step == Step::Target)
            | (step == Step::Link);
        self.accumulator.sum.next = sum;
        join!(self, alu, accumulator, word);
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
                if fetched {
                    self.word.d.next = self.read_data.val();
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
                if shift {
                    self.step.d.next = Step::Shift;
                }
                if jal | jalr {
                    self.step.d.next = Step::Jump;
                }
                self.taken.d.next = decides ^ funct3.get_bit(0);
                if branch | misaligned {
                    self.step.d.next = Step::Recall;
                }
            }
            Step::Shift => {
                self.count.d.next = self.count.q.val() - 1;
            }
            Step::Recall => {
                self.step.d.next = Step::Target;
                if branch {
                    self.fault.d.next = word.get_bit(8);
                }
            }
            Step::Target => self.step.d.next = Step::Jump,
            Step::Jump => {
                self.step.d.next = if fault { Step::Idle } else { Step::Link };
            }
            Step::Link => {}
        }
        if begins {
            self.step.d.next = if self.go.val() {
                Step::Fetch
            } else {
                Step::Idle
            };
        }
        if reset {
            self.step.d.next = Step::Idle;
        }

        self.instruction.next = word;
        self.program_counter.next = r & 0xFFFF_FFFC;
        self.retired.next = ends;
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
