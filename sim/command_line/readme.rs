//! Figures in the README and in the pages on costs and boards are the output of the commands beside
//! them.

use crate::command_line::program::{with_tools, CallResult};
use phasecube::board::manifest::Manifest;
use phasecube::proofs::PROPERTIES;
use serde_json::Value;
use std::path::Path;

const README: &str = include_str!("../../README.md");
const COST: &str = include_str!("../../docs/cost.md");
const BOARD: &str = include_str!("../../docs/board.md");

fn print(args: &[&str]) -> String {
    let dir = tempfile::tempdir().unwrap();
    let done: CallResult = with_tools(dir.path()).args(args).output().unwrap().into();
    assert_eq!(done.code, Some(0), "{done:?}");
    done.stdout
}

/// The README's excerpt of the main job consists of its output lines, except for wall time.
#[test]
#[ignore = "thorough: runs the main job"]
fn the_main_job_prints_what_the_readme_shows() {
    let printed = print(&[]);
    let (_, block) = README.split_once("```text\nPhasecube: ").unwrap();
    let (shown, _) = block.split_once("```").unwrap();
    let timed = |line: &&str| line.contains(" clock cycles in ") || line.contains(", in target/");
    let mut lines = printed.lines();
    for line in shown.lines().skip(1).filter(|line| *line != "..." && !timed(line)) {
        assert!(
            lines.any(|printed| printed == line),
            "{line:?} is not in, or not there:\n{printed}"
        );
    }
}

/// Returns the rows of the table of figures: quantity, figure, command.
fn figures() -> Vec<[&'static str; 3]> {
    let rows = README.lines().filter_map(|line| {
        let cells: Vec<&str> = line.trim_matches('|').split(" | ").collect();
        let cells: [&str; 3] = cells.try_into().ok()?;
        Some(cells.map(str::trim))
    });
    rows.collect()
}

#[test]
#[ignore = "thorough: runs on 4,096 nodes"]
fn superframes_in_the_readme_are_those_of_the_commands() {
    let mut checked = 0;
    for [_, figure, command] in figures() {
        let (true, Some(command)) = (figure.ends_with(" superframes"), command.strip_prefix('`'))
        else {
            continue;
        };
        let words: Vec<&str> = command.trim_end_matches('`').split(' ').collect();
        let printed = print(&words);
        assert!(printed.contains(figure), "{command}: {figure}: {printed}");
        checked += 1;
    }
    assert_eq!(checked, 3);
}

/// The README rounds the numbers of properties and claims, so that a new one does not change it.
#[test]
fn the_readme_rounds_the_counts_of_properties_and_claims() {
    assert!(
        PROPERTIES.len() > 25 && README.contains("| over 25, most in several sizes | `prove` |")
    );
    let several = PROPERTIES.iter().filter(|property| property.cases.len() > 1);
    assert!(2 * several.count() > PROPERTIES.len());
    let report: Value = serde_json::from_str(&print(&["claims", "--json"])).unwrap();
    let count = |name: &str| report["counts"][name].as_f64().unwrap();
    assert!(count("claims") > 200.0 && README.contains("| over 200; about one in seven of those"));
    let checked = count("true") + count("false") + count("conditional");
    let share = count("false") / checked;
    // The nearest whole number is seven.
    assert!((1.0 / 7.5..1.0 / 6.5).contains(&share), "{share}");
    assert_eq!(count("missing"), 0.0, "what can be checked is checked");
}

#[test]
fn the_readme_is_short() {
    assert!(README.lines().count() <= 100);
}

/// Fetches the published cores and runs the program on each. An empty folder of further cores
/// changes nothing.
#[test]
#[ignore = "thorough: synthesises cores"]
fn the_table_of_cores_is_the_one_in_the_page() {
    let empty = tempfile::tempdir().unwrap();
    let empty = empty.path().to_str().unwrap();
    for args in [&["cost", "--cores"][..], &["cost", "--cores", "--sources", empty]] {
        // Lines are wrapped at another width than the page's.
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let printed = print(args);
        assert!(
            words(COST).contains(&words(&printed)),
            "`phasecube {args:?}` now prints\n{printed}"
        );
    }
}

/// The page lists every published image as the manifest does.
#[test]
fn the_table_of_images_is_the_manifests() {
    let published = concat!(env!("CARGO_MANIFEST_DIR"), "/bitstreams");
    let manifest = Manifest::read(Path::new(published)).unwrap();
    assert!(!manifest.images.is_empty());
    let thousands = |n: usize| match n {
        0..1000 => n.to_string(),
        _ => format!("{},{:03}", n / 1000, n % 1000),
    };
    for image in &manifest.images {
        let [cells, flops, rams] =
            [image.logic_cells, image.flip_flops, image.block_rams].map(thousands);
        let row = format!("| {cells} | {flops} | {rams} | {:.1} |", image.fmax_mhz);
        assert!(BOARD.contains(&row), "{}: {row}", image.file);
        if ["cube3", "cube4"].contains(&image.design.as_str()) {
            let figure = format!("| {cells} of 7,680 logic cells, {rams} of 32 block RAMs |");
            assert!(README.contains(&figure), "{figure}");
        }
    }
}
