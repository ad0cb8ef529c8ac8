//! What flows through the kernels of the soak.

use std::{
    sync::{Arc, Mutex},
    thread,
    time::Duration,
};

use annulus_kernel::Topic;
use annulus_runtime::TryRecvError;
use annulus_sync::{AtomicBool, AtomicU64, Ordering};

use super::{KEYS, LAYER, Layer, NAMES, SOURCES, Sources, Taker};
use crate::{
    bench::Random,
    kernels::{
        Item,
        peers::{COPIES, Parcel},
        ports::sort_out,
        topics::{Note, TIMES},
    },
};

/// Sends to all sources until it is over; the number of the source stands in the sequence's upper half.
pub(super) fn send(sources: &Sources, middle: &Mutex<Layer>, is_over: &AtomicBool, count: &AtomicU64) {
    let mut random = Random(17);
    let mut known = Vec::new();
    let mut next = 0_u64;
    while !is_over.load(Ordering::Relaxed) {
        // Addresses of the dead are used for a while, too.
        if next.is_multiple_of(4) {
            known = middle.lock().unwrap().running().map(|taker| taker.kernel.peer()).collect();
        }
        let which = random.below(SOURCES as u64) as usize;
        let mut item = |kind: usize| {
            next += 1;
            let source = (kind * SOURCES + which) as u64;
            Item { key: random.below(KEYS) as u32, producer: 0, sequence: source << 32 | next }
        };
        let [note, parcel, sorted] = [item(0), item(1), item(2)];
        let sender = |item: &Item| (item.sequence % 4) as u32;
        let topic = Topic::of(NAMES[random.below(NAMES.len() as u64) as usize]);
        let times = random.below(1 + u64::from(TIMES)) as u32;
        let note = Note { sender: sender(&note), times, topic, item: note };
        let to = known[random.below(LAYER as u64) as usize];
        let copies = random.below(1 + u64::from(COPIES)) as u32;
        let parcel = Parcel { sender: sender(&parcel), copies, to, item: parcel };
        // A source that is full, or inactive, gets its message later or never: it counts what it has taken.
        let limit = Duration::from_millis(1);
        let sent = [
            sources.tells[which].send_timeout(note, limit).is_ok(),
            sources.carries[which].send_timeout(parcel, limit).is_ok(),
            sources.sorts[which].send_timeout(sorted, limit).is_ok(),
        ];
        let _ = count.fetch_add(sent.into_iter().map(u64::from).sum(), Ordering::Relaxed);
    }
}

/// Sets it at the end.
pub(super) struct Raise<'a>(pub(super) &'a AtomicBool);

impl Drop for Raise<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
}

/// Receives whatever comes to the host, until it is over and nothing is left. With `loses_one` it throws one item away.
pub(super) fn receive(
    sources: &Sources,
    layers: [&Mutex<Layer>; 2],
    is_over: &AtomicBool,
    numbers: &AtomicU64,
    loses_one: &AtomicBool,
) {
    let mut items = Vec::new();
    loop {
        let was_over = is_over.load(Ordering::Acquire);
        let [middle, last] = layers.map(|layer| {
            let layer = layer.lock().unwrap();
            let open = layer.all().filter(|taker| !taker.is_empty.load(Ordering::Relaxed));
            open.cloned().collect::<Vec<Arc<Taker>>>()
        });
        let mut any = false;
        for (index, taker) in middle.iter().chain(&last).enumerate() {
            let is_middle = index < middle.len();
            let mut came = taker.came.lock().unwrap();
            loop {
                match taker.kernel.try_recv_batch(&mut items, 64) {
                    Ok(_) => any = true,
                    Err(error) => {
                        taker.is_empty.store(error == TryRecvError::Closed, Ordering::Relaxed);
                        break;
                    }
                }
                if !items.is_empty() && loses_one.swap(false, Ordering::Relaxed) {
                    let _ = items.pop();
                }
                came.count += items.len() as u64;
                // From several kernels copies of one message come to the last ones, and those that were held to the
                // host.
                if is_middle && !taker.linked.load(Ordering::Relaxed) {
                    items.iter().for_each(|item| came.next(item));
                }
                items.clear();
            }
        }
        for kernel in &sources.sorts {
            let mut count = 0;
            while kernel.port(sort_out::NUMBERS).try_recv().is_ok() {
                count += 1;
            }
            while kernel.port(sort_out::MARKS).try_recv().is_ok() {
                count += 1;
            }
            let _ = numbers.fetch_add(count, Ordering::Relaxed);
            any |= count != 0;
        }
        if !any {
            if was_over {
                return;
            }
            thread::sleep(Duration::from_micros(200));
        }
    }
}
