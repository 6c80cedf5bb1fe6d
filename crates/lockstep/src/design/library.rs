//! Modules of a design under construction.

use super::{Design, DesignModule, ModuleId};

/// Modules of a design under construction, children before parents.
#[derive(Debug, Default)]
pub struct Library {
    modules: Vec<DesignModule>,
}

impl Library {
    /// Adds all modules of a design and returns its top module. A module that already exists is
    /// shared. A different module of the same name gets a number (`uart_2`).
    pub fn add(&mut self, design: &Design) -> ModuleId {
        let mut ids: Vec<ModuleId> = vec![];
        for module in &design.modules {
            let mut module = module.clone();
            for instance in &mut module.instances {
                instance.module = ids[instance.module.index()];
            }
            ids.push(self.add_module(module));
        }
        ids[design.top.index()]
    }

    /// Adds a module. Its instances must refer to modules of the library.
    pub fn add_module(&mut self, mut module: DesignModule) -> ModuleId {
        let name = module.name.clone();
        for number in 2.. {
            match self.modules.iter().position(|m| m.name == module.name) {
                Some(i) if self.modules[i] == module => return ModuleId(i as u32),
                Some(_) => module.name = format!("{name}_{number}"),
                None => break,
            }
        }
        self.modules.push(module);
        ModuleId(self.modules.len() as u32 - 1)
    }

    pub fn module(&self, id: ModuleId) -> &DesignModule {
        &self.modules[id.index()]
    }

    /// Returns the design with this top module.
    pub fn finish(self, top: ModuleId) -> Design {
        Design {
            modules: self.modules,
            top,
        }
    }
}
