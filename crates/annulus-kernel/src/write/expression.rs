//! Expressions in C.

use annulus_tree::BinaryOp;

use super::{
    Writer,
    function::{QUEUE, ROUND, STAMP, TIME},
};
use crate::{
    BindingKind,
    lower::{
        names::{field_name, variant_name},
        program::{Expr, Place, Root, Step},
        types::c_scalar,
    },
    typed::Scalar,
};

impl Writer<'_> {
    pub(super) fn expression(&self, expr: &Expr) -> String {
        match expr {
            Expr::Bits(scalar, bits) => self.literal(*scalar, *bits, false),
            Expr::Code(code) => format!("{code}u"),
            Expr::Read(place) => self.place(place),
            Expr::Tag(place) => format!("{}tag", self.with_dot(place)),
            Expr::Len(binding) => self.function.lens[*binding].clone(),
            Expr::TextLen(place) => format!("rs_text_len({})", self.bytes_at(place)),
            Expr::Cx(field) => format!("{}.{field}", self.function.cx),
            Expr::Queue => QUEUE.to_owned(),
            Expr::Stamp => STAMP.to_owned(),
            Expr::Round => ROUND.to_owned(),
            Expr::Found => format!("{}->found", self.program.handler.message),
            Expr::Now => TIME.to_owned(),
            Expr::BlockDim => "(u32)ANN_LAUNCH_THREADS".to_owned(),
            Expr::GoesOn => "ann_end == 0u".to_owned(),
            Expr::HasWarps => "ANN_HAS_WARPS".to_owned(),
            Expr::Binary(op, scalar, left, right) => self.binary(*op, *scalar, left, right),
            Expr::Not(Scalar::Bool, value) => format!("!{}", self.tight(value)),
            Expr::Not(scalar, value) => format!("({})~{}", c_scalar(*scalar), self.tight(value)),
            Expr::Select(condition, a, b) => {
                format!("{} ? {} : {}", self.tight(condition), self.tight(a), self.tight(b))
            }
            Expr::Convert(from, to, value) if from.is_float() && !to.is_float() => {
                format!("rs_{}_from_{}({})", c_scalar(*to), from.name(), self.expression(value))
            }
            Expr::Convert(_, to, value) => format!("({}){}", c_scalar(*to), self.tight(value)),
            Expr::Call(name, scalar, values) if is_call(name, *scalar, values) => {
                let values: Vec<String> = values.iter().map(|value| self.expression(value)).collect();
                format!("rs_{name}_{}({})", c_scalar(*scalar), values.join(", "))
            }
            // A space, so that two signs do not become one.
            Expr::Call("neg", _, values) => format!("- {}", self.tight(&values[0])),
            Expr::Call(name, _, values) => {
                let sign = if *name == "shl" { "<<" } else { ">>" };
                format!("{} {sign} {}", self.tight(&values[0]), self.tight(&values[1]))
            }
        }
    }

    /// An expression that binds as tightly as a name.
    fn tight(&self, expr: &Expr) -> String {
        let text = self.expression(expr);
        let is_tight = match expr {
            Expr::Bits(..)
            | Expr::Code(_)
            | Expr::Read(_)
            | Expr::Tag(_)
            | Expr::Len(_)
            | Expr::Cx(_)
            | Expr::Queue
            | Expr::Stamp
            | Expr::Round
            | Expr::Found
            | Expr::Now
            | Expr::HasWarps
            | Expr::TextLen(_) => true,
            Expr::BlockDim | Expr::GoesOn => false,
            Expr::Call(name, scalar, values) => is_call(name, *scalar, values),
            Expr::Convert(from, to, _) => from.is_float() && !to.is_float(),
            Expr::Binary(op, scalar, ..) => function_of(*op, *scalar).is_some(),
            Expr::Not(..) | Expr::Select(..) => false,
        };
        if is_tight { text } else { format!("({text})") }
    }

    fn binary(&self, op: BinaryOp, scalar: Scalar, left: &Expr, right: &Expr) -> String {
        let sign = match op {
            BinaryOp::Add => "+",
            BinaryOp::Sub => "-",
            BinaryOp::Mul => "*",
            BinaryOp::Div => "/",
            BinaryOp::Rem => "%",
            BinaryOp::BitAnd => "&",
            BinaryOp::BitOr => "|",
            BinaryOp::BitXor => "^",
            BinaryOp::And => "&&",
            BinaryOp::Or => "||",
            BinaryOp::Eq => "==",
            BinaryOp::Ne => "!=",
            BinaryOp::Lt => "<",
            BinaryOp::Le => "<=",
            BinaryOp::Gt => ">",
            BinaryOp::Ge => ">=",
            BinaryOp::Shl | BinaryOp::Shr => unreachable!("shifts are calls"),
        };
        match function_of(op, scalar) {
            Some(name) => {
                let (left, right) = (self.expression(left), self.expression(right));
                format!("rs_{name}_{}({left}, {right})", c_scalar(scalar))
            }
            None => format!("{} {sign} {}", self.tight(left), self.tight(right)),
        }
    }

    /// The address of a place in the message, as that of bytes.
    pub(super) fn bytes_at(&self, place: &Place) -> String {
        match (self.pointer(place.root), place.steps.is_empty()) {
            (Some(pointer), true) => format!("(GLOBAL const u8 *){pointer}"),
            _ => format!("(GLOBAL const u8 *)&{}", self.place(place)),
        }
    }

    /// The prefix with which the parts of a place are written: `reading->`, `stats.`.
    pub(super) fn with_dot(&self, place: &Place) -> String {
        match (self.pointer(place.root), place.steps.is_empty()) {
            (Some(pointer), true) => format!("{pointer}->"),
            _ => format!("{}.", self.place(place)),
        }
    }

    /// The C pointer through which a root is accessed.
    pub(super) fn pointer(&self, root: Root) -> Option<&str> {
        match root {
            Root::Message => Some(&self.function.message),
            Root::State => Some(&self.function.state),
            Root::Binding(index) => Some(&self.function.bindings[index]),
            Root::Local(_) | Root::Constant(_) | Root::Together(_) => None,
        }
    }

    pub(super) fn place(&self, place: &Place) -> String {
        let (text, is_pointer) = match place.root {
            Root::Local(local) => (self.function.locals[local].name.clone(), false),
            Root::Constant(index) => (self.program.constants[index].name.clone(), false),
            Root::Together(member) => (self.part(member), false),
            root => (self.pointer(root).unwrap_or_default().to_owned(), true),
        };
        self.along(text, is_pointer, &place.steps)
    }

    /// What these steps lead to, from a place, or from a pointer to it.
    fn along(&self, mut text: String, mut is_pointer: bool, steps: &[Step]) -> String {
        for step in steps {
            let dot = if is_pointer { "->" } else { "." };
            text = match step {
                Step::Field(name) => format!("{text}{dot}{}", field_name(name)),
                Step::Variant { variant, field } => {
                    format!("{text}{dot}{}.{}", variant_name(variant), field_name(field))
                }
                Step::Index(index) => format!("{text}{dot}at[{}]", self.subscript(index)),
                Step::Element(index) => format!("{text}[{}]", self.subscript(index)),
                Step::Chosen(way, ways) => {
                    let way = self.tight(way);
                    let last = ways.len() - 1;
                    let each = ways.iter().enumerate().map(|(number, steps)| {
                        let place = self.along(text.clone(), is_pointer, steps);
                        if number == last {
                            format!("&{place}")
                        } else {
                            format!("{way} == {number} ? &{place} : ")
                        }
                    });
                    format!("(*({}))", each.collect::<String>())
                }
            };
            is_pointer = false;
        }
        if is_pointer { format!("(*{text})") } else { text }
    }

    fn subscript(&self, index: &Expr) -> String {
        match index {
            Expr::Bits(_, bits) if *bits <= i32::MAX as u64 => bits.to_string(),
            index => self.expression(index),
        }
    }

    /// A scalar's value. In an initialiser it must be a constant for C.
    pub(super) fn literal(&self, scalar: Scalar, bits: u64, initialiser: bool) -> String {
        let long = self.target.long_suffix();
        match scalar {
            Scalar::Bool => if bits == 0 { "false" } else { "true" }.to_owned(),
            Scalar::U8 | Scalar::U16 => bits.to_string(),
            Scalar::U32 => format!("{bits}u"),
            Scalar::U64 | Scalar::Usize => format!("{bits}u{long}"),
            Scalar::I8 => signed((bits as u8).cast_signed().into(), ""),
            Scalar::I16 => signed((bits as u16).cast_signed().into(), ""),
            Scalar::I32 if bits == 1 << 31 => format!("(-{} - 1)", i32::MAX),
            Scalar::I32 => signed((bits as u32).cast_signed().into(), ""),
            Scalar::I64 | Scalar::Isize if bits == 1 << 63 => format!("(-{}{long} - 1{long})", i64::MAX),
            Scalar::I64 | Scalar::Isize => signed(bits.cast_signed(), long),
            Scalar::F32 => {
                let value = f32::from_bits(bits as u32);
                if value.is_finite() {
                    return parenthesised(format!("{value:?}f"));
                }
                if !initialiser {
                    return format!("rs_from_bits_f32({bits:#x}u)");
                }
                not_finite("F32", value.is_nan(), value < 0.0)
            }
            Scalar::F64 => {
                let value = f64::from_bits(bits);
                if value.is_finite() {
                    return parenthesised(format!("{value:?}"));
                }
                if !initialiser {
                    return format!("rs_from_bits_f64({bits:#x}u{long})");
                }
                not_finite("F64", value.is_nan(), value < 0.0)
            }
        }
    }

    /// The C qualifiers of a binding's memory.
    pub(super) fn qualifiers(kind: BindingKind) -> &'static str {
        match kind {
            BindingKind::Parameter | BindingKind::Table => "GLOBAL const",
            BindingKind::Whole => "GLOBAL",
            BindingKind::Shared => "volatile GLOBAL",
        }
    }
}

