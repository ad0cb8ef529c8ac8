//! Values of any device type, by its descriptor alone: read from and written to whatever serde knows, JSON above all.
//!
//! | type | in JSON |
//! |---|---|
//! | number, `bool` | number, `true` or `false`; a float that is no number, or infinite, is written as `null`, and read as NaN |
//! | array, [`List`](crate::List) | array |
//! | [`Text`](crate::Text) | string |
//! | struct | object; a tuple struct is an array |
//! | enum | `"Name"` of a variant without fields, else `{"Name": {…}}`, `{"Name": […]}`, or `{"Name": value}` with one unnamed field |

mod many;
mod read;
mod write;

pub use read::read_described;
pub use write::Described;

use crate::{DeviceType, FieldDescriptor, Primitive, TypeDescriptor, TypeKind};

/// The fields of a bounded sequence, if the type is one: its length and its items.
fn bounded(
    ty: &TypeDescriptor,
) -> Option<(&FieldDescriptor, &FieldDescriptor, &'static TypeDescriptor, usize)> {
    let TypeKind::Struct([len, items]) = &ty.kind else { return None };
    match items.ty.kind {
        TypeKind::Array { element, len: room } => {
            let named = ty.name == "List" || ty.name == "Text" && *element == *u8::DESCRIPTOR;
            let fits = named && len.name == "len" && *len.ty == *u32::DESCRIPTOR;
            fits.then_some((len, items, element, room))
        }
        _ => None,
    }
}

fn is_tuple(fields: &[FieldDescriptor]) -> bool {
    fields.first().is_some_and(|field| field.name.starts_with(|c: char| c.is_ascii_digit()))
}

fn size_of_primitive(primitive: Primitive) -> usize {
    match primitive {
        Primitive::Bool | Primitive::I8 | Primitive::U8 => 1,
        Primitive::I16 | Primitive::U16 => 2,
        Primitive::I32 | Primitive::U32 | Primitive::F32 => 4,
        Primitive::I64 | Primitive::U64 | Primitive::F64 => 8,
    }
}
