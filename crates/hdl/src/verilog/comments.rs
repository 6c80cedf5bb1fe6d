//! What comments say: documentation as a reader of Verilog sees it. And Verilog without them.

/// A doc comment without the links of rustdoc, which lead nowhere in Verilog: of
/// ``[`Uart`](super::Uart)`` the name `` `Uart` `` is left.
pub fn unlinked(doc: &str) -> String {
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
            // Without a target the text is the path.
            (Some(path), None) => plain += &format!("`{}`", path_end(path)),
            (_, Some(_)) => plain += inside,
            (None, None) => plain += &format!("[{inside}]"),
        }
        rest = target.map_or(behind, |(_, behind)| behind);
    }
    plain + rest
}

/// What is before the first pair of brackets, in it and behind it.
fn next_bracket(text: &str) -> Option<(&str, &str, &str)> {
    text.match_indices(']').find_map(|(end, _)| {
        let begin = text[..end].rfind('[')?;
        Some((&text[..begin], &text[begin + 1..end], &text[end + 1..]))
    })
}

/// The end of a path that begins at a module of Rust's.
fn path_end(path: &str) -> &str {
    let of_a_module = ["super::", "crate::", "self::"]
        .iter()
        .any(|start| path.starts_with(start));
    match path.rsplit_once("::") {
        Some((_, end)) if of_a_module => end,
        _ => path,
    }
}

/// Tools take comments that begin with their name for orders.
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

/// A line of Verilog up to its comment. It has no string with `//` in it.
pub fn without_comment(line: &str) -> &str {
    line.split("//").next().unwrap_or("")
}

/// Verilog that has neither comments of a line nor empty lines: what a circuit is made
/// of, whatever is said of it. No string in it may have `//`.
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
            assert_eq!(unlinked(doc), plain);
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
