//! Arithmetic on words of any width, stored as 64-bit limbs, the least significant first. Bits of
//! the last limb beyond the width of the word are always zero.

use num_bigint::BigUint;

/// Returns the number of limbs in a word.
pub fn count(width: u32) -> usize {
    width.div_ceil(64) as usize
}

pub fn load(word: &[u64]) -> BigUint {
    let digits: Vec<u32> =
        word.iter().flat_map(|&limb| [limb as u32, (limb >> 32) as u32]).collect();
    BigUint::new(digits)
}

/// Stores a value in a word. The value must fit.
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

/// Applies a bitwise operation.
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

/// Multiplies two words. Bits beyond the width are lost.
pub fn mul(out: &mut [u64], a: &[u64], b: &[u64], width: u32) {
    out.fill(0);
    for (i, &a) in a.iter().enumerate() {
        let mut carry = 0;
        for (out, &b) in out[i..].iter_mut().zip(b) {
            let sum = u128::from(a) * u128::from(b) + u128::from(*out) + u128::from(carry);
            *out = sum as u64;
            carry = (sum >> 64) as u64;
        }
    }
    trim(out, width);
}

/// Compares two words. They must have the same number of limbs.
pub fn less(a: &[u64], b: &[u64]) -> bool {
    a.iter().rev().lt(b.iter().rev())
}

/// Returns true if all of the `width` bits are set.
pub fn all(a: &[u64], width: u32) -> bool {
    a.iter().map(|limb| limb.count_ones()).sum::<u32>() == width
}

pub fn any(a: &[u64]) -> bool {
    a.iter().any(|&limb| limb != 0)
}

pub fn parity(a: &[u64]) -> bool {
    a.iter().fold(0, |sum, limb| sum ^ limb).count_ones() % 2 == 1
}

/// Converts a word to a shift amount. A value that does not fit becomes an amount beyond all
/// widths.
pub fn amount(a: &[u64]) -> u64 {
    match any(&a[1..]) {
        true => u64::MAX,
        false => a[0],
    }
}

/// Returns the 64 bits of `a` from a bit position. Bits beyond its end are zero.
fn limb_at(a: &[u64], position: u64) -> u64 {
    let limb = |i: u64| a.get(i as usize).copied().unwrap_or(0);
    let (index, shift) = (position / 64, position % 64);
    match shift {
        0 => limb(index),
        _ => limb(index) >> shift | limb(index + 1) << (64 - shift),
    }
}

/// Shifts `a` down by `offset`. Bits beyond its end are zero.
pub fn shr(out: &mut [u64], a: &[u64], offset: u64, width: u32) {
    for (i, out) in out.iter_mut().enumerate() {
        // The addition saturates only if the offset itself is near the end of the range.
        *out = limb_at(a, offset.saturating_add(64 * i as u64));
    }
    trim(out, width);
}

/// Shifts `a` up by `offset`.
pub fn shl(out: &mut [u64], a: &[u64], offset: u64, width: u32) {
    out.fill(0);
    if offset < width.into() {
        insert(out, a, offset as u32);
    }
    trim(out, width);
}

/// ORs the bits of `a` into `out` from `offset` up. Bits beyond the last limb are lost.
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
