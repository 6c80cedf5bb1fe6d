//! The networks, a folder for each: its flags, its machines, how they are driven, and
//! what is said of it. A new network is one folder and one line in [`standard`].
//!
//! * [`Network`]: what a network has to say, in the words that all have;
//! * [`Machine`]: a machine of one;
//! * [`Networks`]: the registry, through which the commands know them;
//! * [`Request`], [`Job`]: what `run` asks a network for, and gets;
//! * [`Setting`]: what all machines of a comparison have in common;
//! * [`HostedBytes`]: a network of bytes as it goes on a board.
//!
//! No command knows a network by name. `examples/your_own_network.rs` adds one from
//! outside this crate.

pub mod bytes;
pub mod cm1;
mod faults;
mod hosted;
mod load;
mod machine;
pub mod metacube;
mod noise;
mod registry;
mod request;
pub mod rotation;
pub mod tdma;
pub mod torus;
mod way;

pub use hosted::HostedBytes;
pub use load::{LoadFound, Verdict};
pub use machine::{Machine, MadeFor, Study};
pub use registry::{own_flags, Flags, Networks};
pub use request::{Job, Notes, Purpose, Refusal, Remark, Request, Setting, Waiting};
pub use way::{Way, WayHop};

use crate::machine::Entry;
use clap::{ArgMatches, Command};
use std::path::Path;

/// A network: everything of it that is not a circuit.
pub trait Network: Sync {
    /// The word for it on the command line.
    fn name(&self) -> &'static str;

    /// What it is, in half a sentence, for `--help`.
    fn about(&self) -> &'static str {
        "a network of your own"
    }

    /// Its own flags for this command, added to `command`. Another network may have a
    /// flag of the same name; it must mean the same.
    fn flags(&self, command: Command, purpose: Purpose) -> Command {
        let _ = purpose;
        command
    }

    /// Whether a flag of `run` that only some networks have is one of its: `trace`,
    /// `picture`, `logic_analyzer`.
    fn takes(&self, flag: &str) -> bool {
        let _ = flag;
        false
    }

    /// The machine that `run` is asked for, and the messages for it. Unless the network
    /// says otherwise, it is the first of its contenders, with nodes of one processor.
    ///
    /// # Errors
    /// If it cannot be built, or cannot carry them.
    fn job(&self, request: &Request) -> Result<Job, Refusal> {
        let messages = request.messages(request.cube)?;
        let setting = Setting {
            cube: request.cube,
            proc_bits: 0,
            payload: messages.longest(),
            alone: true,
            flags: request.flags,
        };
        let mut machines = self.contenders(&setting)?;
        Ok(Job::new(machines.remove(0), messages, request.cube))
    }

    /// The machine that the engines are measured on, and the messages for it.
    ///
    /// # Errors
    /// As [`job`](Self::job).
    fn measured(&self, request: &Request) -> Result<Job, Refusal> {
        self.job(request)
    }

    /// The machines that are worth a line each in a comparison.
    ///
    /// # Errors
    /// If there is none for this setting; [`Refusal::Size`] if there is none of that size.
    fn contenders(&self, setting: &Setting) -> Result<Vec<Box<dyn Machine>>, Refusal>;

    /// Of a comparison, what this network was given: its own flags with their values.
    ///
    /// # Errors
    /// If a flag cannot be read.
    fn settings(&self, setting: &Setting) -> Result<Vec<Entry>, Refusal> {
        let _ = setting;
        Ok(vec![])
    }

    /// What a reader of a comparison is told of it.
    ///
    /// # Errors
    /// As [`settings`](Self::settings).
    fn notes(&self, setting: &Setting) -> Result<Notes, Refusal> {
        let _ = setting;
        Ok(Notes::default())
    }

    /// What papers claim of this network under load, and what a sweep over load has found
    /// of one of its machines.
    ///
    /// # Errors
    /// As [`settings`](Self::settings).
    fn verdicts(&self, setting: &Setting, found: &LoadFound) -> Result<Vec<Verdict>, Refusal> {
        let _ = (setting, found);
        Ok(vec![])
    }

    /// The way of one message that meets no other, between nodes by their addresses;
    /// unless the network says otherwise, that of its relation.
    ///
    /// # Errors
    /// If there is no such node.
    fn way(&self, dims: u64, flags: &ArgMatches, ends: [u64; 2]) -> Result<Way, Refusal> {
        way::of_relation(&*self.waiting(dims, flags)?.relation, dims, ends)
    }

    /// Where a message may go next, and what it holds meanwhile: for the deadlock checker.
    ///
    /// # Errors
    /// If the machine cannot be built, or no message of it waits for another.
    fn waiting(&self, dims: u64, flags: &ArgMatches) -> Result<Waiting, Refusal>;

    /// Commands that only this network has.
    fn commands(&self) -> &'static [OwnCommand] {
        &[]
    }
}

/// A command of a network's own.
pub struct OwnCommand {
    /// Its flags and help.
    pub command: fn() -> Command,
    /// What its output means, in a sentence.
    pub meaning: &'static str,
    /// Does it; the text that is printed. Files go to this folder.
    pub run: fn(&ArgMatches, work_dir: &Path) -> Result<String, Refusal>,
}

/// The networks of this crate.
pub fn standard() -> Networks {
    Networks::of(&[
        &tdma::TDMA,
        &cm1::CM1,
        &torus::TORUS,
        &rotation::ROTATION,
        &metacube::METACUBE,
    ])
}
