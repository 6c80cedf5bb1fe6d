//! Reads the output of yosys and nextpnr (cells, utilisation, fmax), and removes data ports from a
//! netlist.

use super::error::ToolError;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeSet;

/// Cost of a design on an iCE40, or in the equivalent cells of an ECP5.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SynthReport {
    /// `SB_LUT4` cells of the netlist.
    pub luts: usize,
    /// `SB_CARRY` cells of the netlist.
    pub carries: usize,
    /// `SB_DFF*` cells of the netlist.
    pub flip_flops: usize,
    /// `ICESTORM_LC` cells that nextpnr counts after packing. Each holds up to one LUT, carry and
    /// flip-flop. nextpnr always takes one for the constant, so an empty design counts 1.
    pub logic_cells: usize,
    /// Block RAMs of 4 kbit.
    pub block_rams: usize,
    /// Frequency of the slowest clock from register to register, after routing. `None` without such
    /// a path, or if the design was only packed.
    pub fmax_mhz: Option<f64>,
    /// Tools that made the result, with version and origin.
    pub tools: Vec<String>,
}

/// Counts cells of the flattened netlist: (luts, carries, flip-flops).
pub(super) fn count_cells(netlist: &Value, top: &str) -> Option<(usize, usize, usize)> {
    let cells = netlist.get("modules")?.get(top)?.get("cells")?.as_object()?;
    let count = |is: &dyn Fn(&str) -> bool| {
        cells.values().filter(|cell| cell["type"].as_str().is_some_and(is)).count()
    };
    Some((
        count(&|kind| kind == "SB_LUT4"),
        count(&|kind| kind == "SB_CARRY"),
        count(&|kind| kind.starts_with("SB_DFF")),
    ))
}

/// Removes every port of the top module that does not need a pin. Clocks and ports of I/O and PLL
/// cells remain.
///
/// The rest is placed "out of context". The logic is the same, because nextpnr removes none. A
/// block with more ports than the package has pins can be placed, and no pin position affects the
/// timing.
pub(super) fn without_data_ports(netlist: &mut Value, top: &str) -> Option<()> {
    let module = netlist.get_mut("modules")?.get_mut(top)?;
    let mut kept = BTreeSet::new();
    for cell in module.get("cells")?.as_object()?.values() {
        let kind = cell["type"].as_str().unwrap_or_default();
        for (port, bits) in cell["connections"].as_object().into_iter().flatten() {
            let clock = (kind.starts_with("SB_DFF") && port == "C")
                || (kind == "TRELLIS_FF" && port == "CLK")
                || (kind == "TRELLIS_DPR16X4" && port == "WCK")
                || (kind == "DP16KD" && matches!(&port[..], "CLKA" | "CLKB"))
                || (kind.starts_with("SB_RAM") && matches!(&port[..], "RCLK" | "WCLK"));
            let special =
                ["SB_IO", "SB_GB_IO", "SB_PLL"].iter().any(|prefix| kind.starts_with(prefix));
            if clock || special {
                kept.extend(numbers(bits));
            }
        }
    }
    let ports = module.get_mut("ports")?.as_object_mut()?;
    ports.retain(|_, port| numbers(&port["bits"]).any(|bit| kept.contains(&bit)));
    Some(())
}

/// Nets of a bit vector, without constants, which are strings.
fn numbers(bits: &Value) -> impl Iterator<Item = u64> + '_ {
    bits.as_array().into_iter().flatten().filter_map(Value::as_u64)
}

/// Parses nextpnr's `--report`: (logic cells, block RAMs, fmax of the slowest clock).
pub(super) fn read_report(report: &Value) -> Option<(usize, usize, Option<f64>)> {
    let used = |cell: &str| Some(report["utilization"][cell]["used"].as_u64()? as usize);
    let fmax = report["fmax"]
        .as_object()
        .into_iter()
        .flatten()
        .filter_map(|(_, clock)| clock["achieved"].as_f64())
        .min_by(f64::total_cmp);
    Some((used("ICESTORM_LC")?, used("ICESTORM_RAM")?, fmax))
}

/// Parses the utilisation that nextpnr prints after packing: (logic cells, block RAMs).
pub(super) fn read_utilisation(log: &str) -> Option<(usize, usize)> {
    let used = |cell: &str| {
        let line = log.lines().find(|line| {
            let mut words = line.split_whitespace();
            words.next() == Some("Info:") && words.next() == Some(cell)
        })?;
        let (_, numbers) = line.split_once(cell)?;
        numbers.split('/').next()?.trim().parse().ok()
    };
    Some((used("ICESTORM_LC:")?, used("ICESTORM_RAM:")?))
}

/// Converts the error if nextpnr failed to place the module `top` because the chip is too small.
/// Other errors remain unchanged.
pub(super) fn too_big(error: ToolError, top: &str, device: &str) -> ToolError {
    let ToolError::Failed { log, .. } = &error else {
        return error;
    };
    match std::fs::read_to_string(log).map(|log| excess(&log)) {
        Ok(excess) if !excess.is_empty() => ToolError::TooBig {
            top: top.into(),
            device: device.into(),
            excess: excess.join(" and "),
        },
        _ => error,
    }
}

