//! Types that a reader of black boxes takes just so, and those that a launch with one refuses therefore.

use annulus::{LaunchProblem, TypeLimit, Vitals, prelude::*};
use annulus_observe::{BlackBox, Recorded, look};

use crate::{ended_by, folder, kernel};

type Four<T> = [[[[T; 1]; 1]; 1]; 1];
type Sixteen<T> = Four<Four<Four<Four<T>>>>;
type Two<T> = [[T; 1]; 1];

fn four<T>(one: T) -> Four<T> {
    [[[[one]]]]
}

fn sixteen<T>(one: T) -> Sixteen<T> {
    four(four(four(four(one))))
}

/// 62 arrays, one in the other, in a struct, and a number in the last: 64 deep.
type Nested = Two<Four<Four<Four<Sixteen<Sixteen<Sixteen<u8>>>>>>>;

fn nested() -> Nested {
    [[four(four(four(sixteen(sixteen(sixteen(3))))))]]
}

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Deep {
    arrays: Nested,
}

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Deeper {
    arrays: [Nested; 1],
}

/// Four values for each element, and two more.
#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Many {
    arrays: [[[[u8; 1]; 1]; 1]; (1 << 16) - 1],
}

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct More {
    arrays: [[[[u8; 1]; 1]; 1]; 1 << 16],
}

#[ring_kernel(cpu_only)]
fn deep(_message: &Deep) {}
#[ring_kernel(cpu_only)]
fn deeper(_message: &Deeper) {}
#[ring_kernel(cpu_only)]
fn many(_message: &Many) {}
#[ring_kernel(cpu_only)]
fn more(_message: &More) {}

/// what the launch takes, a reader shows; one value more is refused, with the limit and what to do.
#[test]
fn r_06_no_black_box_is_made_that_nobody_reads() {
    let home = folder("boxed-limits");
    let cpu = annulus::Cpu::new().workers(1);
    let runtime = Runtime::builder().backend(cpu).vitals(Vitals::In(home.clone())).build().unwrap();
    let options = || LaunchOptions::default().capacity(16).active(false).black_box(true);
    let deep = deep::launch(&runtime, options()).unwrap();
    let many = many::launch(&runtime, options()).unwrap();
    let _ = deep.send_blocking(Deep { arrays: nested() }).unwrap();
    let _ = many.send_blocking(Many { arrays: [[[[7]]]; (1 << 16) - 1] }).unwrap();
    let process = look(&ended_by(&home, ".vitals")[0]).unwrap();
    for (name, expected) in [("deep", "3"), ("many", "[[[7]]],[[[7]]],[[[7]]]")] {
        let mut black_box = BlackBox::open(&process, kernel(&process, name)).unwrap();
        let waiting: Vec<_> = black_box.messages(Recorded::Waiting).map(Result::unwrap).collect();
        let json = waiting[0].json.as_ref().unwrap();
        assert!(waiting.len() == 1 && json.contains(expected), "{name}: {json}");
    }
    let refused = |launched: Result<(), LaunchError>| match launched {
        Err(LaunchError::Invalid(invalid)) => (invalid.problems().to_vec(), invalid.to_string()),
        other => panic!("{other:?}"),
    };
    let (problems, text) = refused(deeper::launch(&runtime, options()).map(drop));
    let of = |message, limit, given, max| vec![LaunchProblem::BlackBoxType { message, limit, given, max }];
    assert_eq!(problems, of("Deeper", TypeLimit::Depth, 65, 64));
    assert!(
        text.ends_with("a reader of black boxes takes 64 at most: nest fewer types, or leave black_box out"),
        "{text}"
    );
    let (problems, text) = refused(more::launch(&runtime, options()).map(drop));
    assert_eq!(problems, of("More", TypeLimit::Values, (1 << 18) + 2, 1 << 18));
    assert!(text.contains("More has values in this number: 262146, where"), "{text}");
    assert!(more::launch(&runtime, options().black_box(false)).is_ok());
    std::fs::remove_dir_all(&home).unwrap();
}
