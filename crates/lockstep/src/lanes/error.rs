//! Errors of a machine of lanes.

use thiserror::Error;

/// Reason why a machine cannot be created or cannot perform a request.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum LanesError {
    #[error("{0} lanes are not possible; accepted: 2 to 65,536")]
    Lanes(usize),
    #[error("{0} threads are not possible; accepted: 1 to 256")]
    Threads(usize),
    #[error("the circuit has no input `{0}`")]
    NoInput(String),
    #[error("the circuit has no output `{0}`")]
    NoOutput(String),
    #[error("the helper circuit has no input `{0}`")]
    NoHelperInput(String),
    #[error("the helper circuit has no output `{0}`")]
    NoHelperOutput(String),
    #[error("the helper circuit has no signal `{0}`")]
    NoHelperSignal(String),
    #[error("the machine has no helper circuit")]
    NoHelper,
    #[error("the circuit has no signal `{0}`")]
    NoSignal(String),
    #[error("`{0}` is not kept; accepted: outputs, and signals named in the options")]
    NotKept(String),
    #[error("`{port}` has no bit {bit}; it has {width} bits")]
    NoBit { port: String, bit: u32, width: u32 },
    #[error("{value} doesn't fit `{port}`, which has {width} bits")]
    TooLarge {
        port: String,
        value: String,
        width: u32,
    },
    #[error("bit {bit} of the input `{port}` is {found}, so it can't be set {wanted}")]
    NotSettable {
        port: String,
        bit: u32,
        found: &'static str,
        wanted: &'static str,
    },
    #[error("lane {0} takes its input from lane {1}; accepted: lanes below {2}")]
    NoLane(usize, usize, usize),
    #[error("the table has {found} lanes; accepted: {lanes}, as in the machine")]
    TableLength { found: usize, lanes: usize },
    #[error("{found} words for a bit of {lanes} lanes; accepted: {wanted} words")]
    PlaneLength {
        found: usize,
        wanted: usize,
        lanes: usize,
    },
    #[error(
        "bit {bit} of the output `{output}` is linked to other lanes and depends on the linked \
         input `{input}` without a register in between"
    )]
    LinkedLoop {
        output: String,
        bit: u32,
        input: String,
    },
    #[error("the circuit has no memory `{0}`")]
    NoMemory(String),
    #[error("memory `{0}` is shared by all lanes and cannot be written in one")]
    SharedMemory(String),
    #[error("memory `{memory}` has no word {address}; it has {words} words")]
    NoWord {
        memory: String,
        words: usize,
        address: usize,
    },
    #[error("this processor can't run {0} code")]
    Backend(&'static str),
    #[error("an instruction has no encoding: {0}")]
    Encoding(String),
    #[error("no memory for machine code: {0}")]
    CodeMemory(String),
}
