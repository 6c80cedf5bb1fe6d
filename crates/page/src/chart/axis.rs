//! Axes: scales, and round numbers on them.

/// Quantity of an axis.
#[derive(Clone, Debug)]
pub struct Axis {
    /// Quantity and unit.
    pub title: String,
    pub scale: Scale,
}

/// Relation between values and lengths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// Begins at zero.
    Linear,
    /// Shows positive values only.
    Log,
}

impl Axis {
    pub fn new(title: impl Into<String>, scale: Scale) -> Self {
        Axis { title: title.into(), scale }
    }

    /// Title as drawn.
    pub(super) fn full_title(&self) -> String {
        match self.scale {
            Scale::Linear => self.title.clone(),
            Scale::Log => format!("{} (log scale)", self.title),
        }
    }
}

/// Range of values on a range of pixels.
#[derive(Clone, Debug)]
pub(super) struct Span {
    scale: Scale,
    low: f64,
    high: f64,
    pixels: (f64, f64),
}

impl Span {
    /// `values` are the lowest and the highest value.
    pub(super) fn new(scale: Scale, values: (f64, f64), pixels: (f64, f64)) -> Self {
        let (low, high) = match scale {
            Scale::Linear => (0.0, 1.05 * values.1),
            Scale::Log => (values.0 / 1.2, values.1 * 1.2),
        };
        Span { scale, low, high: if high > low { high } else { low + 1.0 }, pixels }
    }

    /// Place of a value in pixels.
    pub(super) fn at(&self, value: f64) -> f64 {
        let part = match self.scale {
            Scale::Linear => (value - self.low) / (self.high - self.low),
            Scale::Log => (value / self.low).ln() / (self.high / self.low).ln(),
        };
        self.pixels.0 + part * (self.pixels.1 - self.pixels.0)
    }

    /// Round numbers, as many as fit with a distance of at least `apart` pixels; at least one if
    /// the range contains any.
    pub(super) fn ticks(&self, apart: f64) -> Vec<f64> {
        let fits = |ticks: &Vec<f64>| {
            let gap = |pair: &[f64]| (self.at(pair[1]) - self.at(pair[0])).abs();
            !ticks.is_empty() && ticks.windows(2).all(|pair| gap(pair) >= apart)
        };
        let choices = match self.scale {
            Scale::Linear => self.linear_ticks(),
            Scale::Log => self.log_ticks(),
        };
        match choices.iter().find(|ticks| fits(ticks)) {
            Some(ticks) => ticks.clone(),
            // All are too close together, so only one is shown.
            None => choices[0].first().copied().into_iter().collect(),
        }
    }

    /// Choices, the closest numbers first.
    fn linear_ticks(&self) -> Vec<Vec<f64>> {
        let power = self.high.log10().floor() as i32;
        let steps = (power - 2..=power + 1)
            .flat_map(|power| [1.0, 2.0, 2.5, 5.0].map(|step| step * 10f64.powi(power)));
        let multiples = |step: f64| {
            let count = (self.high / step) as u32;
            (0..=count).map(|i| f64::from(i) * step).collect()
        };
        steps.map(multiples).collect()
    }

    fn log_ticks(&self) -> Vec<Vec<f64>> {
        const STEPS: [&[f64]; 5] = [
            &[1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0],
            &[1.0, 2.0, 3.0, 5.0],
            &[1.0, 2.0, 5.0],
            &[1.0, 3.0],
            &[1.0],
        ];
        let first = self.low.log10().floor() as i32;
        let last = self.high.log10().ceil() as i32;
        let within = |steps: &[f64], every: i32| -> Vec<f64> {
            let powers = (first..=last).filter(|power| power.rem_euclid(every) == 0);
            let all = powers.flat_map(|power| steps.iter().map(move |s| s * 10f64.powi(power)));
            all.filter(|tick| (self.low..self.high).contains(tick)).collect()
        };
        let mut choices: Vec<Vec<f64>> = STEPS.iter().map(|steps| within(steps, 1)).collect();
        choices.extend((2..=last - first).map(|every| within(&[1.0], every)));
        choices
    }
}

/// Text of a number on an axis.
pub(super) fn tick_text(value: f64) -> String {
    match value {
        v if v >= 1e6 => format!("{}M", v / 1e6),
        v => crate::grouped(&format!("{}", (v * 1e6).round() / 1e6)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_keep_their_distance() {
        for scale in [Scale::Linear, Scale::Log] {
            for values in [(0.05, 1.6), (1.0, 1.6), (491.0, 768.0), (1e-3, 1e9)] {
                for pixels in [200.0, 260.0, 700.0] {
                    let span = Span::new(scale, values, (0.0, pixels));
                    let ticks = span.ticks(40.0);
                    assert!(!ticks.is_empty(), "{values:?}");
                    for pair in ticks.windows(2) {
                        let gap = span.at(pair[1]) - span.at(pair[0]);
                        assert!(gap >= 40.0, "{ticks:?}");
                    }
                    let inside = |tick: &f64| (0.0..=pixels).contains(&span.at(*tick));
                    assert!(ticks.iter().all(inside), "{ticks:?}");
                }
            }
        }
    }

    #[test]
    fn ticks_are_round() {
        let linear = Span::new(Scale::Linear, (0.0, 16.0), (0.0, 500.0));
        assert_eq!(linear.ticks(50.0), [0.0, 2.0, 4.0, 6.0, 8.0, 10.0, 12.0, 14.0, 16.0]);
        let log = Span::new(Scale::Log, (0.8, 20.0), (0.0, 280.0));
        assert_eq!(log.ticks(36.0), [1.0, 2.0, 5.0, 10.0, 20.0]);
        let texts = [0.1 + 0.2, 1500.0, 2e6].map(tick_text);
        assert_eq!(texts, ["0.3", "1,500", "2M"]);
    }
}
