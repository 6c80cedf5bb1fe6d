//! The computing programs of `firmware/programs`, for tests and for `examples/programs.rs`. For
//! each: its data, the results of a plain computation, and the superframes that theory predicts.

use phasecube::engine::NodeEngine;
use phasecube::machine::{drive, EndReason, MachineCircuit, ProgramResults, RunControl};
use phasecube::networks::tdma::cube::{CubeCircuit, ProgramDriver};
use phasecube::program::Firmware;
use phasecube::routing::compiled::{
    permute_steps, schedule_messages, step_words, SearchEffort, SweepDirection,
};
use phasecube::routing::Schedule;
use phasecube::topology::Hypercube;
use phasecube::traffic::SplitMix64;
use phasecube::values::{ProgramValue, Values};
use std::f64::consts::TAU;

/// A program of the project.
pub struct ProgramCase {
    pub name: &'static str,
    /// Short description.
    pub what: &'static str,
    /// Formula for the superframes, for readers.
    pub theory: &'static str,
    /// Superframes on a cube of n dimensions.
    pub superframes: fn(n: u32) -> u64,
    /// Random data for each node of such a cube, and the expected results.
    pub task: fn(n: u32, &mut SplitMix64) -> CaseData,
    /// Maximum difference of a returned value from the expected one.
    pub tolerance: u32,
}

/// Data and expected results by node.
pub struct CaseData {
    pub given: Vec<Vec<i32>>,
    pub expected: Vec<Vec<i32>>,
}

/// Adds as the programs do, modulo the word size.
fn sum(numbers: &[i32]) -> i32 {
    numbers.iter().fold(0, |a, b| a.wrapping_add(*b))
}

/// Generations of `life`.
pub const GENERATIONS: u64 = 10;

pub const CASES: [ProgramCase; 9] = [
    ProgramCase {
        name: "parallel_sum",
        what: "the sum of all numbers, step by step",
        theory: "1: an exchange per dimension",
        superframes: |_| 1,
        task: |n, random| {
            let numbers = words(n, random);
            let sum = sum(&numbers);
            let expected = vec![vec![sum]; numbers.len()];
            CaseData { given: each(&numbers), expected }
        },
        tolerance: 0,
    },
    ProgramCase {
        name: "all_reduce",
        what: "sum, least and greatest, in every node",
        theory: "3: one for each",
        superframes: |_| 3,
        task: |n, random| {
            let numbers = words(n, random);
            let sum = sum(&numbers);
            let (least, most) = (numbers.iter().min(), numbers.iter().max());
            let all = vec![sum, *least.unwrap(), *most.unwrap()];
            CaseData { expected: vec![all; numbers.len()], given: each(&numbers) }
        },
        tolerance: 0,
    },
    ProgramCase {
        name: "prefix_sum",
        what: "the sum up to each node, and of all",
        theory: "1: an exchange per dimension",
        superframes: |_| 1,
        task: |n, random| {
            let numbers = words(n, random);
            let mut sums = vec![];
            let mut sum = 0i32;
            for number in &numbers {
                sum = sum.wrapping_add(*number);
                sums.push(sum);
            }
            CaseData {
                expected: sums.iter().map(|upto| vec![*upto, sum]).collect(),
                given: each(&numbers),
            }
        },
        tolerance: 0,
    },
    ProgramCase {
        name: "bitonic_sort",
        what: "sorts, by the addresses read from right to left",
        theory: "n: n stages, each in ascending dimensions",
        superframes: u64::from,
        task: |n, random| {
            // Some of them are equal.
            let numbers: Vec<i32> = (0..1 << n).map(|_| random.below(1 << n) as i32 - 5).collect();
            let mut sorted = numbers.clone();
            sorted.sort_unstable();
            let expected = (0..1 << n).map(|node| vec![sorted[reversed(node, n)]]);
            CaseData { expected: expected.collect(), given: each(&numbers) }
        },
        tolerance: 0,
    },
    ProgramCase {
        name: "transpose",
        what: "transposes a matrix of 2^(n/2) rows",
        theory: "n/4 + 1, rounded down",
        superframes: |n| u64::from(n / 4 + 1),
        task: |n, random| {
            let (numbers, half) = (words(n, random), n / 2);
            let side = 1usize << half;
            let at = |row: usize, column: usize| numbers[row * side + column];
            let nodes = 0..side * side;
            CaseData {
                expected: nodes.map(|i| vec![at(i % side, i / side)]).collect(),
                given: each(&numbers),
            }
        },
        tolerance: 0,
    },
    ProgramCase {
        name: "fft",
        what: "Fourier transform of N complex numbers, 16 bits",
        theory: "as `permute`, then 1: an exchange per dimension",
        superframes: |n| 2 + u64::from(n > 1) + u64::from(n > 3),
        task: fourier,
        tolerance: 4,
    },
    ProgramCase {
        name: "life",
        what: "ten generations of Life on a torus in Gray code",
        theory: "1 for each generation, and a broadcast",
        superframes: |_| GENERATIONS + 1,
        task: life,
        tolerance: 0,
    },
    ProgramCase {
        name: "total_exchange",
        what: "a word from every node to every other",
        theory: "N/2: every wire busy in every phase",
        superframes: |n| 1 << (n - 1),
        task: |n, random| {
            let numbers = words(n, random);
            let expected = (0..1i32 << n).map(|node| {
                let words = numbers.iter().map(|number| number.wrapping_add(node));
                let sum = words.clone().fold(0, i32::wrapping_add);
                vec![sum, words.fold(0, |a, b| a ^ b)]
            });
            CaseData { expected: expected.collect(), given: each(&numbers) }
        },
        tolerance: 0,
    },
    ProgramCase {
        name: "permute",
        what: "turns the bits of addresses round, by a compiled schedule",
        theory: "1 to bring it, then 2; 1 up to n = 3",
        superframes: |n| if n < 4 { 2 } else { 3 },
        task: |n, random| permuted(n, &turned_round(n), random),
        tolerance: 0,
    },
];

