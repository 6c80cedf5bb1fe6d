//! A kernel: a top block, its child blocks and their types, as one module.

use crate::random_kernels::block::{BlockDraft, GeneratedBlock};
use crate::random_kernels::cover::ConstructCover;
use crate::random_kernels::dice::Dice;
use crate::random_kernels::functions::add_functions;
use crate::random_kernels::generator::KernelGenerator;
use crate::random_kernels::scope::KernelScope;
use crate::random_kernels::types::{World, PARAMS};
use std::fmt::Write;

pub struct Kernel {
    /// The name of its module.
    pub name: String,
    pub source: String,
    /// The top block, with two values of its `N` if it has one.
    pub tops: Vec<String>,
}

/// Text before the blocks of a kernel.
const HEAD: &str = "\
use hdl::prelude::*;

/// Known at generation; a number that every word can hold.
fn parity_of(n: usize) -> u64 {
    (n.count_ones() % 2).into()
}

";

impl Kernel {
    pub fn random(name: String, seed: u64, cover: &mut ConstructCover) -> Self {
        let mut dice = Dice::new(seed);
        let mut world = World::random(&mut dice);
        add_functions(&mut dice, cover, &mut world);
        let mut maker = Maker { dice: &mut dice, cover, world: &world };
        let levels = maker.dice.pick(&[1, 1, 1, 2, 2, 3]);
        let mut blocks: Vec<GeneratedBlock> = vec![];
        for level in 1..levels {
            for i in 0..maker.dice.between(1, 2) {
                let name = format!("Part{level}{}", ["a", "b"][i]);
                let kinds: Vec<GeneratedBlock> =
                    blocks.iter().filter(|b| b.levels < level).cloned().collect();
                let block = maker.block(&name, &kinds, false);
                blocks.push(block);
            }
        }
        let top = maker.block("Top", &blocks, true);
        let mut source = HEAD.to_string();
        source += &world.declarations();
        for block in blocks.iter().chain([&top]) {
            writeln!(source, "{}", block.text).expect("text");
        }
        let tops = match top.n {
            None => vec!["Top".to_string()],
            Some(values) => {
                let other = dice.below(values.len() - 1);
                let values = [values[other], values[values.len() - 1]];
                values.map(|n| format!("Top<{n}>")).to_vec()
            }
        };
        Kernel { name, source, tops }
    }
}

struct Maker<'a> {
    dice: &'a mut Dice,
    cover: &'a mut ConstructCover,
    world: &'a World,
}

impl Maker<'_> {
    /// Returns a block with children of some of these kinds.
    fn block(&mut self, name: &str, kinds: &[GeneratedBlock], top: bool) -> GeneratedBlock {
        let n = match self.dice.below(if top { 6 } else { 3 }) {
            0 => {
                self.cover.hit("const generic");
                // Reuses the values of a child, so that `N` can sometimes be passed on.
                let used = kinds.iter().find_map(|b| b.n);
                match used {
                    Some(values) if !self.dice.one_in(4) => Some(values),
                    _ => Some(self.dice.pick(&PARAMS)),
                }
            }
            _ => None,
        };
        let mut generator = KernelGenerator {
            dice: self.dice,
            cover: self.cover,
            world: self.world,
            n,
            scope: KernelScope::default(),
        };
        let below = kinds.iter().map(|b| b.levels).max().unwrap_or(0);
        if below >= 2 {
            generator.hit("three levels");
        }
        let mut draft = BlockDraft::new(&mut generator);
        draft.ports(top);
        draft.locals();
        draft.registers();
        draft.memories();
        draft.children(kinds);
        draft.text(name, below + 1)
    }
}
