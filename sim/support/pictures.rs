//! Checks required of every picture: it has a text alternative and is readable.

use roxmltree::{Document, Node};
use std::collections::HashMap;

/// Minimum text height in pixels.
const SMALLEST: f64 = 11.0;

/// Returns the width of a letter relative to its height. The values are from DejaVu Sans, which is
/// wider than most fonts.
fn width(letter: char) -> f64 {
    match letter {
        ' ' | ',' | '.' | ':' | 'i' | 'j' | 'l' | 't' | 'f' | '-' => 0.37,
        'm' | 'w' | 'M' | 'W' | '→' | '●' | '…' | '✗' => 1.0,
        _ => 0.64,
    }
}

/// A text and its approximate bounding box.
struct Placed {
    text: String,
    left: f64,
    right: f64,
    bottom: f64,
    size: f64,
}

/// Returns the letter sizes of each class, from the picture's own style sheet.
fn sizes(svg: &Node) -> HashMap<String, f64> {
    let styles = svg.descendants().filter(|n| n.has_tag_name("style"));
    let text: String = styles.filter_map(|n| n.text()).collect();
    text.lines()
        .filter_map(|line| {
            let (class, rest) = line.strip_prefix('.')?.split_once(' ')?;
            let (_, size) = rest.split_once("font-size: ")?;
            let size = size.split("px").next()?.parse().unwrap();
            Some((class.to_owned(), size))
        })
        .collect()
}

fn number(node: &Node, name: &str) -> f64 {
    let value = node.attribute(name);
    value.map_or(0.0, |v| v.trim_end_matches("px").parse().unwrap())
}

fn placed(svg: &Node) -> Vec<Placed> {
    let sizes = sizes(svg);
    let texts = svg.descendants().filter(|n| n.tag_name().name() == "text");
    texts
        // A vertical title has a place of its own.
        .filter(|n| n.attribute("transform").is_none())
        .map(|n| {
            let classes = n.attribute("class").unwrap_or("").split(' ');
            let mut of_classes = classes.filter_map(|class| sizes.get(class));
            let size = match n.attribute("font-size") {
                Some(_) => number(&n, "font-size"),
                None => *of_classes.next().expect("a text has a size"),
            };
            let text = n.text().unwrap().trim().to_owned();
            let width = size * text.chars().map(width).sum::<f64>();
            let x = number(&n, "x");
            let left = match n.attribute("text-anchor") {
                Some("middle") => x - width / 2.0,
                Some("end") => x - width,
                _ => x,
            };
            // A shift in units of a capital letter or of a small one.
            let shift = n.attribute("dy").map_or(0.0, |dy| {
                let unit = if dy.ends_with("em") { size } else { size / 2.0 };
                dy.trim_end_matches(['e', 'm', 'x']).parse::<f64>().unwrap() * unit
            });
            Placed { left, right: left + width, bottom: number(&n, "y") + shift, text, size }
        })
        .collect()
}

/// Checks an `svg` element: title and description, and text that is large enough, does not overlap
/// and is inside.
pub fn check(document: &Document, svg: Node) {
    assert_eq!(svg.attribute("role"), Some("img"));
    let labels = svg.attribute("aria-labelledby").expect("a label");
    let mut printed = vec![];
    for (label, tag) in labels.split(' ').zip(["title", "desc"]) {
        let with_id = |n: &Node| n.attribute("id") == Some(label);
        let nodes: Vec<Node> = document.descendants().filter(with_id).collect();
        assert_eq!(nodes.len(), 1, "{label} names one thing");
        assert_eq!(nodes[0].tag_name().name(), tag);
        assert_eq!(nodes[0].parent(), Some(svg));
        printed.push(nodes[0].text().unwrap().trim().to_owned());
    }
    assert_eq!(printed.len(), 2);
    assert!(printed[0].len() > 20 && printed[1].len() > printed[0].len(), "{printed:?}");
    let view: Vec<f64> = svg
        .attribute("viewBox")
        .expect("a view box")
        .split(' ')
        .map(|number| number.parse().unwrap())
        .collect();
    let placed = placed(&svg);
    assert!(placed.len() > 3);
    for (i, one) in placed.iter().enumerate() {
        assert!(one.size >= SMALLEST, "{}: {} px", one.text, one.size);
        assert!(one.left >= -1.0 && one.right <= view[2] + 1.0, "{}", one.text);
        for other in &placed[i + 1..] {
            let apart = (one.bottom - other.bottom).abs() >= 0.9 * one.size.min(other.size);
            let beside = one.right <= other.left || other.right <= one.left;
            assert!(apart || beside, "{:?} on {:?}", one.text, other.text);
        }
    }
}
