//! The other programs, and a user's own, on the RTL.

use crate::machine::{builds, cube, firmware, soft, timing};
use phasecube::networks::tdma::cube::{run_console, Told};
use std::fs;

/// With twice the service window of `route`: the programs have work of their own.
fn tell<const D: usize>(program: &str, brings: &[Vec<Vec<u8>>], superframes: u64) -> Vec<Told> {
    let mut timing = timing(D);
    timing.service *= 2;
    let mut engine = soft::<D>(&firmware(program), timing);
    let phases = superframes * 2 * D as u64;
    run_console(&mut engine, cube(D), timing, brings, phases).unwrap()
}

/// Sixteen numbers; every node has their sum after one superframe.
#[test]
fn parallel_sum_of_16_nodes() {
    let numbers: Vec<u32> = (0..16)
        .map(|i| 0x0123_4567u32.wrapping_mul(2 * i + 1))
        .collect();
    let sum = numbers.iter().fold(0u32, |a, b| a.wrapping_add(*b));
    let brings: Vec<Vec<Vec<u8>>> = numbers
        .iter()
        .map(|n| vec![n.to_le_bytes().to_vec(), 3u32.to_le_bytes().to_vec()])
        .collect();
    let told = tell::<4>("parallel_sum", &brings, 4);
    assert_eq!(told.len(), 32);
    let mut sums = [0; 16];
    for (i, Told { t, node, bytes }) in told.iter().enumerate() {
        let wanted = if i < 16 { sum } else { 48 };
        assert_eq!(bytes, &wanted.to_le_bytes(), "node {node}");
        assert!(i >= 16 || *t <= 8, "in phase {t}");
        sums[*node as usize] += 1;
    }
    assert_eq!(sums, [2; 16]);
}

/// Every node sends a text to another one, which sends it back.
#[test]
fn echo_echoes() {
    let text = |node: u8| vec![b'a' + node, 0xFF];
    let brings: Vec<Vec<Vec<u8>>> = (0..8u8)
        .map(|node| vec![[vec![node ^ 6, 0], text(node)].concat()])
        .collect();
    let mut told = tell::<3>("echo", &brings, 6);
    told.sort_by_key(|told| told.node);
    let nodes: Vec<u32> = told.iter().map(|told| told.node).collect();
    assert_eq!(nodes, [0, 1, 2, 3, 4, 5, 6, 7]);
    for Told { node, bytes, .. } in told {
        let node = node as u8;
        assert_eq!(bytes, [vec![node ^ 6, 0], text(node)].concat());
    }
}

/// A program of a user's with initialised data, multiplication and division,
/// which ends: the node still routes.
#[test]
fn a_users_program() {
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
    let told = tell::<2>(path.to_str().unwrap(), &[], 3);
    assert_eq!(told.len(), 4);
    for Told { node, bytes, .. } in told {
        // The first phase is phase 0.
        let x = 7 * node as u8 + 2;
        assert_eq!(bytes, [x, x / 7]);
    }
}
