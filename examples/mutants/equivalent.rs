//! Faults of circuits that nothing can tell, by name, and why.

pub const EQUIVALENT: &[(&str, &str)] = &[
    (
        "uart_transmitter:elapsed.d:without the right:1",
        "the mask of a counter that never passes its bound: it is there for tools",
    ),
    (
        "word_access:bytes:start:0",
        "nothing is promised of the word before the first access is over",
    ),
];
