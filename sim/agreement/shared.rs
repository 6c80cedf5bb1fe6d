//! The blocks around a core that nodes and host share.

use crate::agreement::agree_on;
use crate::scripts::{line, rarely};
use hdl::lower::Circuit;
use phasecube::engine::Stimulus;
use phasecube::rtl::hosted::{HostPort, SharedMemory};

#[test]
fn shared_memories_agree() {
    let words: Vec<u32> = (0..1500u32).map(|i| i.wrapping_mul(0x9E37_79B9)).collect();
    let stimulus = |width: u64| {
        move |stimulus: Stimulus| {
            stimulus.script(&["address"], move |random| {
                let bits = 1 + random.below(width);
                vec![random.below(1 << bits)]
            })
        }
    };
    agree_on(|| SharedMemory::<0, 1>::new(&words), stimulus(12));
    agree_on(|| SharedMemory::<4, 9>::new(&words), stimulus(12));
    agree_on(|| SharedMemory::<0, 1, 13, 13>::new(&words), stimulus(13));
}

#[test]
fn host_ports_agree() {
    agrees(HostPort::<16, 4>::new);
    agrees(HostPort::<64, 6, 6, 7, 7>::new);
}

fn agrees<C: Circuit + 'static>(port: fn() -> C) {
    agree_on(port, |stimulus| {
        let mut serial = line(25);
        let (mut access, mut left) = (vec![0; 4], 0);
        stimulus
            .script(&["rx"], move |random| vec![serial(random)])
            .script(
                &["request", "offset", "write", "write_data"],
                move |random| {
                    if left == 0 {
                        let offset = 4 * random.below(7);
                        let data = random.next_u64() & 0xF1F;
                        access = vec![random.below(2), offset, random.below(2), data];
                        left = 1 + random.below(4);
                    }
                    left -= 1;
                    access.clone()
                },
            )
            .script(&["begin"], rarely(50))
            .script(&["taken"], rarely(5))
            .script(&["arrived"], rarely(5))
    });
}
