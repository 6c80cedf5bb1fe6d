//! Nodes that wait: they repeat one superframe, and are not simulated until something happens to
//! them.

use crate::node::{Common, Node};
use crate::phase::{PhaseClock, SyncPoint};

impl Node {
    /// Called at the beginning of a superframe, before its first phase begins. Parks the node if its
    /// state has repeated. The program sleeps, and during the last superframe the node neither sent
    /// nor received, so the next superframe is like the last one.
    pub fn try_to_park(&mut self, common: &Common, begin: u64) {
        let was_quiet = std::mem::replace(&mut self.quiet, true);
        let state = &self.state;
        let context_sleeps = common.background.is_none() || !state.released || state.asleep[1];
        let sleeps = state.context == 0 && state.asleep[0] && context_sleeps;
        let waits = sleeps
            && self.time == begin + 1
            && self.transfer.is_none()
            && self.halt.is_none()
            && !self.is_open(begin)
            && !self.hangs
            && self.undecided == 0;
        if !was_quiet || !waits {
            self.snapshot = None;
            return;
        }
        match &mut self.snapshot {
            Some(snapshot) if **snapshot == self.state => {
                self.parked = true;
                self.snapshot = None;
            }
            Some(snapshot) => (**snapshot).clone_from(&self.state),
            None => self.snapshot = Some(Box::new(self.state.clone())),
        }
    }

    /// Simulates a parked node up to clock cycle `now`, from the beginning of the superframe in which
    /// it is. `next` is the next synchronisation point.
    pub fn unpark(&mut self, common: &Common, clock: &PhaseClock, next: SyncPoint, now: u64) {
        self.parked = false;
        let first = clock.begun - (clock.begun - 1) % clock.phases;
        let begin = clock.at(first).begin;
        self.time = begin + 1;
        self.open = (0, 0);
        self.masked = (0, 0);
        self.decided = 0;
        for begun in first..=clock.begun {
            let then = clock.at(begun);
            let mut point = SyncPoint::Begin;
            loop {
                self.pass_sync_point(common, &then, point);
                point = point.next();
                if begun == clock.begun && point == next {
                    self.run(common, &then, (now, now), false);
                    return;
                }
                let until = point.time(&then, &common.times) + 1;
                self.run(common, &then, (until, until), false);
                if point == SyncPoint::Begin {
                    break;
                }
            }
        }
    }

    /// Applies the changes of the node at a synchronisation point. Returns true if it sends a frame.
    pub fn pass_sync_point(
        &mut self,
        common: &Common,
        clock: &PhaseClock,
        point: SyncPoint,
    ) -> bool {
        match point {
            SyncPoint::Begin => self.begin_phase(common, clock),
            SyncPoint::Window => return self.open_window(common, clock),
            SyncPoint::Length => {}
            SyncPoint::Answer => self.open_answer(common, clock),
            SyncPoint::Record => self.record_outcome(common, clock),
        }
        false
    }
}
