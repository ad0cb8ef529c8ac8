//! How much memory a launch takes of a device, and what is told of it.

use annulus_kernel::RingKernel;
use annulus_macros::DeviceType;
use annulus_runtime::{Bound, prelude::Later};

use super::*;

#[derive(RingMessage, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
struct Visit {
    #[ring(key)]
    who: u64,
}

#[derive(DeviceType, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
struct Visits {
    count: u64,
    last: u64,
    first: u64,
}

/// Has a state for each actor.
#[ring_kernel]
fn visits(visit: &Visit, visits: &mut Visits) {
    visits.count += 1;
    visits.last = visit.who;
}

/// Has two ways out.
#[ring_kernel]
fn part(message: &Number, even: &Outbox<Number>, odd: &Outbox<Number>) {
    if message.value.is_multiple_of(2) { even.send(*message) } else { odd.send(*message) }
}

/// Sends to itself.
#[ring_kernel(timers = 32, max_timers = 1)]
fn again(message: &Number, later: &Later<Number>) {
    later.send_after(*message, message.value);
}

/// what a launch asks a device for is what its status says, and what was said before.
#[test]
fn r05_q37_what_is_told_is_asked_for() {
    fn launch<K: RingKernel>(bind: impl Fn() -> Bound<K>, options: LaunchOptions, far: bool) {
        let (device, runtime) = runtime_at(&Arc::new(Residency::new(2)), HostOptions::default(), far);
        let options = options.capacity(64).active(false);
        let told = bind().memory(&runtime, options.clone()).unwrap();
        let before = device.asked.load(Ordering::Acquire);
        let kernel = bind().launch(&runtime, options).unwrap();
        let asked = device.asked.load(Ordering::Acquire) - before;
        assert_eq!(kernel.status().memory, told);
        assert_eq!(asked, told.shared + told.device, "{}: {told:?}", K::DEFINITION.name);
        // So that nobody waits for blocks, which do nothing.
        device.say(FAILED);
    }

    let options = || LaunchOptions::production().grid(3);
    for far in [false, true] {
        launch(echo::bind, options(), far);
        launch(echo::bind, options().priority(true), far);
        launch(echo::bind, options().supersteps(true), far);
        launch(echo::bind, options().connectable(true), far);
        launch(part::bind, options().hold(100), far);
        launch(echo::bind, options().through(16), far);
        launch(echo::bind, options().block(8).tracing(true), far);
        launch(swallow::bind, options().track_latency(true), far);
        launch(|| count::bind(&[0; 77]), options(), far);
        launch(visits::bind, options().actors(1000), far);
        launch(visits::bind, options().actors(1000).sparse_keys(true).evict_actors(true), far);
        launch(again::bind, options(), far);
    }
}
