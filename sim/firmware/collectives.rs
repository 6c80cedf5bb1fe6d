//! Programs that compute return the results of a plain computation, in the superframes that theory
//! predicts. Tests also the functions of `collectives.h` that these programs do not use.

use crate::firmware::{builds, firmware};
use crate::support::programs::{check, permuted, run, values, CASES};
use phasecube::machine::EndReason;
use phasecube::program::Firmware;
use phasecube::traffic::SplitMix64;
use std::fs;

/// Returns the quick sizes of each program.
fn sizes(name: &str) -> &'static [u32] {
    match name {
        "transpose" => &[2, 4, 6],
        "life" => &[2, 5, 6],
        "total_exchange" => &[1, 2, 4],
        "permute" => &[2, 3, 4, 6],
        _ => &[1, 3, 4],
    }
}

#[test]
fn programs_return_the_expected_results_in_the_predicted_superframes() {
    for case in &CASES {
        let program = firmware(case.name);
        for (seed, n) in (1..).zip(sizes(case.name)) {
            let superframes = check(case, &program, *n, seed);
            assert_eq!(superframes, (case.superframes)(*n), "{} {n}", case.name);
        }
    }
}

/// The figures in the table of docs/programs.md are the theoretical ones, measured on smaller cubes
/// above, and the measured program sizes.
#[test]
fn the_table_of_programs_is_right() {
    const PAGE: &str = include_str!("../../docs/programs.md");
    for case in &CASES {
        let figures: String = [4, 8, 12]
            .map(|n| match (case.name, n) {
                ("total_exchange", 12) => " |".to_owned(),
                _ => format!(" {} |", (case.superframes)(n)),
            })
            .concat();
        let bytes = 4 * firmware(case.name).words.len();
        let (name, what, theory) = (case.name, case.what, case.theory);
        let row = format!("| `{name}` | {what} | {bytes} | {theory} |{figures}\n");
        assert!(PAGE.contains(&row), "{row}");
    }
}

/// Random permutations that are no pattern. They take at most two superframes after the one in
/// which the schedule arrives.
#[test]
fn any_permutation_passes_along_its_schedule() {
    let program = firmware("permute");
    let mut random = SplitMix64::new(3);
    for n in [2, 3, 3, 3, 4, 4, 4, 5, 6] {
        let mut to: Vec<usize> = (0..1 << n).collect();
        for last in (1..to.len()).rev() {
            to.swap(last, random.below(last as u64 + 1) as usize);
        }
        let task = permuted(n, &to, &mut random);
        let done = run(&program, n, values(&task.given), 9);
        assert_eq!(done.end, EndReason::Complete, "{n}");
        assert_eq!(done.programs.returned, values(&task.expected), "{to:?}");
        assert!(done.superframes <= 3, "{n}: {}", done.superframes);
        assert_eq!(done.late, 0, "{n}");
    }
}

/// A schedule arrives once, in one superframe. Each word then takes two superframes.
#[test]
fn several_words_go_along_one_schedule() {
    let turned = |node: usize| (node as u8).reverse_bits() as usize >> 4;
    let to: Vec<usize> = (0..16).map(turned).collect();
    let mut task = permuted(4, &to, &mut SplitMix64::new(4));
    for (node, &to) in to.iter().enumerate() {
        task.given[node].extend([node as i32, -1]);
        task.expected[to].extend([node as i32, -1]);
    }
    let done = run(&firmware("permute"), 4, values(&task.given), 12);
    assert_eq!(done.end, EndReason::Complete);
    assert_eq!(done.programs.returned, values(&task.expected));
    assert_eq!((done.superframes, done.late), (7, 0));
}

/// Several values in sequence take one superframe each.
#[test]
fn a_program_reads_several_values_in_sequence() {
    let given: Vec<Vec<i32>> = (0..8).map(|node| vec![node, 10 * node, -1]).collect();
    let done = run(&firmware("parallel_sum"), 3, values(&given), 9);
    assert_eq!(done.end, EndReason::Complete);
    assert_eq!(done.programs.returned, values(&vec![vec![28, 280, -8]; 8]));
    assert_eq!((done.superframes, done.late), (3, 0));
}

