//! Measures what an open page of the panel costs: the speed of a simulation with and without it, and
//! the pictures that the page shows. Arguments: dimensions, generations of `examples/starc/life.starc`,
//! and runs of each kind, which alternate.
//!
//! ```text
//! cargo build --release && cargo run --release --example panel_speed -- 12 10 3
//! ```
//!
//! Needs Linux and Chromium.

// The tests drive the same browser.
#[allow(dead_code)]
#[path = "../sim/support/browser.rs"]
mod browser;

use browser::{Browser, DrivenPage};
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Superframes of a generation.
const SUPERFRAMES: u32 = 2;

/// File for the report of a run.
const REPORT: &str = "report.json";

/// Time that a run has taken.
#[derive(Clone, Copy)]
struct Spent {
    wall: f64,
    /// Time of processors that the simulator has used.
    cpu: f64,
}

/// A run of the program. Dropping it ends the program.
struct Run {
    child: Child,
    errors: BufReader<std::process::ChildStderr>,
}

impl Run {
    fn start(dir: &Path, dims: &str, command: &[&str]) -> Self {
        let program = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("target/release/phasecube");
        let common = ["--firmware", "life.starc", "--data", "cells.csv"];
        let mut child = Command::new(program)
            .args(command)
            .args(common)
            .args(["--dims", dims, "--memory", "16K,4K", "--json"])
            .current_dir(dir)
            .stdout(fs::File::create(dir.join(REPORT)).expect("the folder is new"))
            .stderr(Stdio::piped())
            .spawn()
            .expect("build the program first: cargo build --release");
        let errors = BufReader::new(child.stderr.take().expect("it is a pipe"));
        Run { child, errors }
    }

    /// Reads lines until one has this text.
    fn wait_for(&mut self, text: &str) -> String {
        let mut line = String::new();
        while self.errors.read_line(&mut line).expect("it is text") > 0 {
            if line.contains(text) {
                return line;
            }
            line.clear();
        }
        panic!("the program does not print {text:?}");
    }

    /// Seconds of processors that the process has used; 0 after its end.
    fn cpu(&self) -> f64 {
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.child.id()));
        let stat = stat.unwrap_or_default();
        let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or("").split(' ').collect();
        let ticks = |at: usize| fields.get(at).and_then(|t| t.parse::<f64>().ok());
        (ticks(12).unwrap_or(0.0) + ticks(13).unwrap_or(0.0)) / 100.0
    }

    /// Wall time of the simulation, from the report.
    fn end(mut self, dir: &Path, cpu: f64) -> Spent {
        self.child.wait().expect("it runs");
        let report = fs::read_to_string(dir.join(REPORT)).expect("it is text");
        let report: serde_json::Value = serde_json::from_str(&report).expect("it is JSON");
        let wall = report["wall_seconds"].as_f64().expect("a number");
        Spent { wall, cpu }
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn without_page(dir: &Path, dims: &str) -> Spent {
    let mut run = Run::start(dir, dims, &["run"]);
    let mut cpu: f64 = 0.0;
    while run.child.try_wait().expect("it runs").is_none() {
        cpu = cpu.max(run.cpu());
        sleep(Duration::from_millis(20));
    }
    run.end(dir, cpu)
}

/// Number of pictures that the page has drawn.
fn drawn(page: &mut DrivenPage) -> f64 {
    page.evaluate("window.drawn || 0").as_f64().unwrap_or(0.0)
}

fn with_page(dir: &Path, dims: &str) -> (Spent, f64) {
    let profile = tempfile::tempdir().expect("a folder");
    let mut browser = Browser::start(profile.path());
    let mut run = Run::start(dir, dims, &["panel", "--port", "0", "--paused"]);
    let line = run.wait_for("panel: http://");
    let url = line.split("panel: ").nth(1).expect("an address").trim();
    let mut page = browser.open(url, 1200);
    page.wait("document.getElementById('state')?.textContent.startsWith('Paused.')");
    page.evaluate(
        "{ const old = draw; draw = () => { window.drawn = (window.drawn || 0) + 1; old(); }; }",
    );
    let (start, before) = (Instant::now(), drawn(&mut page));
    page.evaluate("document.getElementById('run').click()");
    run.wait_for("The panel remains");
    // The report counts the time before the click, too.
    let wall = start.elapsed().as_secs_f64();
    let rate = (drawn(&mut page) - before) / wall;
    let cpu = run.cpu();
    let pid = run.child.id().to_string();
    let killed = Command::new("kill").args(["-INT", &pid]).status();
    assert!(killed.expect("kill exists").success());
    let spent = run.end(dir, cpu);
    (Spent { wall, ..spent }, rate)
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn main() {
    let argument = |at: usize, default: &str| {
        let given = std::env::args().nth(at);
        given.unwrap_or_else(|| default.to_owned())
    };
    let dims = argument(1, "12");
    let generations: u32 = argument(2, "10").parse().expect("a number of generations");
    let rounds: usize = argument(3, "3").parse().expect("a number of runs");
    let dir = tempfile::tempdir().expect("a folder");
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("examples/starc");
    let source = fs::read_to_string(folder.join("life.starc")).expect("the program exists");
    let source = source.replace("GENERATIONS 3", &format!("GENERATIONS {generations}"));
    fs::write(dir.path().join("life.starc"), source).expect("the folder is new");
    let nodes = 1u32 << dims.parse::<u32>().expect("the number of dimensions");
    let cell = |node: u32| u32::from(node.wrapping_mul(2_654_435_761) >> 30 == 0);
    let cells: String = (0..nodes).map(|node| format!("{node},{}\n", cell(node))).collect();
    fs::write(dir.path().join("cells.csv"), cells).expect("the folder is new");
    let (mut plain, mut shown, mut pictures) = (vec![], vec![], vec![]);
    for _ in 0..rounds {
        plain.push(without_page(dir.path(), &dims));
        let (spent, rate) = with_page(dir.path(), &dims);
        shown.push(spent);
        pictures.push(rate);
    }
    let wall = |runs: &[Spent]| median(runs.iter().map(|run| run.wall).collect());
    let cpu = |runs: &[Spent]| median(runs.iter().map(|run| run.cpu).collect());
    println!("{nodes} processors, {generations} generations of Life, median of {rounds} runs");
    println!("| | without a page | with an open page |");
    println!("| --- | --- | --- |");
    let row = |what: &str, of: &dyn Fn(&[Spent]) -> f64| {
        println!("| {what} | {:.2} | {:.2} |", of(&plain), of(&shown));
    };
    let per_second = f64::from(generations);
    row("generations per second", &|runs| per_second / wall(runs));
    row("superframes per second", &|runs| per_second * f64::from(SUPERFRAMES) / wall(runs));
    row("processor seconds of the simulator", &cpu);
    println!("| pictures per second on the page | | {:.1} |", median(pictures));
    println!(
        "speed with a page: {:.0} % by wall time, {:.0} % by processor time",
        100.0 * wall(&plain) / wall(&shown),
        100.0 * cpu(&plain) / cpu(&shown)
    );
}
