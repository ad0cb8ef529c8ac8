//! A panic of the standard library's checks has the code that devices give for the same.

use std::{hint::black_box, panic::catch_unwind};

use annulus_abi::error;
use annulus_kernel::{BlockCx, Cx, panic_code, run_block};

fn code<T>(panics: impl FnOnce() -> T + std::panic::UnwindSafe) -> u16 {
    panic_code(&*catch_unwind(panics).map(drop).expect_err("it panics"))
}

#[test]
fn the_standard_librarys_checks_have_codes() {
    let (zero, minus_one, least) = (black_box(0), black_box(-1), black_box(i32::MIN));
    assert_eq!(code(|| [1, 2, 3][black_box(3)]), error::INDEX_OUT_OF_BOUNDS);
    assert_eq!(code(|| [1, 2, 3][black_box(2)..black_box(1)].len()), error::INDEX_OUT_OF_BOUNDS);
    assert_eq!(code(|| [1, 2, 3][black_box(4)..].len()), error::INDEX_OUT_OF_BOUNDS);
    assert_eq!(code(|| [1, 2, 3][..black_box(4)].len()), error::INDEX_OUT_OF_BOUNDS);
    assert_eq!(code(|| [1, 2, 3][1..=black_box(3)].len()), error::INDEX_OUT_OF_BOUNDS);
    assert_eq!(code(|| [1, 2, 3][black_box(5)..=black_box(3)].len()), error::INDEX_OUT_OF_BOUNDS);
    assert_eq!(code(|| [1, 2, 3][..=black_box(usize::MAX)].len()), error::INDEX_OUT_OF_BOUNDS);
    assert_eq!(code(|| 7 / zero), error::DIVISION_BY_ZERO);
    assert_eq!(code(|| 7 % zero), error::DIVISION_BY_ZERO);
    assert_eq!(code(|| 7i32.rem_euclid(zero)), error::DIVISION_BY_ZERO);
    assert_eq!(code(|| 7i32.wrapping_div(zero)), error::DIVISION_BY_ZERO);
    assert_eq!(code(|| least / minus_one), error::OVERFLOW);
    assert_eq!(code(|| least % minus_one), error::OVERFLOW);
    assert_eq!(code(|| least.div_euclid(minus_one)), error::OVERFLOW);
}

#[test]
#[cfg(debug_assertions)]
fn overflow_checks_have_one_code() {
    let (most, least, far) = (black_box(i32::MAX), black_box(i32::MIN), black_box(40));
    let checks: [fn(i32, i32, i32) -> i32; 6] = [
        |a, _, _| a + 1,
        |_, b, _| b - 1,
        |a, _, _| a * 2,
        |_, b, _| -b,
        |a, _, far| a << far,
        |a, _, far| a >> far,
    ];
    for (number, check) in checks.into_iter().enumerate() {
        assert_eq!(code(|| check(most, least, far)), error::OVERFLOW, "check {number}");
    }
}

#[test]
fn other_panics_have_none_of_these() {
    assert_eq!(code(|| panic!("told to")), error::PANICKED);
    assert_eq!(code(|| panic!("index out of bounds")), error::PANICKED);
    assert_eq!(code(|| panic!("{}", black_box(3))), error::PANICKED);
    assert_eq!(code(|| std::panic::panic_any(3)), error::PANICKED);
    assert_eq!(code(|| black_box(None::<u32>).unwrap()), error::PANICKED);
}

/// who does not come to an operation of the block's threads is told of, and so is the operation.
#[test]
fn x02_b06_an_operation_that_some_threads_miss_is_named() {
    type Operation = fn(&BlockCx);
    let missed: [(&str, Operation); 6] = [
        ("barrier at", |cx| cx.barrier()),
        ("barrier of `warp_barrier` at", |cx| cx.warp_barrier()),
        ("barrier of a shuffle at", |cx| {
            let _ = cx.shuffle_up(1u8, 1);
        }),
        ("barrier of a vote at", |cx| {
            let _ = cx.all(true);
        }),
        ("barrier of `warp_reduce` at", |cx| {
            let _ = cx.warp_reduce(1i64, |a, b| a + b);
        }),
        ("barrier of `block_scan` at", |cx| {
            let _ = cx.block_scan(1f32, |a, b| a + b);
        }),
    ];
    for (named, operation) in missed {
        let run = || {
            run_block(Cx::new(0, 1, 0).with_block_dim(40), |cx| {
                if cx.thread_index() != 37 {
                    operation(cx);
                }
            })
        };
        let panic = catch_unwind(run).expect_err("it fails");
        assert_eq!(panic_code(&*panic), error::BARRIER_NOT_REACHED);
        let text = panic.downcast_ref::<String>().expect("a text");
        assert!(text.contains(named) && text.contains("panic_codes.rs"), "{text}");
        assert!(text.ends_with("39 of 40 came, the first is thread 0; thread 37 returned"), "{text}");
    }
}
