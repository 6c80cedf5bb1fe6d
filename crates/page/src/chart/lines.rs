//! Line charts, with the names of the lines at their ends.

use super::axis::{tick_text, Axis, Scale, Span};
use super::labels::{place, Label, Surroundings};
use super::{colour, line, round, Paper};
use maud::{html, Markup};

/// Curves over two axes.
pub struct LineChart {
    pub id: &'static str,
    pub title: String,
    pub x: Axis,
    pub y: Axis,
    /// Curves in the order of the machines. A curve without points is not drawn, but keeps its dash
    /// and its mark for others.
    pub curves: Vec<Curve>,
    /// Straight lines for comparison, each with its name and its ends.
    pub references: Vec<(String, [(f64, f64); 2])>,
}

/// Curve of one machine.
#[derive(Clone, Debug)]
pub struct Curve {
    pub name: String,
    /// Curves of a family share colour and mark, and differ in their dashes.
    pub family: &'static str,
    pub points: Vec<Point>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    pub x: f64,
    pub y: f64,
    /// True for a hollow mark, which stands for a saturated machine.
    pub hollow: bool,
}

/// Dashes and gaps of the variants of a family.
const DASHES: [&str; 6] = ["none", "8 4", "2 4", "12 4 2 4", "16 6", "4 8"];

/// Corners of the marks of the families, for a mark of radius 1.
const MARKS: [&[(f64, f64)]; 6] = [
    // An octagon is as good as a circle at this size.
    &[
        (0.92, 0.38),
        (0.38, 0.92),
        (-0.38, 0.92),
        (-0.92, 0.38),
        (-0.92, -0.38),
        (-0.38, -0.92),
        (0.38, -0.92),
        (0.92, -0.38),
    ],
    &[(0.85, 0.85), (-0.85, 0.85), (-0.85, -0.85), (0.85, -0.85)],
    &[(0.0, -1.15), (1.1, 0.85), (-1.1, 0.85)],
    &[(1.25, 0.0), (0.0, 1.25), (-1.25, 0.0), (0.0, -1.25)],
    &[(0.0, 1.15), (1.1, -0.85), (-1.1, -0.85)],
    &[
        (0.35, -1.1),
        (0.35, -0.35),
        (1.1, -0.35),
        (1.1, 0.35),
        (0.35, 0.35),
        (0.35, 1.1),
        (-0.35, 1.1),
        (-0.35, 0.35),
        (-1.1, 0.35),
        (-1.1, -0.35),
        (-0.35, -0.35),
        (-0.35, -1.1),
    ],
];

/// Distance between the points that stand for a line when labels are placed.
const SAMPLE: f64 = 4.0;

/// Chart area on a paper.
struct Area {
    x: Span,
    y: Span,
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
}

impl LineChart {
    /// Points that have a place on the axes.
    fn points<'a>(&'a self, curve: &'a Curve) -> impl Iterator<Item = Point> + 'a {
        let shown = |scale: Scale, value: f64| value > 0.0 || scale == Scale::Linear;
        let points = curve.points.iter().copied();
        points.filter(move |p| shown(self.x.scale, p.x) && shown(self.y.scale, p.y))
    }

    /// True if there is nothing to draw.
    pub fn is_empty(&self) -> bool {
        !self.curves.iter().any(|curve| self.points(curve).next().is_some())
    }

    /// Describes the chart in words.
    pub(super) fn description(&self) -> String {
        let mut text = format!("Curves: {} against {}.", self.y.full_title(), self.x.full_title());
        let value = |v: f64| (v * 100.0).round() / 100.0;
        for curve in &self.curves {
            let points: Vec<Point> = self.points(curve).collect();
            if let (Some(first), Some(last)) = (points.first(), points.last()) {
                let ends = [first.y, first.x, last.y, last.x].map(value);
                let [y, x, last_y, last_x] = ends;
                text += &format!(" {}: {y} at {x}, {last_y} at {last_x}.", curve.name);
            }
        }
        text
    }

    /// Numbers of the mark and of the dash of each curve.
    fn styles(&self) -> Vec<(usize, usize)> {
        let mut families: Vec<(&str, usize)> = vec![];
        let mut style = |curve: &Curve| {
            let known = families.iter().position(|(name, _)| *name == curve.family);
            let mark = known.unwrap_or_else(|| {
                families.push((curve.family, 0));
                families.len() - 1
            });
            families[mark].1 += 1;
            (mark % MARKS.len(), (families[mark].1 - 1) % DASHES.len())
        };
        self.curves.iter().map(&mut style).collect()
    }

