//! `link!` and `join!`: ports connected by their names.
//!
//! `link!(self, child, a, b[i])` hands ports of the block through to those of the same
//! name of a child: `self.a` to `self.child.a`, `self.b[i]` to `self.child.b`. An input
//! goes in, an output comes out, a bundle does both.
//!
//! `join!(self, one, other, a, b)` connects ports of two children, `self.one.a` and
//! `self.other.a`: what goes out of one goes into the other. `join!(self, one.a, other.b)`
//! connects two ports of different names.

use crate::path;
use crate::stmt::Mode;
use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::parse::{Parse, ParseStream};
use syn::spanned::Spanned;
use syn::visit_mut::{self, VisitMut};
use syn::{parse_quote, Block, Error, Expr, Ident, ItemFn, Result, Stmt, StmtMacro, Token};

/// Two ports to be connected, as expressions.
pub struct Pair {
    kind: Kind,
    pub first: Expr,
    pub second: Expr,
}

#[derive(Clone, Copy)]
enum Kind {
    Link,
    Join,
}

/// The pairs that a statement connects; `None` if it is neither macro.
pub fn pairs(stmt: &StmtMacro) -> Result<Option<Vec<Pair>>> {
    let path = &stmt.mac.path;
    if path.is_ident("link") {
        let Link(pairs) = stmt.mac.parse_body()?;
        Ok(Some(pairs))
    } else if path.is_ident("join") {
        let Join(pairs) = stmt.mac.parse_body()?;
        Ok(Some(pairs))
    } else {
        Ok(None)
    }
}

impl Pair {
    pub fn statement(&self, mode: Mode) -> Result<TokenStream> {
        let (first, second) = (path::signal(&self.first)?, path::signal(&self.second)?);
        let span = self.second.span();
        Ok(match (self.kind, mode) {
            (Kind::Link, Mode::Connect(_)) => {
                quote_spanned!(span=> ::hdl::lower::Linked::connect(&mut #first, &mut #second);)
            }
            (Kind::Join, Mode::Connect(_)) => {
                quote_spanned!(span=> ::hdl::lower::Joined::connect(&mut #first, &mut #second);)
            }
            (Kind::Link, _) => {
                quote_spanned!(span=> ::hdl::lower::Linked::record(&#first, &#second);)
            }
            (Kind::Join, _) => {
                quote_spanned!(span=> ::hdl::lower::Joined::record(&#first, &#second);)
            }
        })
    }

    /// The statement in `update`.
    fn in_update(&self) -> Stmt {
        let (first, second, span) = (&self.first, &self.second, self.second.span());
        let function = match self.kind {
            Kind::Link => quote_spanned!(span=> ::hdl::lower::Linked::link),
            Kind::Join => quote_spanned!(span=> ::hdl::lower::Joined::join),
        };
        let call = quote_spanned!(span=> #function(&mut #first, &mut #second););
        syn::parse2(call).expect("a call is a statement")
    }
}

/// Puts calls in the place of the macros.
pub fn expand(function: &mut ItemFn) {
    Expand.visit_item_fn_mut(function);
}

struct Expand;

impl VisitMut for Expand {
    fn visit_block_mut(&mut self, block: &mut Block) {
        visit_mut::visit_block_mut(self, block);
        let mut stmts = vec![];
        for stmt in std::mem::take(&mut block.stmts) {
            let pairs = match &stmt {
                Stmt::Macro(stmt) => pairs(stmt).ok().flatten(),
                _ => None,
            };
            match pairs {
                Some(pairs) => stmts.extend(pairs.iter().map(Pair::in_update)),
                None => stmts.push(stmt),
            }
        }
        block.stmts = stmts;
    }
}

struct Link(Vec<Pair>);

impl Parse for Link {
    fn parse(input: ParseStream) -> Result<Self> {
        let this = input.parse()?;
        let child = field(input, this)?;
        let mut pairs = vec![];
        while !finished(input)? {
            let (name, index) = port(input)?;
            let first = match &index {
                Some(index) => parse_quote!(#this.#name[#index]),
                None => parse_quote!(#this.#name),
            };
            pairs.push(Pair {
                kind: Kind::Link,
                first,
                second: member(&child, &name),
            });
        }
        some(input, pairs).map(Link)
    }
}

struct Join(Vec<Pair>);

impl Parse for Join {
    fn parse(input: ParseStream) -> Result<Self> {
        let this = input.parse()?;
        let (one, first) = end(input, this)?;
        let (other, second) = end(input, this)?;
        let pair = |first: &Ident, second: &Ident| Pair {
            kind: Kind::Join,
            first: member(&one, first),
            second: member(&other, second),
        };
        let mut pairs = vec![];
        match (first, second) {
            (Some(first), Some(second)) => pairs.push(pair(&first, &second)),
            (None, None) => {
                while !finished(input)? {
                    let name = input.parse()?;
                    pairs.push(pair(&name, &name));
                }
            }
            _ => return Err(input.error("either both ends have a port or neither has")),
        }
        match finished(input)? {
            true => some(input, pairs).map(Join),
            false => Err(input.error("two ports are joined at a time")),
        }
    }
}

/// `, child` or `, child.port`.
fn end(input: ParseStream, this: Token![self]) -> Result<(Expr, Option<Ident>)> {
    let child = field(input, this)?;
    let port = match input.parse::<Option<Token![.]>>()? {
        Some(_) => Some(input.parse()?),
        None => None,
    };
    Ok((child, port))
}

/// `, child` or `, children[i]`: a field of `self`.
fn field(input: ParseStream, this: Token![self]) -> Result<Expr> {
    input.parse::<Token![,]>()?;
    let (name, index) = port(input)?;
    Ok(match index {
        Some(index) => parse_quote!(#this.#name[#index]),
        None => parse_quote!(#this.#name),
    })
}

/// A name, with an index or without.
fn port(input: ParseStream) -> Result<(Ident, Option<Expr>)> {
    let name = input.parse()?;
    if !input.peek(syn::token::Bracket) {
        return Ok((name, None));
    }
    let index;
    syn::bracketed!(index in input);
    Ok((name, Some(index.parse()?)))
}

/// The comma before a name, or the end.
fn finished(input: ParseStream) -> Result<bool> {
    if input.is_empty() {
        return Ok(true);
    }
    input.parse::<Token![,]>()?;
    Ok(input.is_empty())
}

fn some(input: ParseStream, pairs: Vec<Pair>) -> Result<Vec<Pair>> {
    match pairs.is_empty() {
        false => Ok(pairs),
        true => Err(Error::new(
            input.span(),
            "the ports to be connected must stand here, by their names",
        )),
    }
}

/// `base.name`, with the span of the name: there the compiler finds the fault.
fn member(base: &Expr, name: &Ident) -> Expr {
    let tokens = quote!(#base.#name);
    let mut member: Expr = syn::parse2(tokens).expect("a field of a path is an expression");
    if let Expr::Field(field) = &mut member {
        field.dot_token.span = name.span();
    }
    member
}
