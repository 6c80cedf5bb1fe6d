//! Designs that can be emitted, by name.

use super::pin_mux::{files_for, KitFile};
use super::{MeasuredBlock, BLOCKS};
use hdl::lower::{lower, LowerErrors};
use hdl::verilog::Prefix;
use interconnect::topology::{Hypercube, Metacube};
use lockstep::design::Design;
use machine::networks::tdma::cube::cube_array;
use machine::networks::tdma::PhaseTiming;
use rtl::bytes::ByteChannel;
use rtl::cm1::machine::router;
use rtl::cm1::{Cm1Board, EjectMode, MessageFormat, PetitPlan};
use rtl::core::SingleContextCore;
use rtl::hosted::HostPort;
use rtl::rotation::{self, RotationPlan};
use rtl::tdma::machine::{frame_engine, phase_clock, phase_sequencer, pin_mux};
use rtl::tdma::{BufferSize, Link, MachineNode};
use rtl::torus::{self, TorusPlan};
use rtl::uart::{HalfDuplexUart, Uart};
use rtl::CLOCKS_PER_BIT;
use std::sync::LazyLock;
use thiserror::Error;

/// Longest message of a TDMA node in bytes of payload, including its destination. This length fits
/// registers of 16 bytes.
const PAYLOAD: usize = 8 + 2;

/// Top-level circuit of a design.
#[derive(Clone, Copy, Debug)]
pub struct CatalogEntry {
    /// Name for `--design`.
    pub name: &'static str,
    /// Description for display.
    pub description: &'static str,
    /// Dimensions that can be chosen. Empty if there is no choice.
    pub dims: &'static [u32],
    /// Default number of dimensions.
    pub default_dims: u32,
    /// Source of the design.
    pub source: DesignSource,
}

/// Source of a design.
#[derive(Clone, Copy, Debug)]
pub enum DesignSource {
    /// Lowered for a chosen number of dimensions.
    ForDims(fn(u32) -> Result<Design, LowerErrors>),
    /// Lowered without a choice.
    Fixed(fn() -> Result<Design, LowerErrors>),
    /// Written by hand. `files` takes the default number of dimensions and the prefix of the names.
    /// `circuit` lowers the equivalent circuit.
    HandWritten {
        files: fn(u32, Option<&Prefix>) -> Vec<KitFile>,
        circuit: fn(u32) -> Result<Design, LowerErrors>,
    },
}

const TO_8: &[u32] = &[1, 2, 3, 4, 5, 6, 7, 8];
const TO_12: &[u32] = &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12];
const TO_16: &[u32] = &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16];

/// Program for soft nodes that are published without one: a jump to itself.
const NO_PROGRAM: &[u32] = &[0x0000_006F];

impl CatalogEntry {
    pub const PIN_MUX: Self = CatalogEntry {
        name: "pin-mux",
        description: "the pin mux of one node, as a kit for a microcontroller's fabric",
        dims: TO_16,
        default_dims: 4,
        source: DesignSource::HandWritten {
            files: files_for,
            circuit: |dims| lower(&*pin_mux(dims)),
        },
    };

    pub const LINK: Self = CatalogEntry::for_dims(
        "link",
        "the 1-cube: two nodes' ports, the wire between them and the phase clock",
        &[1],
        1,
        |_| lower(&Link::<CLOCKS_PER_BIT>::default()),
    );

    pub const NODE: Self = CatalogEntry::for_dims(
        "node",
        "a node of a TDMA cube with a forwarder, for messages of 8 bytes",
        TO_12,
        4,
        |dims| {
            let cube = Hypercube::of(dims);
            lower(&*short_node(cube, timing(cube.into())).forwarder())
        },
    );

    pub const METACUBE_NODE: Self = CatalogEntry::for_dims(
        "metacube-node",
        "the same of the metacube with 2^N nodes",
        // Dimensions of the metacubes that have nodes.
        &[3, 5, 6, 7, 9, 10, 11, 14],
        3,
        |dims| {
            let shape = Metacube::of_cube(dims.into()).expect("the metacube was checked");
            lower(&*short_node(shape, timing(shape)).forwarder())
        },
    );

    pub const COMPILED_NODE: Self = CatalogEntry::for_dims(
        "compiled-node",
        "a node that follows a compiled schedule of up to 1,024 pairs of phases, for messages of 8 bytes",
        TO_12,
        4,
        |dims| {
            let timing = PhaseTiming::compiled(CLOCKS_PER_BIT as u32, PAYLOAD);
            lower(&*short_node(Hypercube::of(dims), timing).compiled())
        },
    );

    pub const CM1_ROUTER: Self = CatalogEntry::for_dims(
        "cm1-router",
        "the CM-1's router of one chip: 7 rows, 16 processors, 32 bits of data",
        TO_16,
        4,
        |dims| lower(&*router(dims, 7, cm1_plan(dims))),
    );

