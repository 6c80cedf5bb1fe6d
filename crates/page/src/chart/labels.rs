//! Places the labels of lines beside their ends.

/// Label to be placed.
pub(super) struct Label {
    /// End of its line.
    pub end: (f64, f64),
    pub width: f64,
}

/// Drawing in which labels are placed.
pub(super) struct Surroundings {
    /// Allowed area: left, top, right, bottom.
    pub area: [f64; 4],
    /// Points of the drawing that labels should not cover, with their weights.
    pub drawn: Vec<((f64, f64), f64)>,
    /// Height of a label.
    pub height: f64,
}

/// Number of rounds in which each label is placed again beside the others.
const ROUNDS: usize = 6;

/// Distance between the end of a line and its label.
const GAP: f64 = 9.0;

/// Places labels so that they do not overlap, with few points of the drawing below them. Returns the
/// left end and the middle height of each label.
pub(super) fn place(labels: &[Label], around: &Surroundings) -> Vec<(f64, f64)> {
    let candidates: Vec<Vec<Candidate>> = labels.iter().map(|l| around.candidates(l)).collect();
    let mut placed: Vec<Option<Candidate>> = vec![None; labels.len()];
    for _ in 0..ROUNDS {
        for (i, candidates) in candidates.iter().enumerate() {
            let cost = |candidate: &Candidate| {
                let others = placed.iter().enumerate().filter(|(j, _)| *j != i);
                let others = others.filter_map(|(_, other)| other.as_ref());
                let overlaps = others.filter(|other| candidate.overlaps(other)).count();
                candidate.cost + 5000.0 * overlaps as f64
            };
            let costs = candidates.iter().map(|candidate| (cost(candidate), candidate));
            let best = costs.min_by(|a, b| a.0.total_cmp(&b.0));
            placed[i] = best.map(|(_, candidate)| candidate.clone());
        }
    }
    uncross(labels, &mut placed);
    let place = |(found, label): (Option<Candidate>, &Label)| {
        found.map_or(label.end, |c| (c.left, (c.top + c.bottom) / 2.0))
    };
    placed.into_iter().zip(labels).map(place).collect()
}

/// Sorts the labels of a column, so that they are in the order of their ends.
fn uncross(labels: &[Label], placed: &mut [Option<Candidate>]) {
    let columns: Vec<Option<(f64, f64)>> = (placed.iter().zip(labels))
        .map(|(at, label)| Some((at.as_ref()?.left, label.end.0)))
        .collect();
    for column in columns.iter().flatten() {
        let is_in = |i: &usize| columns[*i] == Some(*column);
        let mut members: Vec<usize> = (0..labels.len()).filter(is_in).collect();
        let mut heights: Vec<(f64, f64)> = (members.iter())
            .filter_map(|i| placed[*i].as_ref().map(|at| (at.top, at.bottom)))
            .collect();
        heights.sort_by(|a, b| a.0.total_cmp(&b.0));
        members.sort_by(|a, b| labels[*a].end.1.total_cmp(&labels[*b].end.1));
        for (i, (top, bottom)) in members.into_iter().zip(heights) {
            if let Some(at) = &mut placed[i] {
                (at.top, at.bottom) = (top, bottom);
            }
        }
    }
}

/// Possible place of a label.
#[derive(Clone, Debug)]
struct Candidate {
    left: f64,
    top: f64,
    right: f64,
    bottom: f64,
    /// Cost without overlaps of labels.
    cost: f64,
}

impl Candidate {
    fn overlaps(&self, other: &Candidate) -> bool {
        let across = self.left < other.right && other.left < self.right;
        across && self.top < other.bottom && other.top < self.bottom
    }
}

impl Surroundings {
    /// Places to the right, to the left, above and below that are inside the area.
    fn candidates(&self, label: &Label) -> Vec<Candidate> {
        let (x, y) = label.end;
        let lefts = [x + GAP, x + 3.0 * GAP, x - label.width / 2.0, x - GAP - label.width];
        let steps = (2.0 * (self.area[3] - self.area[1]) / self.height) as i32;
        let middles = (-steps..=steps).map(|step| y + f64::from(step) * self.height / 2.0);
        let all = middles.flat_map(|y| lefts.map(|left| (left, y)));
        let all = all.map(|(left, middle)| Candidate {
            left,
            top: middle - self.height / 2.0,
            right: left + label.width,
            bottom: middle + self.height / 2.0,
            cost: 0.0,
        });
        let fits = |c: &Candidate| {
            let [left, top, right, bottom] = self.area;
            c.left >= left && c.right <= right && c.top >= top && c.bottom <= bottom
        };
        all.filter(fits).map(|c| Candidate { cost: self.cost(&c, label), ..c }).collect()
    }

    fn cost(&self, at: &Candidate, label: &Label) -> f64 {
        let inside = |((x, y), _): &&((f64, f64), f64)| {
            (at.left - 2.0..at.right + 2.0).contains(x) && (at.top..at.bottom).contains(y)
        };
        let drawn = self.drawn.iter().filter(inside);
        let covered: f64 = drawn.map(|(_, weight)| weight).sum();
        let (x, y) = label.end;
        let across = x.clamp(at.left, at.right) - x;
        let distance = across.hypot((at.top + at.bottom) / 2.0 - y);
        let aside = if at.left > x { 0.0 } else { 60.0 };
        covered + distance + aside
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_of_equal_ends_do_not_overlap() {
        let labels: Vec<Label> = (0..12)
            .map(|i| Label { end: (200.0, 100.0 + f64::from(i % 3)), width: 90.0 })
            .collect();
        let around = Surroundings {
            area: [0.0, 0.0, 300.0, 250.0],
            drawn: vec![((240.0, 100.0), 50.0)],
            height: 14.0,
        };
        let placed = place(&labels, &around);
        for (i, a) in placed.iter().enumerate() {
            assert!(a.0 >= 0.0 && a.0 + 90.0 <= 300.0 && (7.0..=243.0).contains(&a.1));
            for b in &placed[i + 1..] {
                let apart = (a.0 - b.0).abs() >= 90.0 || (a.1 - b.1).abs() >= 14.0;
                assert!(apart, "{a:?} {b:?}");
            }
            for (b, label) in placed.iter().zip(&labels) {
                let above = labels[i].end.1 < label.end.1;
                assert!(!above || a.0 != b.0 || a.1 < b.1, "{a:?} {b:?}");
            }
            let covers = (a.0..a.0 + 90.0).contains(&240.0) && (a.1 - 100.0).abs() < 7.0;
            assert!(!covers, "{a:?}");
        }
    }
}
