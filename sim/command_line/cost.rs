//! The table of blocks in docs/cost.md is the output of `phasecube cost`.
//!
//! Measuring all blocks takes minutes. A file next to the table therefore keeps the digest of each
//! block's circuit from the last full measurement, and the test measures only some blocks. After a
//! change of circuits,
//!
//! ```sh
//! PHASECUBE_BLESS=1 cargo sim command_line::cost
//! ```
//!
//! measures all blocks, checks that the page contains the output, and updates the digests.

use crate::command_line::program::{with_tools, CallResult};
use hdl::verilog::canonical;
use phasecube::board::manifest::sha256;
use phasecube::machine::catalog::{CatalogEntry, CatalogGroup};
use std::path::Path;

const README: &str = include_str!("../../README.md");
const COST: &str = include_str!("../../docs/cost.md");

/// Lines of a block and the digest of its circuit, whatever the parts of that are called.
const DIGESTS: &str = "sim/golden/cost.csv";

/// Blocks measured in each run: the node, and some of each network and of the core that take a
/// second or two.
const MEASURED: [&str; 9] = [
    "PinMux<4>",
    "Crc16",
    "FrameEngine<4>",
    "Node<4>",
    "HeartColumn<7>",
    "LoneChip<3>",
    "DmaCopy<4>",
    "ServiceState",
    "HostPort<8, 3>",
];

fn cost(blocks: &[&str]) -> String {
    let dir = tempfile::tempdir().unwrap();
    let args = [&["cost"], blocks].concat();
    let done: CallResult = with_tools(dir.path()).args(args).output().unwrap().into();
    assert_eq!(done.code, Some(0), "{done:?}");
    done.stdout
}

fn digests() -> String {
    let line = |block: &CatalogEntry| {
        let circuit = canonical(&block.default_design().unwrap());
        let digest = sha256(circuit.as_bytes());
        format!("\"{}\",{}\n", block.name, &digest[..16])
    };
    CatalogEntry::of(CatalogGroup::Block).map(line).collect()
}

/// Returns the rows of blocks without the spaces that align columns, and the sentences with the
/// tools on a line each.
fn figures(printed: &str) -> Vec<String> {
    let rows = printed.lines().filter(|line| line.starts_with("| `"));
    let cells = |line: &str| line.split('|').map(str::trim).collect::<Vec<_>>().join("|");
    let tools = printed.split("\n\n").filter_map(|paragraph| {
        let words: Vec<&str> = paragraph.split_whitespace().collect();
        let paragraph = words.join(" ");
        let start = paragraph.find("Measured with")?;
        Some(paragraph[start..].to_owned())
    });
    rows.map(cells).chain(tools).collect()
}

/// The page has the figures of the present circuits. A new block may lack a row until the next full
/// measurement.
#[test]
fn the_documented_table_is_of_the_present_circuits() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(DIGESTS);
    let now = digests();
    if std::env::var_os("PHASECUBE_BLESS").is_some_and(|value| value == "1") {
        let printed = cost(&[]);
        assert!(COST.contains(&printed), "`phasecube cost` now prints\n{printed}");
        std::fs::write(&path, &now).unwrap();
    }
    let known = std::fs::read_to_string(&path).unwrap();
    let changed: Vec<&str> =
        known.lines().filter(|line| now.lines().all(|now| now != *line)).collect();
    assert!(
        changed.is_empty(),
        "docs/cost.md has figures of other circuits than {changed:#?}; \
         PHASECUBE_BLESS=1 measures all and takes them over"
    );
    let (_, table) = COST.split_once("each block placed and routed alone").unwrap();
    let rows = table.split("Measured with").next().unwrap();
    let rows = rows.lines().filter(|line| line.starts_with("| `"));
    let named: Vec<&str> = rows.map(|row| row.split('`').nth(1).unwrap()).collect();
    let measured = known.lines().map(|line| line.split('"').nth(1).unwrap());
    assert_eq!(named, measured.collect::<Vec<_>>());
}

#[test]
#[ignore = "thorough: synthesises blocks"]
fn blocks_cost_what_the_page_says() {
    let printed = cost(&MEASURED);
    let (now, known) = (figures(&printed), figures(COST));
    assert_eq!(now.len(), MEASURED.len() + 1);
    let wrong: Vec<&String> = now.iter().filter(|line| !known.contains(line)).collect();
    assert!(wrong.is_empty(), "`phasecube cost` now prints {wrong:#?}");
    let node = printed.lines().find(|line| line.contains("`Node<4>`"));
    let cells = node.and_then(|row| row.split('|').nth(2)).unwrap().trim();
    let figure = format!("| {cells} logic cells | `cost` |");
    assert!(README.contains(&figure), "{figure}");
}

/// An unknown block is rejected with the nearest names, before any tool is fetched.
#[test]
fn an_unknown_block_is_reported() {
    let dir = tempfile::tempdir().unwrap();
    let args = ["cost", "Crc16", "Node<9>"];
    let done: CallResult = with_tools(dir.path()).args(args).output().unwrap().into();
    assert_eq!(done.code, Some(2), "{done:?}");
    let printed =
        "there is no block \"Node<9>\"; accepted: those of the table that `phasecube cost` \
                prints";
    assert!(done.stderr.contains(printed), "{}", done.stderr);
}
