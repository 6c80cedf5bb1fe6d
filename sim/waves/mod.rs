//! A waveform contains the behaviour of the machine. Its names equal the names in the emitted
//! Verilog. Its values equal another engine's values in every clock cycle. The decoded signals of a
//! link match a second decoder on its wire and the results of the messages. A truncated file can be
//! read, and observing does not affect the machine. The same holds for a network with its own
//! topology, schedule and decoder.

mod cut;
mod decoded;
mod decoder;
mod file;
mod machine;
mod names;
mod observed;
mod picture;
mod ring;
mod values;
