//! Functions of words beside the blocks of a kernel, and calls of them.

use crate::random_kernels::code::ExpressionText;
use crate::random_kernels::cover::ConstructCover;
use crate::random_kernels::dice::Dice;
use crate::random_kernels::generator::KernelGenerator;
use crate::random_kernels::scope::{KernelScope, KnownNumber};
use crate::random_kernels::statements::{indented, CodeLines};
use crate::random_kernels::types::{WordType, WordWidth, World, PARAMS, WIDTHS};
use std::fmt::Write;

/// The largest number passed to a function.
const GREATEST: usize = 3;

/// A function that has been written.
pub struct Function {
    pub text: String,
    name: String,
    /// The values of its own `N`.
    n: Option<&'static [usize]>,
    parameters: Vec<ParameterKind>,
    result: WordType,
}

#[derive(Clone, Copy)]
enum ParameterKind {
    Word(WordType),
    /// A number known at generation, up to [`GREATEST`].
    Number,
}

/// Returns true if functions whose first parameter has this type are methods.
fn is_method(first: WordType) -> bool {
    matches!(first, WordType::Enum(_) | WordType::Struct(_))
}

/// Adds a few functions. Each may call the earlier ones.
pub fn add_functions(dice: &mut Dice, cover: &mut ConstructCover, world: &mut World) {
    for i in 0..dice.below(4) {
        let function = Function::random(format!("f{i}"), dice, cover, world);
        world.functions.push(function);
    }
}

impl Function {
    fn random(name: String, dice: &mut Dice, cover: &mut ConstructCover, world: &World) -> Self {
        let n = dice.one_in(3).then(|| dice.pick(&PARAMS));
        // The first parameter is `self` if its type has methods.
        let first = match dice.one_in(2) {
            true => world.any(dice, n.is_some()),
            false => world.word(dice, n.is_some()),
        };
        let mut parameters = vec![ParameterKind::Word(first)];
        for _ in 0..dice.below(3) {
            parameters.push(match dice.one_in(5) {
                true => ParameterKind::Number,
                false => ParameterKind::Word(world.any(dice, n.is_some())),
            });
        }
        let result = match dice.below(3) {
            0 => WordType::Bool,
            1 => WordType::bits(dice.pick(&WIDTHS[..8])),
            _ => world.any(dice, n.is_some()),
        };
        let mut scope = KernelScope::default();
        for (i, parameter) in parameters.iter().enumerate() {
            let text = match i {
                0 if is_method(first) => "self".into(),
                _ => format!("a{i}"),
            };
            match parameter {
                ParameterKind::Word(ty) => scope.add_source(world, &text, *ty, None),
                ParameterKind::Number => scope.counts.push(KnownNumber { text, max: GREATEST }),
            }
        }
        let mut generator = KernelGenerator { dice, cover, world, n, scope };
        let body = generator.function_body(result);
        let mut function = Function { text: String::new(), name, n, parameters, result };
        function.text = function.written(world, body);
        function
    }

    fn written(&self, world: &World, body: CodeLines) -> String {
        let generics = if self.n.is_some() { "<const N: usize>" } else { "" };
        let owner = self.owner();
        let parameters = self.parameters.iter().enumerate();
        let parameters = parameters.map(|(i, parameter)| match parameter {
            ParameterKind::Word(_) if i == 0 && owner.is_some() => "self".into(),
            ParameterKind::Word(ty) => format!("a{i}: {}", world.text(*ty)),
            ParameterKind::Number => format!("a{i}: usize"),
        });
        let parameters: Vec<String> = parameters.collect();
        let mut text = String::new();
        let (name, result) = (&self.name, world.text(self.result));
        let head = format!("fn {name}{generics}({}) -> {result} {{", parameters.join(", "));
        if let Some(owner) = owner {
            writeln!(text, "impl {} {{", world.text(owner)).expect("text");
        }
        writeln!(text, "#[kernel]\n{head}").expect("text");
        for line in indented(body) {
            writeln!(text, "{line}").expect("text");
        }
        text += "}\n";
        if owner.is_some() {
            text += "}\n";
        }
        text + "\n"
    }

    /// Returns the type whose method it is.
    fn owner(&self) -> Option<WordType> {
        match self.parameters[0] {
            ParameterKind::Word(ty) if is_method(ty) => Some(ty),
            _ => None,
        }
    }

