//! Reads nextpnr's output for a placed design: cells by name, clocks, critical paths.

use serde_json::Value;

/// Placed design.
#[derive(Debug, Clone, PartialEq)]
pub struct Placement {
    /// Every clock with a path from register to register.
    pub clocks: Vec<ClockTiming>,
    /// Logic cells, flip-flops and block RAMs.
    pub cells: Vec<PlacedCell>,
    /// Resources that the chip has.
    pub capacity: Capacity,
}

/// Resources of a chip, used or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Capacity {
    /// Cells with a lookup table.
    pub logic_cells: usize,
    pub block_rams: usize,
}

/// Timing of a clock.
#[derive(Debug, Clone, PartialEq)]
pub struct ClockTiming {
    /// Name of the net.
    pub name: String,
    /// Reached frequency in MHz.
    pub reached_mhz: f64,
    /// Requested frequency in MHz.
    pub wanted_mhz: f64,
    /// Slowest path from one rising edge to the next.
    pub path: Vec<PathStep>,
}

/// Step of a path.
#[derive(Debug, Clone, PartialEq)]
pub struct PathStep {
    /// Kind of step: `clk-to-q`, `logic`, `routing` or `setup`.
    pub kind: String,
    /// Delay in nanoseconds.
    pub delay: f64,
    /// Net of a `routing` step, otherwise the cell.
    pub name: String,
}

/// Used cell of the chip.
#[derive(Debug, Clone, PartialEq)]
pub struct PlacedCell {
    /// Name that the tools derive from the source: instances joined by dots, the driven signal, the
    /// cell kind.
    pub name: String,
    pub kind: PlacedKind,
}

/// Kind of a counted cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlacedKind {
    /// Logic cell, and whether its flip-flop is used.
    Logic { flip_flop: bool },
    /// Flip-flop that the chip family counts separately from logic cells.
    FlipFlop,
    /// A block RAM.
    Ram,
}

impl Placement {
    /// Reads nextpnr's `--report` and `--write`. `None` if one is malformed.
    pub(super) fn read(report: &Value, written: &Value) -> Option<Placement> {
        let clocks = report["fmax"].as_object()?.iter().map(|(name, fmax)| {
            Some(ClockTiming {
                path: path(report, name)?,
                // The router adds this prefix to a clock on a global net.
                name: name.strip_prefix("$glbnet$").unwrap_or(name).into(),
                reached_mhz: fmax["achieved"].as_f64()?,
                wanted_mhz: fmax["constraint"].as_f64()?,
            })
        });
        // The only module is the flattened design.
        let module = written["modules"].as_object()?.values().next()?;
        let cells = module["cells"]
            .as_object()?
            .iter()
            .filter_map(|(name, cell)| {
                let kind = match cell["type"].as_str()? {
                    "ICESTORM_LC" => PlacedKind::Logic {
                        flip_flop: is_one(&cell["parameters"]["DFF_ENABLE"]),
                    },
                    "TRELLIS_COMB" => PlacedKind::Logic { flip_flop: false },
                    "TRELLIS_FF" => PlacedKind::FlipFlop,
                    "ICESTORM_RAM" | "DP16KD" => PlacedKind::Ram,
                    _ => return None,
                };
                Some(PlacedCell {
                    name: name.clone(),
                    kind,
                })
            });
        Some(Placement {
            clocks: clocks.collect::<Option<_>>()?,
            cells: cells.collect(),
            capacity: Capacity {
                logic_cells: available(report, &["ICESTORM_LC", "TRELLIS_COMB"])?,
                block_rams: available(report, &["ICESTORM_RAM", "DP16KD"])?,
            },
        })
    }

    /// Returns the clock that misses its frequency by most, if there is one.
    pub fn too_slow(&self) -> Option<&ClockTiming> {
        let slow = self.clocks.iter().filter(|c| c.reached_mhz < c.wanted_mhz);
        slow.min_by(|a, b| {
            (a.reached_mhz / a.wanted_mhz).total_cmp(&(b.reached_mhz / b.wanted_mhz))
        })
    }
}

/// Number of cells on the chip. `kinds` are the names of the cell in the different families.
fn available(report: &Value, kinds: &[&str]) -> Option<usize> {
    let utilisation = &report["utilization"];
    let found = kinds.iter().find_map(|kind| utilisation.get(kind))?;
    Some(found["available"].as_u64()? as usize)
}

/// Parses a parameter's value, which is a string of bits.
fn is_one(bits: &Value) -> bool {
    bits.as_str().is_some_and(|bits| bits.ends_with('1'))
}

