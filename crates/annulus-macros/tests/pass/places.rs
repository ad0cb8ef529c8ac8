//! Kernels at module level, in modules, in functions, in blocks, and of types that nobody else sees.
#![allow(unreachable_pub, reason = "a kernel has its function's visibility")]
use annulus::prelude::*;

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Reading {
    value: f32,
}

#[ring_kernel]
fn entry(_: &Reading) {}

mod inner {
    use annulus::prelude::*;

    #[derive(RingMessage, Clone, Copy)]
    #[repr(C)]
    pub struct Public(u32);

    #[ring_kernel]
    pub fn detect(_: &Public, _table: &[f32]) {}

    #[ring_kernel]
    pub(super) fn outer(_: &super::Reading) {}
}

fn main() {
    #[derive(RingMessage, Clone, Copy)]
    #[repr(C)]
    struct Local(u32);

    #[ring_kernel]
    fn entry(_: &Local, _: &Outbox<Local>) {}
    {
        #[ring_kernel]
        fn entry(_: &Local, call: &u32, state: &mut u32, verdict: &[u32]) {
            *state += *call + verdict[0];
        }
        let _ = entry::bind(1, &[2]);
    }
    let launch = |runtime: &Runtime| {
        let _ = entry::launch(runtime, LaunchOptions::default());
        let _ = crate::entry::launch(runtime, LaunchOptions::default());
        let _ = inner::outer::launch(runtime, LaunchOptions::default());
        let _ = inner::detect::bind(&[]).launch(runtime, LaunchOptions::default());
    };
    let _ = launch;
    crate::entry(&Reading { value: 1.0 });
}
