//! Writing lists of messages to a file.

use crate::topology::AddressSpace;
use crate::traffic::MessageList;
use std::io::{self, Write};

/// Writes a list so that [`parse`](super::parse) reads back the same list.
pub fn write(
    out: &mut (impl Write + ?Sized),
    messages: &MessageList,
    addresses: AddressSpace,
) -> io::Result<()> {
    writeln!(out, "source,destination,payload")?;
    for message in messages.iter() {
        let source = addresses.hex(message.source);
        let destination = addresses.hex(message.destination);
        write!(out, "{source},{destination},")?;
        for byte in message.payload {
            write!(out, "{byte:02X}")?;
        }
        writeln!(out)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::Hypercube;
    use crate::traffic::file::parse;
    use crate::traffic::Message;

    fn text(messages: &[Message], addresses: AddressSpace) -> String {
        let mut text = Vec::new();
        write(&mut text, &messages.into(), addresses).unwrap();
        String::from_utf8(text).unwrap()
    }

    #[test]
    fn addresses_and_payloads_are_written_in_hex() {
        let messages = [
            Message {
                source: 0x2A3,
                destination: 5,
                payload: vec![0xDE, 0x0D],
            },
            Message {
                source: 1,
                destination: 1,
                payload: Vec::new(),
            },
        ];
        assert_eq!(
            text(&messages, Hypercube::new(12).unwrap().into()),
            "source,destination,payload\n0x2A3,0x005,DE0D\n0x001,0x001,\n"
        );
    }

    #[test]
    fn message_file_round_trip() {
        for (payload, pattern) in [(0, "random"), (1, "complement"), (78, "relation:2")] {
            let recipe = crate::traffic::Recipe {
                pattern: pattern.parse().unwrap(),
                seed: 3,
                payload,
                order: Default::default(),
            };
            let cube = AddressSpace::from(Hypercube::new(5).unwrap());
            let messages = recipe.messages(cube).unwrap();
            let back: Vec<Message> = parse(text(&messages, cube).as_bytes(), cube)
                .unwrap()
                .into_iter()
                .map(|record| Message {
                    source: record.source,
                    destination: record.destination,
                    payload: record.payload.unwrap(),
                })
                .collect();
            assert_eq!(back, messages);
        }
    }
}
