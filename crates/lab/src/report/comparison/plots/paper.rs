//! Paper and pens. The colours are fixed words that the page's style sheet replaces, so one picture
//! serves light and dark backgrounds.

use plotters::prelude::*;

/// Drawing area. Lengths are in pixels.
pub struct PlotArea {
    pub width: u32,
    pub height: u32,
    /// Font size for the plotter, which writes letters smaller by a factor of 1.24.
    pub font: u32,
    /// Space for the numbers at the left.
    pub left: u32,
    /// Space for the legend, as a factor on a logarithmic axis.
    pub above: f64,
}

/// For screens of at least 800 pixels.
pub const WIDE: PlotArea = PlotArea {
    width: 760,
    height: 400,
    font: 16,
    left: 76,
    above: 3.0,
};

/// For phones with screens of at least 360 pixels.
pub const NARROW: PlotArea = PlotArea {
    width: 336,
    height: 340,
    font: 15,
    left: 62,
    above: 12.0,
};

/// Colour of lines and text.
pub const INK: &str = "#1F2937";
/// Colour of the grid.
pub const GRID: &str = "#D5DAE1";
/// Colours of the machines, in order. Colour-blind readers can distinguish them, too.
pub const SERIES: [&str; 7] = [
    "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#B58900", "#6B7280", "#6A3D9A",
];

pub fn colour(text: &str) -> RGBColor {
    let part = |i: usize| u8::from_str_radix(&text[i..i + 2], 16).expect("#RRGGBB");
    RGBColor(part(1), part(3), part(5))
}

pub fn series(machine: usize) -> RGBColor {
    colour(SERIES[machine % SERIES.len()])
}

impl PlotArea {
    pub fn text(&self) -> TextStyle<'static> {
        ("sans-serif", self.font).into_font().color(&colour(INK))
    }
}

/// Lengths of the dashes and gaps of a machine's line, so that coinciding lines remain visible.
/// `None` is a line without gaps, which is drawn first.
pub fn dashes(machine: usize) -> Option<(u32, u32)> {
    const DASHES: [Option<(u32, u32)>; SERIES.len()] = [
        None,
        Some((9, 9)),
        Some((2, 5)),
        Some((16, 5)),
        Some((5, 5)),
        Some((2, 10)),
        Some((12, 12)),
    ];
    DASHES[machine % SERIES.len()]
}

/// Mark at a point of a machine. Each machine has its own shape, and marks at the same point do not
/// hide each other.
pub fn mark<'b, C: Clone + 'static>(
    machine: usize,
    at: C,
) -> DynElement<'static, SVGBackend<'b>, C> {
    let filled = series(machine).filled();
    let line = series(machine).stroke_width(2);
    match machine % SERIES.len() {
        0 => Circle::new(at, 6, filled).into_dyn(),
        1 => TriangleMarker::new(at, 5, filled).into_dyn(),
        2 => Cross::new(at, 5, line).into_dyn(),
        3 => Circle::new(at, 8, line).into_dyn(),
        4 => TriangleMarker::new(at, 9, line).into_dyn(),
        5 => Circle::new(at, 3, filled).into_dyn(),
        _ => Cross::new(at, 9, line).into_dyn(),
    }
}

/// Round numbers in a range, for a logarithmic axis with a length of `pixels`. Returns as many as
/// fit with a distance of at least `apart` pixels, or one if the range contains any.
pub fn ticks(range: &std::ops::Range<f64>, pixels: f64, apart: f64) -> Vec<f64> {
    const STEPS: [&[f64]; 5] = [
        &[1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0],
        &[1.0, 2.0, 3.0, 5.0],
        &[1.0, 2.0, 5.0],
        &[1.0, 3.0],
        &[1.0],
    ];
    let decades = (range.end / range.start).log10();
    let first = range.start.log10().floor() as i32;
    let last = range.end.log10().ceil() as i32;
    let within = |steps: &[f64], every: i32| -> Vec<f64> {
        let powers = (first..=last).filter(|power| power.rem_euclid(every) == 0);
        let all = powers.flat_map(|power| steps.iter().map(move |s| s * 10f64.powi(power)));
        all.filter(|tick| range.contains(tick)).collect()
    };
    let fits = |ticks: &Vec<f64>| {
        let gap = |pair: &[f64]| (pair[1] / pair[0]).log10() / decades * pixels;
        ticks.windows(2).all(|pair| gap(pair) >= apart)
    };
    let mut choices: Vec<Vec<f64>> = STEPS.iter().map(|steps| within(steps, 1)).collect();
    choices.extend((2..=last - first).map(|every| within(&[1.0], every)));
    let found = choices
        .iter()
        .find(|ticks| !ticks.is_empty() && fits(ticks));
    match found {
        Some(ticks) => ticks.clone(),
        // All are too close together, so only one is shown.
        None => choices[0].first().copied().into_iter().collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_keep_their_distance() {
        assert_eq!(ticks(&(0.8..20.0), 280.0, 36.0), [1.0, 2.0, 5.0, 10.0]);
        assert_eq!(ticks(&(40.0..30_000.0), 300.0, 60.0), [100.0, 1e3, 1e4]);
        for (low, high) in [(0.05, 1.6), (1.0, 1.6), (491.0, 768.0), (1e-3, 1e9)] {
            for pixels in [200.0, 260.0, 700.0] {
                let ticks = ticks(&(low..high), pixels, 40.0);
                assert!(!ticks.is_empty(), "{low} {high}");
                let decades = f64::log10(high / low);
                for pair in ticks.windows(2) {
                    let gap = (pair[1] / pair[0]).log10() / decades * pixels;
                    assert!(gap >= 40.0, "{ticks:?}");
                }
            }
        }
    }
}
