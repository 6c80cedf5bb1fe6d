//! Manifest of published images: contents, digests and tools of each.

use super::BuiltImage;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::fmt;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// All images of a directory, stored as a TOML file.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    #[serde(default, rename = "image")]
    pub images: Vec<ManifestEntry>,
}

/// Entry of one image.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ManifestEntry {
    /// File name in the manifest's directory.
    pub file: String,
    /// Board, as `phasecube build` calls it.
    pub board: String,
    /// Design, with the dimensions of its cube.
    pub design: String,
    /// Clock frequency of the image, in MHz.
    pub clock_mhz: u32,
    /// Bit-times per second at the host port.
    pub baud: u32,
    pub bytes: usize,
    pub sha256: String,
    /// Digest of the sources of the image, from [`source_sha256`](super::source_sha256).
    pub source_sha256: String,
    pub logic_cells: usize,
    pub flip_flops: usize,
    pub block_rams: usize,
    /// Highest clock frequency by the timing analysis, in MHz.
    pub fmax_mhz: f64,
    /// Tools that made the image, with versions.
    pub tools: Vec<String>,
}

/// Reason why a manifest cannot be read.
#[derive(Debug, Error)]
pub enum ManifestError {
    #[error("{}: {source}", path.display())]
    Read { path: PathBuf, source: std::io::Error },
    #[error("{} is not a manifest: {source}", path.display())]
    Format { path: PathBuf, source: Box<toml::de::Error> },
}

impl ManifestEntry {
    /// Entry of a built image.
    pub fn new(built: &BuiltImage) -> Self {
        ManifestEntry {
            file: built.file_name(),
            board: built.board.name.into(),
            design: built.design.clone(),
            clock_mhz: built.clock_mhz,
            baud: built.baud,
            bytes: built.image.len(),
            sha256: sha256(&built.image),
            source_sha256: built.source_sha256.clone(),
            logic_cells: built.report.logic_cells,
            flip_flops: built.report.flip_flops,
            block_rams: built.report.block_rams,
            fmax_mhz: (built.fmax_mhz * 10.0).round() / 10.0,
            tools: built.tools.clone(),
        }
    }
}

impl Manifest {
    /// File name of the manifest.
    pub const FILE: &str = "manifest.toml";

    /// Reads the manifest of a directory. Empty if the directory has none.
    ///
    /// # Errors
    /// If the file cannot be read, or is not a manifest.
    pub fn read(dir: &Path) -> Result<Self, ManifestError> {
        let path = dir.join(Self::FILE);
        match std::fs::read_to_string(&path) {
            Ok(text) => toml::from_str(&text)
                .map_err(|source| ManifestError::Format { path, source: source.into() }),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Manifest::default()),
            Err(source) => Err(ManifestError::Read { path, source }),
        }
    }

    /// Manifest of the images that are published with this version.
    pub fn published() -> Self {
        let text = include_str!("../bitstreams/manifest.toml");
        // The tests ensure that the file parses.
        toml::from_str(text).unwrap_or_default()
    }

    /// Adds an entry and replaces the one with the same file. Entries are sorted by file name.
    pub fn insert(&mut self, entry: ManifestEntry) {
        self.images.retain(|other| other.file != entry.file);
        self.images.push(entry);
        self.images.sort_by(|a, b| a.file.cmp(&b.file));
    }

    /// Returns the entry whose image has this file name, or None.
    pub fn find(&self, file: &str) -> Option<&ManifestEntry> {
        self.images.iter().find(|entry| entry.file == file)
    }
}

impl fmt::Display for Manifest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("# Written by `phasecube build --publish`.\n\n")?;
        f.write_str(&toml::to_string(self).map_err(|_| fmt::Error)?)
    }
}

// SHA-256 digests that identify images.

/// Digest in hexadecimal.
pub fn sha256(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// Two digits per byte.
pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::super::BoardDesignName;
    use super::*;

    fn entry(file: &str, bytes: usize) -> ManifestEntry {
        ManifestEntry {
            file: file.into(),
            board: "alchitry-cu".into(),
            design: "echo".into(),
            clock_mhz: 25,
            baud: 1_000_000,
            bytes,
            sha256: sha256(b"abc"),
            source_sha256: sha256(b""),
            logic_cells: 1,
            flip_flops: 2,
            block_rams: 3,
            fmax_mhz: 99.9,
            tools: vec!["yosys 1".into()],
        }
    }

    #[test]
    fn a_written_manifest_is_read_back() {
        let mut manifest = Manifest::default();
        manifest.insert(entry("b.bin", 1));
        manifest.insert(entry("a.bin", 2));
        manifest.insert(entry("b.bin", 3));
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(Manifest::read(dir.path()).unwrap(), Manifest::default());
        std::fs::write(dir.path().join(Manifest::FILE), manifest.to_string()).unwrap();
        let read = Manifest::read(dir.path()).unwrap();
        assert_eq!(read, manifest);
        let sizes: Vec<usize> = read.images.iter().map(|entry| entry.bytes).collect();
        assert_eq!(sizes, [2, 3]);
        assert_eq!(read.find("a.bin").unwrap().bytes, 2);
    }

    #[test]
    fn the_published_manifest_is_read() {
        let published = Manifest::published();
        assert!(!published.images.is_empty());
        for entry in published.images {
            let design = BoardDesignName::from_image_name(&entry.design);
            assert!(design.is_some(), "{}", entry.design);
        }
        for unknown in ["cube", "cube10", "echo3", "other", "3"] {
            assert_eq!(BoardDesignName::from_image_name(unknown), None);
        }
    }

    #[test]
    fn an_invalid_manifest_is_rejected_with_its_path() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join(Manifest::FILE), "colour = 1").unwrap();
        let error = Manifest::read(dir.path()).unwrap_err().to_string();
        assert!(error.contains("manifest.toml is not a manifest"), "{error}");
        assert!(error.contains("colour"), "{error}");
    }
}

#[cfg(test)]
mod sha256_tests {
    use super::*;

    /// The digest is the example of FIPS 180-2.
    #[test]
    fn digest_matches_fips_180_2() {
        let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(sha256(b"abc"), abc);
    }
}
