//! C sources of the project, embedded in the binary. A program can therefore be built without a
//! source tree.

use super::node_kind::NodeKind;

/// File in `firmware/` with its path and text.
pub struct SourceFile {
    pub path: &'static str,
    pub text: &'static str,
}

macro_rules! files {
    ($($path:literal)*) => {
        &[$(SourceFile {
            path: $path,
            text: include_str!(concat!("../../firmware/", $path)),
        },)*]
    };
}

/// Files that are compiled with every program.
pub const RUNTIME: &[SourceFile] = files![
    "include/host_port.h"
    "include/tdma.h"
    "include/ctrl.h"
    "include/collectives.h"
    "include/permute.h"
    "include/cm1.h"
    "include/cm1_port.h"
    "include/node_port.h"
    "runtime/place.h"
    "runtime/place_cube.h"
    "runtime/place_metacube.h"
    "runtime/register.h"
    "runtime/router.h"
    "runtime/ahead.h"
    "runtime/ahead_acked.h"
    "runtime/ahead_raw.h"
    "runtime/ecube.h"
    "runtime/expect.h"
    "runtime/pool.h"
    "runtime/node.ld"
    "runtime/start.S"
    "runtime/memory.S"
    "runtime/save.S"
    "runtime/register.c"
    "runtime/tdma.c"
    "runtime/ctrl.c"
    "runtime/cm1.c"
];

/// Supervisor of the nodes on a board.
pub const SUPERVISOR: &[SourceFile] = files![
    "include/host_port.h"
    "include/cm1_port.h"
    "board/host.ld"
    "board/host_cube.h"
    "board/host_bytes.h"
    "board/random.h"
    "board/text.h"
    "board/text_of.h"
    "board/traffic.h"
    "board/start.S"
    "runtime/save.S"
    "board/random.c"
    "board/text.c"
    "board/traffic.c"
    "board/host.c"
    "runtime/memory.S"
];

/// Supervisor of nodes whose programs come over the line.
pub const LOADING_SUPERVISOR: &[SourceFile] = files![
    "include/host_port.h"
    "include/node_port.h"
    "board/frames.ld"
    "board/frame_line.h"
    "board/host_state.h"
    "board/program.h"
    "board/reply.h"
    "board/run.h"
    "board/text_of.h"
    "board/start.S"
    "runtime/save.S"
    "board/frame_line.c"
    "board/reply.c"
    "board/program.c"
    "board/run.c"
    "board/frames.c"
    "runtime/memory.S"
];

/// Program of the nodes of a byte network on a board, except the part that depends on the network.
pub const PROCESSOR: &[SourceFile] = files![
    "include/host_port.h"
    "include/net.h"
    "include/net_port.h"
    "runtime/node.ld"
    "runtime/memory.S"
    "runtime/net.c"
    "board/start.S"
    "board/processor.c"
];

/// Packet addressing in the torus. `ROTATION` is the addressing for minimal rotation.
pub const TORUS: &SourceFile = &files!["runtime/torus.c"][0];
pub const ROTATION: &SourceFile = &files!["runtime/rotation.c"][0];

/// Program of the nodes on a board beside a CM-1.
pub const COMPARE: &SourceFile = &files!["board/compare.c"][0];

/// Programs, named as their files without `.c`.
pub const PROGRAMS: &[SourceFile] = files![
    "programs/route.c"
    "programs/echo.c"
    "programs/parallel_sum.c"
    "programs/all_reduce.c"
    "programs/prefix_sum.c"
    "programs/bitonic_sort.c"
    "programs/transpose.c"
    "programs/fft.c"
    "programs/life.c"
    "programs/total_exchange.c"
    "programs/permute.c"
    "programs/route_at_once.c"
];

/// Compiled programs ([`ShippedProgram`](super::ShippedProgram)).
const COMPILED: &[SourceFile] = files![
    "programs/route.hex"
    "programs/route-k1.hex"
    "programs/route-k2.hex"
    "programs/route-pool.hex"
    "programs/echo.hex"
    "programs/parallel_sum.hex"
    "programs/all_reduce.hex"
    "programs/prefix_sum.hex"
    "programs/bitonic_sort.hex"
    "programs/transpose.hex"
    "programs/fft.hex"
    "programs/life.hex"
    "programs/total_exchange.hex"
    "programs/permute.hex"
    "programs/route_at_once.hex"
];

/// Program of routing nodes on a board. This program has no lookahead, because the memory is too
/// small.
pub fn small_router() -> &'static SourceFile {
    find_program("route_at_once").expect("it is one of the programs")
}

/// Name of the program in a file.
pub fn program_name(file: &SourceFile) -> &'static str {
    let name = file.path.rsplit('/').next().unwrap_or(file.path);
    name.rsplit_once('.').map_or(name, |(name, _)| name)
}

/// Name of the compiled form for nodes of this kind.
pub fn compiled_name(file: &SourceFile, kind: NodeKind) -> String {
    format!("{}{kind}", program_name(file))
}

/// Text of the compiled form with that name.
pub(super) fn compiled_text(name: &str) -> Option<&'static str> {
    let file = COMPILED.iter().find(|file| program_name(file) == name);
    file.map(|file| file.text)
}

/// Compiled programs, and the kind of nodes for each.
pub fn shipped() -> impl Iterator<Item = (&'static SourceFile, NodeKind)> {
    let all = PROGRAMS
        .iter()
        .flat_map(|file| NodeKind::ALL.map(|kind| (file, kind)));
    all.filter(|(file, kind)| is_shipped(file, *kind))
}

/// True if a compiled form of this program exists for nodes of this kind.
pub(super) fn is_shipped(file: &SourceFile, kind: NodeKind) -> bool {
    compiled_text(&compiled_name(file, kind)).is_some()
}

/// Program with that name.
pub fn find_program(name: &str) -> Option<&'static SourceFile> {
    PROGRAMS.iter().find(|file| program_name(file) == name)
}

/// Names of all programs, for messages.
pub fn program_names() -> String {
    PROGRAMS
        .iter()
        .map(program_name)
        .collect::<Vec<_>>()
        .join(", ")
}
