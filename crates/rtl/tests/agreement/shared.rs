//! The blocks around a core that both nodes and hosts use.

use crate::agreement::agree::{agree, agree_on};
use crate::agreement::scripts::{line, rarely};
use engine::Stimulus;
use hdl::lower::Circuit;
use rtl::hosted::{HostPort, LineQueue, ProgramWatch, Restart, SharedMemory, Supervisor};

#[test]
#[ignore = "thorough: Verilator on each block"]
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
    // The first bank has words, the second starts without words, and constants follow.
    let bank = std::iter::repeat_n(0, 1024 + 548);
    let words: Vec<u32> = words.iter().copied().chain(bank).chain(1..200).collect();
    agree_on(|| SharedMemory::<4, 10>::new(&words), stimulus(12));
}

#[test]
#[ignore = "thorough: Verilator on each block"]
fn line_queues_agree() {
    agree(LineQueue::<1>::default);
    agree(LineQueue::<3>::default);
}

#[test]
#[ignore = "thorough: Verilator on each block"]
fn program_watches_agree() {
    agree_on(ProgramWatch::<2>::default, |stimulus| {
        stimulus.script(&["begins"], rarely(20))
    });
}

#[test]
fn supervisors_agree() {
    agree_on(Supervisor::<2, 4>::default, |stimulus| {
        stimulus
            .script(&["restart"], rarely(100))
            .script(&["looks"], rarely(20))
    });
}

#[test]
#[ignore = "thorough: Verilator on each block"]
fn restarts_agree() {
    agree_on(Restart::<4>::default, |stimulus| {
        stimulus.script(&["asked"], rarely(100))
    });
}

#[test]
#[ignore = "thorough: Verilator on each block"]
fn host_ports_agree() {
    agrees(HostPort::<16, 4>::new);
    agrees(HostPort::<64, 6, 6, 7, 7>::new);
    agrees(HostPort::<8, 3, 4, 5, 6, 9>::new);
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
                        let offset = 4 * random.below(9);
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
