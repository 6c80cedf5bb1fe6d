//! The blocks of the CM-1.

use crate::agreement::engines::{agree, agree_but, agree_on, nodes_agree_on};
use crate::agreement::scripts::rarely;
use interconnect::traffic::SplitMix64;
use rtl::cm1::{
    Chip, Cm1Board, CrossingChoice, EjectMode, Ejector, EjectorRow, FirstColumn, Heart,
    HeartColumn, HeartSite, Injector, InjectorRow, LoneEjector, LoneInjector, Mailbox,
    MessageBuffer, MessageFormat, PetitControl, PetitPlan, PetitTable, PetitWindow, Pipeline,
    Router, RowBuffer, StrobeDelay,
};

fn plan(dims: u32, proc_bits: u32, mode: EjectMode) -> PetitPlan {
    let format = MessageFormat { dims, proc_bits, vp_bits: 1, data_bits: 3 };
    PetitPlan::new(format, mode)
}

#[test]
#[ignore = "thorough: Verilator on each block"]
fn heart_sites_agree() {
    agree(|| HeartSite::new(1));
    agree(|| HeartSite::new(3));
}

#[test]
#[ignore = "thorough: Verilator on each block"]
fn columns_agree() {
    agree(|| CrossingChoice::new(4, false));
    // The lowest row has no row before it, and only the highest row crosses in desperation.
    let oblivious = || CrossingChoice::new(4, true);
    agree_but(oblivious, |stimulus| stimulus, &["stopped[0]"]);
    agree(|| HeartColumn::of(4, Pipeline::Naive, 3));
    agree(|| HeartColumn::of(4, Pipeline::Dropping, 3));
    agree(|| FirstColumn::of(4, Pipeline::Dropping));
    agree(|| FirstColumn::new(2));
    agree(|| FirstColumn::new(5));
    agree(|| HeartColumn::new(2));
    agree(|| HeartColumn::new(5));
}

#[test]
#[ignore = "thorough: Verilator on each block"]
fn hearts_agree() {
    agree(|| Heart::new(1, 2));
    agree(|| Heart::new(3, 3));
}

#[test]
#[ignore = "thorough: Verilator on each block"]
fn injectors_agree() {
    agree(|| InjectorRow::new(3));
    agree(|| Injector::new(3, 1));
    agree(|| Injector::new(4, 2));
}

#[test]
#[ignore = "thorough: Verilator on each block"]
fn ejectors_agree() {
    agree(|| EjectorRow::new(4));
    agree(|| Ejector::new(3, 1, EjectMode::Or));
    agree(|| Ejector::new(3, 4, EjectMode::PerProcessor));
    agree(|| Ejector::new(4, 2, EjectMode::PerChip));
    agree(|| Ejector::new(3, 2, EjectMode::Bank));
}

/// Checks buffers with one memory and with two.
#[test]
#[ignore = "thorough: Verilator on each block"]
fn message_buffers_agree() {
    agree_on(|| MessageBuffer::new(3, 5), |s| s.at_most("pointer", 4));
    agree_on(|| MessageBuffer::new(2, 300), |s| s.at_most("pointer", 299));
}

#[test]
#[ignore = "thorough: Verilator on each block"]
fn petit_controls_agree() {
    agree_on(|| PetitWindow::new(2..5, 9), |s| s.at_most("time", 8));
    agree(StrobeDelay::<3>::default);
    // When ejecting by banks, all windows are open.
    agree(|| PetitControl::<2>::new(plan(2, 1, EjectMode::Bank)));
}

#[test]
#[ignore = "thorough: Verilator on each block"]
fn chips_agree() {
    let or = || plan(2, 1, EjectMode::Or);
    // A chip drives nothing on the lines of processors that it does not have.
    agree_on(|| Router::<2>::new(3, or()), |s| s.at_most("pointer", 6));
    agree_on(|| Chip::<1>::new(2, plan(1, 0, EjectMode::PerChip)), |s| s.at_most("pointer", 3));
}

/// Checks the two parts of a lone chip. The chip itself only wires them, and is checked as part of
/// the board, below.
#[test]
#[ignore = "thorough: Verilator on each block"]
fn lone_chips_agree() {
    agree(|| LoneInjector::new(3));
    agree(|| LoneEjector::new(3));
}

#[test]
#[ignore = "thorough: Verilator on each block"]
fn petit_tables_agree() {
    agree_on(|| PetitTable::new(Cm1Board::plan(1)), |s| s.script(&["go"], rarely(20)));
}

/// Checks buffers with one memory and with two.
#[test]
#[ignore = "thorough: Verilator on each block"]
fn row_buffers_agree() {
    agree(|| RowBuffer::new(3));
    agree(|| RowBuffer::new(24));
}

/// Returns stimulus of processor accesses. Each is held until it must be complete, and the network
/// owns the mailbox for equally long in between.
fn bytes() -> impl FnMut(&mut SplitMix64) -> Vec<u64> {
    let (mut values, mut left) = (vec![0; 6], 0);
    move |random| {
        if left == 0 {
            let running = u64::from(random.below(3) == 0);
            let access = u64::from(running == 0 && random.below(8) > 0);
            let owner = 1 << random.below(8);
            let (index, write) = (random.below(2), random.below(2));
            values = vec![running, access, owner, index, write, random.below(256)];
            left = 1 + random.below(20);
        }
        left -= 1;
        values.clone()
    }
}

#[test]
fn mailboxes_agree() {
    let inputs = ["running", "access", "owner", "index", "write", "write_data"];
    agree_on(Mailbox::new, |s| s.script(&inputs, bytes()));
}

/// Returns stimulus in which random nodes report ready most of the time.
fn accesses() -> impl FnMut(&mut SplitMix64) -> Vec<u64> {
    let (mut values, mut left) = (vec![0; 5], 0);
    move |random| {
        if left == 0 {
            let status = random.below(4) > 0;
            let offset = if status { 0x40 } else { 4 * random.below(4) };
            let write = u64::from(random.below(4) > 0);
            let data = random.next_u64() & 0xFFFF_FFFF;
            values = vec![random.below(8), 1, offset, write, data];
            left = if status { 2 } else { 10 };
        }
        left -= 1;
        values.clone()
    }
}

#[test]
#[ignore = "thorough: Verilator on each block"]
fn boards_agree() {
    let inputs = ["node", "request", "offset", "write", "write_data"];
    nodes_agree_on(|| Cm1Board::new(3, 2), |s| s.script(&inputs, accesses()));
}
