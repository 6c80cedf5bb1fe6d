//! Claims of the papers about a torus under load, and measured results.

use super::TorusShape;
use crate::networks::{ClaimVerdict, LoadSweepResult};
use interconnect::topology::AddressSpace;
use rtl::cm1::{EjectMode, MessageFormat, PetitPlan};

/// Maximum share of the channels' capacity that counts as a light load.
const LIGHT_LOAD_MAX: f64 = 0.05;

/// Maximum ratio of the mean latency under a light load to the law for single packets. Packets meet
/// now and then even under a light load.
const LIGHT_LATENCY_RATIO_MAX: f64 = 1.1;

/// Clock cycles of the mean latency at the processors. One precedes the clock edge after which the
/// first byte of a message is on the port. In the other the tail is taken.
const ENDPOINT_CLOCK_CYCLES: f64 = 2.0;

/// Returns the claims for a machine of this shape that carried messages with `payload` bytes.
pub(super) fn verdicts(
    shape: &TorusShape,
    payload: usize,
    found: &LoadSweepResult,
) -> Vec<ClaimVerdict> {
    let mut verdicts = vec![];
    if let Some(used) = found.peak_utilisation {
        verdicts.push(ClaimVerdict {
            source: "cm1-message-router, 4.1",
            claim: "At most half the theoretical throughput of the torus can be used".into(),
            found: format!("its channels carry {used:.2} bytes in a clock cycle, of 1, at most"),
            holds: used <= 0.5,
            share: Some(0.5),
        });
    }
    let (Some(latency), Some(distance)) = (found.latency, found.distance) else {
        return verdicts;
    };
    if found.lightest > LIGHT_LOAD_MAX {
        return verdicts;
    }
    let chips = shape.plan().chips() as f64;
    let length = shape.packet(payload) as f64;
    // The channel between two chips of a node counts as an additional channel.
    let law = 2.0 * (distance + chips - 1.0) + 2.0 * length - 1.0;
    verdicts.push(ClaimVerdict {
        source: "torus-routing-chip, 1",
        claim: "Latency is the sum of a term of the length L and one of the distance D".into(),
        found: format!(
            "{latency:.1} clock cycles on average under the lightest load; 2D + 2L - 1, and 2 at \
             the processors, are {:.1}",
            law + ENDPOINT_CLOCK_CYCLES
        ),
        holds: (law..=(law + ENDPOINT_CLOCK_CYCLES) * LIGHT_LATENCY_RATIO_MAX).contains(&latency),
        share: None,
    });
    verdicts.extend(compare_with_cm1(shape, payload, latency));
    verdicts
}

/// Compares the torus with a CM-1 with the same number of chips of one processor, if there is one.
/// There the last bit of a message that starts with a petit cycle leaves its heart after l + 2c
/// bit-times.
fn compare_with_cm1(shape: &TorusShape, payload: usize, latency: f64) -> Option<ClaimVerdict> {
    let nodes = AddressSpace::new(shape.torus().nodes().into()).ok()?;
    let format = MessageFormat {
        dims: nodes.bits()?,
        proc_bits: 0,
        vp_bits: 0,
        data_bits: 8 * payload as u32,
    };
    let alone = format.length() + PetitPlan::new(format, EjectMode::Or).exit();
    Some(ClaimVerdict {
        source: "cm1-message-router, 4.1",
        claim: "Lightly loaded, the CM-1's router has more latency than the torus".into(),
        found: format!(
            "{latency:.1} clock cycles on average; in a CM-1 of {} chips a message alone takes {alone}",
            nodes.nodes()
        ),
        holds: latency < f64::from(alone),
        share: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use interconnect::topology::Torus;

    fn shape(radices: &[u32]) -> TorusShape {
        TorusShape::new(Torus::new(radices).unwrap())
    }

    /// Calculated by hand, for 8 x 8 nodes and a payload of 4: L = 8, l + 2c = 40 + 12.
    #[test]
    fn claims_are_compared_with_results() {
        let holds = |lightest, latency, most_used| -> Vec<bool> {
            let found = LoadSweepResult {
                distance: Some(7.0),
                lightest,
                latency: Some(latency),
                peak_utilisation: most_used,
            };
            let verdicts = verdicts(&shape(&[8, 8]), 4, &found);
            verdicts.iter().map(|verdict| verdict.holds).collect()
        };
        assert_eq!(holds(0.02, 32.0, Some(0.3)), [true, true, true]);
        assert_eq!(holds(0.02, 53.0, Some(0.6)), [false, false, false]);
        assert_eq!(holds(0.02, 28.0, None), [false, true]);
        // A heavy load gives no result for light loads.
        assert_eq!(holds(0.3, 32.0, Some(0.5)), [true]);
    }

    #[test]
    fn no_comparison_without_a_cm1_of_the_same_size() {
        let found = LoadSweepResult {
            distance: Some(3.0),
            lightest: 0.01,
            latency: Some(20.0),
            peak_utilisation: None,
        };
        assert_eq!(verdicts(&shape(&[5, 3]), 4, &found).len(), 1);
    }
}
