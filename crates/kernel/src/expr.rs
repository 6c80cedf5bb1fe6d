//! Translates expressions. Expressions that read signals become calls into `hdl::lower`. All others
//! stay unchanged, and the compiler infers their types.

use crate::path::{self, FieldChain};
use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::visit::Visit;
use syn::{BinOp, Error, Expr, ExprBinary, ExprCall, ExprIf, ExprMethodCall, Ident, Result, UnOp};

/// Methods of words that symbolic words also have, with the same arguments.
const WORD_METHODS: [&str; 8] =
    ["get_bit", "get_bits", "replace_bit", "all", "any", "xor", "index", "to_bits"];

fn refuse<T>(span: Span, message: impl std::fmt::Display) -> Result<T> {
    Err(Error::new(span, message))
}

/// Translates an expression that is read.
pub fn value(e: &Expr) -> Result<TokenStream> {
    let span = e.span();
    if path::is_rooted_at_self(e) {
        return unread_path(e);
    }
    match e {
        Expr::Lit(_) | Expr::Path(_) | Expr::Const(_) => Ok(quote!(#e)),
        Expr::Paren(p) => {
            let inner = value(&p.expr)?;
            Ok(quote_spanned!(span=> (#inner)))
        }
        Expr::Group(g) => value(&g.expr),
        Expr::Unary(u) => match u.op {
            UnOp::Deref(_) => refuse(span, "only `!` and `-` are unary operators of the subset"),
            op => {
                let inner = value(&u.expr)?;
                Ok(quote_spanned!(span=> (#op (#inner))))
            }
        },
        Expr::Binary(b) => binary(b),
        Expr::MethodCall(m) => method(m),
        Expr::Field(_) => field(e),
        Expr::Call(c) => call(c),
        Expr::Index(i) => {
            let (base, index) = (value(&i.expr)?, value(&i.index)?);
            let (array, at) = (hygienic("array", span), hygienic("at", span));
            Ok(quote_spanned!(span=> (match (&#base, #index) {
                (#array, #at) => {
                    use ::phasecube_hdl::lower::{PlainElement as _, WordElement as _};
                    *(&mut ::phasecube_hdl::lower::Element::new(#array, #at)).get()
                }
            })))
        }
        Expr::Array(a) => {
            let elements = a.elems.iter().map(value).collect::<Result<Vec<_>>>()?;
            Ok(quote_spanned!(span=> [#(::phasecube_hdl::lower::lift(#elements)),*]))
        }
        Expr::Repeat(r) => {
            let (element, length) = (value(&r.expr)?, &r.len);
            Ok(quote_spanned!(span=> [::phasecube_hdl::lower::lift(#element); #length]))
        }
        Expr::Cast(c) if reads_signal(&c.expr) => refuse(
            span,
            "`as` of a word is outside the subset; `.resized()` changes the width of a word",
        ),
        Expr::Cast(c) => {
            // The compiler rejects this for values that are not known at generation.
            let (inner, ty) = (value(&c.expr)?, &c.ty);
            Ok(quote_spanned!(span=> ((#inner) as #ty)))
        }
        Expr::If(i) => select(i),
        Expr::Block(b) => tail(&b.block),
        Expr::Match(_) => refuse(
            span,
            "`match` as a value is outside the subset; assign in the arms of a `match` statement, or use `if`",
        ),
        Expr::Macro(_) => refuse(span, "macros are outside the subset"),
        Expr::Reference(_) => refuse(span, "references are outside the subset"),
        Expr::Return(_) => refuse(
            span,
            "`return` is outside the subset; choose the value at the end of the function with `if`",
        ),
        Expr::Closure(_) => refuse(span, "closures are outside the subset"),
        Expr::Tuple(_) | Expr::Struct(_) => refuse(
            span,
            "tuples and struct literals are outside the subset; assign field by field",
        ),
        Expr::Assign(_) => refuse(span, "an assignment has no value"),
        _ => refuse(span, "this expression is outside the subset of kernels"),
    }
}

/// Rejects `self...` that is not followed by `.val()`.
fn unread_path(e: &Expr) -> Result<TokenStream> {
    path::signal(e)?;
    refuse(
        e.span(),
        "a signal or constant is read with `.val()`; nothing else of `self` can be read in a kernel",
    )
}

fn binary(b: &ExprBinary) -> Result<TokenStream> {
    let span = b.span();
    let (left, right) = (value(&b.left)?, value(&b.right)?);
    if let Some(method) = matching_method(&b.op) {
        if has_known_type(&b.left) && has_known_type(&b.right) {
            let method = Ident::new(method, span);
            return Ok(quote_spanned!(span=> {
                use ::phasecube_hdl::lower::{AnyOperands as _, OtherWidth as _, SameWidth as _};
                (&mut &mut ::phasecube_hdl::lower::Operands::new(#left, #right)).#method()
            }));
        }
    }
    let compare = |name: &str| {
        let function = syn::Ident::new(name, span);
        Ok(quote_spanned!(span=> ::phasecube_hdl::lower::#function(#left, #right)))
    };
    match &b.op {
        BinOp::And(_) => Ok(logical("and", span, left, right)),
        BinOp::Or(_) => Ok(logical("or", span, left, right)),
        BinOp::Eq(_) => compare("eq"),
        BinOp::Ne(_) => compare("ne"),
        BinOp::Lt(_) => compare("lt"),
        BinOp::Le(_) => compare("le"),
        BinOp::Gt(_) => compare("gt"),
        BinOp::Ge(_) => compare("ge"),
        op @ (BinOp::Add(_)
        | BinOp::Sub(_)
        | BinOp::Mul(_)
        | BinOp::Div(_)
        | BinOp::Rem(_)
        | BinOp::BitAnd(_)
        | BinOp::BitOr(_)
        | BinOp::BitXor(_)
        | BinOp::Shl(_)
        | BinOp::Shr(_)) => Ok(quote_spanned!(span=> ((#left) #op (#right)))),
        op => refuse(
            op.span(),
            "compound assignment is outside the subset; write `x.next = x.val() + y`, or \
             `x = x + y` for a `let mut`",
        ),
    }
}

/// Method of `hdl::lower::Operands` for an operator whose two words must have one type.
fn matching_method(op: &BinOp) -> Option<&'static str> {
    Some(match op {
        BinOp::Add(_) => "add_words",
        BinOp::Sub(_) => "sub_words",
        BinOp::BitAnd(_) => "and_words",
        BinOp::BitOr(_) => "or_words",
        BinOp::BitXor(_) => "xor_words",
        BinOp::Eq(_) => "eq_words",
        BinOp::Ne(_) => "ne_words",
        BinOp::Lt(_) => "lt_words",
        BinOp::Le(_) => "le_words",
        BinOp::Gt(_) => "gt_words",
        BinOp::Ge(_) => "ge_words",
        _ => return None,
    })
}

/// Translates `and` or `or`. The second operand is evaluated only if Rust may evaluate it.
fn logical(name: &str, span: Span, left: TokenStream, right: TokenStream) -> TokenStream {
    let parts = logical_parts(name, span, left, right);
    quote_spanned!(span=> (#parts).1)
}

/// Returns the code of the second operand, if it was evaluated, and of the result.
pub fn logical_parts(name: &str, span: Span, left: TokenStream, right: TokenStream) -> TokenStream {
    let function = syn::Ident::new(name, span);
    let (logical, second) = (hygienic("logical", span), hygienic("second", span));
    let right = evaluated(span, right);
    quote_spanned!(span=> {
        let #logical = ::phasecube_hdl::lower::#function(#left);
        let #second = if #logical.goes_on() { #right } else { ::core::option::Option::None };
        (#second, #logical.end(#second))
    })
}

/// Wraps a word that may be absent.
fn evaluated(span: Span, value: TokenStream) -> TokenStream {
    quote_spanned!(span=> ::core::option::Option::Some(::phasecube_hdl::lower::lift(#value)))
}

/// Returns a name that cannot clash with a name in the kernel.
pub fn hygienic(name: &str, span: Span) -> Ident {
    Ident::new(name, Span::mixed_site().located_at(span))
}

fn method(m: &ExprMethodCall) -> Result<TokenStream> {
    let span = m.span();
    let name = m.method.to_string();
    if path::is_rooted_at_self(&m.receiver) {
        let signal = path::signal(&m.receiver)?;
        return match name.as_str() {
            "val" if m.args.is_empty() && m.turbofish.is_none() => {
                let resolved = resolved(&m.method);
                Ok(quote_spanned!(span=> {
                    if false {
                        ::phasecube_hdl::lower::val(&#signal, #resolved);
                    }
                    ::phasecube_hdl::lower::Readable::read(&#signal)
                }))
            }
            "len" if m.args.is_empty() => {
                Ok(quote_spanned!(span=> ::phasecube_hdl::lower::len(&#signal, #signal.len())))
            }
            "initial" if m.args.is_empty() => {
                Ok(quote_spanned!(span=> ::phasecube_hdl::lower::initial(&#signal)))
            }
            _ => refuse(
                m.method.span(),
                format!("`.{name}()` of a signal is outside the subset; read it with `.val()`"),
            ),
        };
    }
    let receiver = value(&m.receiver)?;
    let args = m.args.iter().map(value).collect::<Result<Vec<_>>>()?;
    if name == "into" && args.is_empty() {
        let std = quote_spanned!(m.method.span()=> |w| {
            use ::core::convert::Into as _;
            w.into()
        });
        // Uses the span of the receiver, so that the compiler reports the receiver.
        let word = Ident::new("__word", m.receiver.span());
        return Ok(quote_spanned!(span=> {
            let #word = #receiver;
            if false {
                ::phasecube_hdl::lower::into(#word, #std)
            } else {
                ::phasecube_hdl::lower::Into::convert(#word)
            }
        }));
    }
    if !WORD_METHODS.contains(&name.as_str()) {
        return Ok(method_call(m, receiver, args));
    }
    let (ident, turbofish) = (&m.method, &m.turbofish);
    if name == "to_bits" {
        return Ok(quote_spanned!(span=>
            ::phasecube_hdl::lower::known(#receiver).#ident #turbofish(#(#args),*)
        ));
    }
    let resolved = resolved(ident);
    let word = hygienic("word", span);
    let mut receiver = quote_spanned!(span=> ({
        let #word = #receiver;
        if false {
            ::phasecube_hdl::lower::own(#word, #resolved);
        }
        #word
    }));
    if name == "replace_bit" {
        // The word may be known at generation even if the bit is not.
        receiver = quote_spanned!(span=> ::phasecube_hdl::lower::lift(#receiver));
    }
    Ok(quote_spanned!(span=> #receiver.#ident #turbofish(#(#args),*)))
}

/// Writes a closure that is never called and so never compiled. Its types are correct only if no
/// trait of the user has a method of this name that Rust prefers to the one of `rust-hdl`.
fn resolved(method: &syn::Ident) -> TokenStream {
    quote_spanned!(method.span()=> |w| {
        use ::phasecube_hdl::lower::OwnMethods as _;
        w.#method()
    })
}

/// Translates `value.a.b`, a field of a word.
fn field(e: &Expr) -> Result<TokenStream> {
    let chain = FieldChain::split(e, |_| false)?;
    let base = value(chain.base)?;
    let (get, names) = chain.accessors();
    Ok(quote_spanned!(e.span()=> ::phasecube_hdl::lower::field(#base, #get, #names)))
}

fn call(c: &ExprCall) -> Result<TokenStream> {
    let span = c.span();
    let Expr::Path(function) = &*c.func else {
        return refuse(span, "only functions can be called, by their path");
    };
    let last = function.path.segments.last().expect("a path has a segment");
    if last.ident == "link" || last.ident == "join" {
        return refuse(
            span,
            "the functions `link` and `join` are outside the subset; write `link!(self -> child: port)` or `link!(one -> other: port)`",
        );
    }
    let args = c.args.iter().map(value).collect::<Result<Vec<_>>>()?;
    if last.ident == "bit_cast" {
        return Ok(quote_spanned!(span=> ::phasecube_hdl::lower::bit_cast(#function, #(#args),*)));
    }
    if c.args.iter().all(is_fixed) {
        return Ok(quote_spanned!(span=> #function(#(::phasecube_hdl::lower::known(#args)),*)));
    }
    let name = hygienic("function", span);
    let spans = c.args.iter().map(Spanned::span);
    let CallArguments { given, split, values } = arguments(span, spans.zip(args), None);
    Ok(quote_spanned!(span=> {
        let #name = #function;
        #split
        #given.call(&#name, || #name(#(#values),*))
    }))
}

/// Translates a call of a method of a word's own type, or of a value known at generation.
fn method_call(m: &ExprMethodCall, receiver: TokenStream, args: Vec<TokenStream>) -> TokenStream {
    let (method, turbofish) = (&m.method, &m.turbofish);
    // The length of an array of words does not depend on the words.
    let words = (method == "len" && args.is_empty()).then(|| quote!(WordsArgument as _));
    let spans = [m.receiver.span()].into_iter().chain(m.args.iter().map(Spanned::span));
    let CallArguments { given, split, values } =
        arguments(m.span(), spans.zip([receiver].into_iter().chain(args)), words);
    let (this, values) = values.split_first().expect("the receiver is one");
    let text = method.to_string();
    // Both calls begin at the method's name, because the method identifies the call by this
    // location.
    let call_method = quote_spanned!(method.span()=> call_method);
    quote_spanned!(m.span()=> {
        #split
        #given.#call_method(#text, || #this.#method #turbofish(#(#values),*))
    })
}

/// Arguments of a call. A call with a word goes to a `#[kernel]` function. Any other call runs as
/// Rust at generation. The types of the arguments decide.
struct CallArguments {
    /// Variable of type `hdl::lower::Arguments`.
    given: Ident,
    /// Code that separates words from values.
    split: TokenStream,
    /// Names of the values and of the stand-ins for words.
    values: Vec<Ident>,
}

/// Translates arguments. An array of words is accepted only if `words` names its trait.
fn arguments(
    span: Span,
    args: impl Iterator<Item = (Span, TokenStream)>,
    words: Option<TokenStream>,
) -> CallArguments {
    let given = hygienic("given", span);
    let mut split = quote_spanned!(span=> let #given = ::phasecube_hdl::lower::Arguments::none(););
    let mut values = vec![];
    for (index, (place, arg)) in args.enumerate() {
        // Uses the span of the argument, so that the compiler reports the argument.
        let value = Ident::new(&format!("__argument_{index}"), place);
        let mark = hygienic("mark", span);
        split.extend(quote_spanned!(span=>
            let (#value, #mark) = match #arg {
                #value => {
                    use ::phasecube_hdl::lower::{PlainArgument as _, WordArgument as _, #words};
                    (&mut ::phasecube_hdl::lower::Argument::new(#value)).split()
                }
            };
            let #given = #given.with(#mark);
        ));
        values.push(value);
    }
    CallArguments { given, split, values }
}

/// Whether an expression contains no word.
fn is_fixed(e: &Expr) -> bool {
    struct Names(bool);
    impl Visit<'_> for Names {
        fn visit_path(&mut self, path: &syn::Path) {
            let lower = |name: &Ident| name.to_string().starts_with(|c: char| !c.is_uppercase());
            self.0 |= path.get_ident().is_some_and(lower);
        }

        // `3.into()` is a word.
        fn visit_expr_method_call(&mut self, _: &ExprMethodCall) {
            self.0 = true;
        }
    }
    let mut names = Names(false);
    names.visit_expr(e);
    !names.0
}

/// Whether the type of an expression is known without its context, because it reads a signal or is a
/// variable.
fn has_known_type(e: &Expr) -> bool {
    let begins_lower = |name: &Ident| name.to_string().starts_with(|c: char| c.is_lowercase());
    match e {
        Expr::Path(path) => path.path.get_ident().is_some_and(begins_lower),
        Expr::Paren(inner) => has_known_type(&inner.expr),
        e => reads_signal(e),
    }
}

/// Whether an expression reads a signal. Its type is then known without its context.
fn reads_signal(e: &Expr) -> bool {
    struct Reads(bool);
    impl Visit<'_> for Reads {
        fn visit_expr_method_call(&mut self, m: &ExprMethodCall) {
            self.0 |= m.method == "val" && path::is_rooted_at_self(&m.receiver);
            syn::visit::visit_expr_method_call(self, m);
        }
    }
    let mut reads = Reads(false);
    reads.visit_expr(e);
    reads.0
}

/// Translates `if c { a } else { b }` as a value.
fn select(i: &ExprIf) -> Result<TokenStream> {
    let span = i.if_token.span();
    let cond = condition(&i.cond)?;
    let then = tail(&i.then_branch)?;
    let Some((_, otherwise)) = &i.else_branch else {
        return refuse(span, "an `if` used as a value needs an `else`");
    };
    let (then, otherwise) = (evaluated(span, then), evaluated(span, value(otherwise)?));
    let select = hygienic("select", span);
    let (first, second) = (hygienic("first", span), hygienic("second", span));
    Ok(quote_spanned!(span=> {
        let #select = ::phasecube_hdl::lower::Select::begin(#cond);
        let #first = if #select.then() { #then } else { ::core::option::Option::None };
        let #second = if #select.otherwise() { #otherwise } else { ::core::option::Option::None };
        #select.end(#first, #second)
    }))
}

/// Translates the condition of an `if`.
pub fn condition(e: &Expr) -> Result<TokenStream> {
    match e {
        Expr::Let(l) => refuse(l.span(), "`if let` is outside the subset"),
        e => value(e),
    }
}

/// Translates a block that consists of a value only.
fn tail(block: &syn::Block) -> Result<TokenStream> {
    match block.stmts.as_slice() {
        [syn::Stmt::Expr(e, None)] => value(e),
        _ => refuse(block.span(), "a block used as a value holds one expression and nothing else"),
    }
}
