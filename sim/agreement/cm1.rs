//! The blocks of the CM-1.

use crate::agreement::{agree, agree_on};
use phasecube::rtl::cm1::{
    Chip, CrossingChoice, EjectMode, Ejector, EjectorRow, FirstColumn, Heart, HeartColumn,
    HeartSite, Injector, InjectorRow, MessageBuffer, MessageFormat, PetitControl, PetitPlan,
    PetitWindow, Router, StrobeDelay,
};

fn plan(dims: u32, proc_bits: u32, mode: EjectMode) -> PetitPlan {
    let format = MessageFormat {
        dims,
        proc_bits,
        vp_bits: 1,
        data_bits: 3,
    };
    PetitPlan::new(format, mode)
}

#[test]
fn heart_sites_agree() {
    agree(|| HeartSite::new(1));
    agree(|| HeartSite::new(3));
}

#[test]
fn columns_agree() {
    agree(|| CrossingChoice::new(4));
    agree(|| FirstColumn::new(2));
    agree(|| FirstColumn::new(5));
    agree(|| HeartColumn::new(2));
    agree(|| HeartColumn::new(5));
}

#[test]
fn hearts_agree() {
    agree(|| Heart::new(1, 2));
    agree(|| Heart::new(3, 3));
}

#[test]
fn injectors_agree() {
    agree(|| InjectorRow::new(3));
    agree(|| Injector::new(3, 1));
    agree(|| Injector::new(4, 2));
}

#[test]
fn ejectors_agree() {
    agree(|| EjectorRow::new(4));
    agree(|| Ejector::new(3, 1, EjectMode::Or));
    agree(|| Ejector::new(3, 4, EjectMode::PerProcessor));
    agree(|| Ejector::new(4, 2, EjectMode::PerChip));
}

/// One memory, and two.
#[test]
fn message_buffers_agree() {
    agree_on(|| MessageBuffer::new(3, 5), |s| s.at_most("pointer", 4));
    agree_on(|| MessageBuffer::new(2, 300), |s| s.at_most("pointer", 299));
}

#[test]
fn petit_controls_agree() {
    agree_on(|| PetitWindow::new(2..5, 9), |s| s.at_most("time", 8));
    agree(StrobeDelay::<3>::default);
    agree(|| PetitControl::<2>::new(plan(2, 1, EjectMode::PerProcessor)));
}

#[test]
fn chips_agree() {
    let or = || plan(2, 1, EjectMode::Or);
    // A chip shows nothing on the lines of processors that it does not have.
    agree_on(|| Router::<2>::new(3, or()), |s| s.at_most("pointer", 6));
    agree_on(
        || Chip::<1>::new(2, plan(1, 0, EjectMode::PerChip)),
        |s| s.at_most("pointer", 3),
    );
}
