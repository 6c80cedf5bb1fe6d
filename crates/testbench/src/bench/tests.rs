//! Tests of the test bench, in the evaluator and in lanes.

use super::*;
use hdl::prelude::*;
use std::collections::BTreeMap;

#[word]
pub enum Direction {
    Down,
    Up,
}

/// Counts up or down.
#[derive(LogicBlock, Circuit, Default)]
pub struct Counter {
    pub clock: Signal<In, Clock>,
    pub step: Signal<In, Bits<3>>,
    pub direction: Signal<In, Direction>,
    pub count: Signal<Out, Bits<8>>,
    value: Reg<Bits<8>>,
}

impl Logic for Counter {
    #[kernel]
    fn update(&mut self) {
        dff_setup!(self, clock, value);
        self.value.d.next = self.value.q.val() + self.step.val().resized();
        if self.direction.val() == Direction::Down {
            self.value.d.next = self.value.q.val() - self.step.val().resized();
        }
        self.count.next = self.value.q.val();
    }
}

const LANES: usize = 150;

fn benches() -> [TestBench; 2] {
    let design = lower(&Counter::default()).unwrap();
    [TestBench::evaluator(&design).unwrap(), TestBench::lockstep(&design, LANES).unwrap()]
}

#[test]
fn each_lane_has_its_inputs_and_expected_values() {
    for mut bench in benches() {
        bench.set("direction", 1).unwrap();
        bench.set_each("step", |lane| lane as u64 % 8).unwrap();
        bench.clocks(5).unwrap();
        bench.expect_each("count", |lane| lane as u64 % 8 * 5).unwrap();
        bench.set("direction", 0).unwrap();
        bench.clock().unwrap();
        let last = bench.lanes() - 1;
        assert_eq!(bench.clock_cycle(), 6);
        let value = bench.get("value.q", last).unwrap();
        assert_eq!(value, (last as u64 % 8 * 4).into());
    }
}

#[test]
fn a_mismatch_shows_the_lanes_and_the_ports() {
    let [mut single, mut many] = benches();
    for bench in [&mut single, &mut many] {
        bench.set("step", 2).unwrap();
        bench.set("direction", 1).unwrap();
    }
    let rows: &[(&[u64], &[u64])] = &[(&[2], &[0]), (&[3], &[2]), (&[0], &[4])];
    let error = single.table(&["step"], &["count"], rows).unwrap_err();
    assert_eq!(
        error.to_string(),
        "clock cycle 2: `count` is 0x5, expected 0x4\n    step = 0x0\n    \
         direction = Up\n    count = 0x5"
    );
    many.set_each("step", |lane| u64::from(lane > 140)).unwrap();
    many.clock().unwrap();
    let error = many.expect("count", 0).unwrap_err().to_string();
    let first = error.lines().next().unwrap();
    assert_eq!(first, "clock cycle 1: `count` is 0x1, expected 0x0, in lane 141 and 8 more of 150");
}

#[test]
fn unknown_names_and_large_values_are_reported() {
    for mut bench in benches() {
        let lanes = bench.lanes();
        let errors = [
            bench.set("stop", 1),
            bench.set("step", 8),
            bench.set_each("step", |_| 9),
            bench.expect("value", 0),
            bench.get("count", lanes).map(|_| ()),
            bench.table(&["step"], &[], &[(&[1, 2], &[])]),
            bench.record(Path::new("wave.txt"), &[0]),
        ];
        let texts = errors.map(|error| error.unwrap_err().to_string());
        let starts = [
            "the circuit has no input `stop`; accepted: step, direction",
            "0x8 does not fit `step`, which has 3 bits",
            "0x9 does not fit `step`, which has 3 bits",
            "the circuit has no signal `value`; accepted: value.",
            &format!("there is no lane {lanes}; accepted: 0 to {}", lanes - 1),
            "a row of the table has 2 values for 1 columns",
            "wave.txt has no known format",
        ];
        for (text, start) in texts.iter().zip(starts) {
            assert!(text.starts_with(start), "{text}");
        }
    }
}

/// Returns the last value of each variable in a file.
fn last_values(path: &Path) -> BTreeMap<String, String> {
    let mut wave = wellen::simple::read(path).unwrap();
    let hierarchy = wave.hierarchy();
    let vars = hierarchy.iter_vars();
    let vars: Vec<_> = vars.map(|var| (var.full_name(hierarchy), var.signal_ref())).collect();
    wave.load_signals(&vars.iter().map(|(_, signal)| *signal).collect::<Vec<_>>());
    let last = |signal| {
        let (_, value) = wave.get_signal(signal).unwrap().iter_changes().last()?;
        Some(value.to_string())
    };
    let values = vars.into_iter();
    values.filter_map(|(name, signal)| Some((name, last(signal)?))).collect()
}

