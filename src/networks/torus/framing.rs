//! Roles of the bytes on a virtual channel, for an observer that sees only the channel.

use crate::rtl::torus::Tail;
use crate::topology::{End, Topology, Torus};

use super::packet::is_tail;

/// Role of a byte in its packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Field {
    /// Number of channels left in this dimension.
    Address(usize),
    Data,
    Tail,
    /// The position of packets is not known yet.
    Unknown,
}

impl Field {
    /// Returns the role in one word: `address_0`.
    pub fn word(self) -> String {
        match self {
            Field::Address(dim) => format!("address_{dim}"),
            Field::Data => "data".into(),
            Field::Tail => "tail".into(),
            Field::Unknown => "unknown".into(),
        }
    }
}

/// Follows the packets on a virtual channel.
///
/// The observation starts with the first byte of a packet, or anywhere. In the second case the
/// position is unknown until a byte that can only be a tail. With a tail of zero, that is a zero
/// after more nonzero bytes than there are addresses.
#[derive(Clone, Debug)]
pub(super) struct Framing {
    torus: Torus,
    tail: Tail,
    /// End by which the channel leaves.
    from: End,
    /// Role of the next byte.
    next: Field,
    /// Node to which the addresses so far lead.
    at: u32,
    /// True if all addresses of the packet have passed.
    addressed: bool,
    /// Consecutive nonzero bytes up to now.
    in_a_row: usize,
}

impl Framing {
    /// Creates the decoder of a virtual channel that leaves by this end. `begins` is true if its
    /// first packet is still to come.
    pub fn new(torus: &Torus, tail: Tail, from: End, begins: bool) -> Self {
        let dim = from.port as usize;
        Framing {
            torus: torus.clone(),
            tail,
            from,
            next: match begins {
                true => Field::Address(dim),
                false => Field::Unknown,
            },
            at: 0,
            addressed: false,
            in_a_row: 0,
        }
    }

    /// Returns the role of this word, and the destination of its packet once the addresses
    /// determine it.
    pub fn next(&mut self, word: u16) -> (Field, Option<u32>) {
        let (first, dims) = (self.from.port as usize, self.torus.dims());
        let ends = is_tail(self.tail, word);
        let field = match self.next {
            // The chip as printed takes the first zero for the tail, and does not strip it.
            Field::Address(dim) if dim > first && ends && self.tail == Tail::Naive => Field::Tail,
            Field::Data if ends => Field::Tail,
            Field::Unknown if ends && self.is_certain() => Field::Tail,
            other => other,
        };
        self.next = match field {
            Field::Address(dim) => {
                if dim == first {
                    self.at = self.torus.peer(self.from).node;
                }
                for _ in 0..word {
                    self.at = self.torus.next(self.at, dim);
                }
                self.addressed = dim + 1 == dims;
                match self.addressed {
                    true => Field::Data,
                    false => Field::Address(dim + 1),
                }
            }
            Field::Tail => Field::Address(first),
            Field::Data | Field::Unknown => field,
        };
        self.in_a_row = if word == 0 { 0 } else { self.in_a_row + 1 };
        let destination = self.addressed.then_some(self.at);
        self.addressed &= field != Field::Tail;
        (field, destination)
    }

    /// True if a tail can be recognised without knowing where the packet started.
    fn is_certain(&self) -> bool {
        let addresses = self.torus.dims() - self.from.port as usize;
        self.tail == Tail::Wire || self.in_a_row > addresses
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(tail: Tail, begins: bool, words: &[u16]) -> Vec<(Field, Option<u32>)> {
        let torus = Torus::new(&[4, 4]).unwrap();
        // From (1, 0) to (0, 0).
        let mut framing = Framing::new(&torus, tail, End::new(1, 0), begins);
        words.iter().map(|word| framing.next(*word)).collect()
    }

    /// First one more channel in X, to (3, 0), and three in Y, to (3, 1). Then a packet that is at
    /// its destination.
    #[test]
    fn addresses_lead_to_the_destination() {
        use Field::{Address, Data, Tail as End};
        let found = read(Tail::Zero, true, &[1, 3, 2, 7, 0, 0, 0, 1, 0]);
        let wanted = [
            (Address(0), None),
            (Address(1), Some(7)),
            (Data, Some(7)),
            (Data, Some(7)),
            (End, Some(7)),
            (Address(0), None),
            (Address(1), Some(0)),
            (Data, Some(0)),
            (End, Some(0)),
        ];
        assert_eq!(found, wanted);
        // With the chip as printed, the zero in Y ends the second packet.
        let naive = read(Tail::Naive, true, &[0, 0, 1]);
        assert_eq!(naive[1].0, End);
        assert_eq!(naive[2].0, Address(0));
    }

    /// A zero that may be an address is ambiguous. A zero after three other bytes is a tail.
    #[test]
    fn who_comes_late_waits_for_a_tail() {
        let found = read(Tail::Zero, false, &[1, 0, 2, 7, 9, 0, 1, 3]);
        let fields: Vec<Field> = found.into_iter().map(|(field, _)| field).collect();
        assert_eq!(fields[..5], [Field::Unknown; 5]);
        assert_eq!(fields[5], Field::Tail);
        assert_eq!(fields[6..], [Field::Address(0), Field::Address(1)]);
        let wire = read(Tail::Wire, false, &[5, 0, 0x100, 1, 3]);
        assert_eq!(wire[3].0, Field::Address(0));
    }
}
