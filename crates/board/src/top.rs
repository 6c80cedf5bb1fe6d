//! Top module of a chip, composed of the board's Verilog and the design's.

use super::{Board, BoardDesign};
use hdl::verilog::{self, canonical, without_comments, VerilogFiles};

/// Verilog of a whole chip.
pub struct Top {
    /// Verilog of the design, without the board's top module.
    pub design: VerilogFiles,
    /// All modules including the design's, without comments, so that comments do not change an
    /// image.
    pub text: String,
    /// Same text with the design in its [`canonical`] form, which is independent of the names
    /// inside the design. The digest of an image's sources is computed from this text.
    pub canonical_text: String,
    /// Name of the top module.
    pub name: String,
}

/// Name of the design's instance in the top module.
pub const MACHINE: &str = "machine";

/// Puts the design into the board's top module. `None` if the board cannot make the clock.
pub fn top(board: &Board, design: &BoardDesign) -> Option<Top> {
    let pll = board.flow.pll(board.crystal_mhz, design.clock_mhz())?;
    let emitted = verilog::emit(design.circuit());
    let name = board.name.replace('-', "_");
    let around = board
        .flow
        .top_template()
        .replace("@TITLE@", board.title)
        .replace("@TOP@", &name)
        .replace("@CRYSTAL@", &board.crystal_mhz.to_string())
        .replace("@MHZ@", &design.clock_mhz().to_string());
    let board_around = around.replace("@DESIGN@", emitted.top());
    let circuit = canonical(design.circuit());
    Some(Top {
        text: without_comments(&format!("{emitted}\n{pll}\n{board_around}")),
        canonical_text: without_comments(&format!("{circuit}\n{pll}\n{around}")),
        name,
        design: emitted,
    })
}
