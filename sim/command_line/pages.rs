//! Every command that the pages show with its output prints that output. The pages may omit lines.

use crate::command_line::program::{with_tools, CallResult};
use std::fs;
use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// Returns the page with its ports replaced by free ones.
fn with_free_ports(page: &str) -> String {
    let listeners = [(); 2].map(|()| TcpListener::bind("127.0.0.1:0").unwrap());
    let ports = listeners.map(|listener| listener.local_addr().unwrap().port().to_string());
    page.replace("7700", &ports[0]).replace("7701", &ports[1])
}

/// Returns the blocks of a page: the text after the fence, and the lines.
fn blocks(page: &str) -> Vec<(&str, &str)> {
    let mut blocks = vec![];
    let mut rest = page;
    while let Some((_, after)) = rest.split_once("\n```") {
        let (head, after) = after.split_once('\n').unwrap();
        let (body, after) = after.split_once("```").unwrap();
        blocks.push((head, body));
        rest = after;
    }
    blocks
}

fn run(dir: &Path, command: &str) -> CallResult {
    let words: Vec<&str> = command.split_whitespace().collect();
    match words[0] {
        "phasecube" => with_tools(dir).args(&words[1..]).output().unwrap().into(),
        "python3" => {
            let mut python = Command::new("python3");
            let package = concat!(env!("CARGO_MANIFEST_DIR"), "/host/python/src");
            python.env("PYTHONPATH", package);
            python.env("PYTHONDONTWRITEBYTECODE", "1");
            python.current_dir(dir).args(&words[1..]);
            python.output().unwrap().into()
        }
        other => panic!("no test runs {other}"),
    }
}

/// A command that runs in the background. Dropping it ends the command.
struct BackgroundCommand(Child);

impl BackgroundCommand {
    /// Starts the command and waits until it has printed lines that begin with `says`.
    fn new(dir: &Path, command: &str, says: &[&str]) -> Self {
        let words: Vec<&str> = command.split_whitespace().collect();
        assert_eq!(words[0], "phasecube");
        let mut program = with_tools(dir);
        program.args(&words[1..]).stdout(Stdio::piped());
        let mut beside = BackgroundCommand(program.spawn().unwrap());
        let mut lines = BufReader::new(beside.0.stdout.take().unwrap()).lines();
        for line in says {
            let printed = lines.next().unwrap().unwrap();
            assert!(printed.starts_with(line), "{command} prints {printed:?}");
        }
        beside
    }
}

impl Drop for BackgroundCommand {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Runs a command and checks its output. It must fail exactly if its last line is an error. The
/// lines are beginnings of printed lines, in order.
fn does_what_it_says(dir: &Path, command: &str, says: &[&str]) {
    let done = run(dir, command);
    let fails = says.last().is_some_and(|line| line.starts_with("error: "));
    assert_eq!(done.code == Some(0), !fails, "{command}: {done:?}");
    let printed = done.stdout.clone() + &done.stderr;
    let mut lines = printed.lines();
    for line in says {
        let found = lines.any(|printed| printed.starts_with(line));
        assert!(found, "{command} does not print {line:?}, or not there:\n{printed}");
    }
}

/// Runs the sessions of a page in one folder, in order. Returns the number of commands.
fn sessions(page: &str) -> usize {
    let dir = tempfile::tempdir().unwrap();
    let image = "bitstreams/alchitry-cu-programs3.bin";
    fs::create_dir(dir.path().join("bitstreams")).unwrap();
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    fs::copy(here.join(image), dir.path().join(image)).unwrap();
    let page = with_free_ports(page);
    let (mut commands, mut beside) = (0, vec![]);
    for (head, body) in blocks(&page) {
        match head.split_once(' ') {
            Some((_, file)) => fs::write(dir.path().join(file), body).unwrap(),
            None if head == "console" => {
                for session in body.split("$ ").skip(1) {
                    let lines: Vec<&str> = session.lines().collect();
                    match lines[0].strip_suffix(" &") {
                        Some(command) => {
                            beside.push(BackgroundCommand::new(dir.path(), command, &lines[1..]));
                        }
                        None => does_what_it_says(dir.path(), lines[0], &lines[1..]),
                    }
                    commands += 1;
                }
            }
            // A picture, a rule or a circuit.
            None => {}
        }
    }
    assert_eq!(commands, page.matches("\n$ ").count());
    commands
}

#[test]
#[ignore = "thorough: runs all commands of a page"]
fn every_command_of_the_first_program_prints_the_documented_output() {
    assert!(sessions(include_str!("../../docs/first-program.md")) >= 15);
}

/// Counts the sessions of the other pages, so that a new one is noticed.
#[test]
#[ignore = "thorough: runs all commands of the pages"]
fn every_command_prints_its_documented_output() {
    let docs = concat!(env!("CARGO_MANIFEST_DIR"), "/docs");
    let mut pages = 0;
    for entry in fs::read_dir(docs).unwrap() {
        let path = entry.unwrap().path();
        let other = path.extension().is_some_and(|e| e == "md")
            && path.file_stem().is_some_and(|stem| stem != "first-program");
        if other && sessions(&fs::read_to_string(&path).unwrap()) > 0 {
            pages += 1;
        }
    }
    assert!(pages >= 5, "{pages} pages have sessions");
}

/// Each SVG is the output of the command beside it. `panel` tests the picture of the LED panel.
#[test]
fn pictures_are_drawn_by_their_commands() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let docs = fs::read_dir(root.join("docs")).unwrap();
    let pages = docs.map(|entry| entry.unwrap().path()).filter(|path| path.is_file());
    let pages = pages.chain([root.join("README.md")]);
    let texts: Vec<String> = pages.map(|page| fs::read_to_string(page).unwrap()).collect();
    let mut pictures = 0;
    for entry in fs::read_dir(root.join("docs/pictures")).unwrap() {
        let picture = entry.unwrap().path();
        if picture.extension().is_none_or(|end| end != "svg") {
            continue;
        }
        let name = picture.file_name().unwrap().to_str().unwrap();
        let drawn = format!("--picture docs/pictures/{name}");
        let code = texts.iter().flat_map(|text| text.split('`'));
        let command = code.into_iter().find(|code| code.ends_with(&drawn));
        let command = command.unwrap_or_else(|| panic!("no page says what draws {name}"));
        let dir = tempfile::tempdir().unwrap();
        let done = run(dir.path(), &command.replace(&drawn, "--picture -"));
        assert_eq!(done.stdout, fs::read_to_string(&picture).unwrap(), "{name}");
        pictures += 1;
    }
    assert!(pictures >= 3);
}
