//! The messages of these tests.

use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    sync::Arc,
};

use annulus::prelude::*;

/// Everything that a bridged message may hold.
#[derive(RingMessage, Clone, Debug, PartialEq)]
#[ring(version = 3)]
pub(crate) struct Order {
    #[ring(key)]
    pub(crate) account: u32,
    #[ring(id)]
    pub(crate) number: u64,
    #[ring(priority)]
    pub(crate) urgency: u8,
    #[ring(timestamp)]
    pub(crate) at: u64,
    pub(crate) text: String,
    pub(crate) symbol: Arc<str>,
    pub(crate) legs: Vec<Leg>,
    pub(crate) limit: Option<f64>,
    pub(crate) tags: BTreeMap<String, i32>,
    pub(crate) seen: BTreeSet<char>,
    pub(crate) route: VecDeque<u16>,
    pub(crate) action: Action,
    pub(crate) pair: (i8, Option<Box<str>>),
    pub(crate) grid: [[u8; 3]; 2],
    pub(crate) wide: u128,
}

#[derive(RingMessage, Clone, Debug, PartialEq)]
#[ring(bridged)]
pub(crate) struct Leg(pub(crate) i64, pub(crate) bool);

#[derive(RingMessage, Clone, Debug, PartialEq)]
#[ring(bridged)]
pub(crate) enum Action {
    Cancel,
    Fill(f32, Vec<u8>),
    Move { to: Option<Leg>, why: String },
}

#[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub(crate) struct Tick {
    #[ring(key)]
    pub(crate) series: u32,
    pub(crate) up: bool,
    pub(crate) value: f64,
    pub(crate) name: Text<6>,
}

pub(crate) fn order(number: u64) -> Order {
    let actions = [
        Action::Cancel,
        Action::Fill(0.5, vec![1, 2, 3]),
        Action::Move { to: Some(Leg(-1, true)), why: "wall".repeat(number as usize % 7) },
    ];
    Order {
        account: 7,
        number,
        urgency: 200,
        at: 1_700_000_000_000_000_000,
        text: "ÅNG, the text".repeat(number as usize % 3),
        symbol: "annulus".into(),
        legs: (0..number as i64 % 5).map(|i| Leg(i - 2, i % 2 == 0)).collect(),
        limit: number.is_multiple_of(2).then_some(-0.25),
        tags: (0..number as i32 % 9).map(|i| (format!("tag {i}"), i - 4)).collect(),
        seen: "äbc".chars().take(number as usize % 4).collect(),
        route: (0..number as u16 % 4).collect(),
        action: actions[number as usize % 3].clone(),
        pair: (-3, (number % 3 == 1).then(|| "boxed and long enough to lie elsewhere".into())),
        grid: [[1, 2, 3], [4, 5, number as u8]],
        wide: 1 << 100 | u128::from(number),
    }
}

pub(crate) fn tick(index: u32) -> Tick {
    let name = Text::new(["Å", "up", "down", "six666"][index as usize % 4]).unwrap();
    Tick { series: index / 8, up: index.is_multiple_of(3), value: f64::from(index) / 4.0, name }
}
