//! The pinned tools, the folder of their results, and virtual boards.

use phasecube::board::virtual_board::VirtualBoard;
use phasecube::board::{self, Board, BoardDesign, BoardDesignName, BuildError, BuiltImage};
use phasecube::toolchain::{cache, Policy, Tool, Toolchain};
use std::fmt::Display;
use std::io::Write;
use std::path::Path;
use std::sync::LazyLock;

pub static TOOLS: LazyLock<Toolchain> =
    LazyLock::new(|| Toolchain::new(cache::cache_dir().unwrap(), Policy::Pinned));

/// Folder where images and models are built, and where `phasecube` finds them when tests call it.
pub fn builds() -> &'static Path {
    Path::new(concat!(env!("CARGO_TARGET_TMPDIR"), "/phasecube/board"))
}

pub fn build(design: &BoardDesign) -> Result<BuiltImage, BuildError> {
    build_for(Board::ALCHITRY_CU, design)
}

pub fn build_for(board: &'static Board, design: &BoardDesign) -> Result<BuiltImage, BuildError> {
    board::build(&TOOLS, board, design, builds())
}

/// Returns a released design.
pub fn design(name: BoardDesignName, dims: u32) -> BoardDesign {
    name.design(dims, &TOOLS, builds()).unwrap()
}

/// Returns the virtual board of an image as users get it: from its bits, or from its netlist if
/// icebox_vlog is missing. The latter is reported on standard error.
pub fn virtual_board(image: &[u8]) -> VirtualBoard {
    let tools = Toolchain::open().unwrap();
    if let Err(error) = tools.icebox_vlog() {
        report_netlist_fallback(&error);
    }
    VirtualBoard::new(&tools, Board::ALCHITRY_CU, image, builds()).unwrap_or_else(|e| panic!("{e}"))
}

/// Reports that netlists are checked instead of image bits.
fn report_netlist_fallback(error: &dyn Display) {
    let told = format!("the bits of images are not checked, their netlists are: {error}\n");
    // Writes to standard error directly, because the test harness captures `eprintln!`.
    std::io::stderr().write_all(told.as_bytes()).unwrap();
}

/// Returns the virtual boards of an image, each with the name of what it simulates: its netlist,
/// rebuilt if necessary, and its bits. Without icebox_vlog, that is reported and the netlist is
/// returned alone.
pub fn virtual_boards(image: &[u8]) -> Vec<(&'static str, VirtualBoard)> {
    let board = |tools: &Toolchain| {
        VirtualBoard::new(tools, Board::ALCHITRY_CU, image, builds())
            .unwrap_or_else(|e| panic!("{e}"))
    };
    let mut boards = vec![("netlist", board(&TOOLS.without(Tool::IceboxVlog)))];
    // Includes the system's tools unless the environment forbids them.
    let tools = Toolchain::open().unwrap();
    match tools.icebox_vlog() {
        Ok(_) => boards.push(("bits", board(&tools))),
        Err(error) => report_netlist_fallback(&error),
    }
    boards
}
