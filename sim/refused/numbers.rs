//! Numbers and positions that do not fit their word. Rust would panic.
use hdl::prelude::*;

block! {
    Literals { a: Signal<In, Bits<4>>, s: Signal<In, Signed<4>>, o: Signal<Out, Bits<4>>, b: Signal<Out, Bit>, w: Signal<In, Bits<32>> }
    fn update(&mut self) {
        self.o.next = 15.into();
        self.o.next = 16.into(); //~ the number 16 does not fit Bits<4>, which ends at 15
        self.o.next = self.a.val() + 17; //~ the number 17 does not fit Bits<4>
        self.o.next = 18 - self.a.val(); //~ the number 18 does not fit Bits<4>
        self.b.next = self.a.val() == 19; //~ the number 19 does not fit Bits<4>
        self.b.next = 20 > self.a.val(); //~ the number 20 does not fit Bits<4>
        self.b.next = self.s.val() < 8; //~ the number 8 does not fit Signed<4>, which holds -8 to 7
        self.b.next = self.s.val() > -8;
        let _below = self.s.val() + -9; //~ the number -9 does not fit Signed<4>
        let _wide = self.w.val() + 0x1_0000_0000; //~ the number 4294967296 does not fit Bits<32>
        let i = 40 + 60;
        let _sum = self.a.val() + i; //~ the number 100 does not fit Bits<4>
        if self.a.val() == 3 || self.a.val() == 21 { //~ the number 21 does not fit Bits<4>
            self.o.next = self.a.val();
        }
    }
}

#[test]
fn a_number_fits_its_word() {
    refused!(Literals);
}

block! {
    Positions {
        a: Signal<In, Bits<4>>,
        five: Signal<In, Bits<5>>,
        three: Signal<In, Bits<3>>,
        o: Signal<Out, Bits<5>>,
        b: Signal<Out, Bit>,
        n: Signal<Out, Bits<2>>,
    }
    fn update(&mut self) {
        self.b.next = self.five.val().get_bit(4);
        self.b.next = self.five.val().get_bit(5); //~ get_bit at a position that can be 5, in a word of 5 bits
        self.b.next = self.a.val().get_bit(self.a.val().get_bits::<2>(0).index());
        self.b.next = self.five.val().get_bit(self.three.val().index()); //~ get_bit at a position that can be 7, in a word of 5 bits
        self.o.next = self.five.val().replace_bit(5, true); //~ replace_bit at a position that can be 5, in a word of 5 bits
        self.o.next = self.five.val().replace_bit(6, true); //~ replace_bit at a position that can be 6, in a word of 5 bits
        self.o.next = self.five.val().replace_bit(self.three.val().index(), true); //~ replace_bit at a position that can be 7
        self.n.next = self.five.val().get_bits::<2>(5);
        self.n.next = self.five.val().get_bits::<2>(6); //~ get_bits at a position that can be 6, in a word of 5 bits
        self.n.next = self.five.val().get_bits::<2>(self.three.val().index()); //~ get_bits at a position that can be 7
        for i in 3..7 {
            self.b.next = self.five.val().get_bit(i - 1); //~ get_bit at a position that can be 5
        }
    }
}

#[test]
fn a_position_lies_in_its_word() {
    refused!(Positions);
}

block! {
    Wide { a: Signal<In, Bits<40>>, odd: Signal<In, Bits<33>>, far: Signal<In, Bits<65>>, o: Signal<Out, Bits<40>>, b: Signal<Out, Bit> }
    fn update(&mut self) {
        self.o.next = self.a.val() << self.far.val(); //~ a shift by Bits<65>; a shift distance has up to 64 bits
        self.o.next = self.a.val() >> self.far.val(); //~ a shift by Bits<65>
        self.b.next = self.a.val().index() == 3; //~ `.index()` of Bits<40>; rust-hdl indexes by up to 32 bits
        self.b.next = self.odd.val().index() == 3; //~ `.index()` of Bits<33>
    }
}

#[test]
fn rust_hdl_shifts_and_indexes_by_so_many_bits() {
    refused!(Wide);
}
