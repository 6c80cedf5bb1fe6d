//! The LED panel of a simulated machine.
//!
//! ```text
//!   engine -- at the start of each phase --> PanelObserver --> Recorder --> GIF, PNG, SVG
//!                                              |      ^
//!                               picture, nodes |      | pause, step, speed
//!                                              v      |
//!                                           shared state (PanelState)
//!                                              |      ^
//!                                              v      |
//!   browsers <-------- HTTP, loopback ------ PanelServer
//! ```
//!
//! The observer runs in the thread of the simulation. It stops the machine while a user has paused it.
//! The server has threads of its own, and never touches the engine.

mod grid;
mod observer;
mod recorder;
mod server;
mod state;

pub use grid::Grid;
pub use observer::{NoLeds, PanelObserver, ShownMachine};
pub use recorder::{Picture, PictureFormat, Recorder};
pub use server::{PanelServer, PanelServerError};
pub use state::{PanelState, Speed};