    pub const TORUS_NODE: Self = CatalogEntry::for_dims(
        "torus-node",
        "a node of the torus routing chip, two dimensions a chip, two virtual channels, queues of 4 bytes",
        TO_16,
        2,
        |dims| lower(&*torus::machine::node(TorusPlan::new(dims as usize))),
    );

    pub const ROTATION_SWITCH: Self = CatalogEntry::for_dims(
        "rotation-switch",
        "a switch of minimal rotation, with two virtual channels where they can occur, queues of 4 bytes",
        TO_16,
        3,
        |dims| lower(&*rotation::machine::switch(RotationPlan::new(dims as usize))),
    );

    pub const BYTE_CHANNEL: Self = CatalogEntry::fixed(
        "byte-channel",
        "a channel of torus or rotation from end to end, with two virtual channels",
        || lower(&ByteChannel::<8, 2>::default()),
    );

    /// Design with a choice of dimensions and a default.
    const fn for_dims(
        name: &'static str,
        what: &'static str,
        dims: &'static [u32],
        default_dims: u32,
        circuit: fn(u32) -> Result<Design, LowerErrors>,
    ) -> Self {
        CatalogEntry {
            name,
            description: what,
            dims,
            default_dims,
            source: DesignSource::ForDims(circuit),
        }
    }

    /// Design without a choice.
    const fn fixed(
        name: &'static str,
        what: &'static str,
        circuit: fn() -> Result<Design, LowerErrors>,
    ) -> Self {
        CatalogEntry {
            name,
            description: what,
            dims: &[],
            default_dims: 1,
            source: DesignSource::Fixed(circuit),
        }
    }

    /// Lowers the design for a cube or torus of `dims` dimensions, or for the metacube with as many
    /// nodes as that cube.
    ///
    /// # Errors
    /// None for a released design, because the tests lower it.
    ///
    /// # Panics
    /// If `dims` is not one of [`dims`](Self::dims).
    pub fn design(self, dims: u32) -> Result<Design, LowerErrors> {
        match self.source {
            DesignSource::ForDims(circuit) | DesignSource::HandWritten { circuit, .. } => {
                circuit(dims)
            }
            DesignSource::Fixed(circuit) => circuit(),
        }
    }
}

/// Designs with their own names.
pub const NAMED_DESIGNS: &[CatalogEntry] = &[
    CatalogEntry::PIN_MUX,
    CatalogEntry::for_dims(
        "phase-clock",
        "the phase clock: one in a machine",
        TO_16,
        4,
        |dims| lower(&*phase_clock(dims)),
    ),
    CatalogEntry::for_dims(
        "phase-sequencer",
        "counts the phases in a node, and finds out when it has slipped",
        TO_16,
        4,
        |dims| lower(&*phase_sequencer(dims)),
    ),
    CatalogEntry::fixed(
        "uart",
        "a UART, 8N1, a bit in 8 clock cycles",
        || lower(&Uart::<CLOCKS_PER_BIT>::default()),
    ),
    CatalogEntry::fixed(
        "half-duplex-uart",
        "the same for one wire: it sends or listens",
        || lower(&HalfDuplexUart::<CLOCKS_PER_BIT>::default()),
    ),
    CatalogEntry::for_dims(
        "frame-engine",
        "frames, answers and sequence bits of a node, for messages of 8 bytes",
        TO_12,
        4,
        |dims| {
            let plan = timing(Hypercube::of(dims).into()).plan();
            lower(&*frame_engine(dims, plan))
        },
    ),
    CatalogEntry::LINK,
    CatalogEntry::NODE,
    CatalogEntry::METACUBE_NODE,
    CatalogEntry::COMPILED_NODE,
    CatalogEntry::fixed(
        "soft-core",
        "an RV32I core for one node, without its memories",
        || lower(&SingleContextCore::default()),
    ),
    CatalogEntry::for_dims(
        "soft-node",
        "a node whose program decides; the program store holds a jump to itself: put yours",
        TO_12,
        4,
        |dims| {
            let cube = Hypercube::of(dims);
            let timing = PhaseTiming::software(CLOCKS_PER_BIT as u32, PAYLOAD, cube, true);
            lower(&*short_node(cube, timing).soft(NO_PROGRAM))
        },
    ),
    CatalogEntry::for_dims(
        "cube",
        "all nodes of a TDMA cube with forwarders, their wires and the phase clock; hosts are outside",
        TO_8,
        3,
        |dims| {
            let node = CatalogEntry::NODE.design(dims)?;
            Ok(cube_array(Hypercube::of(dims), &node)?.whole())
        },
    ),
    CatalogEntry::CM1_ROUTER,
    CatalogEntry::fixed(
        "cm1-cube",
        "the CM-1 of eight chips with a processor each, and the memory-mapped port of their programs",
        || lower(&Cm1Board::new(3, 8)),
    ),
    CatalogEntry::TORUS_NODE,
    CatalogEntry::ROTATION_SWITCH,
    CatalogEntry::BYTE_CHANNEL,
    CatalogEntry::fixed(
        "host-port",
        "what the host of a board sees: serial line, phases, counts",
        || lower(&HostPort::<8, 3>::new()),
    ),
];

