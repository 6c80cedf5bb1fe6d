//! Tables of routes: their format, and verdicts on networks that are known from the literature.

use super::*;
use crate::routing::dependencies::{
    check_deadlock, check_escape, DeadlockVerdict, EscapeFault, EscapeSet, EscapeVerdict, Filling,
    Switching,
};
use crate::traffic::SplitMix64;
use std::fmt::Write;

const BOTH: [Switching; 2] = [Switching::StoreAndForward, Switching::Wormhole];

/// One-way ring of `nodes` nodes. `vc` selects the virtual channel from the node and the destination.
fn ring(nodes: u32, vcs: u32, vc: fn(u32, u32) -> u32) -> RoutingTable {
    let (mut topology, mut routes) = ("from,to,vcs\n".to_owned(), "at,to,next,vc\n".to_owned());
    for at in 0..nodes {
        let next = (at + 1) % nodes;
        let _ = writeln!(topology, "{at},{next},{vcs}");
        for to in (0..nodes).filter(|to| *to != at) {
            let _ = writeln!(routes, "{at},{to},{next},{}", vc(at, to));
        }
    }
    RoutingTable::parse(&topology, &routes).unwrap()
}

/// `side` by `side` mesh with edges. `hops` returns the next nodes, virtual channels and escapes of a
/// message at a node, given the coordinates of both ends.
fn mesh(
    side: i32,
    vcs: u32,
    hops: impl Fn([i32; 2], [i32; 2]) -> Vec<RelationHop>,
) -> RoutingTable {
    let (mut topology, mut routes) =
        ("from,to,vcs\n".to_owned(), "at,to,next,vc,escape\n".to_owned());
    let all = || (0..side * side).map(move |n| [n % side, n / side]);
    let name = |[x, y]: [i32; 2]| format!("{x}.{y}");
    for at in all() {
        for next in all().filter(|next| (next[0] - at[0]).abs() + (next[1] - at[1]).abs() == 1) {
            let _ = writeln!(topology, "{},{},{vcs}", name(at), name(next));
        }
        for to in all().filter(|to| *to != at) {
            for RelationHop { step, vc, escape } in hops(at, to) {
                let next = [at[0] + step[0], at[1] + step[1]];
                let (at, to, next) = (name(at), name(to), name(next));
                let escape = if escape { "yes" } else { "" };
                let _ = writeln!(routes, "{at},{to},{next},{vc},{escape}");
            }
        }
    }
    RoutingTable::parse(&topology, &routes).unwrap()
}

#[derive(Clone, Copy, Debug)]
struct RelationHop {
    step: [i32; 2],
    vc: u32,
    escape: bool,
}

/// Steps that bring a message nearer, x first.
fn useful(at: [i32; 2], to: [i32; 2]) -> Vec<[i32; 2]> {
    let [x, y] = [0, 1].map(|i: usize| (to[i] - at[i]).signum());
    let steps = [[x, 0], [0, y]];
    steps.into_iter().filter(|step| *step != [0, 0]).collect()
}

/// Any useful step on virtual channel 1, and e-cube on virtual channel 0.
fn adaptive_with_escape(at: [i32; 2], to: [i32; 2], escape_vc: Option<u32>) -> Vec<RelationHop> {
    let steps = useful(at, to);
    let hop = |step, vc| RelationHop { step, vc, escape: escape_vc == Some(vc) };
    let ecube = hop(steps[0], 0);
    let any = steps.iter().map(|step| hop(*step, 1));
    [ecube].into_iter().chain(any).collect()
}

fn is_acyclic(relation: &dyn Relation) -> bool {
    let verdict = check_deadlock(relation, Switching::Wormhole).unwrap();
    matches!(verdict, DeadlockVerdict::Acyclic { .. })
}

/// Dally and Seitz, "Deadlock-Free Message Routing in Multiprocessor Interconnection Networks",
/// figure 2: a ring deadlocks with one virtual channel. With two it does not, if messages for a
/// higher address use the high channel.
#[test]
fn a_ring_needs_two_virtual_channels() {
    let one = ring(4, 1, |_, _| 0);
    for holding in BOTH {
        let verdict = check_deadlock(&one, holding).unwrap();
        let DeadlockVerdict::Cyclic { cycle, filling, .. } = verdict else {
            panic!("{verdict:?}");
        };
        assert_eq!(cycle.len(), 4);
        assert!(matches!(filling, Filling::By(messages) if messages.len() == 4));
        let escape = check_escape(&one, holding).unwrap();
        assert_eq!(escape, EscapeVerdict::None);
    }
    assert!(is_acyclic(&ring(4, 2, |at, to| u32::from(at < to))));
    // Both channels without the rule do not help.
    assert!(!is_acyclic(&ring(4, 2, |_, _| 1)));
}

