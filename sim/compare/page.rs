//! The files of a report.

use crate::compare::{
    at_once, carry, compared_machines, messages, notes, random, spec, COMPILED, LABELS,
};
use crate::support::pictures;
use percent_encoding::percent_decode_str;
use phasecube::machine::{JsonEntry, Load};
use phasecube::report::comparison::{
    Comparison, ComparisonRun, LoadPoint, LoadRun, LoadWindow, MachinePicture, MachineReport,
    NoRun, OmittedNetwork, PartCost, Setup, SiliconReport,
};
use phasecube::report::Cost;
use phasecube::traffic::Travelling;
use roxmltree::{Document, ParsingOptions};
use serde_json::Value;

const SVG: (&str, &str) = ("http://www.w3.org/2000/svg", "svg");

/// A small comparison. The name of its pattern contains characters that could break the page.
const PATTERN: &str = "file:a<b>&\"c\",d.csv";

/// Picture with characters that could break an address.
const PICTURE: &str =
    "<svg xmlns='http://www.w3.org/2000/svg'><text id=\"a\">50 % #1 \u{b5}s</text></svg>";

fn comparison() -> Comparison {
    let spec = spec(2, 0, true);
    let list = messages(&random(4, 12, 1));
    let (mut machines, mut runs, mut load) = (vec![], vec![], vec![]);
    for contender in compared_machines(&spec) {
        let machine = &*contender.machine;
        let report = MachineReport::new(contender.network, machine, None);
        let report = report.unwrap();
        let created: Vec<u64> = (0..12).map(|i| i * report.timebase.period).collect();
        let window = LoadWindow { warm_up: 2, measured: 8, drain: 0 };
        let by_and_by = Load { created: created.clone(), ..at_once(&list) };
        if machine.machine_builder().is_none() {
            let carried = carry(machine, by_and_by);
            load.push(LoadPoint::new(&LoadRun {
                machine: &report,
                nodes: 4,
                load: 0.25,
                window,
                created: &created,
                bytes: &vec![4; created.len()],
                carried: &carried,
            }));
        }
        let travelling = Travelling::of(list.clone(), 0);
        let carried = carry(machine, at_once(&travelling.messages));
        runs.push(ComparisonRun::new(&report, PATTERN.into(), 4, &travelling, &carried));
        machines.push(report);
    }
    Comparison {
        setup: Setup {
            command: format!("phasecube compare --pattern '{PATTERN}'"),
            version: "0",
            dims: 2,
            nodes: 4,
            processors: 1,
            patterns: vec![PATTERN.into()],
            payload: 3,
            seed: 1,
            engine: "lockstep",
            flag_values: vec![JsonEntry::new("link", "acked"), JsonEntry::new("rows", 3)],
            tools: vec![],
        },
        notes: notes(&spec),
        left_out: vec![OmittedNetwork { network: "ring", why: "accepted: a ring of <3>".into() }],
        no_runs: vec![NoRun {
            machine: "wheel",
            pattern: "relation:<9>".into(),
            why: "accepted: up to <8>".into(),
        }],
        machines,
        messages_per_processor: runs.clone(),
        runs,
        offered_load: load,
        pictures: vec![MachinePicture {
            machine: LABELS[0],
            pattern: PATTERN.into(),
            shows_schedule: true,
            svg: PICTURE.into(),
        }],
    }
}

fn file<'a>(files: &'a [(String, String)], name: &str) -> &'a str {
    &files.iter().find(|(file, _)| file == name).unwrap().1
}

/// Returns the cells of a CSV line, with quotes removed.
fn cells(line: &str) -> Vec<String> {
    let (mut cells, mut quoted) = (vec![String::new()], false);
    for c in line.chars() {
        match c {
            '"' => {
                let last = cells.last_mut().unwrap();
                // Two quotes in a row stand for one.
                if !quoted && line.contains("\"\"") && last.ends_with(|c: char| c != ',') {
                    last.push('"');
                }
                quoted = !quoted;
            }
            ',' if !quoted => cells.push(String::new()),
            c => cells.last_mut().unwrap().push(c),
        }
    }
    cells
}

/// Returns a nested field, such as `latency.p50`.
fn field<'v>(object: &'v Value, path: &str) -> &'v Value {
    path.split('.').fold(object, |value, key| &value[key])
}

