//! Runs a kernel on all inputs: in Rust, lowered, and as printed by `rust-hdl`.

use hdl::lower::{lower, Circuit};
use num_bigint::BigUint;
use phasecube::engine::{CircuitEngine, EvaluatorEngine, ReferenceEngine};
use phasecube::toolchain::{PortSpec, ToolError, Toolchain};
use rust_hdl::prelude::{ast::VerilogStatement, generate_verilog_unchecked, Block, Verilog};
use std::path::Path;
use std::sync::LazyLock;

pub static TOOLS: LazyLock<Toolchain> = LazyLock::new(|| Toolchain::open().expect("a cache"));

/// Returns the working directory of the tools.
pub fn work_dir() -> &'static Path {
    Path::new(concat!(env!("CARGO_TARGET_TMPDIR"), "/rust_hdl_faults"))
}

/// Names and widths of the ports of a kernel without clock and state.
pub struct KernelPorts {
    pub inputs: &'static [(&'static str, u32)],
    pub output: (&'static str, u32),
}

/// Output for every value of the inputs. The first input counts fastest.
#[derive(Debug, PartialEq)]
pub struct OutputTable {
    widths: Vec<u32>,
    values: Vec<u64>,
}

impl OutputTable {
    /// Returns the output for these inputs.
    pub fn at(&self, inputs: &[u64]) -> u64 {
        assert_eq!(inputs.len(), self.widths.len());
        let packed = inputs.iter().zip(&self.widths).rev();
        let row = packed.fold(0, |row, (value, width)| (row << width) | *value as usize);
        self.values[row]
    }

    /// Returns the number of rows that differ.
    pub fn differences(&self, other: &OutputTable) -> usize {
        assert_eq!(self.widths, other.widths);
        let rows = self.values.iter().zip(&other.values);
        rows.filter(|(a, b)| a != b).count()
    }
}

impl KernelPorts {
    fn rows(&self) -> Vec<Vec<u64>> {
        let bits: u32 = self.inputs.iter().map(|(_, width)| width).sum();
        let unpack = |mut row: u64| {
            let inputs = self.inputs.iter();
            let values = inputs.map(|(_, width)| {
                let value = row & ((1 << width) - 1);
                row >>= width;
                value
            });
            values.collect()
        };
        (0..1_u64 << bits).map(unpack).collect()
    }

    fn table(&self, values: Vec<u64>) -> OutputTable {
        let widths = self.inputs.iter().map(|(_, width)| *width).collect();
        OutputTable { widths, values }
    }

    /// Returns the result of `update`, settled by hand.
    pub fn in_rust<C: Circuit>(&self, mut block: C) -> OutputTable {
        block.connect_all();
        let mut values = vec![];
        for row in self.rows() {
            for ((name, _), value) in self.inputs.iter().zip(&row) {
                assert!(block.poke(name, &BigUint::from(*value)), "{name}");
            }
            block.update_all();
            while block.has_changed() {
                block.update_all();
            }
            let value = block.peek(self.output.0).expect("the output");
            values.push(u64::try_from(value).expect("it is small"));
        }
        self.table(values)
    }

    fn on(&self, engine: &mut dyn CircuitEngine) -> OutputTable {
        let ids = self.inputs.iter().map(|(name, _)| engine.port(name));
        let ids: Vec<_> = ids.collect();
        let output = engine.port(self.output.0);
        let mut values = vec![];
        for row in self.rows() {
            for (id, value) in ids.iter().zip(&row) {
                engine.set_u64(*id, *value);
            }
            engine.settle().expect("it settles");
            values.push(engine.get_u64(output));
        }
        self.table(values)
    }

    /// Asserts that a kernel is lowered to its behaviour in Rust. Returns that behaviour.
    pub fn lowered<C: Circuit + 'static>(&self, make: impl Fn() -> C) -> OutputTable {
        let design = lower(&make()).unwrap_or_else(|e| panic!("{e}"));
        let mut reference = ReferenceEngine::new(make()).expect("it settles");
        let mut evaluator = EvaluatorEngine::new(&design).expect("it has no loop");
        let truth = self.on(&mut reference);
        assert_eq!(truth, self.on(&mut evaluator));
        truth
    }

    /// Returns the behaviour in Verilator of the text that `rust-hdl` prints.
    pub fn printed(&self, block: &impl Block) -> Result<OutputTable, ToolError> {
        let inputs = self.inputs.iter();
        let inputs = inputs.map(|(name, width)| PortSpec::input(*name, *width as usize));
        let (name, width) = self.output;
        let output = PortSpec::output(name, width as usize);
        let ports: Vec<PortSpec> = inputs.chain([output]).collect();
        let text = generate_verilog_unchecked(block);
        let model = TOOLS.verilate(&text, "top", &ports, None, work_dir())?;
        let rows = self.rows().into_iter();
        let rows: Vec<Vec<BigUint>> =
            rows.map(|row| row.into_iter().map(BigUint::from).collect()).collect();
        let values = model.run(&rows)?.into_iter();
        let values = values.map(|v| u64::try_from(&v[0]).expect("it is small"));
        Ok(self.table(values.collect()))
    }
}

/// Returns the statements that `rust-hdl` keeps of a kernel.
pub fn tree(block: &impl Block) -> Vec<VerilogStatement> {
    match block.hdl() {
        Verilog::Combinatorial(statements) => statements,
        other => panic!("no tree: {other:?}"),
    }
}

/// Asserts that `lower` rejects a block with one message that contains this text.
pub fn assert_refused(block: &dyn Block, text: &str) {
    let error = lower(block).expect_err("it is outside the subset");
    let error = error.to_string();
    assert!(error.contains(text), "{error}");
    assert_eq!(error.lines().count(), 1, "{error}");
}

/// Asserts that this statement does not compile under `#[kernel]`. It is listed with this message
/// among the cases of the test `refused`.
pub fn assert_compile_time_case(case: &str, statement: &str, message: &str) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let path = root.join("sim/refused/cases").join(case);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{case}: {e}"));
    let mut marked = text.lines().filter_map(|line| line.split_once("//~"));
    assert!(
        marked.any(|(code, mark)| code.trim() == statement && mark.contains(message)),
        "{case} has no `{statement} //~ {message}`"
    );
}