/// Duato, "A New Theory of Deadlock-Free Adaptive Routing in Wormhole Networks", section IV: fully
/// adaptive minimal routing on one virtual channel, with e-cube as its escape. The dependency graph
/// has cycles, and the network is free of deadlock.
#[test]
fn an_adaptive_mesh_with_an_escape_is_free_of_deadlock() {
    for holding in BOTH {
        let declared = mesh(4, 2, |at, to| adaptive_with_escape(at, to, Some(0)));
        assert!(!is_acyclic(&declared));
        let EscapeVerdict::Free { set, order } = check_escape(&declared, holding).unwrap() else {
            panic!("it is free of deadlock");
        };
        // All channels of the mesh, each on virtual channel 0.
        assert_eq!((set, order.len()), (EscapeSet::Declared, 48));
        assert!(order.iter().all(|channel| channel.vc == 0));
        // The checker finds the escape without a declaration.
        let found = mesh(4, 2, |at, to| adaptive_with_escape(at, to, None));
        let EscapeVerdict::Free { set, .. } = check_escape(&found, holding).unwrap() else {
            panic!("it is free of deadlock");
        };
        assert_eq!(set, EscapeSet::VirtualChannel(0));
        // The adaptive channels are no escape.
        let wrong = mesh(4, 2, |at, to| adaptive_with_escape(at, to, Some(1)));
        let EscapeVerdict::Faulty(EscapeFault::Cycle(cycle)) =
            check_escape(&wrong, holding).unwrap()
        else {
            panic!("it has a cycle");
        };
        assert!(cycle.iter().all(|channel| channel.vc == 1));
    }
}

/// Fully adaptive routing on one virtual channel deadlocks: four messages around a square.
#[test]
fn an_adaptive_mesh_without_an_escape_deadlocks() {
    let all = |at, to| {
        let steps = useful(at, to).into_iter();
        let hop = |step| RelationHop { step, vc: 0, escape: false };
        steps.map(hop).collect()
    };
    let adaptive = mesh(3, 1, all);
    for holding in BOTH {
        let verdict = check_deadlock(&adaptive, holding).unwrap();
        let DeadlockVerdict::Cyclic { cycle, .. } = &verdict else {
            panic!("{verdict:?}");
        };
        assert_eq!(cycle.len(), 4);
        assert_eq!(check_escape(&adaptive, holding).unwrap(), EscapeVerdict::None);
    }
    // The smallest case: the turns of two messages at most, in a square of four nodes.
    let square = mesh(2, 1, all);
    let verdict = check_deadlock(&square, Switching::Wormhole).unwrap();
    assert!(matches!(verdict, DeadlockVerdict::Cyclic { .. }));
    // Dimension order on the same mesh.
    assert!(is_acyclic(&mesh(3, 1, |at, to| { all(at, to).into_iter().take(1).collect() })));
}

/// A message that may leave its shortest route holds an escape channel, makes a detour, and wants an
/// earlier escape channel. Only the indirect dependencies show it. In store and forward it holds
/// nothing on the way.
#[test]
fn detours_make_indirect_dependencies() {
    let detours = mesh(3, 2, |at, to| {
        let inside = |step: &[i32; 2]| (0..2).all(|i| (0..3).contains(&(at[i] + step[i])));
        let steps = [[1, 0], [-1, 0], [0, 1], [0, -1]].into_iter().filter(inside);
        let any = steps.map(|step| RelationHop { step, vc: 1, escape: false });
        let ecube = RelationHop { step: useful(at, to)[0], vc: 0, escape: true };
        any.chain([ecube]).collect()
    });
    let [together, worm] = BOTH.map(|holding| check_escape(&detours, holding).unwrap());
    assert!(matches!(together, EscapeVerdict::Free { .. }), "{together:?}");
    let EscapeVerdict::Faulty(EscapeFault::Cycle(_)) = worm else {
        panic!("{worm:?}");
    };
}