    fn area(&self, paper: &Paper) -> Area {
        let points = || self.curves.iter().flat_map(|curve| self.points(curve));
        let references = self.references.iter().flat_map(|(_, ends)| ends);
        let all: Vec<(f64, f64)> =
            points().map(|p| (p.x, p.y)).chain(references.copied()).collect();
        let range = |value: fn(&(f64, f64)) -> f64| {
            let values = || all.iter().map(value);
            (values().fold(f64::INFINITY, f64::min), values().fold(0.0, f64::max))
        };
        let names = self.curves.iter().filter(|curve| self.points(curve).next().is_some());
        let names =
            names.map(|curve| &curve.name).chain(self.references.iter().map(|(name, _)| name));
        let gutter = names.map(|name| paper.text_width(name)).fold(0.0, f64::max);
        let left = 4.2 * paper.font;
        let right = paper.width - gutter - 14.0;
        let (top, bottom) = (2.2 * paper.font, paper.height - 3.4 * paper.font);
        Area {
            x: Span::new(self.x.scale, range(|p| p.0), (left, right)),
            y: Span::new(self.y.scale, range(|p| p.1), (bottom, top)),
            left,
            right,
            top,
            bottom,
        }
    }

    pub(super) fn draw(&self, paper: &Paper) -> Markup {
        let area = self.area(paper);
        let styles = self.styles();
        let places = |curve: &Curve| -> Vec<(f64, f64)> {
            self.points(curve).map(|p| area.place((p.x, p.y))).collect()
        };
        html! {
            (self.draw_axes(paper, &area))
            @for (name, ends) in &self.references {
                g { title { (name) } (line(area.place(ends[0]), area.place(ends[1]), "reference")) }
            }
            @for (curve, (_, dash)) in self.curves.iter().zip(&styles) {
                @let line = places(curve);
                @let line: Vec<String> = line.iter().map(|(x, y)| format!("{},{}", round(*x), round(*y))).collect();
                @if line.len() > 1 {
                    polyline points=(line.join(" ")) stroke-dasharray=(DASHES[*dash])
                        class=(format!("curve {}", colour(curve.family))) {}
                }
            }
            @for (curve, (mark, _)) in self.curves.iter().zip(&styles) {
                @for point in self.points(curve) {
                    (draw_mark(*mark, area.place((point.x, point.y)), 0.32 * paper.font, curve.family, point.hollow))
                }
            }
            (self.draw_labels(paper, &area))
        }
    }

    fn draw_axes(&self, paper: &Paper, area: &Area) -> Markup {
        let Area { left, right, top, bottom, .. } = *area;
        let title = |axis: &Axis| axis.full_title();
        html! {
                    @for tick in area.x.ticks(3.4 * paper.font) {
                        @let x = area.x.at(tick);
                        (line((x, top), (x, bottom), "grid"))
                        (paper.text((x, bottom + 1.3 * paper.font), "middle", "tick", &tick_text(tick)))
                    }
                    @for tick in area.y.ticks(1.9 * paper.font) {
                        @let y = area.y.at(tick);
                        (line((left, y), (right, y), "grid"))
                        (paper.text((left - 6.0, y + 0.36 * paper.font), "end", "tick", &tick_text(tick)))
                    }
                    (line((left, bottom), (right, bottom), "frame"))
                    (line((left, top), (left, bottom), "frame"))
                    (paper.text((2.0, paper.font), "start", "axis", &title(&self.y)))
        // The letters of titles are bold.
                    @let start = (right - 1.1 * paper.text_width(&title(&self.x))).max(2.0);
                    (paper.text((start, bottom + 2.9 * paper.font), "start", "axis", &title(&self.x)))
                }
    }

