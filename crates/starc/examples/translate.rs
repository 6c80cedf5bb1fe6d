//! Prints the C of a StarC file, or its diagnostics.
fn main() {
    let file = std::env::args().nth(1).unwrap_or_default();
    let source = std::fs::read_to_string(&file).unwrap_or_default();
    match starc::translate(&source, &file, &starc::Options::default()) {
        Ok(translation) => print!("{}{}", translation.warnings, translation.c),
        Err(diagnostics) => print!("{diagnostics}"),
    }
}