#[test]
fn an_escape_that_is_missing_is_named() {
    let without = mesh(2, 2, |at, to| {
        let hops = adaptive_with_escape(at, to, Some(0)).into_iter();
        let has = |hop: &RelationHop| at != [1, 0] || hop.vc == 1;
        hops.filter(has).collect()
    });
    let verdict = check_escape(&without, Switching::Wormhole).unwrap();
    let EscapeVerdict::Faulty(EscapeFault::Missing { node, .. }) = verdict else {
        panic!("{verdict:?}");
    };
    assert_eq!(without.topology().node_name(node), "1.0");
}

/// On random minimal relations, a verdict of freedom never meets messages that deadlock.
#[test]
fn free_of_deadlock_and_deadlocked_exclude_each_other() {
    let (mut free, mut filled) = (0, 0);
    for seed in 0..600 {
        let table = random_table(&mut SplitMix64::new(seed));
        for holding in BOTH {
            let DeadlockVerdict::Cyclic { filling, .. } = check_deadlock(&table, holding).unwrap()
            else {
                continue;
            };
            let escape = check_escape(&table, holding).unwrap();
            let is_free = matches!(escape, EscapeVerdict::Free { .. });
            let is_filled = matches!(filling, Filling::By(_));
            assert!(!(is_free && is_filled), "{seed}: {table:?}");
            free += u32::from(is_free);
            filled += u32::from(is_filled);
        }
    }
    assert!(free > 20 && filled > 20, "{free} {filled}");
}

/// A ring of 5 nodes in both directions, 2 virtual channels, and random hops on shortest routes.
fn random_table(random: &mut SplitMix64) -> RoutingTable {
    let (mut topology, mut routes) =
        ("from,to,vcs\n".to_owned(), "at,to,next,vc,escape\n".to_owned());
    let nodes = 4 + random.below(2) as u32;
    for at in 0..nodes {
        for next in [(at + 1) % nodes, (at + nodes - 1) % nodes] {
            let _ = writeln!(topology, "{at},{next},2");
        }
    }
    for at in 0..nodes {
        for to in (0..nodes).filter(|to| *to != at) {
            let far = |node: u32| {
                let ahead = (to + nodes - node) % nodes;
                ahead.min(nodes - ahead)
            };
            let hops: Vec<(u32, u64)> = [(at + 1) % nodes, (at + nodes - 1) % nodes]
                .into_iter()
                .filter(|next| far(*next) < far(at))
                .flat_map(|next| [(next, 0), (next, 1)])
                .collect();
            let always = random.below(hops.len() as u64) as usize;
            for (place, (next, vc)) in hops.into_iter().enumerate() {
                if place == always || random.below(3) == 0 {
                    let escape = if place == always { "yes" } else { "" };
                    let _ = writeln!(routes, "{at},{to},{next},{vc},{escape}");
                }
            }
        }
    }
    RoutingTable::parse(&topology, &routes).unwrap()
}

/// A route may depend on where a message comes from.
#[test]
fn rows_apply_to_messages_of_one_origin() {
    let topology = "from,to,vcs\na,b,2\nb,c,2\nc,b,1\nb,a,1\n";
    let routes = "# turns at b\nat,to,next,vc,from,from_vc\na,c,b,0,,\na,c,b,1,,\n\
                  b,c,c,1,a,0\nb,c,c,0,a,1\n";
    let table = RoutingTable::parse(topology, routes).unwrap();
    let [a, b, c] = ["a", "b", "c"].map(|name| table.graph.node(name).unwrap());
    let vcs = |channels: Vec<Channel>| channels.iter().map(|c| c.vc).collect::<Vec<_>>();
    let [high, low] = [1, 0].map(|vc| Channel::new(PortEnd::new(a, 0), vc));
    // `b` only passes the messages of `a` on.
    assert!(table.first(b, c).is_empty() && !table.has_route(b, c));
    assert!(table.has_route(a, c));
    assert_eq!(vcs(table.next(low, c)), [1]);
    assert_eq!(vcs(table.next(high, c)), [0]);
    assert_eq!(table.channel_name(high), "a to b, virtual channel 1");
    assert_eq!(table.pairs_without_route(), 5);
    assert!(is_acyclic(&table));
}

