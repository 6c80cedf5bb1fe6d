//! The example `examples/verilog/rv32i.v` against the model, instruction by instruction.

use crate::soft_core::isa::encode;
use crate::soft_core::model::{CoreModel, MemoryStore, TurnEnd, WORDS};
use crate::soft_core::program;
use import::YosysJob;
use interconnect::traffic::SplitMix64;
use lockstep::eval::Evaluator;
use lockstep::netlist::{NetId, Netlist};
use std::path::Path;
use toolchain::Toolchain;

/// Instructions of one program, unless it ends in a trap before.
const INSTRUCTIONS: usize = 600;

const WFI: u32 = 0x1050_0073;

/// Core and its memory, which answers after a random number of clock cycles.
struct ExampleBench {
    evaluator: Evaluator,
    memory: Vec<u32>,
    waits: SplitMix64,
}

/// Access of the core that is complete.
#[derive(Debug)]
struct CoreAccess {
    is_fetch: bool,
    address: u32,
    store: Option<MemoryStore>,
}

impl ExampleBench {
    fn new(netlist: &Netlist, memory: Vec<u32>, seed: u64) -> Self {
        let mut bench = ExampleBench {
            evaluator: Evaluator::new(netlist.clone()),
            memory,
            waits: SplitMix64::new(seed),
        };
        bench.set("resetn", 0);
        bench.evaluator.clock();
        bench.set("resetn", 1);
        bench.evaluator.settle();
        bench
    }

    fn set(&mut self, name: &str, value: u32) {
        let net = self.evaluator.netlist().input(name).unwrap();
        self.evaluator.set(net, value.into());
    }

    fn get(&self, name: &str) -> u32 {
        let net: NetId = self.evaluator.netlist().output(name).unwrap();
        self.evaluator.get(net) as u32
    }

    /// Runs up to the end of the next access. Returns `None` if the core traps.
    fn access(&mut self) -> Option<CoreAccess> {
        loop {
            self.set("mem_ready", 0);
            self.evaluator.settle();
            if self.get("trap") == 1 {
                return None;
            }
            if self.get("mem_valid") == 1 && self.waits.below(3) > 0 {
                break;
            }
            self.evaluator.clock();
        }
        let [address, strobe, data] = ["mem_addr", "mem_wstrb", "mem_wdata"].map(|n| self.get(n));
        assert_eq!(address % 4, 0);
        let bytes: u32 = (0..4).map(|i| ((strobe >> i & 1) * 0xFF) << (8 * i)).sum();
        let word = &mut self.memory[(address / 4) as usize % WORDS];
        *word = *word & !bytes | (data & bytes);
        let word = *word;
        self.set("mem_ready", 1);
        self.set("mem_rdata", word);
        let access = CoreAccess {
            is_fetch: self.get("mem_instr") == 1,
            address,
            store: (strobe > 0).then_some(MemoryStore { address, data: data & bytes, strobe }),
        };
        self.evaluator.clock();
        Some(access)
    }
}

fn netlist() -> Netlist {
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/verilog/rv32i.v");
    let dir = tempfile::tempdir().unwrap();
    std::fs::copy(example, dir.path().join("rv32i.v")).unwrap();
    let job = YosysJob { files: vec!["rv32i.v".into()], ..YosysJob::default() };
    std::fs::write(dir.path().join("import.ys"), job.script("import.json")).unwrap();
    let yosys = Toolchain::open().unwrap().yosys().unwrap();
    yosys.run(dir.path(), ["-q", "import.ys"], "yosys.log").unwrap();
    let json = std::fs::read_to_string(dir.path().join("import.json")).unwrap();
    import::import(&json).unwrap().netlist
}

#[test]
#[ignore = "thorough: yosys"]
fn the_example_core_agrees_with_the_model() {
    let netlist = netlist();
    let (mut retired, mut trapped, mut stores) = (0, 0, 0);
    for seed in 0..60 {
        let mut random = SplitMix64::new(seed);
        let mut words = program::random(&mut random);
        let nop = encode("addi", 0, 0, 0, 0);
        words.iter_mut().filter(|word| **word == WFI).for_each(|word| *word = nop);
        let mut model = CoreModel::new(words.clone());
        let mut bench = ExampleBench::new(&netlist, words, seed);
        // The fetch after the last instruction follows the write of its result.
        for number in 0..=INSTRUCTIONS {
            let place = format!("seed {seed}, instruction {number}, {:#010X}", model.pc());
            let fetch = bench.access().expect(&place);
            let is_expected = fetch.is_fetch && fetch.address == model.pc();
            assert!(is_expected && fetch.store.is_none(), "{place}: {fetch:?}");
            if number == INSTRUCTIONS || model.memory.at(model.pc()) == WFI {
                break;
            }
            if let TurnEnd::Halted(_) = model.turn(true) {
                let access = bench.access();
                assert!(access.is_none(), "{place}: {access:?}");
                trapped += 1;
                break;
            }
            if model.memory.load.is_some() || model.memory.store.is_some() {
                let access = bench.access().expect(&place);
                assert!(!access.is_fetch, "{place}: {access:?}");
                assert_eq!(access.store, model.memory.store, "{place}");
                let load = access.store.is_none().then_some(access.address);
                assert_eq!(load, model.memory.load, "{place}");
                stores += usize::from(access.store.is_some());
            }
            retired += 1;
        }
        assert!(bench.memory == model.memory.words, "seed {seed}: the memories differ");
        let memory = netlist.memories.iter().position(|m| m.name.starts_with("registers"));
        let memory = memory.expect("the registers are a memory");
        for register in 1..32 {
            let found = bench.evaluator.memory_word(memory, register);
            assert_eq!(found, model.register(register).into(), "seed {seed}, x{register}");
        }
    }
    assert!(retired > 5_000 && trapped > 20 && stores > 200, "{retired} {trapped} {stores}");
}

/// Tries each combination of opcode and funct3 with several values of funct7.
#[test]
#[ignore = "thorough: yosys"]
fn the_example_core_traps_as_the_model() {
    let netlist = netlist();
    let mut trapped = 0;
    for number in 0..1u32 << 12 {
        let [low, funct3] = [number % 128, number >> 7 & 7];
        let funct7 = [0, 0x20, 0x01, 0x60][(number >> 10) as usize];
        let word = funct7 << 25 | 1 << 20 | funct3 << 12 | 2 << 7 | low;
        let mut words = vec![0; WORDS];
        words[0] = word;
        let mut model = CoreModel::new(words.clone());
        let mut bench = ExampleBench::new(&netlist, words, number.into());
        let fetch = bench.access().expect("the first fetch");
        assert!(fetch.is_fetch && fetch.address == 0);
        let is_trap = matches!(model.turn(true), TurnEnd::Halted(_));
        assert_eq!(bench.access().is_none(), is_trap, "{word:#010X}");
        trapped += usize::from(is_trap);
    }
    assert!((3_000..4_000).contains(&trapped), "{trapped}");
}
