//! How the bytes of a value are put right after they were copied whole.
//!
//! A value's bytes in memory are almost its payload: on a little-endian machine only the bytes without
//! meaning differ, which are zero in a payload. So a value is encoded by one copy, and then a few steps:
//! these bytes become zero, so do those after a list's items. Decoding copies as well, and takes the same
//! steps, which then also check what not every byte may be: a `bool`, a tag, a list's length.
//!
//! The steps of a type are its [`Plan`], which the compiler makes from the descriptor. A type whose values
//! are all numbers has no steps. Steps that belong to the items of a list or an array, or to a variant of an
//! enum, follow the step that says how many they are; their offsets count from the item, or from the enum.
//!
//! Not every type has a plan: it may need too many steps, or valid items after a list's end that are not
//! zero. Such types, and big-endian machines, go by [the descriptor](crate::wire), number by number. So do
//! bytes that a plan refuses, since the descriptor says where in the value they are wrong.

use std::mem::MaybeUninit;

use crate::{FieldDescriptor, Primitive, TypeDescriptor, TypeKind};

/// The most steps of a plan. Source: this project's choice; a message of the examples needs up to 14.
const ROOM: usize = 48;

/// The steps of a type.
#[derive(Debug)]
pub(crate) struct Plan {
    steps: [Step; ROOM],
    /// How many of them there are.
    len: usize,
}

/// Something to do, or to check, after the copy. All offsets and sizes are in bytes.
#[derive(Clone, Copy, Debug)]
enum Step {
    /// These bytes have no meaning, and become zero.
    Zero { at: u32, len: u32 },
    /// Each of these bytes is 0 or 1.
    Bools { at: u32, len: u32 },
    /// A list whose length lies at `len`, and whose up to `room` items of `size` bytes lie from `at` on. What
    /// is after the items becomes zero. The next `steps` steps are for each item.
    List { len: u32, at: u32, size: u32, room: u32, steps: u32 },
    /// An array of `count` items of `size` bytes from `at` on. The next `steps` steps are for each item.
    Array { at: u32, size: u32, count: u32, steps: u32 },
    /// An enum of `size` bytes from `at` on, which begins with a tag of `tag` bytes. The next `steps` steps
    /// are those of its variants.
    Enum { at: u32, size: u32, tag: u32, steps: u32 },
    /// A variant of the enum before. The next `steps` steps are for values of this variant; then the next
    /// variant follows.
    Variant { tag: u64, steps: u32 },
}

/// A plan while it is made.
struct Builder {
    plan: Plan,
    /// Whether a plan does for this type.
    fits: bool,
}

impl Plan {
    /// The plan of a type, if it has one.
    pub(crate) const fn of(ty: &TypeDescriptor) -> Option<Self> {
        // Offsets have 32 bits. A plan is for the order of bytes that payloads have.
        if ty.size > u32::MAX as usize || cfg!(target_endian = "big") {
            return None;
        }
        let steps = [Step::Zero { at: 0, len: 0 }; ROOM];
        let mut builder = Builder { plan: Self { steps, len: 0 }, fits: true };
        builder.add(ty, 0);
        if builder.fits { Some(builder.plan) } else { None }
    }

    /// Makes the payload of a value that was copied to `bytes`: all of these are initialised afterwards.
    ///
    /// # Safety
    ///
    /// The bytes are a copy of a valid value of the plan's type, or of one that a device wrote: initialised
    /// wherever the descriptor has a number that counts.
    #[inline]
    pub(crate) unsafe fn clean(&self, bytes: &mut [MaybeUninit<u8>]) {
        // SAFETY: the caller's promise.
        unsafe { take::<false>(&self.steps[..self.len], bytes) };
    }

    /// Makes a valid value of a payload that was copied to `bytes`, which may come from anywhere. False if
    /// that is not possible; the bytes are then meaningless.
    #[inline]
    pub(crate) fn check(&self, bytes: &mut [u8]) -> bool {
        let len = bytes.len();
        // SAFETY: a `MaybeUninit<u8>` has the layout of a `u8`, and the slice is borrowed for as long. `take`
        // writes only initialised bytes.
        let bytes = unsafe { std::slice::from_raw_parts_mut(bytes.as_mut_ptr().cast(), len) };
        // SAFETY: all bytes are initialised.
        unsafe { take::<true>(&self.steps[..self.len], bytes) }
    }
}

impl Builder {
    const fn push(&mut self, step: Step) {
        if self.plan.len < ROOM {
            self.plan.steps[self.plan.len] = step;
            self.plan.len += 1;
        } else {
            self.fits = false;
        }
    }

