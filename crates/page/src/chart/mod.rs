//! Charts as SVG. Each is drawn for wide screens and for phones. A title and a description serve
//! readers who do not see it.

mod axis;
mod labels;
mod lines;

pub use axis::{Axis, Scale};
pub use lines::{Curve, LineChart, Point};
use maud::{html, Markup};

/// Chart of a section.
pub enum Chart {
    Lines(LineChart),
    Bars(BarChart),
}

/// Pairs of bars: a filled one inside an outlined one.
pub struct BarChart {
    pub id: &'static str,
    pub title: String,
    /// Quantity and unit of the bars.
    pub axis: String,
    pub bars: Vec<Bar>,
}

/// Bars of one machine.
pub struct Bar {
    pub name: String,
    pub family: &'static str,
    pub filled: f64,
    pub outline: f64,
}

/// Size of a drawing. Lengths are in pixels.
struct Paper {
    kind: &'static str,
    width: f64,
    height: f64,
    /// Height of the letters.
    font: f64,
}

/// For screens of at least 900 pixels.
const WIDE: Paper = Paper { kind: "wide", width: 1040.0, height: 440.0, font: 14.0 };

/// For phones with screens of at least 390 pixels.
const NARROW: Paper = Paper { kind: "narrow", width: 358.0, height: 380.0, font: 11.5 };

impl Chart {
    /// Returns the chart with its caption, for both sizes of screens.
    pub(crate) fn figure(&self) -> Markup {
        let (id, title) = match self {
            Chart::Lines(chart) => (chart.id, &chart.title),
            Chart::Bars(chart) => (chart.id, &chart.title),
        };
        let drawn = |paper: &Paper| {
            let (content, height, description) = match self {
                Chart::Lines(chart) => (chart.draw(paper), paper.height, chart.description()),
                Chart::Bars(chart) => (chart.draw(paper), chart.height(paper), chart.description()),
            };
            let name = |part| format!("{id}-{}-{part}", paper.kind);
            html! {
                svg xmlns="http://www.w3.org/2000/svg" role="img"
                    viewBox=(format!("0 0 {} {height}", paper.width)) width=(paper.width) height=(height)
                    aria-labelledby=(format!("{} {}", name("title"), name("description"))) {
                    title id=(name("title")) { (title) }
                    desc id=(name("description")) { (description) }
                    (content)
                }
            }
        };
        html! {
            figure {
                figcaption { (title) }
                div.on-wide { (drawn(&WIDE)) }
                div.on-narrow { (drawn(&NARROW)) }
            }
        }
    }
}

impl Paper {
    /// Draws a text.
    fn text(&self, (x, y): (f64, f64), anchor: &str, class: &str, text: &str) -> Markup {
        html! {
            text x=(round(x)) y=(round(y)) font-size=(self.font) text-anchor=(anchor) class=(class) { (text) }
        }
    }

    /// Upper bound of the width of a text.
    fn text_width(&self, text: &str) -> f64 {
        let width = |letter: char| match letter {
            ' ' | ',' | '.' | ':' | 'i' | 'j' | 'l' | 't' | 'f' | '-' => 0.37,
            'm' | 'w' | 'M' | 'W' => 1.0,
            _ => 0.64,
        };
        self.font * text.chars().map(width).sum::<f64>()
    }
}

fn line(from: (f64, f64), to: (f64, f64), class: &str) -> Markup {
    html! {
        line x1=(round(from.0)) y1=(round(from.1)) x2=(round(to.0)) y2=(round(to.1)) class=(class) {}
    }
}

/// Class of the colour of a family.
fn colour(family: &str) -> String {
    format!("series family-{family}")
}

/// Rounds to a tenth of a pixel.
fn round(length: f64) -> f64 {
    (length * 10.0).round() / 10.0
}

impl BarChart {
    /// Height of a bar with its name above it, in lines.
    const LINES: f64 = 3.4;

    fn height(&self, paper: &Paper) -> f64 {
        round((Self::LINES * self.bars.len() as f64 + 3.5) * paper.font)
    }

    fn description(&self) -> String {
        let bar = |b: &Bar| format!(" {}: {} of {}.", b.name, b.filled, b.outline);
        let bars: String = self.bars.iter().map(bar).collect();
        format!("Bars of {}.{bars}", self.axis)
    }

    fn draw(&self, paper: &Paper) -> Markup {
        let (left, right) = (4.0, paper.width - 4.0);
        let bottom = self.height(paper) - 3.2 * paper.font;
        let most = self.bars.iter().map(|b| b.outline).fold(0.0, f64::max);
        let axis = axis::Span::new(Scale::Linear, (0.0, most), (left, right));
        let ticks = axis.ticks(5.0 * paper.font);
        html! {
            @for tick in &ticks {
                @let x = axis.at(*tick);
                @let half = paper.text_width(&axis::tick_text(*tick)) / 2.0;
                @let anchor = match x {
                    x if x - half < 0.0 => "start",
                    x if x + half > paper.width => "end",
                    _ => "middle",
                };
                (line((x, 0.0), (x, bottom), "grid"))
                (paper.text((x, bottom + 1.2 * paper.font), anchor, "tick", &axis::tick_text(*tick)))
            }
            (paper.text(((left + right) / 2.0, bottom + 2.7 * paper.font), "middle", "axis", &self.axis))
            @for (i, bar) in self.bars.iter().enumerate() {
                @let y = (Self::LINES * i as f64 + 1.1) * paper.font;
                @let name = format!("{}: {} of {}", bar.name, bar.filled, bar.outline);
                @let lengths = [(bar.filled, "bar"), (bar.outline, "outline")];
                (paper.text((left, y), "start", "label", &crate::grouped(&name)))
                g class=(colour(bar.family)) {
                    @for (length, class) in lengths {
                        rect x=(left) y=(round(y + 0.5 * paper.font)) height=(round(1.3 * paper.font))
                            width=(round(axis.at(length) - left)) class=(class) {}
                    }
                }
            }
        }
    }
}
