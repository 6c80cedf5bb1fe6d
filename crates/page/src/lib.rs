//! Report pages: one self-contained HTML file without scripts.
//!
//! * [`Page`]: title, settings, findings, sections, and folded definitions;
//! * [`Table`]: a table with a fixed first column and marked best values;
//! * [`chart`]: line charts and bar charts as SVG;
//! * [`Picture`]: any other SVG file, folded.
//!
//! All colours are in `style.css`, once for a light and once for a dark background. A curve refers to
//! its colour by the class `family-NAME`. A family without such a class has the colour of `series`.

pub mod chart;
mod table;

use chart::Chart;
use maud::{html, Markup, PreEscaped, DOCTYPE};
use percent_encoding::{utf8_percent_encode, NON_ALPHANUMERIC};
pub use table::{grouped, Best, Table};

/// Style sheet of the pages.
pub const STYLE: &str = include_str!("style.css");

/// Contents of a page.
pub struct Page {
    /// Title of a few words.
    pub title: String,
    /// Names and values of the parameters.
    pub settings: Vec<(String, String)>,
    /// Results in one or two sentences each: a few words, and the figures.
    pub findings: Vec<Finding>,
    /// Restrictions that a reader must know before the results.
    pub warnings: Vec<String>,
    pub sections: Vec<Section>,
    /// Topics and their definitions, each one or two sentences.
    pub definitions: Vec<(String, Vec<String>)>,
    /// Command that writes the page.
    pub command: String,
    /// Version of the program, and of its tools.
    pub made_by: String,
    /// Files with the same figures.
    pub files: Vec<&'static str>,
}

/// Result in one or two sentences.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The result in a few words, without a full stop.
    pub summary: String,
    /// Figures, in whole sentences.
    pub figures: String,
}

/// Charts and a table about one subject.
pub struct Section {
    pub id: &'static str,
    pub title: String,
    pub charts: Vec<Chart>,
    /// Pictures, which are hidden until the reader opens them.
    pub pictures: Vec<Picture>,
    pub table: Option<Table>,
    /// True if the table is hidden until the reader opens it.
    pub folded: bool,
}

/// SVG file with styles of its own, which do not act on the page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// Subject in a few words.
    pub title: String,
    /// Description for readers who do not see the picture.
    pub description: String,
    /// Text of the file.
    pub svg: String,
}

impl Page {
    /// Returns the HTML text.
    pub fn html(&self) -> String {
        let head = PreEscaped(
            "<meta charset=\"utf-8\"/><meta name=\"viewport\" content=\"width=device-width, \
             initial-scale=1\"/><meta name=\"color-scheme\" content=\"light dark\"/>",
        );
        let page = html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    (head)
                    title { (self.title) }
                    style { (PreEscaped(STYLE)) }
                }
                body {
                    main {
                        h1 { (self.title) }
                        @for warning in &self.warnings { p.warning { (warning) } }
                        (self.findings())
                        (self.settings())
                        @for section in &self.sections { (section.html()) }
                        (self.definitions())
                        (self.footer())
                    }
                }
            }
        };
        page.into_string() + "\n"
    }

    fn findings(&self) -> Markup {
        html! {
            @if !self.findings.is_empty() {
                ul.findings {
                    @for finding in &self.findings {
                        li { strong { (finding.summary) "." } " " (finding.figures) }
                    }
                }
            }
        }
    }

    fn settings(&self) -> Markup {
        html! {
            table.settings {
                tbody {
                    @for (name, value) in &self.settings {
                        tr { th scope="row" { (name) } td { (value) } }
                    }
                }
            }
        }
    }

    fn definitions(&self) -> Markup {
        html! {
            @if !self.definitions.is_empty() {
                details id="definitions" {
                    summary { "Definitions" }
                    @for (topic, sentences) in &self.definitions {
                        h3 { (topic) }
                        ul { @for sentence in sentences { li { (sentence) } } }
                    }
                }
            }
        }
    }

    fn footer(&self) -> Markup {
        html! {
            footer {
                p { "This command writes the page:" }
                pre { (self.command) }
                p { (self.made_by) ". Figures: " (self.files.join(", ")) "." }
            }
        }
    }
}

impl Section {
    fn html(&self) -> Markup {
        html! {
            section id=(self.id) {
                h2 { (self.title) }
                @for chart in &self.charts { (chart.figure()) }
                @for picture in &self.pictures { (picture.html()) }
                @match &self.table {
                    Some(table) if self.folded => details {
                        summary { "Table: " (self.title) }
                        (table.html(&self.title))
                    },
                    Some(table) => (table.html(&self.title)),
                    None => {},
                }
            }
        }
    }
}

impl Picture {
    fn html(&self) -> Markup {
        let address = utf8_percent_encode(&self.svg, NON_ALPHANUMERIC);
        let description = html! { (self.description) }.into_string();
        // maud leaves out the slash, without which the page is not XML.
        let image = PreEscaped(format!(
            r#"<img class="picture" alt="{description}" src="data:image/svg+xml,{address}"/>"#
        ));
        html! {
            details {
                summary { "Picture: " (self.title) }
                div.scroll tabindex="0" role="group" aria-label=(self.title) { (image) }
            }
        }
    }
}
