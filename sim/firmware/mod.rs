//! Nodes that run code: the programs of `firmware/`, compiled by the pinned
//! compiler and run on the core's RTL, on a PC, and against what the hardware
//! forwarder does.

mod adaptive;
mod agreement;
mod cm1;
mod collectives;
mod images;
mod livelock;
mod machine;
mod native;
mod port;
mod programs;
mod raw;
mod route;
mod service;
mod shipped;
mod slot;
