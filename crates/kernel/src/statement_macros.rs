//! Macro `link!`, which connects ports by their names.
//!
//! `link!(self -> child: a, b[i], c -> d)` connects ports of the block to inputs of a child: `self.a`
//! drives `self.child.a`, `self.b[i]` drives `self.child.b`, `self.c` drives `self.child.d`.
//! `link!(child -> self: a)` connects outputs of a child to outputs of the block, and
//! `link!(one -> other: a, b -> c)` connects outputs of a child to inputs of another child. Each
//! arrow points from the driving port to the driven port. The compiler checks the direction by the
//! types of the ports. `<->` instead of `->` connects bundles with inputs and outputs.
//!
//! `self.bundle` instead of `self` connects members of a bundle, and so does `child.bundle`.

use crate::path;
use proc_macro2::{Span, TokenStream};
use quote::quote_spanned;
use syn::parse::{Parse, ParseStream};
use syn::spanned::Spanned;
use syn::visit_mut::{self, VisitMut};
use syn::{parse_quote, Block, Error, Expr, Ident, ItemFn, Result, Stmt, StmtMacro, Token};

/// Two ports to connect, as expressions.
pub struct PortPair {
    connection: Connection,
    /// Port of the block, or of the child before the arrow.
    pub first: Expr,
    /// Port of the child, or of the child after the arrow.
    pub second: Expr,
    /// Span of the port name, where the compiler reports errors.
    span: Span,
}

/// Kind of a connection, which determines the directions of the first port.
#[derive(Clone, Copy)]
enum Connection {
    /// `self -> child`
    IntoChild,
    /// `child -> self`
    OutOfChild,
    /// `self <-> child`
    WithChild,
    /// `one -> other`
    ToSibling,
    /// `one <-> other`
    WithSibling,
}

impl Connection {
    /// Returns the name of the trait of two ports that can be connected in this way, and the name
    /// of its function for `update`.
    fn connects(self) -> (&'static str, &'static str) {
        match self {
            Self::IntoChild | Self::OutOfChild | Self::WithChild => ("Linked", "link"),
            Self::ToSibling | Self::WithSibling => ("Joined", "join"),
        }
    }

    /// Returns the name of the function that accepts only the right directions of the first port.
    fn check(self) -> &'static str {
        match self {
            Self::IntoChild => "drives_child",
            Self::OutOfChild | Self::ToSibling => "driven_by_child",
            Self::WithChild | Self::WithSibling => "both_directions",
        }
    }
}

/// Returns the pairs that a statement connects; `None` if it is not `link!`. `this` is the `self`
/// of the kernel.
pub fn pairs(stmt: &StmtMacro, this: Token![self]) -> Result<Option<Vec<PortPair>>> {
    if !stmt.mac.path.is_ident("link") {
        return Ok(None);
    }
    let parser = |input: ParseStream| link(input, this);
    stmt.mac.parse_body_with(parser).map(Some)
}

