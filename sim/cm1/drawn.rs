//! Random lists of messages for comparing a machine with the model. Machine and seed determine each
//! list.

use phasecube::traffic::SplitMix64;

/// Returns the source and destination processor of every message. The seeds cycle through even
/// lists, hotspots, local messages, permutations, and lists of few messages.
pub fn list(dims: u32, processors: usize, seed: u64) -> Vec<(u32, u32)> {
    let mut random = SplitMix64::new(seed);
    let all = (processors << dims) as u64;
    let per_chip = processors as u64;
    let mut pairs = vec![];
    let spots = [random.below(all), random.below(all)];
    let rounds = match seed % 5 {
        4 => 1,
        _ => 1 + random.below(3),
    };
    for _ in 0..rounds {
        let mut permuted: Vec<u64> = (0..all).collect();
        random.shuffle(&mut permuted);
        for source in 0..all {
            let anywhere = random.below(all);
            let destination = match seed % 5 {
                0 => anywhere,
                1 if random.below(4) > 0 => spots[random.below(2) as usize],
                2 => {
                    let hops = random.below(2) << random.below(dims.into());
                    ((source / per_chip) ^ hops) * per_chip + anywhere % per_chip
                }
                3 => permuted[source as usize],
                4 if random.below(8) > 0 => continue,
                _ => anywhere,
            };
            pairs.push((source as u32, destination as u32));
        }
    }
    pairs
}
