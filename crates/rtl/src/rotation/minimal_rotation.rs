//! The first hop of minimal rotation, by rotating.

use super::list;
use hdl::cells::Reg;
use hdl::lower::{kernel, Circuit};
use rust_hdl::prelude::*;

/// Which dimension a packet crosses first (minimal-rotation-routing, definition): the bit
/// that is leftmost in the least rotation of the header; of equal ones the shortest leftward
/// rotation.
///
/// In each clock cycle one rotation is compared with the least so far; a header of k bits takes k
/// clock cycles. The choice is kept as a bit that rotates with the header, so that it is in its
/// place when the header is round.
#[derive(LogicBlock, Circuit, Default)]
pub struct MinimalRotation {
    pub clock: Signal<In, Clock>,
    /// There is a header; it stays as it is until it is decided.
    pub present: Signal<In, Bit>,
    /// By dimension: source and destination differ.
    pub left: Vec<Signal<In, Bit>>,
    /// It has been decided, of the header that is there.
    pub decided: Signal<Out, Bit>,
    /// By dimension: it is crossed first; kept until the next header is there.
    pub choice: Vec<Signal<Out, Bit>>,
    /// The header, rotated to the left.
    turned: Vec<Reg<Bit>>,
    least: Vec<Reg<Bit>>,
    /// The leftmost 1 of the least one, rotated with the header.
    leader: Vec<Reg<Bit>>,
    /// So many rotations, and one, have been compared.
    done: Vec<Reg<Bit>>,
    now: Vec<Signal<Local, Bit>>,
    less: Signal<Local, Bit>,
    equal: Signal<Local, Bit>,
    seen: Signal<Local, Bit>,
}

impl MinimalRotation {
    /// For headers of so many bits.
    pub fn new(dims: usize) -> Self {
        MinimalRotation {
            left: list(dims),
            choice: list(dims),
            turned: list(dims),
            least: list(dims),
            leader: list(dims),
            done: list(dims),
            now: list(dims),
            ..Default::default()
        }
    }
}

/// The place of a bit after a rotation to the left by one.
fn next(dims: usize, d: usize) -> usize {
    (d + 1) % dims
}

impl Logic for MinimalRotation {
    #[kernel]
    fn update(&mut self) {
        let dims = self.left.len();
        let present = self.present.val();
        let first = !self.done[0].q.val();
        let decided = present & self.done[dims - 1].q.val();
        let works = present & !decided;
        for d in 0..dims {
            self.now[d].next = if first {
                self.left[d].val()
            } else {
                self.turned[d].q.val()
            };
        }
        self.less.next = first;
        self.equal.next = true;
        for below in 0..dims {
            let d = dims - 1 - below;
            let now = self.now[d].val();
            let least = self.least[d].q.val();
            self.less.next = self.less.val() | (self.equal.val() & least & !now);
            self.equal.next = self.equal.val() & !(least ^ now);
        }
        let less = self.less.val();
        self.seen.next = false;
        for below in 0..dims {
            let d = dims - 1 - below;
            let to = next(dims, d);
            clock!(self, clock, turned[d], least[d], leader[d]);
            let now = self.now[d].val();
            let leads = now & !self.seen.val();
            self.seen.next = self.seen.val() | now;
            self.turned[to].d.next = self.turned[to].q.val();
            self.least[d].d.next = self.least[d].q.val();
            self.leader[to].d.next = self.leader[to].q.val();
            if works {
                self.turned[to].d.next = now;
                self.leader[to].d.next = self.leader[d].q.val();
                if less {
                    self.least[d].d.next = now;
                    self.leader[to].d.next = leads;
                }
            }
            self.choice[d].next = self.leader[d].q.val();
        }
        for d in 0..dims {
            clock!(self, clock, done[d]);
            if d > 0 {
                self.done[d].d.next = present & self.done[d - 1].q.val();
            } else {
                self.done[d].d.next = present;
            }
        }
        self.decided.next = decided;
    }
}
