//! The message storage of the hearts, counted in the netlist: 2bc bits
//! (`cm1-message-router`, section 3.4.5), 168 in the paper's chip.

use hdl::lower::lower;
use lockstep::netlist::flatten;
use phasecube::rtl::cm1::Heart;

/// Returns the state bits of a heart for messages and for switches.
fn storage(dims: usize, rows: usize) -> (usize, usize) {
    let netlist = flatten(&lower(&Heart::new(dims, rows)).unwrap()).unwrap();
    let bits = |switch: bool| {
        let registers = netlist.registers.iter();
        let wanted = registers.filter(|r| r.name.contains(".switch[") == switch);
        wanted.map(|r| netlist.width(r.q) as usize).sum()
    };
    assert!(netlist.memories.is_empty());
    (bits(false), bits(true))
}

#[test]
fn the_papers_heart_has_168_bits_of_message_storage() {
    assert_eq!(storage(12, 7).0, 168);
}

/// All state of a heart stores messages, apart from the state of its switches.
#[test]
fn message_storage_is_2bc() {
    for dims in 1..6 {
        for rows in 2..9 {
            let (messages, switches) = storage(dims, rows);
            assert_eq!(messages, 2 * rows * dims);
            // Column 0: each row selects from all rows above it, and the wire selects from all
            // rows.
            let first = (2..=rows).sum::<usize>() + rows;
            // The other columns: three sources, or two for the last row, and the wire.
            let later = 3 * (rows - 2) + 2 + rows;
            assert_eq!(switches, first + (dims - 1) * later);
        }
    }
}