/// Whether a function of the language is written as a call, not as an operator of C.
fn is_call(name: &str, scalar: Scalar, values: &[Expr]) -> bool {
    match name {
        "neg" => !scalar.is_float(),
        "shl" | "shr" if matches!(scalar, Scalar::U32 | Scalar::U64 | Scalar::Usize) => {
            !matches!(values[1], Expr::Bits(_, bits) if bits < scalar.bits().into())
        }
        _ => true,
    }
}

/// The function that replaces an operator. C's own arithmetic wraps only if its type is unsigned and not
/// narrower than `int`.
fn function_of(op: BinaryOp, scalar: Scalar) -> Option<&'static str> {
    if scalar.is_float() || matches!(scalar, Scalar::U32 | Scalar::U64 | Scalar::Usize) {
        return None;
    }
    match op {
        BinaryOp::Add => Some("add"),
        BinaryOp::Sub => Some("sub"),
        BinaryOp::Mul => Some("mul"),
        _ => None,
    }
}

fn signed(value: i64, suffix: &str) -> String {
    parenthesised(format!("{value}{suffix}"))
}

fn parenthesised(text: String) -> String {
    if text.starts_with('-') { format!("({text})") } else { text }
}

fn not_finite(scalar: &str, is_nan: bool, is_negative: bool) -> String {
    match (is_nan, is_negative) {
        (true, _) => format!("RS_NAN_{scalar}"),
        (false, false) => format!("RS_INFINITY_{scalar}"),
        (false, true) => format!("(-RS_INFINITY_{scalar})"),
    }
}
