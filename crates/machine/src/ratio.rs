//! Statistics that have no value without samples, and their text form.
//!
//! Both counts of a ratio cover the same time.

/// Returns `part / whole`, or `None` if `whole` is zero.
pub fn ratio(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

/// Formats a ratio in percent: `97.3 %`, or `none`.
pub fn format_percent(ratio: Option<f64>) -> String {
    match ratio {
        Some(ratio) => format!("{:.1} %", 100.0 * ratio),
        None => "none".to_owned(),
    }
}

/// Formats a count in decimal, or `none`.
pub fn format_optional(value: Option<u64>) -> String {
    value.map_or("none".into(), |value| value.to_string())
}

/// Formats a number with this number of decimals, or `none`.
pub fn format_number(value: Option<f64>, decimals: usize) -> String {
    value.map_or("none".into(), |value| format!("{value:.decimals$}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ratio_with_a_zero_denominator_is_none() {
        assert_eq!(ratio(0, 0), None);
        assert_eq!(ratio(0, 4), Some(0.0));
        assert_eq!(format_percent(ratio(3, 4)), "75.0 %");
        let none = [
            format_percent(None),
            format_optional(None),
            format_number(None, 2),
        ];
        assert_eq!(none, ["none"; 3]);
        assert_eq!(
            (format_optional(Some(0)), format_number(Some(0.5), 2)),
            ("0".into(), "0.50".into())
        );
    }
}
