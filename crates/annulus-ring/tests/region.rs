//! What does not lie in a region is not reached through safe functions, whatever the build.
#![cfg(not(loom))]

use std::{panic::catch_unwind, ptr::NonNull};

use annulus_ring::region::Region;

#[repr(align(128))]
struct Memory([u8; 256]);

/// Whether a look at these offsets of 128 bytes is refused, out of 256 that are there.
fn refused(look: fn(&Region, usize), offsets: &[usize]) -> Vec<bool> {
    let mut memory = Memory([7; 256]);
    let base = NonNull::from(&mut memory.0).cast();
    // SAFETY: aligned, and longer than that; nobody else has it.
    let region = unsafe { Region::new(base, 128) };
    offsets.iter().map(|&offset| catch_unwind(|| look(&region, offset)).is_err()).collect()
}

#[test]
fn words_lie_in_their_region() {
    let long = |region: &Region, offset| {
        region.u64(offset);
    };
    let is_refused = refused(long, &[0, 120, 4, 121, 124, 128, 136, usize::MAX - 7]);
    assert_eq!(is_refused, [false, false, true, true, true, true, true, true]);
    let short = |region: &Region, offset| {
        region.u32(offset);
    };
    let is_refused = refused(short, &[0, 4, 124, 2, 126, 128, usize::MAX - 3]);
    assert_eq!(is_refused, [false, false, false, true, true, true, true]);
}

#[test]
#[cfg(target_arch = "x86_64")]
fn units_lie_in_their_region() {
    let unit = |region: &Region, offset| {
        region.load_unit(offset);
    };
    let is_refused = refused(unit, &[0, 112, 8, 120, 128, usize::MAX - 15]);
    assert_eq!(is_refused, [false, false, true, true, true, true]);
}

#[test]
fn parts_lie_in_their_region() {
    let part = |region: &Region, offset| {
        region.part(offset, 128);
    };
    assert_eq!(refused(part, &[0, 64, 128, usize::MAX - 127]), [false, true, true, true]);
}
