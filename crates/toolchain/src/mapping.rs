//! Maps a circuit to iCE40 logic cells in yosys.

use std::fmt::Write;

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
    let block_ram = save_commands();
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

// Maps memories to iCE40 block RAMs in yosys.
//
// Yosys has its own module for this. A function in that module computes the initial words of each
// block RAM bit by bit. This took almost as long as the rest of an image's synthesis. The module
// here lists the bits one by one and gives the same result.

/// Data bits of a block RAM. Also the number of initial words in each parameter `INIT_0` to
/// `INIT_F`.
const DATA: usize = 16;

/// First part of the module, which does not depend on a width. Yosys finds the module by its ports
/// and parameters. The three lowest bits of an address select a part of a word, the highest first.
const HEAD: &str = "\
module \\$__ICE40_RAM4K_ (...);
parameter INIT = 0;
parameter OPTION_HAS_BE = 1;
parameter PORT_R_WIDTH = 16;
parameter PORT_W_WIDTH = 16;
parameter PORT_W_WR_BE_WIDTH = 16;
parameter PORT_R_CLK_POL = 1;
parameter PORT_W_CLK_POL = 1;
input PORT_R_CLK;
input PORT_R_RD_EN;
input [10:0] PORT_R_ADDR;
output [PORT_R_WIDTH-1:0] PORT_R_RD_DATA;
input PORT_W_CLK;
input PORT_W_WR_EN;
input [15:0] PORT_W_WR_BE;
input [10:0] PORT_W_ADDR;
input [PORT_W_WIDTH-1:0] PORT_W_WR_DATA;
wire [15:0] RDATA;
wire [15:0] WDATA;
wire [15:0] MASK;
wire [10:0] RADDR = {PORT_R_ADDR[0], PORT_R_ADDR[1], PORT_R_ADDR[2], PORT_R_ADDR[10:3]};
wire [10:0] WADDR = {PORT_W_ADDR[0], PORT_W_ADDR[1], PORT_W_ADDR[2], PORT_W_ADDR[10:3]};
";

/// The cell for rising clock edges. The circuits here have no others, and yosys's module handles
/// those. The mode parameters are two bits wide, as in yosys's module.
const CELL: &str = "\
generate if (!PORT_R_CLK_POL || !PORT_W_CLK_POL) wire _TECHMAP_FAIL_ = 1; endgenerate
SB_RAM40_4K #(
    .READ_MODE(PORT_R_WIDTH == 16 ? 2'd0 : PORT_R_WIDTH == 8 ? 2'd1 : PORT_R_WIDTH == 4 ? 2'd2 : 2'd3),
    .WRITE_MODE(PORT_W_WIDTH == 16 ? 2'd0 : PORT_W_WIDTH == 8 ? 2'd1 : PORT_W_WIDTH == 4 ? 2'd2 : 2'd3)";

