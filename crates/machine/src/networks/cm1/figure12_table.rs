//! Figure 12 of the paper `cm1-message-router`: petit cycles against messages per processor.

use crate::format_count::format_count;
use serde::Serialize;
use std::fmt;

/// Runs with the same number of messages per processor.
#[derive(Clone, Debug, Serialize)]
pub struct Figure12Row {
    /// Messages per processor.
    pub ratio: u32,
    /// Lower bound on the petit cycles. Half of the messages cross each dimension, one per chip and
    /// petit cycle: 8 v with 16 processors (section 4.1).
    pub bound: f64,
    /// Petit cycles of the runs with random traffic, one for each seed.
    pub random: Vec<u64>,
    pub permutation: Vec<u64>,
    /// Petit cycles with `per-chip` ejection, on the first seed of `random`.
    pub per_chip: u64,
    /// Wire utilisation over the runs of `random`: by all hops, and by productive hops.
    pub utilisation: f64,
    pub utilisation_productive: f64,
}

/// Figure 12 as data. `Display` prints a Markdown table and a plot.
#[derive(Clone, Debug, Serialize)]
pub struct Figure12 {
    pub dims: u32,
    pub rows: u64,
    pub processors: u64,
    pub engine: &'static str,
    pub seeds: Vec<u64>,
    pub points: Vec<Figure12Row>,
}

/// Columns of the plot.
const WIDTH: f64 = 60.0;

impl fmt::Display for Figure12 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "Petit cycles of the {}-cube with {} rows and {} per chip, `or` ejection,\n\
             {}, {} engine:\n",
            self.dims,
            self.rows,
            format_count(self.processors, "processor"),
            match self.seeds.len() {
                1 => "one seed".to_owned(),
                n => format!("{n} seeds"),
            },
            self.engine
        )?;
        writeln!(
            f,
            "| messages per processor | bound | random | permutation | over bound | per-chip, slower | wires used | productively |"
        )?;
        writeln!(
            f,
            "| ---------------------: | ----: | -----: | ----------: | ---------: | ---------------: | ---------: | -----------: |"
        )?;
        for row in &self.points {
            let slower = row.per_chip as f64 / row.random[0].max(1) as f64;
            writeln!(
                f,
                "| {:>22} | {:>5} | {:>6} | {:>11} | {:>10.2} | {slower:>16.2} | {:>8.1} % | {:>10.1} % |",
                row.ratio,
                row.bound,
                range(&row.random),
                range(&row.permutation),
                mean(&row.random) / row.bound,
                100.0 * row.utilisation,
                100.0 * row.utilisation_productive
            )?;
        }
        self.plot(f)
    }
}

impl Figure12 {
    /// Plots the bound as `|` and the mean of the random runs as `o`.
    fn plot(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let highest = self
            .points
            .iter()
            .map(|row| mean(&row.random).max(row.bound))
            .fold(1.0, f64::max);
        writeln!(
            f,
            "\nPetit cycles with random destinations (o) and the bound (|):\n"
        )?;
        for row in &self.points {
            let place = |petits: f64| (petits / highest * WIDTH).round() as usize;
            let mut line = vec![' '; WIDTH as usize + 1];
            line[place(row.bound)] = '|';
            line[place(mean(&row.random))] = 'o';
            let line: String = line.into_iter().collect();
            writeln!(f, "{:>4}  {}", row.ratio, line.trim_end())?;
        }
        let scale = format!("{highest:.0}");
        let left = WIDTH as usize - scale.len();
        writeln!(f, "      0{:>left$}{scale}", "")
    }
}

fn mean(petits: &[u64]) -> f64 {
    petits.iter().sum::<u64>() as f64 / petits.len().max(1) as f64
}

fn range(petits: &[u64]) -> String {
    match (petits.iter().min(), petits.iter().max()) {
        (Some(low), Some(high)) if low != high => format!("{low}-{high}"),
        (Some(low), _) => low.to_string(),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figure_12_prints_a_table_and_a_plot() {
        let point = |ratio, random: &[u64]| Figure12Row {
            ratio,
            bound: 8.0 * f64::from(ratio),
            random: random.to_vec(),
            permutation: random.to_vec(),
            per_chip: 30,
            utilisation: 0.9,
            utilisation_productive: 0.85,
        };
        let figure = Figure12 {
            dims: 12,
            rows: 7,
            processors: 16,
            engine: "lockstep",
            seeds: vec![1, 2],
            points: vec![point(1, &[12, 14]), point(2, &[26, 26])],
        };
        let text = figure.to_string();
        assert!(text.contains("|                      1 |     8 |  12-14 |       12-14 |       1.62 |             2.50 |     90.0 % |       85.0 % |\n"), "{text}");
        assert!(
            text.contains("|                      2 |    16 |     26 |"),
            "{text}"
        );
        // Columns for 8 and 13 of 26, at 60 columns.
        assert!(
            text.contains(&format!("   1  {}|{}o\n", " ".repeat(18), " ".repeat(11))),
            "{text}"
        );
    }
}
