//! What handlers print: the same texts on every backend, shown soon, none lost without being counted.

use std::sync::Mutex;

use annulus_kernel::RingKernel;
use annulus_runtime::{KernelHandle, LaunchOptions};

use crate::{
    Bench,
    bench::{balanced, drain, eventually},
    kernels::{
        Item, number, numbers,
        prints::{Kinds, print_actors, print_failing, print_functions, print_kinds, print_often},
    },
    prints::{Print, keeper},
};

/// The name of an instance that no other case of the process has.
pub(super) fn instance() -> String {
    static NEXT: Mutex<u32> = Mutex::new(0);
    let mut next = NEXT.lock().unwrap();
    *next += 1;
    let _ = keeper();
    format!("printing {next}")
}

/// What a kernel has printed so far, and what it was told to have lost.
fn printed<K: RingKernel>(kernel: &KernelHandle<K>) -> (Vec<Print>, u64) {
    let name = kernel.status().name;
    let all = keeper().kept(|print| print.instance.as_deref() == Some(&name));
    let lost = all.iter().filter(|print| !print.is_print).map(|print| print.lost.unwrap()).sum();
    (all.into_iter().filter(|print| print.is_print).collect(), lost)
}

fn texts<K: RingKernel>(kernel: &KernelHandle<K>) -> Vec<String> {
    printed(kernel).0.into_iter().map(|print| print.message).collect()
}

fn kinds() -> Vec<Kinds> {
    let kinds = Kinds {
        wide: u64::MAX,
        signed: i64::MIN,
        double: -1234.5678,
        single: 0.1,
        middle: -77,
        half: 65_535,
        short: -32_768,
        byte: 200,
        tiny: -5,
        yes: true,
    };
    vec![
        kinds,
        Kinds { wide: 0, signed: 7, double: f64::NAN, single: f32::INFINITY, yes: false, ..kinds },
        Kinds { double: -0.0, single: -0.0, middle: i32::MAX, tiny: i8::MIN, byte: 0, ..kinds },
        Kinds { double: 1e300, single: f32::MIN_POSITIVE / 8.0, middle: 0, ..kinds },
        Kinds { double: f64::EPSILON, single: 16_777_217.0, half: 0, short: 1, ..kinds },
    ]
}

/// Every kind of number in every kind of format is the text that Rust makes of it; and the event says where
/// it comes from.
pub fn a_text_is_what_rust_makes_of_it(bench: &Bench) {
    let kernel = print_kinds::launch(bench.runtime(), LaunchOptions::default().name(instance())).unwrap();
    let mut expected = Vec::new();
    for kinds in kinds() {
        let Kinds { wide, signed, double, single, middle, half, short, byte, tiny, yes } = kinds;
        expected.extend([
            "nothing but {text}".to_owned(),
            format!("{wide} {signed} {double} {single} {middle}"),
            format!("{half} {short} {byte} {tiny} {yes}"),
            format!("{double:?} {single:?} {yes:?} {middle:?}"),
            format!("{wide:x} {signed:#X} {middle:#b} {byte:o} {single:e} {double:E}"),
            format!("{single:.2} {double:10.3} {middle:<8}| {middle:^+8}| {half:*>7} {tiny:05} {yes:>7}"),
            format!("{middle} {middle:?} {double:.3} {:>12.1}", single * 2.0),
            format!("{} {}", usize::from(byte), -(byte as isize)),
            "7 40".to_owned(),
        ]);
        let _ = kernel.send_blocking(kinds).unwrap();
        kernel.recv_blocking().unwrap();
        // One message after the other: of those that are handled side by side the order would not be known.
        eventually(|| printed(&kernel).0.len() >= expected.len());
    }
    assert_eq!(texts(&kernel), expected);
    let (prints, lost) = printed(&kernel);
    assert_eq!(lost, 0);
    let lines: Vec<_> = prints[..9].iter().map(|print| print.line.unwrap()).collect();
    assert!(lines.is_sorted_by(|a, b| a < b) && lines[8] - lines[0] == 8, "{lines:?}");
    for print in &prints {
        assert_eq!((print.kernel.as_deref(), print.shard), (Some("print_kinds"), Some(0)));
        assert!(print.file.as_ref().unwrap().ends_with("kernels/prints.rs"), "{print:?}");
    }
}

/// Functions print, generic ones and methods too, each at its place.
pub fn functions_print(bench: &Bench) {
    let kernel = print_functions::launch(bench.runtime(), LaunchOptions::default().name(instance())).unwrap();
    let mut expected = Vec::new();
    let (mut count, mut mean) = (0u32, 0f32);
    for sent in [3, 4, 9, 17, 30] {
        let mut left = sent + 1;
        let value = left as f32 / 4.0;
        count += 1;
        mean += (value - mean) / count as f32;
        expected.push(format!("mean of {count} is {mean:.3}"));
        while left > 3 && (sent + 1) % 5 != 0 {
            expected.push(format!("half of {left}"));
            left /= 2;
        }
        expected.push("doubling".to_owned());
        if left == 2 {
            expected.push("doubling".to_owned());
            expected.push("left: 4".to_owned());
        }
        let _ = kernel.send_blocking(number(sent)).unwrap();
        assert_eq!(kernel.recv_blocking(), Ok(number(left)));
    }
    let _ = kernel.terminate_blocking();
    assert_eq!(texts(&kernel), expected);
}

