//! The instruction decoder.
use hdl::prelude::*;

// Bits 0 to 6 of an instruction (RISC-V Unprivileged ISA, table of base opcodes).
const LOAD: usize = 0b0000011;
const MISC_MEM: usize = 0b0001111;
const OP_IMM: usize = 0b0010011;
const AUIPC: usize = 0b0010111;
const STORE: usize = 0b0100011;
const OP: usize = 0b0110011;
const LUI: usize = 0b0110111;
const BRANCH: usize = 0b1100011;
const JALR: usize = 0b1100111;
const JAL: usize = 0b1101111;
const SYSTEM: usize = 0b1110011;

/// Decodes the kind of an instruction. Combinational.
///
/// The instruction set is RV32I with `ecall`, `ebreak` and `wfi`. Every other encoding is illegal.
/// `fence` and `fence.i` are decoded by opcode and `funct3` only. For a legal instruction at most
/// one kind is high; `arithmetic`, `shift`, `has_result` and `stops` overlap with other kinds. For
/// an illegal instruction any output may be high.
#[derive(LogicBlock, Circuit, Default)]
pub struct Decoder {
    pub instruction: Signal<In, Bits<32>>,
    pub load: Signal<Out, Bit>,
    pub store: Signal<Out, Bit>,
    pub branch: Signal<Out, Bit>,
    pub jal: Signal<Out, Bit>,
    pub jalr: Signal<Out, Bit>,
    pub lui: Signal<Out, Bit>,
    pub auipc: Signal<Out, Bit>,
    /// Arithmetic with two registers.
    pub register: Signal<Out, Bit>,
    /// Arithmetic with two registers, or with one and an immediate.
    pub arithmetic: Signal<Out, Bit>,
    /// A shift, which is also `arithmetic`.
    pub shift: Signal<Out, Bit>,
    /// The instruction writes a register: `arithmetic` and others, without loads.
    pub has_result: Signal<Out, Bit>,
    pub wfi: Signal<Out, Bit>,
    pub ecall: Signal<Out, Bit>,
    pub ebreak: Signal<Out, Bit>,
    pub illegal: Signal<Out, Bit>,
    /// The core halts at the instruction: `illegal`, `ecall` or `ebreak`.
    pub stops: Signal<Out, Bit>,
    /// The opcode belongs to RV32I.
    known: Signal<Local, Bit>,
}

impl Logic for Decoder {
    #[kernel]
    fn update(&mut self) {
        let word = self.instruction.val();
        let funct3 = word.get_bits::<3>(12);

        self.known.next = false;
        match word.get_bits::<7>(0).index() {
            LOAD | MISC_MEM | OP_IMM | AUIPC | STORE | OP | LUI => self.known.next = true,
            BRANCH | JALR | JAL | SYSTEM => self.known.next = true,
            _ => {}
        }
        // The fewest bits that distinguish the legal opcodes.
        let o2 = word.get_bit(2);
        let o3 = word.get_bit(3);
        let o4 = word.get_bit(4);
        let o5 = word.get_bit(5);
        let o6 = word.get_bit(6);
        let load = !o5 & !o4 & !o2;
        self.load.next = load;
        let store = !o6 & o5 & !o4;
        self.store.next = store;
        let branch = o6 & !o4 & !o2;
        self.branch.next = branch;
        let jal = o6 & o3;
        self.jal.next = jal;
        let jalr = o6 & !o3 & o2;
        self.jalr.next = jalr;
        let lui = !o6 & o5 & o2;
        self.lui.next = lui;
        let auipc = !o5 & o4 & o2;
        self.auipc.next = auipc;
        let register = !o6 & o5 & o4 & !o2;
        self.register.next = register;
        let immediate = !o5 & o4 & !o2;
        let arithmetic = register | immediate;
        self.arithmetic.next = arithmetic;
        let shifts = funct3.get_bits::<2>(0) == 1;
        self.shift.next = arithmetic & shifts;
        self.has_result.next = arithmetic | lui | auipc | jal | jalr;
        self.wfi.next = o6 & o4 & word.get_bit(28);
        let ecall = o6 & o4 & !word.get_bit(20);
        self.ecall.next = ecall;
        let ebreak = o6 & o4 & word.get_bit(20) & !word.get_bit(28);
        self.ebreak.next = ebreak;

        let jumps = jalr & funct3.any();
        let branches = branch & !funct3.get_bit(2) & funct3.get_bit(1);
        let wide = funct3.get_bit(1) & funct3.get_bit(0);
        let stores = store & (funct3.get_bit(2) | wide);
        let unsigned_word = funct3.get_bit(1) & funct3.get_bit(2);
        let loads = load & (unsigned_word | wide);
        let fences = !o6 & o3 & (funct3.get_bit(2) | funct3.get_bit(1));
        // Bit 30 selects `sub` and arithmetic shifts, and must otherwise be zero.
        let others = word.get_bits::<5>(25).any() | word.get_bit(31);
        let may_differ = (shifts & funct3.get_bit(2)) | (register & !funct3.any());
        let arithmetics =
            (register | (immediate & shifts)) & (others | (word.get_bit(30) & !may_differ));
        // All zero except the bits that distinguish `ecall` (0), `ebreak` (1) and `wfi` (0x105).
        let zeros = !word.get_bits::<13>(7).any()
            & !word.get_bit(21)
            & !word.get_bits::<5>(23).any()
            & !word.get_bits::<3>(29).any();
        let code = (word.get_bit(28) == word.get_bit(22)) & (word.get_bit(20) | !word.get_bit(28));
        let systems = o6 & o4 & !(zeros & code);
        let illegal =
            !self.known.val() | jumps | branches | stores | loads | fences | arithmetics | systems;
        self.illegal.next = illegal;
        self.stops.next = illegal | ecall | ebreak;
    }
}
