//! Every flag of a network, with every kind of router and node: it changes what the run does, or
//! it is rejected by its name.

use super::program::{program, with_tools};
use phasecube::networks::{network_flags, standard, Purpose};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::Output;

/// A kind of router and node, and what it does with the flags of `run`.
struct RouterFlags {
    /// Flags that select the router.
    args: &'static str,
    /// Flags that the router requires.
    traffic: &'static str,
    /// Flags that the router honours. It rejects every other flag of any network.
    honours: &'static [(&'static str, &'static str)],
}

/// Messages that meet: some wait for their turn, and some are refused.
const MESSAGES: &str = "--pattern relation:8 --seed 1 --trace";

const NOISE: (&str, &str) = ("noise", "--noise 0.01");
const DEAD: (&str, &str) = ("dead", "--dead 5");
const SLIP: (&str, &str) = ("slip", "--slip 5@3");
/// So far apart that frames are damaged.
const SKEW: (&str, &str) = ("skew", "--skew 40");
const SKEW_TREE: (&str, &str) = ("skew-tree", "--skew-tree 2x10");
const PPM: (&str, &str) = ("ppm", "--ppm 40000");
/// A node that counts phases by itself never detects a slip.
const SYNC: (&str, &str) = ("sync", "--slip 5@3 --sync own");
const ONE_SUPERFRAME: (&str, &str) = ("superframes", "--superframes 1");
const RAW: (&str, &str) = ("link", "--link raw");
const ASCENDING: (&str, &str) = ("service-order", "--service-order ascending");
const ADAPTIVE: (&str, &str) = ("routing", "--routing adaptive");
const FIRMWARE: (&str, &str) = ("firmware", "--firmware route");
const SERVICE: (&str, &str) = ("service", "--service 400");
const PROFILE: (&str, &str) = ("profile", "--profile");
const MEMORY: (&str, &str) = ("memory", "--memory 4K,1K");
const MULTIPLY: (&str, &str) = ("multiply", "--multiply");
/// A core that does nothing.
const CORE: (&str, &str) = ("core", "--core idle.v");
/// The other module of two.
const CORE_TOP: (&str, &str) = ("core-top", "--core two.v --core-top idle");
const METACUBE: (&str, &str) = ("metacube", "--metacube 1,2");
const ONE_COUNT: (&str, &str) = ("counts", "--counts 1");
const HELD: (&str, &str) = ("held", "--held");

