//! Values that would be kept without a register, read too early, or never assigned.
use hdl::prelude::*;
use phasecube::engine::{EngineError, EvaluatorEngine};

block! {
    Latch { a: Signal<In, Bits<4>>, o: Signal<Out, Bits<4>>, t: Signal<Local, Bits<4>>, p: Signal<Out, Bits<4>> }
    fn update(&mut self) {
        if self.a.val() == 3 {
            self.o.next = self.a.val(); //~ module latch: o: bit 0 isn't assigned on every path, so it keeps its old value: a latch
        }
        match self.a.val().index() {
            0 => self.t.next = self.a.val() + 1,
            1 | 2 => (),
            _ => self.t.next = self.a.val(), //~ module latch: t: bit 0 isn't assigned on every path
        }
        self.p.next = self.a.val();
    }
}

#[word]
pub enum MatchedColour {
    Red,
    Green,
    Blue,
}

block! {
    Arms { a: Signal<In, Bits<2>>, colour: Signal<In, MatchedColour>, o: Signal<Out, Bit>, p: Signal<Out, Bit>, q: Signal<Out, Bit> }
    fn update(&mut self) {
        match self.colour.val() {
            MatchedColour::Red => self.o.next = true, //~ module arms: o: bit 0 isn't assigned on every path
            MatchedColour::Green => self.o.next = false,
            _ => {}
        }
        // A guard may be false.
        match self.colour.val() {
            MatchedColour::Red => self.p.next = true, //~ module arms: p: bit 0 isn't assigned on every path
            MatchedColour::Green if self.a.val().any() => self.p.next = true,
            MatchedColour::Blue => self.p.next = false,
            _ => {}
        }
        match self.a.val().index() {
            0 | 1 => self.q.next = true, //~ module arms: q: bit 0 isn't assigned on every path
            3 => self.q.next = false,
            _ => {}
        }
    }
}

#[word]
#[derive(Default)]
pub struct FlowPair {
    low: Bits<4>,
    high: Bits<3>,
}

block! {
    Half { a: Signal<In, Bits<4>>, o: Signal<Out, FlowPair> }
    fn update(&mut self) {
        self.o.next.low = self.a.val(); //~ module half: o: bit 4 isn't assigned on every path
    }
}

#[test]
fn every_path_assigns() {
    refused!(Latch);
    refused!(Arms);
    refused!(Half);
}

block! {
    Early { a: Signal<In, Bit>, o: Signal<Out, Bit>, t: Signal<Local, Bit>, u: Signal<Local, Bit>, p: Signal<Out, Bit> }
    fn update(&mut self) {
        self.o.next = self.t.val(); //~ module early: t: is read before it has been assigned on every path
        self.t.next = self.a.val();
        if self.a.val() {
            self.u.next = false; //~ module early: u: bit 0 isn't assigned on every path
        }
        self.p.next = self.u.val(); //~ module early: u: is read before it has been assigned
    }
}

block! {
    OutFirst { a: Signal<In, Bits<2>>, o: Signal<Out, Bits<2>> }
    fn update(&mut self) {
        if self.a.val() == 3 {
            self.o.next = self.o.val() + 1; //~ module out_first: o: is read before it has been assigned on every path
        } else {
            self.o.next = 0.into();
        }
    }
}

#[test]
fn nothing_is_read_before_it_is_assigned() {
    refused!(Early);
    refused!(OutFirst);
}

block! {
    Undriven { a: Signal<In, Bit>, clock: Signal<In, Clock>, r: Reg<Bits<2>>, o: Signal<Out, Bit> } //~? module undriven: o: is never assigned: undriven; assign its `.next`
    fn update(&mut self) {
        clock!(self, clock, r);
        //~? module undriven: r.d: is never assigned: undriven; write `self.r.d.next = ..`
    }
}

block! {
    UndrivenPort { clock: Signal<In, Clock>, m: Memory<Bits<2>, 3>, o: Signal<Out, Bits<2>> }
    fn update(&mut self) {
        clock!(self, clock, m);
        //~? module undriven_port: m.read_address: is never assigned: undriven; write `self.m.read_address.next = ..`, any value if it does not matter
        //~? module undriven_port: m.write_address: is never assigned: undriven; write `self.m.write_address.next = ..`
        self.m.write_data.next = 0.into();
        self.m.write_enable.next = false;
        self.o.next = self.m.read_data.val();
    }
}

block! {
    UndrivenCheck { clock: Signal<In, Clock>, must: Assertion, o: Signal<Out, Bit> }
    fn update(&mut self) {
        clock!(self, clock, must);
        //~? module undriven_check: must.holds: is never assigned: undriven; write `self.must.holds.next = ..`
        self.o.next = true;
    }
}

#[test]
fn outputs_and_pins_are_driven() {
    refused!(Undriven);
    refused!(UndrivenPort);
    refused!(UndrivenCheck);
}

block! {
    OwnInput { a: Signal<In, Bit>, o: Signal<Out, Bit> }
    fn update(&mut self) {
        self.o.next = self.a.val();
        self.a.next = true; //~ module own_input: a: is an input port and can't be assigned
    }
}

#[test]
fn an_input_is_not_assigned() {
    refused!(OwnInput);
}

block! {
    Through { i: Signal<In, Bits<2>>, o: Signal<Out, Bits<2>> }
    fn update(&mut self) {
        self.o.next = self.i.val() + 1;
    }
}

block! {
    Ring { a: Signal<In, Bits<2>>, x: Through, y: Through, o: Signal<Out, Bits<2>> }
    fn update(&mut self) {
        self.x.i.next = self.y.o.val();
        self.y.i.next = self.x.o.val() & self.a.val();
        self.o.next = self.x.o.val();
    }
}

#[test]
fn a_combinational_loop_has_a_name() {
    let design = lower(&Ring::default()).expect("every block of it is legal");
    let error = EvaluatorEngine::new(&design).err().expect("it is a loop");
    assert!(matches!(error, EngineError::Flatten(_)), "{error}");
    let text = error.to_string();
    assert!(text.starts_with("combinational loop through "), "{text}");
    for name in ["x.i", "y.o", "y.i", "x.o"] {
        assert!(text.contains(name), "{name} is not named: {text}");
    }
}
