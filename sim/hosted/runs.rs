//! Whole runs, asked for and told over the line.

use crate::board::{circuit, Board};
use std::time::Instant;

#[test]
fn it_talks() {
    let mut board = Board::new(&circuit());
    let start = Instant::now();
    println!("{:#?}", board.until("ready"));
    println!("{} {:?}", board.clock_cycles, start.elapsed());
    board.terminal.send("complement 7\n");
    println!("{:#?}", board.until("ready"));
    println!("{} {:?}", board.clock_cycles, start.elapsed());
}
