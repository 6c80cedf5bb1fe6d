//! Claim: every network of a comparison delivers the same messages, in the times
//! that the second models and the formulas give; the report's figures are those,
//! whatever form they are printed in.

mod circuits;
mod delivered;
mod load;
mod machine;
mod page;
mod run;
mod times;