    /// Returns the `N` for which the result has this type, or `Some(None)` if the function has no
    /// `N`.
    fn n_for(
        &self,
        wanted: WordType,
        outer: Option<&'static [usize]>,
        dice: &mut Dice,
    ) -> Option<Option<WordWidth>> {
        let Some(values) = self.n else {
            return (self.result == wanted).then_some(None);
        };
        let n = match (self.result, wanted) {
            (WordType::Bits(WordWidth::N), WordType::Bits(WordWidth::N)) => {
                (outer == self.n).then_some(WordWidth::N)?
            }
            (WordType::Bits(WordWidth::N), WordType::Bits(WordWidth::Bits(bits))) => {
                values.contains(&bits).then_some(WordWidth::Bits(bits))?
            }
            (WordType::Bits(WordWidth::N), _) => return None,
            (result, _) if result != wanted => return None,
            _ if outer == self.n && dice.one_in(2) => WordWidth::N,
            _ => WordWidth::Bits(dice.pick(values)),
        };
        Some(Some(n))
    }
}

impl KernelGenerator<'_> {
    /// Returns `let`s, a variable that a loop changes, and a value.
    fn function_body(&mut self, result: WordType) -> CodeLines {
        let mut lines = vec![];
        for _ in 0..self.dice.below(3) {
            lines.extend(self.binding());
        }
        if self.dice.one_in(2) {
            self.hit("let mut in a function");
            let (ty, depth) = (self.world.any(self.dice, self.n.is_some()), self.depth());
            let start = self.value(ty, depth).text;
            lines.push(format!("let mut m = {start};"));
            self.scope.add_source(self.world, "m", ty, None);
            let last = self.dice.between(1, 3);
            lines.extend(self.loop_over(&format!("0..={last}_usize"), last, |g| {
                let mut lines = match g.dice.one_in(2) {
                    true => g.binding(),
                    false => vec![],
                };
                let depth = g.depth();
                lines.push(format!("m = {};", g.value(ty, depth).text));
                lines
            }));
        }
        let depth = self.depth();
        lines.push(self.value(result, depth.max(1)).text);
        lines
    }

    /// Returns a call of a function with this result type, if there is one.
    pub fn function_call(&mut self, wanted: WordType, depth: u32) -> Option<ExpressionText> {
        let world = self.world;
        let mut fitting = vec![];
        for function in &world.functions {
            if let Some(n) = function.n_for(wanted, self.n, self.dice) {
                fitting.push((function, n));
            }
        }
        if fitting.is_empty() {
            return None;
        }
        let (function, n) = fitting[self.dice.below(fitting.len())];
        self.hit("function of words");
        let parameters = function.parameters.iter().enumerate();
        let mut arguments: Vec<ExpressionText> = parameters
            .map(|(i, parameter)| {
                let ty = match parameter {
                    ParameterKind::Number => return ExpressionText::tight(self.number_argument()),
                    ParameterKind::Word(WordType::Bits(WordWidth::N)) => {
                        WordType::Bits(n.expect("it has an N"))
                    }
                    ParameterKind::Word(ty) => *ty,
                };
                match i {
                    // At least one argument depends on signals. Otherwise the result would be
                    // constant.
                    0 => self.value(ty, depth),
                    _ => self.word_argument(ty, depth),
                }
            })
            .collect();
        let n = match n {
            None => String::new(),
            Some(n) => {
                self.hit("function with a const generic");
                format!("::<{}>", n.text())
            }
        };
        let call = format!("{}{n}", function.name);
        let this = function.owner().map(|_| arguments.remove(0));
        let arguments: Vec<String> = arguments.into_iter().map(|a| a.text).collect();
        let arguments = arguments.join(", ");
        Some(match this {
            None => ExpressionText::tight(format!("{call}({arguments})")),
            Some(this) => {
                self.hit("method by dot");
                this.call(&call, &arguments)
            }
        })
    }

    fn number_argument(&mut self) -> String {
        self.hit("function of a number");
        let counts = self.scope.counts.iter().filter(|c| c.max <= GREATEST);
        let counts: Vec<String> = counts.map(|c| c.text.clone()).collect();
        match counts.is_empty() || self.dice.one_in(2) {
            true => self.dice.between(0, GREATEST).to_string(),
            false => self.dice.pick(&crate::random_kernels::generator::as_strs(&counts)).into(),
        }
    }

    fn word_argument(&mut self, ty: WordType, depth: u32) -> ExpressionText {
        match (ty, self.dice.below(6)) {
            (WordType::Bits(width), 0) => {
                self.hit("function of a known word");
                ExpressionText::tight(self.known_word(width))
            }
            (WordType::Bits(width), 1) => {
                self.hit("number.into()");
                ExpressionText::tight(self.number(width)).call("into", "")
            }
            _ => self.value(ty, depth),
        }
    }
}
