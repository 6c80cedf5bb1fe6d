//! The programs of `examples/starc`, for tests and for `examples/starc_programs.rs`: their data, the
//! published cost, and for some a plain computation.

use super::programs::{circuit, run_on, values, ProgramRunResults};
use phasecube::networks::tdma::cube::CubeCircuit;
use phasecube::program::{star, Firmware, NodeKind, NodeMemory, NodeTarget, ProgramName};
use phasecube::toolchain::Toolchain;
use phasecube::traffic::SplitMix64;
use phasecube::values::Values;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Computes the values that each node returns, from the number of dimensions and the values given.
pub type PlainComputation = fn(n: u32, given: &[i32]) -> Vec<Vec<i32>>;

/// A program in StarC.
pub struct StarcCase {
    pub name: &'static str,
    /// Folder of the source, below the repository.
    pub folder: &'static str,
    pub what: &'static str,
    /// Superframes by the published costs, as text and for n dimensions.
    pub published: &'static str,
    pub superframes: fn(n: u32) -> u64,
    /// Whether the program has no computation that is longer than a phase.
    pub is_quick: bool,
    /// Values that each node is given: 0 or 1, or -1,000 to 1,000, or none.
    pub input: Input,
    /// Results by a plain computation from the values of all nodes.
    pub plain: Option<PlainComputation>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Input {
    None,
    Bit,
    Number,
}

const fn case(
    name: &'static str,
    what: &'static str,
    published: &'static str,
    superframes: fn(n: u32) -> u64,
) -> StarcCase {
    StarcCase {
        name,
        folder: "examples/starc",
        what,
        published,
        superframes,
        is_quick: true,
        input: Input::Number,
        plain: None,
    }
}

impl StarcCase {
    const fn without_input(self) -> Self {
        StarcCase { input: Input::None, ..self }
    }

    const fn slow(self) -> Self {
        StarcCase { is_quick: false, ..self }
    }

    const fn plainly(self, plain: fn(n: u32, given: &[i32]) -> Vec<Vec<i32>>) -> Self {
        StarcCase { plain: Some(plain), ..self }
    }
}

pub const CASES: [StarcCase; 20] = [
    case("place", "`pid`, `coord`, `grid_row`, `grid_col`", "0", |_| 0).without_input().plainly(
        |n, _| {
            let node = |pid: usize| {
                let (row, column) = grid_place(n, pid);
                vec![pid as i32, pid as i32 & 1, row as i32, column as i32]
            };
            (0..1 << n).map(node).collect()
        },
    ),
    case("neighbours", "`nbr` across every dimension", "1: 2n phases", |_| 1).plainly(
        |n, given| {
            let near = |pid: usize| (0..n).map(|d| given[pid ^ 1 << d]).collect();
            (0..1 << n).map(near).collect()
        },
    ),
    case("compass", "four `news`", "1: 8 phases", |_| 1).plainly(|n, given| {
        let steps = [(-1, 0), (0, 1), (1, 0), (0, -1)];
        let near = |pid: usize| steps.map(|(down, right)| given[at_step(n, pid, down, right)]);
        (0..1 << n).map(|pid| near(pid).to_vec()).collect()
    }),
    case("branches", "`where`, also in a function", "0", |_| 0).plainly(|_, given| {
        let row = |x: &i32| vec![(*x).clamp(-1000, 1000), x.signum()];
        given.iter().map(row).collect()
    }),
    case("root", "two `broadcast`, one of 20 bytes", "1", |_| 1),
    case("steps", "`barrier`, `led_set`", "3: 1 for each barrier", |_| 3).without_input(),
    case("statistics", "five reductions, three of `float`", "1", |_| 1).slow(),
    case("prefix", "three scans", "1", |_| 1).plainly(|_, given| {
        let (mut sum, mut most) = (0, i32::MIN);
        let mut row = |x: &i32| {
            let before = sum;
            sum += x;
            most = most.max(*x);
            vec![before, sum, most]
        };
        given.iter().map(&mut row).collect()
    }),
    case("compaction", "a scan, then a reduction", "2", |_| 2).slow(),
    case("sort", "bitonic sort", "n(n+1)/2 exchanges of 2 phases", sort_superframes).plainly(
        |_, given| {
            let mut sorted = given.to_vec();
            sorted.sort_unstable();
            sorted.into_iter().map(|x| vec![x]).collect()
        },
    ),
    case("walk", "a light crosses each dimension", "1: n exchanges of 2 phases", |_| 1)
        .without_input(),
    StarcCase {
        input: Input::Bit,
        ..case("life", "three generations, eight neighbours", "6: 2 for each", |_| 6).plainly(life)
    },
    case("blur", "the mean of nine cells", "2 exchanges of 4 phases", |_| 1).slow().plainly(
        |n, given| {
            let around = |pid: usize| {
                let row = |down| (-1..2).map(move |right| given[at_step(n, pid, down, right)]);
                vec![(-1..2).flat_map(row).sum::<i32>() / 9]
            };
            (0..1 << n).map(around).collect()
        },
    ),
    case("heat", "heat equation in `float`, up to 20 steps", "1 for each step", |_| 20).slow(),
    case("buffered", "`exchange_async`, four steps", "4: 1 for each", |_| 4).slow(),
    case(
        "overlap",
        "four steps that compute for 12 phases each, with `exchange_async`",
        "4: 1 for each",
        |_| 4,
    )
    .slow()
    .plainly(long_steps),
    case("no_overlap", "the same with `exchange`", "4: 1 for each", |_| 4)
        .slow()
        .plainly(long_steps),
    case("mandelbrot", "fixed point, 24 rounds, a reduction", "1", |_| 1).without_input().slow(),
    case("plasma", "moving waves on the lights", "0", |_| 0).without_input(),
    case("pleasing", "random lights that follow their neighbours", "4: 1 for each", |_| 4)
        .without_input()
        .slow(),
];

/// Superframes of exchanges in descending dimensions. Only an exchange whose dimension is higher
/// than that of the one before it can share its superframe.
fn sort_superframes(n: u32) -> u64 {
    u64::from(n * (n - 1) / 2 + 1)
}

/// Row and column of a processor: the Gray codes of the upper and lower half of the address.
fn grid_place(n: u32, pid: usize) -> (usize, usize) {
    let plain = |code: usize| (0..16).fold(0, |position, shift| position ^ code >> shift);
    (plain(pid >> (n / 2)), plain(pid & ((1 << (n / 2)) - 1)))
}

/// Processor some steps away in the grid.
fn at_step(n: u32, pid: usize, down: isize, right: isize) -> usize {
    let (row, column) = grid_place(n, pid);
    let (rows, columns) = (1isize << (n - n / 2), 1isize << (n / 2));
    let gray = |position: isize| (position ^ position >> 1) as usize;
    let row = (row as isize + down).rem_euclid(rows);
    let column = (column as isize + right).rem_euclid(columns);
    gray(row) << (n / 2) | gray(column)
}

fn life(n: u32, given: &[i32]) -> Vec<Vec<i32>> {
    let mut cells = given.to_vec();
    for _ in 0..3 {
        let next = |pid: usize| {
            let row = |down| (-1..2).map(move |right| at_step(n, pid, down, right));
            let around = (-1..2).flat_map(row).map(|near| cells[near]);
            let alive = around.sum::<i32>() - cells[pid];
            i32::from(alive == 3 || alive == 2 && cells[pid] == 1)
        };
        cells = (0..1 << n).map(next).collect();
    }
    cells.into_iter().map(|cell| vec![cell]).collect()
}

/// `overlap.starc`.
fn long_steps(n: u32, given: &[i32]) -> Vec<Vec<i32>> {
    let mut values = given.to_vec();
    for step in 0..4 {
        let next = |pid: usize| {
            let work = |x: i32, _| ((x << 1) ^ (x >> 3)).wrapping_add(step);
            let near = |down, right| values[at_step(n, pid, down, right)];
            (0..7000).fold(values[pid], work) ^ near(0, 1).wrapping_add(near(-1, 0))
        };
        values = (0..1 << n).map(next).collect();
    }
    values.into_iter().map(|x| vec![x]).collect()
}

fn options(n: u32) -> star::Options {
    star::Options { dims: n, ..star::Options::default() }
}

impl StarcCase {
    pub fn path(&self) -> PathBuf {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(self.folder);
        folder.join(self.name).with_extension("starc")
    }

