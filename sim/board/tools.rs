//! The pinned tools, where their results are kept, and virtual boards.

use phasecube::board::virtual_board::VirtualBoard;
use phasecube::board::{self, Board, BoardDesign, BoardDesignName, BuildError, Built};
use phasecube::toolchain::{cache, Policy, Tool, Toolchain};
use std::fmt::Display;
use std::io::Write;
use std::path::Path;
use std::sync::LazyLock;

pub static TOOLS: LazyLock<Toolchain> =
    LazyLock::new(|| Toolchain::new(cache::cache_dir().unwrap(), Policy::Pinned));

/// Where images and models are built, and where the program finds them when the tests call it.
pub fn builds() -> &'static Path {
    Path::new(concat!(env!("CARGO_TARGET_TMPDIR"), "/phasecube/board"))
}

pub fn build(design: &BoardDesign) -> Result<Built, BuildError> {
    build_for(Board::ALCHITRY_CU, design)
}

pub fn build_for(board: &'static Board, design: &BoardDesign) -> Result<Built, BuildError> {
    board::build(&TOOLS, board, design, builds())
}

/// A released design.
pub fn design(name: BoardDesignName, dims: u32) -> BoardDesign {
    name.design(dims, &TOOLS, builds()).unwrap()
}

/// The virtual board of an image, as a user has it: its bits, or without icebox_vlog its
/// netlist. Which it is, is told.
pub fn virtual_board(image: &[u8]) -> VirtualBoard {
    let tools = Toolchain::open().unwrap();
    if let Err(error) = tools.icebox_vlog() {
        tell_of_netlist(&error);
    }
    VirtualBoard::new(&tools, Board::ALCHITRY_CU, image, builds()).unwrap_or_else(|e| panic!("{e}"))
}

/// Says that it is not the bits of an image that are checked.
fn tell_of_netlist(error: &dyn Display) {
    let told = format!("the bits of images are not checked, their netlists are: {error}\n");
    // Past what the test harness keeps to itself.
    std::io::stderr().write_all(told.as_bytes()).unwrap();
}

/// The virtual boards of an image, each with what it simulates: its netlist, for which
/// the image is built again if need be, and its bits, where icebox_vlog can be had. Where
/// not, that is told, and the netlist alone stands for the image.
pub fn virtual_boards(image: &[u8]) -> Vec<(&'static str, VirtualBoard)> {
    let board = |tools: &Toolchain| {
        VirtualBoard::new(tools, Board::ALCHITRY_CU, image, builds())
            .unwrap_or_else(|e| panic!("{e}"))
    };
    let mut boards = vec![("netlist", board(&TOOLS.without(Tool::IceboxVlog)))];
    // The system's, too, unless the environment says otherwise.
    let tools = Toolchain::open().unwrap();
    match tools.icebox_vlog() {
        Ok(_) => boards.push(("bits", board(&tools))),
        Err(error) => tell_of_netlist(&error),
    }
    boards
}
