//! Diagnostics: errors and warnings with a place in the source and a correction.

use std::fmt;

/// Rule of the language that a diagnostic refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Rule {
    /// The source is not C with the additions of StarC.
    Syntax,
    /// An `exchange` or `barrier` that only some processors reach.
    DivergentExchange,
    /// An `exchange` in a function other than `main`.
    ExchangeInFunction,
    /// An `exchange` inside another.
    NestedExchange,
    /// A loop or a condition inside an `exchange` that is not known when the program is compiled.
    NotUnrolled,
    /// A statement without communication inside an `exchange`.
    NoCommunication,
    /// Communication outside an `exchange`.
    OutsideExchange,
    /// A result of an `exchange` that is an input of the same one.
    ResultAsInput,
    /// A value of a `pvar` assigned to a scalar.
    PvarToScalar,
    /// A scalar modified inside `where`.
    ScalarInWhere,
    /// A condition of `if` or a loop that differs between processors.
    DivergentCondition,
    /// A constant index, dimension or argument outside its range.
    OutOfRange,
    /// `pvar` of a pointer, or of another `pvar`.
    PvarType,
    /// A result read before `exchange_wait`.
    ReadBeforeWait,
    /// A second `exchange_async` before `exchange_wait`.
    NotWaited,
    /// A scan and a reduction in one `exchange`.
    ScanAndReduction,
    /// More data than a superframe carries.
    Capacity,
    /// A value longer than a frame.
    ValueSize,
    /// A format of `host_printf` that the host cannot fill in.
    PrintFormat,
    /// A `pvar` that is read and never assigned.
    NeverAssigned,
}

impl Rule {
    pub const ALL: [Rule; 20] = [
        Rule::Syntax,
        Rule::DivergentExchange,
        Rule::ExchangeInFunction,
        Rule::NestedExchange,
        Rule::NotUnrolled,
        Rule::NoCommunication,
        Rule::OutsideExchange,
        Rule::ResultAsInput,
        Rule::PvarToScalar,
        Rule::ScalarInWhere,
        Rule::DivergentCondition,
        Rule::OutOfRange,
        Rule::PvarType,
        Rule::ReadBeforeWait,
        Rule::NotWaited,
        Rule::ScanAndReduction,
        Rule::Capacity,
        Rule::ValueSize,
        Rule::PrintFormat,
        Rule::NeverAssigned,
    ];
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    Warning,
    Error,
}

/// Place in the source. Line and column count from 1, columns in characters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Position {
    pub line: u32,
    pub column: u32,
}

/// Error or warning about a place in the source.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Diagnostic {
    pub position: Position,
    pub rule: Rule,
    pub message: String,
    /// Text that the author of the program can write instead.
    pub correction: String,
}

impl Diagnostic {
    /// Warnings do not prevent the translation. With `strict`, a condition that differs between
    /// processors is an error.
    pub fn severity(&self, strict: bool) -> Severity {
        match self.rule {
            Rule::DivergentCondition if !strict => Severity::Warning,
            Rule::NeverAssigned => Severity::Warning,
            _ => Severity::Error,
        }
    }
}

/// All diagnostics of a file, in the order of the source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Diagnostics {
    file: String,
    strict: bool,
    list: Vec<Diagnostic>,
}

impl Diagnostics {
    pub(crate) fn new(file: &str, strict: bool, mut list: Vec<Diagnostic>) -> Self {
        list.sort_by_key(|d| (d.position, d.rule));
        list.dedup();
        Diagnostics { file: file.to_owned(), strict, list }
    }

    pub fn iter(&self) -> impl Iterator<Item = &Diagnostic> {
        self.list.iter()
    }

    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Whether one of them is an error.
    pub fn has_errors(&self) -> bool {
        let mut severities = self.list.iter().map(|d| d.severity(self.strict));
        severities.any(|s| s == Severity::Error)
    }
}

/// Two lines for each diagnostic: `FILE:LINE:COLUMN: error: MESSAGE`, and the correction.
impl fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for diagnostic in &self.list {
            let Position { line, column } = diagnostic.position;
            let severity = match diagnostic.severity(self.strict) {
                Severity::Warning => "warning",
                Severity::Error => "error",
            };
            writeln!(
                f,
                "{}:{line}:{column}: {severity}: {}\n    correction: {}",
                self.file, diagnostic.message, diagnostic.correction
            )?;
        }
        Ok(())
    }
}
