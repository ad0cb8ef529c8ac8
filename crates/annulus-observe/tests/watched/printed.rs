//! Where handlers print is in the flight recorder: on the CPU, where they print, and on devices, of which the host learns it.

use annulus::prelude::*;

use crate::{Device, Job, Watched, autopsies, ready};

#[ring_kernel(untested, mode = Batch)]
fn shout(job: &Job) {
    if job.what == 1 {
        annulus::device_print!("the key is {}", job.key);
    }
}

/// The line above.
const LINE: u32 = line!() - 5;

/// A process in which a hundred prints were made, in one shard.
fn shouts(runtime: &Runtime) {
    let kernel = shout::launch(runtime, LaunchOptions::default().grid(2).capacity(256)).unwrap();
    for number in 0..200 {
        let _ = kernel.send_blocking(Job { key: 2 * (number / 2) + 1, what: number % 2 }).unwrap();
    }
    kernel.drained_blocking();
    ready();
}

pub(crate) fn on_the_cpu() {
    shouts(&Runtime::builder().backend(annulus::Cpu::new().workers(2)).build().unwrap());
}

pub(crate) fn on_a_device() {
    if let Some(runtime) = Device::runtime() {
        shouts(&runtime);
    }
}

/// of a hundred prints the first 16, the 32nd and the 64th, each with its place; and after the process' end, too.
#[test]
fn r_06_where_handlers_print_is_recorded() {
    let on_devices =
        Device::ALL.into_iter().filter_map(|device| Watched::start_on(device, "shouts_on_a_device"));
    for mut watched in std::iter::once(Watched::start("shouts")).chain(on_devices) {
        let told = format!("`shout`: printed in shard 1, at …tched/printed.rs:{LINE}\n");
        watched.look_for(|_| autopsies(&watched.folder).matches(&told).count() == 18);
        watched.child.kill().unwrap();
        watched.child.wait().unwrap();
        let text = autopsies(&watched.folder);
        assert_eq!((text.matches(&told).count(), text.matches("printed").count()), (18, 36), "{text}");
    }
}
