//! Designs on boards: images match their designs, and the programs that load and monitor them
//! report correctly. No board is needed.

mod board_reference;
mod boards;
mod fake_computer;
mod flash;
mod limits;
mod monitor;
mod placed;
mod published;
mod tools;
mod virtual_echo;
mod virtual_hosts;