    /// Draws the names of curves and references, each beside the end of its line.
    fn draw_labels(&self, paper: &Paper, area: &Area) -> Markup {
        let mut drawn = vec![];
        let mut named: Vec<(&str, Option<&str>, (f64, f64))> = vec![];
        let mut add_line = |ends: &[(f64, f64)], weight: f64| {
            for pair in ends.windows(2) {
                let ((x, y), (to_x, to_y)) = (pair[0], pair[1]);
                let steps = ((to_x - x).hypot(to_y - y) / SAMPLE).ceil().max(1.0) as u32;
                for i in 0..steps {
                    let part = f64::from(i) / f64::from(steps);
                    drawn.push(((x + part * (to_x - x), y + part * (to_y - y)), weight));
                }
            }
            drawn.extend(ends.iter().map(|end| (*end, 4.0 * weight)));
        };
        for curve in &self.curves {
            let places: Vec<_> = self.points(curve).map(|p| area.place((p.x, p.y))).collect();
            add_line(&places, 4.0);
            named.extend(places.last().map(|end| (&*curve.name, Some(curve.family), *end)));
        }
        for (name, ends) in &self.references {
            add_line(&ends.map(|end| area.place(end)), 2.0);
            named.push((name, None, area.place(ends[1])));
        }
        let label = |(name, _, end): &(&str, Option<&str>, (f64, f64))| Label {
            end: *end,
            width: paper.text_width(name),
        };
        let labels: Vec<Label> = named.iter().map(label).collect();
        let around = Surroundings {
            area: [area.left + 4.0, area.top - 0.7 * paper.font, paper.width, area.bottom],
            drawn,
            height: 1.3 * paper.font,
        };
        let placed = place(&labels, &around);
        html! {
            @for ((at, label), (name, family, _)) in placed.iter().zip(&labels).zip(&named) {
                @let near = (label.end.0.clamp(at.0 - 3.0, at.0 + label.width + 3.0), at.1);
                @let leader = format!("leader {}", family.map_or(String::new(), colour));
                @if (near.0 - label.end.0).hypot(near.1 - label.end.1) > paper.font {
                    (line(label.end, near, &leader))
                }
                (paper.text((at.0, at.1 + 0.36 * paper.font), "start", "label", name))
            }
        }
    }
}

impl Area {
    fn place(&self, (x, y): (f64, f64)) -> (f64, f64) {
        (self.x.at(x), self.y.at(y))
    }
}

fn draw_mark(mark: usize, (x, y): (f64, f64), radius: f64, family: &str, hollow: bool) -> Markup {
    let corner =
        |(dx, dy): &(f64, f64)| format!("{},{}", round(x + radius * dx), round(y + radius * dy));
    let corners: Vec<String> = MARKS[mark].iter().map(corner).collect();
    let class = if hollow { "mark hollow" } else { "mark" };
    html! {
        polygon points=(corners.join(" ")) class=(format!("{class} {}", colour(family))) {}
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Chart, NARROW, WIDE};
    use super::*;

    fn curve(name: &str, family: &'static str, points: &[(f64, f64)]) -> Curve {
        let point = |(x, y): &(f64, f64)| Point { x: *x, y: *y, hollow: *x > 50.0 };
        Curve { name: name.into(), family, points: points.iter().map(point).collect() }
    }

    fn chart() -> LineChart {
        let points = [(1.0, 10.0), (10.0, 100.0), (100.0, 110.0)];
        LineChart {
            id: "chart",
            title: "Time against load".into(),
            x: Axis::new("Load, messages", Scale::Linear),
            y: Axis::new("Time, bit-times", Scale::Log),
            curves: vec![
                curve("A one", "a", &points),
                curve("A two", "a", &points),
                curve("B <one>", "b", &points),
                curve("A three", "a", &[]),
                curve("A four", "a", &points),
            ],
            references: vec![("ideal".into(), [(1.0, 10.0), (100.0, 100.0)])],
        }
    }

    #[test]
    fn families_have_a_mark_and_variants_a_dash() {
        assert_eq!(chart().styles(), [(0, 0), (0, 1), (1, 0), (0, 2), (0, 3)]);
        let svg = chart().draw(&WIDE).into_string();
        let lines: Vec<&str> = svg.split("<polyline ").skip(1).collect();
        let dash = |line: &&str| line.split('"').nth(3).unwrap().to_owned();
        let dashes: Vec<String> = lines.iter().map(dash).collect();
        assert_eq!(dashes, ["none", "8 4", "none", "12 4 2 4"]);
        assert!(lines[0].contains("series family-a") && lines[2].contains("series family-b"));
        assert_eq!(svg.matches("mark hollow").count(), 4);
    }

    #[test]
    fn names_are_beside_the_lines() {
        for paper in [&WIDE, &NARROW] {
            let svg = chart().draw(paper).into_string();
            for name in ["A one", "A two", "B &lt;one&gt;", "A four", "ideal"] {
                assert_eq!(svg.matches(&format!(">{name}</text>")).count(), 1, "{name}");
            }
            assert!(!svg.contains("A three"));
            for title in ["Load, messages", "Time, bit-times (log scale)"] {
                assert!(svg.contains(title), "{title}");
            }
        }
    }

    #[test]
    fn the_description_has_the_ends() {
        let figure = Chart::Lines(chart()).figure().into_string();
        assert!(figure.contains(" A one: 10 at 1, 110 at 100."), "{figure}");
        assert!(!chart().is_empty());
    }
}
