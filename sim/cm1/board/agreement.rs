//! Reference, evaluator and Verilator agree on every output of the board in every
//! clock cycle of a whole run.

use super::processors;
use crate::cm1::drawn;
use crate::support::whole_runs::{self, alive_but};
use phasecube::report::OutputProbe;
use phasecube::rtl::cm1::Cm1Board;
use phasecube::traffic::Message;

#[test]
fn in_a_whole_run() {
    let message = |(source, destination): &(u32, u32)| Message {
        source: *source,
        destination: *destination,
        payload: vec![*source as u8 ^ 0xA5, *destination as u8],
    };
    let messages: Vec<Message> = drawn::list(3, 1, 2).iter().map(message).collect();
    let outputs = whole_runs::agree(Box::new(Cm1Board::new(3, 2)), |engine| {
        let mut probe = OutputProbe::new(engine);
        let run = processors::run(&mut probe, 2, &messages);
        assert!(run.delivered.iter().all(Option::is_some));
        probe.into_trace()
    });
    alive_but(&outputs, &[]);
}
