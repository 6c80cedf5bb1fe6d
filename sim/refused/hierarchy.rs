//! A kernel can access the ports of its own fields, but nothing deeper inside or further outside.
use hdl::prelude::*;

block! {
    Leaf { i: Signal<In, Bits<2>>, o: Signal<Out, Bits<2>>, inside: Signal<Local, Bits<2>> }
    fn update(&mut self) {
        self.inside.next = self.i.val() + 1;
        self.o.next = self.inside.val();
    }
}

block! {
    Middle { i: Signal<In, Bits<2>>, o: Signal<Out, Bits<2>>, leaf: Leaf }
    fn update(&mut self) {
        self.leaf.i.next = self.i.val();
        self.o.next = self.leaf.o.val();
    }
}

block! {
    ReadsPin { a: Signal<In, Bits<2>>, leaf: Leaf, o: Signal<Out, Bits<2>> }
    fn update(&mut self) {
        self.leaf.i.next = self.a.val();
        self.o.next = self.leaf.i.val(); //~ module reads_pin: leaf.i: is an input of a cell or child and can't be read; read what is assigned to it
    }
}

block! {
    DrivesOutput { a: Signal<In, Bits<2>>, leaf: Leaf, o: Signal<Out, Bits<2>> }
    fn update(&mut self) {
        self.leaf.i.next = self.a.val();
        self.leaf.o.next = self.a.val(); //~ module drives_output: leaf.o: is an output of a cell or child and can't be assigned
        self.o.next = self.leaf.o.val();
    }
}

block! {
    LooksInside { a: Signal<In, Bits<2>>, leaf: Leaf, o: Signal<Out, Bits<2>> }
    fn update(&mut self) {
        self.leaf.i.next = self.a.val();
        self.o.next = self.leaf.inside.val(); //~ top: `leaf.inside` is not a port of `leaf`
        self.leaf.inside.next = self.a.val(); //~ top: `leaf.inside` is not a port of `leaf`
    }
}

block! {
    Grandchild { a: Signal<In, Bits<2>>, middle: Middle, o: Signal<Out, Bits<2>> }
    fn update(&mut self) {
        self.middle.i.next = self.a.val();
        self.o.next = self.middle.leaf.o.val(); //~ top: `top.middle.leaf.o` lies inside `middle`; a kernel reaches only the ports of its own fields
        self.middle.leaf.i.next = self.a.val(); //~ top: `top.middle.leaf.i` lies inside `middle`
    }
}

block! {
    Forgets { a: Signal<In, Bits<2>>, leaf: Leaf, list: [Leaf; 2], o: Signal<Out, Bits<2>> }
    fn update(&mut self) {
        self.list[1].i.next = self.a.val(); //~? module forgets: list[0].i: is never assigned: undriven
        self.o.next = self.leaf.o.val(); //~? module forgets: leaf.i: is never assigned: undriven
    }
}

#[test]
fn a_child_has_ports() {
    refused!(ReadsPin);
    refused!(DrivesOutput);
    refused!(LooksInside);
    refused!(Grandchild);
    refused!(Forgets);
}

block! {
    Hidden { a: Signal<In, Bits<2>>, o: Signal<Out, Bits<2>>, _kept: Signal<Local, Bits<2>>, _leaf: Leaf }
    fn update(&mut self) {
        self._kept.next = self.a.val(); //~ top: a signal that is not in this block: the kernel reaches outside, or the field's name begins with an underscore
        self.o.next = self._leaf.o.val(); //~ top: a signal that is not in this block
    }
}

block! {
    Outside { a: Signal<In, Bits<2>>, o: Signal<Out, Bits<2>>, _other: Box<Leaf> }
    fn update(&mut self) {
        self._other.i.next = self.a.val(); //~ top: a signal that is not in this block: the kernel reaches outside
        self.o.next = self._other.o.val(); //~ top: a signal that is not in this block
    }
}

#[test]
fn fields_hidden_from_rust_hdl_are_no_signals() {
    refused!(Hidden);
    refused!(Outside);
}

block! {
    OldCell { clock: Signal<In, Clock>, a: Signal<In, Bits<2>>, r: DFF<Bits<2>>, o: Signal<Out, Bits<2>> } //~? top.r: this block has no #[kernel]: the lowering cannot know what it does
    fn update(&mut self) {
        dff_setup!(self, clock, r);
        self.r.d.next = self.a.val();
        self.o.next = self.r.q.val();
    }
}

/// Defines its meaning in a lossy tree.
#[derive(LogicBlock, Default)]
pub struct OldKernel {
    pub i: Signal<In, Bits<2>>,
    pub o: Signal<Out, Bits<2>>,
}

impl Logic for OldKernel {
    #[hdl_gen]
    fn update(&mut self) {
        self.o.next = self.i.val();
    }
}

#[derive(LogicBlock, Circuit, Default)]
pub struct HasOldKernel {
    pub a: Signal<In, Bits<2>>,
    pub o: Signal<Out, Bits<2>>,
    old: [OldKernel; 2], //~ top.old[0]: this block has no #[kernel]: the lowering cannot know what it does; write its `update` as a #[kernel], or use a cell of hdl::cells for state //~ top.old[1]: this block has no #[kernel]
}

impl Logic for HasOldKernel {
    #[kernel]
    fn update(&mut self) {
        self.old[0].i.next = self.a.val();
        self.old[1].i.next = self.a.val();
        self.o.next = self.old[0].o.val();
    }
}

/// Behaves as one block and presents itself as another.
#[derive(LogicBlock, Default)]
pub struct Impostor {
    pub clock: Signal<In, Clock>,
    pub i: Signal<In, Bits<2>>,
    pub o: Signal<Out, Bits<2>>,
    cell: Reg<Bits<2>>,
}

impl Logic for Impostor {
    fn update(&mut self) {
        self.o.next = !self.i.val();
    }
    fn hdl(&self) -> Verilog {
        self.cell.hdl()
    }
}

block! {
    HasImpostor { clock: Signal<In, Clock>, a: Signal<In, Bits<2>>, child: Impostor, o: Signal<Out, Bits<2>> } //~? top.child: its `hdl` answers for a cell inside it
    fn update(&mut self) {
        clock!(self, clock, child);
        self.child.i.next = self.a.val();
        self.o.next = self.child.o.val();
    }
}

/// Presents itself as another block through a kernel.
#[derive(LogicBlock, Default)]
pub struct ForwardsKernel {
    pub i: Signal<In, Bits<2>>,
    pub o: Signal<Out, Bits<2>>,
    middle: Middle,
}

impl Logic for ForwardsKernel {
    fn update(&mut self) {
        self.o.next = !self.i.val();
    }
    fn hdl(&self) -> Verilog {
        self.middle.hdl()
    }
}

#[test]
fn every_block_has_a_description() {
    refused!(OldCell);
    refused!(HasOldKernel);
    refused!(HasImpostor);
    // The ports of the kernel are pins here, with the wrong direction.
    let error = lower(&ForwardsKernel::default()).expect_err("it is not `Middle`");
    let text = "`top.middle.leaf.i` lies inside `middle`";
    assert!(error.to_string().contains(text), "{error}");
    let error = lower(&OldKernel::default()).expect_err("it has no #[kernel]");
    assert!(error.to_string().starts_with("top: this block has no"));
}

#[test]
fn a_cell_alone_is_no_circuit() {
    let error = lower(&Reg::<Bits<4>>::default()).expect_err("it is a cell");
    let text = "top: a cell alone is not a circuit; put it into a block";
    assert_eq!(error.to_string(), text);
}
