//! Circuits whose forms are compared.

use super::{ComparedCircuit, EquivalenceError};
use crate::kit::{
    catalog, CatalogEntry, DesignDimsError, MeasuredBlock, NAMED_DESIGNS, WHOLE_DESIGNS,
};
use board::manifest::Manifest;
use board::{BoardDesignError, BoardDesignName};
use std::path::Path;
use toolchain::Toolchain;

/// Circuit that is published as Verilog or in an image.
#[derive(Clone, Debug)]
pub struct PublishedCircuit {
    pub name: String,
    source: PublishedSource,
}

#[derive(Clone, Copy, Debug)]
enum PublishedSource {
    /// Design of `phasecube verilog --list` with this number of dimensions.
    Catalogued(CatalogEntry, u32),
    /// Whole machine that `cost` measures.
    Whole(MeasuredBlock),
    /// Design of an image in `bitstreams`, and its dimensions.
    Image(BoardDesignName, u32),
}

/// All circuits.
pub fn circuits() -> Vec<PublishedCircuit> {
    let catalogued = catalog().iter().map(|entry| PublishedCircuit {
        name: entry.name.into(),
        source: PublishedSource::Catalogued(*entry, entry.default_dims),
    });
    let whole = WHOLE_DESIGNS.iter().map(|block| PublishedCircuit {
        name: block.name.into(),
        source: PublishedSource::Whole(*block),
    });
    let images = Manifest::published().images.into_iter();
    let images = images.filter_map(|entry| {
        let (design, dims) = BoardDesignName::from_image_name(&entry.design)?;
        Some(PublishedCircuit {
            name: entry.file,
            source: PublishedSource::Image(design, dims),
        })
    });
    catalogued.chain(whole).chain(images).collect()
}

/// Objects without a proof, with the reasons.
pub const UNPROVED: &[(&str, &str)] = &[
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

impl PublishedCircuit {
    /// True if `phasecube verilog` has a name for the design.
    pub fn is_named_design(&self) -> bool {
        NAMED_DESIGNS.iter().any(|entry| entry.name == self.name)
    }

    /// Returns the same design for other dimensions.
    ///
    /// # Errors
    /// If the design has no dimensions to choose, or not this number.
    pub fn for_dims(&self, dims: u32) -> Result<PublishedCircuit, DesignDimsError> {
        let PublishedSource::Catalogued(entry, _) = self.source else {
            return Err(DesignDimsError::None(self.name.clone()));
        };
        Ok(PublishedCircuit {
            source: PublishedSource::Catalogued(entry, entry.check_dims(dims)?),
            name: format!("{} --dims {dims}", self.name),
        })
    }

    /// Makes the forms of the circuit. `tools` compiles programs of an image below the folder
    /// `builds`.
    ///
    /// # Errors
    /// If a tool is missing.
    pub fn subject(
        &self,
        tools: &Toolchain,
        builds: &Path,
    ) -> Result<ComparedCircuit, EquivalenceError> {
        match &self.source {
            PublishedSource::Catalogued(entry, dims) => ComparedCircuit::published(*entry, *dims),
            PublishedSource::Whole(block) => ComparedCircuit::emitted(&(block.design)()?),
            PublishedSource::Image(design, dims) => {
                // Published images are built with the pinned tools.
                let design = design.design(*dims, &tools.pinned(), builds);
                ComparedCircuit::emitted(design.map_err(Box::new)?.circuit())
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
