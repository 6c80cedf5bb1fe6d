//! Designs on boards: images match their designs, and the programs that load and monitor them
//! report correctly. No board is needed.

mod boards;
mod flash;
mod limits;
mod monitor;
mod placed;
mod pretend;
mod published;
mod tools;
mod twin;
mod virtual_echo;
mod virtual_hosts;
