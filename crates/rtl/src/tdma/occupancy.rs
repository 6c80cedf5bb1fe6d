//! What a soft node keeps messages in: a register for each link, or a pool of places.

use super::register_layout::check_memory;
use super::register_numbers::last_register;
use super::{mask_of, EnginePlan, PlacePool, RegisterFlags, CROSSED_BITS, DIM_BITS, SLOT_BITS};
use hdl::cells::Parameter;
use hdl::lower::{kernel, Circuit, Resize};
use rust_hdl::prelude::*;

/// Which registers of a node hold a message, and which one a message comes into.
///
/// By e-cube each link has registers of its own ([`RegisterFlags`]). By adaptive routing all
/// are places of a pool ([`PlacePool`]): the software says in each phase where what comes is
/// kept, and the state of a link lies in the place of its number. What a node is built for
/// tells which of the two it has; the other costs nothing on a chip.
#[derive(LogicBlock, Circuit, Default)]
pub struct Occupancy<const LINKS: usize, const BITS: usize, const REGISTERS: usize> {
    pub clock: Signal<In, Clock>,
    /// All registers are free now.
    pub reset: Signal<In, Bit>,
    /// The link of the phase.
    pub dim: Signal<In, Bits<DIM_BITS>>,
    /// The node sends in this phase.
    pub transmit: Signal<In, Bit>,
    /// Cross edges that the message being received has passed; 0 when none is.
    pub crossed: Signal<In, Bits<CROSSED_BITS>>,
    /// In a pool: the software has chosen the place `at`.
    pub chosen: Signal<In, Bit>,
    /// The register that is changed: that of the decision, or of a command. Bits above those of
    /// the highest number are not looked at.
    pub at: Signal<In, Bits<SLOT_BITS>>,
    /// While the node receives, the register for what comes. While it sends, the one that keeps
    /// the state of the link.
    pub own: Signal<Out, Bits<SLOT_BITS>>,
    /// It is full.
    pub own_full: Signal<Out, Bit>,
    /// High for one clock cycle: a message has come into the register for it.
    pub store: Signal<In, Bit>,
    /// High for one clock cycle: what the register for it held is lost.
    pub spoil: Signal<In, Bit>,
    /// High for one clock cycle: a message of the host is in the injection register now, in a
    /// pool in the place `at`.
    pub inject: Signal<In, Bit>,
    /// High for one clock cycle: the register `at` is free now.
    pub free: Signal<In, Bit>,
    /// In a pool: the message in the place `at` was sent.
    pub sent: Signal<In, Bit>,
    /// The link must repeat the message, when it was sent.
    pub pending: Signal<In, Bit>,
    /// Receive registers, or places, that are full.
    pub full: Signal<Out, Bits<REGISTERS>>,
    /// The injection register is full.
    pub injected: Signal<Out, Bit>,
    /// Places whose message a link must repeat.
    pub held: Signal<Out, Bits<REGISTERS>>,
    /// Less than three places are free.
    pub crowded: Signal<Out, Bit>,
    registers: RegisterFlags<LINKS, BITS, REGISTERS>,
    places: PlacePool<REGISTERS>,
    is_pool: Parameter<Bit>,
    /// Covers the numbers of the registers, for every tool to see.
    mask: Parameter<Bits<SLOT_BITS>>,
}

impl<const LINKS: usize, const BITS: usize, const REGISTERS: usize>
    Occupancy<LINKS, BITS, REGISTERS>
{
    /// Of a node built for this plan, whose registers have `2^offset_bits` bytes each, in a
    /// memory of `2^address_bits`.
    ///
    /// # Panics
    /// As [`RegisterFlags::new`]; of a pool, if the places and the links have no room in the
    /// memory.
    pub fn new(plan: EnginePlan, offset_bits: usize, address_bits: usize) -> Self {
        let registers = if plan.pool {
            check_memory(
                highest::<LINKS, BITS, REGISTERS>(plan) + 1,
                offset_bits,
                address_bits,
            );
            RegisterFlags::default()
        } else {
            RegisterFlags::new(offset_bits, address_bits)
        };
        Occupancy {
            registers,
            is_pool: Parameter::new(plan.pool),
            mask: Parameter::new(mask_of(highest::<LINKS, BITS, REGISTERS>(plan) + 1).into()),
            ..Default::default()
        }
    }
}

/// The highest number of a register of a node built for this plan: of a pool, of a place or of a
/// link, whose state is kept in the place of its number.
pub(super) fn highest<const LINKS: usize, const BITS: usize, const REGISTERS: usize>(
    plan: EnginePlan,
) -> usize {
    if plan.pool {
        REGISTERS.max(LINKS) - 1
    } else {
        last_register(LINKS, BITS)
    }
}

impl<const LINKS: usize, const BITS: usize, const REGISTERS: usize> Logic
    for Occupancy<LINKS, BITS, REGISTERS>
{
    #[kernel]
    fn update(&mut self) {
        clock!(self, clock, registers, places);
        link!(self, registers, reset, dim, crossed, store, spoil, inject, free);
        link!(self, places, reset, free, sent, pending);
        let is_pool = self.is_pool.val();
        let at = self.at.val() & self.mask.val();
        self.registers.freed.next = at;
        self.places.at.next = at;
        self.injected.next = self.registers.injected.val() & !is_pool;
        self.places.store.next = self.store.val() | self.inject.val();
        self.held.next = 0.into();
        self.crowded.next = false;
        if is_pool {
            link!(self, places, full, held => all_held, crowded);
            self.own_full.next = !self.chosen.val();
            self.own.next = if self.transmit.val() {
                self.dim.val().resized::<SLOT_BITS>()
            } else {
                at
            };
        } else {
            link!(self, registers, full, own, own_full);
        }
    }
}
