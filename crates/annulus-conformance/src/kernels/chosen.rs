//! References that branches choose: to different fields of one value, and slices of them.
// They are what is tested.
#![allow(clippy::manual_is_multiple_of, clippy::too_many_lines)]

use annulus_kernel::{List, Outbox};
use annulus_macros::{DeviceType, RingMessage, device_fn, device_type, ring_kernel};

#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(C)]
pub struct Choice {
    #[ring(key)]
    pub key: u32,
    pub which: u8,
    pub at: u8,
    pub value: u16,
    pub left: [u32; 6],
    pub right: [u32; 6],
    pub some: List<u16, 5>,
    pub others: List<u16, 5>,
    pub pairs: [Two; 3],
}

#[device_type]
#[derive(DeviceType, Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct Two {
    pub a: u32,
    pub b: u32,
    pub more: [u16; 2],
}

#[device_type]
#[derive(DeviceType, Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct Kept {
    pub odd: List<u32, 4>,
    pub even: List<u32, 4>,
    pub first: u32,
    pub last: u32,
    pub twos: [Two; 3],
    pub alone: Two,
}

#[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct Chose {
    pub words: [u32; 16],
}

#[device_fn]
fn add(to: &mut u32, value: u32) -> u32 {
    *to = to.wrapping_add(value);
    *to
}

#[device_fn]
fn sum(of: &[u32]) -> u32 {
    let mut sum = 0u32;
    for value in of {
        sum = sum.wrapping_mul(31).wrapping_add(*value);
    }
    sum
}

/// `&mut` to one of several fields, of the state and of variables.
#[ring_kernel]
pub fn choose_mutable(choice: &Choice, kept: &mut Kept, out: &Outbox<Chose>) {
    let mut words = [0u32; 16];
    let value = u32::from(choice.value);
    let list = if choice.which % 2 == 1 { &mut kept.odd } else { &mut kept.even };
    let next = list.len as usize;
    if next == 4 {
        words[0] = list.items[usize::from(choice.at % 4)];
        list.len = 0;
    } else {
        list.items[next] = value;
        list.len += 1;
    }
    words[1] = list.len;
    let end = match choice.which % 3 {
        0 => &mut kept.first,
        1 => &mut kept.last,
        _ => &mut kept.alone.a,
    };
    *end = end.wrapping_add(value);
    words[2] = *end;
    // By an index in one branch, by a constant one in another, and by a way through another field.
    let two = match choice.which % 4 {
        0 => &mut kept.twos[usize::from(choice.at % 3)],
        1 => &mut kept.twos[1],
        2 => &mut kept.alone,
        _ => {
            let next = usize::from(choice.at.wrapping_add(1) % 3);
            &mut kept.twos[next]
        }
    };
    two.b ^= value;
    let more = if value > 100 { &mut two.more } else { return out.send(Chose { words }) };
    more[usize::from(choice.at % 2)] = choice.value;
    words[3] = two.b;
    words[4] = add(if choice.at > 100 { &mut kept.first } else { &mut kept.twos[0].a }, 7);
    // Chosen again, of what was chosen.
    let one = if choice.which > 128 { &mut kept.alone } else { &mut kept.twos[2] };
    let part = if choice.which % 2 == 0 { &mut one.a } else { &mut one.b };
    *part = part.wrapping_mul(3).wrapping_add(1);
    words[5] = one.a;
    words[6] = one.b;
    let mut pair = Two { a: value, b: 2 * value, more: [1, 2] };
    let mine = if choice.at % 2 == 0 { &mut pair.a } else { &mut pair.b };
    *mine += 1;
    let before = *mine;
    let half = if value % 2 == 0 { &mut pair.more[0] } else { &mut pair.more[1] };
    *half += 10;
    words[7] = before;
    words[8] = pair.a;
    words[9] = pair.b;
    words[10] = u32::from(pair.more[0]) << 16 | u32::from(pair.more[1]);
    words[11] = kept.first;
    words[12] = kept.last;
    words[13] = kept.odd.len * 10 + kept.even.len;
    words[14] = u32::from(kept.alone.more[0]) | u32::from(kept.twos[1].more[1]) << 16;
    words[15] = kept.twos[0].b ^ kept.twos[1].b ^ kept.twos[2].b ^ kept.alone.b;
    out.send(Chose { words });
}

/// Slices of one of several arrays and lists, and shared references.
#[ring_kernel]
pub fn choose_slices(choice: &Choice, kept: &mut Kept, out: &Outbox<Chose>) {
    let mut words = [0u32; 16];
    let at = usize::from(choice.at % 5);
    let side = if choice.which % 2 == 0 { &choice.left[..] } else { &choice.right[at..] };
    words[0] = sum(side);
    words[1] = side.len() as u32;
    words[2] = side[side.len() - 1];
    let list = if choice.which % 3 == 0 { choice.some.as_slice() } else { choice.others.as_slice() };
    words[3] = list.len() as u32;
    for value in list {
        words[4] = words[4].wrapping_mul(7).wrapping_add(u32::from(*value));
    }
    words[5] = list.iter().map(|value| u32::from(*value)).max().unwrap_or(3);
    let whole = if choice.which > 50 { &choice.left } else { &choice.right };
    words[6] = whole[at];
    let mine = match choice.which % 4 {
        0 => &mut kept.odd.items[..],
        1 => &mut kept.even.items[1..],
        2 => &mut kept.odd.items[..at.min(4)],
        _ => return out.send(Chose { words }),
    };
    if let Some(first) = mine.first_mut() {
        *first = first.wrapping_add(1);
    }
    mine.sort_unstable();
    words[7] = mine.len() as u32;
    let more = if choice.at % 2 == 0 {
        &mut kept.alone.more[..]
    } else {
        &mut kept.twos[usize::from(choice.at % 3)].more[..]
    };
    more[1] = more[0].wrapping_add(choice.value);
    more.swap(0, 1);
    words[8] = u32::from(more[0]) << 16 | u32::from(more[1]);
    let pair =
        if choice.value % 2 == 0 { &choice.pairs[0] } else { &choice.pairs[usize::from(choice.at % 3)] };
    words[9] = pair.a;
    words[10] = u32::from(pair.more[1]);
    let named = if choice.value % 3 == 0 { &choice.pairs[1].a } else { &choice.left[2] };
    words[11] = *named;
    kept.odd.items[at % 4] ^= words[0];
    kept.even.items[at % 4] ^= words[4];
    words[12] = sum(&kept.odd.items);
    out.send(Chose { words });
}
