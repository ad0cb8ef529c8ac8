//! Memory for values of types that are known by their descriptors only.

use annulus_kernel::{DeviceType, TypeDescriptor};

/// Values of one type, one after the other, aligned for any device type of up to 16 bytes of alignment.
#[derive(Clone, Debug)]
pub struct Memory {
    ty: &'static TypeDescriptor,
    len: usize,
    words: Vec<u128>,
}

impl Memory {
    /// `len` values of which every byte is 0.
    ///
    /// # Panics
    ///
    /// If the type asks for more alignment than 16 bytes.
    pub fn zeroed(ty: &'static TypeDescriptor, len: usize) -> Self {
        assert!(ty.align <= align_of::<u128>(), "`{}` asks for an alignment of {} bytes", ty.name, ty.align);
        Self { ty, len, words: vec![0; (ty.size * len).div_ceil(size_of::<u128>()).max(1)] }
    }

    /// These values.
    pub fn of<T: DeviceType>(values: &[T]) -> Self {
        let mut memory = Self::zeroed(T::DESCRIPTOR, values.len());
        for (index, value) in values.iter().enumerate() {
            // SAFETY: `index` is below the number of values that the memory has room for.
            let place = unsafe { memory.as_mut_ptr().cast::<T>().add(index) };
            // SAFETY: the place is valid for a `T`, whose descriptor's alignment `zeroed` has checked.
            unsafe { place.write(*value) };
        }
        memory
    }

    /// The values.
    ///
    /// # Panics
    ///
    /// If they are not of type `T`.
    pub fn values<T: DeviceType>(&self) -> Vec<T> {
        assert_eq!(self.ty, T::DESCRIPTOR, "the values' type");
        let first = self.words.as_ptr().cast::<T>();
        (0..self.len)
            .map(|index| {
                // SAFETY: `index` is below the number of values.
                let place = unsafe { first.add(index) };
                // SAFETY: a value of this type, by its descriptor: `of`, `Inputs` or a handler wrote it.
                unsafe { place.read() }
            })
            .collect()
    }

    /// The type of each value.
    pub fn ty(&self) -> &'static TypeDescriptor {
        self.ty
    }

    /// How many values there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Keeps the first `len` values.
    pub(super) fn truncate(&mut self, len: usize) {
        self.len = self.len.min(len);
    }

    /// All bytes, padding included.
    pub fn bytes(&self) -> &[u8] {
        // SAFETY: the words are initialised, and cover `len` values.
        unsafe { std::slice::from_raw_parts(self.words.as_ptr().cast(), self.ty.size * self.len) }
    }

    /// All bytes, padding included.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: the words are initialised, cover `len` values, and take any bytes.
        unsafe { std::slice::from_raw_parts_mut(self.words.as_mut_ptr().cast(), self.ty.size * self.len) }
    }

    /// The first value.
    pub fn as_mut_ptr(&mut self) -> *mut u8 {
        self.words.as_mut_ptr().cast()
    }
}
