//! The pinned tools, and where their results are kept.

use phasecube::board::{self, Board, BoardDesign, BoardDesignName, BuildError, Built};
use phasecube::toolchain::{cache, Policy, Toolchain};
use std::path::Path;
use std::sync::LazyLock;

pub static TOOLS: LazyLock<Toolchain> =
    LazyLock::new(|| Toolchain::new(cache::cache_dir().unwrap(), Policy::Pinned));

/// Where images and models are built.
pub fn builds() -> &'static Path {
    Path::new(concat!(env!("CARGO_TARGET_TMPDIR"), "/board"))
}

pub fn build(design: &BoardDesign) -> Result<Built, BuildError> {
    board::build(&TOOLS, Board::AlchitryCu, design, builds())
}

/// A released design.
pub fn design(name: BoardDesignName, dims: u32) -> BoardDesign {
    name.design(dims, &TOOLS, builds()).unwrap()
}
