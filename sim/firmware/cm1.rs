//! Programs that use the CM-1 beside the nodes (`firmware/include/cm1.h`). Eight programs run on
//! harts of `rrs-lib`, one instruction at a time in turn. The RTL of the board is on their shared
//! bus.

use crate::firmware::{builds, firmware};
use crate::support::cm1_bus::Cm1BusMaster;
use hdl::lower::lower;
use models::cm1::{self, Cm1ModelEject, Cm1ModelMachine};
use phasecube::engine::EvaluatorEngine;
use phasecube::rtl::cm1::Cm1Board;
use rrs_lib::instruction_executor::InstructionExecutor;
use rrs_lib::{HartState, MemAccessSize, Memory};
use std::cell::RefCell;
use std::fs;
use std::rc::Rc;

/// Node n sends three bytes to n ^ 1, n ^ 2, .. n ^ 7. It reports each received message with its
/// time.
const EXCHANGE: &str = r#"
    #include "cm1.h"
    #include "tdma.h"

    #define TELL (*(volatile uint32_t *)0x40000100u)

    int main(void)
    {
        unsigned here = tdma_strapped_address();
        unsigned next = 1;
        cm1_init(here);
        do {
            uint8_t buf[CM1_DATA] = {(uint8_t)here, (uint8_t)next, 0xA5};
            if (next < 8 && !cm1_send(here ^ next, buf, 3))
                next++;
            cm1_petit();
            if (cm1_recv(buf, sizeof buf) == CM1_DATA)
                TELL = buf[0] | buf[1] << 8 | buf[2] << 16 | cm1_petits() << 24;
        } while (!cm1_done());
        TELL = cm1_bit_times();
        for (;;)
            ;
    }
"#;

const NODES: usize = 8;
const DATA: u32 = 0x1000_0000;
const NODE_ADDRESS: u32 = 0xFFFF_FF40;
const CM1: u32 = 0x4000_0080;
const REPORT: u32 = 0x4000_0100;

/// The bus shared by all nodes.
type Shared = Rc<RefCell<Cm1BusMaster<Box<EvaluatorEngine>>>>;

/// Memory of a node's program, and the words that it reported.
struct Cm1NodeMemory {
    node: usize,
    program: Rc<[u32]>,
    data: [u8; 512],
    reported: Vec<u32>,
    bus: Shared,
}

impl Memory for Cm1NodeMemory {
    fn read_mem(&mut self, address: u32, size: MemAccessSize) -> Option<u32> {
        let bytes = bytes(&size);
        Some(match address {
            NODE_ADDRESS => self.node as u32,
            CM1..REPORT => {
                let offset = (address - CM1).into();
                self.bus.borrow_mut().read(self.node, offset) as u32
            }
            DATA.. => (0..bytes)
                .rev()
                .fold(0, |word, i| word << 8 | u32::from(self.data[(address + i) as usize % 512])),
            _ => {
                let word = self.program.get(address as usize / 4)?;
                (word >> (8 * (address % 4))) & (!0 >> (32 - 8 * bytes))
            }
        })
    }

    fn write_mem(&mut self, address: u32, size: MemAccessSize, data: u32) -> bool {
        match address {
            REPORT => self.reported.push(data),
            CM1..REPORT => {
                let offset = (address - CM1).into();
                self.bus.borrow_mut().write(self.node, offset, data.into());
            }
            _ => {
                for i in 0..bytes(&size) {
                    self.data[(address + i) as usize % 512] = (data >> (8 * i)) as u8;
                }
            }
        }
        true
    }
}

fn bytes(size: &MemAccessSize) -> u32 {
    match size {
        MemAccessSize::Byte => 1,
        MemAccessSize::HalfWord => 2,
        MemAccessSize::Word => 4,
    }
}

/// Runs until each program has reported `words` words. Returns the words.
fn run(program: &[u32], words: usize) -> Vec<Vec<u32>> {
    let design = lower(&Cm1Board::new(3, 8)).unwrap();
    let engine = Box::new(EvaluatorEngine::new(&design).unwrap());
    let bus = Rc::new(RefCell::new(Cm1BusMaster::new(engine)));
    let node = |node| Cm1NodeMemory {
        node,
        program: program.into(),
        data: [0; 512],
        reported: vec![],
        bus: bus.clone(),
    };
    let mut nodes: Vec<_> = (0..NODES).map(|i| (HartState::new(), node(i))).collect();
    for _ in 0..100_000 {
        for (hart_state, mem) in &mut nodes {
            let mut executor = InstructionExecutor { mem, hart_state };
            executor.step().expect("an instruction");
        }
        if nodes.iter().all(|(_, view)| view.reported.len() == words) {
            return nodes.into_iter().map(|(_, view)| view.reported).collect();
        }
    }
    panic!("the programs did not tell all that they should");
}

#[test]
#[ignore = "thorough: compiles programs"]
fn eight_programs_exchange_messages() {
    let path = builds().join("cm1_exchange.c");
    fs::write(&path, EXCHANGE).unwrap();
    let program = firmware(path.to_str().unwrap());
    // Seven messages and the total time.
    let reported = run(&program.words, 8);

    let pairs: Vec<(u32, u32)> =
        (1..8).flat_map(|next| (0..8).map(move |node| (node, node ^ next))).collect();
    let machine = Cm1ModelMachine {
        dims: 3,
        rows: 3,
        processors: 1,
        eject: Cm1ModelEject::PerChip,
        timeout: u64::MAX,
    };
    let model = cm1::run(machine, &pairs, 1_000);
    let mut wanted = vec![vec![]; NODES];
    for ((source, destination), petit) in pairs.iter().zip(&model.delivered) {
        let petits = petit.unwrap() as u32 + 1;
        let next = source ^ destination;
        wanted[*destination as usize].push(source | next << 8 | 0xA5 << 16 | petits << 24);
    }
    let bit_times = (model.petit_cycles - 1) * 69 + 75;
    for (wanted, reported) in wanted.iter_mut().zip(reported) {
        wanted.sort_by_key(|word| word >> 24);
        wanted.push(bit_times as u32);
        assert_eq!(*wanted, reported);
    }
}
