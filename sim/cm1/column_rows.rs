//! Reads the messages from the rows of the hearts while a machine runs.

use lockstep::netlist::NetId;
use num_bigint::BigUint;
use phasecube::engine::{CircuitEngine, EngineError, EnginePort, EvaluatorEngine, PortId};
use phasecube::networks::cm1::{decode, Cm1Shape};
use phasecube::rtl::cm1::PetitPlan;

/// The evaluator with a machine, and the recorded bits of all rows in every bit-time.
pub struct ColumnRows<'a> {
    engine: &'a mut EvaluatorEngine,
    shape: Cm1Shape,
    plan: PetitPlan,
    /// Nets of the rows, by column (the exit last) and chip.
    nets: Vec<Vec<Vec<NetId>>>,
    /// Nets of each chip that mark ejected rows.
    ejecting: Vec<NetId>,
    start: NetId,
    /// Bit-times before the first petit cycle.
    before: Option<usize>,
    /// One bit for each row, by bit-time, column and chip. The ejected rows are last.
    bits: Vec<Vec<Vec<u64>>>,
    ejected: Vec<Vec<u64>>,
}

impl<'a> ColumnRows<'a> {
    pub fn new(engine: &'a mut EvaluatorEngine, shape: Cm1Shape, plan: PetitPlan) -> Self {
        let netlist = engine.evaluator().netlist();
        let net = |path: String| {
            let found = netlist.find(&path);
            found.unwrap_or_else(|| panic!("there is no signal {path}"))
        };
        let dims = shape.format.dims as usize;
        let row = |chip: usize, column: usize, r: usize| {
            let heart = format!("nodes[{chip}].router.heart");
            match column {
                0 => net(format!("{heart}.first.row[{r}]")),
                i if i < dims => net(format!("{heart}.later[{}].row[{r}]", i - 1)),
                _ => net(format!("{heart}.exit[{r}]")),
            }
        };
        let nets = (0..=dims)
            .map(|column| {
                let rows = |chip| (0..shape.rows).map(move |r| row(chip, column, r)).collect();
                (0..shape.chips()).map(rows).collect()
            })
            .collect();
        let ejecting = (0..shape.chips()).map(|chip| net(format!("ejecting[{chip}]")));
        ColumnRows {
            nets,
            ejecting: ejecting.collect(),
            start: net("start".into()),
            engine,
            shape,
            plan,
            before: None,
            bits: vec![],
            ejected: vec![],
        }
    }

    /// Returns the stream that enters a column on a row of a chip in a petit cycle.
    pub fn stream(&self, petit: usize, column: usize, chip: usize, row: usize) -> Vec<bool> {
        let first = self.first(petit) + 2 * column;
        let length = self.shape.format.length() as usize;
        (first..first + length).map(|t| self.bits[t][column][chip] >> row & 1 == 1).collect()
    }

    /// Returns the number in the data of each message that enters a column, on all rows of all
    /// chips.
    pub fn messages(&self, petit: usize, column: usize) -> Vec<Vec<Option<usize>>> {
        let number = |chip: usize, row: usize| {
            let stream = self.stream(petit, column, chip, row);
            let data = decode(self.shape.format, &stream).data;
            stream[0].then(|| usize::from(data[0]) | usize::from(data[1]) << 8)
        };
        (0..self.shape.chips())
            .map(|chip| (0..self.shape.rows).map(|row| number(chip, row)).collect())
            .collect()
    }

    /// Returns chip, row and number of the messages ejected in a petit cycle.
    pub fn ejected(&self, petit: usize) -> Vec<[usize; 3]> {
        let time = self.first(petit) + self.plan.sort() as usize + 1;
        let messages = self.messages(petit, self.shape.format.dims as usize);
        let mut ejected = vec![];
        for (chip, rows) in messages.iter().enumerate() {
            for (row, message) in rows.iter().enumerate() {
                if self.ejected[time][chip] >> row & 1 == 1 {
                    ejected.push([chip, row, message.expect("a message")]);
                }
            }
        }
        ejected
    }

    fn first(&self, petit: usize) -> usize {
        self.before.expect("it has run") + petit * self.plan.period as usize
    }

    fn sample(&mut self) {
        let evaluator = self.engine.evaluator();
        if self.before.is_none() && evaluator.get(self.start) == 1 {
            self.before = Some(self.bits.len());
        }
        let word = |rows: &Vec<NetId>| {
            let bits = (0..).zip(rows);
            bits.map(|(r, net): (u64, _)| evaluator.get(*net) << r).sum()
        };
        let columns = self.nets.iter();
        let columns = columns.map(|chips| chips.iter().map(word).collect());
        self.bits.push(columns.collect());
        let ejecting = self.ejecting.iter().map(|net| evaluator.get(*net));
        self.ejected.push(ejecting.collect());
    }
}

impl CircuitEngine for ColumnRows<'_> {
    fn name(&self) -> &'static str {
        self.engine.name()
    }

    fn ports(&self) -> &[EnginePort] {
        self.engine.ports()
    }

    fn set(&mut self, port: PortId, value: &BigUint) {
        self.engine.set(port, value);
    }

    fn settle(&mut self) -> Result<(), EngineError> {
        self.engine.settle()
    }

    fn get(&mut self, port: PortId) -> BigUint {
        self.engine.get(port)
    }

    fn clock(&mut self) -> Result<(), EngineError> {
        self.engine.settle()?;
        self.sample();
        self.engine.clock()
    }
}
