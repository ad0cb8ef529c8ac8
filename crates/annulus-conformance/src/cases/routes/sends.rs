//! What the sources of a random program send, and what the model is told of it.

use std::{collections::BTreeSet, ops::Range};

use annulus_kernel::{Peer, Topic};

use super::{
    Copy, Fault, NAMES, PATTERNS, ROWS, Source, Way, World,
    model::{To, takes},
};
use crate::kernels::{
    Item,
    peers::{COPIES, Parcel},
    rows::Order,
    topics::Note,
};

impl World {
    /// Those that take a topic.
    fn takers_of(&self, name: usize) -> Vec<usize> {
        let Source { subscriptions, known, .. } = &self.sources[1];
        let taken = |&&(pattern, _): &&(usize, usize)| takes(PATTERNS[pattern], NAMES[name]);
        let takers: BTreeSet<usize> = subscriptions.iter().filter(taken).map(|&(_, taker)| taker).collect();
        if known.contains(&name) { takers.into_iter().collect() } else { Vec::new() }
    }

    /// Tells the model of what a handler sends.
    fn tell(&mut self, source: usize, mut to: To, copy: Copy) {
        self.copies += match &to {
            To::These(takers) => takers.len().max(1) as u64,
            To::Any => 1,
        };
        let plant = self.fault.filter(|_| !self.is_planted && source == 0);
        match (plant, &mut to) {
            (Some(Fault::OneLess), _) => {
                self.is_planted = true;
                return;
            }
            (Some(Fault::AnotherTaker), To::These(takers)) if takers == &[0] => {
                takers[0] = 1;
                self.is_planted = true;
            }
            _ => {}
        }
        self.model.send(source, to, copy);
    }

    /// A source sends some messages.
    pub(super) fn send(&mut self, source: usize) {
        let count = 1 + self.random.below(12);
        let first = self.sources[source].messages;
        let numbers = first..first + count;
        self.sources[source].messages += count;
        let mut told: Vec<(To, Copy)> = Vec::new();
        let id = |n: u64| (source as u64 + 1) << 32 | n;
        let mut items: Vec<Item> = Vec::new();
        for n in numbers.clone() {
            // By the outbox it is sent by the actor of its key; a taker takes no notice of it.
            items.push(Item { key: (n % 5) as u32, producer: 0, sequence: id(n) });
        }
        let sender = |n: u64| (n % 4) as u32;
        match source {
            0 => {
                let for_any = self.percent(25);
                let mut parcels = Vec::new();
                for (n, &item) in numbers.clone().zip(&items) {
                    let taker = self.below(self.items() + 1);
                    let (address, to) = if for_any {
                        (Peer::ANY, To::Any)
                    } else if taker < self.items() {
                        (self.peer(taker), To::These(vec![taker]))
                    } else {
                        let bits = self.random.below(3);
                        (Peer::from_bits(bits * 0x7777_7777), To::These(Vec::new()))
                    };
                    let copies = self.random.below(1 + u64::from(COPIES)) as u32;
                    told.extend((0..copies).map(|copy| (to.clone(), (id(n), copy.into()))));
                    parcels.push(Parcel { sender: sender(n), copies, to: address, item });
                }
                let Way::Addresses(kernel) = &self.sources[0].way else { unreachable!("the first does") };
                kernel.send_batch_blocking(&parcels).unwrap();
            }
            1 => {
                let mut notes = Vec::new();
                for (n, &item) in numbers.clone().zip(&items) {
                    let name = self.below(NAMES.len());
                    let (takers, times) = (self.takers_of(name), self.random.below(4) as u32);
                    told.extend((0..times).map(|time| (To::These(takers.clone()), (id(n), time.into()))));
                    notes.push(Note { sender: sender(n), times, topic: Topic::of(NAMES[name]), item });
                }
                let Way::Topics(kernel, _) = &self.sources[1].way else { unreachable!("the second does") };
                kernel.send_batch_blocking(&notes).unwrap();
            }
            2 => {
                let link = self.model.sources[2].links.first().map(|link| link.taker);
                for n in numbers.clone() {
                    // As `sort_out` says: two numbers; the item; a mark, the item and a number; the same, and it fails.
                    self.sources[2].to_host += [2, 0, 2, 0][(n % 4) as usize];
                    let kept = [false, true, true, false][(n % 4) as usize];
                    match link {
                        Some(taker) if kept => told.push((To::These(vec![taker]), (id(n), 0))),
                        _ => self.sources[2].to_host += u64::from(kept),
                    }
                }
                let Way::Outbox(kernel) = &self.sources[2].way else { unreachable!("the third does") };
                kernel.send_batch_blocking(&items).unwrap();
            }
            _ => self.send_along(numbers, &mut told),
        }
        if self.fault == Some(Fault::AnotherOrder) && source == 0 && !self.is_planted {
            self.swap(&mut told);
        }
        told.into_iter().for_each(|(to, copy)| self.tell(source, to, copy));
    }

    /// Two outputs of one sender for one taker, in the other order.
    fn swap(&mut self, told: &mut [(To, Copy)]) {
        let key = |(to, copy): &(To, Copy)| match to {
            To::These(takers) => takers.first().map(|&taker| (taker, copy.0 % 4)),
            To::Any => None,
        };
        for one in 0..told.len() {
            let other = (one + 1..told.len())
                .find(|&other| key(&told[one]).is_some() && key(&told[one]) == key(&told[other]));
            if let Some(other) = other {
                told.swap(one, other);
                self.is_planted = true;
                return;
            }
        }
    }

    fn send_along(&mut self, numbers: Range<u64>, told: &mut Vec<(To, Copy)>) {
        let rows = self.items();
        let is_linked = !self.model.sources[3].links.is_empty();
        let mut orders = Vec::new();
        for n in numbers {
            let row = self.random.below(u64::from(ROWS) + 1) as u32;
            let from = if self.percent(30) { self.random.below(4) as u32 } else { 0 };
            let (times, fails) = (self.random.below(4) as u32, u32::from(self.percent(15)));
            orders.push(Order { sender: (n % 4) as u32, row, from, sequence: n as u32, times, fails });
            for time in (0..times).filter(|_| fails == 0) {
                let Some(entries) = self.rows.entries_of(row + time, from) else {
                    told.push((To::These(Vec::new()), (n, 0)));
                    continue;
                };
                let copy = |entry| (To::These(vec![rows]), (n, u64::from(time) << 32 | entry as u64));
                told.extend(entries.map(copy));
            }
        }
        let Way::Rows(kernel) = &self.sources[3].way else { unreachable!("the last does") };
        kernel.send_batch_blocking(&orders).unwrap();
        assert!(is_linked, "it is connected when it is launched");
    }
}
