//! Functions are called once, at generation, and must return the same value each time.
use hdl::prelude::*;
use std::sync::atomic::{AtomicU64, Ordering};

static CALLS: [AtomicU64; 4] = [const { AtomicU64::new(0) }; 4];

/// Counts its calls.
fn calls(counter: usize) -> u64 {
    CALLS[counter].fetch_add(1, Ordering::Relaxed)
}

/// Returns true every other time.
fn flips(counter: usize) -> bool {
    calls(counter) % 2 == 1
}

block! {
    Number { a: Signal<In, Bits<32>>, o: Signal<Out, Bits<32>> }
    fn update(&mut self) {
        self.o.next = self.a.val() + calls(0); //~? Number: the kernel does something else each time it is read: a function that it calls is not pure
    }
}

block! {
    Path { a: [Signal<In, Bits<4>>; 2], o: Signal<Out, Bits<4>> }
    fn update(&mut self) {
        self.o.next = self.a[(calls(1) % 2) as usize].val(); //~? Path: the kernel does something else each time
    }
}

block! {
    Shape { a: Signal<In, Bits<4>>, o: Signal<Out, Bits<4>> }
    fn update(&mut self) {
        self.o.next = self.a.val();
        if flips(2) {
            self.o.next = self.a.val() + 1;
        } //~? Shape: the kernel does something else each time
    }
}

block! {
    Fault { a: Signal<In, Bits<1>>, o: Signal<Out, Bits<1>> }
    fn update(&mut self) {
        self.o.next = self.a.val() + 2 * calls(3); //~? Fault: the kernel does something else each time
    }
}

#[test]
fn a_function_is_pure() {
    refused!(Number);
    refused!(Path);
    refused!(Shape);
    refused!(Fault);
}

/// Accepts any type. Returns a value that depends on the type.
fn size<T>(_: T) -> u64 {
    std::mem::size_of::<T>() as u64
}

fn same<T>(x: T) -> T {
    x
}

block! {
    Generic { a: Signal<In, Bits<4>>, o: Signal<Out, Bits<8>>, p: Signal<Out, Bit> }
    fn update(&mut self) {
        self.o.next = bits(size(7_u64));
        self.o.next = bits(size(self.a.val().index())); //~ a function cannot take a word: it is called once, at generation
        self.o.next = bits(size(Some(self.a.val()))); //~ a function cannot take a word //~ a function cannot take a word
        self.p.next = same(self.a.val().any()); //~ a function cannot take a word
    }
}

#[test]
fn a_generic_function_takes_no_word_either() {
    refused!(Generic);
}