/// A cube that is no square matrix, a torus one cell wide, and no data.
#[test]
fn unsupported_inputs_of_a_program_give_an_exit_code() {
    let exits = |name: &str, n: u32, given: Vec<Vec<i32>>| {
        let done = run(&firmware(name), n, values(&given), 3);
        assert_eq!(done.end, EndReason::Complete, "{name}");
        done.programs.exits
    };
    assert_eq!(exits("transpose", 3, vec![vec![1]; 8]), [Some(1); 8]);
    assert_eq!(exits("life", 1, vec![vec![1]; 2]), [Some(1); 2]);
    assert_eq!(exits("bitonic_sort", 2, vec![vec![]; 4]), [Some(1); 4]);
    assert_eq!(exits("parallel_sum", 2, vec![vec![]; 4]), [Some(0); 4]);
    assert_eq!(exits("permute", 2, vec![vec![49]; 4]), [Some(1); 4]);
}

pub fn compiled(name: &str, source: &str) -> Firmware {
    let path = builds().join(format!("{name}.c"));
    fs::write(&path, source).unwrap();
    firmware(path.to_str().unwrap())
}

/// A node that computes for longer than a service window has a whole phase for it before it sends
/// second. The previous exchange returns only when its own word is on the way.
#[test]
#[ignore = "thorough: compiles firmware"]
fn an_exchange_leaves_time_to_compute() {
    let source = r#"
        #include "collectives.h"
        #include "ctrl.h"

        int main(void)
        {
            unsigned here = tdma_strapped_address(), dims = tdma_strapped_dims();
            tdma_init((uint16_t)here, dims);
            uint32_t word;
            ctrl_wait(&word, sizeof word);
            for (unsigned dim = 0; dim < dims; dim++) {
                unsigned loops = 400;
                if (dim && here >> dim & 1)
                    __asm__ volatile("1: addi %0, %0, -1\n bnez %0, 1b" : "+r"(loops));
                word += collective_exchange(dim, word);
            }
            ctrl_send(&word, sizeof word);
            return 0;
        }
    "#;
    let given: Vec<Vec<i32>> = (0..16).map(|node| vec![1 << node]).collect();
    let done = run(&compiled("computes", source), 4, values(&given), 9);
    assert_eq!(done.end, EndReason::Complete);
    assert_eq!(done.programs.returned, values(&vec![vec![0xFFFF]; 16]));
    assert_eq!(done.superframes, 1);
}

/// Broadcasts from every node, a scan with a non-commutative operation, and a `main` that returns.
#[test]
#[ignore = "thorough: compiles firmware"]
fn broadcast_and_scan() {
    let source = r#"
        #include "collectives.h"
        #include "ctrl.h"

        /* Digits in the order of the nodes: 4 bits each, the first highest. */
        static uint32_t behind(uint32_t a, uint32_t b)
        {
            uint32_t moved = b;
            while (moved) {
                a <<= 4;
                moved >>= 4;
            }
            return a | b;
        }

        int main(void)
        {
            unsigned here = tdma_strapped_address(), dims = tdma_strapped_dims();
            tdma_init((uint16_t)here, dims);
            uint32_t digit, all;
            ctrl_wait(&digit, sizeof digit);
            for (unsigned root = 0; root < 1u << dims; root++) {
                uint32_t word = collective_broadcast(here, dims, root, 100 * digit);
                ctrl_send(&word, sizeof word);
            }
            uint32_t upto = collective_scan(here, dims, behind, digit, &all);
            ctrl_send(&upto, sizeof upto);
            ctrl_send(&all, sizeof all);
            return (int)here + 3;
        }
    "#;
    let program = compiled("broadcast_and_scan", source);
    let digits = [3, 1, 4, 1, 5, 9, 2, 6];
    let given: Vec<Vec<i32>> = digits.iter().map(|digit| vec![*digit]).collect();
    let done = run(&program, 3, values(&given), 40);
    assert_eq!(done.end, EndReason::Complete, "{:?}", done.programs.unfinished);
    let exits: Vec<Option<u8>> = (3..11).map(Some).collect();
    assert_eq!(done.programs.exits, exits);
    let mut upto = 0;
    let expected = digits.iter().map(|digit| {
        upto = upto << 4 | digit;
        let roots = digits.iter().map(|digit| 100 * digit);
        roots.chain([upto, 0x3141_5926]).collect()
    });
    assert_eq!(done.programs.returned, values(&expected.collect::<Vec<_>>()));
}
