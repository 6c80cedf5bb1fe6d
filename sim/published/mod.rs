//! What is published: the packages for the registry, the Verilog for others, and
//! texts that cite only what this repository holds, files that say what they are and kernels
//! that are not too long.

mod citations;
mod comments;
mod headers;
mod kernels;
mod links;
mod packages;
mod verilog;
