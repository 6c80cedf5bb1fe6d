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
        while chars.next_if(|c| matches!(c, 'h' | 'l' | 'z' | 't' | 'j')).is_some() {}
        conversion
    }

    fn apply(&self, kind: char, word: u32) -> String {
        let float = f64::from(f32::from_bits(word));
        let (negative, digits) = match kind {
            'd' | 'i' => ((word as i32) < 0, (word as i32).unsigned_abs().to_string()),
            'u' => (false, word.to_string()),
            'x' => (false, format!("{word:x}")),
            'X' => (false, format!("{word:X}")),
            'o' => (false, format!("{word:o}")),
            'f' | 'e' | 'g' => (float.is_sign_negative(), self.float(kind, float.abs())),
            'c' => (false, char::from(word as u8).to_string()),
            other => return format!("%{other}"),
        };
        let is_integer = matches!(kind, 'd' | 'i' | 'u' | 'x' | 'X' | 'o');
        let digits = match self.precision {
            Some(0) if is_integer && word == 0 => String::new(),
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
            'o' if self.alternate && !digits.starts_with('0') => "0",
            _ => "",
        };
        let missing = self.width.saturating_sub(prefix.len() + digits.chars().count());
        let is_padded = match is_integer {
            true => self.precision.is_none(),
            false => kind != 'c' && float.is_finite(),
        };
        let zeros = self.zeros && is_padded;
        match (self.left, zeros) {
            (true, _) => format!("{prefix}{digits}{:missing$}", ""),
            (false, true) => format!("{prefix}{:0>missing$}{digits}", ""),
            (false, false) => format!("{:missing$}{prefix}{digits}", ""),
        }
    }

    /// Formats a number without its sign.
    fn float(&self, kind: char, value: f64) -> String {
        let places = self.precision.unwrap_or(6);
        let text = match kind {
            _ if value.is_nan() => return "nan".to_owned(),
            _ if value.is_infinite() => return "inf".to_owned(),
            'f' => format!("{value:.places$}"),
            'e' => exponent(value, places),
            _ => return general(value, places, self.alternate),
        };
        match self.alternate {
            true => with_point(&text),
            false => text,
        }
    }
}

/// Formats with this number of significant digits, as C does for `%g`: with an exponent if that is
/// less than -4 or if there are not enough digits. Trailing zeros remain only if requested.
fn general(value: f64, digits: usize, keep_zeros: bool) -> String {
    let digits = digits.max(1);
    let scientific = exponent(value, digits - 1);
    let power = scientific.split_once('e').and_then(|(_, e)| e.parse().ok());
    let power: i64 = power.unwrap_or(0);
    let text = match usize::try_from(digits as i64 - 1 - power) {
        Ok(places) if power >= -4 => format!("{value:.places$}"),
        _ => scientific,
    };
    if keep_zeros {
        return with_point(&text);
    }
    let (mantissa, exponent) = text.split_at(text.find('e').unwrap_or(text.len()));
    let mantissa = match mantissa.contains('.') {
        true => mantissa.trim_end_matches('0').trim_end_matches('.'),
        false => mantissa,
    };
    format!("{mantissa}{exponent}")
}

/// Adds a decimal point if there is none.
fn with_point(text: &str) -> String {
    let (mantissa, exponent) = text.split_at(text.find('e').unwrap_or(text.len()));
    let point = if mantissa.contains('.') { "" } else { "." };
    format!("{mantissa}{point}{exponent}")
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

    /// Returns the argument for the `printf` of the shell.
    fn argument(format: &str, word: u32) -> String {
        let float = f64::from(f32::from_bits(word));
        match format.trim_end_matches(']').chars().last() {
            Some('d' | 'i') => (word as i32).to_string(),
            // The exact value of every f32 has at most 149 decimal places.
            Some('f' | 'e' | 'g') => {
                let sign = if float.is_sign_negative() { "-" } else { "" };
                format!("{sign}{:.149}", float.abs())
            }
            Some('c') => char::from(word as u8).to_string(),
            _ => word.to_string(),
        }
    }

    /// The tests of the Python client read the same table.
    #[test]
    fn formats_are_filled_as_in_c() {
        let table = include_str!("../../../../host/python/tests/print_formats.txt");
        let rows = table.lines().filter(|line| !line.starts_with('#'));
        for row in rows.clone() {
            let cells: Vec<&str> = row.split('\t').collect();
            let [format, word, expected] = cells[..] else {
                panic!("{row:?} has no three cells");
            };
            let word = u32::from_str_radix(word, 16).unwrap();
            assert_eq!(filled(format, &[word]), expected, "{format} of {word:08X}");
            let mut shell = Command::new("printf");
            let in_shell = format.replace("%lu", "%u").replace("%hd", "%d");
            shell.args([&in_shell, &argument(format, word)]);
            let done = shell.env("LC_ALL", "C").output().unwrap();
            let printed = String::from_utf8(done.stdout).unwrap();
            assert_eq!(printed, expected, "{format} of {word:08X} in the shell");
        }
        assert!(rows.count() > 80);
        assert_eq!(filled("%c%c", &[0x41, 0x62]), "Ab");
        assert_eq!(filled("%d %d %s", &[1]), "1 ? ?");
        assert_eq!(filled("100%", &[]), "100%");
    }
}
