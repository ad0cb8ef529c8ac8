//! The reader of vitals files says what is there, and survives whatever else it is given.

use annulus_abi::{
    control::state,
    histogram,
    vitals::{
        At, CHANGING, KernelEntry, MAGIC, ShardVitals, VitalsHeader, phase,
        ports::{PortShard, ShardPorts},
        read::{Damage, KernelPlace, TypeLayout, Vitals, latencies},
    },
};

mod vitals_file;
use vitals_file::{HISTOGRAMS_AT, KERNELS, KERNELS_AT, PORTS_AT, SHARDS_AT, file, put, seal};

/// Everything that a reader can ask, so that a file that could make it panic does.
fn read_all(bytes: &[u8]) -> Result<usize, Damage> {
    let vitals = Vitals::new(bytes)?;
    let mut seen =
        vitals.device().len() + vitals.executable().len() + vitals.backend().len() + vitals.library().len();
    seen += usize::from(vitals.boot()[0]) + (vitals.pid() as usize & 1) + (vitals.started() as usize & 1);
    seen += vitals.bridges().map_or(0, |(begin, length)| (begin as usize ^ length) & 1);
    for kernel in vitals.kernels() {
        seen += kernel.name().len() + kernel.kernel().len() + kernel.message().len() + kernel.output().len();
        seen += kernel.errors().map(|(code, name)| usize::from(code) + name.len()).sum::<usize>();
        seen +=
            usize::from(kernel.message_layout().is_some()) + usize::from(kernel.output_layout().is_some());
        seen += kernel.memory().total() as usize & 1;
        seen += kernel.mode().len() + usize::from(kernel.target().is_some());
        seen += kernel.shards().map(|shard| shard.pending as usize & 1).sum::<usize>();
        seen += usize::from(vitals.place(&kernel).is_some());
        assert!(kernel.is_still_in(bytes), "nothing has changed");
        let begin = usize::try_from(vitals.shards_begin()).unwrap_or(usize::MAX);
        let shards = bytes.get(begin..).unwrap_or_default();
        assert!(kernel.shards_in(shards).eq(kernel.shards()), "the same shards, by themselves");
        assert!(kernel.shards_end() >= vitals.shards_begin());
        if let Some((offset, length)) = vitals.histograms(&kernel) {
            let end = usize::try_from(offset).unwrap_or(usize::MAX).saturating_add(length).min(bytes.len());
            seen += latencies(bytes.get(offset as usize..end).unwrap_or_default()).max().unwrap_or(0)
                as usize
                & 1;
        }
        let Some((offset, length)) = vitals.ports(&kernel) else { continue };
        let end = usize::try_from(offset).unwrap_or(usize::MAX).saturating_add(length).min(bytes.len());
        let ports = bytes.get(offset as usize..end).unwrap_or_default();
        for port in kernel.ports(ports) {
            seen += port.name().len() + usize::from(port.target().is_some());
            seen += port.shards().map(|shard| shard.held as usize & 1).sum::<usize>();
        }
    }
    Ok(seen)
}