#[test]
fn waveforms_have_the_names_of_the_verilog() {
    let dir = tempfile::tempdir().unwrap();
    for format in ["vcd", "fst"] {
        let path = dir.path().join(format!("counter.{format}"));
        let [mut single, mut many] = benches();
        single.record(&path, &[0]).unwrap();
        single.set("direction", 1).unwrap();
        single.set("step", 3).unwrap();
        single.clocks(4).unwrap();
        single.finish().unwrap();
        let values = last_values(&path);
        assert_eq!(values["counter.count"], "00001100", "{values:?}");
        assert_eq!(values["counter.value"], "00001100");
        assert_eq!(values["counter.direction"], "1");

        many.record(&path, &[2, 149]).unwrap();
        many.set("direction", 1).unwrap();
        many.set_each("step", |lane| lane as u64 % 8).unwrap();
        many.clocks(4).unwrap();
        many.finish().unwrap();
        let values = last_values(&path);
        assert_eq!(values["counter.lane[2].count"], "00001000", "{values:?}");
        assert_eq!(values["counter.lane[149].count"], "00010100");
    }
}

/// A failed test drops its bench. The changes up to there are in the file.
#[test]
fn a_dropped_bench_ends_its_waveform() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("counter.vcd");
    for mut bench in benches() {
        bench.record(&path, &[0]).unwrap();
        bench.set("direction", 1).unwrap();
        bench.set("step", 3).unwrap();
        bench.clocks(2).unwrap();
        bench.expect("count", 7).unwrap_err();
        drop(bench);
        let values = last_values(&path);
        let count = values.iter().find(|(name, _)| name.ends_with("count"));
        assert_eq!(count.unwrap().1, "00000110", "{values:?}");
    }
}

/// A signal of 65 bits.
#[derive(LogicBlock, Circuit, Default)]
pub struct Wide {
    pub value: Signal<In, Bits<65>>,
    pub same: Signal<Out, Bits<65>>,
}

impl Logic for Wide {
    #[kernel]
    fn update(&mut self) {
        self.same.next = self.value.val();
    }
}

#[test]
fn wide_signals_are_not_compared_in_part() {
    let design = lower(&Wide::default()).unwrap();
    let lockstep = TestBench::lockstep(&design, 3).unwrap();
    for mut bench in [TestBench::evaluator(&design).unwrap(), lockstep] {
        let errors = [bench.get_all("same").unwrap_err(), bench.expect("same", 0).unwrap_err()];
        for error in errors {
            let text = error.to_string();
            assert!(text.starts_with("`same` has 65 bits; accepted: "), "{text}");
        }
        assert_eq!(bench.get("same", 0).unwrap(), 0u8.into());
    }
}

/// Counts by `step`, and claims that the value is a multiple of two and at most 200.
#[derive(LogicBlock, Circuit, Default)]
struct Checked {
    clock: Signal<In, Clock>,
    step: Signal<In, Bits<3>>,
    value: Signal<Out, Bits<8>>,
    state: Reg<Bits<8>>,
    even: Assertion,
    above_ten: Cover,
    above_two_hundred: Cover,
}

impl Logic for Checked {
    #[kernel]
    fn update(&mut self) {
        dff_setup!(self, clock, state);
        clock!(self, clock, even, above_ten, above_two_hundred);
        self.state.d.next = self.state.q.val() + self.step.val().resized();
        self.value.next = self.state.q.val();
        self.even.holds.next = true;
        if self.state.q.val().get_bit(0) {
            self.even.holds.next = false;
        }
        self.above_ten.holds.next = self.state.q.val() > 10;
        self.above_two_hundred.holds.next = self.state.q.val() > 200;
    }
}

#[test]
fn assertions_fail_in_their_clock_cycle_and_goals_are_listed() {
    let design = lower(&Checked::default()).unwrap();
    let mut single = TestBench::evaluator(&design).unwrap();
    single.set("step", 2).unwrap();
    single.clocks(5).unwrap();
    assert_eq!(single.uncovered(), ["above_ten", "above_two_hundred"]);
    single.clocks(2).unwrap();
    assert_eq!(single.uncovered(), ["above_two_hundred"]);
    single.set("step", 3).unwrap();
    let error = single.clocks(2).unwrap_err().to_string();
    assert_eq!(error, "clock cycle 8: the assertion `even` does not hold");

    let mut many = TestBench::lockstep(&design, 150).unwrap();
    many.set_each("step", |lane| if lane < 148 { 4 } else { 5 }).unwrap();
    many.clock().unwrap();
    let error = many.clock().unwrap_err().to_string();
    let text = "clock cycle 1: the assertion `even` does not hold, in lane 148 and 1 more of 150";
    assert_eq!(error, text);
}

