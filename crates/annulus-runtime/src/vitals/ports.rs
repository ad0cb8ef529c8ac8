//! What a kernel with several outboxes shows of them: [`annulus_abi::vitals::ports`].

use std::mem::offset_of;

use annulus_abi::vitals::{
    field,
    ports::{MOST_PORTS, PortLink, ShardPorts},
};
use annulus_ring::memory::ShardMemory;
use annulus_sync::{AtomicU64, Ordering};

use super::Home;

const _: () = assert!(MOST_PORTS == annulus_kernel::MOST_PORTS, "a file has room for a kernel's outboxes");

impl Home {
    /// Says what its outboxes are called, or its places, which are shown later. Called while its entry is free.
    pub(super) fn describe_ports(&self, outboxes: &[String], are_places: bool) {
        for (number, name) in outboxes.iter().enumerate() {
            let name: [u8; 40] = field(name);
            for (i, word) in name.chunks_exact(8).enumerate() {
                let word = u64::from_ne_bytes(word.try_into().expect("a chunk has as many bytes as a word"));
                self.set_link(number, offset_of!(PortLink, name) + 8 * i, word);
            }
            self.show_port(number, !are_places);
        }
    }

    /// Says whether observers see an outbox, or a place.
    pub(crate) fn show_port(&self, number: usize, is_shown: bool) {
        self.set_link(number, offset_of!(PortLink, kernel), if is_shown { self.id() } else { 0 });
    }

    /// Says which kernel takes the outputs of an outbox, and whether they wait for room there.
    pub(crate) fn set_port_target(&self, number: usize, target: Option<(u64, bool)>) {
        let (id, waits) = target.unwrap_or((0, false));
        self.set_link(number, offset_of!(PortLink, waits), waits.into());
        self.set_link(number, offset_of!(PortLink, target), id);
    }

    fn set_link(&self, number: usize, offset: usize, value: u64) {
        if let Some(ports) = self.ports.filter(|_| number < MOST_PORTS) {
            let link = offset_of!(ShardPorts, links) + number * size_of::<PortLink>();
            self.port_word(ports + link + offset).store(value, Ordering::Relaxed);
        }
    }

    /// Copies the counts of a shard's outboxes.
    pub(super) fn mirror_ports(&self, words: &ShardMemory, copy: &ShardMemory) {
        if self.ports.is_none() {
            return;
        }
        for number in 0..MOST_PORTS {
            let (Some(from), Some(to)) = (words.port(number), copy.port(number)) else { return };
            let store = |from: &AtomicU64, to: &AtomicU64| {
                to.store(from.load(Ordering::Relaxed), Ordering::Relaxed);
            };
            store(from.forwarded(), to.forwarded());
            store(from.unforwarded(), to.unforwarded());
            store(from.held(), to.held());
        }
    }
}
