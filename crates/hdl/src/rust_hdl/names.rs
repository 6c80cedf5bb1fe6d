//! Names that the compiler gives to functions and types. A kernel's copy recognises by them the
//! function that it calls.

use std::any::type_name;

/// Returns the path of a function, `a::b::c` or `a::b::c<D>`.
pub(crate) fn path_of<F>(_: &F) -> &'static str {
    type_name::<F>()
}

/// Returns the path of the function that contains this closure.
pub(crate) fn path_around<F>(_: &F) -> Option<&'static str> {
    type_name::<F>().strip_suffix("::{{closure}}")
}

/// Returns the `c` of the path `a::b::c::<D>` of a function.
pub(crate) fn last_name(path: &str) -> &str {
    // The path of a trait method ends without parameters of its own.
    let path = match path.strip_suffix('>') {
        Some(inside) => &path[..opening(inside)],
        None => path,
    };
    path.trim_end_matches(':').rsplit("::").next().unwrap_or(path)
}

/// Returns the position of the bracket that the end of this text would close.
fn opening(inside: &str) -> usize {
    let mut depth = 1;
    let found = inside.char_indices().rev().find(|(_, c)| {
        match c {
            '>' => depth += 1,
            '<' => depth -= 1,
            _ => (),
        }
        depth == 0
    });
    found.map_or(0, |(at, _)| at)
}

/// Whether the path is that of `rust-hdl`'s `bit_cast`.
pub(crate) fn is_bit_cast(path: &str) -> bool {
    path.starts_with("rust_hdl_core::bits::bit_cast<")
}

/// Whether both types have one name.
pub(crate) fn same_name<T, U>() -> bool {
    type_name::<T>() == type_name::<U>()
}

/// Whether `T` is the type `U` or has it as a part. Type parameters of `U` do not matter.
pub(crate) fn mentions<T, U>() -> bool {
    let of = type_name::<U>();
    let of = of.split_once('<').map_or(of, |(name, _)| name);
    type_name::<T>().contains(of)
}

#[cfg(test)]
mod tests {
    use super::{is_bit_cast, last_name, mentions, path_around, path_of, same_name};
    use crate::lower::{Index, Sym};
    use crate::rust_hdl::{bit_cast, Bits};

    struct Word;

    trait Method {
        fn of_trait<const N: usize>(self) -> Option<&'static str>;
    }

    impl Method for Word {
        fn of_trait<const N: usize>(self) -> Option<&'static str> {
            path_around(&|| ())
        }
    }

    impl Word {
        #[allow(clippy::extra_unused_type_parameters, reason = "it is in the path")]
        fn of_type<T>(self) -> Option<&'static str> {
            path_around(&|| ())
        }
    }

    fn free<const N: usize>() -> Option<&'static str> {
        path_around(&|| ())
    }

    mod other {
        pub fn free<const N: usize>() -> Option<&'static str> {
            super::path_around(&|| ())
        }

        pub fn bit_cast<const M: usize, const N: usize>(
            _: crate::rust_hdl::Bits<N>,
        ) -> crate::rust_hdl::Bits<M> {
            0.into()
        }
    }

    #[test]
    fn a_function_has_its_path() {
        let here = module_path!();
        assert!(path_of(&free::<3>).starts_with(&format!("{here}::free")));
        assert_ne!(path_of(&free::<3>), path_of(&free::<4>));
        assert_ne!(path_of(&free::<3>), path_of(&other::free::<3>));
        assert_ne!(path_of(&Word::of_type::<u8>), path_of(&Word::of_type::<u16>));
    }

    #[test]
    fn a_closure_has_the_path_of_its_function() {
        assert_eq!(free::<3>(), Some(path_of(&free::<3>)));
        assert_eq!(other::free::<3>(), Some(path_of(&other::free::<3>)));
        let own = (Word.of_type::<Vec<u8>>()).expect("it is called in a closure");
        assert_eq!(own, path_of(&Word::of_type::<Vec<u8>>));
        assert_eq!(last_name(own), "of_type");
        let of_trait = Word.of_trait::<3>().expect("it is called in a closure");
        assert_eq!(last_name(of_trait), "of_trait");
        assert_eq!(path_around(&free::<3>), None, "a function is no closure");
    }

    #[test]
    fn the_bit_cast_of_rust_hdl_is_recognised() {
        assert!(is_bit_cast(path_of(&bit_cast::<3, 5>)));
        assert!(!is_bit_cast(path_of(&other::bit_cast::<3, 5>)));
    }

    #[test]
    fn a_type_mentions_the_types_in_it() {
        assert!(mentions::<Sym<Bits<4>>, Sym<bool>>());
        assert!(mentions::<Option<[Sym<Bits<4>>; 2]>, Sym<bool>>());
        assert!(mentions::<Vec<Index>, Index>());
        assert!(!mentions::<Option<Bits<4>>, Sym<bool>>());
        assert!(!mentions::<usize, Index>());
        assert!(same_name::<Bits<4>, Bits<4>>());
        assert!(!same_name::<Bits<4>, Bits<5>>());
    }
}
