//! Archives: what bridged messages are. Their numbers, texts and lists, and what lies behind their offsets.

use annulus_tree::{BinaryOp, Expression};

use super::{
    Lowered, Lowerer,
    cases::Cases,
    operand::{Operand, describe},
    program::{Behind, Expr, Place, Space, Step, Stmt},
    types::fields_of,
};
use crate::{
    ArchivedPart, DeviceType, Meaning, TypeDescriptor, TypeKind,
    typed::{Scalar, Type},
};

const U32: Type = Type::Scalar(Scalar::U32);

/// Why a part of an archive is not stored elsewhere.
pub(super) const STAYS: &str = "what a bridged message holds stays in it: take its numbers, bytes or elements in each branch, or choose an index";

/// The part of an archive that a type is.
pub(super) fn archived(ty: &Type) -> Option<ArchivedPart> {
    match ty {
        Type::Struct(descriptor) | Type::Enum(descriptor) => match descriptor.meaning {
            Meaning::Archived(part) => Some(part),
            _ => None,
        },
        _ => None,
    }
}

/// The part of an archive that an operand is.
pub(super) fn archived_operand(operand: &Operand) -> Option<ArchivedPart> {
    match operand {
        Operand::Place(place) | Operand::Ref(place) => archived(&place.ty),
        Operand::Value(_, ty) => archived(ty),
        _ => None,
    }
}

/// The elements that an offset of this type leads to.
pub(super) fn elements_behind(part: ArchivedPart) -> Option<&'static TypeDescriptor> {
    match part {
        ArchivedPart::Text | ArchivedPart::SharedText => Some(<u8 as DeviceType>::DESCRIPTOR),
        ArchivedPart::List(element) => Some(element),
        ArchivedPart::Number | ArchivedPart::Option | ArchivedPart::Opaque => None,
    }
}

/// Whether a value of this type has a meaning only where it lies: an offset in it counts from its own place.
pub(crate) fn stays(ty: &Type) -> bool {
    match ty {
        Type::Struct(descriptor) | Type::Enum(descriptor) => {
            let here = match descriptor.meaning {
                Meaning::Archived(part) => part == ArchivedPart::Opaque || elements_behind(part).is_some(),
                _ => false,
            };
            here || fields_of(descriptor).any(|field| stays(&field.ty.into()))
        }
        Type::Array { element, .. } => stays(element),
        Type::Option(value) => stays(value),
        Type::Result(value, error) => stays(value) || stays(error),
        Type::Tuple(parts) => parts.iter().any(stays),
        _ => false,
    }
}

/// The number in a number of an archive, and its type.
fn number_in(ty: &Type) -> Option<Scalar> {
    match (archived(ty)?, ty) {
        (ArchivedPart::Number, Type::Struct(TypeDescriptor { kind: TypeKind::Struct([number]), .. })) => {
            match number.ty.kind {
                TypeKind::Primitive(number) => Some(number.into()),
                _ => None,
            }
        }
        _ => None,
    }
}

