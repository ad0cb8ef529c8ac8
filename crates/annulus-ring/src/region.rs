//! Typed access to a range of raw memory that two sides share.
//!
//! The ring's words lie at offsets that `annulus-abi` fixes, in memory that may belong to a device. In a
//! build for loom the same offsets lead to loom's atomics and cells, so the models run the protocol's own
//! code.

#[cfg(all(not(loom), target_arch = "x86_64"))]
use std::arch::{asm, x86_64::__m128i};
use std::mem::MaybeUninit;
#[cfg(not(loom))]
use std::ptr::NonNull;

use annulus_sync::{AtomicU32, AtomicU64};

/// A view of shared memory. It owns nothing: the code that makes it keeps the memory alive.
#[derive(Clone, Debug)]
pub struct Region {
    #[cfg(not(loom))]
    base: NonNull<u8>,
    #[cfg(loom)]
    model: model::Model,
    #[cfg(not(loom))]
    bytes: usize,
}

// SAFETY: a region gives out references to atomics, which any thread may use. It copies plain data only in
// `unsafe` methods, whose callers promise that nobody writes meanwhile.
unsafe impl Send for Region {}
// SAFETY: as for `Send`.
unsafe impl Sync for Region {}

#[cfg(not(loom))]
impl Region {
    /// A view of `bytes` bytes at `base`.
    ///
    /// # Safety
    ///
    /// `base` is aligned to 128 and valid for reads and writes of `bytes` bytes as long as the region or a
    /// clone of it is used. Everybody accesses the words that [`u32`](Self::u32) and [`u64`](Self::u64)
    /// return only atomically.
    pub const unsafe fn new(base: NonNull<u8>, bytes: usize) -> Self {
        Self { base, bytes }
    }

    /// The part of the region from `offset` on, `bytes` long.
    pub fn part(&self, offset: usize, bytes: usize) -> Self {
        let end = offset.checked_add(bytes);
        assert!(
            offset.is_multiple_of(128) && end.is_some_and(|end| end <= self.bytes),
            "a part lies inside its region"
        );
        // SAFETY: the offset is inside the region, by the assertion.
        let base = unsafe { self.base.add(offset) };
        // SAFETY: the part is a range of this region, aligned by the assertion. The promise made to `new`
        // covers it.
        unsafe { Self::new(base, bytes) }
    }

    /// Whether `bytes` bytes from `offset` on lie in the region.
    #[inline(always)]
    const fn has(&self, offset: usize, bytes: usize) -> bool {
        bytes <= self.bytes && offset <= self.bytes - bytes
    }

    /// Whether `offset` is a multiple of `bytes`, a power of two, and `bytes` bytes from there on lie in the
    /// region.
    #[inline(always)]
    const fn has_aligned(&self, offset: usize, bytes: usize) -> bool {
        // Nothing here overflows, whatever the offset.
        offset.is_multiple_of(bytes) && offset < self.bytes & !(bytes - 1)
    }

    /// A pointer to `offset`. Outside the region it must not be dereferenced.
    #[inline(always)]
    pub const fn pointer(&self, offset: usize) -> *mut u8 {
        self.base.as_ptr().wrapping_add(offset)
    }

    /// The atomic word at `offset`.
    ///
    /// # Panics
    ///
    /// If the word does not lie in the region, or is not aligned.
    #[inline(always)]
    pub fn u64(&self, offset: usize) -> &AtomicU64 {
        assert!(self.has_aligned(offset, 8), "a word lies in its region, and is aligned");
        // SAFETY: as was just asserted.
        unsafe { self.word64(offset) }
    }

    /// The atomic word at `offset`.
    ///
    /// # Panics
    ///
    /// As [`u64`](Self::u64).
    #[inline(always)]
    pub fn u32(&self, offset: usize) -> &AtomicU32 {
        assert!(self.has_aligned(offset, 4), "a word lies in its region, and is aligned");
        // SAFETY: as was just asserted.
        unsafe { self.word32(offset) }
    }

