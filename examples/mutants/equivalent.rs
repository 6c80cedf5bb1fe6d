//! Faults of circuits that no test can detect, by name, with the reason.

use wildmatch::WildMatch;

/// Returns the reason why no test can detect this fault, if it is known.
pub fn equivalence_reason(name: &str) -> Option<&'static str> {
    let known = EQUIVALENT.iter().find(|(pattern, _)| WildMatch::new(pattern).matches(name));
    known.map(|(_, reason)| *reason)
}

/// Names, with `*` for any part of a name.
const EQUIVALENT: &[(&str, &str)] = &[
    (
        "uart_transmitter:elapsed.d:without the right:1",
        "the mask of a counter that never passes its bound: it is there for tools",
    ),
    (
        "word_access:bytes:start:0",
        "nothing is promised of the word before the first access is over",
    ),
    (
        "phase_timer:elapsed.d:stuck at 0:0",
        "after the last window the count stays at a time at which no window opens; 0 is one, too",
    ),
    (
        "phase_timer:elapsed.d:stuck at 1:0",
        "after the last window the count stays at a time at which no window opens; the highest is one, too",
    ),
    (
        "phase_timer:elapsed.d:without the right:0",
        "the mask of a counter that never passes its bound: it is there for tools",
    ),
    (
        "phase_timer:running.d:stuck at 0:0",
        "it is what is kept while nothing runs: 0",
    ),
    (
        "host_port:remaining:constant and one:0",
        "every number of a node is that of a node: one of the queues is meant, always",
    ),
    (
        "host_port:remaining:stuck at 1:0",
        "every number of a node is that of a node: one of the queues is meant, always",
    ),
    (
        "host_port:received:start:0",
        "nothing is promised of the byte received before there is one",
    ),
    (
        "byte_mailbox:byte:constant and one:0",
        "every number of a node is that of a node, whose byte replaces the constant",
    ),
    (
        "programmed_sequencer:side:constant and one:0",
        "an order names only links of the node, whose side replaces the constant",
    ),
    (
        "minimal_rotation:least[*]:start:0",
        "the first rotation of a header is the least so far, whatever was there: all states of small sizes are explored in `agreement::mutants`",
    ),
    (
        "minimal_rotation:leader[*]:start:0",
        "the first rotation of a header replaces it, and nothing is promised of the choice before",
    ),
    (
        "uart_receiver:elapsed:start:0",
        "it is 0 in every clock cycle between bytes, and looked at in bytes only",
    ),
    (
        "host_exchange:next_byte:start:0",
        "no byte passes before a phase begins, which sets it to 0",
    ),
    (
        "byte_receiver:latch:start:0",
        "the latch is empty, and looked at when it is full",
    ),
    (
        "input_controller:tail:without the right:1",
        "an address that is 0 is taken off: no queue takes it, or looks whether it is a tail",
    ),
    (
        "output_queue:chosen:without the left:*",
        "one input at most is taken in a clock cycle",
    ),
    (
        "crc16:register:start:0",
        "it is loaded at the beginning of every frame, before a byte is taken",
    ),
    (
        "frame_port:chosen:always:0",
        "the links after the first have the last word, and one of them is meant if the first is not",
    ),
    (
        "frame_port:reached_6:stuck at 0:0",
        "no metacube has so many counts of cross edges, so no register has so high a number",
    ),
    (
        "frame_walk:remaining:start:0",
        "the length of a frame sets it before the last byte is requested",
    ),
    (
        "output_multiplexer:flit.d:stuck at 0:0",
        "nothing is promised of the wires but in the clock cycle after a byte is sent",
    ),
    (
        "output_multiplexer:flit.d:stuck at 1:0",
        "nothing is promised of the wires but in the clock cycle after a byte is sent",
    ),
    (
        "output_multiplexer:flit:start:0",
        "nothing is promised of the wires but in the clock cycle after a byte is sent",
    ),
];
