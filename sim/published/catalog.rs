//! The circuits that have a name: in every size there is one, with the ports of that size.

use phasecube::kit::{Catalogued, NAMED};

#[test]
fn every_design_has_the_ports_of_its_size() {
    for dims in 1..=16 {
        let design = Catalogued::PIN_MUX.design(dims).unwrap();
        let (_, pull) = design.top().port("pull").unwrap();
        assert_eq!(pull.width(), dims);
    }
    for dims in [1, 12, 16] {
        let design = Catalogued::CM1_ROUTER.design(dims).unwrap();
        let (_, out) = design.top().port("cube_out").unwrap();
        assert_eq!(out.width(), dims);
    }
    for (dims, data) in [(1, 8), (2, 8), (3, 9), (16, 9)] {
        let design = Catalogued::TORUS_NODE.design(dims).unwrap();
        let (_, out) = design.top().port("send_data").unwrap();
        assert_eq!(out.width(), data);
    }
    // Of the first two dimensions there is one virtual channel.
    for (dims, lanes) in [(1, 1), (3, 4), (4, 6), (9, 16)] {
        let design = Catalogued::ROTATION_SWITCH.design(dims).unwrap();
        let name = format!("request_out[{}]", lanes - 1);
        assert!(design.top().port(&name).is_some(), "{dims}");
        assert!(design
            .top()
            .port(&format!("request_out[{lanes}]"))
            .is_none());
    }
    for design in [
        Catalogued::NODE,
        Catalogued::METACUBE_NODE,
        Catalogued::COMPILED_NODE,
    ] {
        for dims in design.dims {
            let node = design.design(*dims).unwrap();
            let (_, address) = node.top().port("address").unwrap();
            assert_eq!(address.width(), *dims);
        }
    }
    for entry in NAMED {
        entry.design(entry.default_dims).unwrap();
    }
}
