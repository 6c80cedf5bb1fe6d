//! Programs in C++, the grid of `grid.h`, and the project that `phasecube firmware` writes.

use crate::command_line::program::{call, refused_in, with_tools, CallResult};
use phasecube::toolchain::{cache, Policy, Toolchain};
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// Each node returns its row, its column, and the nodes to the east, west, north and south.
const GRID: &str = r#"#include "ctrl.h"
#include "grid.h"

int main(void)
{
    unsigned here = tdma_strapped_address(), dims = tdma_strapped_dims();
    tdma_init((uint16_t)here, dims);
    struct grid_words words = grid_exchange(here, dims, here);
    uint32_t results[] = {grid_row(here, dims), grid_column(here, dims),
                          words.east, words.west, words.north, words.south};
    for (unsigned i = 0; i < 6; i++)
        ctrl_send(results + i, 4);
    return grid_node(results[0], results[1], dims) == here ? 0 : 1;
}
"#;

/// A class template, virtual functions, and objects with constructors and destructors.
const CPP: &str = r#"#include "ctrl.h"
#include "grid.h"

namespace {
template <typename T> class Sum {
    T total = 0;

public:
    Sum &operator+=(T value)
    {
        total += value;
        return *this;
    }
    T get() const { return total; }
};

struct Shape {
    virtual uint32_t sides() const = 0;
};
struct Triangle : Shape {
    uint32_t sides() const override { return 3; }
};
struct Square : Shape {
    uint32_t sides() const override { return 4; }
};

volatile uint32_t start = 5;
struct Counter {
    uint32_t count;
    Counter() : count(start) {}
    ~Counter() { start = 0; }
};
Counter first;
uint32_t second = first.count + start;
}

int main()
{
    unsigned here = tdma_strapped_address(), dims = tdma_strapped_dims();
    tdma_init((uint16_t)here, dims);
    const auto words = grid_exchange(here, dims, 1u << here);
    Sum<uint32_t> sum;
    const uint32_t neighbours[] = {words.east, words.west, words.north, words.south};
    for (auto word : neighbours)
        sum += word;
    static const Triangle triangle;
    static const Square square;
    const Shape &shape = here & 1 ? (const Shape &)triangle : square;
    const uint32_t results[] = {sum.get(), shape.sides(), first.count, second};
    for (const auto &result : results)
        ctrl_send(&result, sizeof result);
    ctrl_print("node %u, %f", here, 0.5);
    return 0;
}
"#;

fn run(dir: &Path, program: &str, dims: u32) -> CallResult {
    run_with(dir, program, dims, "none")
}

fn run_with(dir: &Path, program: &str, dims: u32, data: &str) -> CallResult {
    let dims = dims.to_string();
    let args = ["run", "--firmware", program, "--dims", &dims, "--data", data, "--json"];
    CallResult::from(with_tools(dir).args(args).output().unwrap())
}

fn report(done: &CallResult) -> serde_json::Value {
    serde_json::from_str(&done.stdout).unwrap()
}

/// Returns the values of each node.
fn values(done: &CallResult) -> Vec<Vec<u64>> {
    assert_eq!(done.code, Some(0), "{done:?}");
    let report = report(done);
    let words = |node: &serde_json::Value| {
        let words = node["values"].as_array().unwrap().iter();
        words.map(|word| word.as_u64().unwrap()).collect()
    };
    let nodes = report["programs"]["nodes"].as_array().unwrap();
    nodes.iter().map(words).collect()
}

