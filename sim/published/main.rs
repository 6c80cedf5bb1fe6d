//! What is published: the packages for the registry, the Verilog for others, and
//! texts that cite only what this repository holds and files that say what they are.

mod citations;
mod headers;
mod links;
mod packages;
mod verilog;
