//! A payload as data bytes none of which is zero, as a tail is: by COBS (Cheshire and
//! Baker 1999), one byte more for up to 254.

/// The data bytes of a payload.
pub fn encode(payload: &[u8]) -> Vec<u8> {
    cobs::encode_vec(payload)
}

/// The payload of data bytes; `None` if no payload is encoded so.
pub fn decode(bytes: &[u8]) -> Option<Vec<u8>> {
    let payload = cobs::decode_vec(bytes).ok()?;
    // What the decoder lets pass that no encoder makes is damaged, too.
    (encode(&payload) == bytes).then_some(payload)
}
