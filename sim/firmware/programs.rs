//! The other programs, and a user's own programs, on the RTL.

use crate::firmware::{builds, firmware};
use crate::support::programs::run;
use phasecube::machine::{CoreState, EndReason};
use phasecube::values::{ProgramValue, Values};
use std::fs;

/// Every node sends a text to another node, which returns it. The program never ends.
#[test]
fn echo_echoes() {
    let text = |node: u8| ProgramValue::Bytes(vec![node ^ 6, 0, b'a' + node]);
    let given = Values((0..8).map(|node| vec![text(node)]).collect());
    let done = run(&firmware("echo"), 3, given.clone(), 6);
    assert_eq!(done.end, EndReason::Limit { periods: 6 });
    assert_eq!(done.programs.returned, given);
    assert_eq!(done.programs.exits, [None; 8]);
    let places = &done.programs.unfinished;
    assert_eq!(places.len(), 8);
    for place in places {
        assert_eq!(place.state, CoreState::Asleep);
        let [at, from] = [&place.function, &place.from].map(|place| place.clone().unwrap());
        assert!(at.starts_with("tdma_next_phase + 0x"), "{at}");
        assert!(from.starts_with("main + 0x"), "{from}");
    }
}

/// A user's program with initialised data, multiplication and division. The return value of `main`
/// is its exit code.
#[test]
#[ignore = "thorough: compiles firmware"]
fn a_user_program_runs() {
    let source = r#"
        #include "ctrl.h"
        #include "tdma.h"

        struct record { char text[40]; };
        static const uint8_t table[3] = {2, 3, 5};
        static struct record from, to;
        static unsigned factor = 7;

        int main(void)
        {
            tdma_init(tdma_strapped_address(), tdma_strapped_dims());
            unsigned x = factor * tdma_strapped_address() + table[tdma_current_phase() % 3];
            from.text[39] = (char)x;
            to = from;
            x = (unsigned char)to.text[39];
            uint8_t answer[2] = {(uint8_t)x, (uint8_t)(x / factor)};
            return ctrl_send(answer, 2);
        }
    "#;
    let path = builds().join("users_program.c");
    fs::write(&path, source).unwrap();
    let done = run(&firmware(path.to_str().unwrap()), 2, Values::none(4), 3);
    assert_eq!(done.end, EndReason::Complete);
    assert_eq!(done.programs.exits, [Some(0); 4]);
    for (node, returned) in (0..).zip(done.programs.returned.0) {
        // Phases count from 0.
        let x = 7 * node + 2;
        assert_eq!(returned, [ProgramValue::Bytes(vec![x, x / 7])]);
    }
}