const PINS: &str = "
) _TECHMAP_REPLACE_ (
    .RDATA(RDATA), .RCLK(PORT_R_CLK), .RCLKE(PORT_R_RD_EN), .RE(1'b1), .RADDR(RADDR),
    .WDATA(WDATA), .WCLK(PORT_W_CLK), .WCLKE(PORT_W_WR_EN), .WE(1'b1), .WADDR(WADDR), .MASK(MASK)
);
endmodule
";

/// Reverses the four bits of the number. The data bits of block RAMs have this order so that the
/// data bits of narrow words are adjacent.
fn reverse_bits(bit: usize) -> usize {
    (0..4).fold(0, |turned, i| turned << 1 | bit >> i & 1)
}

/// Formats the concatenation `{word[.], .. word[.]}` of bits of a word, the lowest first.
fn bits(word: &str, which: impl DoubleEndedIterator<Item = usize>) -> String {
    let bits: Vec<String> = which.rev().map(|bit| format!("{word}[{bit}]")).collect();
    format!("{{{}}}", bits.join(", "))
}

/// Yosys commands that save the module as the design `block_ram`, for `techmap -map %block_ram`.
/// The current design of yosys remains unchanged.
pub(super) fn save_commands() -> String {
    format!(
        "design -push\n\
         read_verilog -noblackbox <<END_OF_MODULE\n{}END_OF_MODULE\n\
         design -save block_ram\n\
         design -pop\n",
        verilog()
    )
}

fn verilog() -> String {
    let (mut reads, mut writes) = (String::new(), String::new());
    // A narrow word uses every second, fourth or eighth data bit, from the lowest one given here.
    for (width, lowest) in [(2, 3), (4, 1), (8, 0), (DATA, 0)] {
        let data = |word| bits(word, (0..width).map(|bit| reverse_bits(bit) + lowest));
        let (read, write) = (data("RDATA"), data("WDATA"));
        let _ = writeln!(reads, "{width}: assign PORT_R_RD_DATA = {read};");
        let _ = writeln!(writes, "{width}: assign {write} = PORT_W_WR_DATA;");
    }
    let enables = bits("PORT_W_WR_BE", (0..DATA).map(reverse_bits));
    let mut text = format!(
        "{HEAD}generate case (PORT_R_WIDTH)\n{reads}endcase endgenerate\n\
         generate case (PORT_W_WIDTH)\n{writes}endcase endgenerate\n\
         generate if (PORT_W_WIDTH == {DATA}) assign MASK = ~{enables}; endgenerate\n{CELL}"
    );
    for part in 0..DATA {
        let words = (0..256).map(|bit| part << 8 | bit >> 4 << 4 | reverse_bits(bit & 15));
        let _ = write!(text, ",\n    .INIT_{part:X}({})", bits("INIT", words));
    }
    text + PINS
}

#[cfg(test)]
mod tests {
    use super::super::Toolchain;
    use super::*;
    use serde_json::Value;
    use std::fs;

    // Claim: reversing twice restores the number. 1 becomes 8.
    #[test]
    fn data_bits_are_reversed() {
        assert_eq!([0, 1, 2, 6, 15].map(reverse_bits), [0, 8, 4, 6, 15]);
        assert!((0..DATA).all(|bit| reverse_bits(reverse_bits(bit)) == bit));
    }

    /// Block RAMs as in yosys before mapping, one for each pair of read and write widths. Each has
    /// other initial words, and ports for all its pins.
    fn of_all_widths(pairs: &[(usize, usize)]) -> String {
        let (mut ports, mut rams) = (String::new(), String::new());
        for (i, (read, write)) in pairs.iter().enumerate() {
            let words = (1..=128).map(|word: u32| word.wrapping_mul(0x9e37_79b9) ^ i as u32);
            let words: Vec<String> = words.map(|word| format!("{word:08x}")).collect();
            let _ = write!(
                ports,
                "input e{i}, input [10:0] a{i}, output [{read}-1:0] q{i}, \
                 input w{i}, input [15:0] m{i}, input [10:0] b{i}, input [{write}-1:0] d{i}, "
            );
            let _ = writeln!(
                rams,
                "ram #(.INIT(4096'h{}), .PORT_R_WIDTH({read}), .PORT_W_WIDTH({write})) ram{i} (\
                 .PORT_R_CLK(r), .PORT_R_RD_EN(e{i}), .PORT_R_ADDR(a{i}), .PORT_R_RD_DATA(q{i}), \
                 .PORT_W_CLK(c), .PORT_W_WR_EN(w{i}), .PORT_W_WR_BE(m{i}), .PORT_W_ADDR(b{i}), \
                 .PORT_W_WR_DATA(d{i}));",
                words.concat()
            );
        }
        format!("module top({ports}input r, input c);\n{rams}endmodule\n")
    }

    // Claim: for block RAMs of all widths and with any initial words, this module gives the result
    // of yosys's module.
    #[test]
    #[ignore = "thorough: synthesises with and without the override"]
    fn mapping_matches_yosys() {
        let pairs = [(2, 16), (4, 8), (8, 4), (16, 2)];
        let folder = tempfile::tempdir().unwrap();
        let dir = folder.path();
        fs::write(dir.join("rams.v"), of_all_widths(&pairs)).unwrap();
        let mut script = save_commands();
        for (name, map) in [("ours", "%block_ram"), ("theirs", "+/ice40/brams_map.v")] {
            let _ = write!(
                script,
                "read_verilog rams.v\nchtype -set $__ICE40_RAM4K_ t:ram\ntechmap -map {map}\n\
                 opt_clean\nwrite_json {name}.json\ndesign -reset\n"
            );
        }
        fs::write(dir.join("map.ys"), script).unwrap();
        let yosys = Toolchain::open().unwrap().yosys().unwrap();
        yosys.run(dir, ["-s", "map.ys"], "map.log").unwrap();
        let [ours, theirs] = ["ours.json", "theirs.json"].map(|name| {
            let bytes = fs::read(dir.join(name)).unwrap();
            let mut json: Value = serde_json::from_slice(&bytes).unwrap();
            json["modules"]["top"]["cells"].take()
        });
        for i in 0..pairs.len() {
            let [ours, theirs] = [&ours, &theirs].map(|cells| &cells[format!("ram{i}")]);
            assert_eq!(ours["type"], "SB_RAM40_4K");
            assert_eq!(ours["type"], theirs["type"]);
            assert_eq!(ours["parameters"], theirs["parameters"]);
            assert_eq!(ours["connections"], theirs["connections"]);
        }
    }
}