const ROUTERS: &[RouterFlags] = &[
    RouterFlags {
        args: "--dims 3",
        traffic: MESSAGES,
        honours: &[
            RAW,
            ASCENDING,
            ADAPTIVE,
            SYNC,
            NOISE,
            DEAD,
            SLIP,
            SKEW,
            SKEW_TREE,
            PPM,
            ONE_SUPERFRAME,
            FIRMWARE,
        ],
    },
    RouterFlags {
        args: "--dims 3 --link raw",
        traffic: MESSAGES,
        honours: &[SYNC, NOISE, DEAD, SLIP, SKEW, SKEW_TREE, PPM, ONE_SUPERFRAME, FIRMWARE],
    },
    RouterFlags {
        args: "--dims 3 --routing adaptive",
        traffic: MESSAGES,
        honours: &[SYNC, NOISE, DEAD, SLIP, SKEW, SKEW_TREE, PPM, ONE_SUPERFRAME, FIRMWARE],
    },
    RouterFlags {
        args: "--dims 3 --firmware route",
        traffic: MESSAGES,
        honours: &[
            RAW,
            ASCENDING,
            ADAPTIVE,
            SYNC,
            NOISE,
            DEAD,
            SLIP,
            SKEW,
            SKEW_TREE,
            PPM,
            ONE_SUPERFRAME,
            SERVICE,
            PROFILE,
            CORE,
            CORE_TOP,
        ],
    },
    RouterFlags {
        args: "--dims 3 --link raw --firmware route",
        traffic: MESSAGES,
        honours: &[
            SYNC,
            NOISE,
            DEAD,
            SLIP,
            SKEW,
            SKEW_TREE,
            PPM,
            ONE_SUPERFRAME,
            SERVICE,
            PROFILE,
            CORE,
            CORE_TOP,
        ],
    },
    RouterFlags {
        args: "--dims 3 --routing adaptive --firmware route",
        traffic: MESSAGES,
        honours: &[
            SYNC,
            NOISE,
            DEAD,
            SLIP,
            SKEW,
            SKEW_TREE,
            PPM,
            ONE_SUPERFRAME,
            SERVICE,
            PROFILE,
            CORE,
            CORE_TOP,
        ],
    },
    RouterFlags {
        args: "--dims 3 --firmware route_at_once",
        traffic: MESSAGES,
        honours: &[
            RAW,
            ASCENDING,
            SYNC,
            NOISE,
            DEAD,
            SLIP,
            SKEW,
            SKEW_TREE,
            PPM,
            ONE_SUPERFRAME,
            SERVICE,
            PROFILE,
            CORE,
            CORE_TOP,
        ],
    },
    RouterFlags {
        args: "--dims 3 --firmware many.c --data many.csv",
        traffic: "",
        honours: &[
            RAW,
            ASCENDING,
            SYNC,
            NOISE,
            DEAD,
            SLIP,
            SKEW,
            SKEW_TREE,
            PPM,
            ONE_SUPERFRAME,
            SERVICE,
            PROFILE,
            CORE,
            CORE_TOP,
        ],
    },
    RouterFlags {
        args: "--dims 3 --compiled cube.json",
        traffic: "--trace",
        honours: &[NOISE, DEAD, SLIP, ONE_SUPERFRAME],
    },
    RouterFlags {
        args: "--network metacube --dims 3",
        traffic: MESSAGES,
        honours: &[
            METACUBE,
            ONE_COUNT,
            NOISE,
            DEAD,
            SLIP,
            SKEW,
            SKEW_TREE,
            PPM,
            ONE_SUPERFRAME,
            FIRMWARE,
        ],
    },
    RouterFlags {
        args: "--network metacube --dims 3 --firmware route",
        traffic: MESSAGES,
        honours: &[
            METACUBE,
            ONE_COUNT,
            NOISE,
            DEAD,
            SLIP,
            SKEW,
            SKEW_TREE,
            PPM,
            ONE_SUPERFRAME,
            SERVICE,
            PROFILE,
            CORE,
            CORE_TOP,
        ],
    },
    RouterFlags {
        args: "--network metacube --dims 3 --firmware many.c --data many.csv",
        traffic: "",
        honours: &[
            METACUBE,
            ONE_COUNT,
            NOISE,
            DEAD,
            SLIP,
            SKEW,
            SKEW_TREE,
            PPM,
            ONE_SUPERFRAME,
            SERVICE,
            PROFILE,
            CORE,
            CORE_TOP,
        ],
    },
    RouterFlags {
        args: "--network metacube --dims 3 --compiled metacube.json",
        traffic: "--trace",
        // The file says which metacube it is.
        honours: &[NOISE, DEAD, SLIP, ONE_SUPERFRAME],
    },
    RouterFlags {
        args: "--network metacube --dims 3 --exchange lockstep",
        traffic: "--trace",
        honours: &[METACUBE, ONE_COUNT, NOISE, DEAD, SLIP, HELD],
    },
    RouterFlags {
        args: "--network metacube --dims 3 --exchange cyclic",
        traffic: "--trace",
        honours: &[METACUBE, NOISE, DEAD, SLIP, ONE_SUPERFRAME, HELD],
    },
    RouterFlags {
        args: "--network metacube --dims 3 --exchange pipelined",
        traffic: "--trace",
        honours: &[METACUBE, NOISE, DEAD, SLIP, ONE_SUPERFRAME, HELD],
    },
    RouterFlags {
        args: "--network cm1 --dims 3",
        traffic: "--pattern relation:4",
        honours: &[
            ("rows", "--rows 4"),
            ("processors", "--processors 4"),
            ("vp-bits", "--vp-bits 4"),
            ("vp-ratio", "--vp-ratio 2"),
            ("data-bits", "--data-bits 64"),
            ("eject", "--eject per-chip"),
            ("broken", "--broken 1-3"),
            ("hearts", "--hearts 0"),
            NOISE,
            DEAD,
        ],
    },
    RouterFlags {
        args: "--network torus --dims 3",
        traffic: MESSAGES,
        honours: &[
            ("radix", "--radix 3,3"),
            ("switch", "--switch after"),
            ("tail", "--tail wire"),
            ("vcs", "--vcs 1"),
            ("queue", "--queue 2"),
        ],
    },
    RouterFlags {
        args: "--network torus --dims 3 --vcs 1",
        traffic: MESSAGES,
        honours: &[("radix", "--radix 3,3"), ("tail", "--tail wire"), ("queue", "--queue 2")],
    },
    RouterFlags {
        args: "--network rotation --dims 4",
        traffic: MESSAGES,
        honours: &[
            ("rule", "--rule thacker"),
            ("first-hop", "--first-hop serial"),
            ("vcs", "--vcs 1"),
            ("queue", "--queue 2"),
            DEAD,
        ],
    },
    RouterFlags {
        args: "--network rotation --dims 4 --rule thacker",
        traffic: MESSAGES,
        honours: &[("vcs", "--vcs 1"), ("queue", "--queue 2")],
    },
    RouterFlags {
        args: "--network rotation --dims 4 --dead 5",
        traffic: MESSAGES,
        honours: &[("vcs", "--vcs 1"), ("queue", "--queue 2")],
    },
];

