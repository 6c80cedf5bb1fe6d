//! Arithmetic on words of any width, as limbs of 64 bits, the least significant
//! first. Bits of the last limb beyond the width of the word are zero, before
//! and after.

use num_bigint::BigUint;

/// How many limbs a word needs.
pub fn count(width: u32) -> usize {
    width.div_ceil(64) as usize
}

pub fn load(word: &[u64]) -> BigUint {
    let digits: Vec<u32> = word
        .iter()
        .flat_map(|&limb| [limb as u32, (limb >> 32) as u32])
        .collect();
    BigUint::new(digits)
}

/// The value fits the word.
pub fn store(word: &mut [u64], value: &BigUint) {
    word.fill(0);
    for (limb, digit) in word.iter_mut().zip(value.iter_u64_digits()) {
        *limb = digit;
    }
}

/// Clears the bits beyond the width.
fn trim(out: &mut [u64], width: u32) {
    let last = count(width) - 1;
    out[last] &= u64::MAX >> (64 * count(width) as u32 - width);
}

pub fn not(out: &mut [u64], a: &[u64], width: u32) {
    for (out, a) in out.iter_mut().zip(a) {
        *out = !a;
    }
    trim(out, width);
}

/// Any operation that works bit by bit.
pub fn bitwise(out: &mut [u64], a: &[u64], b: &[u64], op: impl Fn(u64, u64) -> u64) {
    for (out, (a, b)) in out.iter_mut().zip(a.iter().zip(b)) {
        *out = op(*a, *b);
    }
}

pub fn add(out: &mut [u64], a: &[u64], b: &[u64], width: u32) {
    let mut carry = false;
    for (out, (a, b)) in out.iter_mut().zip(a.iter().zip(b)) {
        let (sum, carry_b) = a.overflowing_add(*b);
        let (sum, carry_in) = sum.overflowing_add(carry.into());
        *out = sum;
        carry = carry_b || carry_in;
    }
    trim(out, width);
}

pub fn sub(out: &mut [u64], a: &[u64], b: &[u64], width: u32) {
    let mut borrow = false;
    for (out, (a, b)) in out.iter_mut().zip(a.iter().zip(b)) {
        let (difference, borrow_b) = a.overflowing_sub(*b);
        let (difference, borrow_in) = difference.overflowing_sub(borrow.into());
        *out = difference;
        borrow = borrow_b || borrow_in;
    }
    trim(out, width);
}

/// The operands have equally many limbs.
pub fn less(a: &[u64], b: &[u64]) -> bool {
    a.iter().rev().lt(b.iter().rev())
}

/// All of the `width` bits are set.
pub fn all(a: &[u64], width: u32) -> bool {
    a.iter().map(|limb| limb.count_ones()).sum::<u32>() == width
}

pub fn any(a: &[u64]) -> bool {
    a.iter().any(|&limb| limb != 0)
}

pub fn parity(a: &[u64]) -> bool {
    a.iter().fold(0, |sum, limb| sum ^ limb).count_ones() % 2 == 1
}

/// A word as a number of bit positions; one that is beyond all widths if it is
/// too large.
pub fn amount(a: &[u64]) -> u64 {
    match any(&a[1..]) {
        true => u64::MAX,
        false => a[0],
    }
}

/// The limb of `a` that begins at a bit position; zeros beyond its end.
fn limb_at(a: &[u64], position: u64) -> u64 {
    let limb = |i: u64| a.get(i as usize).copied().unwrap_or(0);
    let (index, shift) = (position / 64, position % 64);
    match shift {
        0 => limb(index),
        _ => limb(index) >> shift | limb(index + 1) << (64 - shift),
    }
}

/// The bits of `a` from `offset` up, zeros beyond its end.
pub fn shr(out: &mut [u64], a: &[u64], offset: u64, width: u32) {
    for (i, out) in out.iter_mut().enumerate() {
        // No position is anywhere near the end of its range unless the offset is.
        *out = limb_at(a, offset.saturating_add(64 * i as u64));
    }
    trim(out, width);
}

/// The bits of `a` moved up.
pub fn shl(out: &mut [u64], a: &[u64], offset: u64, width: u32) {
    out.fill(0);
    if offset < width.into() {
        insert(out, a, offset as u32);
    }
    trim(out, width);
}

/// Ors the bits of `a` into `out` from `offset` up; what is beyond the last limb
/// is lost.
pub fn insert(out: &mut [u64], a: &[u64], offset: u32) {
    let (first, shift) = ((offset / 64) as usize, offset % 64);
    for (i, limb) in a.iter().enumerate() {
        if let Some(out) = out.get_mut(first + i) {
            *out |= limb << shift;
        }
        if let (true, Some(out)) = (shift > 0, out.get_mut(first + i + 1)) {
            *out |= limb >> (64 - shift);
        }
    }
}

pub fn bit(a: &[u64], index: u64) -> bool {
    a[(index / 64) as usize] >> (index % 64) & 1 == 1
}

pub fn replace_bit(out: &mut [u64], a: &[u64], index: u64, bit: bool) {
    out.copy_from_slice(a);
    let (limb, mask) = (&mut out[(index / 64) as usize], 1 << (index % 64));
    *limb = if bit { *limb | mask } else { *limb & !mask };
}
