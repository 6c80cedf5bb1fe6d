//! Macros `clock!` and `dff_setup!`, as in `rust-hdl` with two extensions. They accept an element
//! of a list where `rust-hdl` accepts a field, and they are allowed wherever an assignment is.

use crate::link;
use quote::quote_spanned;
use syn::parse::{Parse, ParseStream};
use syn::spanned::Spanned;
use syn::visit_mut::{self, VisitMut};
use syn::{parse_quote, Block, Error, Expr, Ident, ItemFn, Result, Stmt, Token};

/// Replaces `clock!(self, clock, a, b[i], ..)` and `dff_setup!(self, clock, a, ..)` by the
/// equivalent assignments.
pub fn expand(function: &mut ItemFn) -> Result<()> {
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
            cells.push(link::field(input, this)?);
        }
        Ok(SetupArguments {
            clock: parse_quote!(#this.#clock),
            cells,
        })
    }
}
