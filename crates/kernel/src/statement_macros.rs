//! Macros `link!` and `join!`, which connect ports by their names.
//!
//! `link!(self, child, a, b[i], c => d)` connects ports of the block to ports of a child: `self.a`
//! to `self.child.a`, `self.b[i]` to `self.child.b`, `self.c` to `self.child.d`. The block drives
//! the child's inputs and takes the child's outputs. A bundle has both directions. With
//! `self.bundle` instead of `self`, the ports are members of this bundle. `child.bundle` can
//! replace `child` in the same way.
//!
//! `join!(self, one, other, a, b => c)` connects ports of two children: `self.one.a` and
//! `self.other.a`, `self.one.b` and `self.other.c`. An output of one child drives an input of the
//! other. `one.bundle` can replace `one`.

use crate::path;
use proc_macro2::{Span, TokenStream};
use quote::quote_spanned;
use syn::parse::{Parse, ParseStream};
use syn::spanned::Spanned;
use syn::visit_mut::{self, VisitMut};
use syn::{parse_quote, Block, Error, Expr, Ident, ItemFn, Result, Stmt, StmtMacro, Token};

/// Two ports to connect, as expressions.
pub struct PortPair {
    kind: ConnectMacro,
    pub first: Expr,
    pub second: Expr,
    /// Span of the port name, where the compiler reports errors.
    span: Span,
}

#[derive(Clone, Copy)]
enum ConnectMacro {
    Link,
    Join,
}

/// Returns the pairs that a statement connects; `None` if it is neither macro.
pub fn pairs(stmt: &StmtMacro) -> Result<Option<Vec<PortPair>>> {
    let path = &stmt.mac.path;
    if path.is_ident("link") {
        let LinkMacro(pairs) = stmt.mac.parse_body()?;
        Ok(Some(pairs))
    } else if path.is_ident("join") {
        let JoinMacro(pairs) = stmt.mac.parse_body()?;
        Ok(Some(pairs))
    } else {
        Ok(None)
    }
}