/// Returns a word from every node for the node that a permutation selects, and the compiled
/// schedule.
pub fn permuted(n: u32, to: &[usize], random: &mut SplitMix64) -> CaseData {
    let numbers = words(n, random);
    let mut given = scheduled(n, to);
    let mut expected = vec![vec![]; to.len()];
    for (node, number) in numbers.into_iter().enumerate() {
        given[node].push(number);
        expected[to[node]] = vec![number];
    }
    CaseData { given, expected }
}

/// Returns each node's part of the compiled schedule of a permutation.
fn scheduled(n: u32, to: &[usize]) -> Vec<Vec<i32>> {
    let cube = Hypercube::new(n.into()).unwrap();
    let ends: Vec<[u32; 2]> = (0..).zip(to).map(|(from, to)| [from, *to as u32]).collect();
    let effort = SearchEffort { draws: 4, rounds: 40, seed: 0 };
    let schedule = schedule_messages(cube.into(), SweepDirection::Up, &ends, effort, &mut |_| {});
    schedule.check(&ends).unwrap();
    let of_node = |steps| step_words(steps).into_iter().map(|word| word as i32);
    let steps = permute_steps(&schedule, &ends).unwrap();
    steps.iter().map(|steps| of_node(steps).collect()).collect()
}

fn words(n: u32, random: &mut SplitMix64) -> Vec<i32> {
    (0..1 << n).map(|_| random.next_u64() as i32).collect()
}

fn each(numbers: &[i32]) -> Vec<Vec<i32>> {
    numbers.iter().map(|number| vec![*number]).collect()
}

/// Returns the address with its n bits reversed.
fn reversed(node: usize, n: u32) -> usize {
    (0..n).fold(0, |address, bit| address << 1 | node >> bit & 1)
}

/// Returns, for each node, the node with the reversed address.
fn turned_round(n: u32) -> Vec<usize> {
    (0..1 << n).map(|node| reversed(node, n)).collect()
}

/// Computes the transform by its definition.
fn fourier(n: u32, random: &mut SplitMix64) -> CaseData {
    let nodes = 1usize << n;
    let unit = |part: usize| (TAU * part as f64 / nodes as f64).sin_cos();
    let mut drawn = || {
        let size = 32_000.0 * random.below(1 << 20) as f64 / f64::from(1 << 20);
        let (sin, cos) = (TAU * random.below(1 << 20) as f64 / f64::from(1 << 20)).sin_cos();
        [(size * cos) as i32, (size * sin) as i32]
    };
    let x: Vec<[i32; 2]> = (0..nodes).map(|_| drawn()).collect();
    let transformed = |m: usize| {
        let (mut re, mut im) = (0.0, 0.0);
        for (k, [a, b]) in x.iter().enumerate() {
            let (sin, cos) = unit(k * m % nodes);
            let (a, b) = (f64::from(*a), f64::from(*b));
            re += a * cos + b * sin;
            im += b * cos - a * sin;
        }
        [re, im].map(|part| (part / nodes as f64).round() as i32)
    };
    let mut given = scheduled(n, &turned_round(n));
    given.iter_mut().zip(&x).for_each(|(given, x)| given.extend(x));
    CaseData { given, expected: (0..nodes).map(|m| transformed(m).to_vec()).collect() }
}

type Grid = Vec<Vec<bool>>;