/// Lists the insufficient resources in the log's table: `33 block RAMs of 32`.
fn excess(log: &str) -> Vec<String> {
    let rows = log.lines().filter_map(|line| {
        let row = line.strip_prefix("Info:")?.trim();
        let (cell, numbers) = row.split_once(':')?;
        let (used, rest) = numbers.split_once('/')?;
        let all = rest.split_whitespace().next()?;
        Some((cell, used.trim().parse().ok()?, all.parse().ok()?))
    });
    // A name of several words is a sum of other rows.
    rows.filter(|(cell, used, all): &(&str, usize, usize)| used > all && !cell.contains(' '))
        .map(|(cell, used, all)| {
            let what = match cell {
                "ICESTORM_LC" | "TRELLIS_COMB" => "logic cells",
                "TRELLIS_FF" => "flip-flops",
                "ICESTORM_RAM" | "DP16KD" => "block RAMs",
                "TRELLIS_RAMW" => "distributed memories",
                "SB_IO" | "TRELLIS_IO" => "pins",
                "SB_GB" | "DCCA" => "global nets",
                other => other,
            };
            format!("{used} {what} of {all}")
        })
        .collect()
}

// Reads nextpnr's output for a placed design: cells by name, clocks, critical paths.

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

/// Required and reached frequency of a clock, in MHz.
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

/// A cell or a wire of the slowest path, with its delay in nanoseconds.
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
        let cells = module["cells"].as_object()?.iter().filter_map(|(name, cell)| {
            let kind = match cell["type"].as_str()? {
                "ICESTORM_LC" => {
                    PlacedKind::Logic { flip_flop: is_one(&cell["parameters"]["DFF_ENABLE"]) }
                }
                "TRELLIS_COMB" => PlacedKind::Logic { flip_flop: false },
                "TRELLIS_FF" => PlacedKind::FlipFlop,
                "ICESTORM_RAM" | "DP16KD" => PlacedKind::Ram,
                _ => return None,
            };
            Some(PlacedCell { name: name.clone(), kind })
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

    // Claim: only insufficient resources are reported, with both numbers.
    #[test]
    fn excess_resources_are_listed() {
        let log = "Info: \t         ICESTORM_LC:     300/   7680     3%\n\
                   Info: \t        ICESTORM_RAM:      33/     32   103%\n";
        assert_eq!(excess(log), ["33 block RAMs of 32"]);
        let log = "Info: \t              DP16KD:     256/    208   123%\n\
                   Info: \t        Total LUT4s:   98000/  83640   117%\n\
                   Info: \t        TRELLIS_COMB:   99000/  83640   118%\n\
                   Info: \t          TRELLIS_FF:   18000/  83640    21%\n";
        assert_eq!(excess(log), ["256 block RAMs of 208", "99000 logic cells of 83640"]);
    }

    fn netlist() -> Value {
        json!({"modules": {"t": {
            "ports": {
                "clock": {"direction": "input", "bits": [2]},
                "d": {"direction": "input", "bits": [3, "0"]},
                "q": {"direction": "output", "bits": [4]}
            },
            "cells": {
                "a": {"type": "SB_LUT4", "connections": {"I0": [3], "O": [5]}},
                "b": {"type": "SB_DFFESR", "connections": {"C": [2], "D": [5], "Q": [4]}},
                "c": {"type": "SB_CARRY", "connections": {"CI": ["1"], "CO": [6]}}
            }
        }}})
    }

    // Claim: the cells of the netlist are counted by kind, including every kind of flip-flop.
    #[test]
    fn cells_are_counted() {
        assert_eq!(count_cells(&netlist(), "t"), Some((1, 1, 1)));
        assert_eq!(count_cells(&netlist(), "other"), None);
    }

    // Claim: out of context, clocks keep their pins and data ports lose theirs.
    #[test]
    fn clock_ports_are_kept() {
        let mut netlist = netlist();
        without_data_ports(&mut netlist, "t").unwrap();
        let ports = netlist["modules"]["t"]["ports"].as_object().unwrap();
        assert_eq!(ports.keys().collect::<Vec<_>>(), ["clock"]);
    }

    // Claim: fmax belongs to the slowest clock, and is `None` for a combinational block.
    #[test]
    fn report_is_parsed() {
        let mut report = json!({
            "fmax": {"a": {"achieved": 120.5, "constraint": 100.0}, "b": {"achieved": 59.9}},
            "utilization": {"ICESTORM_LC": {"used": 300}, "ICESTORM_RAM": {"used": 2}}
        });
        assert_eq!(read_report(&report), Some((300, 2, Some(59.9))));
        report["fmax"] = json!({});
        assert_eq!(read_report(&report), Some((300, 2, None)));
        assert_eq!(read_report(&json!({})), None);
    }

    // Claim: only the table in the packing log is read.
    #[test]
    fn utilisation_is_parsed() {
        let log = "Info: at iteration #1, type ICESTORM_LC: wirelen solved = 17\n\
                   Info: \t         ICESTORM_LC:     300/   7680     3%\n\
                   Info: \t        ICESTORM_RAM:       4/     32     0%\n";
        assert_eq!(read_utilisation(log), Some((300, 4)));
        assert_eq!(read_utilisation("Info: nothing"), None);
    }
}

#[cfg(test)]
mod placement_tests {
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
        let names: Vec<&str> =
            placement.clocks[0].path.iter().map(|hop| hop.name.as_str()).collect();
        assert_eq!(names, ["a", "n"]);
        assert_eq!(placement.too_slow(), None);
        let Capacity { logic_cells, block_rams } = placement.capacity;
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
