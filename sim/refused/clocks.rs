//! A circuit has one clock, which is an input and can only be passed on.
use hdl::prelude::*;

block! {
    Gated { clock: Signal<In, Clock>, enable: Signal<In, Bit>, r: Reg<Bits<2>>, o: Signal<Out, Bits<2>> } //~? top: `r.clock` is not driven
    fn update(&mut self) {
        self.r.d.next = self.r.q.val() + 1;
        self.o.next = self.r.q.val();
        if self.enable.val() {
            self.r.clock.next = self.clock.val(); //~ top: `r.clock` must be driven by a clock input of this block, whatever happens: clocks are not gated, chosen or made in a kernel
        }
    }
}

block! {
    GatedByMacro { clock: Signal<In, Clock>, enable: Signal<In, Bit>, r: [Reg<Bits<2>>; 1], o: Signal<Out, Bits<2>> } //~? top: `r[0].clock` is not driven
    fn update(&mut self) {
        self.r[0].d.next = self.r[0].q.val() + 1;
        self.o.next = self.r[0].q.val();
        if self.enable.val() {
            clock!(self, clock, r[0]); //~ top: `r[0].clock` must be driven by a clock input of this block, whatever happens
        }
    }
}

block! {
    Chosen { a: Signal<In, Clock>, b: Signal<In, Clock>, which: Signal<In, Bit>, r: Reg<Bit>, o: Signal<Out, Bit> } //~? top: `r.clock` is not driven
    fn update(&mut self) {
        self.r.d.next = !self.r.q.val();
        self.o.next = self.r.q.val();
        self.r.clock.next = if self.which.val() { self.a.val() } else { self.b.val() }; //~ top: `r.clock` must be driven by a clock input
    }
}

block! {
    PrintsWithoutClock { a: Signal<In, Bit>, o: Signal<Out, Bit> }
    fn update(&mut self) {
        self.o.next = self.a.val();
        if self.a.val() {
            display!("set"); //~ top: a `display!` prints at clock edges, so its block has one clock; add `pub clock: Signal<In, Clock>`
        }
    }
}

#[test]
fn a_print_needs_a_clock() {
    refused!(PrintsWithoutClock);
}

#[test]
fn a_clock_is_not_gated_or_chosen() {
    refused!(Gated);
    refused!(GatedByMacro);
    refused!(Chosen);
}

block! {
    Two { a: Signal<In, Clock>, b: Signal<In, Clock>, r: Reg<Bit>, s: Reg<Bit>, o: Signal<Out, Bit> } //~? top: `s.clock` is driven by `b` and others by `a`; a design has one clock
    fn update(&mut self) {
        self.r.clock.next = self.a.val();
        self.s.clock.next = self.b.val();
        self.r.d.next = !self.s.q.val();
        self.s.d.next = self.r.q.val();
        self.o.next = self.r.q.val();
    }
}

block! {
    Twice { a: Signal<In, Clock>, b: Signal<In, Clock>, r: Reg<Bit>, o: Signal<Out, Bit> } //~? top: `r.clock` is driven twice
    fn update(&mut self) {
        self.r.clock.next = self.a.val();
        self.r.clock.next = self.b.val();
        self.r.d.next = !self.r.q.val();
        self.o.next = self.r.q.val();
    }
}

block! {
    Undriven { clock: Signal<In, Clock>, r: Reg<Bit>, o: Signal<Out, Bit> } //~? top: `r.clock` is not driven; write `self.r.clock.next = self.clock.val();`
    fn update(&mut self) {
        self.r.d.next = !self.r.q.val();
        self.o.next = self.r.q.val();
    }
}

#[test]
fn there_is_one_clock() {
    refused!(Two);
    refused!(Twice);
    refused!(Undriven);
}

block! {
    SlowOnly { fast: Signal<In, Clock>, slow: Signal<In, Clock>, r: Reg<Bit>, o: Signal<Out, Bit> }
    fn update(&mut self) {
        self.r.clock.next = self.slow.val();
        self.r.d.next = !self.r.q.val();
        self.o.next = self.r.q.val();
    }
}

block! {
    WrongPin { clock: Signal<In, Clock>, child: SlowOnly, o: Signal<Out, Bit> } //~? top: `child.slow` is not driven
    fn update(&mut self) {
        self.child.fast.next = self.clock.val();
        self.o.next = self.child.o.val();
    }
}

/// In Rust the child never changes. Its relevant clock pin is the other one.
#[test]
fn a_clock_at_the_wrong_pin_is_refused() {
    refused!(WrongPin);
}

block! {
    MakesClock { clock: Signal<In, Clock>, out: Signal<Out, Clock>, local: Signal<Local, Clock>, r: Reg<Bit>, o: Signal<Out, Bit> } //~? top: `r.clock` is not driven
    fn update(&mut self) {
        self.out.next = self.clock.val(); //~ top: `out` would make a clock; clocks only come in (`Signal<In, Clock>`)
        self.local.next = self.clock.val(); //~ top: `local` would make a clock
        self.r.clock.next = self.local.val(); //~ top: `r.clock` must be driven by a clock input
        self.r.d.next = !self.r.q.val();
        self.o.next = self.r.q.val();
        self.clock.next = self.clock.val(); //~ top: `clock` is an input, which the surroundings drive
    }
}

block! {
    ClockAsWord { clock: Signal<In, Clock>, other: Signal<In, Clock>, o: Signal<Out, Bit>, p: Signal<Out, Bit>, q: Signal<Out, Bit> }
    fn update(&mut self) {
        self.o.next = self.clock.val() == self.other.val(); //~ top: the clock `clock` is not a word; it can only be passed on //~ top: the clock `other` is not a word
        self.p.next = self.clock.val().clk; //~ `clk` is not a field of the word clock //~ top: the clock `clock` is not a word
        let c = self.clock.val(); //~ top: the clock `clock` is not a word
        self.q.next = c == self.other.val(); //~ top: the clock `other` is not a word
    }
}

#[test]
fn a_clock_used_as_a_word_or_created_is_refused() {
    refused!(MakesClock);
    refused!(ClockAsWord);
}
