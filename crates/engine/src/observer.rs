//! Observation of a running machine for waveforms and pictures.

use super::{EngineError, NodeEngine, NodePortId, SharedPortId};

/// Observer of a running machine, which changes nothing in it.
pub trait Observer {
    /// First clock cycle from `clock` on, counted from the start, that the observer wants to see.
    /// `None` if it has finished.
    fn next_look(&self, clock: u64) -> Option<u64>;

    /// Observes the machine in this clock cycle, when it has settled and before the clock edge.
    ///
    /// # Errors
    /// If the observed data cannot be stored.
    fn look(&mut self, engine: &mut dyn NodeEngine, clock: u64) -> Result<(), EngineError>;
}

/// Engine that is observed.
///
/// The wrapper is inserted between the engine and the machine that drives it, and is transparent
/// for both. Between observations it runs at the engine's speed.
pub struct ObservedEngine<'a> {
    engine: &'a mut dyn NodeEngine,
    observers: Vec<&'a mut dyn Observer>,
    /// Present clock cycle.
    clock: u64,
}

impl<'a> ObservedEngine<'a> {
    /// Starts with an engine in clock cycle 0.
    pub fn new(engine: &'a mut dyn NodeEngine, observers: Vec<&'a mut dyn Observer>) -> Self {
        ObservedEngine {
            engine,
            observers,
            clock: 0,
        }
    }

    /// Clock cycles until the next observation, at most `at_most`.
    fn clocks_to_next_look(&self, at_most: u64) -> u64 {
        let looks = self.observers.iter().map(|o| o.next_look(self.clock));
        let next = looks.flatten().min().unwrap_or(u64::MAX);
        at_most.min(next - self.clock)
    }
}

impl NodeEngine for ObservedEngine<'_> {
    fn name(&self) -> &'static str {
        self.engine.name()
    }

    fn nodes(&self) -> usize {
        self.engine.nodes()
    }

    fn port(&mut self, name: &str) -> NodePortId {
        self.engine.port(name)
    }

    fn shared_port(&mut self, name: &str) -> SharedPortId {
        self.engine.shared_port(name)
    }

    fn signal(&mut self, path: &str) -> Option<NodePortId> {
        self.engine.signal(path)
    }

    fn shared_signal(&mut self, path: &str) -> Option<SharedPortId> {
        self.engine.shared_signal(path)
    }

    fn set(&mut self, port: NodePortId, node: usize, value: u64) {
        self.engine.set(port, node, value);
    }

    fn set_shared(&mut self, port: SharedPortId, value: u64) {
        self.engine.set_shared(port, value);
    }

    fn settle(&mut self) -> Result<(), EngineError> {
        self.engine.settle()
    }

    fn get(&mut self, port: NodePortId, node: usize) -> u64 {
        self.engine.get(port, node)
    }

    fn get_shared(&mut self, port: SharedPortId) -> u64 {
        self.engine.get_shared(port)
    }

    fn get_all(&mut self, port: NodePortId, values: &mut Vec<u64>) {
        self.engine.get_all(port, values);
    }

    fn nonzero(&mut self, port: NodePortId, nodes: &mut Vec<usize>) {
        self.engine.nonzero(port, nodes);
    }

    fn any(&mut self, ports: &[NodePortId]) -> bool {
        self.engine.any(ports)
    }

    fn clock(&mut self) -> Result<(), EngineError> {
        let clock = self.clock;
        for observer in &mut self.observers {
            if observer.next_look(clock) == Some(clock) {
                self.engine.settle()?;
                observer.look(self.engine, clock)?;
            }
        }
        self.clock += 1;
        self.engine.clock()
    }

    fn clocks_until(&mut self, at_most: u64, ports: &[NodePortId]) -> Result<u64, EngineError> {
        let mut done = 0;
        while done < at_most {
            let unseen = self.clocks_to_next_look(at_most - done);
            if unseen > 0 {
                let went = self.engine.clocks_until(unseen, ports)?;
                (self.clock, done) = (self.clock + went, done + went);
                if went < unseen {
                    break;
                }
            } else {
                self.engine.settle()?;
                if self.engine.any(ports) {
                    break;
                }
                self.clock()?;
                done += 1;
            }
        }
        Ok(done)
    }

    fn clocks(&mut self, clock_cycles: u64) -> Result<(), EngineError> {
        let mut left = clock_cycles;
        while left > 0 {
            match self.clocks_to_next_look(left) {
                0 => {
                    self.clock()?;
                    left -= 1;
                }
                unseen => {
                    self.engine.clocks(unseen)?;
                    self.clock += unseen;
                    left -= unseen;
                }
            }
        }
        Ok(())
    }
}
