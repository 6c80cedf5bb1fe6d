//! Circuits whose forms are compared.

use super::{EquivalenceError, Subject};
use crate::board::manifest::Manifest;
use crate::board::{BoardDesignError, BoardDesignName};
use crate::kit::{catalog, Block, Catalogued, NoSuchDims, NAMED, WHOLE};
use crate::toolchain::Toolchain;
use std::path::Path;

/// Circuit that is published as Verilog or in an image.
#[derive(Clone, Debug)]
pub struct Published {
    pub name: String,
    source: Source,
}

#[derive(Clone, Copy, Debug)]
enum Source {
    /// Design of `phasecube verilog --list` with this number of dimensions.
    Catalogued(Catalogued, u32),
    /// Whole machine that `cost` measures.
    Whole(Block),
    /// Design of an image in `bitstreams`, and its dimensions.
    Image(BoardDesignName, u32),
}

/// All circuits.
pub fn circuits() -> Vec<Published> {
    let catalogued = catalog().iter().map(|entry| Published {
        name: entry.name.into(),
        source: Source::Catalogued(*entry, entry.default_dims),
    });
    let whole = WHOLE.iter().map(|block| Published {
        name: block.name.into(),
        source: Source::Whole(*block),
    });
    let images = Manifest::published().images.into_iter();
    let images = images.filter_map(|entry| {
        let (design, dims) = BoardDesignName::called(&entry.design)?;
        Some(Published {
            name: entry.file,
            source: Source::Image(design, dims),
        })
    });
    catalogued.chain(whole).chain(images).collect()
}

/// Objects without a proof, with the reasons.
pub const OUT_OF_REACH: &[(&str, &str)] = &[
    (
        "the files of the kit pin-mux",
        "they are written by hand, with a parameter for the size and other registers than the block; \
         `cargo sim kit` runs both for 10,000 clock cycles, and what is proved here is the \
         Verilog of the block",
    ),
    (
        "the board around the design of an image",
        "its clock, pins and start-up are written as Verilog and have no netlist; the unpacked images are \
         simulated (`cargo sim board::`)",
    ),
];

impl Published {
    /// True if `phasecube verilog` has a name for the design.
    pub fn has_own_name(&self) -> bool {
        NAMED.iter().any(|entry| entry.name == self.name)
    }

    /// Returns the same design for other dimensions.
    ///
    /// # Errors
    /// If the design has no dimensions to choose, or not this number.
    pub fn for_dims(&self, dims: u32) -> Result<Published, NoSuchDims> {
        let Source::Catalogued(entry, _) = self.source else {
            return Err(NoSuchDims::None(self.name.clone()));
        };
        Ok(Published {
            source: Source::Catalogued(entry, entry.with_dims(dims)?),
            name: format!("{} --dims {dims}", self.name),
        })
    }

    /// Makes the forms of the circuit. `tools` compiles programs of an image below the folder
    /// `builds`.
    ///
    /// # Errors
    /// If a tool is missing.
    pub fn subject(&self, tools: &Toolchain, builds: &Path) -> Result<Subject, EquivalenceError> {
        match &self.source {
            Source::Catalogued(entry, dims) => Subject::published(*entry, *dims),
            Source::Whole(block) => Subject::emitted(&(block.design)()?),
            Source::Image(design, dims) => {
                // Published images are built with the pinned tools.
                let design = design.design(*dims, &tools.pinned(), builds);
                Subject::emitted(design.map_err(Box::new)?.circuit())
            }
        }
    }
}

impl From<Box<BoardDesignError>> for EquivalenceError {
    fn from(error: Box<BoardDesignError>) -> Self {
        match *error {
            BoardDesignError::Tool(error) => error.into(),
            BoardDesignError::Lower(error) => error.into(),
            other => EquivalenceError::Design(Box::new(other)),
        }
    }
}
