//! Numbers within limits.

use interconnect::topology::number;

/// Returns a clap parser for a number from `least` to `most`.
pub fn within<T: TryFrom<u64>>(
    least: u64,
    most: u64,
) -> impl Fn(&str) -> Result<T, String> + Clone + Send + Sync + 'static {
    move |text| {
        let value = number::parse(text).map_err(|error| error.to_string())?;
        let inside = (least..=most).contains(&value).then_some(value);
        let inside = inside.and_then(|value| T::try_from(value).ok());
        inside.ok_or_else(|| format!("accepted: {least} to {most}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_state_the_limits() {
        let rows = within::<usize>(2, 16);
        assert_eq!((rows("2"), rows("0x10")), (Ok(2), Ok(16)));
        for wrong in ["1", "17", "18446744073709551615"] {
            assert_eq!(rows(wrong), Err("accepted: 2 to 16".to_owned()));
        }
        assert!(rows("-1")
            .unwrap_err()
            .contains("is not a number; accepted: "));
        assert_eq!(
            within::<u8>(0, 1000)("256"),
            Err("accepted: 0 to 1000".to_owned())
        );
    }
}