    /// [`u64`](Self::u64), unchecked.
    ///
    /// # Safety
    ///
    /// `offset` is a multiple of 8, and eight bytes from there on lie in the region.
    #[inline(always)]
    pub(crate) unsafe fn word64(&self, offset: usize) -> &AtomicU64 {
        debug_assert!(self.has_aligned(offset, 8));
        // SAFETY: the word lies inside the region and is aligned (128-aligned base, multiple of 8), by the
        // caller's promise; all access is atomic by that of `new`, and the memory outlives `self`.
        unsafe { AtomicU64::from_ptr(self.pointer(offset).cast()) }
    }

    /// [`u32`](Self::u32), unchecked.
    ///
    /// # Safety
    ///
    /// As for [`word64`](Self::word64), with four bytes.
    #[inline(always)]
    pub(crate) unsafe fn word32(&self, offset: usize) -> &AtomicU32 {
        debug_assert!(self.has_aligned(offset, 4));
        // SAFETY: as for `word64`.
        unsafe { AtomicU32::from_ptr(self.pointer(offset).cast()) }
    }

    /// Stores plain data.
    ///
    /// # Safety
    ///
    /// `offset` is inside the region with room for a `T`, and aligned for it; nobody else touches those bytes
    /// meanwhile.
    #[inline(always)]
    pub unsafe fn write<T: Copy>(&self, offset: usize, value: T) {
        debug_assert!(self.has(offset, size_of::<T>()));
        // SAFETY: by the caller's promise.
        unsafe { self.pointer(offset).cast::<T>().write(value) };
    }

    /// Loads plain data.
    ///
    /// # Safety
    ///
    /// As for [`write`](Self::write), and the bytes hold a valid `T`.
    #[inline(always)]
    pub unsafe fn read<T: Copy>(&self, offset: usize) -> T {
        debug_assert!(self.has(offset, size_of::<T>()));
        // SAFETY: by the caller's promise.
        unsafe { self.pointer(offset).cast::<T>().read() }
    }

    /// Stores a unit of a sealed slot in one access. Orders nothing, although the compiler may assume more.
    ///
    /// # Safety
    ///
    /// `offset` is a multiple of 16 inside the region, with room for a unit. By the ring's protocol the unit
    /// is the caller's. The processor is one of those that [`sealed`](crate::sealed) names.
    #[inline(always)]
    pub unsafe fn store_unit(&self, offset: usize, content: &[MaybeUninit<u32>; 3], lap: u32) {
        // SAFETY: the content has twelve bytes: eight, and four behind them.
        let low = unsafe { Self::load8(content.as_ptr().cast()) };
        // SAFETY: as above.
        let high = unsafe { Self::load4(content[2..].as_ptr().cast()) };
        // SAFETY: by the caller's promise.
        unsafe { self.store_words(offset, low, high, lap) };
    }

    /// [`store_unit`](Self::store_unit) of content that is in registers: two words, and the third.
    ///
    /// # Safety
    ///
    /// As for that method.
    #[inline(always)]
    pub(crate) unsafe fn store_words(&self, offset: usize, low: u64, high: u32, lap: u32) {
        debug_assert!(self.has_aligned(offset, 16));
        // SAFETY: the unit is valid for writes by the caller's promise. Aligned, MOVDQA is one access.
        #[cfg(target_arch = "x86_64")]
        unsafe {
            asm!(
                "movq {unit}, {low}",
                "movq {tail}, {tail_of_all}",
                "punpcklqdq {unit}, {tail}",
                "movdqa xmmword ptr [{to}], {unit}",
                low = in(reg) low,
                tail_of_all = in(reg) u64::from(high) | u64::from(lap) << 32,
                to = in(reg) self.pointer(offset),
                tail = out(xmm_reg) _,
                unit = out(xmm_reg) _,
                options(nostack, preserves_flags),
            );
        }
        #[cfg(not(target_arch = "x86_64"))]
        unreachable!("no ring is sealed on this processor: unit {offset}, {low}, {high}, lap {lap}");
    }