#[test]
fn the_reader_finds_what_was_written() {
    let file = file();
    let vitals = Vitals::new(&file).expect("it is whole");
    assert_eq!((vitals.pid(), vitals.started(), vitals.clock_origin(), vitals.boot()), (4711, 5, 6, [7; 16]));
    assert_eq!((vitals.backend(), vitals.library(), vitals.executable()), ("cpu", "0.1.0", "/bin/detector"));
    assert_eq!(vitals.device(), "Tesla of Annulus");
    let kernels: Vec<_> = vitals.kernels().collect();
    assert_eq!(kernels.len(), 1, "the other entry is free");
    let kernel = kernels[0];
    assert_eq!((kernel.name(), kernel.kernel()), ("detect-1", "detect"));
    assert_eq!((kernel.message(), kernel.output()), ("Reading", "Alert"));
    assert_eq!((kernel.id(), kernel.launched_at(), kernel.target()), (3, 1000, Some((9, true))));
    assert_eq!((kernel.mode(), kernel.max_batch(), kernel.actors()), ("adaptive", 32, 10));
    assert_eq!(kernel.errors().collect::<Vec<_>>(), [(7, "Overdrawn"), (8, "Closed")]);
    assert_eq!(kernel.message_layout(), Some(TypeLayout { size: 8, align: 4, hash: 0xFEED }));
    assert_eq!(
        (kernel.output_layout(), kernel.memory().total(), kernel.memory().host),
        (None, 4896, 4896),
        "without an alignment nobody says"
    );
    assert_eq!((kernel.drops(), kernel.slow()), ([1, 2, 3, 4, 5, 6, 7], 8));
    let shards: Vec<_> = kernel.shards().collect();
    assert_eq!(shards.len(), 2);
    let shard = shards[1];
    assert_eq!((shard.state, shard.last_error, shard.processed), (state::ACTIVE, 7, 100));
    assert_eq!((shard.pending, shard.accepted, shard.outputs_waiting), (10, 130, 1));
    assert_eq!(shard.telemetry.expect("it is whole").messages_processed, 100);
    let at = At { phase: phase::IN_HANDLER, number: 88_123, key: 17, count: 3, ..At::default() };
    assert_eq!(shard.at, at);
    assert_eq!(shards[0].telemetry, None, "it was never written");
}

/// Each outbox with its name, where it leads, and what each shard has sent by it.
#[test]
fn the_reader_finds_outboxes() {
    let mut file = file();
    let first = PORTS_AT + size_of::<ShardPorts>();
    let read = |file: &[u8]| {
        let vitals = Vitals::new(file).unwrap();
        let kernel = vitals.kernels().next().unwrap();
        assert_eq!(vitals.ports(&kernel), Some((first as u64, 2 * size_of::<ShardPorts>())));
        let ports = kernel.ports(&file[first..]).map(|port| {
            (port.number(), port.name().to_owned(), port.target(), port.shards().collect::<Vec<_>>())
        });
        ports.collect::<Vec<_>>()
    };
    let ports = read(&file);
    let none = PortShard::default();
    assert_eq!(ports[0], (0, "good".into(), None, vec![none, none]));
    let sent = |sent, lost, held| PortShard { sent, held, lost };
    assert_eq!(ports[1], (1, "bad".into(), Some((4, true)), vec![sent(5, 1, 2), sent(7, 0, 0)]));
    // A link of an earlier launch.
    put(&mut file, first + 1024, 2);
    let names: Vec<_> = read(&file).into_iter().map(|(number, name, ..)| (number, name)).collect();
    assert_eq!(names, [(1, "bad".to_owned())]);
}

/// Where a kernel and its histograms are, and what the histograms say of all shards together.
#[test]
fn the_reader_finds_histograms() {
    let file = file();
    let vitals = Vitals::new(&file).unwrap();
    let kernel = vitals.kernels().next().unwrap();
    let (entry, shards) = (KERNELS_AT + size_of::<KernelEntry>(), SHARDS_AT + size_of::<ShardVitals>());
    let place = KernelPlace { entry: entry as u64, shards: shards as u64, grid: 2 };
    assert_eq!(vitals.place(&kernel), Some(place));
    let first = (HISTOGRAMS_AT + histogram::BYTES) as u64;
    assert_eq!(vitals.histograms(&kernel), Some((first, 2 * histogram::BYTES)));
    let mut counts = vec![0; 2 * histogram::BYTES];
    put(&mut counts, 8 * histogram::bucket(1000), 3);
    put(&mut counts, histogram::BYTES + 8 * histogram::bucket(1000), 4);
    let found: Vec<_> = latencies(&counts).enumerate().filter(|(_, count)| *count != 0).collect();
    assert_eq!(found, [(histogram::bucket(1000), 7)]);
    assert_eq!(latencies(&counts[..100]).sum::<u64>(), 0, "cut off");
}