/// Critical path from a clock to itself.
fn path(report: &Value, clock: &str) -> Option<Vec<PathStep>> {
    let is_clock = |edge: &Value| {
        let edge = edge.as_str().and_then(|edge| edge.split_once(' '));
        edge.is_some_and(|(_, name)| name == clock)
    };
    let path = report["critical_paths"]
        .as_array()?
        .iter()
        .find(|path| is_clock(&path["from"]) && is_clock(&path["to"]))?;
    let hops = path["path"].as_array()?.iter().map(|hop| {
        let name = match hop["net"].as_str() {
            Some(net) => net,
            None => hop["to"]["cell"].as_str()?,
        };
        Some(PathStep {
            kind: hop["type"].as_str()?.into(),
            delay: hop["delay"].as_f64()?,
            name: name.into(),
        })
    });
    hops.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn report(reached: f64) -> Value {
        let cell = |name: &str| json!({"cell": name, "port": "O"});
        json!({
            "fmax": {"clock": {"achieved": reached, "constraint": 25}},
            "utilization": {
                "ICESTORM_LC": {"used": 2, "available": 7680},
                "ICESTORM_RAM": {"used": 1, "available": 32}
            },
            "critical_paths": [
                {"from": "<async>", "to": "posedge clock", "path": []},
                {"from": "posedge clock", "to": "posedge clock", "path": [
                    {"type": "clk-to-q", "delay": 0.5, "from": cell("a"), "to": cell("a")},
                    {"type": "routing", "delay": 0.6, "from": cell("a"), "to": cell("b"), "net": "n"}
                ]}
            ]
        })
    }

    fn written() -> Value {
        json!({"modules": {"top": {"cells": {
            "a_DFFLC": {"type": "ICESTORM_LC", "parameters": {"DFF_ENABLE": "1"}},
            "b_LC": {"type": "ICESTORM_LC", "parameters": {"DFF_ENABLE": "0"}},
            "m_RAM": {"type": "ICESTORM_RAM", "parameters": {}},
            "pad": {"type": "SB_IO", "parameters": {}}
        }}}})
    }

    // Claim: cells are distinguished, pads are not counted, and the path belongs to the clock.
    #[test]
    fn an_ice40_placement_is_read() {
        let placement = Placement::read(&report(30.0), &written()).unwrap();
        let kinds: Vec<PlacedKind> = placement.cells.iter().map(|cell| cell.kind).collect();
        let logic = |flip_flop| PlacedKind::Logic { flip_flop };
        assert_eq!(kinds, [logic(true), logic(false), PlacedKind::Ram]);
        let names: Vec<&str> = placement.clocks[0]
            .path
            .iter()
            .map(|hop| hop.name.as_str())
            .collect();
        assert_eq!(names, ["a", "n"]);
        assert_eq!(placement.too_slow(), None);
        let Capacity {
            logic_cells,
            block_rams,
        } = placement.capacity;
        assert_eq!((logic_cells, block_rams), (7680, 32));
    }

    // Claim: an ECP5's cells are read, its flip-flops separately, and its clock without the
    // router's prefix.
    #[test]
    fn an_ecp5_placement_is_read() {
        let report = json!({
            "fmax": {"$glbnet$clock": {"achieved": 60, "constraint": 25}},
            "utilization": {
                "TRELLIS_COMB": {"used": 1, "available": 83640},
                "DP16KD": {"used": 1, "available": 208}
            },
            "critical_paths": [
                {"from": "posedge $glbnet$clock", "to": "posedge $glbnet$clock", "path": []}
            ]
        });
        let cell = |kind: &str| json!({"type": kind, "parameters": {}});
        let written = json!({"modules": {"top": {"cells": {
            "a": cell("TRELLIS_COMB"), "b": cell("TRELLIS_FF"), "c": cell("DP16KD"), "d": cell("DCCA")
        }}}});
        let placement = Placement::read(&report, &written).unwrap();
        let kinds: Vec<PlacedKind> = placement.cells.iter().map(|cell| cell.kind).collect();
        let logic = PlacedKind::Logic { flip_flop: false };
        assert_eq!(kinds, [logic, PlacedKind::FlipFlop, PlacedKind::Ram]);
        assert_eq!(placement.clocks[0].name, "clock");
        assert_eq!(placement.capacity.logic_cells, 83640);
    }

    // Claim: a clock below the requested frequency is found.
    #[test]
    fn the_slowest_clock_is_found() {
        let placement = Placement::read(&report(24.9), &written()).unwrap();
        assert_eq!(placement.too_slow().unwrap().name, "clock");
        assert_eq!(Placement::read(&json!({}), &written()), None);
    }
}
