//! Maps a circuit to iCE40 logic cells in yosys.

use super::block_ram;

/// ABC script. The script is yosys's own with two changes: it maps for area, and repeats the
/// mapping from the first result. A node of the cube becomes 4 % smaller and no slower.
const ABC: &str = "+&scorr;&sweep;&dc2;&dch,-f;&if,-a;&mfs;&st;&dch,-f;&if,-a;&mfs";

/// Selects adders and comparators of few bits, which are mapped without a carry chain. The limit is
/// six bits, or eight with a constant operand. A carry chain takes an additional cell where it
/// begins or ends in logic. Its cells also have no room for a multiplexer before a flip-flop. A
/// node of the cube becomes 6 % smaller. An adder of two bytes keeps its chain, so the soft core is
/// no slower.
///
/// The expression takes all narrow sums, and removes those over six bits whose second operand is on
/// a wire. A constant is not on a wire.
const SHORT_SUMS: &str =
    "techmap t:$alu r:Y_WIDTH<=8 %i w:* %co1:+$alu[B] t:$alu %i r:Y_WIDTH>6 %i %d";

/// Yosys commands that synthesise the module `top` up to the mapping of gates to cells. `flags` are
/// further words for `synth_ice40`.
///
/// Memories are mapped as in `synth_ice40`, except that another module makes the block RAMs.
pub(super) fn to_gates(top: &str, flags: &str) -> String {
    let block_ram = block_ram::save_commands();
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
