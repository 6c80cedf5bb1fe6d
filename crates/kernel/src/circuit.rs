//! `#[derive(Circuit)]`: what a block is called and what its fields are.

use proc_macro2::TokenStream;
use quote::quote;
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
            Some(quote!((#text, ::std::string::ToString::to_string(&#ident))))
        }
        GenericParam::Type(t) => {
            let (ident, text) = (&t.ident, t.ident.to_string());
            Some(quote!((#text, ::hdl::lower::type_name::<#ident>())))
        }
        GenericParam::Lifetime(_) => None,
    });
    // As in rust-hdl, a leading underscore marks what is not part of the circuit.
    let fields: Vec<(&Ident, &Field)> = data
        .fields
        .iter()
        .filter_map(|f| f.ident.as_ref().map(|i| (i, f)))
        .filter(|(i, _)| !i.to_string().starts_with('_'))
        .collect();
    let docs = fields.iter().map(|(ident, field)| {
        let (text, doc) = (ident.to_string(), doc_text(&field.attrs));
        quote!((#text, #doc))
    });

    let (mut pokes, mut peeks, mut clocks) = (vec![], vec![], vec![]);
    let (mut list_pokes, mut list_peeks) = (vec![], vec![]);
    for (ident, field) in &fields {
        let text = ident.to_string();
        match signal_kind(&field.ty) {
            Some(SignalKind::Clock) => clocks.push(quote!(
                ::hdl::lower::drive_clock(&mut self.#ident, level);
            )),
            Some(SignalKind::In) => {
                pokes.push(quote!(
                    #text => (&mut ::hdl::lower::Poke(&mut self.#ident)).poke(value),
                ));
                peeks.push(quote!(#text => ::hdl::lower::peek(self.#ident.val()),));
            }
            Some(SignalKind::Out) => {
                peeks.push(quote!(#text => ::hdl::lower::peek(self.#ident.val()),));
            }
            None => {
                let kind = list_element(&field.ty).and_then(signal_kind);
                if let Some(kind @ (SignalKind::In | SignalKind::Out)) = kind {
                    if matches!(kind, SignalKind::In) {
                        list_pokes.push(quote!(
                            #text => (&mut ::hdl::lower::Poke(&mut self.#ident[index])).poke(value),
                        ));
                    }
                    list_peeks.push(quote!(
                        #text => ::hdl::lower::peek(self.#ident.get(index)?.val()),
                    ));
                }
            }
        }
    }

    let (impl_generics, ty_generics, where_clause) = input.generics.split_for_impl();
    Ok(quote! {
        impl #impl_generics ::hdl::lower::Circuit for #name #ty_generics #where_clause {
            fn description() -> ::hdl::lower::Description {
                ::hdl::lower::Description {
                    name: #name_text,
                    path: ::core::concat!(::core::module_path!(), "::", #name_text),
                    doc: #doc,
                    params: ::std::vec![#(#params),*],
                    fields: &[#(#docs),*],
                }
            }

            #[allow(unused)]
            fn drive_clock(&mut self, level: bool) {
                #(#clocks)*
            }

            #[allow(unused)]
            fn poke(&mut self, port: &str, value: &::hdl::lower::BigUint) -> bool {
                use ::hdl::lower::{PokeOther, PokeWord};
                match ::hdl::lower::element(port) {
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
            fn peek(&self, port: &str) -> ::core::option::Option<::hdl::lower::BigUint> {
                ::core::option::Option::Some(match ::hdl::lower::element(port) {
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
    })
}

enum SignalKind {
    Clock,
    In,
    Out,
}

/// What a field of type `Signal<In, _>` or `Signal<Out, _>` is; other fields
/// are not ports.
fn signal_kind(ty: &Type) -> Option<SignalKind> {
    let (name, args) = generic(ty)?;
    let [direction, word] = args.as_slice() else {
        return None;
    };
    let (direction, word) = (last_name(direction)?, last_name(word));
    match (name.as_str(), direction.as_str()) {
        ("Signal", "In") if word.as_deref() == Some("Clock") => Some(SignalKind::Clock),
        ("Signal", "In") => Some(SignalKind::In),
        ("Signal", "Out") => Some(SignalKind::Out),
        _ => None,
    }
}

/// `T` of a `Vec<T>` or an array of `T`.
fn list_element(ty: &Type) -> Option<&Type> {
    if let Type::Array(array) = plain(ty) {
        return Some(&array.elem);
    }
    match generic(ty)? {
        (name, args) if name == "Vec" => args.first().copied(),
        _ => None,
    }
}

/// The type in the groups that a macro of the user leaves around it.
fn plain(ty: &Type) -> &Type {
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

/// The text of a doc comment, one leading space taken off each line.
fn doc_text(attrs: &[Attribute]) -> String {
    let lines = attrs.iter().filter_map(|attr| match &attr.meta {
        Meta::NameValue(nv) if nv.path.is_ident("doc") => match &nv.value {
            Expr::Lit(lit) => match &lit.lit {
                Lit::Str(text) => {
                    let text = text.value();
                    Some(
                        text.strip_prefix(' ')
                            .unwrap_or(&text)
                            .trim_end()
                            .to_string(),
                    )
                }
                _ => None,
            },
            _ => None,
        },
        _ => None,
    });
    lines.collect::<Vec<_>>().join("\n").trim().to_string()
}
