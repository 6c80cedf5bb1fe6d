//! Macro `display!`, which prints a line in simulation.
//!
//! `display!("{} of {total:x}", self.count.q.val())` has the form of `println!`. A word is printed in
//! decimal (`{}`), hexadecimal (`{:x}`) or binary (`{:b}`) notation, without leading zeros.

use crate::expr;
use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::visit_mut::{self, VisitMut};
use syn::{Block, Error, Expr, Ident, ItemFn, LitStr, Result, Stmt, StmtMacro, Token};

/// Part of a text.
enum Part {
    Text(String),
    /// Expression, and the notation as a variant of `hdl::lower::Notation`.
    Word(Expr, &'static str),
}

/// Arguments of the macro.
pub struct Display {
    parts: Vec<Part>,
    span: Span,
}

/// Returns the arguments of a statement; `None` if it is not `display!`.
pub fn display(stmt: &StmtMacro) -> Result<Option<Display>> {
    match stmt.mac.path.is_ident("display") {
        true => stmt.mac.parse_body().map(Some),
        false => Ok(None),
    }
}

impl Display {
    /// Returns the statement that records the print.
    pub fn record_stmt(&self) -> Result<TokenStream> {
        let span = self.span;
        let parts = self.parts.iter().map(|part| match part {
            Part::Text(text) => {
                Ok(quote_spanned!(span=> ::phasecube_hdl::lower::Printed::text(#text)))
            }
            Part::Word(word, notation) => {
                let (span, word) = (word.span(), expr::value(word)?);
                let notation = Ident::new(notation, span);
                Ok(quote_spanned!(span=> ::phasecube_hdl::lower::Printable::printed(
                    #word,
                    ::phasecube_hdl::lower::Notation::#notation,
                )))
            }
        });
        let parts = parts.collect::<Result<Vec<_>>>()?;
        Ok(quote_spanned!(span=> ::phasecube_hdl::lower::print(::std::vec![#(#parts),*]);))
    }

    /// Returns the statement in `update`, which prints nothing and uses the same words.
    fn update_stmt(&self) -> Stmt {
        let words = self.parts.iter().filter_map(|part| match part {
            Part::Word(word, _) => Some(quote_spanned!(word.span()=> let _ = #word;)),
            Part::Text(_) => None,
        });
        syn::parse2(quote!({ #(#words)* })).expect("a block is a statement")
    }
}

impl Parse for Display {
    fn parse(input: ParseStream) -> Result<Self> {
        let format: LitStr = input.parse()?;
        input.parse::<Option<Token![,]>>()?;
        let words = Punctuated::<Expr, Token![,]>::parse_terminated(input)?;
        let mut words = words.into_iter();
        let parts = parts(&format, &mut words)?;
        match words.next() {
            None => Ok(Display { parts, span: format.span() }),
            Some(word) => Err(Error::new(word.span(), "the text has no `{}` for this word")),
        }
    }
}

fn parts(format: &LitStr, words: &mut impl Iterator<Item = Expr>) -> Result<Vec<Part>> {
    let error = |message: &str| Err(Error::new(format.span(), message));
    let (text, mut parts, mut plain) = (format.value(), vec![], String::new());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '{' | '}' if chars.next_if_eq(&c).is_some() => plain.push(c),
            '}' => return error("a `}` in a text is written `}}`"),
            '{' => {
                let mut inside = String::new();
                loop {
                    match chars.next() {
                        Some('}') => break,
                        Some(c) => inside.push(c),
                        None => return error("a `{` in a text is written `{{`"),
                    }
                }
                if !plain.is_empty() {
                    parts.push(Part::Text(std::mem::take(&mut plain)));
                }
                parts.push(word(format, &inside, words)?);
            }
            c if c == '\n' || c == '\t' || (' '..='~').contains(&c) => plain.push(c),
            _ => return error("a text has printable ASCII characters, `\\t` and `\\n`"),
        }
    }
    if !plain.is_empty() {
        parts.push(Part::Text(plain));
    }
    Ok(parts)
}

/// Parses what is between braces: a name or nothing, and the notation.
fn word(format: &LitStr, inside: &str, words: &mut impl Iterator<Item = Expr>) -> Result<Part> {
    let (name, notation) = inside.split_once(':').unwrap_or((inside, ""));
    let notation = match notation {
        "" => "Decimal",
        "x" => "Hexadecimal",
        "b" => "Binary",
        _ => {
            let message = format!(
                "`{{{inside}}}` is outside the subset; `{{}}`, `{{:x}}` and `{{:b}}` print a word"
            );
            return Err(Error::new(format.span(), message));
        }
    };
    let word = match name {
        "" => words.next().ok_or_else(|| {
            Error::new(format.span(), "the text has more `{}` than words after it")
        })?,
        name => {
            let mut name: Expr = syn::parse_str(name).map_err(|_| {
                let message =
                    format!("`{name}` is not a name; write `{{}}` and the word after the text");
                Error::new(format.span(), message)
            })?;
            match &mut name {
                Expr::Path(path) if path.path.get_ident().is_some() => {
                    path.path.segments[0].ident.set_span(format.span());
                }
                _ => {
                    let message =
                        "braces hold a name at most; write `{}` and the word after the text";
                    return Err(Error::new(format.span(), message));
                }
            }
            name
        }
    };
    Ok(Part::Word(word, notation))
}

/// Replaces the macros in `update`.
pub fn expand(function: &mut ItemFn) {
    ExpandDisplays.visit_item_fn_mut(function);
}

struct ExpandDisplays;

impl VisitMut for ExpandDisplays {
    fn visit_block_mut(&mut self, block: &mut Block) {
        visit_mut::visit_block_mut(self, block);
        for stmt in &mut block.stmts {
            if let Stmt::Macro(printed) = stmt {
                if let Ok(Some(display)) = display(printed) {
                    *stmt = display.update_stmt();
                }
            }
        }
    }
}
