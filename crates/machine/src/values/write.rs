//! Writes values to a file.

use super::Values;
use interconnect::topology::AddressSpace;
use std::io::{self, Write};

/// Writes values with one line per node. [`parse`](super::parse) returns the same values.
///
/// # Errors
/// If the values cannot be written.
pub fn write(
    out: &mut (impl Write + ?Sized),
    values: &Values,
    addresses: AddressSpace,
) -> io::Result<()> {
    writeln!(out, "node,values")?;
    for (node, values) in (0..).zip(&values.0) {
        write!(out, "{}", addresses.hex(node))?;
        for value in values {
            write!(out, ",{value}")?;
        }
        writeln!(out)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::values::{parse, ProgramValue};
    use interconnect::topology::Hypercube;
    use interconnect::traffic::SplitMix64;

    #[test]
    fn written_values_read_back() {
        let mut random = SplitMix64::new(5);
        let mut value = || match random.below(4) {
            0 => ProgramValue::Bytes(vec![random.below(256) as u8; 1 + random.below(3) as usize]),
            _ => ProgramValue::Word(random.next_u64() as u32),
        };
        let rows = (0..16).map(|node| (0..node % 5).map(|_| value()).collect());
        let values = Values(rows.collect());
        let addresses = Hypercube::new(4).unwrap().into();
        let mut text = vec![];
        write(&mut text, &values, addresses).unwrap();
        assert_eq!(parse(&text, addresses).unwrap(), values);
        let text = String::from_utf8(text).unwrap();
        assert!(text.starts_with("node,values\n0x0\n0x1,"), "{text}");
    }
}