impl PortPair {
    /// Returns the statement that marks the driven signals.
    pub fn connect_stmt(&self) -> Result<TokenStream> {
        let (of, [first, second], span) = (self.connection_trait(), self.signals()?, self.span);
        Ok(quote_spanned!(span=> #of::connect(&mut #first, &mut #second);))
    }

    /// Returns the statement that records the connection.
    pub fn record_stmt(&self) -> Result<TokenStream> {
        let (of, [first, second], span) = (self.connection_trait(), self.signals()?, self.span);
        Ok(quote_spanned!(span=> #of::record(&#first, &#second);))
    }

    fn signals(&self) -> Result<[TokenStream; 2]> {
        Ok([path::signal(&self.first)?, path::signal(&self.second)?])
    }

    /// Returns the statement in `update`.
    fn update_stmt(&self) -> Stmt {
        let (first, second, span) = (&self.first, &self.second, self.span);
        let of = self.connection_trait();
        let function = match self.kind {
            ConnectMacro::Link => quote_spanned!(span=> #of::link),
            ConnectMacro::Join => quote_spanned!(span=> #of::join),
        };
        let call = quote_spanned!(span=> #function(&mut #first, &mut #second););
        syn::parse2(call).expect("a call is a statement")
    }

    /// Returns the trait of two ports that can be connected in this way.
    fn connection_trait(&self) -> TokenStream {
        let span = self.span;
        match self.kind {
            ConnectMacro::Link => quote_spanned!(span=> ::phasecube_hdl::lower::Linked),
            ConnectMacro::Join => quote_spanned!(span=> ::phasecube_hdl::lower::Joined),
        }
    }
}

/// Replaces the macros by calls.
pub fn expand(function: &mut ItemFn) {
    ExpandConnections.visit_item_fn_mut(function);
}

struct ExpandConnections;

impl VisitMut for ExpandConnections {
    fn visit_block_mut(&mut self, block: &mut Block) {
        visit_mut::visit_block_mut(self, block);
        let mut stmts = vec![];
        for stmt in std::mem::take(&mut block.stmts) {
            let pairs = match &stmt {
                Stmt::Macro(stmt) => pairs(stmt).ok().flatten(),
                _ => None,
            };
            match pairs {
                Some(pairs) => stmts.extend(pairs.iter().map(PortPair::update_stmt)),
                None => stmts.push(stmt),
            }
        }
        block.stmts = stmts;
    }
}

struct LinkMacro(Vec<PortPair>);

impl Parse for LinkMacro {
    fn parse(input: ParseStream) -> Result<Self> {
        let this = input.parse()?;
        let outside = bundle_of(input, parse_quote!(#this))?;
        input.parse::<Token![,]>()?;
        let child = field(input, this)?;
        let child = bundle_of(input, child)?;
        pairs_of(input, ConnectMacro::Link, &outside, &child).map(LinkMacro)
    }
}

struct JoinMacro(Vec<PortPair>);

impl Parse for JoinMacro {
    fn parse(input: ParseStream) -> Result<Self> {
        let this = input.parse()?;
        input.parse::<Token![,]>()?;
        let one = field(input, this)?;
        let one = bundle_of(input, one)?;
        input.parse::<Token![,]>()?;
        let other = field(input, this)?;
        let other = bundle_of(input, other)?;
        pairs_of(input, ConnectMacro::Join, &one, &other).map(JoinMacro)
    }
}

/// Parses the remaining ports: `, a, b[i], c => d`.
fn pairs_of(
    input: ParseStream,
    kind: ConnectMacro,
    one: &Expr,
    other: &Expr,
) -> Result<Vec<PortPair>> {
    let mut pairs = vec![];
    while !at_end(input)? {
        let (name, index) = port(input)?;
        let (there, there_index) = match input.parse::<Option<Token![=>]>>()? {
            Some(_) => port(input)?,
            None => match kind {
                // The index belongs to the block's list, not to the port of the child.
                ConnectMacro::Link => (name.clone(), None),
                ConnectMacro::Join => (name.clone(), index.clone()),
            },
        };
        pairs.push(PortPair {
            kind,
            span: name.span(),
            first: member(one, &name, index.as_ref()),
            second: member(other, &there, there_index.as_ref()),
        });
    }
    match pairs.is_empty() {
        false => Ok(pairs),
        true => Err(Error::new(
            input.span(),
            "the ports to be connected must stand here, by their names",
        )),
    }
}

/// Parses `child` or `children[i]`, a field of `self`.
pub fn field(input: ParseStream, this: Token![self]) -> Result<Expr> {
    let (name, index) = port(input)?;
    Ok(match index {
        Some(index) => parse_quote!(#this.#name[#index]),
        None => parse_quote!(#this.#name),
    })
}

/// Parses any number of `.bundle` or `.bundles[i]` after a block.
fn bundle_of(input: ParseStream, mut block: Expr) -> Result<Expr> {
    while input.parse::<Option<Token![.]>>()?.is_some() {
        let (name, index) = port(input)?;
        block = member(&block, &name, index.as_ref());
    }
    Ok(block)
}

/// Parses a name with an optional index.
fn port(input: ParseStream) -> Result<(Ident, Option<Expr>)> {
    let name = input.parse()?;
    if !input.peek(syn::token::Bracket) {
        return Ok((name, None));
    }
    let index;
    syn::bracketed!(index in input);
    Ok((name, Some(index.parse()?)))
}

/// Parses the comma before a name. Returns true at the end of the input.
fn at_end(input: ParseStream) -> Result<bool> {
    if input.is_empty() {
        return Ok(true);
    }
    input.parse::<Token![,]>()?;
    Ok(input.is_empty())
}

/// Builds `base.name` or `base.name[index]`, with the span of the name, where the compiler reports
/// errors.
fn member(base: &Expr, name: &Ident, index: Option<&Expr>) -> Expr {
    let mut member: Expr = parse_quote!(#base.#name);
    if let Expr::Field(field) = &mut member {
        field.dot_token.span = name.span();
    }
    match index {
        Some(index) => parse_quote!(#member[#index]),
        None => member,
    }
}

// Macros `clock!` and `dff_setup!`, as in `rust-hdl` with two extensions. They accept an element
// of a list where `rust-hdl` accepts a field, and they are allowed wherever an assignment is.

/// Replaces `clock!(self, clock, a, b[i], ..)` and `dff_setup!(self, clock, a, ..)` by the
/// equivalent assignments.
pub fn expand_setup(function: &mut ItemFn) -> Result<()> {
    let mut expand = ExpandClocks(None);
    expand.visit_item_fn_mut(function);
    match expand.0 {
        Some(error) => Err(error),
        None => Ok(()),
    }
}

/// Removes the macros of kernels.
pub fn remove_macros(function: &mut ItemFn) {
    RemoveKernelMacros.visit_item_fn_mut(function);
}

struct RemoveKernelMacros;

impl VisitMut for RemoveKernelMacros {
    fn visit_block_mut(&mut self, block: &mut Block) {
        visit_mut::visit_block_mut(self, block);
        block.stmts.retain(|stmt| match stmt {
            Stmt::Macro(stmt) => {
                let is = |name: &&str| stmt.mac.path.is_ident(name);
                !["clock", "dff_setup", "link", "join"].iter().any(is)
            }
            _ => true,
        });
    }
}

struct ExpandClocks(Option<Error>);

impl VisitMut for ExpandClocks {
    fn visit_block_mut(&mut self, block: &mut Block) {
        visit_mut::visit_block_mut(self, block);
        let mut stmts = vec![];
        for stmt in std::mem::take(&mut block.stmts) {
            match assignments(&stmt) {
                Ok(Some(assignments)) => stmts.extend(assignments),
                Ok(None) => stmts.push(stmt),
                Err(error) => {
                    stmts.push(stmt);
                    match &mut self.0 {
                        Some(all) => all.combine(error),
                        None => self.0 = Some(error),
                    }
                }
            }
        }
        block.stmts = stmts;
    }
}

/// Returns the equivalent assignments of a statement; `None` if it is neither macro.
fn assignments(stmt: &Stmt) -> Result<Option<Vec<Stmt>>> {
    let Stmt::Macro(stmt) = stmt else {
        return Ok(None);
    };
    let with_data = stmt.mac.path.is_ident("dff_setup");
    if !with_data && !stmt.mac.path.is_ident("clock") {
        return Ok(None);
    }
    let SetupArguments { clock, cells } = stmt.mac.parse_body()?;
    let mut stmts = vec![];
    for cell in cells {
        let span = cell.span();
        stmts.push(syn::parse2(quote_spanned!(span=>
            #cell.clock.next = #clock.val();
        ))?);
        if with_data {
            stmts.push(syn::parse2(quote_spanned!(span=>
                #cell.d.next = #cell.q.val();
            ))?);
        }
    }
    Ok(Some(stmts))
}

/// Arguments `self, clock, a, b[i], ..`.
struct SetupArguments {
    clock: Expr,
    cells: Vec<Expr>,
}

impl Parse for SetupArguments {
    fn parse(input: ParseStream) -> Result<Self> {
        let this: Token![self] = input.parse()?;
        input.parse::<Token![,]>()?;
        let clock: Ident = input.parse()?;
        let mut cells = vec![];
        while input.parse::<Option<Token![,]>>()?.is_some() && !input.is_empty() {
            cells.push(field(input, this)?);
        }
        Ok(SetupArguments {
            clock: parse_quote!(#this.#clock),
            cells,
        })
    }
}
