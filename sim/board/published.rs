//! The files in `bitstreams/` match the manifest and the sources.

use crate::board::tools::{build, design};
use phasecube::board::manifest::{sha256, Manifest, ManifestEntry};
use phasecube::board::{source_sha256, Board, BoardDesignName};
use std::path::Path;

fn published() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/bitstreams"))
}

#[test]
fn every_image_is_the_one_of_the_manifest() {
    let manifest = Manifest::read(published()).unwrap();
    assert!(!manifest.images.is_empty());
    let mut files: Vec<String> = std::fs::read_dir(published())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.ends_with(".bin"))
        .collect();
    files.sort();
    let entered: Vec<&str> = manifest.images.iter().map(|e| e.file.as_str()).collect();
    assert_eq!(files, entered);
    for entry in &manifest.images {
        let image = std::fs::read(published().join(&entry.file)).unwrap();
        assert_eq!(image.len(), entry.bytes);
        assert_eq!(sha256(&image), entry.sha256, "{}", entry.file);
        assert!(
            entry.fmax_mhz >= f64::from(entry.clock_mhz),
            "{}",
            entry.file
        );
    }
}

/// Dimensions of the largest cube that fits the chip of the published images. Larger cubes need
/// more block RAM than the chip has.
const LARGEST: u32 = 4;

/// Published images are built from the present sources, so that boards run what the other tests
/// check. On failure, publish them again.
#[test]
#[ignore = "thorough: builds all images"]
fn every_image_is_of_the_present_sources() {
    let designs = BoardDesignName::ALL.iter().flat_map(|(name, design_name)| {
        let dims = match design_name.dims() {
            [] => &[0],
            dims => dims,
        };
        let dims = dims.iter().filter(|dims| **dims <= LARGEST);
        dims.map(move |dims| (name, design(*design_name, *dims)))
    });
    let designs: Vec<_> = designs.collect();
    let manifest = Manifest::read(published()).unwrap();
    assert_eq!(manifest.images.len(), designs.len());
    for (name, design) in designs {
        let file = format!("alchitry-cu-{}.bin", design.name());
        let entry = manifest.find(&file).unwrap();
        assert_eq!(
            entry.source_sha256,
            source_sha256(Board::ALCHITRY_CU, &design).unwrap(),
            "run `cargo run --release -- build --design {name} --publish`"
        );
    }
}

/// The same sources and tools produce the same bytes.
#[test]
fn echo_can_be_built_again() {
    let built = build(&design(BoardDesignName::Echo, 0)).unwrap();
    let entry = ManifestEntry::new(&built);
    let manifest = Manifest::read(published()).unwrap();
    assert_eq!(manifest.find(&entry.file), Some(&entry));
    let image = std::fs::read(published().join(&entry.file)).unwrap();
    assert!(image == built.image, "other bytes of the same digest");
}
