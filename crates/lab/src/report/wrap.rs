//! Wraps paragraphs to lines.

/// Width of a line of text, in characters.
pub const WIDTH: usize = 100;

/// Wraps a paragraph to lines of up to `width` characters.
pub fn wrapped(paragraph: &str, width: usize) -> String {
    let mut text = String::new();
    let mut so_far = 0;
    for word in paragraph.split_whitespace() {
        let length = word.chars().count();
        if so_far > 0 && so_far + 1 + length > width {
            text.push('\n');
            so_far = 0;
        }
        if so_far > 0 {
            text.push(' ');
            so_far += 1;
        }
        text += word;
        so_far += length;
    }
    text + "\n"
}
