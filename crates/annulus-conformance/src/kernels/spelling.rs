//! Kernels whose names and layouts C has in another way: words of C, letters that it has not, and alignment beyond the fields'.
#![allow(non_snake_case, non_camel_case_types)] // They are what is tested.

use annulus_macros::{DeviceType, RingMessage, ring_kernel};
use annulus_runtime::prelude::Outbox;

/// Fields that C cannot call by their names, beside fields that it calls so.
#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(C)]
pub struct Words {
    pub int: u32,
    pub int_: u32,
    pub int__: u16,
    pub é: u8,
    pub è: u8,
    pub _x: u16,
    pub my_x: u16,
    pub my__x: u16,
    pub my___x: u16,
    pub ann_pad0: u8,
    pub float4: u64,
    pub tag: u32,
    pub at: Level,
    pub lift: Lift,
}

/// A tag that is wider than its type says.
#[derive(DeviceType, Clone, Copy, Debug, Default, PartialEq)]
#[repr(u8, align(8))]
pub enum Level {
    #[default]
    Low,
    High = 9,
}

/// The same, with fields, and variants whose names are those of the tag.
#[derive(DeviceType, Clone, Copy, Debug, PartialEq)]
#[repr(u16, align(16))]
pub enum Lift {
    tag { n: u32 },
    tag_ { tag: u8, tag_: u64 },
    int,
    ß { levels: [Level; 2] },
}

impl Default for Lift {
    fn default() -> Self {
        Self::tag { n: 3 }
    }
}

#[ring_kernel]
pub fn spelled(
    words: &Words,
    lift: &mut Lift,
    values: &[u32],
    values_len: &u32,
    é: &[u8],
    è: &u32,
    out: &Outbox<Words>,
) {
    let mut answer = *words;
    let Words { int, int_, é: acute, è: grave, _x, my_x, .. } = answer;
    answer.int = int_ + *values_len + values[int as usize % values.len()];
    answer.int_ = int ^ *è;
    answer.int__ += my_x;
    answer.é = grave + é[0];
    answer.è = acute;
    answer._x = answer.my__x;
    answer.my__x = answer.my___x;
    answer.my___x = _x;
    answer.ann_pad0 += 1;
    answer.float4 = u64::from(answer.tag);
    answer.at = match (answer.at, answer.lift) {
        (Level::Low, Lift::tag { n: 3.. }) => Level::High,
        (Level::High, _) => Level::Low,
        (level, _) => level,
    };
    *lift = match *lift {
        Lift::tag { n } => Lift::tag_ { tag: n as u8, tag_: u64::from(n) * 3 },
        Lift::tag_ { tag, tag_ } if tag_ > 1000 => {
            Lift::ß { levels: [Level::High, if tag > 5 { answer.at } else { Level::Low }] }
        }
        Lift::tag_ { .. } => Lift::int,
        Lift::int => answer.lift,
        Lift::ß { levels } => Lift::tag { n: levels[1] as u32 },
    };
    answer.lift = *lift;
    out.send(answer);
}