/// What a handler printed before it failed is shown: that is what it is for.
pub fn a_handler_that_fails_has_printed(bench: &Bench) {
    let kernel = print_failing::launch(bench.runtime(), LaunchOptions::default().name(instance())).unwrap();
    let mut expected = Vec::new();
    let mut succeeded = 0;
    for sent in 0..25 {
        expected.push(format!("{sent} is number {}", succeeded + 1));
        if sent % 5 == 4 {
            expected.push(format!("{sent} is done"));
            succeeded += 1;
        }
        let _ = kernel.send_blocking(number(sent)).unwrap();
    }
    drain(&kernel);
    let status = balanced(&kernel);
    assert_eq!((status.processed, status.drops.failed), (5, 20));
    let _ = kernel.terminate_blocking();
    // All is there as soon as the kernel has ended.
    assert_eq!(texts(&kernel), expected);
}

/// Each shard's prints come in its order, whoever's they are: those of one actor in the order of its
/// messages.
pub fn an_actors_prints_are_in_order(bench: &Bench) {
    let options = LaunchOptions::default().name(instance()).grid(2).actors(8);
    let kernel = print_actors::launch(bench.runtime(), options).unwrap();
    // No more than a ring holds.
    for sequence in 0..800u64 {
        let _ = kernel.send_blocking(Item { key: (sequence % 8) as u32, producer: 0, sequence }).unwrap();
        if sequence % 50 == 49 {
            for _ in 0..50 {
                kernel.recv_blocking().unwrap();
            }
        }
    }
    let _ = kernel.terminate_blocking();
    let (prints, lost) = printed(&kernel);
    assert_eq!((prints.len(), lost), (800, 0));
    let mut counts = [0; 8];
    for print in prints {
        let words: Vec<u64> = print.message.split(' ').map(|word| word.parse().unwrap()).collect();
        let [key, sequence, count] = words[..] else { panic!("{print:?}") };
        assert_eq!(print.shard, Some(key % 2), "{print:?}");
        assert_eq!(sequence, counts[key as usize] * 8 + key, "{print:?}");
        counts[key as usize] += 1;
        assert_eq!(count, counts[key as usize], "{print:?}");
    }
    assert_eq!(counts, [100; 8]);
}

/// A print is shown though nobody waits for anything.
pub fn a_print_is_shown_by_itself(bench: &Bench) {
    let kernel = print_often::launch(bench.runtime(), LaunchOptions::default().name(instance())).unwrap();
    for round in 1..=3 {
        let _ = kernel.send_blocking(number(2)).unwrap();
        // Nothing else is asked of the kernel.
        let name = kernel.status().name;
        let of_kernel = |print: &Print| print.instance.as_deref() == Some(&name);
        eventually(|| keeper().kept(of_kernel).len() == 2 * round);
        // Until the pump sleeps as deeply as it may.
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
}

/// More prints than there is room for: each is shown or counted, and those of a message that are shown are
/// its first.
pub fn lost_prints_are_counted(bench: &Bench) {
    let options = LaunchOptions::default().name(instance()).active(false);
    let kernel = print_often::launch(bench.runtime(), options).unwrap();
    let sent = [5000, 1, 0, 3000, 20, 2500, 7];
    for count in sent {
        let _ = kernel.send_blocking(number(count)).unwrap();
    }
    let _ = kernel.activate_blocking().unwrap();
    let mut back: Vec<u64> = sent.iter().map(|_| kernel.recv_blocking().unwrap().value).collect();
    back.sort_unstable();
    assert_eq!(back, [0, 1, 7, 20, 2500, 3000, 5000]);
    let _ = kernel.terminate_blocking();
    let (prints, lost) = printed(&kernel);
    assert_eq!(prints.len() as u64 + lost, sent.iter().sum::<u64>());
    assert!(!prints.is_empty());
    let mut next = [0; 5001];
    for print in prints {
        let (index, of) = print.message.split_once(" of ").unwrap();
        let (index, of): (u64, usize) = (index.parse().unwrap(), of.parse().unwrap());
        assert_eq!(next[of], index, "{print:?}");
        next[of] = index + 1;
    }
}

/// A kernel that prints nothing has nothing of it.
pub fn a_kernel_that_prints_nothing_is_quiet(bench: &Bench) {
    let options = LaunchOptions::default().name(instance());
    let kernel = crate::kernels::echo::launch(bench.runtime(), options).unwrap();
    kernel.send_batch_blocking(&numbers(0..100)).unwrap();
    for _ in 0..100 {
        kernel.recv_blocking().unwrap();
    }
    let _ = kernel.terminate_blocking();
    assert_eq!(printed(&kernel), (Vec::new(), 0));
    assert!(crate::kernels::echo::DEFINITION.prints().is_empty());
}
