//! Implements `#[derive(Bundle)]`: a group of ports as one field of a block.

use crate::circuit::{self, doc_text, PortKind};
use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use syn::meta::ParseNestedMeta;
use syn::spanned::Spanned;
use syn::{
    parse_quote, Data, DeriveInput, Error, Field, Fields, GenericArgument, Generics, Ident,
    PathArguments, Result, Type,
};

/// Structs with an opposite end: file, name, and name of the opposite end.
static FLIPPED: Mutex<BTreeSet<(PathBuf, String, String)>> = Mutex::new(BTreeSet::new());

pub fn expand(input: &DeriveInput) -> Result<TokenStream> {
    let BundleOptions { flat, flipped } = BundleOptions::of(input)?;
    if let Some(other) = &flipped {
        refuse_both_ends(&input.ident, other)?;
    }
    let members = members(input)?;
    let itself = implementation(input, flat, &members);
    let other_end = flipped.map(|name| other_end(input, &name, flat, &members));
    Ok(quote!(#itself #other_end))
}

/// Rejects a struct that the derive of its opposite end also writes. Only the first of the two is
/// derived. Otherwise this error would be lost among many errors about duplicate items.
fn refuse_both_ends(name: &Ident, other: &Ident) -> Result<()> {
    // Under an editor's analysis there is no file, and its process outlives the source that it
    // read.
    let Some(file) = name.span().unwrap().local_file() else {
        return Ok(());
    };
    let (this, that) = (name.to_string(), other.to_string());
    let mut known = FLIPPED.lock().unwrap_or_else(PoisonError::into_inner);
    if known.contains(&(file.clone(), that.clone(), this.clone())) {
        return Err(Error::new(
            name.span(),
            format!(
                "both ends of a bundle are written out: `#[bundle(flipped = {this})]` on `{that}` \
                 writes the struct `{this}`; delete this one"
            ),
        ));
    }
    known.insert((file, this, that));
    Ok(())
}

type BundleMember<'a> = (&'a Ident, &'a Field);

#[derive(Default)]
struct BundleOptions {
    /// Whether the port names omit the name of the field.
    flat: bool,
    /// Name of the opposite end.
    flipped: Option<Ident>,
}

impl BundleOptions {
    fn of(input: &DeriveInput) -> Result<Self> {
        let mut options = BundleOptions::default();
        for attribute in &input.attrs {
            if attribute.path().is_ident("bundle") {
                attribute.parse_nested_meta(|meta| options.take(&meta))?;
            }
        }
        Ok(options)
    }

    fn take(&mut self, meta: &ParseNestedMeta) -> Result<()> {
        if meta.path.is_ident("flat") {
            self.flat = true;
            Ok(())
        } else if meta.path.is_ident("flipped") {
            self.flipped = Some(meta.value()?.parse()?);
            Ok(())
        } else {
            Err(meta.error("a bundle has the options `flat` and `flipped = Name`"))
        }
    }
}

fn members(input: &DeriveInput) -> Result<Vec<BundleMember<'_>>> {
    let named = match &input.data {
        Data::Struct(data) => match &data.fields {
            Fields::Named(fields) if !fields.named.is_empty() => Some(&fields.named),
            _ => None,
        },
        _ => None,
    };
    let Some(fields) = named else {
        return Err(Error::new(input.ident.span(), "a bundle is a struct with named ports"));
    };
    let mut members = vec![];
    for field in fields {
        let name = field.ident.as_ref().expect("the fields are named");
        if name.to_string().starts_with('_') {
            return Err(Error::new(
                name.span(),
                "every member of a bundle is a port, and its name begins with a letter",
            ));
        }
        if circuit::signal_kind(&field.ty) == Some(PortKind::Clock) {
            return Err(Error::new(
                field.ty.span(),
                "a clock is a port of its own, no member of a bundle",
            ));
        }
        members.push((name, field));
    }
    Ok(members)
}

/// Writes the implementation of `Bundle` for a struct.
fn implementation(input: &DeriveInput, flat: bool, members: &[BundleMember]) -> TokenStream {
    let name = &input.ident;
    let (impl_generics, ty_generics, where_clause) = input.generics.split_for_impl();
    let names: Vec<&Ident> = members.iter().map(|(name, _)| *name).collect();
    let texts: Vec<String> = names.iter().map(|name| name.to_string()).collect();
    let docs = members.iter().map(|(_, field)| doc_text(&field.attrs));
    let access = circuit::access(members.iter().copied());
    // Uses the span of the type, so that the compiler reports a type that is not a port.
    let each = |function: &str| -> Vec<TokenStream> {
        let call = |(name, field): &BundleMember| {
            let function = Ident::new(function, field.ty.span());
            let (this, that) = match function == "record" {
                true => (quote!(&self.#name), quote!(&inner.#name)),
                false => (quote!(&mut self.#name), quote!(&mut inner.#name)),
            };
            quote_spanned!(field.ty.span()=> ::phasecube_hdl::lower::Linked::#function(#this, #that);)
        };
        members.iter().map(call).collect()
    };
    let (link, connect, record) = (each("link"), each("connect"), each("record"));
    let directions = directions(members);
    quote! {
        impl #impl_generics ::phasecube_hdl::rust_hdl::Logic for #name #ty_generics #where_clause {
            fn update(&mut self) {}

            fn hdl(&self) -> ::phasecube_hdl::rust_hdl::Verilog {
                ::phasecube_hdl::lower::answer_bundle(#flat, &[#((#texts, #docs)),*])
            }
        }

        impl #impl_generics ::phasecube_hdl::rust_hdl::Block for #name #ty_generics #where_clause {
            fn connect_all(&mut self) {
                #(::phasecube_hdl::rust_hdl::Block::connect_all(&mut self.#names);)*
            }

            fn update_all(&mut self) {
                #(::phasecube_hdl::rust_hdl::Block::update_all(&mut self.#names);)*
            }

            fn has_changed(&self) -> bool {
                #(::phasecube_hdl::rust_hdl::Block::has_changed(&self.#names))||*
            }

            fn accept(&self, name: &str, probe: &mut dyn ::phasecube_hdl::rust_hdl::Probe) {
                probe.visit_start_namespace(name, self);
                #(::phasecube_hdl::rust_hdl::Block::accept(&self.#names, #texts, probe);)*
                probe.visit_end_namespace(name, self);
            }
        }

        impl #impl_generics ::phasecube_hdl::lower::Linked for #name #ty_generics #where_clause {
            type Directions = #directions;

            fn link(&mut self, inner: &mut Self) {
                #(#link)*
            }

            fn connect(&mut self, inner: &mut Self) {
                #(#connect)*
            }

            #[track_caller]
            fn record(&self, inner: &Self) {
                #(#record)*
            }
        }

        impl #impl_generics ::phasecube_hdl::lower::Bundle for #name #ty_generics #where_clause {
            const FLAT: bool = #flat;

            #access
        }
    }
}

/// Writes the type of the directions of these members.
fn directions(members: &[BundleMember]) -> TokenStream {
    let of = |(_, field): &BundleMember| {
        let ty = &field.ty;
        quote_spanned!(ty.span()=> <#ty as ::phasecube_hdl::lower::Linked>::Directions)
    };
    let (last, before) = members.split_last().expect("a bundle has members");
    before.iter().rev().map(of).fold(
        of(last),
        |rest, first| quote!(<#first as ::phasecube_hdl::lower::Directions>::And<#rest>),
    )
}

/// Writes the struct with reversed directions, and the connection of both ends.
fn other_end(
    input: &DeriveInput,
    other: &Ident,
    flat: bool,
    members: &[BundleMember],
) -> TokenStream {
    let (name, vis) = (&input.ident, &input.vis);
    let generics = &input.generics;
    let (impl_generics, ty_generics, where_clause) = generics.split_for_impl();
    let names: Vec<&Ident> = members.iter().map(|(name, _)| *name).collect();
    let doc = format!("The other end of a [`{name}`]: what is an input there is an output here.");
    let mut turned = input.clone();
    turned.ident = other.clone();
    if let Data::Struct(data) = &mut turned.data {
        for field in &mut data.fields {
            field.ty = flipped_type(&field.ty);
        }
    }
    let itself = match self::members(&turned) {
        Ok(members) => implementation(&turned, flat, &members),
        Err(error) => error.into_compile_error(),
    };
    let (types, fields): (Vec<Type>, Vec<TokenStream>) = members
        .iter()
        .map(|(name, field)| {
            let (ty, vis) = (flipped_type(&field.ty), &field.vis);
            let docs = field.attrs.iter().filter(|a| a.path().is_ident("doc"));
            (ty.clone(), quote!(#(#docs)* #vis #name: #ty))
        })
        .unzip();
    let defaults = types.iter().map(default_of);
    let there = joins(generics, members, name, other);
    let back = joins(generics, members, other, name);
    quote! {
        #[doc = #doc]
        #vis struct #other #generics #where_clause {
            #(#fields,)*
        }

        impl #impl_generics ::core::default::Default for #other #ty_generics #where_clause {
            fn default() -> Self {
                #other { #(#names: #defaults,)* }
            }
        }

        #itself
        #there
        #back
    }
}

/// Writes the connection of the end `this` with its opposite end `that`.
fn joins(generics: &Generics, members: &[BundleMember], this: &Ident, that: &Ident) -> TokenStream {
    let (impl_generics, ty_generics, where_clause) = generics.split_for_impl();
    let each = |function: &str| -> Vec<TokenStream> {
        let call = |(name, field): &BundleMember| {
            let function = Ident::new(function, field.ty.span());
            let (this, that) = match function == "record" {
                true => (quote!(&self.#name), quote!(&other.#name)),
                false => (quote!(&mut self.#name), quote!(&mut other.#name)),
            };
            quote_spanned!(field.ty.span()=> ::phasecube_hdl::lower::Joined::#function(#this, #that);)
        };
        members.iter().map(call).collect()
    };
    let (join, connect, record) = (each("join"), each("connect"), each("record"));
    quote! {
        impl #impl_generics ::phasecube_hdl::lower::Joined<#that #ty_generics> for #this #ty_generics
        #where_clause
        {
            fn join(&mut self, other: &mut #that #ty_generics) {
                #(#join)*
            }

            fn connect(&mut self, other: &mut #that #ty_generics) {
                #(#connect)*
            }

            #[track_caller]
            fn record(&self, other: &#that #ty_generics) {
                #(#record)*
            }
        }

        impl #impl_generics ::phasecube_hdl::lower::FlipBundle for #this #ty_generics #where_clause {
            type Flipped = #that #ty_generics;
        }
    }
}

/// Converts `Signal<In, T>` to `Signal<Out, T>` and vice versa, also in lists. A bundle becomes its
/// opposite end.
fn flipped_type(ty: &Type) -> Type {
    let mut turned = circuit::plain(ty).clone();
    if let Some(kind) = circuit::signal_kind(ty) {
        let direction: Type = match kind {
            PortKind::Out => parse_quote!(::phasecube_hdl::rust_hdl::In),
            PortKind::In | PortKind::Clock => parse_quote!(::phasecube_hdl::rust_hdl::Out),
        };
        if let Some(first) = first_argument(&mut turned) {
            *first = direction;
        }
        return turned;
    }
    if circuit::list_element(ty).is_some() {
        match &mut turned {
            Type::Array(array) => *array.elem = flipped_type(&array.elem),
            vec => {
                if let Some(element) = first_argument(vec) {
                    *element = flipped_type(element);
                }
            }
        }
        return turned;
    }
    parse_quote!(<#turned as ::phasecube_hdl::lower::FlipBundle>::Flipped)
}

fn first_argument(ty: &mut Type) -> Option<&mut Type> {
    let Type::Path(path) = ty else {
        return None;
    };
    let PathArguments::AngleBracketed(args) = &mut path.path.segments.last_mut()?.arguments else {
        return None;
    };
    args.args.iter_mut().find_map(|arg| match arg {
        GenericArgument::Type(ty) => Some(ty),
        _ => None,
    })
}

/// Returns the default, also for an array of any length.
fn default_of(ty: &Type) -> TokenStream {
    match ty {
        Type::Array(array) => {
            let element = default_of(&array.elem);
            quote!(::core::array::from_fn(|_| #element))
        }
        _ => quote!(::core::default::Default::default()),
    }
}