/// Computes `life` on a random grid of rows and columns. It prefers a grid whose last two
/// generations differ, because most grids die and show nothing. On the smallest grids all die.
fn life(n: u32, random: &mut SplitMix64) -> CaseData {
    let (columns, rows) = (1usize << (n / 2), 1usize << (n - n / 2));
    let mut drawn = || -> Grid {
        let mut row = || (0..columns).map(|_| random.below(3) == 0).collect();
        (0..rows).map(|_| row()).collect()
    };
    let mut task = |_| {
        let first = drawn();
        let (mut grid, mut before) = (first.clone(), first.clone());
        for _ in 0..GENERATIONS {
            before = grid;
            grid = generation(&before);
        }
        let moves = grid != before;
        let mut given = cells(&first);
        given[0].push(GENERATIONS as i32);
        let expected = cells(&grid);
        (moves, CaseData { given, expected })
    };
    let tasks = (0..100).map(&mut task);
    let found = tasks.into_iter().find(|(moves, _)| *moves);
    assert!(found.is_some() || n < 5, "no grid lives");
    found.unwrap_or_else(|| task(0)).1
}

/// Returns the cell of each node. Rows and columns are in Gray code.
fn cells(grid: &Grid) -> Vec<Vec<i32>> {
    let columns = grid[0].len();
    let gray = |i: usize| i ^ i >> 1;
    let mut cells = vec![vec![]; grid.len() * columns];
    for (row, line) in grid.iter().enumerate() {
        for (column, cell) in line.iter().enumerate() {
            cells[gray(row) * columns + gray(column)] = vec![i32::from(*cell)];
        }
    }
    cells
}

/// Returns the next generation by the rules, with eight neighbours for each cell.
fn generation(grid: &Grid) -> Grid {
    let (rows, columns) = (grid.len(), grid[0].len());
    let neighbours = |row: usize, column: usize| {
        let around = (0..3).flat_map(|down| (0..3).map(move |right| (down, right)));
        let around = around.filter(|place| *place != (1, 1));
        let alive = around.filter(|(down, right)| {
            let (row, column) = (row + rows + down - 1, column + columns + right - 1);
            grid[row % rows][column % columns]
        });
        alive.count()
    };
    let next = |row: usize, column: usize| match neighbours(row, column) {
        2 => grid[row][column],
        alive => alive == 3,
    };
    let row = |row: usize| (0..columns).map(|column| next(row, column)).collect();
    (0..rows).map(row).collect()
}

/// Returns the values of all nodes.
pub fn values(rows: &[Vec<i32>]) -> Values {
    let row = |row: &Vec<i32>| row.iter().map(|word| ProgramValue::Word(*word as u32)).collect();
    Values(rows.iter().map(row).collect())
}

/// Values, exit codes and superframes of a run of a program.
pub struct ProgramRunResults {
    pub programs: ProgramResults,
    pub end: EndReason,
    /// Number of phases in which a node was late.
    pub late: u64,
    pub superframes: u64,
}

/// Runs a program on the cube of n dimensions in the lockstep engine, for at most `superframes`
/// superframes.
pub fn run(firmware: &Firmware, n: u32, given: Values, superframes: u64) -> ProgramRunResults {
    run_on(&circuit(firmware, n, 4), given, superframes, firmware)
}

/// Returns the cube of n dimensions with this program and payload.
pub fn circuit(firmware: &Firmware, n: u32, payload: usize) -> CubeCircuit {
    let cube = Hypercube::new(n.into()).unwrap();
    let circuit = CubeCircuit::new(cube, payload, true).unwrap().with_program(firmware);
    let service = circuit.timing().with_work().service;
    circuit.with_service(service)
}

/// Runs the program of a machine in the lockstep engine.
pub fn run_on(
    circuit: &CubeCircuit,
    given: Values,
    superframes: u64,
    firmware: &Firmware,
) -> ProgramRunResults {
    let mut engine = circuit.array().unwrap().lockstep(&Default::default()).unwrap();
    let engine: &mut dyn NodeEngine = &mut engine;
    let period = u64::from(circuit.schedule().period());
    let symbols = firmware.symbols.clone();
    let mut driver = ProgramDriver::new(engine, circuit, Some(&given), symbols);
    let control = RunControl { limit: superframes, ..RunControl::to_end(period, None) };
    let stats = drive(&mut driver, control).unwrap();
    ProgramRunResults {
        late: stats.figure("late"),
        end: stats.end,
        superframes: stats.periods,
        programs: stats.programs.unwrap(),
    }
}

/// Runs a case on the cube of n dimensions and checks it. Returns the superframes used.
///
/// # Panics
/// If a result is wrong or a node was late.
pub fn check(case: &ProgramCase, firmware: &Firmware, n: u32, seed: u64) -> u64 {
    let task = (case.task)(n, &mut SplitMix64::new(seed));
    let most = 2 * (case.superframes)(n) + 4;
    let done = run(firmware, n, values(&task.given), most);
    let name = case.name;
    assert_eq!(done.end, EndReason::Complete, "{name} {n}: {:?}", done.programs.unfinished);
    assert!(done.programs.exits.iter().all(|exit| *exit == Some(0)), "{name} {n}");
    let expected = values(&task.expected);
    let wrong = done.programs.returned.differences(&expected, case.tolerance);
    assert!(wrong.is_empty(), "{name} {n}: {} wrong, {:?}", wrong.len(), wrong[0]);
    assert_eq!(done.late, 0, "{name} {n}");
    done.superframes
}
