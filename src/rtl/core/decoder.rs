use crate::lower::{kernel, Circuit};
use rust_hdl::prelude::*;

// Bits 2 to 6 of an instruction (RISC-V Unprivileged ISA, table of base opcodes).
const LOAD: usize = 0b00000;
const MISC_MEM: usize = 0b00011;
const OP_IMM: usize = 0b00100;
const AUIPC: usize = 0b00101;
const STORE: usize = 0b01000;
const OP: usize = 0b01100;
const LUI: usize = 0b01101;
const BRANCH: usize = 0b11000;
const JALR: usize = 0b11001;
const JAL: usize = 0b11011;
const SYSTEM: usize = 0b11100;

/// Says what kind of instruction a word is. Combinational.
///
/// RV32I with `ecall`, `ebreak` and `wfi`; every other encoding is illegal. Of
/// `fence` and `fence.i` only the opcode and `funct3` are looked at. At most one of
/// the kinds is high for a legal instruction; for an illegal one any may be.
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
    /// Arithmetic with a register and an immediate.
    pub immediate: Signal<Out, Bit>,
    pub wfi: Signal<Out, Bit>,
    pub ecall: Signal<Out, Bit>,
    pub ebreak: Signal<Out, Bit>,
    pub illegal: Signal<Out, Bit>,
}

impl Logic for Decoder {
    #[kernel]
    fn update(&mut self) {
        let word = self.instruction.val();
        let funct3 = word.get_bits::<3>(12);
        let funct7 = word.get_bits::<7>(25);
        let plain = funct7 == 0;
        let alternate = funct7 == 0x20;

        // As few bits as tell the legal ones apart.
        let o2 = word.get_bit(2);
        let o3 = word.get_bit(3);
        let o4 = word.get_bit(4);
        let o5 = word.get_bit(5);
        let o6 = word.get_bit(6);
        self.load.next = !o5 & !o4 & !o2;
        self.store.next = !o6 & o5 & !o4;
        self.branch.next = o6 & !o4 & !o2;
        self.jal.next = o6 & o3;
        self.jalr.next = o6 & !o3 & o2;
        self.lui.next = !o6 & o5 & o2;
        self.auipc.next = !o5 & o4 & o2;
        self.register.next = !o6 & o5 & o4 & !o2;
        self.immediate.next = !o5 & o4 & !o2;
        self.wfi.next = o6 & o4 & word.get_bit(28);
        self.ecall.next = o6 & o4 & !word.get_bit(20);
        self.ebreak.next = o6 & o4 & word.get_bit(20) & !word.get_bit(28);

        self.illegal.next = !word.get_bits::<2>(0).all();
        match word.get_bits::<5>(2).index() {
            LOAD => {
                if (funct3 == 3) | (funct3 >= 6) {
                    self.illegal.next = true;
                }
            }
            MISC_MEM => {
                if funct3 >= 2 {
                    self.illegal.next = true;
                }
            }
            OP_IMM => {
                let bad_left = (funct3 == 1) & !plain;
                let bad_right = (funct3 == 5) & !plain & !alternate;
                if bad_left | bad_right {
                    self.illegal.next = true;
                }
            }
            AUIPC => {}
            STORE => {
                if funct3 >= 3 {
                    self.illegal.next = true;
                }
            }
            OP => {
                let has_alternate = (funct3 == 0) | (funct3 == 5);
                if !plain & !(alternate & has_alternate) {
                    self.illegal.next = true;
                }
            }
            LUI => {}
            BRANCH => {
                if (funct3 == 2) | (funct3 == 3) {
                    self.illegal.next = true;
                }
            }
            JALR => {
                if funct3 != 0 {
                    self.illegal.next = true;
                }
            }
            JAL => {}
            SYSTEM => {
                let code = word.get_bits::<12>(20);
                let known = (code == 0x000) | (code == 0x001) | (code == 0x105);
                if word.get_bits::<13>(7).any() | !known {
                    self.illegal.next = true;
                }
            }
            _ => self.illegal.next = true,
        }
    }
}
