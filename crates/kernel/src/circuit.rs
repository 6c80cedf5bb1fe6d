//! Implements `#[derive(Circuit)]`: the name of a block and the documentation of its fields.

use crate::ports::{self, PortKind};
use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{
    Attribute, Data, DeriveInput, Error, Expr, Field, GenericParam, Ident, Lit, Meta, Result,
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
        let kind = ports::signal_kind(&field.ty);
        !matches!(kind, Some(PortKind::In | PortKind::Out))
    });
    let clocks = clocked.map(
        |(ident, _)| quote!((&mut ::phasecube_hdl::lower::Inside(&mut self.#ident)).drive_inside(level);),
    );
    let access = ports::access(fields.iter().copied());

    let (impl_generics, ty_generics, where_clause) = input.generics.split_for_impl();
    Ok(quote! {
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
