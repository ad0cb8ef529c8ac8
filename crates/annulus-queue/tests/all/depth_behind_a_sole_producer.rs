//! A sole producer moves the gauge of depth once per batch, so the consumer may have given slots back that
//! the gauge has not counted yet. The depth was then a difference below zero: a panic, or the ring's
//! capacity.

use std::{
    alloc::{Layout, alloc_zeroed, dealloc},
    ptr::NonNull,
};

use annulus_abi::ring::{Envelope, RingLayout, kind};
use annulus_ring::{
    region::Region,
    ring::{Consumer, Header, Ring, SoleProducer},
};

#[test]
fn a_slot_is_given_back_before_it_is_shown() {
    let layout = RingLayout::new(16, 0, 1, Envelope::default());
    let memory = Layout::from_size_align(layout.bytes(), 128).unwrap();
    // SAFETY: a ring has a header, so the layout's size is not zero.
    let base = NonNull::new(unsafe { alloc_zeroed(memory) }).unwrap();
    {
        // SAFETY: the memory is that long and that aligned, and freed after the region's last use.
        let region = unsafe { Region::new(base, layout.bytes()) };
        // SAFETY: the region is as long as the layout says and zero; the ends follow.
        let ring = unsafe { Ring::new(region, layout) };
        // SAFETY: the only producer.
        let mut producer = unsafe { SoleProducer::new(ring.clone()) };
        // SAFETY: the only consumer.
        let mut consumer = unsafe { Consumer::new(ring.clone()) };
        assert!(producer.has_credit(1));
        // SAFETY: there was credit; this kind has no payload.
        unsafe { producer.publish(kind::TOMBSTONE, 0, Header::default()) };
        let slot = consumer.peek().expect("published");
        consumer.advance(&slot);
        consumer.give_back();
        assert_eq!((ring.consumed(), ring.reserved(), ring.depth()), (1, 0, 0));
        producer.show();
        assert_eq!(ring.depth(), 0);
    }
    // SAFETY: allocated above with this layout, and used no more.
    unsafe { dealloc(base.as_ptr(), memory) };
}
