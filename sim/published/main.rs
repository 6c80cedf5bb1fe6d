//! What is published: the packages for the registry, the Verilog for others, and
//! texts that cite only what this repository holds.

mod citations;
mod packages;
mod verilog;
