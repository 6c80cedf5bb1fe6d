//! Macros for blocks in one line, and for the errors that `lower` must report on them.

use hdl::lower::{lower, Circuit};
use phasecube::engine::{agree, CircuitEngine, EvaluatorEngine, ReferenceEngine};
use rust_hdl::prelude::{check_connected, Block};
use std::ops::RangeInclusive;

/// Defines a block: `block! { Name { field: Type, .. } fn update(&mut self) { .. } }`
macro_rules! block {
    (
        $name:ident { $($field:ident: $ty:ty),* $(,)? }
        fn update(&mut $this:ident) { $($body:tt)* }
    ) => {
        #[derive(LogicBlock, Circuit, Default)]
        pub struct $name {
            $(pub $field: $ty,)*
        }

        impl Logic for $name {
            #[kernel]
            fn update(&mut $this) { $($body)* }
        }
    };
}

/// Asserts that `lower` rejects a block exactly as the marks in its source say. `//~ text` requires
/// an error with this text on this line. `//~? text` requires one at the struct or one of its
/// fields, on this line or above.
macro_rules! refused {
    ($name:ident) => {
        refused!($name, <$name as Default>::default())
    };
    ($name:ident, $block:expr) => {
        crate::refused::blocks::assert_refused(
            &$block,
            stringify!($name),
            file!(),
            include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/", file!())),
        )
    };
}

/// Implements `refused!`.
pub fn assert_refused(block: &dyn Block, name: &str, file: &str, source: &str) {
    let mut expected = marks(name, source);
    assert!(!expected.is_empty(), "{name} has no marks in {file}");
    let errors = match lower(block) {
        Ok(_) => panic!("{name} was lowered, but {expected:?} was expected"),
        Err(errors) => {
            assert_eq!(format!("{errors:?}"), errors.to_string());
            errors.to_string()
        }
    };
    for error in errors.lines() {
        let line = error.strip_prefix(file).and_then(|rest| {
            let (line, _) = rest.strip_prefix(':')?.split_once(':')?;
            line.parse().ok()
        });
        let Some(line) = line else {
            panic!("{name}: no place in {file}\n{error}");
        };
        let found =
            expected.iter().position(|(lines, text)| lines.contains(&line) && error.contains(text));
        match found {
            Some(i) => expected.remove(i),
            None => panic!("{name}: nobody expected\n{error}\nbut {expected:#?}"),
        };
    }
    assert!(expected.is_empty(), "{name}: {expected:#?} is missing in\n{errors}");
}

/// Returns the marks of the block with this name: the possible lines of the error, and its text.
fn marks(name: &str, source: &str) -> Vec<(RangeInclusive<usize>, String)> {
    let starts = |line: &str| {
        let words = line.trim_start().trim_start_matches("pub ");
        let rest = words.strip_prefix("struct ").unwrap_or(words);
        let rest = rest.strip_prefix(name);
        rest.is_some_and(|rest| rest.starts_with([' ', '<']))
    };
    let lines = (1..).zip(source.lines());
    let block: Vec<(usize, &str)> =
        lines.skip_while(|(_, line)| !starts(line)).take_while(|(_, line)| *line != "}").collect();
    let mut marks = vec![];
    for (number, line) in &block {
        for text in line.split("//~").skip(1) {
            let (first, text) = match text.strip_prefix('?') {
                Some(text) => (block[0].0, text),
                None => (*number, text),
            };
            marks.push((first..=*number, text.trim().to_string()));
        }
    }
    marks
}

/// Asserts that a block is lowered to a circuit that does what its `update` does.
pub fn assert_agrees<C: Circuit + 'static>(make: impl Fn() -> C) {
    let mut block = make();
    block.connect_all();
    check_connected(&block).expect("rust-hdl sees that all is driven");
    let design = lower(&make()).unwrap_or_else(|e| panic!("{e}"));
    let mut reference = ReferenceEngine::new(make()).expect("it settles");
    let mut evaluator = EvaluatorEngine::new(&design).expect("it has no loop");
    let ports = reference.ports().iter();
    let outputs: Vec<String> = ports.filter(|p| !p.input).map(|p| p.name.clone()).collect();
    let expected = agree::trace(&mut reference, 1, 6000).expect("it settles");
    let found = agree::trace(&mut evaluator, 1, 6000).expect("it settles");
    let result = agree::compare(&outputs, ("reference", &expected), ("evaluator", &found))
        .and_then(|()| agree::check_all_outputs_change(&outputs, &expected));
    result.unwrap_or_else(|e| panic!("{e}"));
}
