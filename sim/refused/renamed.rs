//! The library under another name. Its macros find the name in `Cargo.toml`.

use crate::support::scratch::Scratch;

/// Uses each macro. `LIBRARY` is the library's name.
const SOURCE: &str = r#"
use LIBRARY::prelude::*;

#[word]
pub enum State { Idle, Run }

#[word]
#[derive(Default)]
pub struct Item { pub state: State, pub n: Bits<3> }

#[derive(Bundle, Default)]
#[bundle(flipped = Source)]
pub struct Sink { pub item: Signal<In, Item>, pub ready: Signal<Out, Bit> }

#[kernel]
fn next(n: Bits<3>) -> Bits<3> { n + 1 }

#[derive(LogicBlock, Circuit, Default)]
pub struct Stage { pub clock: Signal<In, Clock>, pub input: Sink, pub output: Source, n: Reg<Bits<3>> }

impl Logic for Stage {
    #[kernel]
    fn update(&mut self) {
        dff_setup!(self, clock, n);
        let item = self.input.item.val();
        match item.state {
            State::Run if item.n == 2 && self.output.ready.val() => self.n.d.next = next(item.n),
            State::Idle | State::Run => {}
        }
        self.output.item.next.state = item.state;
        self.output.item.next.n = self.n.q.val();
        self.input.ready.next = if item.n.any() { true } else { self.output.ready.val() };
    }
}

#[derive(LogicBlock, Circuit, Default)]
pub struct Two { pub clock: Signal<In, Clock>, pub input: Sink, pub output: Source, a: Stage, b: Stage }

impl Logic for Two {
    #[kernel]
    fn update(&mut self) {
        clock!(self, clock, a, b);
        link!(self <-> a: input);
        link!(a <-> b: output <-> input);
        link!(b <-> self: output);
    }
}

fn main() {
    let _ = LIBRARY::verilog::emit(&lower(&Two::default()).unwrap());
}
"#;

/// Compiles the source with each name for the library and this part of a `Cargo.toml`.
fn compiles(folder: &str, cases: &[(&str, &str)]) {
    let mut scratch = Scratch::new(folder);
    let mut before = "hdl";
    for (library, dependencies) in cases {
        scratch.rename(before, library);
        before = library;
        scratch.write("Cargo.toml", &format!("{PACKAGE}{dependencies}"));
        scratch.write("main.rs", &SOURCE.replace("LIBRARY", library));
        let mut rustc = scratch.rustc("renamed", "bin", "main.rs");
        rustc.arg("--emit=metadata");
        rustc.env("CARGO_MANIFEST_DIR", scratch.dir());
        let output = rustc.output().expect("rustc runs");
        let printed = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{dependencies}: {printed}");
    }
}

const PACKAGE: &str = "[package]\nname = \"renamed\"\nversion = \"0.1.0\"\n[workspace]\n";

#[test]
fn the_macros_find_the_library_under_its_name() {
    compiles(
        "renamed",
        &[(
            "circuits",
            "[dependencies]\ncircuits = { package = \"phasecube-hdl\", version = \"0.1\" }\n",
        )],
    );
}

#[test]
#[ignore = "thorough: compiles three programs"]
fn the_macros_read_every_form_of_a_dependency() {
    compiles(
        "renamed-forms",
        &[
            (
                "for_tests",
                "[dev-dependencies.for-tests]\npackage = \"phasecube-hdl\"\nversion = \"0.1\"\n",
            ),
            (
                "shared",
                "[workspace.dependencies]\nshared = { package = \"phasecube-hdl\", version = \"0.1\" }\n\
                 [dependencies]\nshared.workspace = true\n",
            ),
            ("hdl", "[dependencies]\nphasecube-hdl = \"0.1\"\n"),
        ],
    );
}
