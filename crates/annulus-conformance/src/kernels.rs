//! The kernels that the cases launch.
#![allow(clippy::disallowed_types)] // A handler's shared counters are the user's data, not a protocol of ours.
#![allow(missing_docs)] // Message fields say what they are by their names.

pub mod asks;
pub mod balance;
pub mod barriers;
pub mod bodies;
pub mod bridged;
pub mod checks;
pub mod chosen;
pub mod codes;
pub mod compared;
pub mod constructs;
pub mod corners;
pub mod edges;
pub mod events;
pub mod everyday;
pub mod items;
pub mod lent;
pub mod links;
pub mod lists;
pub mod more_closures;
pub mod more_values;
pub mod names;
pub mod no_place;
pub mod numbers;
pub mod order;
pub mod ordered;
pub mod own;
pub mod own_edges;
pub mod parsing;
pub mod peers;
pub mod policies;
pub mod ports;
pub mod prints;
pub mod queues;
pub mod real;
pub mod replied;
pub mod resilience;
pub mod rounds;
pub mod rows;
pub mod shared;
pub mod sizes;
pub mod slots;
pub mod sorted;
pub mod sparse;
pub mod spelling;
pub mod stamps;
pub mod through;
pub mod timers;
pub mod times;
pub mod together;
pub mod topics;
pub mod traits;
pub mod values;
pub mod variants;
pub mod warps;
pub mod wrapping;

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use annulus_kernel::{KernelDefinition, RingKernel};
use annulus_macros::{DeviceType, RingMessage, ring_kernel};
use annulus_runtime::prelude::{Failure, Outbox};

/// A message without a key.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(C)]
pub struct Number {
    pub value: u64,
}

/// A message for an actor.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Item {
    #[ring(key)]
    pub key: u32,
    pub producer: u32,
    pub sequence: u64,
}

/// What [`track`](struct@track) answers: the item, and which of its actor's it was.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Tracked {
    pub key: u32,
    pub producer: u32,
    pub sequence: u64,
    pub count: u64,
}

#[derive(DeviceType, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Total {
    pub sum: u64,
}

pub(crate) fn number(value: u64) -> Number {
    Number { value }
}

pub(crate) fn numbers(values: std::ops::Range<u64>) -> Vec<Number> {
    values.map(number).collect()
}

/// Answers each message with itself.
#[ring_kernel]
pub fn echo(message: &Number, replies: &Outbox<Number>) {
    replies.send(*message);
}

/// [`echo`](struct@echo) in batches.
#[ring_kernel(mode = Batch, max_messages_per_iteration = 64)]
pub fn batch_echo(message: &Number, replies: &Outbox<Number>) {
    replies.send(*message);
}

/// That something is done.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Done {}

/// Says of each message that it is done, which takes no bytes.
#[ring_kernel(mode = Batch, max_messages_per_iteration = 64)]
pub fn does(message: &Number, replies: &Outbox<Done>) {
    if message.value != 0 {
        replies.send(Done {});
    }
}

/// Takes messages and answers nothing.
#[ring_kernel(mode = Batch)]
pub fn swallow(message: &Number) {
    let _ = message;
}

/// Keeps a sum for the whole kernel, and answers with it.
#[ring_kernel(mode = Adaptive)]
pub fn total(message: &Number, total: &mut Total, replies: &Outbox<Number>) {
    total.sum += message.value;
    replies.send(Number { value: total.sum });
}

/// Counts each actor's messages.
#[ring_kernel(mode = Adaptive, max_messages_per_iteration = 32)]
pub fn track(item: &Item, count: &mut Total, replies: &Outbox<Tracked>) {
    count.sum += 1;
    replies.send(Tracked {
        key: item.key,
        producer: item.producer,
        sequence: item.sequence,
        count: count.sum,
    });
}

/// Counts each actor's messages, and in a table that all share those of each sequence.
#[ring_kernel]
pub fn visits_of(item: &Item, count: &mut Total, bins: &[AtomicU32]) {
    count.sum += 1;
    bins[item.sequence as usize % bins.len()].fetch_add(1, Ordering::Relaxed);
}

/// Answers odd numbers only.
#[ring_kernel]
pub fn odd(message: &Number, replies: &Outbox<Number>) {
    if message.value % 2 == 1 {
        replies.send(*message);
    }
}

