//! Routing rules on words as strings of 0 and 1, as in the note (minimal-rotation-routing).

/// Rule that selects the next dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RotationModelRule {
    Minimal,
    Thacker,
}

impl RotationModelRule {
    /// Returns the next dimension to cross, one in which `left` has a 1. The word `left` has `dims`
    /// bits.
    pub fn next(self, dims: u32, left: u32) -> u32 {
        let word = format!("{left:0width$b}", width = dims as usize);
        let from_left = match self {
            RotationModelRule::Minimal => {
                let turned = |by: usize| [&word[by..], &word[..by]].concat();
                let least = (0..word.len()).map(turned).min().unwrap();
                let by = (0..word.len()).find(|by| turned(*by) == least).unwrap();
                (least.find('1').unwrap() + by) % word.len()
            }
            RotationModelRule::Thacker => {
                let group = word.find('1').unwrap();
                let behind = word[group..].find('0');
                behind.map_or(word.len(), |length| group + length) - 1
            }
        };
        dims - 1 - from_left as u32
    }
}

#[test]
fn rules_match_the_examples_of_the_note() {
    // Both rules change the word 0101 into 0100 first.
    assert_eq!(RotationModelRule::Minimal.next(4, 0b0101), 2);
    assert_eq!(RotationModelRule::Thacker.next(4, 0b0101), 2);
    assert_eq!(RotationModelRule::Minimal.next(4, 0b1011), 1);
    assert_eq!(RotationModelRule::Thacker.next(4, 0b1011), 3);
    assert_eq!(RotationModelRule::Thacker.next(4, 0b0110), 1);
}
