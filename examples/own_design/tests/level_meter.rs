//! Test benches of the level meter: one copy, and a thousand.

use hdl::prelude::lower;
use level_meter::LevelMeter;
use testbench::{BenchError, TestBench};

/// A sample as the bits of a port.
fn bits(sample: i64) -> u64 {
    (sample & 0xff) as u64
}

#[test]
fn sum_and_peak_follow_the_samples() -> Result<(), BenchError> {
    let mut bench = TestBench::evaluator(&lower(&LevelMeter::default()).unwrap())?;
    bench.record(&std::env::temp_dir().join("level_meter.vcd"), &[0])?;
    bench.table(
        &["samples_valid", "samples_value"],
        &["sum", "peak"],
        &[
            (&[1, bits(-100)], &[0, 0]),
            (&[1, bits(20)], &[100, 100]),
            (&[0, bits(127)], &[120, 99]),
            (&[0, 0], &[120, 98]),
        ],
    )?;
    bench.set("reset", 1)?;
    bench.clock()?;
    bench.expect("peak", 0)?;
    assert_eq!(bench.uncovered(), ["hold.at_top"]);
    bench.finish()
}

#[test]
fn a_thousand_meters_forget_after_sixteen_samples() -> Result<(), BenchError> {
    let mut bench = TestBench::lockstep(&lower(&LevelMeter::default()).unwrap(), 1000)?;
    bench.set("samples_valid", 1)?;
    for step in 0..40 {
        bench.set_each("samples_value", |lane| bits((lane as i64 + step) % 128))?;
        bench.clock()?;
    }
    bench.expect_each("sum", |lane| {
        let last = 24..40;
        last.map(|step| (lane as u64 + step) % 128).sum()
    })
}