/// All designs: first those with their own names, then every block whose cost is measured, by its
/// name in Rust.
pub fn catalog() -> &'static [CatalogEntry] {
    static CATALOG: LazyLock<Vec<CatalogEntry>> = LazyLock::new(|| {
        let blocks = BLOCKS.iter().map(|block: &MeasuredBlock| {
            let what = "a block, of the table that `cost` prints";
            CatalogEntry::fixed(block.name, what, block.design)
        });
        NAMED_DESIGNS.iter().copied().chain(blocks).collect()
    });
    &CATALOG
}

/// Timing of nodes with forwarders and of links with answers.
fn timing(shape: Metacube) -> PhaseTiming {
    PhaseTiming::forwarder(CLOCKS_PER_BIT as u32, PAYLOAD, shape, true)
}

/// Node with room for such messages.
fn short_node(shape: impl Into<Metacube>, timing: PhaseTiming) -> MachineNode {
    MachineNode::new(shape, BufferSize::Short, timing.plan())
}

/// Typical case of the paper, on a cube of any size.
fn cm1_plan(dims: u32) -> PetitPlan {
    let format = MessageFormat {
        dims,
        proc_bits: 4,
        vp_bits: 0,
        data_bits: 32,
    };
    PetitPlan::new(format, EjectMode::Or)
}

// Dimensions that a design can have.

/// The design does not exist for the requested dimensions.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum DesignDimsError {
    #[error("the design {0} has no dimensions; accepted: no --dims")]
    None(String),
    #[error(
        "the design {name} does not exist for --dims {dims}; accepted: {}",
        ranges(accepted)
    )]
    Unsupported {
        name: &'static str,
        dims: u32,
        accepted: &'static [u32],
    },
}

impl CatalogEntry {
    /// Returns the design with the requested number of dimensions.
    ///
    /// # Errors
    /// If the design cannot have this number.
    pub fn check_dims(self, dims: u32) -> Result<u32, DesignDimsError> {
        match self.dims {
            [] => Err(DesignDimsError::None(self.name.into())),
            accepted if accepted.contains(&dims) => Ok(dims),
            accepted => Err(DesignDimsError::Unsupported {
                name: self.name,
                dims,
                accepted,
            }),
        }
    }
}

/// Formats ascending numbers as ranges: `3, 5 to 7`.
pub fn ranges(numbers: &[u32]) -> String {
    let runs = numbers.chunk_by(|a, b| a + 1 == *b);
    let words = runs.map(|run| match run {
        [first, .., last] => format!("{first} to {last}"),
        run => run[0].to_string(),
    });
    words.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn names_are_unique() {
        let names: BTreeSet<&str> = catalog().iter().map(|entry| entry.name).collect();
        assert_eq!(names.len(), catalog().len());
    }

    #[test]
    fn every_design_can_be_lowered() {
        for dims in 1..=16 {
            let design = CatalogEntry::PIN_MUX.design(dims).unwrap();
            let (_, pull) = design.top().port("pull").unwrap();
            assert_eq!(pull.width(), dims);
        }
        for dims in [1, 12, 16] {
            let design = CatalogEntry::CM1_ROUTER.design(dims).unwrap();
            let (_, out) = design.top().port("cube_out").unwrap();
            assert_eq!(out.width(), dims);
        }
        for (dims, data) in [(1, 8), (2, 8), (3, 9), (16, 9)] {
            let design = CatalogEntry::TORUS_NODE.design(dims).unwrap();
            let (_, out) = design.top().port("send_data").unwrap();
            assert_eq!(out.width(), data);
        }
        // The first two dimensions together have one virtual channel.
        for (dims, lanes) in [(1, 1), (3, 4), (4, 6), (9, 16)] {
            let design = CatalogEntry::ROTATION_SWITCH.design(dims).unwrap();
            let name = format!("request_out[{}]", lanes - 1);
            assert!(design.top().port(&name).is_some(), "{dims}");
            assert!(design
                .top()
                .port(&format!("request_out[{lanes}]"))
                .is_none());
        }
        for design in [
            CatalogEntry::NODE,
            CatalogEntry::METACUBE_NODE,
            CatalogEntry::COMPILED_NODE,
        ] {
            for dims in design.dims {
                let node = design.design(*dims).unwrap();
                let (_, address) = node.top().port("address").unwrap();
                assert_eq!(address.width(), *dims);
            }
        }
        for entry in NAMED_DESIGNS {
            entry.design(entry.default_dims).unwrap();
        }
    }
}
