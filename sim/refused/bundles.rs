//! Bundles and `link!`, which connects them. Only errors that the type checker cannot detect.
use hdl::prelude::*;

#[derive(Bundle, Default)]
pub struct HostBundle {
    pub data: Signal<In, Bits<2>>,
    pub ready: Signal<Out, Bit>,
}

block! {
    Leaf { host: HostBundle, list: Vec<Signal<In, Bit>> }
    fn update(&mut self) {
        self.host.ready.next = self.host.data.val().any();
        for i in 0..self.list.len() {
            self.host.ready.next = self.host.ready.val() | self.list[i].val();
        }
    }
}

/// Returns a leaf with `length` elements in its list.
fn leaf(length: usize) -> Leaf {
    Leaf { list: (0..length).map(|_| Signal::default()).collect(), ..Default::default() }
}

block! {
    Clash { host: HostBundle, host_data: Signal<In, Bits<2>> } //~? module clash: host_data: is the name of two signals; names must be unique
    fn update(&mut self) {
        self.host.ready.next = self.host.data.val() == self.host_data.val();
    }
}

#[derive(Bundle, Default)]
#[bundle(flat)]
pub struct Flat {
    pub data: Signal<In, Bits<2>>,
}

block! {
    ClashFlat { one: Flat, two: Flat, o: Signal<Out, Bit> } //~? module clash_flat: data: is the name of two signals; names must be unique
    fn update(&mut self) {
        self.o.next = self.one.data.val() == self.two.data.val();
    }
}

block! {
    HasClash { clash: Clash, host: HostBundle }
    fn update(&mut self) {
        link!(self <-> clash: host);
        self.clash.host_data.next = 0.into();
    }
}

block! {
    DrivesInput { host: HostBundle, o: Signal<Out, Bit> }
    fn update(&mut self) {
        self.host.ready.next = true;
        self.host.data.next = 0.into(); //~ module drives_input: host_data: is an input port
        self.o.next = self.host.data.val().any();
    }
}

block! {
    Forgets { host: HostBundle, leaf: Leaf } //~? module forgets: leaf.host_data: is never assigned: undriven
    fn update(&mut self) {
        self.host.ready.next = self.leaf.host.ready.val();
    }
}

block! {
    ForgetsOwn { host: HostBundle, a: Signal<Out, Bit> } //~? module forgets_own: host_ready: is never assigned
    fn update(&mut self) {
        self.a.next = self.host.data.val().any();
    }
}

block! {
    ReadsPin { host: HostBundle, leaf: Leaf, o: Signal<Out, Bit> }
    fn update(&mut self) {
        link!(self <-> leaf: host);
        self.o.next = self.leaf.host.data.val().any(); //~ module reads_pin: leaf.host_data: is an input of a cell or child and can't be read; read what is assigned to it
    }
}

block! {
    Sometimes { host: HostBundle, a: Signal<In, Bit>, leaf: Leaf }
    fn update(&mut self) {
        self.host.ready.next = false;
        if self.a.val() {
            link!(self <-> leaf: host); //~ module sometimes: leaf.host_data: bit 0 isn't assigned on every path
        }
    }
}

#[test]
fn members_are_ports() {
    refused!(Clash);
    refused!(ClashFlat);
    // The error is located at the child.
    let error = lower(&HasClash::default()).expect_err("the child has two of a name");
    let line =
        1 + include_str!("bundles.rs").lines().position(|l| l.contains("    Clash {")).unwrap();
    let text = error.to_string();
    assert!(text.contains(&format!("bundles.rs:{line}:")), "{text}");
    refused!(DrivesInput);
    refused!(Forgets);
    refused!(ForgetsOwn);
    refused!(ReadsPin);
    refused!(Sometimes);
}

block! {
    Lengths { host: HostBundle, list: Vec<Signal<In, Bit>>, leaf: Leaf, other: Leaf, out: Outs }
    fn update(&mut self) {
        link!(self <-> leaf: host);
        self.other.host.data.next = 0.into();
        link!(self -> leaf: list); //~ top: a list of 2 cannot be connected to one of 3
        link!(out -> other: list); //~ top: a list of 2 cannot be connected to one of 3
        self.leaf.list[2].next = false;
        self.other.list[2].next = false;
    }
}

block! {
    Outs { list: Vec<Signal<Out, Bit>> }
    fn update(&mut self) {
        for i in 0..self.list.len() {
            self.list[i].next = true;
        }
    }
}

#[test]
fn lists_have_one_length() {
    let list = || (0..2).map(|_| Signal::default()).collect();
    let lengths = Lengths {
        list: list(),
        leaf: leaf(3),
        other: leaf(3),
        out: Outs { list: (0..2).map(|_| Signal::default()).collect() },
        ..Default::default()
    };
    refused!(Lengths, lengths);
}

/// The derive macro sees only the name of a type.
type Ticks = Clock;

#[derive(Bundle, Default)]
pub struct Ticking {
    pub clock: Signal<In, Ticks>,
    pub d: Signal<In, Bit>,
}

block! {
    HidesClock { port: Ticking, q: Signal<Out, Bit>, state: Reg<Bit> } //~? top: `port_clock` is a clock in a bundle; a clock is a port of its own
    fn update(&mut self) {
        self.state.clock.next = self.port.clock.val();
        self.state.d.next = self.port.d.val();
        self.q.next = self.state.q.val();
    }
}

#[test]
fn a_clock_is_in_no_bundle() {
    refused!(HidesClock);
}
