//! How yosys makes iCE40 logic cells of a circuit.

/// What yosys has ABC do: as its own script, but map for area, and again with what
/// was found the first time. A node of the cube gets 4 % smaller and no slower.
const ABC: &str = "+&scorr;&sweep;&dc2;&dch,-f;&if,-a;&mfs;&st;&dch,-f;&if,-a;&mfs";

/// What adds or compares few bits gets no carry chain: words of up to six bits, and, with a constant,
/// of up to eight. A chain takes a cell more where it begins or ends in logic, and what chooses
/// before a flip-flop finds no room in its cells. A node of the cube gets 6 % smaller; an adder
/// of two bytes keeps its chain, so that the soft core is no slower.
///
/// yosys takes from all narrow sums those over six bits whose second operand is on a wire: a
/// constant is on none.
const SHORT_SUMS: &str =
    "techmap t:$alu r:Y_WIDTH<=8 %i w:* %co1:+$alu[B] t:$alu %i r:Y_WIDTH>6 %i %d";

/// The commands for yosys that synthesise the module `top`, up to where cells are made of its gates.
/// `flags` are further words for `synth_ice40`.
pub(super) fn to_gates(top: &str, flags: &str) -> String {
    format!(
        "scratchpad -set abc9.script \"{ABC}\"\n\
         synth_ice40 -top {top} {flags} -run begin:map_gates\n\
         {SHORT_SUMS}\n"
    )
}
