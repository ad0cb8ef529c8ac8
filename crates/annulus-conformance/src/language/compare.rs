//! In what two outcomes differ.

use annulus_kernel::{FieldDescriptor, Primitive, TypeDescriptor, TypeKind};

use super::{Outcome, Timer, inputs::size_of_primitive, memory::Memory};

/// The first difference between what the Rust did and what another did; `None` if there is none. Padding is
/// not looked at, and all NaNs are one. Floats may be `ulps` units in the last place apart.
pub fn difference(rust: &Outcome, other: &Outcome, ulps: u32) -> Option<String> {
    let memories = |what: &str, rust: &Memory, other: &Memory| memories(what, rust, other, ulps);
    if rust.code != other.code {
        return Some(format!("the code is {:#06X}, and {:#06X} in Rust", other.code, rust.code));
    }
    let prints = rust.prints.iter().zip(&other.prints).find(|(rust, other)| rust != other);
    if let Some((rust, other)) = prints {
        return Some(format!("printed is `{other}`, and `{rust}` in Rust"));
    }
    if rust.prints.len() != other.prints.len() {
        return Some(format!("{} are printed, and {} in Rust", other.prints.len(), rust.prints.len()));
    }
    // What a failed call did to memory that is not rolled back may stop at another place.
    if rust.code == 0 {
        let state = memories("state", &rust.state, &other.state);
        let outputs = || memories("output", &rust.outputs, &other.outputs);
        let timers = || timers(&rust.timers, &other.timers);
        let later = || memories("what comes later", &rust.later, &other.later);
        if let Some(found) = state.or_else(outputs).or_else(timers).or_else(later) {
            return Some(found);
        }
    }
    let mut bindings = rust.bindings.iter().zip(&other.bindings).enumerate();
    bindings.find_map(|(index, (rust, other))| memories(&format!("binding {index}"), rust, other))
}

/// The first difference between values of one type, as [`difference`] sees them.
pub fn value_difference(rust: &Memory, other: &Memory, ulps: u32) -> Option<String> {
    memories("value", rust, other, ulps)
}

fn timers(rust: &[Timer], other: &[Timer]) -> Option<String> {
    if rust.len() != other.len() {
        return Some(format!("{} timers are set, and {} in Rust", other.len(), rust.len()));
    }
    let (index, (rust, other)) =
        rust.iter().zip(other).enumerate().find(|(_, (rust, other))| rust != other)?;
    Some(format!("timer {index} is {other:?}, and {rust:?} in Rust"))
}

fn memories(what: &str, rust: &Memory, other: &Memory, ulps: u32) -> Option<String> {
    if rust.len() != other.len() {
        return Some(format!("{what}: {} values, and {} in Rust", other.len(), rust.len()));
    }
    let ty = rust.ty();
    let values = |memory: &'_ Memory| -> Vec<Vec<u8>> {
        memory.bytes().chunks(ty.size.max(1)).map(<[u8]>::to_vec).collect()
    };
    let pairs = values(rust).into_iter().zip(values(other));
    pairs
        .enumerate()
        .find_map(|(index, (rust, other))| value(&format!("{what}[{index}]"), ty, &rust, &other, ulps))
}

fn value(path: &str, ty: &TypeDescriptor, rust: &[u8], other: &[u8], ulps: u32) -> Option<String> {
    let in_fields = |fields: &[FieldDescriptor]| {
        fields.iter().find_map(|field| {
            let range = field.offset..field.offset + field.ty.size;
            value(&format!("{path}.{}", field.name), field.ty, &rust[range.clone()], &other[range], ulps)
        })
    };
    match ty.kind {
        TypeKind::Primitive(primitive) => scalar(path, primitive, rust, other, ulps),
        TypeKind::Struct(fields) => in_fields(fields),
        TypeKind::Array { element, .. } => {
            let mut pairs =
                rust.chunks(element.size.max(1)).zip(other.chunks(element.size.max(1))).enumerate();
            pairs.find_map(|(index, (rust, other))| {
                value(&format!("{path}[{index}]"), element, rust, other, ulps)
            })
        }
        TypeKind::Enum { tag, variants } => {
            let size = size_of_primitive(tag);
            let wrong = scalar(&format!("{path}'s tag"), tag, &rust[..size], &other[..size], 0);
            wrong.or_else(|| {
                let bits = bits(&rust[..size]);
                variants
                    .iter()
                    .find(|variant| variant.tag == bits)
                    .and_then(|variant| in_fields(variant.fields))
            })
        }
    }
}

fn bits(bytes: &[u8]) -> u64 {
    let mut all = [0; 8];
    all[..bytes.len()].copy_from_slice(bytes);
    u64::from_ne_bytes(all)
}

fn scalar(path: &str, primitive: Primitive, rust: &[u8], other: &[u8], ulps: u32) -> Option<String> {
    let (a, b) = (bits(rust), bits(other));
    let same = match primitive {
        Primitive::F32 => {
            let (x, y) = (f32::from_bits(a as u32), f32::from_bits(b as u32));
            a == b || x.is_nan() && y.is_nan() || near(x.into(), y.into(), a, b, ulps)
        }
        Primitive::F64 => {
            let (x, y) = (f64::from_bits(a), f64::from_bits(b));
            a == b || x.is_nan() && y.is_nan() || near(x, y, a, b, ulps)
        }
        _ => a == b,
    };
    if same {
        return None;
    }
    let shown = |bits: u64| match primitive {
        Primitive::F32 => format!("{:?}", f32::from_bits(bits as u32)),
        Primitive::F64 => format!("{:?}", f64::from_bits(bits)),
        _ => format!("{bits:#x}"),
    };
    Some(format!("{path} is {}, and {} in Rust", shown(b), shown(a)))
}

/// Whether two numbers of the same sign are at most `ulps` apart; their bits then are so too.
fn near(x: f64, y: f64, a: u64, b: u64, ulps: u32) -> bool {
    ulps != 0
        && !x.is_nan()
        && !y.is_nan()
        && x.is_sign_negative() == y.is_sign_negative()
        && a.abs_diff(b) <= ulps.into()
}