    /// Eight bytes that lie anywhere, and may be uninitialised: what is loaded then is some value.
    ///
    /// # Safety
    ///
    /// `from` is valid for reads of eight bytes.
    #[inline(always)]
    pub(crate) unsafe fn load8(from: *const MaybeUninit<u8>) -> u64 {
        // SAFETY: it reads what is valid for reads, by the caller's promise. What it reads is a register's
        // value, whatever the compiler knows of the memory.
        #[cfg(target_arch = "x86_64")]
        unsafe {
            let loaded;
            asm!(
                "mov {loaded}, qword ptr [{from}]",
                from = in(reg) from,
                loaded = lateout(reg) loaded,
                options(nostack, preserves_flags, readonly, pure),
            );
            loaded
        }
        #[cfg(not(target_arch = "x86_64"))]
        unreachable!("no ring is sealed on this processor: {from:?}");
    }

    /// The same of four bytes.
    ///
    /// # Safety
    ///
    /// `from` is valid for reads of four bytes.
    #[inline(always)]
    pub(crate) unsafe fn load4(from: *const MaybeUninit<u8>) -> u32 {
        // SAFETY: as for `load8`.
        #[cfg(target_arch = "x86_64")]
        unsafe {
            let loaded;
            asm!(
                "mov {loaded:e}, dword ptr [{from}]",
                from = in(reg) from,
                loaded = lateout(reg) loaded,
                options(nostack, preserves_flags, readonly, pure),
            );
            loaded
        }
        #[cfg(not(target_arch = "x86_64"))]
        unreachable!("no ring is sealed on this processor: {from:?}");
    }

    /// Loads a unit of a sealed slot in one access: its content and its lap. Orders nothing.
    ///
    /// # Panics
    ///
    /// If the unit does not lie in the region, or is not aligned.
    #[inline(always)]
    pub fn load_unit(&self, offset: usize) -> [u32; 4] {
        assert!(self.has_aligned(offset, 16), "a unit lies in its region, and is aligned");
        #[cfg(target_arch = "x86_64")]
        {
            let unit: __m128i;
            // SAFETY: the unit lies inside the region, and is aligned. A producer that writes it meanwhile
            // does so in one access.
            unsafe {
                asm!(
                    "movdqa {unit}, xmmword ptr [{from}]",
                    unit = out(xmm_reg) unit,
                    from = in(reg) self.pointer(offset),
                    options(nostack, preserves_flags, readonly),
                );
            }
            // SAFETY: both types have sixteen bytes, and any bytes are valid for the result.
            unsafe { std::mem::transmute::<__m128i, [u32; 4]>(unit) }
        }
        #[cfg(not(target_arch = "x86_64"))]
        unreachable!("no ring is sealed on this processor");
    }
}

#[cfg(loom)]
impl Region {
    /// Modelled memory, all zero.
    pub fn modelled(bytes: usize) -> Self {
        Self { model: model::Model::new(bytes, false) }
    }

    /// Modelled memory of a ring with sealed slots, all zero.
    pub fn modelled_sealed(bytes: usize) -> Self {
        Self { model: model::Model::new(bytes, true) }
    }

    /// Stores a unit of a sealed slot.
    ///
    /// # Safety
    ///
    /// None that matters to the model.
    pub unsafe fn store_unit(&self, offset: usize, content: &[MaybeUninit<u32>; 3], lap: u32) {
        // SAFETY: the models' images are words throughout.
        let [a, b, c] = content.map(|word| unsafe { word.assume_init() });
        self.model.store_unit(offset, [a, b, c, lap]);
    }

    /// Loads a unit of a sealed slot.
    pub fn load_unit(&self, offset: usize) -> [u32; 4] {
        self.model.load_unit(offset)
    }

    /// The atomic word at `offset`.
    pub fn u64(&self, offset: usize) -> &AtomicU64 {
        &self.model.words64[&offset]
    }

    /// The atomic word at `offset`.
    pub fn u32(&self, offset: usize) -> &AtomicU32 {
        &self.model.words32[&offset]
    }

    /// The same.
    ///
    /// # Safety
    ///
    /// None that matters to the model.
    pub(crate) unsafe fn word64(&self, offset: usize) -> &AtomicU64 {
        self.u64(offset)
    }

    /// The same.
    ///
    /// # Safety
    ///
    /// None that matters to the model.
    pub(crate) unsafe fn word32(&self, offset: usize) -> &AtomicU32 {
        self.u32(offset)
    }

