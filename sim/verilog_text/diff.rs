//! Line differences between two texts.

/// Common lines shown around a change.
const CONTEXT: usize = 2;

#[derive(Clone, Copy, PartialEq)]
enum DiffLine {
    Same,
    Removed,
    Added,
}

/// Returns the lines that are only in `old` (`-`) and only in `new` (`+`). Each change has some
/// lines around it and the number of its first line in `new`. The result is empty if the texts are
/// equal.
pub fn diff(old: &str, new: &str) -> String {
    let lines = changes(old, new);
    let near = |i: usize| {
        let around = i.saturating_sub(CONTEXT)..(i + CONTEXT + 1).min(lines.len());
        lines[around].iter().any(|(change, _)| *change != DiffLine::Same)
    };
    let mut text = String::new();
    let (mut number, mut last_shown) = (0, None);
    for (i, (change, line)) in lines.iter().enumerate() {
        number += usize::from(*change != DiffLine::Removed);
        if !near(i) {
            continue;
        }
        if last_shown.is_none_or(|last| last + 1 < i) {
            text += &format!("@ line {number}\n");
        }
        last_shown = Some(i);
        let mark = match change {
            DiffLine::Same => ' ',
            DiffLine::Removed => '-',
            DiffLine::Added => '+',
        };
        text += &format!("{mark}{line}\n");
    }
    text
}

/// Returns all lines of both texts, with as many as possible matched.
fn changes<'a>(old: &'a str, new: &'a str) -> Vec<(DiffLine, &'a str)> {
    let old: Vec<&str> = old.split('\n').collect();
    let new: Vec<&str> = new.split('\n').collect();
    // Number of common lines in the remainders of both texts from (i, j) on.
    let mut common = vec![vec![0u32; new.len() + 1]; old.len() + 1];
    for i in (0..old.len()).rev() {
        for j in (0..new.len()).rev() {
            common[i][j] = match old[i] == new[j] {
                true => common[i + 1][j + 1] + 1,
                false => common[i + 1][j].max(common[i][j + 1]),
            };
        }
    }
    let (mut i, mut j) = (0, 0);
    let mut lines = vec![];
    while i < old.len() || j < new.len() {
        if i < old.len() && j < new.len() && old[i] == new[j] {
            lines.push((DiffLine::Same, old[i]));
            (i, j) = (i + 1, j + 1);
        } else if j == new.len() || i < old.len() && common[i + 1][j] >= common[i][j + 1] {
            lines.push((DiffLine::Removed, old[i]));
            i += 1;
        } else {
            lines.push((DiffLine::Added, new[j]));
            j += 1;
        }
    }
    lines
}

#[test]
fn a_diff_shows_changes_and_what_is_around_them() {
    assert_eq!(diff("a\nb\n", "a\nb\n"), "");
    let old = "a\nb\nc\nd\ne\nf\ng\nh\n";
    let new = "a\nb\nc\nD\ne\nf\ng\nh\ni\n";
    let expected = "@ line 2\n b\n c\n-d\n+D\n e\n f\n g\n h\n+i\n \n";
    assert_eq!(diff(old, new), expected);
    assert_eq!(diff("a\n1\n2\n3\n4\n5\n6\nb", "1\n2\n3\n4\n5\n6\nb"), "@ line 0\n-a\n 1\n 2\n");
    assert_eq!(diff("same", "same\n"), "@ line 1\n same\n+\n");
}