#[test]
fn damage_has_its_reason() {
    let whole = file();
    assert_eq!(Vitals::new(&[]).unwrap_err(), Damage::Short);
    assert_eq!(Vitals::new(&[0x7F; 4096]).unwrap_err(), Damage::Foreign);
    let mut other = whole.clone();
    other[8] = 99;
    assert_eq!(Vitals::new(&other).unwrap_err(), Damage::Version(99));
    assert!(Damage::Version(99).to_string().contains("version 99"));
    let mut changed = whole.clone();
    changed[112] ^= 1;
    assert_eq!(Vitals::new(&changed).unwrap_err(), Damage::Header);
    let mut changed = whole;
    changed[KERNELS_AT + size_of::<KernelEntry>() + 200] ^= 1;
    assert_eq!(Vitals::new(&changed).unwrap().kernels().count(), 0, "its description was changed");
}

/// Counts and offsets that lie, with the right check: whoever wrote them may have been anybody.
#[test]
fn lies_with_a_right_check_lead_nowhere() {
    for (at, word) in [
        (16, u64::MAX),
        (24, u64::MAX - 7),
        (24, 3),
        (16, 1 << 40),
        (392, u64::MAX),
        (400, 1),
        (408, u64::MAX),
        (408, 8),
        (416, 1),
    ] {
        let mut file = file();
        put(&mut file, at, word);
        seal(&mut file, 0, size_of::<VitalsHeader>());
        read_all(&file).expect("its header is whole");
    }
    let mut file = file();
    let entry = KERNELS_AT + size_of::<KernelEntry>();
    put(&mut file, entry + 144, u64::from(u32::MAX) << 32 | 1);
    seal(&mut file, entry + CHANGING, entry + size_of::<KernelEntry>());
    let vitals = Vitals::new(&file).unwrap();
    let kernel = vitals.kernels().next().unwrap();
    assert_eq!(kernel.shards().count(), 2, "no more than the file has");
    assert_eq!(vitals.ports(&kernel), None, "it has no such shards");
    let mut file = self::file();
    put(&mut file, entry + 960, u64::MAX);
    seal(&mut file, entry + CHANGING, entry + size_of::<KernelEntry>());
    read_all(&file).expect("its header is whole");
}

/// Every length, and every bit.
#[test]
fn cut_off_and_flipped_files_are_survived() {
    let whole = file();
    let all = read_all(&whole).unwrap();
    for length in 0..whole.len() {
        let is_short = length < size_of::<VitalsHeader>();
        assert_eq!(read_all(&whole[..length]).err(), is_short.then_some(Damage::Short), "{length} bytes");
    }
    let mut flipped = whole.clone();
    for bit in 0..8 * whole.len() {
        flipped[bit / 8] ^= 1 << (bit % 8);
        let read = read_all(&flipped);
        flipped[bit / 8] ^= 1 << (bit % 8);
        let in_header = bit / 8 < size_of::<VitalsHeader>();
        assert_eq!(read.is_err(), in_header, "bit {bit}");
        assert!(read.unwrap_or(0) <= all + 1, "bit {bit}");
    }
}

/// Random bytes behind a header that is right, and random words anywhere.
#[test]
fn random_files_are_survived() {
    let mut seed = 0x5EED_u64;
    let mut random = move || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        seed >> 11
    };
    for _ in 0..20_000 {
        let mut file = file();
        for _ in 0..1 + random() % 6 {
            let at = random() as usize % (file.len() / 8) * 8;
            put(&mut file, at, if random() % 2 == 0 { random() } else { u64::MAX << (random() % 64) });
        }
        if random() % 2 == 0 {
            put(&mut file, 0, MAGIC);
            seal(&mut file, 0, size_of::<VitalsHeader>());
            for entry in 0..KERNELS {
                let entry = KERNELS_AT + entry * size_of::<KernelEntry>();
                seal(&mut file, entry + CHANGING, entry + size_of::<KernelEntry>());
            }
        }
        file.truncate(random() as usize % (file.len() + 1));
        let _ = read_all(&file);
    }
}
