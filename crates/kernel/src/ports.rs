//! Access to the ports of a struct by their flat names.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Field, GenericArgument, Ident, PathArguments, Type};

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
                    pokes.push(quote!(
                        #text => (&mut ::phasecube_hdl::lower::Poke(&mut self.#ident, port)).poke(value),
                    ));
                }
                peeks.push(quote!(#text => ::phasecube_hdl::lower::peek(self.#ident.val()),));
            }
            (Some(kind), Some(_)) => {
                if let PortKind::In = kind {
                    list_pokes.push(quote!(
                        #text => (&mut ::phasecube_hdl::lower::Poke(&mut self.#ident[index], port)).poke(value),
                    ));
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
