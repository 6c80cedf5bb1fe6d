//! Implements `#[kernel]`: keeps `update` as written, and translates it to `connect` and `hdl`.

use crate::display;
use crate::expr::{self, hygienic};
use crate::path::SelectorNames;
use crate::statement_macros;
use crate::stmt::{self, Mode};
use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::visit::Visit;
use syn::visit_mut::{self, VisitMut};
use syn::{
    parse_quote, parse_quote_spanned, token, Attribute, Block, Error, Expr, ExprField, ExprParen,
    FnArg, GenericParam, Ident, ItemFn, Pat, Result, ReturnType, Stmt, Token,
};

pub fn expand(args: TokenStream, mut function: ItemFn) -> Result<TokenStream> {
    if !args.is_empty() {
        return Err(Error::new(args.span(), "#[kernel] takes no arguments"));
    }
    if !is_update(&function) {
        return expand_function(function);
    }
    // Inside a user's macro, `self` has the hygiene of that macro. A `self` written here would be a
    // different one.
    let this = check_signature(&function)?;
    check(&function)?;
    parenthesize(&mut function);
    // The macros of rust-hdl that a kernel may use are expanded first. The simulator and the
    // lowering then read the same statements.
    statement_macros::expand_setup(&mut function)?;
    let records = stmt::block(&function.block, Mode::Record(this))?;
    let names = SelectorNames::of_function(&function, this);
    let connects = stmt::block(&function.block, Mode::Connect(&names, this))?;
    statement_macros::expand(&mut function, this);
    display::expand(&mut function);
    dereference_self(&mut function);
    let taken = stmt::branch_trace_variable(Span::mixed_site());
    let allow = quote! {
        #[allow(
            unused, unreachable_code, clippy::all,
            reason = "generated from `update`, which is linted"
        )]
    };
    // Loops of the subset count over a range, even if the index only selects elements.
    function
        .attrs
        .push(parse_quote!(#[allow(clippy::needless_range_loop, clippy::explicit_auto_deref)]));
    Ok(quote! {
        #function

        #allow
        fn connect(&mut #this) {
            let mut #taken = ::phasecube_hdl::rust_hdl::BranchTrace::by(
                &|| ::phasecube_hdl::rust_hdl::Logic::hdl(&*#this)
            );
            ::phasecube_hdl::lower::dry_run(&mut || #connects)
        }

        #allow
        fn hdl(&#this) -> ::phasecube_hdl::rust_hdl::Verilog {
            ::phasecube_hdl::lower::record(
                <Self as ::phasecube_hdl::lower::Circuit>::description,
                &|| #records,
            )
        }
    })
}

/// Whether this is the kernel of a block rather than a function of words.
fn is_update(function: &ItemFn) -> bool {
    let by_reference = |input: &FnArg| matches!(input, FnArg::Receiver(r) if r.reference.is_some());
    let sig = &function.sig;
    sig.ident == "update" || sig.inputs.iter().any(by_reference)
}

/// Checks the signature and returns the `self` of the kernel.
fn check_signature(function: &ItemFn) -> Result<Token![self]> {
    let sig = &function.sig;
    let receiver = match sig.inputs.first() {
        Some(FnArg::Receiver(r)) if sig.inputs.len() == 1 => {
            let by_reference = r.reference.is_some() && r.colon_token.is_none();
            (by_reference && r.mutability.is_some()).then_some(r.self_token)
        }
        _ => None,
    };
    let plain = sig.constness.is_none()
        && sig.asyncness.is_none()
        && sig.unsafety.is_none()
        && sig.generics.params.is_empty()
        && matches!(sig.output, ReturnType::Default);
    match receiver {
        Some(this) if sig.ident == "update" && plain => Ok(this),
        _ => Err(Error::new(
            sig.span(),
            "#[kernel] belongs on `fn update(&mut self)` of an `impl Logic`",
        )),
    }
}

// Implements `#[kernel]` on a function of words. The function stays as written for `rust-hdl`'s
// simulator. A translated copy serves kernels that call it while they are lowered.

fn expand_function(mut function: ItemFn) -> Result<TokenStream> {
    let parameters = parameters(&function)?;
    check(&function)?;
    parenthesize(&mut function);

    // The copy uses another name for `self`, which is not a block here.
    let this = hygienic("this", Span::call_site());
    let mut copy = function.block.clone();
    Renamed(&this).visit_block_mut(&mut copy);
    let value = body(&copy)?;

    let name = |text| hygienic(text, Span::call_site());
    let (call, place, result) = (name("call"), name("place"), name("result"));
    let takes = parameters.iter().enumerate().map(|(index, (old, new))| {
        let new = new.as_ref().unwrap_or(&this);
        quote_spanned!(new.span()=> let #new = {
            use ::phasecube_hdl::lower::{PlainParameter as _, WordParameter as _};
            (&mut ::phasecube_hdl::lower::CallParameter::new(#old, &#call, #index)).take()
        };)
    });
    // A closure has source locations of its own. The function itself has the location of its
    // caller, which identifies a call with a dot.
    let translated = quote! {
        #[allow(
            unused, clippy::all,
            reason = "generated from the function, which is linted"
        )]
        {
            let #place = ::core::panic::Location::caller();
            if let ::core::option::Option::Some(#call) =
                ::phasecube_hdl::lower::Call::accept(&|| (), #place)
            {
                return (move || {
                    #(#takes)*
                    let #result = #value;
                    #call.answer(#result)
                })();
            }
        }
    };
    function.block.stmts.insert(0, parse_quote!(#translated));
    function.attrs.push(parse_quote!(#[allow(clippy::needless_range_loop)]));
    function.attrs.push(parse_quote!(#[track_caller]));
    Ok(quote!(#function))
}

/// Returns each parameter as an expression, and its name unless it is `self`.
fn parameters(function: &ItemFn) -> Result<Vec<(TokenStream, Option<Ident>)>> {
    let sig = &function.sig;
    if sig.constness.is_some() || sig.asyncness.is_some() || sig.unsafety.is_some() {
        return Err(Error::new(
            sig.span(),
            "a #[kernel] function is a plain `fn`, neither const nor async nor unsafe",
        ));
    }
    for parameter in &sig.generics.params {
        if let GenericParam::Lifetime(lifetime) = parameter {
            return Err(Error::new(
                lifetime.span(),
                "a #[kernel] function takes words by value: there are no lifetimes",
            ));
        }
    }
    if let ReturnType::Default = sig.output {
        return Err(Error::new(
            sig.span(),
            "a #[kernel] function gives a word; #[kernel] also belongs on `fn update(&mut self)` of an `impl Logic`",
        ));
    }
    sig.inputs.iter().map(parameter).collect()
}

fn parameter(input: &FnArg) -> Result<(TokenStream, Option<Ident>)> {
    match input {
        FnArg::Receiver(r) if r.reference.is_some() || r.colon_token.is_some() => {
            Err(Error::new(r.span(), "a #[kernel] method takes `self` by value: a word is copied"))
        }
        FnArg::Receiver(r) => {
            let this = r.self_token;
            Ok((quote!(#this), None))
        }
        FnArg::Typed(typed) => match &*typed.pat {
            Pat::Ident(p) if p.by_ref.is_none() && p.mutability.is_none() && p.subpat.is_none() => {
                let name = &p.ident;
                Ok((quote!(#name), Some(name.clone())))
            }
            other => Err(Error::new(
                other.span(),
                "a parameter of a #[kernel] function has a plain name",
            )),
        },
    }
}

/// Translates a block whose last expression is its value.
fn body(block: &Block) -> Result<TokenStream> {
    let Some((Stmt::Expr(value, None), before)) = block.stmts.split_last() else {
        return Err(Error::new(block.span(), "a #[kernel] function ends with its value"));
    };
    let statements = stmt::statements(before, Mode::Function);
    let value = expr::value(value);
    match (statements, value) {
        (Ok(statements), Ok(value)) => Ok(quote!({ #statements #value })),
        (Err(mut all), Err(last)) => {
            all.combine(last);
            Err(all)
        }
        (Err(error), _) | (_, Err(error)) => Err(error),
    }
}

/// Writes `(*self).field` for `self.field`, in `update` as in its translations. The compiler then
/// names the same type in each of them if a field does not exist, and reports the error once.
pub fn dereference_self(function: &mut ItemFn) {
    DereferenceSelf.visit_block_mut(&mut function.block);
}

struct DereferenceSelf;

impl VisitMut for DereferenceSelf {
    fn visit_expr_field_mut(&mut self, field: &mut ExprField) {
        visit_mut::visit_expr_field_mut(self, field);
        if let Expr::Path(path) = &*field.base {
            if path.path.is_ident("self") {
                *field.base = parse_quote_spanned!(path.span()=> (*#path));
            }
        }
    }
}

/// Replaces `self` by another name.
struct Renamed<'a>(&'a Ident);

impl VisitMut for Renamed<'_> {
    fn visit_expr_mut(&mut self, e: &mut Expr) {
        visit_mut::visit_expr_mut(self, e);
        if let Expr::Path(path) = e {
            if path.path.is_ident("self") {
                let mut name = self.0.clone();
                name.set_span(name.span().located_at(path.span()));
                *e = parse_quote!(#name);
            }
        }
    }
}

// Attributes inside a kernel. The translated copy does not carry them, so only attributes that do
// not change the semantics are accepted.

/// Attributes for readers, linters and the optimiser.
const HARMLESS: [&str; 7] = ["doc", "allow", "expect", "warn", "deny", "forbid", "inline"];

/// Rejects attributes such as `#[cfg(..)]` on the function and inside it.
pub fn check(function: &ItemFn) -> Result<()> {
    let mut found = AttributeErrors(None);
    found.visit_item_fn(function);
    match found.0 {
        Some(error) => Err(error),
        None => Ok(()),
    }
}

struct AttributeErrors(Option<Error>);

impl Visit<'_> for AttributeErrors {
    fn visit_attribute(&mut self, attribute: &Attribute) {
        let path = attribute.path();
        if HARMLESS.iter().any(|name| path.is_ident(name)) {
            return;
        }
        let error = Error::new_spanned(
            attribute,
            "attributes in a kernel are outside the subset: simulator and lowering must read the same",
        );
        match &mut self.0 {
            Some(all) => all.combine(error),
            None => self.0 = Some(error),
        }
    }
}

// Handles groups without parentheses. A macro of the user creates such a group when it inserts an
// expression, for example `x | y` for `$a` in `$a & $b`. The compiler ignores these groups in the
// output of a proc macro.

/// Converts the groups to parentheses.
pub fn parenthesize(function: &mut ItemFn) {
    Parenthesize.visit_item_fn_mut(function);
}

struct Parenthesize;

impl VisitMut for Parenthesize {
    fn visit_expr_mut(&mut self, e: &mut Expr) {
        visit_mut::visit_expr_mut(self, e);
        if let Expr::Group(group) = e {
            *e = Expr::Paren(ExprParen {
                attrs: std::mem::take(&mut group.attrs),
                paren_token: token::Paren(group.group_token.span),
                expr: group.expr.clone(),
            });
        }
    }
}
