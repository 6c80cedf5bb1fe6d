//! Header data of published circuits.

use hdl::verilog::Publication;

/// Circuit of this project, at the clock of its FPGA designs.
pub fn publication() -> Publication {
    let name = env!("CARGO_PKG_NAME");
    Publication {
        prefix: format!("{name}_").parse().expect("the beginning of a name"),
        licence: env!("CARGO_PKG_LICENSE").into(),
        clock_mhz: 25,
        generator: (name.into(), env!("CARGO_PKG_VERSION").into()),
    }
}