impl PortPair {
    /// Returns the statement that marks the driven signals.
    pub fn connect_stmt(&self) -> Result<TokenStream> {
        let (of, [first, second], span) = (self.connection_trait(), self.signals()?, self.span);
        Ok(quote_spanned!(span=> #of::connect(&mut #first, &mut #second);))
    }

    /// Returns the statements that check the direction and record the connection.
    pub fn record_stmt(&self) -> Result<TokenStream> {
        let (of, [first, second], span) = (self.connection_trait(), self.signals()?, self.span);
        let check = Ident::new(self.connection.check(), span);
        Ok(quote_spanned!(span=>
            ::phasecube_hdl::lower::#check(&#first);
            #of::record(&#first, &#second);
        ))
    }

    fn signals(&self) -> Result<[TokenStream; 2]> {
        Ok([path::signal(&self.first)?, path::signal(&self.second)?])
    }

    /// Returns the statement in `update`.
    fn update_stmt(&self) -> Stmt {
        let (first, second, span) = (&self.first, &self.second, self.span);
        let of = self.connection_trait();
        let function = Ident::new(self.connection.connects().1, span);
        let call = quote_spanned!(span=> #of::#function(&mut #first, &mut #second););
        syn::parse2(call).expect("a call is a statement")
    }

    fn connection_trait(&self) -> TokenStream {
        let name = Ident::new(self.connection.connects().0, self.span);
        quote_spanned!(self.span=> ::phasecube_hdl::lower::#name)
    }
}

/// Replaces the macros by calls. `this` is the `self` of the kernel.
pub fn expand(function: &mut ItemFn, this: Token![self]) {
    ExpandLinks(this).visit_item_fn_mut(function);
}

struct ExpandLinks(Token![self]);

impl VisitMut for ExpandLinks {
    fn visit_block_mut(&mut self, block: &mut Block) {
        visit_mut::visit_block_mut(self, block);
        let mut stmts = vec![];
        for stmt in std::mem::take(&mut block.stmts) {
            let pairs = match &stmt {
                Stmt::Macro(stmt) => pairs(stmt, self.0).ok().flatten(),
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

/// One side of a connection: the block itself or a child, or a bundle of it.
struct LinkEnd {
    is_block: bool,
    holder: Expr,
}

/// Parses `self -> child: a, b[i], c -> d`.
fn link(input: ParseStream, this: Token![self]) -> Result<Vec<PortPair>> {
    let from = link_end(input, this)?;
    let arrow = Arrow::parse(input)?;
    let to = link_end(input, this)?;
    let connection = match (from.is_block, arrow, to.is_block) {
        (true, _, true) => {
            return Err(Error::new(to.holder.span(), "one of the connected ends must be a child"))
        }
        (true, Arrow::To, false) => Connection::IntoChild,
        (false, Arrow::To, true) => Connection::OutOfChild,
        (false, Arrow::To, false) => Connection::ToSibling,
        (false, Arrow::Both, false) => Connection::WithSibling,
        (_, Arrow::Both, _) => Connection::WithChild,
    };
    let mut pairs = vec![];
    if !input.is_empty() {
        input.parse::<Token![:]>()?;
    }
    while !input.is_empty() {
        let (name, index) = port(input)?;
        let renamed = match input.is_empty() || input.peek(Token![,]) {
            true => None,
            false => {
                arrow.expect(input)?;
                Some(port(input)?)
            }
        };
        let span = name.span();
        // The index of an unchanged name belongs to the list of the block, not to the child's port.
        let index_at = |end: &LinkEnd, other: &LinkEnd| match end.is_block || !other.is_block {
            true => index.clone(),
            false => None,
        };
        let (here, there) = match renamed {
            Some(there) => ((name, index), there),
            None => ((name.clone(), index_at(&from, &to)), (name, index_at(&to, &from))),
        };
        let here = member(&from.holder, &here.0, here.1.as_ref());
        let there = member(&to.holder, &there.0, there.1.as_ref());
        let (first, second) = match to.is_block {
            true => (there, here),
            false => (here, there),
        };
        pairs.push(PortPair { connection, first, second, span });
        if !input.is_empty() {
            input.parse::<Token![,]>()?;
        }
    }
    match pairs.is_empty() {
        false => Ok(pairs),
        true => Err(Error::new(
            input.span(),
            "the ports to be connected must stand here, by their names",
        )),
    }
}

/// Parses `self`, `child` or `children[i]`, each with any number of `.bundle` or `.bundles[i]`.
fn link_end(input: ParseStream, this: Token![self]) -> Result<LinkEnd> {
    // The kernel's `self` has the right hygiene. The compiler reports errors at this place.
    let this = Token![self](this.span.located_at(input.span()));
    let is_block = input.parse::<Option<Token![self]>>()?.is_some();
    let mut holder = match is_block {
        true => parse_quote!(#this),
        false => field(input, this)?,
    };
    while input.parse::<Option<Token![.]>>()?.is_some() {
        let (name, index) = port(input)?;
        holder = member(&holder, &name, index.as_ref());
    }
    Ok(LinkEnd { is_block, holder })
}

/// Arrow between two ends, or between two names of ports.
#[derive(Clone, Copy, PartialEq)]
enum Arrow {
    /// `->`
    To,
    /// `<->`
    Both,
}

impl Arrow {
    /// Requires the same arrow as between the ends.
    fn expect(self, input: ParseStream) -> Result<()> {
        let span = input.span();
        match Arrow::parse(input)? == self {
            true => Ok(()),
            false => Err(Error::new(
                span,
                "the arrow between two ports must be the arrow between the ends",
            )),
        }
    }
}

impl Parse for Arrow {
    fn parse(input: ParseStream) -> Result<Self> {
        if input.parse::<Option<Token![->]>>()?.is_some() {
            return Ok(Arrow::To);
        }
        let both = input.parse::<Option<Token![<-]>>()?.is_some();
        match both && input.parse::<Option<Token![>]>>()?.is_some() {
            true => Ok(Arrow::Both),
            false => Err(input.error("expected `->` or `<->`")),
        }
    }
}

/// Parses `child` or `children[i]`, a field of `self`.
fn field(input: ParseStream, this: Token![self]) -> Result<Expr> {
    let (name, index) = port(input)?;
    Ok(match index {
        Some(index) => parse_quote!(#this.#name[#index]),
        None => parse_quote!(#this.#name),
    })
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
// of a list where `rust-hdl` accepts a field, and they are allowed wherever an assignment is. Macro
// `reset!` has the same arguments, with the reset in place of the clock.

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
                !["clock", "dff_setup", "reset", "link", "display"].iter().any(is)
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

/// Returns the equivalent statements of a macro; `None` for any other statement.
fn assignments(stmt: &Stmt) -> Result<Option<Vec<Stmt>>> {
    let Stmt::Macro(stmt) = stmt else {
        return Ok(None);
    };
    if stmt.mac.path.is_ident("reset") {
        let SetupArguments { signal, cells } = stmt.mac.parse_body()?;
        let span = stmt.mac.path.span();
        let assign =
            cells.iter().map(|cell| quote_spanned!(cell.span()=> #cell.d.next = #cell.initial();));
        let reset = quote_spanned!(span=> if #signal.val() { #(#assign)* });
        return Ok(Some(vec![syn::parse2(reset)?]));
    }
    let with_data = stmt.mac.path.is_ident("dff_setup");
    if !with_data && !stmt.mac.path.is_ident("clock") {
        return Ok(None);
    }
    let SetupArguments { signal, cells } = stmt.mac.parse_body()?;
    let mut stmts = vec![];
    for cell in cells {
        let span = cell.span();
        stmts.push(syn::parse2(quote_spanned!(span=>
            #cell.clock.next = #signal.val();
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
    signal: Expr,
    cells: Vec<Expr>,
}

impl Parse for SetupArguments {
    fn parse(input: ParseStream) -> Result<Self> {
        let this: Token![self] = input.parse()?;
        input.parse::<Token![,]>()?;
        let signal: Ident = input.parse()?;
        let mut cells = vec![];
        while input.parse::<Option<Token![,]>>()?.is_some() && !input.is_empty() {
            cells.push(field(input, this)?);
        }
        Ok(SetupArguments { signal: parse_quote!(#this.#signal), cells })
    }
}
