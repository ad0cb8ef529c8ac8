//! What the macros write means the same, whatever has the standard library's names where it stands. An enum's
//! tag once took the type that the user's scope calls `u8`, so that a descriptor said of fields that they lie
//! outside of the value.

use annulus::{
    __private::{DeviceType as Descriptor, TypeDescriptor, TypeKind},
    prelude::*,
};

/// A scope in which the names of the standard library are the user's.
#[allow(dead_code, nonstandard_style, unreachable_pub, clippy::all)]
mod shadowed {
    // Primitive types, as aliases of others and as a type of its own.
    pub type u8 = ::core::primitive::u64;
    pub type u16 = ::core::primitive::u64;
    pub type u32 = ::core::primitive::u64;
    pub type u64 = ::core::primitive::u8;
    pub type i8 = ::core::primitive::i64;
    pub type i16 = ::core::primitive::i64;
    pub type i32 = ::core::primitive::i64;
    pub type i64 = ::core::primitive::i8;
    pub type usize = ::core::primitive::u16;
    pub type isize = ::core::primitive::i16;
    pub struct bool;
    pub struct str;
    pub struct f32;

    // What the prelude has.
    pub struct Option;
    pub struct Result<T, E>(T, E);
    pub struct Some;
    pub struct None;
    pub struct Ok;
    pub struct Err;
    pub struct Vec;
    pub struct String;
    pub struct Box;
    pub trait Default {}
    pub trait Copy {}
    pub trait Clone {}
    pub trait PartialEq {}
    pub trait From {}
    pub trait Into {}
    pub trait ToString {}
    pub trait Fn {}
    pub trait Sized {}

    // Crates and their modules.
    pub mod core {
        pub mod mem {}
        pub mod primitive {
            pub type u8 = ::core::primitive::u64;
        }
    }
    pub mod std {}
    pub mod alloc {}
    pub mod annulus {}
    pub mod clippy {}
    pub mod diagnostic {}

    // Names that the macros give to variables, as constants: these would be patterns that match them.
    pub const base: () = ();
    pub const call: () = ();
    pub const other: () = ();
    pub const state: () = ();
    pub const verdict: () = ();
    pub const made: () = ();
    pub const marked: () = ();
    pub const formatter: () = ();
    pub const value_0: () = ();
    pub const ours_0: () = ();
    pub const theirs_0: () = ();

    /// Methods by value, which come before those of a type's own that take a reference.
    pub trait Hostile {
        fn is_ok(self) -> ::core::primitive::bool;
        fn refused(self) -> ::core::primitive::bool;
    }
    impl<T> Hostile for T {
        fn is_ok(self) -> ::core::primitive::bool {
            false
        }
        fn refused(self) -> ::core::primitive::bool {
            true
        }
    }
}

/// What is derived and written in that scope.
#[allow(dead_code, nonstandard_style, unreachable_pub, unused_macros)]
mod inside {
    // Macros of the user's own; whoever names them does not compile.
    macro_rules! assert {
        ($($any:tt)*) => {
            named_me
        };
    }
    macro_rules! cfg {
        ($($any:tt)*) => {
            named_me
        };
    }
    macro_rules! file {
        ($($any:tt)*) => {
            named_me
        };
    }
    macro_rules! format_args {
        ($($any:tt)*) => {
            named_me
        };
    }
    macro_rules! line {
        ($($any:tt)*) => {
            named_me
        };
    }
    macro_rules! matches {
        ($($any:tt)*) => {
            named_me
        };
    }
    macro_rules! module_path {
        ($($any:tt)*) => {
            named_me
        };
    }
    macro_rules! panic {
        ($($any:tt)*) => {
            named_me
        };
    }
    macro_rules! unreachable {
        ($($any:tt)*) => {
            named_me
        };
    }
    macro_rules! vec {
        ($($any:tt)*) => {
            named_me
        };
    }
    macro_rules! write {
        ($($any:tt)*) => {
            named_me
        };
    }
    macro_rules! compile_error {
        ($($any:tt)*) => {
            named_me
        };
    }
    macro_rules! concat {
        ($($any:tt)*) => {
            named_me
        };
    }
    macro_rules! stringify {
        ($($any:tt)*) => {
            named_me
        };
    }

    use super::shadowed::*;
    use ::annulus::prelude::{
        Cx, DeviceType, Failure, Outbox, RingMessage, device_fn, device_impl, device_type, ring_kernel,
    };
    use ::core::primitive::{bool as truth, f32 as real, u8 as byte, u32 as word, u64 as long};
    use ::core::{clone::Clone, marker::Copy};

    #[device_type]
    #[derive(DeviceType, Clone, Copy, PartialEq)]
    #[repr(u8)]
    pub enum Small {
        Nothing,
        Byte(byte) = 7,
        Fields { first: byte, second: word },
    }

    #[derive(DeviceType, Clone, Copy)]
    #[repr(i16)]
    pub enum Signed {
        Minus = -3,
        Next { value: byte },
    }

    #[derive(DeviceType, Clone, Copy)]
    #[repr(u64)]
    pub enum Wide {
        One(byte),
    }

    /// A field's type is the user's: this one has eight bytes.
    #[device_type]
    #[derive(DeviceType, Clone, Copy, PartialEq)]
    #[repr(C)]
    pub struct Theirs {
        pub value: u8,
    }