/// Squares in a memory with an asynchronous read port. It prints each even value, and each square.
#[derive(LogicBlock, Circuit)]
pub struct CountingPrinter {
    pub clock: Signal<In, Clock>,
    pub value: Signal<In, Bits<3>>,
    pub square: Signal<Out, Bits<6>>,
    squares: AsyncMemory<Bits<6>, 3>,
    held: Reg<Signed<3>>,
    child: Silent,
}

/// Prints without a register.
#[derive(LogicBlock, Circuit, Default)]
pub struct Silent {
    pub clock: Signal<In, Clock>,
    pub value: Signal<In, Bits<3>>,
}

impl Logic for Silent {
    #[kernel]
    fn update(&mut self) {
        if self.value.val() == 5 {
            display!("five");
        }
    }
}

impl Default for CountingPrinter {
    fn default() -> Self {
        CountingPrinter {
            clock: Signal::default(),
            value: Signal::default(),
            square: Signal::default(),
            squares: AsyncMemory::new((0..8u64).map(|n| bits(n * n))),
            held: Reg::new(signed(-1)),
            child: Silent::default(),
        }
    }
}

impl Logic for CountingPrinter {
    #[kernel]
    fn update(&mut self) {
        dff_setup!(self, clock, held);
        clock!(self, clock, squares, child);
        link!(self -> child: value);
        self.held.d.next = self.value.val().to_signed();
        self.squares.write_enable.next = false;
        self.squares.write_address.next = 0.into();
        self.squares.write_data.next = 0.into();
        self.squares.read_address.next = self.held.q.val().to_unsigned();
        self.square.next = self.squares.read_data.val();
        let value = self.value.val();
        for bit in 1..3 {
            if !value.get_bit(0) && value.get_bit(bit) {
                display!("bit {bit} of {value:b} {{even}}");
            }
        }
        display!("{}^2 = {:x}", self.held.q.val(), self.squares.read_data.val());
    }
}

#[test]
fn a_circuit_prints_with_clock_cycle_and_lane() {
    let design = lower(&CountingPrinter::default()).unwrap();
    let mut single = TestBench::evaluator(&design).unwrap();
    for value in [5, 6, 0] {
        single.set("value", value).unwrap();
        single.clock().unwrap();
    }
    let lines = single.take_printed();
    let lines: Vec<String> = lines.iter().map(ToString::to_string).collect();
    assert_eq!(
        lines,
        [
            "clock cycle 0: -1^2 = 31",
            "clock cycle 0: five",
            "clock cycle 1: bit 1 of 110 {even}",
            "clock cycle 1: bit 2 of 110 {even}",
            "clock cycle 1: -3^2 = 19",
            "clock cycle 2: -2^2 = 24",
        ]
    );
    assert!(single.take_printed().is_empty());

    let mut many = TestBench::lockstep(&design, LANES).unwrap();
    many.set_each("value", |lane| [5, 6, 0][lane % 3]).unwrap();
    many.clocks(2).unwrap();
    let lines = many.take_printed();
    let of_lane = |lane| {
        let lines = lines.iter().filter(|line| line.lane == Some(lane));
        lines.map(ToString::to_string).collect::<Vec<_>>()
    };
    assert_eq!(
        of_lane(148),
        [
            "clock cycle 0, lane 148: bit 1 of 110 {even}",
            "clock cycle 0, lane 148: bit 2 of 110 {even}",
            "clock cycle 0, lane 148: -1^2 = 31",
            "clock cycle 1, lane 148: bit 1 of 110 {even}",
            "clock cycle 1, lane 148: bit 2 of 110 {even}",
            "clock cycle 1, lane 148: -2^2 = 24",
        ]
    );
    assert_eq!(of_lane(2).len(), 2);
    assert_eq!(lines.len(), LANES * 2 + LANES / 3 * (2 * 2 + 2));
    let names = |name: &str| lines.iter().filter(|line| line.print == name).count();
    assert_eq!(names("child.print_1"), LANES / 3 * 2);
}
