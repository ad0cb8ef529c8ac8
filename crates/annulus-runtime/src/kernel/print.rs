//! Prints of handlers, as events of `tracing`.
//!
//! On the CPU a print becomes an event at once, on the thread of the handler. The worker that runs a block
//! says whose print it is ([`PrintOrigin::enter`]). A device puts its prints into a ring of the shard, and
//! whoever reports the shard's progress makes events of them here. Both ways give the same event; the same
//! code writes its text.
//!
//! A device does not wait if a print finds no room. It counts the print as lost, and the host reports how
//! many were lost.

use std::{
    cell::RefCell,
    fmt,
    sync::{Arc, Weak},
};

use annulus_abi::ring::kind;
use annulus_kernel::PrintSite;
use annulus_ring::ring::Consumer;
use annulus_sync::{Ordering, combining::CombiningLock, contain::contained};

use crate::backend::{HostSignals, LaunchSpec};
use annulus_ring::memory::ShardMemory;

/// The target of the events that [`device_print!`](crate::device_print) becomes.
pub const PRINT_TARGET: &str = "annulus::device";

/// Slots of a shard's ring of prints, and so the largest number of prints of a block in one turn. Source:
/// this project's choice; 64 KB if prints have up to seven arguments.
pub(crate) const RING_CAPACITY: u32 = 1024;

/// The origin of prints: a shard of a kernel.
#[derive(Clone, Debug)]
pub struct PrintOrigin {
    kernel: &'static str,
    /// The name that the kernel runs under, if it differs from the kernel's own name.
    instance: Option<String>,
    shard: u32,
    /// Whom a print is told that is made where the handler runs; the kernel may have gone.
    signals: Option<Weak<dyn HostSignals>>,
}

thread_local! {
    /// The shard that runs handlers on this thread.
    static ORIGIN: RefCell<Option<Arc<PrintOrigin>>> = const { RefCell::new(None) };
}

/// While this exists, prints on this thread belong to its origin.
#[derive(Debug)]
pub struct PrintScope {
    before: Option<Arc<PrintOrigin>>,
}

impl PrintOrigin {
    pub(crate) fn new(kernel: &'static str, name: &str, shard: u32) -> Self {
        Self { kernel, instance: (name != kernel).then(|| name.to_owned()), shard, signals: None }
    }

    /// From now on, prints on this thread belong to this origin.
    pub fn enter(self: &Arc<Self>) -> PrintScope {
        PrintScope { before: ORIGIN.replace(Some(Arc::clone(self))) }
    }
}

impl Drop for PrintScope {
    fn drop(&mut self) {
        ORIGIN.set(self.before.take());
    }
}

impl LaunchSpec {
    /// The origin of a shard's prints, for backends that make events where handlers run.
    pub fn print_origin(&self, shard: u32) -> Arc<PrintOrigin> {
        let origin = PrintOrigin::new(self.definition.name, &self.name, shard);
        Arc::new(PrintOrigin { signals: Some(Arc::downgrade(&self.signals)), ..origin })
    }
}

/// Prints on this thread: what [`device_print!`](crate::device_print) becomes on the CPU.
#[cold]
pub fn print(file: &str, line: u32, message: fmt::Arguments<'_>) {
    let origin = ORIGIN.with_borrow(Clone::clone);
    if let Some(origin) = &origin
        && let Some(signals) = origin.signals.as_ref().and_then(Weak::upgrade)
    {
        signals.printed(origin.shard, file, line);
    }
    emit(origin.as_deref(), file, line, message);
}

fn emit(origin: Option<&PrintOrigin>, file: &str, line: u32, message: fmt::Arguments<'_>) {
    tracing::info!(
        target: PRINT_TARGET,
        kernel = origin.map(|origin| origin.kernel),
        instance = origin.and_then(|origin| origin.instance.as_deref()),
        shard = origin.map(|origin| origin.shard),
        file,
        line,
        "{message}"
    );
}

/// The host's ends of a kernel's rings of prints.
pub(crate) struct Prints {
    sites: Vec<PrintSite>,
    ends: Box<[CombiningLock<End>]>,
}

struct End {
    origin: PrintOrigin,
    ring: Consumer,
    /// Lost prints that were already reported.
    told: u64,
}

impl Prints {
    /// For these print sites, with one ring for each shard, in order.
    pub(crate) fn new(
        sites: Vec<PrintSite>,
        kernel: &'static str,
        name: &str,
        rings: impl Iterator<Item = Consumer>,
    ) -> Self {
        let end = |(shard, ring)| {
            CombiningLock::new(End { origin: PrintOrigin::new(kernel, name, shard as u32), ring, told: 0 })
        };
        Self { sites, ends: rings.enumerate().map(end).collect() }
    }

