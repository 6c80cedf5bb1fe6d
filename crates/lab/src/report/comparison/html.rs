//! The report as one self-contained page.

use super::plots::{self, Plot};
use super::{prose, tables, Comparison, Section};
use crate::report::xml::escaped;
use std::fmt::Write;

/// Returns the report as an HTML page.
pub fn page(comparison: &Comparison) -> String {
    let setup = &comparison.setup;
    let names: Vec<&str> = comparison.machines.iter().map(|m| m.machine).collect();
    let title = format!("{} on the same messages", names.join(", "));
    let plots = plots::plots(comparison);
    let mut body = format!(
        "<h1>{}</h1>\n<p>{}.</p>\n",
        escaped(&title),
        escaped(&tables::headline(comparison))
    );
    let left_out = comparison.left_out.iter().map(ToString::to_string);
    let no_runs = comparison.no_runs.iter().map(ToString::to_string);
    let words = [prose::terms(comparison)].into_iter();
    let words = words.chain(prose::paragraphs(comparison));
    for paragraph in left_out.chain(no_runs).chain(words) {
        let _ = writeln!(body, "<p class=\"shows\">{}</p>", escaped(&paragraph));
    }
    for section in tables::sections(comparison) {
        body += &with_plots(&section, &plots);
    }
    let _ = writeln!(
        body,
        "<footer>\n<p>Made by</p>\n<pre>{}</pre>\n<p>Phasecube {}{}. The figures are in \
         machines.csv, runs.csv, messages_per_processor.csv, offered_load.csv and compare.json, \
         too.</p>\n</footer>",
        escaped(&setup.command),
        setup.version,
        match setup.tools.is_empty() {
            true => String::new(),
            false => format!(", synthesis with {}", escaped(&setup.tools.join(" and "))),
        }
    );
    document(&title, &body)
}

/// Section with its plots, its table and its note.
pub fn with_plots(section: &Section, plots: &[Plot]) -> String {
    let mut text = format!(
        "<section id=\"{}\">\n<h2>{}</h2>\n",
        section.id,
        escaped(&section.title)
    );
    for plot in plots.iter().filter(|plot| plot.section == section.id) {
        let [wide, narrow] = plot.svgs.each_ref().map(|svg| svg.trim());
        let _ = writeln!(
            text,
            "<figure>\n<figcaption>{}</figcaption>\n<div class=\"on-wide\">{wide}</div>\n\
             <div class=\"on-narrow\">{narrow}</div>\n</figure>",
            escaped(plot.title)
        );
    }
    text += &table(section);
    let _ = writeln!(
        text,
        "<p class=\"note\">{}</p>\n</section>",
        escaped(&section.note)
    );
    text
}

/// Complete page.
pub fn document(title: &str, body: &str) -> String {
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n\
         <meta name=\"color-scheme\" content=\"light dark\"/>\n\
         <title>{}</title>\n<style>\n{}</style>\n</head>\n<body>\n<main>\n{body}</main>\n</body>\n</html>\n",
        escaped(title),
        style()
    )
}

fn table(section: &Section) -> String {
    let table = &section.table;
    let line = |cells: &[String], tag: &str| {
        let mut text = String::from("<tr>");
        for (i, cell) in cells.iter().enumerate() {
            let class = if i < table.left {
                " class=\"text\""
            } else {
                ""
            };
            let _ = write!(text, "<{tag}{class}>{}</{tag}>", escaped(cell));
        }
        text + "</tr>\n"
    };
    let rows: String = table.rows.iter().map(|row| line(row, "td")).collect();
    format!(
        "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"{}\"><table>\n<thead>\n{}</thead>\n<tbody>\n{rows}</tbody>\n</table></div>\n",
        escaped(&section.title),
        line(&table.headings, "th")
    )
}

/// Lighter plot colours for a dark background.
const DARK_SERIES: [&str; plots::SERIES.len()] = [
    "#56B4E9", "#F5A35C", "#4FD1A5", "#E9A8CF", "#F0E442", "#B9C4D0", "#B79CEB",
];

fn style() -> String {
    let mut dark = String::new();
    let recolour = [(plots::INK, "#E5E7EB"), (plots::GRID, "#3A4352")];
    let series = plots::SERIES.into_iter().zip(DARK_SERIES);
    for (light, shade) in recolour.into_iter().chain(series) {
        let _ = writeln!(
            dark,
            "  svg [fill=\"{light}\"] {{ fill: {shade}; }}\n  svg [stroke=\"{light}\"] {{ stroke: {shade}; }}"
        );
    }
    format!(
        "{STYLE}@media (prefers-color-scheme: dark) {{\n  :root {{ --paper: #11161D; --ink: #E5E7EB; \
         --faint: #9BA5B4; --rule: #3A4352; --stripe: #18202A; }}\n{dark}}}\n"
    )
}

const STYLE: &str = "\
:root { --paper: #FFFFFF; --ink: #1F2937; --faint: #55606F; --rule: #D5DAE1; --stripe: #F5F7F9; }
body { margin: 0; background: var(--paper); color: var(--ink);
  font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 60rem; margin: 0 auto; padding: 1.5rem 1rem 3rem; }
h1 { font-size: 1.7rem; line-height: 1.2; margin: 0 0 .5rem; }
h2 { font-size: 1.2rem; margin: 2.5rem 0 .75rem; }
h1, p, td, th { overflow-wrap: break-word; }
figure { margin: 0 0 1rem; }
figcaption { font-weight: 600; margin: 0 0 .5rem; }
svg { display: block; width: 100%; height: auto; }
.on-wide { max-width: 760px; }
.on-narrow { max-width: 480px; }
@media (max-width: 799px) { .on-wide { display: none; } }
@media (min-width: 800px) { .on-narrow { display: none; } }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: .875rem; font-variant-numeric: tabular-nums; }
th, td { padding: .3rem .6rem; text-align: right; border-bottom: 1px solid var(--rule);
  white-space: nowrap; }
th { white-space: normal; vertical-align: bottom; }
.text { text-align: left; }
#verdicts td { white-space: normal; min-width: 8rem; vertical-align: top; }
tbody tr:nth-child(even) { background: var(--stripe); }
.note, footer { color: var(--faint); font-size: .875rem; max-width: 46rem; }
pre { overflow-x: auto; padding: .75rem; background: var(--stripe); color: var(--ink); }
";
