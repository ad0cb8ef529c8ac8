//! Names in the text: the user's own names, changed where C or a scope requires it.

use std::collections::HashSet;

/// Words that have a meaning in OpenCL C, CUDA C++ or the Metal language, or in the text around the handler.
#[rustfmt::skip] // A table.
const RESERVED: &[&str] = &[
    // C and C++.
    "alignas", "alignof", "and", "and_eq", "asm", "auto", "bitand", "bitor", "bool", "break", "case", "catch", "char",
    "class", "compl", "concept", "const", "constexpr", "continue", "decltype", "default", "delete", "do", "double",
    "else", "enum", "explicit", "export", "extern", "false", "float", "for", "friend", "goto", "if", "inline", "int",
    "long", "main", "mutable", "namespace", "new", "noexcept", "not", "not_eq", "nullptr", "operator", "or", "or_eq",
    "private", "protected", "public", "register", "requires", "restrict", "return", "short", "signed", "sizeof",
    "static", "struct", "switch", "template", "this", "throw", "true", "try", "typedef", "typeid", "typename", "typeof",
    "union", "unsigned", "using", "virtual", "void", "volatile", "while", "xor", "xor_eq", "linux", "unix", "errno",
    "NULL", "INFINITY", "NAN", "stdin", "stdout", "stderr", "assert",
    // OpenCL C.
    "global", "local", "constant", "generic", "kernel", "read_only", "write_only", "read_write", "uniform", "pipe",
    "half", "quad", "complex", "imaginary", "uchar", "ushort", "uint", "ulong", "size_t", "ptrdiff_t", "intptr_t",
    "uintptr_t", "event_t", "sampler_t", "queue_t", "clk_event_t", "reserve_id_t", "vec_step", "barrier",
    // The Metal language.
    "device", "threadgroup", "thread", "vertex", "fragment", "metal", "sampler", "texture", "patch", "visible", "as_type",
    "coherent", "object_data", "ray_data", "threadgroup_imageblock", "atomic", "vec", "matrix", "bfloat", "llong", "ullong",
    "static_cast", "const_cast", "reinterpret_cast", "dynamic_cast", "static_assert", "thread_local", "constinit",
    "consteval", "wchar_t", "char8_t", "char16_t", "char32_t", "int8_t", "int16_t", "int32_t", "int64_t", "uint8_t",
    "uint16_t", "uint32_t", "uint64_t",
    // Macros of the dialects, which would change a field's name, too.
    "CHAR_BIT", "CHAR_MAX", "CHAR_MIN", "SCHAR_MAX", "SCHAR_MIN", "UCHAR_MAX", "SHRT_MAX", "SHRT_MIN", "USHRT_MAX",
    "INT_MAX", "INT_MIN", "UINT_MAX", "LONG_MAX", "LONG_MIN", "ULONG_MAX", "MAXFLOAT", "MAXHALF", "HUGE_VAL", "HUGE_VALF",
    "HUGE_VALH", "FP_ILOGB0", "FP_ILOGBNAN",
    // Built-in functions of the dialects, which a variable would hide.
    "abs", "abs_diff", "acos", "all", "any", "asin", "atan", "atan2", "cbrt", "ceil", "clamp", "clz", "copysign", "cos",
    "cosh", "cross", "ctz", "degrees", "distance", "dot", "erf", "exp", "exp2", "fabs", "fdim", "floor", "fma", "fmax",
    "fmin", "fmod", "fract", "frexp", "hypot", "isfinite", "isinf", "isnan", "ldexp", "length", "log", "log10", "log2",
    "mad", "max", "min", "mix", "mod", "modf", "nan", "normalize", "popcount", "pow", "pown", "powr", "printf",
    "radians", "remainder", "rint", "rotate", "round", "rsqrt", "select", "shuffle", "sign", "signbit", "sin", "sinh",
    "smoothstep", "sqrt", "step", "tan", "tanh", "trunc", "j0", "j1", "y0", "y1", "jn", "yn", "gamma", "index",
    // The scalar types and address spaces of the prelude.
    "u8", "u16", "u32", "u64", "i8", "i16", "i32", "i64", "f32", "f64", "GLOBAL", "LOCAL", "PRIVATE", "CONSTANT",
];

/// Prefixes that belong to the text around the handler, to its functions, or to the compiler.
const RESERVED_PREFIXES: [&str; 16] = [
    "ann_", "ANN_", "rs_", "RS_", "fn_", "__", "cl_", "Array_", "Option_", "Result_", "Tuple_", "FLT_",
    "DBL_", "HALF_", "M_", "packed_",
];

/// OpenCL's vector types and their kin: `float4`, `image2d_t`.
fn is_vector_type(name: &str) -> bool {
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let is_sized = stem.len() < name.len();
    let scalars = [
        "bool", "char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "half", "float", "double",
    ];
    is_sized && scalars.contains(&stem)
        || name.starts_with("image") && name.ends_with("_t")
        || name.starts_with("atomic_")
}

