//! Rules about a whole exchange.

use super::{Call, CallKind, Exchange};
use crate::diagnostic::Rule;
use crate::parser::Parser;

impl Parser {
    pub(super) fn check_exchange(&mut self, begins: usize, exchange: &Exchange) {
        let all = &exchange.all;
        for (number, call) in all.iter().enumerate() {
            for (input, token) in &call.inputs {
                let mut results = exchange.results.iter();
                let own = |n: usize| n == number;
                if results.any(|(place, _, n)| !own(*n) && place.may_equal(input)) {
                    let name = self.scopes.symbol(input.symbol).name.clone();
                    self.report(
                        *token,
                        Rule::ResultAsInput,
                        format!("{name} is a result of this exchange and an input of it"),
                        "use two exchanges, or another pvar for the result",
                    );
                }
            }
        }
        let scan = all.iter().find(|c| matches!(c.kind, CallKind::Scan(..)));
        let reduction = all.iter().find(|c| matches!(c.kind, CallKind::Reduce(_)));
        if let (Some(scan), Some(reduction)) = (scan, reduction) {
            let later = scan.tokens.start.max(reduction.tokens.start);
            self.report(
                later,
                Rule::ScanAndReduction,
                "a scan and a reduction in one exchange: both take a whole superframe",
                "use two exchanges",
            );
        }
        self.check_capacity(begins, all);
        let overlaps = self.overlaps(exchange);
        let usage = &mut self.usage;
        usage.calls = usage.calls.max(all.len());
        usage.overlaps |= overlaps;
        for call in all {
            match call.kind {
                CallKind::Neighbour => usage.neighbours = true,
                CallKind::News => usage.news = true,
                CallKind::Reduce(_) => usage.reductions = true,
                CallKind::Scan(..) => usage.scans = true,
                CallKind::Broadcast => usage.broadcasts = true,
            }
        }
    }

    /// Adds the bytes that each dimension carries. Neighbours whose dimension is known at run time may
    /// all be across the same one. The machine is built for that, and the runtime checks them.
    fn check_capacity(&mut self, begins: usize, all: &[Call]) {
        let dims = self.options.dims;
        let is_late =
            |call: &&Call| matches!(call.kind, CallKind::Neighbour) && call.constant.is_none();
        let late = || all.iter().filter(is_late).map(|c| c.size().unwrap_or(0));
        // Largest and smallest number of bytes, with their dimensions.
        let (mut most, mut least) = ((0, 0), (u64::MAX, 0));
        for dim in 0..dims {
            let mut bytes = 0;
            let mut direction_bytes = [0u64; 2];
            for call in all {
                let size = call.size().unwrap_or(0);
                let is_row = dim >= dims / 2;
                match call.kind {
                    CallKind::Neighbour if call.constant.is_some_and(|d| d != i64::from(dim)) => {}
                    CallKind::Neighbour if call.constant.is_none() => {}
                    CallKind::News => match (call.direction.as_deref(), is_row) {
                        (Some("NORTH"), true) | (Some("EAST"), false) => direction_bytes[0] += size,
                        (Some("SOUTH"), true) | (Some("WEST"), false) => direction_bytes[1] += size,
                        _ => {}
                    },
                    _ => bytes += size,
                }
            }
            // In a ring of two, both directions share a dimension.
            let ring_bits = if dim >= dims / 2 { dims - dims / 2 } else { dims / 2 };
            bytes += match ring_bits {
                0 | 1 => direction_bytes.iter().sum::<u64>(),
                _ => direction_bytes.into_iter().max().unwrap_or(0),
            };
            if bytes > most.0 {
                most = (bytes, dim);
            }
            if bytes < least.0 {
                least = (bytes, dim);
            }
        }
        // A late neighbour is across some dimension.
        let at_least = (least.0 + late().max().unwrap_or(0), least.1);
        let (bytes, dim) = if at_least.0 > most.0 { at_least } else { most };
        let room = self.options.frame_bytes();
        if bytes > room {
            self.report(
                begins,
                Rule::Capacity,
                format!("this exchange sends {bytes} bytes across dimension {dim}; a superframe carries {room}"),
                "split it into several exchanges",
            );
        }
        let known = all.iter().all(|c| c.size().is_some());
        let payload = self.usage.payload.filter(|_| known);
        let needed = room.min(most.0 + late().sum::<u64>());
        self.usage.payload = payload.map(|payload| payload.max(needed));
    }
}