/// Sends as many messages as the number says, of the four that it may.
#[ring_kernel(mode = Batch, max_messages_per_iteration = 16, max_outputs = 4)]
pub fn fan(message: &Number, sum: &mut Total, replies: &Outbox<Number>) {
    sum.sum += 1;
    let mut i = 0;
    while i < message.value {
        replies.send(Number { value: sum.sum * 100 + i });
        i += 1;
    }
}

/// What [`fragile`](struct@fragile) fails with.
pub const TEAPOT: u16 = 418;
/// Makes [`fragile`](struct@fragile) fail after it has changed its state and sent.
pub const FAIL: u64 = u64::MAX;
/// Makes [`fragile`](struct@fragile) panic after it has changed its state and sent.
pub const PANIC: u64 = u64::MAX - 1;
/// Makes [`fragile`](struct@fragile) take an element that is not there, after it has changed its state and sent.
pub const INDEX: u64 = u64::MAX - 2;
/// Makes [`fragile`](struct@fragile) divide by zero, after it has changed its state and sent.
pub const DIVIDE: u64 = u64::MAX - 3;

/// Keeps a sum, and fails when it is told to.
#[ring_kernel(mode = Batch, max_outputs = 2)]
pub fn fragile(message: &Number, total: &mut Total, replies: &Outbox<Number>) -> Result<(), Failure> {
    total.sum = total.sum.wrapping_add(message.value);
    replies.send(Number { value: total.sum });
    if message.value == FAIL {
        return Err(Failure::of(TEAPOT));
    }
    if message.value == PANIC {
        panic!("told to");
    }
    if message.value == INDEX {
        let powers = [1, 10, 100];
        total.sum += powers[message.value as usize];
    }
    if message.value == DIVIDE {
        total.sum /= message.value - DIVIDE;
    }
    Ok(())
}

/// A message that can be recognised.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Job {
    #[ring(id)]
    pub id: u64,
    pub place: u32,
    pub failures: u32,
}

/// Fails as often as the job says, counting in the job's place, and then answers with the job.
#[ring_kernel]
pub fn flaky(job: &Job, tries: &[AtomicU32], replies: &Outbox<Job>) -> Result<(), Failure> {
    let before = tries[job.place as usize].fetch_add(1, Ordering::Relaxed);
    if before < job.failures {
        return Err(Failure::of(TEAPOT));
    }
    replies.send(*job);
    Ok(())
}

/// Without state of its own: answers with every item that comes after a later one of its key.
#[ring_kernel(mode = Batch, max_messages_per_iteration = 64)]
pub fn misplaced(item: &Item, last: &[AtomicU64], replies: &Outbox<Item>) {
    let before = last[item.key as usize].swap(item.sequence + 1, Ordering::Relaxed);
    if before != item.sequence {
        replies.send(*item);
    }
}

/// The most blocks of [`march`](struct@march), one for each key.
pub const MARCHERS: usize = 4;

/// What a handler of [`march`](struct@march) saw.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Marched {
    pub key: u32,
    /// Whether the block's own place changed by itself.
    pub strayed: u32,
    /// How many messages each block had had before it, by the block's first and second look.
    pub first: [u32; MARCHERS],
    pub second: [u32; MARCHERS],
}

/// Counts each block's messages in a table that all share, and tells what it sees of the others before it has written and after.
#[ring_kernel]
pub fn march(item: &Item, counts: &[AtomicU32], replies: &Outbox<Marched>) {
    let key = item.key as usize;
    let mut first = [0; MARCHERS];
    let mut second = [0; MARCHERS];
    for other in 0..MARCHERS {
        first[other] = counts[other].load(Ordering::Relaxed);
    }
    let own = counts[key].swap(first[key] + 1, Ordering::Relaxed);
    for other in 0..MARCHERS {
        second[other] = counts[other].load(Ordering::Relaxed);
    }
    let strayed = u32::from(own != first[key] || second[key] != own + 1);
    replies.send(Marched { key: item.key, strayed, first, second });
}

/// Launch parameters of [`scale`](struct@scale).
#[derive(DeviceType, Clone, Copy, Debug)]
#[repr(C)]
pub struct Scale {
    pub factor: u64,
    pub offset: u64,
}

/// Looks a number up in a table, scales it, and counts lookups per entry.
#[ring_kernel]
pub fn scale(message: &Number, scale: &Scale, table: &[u64], uses: &[AtomicU32], replies: &Outbox<Number>) {
    let index = message.value as usize % table.len();
    let before = uses[index].fetch_add(1, Ordering::Relaxed);
    replies
        .send(Number { value: table[index] * scale.factor + scale.offset + u64::from(before) * 1_000_000 });
}

