//! Values of any device type, handled by the descriptor alone: read from and written to every format that
//! serde supports, mainly JSON.
//!
//! | type | in JSON |
//! |---|---|
//! | number, `bool` | number, `true` or `false`; a float that is no number, or infinite, is written as `null`, and read as NaN |
//! | an integer of 64 bits | also text when it is read, `"18446744073709551615"`, `"0xff"` |
//! | [`Topic`](crate::Topic) | when it is read, its name; else an object with its bits |
//! | array, [`List`](crate::List) | array |
//! | [`Text`](crate::Text) | string |
//! | struct | object; a tuple struct is an array |
//! | enum | `"Name"` of a variant without fields, else `{"Name": {…}}`, `{"Name": […]}`, or `{"Name": value}` with one unnamed field |

mod many;
mod read;
mod write;

pub use read::{read_described, read_described_bytes};
pub use write::Described;

use crate::FieldDescriptor;

fn is_tuple(fields: &[FieldDescriptor]) -> bool {
    fields.first().is_some_and(|field| field.name.starts_with(|c: char| c.is_ascii_digit()))
}
