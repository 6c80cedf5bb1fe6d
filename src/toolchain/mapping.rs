//! How yosys makes iCE40 logic cells of a circuit.

use super::block_ram;

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
///
/// Memories are mapped as that does it, but for the module that makes block RAMs.
pub(super) fn to_gates(top: &str, flags: &str) -> String {
    let block_ram = block_ram::saved();
    format!(
        "{block_ram}\
         scratchpad -set abc9.script \"{ABC}\"\n\
         synth_ice40 -top {top} {flags} -run begin:map_ram\n\
         memory_libmap -lib +/ice40/brams.txt -lib +/ice40/spram.txt -no-auto-huge\n\
         techmap -map %block_ram -map +/ice40/spram_map.v\n\
         ice40_braminit\n\
         synth_ice40 {flags} -run map_ffram:map_gates\n\
         {SHORT_SUMS}\n"
    )
}