    /// Makes events of what a shard has printed. One call makes at most as many events as the ring has slots,
    /// so a kernel that goes on printing holds nobody up.
    ///
    /// Events come in the order of the ring, since only one thread at a time makes them. The subscriber is
    /// code of the program. It may call the runtime, and so come here again. Then, as for a call from another
    /// thread, this returns at once, and the thread that makes events looks once more.
    ///
    /// `printed` is told the place of each print in its source.
    pub(crate) fn collect(&self, shard: usize, memory: &ShardMemory, printed: &dyn Fn(&PrintSite)) {
        self.ends[shard].run(|end| end.collect(&self.sites, memory, printed));
    }
}

impl End {
    fn collect(&mut self, sites: &[PrintSite], memory: &ShardMemory, printed: &dyn Fn(&PrintSite)) {
        // Read the count first: the prints that it counts were lost after those in the ring were printed. So
        // those in the ring are reported first.
        // SYNC: prints-lost (acquire)
        let lost = memory.prints_lost().load(Ordering::Acquire);
        for _ in 0..RING_CAPACITY {
            let Some((number, words)) = self.take(sites) else { break };
            let Some(site) = sites.get(number) else { continue };
            printed(site);
            // This thread may be the pump.
            contained(|| {
                emit(Some(&self.origin), site.file, site.line, format_args!("{}", site.message(&words)));
            });
        }
        if lost != self.told {
            let count = lost.wrapping_sub(self.told);
            self.told = lost;
            let PrintOrigin { kernel, instance, shard, .. } = &self.origin;
            contained(|| {
                tracing::warn!(
                    target: PRINT_TARGET,
                    kernel,
                    instance = instance.as_deref(),
                    shard,
                    lost = count,
                    "{count} prints found no room: a block prints {RING_CAPACITY} in a turn at most; print less, or take fewer \
                     messages in a turn (max_messages_per_iteration)"
                );
            });
        }
    }

    /// The next print: its number, and its arguments.
    fn take(&mut self, sites: &[PrintSite]) -> Option<(usize, Vec<u64>)> {
        let slot = self.ring.peek()?;
        let number = slot.length as usize;
        let mut words = Vec::new();
        if slot.kind == kind::PRINT
            && let Some(site) = sites.get(number)
        {
            let first = self.ring.payload(&slot).cast::<u64>();
            let room = self.ring.ring().layout().payload_size / 8;
            words.extend((0..site.words.min(room)).map(|index| {
                let word = first.wrapping_add(index);
                // SAFETY: the slot is published and not given back, so nobody writes it; the word lies in its
                // payload, which is aligned to 8, and any bits are a `u64`.
                unsafe { word.read() }
            }));
        }
        self.ring.advance(&slot);
        self.ring.give_back();
        Some((number, words))
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::{Debug, Write as _};

    use annulus_abi::{
        kernel::{KernelLayout, KernelShape},
        ring::Envelope,
    };
    use annulus_kernel::witness::{Witness, site};
    use annulus_ring::ring::{Header, SoleProducer};
    use annulus_sync::Mutex;
    use tracing::{
        Event, Metadata, Subscriber,
        field::{Field, Visit},
        span,
        subscriber::with_default,
    };

    use super::*;
    use annulus_ring::memory::SharedMemory;

    /// A subscriber that writes events down, each field as `name=value`. It panics at some.
    #[derive(Clone, Default)]
    struct Lines(Arc<Mutex<String>>);

    impl Lines {
        fn take(&self) -> String {
            std::mem::take(&mut *self.0.lock().unwrap())
        }
    }

    impl Subscriber for Lines {
        fn enabled(&self, _: &Metadata<'_>) -> bool {
            true
        }

        fn event(&self, event: &Event<'_>) {
            struct Line(String);
            impl Visit for Line {
                fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
                    write!(self.0, " {}={value:?}", field.name()).unwrap();
                }
            }
            let mut line = Line(event.metadata().level().to_string());
            event.record(&mut line);
            assert!(!line.0.contains("panic"), "told to");
            writeln!(self.0.lock().unwrap(), "{}", line.0).unwrap();
        }

        fn new_span(&self, _: &span::Attributes<'_>) -> span::Id {
            span::Id::from_u64(1)
        }

        fn record(&self, _: &span::Id, _: &span::Record<'_>) {}
        fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}
        fn enter(&self, _: &span::Id) {}
        fn exit(&self, _: &span::Id) {}
    }

    fn sites() -> Vec<PrintSite> {
        let two = Witness::<(u32, (f32, ()))>::new();
        let none = Witness::<()>::new();
        vec![
            site(&two, "some.rs", 3, |(a, (b, ())), f| write!(f, "{a} {b}")),
            site(&none, "other.rs", 5, |(), f| write!(f, "panic")),
        ]
    }