/// Swaps numbers with the kernel's own memory.
#[ring_kernel(mode = Batch)]
pub fn exchange(message: &Number, memory: &mut [u64], replies: &Outbox<Number>) {
    let index = message.value as usize % memory.len();
    let old = memory[index];
    memory[index] = message.value;
    replies.send(Number { value: old });
}

/// The producers that [`audit`](struct@audit) tells apart.
pub const PRODUCERS: usize = 4;
/// The producer number that asks [`audit`](struct@audit) for its account.
pub const REPORT: u32 = u32::MAX;

/// What an actor of [`audit`](struct@audit) saw of each producer.
#[derive(DeviceType, Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct Ledger {
    pub received: [u64; PRODUCERS],
    pub last: [u64; PRODUCERS],
    pub checksum: u64,
    pub misordered: u64,
    pub gaps: u64,
}

/// An actor's account.
#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(C)]
pub struct Account {
    pub received: [u64; PRODUCERS],
    pub checksum: u64,
    pub misordered: u64,
    /// Steps between neighbours of one producer that were not the step that all have.
    pub gaps: u64,
}

/// Checks that each producer's items come in order, that none is missing between two (an actor's items are `step` apart), and
/// sums up their contents.
#[ring_kernel(mode = Batch, max_messages_per_iteration = 256)]
pub fn audit(item: &Item, ledger: &mut Ledger, step: &u64, replies: &Outbox<Account>) {
    if item.producer == REPORT {
        replies.send(Account {
            received: ledger.received,
            checksum: ledger.checksum,
            misordered: ledger.misordered,
            gaps: ledger.gaps,
        });
        return;
    }
    let producer = item.producer as usize;
    let first = ledger.received[producer] == 0;
    if !first && item.sequence <= ledger.last[producer] {
        ledger.misordered += 1;
    }
    let expected = if first { u64::from(item.key) } else { ledger.last[producer] + *step };
    if item.sequence != expected {
        ledger.gaps += 1;
    }
    ledger.last[producer] = item.sequence;
    ledger.received[producer] += 1;
    // `mix`, written out: a device calls no functions.
    let mixed = item.sequence ^ (u64::from(item.producer) << 56);
    let mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    ledger.checksum = ledger.checksum.wrapping_add(mixed ^ (mixed >> 31));
}