/// A value of every flag that a router may reject.
const VALUES: &[(&str, &str)] = &[
    ("link", "--link raw"),
    ("service-order", "--service-order turns"),
    ("routing", "--routing adaptive"),
    ("compiled", "--compiled cube.json"),
    ("sync", "--sync own"),
    NOISE,
    DEAD,
    SLIP,
    ("skew", "--skew 1"),
    ("skew-tree", "--skew-tree 2x1"),
    ("ppm", "--ppm 10"),
    ONE_SUPERFRAME,
    FIRMWARE,
    SERVICE,
    PROFILE,
    MEMORY,
    MULTIPLY,
    CORE,
    ("core-top", "--core-top idle"),
    ("metacube", "--metacube 2,1"),
    ONE_COUNT,
    ("exchange", "--exchange cyclic"),
    HELD,
    ("rows", "--rows 4"),
    ("processors", "--processors 4"),
    ("vp-bits", "--vp-bits 4"),
    ("vp-ratio", "--vp-ratio 2"),
    ("data-bits", "--data-bits 64"),
    ("eject", "--eject per-chip"),
    ("broken", "--broken 1-3"),
    ("hearts", "--hearts 0"),
    ("radix", "--radix 3,3"),
    ("switch", "--switch after"),
    ("tail", "--tail wire"),
    ("vcs", "--vcs 1"),
    ("queue", "--queue 2"),
    ("rule", "--rule thacker"),
    ("first-hop", "--first-hop serial"),
];

/// Flags that a router takes and that change nothing: they say what it has anyway, or give its
/// programs memory or instructions that they do not use.
const SAME: &[(&str, &str)] = &[
    ("--network metacube --dims 3 --compiled metacube.json", "--metacube 1,1"),
    ("--dims 3 --firmware route", MEMORY.1),
    ("--dims 3 --link raw --firmware route", MEMORY.1),
    ("--dims 3 --routing adaptive --firmware route", MEMORY.1),
    ("--dims 3 --firmware route_at_once", MEMORY.1),
    ("--dims 3 --firmware many.c --data many.csv", MEMORY.1),
    ("--dims 3 --firmware many.c --data many.csv", MULTIPLY.1),
    ("--network metacube --dims 3 --firmware route", MEMORY.1),
    ("--network metacube --dims 3 --firmware many.c --data many.csv", MEMORY.1),
    ("--network metacube --dims 3 --firmware many.c --data many.csv", MULTIPLY.1),
];

/// A program that sends a word to each destination that its host gives, and returns what comes in
/// the order in which it comes: some messages wait for others.
const MANY: &str = r#"
#include "ctrl.h"
#include "tdma.h"

static void take(unsigned dims)
{
    uint32_t word;
    for (unsigned dim = 0; dim <= dims; dim++)
        if (tdma_recv(dim, &word, sizeof word) >= 0)
            ctrl_send(&word, sizeof word);
}

int main(void)
{
    uint16_t here = tdma_strapped_address();
    unsigned dims = tdma_strapped_dims();
    tdma_init(here, dims);
    uint32_t destination;
    for (uint32_t word = here << 8; ctrl_wait(&destination, sizeof destination); word++) {
        tdma_route((uint16_t)destination, &word, sizeof word);
        take(dims);
    }
    for (unsigned phase = 0; phase < 200; phase++) {
        take(dims);
        tdma_next_phase();
    }
    return 0;
}
"#;

