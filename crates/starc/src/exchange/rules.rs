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

    /// Adds the bytes that each dimension carries.
    fn check_capacity(&mut self, begins: usize, all: &[Call]) {
        let dims = self.options.dims;
        let mut most = (0, 0);
        for dim in 0..dims {
            let mut bytes = 0;
            let mut direction_bytes = [0u64; 2];
            for call in all {
                let size = call.size().unwrap_or(0);
                let is_row = dim >= dims / 2;
                match call.kind {
                    CallKind::Neighbour if call.constant.is_some_and(|d| d != i64::from(dim)) => {}
                    // The dimension is known at run time, when it is checked.
                    CallKind::Neighbour if call.constant.is_none() => bytes = bytes.max(size),
                    CallKind::News => match (call.direction.as_deref(), is_row) {
                        (Some("NORTH"), true) | (Some("EAST"), false) => direction_bytes[0] += size,
                        (Some("SOUTH"), true) | (Some("WEST"), false) => direction_bytes[1] += size,
                        _ => {}
                    },
                    _ => bytes += size,
                }
            }
            // In a ring of two, both directions share a dimension.
            let ring_bits = if dim >= dims / 2 {
                dims - dims / 2
            } else {
                dims / 2
            };
            bytes += match ring_bits {
                0 | 1 => direction_bytes.iter().sum::<u64>(),
                _ => direction_bytes.into_iter().max().unwrap_or(0),
            };
            if bytes > most.0 {
                most = (bytes, dim);
            }
        }
        let (bytes, dim) = most;
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
        self.usage.payload = payload.map(|most| most.max(bytes));
    }
}
