//! Encodes a payload as data bytes without zeros, because a zero marks the tail. The encoding is
//! COBS (Cheshire and Baker 1999), which adds one byte for up to 254 bytes.

/// Encodes a payload as data bytes.
pub fn encode(payload: &[u8]) -> Vec<u8> {
    cobs::encode_vec(payload)
}

/// Decodes data bytes into a payload. Returns `None` if the bytes are not a valid encoding.
pub fn decode(bytes: &[u8]) -> Option<Vec<u8>> {
    let payload = cobs::decode_vec(bytes).ok()?;
    // The decoder accepts some sequences that no encoder produces. Those are damaged, too.
    (encode(&payload) == bytes).then_some(payload)
}