/// A core of the user that does nothing.
pub const IDLE: &str = "\
module idle (
    input clock, input reset, input wake, output sleep, output request, output [31:0] address,
    output [31:0] write_data, output [3:0] write_strobe, input ready, input [31:0] read_data,
    output reg halted
);
    assign sleep = 0;
    assign request = 0;
    assign write_data = 0;
    reg [35:0] last;
    assign {address, write_strobe} = last;
    always @(posedge clock) begin
        last <= {read_data, ready, wake, 2'b00};
        halted <= 0;
    end
endmodule
";

/// The destinations that its nodes are given.
const DESTINATIONS: &str = "0,2,5,7,7\n1,7,0,3,0\n2,4,7,4,4\n3,6,4,7,1\n4,0,3,0,7\n5,3,3,4,7\n\
                            6,7,0,5,3\n7,2,5,6,1\n";

/// Whether the router is chosen by this flag.
fn is_chosen_by(router: &RouterFlags, flag: &str) -> bool {
    router.args.split(' ').any(|word| word == format!("--{flag}"))
}

/// The flags of all networks, as they are typed.
fn flags() -> BTreeSet<String> {
    let networks = standard();
    let all = networks.iter().flat_map(|network| {
        let own = network_flags(network, Purpose::Run);
        let ids = own.get_arguments().map(|flag| flag.get_id().as_str().replace('_', "-"));
        ids.collect::<Vec<_>>()
    });
    all.collect()
}

/// The schedules that routers follow, and the program of nodes that are given data.
fn with_files(dir: &Path) {
    fs::write(dir.join("many.c"), MANY).unwrap();
    fs::write(dir.join("many.csv"), DESTINATIONS).unwrap();
    fs::write(dir.join("idle.v"), IDLE).unwrap();
    let ports = ["sleep", "request", "address", "write_data", "write_strobe"];
    let ports = ["clock", "reset", "wake", "ready", "read_data"].iter().chain(&ports);
    let pins: Vec<String> = ports.map(|port| format!(".{port}({port})")).collect();
    // A core that is halted from the start, around the other one.
    let halted = format!("assign halted = 1;\n    idle inner ({});\nendmodule\n", pins.join(", "));
    let (head, _) = IDLE.split_once("    assign").unwrap();
    let head = head.replace("module idle", "module halting").replace("output reg", "output");
    fs::write(dir.join("two.v"), format!("{IDLE}{head}{halted}")).unwrap();
    for compile in [
        "compile --dims 3 --pattern relation:4 --seed 3 --out cube.json",
        "compile --metacube 1,1 --pattern relation:4 --seed 3 --out metacube.json",
    ] {
        let done = program(dir).args(compile.split(' ')).output().unwrap();
        assert_eq!(done.status.code(), Some(0), "{done:?}");
    }
}

/// A flag that is new must be tried with every router.
#[test]
fn every_flag_of_a_network_is_tried() {
    let tried: BTreeSet<String> = VALUES.iter().map(|(flag, _)| flag.to_string()).collect();
    assert_eq!(tried, flags());
    for router in ROUTERS {
        for (flag, value) in router.honours {
            assert!(tried.contains(*flag) && value.contains(flag), "{}: {flag}", router.args);
            assert!(!is_chosen_by(router, flag), "{}: {flag}", router.args);
        }
    }
}

/// A router rejects a flag that it does not honour, by name, with exit code 2, before anything runs.
#[test]
fn unsupported_flags_of_a_router_are_rejected_by_name() {
    let dir = tempfile::tempdir().unwrap();
    with_files(dir.path());
    let networks = standard();
    let file = |name: &str| dir.path().join(name).display().to_string();
    let mut tried = 0;
    let mut rejects = |router: &RouterFlags, flag: &str, value: &str| {
        let line = format!("phasecube --quiet run {} {} {value}", router.args, router.traffic);
        let words = line.split_whitespace().map(|word| match word.ends_with(".json") {
            true => file(word),
            false => word.to_owned(),
        });
        let Err(failure) = phasecube::cli::run_command_line(&networks, words) else {
            panic!("{line}: it ran");
        };
        let says = failure.to_string();
        assert_eq!(failure.exit_code(), 2, "{line}: {says}");
        assert!(says.contains(&format!("--{flag}")), "{line}: {says}");
        tried += 1;
    };
    for router in ROUTERS {
        let honours = |flag: &str| router.honours.iter().any(|(honoured, _)| *honoured == flag);
        let is_same = |flag: &str| {
            let same = |(args, value): &&(&str, &str)| {
                *args == router.args && value.split(' ').next() == Some(&format!("--{flag}"))
            };
            SAME.iter().any(|same_as| same(&same_as))
        };
        for (flag, value) in VALUES {
            if !honours(flag) && !is_chosen_by(router, flag) && !is_same(flag) {
                rejects(router, flag, value);
            }
        }
    }
    // A compiled schedule has its own messages.
    for router in ROUTERS.iter().filter(|router| is_chosen_by(router, "compiled")) {
        for (flag, value) in [
            ("pattern", "--pattern bitrev"),
            ("payload", "--payload 8"),
            ("schedule", "--pattern total-exchange --schedule xor"),
        ] {
            // The first of several is the one that is named.
            let named = if flag == "schedule" { "pattern" } else { flag };
            rejects(router, named, value);
        }
    }
    assert!(tried > 400, "{tried}");
}

/// Output of a run, without the lines that repeat the flags and without the speed.
fn result(dir: &Path, args: &str) -> (Option<i32>, String) {
    let mut run = with_tools(dir);
    run.arg("run").args(args.split_whitespace());
    let Output { status, stdout, stderr } = run.output().unwrap();
    let (stdout, stderr) = (String::from_utf8_lossy(&stdout), String::from_utf8_lossy(&stderr));
    assert!(matches!(status.code(), Some(0 | 1)), "{args}: {stderr}");
    let reported =
        |line: &&str| !line.contains(" engine: ") && !line.contains(" million node-cycles");
    // A row of the programs that have not ended: node, state, address, function. The address depends
    // on the size of the code.
    let without_address = |line: &str| {
        let words = line.split_whitespace().enumerate();
        let is_address = |(column, word): &(usize, &str)| *column == 2 && word.starts_with("0x");
        let words = words.filter(|word| !is_address(word)).map(|(_, word)| word);
        words.collect::<Vec<_>>().join(" ")
    };
    let lines = stdout.lines().filter(reported).map(without_address);
    let lines: Vec<String> = lines.collect();
    assert!(lines.len() > 2, "{args}: {stdout} {stderr}");
    (status.code(), lines.join("\n"))
}

/// The flags that routers honour and that change nothing, and those that should change nothing and
/// do.
fn without_effect(dir: &Path) -> Vec<String> {
    let mut wrong = vec![];
    let mut known = BTreeMap::new();
    for router in ROUTERS {
        let base = format!("{} {}", router.args, router.traffic);
        for (_, value) in router.honours {
            let context = value.rsplit_once(" --").map_or("", |(before, _)| before);
            let context = format!("{base} {context}");
            let without = known.entry(context.clone()).or_insert_with(|| result(dir, &context));
            if *without == result(dir, &format!("{base} {value}")) {
                wrong.push(format!("{context} {value}: the same"));
            }
        }
        for (_, value) in SAME.iter().filter(|(args, _)| *args == router.args) {
            if result(dir, &base) != result(dir, &format!("{base} {value}")) {
                wrong.push(format!("{base} {value}: not the same"));
            }
        }
    }
    wrong
}

#[test]
#[ignore = "thorough: some hundred runs"]
fn supported_flags_of_a_router_change_the_run() {
    let dir = tempfile::tempdir().unwrap();
    with_files(dir.path());
    let wrong = without_effect(dir.path());
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// A node may have a message of its own host for a link, and another one that came by a link. By
/// ascending order the latter goes first, in phase 11 of the first list.
#[test]
fn routers_in_hardware_and_software_serve_in_the_same_order() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("list.csv"), "6,2\n6,2\n5,6\n5,2\n").unwrap();
    let mut others = 0;
    for traffic in ["--pattern file:list.csv", "--pattern relation:8"] {
        let log = |args: &str| {
            let args = format!("--dims 3 {traffic} --trace {args}");
            let (code, text) = result(dir.path(), &args);
            assert_eq!(code, Some(0), "{text}");
            let sent = |line: &&str| line.contains(" fwd ") || line.contains(" dlv ");
            let lines: Vec<String> = text.lines().filter(sent).map(str::to_owned).collect();
            assert!(!lines.is_empty(), "{text}");
            lines
        };
        let round_robin = log("");
        let ascending = log("--service-order ascending");
        others += usize::from(round_robin != ascending);
        for firmware in ["route", "route_at_once"] {
            let firmware = format!("--firmware {firmware}");
            assert_eq!(log(&firmware), round_robin, "{traffic} {firmware}");
            let ordered = format!("{firmware} --service-order ascending");
            assert_eq!(log(&ordered), ascending, "{traffic} {firmware}");
        }
    }
    assert!(others > 0, "the orders are the same");
}
