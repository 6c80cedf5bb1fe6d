//! Comments in Verilog: converts documentation to comments, and removes comments from Verilog.

/// Returns a doc comment without the links of rustdoc, which have no target in Verilog. For example
/// ``[`Uart`](super::Uart)`` becomes `` `Uart` ``.
pub fn without_links(doc: &str) -> String {
    let mut plain = String::new();
    let mut rest = doc;
    while let Some((before, inside, behind)) = next_bracket(rest) {
        plain += before;
        let target = behind
            .strip_prefix('(')
            .and_then(|link| link.split_once(')'));
        let name = inside
            .strip_prefix('`')
            .and_then(|name| name.strip_suffix('`'));
        match (name, target) {
            // A link without a separate target uses its text as path.
            (Some(path), None) => plain += &format!("`{}`", path_end(path)),
            (_, Some(_)) => plain += inside,
            (None, None) => plain += &format!("[{inside}]"),
        }
        rest = target.map_or(behind, |(_, behind)| behind);
    }
    plain + rest
}

/// Splits the text at its first pair of brackets: before, inside and after.
fn next_bracket(text: &str) -> Option<(&str, &str, &str)> {
    text.match_indices(']').find_map(|(end, _)| {
        let begin = text[..end].rfind('[')?;
        Some((&text[..begin], &text[begin + 1..end], &text[end + 1..]))
    })
}

/// Returns the last segment of a path that begins with a Rust module.
fn path_end(path: &str) -> &str {
    let of_a_module = ["super::", "crate::", "self::"]
        .iter()
        .any(|start| path.starts_with(start));
    match path.rsplit_once("::") {
        Some((_, end)) if of_a_module => end,
        _ => path,
    }
}

/// Changes a comment that begins with the name of a tool, because the tool would interpret it as a
/// directive.
pub fn defuse(comment: &str) -> String {
    const TOOLS: [&str; 6] = [
        "verilator",
        "synopsys",
        "synthesis",
        "pragma",
        "cadence",
        "ambit",
    ];
    let start = comment.trim_start().to_ascii_lowercase();
    if TOOLS.iter().any(|tool| start.starts_with(tool)) {
        format!("- {}", comment.trim_start())
    } else {
        comment.to_string()
    }
}

/// Returns a line of Verilog without its comment. The line must not contain a string with `//`.
pub fn without_comment(line: &str) -> &str {
    line.split("//").next().unwrap_or("")
}

/// Returns Verilog without line comments and empty lines. The result depends on the circuit only,
/// not on its documentation. The text must not contain a string with `//`.
pub fn without_comments(text: &str) -> String {
    let code = text.lines().map(|line| without_comment(line).trim_end());
    code.filter(|line| !line.is_empty())
        .map(|line| format!("{line}\n"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_names() {
        for (doc, plain) in [
            (
                "It has the ports of [`Uart`](super::Uart), and",
                "It has the ports of `Uart`, and",
            ),
            (
                "([`FrameCheck`]); [`crate::rtl::Node`].",
                "(`FrameCheck`); `Node`.",
            ),
            ("[`EjectMode::PerChip`]", "`EjectMode::PerChip`"),
            ("[the paper](https://a.b/c) says", "the paper says"),
            (
                "bits [7:0] of `x[3]` (the low)",
                "bits [7:0] of `x[3]` (the low)",
            ),
            ("open [ or ] shut, a [`word`", "open [ or ] shut, a [`word`"),
            ("] first, then [`A`]", "] first, then `A`"),
            ("", ""),
        ] {
            assert_eq!(without_links(doc), plain);
        }
    }

    #[test]
    fn comments_are_left_out() {
        let text =
            "// A module\nmodule a (\n    input wire b  // what\n);\n\n    // c\nendmodule\n";
        assert_eq!(
            without_comments(text),
            "module a (\n    input wire b\n);\nendmodule\n"
        );
    }
}
