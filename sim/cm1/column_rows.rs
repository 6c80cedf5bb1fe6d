//! Reads the messages from the rows of the hearts while a machine runs.

use phasecube::engine::{EngineError, NodeEngine, NodePortId, Observer, SharedPortId};
use phasecube::networks::cm1::{decode, Cm1Shape};
use phasecube::rtl::cm1::PetitPlan;

/// Observer that records the bits of all rows in every bit-time.
pub struct ColumnRows {
    shape: Cm1Shape,
    plan: PetitPlan,
    /// Rows of a chip, by column (the exit last).
    rows: Vec<Vec<NodePortId>>,
    /// Signal of a chip that marks ejected rows.
    ejecting: NodePortId,
    start: SharedPortId,
    /// Bit-times before the first petit cycle.
    before: Option<usize>,
    /// One bit for each row, by bit-time, column and chip. The ejected rows are last.
    bits: Vec<Vec<Vec<u64>>>,
    ejected: Vec<Vec<u64>>,
}

impl ColumnRows {
    pub fn new(engine: &mut dyn NodeEngine, shape: Cm1Shape, plan: PetitPlan) -> Self {
        let mut row = |column: usize, r: usize| {
            let signal = match column {
                0 => format!("first.row[{r}]"),
                i if i < shape.format.dims as usize => format!("later[{}].row[{r}]", i - 1),
                _ => format!("exit[{r}]"),
            };
            engine.signal(&format!("router.heart.{signal}")).expect("the hearts have rows")
        };
        let columns = 0..=shape.format.dims as usize;
        let rows = columns.map(|column| (0..shape.rows).map(|r| row(column, r)).collect());
        ColumnRows {
            rows: rows.collect(),
            ejecting: engine.port("ejecting"),
            start: engine.shared_port("start"),
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
}

impl Observer for ColumnRows {
    fn next_look(&self, clock: u64) -> Option<u64> {
        Some(clock)
    }

    fn look(&mut self, engine: &mut dyn NodeEngine, _: u64) -> Result<(), EngineError> {
        if self.before.is_none() && engine.get_shared(self.start) == 1 {
            self.before = Some(self.bits.len());
        }
        let mut word = |rows: &Vec<NodePortId>, chip| {
            let bits = (0..).zip(rows);
            bits.map(|(r, row): (u64, _)| engine.get(*row, chip) << r).sum()
        };
        let chips = 0..self.shape.chips();
        let columns = self.rows.iter();
        let columns = columns.map(|rows| chips.clone().map(|chip| word(rows, chip)).collect());
        self.bits.push(columns.collect());
        let ejecting = chips.map(|chip| engine.get(self.ejecting, chip));
        self.ejected.push(ejecting.collect());
        Ok(())
    }
}
