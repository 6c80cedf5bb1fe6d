//! Roles of the bytes on a virtual channel, for an observer that sees only the channel.

use interconnect::topology::{PortEnd, Topology, Torus};
use rtl::torus::Tail;

use super::packet::is_tail;

/// Role of a byte in its packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ByteRole {
    /// Number of channels left in this dimension.
    Address(usize),
    Data,
    Tail,
    /// The position of packets is not known yet.
    Unknown,
}

impl ByteRole {
    /// Returns the role in one word: `address_0`.
    pub fn word(self) -> String {
        match self {
            ByteRole::Address(dim) => format!("address_{dim}"),
            ByteRole::Data => "data".into(),
            ByteRole::Tail => "tail".into(),
            ByteRole::Unknown => "unknown".into(),
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
    from: PortEnd,
    /// Role of the next byte.
    next: ByteRole,
    /// Node to which the addresses so far lead.
    at: u32,
    /// True if all addresses of the packet have passed.
    addressed: bool,
    /// Consecutive nonzero bytes up to now.
    nonzero_run: usize,
}

impl Framing {
    /// Creates the decoder of a virtual channel that leaves by this end. `begins` is true if its
    /// first packet is still to come.
    pub fn new(torus: &Torus, tail: Tail, from: PortEnd, begins: bool) -> Self {
        let dim = from.port as usize;
        Framing {
            torus: torus.clone(),
            tail,
            from,
            next: match begins {
                true => ByteRole::Address(dim),
                false => ByteRole::Unknown,
            },
            at: 0,
            addressed: false,
            nonzero_run: 0,
        }
    }

    /// Returns the role of this word, and the destination of its packet once the addresses
    /// determine it.
    pub fn next(&mut self, word: u16) -> (ByteRole, Option<u32>) {
        let (first, dims) = (self.from.port as usize, self.torus.dims());
        let ends = is_tail(self.tail, word);
        let field = match self.next {
            // The chip as printed takes the first zero for the tail, and does not strip it.
            ByteRole::Address(dim) if dim > first && ends && self.tail == Tail::Naive => {
                ByteRole::Tail
            }
            ByteRole::Data if ends => ByteRole::Tail,
            ByteRole::Unknown if ends && self.is_certain() => ByteRole::Tail,
            other => other,
        };
        self.next = match field {
            ByteRole::Address(dim) => {
                if dim == first {
                    self.at = self.torus.peer(self.from).node;
                }
                for _ in 0..word {
                    self.at = self.torus.next(self.at, dim);
                }
                self.addressed = dim + 1 == dims;
                match self.addressed {
                    true => ByteRole::Data,
                    false => ByteRole::Address(dim + 1),
                }
            }
            ByteRole::Tail => ByteRole::Address(first),
            ByteRole::Data | ByteRole::Unknown => field,
        };
        self.nonzero_run = if word == 0 { 0 } else { self.nonzero_run + 1 };
        let destination = self.addressed.then_some(self.at);
        self.addressed &= field != ByteRole::Tail;
        (field, destination)
    }

    /// True if a tail can be recognised without knowing where the packet started.
    fn is_certain(&self) -> bool {
        let addresses = self.torus.dims() - self.from.port as usize;
        self.tail == Tail::Wire || self.nonzero_run > addresses
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(tail: Tail, begins: bool, words: &[u16]) -> Vec<(ByteRole, Option<u32>)> {
        let torus = Torus::new(&[4, 4]).unwrap();
        // From (1, 0) to (0, 0).
        let mut framing = Framing::new(&torus, tail, PortEnd::new(1, 0), begins);
        words.iter().map(|word| framing.next(*word)).collect()
    }

    /// First one more channel in X, to (3, 0), and three in Y, to (3, 1). Then a packet that is at
    /// its destination.
    #[test]
    fn addresses_determine_the_destination() {
        use ByteRole::{Address, Data, Tail as TailByte};
        let found = read(Tail::Zero, true, &[1, 3, 2, 7, 0, 0, 0, 1, 0]);
        let wanted = [
            (Address(0), None),
            (Address(1), Some(7)),
            (Data, Some(7)),
            (Data, Some(7)),
            (TailByte, Some(7)),
            (Address(0), None),
            (Address(1), Some(0)),
            (Data, Some(0)),
            (TailByte, Some(0)),
        ];
        assert_eq!(found, wanted);
        // With the chip as printed, the zero in Y ends the second packet.
        let naive = read(Tail::Naive, true, &[0, 0, 1]);
        assert_eq!(naive[1].0, TailByte);
        assert_eq!(naive[2].0, Address(0));
    }

    /// A zero that may be an address is ambiguous. A zero after three other bytes is a tail.
    #[test]
    fn observation_within_a_packet_waits_for_a_tail() {
        let found = read(Tail::Zero, false, &[1, 0, 2, 7, 9, 0, 1, 3]);
        let fields: Vec<ByteRole> = found.into_iter().map(|(field, _)| field).collect();
        assert_eq!(fields[..5], [ByteRole::Unknown; 5]);
        assert_eq!(fields[5], ByteRole::Tail);
        assert_eq!(fields[6..], [ByteRole::Address(0), ByteRole::Address(1)]);
        let wire = read(Tail::Wire, false, &[5, 0, 0x100, 1, 3]);
        assert_eq!(wire[3].0, ByteRole::Address(0));
    }
}