    fn program(&self) -> ProgramName {
        ProgramName::from(self.path().into_os_string())
    }

    /// Random values of the nodes of a cube. None, if the program has no input.
    pub fn given(&self, n: u32, random: &mut SplitMix64) -> Vec<i32> {
        let mut number = |_| match self.input {
            Input::Bit => random.below(2) as i32,
            _ => random.below(2001) as i32 - 1000,
        };
        match self.input {
            Input::None => vec![],
            _ => (0..1 << n).map(&mut number).collect(),
        }
    }

    /// Compiles the program for a cube, for nodes with larger memories than those of a board.
    pub fn firmware(&self, n: u32, builds: &Path) -> Firmware {
        let tools = Toolchain::open().unwrap();
        let target = NodeTarget {
            kind: NodeKind::CUBE,
            memory: NodeMemory::of_sizes(16_384, 4096).unwrap(),
            multiplies: false,
        };
        let open = |name: &OsStr| Firmware::open(name, target, &tools, builds);
        let firmware = star::open_for_cube(&self.program(), &options(n), builds, open);
        firmware.unwrap_or_else(|e| panic!("{}: {e}", self.name))
    }

    /// Returns the cube of n dimensions with this program.
    pub fn machine(&self, firmware: &Firmware, n: u32) -> CubeCircuit {
        let payload = star::payload(&self.program(), &options(n)).unwrap();
        let machine = circuit(firmware, n, payload as usize);
        // As in `run`: longer than for other programs.
        let short = machine.clone().with_program(firmware).timing().with_exchange();
        machine.with_service(short.service)
    }

    /// Runs the program on the RTL, and checks the results by the plain computation if there is one.
    ///
    /// # Panics
    /// If the run does not end, a program fails, or a result is wrong.
    pub fn run(&self, firmware: &Firmware, n: u32, given: &[i32]) -> ProgramRunResults {
        let machine = self.machine(firmware, n);
        let input = match given {
            [] => Values::none(1 << n),
            given => values(&given.iter().map(|x| vec![*x]).collect::<Vec<_>>()),
        };
        let most = 4 * (self.superframes)(n) + 8;
        let done = run_on(&machine, input, most, firmware);
        let exits = &done.programs.exits;
        assert!(exits.iter().all(|e| *e == Some(0)), "{} {n}: {exits:?}", self.name);
        if let Some(plain) = self.plain {
            let expected = values(&plain(n, given));
            let wrong = done.programs.returned.differences(&expected, 0);
            assert!(wrong.is_empty(), "{} {n}: {:?}", self.name, wrong[0]);
        }
        done
    }
}
