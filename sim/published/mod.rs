//! Published material: packages for the registry, and Verilog headers. Texts cite only
//! files of this repository, files describe themselves, and kernels are not too long.

mod citations;
mod comments;
mod diagrams;
mod headers;
mod kernels;
mod links;
mod own_design;
mod packages;