/// SplitMix64's finalizer: any change of the input changes about half of the output's bits.
pub fn mix(value: u64) -> u64 {
    let value = (value ^ (value >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    value ^ (value >> 31)
}

/// The kernels above that take any message: all but [`fan`](struct@fan), which may loop for ever.
pub const SUITE: &[&KernelDefinition] = &[
    echo::DEFINITION,
    does::DEFINITION,
    swallow::DEFINITION,
    total::DEFINITION,
    track::DEFINITION,
    odd::DEFINITION,
    fragile::DEFINITION,
    march::DEFINITION,
    scale::DEFINITION,
    exchange::DEFINITION,
    audit::DEFINITION,
];

/// Every type of integer.
pub const INTEGERS: &[&KernelDefinition] = {
    use numbers::*;
    &[
        u8_numbers::DEFINITION,
        u8_divides::DEFINITION,
        u8_converts::DEFINITION,
        u16_numbers::DEFINITION,
        u16_divides::DEFINITION,
        u16_converts::DEFINITION,
        u32_numbers::DEFINITION,
        u32_divides::DEFINITION,
        u32_converts::DEFINITION,
        u64_numbers::DEFINITION,
        u64_divides::DEFINITION,
        u64_converts::DEFINITION,
        i8_numbers::DEFINITION,
        i8_divides::DEFINITION,
        i8_converts::DEFINITION,
        i16_numbers::DEFINITION,
        i16_divides::DEFINITION,
        i16_converts::DEFINITION,
        i16_signs::DEFINITION,
        i32_numbers::DEFINITION,
        i32_divides::DEFINITION,
        i32_converts::DEFINITION,
        i32_signs::DEFINITION,
        i64_numbers::DEFINITION,
        i64_divides::DEFINITION,
        i64_converts::DEFINITION,
        i64_signs::DEFINITION,
    ]
};

/// Floats, where every target gives the same bits.
pub const FLOATS: &[&KernelDefinition] = {
    use numbers::*;
    &[f32_numbers::DEFINITION, f64_numbers::DEFINITION]
};

/// Floats, where a target's functions have errors of their own.
pub const FUNCTIONS: &[&KernelDefinition] = {
    use numbers::*;
    &[f32_functions::DEFINITION, f64_functions::DEFINITION]
};

/// Every construct of the language.
pub const CONSTRUCTS: &[&KernelDefinition] = {
    use constructs::*;
    &[
        orders::DEFINITION,
        loops::DEFINITION,
        numbers_matched::DEFINITION,
        commands::DEFINITION,
        places::DEFINITION,
        failures::DEFINITION,
        bindings::DEFINITION,
        atomics::DEFINITION,
        names::DEFINITION,
        order::fenced::DEFINITION,
    ]
};

/// Constructs inside one another.
pub const CORNERS: &[&KernelDefinition] = {
    use corners::*;
    &[
        nested_values::DEFINITION,
        machine::DEFINITION,
        ends_of_ranges::DEFINITION,
        steps::DEFINITION,
        checks_that_hold::DEFINITION,
    ]
};

/// Values and places, variables and operators that could be mistaken for others.
pub const EDGES: &[&KernelDefinition] = {
    use edges::*;
    &[
        calls_on_the_left::DEFINITION,
        references_out_of_branches::DEFINITION,
        references_out_of_enums::DEFINITION,
        blocks_copy::DEFINITION,
        variables_stay_apart::DEFINITION,
        shared_references::DEFINITION,
        capitals::DEFINITION,
        spelling::spelled::DEFINITION,
        inside_results::DEFINITION,
        guards_that_return::DEFINITION,
        bits_and_references::DEFINITION,
        known_operands::DEFINITION,
        nested_branch_values::DEFINITION,
        labels_as_values::DEFINITION,
        functions_of_f32_nan::DEFINITION,
        functions_of_f64_nan::DEFINITION,
    ]
};

/// Options, results and tuples.
pub const VALUES: &[&KernelDefinition] = {
    use values::*;
    &[
        options::DEFINITION,
        orders_of_options::DEFINITION,
        results::DEFINITION,
        tuples::DEFINITION,
        unwraps::DEFINITION,
        equal::DEFINITION,
        chains::DEFINITION,
        popped::DEFINITION,
        chosen::choose_mutable::DEFINITION,
        chosen::choose_slices::DEFINITION,
        compared::equal_values::DEFINITION,
        compared::equal_references::DEFINITION,
        compared::tried::DEFINITION,
        ordered::order_values::DEFINITION,
        ordered::order_methods::DEFINITION,
        traits::traits::DEFINITION,
        lent::lent_operators::DEFINITION,
        sizes::sizes_in_memory::DEFINITION,
        sizes::bound_sizes::DEFINITION,
        lists::list_changes::DEFINITION,
        lists::list_reads::DEFINITION,
        codes::named_errors::DEFINITION,
        everyday::copies::DEFINITION,
        everyday::asked_ranges::DEFINITION,
        everyday::joined_items::DEFINITION,
        parsing::take_apart::DEFINITION,
        everyday::own_gates::DEFINITION,
        everyday::turned_slices::DEFINITION,
        everyday::filled_options::DEFINITION,
        everyday::made_arrays::DEFINITION,
        slots::add_to_4::DEFINITION,
        slots::add_to_9::DEFINITION,
        slots::add_to_10::DEFINITION,
        slots::add_to_30::DEFINITION,
        slots::add_to_40::DEFINITION,
        slots::add_to_41::DEFINITION,
        slots::add_to_42::DEFINITION,
        slots::add_to_43::DEFINITION,
        slots::scatter::DEFINITION,
        slots::gather::DEFINITION,
    ]
};

/// Loops over elements, parts of slices, and labels.
pub const ITEMS: &[&KernelDefinition] = {
    use items::*;
    &[
        elements::DEFINITION,
        adapters::DEFINITION,
        slices::DEFINITION,
        slices_changed::DEFINITION,
        bound_slices::DEFINITION,
        labels::DEFINITION,
        taken_apart::DEFINITION,
    ]
};

/// Every type of integer: where it overflows, its bits and its bytes.
pub const CHECKS: &[&KernelDefinition] = {
    use checks::*;
    &[
        u8_checks::DEFINITION,
        u8_wraps::DEFINITION,
        u8_bits::DEFINITION,
        u8_powers::DEFINITION,
        u16_checks::DEFINITION,
        u16_wraps::DEFINITION,
        u16_bits::DEFINITION,
        u16_powers::DEFINITION,
        u32_checks::DEFINITION,
        u32_wraps::DEFINITION,
        u32_bits::DEFINITION,
        u32_powers::DEFINITION,
        u64_checks::DEFINITION,
        u64_wraps::DEFINITION,
        u64_bits::DEFINITION,
        u64_powers::DEFINITION,
        i8_checks::DEFINITION,
        i8_wraps::DEFINITION,
        i8_bits::DEFINITION,
        i8_magnitudes::DEFINITION,
        i16_checks::DEFINITION,
        i16_wraps::DEFINITION,
        i16_bits::DEFINITION,
        i16_magnitudes::DEFINITION,
        i32_checks::DEFINITION,
        i32_wraps::DEFINITION,
        i32_bits::DEFINITION,
        i32_magnitudes::DEFINITION,
        i64_checks::DEFINITION,
        i64_wraps::DEFINITION,
        i64_bits::DEFINITION,
        i64_magnitudes::DEFINITION,
        sizes_checked::DEFINITION,
    ]
};

/// Kernels that call functions of their own.
pub const OWN: &[&KernelDefinition] = {
    use own::*;
    &[
        spaces::DEFINITION,
        orders_of_arguments::DEFINITION,
        fails_inside::DEFINITION,
        methods::DEFINITION,
        generic::DEFINITION,
        effects::DEFINITION,
        whole::DEFINITION,
    ]
};

/// The same, with calls and parameters in every place and form.
pub const OWN_EDGES: &[&KernelDefinition] = {
    use own_edges::*;
    &[everywhere::DEFINITION, deep::DEFINITION, chains::DEFINITION, shapes::DEFINITION, parts::DEFINITION]
};

/// What takes no place, and places of what nobody named.
pub const NO_PLACE: &[&KernelDefinition] = {
    use no_place::*;
    &[nothing::DEFINITION, temporaries::DEFINITION]
};

/// Names that could be taken for others, and enums with an alignment.
pub const NAMES: &[&KernelDefinition] = {
    use names::*;
    &[
        standard_names::DEFINITION,
        names_of_macros::DEFINITION,
        labels_of_macros::DEFINITION,
        aligned_enums::DEFINITION,
        long_chain::DEFINITION,
    ]
};

/// Kernels of real kinds.
pub const REAL: &[&KernelDefinition] = {
    use real::*;
    &[
        detect::DEFINITION,
        histogram::DEFINITION,
        moving_average::DEFINITION,
        fir::DEFINITION,
        fading::DEFINITION,
        median::DEFINITION,
        quantile::DEFINITION,
        sessions::DEFINITION,
        bloom::DEFINITION,
        least_recent::DEFINITION,
        count_min::DEFINITION,
        distinct::DEFINITION,
        reservoir::DEFINITION,
        heavy_hitters::DEFINITION,
        top_ten::DEFINITION,
        replay_window::DEFINITION,
        crc32::DEFINITION,
        sha256::DEFINITION,
        sip_hash::DEFINITION,
        cha_cha::DEFINITION,
        run_length::DEFINITION,
        base64_encode::DEFINITION,
        base64_decode::DEFINITION,
        varints::DEFINITION,
        lz4::DEFINITION,
        huffman::DEFINITION,
        reed_solomon::DEFINITION,
        utf8::DEFINITION,
        json_number::DEFINITION,
        levenshtein::DEFINITION,
        smith_waterman::DEFINITION,
        biquad::DEFINITION,
        kalman::DEFINITION,
        fft::DEFINITION,
        conway::DEFINITION,
        sobel::DEFINITION,
        convolution::DEFINITION,
        order_book::DEFINITION,
        bars::DEFINITION,
        matching::DEFINITION,
        black_scholes::DEFINITION,
        transfer::DEFINITION,
        inventory::DEFINITION,
        token_bucket::DEFINITION,
        connections::DEFINITION,
        first_fit::DEFINITION,
        k_means::DEFINITION,
        neural_net::DEFINITION,
        boosted_trees::DEFINITION,
        logistic::DEFINITION,
        matrix_vector::DEFINITION,
        union_find::DEFINITION,
        page_rank::DEFINITION,
        frontier::DEFINITION,
        hash_join::DEFINITION,
        trace::DEFINITION,
        n_body::DEFINITION,
        cell_lists::DEFINITION,
        monte_carlo::DEFINITION,
        geofence::DEFINITION,
        haversine::DEFINITION,
        longest_prefix::DEFINITION,
    ]
};