    /// Says that the bytes from `begin` to `end` have no meaning.
    const fn gap(&mut self, begin: usize, end: usize) {
        if begin < end {
            self.push(Step::Zero { at: begin as u32, len: (end - begin) as u32 });
        } else if begin > end {
            // Fields that do not lie in the order of their declaration.
            self.fits = false;
        }
    }

    /// Adds the steps for a part of the value at `at`.
    const fn add(&mut self, ty: &TypeDescriptor, at: usize) {
        if !self.fits {
            return;
        }
        if let Some((len, items, element, room)) = ty.bounded() {
            self.gap(at + len.offset + len.ty.size, at + items.offset);
            let list = self.plan.len;
            self.push(Step::Zero { at: 0, len: 0 });
            self.add(element, 0);
            let steps = (self.plan.len - list).saturating_sub(1) as u32;
            if list < ROOM {
                let (len, at) = ((at + len.offset) as u32, (at + items.offset) as u32);
                self.plan.steps[list] =
                    Step::List { len, at, size: element.size as u32, room: room as u32, steps };
            }
            self.gap(at + items.offset + items.ty.size, at + ty.size);
            self.fits &= is_filled_by_zeros(element);
            return;
        }
        match ty.kind {
            TypeKind::Primitive(Primitive::Bool) => self.push(Step::Bools { at: at as u32, len: 1 }),
            TypeKind::Primitive(_) => {}
            TypeKind::Struct(fields) => self.fields(fields, at, 0, ty.size),
            TypeKind::Array { element, len } => {
                if matches!(element.kind, TypeKind::Primitive(Primitive::Bool)) {
                    self.push(Step::Bools { at: at as u32, len: len as u32 });
                    return;
                }
                let array = self.plan.len;
                self.push(Step::Zero { at: 0, len: 0 });
                self.add(element, 0);
                let steps = (self.plan.len - array).saturating_sub(1) as u32;
                if steps == 0 || len == 0 {
                    // Nothing is to be done for its items.
                    self.plan.len = array;
                } else if array < ROOM {
                    let (size, count) = (element.size as u32, len as u32);
                    self.plan.steps[array] = Step::Array { at: at as u32, size, count, steps };
                }
            }
            TypeKind::Enum { tag, variants } => {
                // A type without variants has no values.
                self.fits &= !variants.is_empty();
                let begin = self.plan.len;
                self.push(Step::Zero { at: 0, len: 0 });
                let mut i = 0;
                while i < variants.len() {
                    let variant = self.plan.len;
                    self.push(Step::Zero { at: 0, len: 0 });
                    self.fields(variants[i].fields, 0, tag.size(), ty.size);
                    let steps = (self.plan.len - variant).saturating_sub(1) as u32;
                    if variant < ROOM {
                        self.plan.steps[variant] = Step::Variant { tag: variants[i].tag, steps };
                    }
                    i += 1;
                }
                let steps = (self.plan.len - begin).saturating_sub(1) as u32;
                if begin < ROOM {
                    let (size, tag) = (ty.size as u32, tag.size() as u32);
                    self.plan.steps[begin] = Step::Enum { at: at as u32, size, tag, steps };
                }
            }
        }
    }

    /// Adds the steps for fields from `begin` to `end`, seen from `at`.
    const fn fields(&mut self, fields: &[FieldDescriptor], at: usize, begin: usize, end: usize) {
        let mut reached = begin;
        let mut i = 0;
        while i < fields.len() {
            let field = &fields[i];
            self.gap(at + reached, at + field.offset);
            self.add(field.ty, at + field.offset);
            reached = field.offset + field.ty.size;
            i += 1;
        }
        self.gap(at + reached, at + end);
    }
}

/// Whether [`TypeDescriptor::fill`] leaves memory of zeros as it is.
const fn is_filled_by_zeros(ty: &TypeDescriptor) -> bool {
    const fn fields(fields: &[FieldDescriptor]) -> bool {
        let mut i = 0;
        while i < fields.len() {
            if !is_filled_by_zeros(fields[i].ty) {
                return false;
            }
            i += 1;
        }
        true
    }
    match ty.kind {
        TypeKind::Primitive(_) => true,
        TypeKind::Struct(parts) => fields(parts),
        TypeKind::Array { element, .. } => is_filled_by_zeros(element),
        TypeKind::Enum { variants: [], .. } => false,
        TypeKind::Enum { variants: [first, ..], .. } => first.tag == 0 && fields(first.fields),
    }
}

