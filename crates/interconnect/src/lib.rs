//! Interconnection networks without circuits: who is connected to whom, where a message goes
//! next and when, and what is sent.
//!
//! * [`topology`]: which nodes there are and which of their ports meet;
//! * [`routing`]: where a message goes next, and when: relations and schedules;
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

/// The code in the README compiles and runs.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