/// Rows and columns contain every node once. The neighbours are those of the rows and columns, and the
/// exchange takes one superframe.
#[test]
#[ignore = "thorough: compiles firmware"]
fn the_grid_has_the_neighbours_of_rows_and_columns() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("grid.c"), GRID).unwrap();
    for dims in [1, 2, 5, 6] {
        let done = run(dir.path(), "grid.c", dims);
        let values = values(&done);
        // One superframe after the first phase, in which the programs start.
        let phases = report(&done)["programs"]["phases"].as_u64().unwrap();
        assert!(phases <= 2 * u64::from(dims) + 1, "{dims}: {phases}");
        let (columns, rows) = (1 << (dims / 2), 1 << (dims - dims / 2));
        let at: BTreeMap<(u64, u64), u64> =
            (0..).zip(&values).map(|(node, v)| ((v[0], v[1]), node)).collect();
        assert_eq!(at.len(), 1 << dims, "{values:?}");
        for ((row, column), node) in &at {
            let expected = [
                at[&(*row, (column + 1) % columns)],
                at[&(*row, (column + columns - 1) % columns)],
                at[&((row + rows - 1) % rows, *column)],
                at[&((row + 1) % rows, *column)],
            ];
            assert_eq!(values[*node as usize][2..], expected, "{dims} dimensions, node {node}");
        }
    }
}

#[test]
#[ignore = "thorough: compiles firmware"]
fn a_program_can_be_in_cpp() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("a.cpp"), CPP).unwrap();
    let done = run(dir.path(), "a.cpp", 4);
    let prints = &report(&done)["programs"]["prints"];
    assert_eq!(prints[3]["text"], "node 3, 0.500000", "{done:?}");
    let values = values(&done);
    // All four neighbours differ in 16 nodes of 4 x 4, and differ from the node in one bit.
    for (node, row) in values.iter().enumerate() {
        let neighbours = (0..4).map(|dim| 1 << (node ^ 1 << dim));
        let sides = 4 - node as u64 % 2;
        assert_eq!(row, &[neighbours.sum::<u64>(), sides, 5, 10], "node {node}");
    }
}

/// The project that `phasecube firmware` writes.
struct Project(TempDir);

impl Project {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(call(dir.path(), &FIRMWARE).code, Some(0));
        Project(dir)
    }

    fn folder(&self) -> PathBuf {
        self.0.path().join("kit")
    }

    /// Writes a script that starts the pinned zig. Returns its path.
    fn zig(&self) -> String {
        let tools = Toolchain::new(cache::cache_dir().unwrap(), Policy::Pinned);
        let command = tools.riscv_cc().unwrap().command();
        let quoted = |word: &OsStr| shlex::try_quote(word.to_str().unwrap()).unwrap().into_owned();
        let mut script = "#!/bin/sh\n".to_owned();
        for (name, value) in command.get_envs() {
            script += &match value {
                Some(value) => format!("export {}={}\n", name.to_str().unwrap(), quoted(value)),
                None => format!("unset {}\n", name.to_str().unwrap()),
            };
        }
        let arguments = command.get_args().filter(|word| *word != "cc").map(quoted);
        let words: Vec<String> =
            [quoted(command.get_program())].into_iter().chain(arguments).collect();
        script += &format!("exec {} \"$@\"\n", words.join(" "));
        let path = self.0.path().join("zig");
        fs::write(&path, script).unwrap();
        succeeds(Command::new("chmod").arg("+x").arg(&path));
        path.to_str().unwrap().to_owned()
    }

    /// Runs a program on a 4-cube, with two words for each node. Returns what each node returned.
    fn results(&self, program: &str, given: &[Vec<u64>]) -> Vec<Vec<u64>> {
        let lines = given.iter().enumerate();
        let lines = lines.map(|(node, words)| format!("{node},{},{}\n", words[0], words[1]));
        fs::write(self.folder().join("in.csv"), lines.collect::<String>()).unwrap();
        let program = format!("build/{program}.elf");
        values(&run_with(&self.folder(), &program, 4, "in.csv"))
    }
}

const FIRMWARE: [&str; 3] = ["firmware", "--out", "kit"];

fn succeeds(command: &mut Command) {
    let done = CallResult::from(command.output().unwrap());
    assert_eq!(done.code, Some(0), "{command:?}: {done:?}");
}

