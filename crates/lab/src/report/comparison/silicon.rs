//! Cost of the nodes in a comparison, measured with the FPGA tools.

use crate::report::{Cost, CostError};
use machine::{memory_bits, Silicon, SynthesisUnit, WholeNode};
use rayon::prelude::*;
use serde::Serialize;
use std::path::Path;
use toolchain::Toolchain;

/// Cost of a circuit, placed and routed alone.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PartCost {
    #[serde(flatten)]
    pub cost: Cost,
    /// Bits of its memories, as the circuit declares them.
    pub memory_bits: u64,
}

/// Cost of a node.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SiliconReport {
    /// Router without the processors.
    pub router: PartCost,
    /// Node with its processors. If they are in a separate circuit, this is the sum of both, each
    /// measured alone.
    pub node: PartCost,
    /// Circuit that the machine contains once, if there is one.
    pub shared: Option<PartCost>,
    /// Clock frequency of the routing circuit in MHz. If software routes, this is the whole node,
    /// otherwise the router.
    pub clock_mhz: Option<f64>,
}

impl SiliconReport {
    /// Measures the circuits of machines, with one job per processor, or reuses earlier results in
    /// `work_dir`. Machines that are not synthesised have `None`. `heard` receives the name of each
    /// circuit.
    ///
    /// # Errors
    /// If a tool is missing or fails.
    pub fn measure(
        tools: &Toolchain,
        machines: &[Option<Silicon>],
        work_dir: &Path,
        heard: &(dyn Fn(&str) + Sync),
    ) -> Result<Vec<Option<Self>>, CostError> {
        let measure =
            |silicon: &Silicon| SiliconReport::measure_one(tools, silicon, work_dir, heard);
        let reports = machines
            .par_iter()
            .map(|silicon| silicon.as_ref().map(measure).transpose());
        reports.collect()
    }

    fn measure_one(
        tools: &Toolchain,
        silicon: &Silicon,
        work_dir: &Path,
        heard: &(dyn Fn(&str) + Sync),
    ) -> Result<Self, CostError> {
        let measure = |part: &SynthesisUnit| -> Result<PartCost, CostError> {
            heard(&part.name);
            Ok(PartCost {
                cost: Cost::measure(tools, &part.name, &part.design, work_dir)?,
                memory_bits: memory_bits(&part.design),
            })
        };
        let router = measure(&silicon.router)?;
        let (node, routing) = match &silicon.node {
            WholeNode::One(part) => {
                let node = measure(part)?;
                (node.clone(), node)
            }
            WholeNode::Cores { core, count } => {
                let mut core = measure(core)?;
                core.memory_bits += WholeNode::CORE_MEMORY_BITS;
                core.cost.block_rams += WholeNode::CORE_BLOCK_RAMS;
                (router.with(&core, *count), router.clone())
            }
        };
        Ok(SiliconReport {
            shared: silicon.shared.as_ref().map(measure).transpose()?,
            clock_mhz: routing.cost.fmax_mhz,
            router,
            node,
        })
    }
}

impl PartCost {
    /// Cost of this part together with `count` cores.
    fn with(&self, core: &PartCost, count: usize) -> Self {
        let (own, each) = (&self.cost, &core.cost);
        let slower = [own.fmax_mhz, each.fmax_mhz].into_iter().flatten();
        PartCost {
            cost: Cost {
                block: match count {
                    1 => format!("{} + {}", own.block, each.block),
                    n => format!("{} + {n} {}", own.block, each.block),
                },
                logic_cells: own.logic_cells + count * each.logic_cells,
                flip_flops: own.flip_flops + count * each.flip_flops,
                block_rams: own.block_rams + count * each.block_rams,
                fmax_mhz: slower.min_by(f64::total_cmp),
            },
            memory_bits: self.memory_bits + count as u64 * core.memory_bits,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn separate_cores_are_added_to_the_router() {
        let part = |block: &str, cells, fmax_mhz| PartCost {
            cost: Cost {
                block: block.into(),
                logic_cells: cells,
                flip_flops: cells / 2,
                block_rams: 1,
                fmax_mhz,
            },
            memory_bits: 10,
        };
        let (router, core) = (part("R", 200, Some(80.0)), part("C", 500, Some(60.0)));
        let sum = router.with(&core, 2);
        assert_eq!(sum.cost.block, "R + 2 C");
        assert_eq!(sum.cost.logic_cells, 1200);
        assert_eq!(sum.cost.flip_flops, 600);
        assert_eq!((sum.cost.block_rams, sum.memory_bits), (3, 30));
        assert_eq!(sum.cost.fmax_mhz, Some(60.0));
        assert_eq!(router.with(&core, 1).cost.block, "R + C");
    }
}
