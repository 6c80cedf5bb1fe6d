//! Types, as far as the translation needs them: sizes, members, and which members are parallel.

use std::collections::HashMap;
use std::rc::Rc;

/// Type of a declaration, without its pointers and arrays.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Type {
    /// Words of the type without qualifiers, for comparison.
    pub name: String,
    /// Size and alignment in bytes, if known.
    pub layout: Option<Layout>,
    /// Members of a structure or union.
    pub members: Option<Rc<HashMap<String, Shape>>>,
    /// Whether the type is a pointer by a `typedef`.
    pub is_pointer: bool,
    /// Whether the type is a `pvar`, or a `typedef` of one.
    pub is_parallel: bool,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Layout {
    pub size: u64,
    pub align: u64,
}

/// Type of a variable or member, with its pointers and arrays.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Shape {
    pub base: Type,
    pub pointers: usize,
    /// Elements of each dimension of an array, if known.
    pub extents: Vec<Option<i64>>,
    pub is_parallel: bool,
    pub is_function: bool,
}

impl Shape {
    pub fn is_pointer(&self) -> bool {
        self.pointers > 0 || self.base.is_pointer
    }

    /// Size and alignment in bytes, if known. A pointer of the core has four bytes.
    pub fn layout(&self) -> Option<Layout> {
        let one = match self.is_pointer() {
            true => Layout { size: 4, align: 4 },
            false => self.base.layout?,
        };
        let mut elements = self.extents.iter().copied().map(|e| e?.try_into().ok());
        let size = elements.try_fold(one.size, |size, e: Option<u64>| size.checked_mul(e?))?;
        Some(Layout { size, ..one })
    }

    /// Returns the shape of one element of an array, or of the target of a pointer.
    pub fn element(&self) -> Shape {
        let mut element = self.clone();
        if element.extents.is_empty() {
            element.pointers = element.pointers.saturating_sub(1);
        } else {
            element.extents.remove(0);
        }
        element
    }

    /// Shape of a member of a structure.
    pub fn member(&self, name: &str) -> Option<Shape> {
        let mut member = self.base.members.as_ref()?.get(name)?.clone();
        member.is_parallel |= self.is_parallel;
        Some(member)
    }
}

/// Layout of a structure or union with these members. `packed` leaves out the padding.
pub fn layout_of_members(
    members: &[Option<Layout>],
    is_union: bool,
    packed: bool,
) -> Option<Layout> {
    let mut all = Layout { size: 0, align: 1 };
    for member in members {
        let member = (*member)?;
        let align = if packed { 1 } else { member.align };
        all.align = all.align.max(align);
        match is_union {
            true => all.size = all.size.max(member.size),
            false => all.size = all.size.next_multiple_of(align) + member.size,
        }
    }
    all.size = all.size.next_multiple_of(all.align);
    Some(all)
}

/// Words that belong to the name of an arithmetic type.
pub const TYPE_WORDS: [&str; 13] = [
    "void", "char", "short", "int", "long", "float", "double", "signed", "unsigned", "_Bool",
    "__int128", "_Complex", "bool",
];

/// Words that may begin a declaration, beside types.
pub const QUALIFIERS: [&str; 15] = [
    "const",
    "volatile",
    "restrict",
    "static",
    "extern",
    "inline",
    "register",
    "auto",
    "typedef",
    "_Noreturn",
    "_Thread_local",
    "_Atomic",
    "__inline",
    "__restrict",
    "__extension__",
];

/// Type with the given words, such as `unsigned` and `long`.
pub fn arithmetic(words: &[&str]) -> Type {
    let count = |word| words.iter().filter(|w| **w == word).count();
    let size = match () {
        () if count("void") > 0 || count("_Complex") > 0 || count("__int128") > 0 => None,
        () if count("char") + count("_Bool") + count("bool") > 0 => Some(1),
        () if count("short") > 0 => Some(2),
        () if count("double") > 0 && count("long") > 0 => Some(16),
        () if count("double") > 0 || count("long") > 1 => Some(8),
        () => Some(4),
    };
    let mut name: Vec<&str> = words.to_vec();
    name.sort_unstable();
    Type {
        name: name.join(" "),
        layout: size.map(|size| Layout { size, align: size }),
        ..Type::default()
    }
}

/// Types of the standard headers with a known size.
pub fn standard(name: &str) -> Option<Type> {
    let size = match name {
        "int8_t" | "uint8_t" => 1,
        "int16_t" | "uint16_t" => 2,
        "int32_t" | "uint32_t" | "size_t" | "ptrdiff_t" | "intptr_t" | "uintptr_t" | "ssize_t" => 4,
        "int64_t" | "uint64_t" => 8,
        _ => return None,
    };
    Some(Type {
        name: name.to_owned(),
        layout: Some(Layout { size, align: size }),
        ..Type::default()
    })
}

/// Shape of the result of an operation on two arithmetic values, if both are known.
pub fn arithmetic_result(a: Option<&Shape>, b: Option<&Shape>) -> Option<Shape> {
    let (a, b) = (a?, b?);
    let is_arithmetic =
        |s: &Shape| !s.is_pointer() && s.extents.is_empty() && s.base.members.is_none();
    if !is_arithmetic(a) || !is_arithmetic(b) {
        return None;
    }
    let size = a.layout()?.size.max(b.layout()?.size);
    let has = |word: &str| a.base.name.contains(word) || b.base.name.contains(word);
    let base = match size {
        9.. => arithmetic(&["long", "double"]),
        5.. if has("double") || has("float") => arithmetic(&["double"]),
        5.. => arithmetic(&["long", "long"]),
        _ if has("float") => arithmetic(&["float"]),
        _ => arithmetic(&["int"]),
    };
    Some(Shape { base, ..Shape::default() })
}

/// Shape of a number in the source.
pub fn number(text: &str) -> Shape {
    let lower = text.to_ascii_lowercase();
    let is_hexadecimal = lower.starts_with("0x");
    let floating =
        lower.contains('.') || !is_hexadecimal && lower.contains('e') || lower.contains('p');
    let words: &[&str] = match floating {
        true if lower.ends_with('f') => &["float"],
        true => &["double"],
        false if lower.contains("ll") => &["long", "long"],
        false => &["int"],
    };
    Shape { base: arithmetic(words), ..Shape::default() }
}
