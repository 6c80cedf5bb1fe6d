//! Translates statements.

use crate::display;
use crate::expr::{condition, hygienic, logical_parts, value};
use crate::path::{self, FieldChain, SelectorNames};
use crate::statement_macros::{self, PortPair};
use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{
    Block, Error, Expr, ExprForLoop, ExprIf, ExprMatch, Ident, Local, Member, Pat, PatIdent,
    Result, Stmt, StmtMacro, Token, Type,
};

/// Purpose of the translated statements.
#[derive(Clone, Copy)]
pub enum Mode<'a> {
    /// Marks the driven signals for `rust-hdl`'s own checks. The branches taken are already known,
    /// and only the names that select a signal are bound.
    Connect(&'a SelectorNames, Token![self]),
    /// Records the statements.
    Record(Token![self]),
    /// Statements of a function, whose variables are Rust variables.
    Function,
}

/// Translates a block, braces included. All its errors are reported together.
pub fn block(block: &Block, mode: Mode) -> Result<TokenStream> {
    let statements = statements(&block.stmts, mode)?;
    Ok(quote!({ #statements }))
}

pub fn statements(stmts: &[Stmt], mode: Mode) -> Result<TokenStream> {
    let mut out = vec![];
    let mut error: Option<Error> = None;
    for stmt in stmts {
        match statement(stmt, mode) {
            Ok(tokens) => out.push(tokens),
            Err(e) => match &mut error {
                Some(all) => all.combine(e),
                None => error = Some(e),
            },
        }
    }
    match error {
        Some(e) => Err(e),
        None => Ok(quote!(#(#out)*)),
    }
}

fn statement(stmt: &Stmt, mode: Mode) -> Result<TokenStream> {
    match stmt {
        Stmt::Local(local) => match mode {
            Mode::Connect(names, _) if !names.are_bound_by(local) => Ok(quote!()),
            _ => variable(local, mode),
        },
        Stmt::Expr(e, _) => expression(e, mode),
        Stmt::Item(item) => {
            Err(Error::new(item.span(), "items are outside the subset; put them beside the block"))
        }
        Stmt::Macro(m) => match links(m, mode)? {
            Some(links) => Ok(links),
            None => prints(m, mode),
        },
    }
}

/// Translates `link!`. Returns `None` for any other macro, and in a function.
fn links(m: &StmtMacro, mode: Mode) -> Result<Option<TokenStream>> {
    let (this, stmt): (_, fn(&PortPair) -> _) = match mode {
        Mode::Connect(_, this) => (this, PortPair::connect_stmt),
        Mode::Record(this) => (this, PortPair::record_stmt),
        Mode::Function => return Ok(None),
    };
    let pairs = statement_macros::pairs(m, this)?;
    pairs.map(|pairs| pairs.iter().map(stmt).collect()).transpose()
}

/// Translates `display!`. Any other macro is an error.
fn prints(m: &StmtMacro, mode: Mode) -> Result<TokenStream> {
    match (display::display(m)?, mode) {
        (Some(display), Mode::Record(_)) => display.record_stmt(),
        (Some(_), Mode::Connect(..)) => Ok(quote!()),
        (Some(_), Mode::Function) => Err(Error::new(
            m.span(),
            "`display!` is a statement of `update`; a function of words only has a value",
        )),
        (None, _) => Err(Error::new(
            m.span(),
            "only `clock!`, `dff_setup!`, `reset!`, `link!` and `display!` are macros of the subset",
        )),
    }
}

fn expression(e: &Expr, mode: Mode) -> Result<TokenStream> {
    match (e, mode) {
        (Expr::Assign(a), Mode::Function) => return reassignment(&a.left, &a.right),
        (Expr::ForLoop(_), Mode::Function) => {}
        (Expr::Return(r), _) => {
            return Err(Error::new(
                r.span(),
                "`return` is outside the subset; choose the value at the end of the function with `if`",
            ))
        }
        (_, Mode::Function) => {
            return Err(Error::new(
                e.span(),
                "a function has `let`, assignments to `let mut`, `for` and a value at its end; choose between values with `if` as a value",
            ))
        }
        _ => {}
    }
    match e {
        Expr::Assign(a) => assignment(&a.left, &a.right, mode),
        Expr::If(i) => conditional(i, mode),
        Expr::Match(m) => selection(m, mode),
        Expr::ForLoop(f) => repetition(f, mode),
        Expr::Block(b) if b.label.is_none() => block(&b.block, mode),
        Expr::Call(_) => {
            // Reports errors of the expression first, because `rust-hdl`'s `link` and `join` have
            // their own message.
            value(e)?;
            Err(Error::new(e.span(), "a call is not a statement of the subset"))
        }
        _ => Err(Error::new(
            e.span(),
            "this statement is outside the subset; kernels have assignments to `.next`, `let`, `if`, `match` and `for`",
        )),
    }
}

/// Translates `let name = value;`, or with a type `let name: Type = value;`.
fn binding(local: &Local) -> Result<TokenStream> {
    let (pat, ty) = bound(local)?;
    let (name, init) = (&pat.ident, initial(local)?);
    let text = name.to_string();
    let value = of_type(ty, value(init)?);
    Ok(quote_spanned!(init.span()=>
        let #name = ::phasecube_hdl::lower::bind(#text, #value);
    ))
}

/// Translates `let mut name = value;`, or the same without `mut`.
fn variable(local: &Local, mode: Mode) -> Result<TokenStream> {
    let (pat, ty) = bound(local)?;
    if pat.mutability.is_none() {
        return binding(local);
    }
    let (name, init) = (&pat.ident, initial(local)?);
    match mode {
        // A word selects no signal.
        Mode::Connect(..) => return Ok(quote!()),
        Mode::Record(_) => {
            let (text, value) = (name.to_string(), of_type(ty, value(init)?));
            return Ok(quote_spanned!(init.span()=>
                let #name = ::phasecube_hdl::lower::variable(#text, #value);
            ));
        }
        Mode::Function => {}
    }
    let value = named_word(name, of_type(ty, value(init)?), init.span());
    Ok(quote_spanned!(init.span()=> let mut #name = #value;))
}

/// Returns the name that a `let` binds, and its type if it has one.
fn bound(local: &Local) -> Result<(&PatIdent, Option<&Type>)> {
    let (pat, ty) = path::pattern(local);
    let Pat::Ident(pat) = pat else {
        return Err(Error::new(pat.span(), "`let` binds one name"));
    };
    if pat.by_ref.is_some() || pat.subpat.is_some() {
        return Err(Error::new(pat.span(), "`let` binds a plain name"));
    }
    if !begins_lower(&pat.ident) {
        return Err(Error::new(pat.ident.span(), "a `let` name begins in lower case"));
    }
    Ok((pat, ty))
}

fn initial(local: &Local) -> Result<&Expr> {
    match &local.init {
        Some(init) if init.diverge.is_none() => Ok(&init.expr),
        _ => Err(Error::new(local.span(), "`let` needs a value, and no `else`")),
    }
}

/// Writes a value of the type of the `let`, if that has one.
fn of_type(ty: Option<&Type>, value: TokenStream) -> TokenStream {
    match ty {
        Some(ty) => quote_spanned!(ty.span()=> ::phasecube_hdl::lower::of_type::<#ty, _>(#value)),
        None => value,
    }
}

/// Translates `name = value;` in a function.
fn reassignment(left: &Expr, right: &Expr) -> Result<TokenStream> {
    match left {
        Expr::Path(path) => match path.path.get_ident() {
            Some(name) => {
                let value = named_word(name, value(right)?, right.span());
                Ok(quote_spanned!(left.span()=> #name = #value;))
            }
            None => Err(Error::new(left.span(), "a function assigns only its own variables")),
        },
        _ => Err(Error::new(left.span(), "a function assigns whole variables, and only its own")),
    }
}

/// Converts a value to a word, even if the value is known, because a variable holds a word.
fn named_word(name: &Ident, value: TokenStream, span: Span) -> TokenStream {
    let text = name.to_string();
    quote_spanned!(span=> ::phasecube_hdl::lower::bind(#text, ::phasecube_hdl::lower::lift(#value)))
}

/// Whether a pattern of this name binds a variable rather than matches a constant.
fn begins_lower(name: &Ident) -> bool {
    name.to_string().starts_with(|c: char| c.is_lowercase() || c == '_')
}

fn is_next(e: &Expr) -> bool {
    matches!(e, Expr::Field(f) if matches!(&f.member, Member::Named(n) if n == "next"))
}

fn assignment(left: &Expr, right: &Expr, mode: Mode) -> Result<TokenStream> {
    let span = left.span();
    if let Expr::Path(path) = left {
        if let (Some(name), false) = (path.path.get_ident(), path::is_rooted_at_self(left)) {
            return variable_assignment(name, left.span(), right, mode);
        }
    }
    let chain = FieldChain::split(left, is_next)?;
    let Expr::Field(next) = chain.base else {
        return Err(Error::new(
            span,
            "only a `let mut`, `.next` of a signal, or a field of it, can be assigned",
        ));
    };
    let signal = path::signal(&next.base)?;
    if !path::is_rooted_at_self(&next.base) {
        return Err(Error::new(span, "only signals of `self` can be assigned"));
    }
    if let Mode::Connect(..) = mode {
        return Ok(quote_spanned!(span=> ::phasecube_hdl::rust_hdl::Logic::connect(&mut #signal);));
    }
    let value = value(right)?;
    let whole = span.join(right.span()).unwrap_or(span);
    if chain.fields.is_empty() {
        return Ok(quote_spanned!(whole=> {
            use ::phasecube_hdl::lower::{AssignMismatch as _, AssignWord as _};
            (&mut ::phasecube_hdl::lower::Assignment::new(
                &#signal,
                ::phasecube_hdl::lower::lift(#value),
            )).assign();
        }));
    }
    let (get, names) = chain.accessors();
    Ok(quote_spanned!(whole=> {
        use ::phasecube_hdl::lower::{AssignMismatch as _, AssignWord as _};
        (&mut ::phasecube_hdl::lower::FieldAssignment::new(
            &#signal,
            #get,
            #names,
            ::phasecube_hdl::lower::lift(#value),
        )).assign();
    }))
}

/// Translates `name = value;` in `update`.
fn variable_assignment(name: &Ident, span: Span, right: &Expr, mode: Mode) -> Result<TokenStream> {
    if let Mode::Connect(..) = mode {
        return Ok(quote!());
    }
    let value = value(right)?;
    let whole = span.join(right.span()).unwrap_or(span);
    Ok(quote_spanned!(whole=> {
        use ::phasecube_hdl::lower::{AssignMismatch as _, AssignWord as _};
        (&mut ::phasecube_hdl::lower::VariableAssignment::new(
            #name,
            ::phasecube_hdl::lower::lift(#value),
        )).assign();
    }))
}

fn conditional(i: &ExprIf, mode: Mode) -> Result<TokenStream> {
    let then = block(&i.then_branch, mode)?;
    let otherwise = match &i.else_branch {
        None => quote!({}),
        Some((_, e)) => expression(e, mode)?,
    };
    branch(i.if_token.span(), mode, || condition(&i.cond), then, otherwise)
}

/// Writes both branches of an `if`. If the condition is unknown, both run one after the other.
fn branch(
    span: Span,
    mode: Mode,
    cond: impl FnOnce() -> Result<TokenStream>,
    then: TokenStream,
    otherwise: TokenStream,
) -> Result<TokenStream> {
    if let Mode::Connect(..) = mode {
        let taken = takes_branch(span);
        return Ok(quote_spanned!(span=> if #taken { #then } if #taken { #otherwise }));
    }
    let (branch, cond) = (hygienic("branch", span), cond()?);
    Ok(quote_spanned!(span=> {
        let mut #branch = ::phasecube_hdl::lower::Branch::begin(#cond);
        if #branch.then() { #then }
        if #branch.otherwise() { #otherwise }
        #branch.end();
    }))
}

/// Returns the variable of type `Taken` in `connect`.
pub fn branch_trace_variable(span: Span) -> Ident {
    hygienic("taken", span)
}

/// Writes the test whether the kernel takes the next branch.
fn takes_branch(span: Span) -> TokenStream {
    let taken = branch_trace_variable(span);
    quote_spanned!(span=> #taken.branch())
}

fn selection(m: &ExprMatch, mode: Mode) -> Result<TokenStream> {
    let span = m.match_token.span();
    let mut arms = vec![];
    for arm in &m.arms {
        let guard = arm.guard.as_ref().map(|(_, guard)| &**guard);
        let body = match &*arm.body {
            Expr::Tuple(t) if t.elems.is_empty() => quote!({}),
            body => expression(body, mode)?,
        };
        arms.push((parse(&arm.pat)?, guard, body));
    }
    if arms.iter().any(|(_, guard, _)| guard.is_some()) {
        return guarded(m, mode, arms);
    }
    if let Mode::Connect(..) = mode {
        let (taken, bodies) = (takes_branch(span), arms.iter().map(|(_, _, body)| body));
        return Ok(quote_spanned!(span=> #(if #taken { #bodies })*));
    }
    let subject = value(&m.expr)?;
    let name = hygienic("arms", span);
    let last = arms.len().saturating_sub(1);
    let mut out = vec![];
    for (i, (pattern, _, body)) in arms.into_iter().enumerate() {
        // The compiler has checked on `update` that the arms cover every value. The last arm is
        // therefore not tested.
        let test = match pattern {
            Arm::Values(values) if i < last => quote_spanned!(span=> #name.arm(&[#(#values),*])),
            Arm::Values(values) => quote_spanned!(span=> #name.last(&[#(#values),*])),
            Arm::Any => quote_spanned!(span=> #name.last(&[])),
        };
        out.push(quote!(if #test { #body }));
    }
    Ok(quote_spanned!(span=> {
        let mut #name = ::phasecube_hdl::lower::Arms::begin(#subject);
        #(#out)*
        #name.end();
    }))
}

/// Translates a `match` with guards to a chain of conditions.
fn guarded(
    m: &ExprMatch,
    mode: Mode,
    arms: Vec<(Arm, Option<&Expr>, TokenStream)>,
) -> Result<TokenStream> {
    let span = m.match_token.span();
    let name = hygienic("guarded", span);
    let mut chain = quote!({});
    for (i, (pattern, guard, body)) in arms.into_iter().rev().enumerate() {
        let cond = || match (pattern, guard) {
            (Arm::Any, None) => Ok(quote!(true)),
            (Arm::Any, Some(guard)) => condition(guard),
            // As above, the last arm covers the rest, unless it has a guard.
            (Arm::Values(_), None) if i == 0 => Ok(quote!(true)),
            (Arm::Values(values), None) => Ok(quote_spanned!(span=> #name.plain(&[#(#values),*]))),
            (Arm::Values(values), Some(guard)) => {
                let matches = quote_spanned!(span=> #name.pattern(&[#(#values),*]));
                let (second, both) = (hygienic("second", span), hygienic("both", span));
                let logical = logical_parts("and", span, matches, condition(guard)?);
                Ok(quote_spanned!(span=> {
                    let (#second, #both) = #logical;
                    #name.guarded(#second, #both)
                }))
            }
        };
        chain = branch(span, mode, cond, body, chain)?;
    }
    if let Mode::Connect(..) = mode {
        return Ok(chain);
    }
    let subject = value(&m.expr)?;
    Ok(quote_spanned!(span=> {
        let mut #name =
            ::phasecube_hdl::lower::Guarded::begin(::phasecube_hdl::lower::bind("subject", #subject));
        #chain
    }))
}

/// Translates `for i in a..b`, with bounds known at generation.
fn repetition(f: &ExprForLoop, mode: Mode) -> Result<TokenStream> {
    let name = match &*f.pat {
        Pat::Ident(p) if p.by_ref.is_none() && p.mutability.is_none() && p.subpat.is_none() => {
            let ident = &p.ident;
            // An upper-case name would be a constant in a pattern of the copy.
            if !begins_lower(ident) {
                return Err(Error::new(
                    ident.span(),
                    "the name of a loop index begins in lower case",
                ));
            }
            quote!(#ident)
        }
        Pat::Wild(_) => quote!(_),
        other => return Err(Error::new(other.span(), "a loop counts with one plain name")),
    };
    let range = match &*f.expr {
        Expr::Paren(p) => &*p.expr,
        e => e,
    };
    let Expr::Range(range) = range else {
        return Err(Error::new(
            f.expr.span(),
            "a loop runs over a range, `a..b` or `a..=b`, known at generation",
        ));
    };
    let (Some(from), Some(to)) = (&range.start, &range.end) else {
        return Err(Error::new(range.span(), "the range of a loop has both ends"));
    };
    let (from, to, limits) = (value(from)?, value(to)?, &range.limits);
    let body = block(&f.body, mode)?;
    Ok(quote_spanned!(f.for_token.span()=> for #name in (#from) #limits (#to) #body))
}

// Patterns of `match` arms, and the values that they match.

/// Values that an arm matches.
pub enum Arm {
    /// One of these values.
    Values(Vec<TokenStream>),
    /// The pattern `_`.
    Any,
}

pub fn parse(pat: &Pat) -> Result<Arm> {
    match pat {
        Pat::Wild(_) => Ok(Arm::Any),
        Pat::Paren(p) => parse(&p.pat),
        Pat::Or(or) => {
            let mut values = vec![];
            for case in &or.cases {
                match parse(case)? {
                    Arm::Values(v) => values.extend(v),
                    Arm::Any => return Ok(Arm::Any),
                }
            }
            Ok(Arm::Values(values))
        }
        Pat::Lit(lit) => Ok(Arm::Values(vec![quote!(#lit)])),
        // A path of two or more segments never binds a name.
        Pat::Path(path) => Ok(Arm::Values(vec![quote!(#path)])),
        Pat::Ident(ident)
            if ident.by_ref.is_none()
                && ident.mutability.is_none()
                && ident.subpat.is_none()
                && ident.ident.to_string().starts_with(char::is_uppercase) =>
        {
            // A constant or an imported variant. For a new binding, the compiler would not find a
            // value of that name.
            Ok(Arm::Values(vec![quote!(#ident)]))
        }
        Pat::Ident(ident) => Err(Error::new(
            ident.span(),
            format!(
                "`{}` would bind a name, which is outside the subset; write `_` for all other values",
                ident.ident
            ),
        )),
        Pat::Range(range) => Err(Error::new(
            range.span(),
            "ranges in patterns are outside the subset; list the values with `|`, or use `if`",
        )),
        other => Err(Error::new(
            other.span(),
            "this pattern is outside the subset; arms match variants, constants, literals or `_`",
        )),
    }
}
