//! The first hop of minimal rotation, by comparing rotations.

use super::list;
use hdl::prelude::*;

/// Finds the dimension that a packet crosses first (minimal-rotation-routing, definition). It is
/// the bit that is leftmost in the least rotation of the header; of equal rotations the shortest
/// leftward one counts.
///
/// Each clock cycle compares one rotation with the least so far, so a header of k bits takes k
/// clock cycles. The choice is stored as a bit that rotates with the header. After k rotations it
/// is back at its position.
#[derive(LogicBlock, Circuit, Default)]
pub struct MinimalRotation {
    pub clock: Signal<In, Clock>,
    /// A header is present; stable until `decided`.
    pub present: Signal<In, Bit>,
    /// Per dimension: source and destination differ.
    pub left: Vec<Signal<In, Bit>>,
    /// The choice for the present header is valid.
    pub decided: Signal<Out, Bit>,
    /// Per dimension: crossed first; holds until the next header is present.
    pub choice: Vec<Signal<Out, Bit>>,
    /// Header, rotated to the left.
    turned: Vec<Reg<Bit>>,
    least: Vec<Reg<Bit>>,
    /// Leftmost 1 of the least rotation, rotated with the header.
    leader: Vec<Reg<Bit>>,
    /// Element `k`: `k + 1` rotations have been compared.
    done: Vec<Reg<Bit>>,
    now: Vec<Signal<Local, Bit>>,
    less: Signal<Local, Bit>,
    equal: Signal<Local, Bit>,
    seen: Signal<Local, Bit>,
}

impl MinimalRotation {
    /// Makes the block for headers of `dims` bits.
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

/// Position of a bit after a rotation to the left by one.
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
