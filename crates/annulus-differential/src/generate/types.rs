//! The types that random handlers use: scalars, and those that `Types` in the tests declares.

/// A type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Ty {
    Int(&'static str),
    Float(&'static str),
    Bool,
    Array(Box<Ty>, usize),
    Tuple(Vec<Ty>),
    Option(Box<Ty>),
    /// `Err` has a `u8`.
    Result(Box<Ty>),
    /// A struct or an enum of [`SOURCE`].
    Named(&'static str),
}

pub(super) const INTS: [&str; 9] = ["i32", "u32", "u8", "i8", "u16", "i16", "u64", "i64", "usize"];

/// What stands before the handlers.
pub const SOURCE: &str = "
#[derive(DeviceType, Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct Pair { pub a: i32, pub b: u8 }

#[derive(DeviceType, Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct Mixed { pub flag: bool, pub x: f32, pub y: f64, pub pair: Pair, pub list: [i16; 3], pub wide: u64 }

#[derive(DeviceType, Clone, Copy, Debug, Default, PartialEq)]
#[repr(u8)]
pub enum Kind { #[default] Red, Green = 7, Blue }

#[derive(DeviceType, Clone, Copy, Debug, Default)]
#[repr(u16)]
pub enum Shape { #[default] Empty, Dot(i32), Frame { w: u8, h: f32, pair: Pair } }

#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(C)]
pub struct In {
    #[ring(key)]
    pub key: u32,
    pub a: i8, pub b: u8, pub c: i16, pub d: u16, pub e: i32, pub f: u32, pub g: i64, pub h: u64,
    pub x: f32, pub y: f64, pub on: bool,
    pub list: [i32; 4], pub kind: Kind, pub shape: Shape, pub mixed: Mixed,
}

/// As `In`, for handlers with memory of the whole kernel.
#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(C)]
pub struct Unkeyed {
    pub key: u32,
    pub a: i8, pub b: u8, pub c: i16, pub d: u16, pub e: i32, pub f: u32, pub g: i64, pub h: u64,
    pub x: f32, pub y: f64, pub on: bool,
    pub list: [i32; 4], pub kind: Kind, pub shape: Shape, pub mixed: Mixed,
}

#[derive(DeviceType, Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct State {
    pub n: u32, pub wide: i64, pub x: f32, pub y: f64, pub list: [u16; 5], pub pair: Pair, pub kind: Kind,
    pub shape: Shape, pub grid: [[i8; 2]; 3],
}

#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(C)]
pub struct Out { pub words: [i64; 3], pub x: f32, pub y: f64, pub flag: bool, pub pair: Pair, pub shape: Shape }

#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(C)]
pub struct Aside { pub kind: Kind, pub list: [u16; 3], pub shape: Shape, pub pair: Pair }

#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(C)]
pub struct Mark { pub on: bool, pub x: f32, pub e: i16 }

/// As `Unkeyed`, for handlers that send by other ways than a plain outbox.
#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(C)]
pub struct Directed {
    #[ring(key)]
    pub key: u32,
    pub a: i8, pub b: u8, pub c: i16, pub d: u16, pub e: i32, pub f: u32, pub g: i64, pub h: u64,
    pub to: Peer<Out>, pub about: Topic,
    pub x: f32, pub on: bool, pub list: [i32; 4], pub kind: Kind, pub shape: Shape,
}

/// What such handlers keep.
#[derive(DeviceType, Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct Known {
    pub n: u32, pub wide: i64, pub x: f32, pub y: f64, pub list: [u16; 5], pub pair: Pair, pub shape: Shape,
    pub peer: Peer<Out>, pub topic: Topic, pub grid: [[i8; 2]; 3],
}

#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(C)]
pub struct Query { pub e: i16, pub whom: Peer<Out>, pub pair: Pair, pub on: bool }

/// What comes of an ask.
#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(C)]
pub struct Told {
    pub e: i16,
    #[ring(key)]
    pub key: u32,
    pub answer: Answer<Pair>,
    pub number: u64,
    pub topic: Topic,
}

#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(u16)]
pub enum Event {
    #[ring(from)]
    Directed(Directed) = 3,
    #[ring(from)]
    Told(Told) = 900,
}

#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(C)]
pub struct Hop {
    pub on: bool,
    #[ring(key)]
    pub key: u16,
    #[ring(edge)]
    pub x: f32,
    pub h: u64, pub pair: Pair,
}

pub const PRICES: Topic = Topic::of(\"prices.eu.power\");
pub const ALARMS: Topic = Topic::of(\"alarms\");

#[device_impl]
impl Pair {
    pub fn new(a: i32, b: u8) -> Self { Self { a, b } }
    pub fn sum(self) -> i32 { self.a + i32::from(self.b) }
    pub fn swapped(&self) -> Self { Self { a: self.b.into(), b: self.a as u8 } }
    pub fn bump(&mut self, by: i32) -> u8 {
        self.a += by;
        if self.a % 2 == 0 { self.b += 1; }
        self.b
    }
}

#[device_fn]
pub fn larger<T: Copy + PartialOrd>(a: T, b: T) -> T { if a < b { b } else { a } }

/// The bits of a float; all NaNs are one.
#[device_fn]
pub fn told(x: f64) -> i64 { if x.is_nan() { 1 } else { x.to_bits() as i64 } }

#[device_fn]
pub fn choose<T: Copy>(first: bool, a: T, b: T) -> T {
    if first { return a; }
    b
}

#[device_fn]
pub fn element<T: Copy, const N: usize>(list: &[T; N], at: usize) -> T { list[at % N] }

#[device_fn]
pub fn count<T: Copy + PartialEq>(list: &[T], wanted: T) -> u32 {
    let mut count = 0u32;
    for x in list.iter() {
        if *x == wanted { count += 1; }
    }
    count
}
";

fn array(of: Ty, len: usize) -> Ty {
    Ty::Array(Box::new(of), len)
}

/// Fields without some of them, and with two more.
fn with(
    mut fields: Vec<(&'static str, Ty)>,
    without: &[&str],
    more: [(&'static str, Ty); 2],
) -> Vec<(&'static str, Ty)> {
    fields.retain(|(name, _)| !without.contains(name));
    fields.extend(more);
    fields
}

/// The fields of a struct of [`SOURCE`]; none for its enums.
pub(super) fn fields(name: &str) -> Vec<(&'static str, Ty)> {
    use Ty::{Bool, Float, Int, Named};
    match name {
        "Pair" => vec![("a", Int("i32")), ("b", Int("u8"))],
        "Mixed" => vec![
            ("flag", Bool),
            ("x", Float("f32")),
            ("y", Float("f64")),
            ("pair", Named("Pair")),
            ("list", array(Int("i16"), 3)),
            ("wide", Int("u64")),
        ],
        "In" => vec![
            ("key", Int("u32")),
            ("a", Int("i8")),
            ("b", Int("u8")),
            ("c", Int("i16")),
            ("d", Int("u16")),
            ("e", Int("i32")),
            ("f", Int("u32")),
            ("g", Int("i64")),
            ("h", Int("u64")),
            ("x", Float("f32")),
            ("y", Float("f64")),
            ("on", Bool),
            ("list", array(Int("i32"), 4)),
            ("kind", Named("Kind")),
            ("shape", Named("Shape")),
            ("mixed", Named("Mixed")),
        ],
        "State" => vec![
            ("n", Int("u32")),
            ("wide", Int("i64")),
            ("x", Float("f32")),
            ("y", Float("f64")),
            ("list", array(Int("u16"), 5)),
            ("pair", Named("Pair")),
            ("kind", Named("Kind")),
            ("shape", Named("Shape")),
            ("grid", array(array(Int("i8"), 2), 3)),
        ],
        "Out" => vec![
            ("words", array(Int("i64"), 3)),
            ("x", Float("f32")),
            ("y", Float("f64")),
            ("flag", Bool),
            ("pair", Named("Pair")),
            ("shape", Named("Shape")),
        ],
        "Aside" => vec![
            ("kind", Named("Kind")),
            ("list", array(Int("u16"), 3)),
            ("shape", Named("Shape")),
            ("pair", Named("Pair")),
        ],
        "Directed" => {
            with(fields("In"), &["y", "mixed"], [("to", Named("Peer<Out>")), ("about", Named("Topic"))])
        }
        "Known" => {
            with(fields("State"), &["kind"], [("peer", Named("Peer<Out>")), ("topic", Named("Topic"))])
        }
        "Query" => {
            vec![("e", Int("i16")), ("whom", Named("Peer<Out>")), ("pair", Named("Pair")), ("on", Bool)]
        }
        "Told" => vec![
            ("e", Int("i16")),
            ("key", Int("u32")),
            ("answer", Named("Answer<Pair>")),
            ("number", Int("u64")),
            ("topic", Named("Topic")),
        ],
        "Answer<Pair>" => vec![("ended", Int("u32")), ("code", Int("u32")), ("value", Named("Pair"))],
        "Hop" => vec![
            ("on", Bool),
            ("key", Int("u16")),
            ("x", Float("f32")),
            ("h", Int("u64")),
            ("pair", Named("Pair")),
        ],
        "Addressed<Out>" => vec![("to", Named("Peer<Out>")), ("message", Named("Out"))],
        "Published<Out>" => vec![("topic", Named("Topic")), ("message", Named("Out"))],
        "Along<Hop>" => vec![("row", Int("u32")), ("from", Int("u32")), ("message", Named("Hop"))],
        "Mark" => vec![("on", Bool), ("x", Float("f32")), ("e", Int("i16"))],
        _ => Vec::new(),
    }
}

impl Ty {
    /// As Rust writes it.
    pub(super) fn name(&self) -> String {
        match self {
            Self::Int(name) | Self::Float(name) | Self::Named(name) => (*name).into(),
            Self::Bool => "bool".into(),
            Self::Array(of, len) => format!("[{}; {len}]", of.name()),
            Self::Tuple(parts) => {
                let parts: Vec<String> = parts.iter().map(Self::name).collect();
                format!("({})", parts.join(", "))
            }
            Self::Option(of) => format!("Option<{}>", of.name()),
            Self::Result(of) => format!("Result<{}, u8>", of.name()),
        }
    }

    pub(super) fn option(of: Self) -> Self {
        Self::Option(Box::new(of))
    }

    /// Whether an expression's type must be said, since `None` and `Err(0)` do not say it.
    pub(super) fn is_cases(&self) -> bool {
        matches!(self, Self::Option(_) | Self::Result(_))
    }

    /// Whether a place of this type is, or has inside, one of that type.
    pub(super) fn holds(&self, wanted: &Self) -> bool {
        self == wanted
            || match self {
                Self::Array(of, _) => of.holds(wanted),
                Self::Tuple(parts) => parts.iter().any(|part| part.holds(wanted)),
                Self::Named(name) => fields(name).iter().any(|(_, field)| field.holds(wanted)),
                _ => false,
            }
    }
}

/// The bits of an integer type, `usize` as on every target, and whether it has a sign.
pub(super) fn int(name: &str) -> (u32, bool) {
    match name {
        "i8" => (8, true),
        "i16" => (16, true),
        "i32" => (32, true),
        "i64" => (64, true),
        "u8" => (8, false),
        "u16" => (16, false),
        "u32" => (32, false),
        _ => (64, false),
    }
}