#[test]
fn csv_and_json_hold_the_same() {
    let comparison = comparison();
    let files = comparison.files();
    let json: Value = serde_json::from_str(file(&files, "compare.json")).unwrap();
    let same = serde_json::to_string(&comparison).unwrap();
    assert_eq!(json, serde_json::from_str::<Value>(&same).unwrap());
    // Compares with the value itself, because parsing can lose the last digit of a number.
    let json = serde_json::to_value(&comparison).unwrap();
    for list in ["machines", "runs", "messages_per_processor", "offered_load"] {
        let text = file(&files, &format!("{list}.csv"));
        let mut lines = text.lines();
        let headings = cells(lines.next().unwrap());
        let objects = json[list].as_array().unwrap();
        // The compiled machine has no figures for messages that are created during the run.
        let unfit = list == "offered_load" && objects.iter().all(|o| o["machine"] != COMPILED);
        let machines = comparison.machines.len() - usize::from(unfit);
        assert_eq!(objects.len(), machines);
        for (object, line) in objects.iter().zip(lines.by_ref()) {
            let cells = cells(line);
            assert_eq!(cells.len(), headings.len(), "{line}");
            for (heading, cell) in headings.iter().zip(cells) {
                let value = match field(object, heading) {
                    Value::Null => String::new(),
                    Value::String(text) => text.clone(),
                    other => other.to_string(),
                };
                assert_eq!(cell, value, "{heading}");
            }
        }
        assert_eq!(lines.next(), None);
    }
}

fn parsed(page: &str) -> Document<'_> {
    let options = ParsingOptions { allow_dtd: true, ..ParsingOptions::default() };
    Document::parse_with_options(page, options).unwrap()
}

/// Every cell of every terminal table appears in the page, in the same order. So do the paragraphs.
#[test]
fn the_page_holds_what_the_terminal_shows() {
    let comparison = comparison();
    let files = comparison.files();
    let page = file(&files, "compare.html");
    let document = parsed(page);
    let text = |node: roxmltree::Node| -> String {
        let parts = node.descendants().filter_map(|n| n.text().filter(|_| n.is_text()));
        parts.collect()
    };
    let named = |name: &'static str| document.descendants().filter(move |n| n.has_tag_name(name));
    let in_scroll = |node: &roxmltree::Node| {
        let classes = node.ancestors().filter_map(|n| n.attribute("class"));
        node.attribute("class").is_none() && classes.into_iter().any(|class| class == "scroll")
    };
    // The page groups digits, marks the best values, and names machines with a capital letter.
    let plain = |cell: String| cell.replace("★ ", "").replace(',', "").to_lowercase();
    let rows: Vec<Vec<String>> = named("tr")
        .filter(in_scroll)
        .map(|row| {
            let cells = row.children().filter(|n| n.is_element());
            cells.map(text).map(plain).collect()
        })
        .collect();
    let terminal = comparison.to_string();
    let mut by_pattern = false;
    let printed: Vec<Vec<String>> = terminal
        .lines()
        .filter(|line| line.starts_with("| ") && !line.starts_with("| --"))
        .map(|line| {
            let cells = line.trim_matches('|').split('|');
            let cells: Vec<&str> = cells.map(str::trim).collect();
            // A first column with patterns becomes headings above rows.
            if cells.contains(&"machine") {
                by_pattern = cells[1] == "machine";
            }
            let cells = cells.into_iter().skip(usize::from(by_pattern));
            cells.map(|cell| plain(cell.into())).collect()
        })
        .collect();
    assert_eq!(rows, printed);
    let groups = named("th").filter(|n| n.attribute("scope") == Some("rowgroup"));
    assert!(groups.map(text).any(|group| group == PATTERN));
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let warnings = named("p").filter(|p| p.attribute("class") == Some("warning"));
    let warnings: Vec<String> = warnings.map(|p| words(&text(p))).collect();
    assert_eq!(
        warnings,
        [
            "ring is left out: accepted: a ring of <3>",
            "wheel has no run of relation:<9>: accepted: up to <8>"
        ]
    );
    let findings = named("ul").filter(|n| n.attribute("class") == Some("findings"));
    let findings = findings.flat_map(|list| list.children().filter(|n| n.is_element()));
    let findings: Vec<String> = findings.map(|item| words(&text(item))).collect();
    assert!((3..=5).contains(&findings.len()), "{findings:?}");
    for paragraph in warnings.iter().chain(&findings) {
        assert!(words(&terminal).contains(paragraph), "{paragraph}");
    }
    // Each of four charts has one curve for each machine, in two sizes. The last three show
    // messages that are created during the run.
    let svgs: Vec<String> = document
        .descendants()
        .filter(|n| n.tag_name().name() == "svg")
        .map(|svg| text(svg).to_lowercase())
        .collect();
    assert_eq!(svgs.len(), 8);
    for svg in svgs {
        let under_load = svg.contains("load");
        for machine in LABELS {
            let shown = machine != COMPILED || !under_load;
            let named = svg.contains(&machine.to_lowercase());
            assert_eq!(named, shown, "{machine}: {svg}");
        }
    }
}

