//! A core on a bus of memories modelled in software, one for each context.

use crate::soft_core::model::{MemoryStore, TurnEnd, WORDS};
use engine::{CircuitEngine, PortId};

/// Clock cycles after which a turn counts as endless.
const PATIENCE: u64 = 1000;

/// Events of one turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CoreTurn {
    pub context: usize,
    pub end: TurnEnd,
    pub store: Option<MemoryStore>,
    pub load: Option<u32>,
    /// Clock cycles from the first in which the context's program counter is visible to the last of
    /// the turn.
    pub clocks: u64,
}

struct SoftCorePorts {
    context: PortId,
    go: PortId,
    wake: PortId,
    ready: PortId,
    read_data: PortId,
    current: PortId,
    retired: PortId,
    asleep: PortId,
    halted: PortId,
    cause: PortId,
    request: PortId,
    address: PortId,
    write_data: PortId,
    write_strobe: PortId,
}

pub struct SoftCoreBench<E: CircuitEngine> {
    pub engine: E,
    ports: SoftCorePorts,
    pub memories: Vec<Vec<u32>>,
    /// `wake` input of each context.
    pub wake: Vec<bool>,
    /// Returns the clock cycles from a request to its answer, for each access in turn.
    pub latency: Box<dyn FnMut() -> u64>,
    /// Reads the registers of a context.
    pub look: Option<fn(&E, usize) -> Vec<u32>>,
    /// Registers after the first clock cycle of the latest turn, when the previous turn has stored
    /// its result. They belong to the context of the previous turn.
    pub seen: Vec<u32>,
    /// Context of the previous turn.
    last: usize,
    /// Outputs of every clock cycle, if recorded.
    pub trace: Option<Vec<Vec<u64>>>,
    pub clock_cycles: u64,
    waiting: Option<(u64, [u64; 3])>,
}

fn latched(mask: u64, data: u64) -> u32 {
    let lanes = (0..4).map(|i| ((mask >> i & 1) * 0xFF) << (8 * i));
    (lanes.sum::<u64>() & data) as u32
}

impl<E: CircuitEngine> SoftCoreBench<E> {
    /// Creates a bench whose memories answer one clock cycle after the request.
    pub fn new(mut engine: E, memories: Vec<Vec<u32>>) -> Self {
        let ports = SoftCorePorts {
            context: engine.port("context"),
            go: engine.port("go"),
            wake: engine.port("wake"),
            ready: engine.port("ready"),
            read_data: engine.port("read_data"),
            current: engine.port("current"),
            retired: engine.port("retired"),
            asleep: engine.port("asleep"),
            halted: engine.port("halted"),
            cause: engine.port("cause"),
            request: engine.port("request"),
            address: engine.port("address"),
            write_data: engine.port("write_data"),
            write_strobe: engine.port("write_strobe"),
        };
        engine.set_u64(ports.go, 1);
        let mut bench = SoftCoreBench {
            engine,
            ports,
            wake: vec![false; memories.len()],
            memories,
            latency: Box::new(|| 1),
            look: None,
            seen: vec![],
            last: 0,
            trace: None,
            clock_cycles: 0,
            waiting: None,
        };
        // The core leaves its wait for `go` and begins the first turn.
        bench.clock();
        bench
    }

    fn get(&mut self, port: PortId) -> u64 {
        self.engine.get_u64(port)
    }

    fn settle(&mut self) {
        self.engine.settle().expect("the core has no loop");
    }

    fn clock(&mut self) {
        self.settle();
        if self.trace.is_some() {
            let outputs = self.outputs();
            self.trace.as_mut().expect("it is kept").push(outputs);
        }
        self.engine.clock().expect("the core has no loop");
        self.clock_cycles += 1;
    }

    fn outputs(&mut self) -> Vec<u64> {
        let ports = 0..self.engine.ports().len();
        let outputs: Vec<usize> = ports.filter(|i| !self.engine.ports()[*i].input).collect();
        outputs.into_iter().map(|i| self.get(PortId(i))).collect()
    }

