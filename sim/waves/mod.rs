//! Claim: a waveform holds what the machine did. Its names are those of the
//! emitted Verilog, its values those that another engine computes, in every clock
//! cycle; what is decoded of a link is what a second decoder reads off its wire,
//! and what became of the messages. It can be read when it was cut short, and who
//! looks changes nothing. All of this holds of a network that brings its own topology,
//! schedule and decoder, too.

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
