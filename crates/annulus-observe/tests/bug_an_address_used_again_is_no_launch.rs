//! A kernel that lay where an earlier one had lain was taken for that one: metrics counted one launch too few, and what the
//! earlier one had counted could be told as a reset.

use annulus::prelude::*;
use annulus_observe::Observer;

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Number {
    value: u64,
}

#[ring_kernel]
fn swallow(_number: &Number) {}

#[test]
fn each_launch_has_a_number_of_its_own() {
    let runtime = Runtime::builder().build().unwrap();
    let mut ids = Vec::new();
    for _ in 0..50 {
        let kernel = swallow::launch(&runtime, LaunchOptions::production()).unwrap();
        ids.push(kernel.look().id);
        kernel.terminate_blocking();
    }
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), 50);

    let observer = Observer::of(&runtime);
    for launch in 1..=50 {
        let kernel = swallow::launch(&runtime, LaunchOptions::production()).unwrap();
        let text = observer.prometheus();
        let words = format!("annulus_kernel_launches_total{{backend=\"cpu\",kernel=\"swallow\"}} {launch}\n");
        assert!(text.contains(&words), "{launch}: {text}");
        kernel.terminate_blocking();
    }
}