impl Lowerer<'_> {
    /// A value; a number of an archive as the number that it is.
    pub(super) fn native(&mut self, value: (Expr, Type)) -> Lowered<(Expr, Type)> {
        let Some(scalar) = number_in(&value.1) else { return Ok(value) };
        let place = self.as_place(Operand::Value(value.0, value.1))?;
        let ty = Type::Scalar(scalar);
        Ok((Expr::Read(place.then(Step::Field("0".into()), ty.clone())), ty))
    }

    /// An operand; of a text or a list in an archive the bytes or elements, as a slice. Fails if they do not
    /// lie in the archive.
    pub(super) fn followed(&mut self, operand: Operand) -> Lowered<Operand> {
        let Some(part) = archived_operand(&operand) else { return Ok(operand) };
        let Some(element) = elements_behind(part) else { return Ok(operand) };
        let place = self.as_place(operand)?;
        let place = self.steady(place);
        if self.space(place.root) != Space::Global {
            return Err(STAYS.into());
        }
        let names = place.steps.iter().rev().filter_map(|step| match step {
            Step::Field(name) => Some(name.as_str()),
            Step::Variant { field, .. } => Some(field.as_str()),
            Step::Index(_) | Step::Element(_) | Step::Chosen(..) => None,
        });
        let wanted = names.into_iter().find(|name| !name.starts_with(|c: char| c.is_ascii_digit()));
        let wanted = wanted.unwrap_or("items").to_owned();
        let len = match part {
            ArchivedPart::Text => Expr::TextLen(place.clone()),
            _ => Expr::Read(place.clone().then(Step::Field("len".into()), U32)),
        };
        let behind = match part {
            ArchivedPart::Text => Behind::Text,
            _ => Behind::List { size: element.size as u64, align: element.align as u64 },
        };
        let at = self.local(&format!("{wanted}_at"), U32);
        let memory = self.memory(&wanted, &element.into(), Space::Global, true);
        self.out.push(Stmt::Follow { memory, at, behind, place, len });
        Ok(Operand::Slice(memory))
    }

    /// Likewise, of a list only, in an archive or not: a text is no slice until its bytes are taken.
    pub(super) fn followed_list(&mut self, operand: Operand) -> Lowered<Operand> {
        match archived_operand(&operand) {
            Some(ArchivedPart::List(_)) => self.followed(operand),
            _ => self.slice_of_list(operand),
        }
    }

    /// A method of a part of an archive. Those of lists are the methods of slices.
    pub(super) fn archived_method(
        &mut self,
        part: ArchivedPart,
        operand: Operand,
        method: &str,
        arguments: &[Expression],
    ) -> Lowered<Operand> {
        let bool_ = Type::Scalar(Scalar::Bool);
        match (part, method, arguments) {
            (ArchivedPart::Number, "to_native", []) => {
                let value = self.value_of(operand)?;
                let (value, ty) = self.native(value)?;
                Ok(Operand::Value(value, ty))
            }
            (ArchivedPart::Number, ..) => Err(format!(
                "`{method}` is no method of a number in an archive: write `.to_native()` before it"
            )),
            (ArchivedPart::Text | ArchivedPart::SharedText, "as_bytes", []) => self.followed(operand),
            (ArchivedPart::Text | ArchivedPart::SharedText, "len" | "is_empty" | "is_ascii", []) => {
                let bytes = self.followed(operand)?;
                self.slice_method(bytes, method, arguments)
            }
            (ArchivedPart::Text | ArchivedPart::SharedText, ..) => Err(format!(
                "a device knows the bytes of a text, and no `{method}`: write `.as_bytes()` before it"
            )),
            (ArchivedPart::List(_), ..) => self.slice_method(operand, method, arguments),
            (ArchivedPart::Option, "as_ref" | "is_some" | "is_none", []) => {
                let place = self.as_place(operand)?;
                let place = self.steady(place);
                let is_some = Expr::binary(
                    BinaryOp::Eq,
                    Scalar::U8,
                    Expr::Tag(place.clone()),
                    Expr::Bits(Scalar::U8, 1),
                );
                match method {
                    "is_some" => Ok(Operand::Value(is_some, bool_)),
                    "is_none" => Ok(Operand::Value(is_some.not(), bool_)),
                    _ => {
                        let then = Box::new(Operand::Ref(value_of_option(place)?));
                        Ok(Operand::cases(Cases { good: is_some, then, error: None, mutable: false }))
                    }
                }
            }
            (ArchivedPart::Option, ..) => Err(format!(
                "an `Option` in an archive has `as_ref`, `is_some` and `is_none`, and no `{method}` on a device: write `.as_ref()` before it"
            )),
            (ArchivedPart::Opaque, ..) => {
                let what = operand.describe();
                Err(format!(
                    "a device does not read {what} in a message: for a map or a set send a sorted `Vec`, for 128 bits two `u64`, for a \
                     `char` a `u32`, for `Box<T>` and `Arc<T>` the `T` itself; or keep the handler on the host with \
                     `#[ring_kernel(cpu_only)]`"
                ))
            }
        }
    }
}

/// The value of an archive's `Option` that is `Some`.
fn value_of_option(place: Place) -> Lowered<Place> {
    let Type::Enum(TypeDescriptor { kind: TypeKind::Enum { variants: [_, some], .. }, .. }) = place.ty else {
        return Err(format!("{} is no `Option`: rebuild the program", describe(&place.ty)));
    };
    let [value] = some.fields else { return Err("an `Option` holds one value: rebuild the program".into()) };
    let step = Step::Variant { variant: some.name.into(), field: value.name.into() };
    let ty = value.ty.into();
    Ok(place.then(step, ty))
}