/// `name` as an identifier that C accepts and that hides nothing.
pub(crate) fn identifier(name: &str) -> String {
    let mut identifier: String =
        name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '_' }).collect();
    if identifier.is_empty() || identifier.starts_with(|c: char| c.is_ascii_digit()) {
        identifier.insert(0, '_');
    }
    if RESERVED_PREFIXES.iter().any(|prefix| identifier.starts_with(prefix)) {
        identifier.insert_str(0, "my_");
    }
    if RESERVED.contains(&identifier.as_str()) || is_vector_type(&identifier) {
        identifier.push('_');
    }
    // `_Upper` belongs to C.
    if identifier.starts_with('_') {
        identifier.insert_str(0, "my");
    }
    identifier
}

/// `name` as the name of a field. Fields get no numbers to tell equal spellings apart, so each name has a
/// spelling of its own.
pub(crate) fn field_name(name: &str) -> String {
    // A field of a tuple; a tuple has no other fields.
    if name.starts_with(|c: char| c.is_ascii_digit()) {
        return format!("field_{name}");
    }
    let mut member = if name.is_ascii() { name.to_owned() } else { spelled_out(name) };
    let mut core = name;
    while let Some(rest) = core.strip_prefix("my__") {
        core = rest;
    }
    let belongs_to_others =
        RESERVED_PREFIXES.iter().chain(&["_", "uni__"]).any(|prefix| core.starts_with(prefix));
    if name.is_ascii() && belongs_to_others {
        member.insert_str(0, "my__");
    }
    // What a macro of the interface calls its parameter would be replaced in its text.
    if is_reserved_stem(&member) || member.trim_end_matches('_') == "message" {
        member.push('_');
    }
    member
}

/// The name of an enum's variant; it must differ from the enum's `tag`.
pub(crate) fn variant_name(name: &str) -> String {
    if name.trim_end_matches('_') == "tag" { format!("{name}_") } else { field_name(name) }
}

/// Whether a name is a reserved word, perhaps with underscores after it.
fn is_reserved_stem(name: &str) -> bool {
    let stem = name.trim_end_matches('_');
    RESERVED.contains(&stem) || is_vector_type(stem)
}

/// A name in which letters that C does not allow are replaced by their numbers.
fn spelled_out(name: &str) -> String {
    let mut spelled = "uni__".to_owned();
    for c in name.chars() {
        match c {
            '_' => spelled.push_str("__"),
            c if c.is_ascii() => spelled.push(c),
            c => spelled.push_str(&format!("_{:x}_", u32::from(c))),
        }
    }
    spelled
}

/// The names that are in use in a text's scopes.
#[derive(Debug)]
pub(crate) struct Names(Vec<HashSet<String>>);

impl Names {
    pub(crate) fn new() -> Self {
        Self(vec![HashSet::new()])
    }

    pub(crate) fn open(&mut self) {
        self.0.push(HashSet::new());
    }

    pub(crate) fn close(&mut self) {
        self.0.pop();
    }

    /// Frees a name of the innermost scope that was not used for anything.
    pub(crate) fn give_back(&mut self, name: &str) {
        self.0.last_mut().expect("the outermost scope stays open").remove(name);
    }

    /// Takes a name unchanged in the outermost scope, if it is free.
    pub(crate) fn take_free(&mut self, name: &str) -> bool {
        let free = !self.0.iter().any(|scope| scope.contains(name));
        if free {
            self.0[0].insert(name.to_owned());
        }
        free
    }

    /// How many scopes are open.
    pub(crate) fn depth(&self) -> usize {
        self.0.len()
    }

    /// Takes a name like `wanted` in the innermost scope: `wanted` itself, or with a number if that is in
    /// use.
    pub(crate) fn take(&mut self, wanted: &str) -> String {
        self.take_at(self.depth(), wanted)
    }

    /// Likewise, in the scope that was innermost when `depth` scopes were open.
    pub(crate) fn take_at(&mut self, depth: usize, wanted: &str) -> String {
        let wanted = identifier(wanted);
        let free = |name: &String| !self.0.iter().any(|scope| scope.contains(name));
        let numbered = (2..).map(|number| format!("{wanted}_{number}"));
        let name = std::iter::once(wanted.clone()).chain(numbered).find(free);
        let name = name.expect("there are more numbers than names");
        self.0[depth - 1].insert(name.clone());
        name
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::{field_name, variant_name};

    #[test]
    fn no_two_names_are_spelled_alike() {
        let names = [
            "x",
            "_x",
            "__x",
            "my_x",
            "my__x",
            "my___x",
            "my__my__x",
            "int",
            "int_",
            "int__",
            "ann_x",
            "my_ann_x",
            "my__ann_x",
            "é",
            "è",
            "_é",
            "é_",
            "__é",
            "uni__é",
            "uni__e9",
            "uni___e9_",
            "my__uni___e9_",
            "ée9",
            "float4",
            "float4_",
            "image_t",
            "image_t_",
            "atomic_x",
            "atomic_x_",
            "tag",
            "tag_",
            "Option_u32",
            "my__Option_u32",
            "message",
            "message_",
        ];
        for spell in [field_name, variant_name] {
            let mut seen: HashMap<String, &str> = HashMap::new();
            for name in names {
                let spelled = spell(name);
                assert!(spelled.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'_'), "{spelled}");
                if let Some(other) = seen.insert(spelled.clone(), name) {
                    panic!("`{other}` and `{name}` are both `{spelled}`");
                }
            }
        }
        assert_eq!(
            (field_name("count"), field_name("my_count"), field_name("int")),
            ("count".into(), "my_count".into(), "int_".into())
        );
    }
}
