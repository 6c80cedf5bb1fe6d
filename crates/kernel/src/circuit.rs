//! Implements `#[derive(Circuit)]`: the name of a block and the documentation of its fields.

use crate::parameters::parameter_macro;
use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{
    Attribute, Data, DeriveInput, Error, Expr, Field, GenericArgument, GenericParam, Ident, Lit,
    Meta, PathArguments, Result, Type,
};

pub fn expand(input: &DeriveInput) -> Result<TokenStream> {
    let Data::Struct(data) = &input.data else {
        return Err(Error::new(input.span(), "only a struct can be a circuit"));
    };
    let name = &input.ident;
    let name_text = name.to_string();
    let doc = doc_text(&input.attrs);
    let params = input.generics.params.iter().filter_map(|p| match p {
        GenericParam::Const(c) => {
            let (ident, text) = (&c.ident, c.ident.to_string());
            let known = quote!((#text, ::std::string::ToString::to_string(&#ident)));
            // A parameter with its default adds no information to the name of the block.
            Some(match &c.default {
                Some(default) => quote!((#ident != #default).then(|| #known)),
                None => quote!(::core::option::Option::Some(#known)),
            })
        }
        GenericParam::Type(t) => {
            let (ident, text) = (&t.ident, t.ident.to_string());
            let known = quote!((#text, ::phasecube_hdl::lower::type_name::<#ident>()));
            Some(quote!(::core::option::Option::Some(#known)))
        }
        GenericParam::Lifetime(_) => None,
    });
    // As in rust-hdl, a leading underscore marks a field that is not part of the circuit.
    let fields: Vec<(&Ident, &Field)> = data
        .fields
        .iter()
        .filter_map(|f| f.ident.as_ref().map(|i| (i, f)))
        .filter(|(i, _)| !i.to_string().starts_with('_'))
        .collect();
    let described = fields.iter().map(|(ident, field)| {
        let (text, doc) = (ident.to_string(), doc_text(&field.attrs));
        let place = place(ident);
        quote!(::phasecube_hdl::lower::FieldDescription { name: #text, doc: #doc, place: #place })
    });
    let place = place(name);

    let clocked = fields.iter().filter(|(_, field)| {
        let kind = signal_kind(&field.ty);
        !matches!(kind, Some(PortKind::In | PortKind::Out))
    });
    let clocks = clocked.map(
        |(ident, _)| quote!((&mut ::phasecube_hdl::lower::Inside(&mut self.#ident)).drive_inside(level);),
    );
    let access = access(fields.iter().copied());

    let (impl_generics, ty_generics, where_clause) = input.generics.split_for_impl();
    let parameters = parameter_macro(input);
    Ok(quote! {
        #parameters

        impl #impl_generics ::phasecube_hdl::lower::Circuit for #name #ty_generics #where_clause {
            fn description() -> ::phasecube_hdl::lower::Description {
                ::phasecube_hdl::lower::Description {
                    name: #name_text,
                    path: ::core::concat!(::core::module_path!(), "::", #name_text),
                    place: ::core::option::Option::Some(#place),
                    doc: #doc,
                    params: ::phasecube_hdl::lower::reported_params(::std::vec![#(#params),*]),
                    fields: &[#(#described),*],
                }
            }

            #[allow(unused)]
            fn drive_clock(&mut self, level: bool) {
                use ::phasecube_hdl::lower::{DriveInside as _, DriveNothing as _};
                #(#clocks)*
            }

            #access
        }
    })
}

/// Returns the source location of a name.
fn place(name: &Ident) -> TokenStream {
    quote_spanned!(name.span()=> ::phasecube_hdl::lower::SourceLocation {
        file: ::core::file!(),
        line: ::core::line!(),
        column: ::core::column!(),
    })
}

/// Returns the text of a doc comment, with one leading space removed from each line.
pub fn doc_text(attrs: &[Attribute]) -> String {
    let lines = attrs.iter().filter_map(|attr| match &attr.meta {
        Meta::NameValue(nv) if nv.path.is_ident("doc") => match &nv.value {
            Expr::Lit(lit) => match &lit.lit {
                Lit::Str(text) => {
                    let text = text.value();
                    Some(text.strip_prefix(' ').unwrap_or(&text).trim_end().to_string())
                }
                _ => None,
            },
            _ => None,
        },
        _ => None,
    });
    lines.collect::<Vec<_>>().join("\n").trim().to_string()
}

// Access to the ports of a struct by their flat names.

/// Writes `poke` and `peek` of a block or bundle with these fields.
pub fn access<'a>(fields: impl Iterator<Item = (&'a Ident, &'a Field)>) -> TokenStream {
    let (mut pokes, mut peeks) = (vec![], vec![]);
    let (mut list_pokes, mut list_peeks) = (vec![], vec![]);
    let (mut pokes_inside, mut peeks_inside) = (vec![], vec![]);
    for (ident, field) in fields {
        let text = ident.to_string();
        let element = list_element(&field.ty);
        let kind = signal_kind(&field.ty).or_else(|| element.and_then(signal_kind));
        match (kind, element) {
            (Some(PortKind::Clock), _) => {}
            (Some(kind), None) => {
                if let PortKind::In = kind {
                    pokes.push(poke_arm(&text, &quote!(self.#ident)));
                }
                peeks.push(quote!(#text => ::phasecube_hdl::lower::peek(self.#ident.val()),));
            }
            (Some(kind), Some(_)) => {
                if let PortKind::In = kind {
                    list_pokes.push(poke_arm(&text, &quote!(self.#ident[index])));
                }
                list_peeks.push(quote!(
                    #text => ::phasecube_hdl::lower::peek(self.#ident.get(index)?.val()),
                ));
            }
            (None, _) if is_cell(element.unwrap_or(&field.ty)) => {}
            (None, _) => {
                pokes_inside.push(quote!(
                    if let ::core::option::Option::Some(poked) =
                        (&mut ::phasecube_hdl::lower::Member(&mut self.#ident)).poke_inside(#text, port, value)
                    {
                        return poked;
                    }
                ));
                peeks_inside.push(quote!(
                    if let ::core::option::Option::Some(value) =
                        (&mut ::phasecube_hdl::lower::Member(&self.#ident)).peek_inside(#text, port)
                    {
                        return ::core::option::Option::Some(value);
                    }
                ));
            }
        }
    }
    quote! {
        #[allow(unused)]
        fn poke(&mut self, port: &str, value: &::phasecube_hdl::lower::BigUint) -> bool {
            use ::phasecube_hdl::lower::{PokeInside as _, PokeNothing as _, PokeOther as _, PokeWord as _};
            #(#pokes_inside)*
            match ::phasecube_hdl::lower::element(port) {
                ::core::option::Option::None => match port {
                    #(#pokes)*
                    _ => false,
                },
                ::core::option::Option::Some((list, index)) => match list {
                    #(#list_pokes)*
                    _ => false,
                },
            }
        }

        #[allow(unused)]
        fn peek(&self, port: &str) -> ::core::option::Option<::phasecube_hdl::lower::BigUint> {
            use ::phasecube_hdl::lower::{PeekInside as _, PeekNothing as _};
            #(#peeks_inside)*
            ::core::option::Option::Some(match ::phasecube_hdl::lower::element(port) {
                ::core::option::Option::None => match port {
                    #(#peeks)*
                    _ => return ::core::option::Option::None,
                },
                ::core::option::Option::Some((list, index)) => match list {
                    #(#list_peeks)*
                    _ => return ::core::option::Option::None,
                },
            })
        }
    }
}

/// Writes the match arm that pokes the port `name`, which is the expression `port`.
fn poke_arm(name: &str, port: &TokenStream) -> TokenStream {
    quote!(#name => (&mut ::phasecube_hdl::lower::Poke(&mut #port, port)).poke(value),)
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum PortKind {
    Clock,
    In,
    Out,
}

/// Returns the kind of a field of type `Signal<In, _>` or `Signal<Out, _>`. Other fields are not
/// ports.
pub fn signal_kind(ty: &Type) -> Option<PortKind> {
    let (name, args) = generic(ty)?;
    let [direction, word] = args.as_slice() else {
        return None;
    };
    let (direction, word) = (last_name(direction)?, last_name(word));
    match (name.as_str(), direction.as_str()) {
        ("Signal", "In") if word.as_deref() == Some("Clock") => Some(PortKind::Clock),
        ("Signal", "In") => Some(PortKind::In),
        ("Signal", "Out") => Some(PortKind::Out),
        _ => None,
    }
}

/// Whether a field of this type is an internal signal or a cell, judged by the type's name.
fn is_cell(ty: &Type) -> bool {
    last_name(ty).is_some_and(|name| {
        let known = ["Signal", "Reg", "Memory", "Rom", "Constant", "Parameter"];
        known.contains(&name.as_str())
    })
}

/// Returns `T` of a `Vec<T>` or an array of `T`.
pub fn list_element(ty: &Type) -> Option<&Type> {
    if let Type::Array(array) = plain(ty) {
        return Some(&array.elem);
    }
    match generic(ty)? {
        (name, args) if name == "Vec" => args.first().copied(),
        _ => None,
    }
}

/// Returns the type without the groups that a user's macro adds around it.
pub fn plain(ty: &Type) -> &Type {
    match ty {
        Type::Group(group) => plain(&group.elem),
        Type::Paren(paren) => plain(&paren.elem),
        ty => ty,
    }
}

fn generic(ty: &Type) -> Option<(String, Vec<&Type>)> {
    let Type::Path(path) = plain(ty) else {
        return None;
    };
    let last = path.path.segments.last()?;
    let PathArguments::AngleBracketed(args) = &last.arguments else {
        return None;
    };
    let types = args.args.iter().filter_map(|a| match a {
        GenericArgument::Type(t) => Some(t),
        _ => None,
    });
    Some((last.ident.to_string(), types.collect()))
}

fn last_name(ty: &Type) -> Option<String> {
    match plain(ty) {
        Type::Path(path) => path.path.segments.last().map(|s| s.ident.to_string()),
        _ => None,
    }
}
