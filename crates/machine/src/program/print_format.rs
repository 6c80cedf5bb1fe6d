//! Formats of `ctrl_print`: text with conversions, and the 32-bit words that fill them in.

use std::fmt::Write;
use std::iter::Peekable;
use std::str::Chars;

/// Conversion of a format: `%-08.3d`.
#[derive(Default)]
struct Conversion {
    left: bool,
    zeros: bool,
    plus: bool,
    space: bool,
    alternate: bool,
    width: usize,
    precision: Option<usize>,
}

/// Fills the words into a format, as C's `printf` does. Words that are missing are printed as `?`.
pub fn filled(format: &str, words: &[u32]) -> String {
    let mut text = String::new();
    let mut words = words.iter().copied();
    let mut chars = format.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '%' {
            text.push(c);
            continue;
        }
        let conversion = Conversion::parse(&mut chars);
        match chars.next() {
            Some('%') => text.push('%'),
            Some(kind) => match words.next() {
                Some(word) => text += &conversion.apply(kind, word),
                None => text.push('?'),
            },
            None => text.push('%'),
        }
    }
    text
}

impl Conversion {
    /// Parses flags, width, precision and length, up to the letter of the conversion.
    fn parse(chars: &mut Peekable<Chars>) -> Self {
        let mut conversion = Conversion::default();
        loop {
            match chars.peek() {
                Some('-') => conversion.left = true,
                Some('0') => conversion.zeros = true,
                Some('+') => conversion.plus = true,
                Some(' ') => conversion.space = true,
                Some('#') => conversion.alternate = true,
                _ => break,
            }
            chars.next();
        }
        conversion.width = number(chars);
        if chars.next_if_eq(&'.').is_some() {
            conversion.precision = Some(number(chars));
        }
        while chars
            .next_if(|c| matches!(c, 'h' | 'l' | 'z' | 't' | 'j'))
            .is_some()
        {}
        conversion
    }

    fn apply(&self, kind: char, word: u32) -> String {
        let float = f64::from(f32::from_bits(word));
        let places = self.precision.unwrap_or(6);
        let (negative, digits) = match kind {
            'd' | 'i' => ((word as i32) < 0, (word as i32).unsigned_abs().to_string()),
            'u' => (false, word.to_string()),
            'x' => (false, format!("{word:x}")),
            'X' => (false, format!("{word:X}")),
            'o' => (false, format!("{word:o}")),
            'f' => (float < 0.0, format!("{:.places$}", float.abs())),
            'e' => (float < 0.0, exponent(float.abs(), places)),
            'g' => (float < 0.0, float.abs().to_string()),
            'c' => (false, char::from(word as u8).to_string()),
            other => return format!("%{other}"),
        };
        let is_integer = matches!(kind, 'd' | 'i' | 'u' | 'x' | 'X' | 'o');
        let digits = match self.precision {
            Some(least) if is_integer => format!("{digits:0>least$}"),
            _ => digits,
        };
        let is_signed = matches!(kind, 'd' | 'i' | 'f' | 'e' | 'g');
        let prefix = match kind {
            _ if negative => "-",
            _ if is_signed && self.plus => "+",
            _ if is_signed && self.space => " ",
            'x' if self.alternate && word != 0 => "0x",
            'X' if self.alternate && word != 0 => "0X",
            'o' if self.alternate && word != 0 => "0",
            _ => "",
        };
        let missing = self
            .width
            .saturating_sub(prefix.len() + digits.chars().count());
        let zeros = self.zeros && !(is_integer && self.precision.is_some());
        match (self.left, zeros) {
            (true, _) => format!("{prefix}{digits}{:missing$}", ""),
            (false, true) => format!("{prefix}{:0>missing$}{digits}", ""),
            (false, false) => format!("{:missing$}{prefix}{digits}", ""),
        }
    }
}

/// Formats with an exponent of at least two digits, as C does.
fn exponent(value: f64, places: usize) -> String {
    let text = format!("{value:.places$e}");
    let Some((mantissa, power)) = text.split_once('e') else {
        return text;
    };
    let (sign, digits) = match power.strip_prefix('-') {
        Some(digits) => ('-', digits),
        None => ('+', power),
    };
    let mut out = String::new();
    // Writing to a string does not fail.
    let _ = write!(out, "{mantissa}e{sign}{digits:0>2}");
    out
}

fn number(chars: &mut Peekable<Chars>) -> usize {
    let mut value = 0usize;
    while let Some(digit) = chars.next_if(char::is_ascii_digit) {
        value = (10 * value + digit as usize - '0' as usize).min(1000);
    }
    value
}

#[cfg(test)]
mod tests {
    use super::filled;
    use std::process::Command;

    /// Formats with one word each, and the argument for the `printf` of the shell.
    const CASES: [(&str, u32, &str); 17] = [
        ("x = %d", -5i32 as u32, "-5"),
        ("[%5d|%%]", 42, "42"),
        ("[%-5d]", 42, "42"),
        ("[%05d]", -42i32 as u32, "-42"),
        ("[%+d]", 7, "7"),
        ("[% i]", 7, "7"),
        ("[%.3d]", 7, "7"),
        ("[%u]", u32::MAX, "4294967295"),
        ("[%x]", 0xBEEF, "48879"),
        ("[%#08X]", 0xBEEF, "48879"),
        ("[%#o]", 8, "8"),
        ("[%f]", 0x3FC0_0000, "1.5"),
        ("[%8.2f]", 0xC049_0000, "-3.140625"),
        ("[%-9.3e]", 0x4640_E400, "12345"),
        ("[%e]", 0, "0"),
        ("[%g]", 0x3F00_0000, "0.5"),
        ("[%lu]", 3, "3"),
    ];

    #[test]
    fn formats_are_filled_as_in_c() {
        for (format, word, argument) in CASES {
            let mut shell = Command::new("printf");
            shell.args([&format.replace("%lu", "%u"), argument]);
            let done = shell.env("LC_ALL", "C").output().unwrap();
            let expected = String::from_utf8(done.stdout).unwrap();
            assert_eq!(filled(format, &[word]), expected, "{format}");
        }
        assert_eq!(filled("%c%c", &[0x41, 0x62]), "Ab");
        assert_eq!(filled("%d %d %s", &[1]), "1 ? ?");
        assert_eq!(filled("100%", &[]), "100%");
    }
}
