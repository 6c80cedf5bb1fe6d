//! Host and board: the protocol under damage, the client against the simulated board, the commands,
//! and the Python package.

mod commands;
mod damage;
mod echo;
mod native_board;
mod page;
mod python;
mod refusals;
mod simulated;

use phasecube::host::listen::Listener;
use phasecube::host::server::Server;
use phasecube::host::simulated::{SimulatedBoardConfig, SimulatedNodes};
use phasecube::host::ThinkinMachine;
use phasecube::program::{Firmware, NodeKind};
use phasecube::toolchain::Toolchain;
use phasecube::topology::Hypercube;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;
use std::thread::JoinHandle;

/// A simulated board in this process. Dropping it ends it.
struct SimulatedBoard {
    port: String,
    over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl SimulatedBoard {
    /// Starts a board of `dims` dimensions. Its clock stops after a few superframes without a move.
    fn new(dims: u64) -> Self {
        let plan = SimulatedBoardConfig {
            rest_superframes: 3,
            ..SimulatedBoardConfig::new(Hypercube::new(dims).unwrap())
        };
        let mut server = Server::new(SimulatedNodes::new(plan).unwrap());
        let mut listener = Listener::open(&"tcp:0".parse().unwrap()).unwrap();
        let port = listener.to_string();
        let over = Arc::<AtomicBool>::default();
        let is_over = over.clone();
        let thread = std::thread::spawn(move || {
            let is_over = || is_over.load(Ordering::Relaxed);
            listener.serve(&mut server, &is_over).unwrap();
        });
        SimulatedBoard {
            port,
            over,
            thread: Some(thread),
        }
    }

    fn connect(&self) -> ThinkinMachine {
        ThinkinMachine::connect(&self.port).unwrap()
    }
}

impl Drop for SimulatedBoard {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Returns one of the programs that are shipped compiled.
fn program(name: &str) -> Firmware {
    let nowhere = std::env::temp_dir();
    Firmware::open(name, NodeKind::CUBE, &Toolchain::open().unwrap(), &nowhere).unwrap()
}
