//! Interconnection networks without circuits: topologies, routing relations, schedules and traffic.
//!
//! * [`topology`]: nodes, ports, and which ports are connected;
//! * [`routing`]: the next hop of a message and its time, as relations and schedules;
//! * [`traffic`]: messages, and the patterns that generate them.
//!
//! ```
//! use interconnect::topology::Hypercube;
//! use interconnect::routing::tdma::PhaseSchedule;
//!
//! // A superframe of the 3-cube: each node is heard once in each dimension.
//! let cube = Hypercube::new(3).unwrap();
//! assert_eq!(PhaseSchedule::phases(cube.dims()), 6);
//! ```

pub mod routing;
pub mod topology;
pub mod traffic;

/// Compiles and runs the code in the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
