//! Parsing of numbers: decimal, or hexadecimal after `0x`.

use thiserror::Error;

/// Error: a text is not a number. The message states the accepted forms.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NumberError {
    #[error("{0:?} is not a number; accepted: decimal, or hexadecimal after 0x")]
    NotANumber(String),
    #[error("{0:?} is too large; accepted: numbers of up to 64 bits")]
    TooLarge(String),
}

/// Parses a number in decimal, or in hexadecimal after `0x`, without a sign.
pub fn parse(text: &str) -> Result<u64, NumberError> {
    let (digits, radix) = match text.strip_prefix("0x").or(text.strip_prefix("0X")) {
        Some(digits) => (digits, 16),
        None => (text, 10),
    };
    if digits.is_empty() || !digits.chars().all(|c| c.is_digit(radix)) {
        return Err(NumberError::NotANumber(text.to_owned()));
    }
    u64::from_str_radix(digits, radix).map_err(|_| NumberError::TooLarge(text.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimal_and_hexadecimal_are_parsed() {
        assert_eq!(parse("0"), Ok(0));
        assert_eq!(parse("675"), Ok(0x2A3));
        assert_eq!(parse("0x2A3"), Ok(0x2A3));
        assert_eq!(parse("0X2a3"), Ok(0x2A3));
        assert_eq!(parse("0xFFFFFFFFFFFFFFFF"), Ok(u64::MAX));
    }

    #[test]
    fn other_texts_are_rejected() {
        for text in ["", "0x", "-1", "+1", " 1", "1 ", "1_0", "2A3", "0xG", "1.0", "0b1"] {
            assert_eq!(parse(text), Err(NumberError::NotANumber(text.to_owned())));
        }
    }

    #[test]
    fn more_than_64_bits_is_too_large() {
        for text in ["18446744073709551616", "0x10000000000000000"] {
            assert_eq!(parse(text), Err(NumberError::TooLarge(text.to_owned())));
        }
    }
}