/// The programs of the project return the results of a plain computation: built by make, C and C++
/// also by CMake.
#[test]
#[ignore = "thorough: compiles firmware, pip fetches CMake, rustup the target"]
fn a_project_is_built_and_its_programs_run() {
    let project = Project::new();
    let (folder, zig) = (project.folder(), project.zig());
    succeeds(Command::new("rustup").args(["target", "add", "riscv32i-unknown-none-elf"]));
    let make = || {
        let mut make = Command::new("make");
        make.current_dir(&folder).args(["all", "rust", "COMPILER=zig"]);
        make.arg(format!("ZIG={zig}")).env("RUSTFLAGS", "-Dwarnings");
        make
    };
    succeeds(&mut make());
    let venv = project.0.path().join("venv");
    succeeds(Command::new("python3").args(["-m", "venv"]).arg(&venv));
    succeeds(Command::new(venv.join("bin/pip")).args(["install", "--quiet", "cmake"]));
    let cmake = || {
        let mut cmake = Command::new(venv.join("bin/cmake"));
        cmake.current_dir(&folder);
        cmake
    };
    let configure = ["-B", "build/cmake", "--toolchain", "node.cmake"];
    succeeds(cmake().args(configure).arg(format!("-DZIG={zig}")));
    succeeds(cmake().args(["--build", "build/cmake"]));
    succeeds(cmake().args(["--build", "build/cmake", "--target", "rust"]));

    let given: Vec<Vec<u64>> =
        (0..16u64).map(|node| vec![100 + node * node, 7 * node % 5]).collect();
    let of_all = |result: fn(&mut dyn Iterator<Item = u64>) -> u64| {
        let word = |place: usize| result(&mut given.iter().map(|words| words[place]));
        vec![vec![word(0), word(1)]; 16]
    };
    // Of a grid of 4 x 4 all neighbours in the cube are neighbours.
    let average = |node: usize, place: usize| {
        (0..4).map(|dim| given[node ^ 1 << dim][place]).sum::<u64>() / 4
    };
    let blurred: Vec<Vec<u64>> =
        (0..16).map(|node| vec![average(node, 0), average(node, 1)]).collect();
    for (program, expected) in [
        ("sum", of_all(|words| words.sum())),
        ("cmake/sum", of_all(|words| words.sum())),
        ("least", of_all(|words| words.min().unwrap())),
        ("cmake/least", of_all(|words| words.min().unwrap())),
        ("blur", blurred.clone()),
        ("cmake/blur", blurred),
    ] {
        assert_eq!(project.results(program, &given), expected, "{program}");
    }

    // A wrong argument is a panic in Rust.
    let source = folder.join("rust/src/lib.rs");
    let text = fs::read_to_string(&source).unwrap();
    fs::write(&source, text.replace("0..node.dims()", "0..=node.dims()")).unwrap();
    succeeds(&mut make());
    let done = run_with(&folder, "build/least.elf", 4, "in.csv");
    assert_eq!(done.code, Some(1), "{done:?}");
    let nodes = &report(&done)["programs"]["nodes"];
    assert!(nodes.as_array().unwrap().iter().all(|node| node["exit"] == 101), "{done:?}");
}

/// Files that the user has changed are not replaced. The makefile and the runtime are those of the
/// repository.
#[test]
fn a_project_keeps_the_files_of_the_user() {
    let project = Project::new();
    let read = |name: &str| fs::read_to_string(project.folder().join(name)).unwrap();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("firmware");
    for name in ["include/grid.h", "runtime/tdma.c", "runtime/node.ld"] {
        assert_eq!(read(name), fs::read_to_string(source.join(name)).unwrap());
    }
    assert!(read("rust/.cargo/config.toml").contains("riscv32i"));
    let again = call(project.0.path(), &FIRMWARE);
    assert_eq!(again.code, Some(0), "{again:?}");
    let changed = project.folder().join("programs/sum.c");
    fs::write(&changed, "mine").unwrap();
    refused_in(project.0.path(), 2, &FIRMWARE, "kit/programs/sum.c would be overwritten");
    assert_eq!(read("programs/sum.c"), "mine");
    let forced = call(project.0.path(), &[&FIRMWARE[..], &["--force"]].concat());
    assert_eq!(forced.code, Some(0), "{forced:?}");
    assert_ne!(read("programs/sum.c"), "mine");
    fs::write(project.0.path().join("file"), "").unwrap();
    refused_in(project.0.path(), 2, &["firmware", "--out", "file/kit"], "file is a file");
}
