//! `--metacube`.

use interconnect::topology::Metacube;

/// Parses the `K,M` of a metacube.
pub fn parse_metacube(text: &str) -> Result<Metacube, String> {
    let numbers = text.split_once(',').and_then(|(k, m)| {
        let number = |text: &str| text.trim().parse().ok();
        Some((number(k)?, number(m)?))
    });
    let (k, m) = numbers.ok_or_else(|| {
        format!("{text:?} is not two numbers; accepted: K,M, such as 2,1 for MC(2,1)")
    })?;
    Metacube::new(k, m).map_err(|e| e.to_string())
}