    #[derive(RingMessage, Clone, Copy)]
    #[repr(u8)]
    pub enum Command {
        Add {
            #[ring(key)]
            actor: word,
            #[ring(id)]
            number: long,
            #[ring(priority)]
            urgency: byte,
        },
        Close(#[ring(key)] word, #[ring(id)] long, #[ring(priority)] byte),
    }

    #[derive(RingMessage, Clone, Copy)]
    #[repr(C)]
    pub struct Answer {
        pub sum: long,
    }

    #[derive(DeviceType, Clone, Copy, Default)]
    #[repr(C)]
    pub struct Sums {
        pub sum: long,
    }

    #[device_fn]
    fn twice(number: long) -> long {
        number * 2
    }

    #[device_impl]
    impl Sums {
        fn add(&mut self, number: long) -> long {
            self.sum += number;
            self.sum
        }
    }

    #[ring_kernel]
    pub fn sums(
        _cx: &Cx,
        command: &Command,
        sums: &mut Sums,
        factor: &long,
        answers: &Outbox<Answer>,
    ) -> ::core::result::Result<(), Failure> {
        match *command {
            Command::Add { number, urgency, .. } => {
                let weight = Theirs { value: urgency as long };
                let is_heavy: truth = weight == Theirs { value: 200 };
                ::annulus::device_print!("{} and {is_heavy}", number);
                let number = if is_heavy { twice(number) } else { number };
                answers.send(Answer { sum: sums.add(::core::cmp::min(number * *factor, 1000)) });
            }
            Command::Close(..) => return ::core::result::Result::Err(Failure::of(3)),
        }
        ::core::result::Result::Ok(())
    }

    /// Named as a variable of its entry once was.
    #[ring_kernel]
    pub fn verdict(answer: &Answer, count: &mut Sums, _weights: &[real]) {
        count.sum += answer.sum;
    }
}

fn fields(descriptor: &'static TypeDescriptor) -> Vec<(u64, Vec<usize>)> {
    let TypeKind::Enum { variants, .. } = descriptor.kind else { panic!("an enum") };
    variants
        .iter()
        .map(|variant| (variant.tag, variant.fields.iter().map(|field| field.offset).collect()))
        .collect()
}

#[test]
fn tags_are_of_the_primitive_types() {
    use inside::{Signed, Small, Wide};
    assert_eq!(size_of::<Small>(), 8);
    assert_eq!(fields(Small::DESCRIPTOR), [(0, vec![]), (7, vec![1]), (8, vec![1, 4])]);
    assert_eq!(size_of::<Signed>(), 4);
    assert_eq!(fields(Signed::DESCRIPTOR), [(0xFFFD, vec![]), (0xFFFE, vec![2])]);
    assert_eq!(size_of::<Wide>(), 16);
    assert_eq!(fields(Wide::DESCRIPTOR), [(0, vec![8])]);
    let known: [&TypeDescriptor; 3] = [Small::DESCRIPTOR, Signed::DESCRIPTOR, Wide::DESCRIPTOR];
    for descriptor in known {
        for offset in fields(descriptor).into_iter().flat_map(|(_, offsets)| offsets) {
            assert!(offset < descriptor.size, "{}: {offset} of {}", descriptor.name, descriptor.size);
        }
    }
}

#[test]
fn a_fields_type_is_the_users() {
    assert_eq!(inside::Theirs::DESCRIPTOR.size, 8);
    assert!(inside::Theirs { value: 3 } == inside::Theirs { value: 3 });
    assert!(inside::Small::Byte(4) == inside::Small::Byte(4));
    assert!(inside::Small::Byte(4) != inside::Small::Fields { first: 4, second: 4 });
    assert!(inside::Small::Nothing == inside::Small::Nothing);
}

#[test]
fn messages_say_their_words() {
    use inside::Command;
    let add = Command::Add { actor: 7, number: 8, urgency: 9 };
    assert_eq!((add.key(), add.id(), add.priority()), (7, Some(8), 9));
    let close = Command::Close(1, 2, 3);
    assert_eq!((close.key(), close.id(), close.priority()), (1, Some(2), 3));
}

#[test]
fn kernels_run() {
    use inside::{Answer, Command, sums, verdict};
    let runtime = Runtime::builder().backend(Backend::Cpu).build().unwrap();
    let kernel = sums::bind(3).launch(&runtime, LaunchOptions::production().actors(4)).unwrap();
    let _ = kernel.send_blocking(Command::Add { actor: 1, number: 5, urgency: 1 }).unwrap();
    assert_eq!(kernel.recv_blocking().unwrap().sum, 15);
    let _ = kernel.send_blocking(Command::Close(1, 0, 0)).unwrap();
    let _ = kernel.send_blocking(Command::Add { actor: 1, number: 5, urgency: 200 }).unwrap();
    assert_eq!(kernel.recv_blocking().unwrap().sum, 45);
    assert_eq!(kernel.status().last_error, 3);

    let counter = verdict::bind(&[1.0]).launch(&runtime, LaunchOptions::production()).unwrap();
    let _ = counter.send_blocking(Answer { sum: 12 }).unwrap();
    annulus::block_on(counter.drained());
    let _ = counter.deactivate_blocking();
    let states = counter.snapshot_blocking().unwrap().states::<inside::Sums>().unwrap();
    assert_eq!(states[0].sum, 12);
}

#[test]
fn devices_have_their_text() {
    let text = inside::sums::DEFINITION.handler_source("opencl".parse().unwrap()).unwrap();
    assert!(text.contains("fn_twice"), "{text}");
    assert_eq!(inside::sums::DEFINITION.prints()[0].message(&[5, 1]).to_string(), "5 and true");
}