    /// Stores plain data of whole 8-byte words.
    ///
    /// # Safety
    ///
    /// None that matters to the model: loom reports races.
    pub unsafe fn write<T: Copy>(&self, offset: usize, value: T) {
        for (i, word) in model::words(&value).into_iter().enumerate() {
            // SAFETY: loom checks that nobody else has access.
            self.model.plain[&(offset + 8 * i)].with_mut(|cell| unsafe { *cell = word });
        }
    }

    /// Loads plain data of whole 8-byte words.
    ///
    /// # Safety
    ///
    /// The bytes hold a valid `T`; loom reports races.
    pub unsafe fn read<T: Copy>(&self, offset: usize) -> T {
        let words: Vec<u64> = (0..size_of::<T>() / 8)
            // SAFETY: loom checks that nobody writes meanwhile.
            .map(|i| self.model.plain[&(offset + 8 * i)].with(|cell| unsafe { *cell }))
            .collect();
        // SAFETY: the words are the bytes of a `T`, by the caller's promise.
        unsafe { words.as_ptr().cast::<T>().read() }
    }
}

#[cfg(loom)]
mod model {
    use std::{
        collections::BTreeMap,
        sync::{Arc, Mutex},
    };

    use annulus_abi::ring::RingHeader;

    use annulus_sync::{AtomicU32, AtomicU64, Ordering, UnsafeCell};

    /// A ring of single-line slots: the header's words, and for each slot its commit and meta words and plain
    /// 8-byte words; or its units, if it is sealed. A unit is an atomic word: the number of one of all units
    /// that were ever stored. So it is never torn, and ordered no more than a relaxed word.
    #[derive(Clone, Debug)]
    pub(super) struct Model {
        pub(super) words64: Arc<BTreeMap<usize, AtomicU64>>,
        pub(super) words32: Arc<BTreeMap<usize, AtomicU32>>,
        pub(super) plain: Arc<BTreeMap<usize, UnsafeCell<u64>>>,
        units: Arc<BTreeMap<usize, AtomicU64>>,
        /// All units that were stored. This is not part of the model.
        stored: Arc<Mutex<Vec<[u32; 4]>>>,
    }

    impl Model {
        pub(super) fn new(bytes: usize, sealed: bool) -> Self {
            let all = (size_of::<RingHeader>()..bytes).step_by(annulus_abi::LINE);
            let slots = all.clone().filter(|_| !sealed);
            Self {
                units: Arc::new(
                    all.filter(|_| sealed)
                        .flat_map(|s| [s, s + 16, s + 32, s + 48])
                        .map(|o| (o, AtomicU64::new(0)))
                        .collect(),
                ),
                stored: Arc::new(Mutex::new(vec![[0; 4]])),
                words64: Arc::new([0, 8, 128].map(|offset| (offset, AtomicU64::new(0))).into()),
                words32: Arc::new(
                    slots.clone().flat_map(|s| [s, s + 4]).map(|o| (o, AtomicU32::new(0))).collect(),
                ),
                plain: Arc::new(
                    slots.flat_map(|s| [s + 8, s + 16, s + 24]).map(|o| (o, UnsafeCell::new(0))).collect(),
                ),
            }
        }
    }

    impl Model {
        pub(super) fn store_unit(&self, offset: usize, unit: [u32; 4]) {
            let number = {
                let mut stored = self.stored.lock().unwrap();
                stored.push(unit);
                stored.len() as u64 - 1
            };
            self.units[&offset].store(number, Ordering::Relaxed);
        }

        pub(super) fn load_unit(&self, offset: usize) -> [u32; 4] {
            let number = self.units[&offset].load(Ordering::Relaxed);
            self.stored.lock().unwrap()[number as usize]
        }
    }

    pub(super) fn words<T: Copy>(value: &T) -> Vec<u64> {
        assert!(size_of::<T>().is_multiple_of(8) && align_of::<T>() == 8, "the model stores whole words");
        // SAFETY: the value is `size / 8` aligned words, initialised in the models.
        unsafe { std::slice::from_raw_parts(std::ptr::from_ref(value).cast::<u64>(), size_of::<T>() / 8) }
            .to_vec()
    }
}
