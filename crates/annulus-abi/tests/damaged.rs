//! What is wrong with a vitals file is counted, and what its owner changes at the same moment is not.

use annulus_abi::vitals::{
    CHANGING, KernelEntry, RequestPage, ShardVitals, VitalsHeader, kernel_state, ports::ShardPorts,
    read::Vitals,
};

mod vitals_file;
use vitals_file::{KERNELS_AT, PORTS_AT, SHARDS, SHARDS_AT, file, put, seal};

/// The entry that is used.
const ENTRY: usize = KERNELS_AT + size_of::<KernelEntry>();

/// What is damaged of two looks at the file of an owner that lives.
fn damaged(file: &[u8], again: &[u8]) -> usize {
    Vitals::new(file).expect("its header is whole").damaged(Some(again))
}

/// What is damaged of the file of an owner that is dead.
fn left_damaged(file: &[u8]) -> usize {
    Vitals::new(file).expect("its header is whole").damaged(None)
}

/// Each bit of an entry that says it is used: those under the check, and those of the state, but the one which says that
/// nobody uses it.
#[test]
fn each_bit_of_a_used_entry_is_watched() {
    let whole = file();
    assert_eq!(damaged(&whole, &whole), 0);
    for bit in 0..8 * size_of::<KernelEntry>() {
        let mut flipped = whole.clone();
        flipped[ENTRY + bit / 8] ^= 1 << (bit % 8);
        let is_state = bit < 32;
        // LAUNCHED becomes FREE by the first bit. With the second one alone it would be ENDED; both are no state.
        let expected = if is_state { bit != 0 } else { bit / 8 >= CHANGING };
        assert_eq!(damaged(&flipped, &flipped), usize::from(expected), "bit {bit}");
        assert_eq!(left_damaged(&flipped), usize::from(expected), "bit {bit}");
    }
    // The other entry, which says that nobody has it, whatever else it says.
    let mut other = whole.clone();
    other[KERNELS_AT + 8..ENTRY].fill(0xFF);
    assert_eq!(damaged(&other, &other), 0);
    other[KERNELS_AT] = 0x7F;
    assert_eq!(damaged(&other, &other), 1);
    // The number of no launch: an owner that lives may be about to describe a kernel there.
    put(&mut other, KERNELS_AT + CHANGING, 0);
    assert_eq!((damaged(&other, &other), left_damaged(&other)), (0, 1));
    put(&mut other, KERNELS_AT + CHANGING, 5);
    other[ENTRY..SHARDS_AT].fill(0xFF);
    assert_eq!(damaged(&other, &other), 2);
}

/// Shards that the file does not have, by an entry with a right check.
#[test]
fn shards_that_are_none_are_damage() {
    let mut lies = file();
    put(&mut lies, ENTRY + 144, 2 | 2 << 32);
    seal(&mut lies, ENTRY + CHANGING, ENTRY + size_of::<KernelEntry>());
    assert_eq!(damaged(&lies, &lies), 1);
    assert_eq!(Vitals::new(&lies).unwrap().kernels().count(), 1, "what it says is shown");
}

/// The steps by which an owner gives an entry to another kernel, word by word. A copy made in the middle of them may have
/// any words of before beside any words of later; the next copy does not have the same ones, so nothing is called damage.
#[test]
fn what_the_owner_changes_is_no_damage() {
    let before = file();
    // The same as the runtime does: free, zeros, description, launched.
    let mut after = before.clone();
    put(&mut after, ENTRY + CHANGING, 4);
    after[ENTRY + 192..ENTRY + 200].copy_from_slice(b"another\0");
    seal(&mut after, ENTRY + CHANGING, ENTRY + size_of::<KernelEntry>());
    let mut moments = vec![before.clone()];
    let step = |at: usize, word: &[u8], moments: &mut Vec<Vec<u8>>| {
        let mut next = moments.last().expect("there is one").clone();
        next[at..at + 8].copy_from_slice(word);
        moments.push(next);
    };
    step(ENTRY, &u64::from(kernel_state::FREE).to_ne_bytes(), &mut moments);
    for at in (ENTRY + 8..SHARDS_AT).step_by(8) {
        step(at, &[0; 8], &mut moments);
    }
    for at in (ENTRY + 8..SHARDS_AT).step_by(8) {
        step(at, &after[at..at + 8], &mut moments);
    }
    step(ENTRY, &u64::from(kernel_state::LAUNCHED).to_ne_bytes(), &mut moments);
    // No moment by itself is damaged.
    for moment in &moments {
        assert_eq!(damaged(moment, moment), 0);
    }
    // A copy of two moments, the state from the earlier or from the later one. What is read next is a moment, or a mixture
    // with a later one.
    let all = moments.len();
    for (first, second) in (0..all).step_by(7).flat_map(|a| (a..all).step_by(5).map(move |b| (a, b))) {
        for cut in [ENTRY + 8, ENTRY + CHANGING + 8, ENTRY + 200, SHARDS_AT - 8] {
            let mixed = |one: &[u8], two: &[u8]| [&one[..cut], &two[cut..]].concat();
            for torn in [mixed(&moments[first], &moments[second]), mixed(&moments[second], &moments[first])] {
                assert_eq!(damaged(&torn, &moments[second]), 0, "{first} {second} {cut}");
                assert_eq!(
                    damaged(&torn, moments.last().expect("there is one")),
                    0,
                    "{first} {second} {cut}"
                );
            }
        }
    }
}

/// How long a file is by its header, and a directory of which the end is missing.
#[test]
fn a_file_that_was_cut_off_is_shorter_than_it_says() {
    let whole = file();
    let vitals = Vitals::new(&whole).unwrap();
    let histograms = (1 << 20) + SHARDS * annulus_abi::histogram::BYTES;
    assert_eq!(vitals.promised(), histograms as u64);
    let without = |parts: &[usize]| {
        let mut file = file();
        parts.iter().for_each(|at| put(&mut file, *at, 0));
        seal(&mut file, 0, size_of::<VitalsHeader>());
        Vitals::new(&file).unwrap().promised() as usize
    };
    assert_eq!(without(&[408]), PORTS_AT + SHARDS * size_of::<ShardPorts>());
    assert_eq!(without(&[408, 392]), 8192 + size_of::<RequestPage>());
    assert_eq!(without(&[408, 384, 392]), SHARDS_AT + SHARDS * size_of::<ShardVitals>());
    let mut endless = file();
    put(&mut endless, 408, u64::MAX - 5);
    seal(&mut endless, 0, size_of::<VitalsHeader>());
    assert_eq!(Vitals::new(&endless).unwrap().promised(), u64::MAX, "and no overflow");
    for length in 512..whole.len() {
        assert_eq!(damaged(&whole[..length], &whole), 0, "what is missing is missing, and not damaged");
    }
}
