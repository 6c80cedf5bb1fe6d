//! Programs in C++, and the grid of `grid.h`.

use crate::command_line::program::{with_tools, CallResult};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

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
    let dims = dims.to_string();
    let args = [
        "run",
        "--firmware",
        program,
        "--dims",
        &dims,
        "--data",
        "none",
        "--json",
    ];
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
    for dims in [1, 2, 5] {
        let done = run(dir.path(), "grid.c", dims);
        let values = values(&done);
        // One superframe after the first phase, in which the programs start.
        let phases = report(&done)["programs"]["phases"].as_u64().unwrap();
        assert!(phases <= 2 * u64::from(dims) + 1, "{dims}: {phases}");
        let (columns, rows) = (1 << (dims / 2), 1 << (dims - dims / 2));
        let at: BTreeMap<(u64, u64), u64> = (0..)
            .zip(&values)
            .map(|(node, v)| ((v[0], v[1]), node))
            .collect();
        assert_eq!(at.len(), 1 << dims, "{values:?}");
        for ((row, column), node) in &at {
            let expected = [
                at[&(*row, (column + 1) % columns)],
                at[&(*row, (column + columns - 1) % columns)],
                at[&((row + rows - 1) % rows, *column)],
                at[&((row + 1) % rows, *column)],
            ];
            assert_eq!(
                values[*node as usize][2..],
                expected,
                "{dims} dimensions, node {node}"
            );
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