/// A comparison in which one machine was synthesised.
pub fn synthesised() -> Comparison {
    let part = |block: &str| PartCost {
        cost: Cost {
            block: block.into(),
            logic_cells: 7,
            flip_flops: 5,
            block_rams: 0,
            fmax_mhz: None,
        },
        memory_bits: 0,
    };
    let mut comparison = comparison();
    comparison.machines[1].silicon =
        Some(SiliconReport { router: part("R"), node: part("N"), shared: None, clock_mhz: None });
    comparison
}

/// A machine without figures does not hide another machine's figures. A machine without a shared
/// part has no line for it.
#[test]
fn synthesised_machines_have_cost_lines() {
    assert!(!comparison().to_string().contains("What a node costs"));
    let comparison = synthesised();
    let text = comparison.to_string();
    let (_, table) = text.split_once("What a node costs").unwrap();
    let rows = table.lines().skip_while(|line| !line.starts_with("| --"));
    let rows: Vec<String> = rows
        .skip(1)
        .take_while(|line| line.starts_with('|'))
        .map(|line| {
            let cells: Vec<&str> = line.split('|').map(str::trim).collect();
            format!("{} {}", cells[1], cells[3])
        })
        .collect();
    assert_eq!(rows, ["router R", "node N"]);
}

/// Opening the page loads nothing from elsewhere.
#[test]
fn the_page_is_self_contained() {
    let comparison = comparison();
    let files = comparison.files();
    let page = file(&files, "compare.html");
    let document = parsed(page);
    let mut embedded = vec![];
    for node in document.descendants().filter(|n| n.is_element()) {
        let name = node.tag_name().name();
        let fetches = ["script", "link", "image", "use", "iframe", "object"];
        assert!(!fetches.contains(&name), "{name}");
        for attribute in node.attributes() {
            if (name, attribute.name()) == ("img", "src") {
                embedded.extend(attribute.value().strip_prefix("data:image/svg+xml,"));
                continue;
            }
            assert!(!["src", "href"].contains(&attribute.name()), "{name}");
            assert!(!attribute.value().contains("url("), "{name}");
        }
    }
    let [picture] = embedded[..] else {
        panic!("not one picture, but {embedded:?}");
    };
    assert_eq!(percent_decode_str(picture).decode_utf8().unwrap(), PICTURE);
    for word in ["@import", "url(", "https:"] {
        assert!(!page.contains(word), "{word}");
    }
    // The SVG namespace is not a reference.
    assert!(!page.replace("http://www.w3.org/2000/svg", "").contains("http:"));
}

/// Every plot has a text alternative and is readable on a phone. One version fits a screen of 390
/// pixels, and the style sheet selects between the two.
#[test]
fn every_plot_has_text_for_screen_readers() {
    let comparison = comparison();
    let files = comparison.files();
    let page = file(&files, "compare.html");
    let document = parsed(page);
    let mut widths = vec![];
    for svg in document.descendants().filter(|n| n.has_tag_name(SVG)) {
        pictures::check(&document, svg);
        let paper = svg.parent().unwrap().attribute("class").unwrap();
        let width: f64 = svg.attribute("width").unwrap().parse().unwrap();
        widths.push((paper.to_owned(), width));
    }
    assert_eq!(widths.len(), 8);
    for (paper, width) in widths {
        // The page margins take 32 pixels.
        assert!(paper == "on-wide" || paper == "on-narrow" && width <= 390.0 - 32.0);
    }
    assert!(page.contains("@media (max-width: 899px) { .on-wide { display: none; } }"));
    assert!(page.contains("@media (min-width: 900px) { .on-narrow { display: none; } }"));
    // Only elements wider than a phone can be scrolled.
    for table in document.descendants().filter(|n| n.has_tag_name("table")) {
        let class = table.parent().unwrap().attribute("class");
        assert!(class == Some("scroll") || table.attribute("class") == Some("settings"));
    }
    assert!(page.contains(".scroll { overflow-x: auto;"));
}

/// The page uses no uncommon words before its definitions. The terminal explains them first.
#[test]
fn unusual_terms_are_explained_first() {
    let comparison = comparison();
    let files = comparison.files();
    let page = file(&files, "compare.html");
    let (_, body) = page.split_once("<body>").unwrap();
    let terminal = comparison.to_string();
    for (text, start) in [(body, "<h3>Words</h3>"), (&terminal, "The words.")] {
        let begin = text.find(start).unwrap();
        let end = begin + text[begin..].find("none can be").unwrap();
        for word in ["superframe", "petit", "ORed"] {
            // A heading of a table is no sentence.
            let text = text.replace(">ORed<", ">....<");
            let first = text.find(word).unwrap();
            assert!((begin..end).contains(&first), "{word}");
        }
    }
}
