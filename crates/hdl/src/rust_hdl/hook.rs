//! Passes answers of a block through `Block::hdl`, and replays branches in `Logic::connect`.
//!
//! `hdl` returns a text of `rust-hdl`'s Verilog printer. It has no place for the record of a kernel,
//! so the answer takes another way: a slot of the thread.

use super::Verilog;
use std::any::{Any, TypeId};
use std::cell::RefCell;
use std::collections::VecDeque;

/// Request for an answer of one type, and the answer after `hdl` has given it.
struct Request {
    wanted: TypeId,
    answer: Option<Box<dyn Any>>,
}

thread_local! {
    static REQUEST: RefCell<Option<Request>> = const { RefCell::new(None) };
}

/// Calls `hdl` of a block and returns its answer of type `A`; `None` if the block does not
/// [`answer`] with this type.
pub(crate) fn request<A: 'static>(hdl: &dyn Fn() -> Verilog) -> Option<A> {
    let before = REQUEST.replace(Some(Request { wanted: TypeId::of::<A>(), answer: None }));
    hdl();
    let answer = REQUEST.replace(before)?.answer?;
    answer.downcast().ok().map(|answer| *answer)
}

/// Answers a pending request for the type `A`. Does nothing if there is none, as when `rust-hdl`
/// itself calls `hdl`.
pub(crate) fn answer<A: 'static>(make: impl FnOnce() -> A) {
    let pending = |request: &Option<Request>| {
        let request = request.as_ref()?;
        (request.wanted == TypeId::of::<A>() && request.answer.is_none()).then_some(())
    };
    if REQUEST.with_borrow(pending).is_none() {
        return;
    }
    let answer = Box::new(make());
    REQUEST.with_borrow_mut(|request| {
        if let Some(request) = request {
            request.answer = Some(answer);
        }
    });
}

/// Returns the result of every `hdl`. `rust-hdl`'s printer would compile a kernel incorrectly. It
/// receives a text that all tools reject.
pub(crate) fn rejecting_verilog() -> Verilog {
    Verilog::Custom("emit this block with hdl::verilog, not with generate_verilog".into())
}

/// Branches that a kernel takes, in execution order.
#[doc(hidden)]
pub struct BranchTrace(pub(crate) VecDeque<bool>);

impl BranchTrace {
    /// Finds the branches of the block whose `hdl` this calls.
    pub fn by(hdl: &dyn Fn() -> Verilog) -> Self {
        request(hdl).unwrap_or(BranchTrace(VecDeque::new()))
    }

    /// Whether the next branch is taken.
    pub fn branch(&mut self) -> bool {
        self.0.pop_front().unwrap_or(false)
    }
}

#[cfg(test)]
mod tests {
    use super::{answer, rejecting_verilog, request};
    use crate::prelude::*;
    use std::cell::Cell;

    thread_local! {
        static CALLS: Cell<usize> = const { Cell::new(0) };
    }

    /// Answers with its number.
    #[derive(LogicBlock, Default)]
    struct Numbered {
        pub o: Signal<Out, Bit>,
        _number: u32,
    }

    impl Logic for Numbered {
        fn update(&mut self) {
            self.o.next = true;
        }

        fn connect(&mut self) {
            self.o.connect();
        }

        fn hdl(&self) -> Verilog {
            CALLS.set(CALLS.get() + 1);
            answer(|| self._number);
            rejecting_verilog()
        }
    }

    #[test]
    fn an_answer_reaches_the_requester() {
        let mut block = Numbered { _number: 7, ..Default::default() };
        let dynamic: &dyn Block = &block;
        assert_eq!(request::<u32>(&|| dynamic.hdl()), Some(7));
        assert_eq!(request::<u64>(&|| dynamic.hdl()), None, "another type");
        let nested = request::<u32>(&|| {
            assert_eq!(request::<u32>(&|| dynamic.hdl()), Some(7));
            rejecting_verilog()
        });
        assert_eq!(nested, None, "the answer belongs to the inner request");

        // Nothing in a simulation calls `hdl`.
        let calls = CALLS.replace(0);
        block.connect_all();
        check_connected(&block).expect("it is driven");
        block.update_all();
        assert_eq!((calls, CALLS.get()), (3, 0));
    }

    /// Drives `a` or `b`, as its parameter says at generation.
    #[derive(LogicBlock, Circuit, Default)]
    struct Chooses {
        pub i: Signal<In, Bit>,
        chosen: Parameter<Bit>,
        a: Inverter,
        b: Inverter,
    }

    #[derive(LogicBlock, Circuit, Default)]
    struct Inverter {
        pub i: Signal<In, Bit>,
        pub o: Signal<Out, Bit>,
    }

    impl Logic for Inverter {
        #[kernel]
        fn update(&mut self) {
            self.o.next = !self.i.val();
        }
    }

    impl Logic for Chooses {
        #[kernel]
        fn update(&mut self) {
            self.a.i.next = self.i.val();
            if self.chosen.val() {
                self.b.i.next = self.a.o.val();
            }
        }
    }

    #[test]
    fn rust_hdl_sees_which_signals_are_driven() {
        for chosen in [true, false] {
            let mut block = Chooses { chosen: Parameter::new(chosen), ..Default::default() };
            block.i.connect();
            block.connect_all();
            // `b.i` is driven by the branch alone.
            assert_eq!(check_connected(&block).is_ok(), chosen);
        }
        let mut undriven = Numbered::default();
        check_connected(&undriven).expect_err("`connect` was not called");
        undriven.connect_all();
        check_connected(&undriven).expect("`connect` was called once");
    }
}
