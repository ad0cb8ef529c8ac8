//! Messages of every form of slot: sealed ones of one unit to the most, and open ones, which a launch may ask for.

use std::fmt::Debug;

use annulus_kernel::{RingKernel, Rows};
use annulus_runtime::{KernelHandle, LaunchError, LaunchOptions, Runtime};

use super::links::{linked, source};
use crate::{
    Bench,
    bench::drain,
    kernels::slots::{self, Parcel, gather, scatter},
};

/// Sends so many messages, in batches and one by one, and calls: all answers are right.
fn answers<K>(
    kernel: &KernelHandle<K>,
    count: u64,
    calls: bool,
    message: fn(u64) -> K::Message,
    answer: fn(u64) -> K::Message,
) where
    K: RingKernel<Message: Copy + PartialEq + Debug, Output = <K as RingKernel>::Message>,
{
    for first in (0..count).step_by(8) {
        let batch: Vec<_> = (first..first + 8).map(message).collect();
        kernel.send_batch_blocking(&batch).unwrap();
        for number in first..first + 8 {
            assert_eq!(kernel.recv_blocking().unwrap(), answer(number));
        }
        let _ = kernel.send_blocking(message(first)).unwrap();
        assert_eq!(kernel.recv_blocking().unwrap(), answer(first));
        if calls {
            assert_eq!(kernel.call_blocking(message(first + 1)).unwrap(), answer(first + 1));
        }
    }
}

/// Messages whose slots have one unit, several, the most, and more than can be sealed, with and without an envelope, sealed and
/// open, to blocks of one thread, of a few, and of a warp and more.
pub fn messages_of_every_length(bench: &Bench) {
    let count = bench.size(24, 2000);
    for (block, sealed, plain) in [
        (1, true, false),
        (4, true, false),
        (32, true, false),
        (32, true, true),
        (32, false, false),
        (64, true, true),
    ] {
        let options = |name: &str| {
            let options = LaunchOptions::production().name(format!("{name}-{block}-{sealed}-{plain}"));
            options.block(block).sealed(sealed).timestamps(!plain).calls(!plain).capacity(16)
        };
        macro_rules! each {
            ($($kernel:ident $Message:ident),*) => {
                $({
                    let launch: fn(&Runtime, LaunchOptions) -> Result<_, LaunchError> = slots::$kernel::launch;
                    let kernel = launch(bench.runtime(), options(stringify!($kernel))).unwrap();
                    let message = |number: u64| slots::$Message { words: std::array::from_fn(|i| number * 100 + i as u64) };
                    let answer = |number: u64| {
                        let first = number * 100;
                        let word = |i| if i == 0 { first } else { 2 * first + i as u64 };
                        slots::$Message { words: std::array::from_fn(word) }
                    };
                    answers(&kernel, count, !plain, message, answer);
                    drop(kernel);
                })*
            };
        }
        each!(
            add_to_4 Words4, add_to_9 Words9, add_to_10 Words10, add_to_30 Words30, add_to_40 Words40, add_to_41 Words41,
            add_to_42 Words42, add_to_43 Words43
        );
    }
}

/// K-05: copies of a message of 296 bytes go along rows into a kernel whose slots may be sealed.
pub fn rows_of_large_messages(bench: &Bench) {
    for (block, sealed) in [(1, true), (4, true), (32, true), (32, false)] {
        let rows = Rows::of_lists([vec![0, 5, 9], vec![], vec![3], vec![7, 7, 1]]).unwrap();
        let options = |options: LaunchOptions| options.block(block).sealed(sealed).capacity(64);
        let name = |kernel: &str| format!("{kernel}-{block}-{sealed}");
        let gather =
            gather::launch(bench.runtime(), options(linked(&name("gather"))).output_capacity(1024)).unwrap();
        let scatter =
            scatter::launch(bench.runtime(), options(source(&name("scatter"))).rows(rows.clone())).unwrap();
        scatter.connect_along(&gather).unwrap();
        scatter.activate_blocking().unwrap();
        for first in (0..bench.size(40, 4000) as u32).step_by(8) {
            let words = |number: u32| std::array::from_fn(|i| u64::from(number) << 8 | i as u64);
            let sent: Vec<_> =
                (first..first + 8).map(|number| Parcel { to: 0, number, words: words(number) }).collect();
            scatter.send_batch_blocking(&sent).unwrap();
            let of = |parcel: &Parcel| {
                let parcel = *parcel;
                let row = rows.row((parcel.number % 4) as usize).unwrap().to_vec();
                row.into_iter().map(move |to| Parcel { to, ..parcel })
            };
            let mut expected: Vec<_> = sent.iter().flat_map(of).collect();
            let mut came: Vec<_> = expected.iter().map(|_| gather.recv_blocking().unwrap()).collect();
            let order = |parcel: &Parcel| (parcel.number, parcel.to);
            expected.sort_by_key(order);
            came.sort_by_key(order);
            assert_eq!(came, expected);
        }
        drain(&scatter);
    }
}
