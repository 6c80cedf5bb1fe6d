//! The report as a page.

use super::findings::{findings, warnings};
use super::tables::{self, selected_notes};
use super::{charts, Comparison, MachinePicture};
use crate::report::{display_name, sentences};
use machine::networks::NetworkNotes;
use machine::text::format_count;
use page::Page;

/// Number of networks up to which a title spells it out.
const NUMBERS: [&str; 13] = [
    "No", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten", "Eleven",
    "Twelve",
];

/// Returns the report as a page.
pub(super) fn page(comparison: &Comparison) -> Page {
    let setup = &comparison.setup;
    let mut charts = charts::charts(comparison);
    let sections = tables::sections(comparison).into_iter().map(|section| {
        let own = charts.extract_if(.., |(id, _)| *id == section.id);
        let own = own.map(|(_, chart)| chart).collect();
        section.on_page(own)
    });
    let mut sections: Vec<_> = sections.collect();
    sections.extend(pictures(comparison));
    Page {
        title: title(comparison),
        settings: settings(comparison),
        findings: findings(comparison),
        warnings: warnings(comparison),
        sections,
        definitions: definitions(comparison),
        command: setup.command.clone(),
        made_by: match setup.tools.is_empty() {
            true => format!("Phasecube {}", setup.version),
            false => format!("Phasecube {}, with {}", setup.version, setup.tools.join(" and ")),
        },
        files: Comparison::FILES[..5].to_vec(),
    }
}

/// Returns the section with the pictures, if there are any.
fn pictures(comparison: &Comparison) -> Option<page::Section> {
    let pattern = &comparison.pictures.first()?.pattern;
    let picture = |drawn: &MachinePicture| {
        let machine = display_name(drawn.machine);
        let title = match drawn.shows_schedule {
            true => format!("{machine}: frames in the first period, and the longest route"),
            false => format!("{machine}: loads of the channels, and messages over time"),
        };
        page::Picture {
            description: format!("{title}, with the pattern {pattern}"),
            title,
            svg: drawn.svg.clone(),
        }
    };
    Some(page::Section {
        id: "pictures",
        title: format!("The network in use: {pattern}"),
        charts: vec![],
        pictures: comparison.pictures.iter().map(picture).collect(),
        table: None,
        folded: false,
    })
}

fn title(comparison: &Comparison) -> String {
    let machines = &comparison.machines;
    match (machines.len(), NUMBERS.get(machines.len())) {
        (1, _) => format!("{} and its messages", display_name(machines[0].machine)),
        (_, Some(number)) => format!("{number} networks, the same messages"),
        (number, None) => format!("{number} networks, the same messages"),
    }
}

fn settings(comparison: &Comparison) -> Vec<(String, String)> {
    let setup = &comparison.setup;
    let size = format!("{} dimensions, {} nodes", setup.dims, setup.nodes);
    let mut settings = vec![
        ("Cube", page::grouped(&size)),
        ("Node", format_count(setup.processors, "processor")),
        ("Messages", setup.patterns.join(", ")),
        ("Payload", format_count(setup.payload as u64, "byte")),
        ("Seed", setup.seed.to_string()),
        ("Engine", setup.engine.into()),
    ];
    let parameters = comparison.notes.iter().filter_map(|n| n.parameters.clone());
    settings.extend(parameters.map(|built| ("Network", display_name(&built))));
    let named = settings.into_iter().map(|(name, value)| (name.into(), value));
    named.collect()
}

/// Explains the terms that the report needs.
pub(super) fn terms(comparison: &Comparison) -> String {
    let terms = selected_notes(comparison, |note| note.terms);
    format!("The words. {}", terms.trim_end())
}

fn definitions(comparison: &Comparison) -> Vec<(String, Vec<String>)> {
    let notes =
        |which: fn(&NetworkNotes) -> &'static str| sentences(&selected_notes(comparison, which));
    let mut definitions = vec![("Words".to_owned(), notes(|note| note.terms))];
    for section in tables::sections(comparison) {
        definitions.push((section.title, sentences(&section.note)));
    }
    definitions.push(("What the times include".into(), notes(|note| note.time_includes)));
    let mut excluded = notes(|note| note.silicon_excludes);
    excluded.push("Boards, pins and cables are not priced.".into());
    definitions.push(("What the costs leave out".into(), excluded));
    definitions.retain(|(_, sentences)| !sentences.is_empty());
    definitions
}
