//! The top module of a chip, made of the board's Verilog and the design's.

use super::{Board, BoardDesign};
use hdl::verilog::{self, canonical, without_comments, VerilogFiles};

/// The Verilog of a whole chip.
pub struct Top {
    /// The design alone.
    pub design: VerilogFiles,
    /// All modules, the design's among them, without comments: an image does not depend on
    /// what is said of a circuit.
    pub text: String,
    /// The same, whatever the parts of the design are called: its digest is the image's.
    pub identity: String,
    /// The module on top.
    pub name: String,
}

/// The name of the design's instance in the module on top.
pub const MACHINE: &str = "machine";

/// The design with the board around it; `None` if the board has no such clock.
pub fn top(board: &Board, design: &BoardDesign) -> Option<Top> {
    let pll = board.flow.pll(board.crystal_mhz, design.clock_mhz())?;
    let emitted = verilog::emit(design.circuit());
    let name = board.name.replace('-', "_");
    let around = board
        .flow
        .around()
        .replace("@TITLE@", board.title)
        .replace("@TOP@", &name)
        .replace("@CRYSTAL@", &board.crystal_mhz.to_string())
        .replace("@MHZ@", &design.clock_mhz().to_string());
    let board_around = around.replace("@DESIGN@", emitted.top());
    let circuit = canonical(design.circuit());
    Some(Top {
        text: without_comments(&format!("{emitted}\n{pll}\n{board_around}")),
        identity: without_comments(&format!("{circuit}\n{pll}\n{around}")),
        name,
        design: emitted,
    })
}
