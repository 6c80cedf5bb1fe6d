//! Nodes that run code. The programs of `firmware/`, compiled by the pinned compiler, run on the
//! core's RTL and on a PC. They are compared with the hardware forwarder.

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
mod starc;
