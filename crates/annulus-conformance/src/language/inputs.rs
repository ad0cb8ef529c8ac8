//! Random and edge values of any device type.

use annulus_kernel::{KernelDefinition, NoOutput, Primitive, TypeDescriptor, TypeKind};

use super::{Call, Told, memory::Memory};

/// Makes calls for a kernel, the same ones for the same seed.
#[derive(Clone, Debug)]
pub struct Inputs {
    state: u64,
    /// How many elements a bound slice has.
    len: usize,
}

impl Inputs {
    /// Inputs from this seed, with slices of this many elements.
    pub fn new(seed: u64, len: usize) -> Self {
        Self { state: seed, len }
    }

    /// The next random number (SplitMix64).
    pub fn number(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        crate::kernels::mix(self.state)
    }

    /// A call of a kernel's handler, every value of it random or on an edge.
    pub fn call(&mut self, definition: &KernelDefinition) -> Call {
        let nothing = <NoOutput as annulus_kernel::DeviceType>::DESCRIPTOR;
        let state = definition.state.definition().map_or(nothing, |state| state.ty);
        let bindings = definition.bindings.iter().map(|binding| {
            let single = binding.kind == annulus_kernel::BindingKind::Parameter;
            self.values(binding.ty, if single { 1 } else { self.len })
        });
        let bindings = bindings.collect();
        // Of a row of its own: what a handler hears besides does not change which values it gets.
        let mut own = Self { state: !self.state, len: self.len };
        let told = Told {
            queue: own.bits(Primitive::U32) as u32,
            now: own.bits(Primitive::U64),
            stamp: own.bits(Primitive::U64),
        };
        Call { message: self.values(definition.message, 1), state: self.values(state, 1), bindings, told }
    }

    /// Values of this type.
    pub fn values(&mut self, ty: &'static TypeDescriptor, len: usize) -> Memory {
        let mut memory = Memory::zeroed(ty, len);
        for value in memory.bytes_mut().chunks_mut(ty.size.max(1)) {
            self.fill(ty, value);
        }
        memory
    }

    fn fill(&mut self, ty: &TypeDescriptor, bytes: &mut [u8]) {
        match ty.kind {
            TypeKind::Primitive(primitive) => {
                let bits = self.bits(primitive);
                bytes.copy_from_slice(&bits.to_ne_bytes()[..bytes.len()]);
            }
            TypeKind::Struct(fields) => {
                for field in fields {
                    self.fill(field.ty, &mut bytes[field.offset..field.offset + field.ty.size]);
                }
            }
            TypeKind::Array { element, .. } => {
                for element_bytes in bytes.chunks_mut(element.size.max(1)) {
                    self.fill(element, element_bytes);
                }
            }
            TypeKind::Enum { tag, variants } => {
                let variant = &variants[self.number() as usize % variants.len()];
                let size = size_of_primitive(tag);
                bytes[..size].copy_from_slice(&variant.tag.to_ne_bytes()[..size]);
                for field in variant.fields {
                    self.fill(field.ty, &mut bytes[field.offset..field.offset + field.ty.size]);
                }
            }
        }
    }

    /// The bits of a scalar: often small, often on an edge.
    fn bits(&mut self, primitive: Primitive) -> u64 {
        let (kind, random) = (self.number() % 8, self.number());
        let width = 8 * size_of_primitive(primitive) as u32;
        match primitive {
            Primitive::Bool => random & 1,
            Primitive::F32 => u64::from(self.f32_bits(kind, random)),
            Primitive::F64 => match kind {
                0 => f64::from(f32::from_bits(self.f32_bits(0, random))).to_bits(),
                1..=4 => ((random % 2_000_001) as f64 / 1000.0 - 1000.0).to_bits(),
                5 => (random as f64).to_bits(),
                _ => random,
            },
            _ => match kind {
                0 => [0, 1, u64::MAX, 1 << (width - 1), (1 << (width - 1)) - 1, 2, u64::MAX - 1]
                    [random as usize % 7],
                1..=4 => random % 16,
                5 => (random % 16).wrapping_neg(),
                6 => 1 << (random % u64::from(width)),
                _ => random,
            },
        }
    }

    fn f32_bits(&mut self, kind: u64, random: u64) -> u32 {
        const EDGES: [f32; 12] = [
            0.0,
            -0.0,
            1.0,
            -1.0,
            f32::INFINITY,
            f32::NEG_INFINITY,
            f32::NAN,
            f32::MAX,
            f32::MIN_POSITIVE,
            1e-45,
            0.5,
            4_294_967_295.0,
        ];
        match kind {
            0 => EDGES[random as usize % EDGES.len()].to_bits(),
            1..=4 => ((random % 20_001) as f32 / 100.0 - 100.0).to_bits(),
            5 => (random as f32).to_bits(),
            _ => random as u32,
        }
    }
}

/// Bytes of a primitive.
pub(super) fn size_of_primitive(primitive: Primitive) -> usize {
    match primitive {
        Primitive::Bool | Primitive::I8 | Primitive::U8 => 1,
        Primitive::I16 | Primitive::U16 => 2,
        Primitive::I32 | Primitive::U32 | Primitive::F32 => 4,
        Primitive::I64 | Primitive::U64 | Primitive::F64 | Primitive::Usize | Primitive::Isize => 8,
    }
}