    /// Runs one turn. `next` is the context of the turn after it.
    pub fn turn(&mut self, next: usize) -> CoreTurn {
        self.engine.set_u64(self.ports.context, next as u64);
        let context = self.get(self.ports.current) as usize;
        let mut turn =
            CoreTurn { context, end: TurnEnd::Asleep, store: None, load: None, clocks: 0 };
        let mut fetched = false;
        while turn.clocks < PATIENCE {
            turn.clocks += 1;
            let wake = u64::from(self.wake[context]);
            self.engine.set_u64(self.ports.wake, wake);
            self.engine.set_u64(self.ports.ready, 0);
            // The core must ignore this value.
            self.engine.set_u64(self.ports.read_data, 0xDEAD_BEEF);
            self.settle();
            assert_eq!(self.get(self.ports.current) as usize, context);
            if let Some((address, data, strobe)) = self.access(!fetched) {
                let index = (address / 4) as usize % WORDS;
                let word = &mut self.memories[context][index];
                self.engine.set_u64(self.ports.read_data, (*word).into());
                self.engine.set_u64(self.ports.ready, 1);
                let address = address as u32;
                if strobe != 0 {
                    let data = latched(strobe, data);
                    *word = *word & !latched(strobe, u64::MAX) | data;
                    assert!(fetched && turn.store.is_none() && turn.load.is_none());
                    turn.store = Some(MemoryStore { address, data, strobe: strobe as u32 });
                } else if fetched {
                    assert!(turn.store.is_none() && turn.load.is_none());
                    turn.load = Some(address);
                }
                fetched = true;
                self.settle();
            }
            let ends = [self.ports.retired, self.ports.asleep, self.ports.halted];
            let ends = ends.map(|port| self.get(port));
            let cause = self.get(self.ports.cause) as u32;
            self.clock();
            if let (1, Some(look)) = (turn.clocks, self.look) {
                self.seen = look(&self.engine, self.last);
                self.last = context;
            }
            match ends {
                [0, 0, 0] => {}
                [1, 0, 0] => {
                    turn.end = TurnEnd::Retired;
                    return turn;
                }
                [0, 1, 0] => return turn,
                [0, 0, 1] => {
                    turn.end = TurnEnd::Halted(cause);
                    // The core leaves its wait for `go` and begins the next turn.
                    self.clock();
                    return turn;
                }
                _ => panic!("a turn has one end: {ends:?}"),
            }
        }
        panic!("the turn does not end: {turn:?}");
    }

    /// Runs a clock cycle in which no memory answers. The result of the previous turn is then in
    /// its register.
    pub fn rest(&mut self) {
        self.engine.set_u64(self.ports.ready, 0);
        self.clock();
    }

    /// Runs instead of `rest`. Returns the program counter and the instruction at which the core
    /// halted, read while it waits.
    pub fn halted_at(&mut self) -> [u32; 2] {
        self.engine.set_u64(self.ports.ready, 0);
        self.engine.set_u64(self.ports.go, 0);
        for _ in 0..2 {
            self.clock();
        }
        self.settle();
        let reported = ["program_counter", "instruction"].map(|name| {
            let port = self.engine.port(name);
            self.get(port) as u32
        });
        self.engine.set_u64(self.ports.go, 1);
        self.clock();
        reported
    }

    /// Returns address, data and strobe of the access that is answered in this clock cycle.
    fn access(&mut self, fetch: bool) -> Option<(u64, u64, u64)> {
        if self.get(self.ports.request) == 0 {
            assert!(self.waiting.is_none(), "a request was taken back");
            return None;
        }
        let ports = [self.ports.address, self.ports.write_data, self.ports.write_strobe];
        let mut wanted = ports.map(|port| self.get(port));
        if wanted[2] == 0 {
            // The data of a read are meaningless.
            wanted[1] = 0;
        }
        let (left, before) = match self.waiting {
            Some(waiting) => waiting,
            // A fetch is not answered in its first clock cycle.
            None => ((self.latency)().max(fetch.into()), wanted),
        };
        assert_eq!(wanted, before, "a request changed");
        assert_eq!(wanted[0] % 4, 0, "an address of no word");
        self.waiting = (left > 0).then(|| (left - 1, before));
        let [address, data, strobe] = wanted;
        (left == 0).then_some((address, data, strobe))
    }
}
