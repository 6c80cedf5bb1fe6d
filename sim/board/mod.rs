//! Designs on boards: images are what was meant, and the programs that load and
//! watch them say what they do. No board is needed.

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