/// Takes the steps. False if `CHECK` is asked for and the bytes are no valid value.
///
/// # Safety
///
/// The bytes are initialised wherever the descriptor that the steps are of has a number that counts.
unsafe fn take<const CHECK: bool>(mut steps: &[Step], bytes: &mut [MaybeUninit<u8>]) -> bool {
    while let [step, rest @ ..] = steps {
        steps = rest;
        match *step {
            Step::Zero { at, len } => zero(&mut bytes[at as usize..][..len as usize]),
            Step::Bools { at, len } => {
                let bools = &bytes[at as usize..][..len as usize];
                // SAFETY: every `bool` of the value counts, so it is initialised.
                let is_one = |byte: &MaybeUninit<u8>| unsafe { byte.assume_init() } <= 1;
                if CHECK && !bools.iter().all(is_one) {
                    return false;
                }
            }
            Step::List { len: place, at, size, room, steps: count } => {
                let (of_items, rest) = steps.split_at(count as usize);
                steps = rest;
                // SAFETY: a list's length counts.
                let mut len = unsafe { number(&bytes[place as usize..][..4]) } as u32;
                if len > room {
                    if CHECK {
                        return false;
                    }
                    // A device may have written that.
                    len = room;
                    bytes[place as usize..][..4].write_copy_of_slice(&len.to_le_bytes());
                }
                let (size, items) = (size as usize, &mut bytes[at as usize..]);
                let (items, behind) = items[..room as usize * size].split_at_mut(len as usize * size);
                zero(behind);
                if !of_items.is_empty() {
                    for item in items.chunks_exact_mut(size) {
                        // SAFETY: an item before the list's end counts.
                        if !unsafe { take::<CHECK>(of_items, item) } {
                            return false;
                        }
                    }
                }
            }
            Step::Array { at, size, count, steps: of_each } => {
                let (of_items, rest) = steps.split_at(of_each as usize);
                steps = rest;
                let items = &mut bytes[at as usize..][..count as usize * size as usize];
                for item in items.chunks_exact_mut(size as usize) {
                    // SAFETY: a part of the value.
                    if !unsafe { take::<CHECK>(of_items, item) } {
                        return false;
                    }
                }
            }
            Step::Enum { at, size, tag, steps: count } => {
                let (variants, rest) = steps.split_at(count as usize);
                steps = rest;
                let bytes = &mut bytes[at as usize..][..size as usize];
                let (found, fields) = bytes.split_at_mut(tag as usize);
                // SAFETY: a tag counts.
                let found = unsafe { number(found) };
                match of_variant(variants, found) {
                    Some(steps) => {
                        // SAFETY: the fields of the variant that the tag names count.
                        if !unsafe { take::<CHECK>(steps, bytes) } {
                            return false;
                        }
                    }
                    None if CHECK => return false,
                    // A device may have written that.
                    None => zero(fields),
                }
            }
            // They are part of the enum before, which passes over them.
            Step::Variant { .. } => {}
        }
    }
    true
}

/// The steps for the variant with this tag.
fn of_variant(mut variants: &[Step], found: u64) -> Option<&[Step]> {
    while let [Step::Variant { tag, steps }, rest @ ..] = variants {
        let (own, rest) = rest.split_at(*steps as usize);
        if *tag == found {
            return Some(own);
        }
        variants = rest;
    }
    None
}

#[inline]
fn zero(bytes: &mut [MaybeUninit<u8>]) {
    bytes.fill(MaybeUninit::new(0));
}

/// A little-endian number of up to eight bytes.
///
/// # Safety
///
/// The bytes are initialised.
#[inline]
unsafe fn number(bytes: &[MaybeUninit<u8>]) -> u64 {
    let at = bytes.as_ptr();
    match bytes.len() {
        1 => {
            // SAFETY: there is a byte, initialised by the caller's promise.
            u64::from(unsafe { at.cast::<u8>().read() })
        }
        2 => {
            // SAFETY: there are two bytes; as above.
            u64::from(unsafe { at.cast::<u16>().read_unaligned() })
        }
        4 => {
            // SAFETY: there are four bytes; as above.
            u64::from(unsafe { at.cast::<u32>().read_unaligned() })
        }
        _ => {
            assert_eq!(bytes.len(), 8, "a number has 1, 2, 4 or 8 bytes");
            // SAFETY: there are eight bytes; as above.
            unsafe { at.cast::<u64>().read_unaligned() }
        }
    }
}
