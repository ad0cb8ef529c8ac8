use std::{error::Error, time::Duration};

use annulus::{
    kernel::{Target, TestOutbox},
    prelude::*,
};

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Sample {
    #[ring(key)]
    channel: u32,
    value: f32,
}

#[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
#[repr(C)]
struct Smoothed {
    channel: u32,
    value: f32,
}

// ANCHOR: handler
#[derive(DeviceType, Clone, Copy, Default, Debug, PartialEq)]
#[repr(C)]
struct Filter {
    value: f32,
    primed: bool,
}

#[device_impl]
impl Filter {
    /// An exponential moving average that begins with the first sample.
    fn step(&mut self, sample: f32) -> f32 {
        if self.primed {
            self.value += 0.25 * (sample - self.value);
        } else {
            self.value = sample;
            self.primed = true;
        }
        self.value
    }
}

#[ring_kernel]
fn smooth(sample: &Sample, filter: &mut Filter, out: &Outbox<Smoothed>) {
    out.send(Smoothed { channel: sample.channel, value: filter.step(sample.value) });
}
// ANCHOR_END: handler

// ANCHOR: function
/// The logic by itself: a method like any other.
fn the_filter_begins_with_the_first_sample() {
    let mut filter = Filter::default();
    assert_eq!(filter.step(8.0), 8.0);
    assert_eq!(filter.step(4.0), 7.0);
}

/// The handler is a function, too.
fn each_sample_is_answered() {
    let mut filter = Filter::default();
    let mut outbox = TestOutbox::new(1);
    smooth(&Sample { channel: 3, value: 8.0 }, &mut filter, &outbox);
    assert_eq!(outbox.take(), [Smoothed { channel: 3, value: 8.0 }]);
    assert_eq!(filter, Filter { value: 8.0, primed: true });
}
// ANCHOR_END: function

// ANCHOR: kernel
/// The kernel, through its queues, on a backend of your choice.
fn channels_do_not_mix(backend: Backend) -> Result<(), Box<dyn Error>> {
    let runtime = Runtime::builder().backend(backend).build()?;
    let kernel = smooth::launch(&runtime, LaunchOptions::production().actors(2))?;
    let samples = [(0, 8.0), (1, 100.0), (0, 4.0)].map(|(channel, value)| Sample { channel, value });
    kernel.send_batch_blocking(&samples)?;

    // All are handled, so whatever they sent is there: no sleep, no time-out.
    kernel.drained_blocking();
    let mut outputs = Vec::new();
    kernel.try_recv_batch(&mut outputs, 100)?;
    assert_eq!(outputs, [(0, 8.0), (1, 100.0), (0, 7.0)].map(|(channel, value)| Smoothed { channel, value }));

    kernel.deactivate_blocking()?;
    let filters = kernel.snapshot_blocking()?.states::<Filter>()?;
    assert_eq!(filters[1], Filter { value: 100.0, primed: true });
    Ok(())
}
// ANCHOR_END: kernel

// ANCHOR: silence
const MINUTE: u64 = 60_000_000_000; // Nanoseconds.

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Beat {
    /// 0 from outside; else after which beat a minute has passed.
    after: u32,
}

#[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
#[repr(C)]
struct Silence {
    beats: u32,
}

/// Says when no beat has come for a minute.
#[ring_kernel(timers = 1024)]
fn watch(beat: &Beat, beats: &mut u32, later: &Later<Beat>, out: &Outbox<Silence>) {
    if beat.after == 0 {
        *beats += 1;
        later.send_after(Beat { after: *beats }, MINUTE);
    } else if beat.after == *beats {
        out.send(Silence { beats: *beats });
    }
}
// ANCHOR_END: silence

// ANCHOR: clock
/// A minute of silence, in no time.
fn a_minute_of_silence_is_told() -> Result<(), Box<dyn Error>> {
    let clock = Clock::manual();
    let runtime = Runtime::builder().backend(Backend::Cpu).clock(&clock).build()?;
    let kernel = watch::launch(&runtime, watch::options())?;
    for _ in 0..2 {
        let _ = kernel.send_blocking(Beat { after: 0 })?;
        kernel.drained_blocking(); // The timer is set, by what the clock shows now.
        clock.advance(Duration::from_secs(59));
    }
    assert!(kernel.try_recv().is_err());
    clock.advance(Duration::from_secs(1));
    assert_eq!(kernel.recv_blocking()?, Silence { beats: 2 });
    Ok(())
}
// ANCHOR_END: clock

// ANCHOR: lowering
/// A device takes it: this is where recursion, for example, would be refused.
fn it_can_be_written_for_every_device() -> Result<(), Box<dyn Error>> {
    for target in [Target::OpenCl, Target::Cuda, Target::Metal] {
        assert!(smooth::DEFINITION.handler_source(target)?.contains("smooth"));
    }
    Ok(())
}
// ANCHOR_END: lowering

fn main() -> Result<(), Box<dyn Error>> {
    the_filter_begins_with_the_first_sample();
    each_sample_is_answered();
    channels_do_not_mix(Backend::Cpu)?;
    a_minute_of_silence_is_told()?;
    it_can_be_written_for_every_device()?;
    println!("all passed");
    Ok(())
}
