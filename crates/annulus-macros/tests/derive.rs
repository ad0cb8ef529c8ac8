//! What the derives say about a type is what the compiler does with it.
#![forbid(unsafe_code)] // The derives' own `unsafe impl`s are theirs to argue.

use std::mem::offset_of;

use annulus::{
    __private::{ActorKey, Primitive, TypeDescriptor, TypeKind, VariantDescriptor},
    prelude::*,
};

#[derive(DeviceType, Clone, Copy, Default)]
#[repr(C)]
struct Stats {
    n: u32,
    mean: f64,
    seen: bool,
    last: [f32; 3],
}

#[derive(DeviceType, Clone, Copy)]
#[repr(C, align(32))]
struct Nested(u8, Stats, r#Celsius);

#[derive(DeviceType, Clone, Copy)]
#[repr(transparent)]
struct Celsius(f32);

#[derive(DeviceType, Clone, Copy)]
#[repr(C)]
struct Pair<A: Copy, B, const N: usize> {
    a: A,
    b: [B; N],
}

#[derive(DeviceType, Clone, Copy)]
#[repr(C)]
struct Nothing;

fn fields<T: DeviceType>() -> Vec<(&'static str, usize, &'static TypeDescriptor)> {
    let TypeKind::Struct(fields) = T::DESCRIPTOR.kind else { panic!("{:?} is no struct", T::DESCRIPTOR) };
    fields.iter().map(|field| (field.name, field.offset, field.ty)).collect()
}

fn variants<T: DeviceType>() -> (Primitive, &'static [VariantDescriptor]) {
    let TypeKind::Enum { tag, variants } = T::DESCRIPTOR.kind else {
        panic!("{:?} is no enum", T::DESCRIPTOR)
    };
    (tag, variants)
}

#[test]
fn a_struct_is_described_as_the_compiler_lays_it_out() {
    assert_eq!(Stats::DESCRIPTOR.name, "Stats");
    assert_eq!(Stats::DESCRIPTOR.size, size_of::<Stats>());
    assert_eq!(Stats::DESCRIPTOR.align, align_of::<Stats>());
    assert_eq!(
        fields::<Stats>(),
        [
            ("n", offset_of!(Stats, n), u32::DESCRIPTOR),
            ("mean", offset_of!(Stats, mean), f64::DESCRIPTOR),
            ("seen", offset_of!(Stats, seen), bool::DESCRIPTOR),
            ("last", offset_of!(Stats, last), <[f32; 3]>::DESCRIPTOR),
        ]
    );
}

#[test]
fn tuple_structs_number_their_fields() {
    assert_eq!(Nested::DESCRIPTOR.align, 32);
    assert_eq!(
        fields::<Nested>(),
        [
            ("0", 0, u8::DESCRIPTOR),
            ("1", offset_of!(Nested, 1), Stats::DESCRIPTOR),
            ("2", offset_of!(Nested, 2), Celsius::DESCRIPTOR),
        ]
    );
    assert_eq!(fields::<Celsius>(), [("0", 0, f32::DESCRIPTOR)]);
}

#[test]
fn a_struct_without_fields_has_no_size() {
    assert_eq!((Nothing::DESCRIPTOR.size, fields::<Nothing>()), (0, Vec::new()));
}

#[test]
fn generic_structs_are_described_for_each_of_their_types() {
    assert_eq!(fields::<Pair<u8, f64, 2>>(), [("a", 0, u8::DESCRIPTOR), ("b", 8, <[f64; 2]>::DESCRIPTOR)]);
    assert_eq!(
        fields::<Pair<u64, Celsius, 3>>(),
        [("a", 0, u64::DESCRIPTOR), ("b", 8, <[Celsius; 3]>::DESCRIPTOR)]
    );
}

#[derive(DeviceType, Clone, Copy, Debug, PartialEq)]
#[repr(C)]
struct Sizes {
    at: usize,
    by: isize,
}

#[test]
fn sizes_have_64_bits_on_both_sides() {
    let lengths: Vec<_> =
        fields::<Sizes>().into_iter().map(|(name, offset, ty)| (name, offset, ty.size)).collect();
    assert_eq!(lengths, [("at", 0, 8), ("by", 8, 8)]);
    let sizes = Sizes { at: 0x0102_0304_0506_0708, by: -2 };
    let mut bytes = Vec::new();
    annulus::__private::encode(&sizes, &mut bytes);
    assert_eq!(bytes, [8, 7, 6, 5, 4, 3, 2, 1, 254, 255, 255, 255, 255, 255, 255, 255]);
    assert_eq!(annulus::__private::decode(&bytes), Ok(sizes));
}

#[derive(DeviceType, Clone, Copy)]
#[repr(i8)]
#[allow(dead_code)] // Described, never made.
enum Level {
    Low = -2,
    Middle,
    r#High = BASE + 5,
    Higher,
}

const BASE: i8 = 10;

#[test]
fn tags_follow_the_discriminants() {
    let (tag, variants) = variants::<Level>();
    assert_eq!(tag, Primitive::I8);
    let found: Vec<_> = variants.iter().map(|variant| (variant.name, variant.tag)).collect();
    let bits = |level: Level| u64::from(level as i8 as u8);
    assert_eq!(
        found,
        [
            ("Low", bits(Level::Low)),
            ("Middle", bits(Level::Middle)),
            ("High", bits(Level::High)),
            ("Higher", bits(Level::Higher)),
        ]
    );
    assert_eq!(found[0].1, 0xfe);
}

#[derive(DeviceType, Clone, Copy)]
#[repr(u8)]
#[allow(dead_code)] // Described, never made.
enum Shape {
    Empty,
    Circle(f32),
    Square { tiny: u8, side: u16, area: u64 } = 7,
    Level(u8, Level),
}

#[test]
fn fields_of_variants_lie_behind_the_tag() {
    let (tag, variants) = variants::<Shape>();
    assert_eq!(tag, Primitive::U8);
    assert_eq!((Shape::DESCRIPTOR.size, Shape::DESCRIPTOR.align), (size_of::<Shape>(), align_of::<Shape>()));
    let offsets = |index: usize| -> Vec<_> {
        variants[index].fields.iter().map(|field| (field.name, field.offset, field.ty)).collect()
    };
    assert_eq!(variants.iter().map(|variant| variant.tag).collect::<Vec<_>>(), [0, 1, 7, 8]);
    assert_eq!(offsets(0), []);
    assert_eq!(offsets(1), [("0", 4, f32::DESCRIPTOR)]);
    assert_eq!(
        offsets(2),
        [("tiny", 1, u8::DESCRIPTOR), ("side", 2, u16::DESCRIPTOR), ("area", 8, u64::DESCRIPTOR)]
    );
    assert_eq!(offsets(3), [("0", 1, u8::DESCRIPTOR), ("1", 2, Level::DESCRIPTOR)]);
}

#[test]
fn described_offsets_are_where_the_compiler_puts_an_enums_fields() {
    let shape = Shape::Square { tiny: 1, side: 2, area: 3 };
    let Shape::Square { tiny, side, area } = &shape else { unreachable!() };
    let start = std::ptr::from_ref(&shape).addr();
    let (_, variants) = variants::<Shape>();
    let described: Vec<_> = variants[2].fields.iter().map(|field| field.offset).collect();
    let real = [
        std::ptr::from_ref(tiny).addr() - start,
        std::ptr::from_ref(side).addr() - start,
        std::ptr::from_ref(area).addr() - start,
    ];
    assert_eq!(described, real);
}

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Plain {
    value: f32,
}

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Marked {
    #[ring(key)]
    sensor: u16,
    #[ring(id)]
    number: u64,
    #[ring(priority)]
    urgency: u8,
}

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Both(#[ring(key, id)] u32, #[ring(priority)] Urgency);

type Urgency = u8;

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct For<K: ActorKey> {
    #[ring(key)]
    actor: K,
}

#[derive(RingMessage, Clone, Copy)]
#[repr(u32)]
#[allow(dead_code)] // `by` and `amount` are there to be skipped.
enum Command {
    Add {
        amount: f32,
        #[ring(key)]
        account: u32,
    },
    Close(#[ring(key)] u64, u8),
}

#[test]
fn a_message_without_marks_has_no_key() {
    let plain = Plain { value: 1.0 };
    const { assert!(!Plain::KEYED) }
    assert_eq!((plain.key(), plain.id(), plain.priority()), (0, None, 128));
    assert_eq!(fields::<Plain>(), [("value", 0, f32::DESCRIPTOR)]);
    assert_eq!(plain.value, 1.0);
}

#[test]
fn marked_fields_are_key_id_and_priority() {
    const { assert!(Marked::KEYED && Both::KEYED) }
    let marked = Marked { sensor: 7, number: u64::MAX, urgency: 255 };
    assert_eq!((marked.key(), marked.id(), marked.priority()), (7, Some(u64::MAX), 255));
    let both = Both(9, 3);
    assert_eq!((both.key(), both.id(), both.priority()), (9, Some(9), 3));
    assert_eq!(For { actor: 5u8 }.key(), 5);
}

#[test]
fn every_variant_of_an_enum_names_its_key() {
    const { assert!(Command::KEYED) }
    assert_eq!(Command::Add { amount: 1.0, account: 4 }.key(), 4);
    assert_eq!(Command::Close(u64::MAX - 1, 0).key(), u64::MAX - 1);
    assert_eq!(Command::Close(1, 0).id(), None);
}

#[test]
fn types_inside_functions_and_with_the_names_of_others_are_derived() {
    /// Shadows the prelude's names that generated code must not rely on.
    #[derive(DeviceType, Clone, Copy)]
    #[repr(C)]
    struct Option {
        r#type: u32,
    }
    #[derive(RingMessage, Clone, Copy)]
    #[repr(C)]
    struct Some {
        #[ring(id)]
        id: u32,
        option: Option,
    }
    assert_eq!(fields::<Option>(), [("type", 0, u32::DESCRIPTOR)]);
    let message = Some { id: 3, option: Option { r#type: 1 } };
    assert_eq!(annulus::message::Message::id(&message), std::option::Option::Some(3));
    assert_eq!(message.option.r#type, 1);
}

/// Why a number is refused.
#[derive(ErrorCode, Clone, Copy, Debug, PartialEq)]
enum Refusal {
    /// The number is
    /// too large.
    ///
    /// Nobody knows why.
    TooLarge = 7,
    r#Odd,
    Last = 0xFEFF,
}

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Number {
    value: u64,
}

#[ring_kernel]
fn even(number: &Number) -> Result<(), Refusal> {
    if number.value > 100 {
        return Err(Refusal::TooLarge);
    }
    let half = if number.value & 1 == 0 { Ok(number.value / 2) } else { Err(Refusal::Odd) };
    half?;
    Ok(())
}

const TOO_LARGE: Failure = Failure::of(7);
const ODD: Failure = Failure::of(8);

#[ring_kernel(name = "even")]
fn even_by_constants(number: &Number) -> Result<(), Failure> {
    if number.value > 100 {
        return Err(TOO_LARGE);
    }
    let half = if number.value & 1 == 0 { Ok(number.value / 2) } else { Err(ODD) };
    half?;
    Ok(())
}

#[test]
fn codes_have_names() {
    let names: Vec<String> = Refusal::NAMES.iter().map(ToString::to_string).collect();
    assert_eq!(names, ["TooLarge (0x0007): The number is too large", "Odd (0x0008)", "Last (0xfeff)"]);
    assert_eq!(Failure::from(Refusal::Odd).code(), 8);
    assert_eq!(even::DEFINITION.errors, Refusal::NAMES);
    assert_eq!(even_by_constants::DEFINITION.errors, []);
}

/// A handler that returns its own error becomes the program of one that returns the failure.
#[test]
fn named_failures_are_failures_on_devices() {
    for target in annulus::__private::Target::ALL {
        let lines = |definition: &'static annulus::__private::KernelDefinition| {
            let text = definition.handler_source(target).unwrap();
            // The Rust lines stand in comments.
            let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
            code.map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(lines(even::DEFINITION), lines(even_by_constants::DEFINITION));
    }
}
