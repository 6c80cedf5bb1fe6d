//! Header data of published circuits.

use hdl::verilog::Publication;

/// Name of the project, which begins the name of each published module.
const PROJECT: &str = "phasecube";

/// Circuit of this project, at the clock of its FPGA designs.
pub fn publication() -> Publication {
    Publication {
        prefix: format!("{PROJECT}_")
            .parse()
            .expect("the beginning of a name"),
        licence: env!("CARGO_PKG_LICENSE").into(),
        clock_mhz: 25,
        generator: (PROJECT.into(), env!("CARGO_PKG_VERSION").into()),
    }
}
