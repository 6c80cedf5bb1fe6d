//! The pages of reports and the pictures of networks in headless Chromium, at the widths of a laptop and of a phone, on light and
//! on dark backgrounds.

use crate::command_line::program::call;
use crate::compare::page::synthesised;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Script that reports the faults of a page to the frame around it.
const SCRIPT: &str = include_str!("page_check.js");

/// Shows a page in a frame of this width. Returns the lines of the script.
fn checked(dir: &Path, page: &str, width: u32, light: bool) -> Vec<String> {
    let script = format!("<script>\n{SCRIPT}</script></body>");
    fs::write(dir.join("page.html"), page.replace("</body>", &script)).unwrap();
    let frame = format!(
        "<!DOCTYPE html><title>Check</title><body><script>\
         onmessage = (event) => {{ const lines = document.createElement('pre'); \
         lines.textContent = event.data; document.body.append(lines); }};</script>\
         <iframe src=\"page.html\" style=\"width: {width}px; height: 2000px; border: 0\"></iframe>"
    );
    fs::write(dir.join("frame.html"), frame).unwrap();
    let mut chromium = Command::new("timeout");
    chromium.args([
        "300",
        "chromium",
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--virtual-time-budget=20000",
        "--window-size=1300,2000",
        "--hide-scrollbars",
        "--dump-dom",
    ]);
    let scheme = if light { 1 } else { 0 };
    chromium.arg(format!("--blink-settings=preferredColorScheme={scheme}"));
    chromium.arg(format!("--user-data-dir={}", dir.join("profile").display()));
    chromium.arg(format!("file://{}", dir.join("frame.html").display()));
    let done = chromium.output().unwrap();
    let missing = done.status.code() == Some(127);
    assert!(
        !missing,
        "chromium cannot be run; on Debian, install it by `apt-get install chromium`"
    );
    let dom = String::from_utf8_lossy(&done.stdout).into_owned();
    let lines = dom.split_once("<pre>").and_then(|(_, rest)| rest.split_once("</pre>"));
    let (lines, _) = lines.unwrap_or_else(|| panic!("no result: {dom}\n{done:?}"));
    lines.lines().map(str::to_owned).collect()
}

/// No text overlaps another one or is cut, no line has over 80 letters, no paragraph over four
/// lines, tables show that they scroll, and contrasts are sufficient.
fn check(page: &str) {
    let dir = tempfile::tempdir().unwrap();
    for (width, light) in [(1200, true), (1200, false), (390, true), (390, false)] {
        let lines = checked(dir.path(), page, width, light);
        let (head, faults) = lines.split_first().unwrap();
        let words: Vec<&str> = head.split(' ').collect();
        assert!(words[1].parse::<usize>().unwrap() > 20, "{head}");
        assert!(head.ends_with(&format!("at {width} pixels")), "{head}");
        assert!(faults.is_empty(), "{width} pixels, light {light}: {faults:#?}");
    }
}

fn written(args: &str, name: &str) -> String {
    let dir = tempfile::tempdir().unwrap();
    let args = format!("{args} --out found");
    let words: Vec<&str> = args.split(' ').collect();
    let done = call(dir.path(), &words);
    assert_eq!(done.code, Some(0), "{done:?}");
    fs::read_to_string(dir.path().join("found").join(name)).unwrap()
}

#[test]
#[ignore = "thorough: needs Chromium"]
fn synthesised_machines_are_readable() {
    check(&synthesised().files().pop().unwrap().1);
}

#[test]
#[ignore = "thorough: needs Chromium, and runs all networks"]
fn a_comparison_is_readable() {
    let args = "compare --no-synthesis --relations 1,4 --loads 0.2,1,1.4";
    check(&written(args, "compare.html"));
}

#[test]
#[ignore = "thorough: needs Chromium"]
fn a_load_sweep_is_readable() {
    let args = "sweep load --network torus --radix 4,4 --periods 40 --loads 0.1,0.3,0.6,1";
    check(&written(args, "load.html"));
}

#[test]
#[ignore = "thorough: needs Chromium"]
fn a_phase_sweep_is_readable() {
    let args = "sweep phase --axis skew --payload 0 --frames 16";
    check(&written(args, "phase.html"));
}

#[test]
#[ignore = "thorough: needs Chromium"]
fn figure_12_is_readable() {
    check(&written("figure12 --dims 3 --ratios 4", "figure12.html"));
}

/// Pictures of the networks without superframes, with the load of each channel.
#[test]
#[ignore = "thorough: needs Chromium"]
fn pictures_of_networks_are_readable() {
    for args in [
        "--network cm1 --dims 3",
        "--network cm1 --dims 8 --processors 1",
        "--network rotation --dims 4",
        "--network rotation --dims 6",
        "--network torus --radix 5",
        "--network torus --radix 4,4",
        "--network torus --radix 4,3,5",
    ] {
        let dir = tempfile::tempdir().unwrap();
        let words = format!("run {args} --pattern permutation --picture -");
        let done = call(dir.path(), &words.split(' ').collect::<Vec<_>>());
        assert_eq!(done.code, Some(0), "{args}: {done:?}");
        assert!(done.stdout.contains("Load of a channel"), "{args}");
        check(&format!("{PICTURE_FRAME}{}</body>", done.stdout));
    }
}

/// Page around a picture, with the backgrounds of a browser.
const PICTURE_FRAME: &str = "<!DOCTYPE html><title>Picture</title><style>\
    :root { color-scheme: light dark } body { margin: 0; background: #FFFFFF }\
    @media (prefers-color-scheme: dark) { body { background: #15181B } }</style><body>";

/// The check finds faults that are put into a page.
#[test]
#[ignore = "thorough: needs Chromium"]
fn faults_of_a_page_are_found() {
    let dir = tempfile::tempdir().unwrap();
    let page = synthesised().files().pop().unwrap().1;
    for (rule, says) in [
        ("h1 { width: 5000px; }", "the page is"),
        ("h2 { margin-top: -2rem; }", "overlaps"),
        (".scroll { overflow-x: hidden; }", "does not show that it scrolls"),
        ("th { position: static !important; }", "scrolls its first column away"),
        (".findings { max-width: none; }", "letters in a line"),
        ("svg .tick { fill: #AAAAAA; }", "contrast of text tick"),
        (".mark { stroke: #DDDDDD !important; }", "contrast of polygon mark"),
    ] {
        let page = page.replace("</style>", &format!("{rule}</style>"));
        let widths = [1200, 390].into_iter();
        let lines = widths.flat_map(|width| checked(dir.path(), &page, width, true));
        let lines: Vec<String> = lines.collect();
        assert!(lines.iter().any(|line| line.contains(says)), "{rule}: {lines:#?}");
    }
}