    /// A shard with a ring of prints, and the device's end of it.
    fn shard(capacity: u32) -> (ShardMemory, SoleProducer) {
        let layout = KernelLayout::new(&KernelShape {
            inbound_capacity: 16,
            outbound_capacity: 16,
            message: (8, 8),
            output: (0, 1),
            envelope: Envelope::default(),
            dead_letters_capacity: 0,
            prints_capacity: capacity,
            print_words: 2,
            histogram: false,
            ports: 0,
        });
        let memory = Arc::new(SharedMemory::host(layout.shard_bytes()).unwrap());
        let memory = ShardMemory::new(&memory, &layout, 0, None);
        // SAFETY: the ring's one producer; the test has its one consumer.
        let ring = unsafe { memory.prints() }.unwrap();
        // SAFETY: as above.
        (memory, unsafe { SoleProducer::new(ring) })
    }

    fn host(memory: &ShardMemory, name: &str) -> Prints {
        // SAFETY: the ring's one consumer.
        let ring = unsafe { memory.prints() }.unwrap();
        // SAFETY: as above.
        let ring = unsafe { Consumer::new(ring) };
        Prints::new(sites(), "kernel", name, std::iter::once(ring))
    }

    fn print(device: &mut SoleProducer, number: u32, words: [u64; 2]) {
        assert!(device.has_credit(1));
        // SAFETY: there is credit, and the ring's payloads are two words.
        unsafe { device.publish_copy(kind::PRINT, number, Header::default(), words.as_ptr().cast()) };
    }

    #[test]
    fn what_a_ring_holds_is_told_in_order() {
        let (memory, mut device) = shard(16);
        let host = host(&memory, "instance");
        let lines = Lines::default();
        with_default(lines.clone(), || {
            for lap in 0..3u64 {
                for a in 0..10 {
                    print(&mut device, 0, [lap << 32 | a, f32::to_bits(0.5).into()]);
                }
                host.collect(0, &memory, &|_| ());
            }
            host.collect(0, &memory, &|_| ());
        });
        let expected: String = (0..30)
            .map(|a| {
                format!(
                    "INFO message={} 0.5 kernel=\"kernel\" instance=\"instance\" shard=0 file=\"some.rs\" line=3\n",
                    a % 10
                )
            })
            .collect();
        assert_eq!(lines.take(), expected);
    }

    #[test]
    fn lost_prints_are_told_once() {
        let (memory, _device) = shard(16);
        let host = host(&memory, "kernel");
        let lines = Lines::default();
        with_default(lines.clone(), || {
            for lost in [0, 5, 5, 12] {
                memory.prints_lost().store(lost, Ordering::Relaxed);
                host.collect(0, &memory, &|_| ());
            }
        });
        let told = lines.take();
        let mut told = told.lines();
        for count in [5, 7] {
            let line = told.next().unwrap();
            assert!(line.starts_with(&format!("WARN message={count} prints found no room: ")), "{line}");
            // The kernel runs under its own name.
            assert!(line.ends_with(&format!(" kernel=\"kernel\" shard=0 lost={count}")), "{line}");
        }
        assert_eq!(told.next(), None);
    }

    #[test]
    fn a_subscriber_that_panics_misses_only_that() {
        let (memory, mut device) = shard(16);
        let host = host(&memory, "kernel");
        let lines = Lines::default();
        with_default(lines.clone(), || {
            print(&mut device, 1, [0; 2]);
            // A number that no print site has.
            print(&mut device, 9, [0; 2]);
            print(&mut device, 0, [1, 0]);
            host.collect(0, &memory, &|_| ());
        });
        assert_eq!(lines.take(), "INFO message=1 0 kernel=\"kernel\" shard=0 file=\"some.rs\" line=3\n");
    }

    #[test]
    fn a_print_comes_from_where_its_thread_is() {
        let lines = Lines::default();
        let origin = Arc::new(PrintOrigin::new("kernel", "instance", 3));
        with_default(lines.clone(), || {
            let number = 7;
            crate::device_print!("outside {number}");
            let scope = origin.enter();
            crate::device_print!("inside {}", number);
            drop(scope);
            crate::device_print!("outside again");
        });
        let told = lines.take();
        let told: Vec<&str> = told.lines().collect();
        let [outside, inside, again] = told[..] else { panic!("{told:?}") };
        assert!(outside.starts_with("INFO message=outside 7 file="), "{outside}");
        assert!(
            inside.starts_with("INFO message=inside 7 kernel=\"kernel\" instance=\"instance\" shard=3 file="),
            "{inside}"
        );
        assert!(again.starts_with("INFO message=outside again file="), "{again}");
    }
}
