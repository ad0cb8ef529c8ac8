//! `{"repeat": 1, "count": 2305843009213693951}` ended the program, since no memory is as large; a launch
//! binds such text.

use annulus_kernel::{Binding, BindingDefinition, BindingKind, DeviceType, List, TypeDescriptor};
use serde_json::{Value, json};

fn bind(kind: BindingKind, ty: &'static TypeDescriptor, value: &Value) -> Result<Binding, String> {
    Binding::read(&BindingDefinition { name: "table", kind, ty }, value).map_err(|error| error.to_string())
}

#[test]
fn more_than_the_limit_is_refused() {
    for count in [(1u64 << 30) + 1, 1 << 40, 2_305_843_009_213_693_951, i64::MAX as u64, u64::MAX] {
        let refusal =
            bind(BindingKind::Whole, u32::DESCRIPTOR, &json!({"repeat": 1, "count": count})).unwrap_err();
        assert_eq!(
            refusal,
            format!(
                ".count: {count} values of 4 bytes are more than the 4294967296 bytes that text is read to: give fewer, or bind \
                 them in a program, with `Binding::slice`"
            )
        );
    }
}

#[test]
fn one_value_may_be_too_many() {
    let ty = <List<u8, 0xFFFF_FFFF>>::DESCRIPTOR;
    for (kind, value, place) in [
        (BindingKind::Parameter, json!([]), ""),
        (BindingKind::Table, json!([[]]), "[0]: "),
        (BindingKind::Table, json!({"repeat": [], "count": 1}), ".repeat: "),
    ] {
        let refusal = bind(kind, ty, &value).unwrap_err();
        assert!(refusal.starts_with(&format!("{place}1 values of 4294967300 bytes")), "{refusal}");
    }
}

#[test]
fn values_of_no_bytes_are_counted() {
    let none = bind(BindingKind::Table, <[u32; 0]>::DESCRIPTOR, &json!({"repeat": [], "count": 1 << 20}));
    assert_eq!(none.unwrap().len(), 1 << 20);
    let refusal = bind(BindingKind::Table, <[u32; 0]>::DESCRIPTOR, &json!({"repeat": [], "count": u64::MAX}));
    assert!(refusal.unwrap_err().contains("4294967296"));
}

#[test]
fn what_there_is_room_for_is_repeated() {
    let table =
        bind(BindingKind::Table, u16::DESCRIPTOR, &json!({"count": 1 << 20, "repeat": 0x0102})).unwrap();
    assert_eq!(table.len(), 1 << 20);
    let values = table.as_ptr().cast::<u16>();
    for index in [0, 1, 77, (1 << 20) - 1] {
        // SAFETY: the binding has as many values.
        let value = unsafe { values.wrapping_add(index).read() };
        assert_eq!(value, 0x0102);
    }
    assert_eq!(
        bind(BindingKind::Table, u16::DESCRIPTOR, &json!({"repeat": 1, "count": 0})).unwrap().len(),
        0
    );
}