#[test]
fn more_channels_than_the_analysis_accepts_are_rejected() {
    let star = |leaves: u32| {
        let (mut topology, mut routes) = ("from,to,vcs\n".to_owned(), "at,to,next,vc\n".to_owned());
        for leaf in 0..leaves {
            let _ = writeln!(topology, "{leaf},hub,2");
            let _ = writeln!(routes, "{leaf},hub,hub,1");
        }
        RoutingTable::parse(&topology, &routes).unwrap()
    };
    assert!(is_acyclic(&star(100)));
    let found = check_deadlock(&star(3_000), Switching::Wormhole).unwrap_err();
    assert_eq!(
        found.to_string(),
        "3001 nodes with up to 3000 channels to or from each, and virtual channel 1, need 18006000 \
         channel numbers; accepted: up to 16777216"
    );
}

#[test]
fn wrong_tables_are_rejected_with_their_line() {
    let topology = "from,to,vcs\na,b,2\nb,a,\nb,c,1\n";
    let refused = |topology: &str, routes: &str| {
        let (file, error) = RoutingTable::parse(topology, routes).unwrap_err();
        format!("{file} {error}")
    };
    let routes = |lines: &str| refused(topology, &format!("at,to,next,vc,escape\n{lines}\n"));
    for (lines, text) in [
        ("a,c,b,2,", "--routes line 2: vc is \"2\"; accepted: 0 to 1"),
        ("a,x,b,0,", "--routes line 2: there is no node \"x\"; accepted: the nodes of the topology"),
        ("b,a,a,0,\na,c,c,0,", "--routes line 3: no channel leads from a to c; accepted: the channels of the topology"),
        ("a,c,b,0,", "--routes line 2: a message for c that goes from a to b ends there; accepted: a row for it at b"),
        ("a,a,b,0,", "--routes line 2: a message for a has arrived there; accepted: rows for other nodes"),
        ("a,b,b,0,maybe", "--routes line 2: escape is \"maybe\"; accepted: yes, no, 1, 0, or nothing"),
        ("# one\r\n\r\n# two\r\na,c,b,2,", "--routes line 5: vc is \"2\"; accepted: 0 to 1"),
        ("b,a,a,0,\r\na,x,b,0,\r", "--routes line 3: there is no node \"x\"; accepted: the nodes of the topology"),
        ("a,,b,0,", "--routes line 2: the column to is empty; accepted: the name of a node"),
    ] {
        assert_eq!(routes(lines), text);
    }
    assert!(routes("a,b").starts_with("--routes line 2: CSV error"));
    assert!(routes("# one\na,b").starts_with("--routes line 3: CSV error"));
    for (lines, text) in [
        ("from,to\na,a", "--topology line 2: a channel leads from a to a"),
        ("from,to\na,b\na,b", "--topology line 3: the channel from a to b is there already"),
        ("from,to,vcs\na,b,0", "--topology line 2: vcs is \"0\"; accepted: 1 to 64"),
        ("from,to,vcs\na,b,65", "--topology line 2: vcs is \"65\"; accepted: 1 to 64"),
        ("# mine\nfrom,too\na,b", "--topology line 2: there is no column \"too\""),
        ("from,too\na,b", "--topology line 1: there is no column \"too\"; accepted: from,to[,vcs]"),
        ("from\na", "--topology line 1: the column to is missing; accepted: from,to[,vcs]"),
        ("from,to", "--topology line 1: there is no line; accepted: a line for each channel"),
    ] {
        let found = refused(lines, "at,to,next\na,b,b");
        assert!(found.starts_with(text), "{found}");
    }
}

/// A name in quotes may begin as a comment does.
#[test]
fn quoted_names_may_begin_with_a_number_sign() {
    let topology = "\"from\",\"to\",\"vcs\"\n\"#1\",\"b\",\"1\"\n\"b\",\"#1\",\"1\"\n";
    let routes = "\"at\",\"to\",\"next\",\"vc\",\"escape\"\n\"#1\",\"b\",\"b\",\"0\",\"\"\n\
                  \"b\",\"#1\",\"#1\",\"0\",\"yes\"\n";
    let table = RoutingTable::parse(topology, routes).unwrap();
    assert_eq!((table.graph.nodes(), table.pairs_without_route()), (2, 0));
    assert_eq!(table.graph.node_name(0), "#1");
}
