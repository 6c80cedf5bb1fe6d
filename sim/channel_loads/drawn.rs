//! The picture of a network shows the loads that the report has.

use super::report;
use crate::command_line::program::call;
use crate::support::pictures;
use roxmltree::Document;
use serde_json::Value;
use std::collections::BTreeMap;

/// Draws the network of a run, and checks the legibility of the picture.
fn draw(args: &str) -> String {
    let dir = tempfile::tempdir().unwrap();
    let words: Vec<&str> = args.split(' ').collect();
    let done = call(dir.path(), &[&["run", "--picture", "-"], &words[..]].concat());
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    let svg = done.stdout;
    let document = Document::parse(&svg).unwrap();
    pictures::check(&document, document.root_element());
    svg
}

/// Texts of a picture, in order.
fn texts(svg: &str) -> Vec<String> {
    let document = Document::parse(svg).unwrap();
    let texts = document.descendants().filter(|node| node.has_tag_name("text"));
    texts.map(|node| node.text().unwrap().trim().to_owned()).collect()
}

/// Upper ends of the classes in percent, from the legend: `0`, `up to 4 %`, `4 to 8 %`.
fn borders(texts: &[String]) -> Vec<f64> {
    let first = texts.iter().position(|text| text == "0").unwrap();
    let upper = |text: &String| text.trim_end_matches(" %").rsplit(' ').next()?.parse().ok();
    texts[first..first + 6].iter().map(|text| upper(text).unwrap()).collect()
}

/// Loads of all channels in percent, from the report.
fn loads(json: &Value) -> Vec<f64> {
    let loads = &json["channel_loads"];
    let slots = loads["slots"].as_array().unwrap();
    let nodes = loads["counts"].as_array().unwrap().iter();
    let of_node = |node: &Value| -> Vec<f64> {
        let counts = node.as_array().unwrap().iter().zip(slots);
        counts
            .map(|(count, slots)| 100.0 * count.as_f64().unwrap() / slots.as_f64().unwrap())
            .collect()
    };
    nodes.flat_map(of_node).collect()
}

/// Number of loads in each class of the legend.
fn by_class(loads: &[f64], borders: &[f64]) -> BTreeMap<usize, usize> {
    let mut classes = BTreeMap::new();
    for load in loads {
        let class = borders.iter().position(|border| *load <= border + 1e-9).unwrap();
        *classes.entry(class).or_default() += 1;
    }
    classes
}

/// Each channel is a line of the class that the legend gives its load. The list begins with the
/// highest load.
#[test]
fn each_channel_has_the_colour_of_its_load() {
    let dir = tempfile::tempdir().unwrap();
    for args in [
        "--network torus --radix 4,4 --pattern permutation",
        "--network torus --radix 5 --pattern relation:2",
        "--network torus --radix 16,16 --pattern hotspot",
        "--network rotation --dims 4 --pattern permutation",
        "--network cm1 --dims 3 --pattern relation:2",
    ] {
        let svg = draw(args);
        let texts = texts(&svg);
        let json = report(dir.path(), args);
        let loads = loads(&json);
        let wanted = by_class(&loads, &borders(&texts));
        let mut drawn = BTreeMap::new();
        for class in 0..6 {
            match svg.matches(&format!("class=\"load load{class}\"")).count() {
                0 => {}
                count => drop(drawn.insert(class, count)),
            }
        }
        assert_eq!(drawn, wanted, "{args}");
        let highest = loads.iter().copied().fold(0.0, f64::max);
        let list = texts.iter().position(|text| text == "Hottest channels").unwrap();
        let hottest = format!(": {highest:.1} %, ");
        assert!(texts[list + 1].contains(&hottest), "{args}: {}", texts[list + 1]);
        let unit = json["channel_loads"]["unit"].as_str().unwrap();
        let note = texts[1..3].join(" ");
        assert!(note.contains(unit), "{args}: {note}");
    }
}

/// Of a large machine, each channel is a cell, in a map for each dimension. The area of a class is
/// its number of channels.
#[test]
fn large_networks_are_maps() {
    let dir = tempfile::tempdir().unwrap();
    for (args, dims) in [
        ("--network cm1 --dims 8 --processors 1 --pattern bitrev", 8),
        ("--network rotation --dims 6 --pattern transpose", 6),
        ("--network torus --radix 4,3,5 --pattern permutation", 3),
    ] {
        let svg = draw(args);
        let texts = texts(&svg);
        let loads = loads(&report(dir.path(), args));
        let wanted = by_class(&loads, &borders(&texts));
        for dim in 0..dims {
            let label = format!("dim {dim}: up to ");
            assert!(texts.iter().any(|text| text.starts_with(&label)), "{args}");
        }
        let document = Document::parse(&svg).unwrap();
        for class in 1..6 {
            let class_name = format!("heat{class}");
            let paths = document.descendants().filter(|node| {
                node.has_tag_name("path") && node.attribute("class") == Some(&class_name)
            });
            let areas =
                paths.flat_map(|path| path.attribute("d").unwrap().split('M').skip(1).map(area));
            let areas: Vec<(u32, u32)> = areas.collect();
            let channels: u32 = areas.iter().map(|(width, height)| width / height).sum();
            let wanted = wanted.get(&class).copied().unwrap_or(0);
            assert_eq!(channels as usize, wanted, "{args}: class {class}");
        }
    }
}

/// Width and height of a rectangle in a path: `x yhWIDTHvHEIGHTh-WIDTHz`.
fn area(rectangle: &str) -> (u32, u32) {
    let (_, size) = rectangle.split_once('h').unwrap();
    let (width, rest) = size.split_once('v').unwrap();
    let (height, _) = rest.split_once('h').unwrap();
    (width.parse().unwrap(), height.parse().unwrap())
}

/// Messages are drawn over time if there is room for them.
#[test]
fn many_messages_are_left_out() {
    let few = draw("--network cm1 --dims 3 --pattern relation:1");
    assert!(few.contains("messages arrived in"));
    let many = draw("--network cm1 --dims 3 --pattern relation:9");
    assert!(many.contains("of runs with up to 600 messages"));
    assert!(!many.contains("messages arrived in"));
}
