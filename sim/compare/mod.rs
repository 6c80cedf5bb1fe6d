//! Every network of a comparison delivers the same messages, at the times that the second models
//! and the formulas give. The report prints these figures in each of its formats.

mod circuits;
mod delivered;
mod load;
mod machine;
mod page;
mod run;
mod times;
