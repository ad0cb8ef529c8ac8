//! In a child that was forked from the process that built a runtime there are none of its threads; launching
//! there went well, and nothing was handled ever.
#![cfg(target_os = "linux")]
extern crate annulus_runtime as annulus;

use std::panic::{AssertUnwindSafe, catch_unwind};

use annulus_cpu::Cpu;
use annulus_runtime::{LaunchOptions, Runtime, prelude::*};

#[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
#[repr(C)]
struct Number {
    value: u64,
}

#[ring_kernel]
fn echo(number: &Number, replies: &Outbox<Number>) {
    replies.send(*number);
}

/// By the child: what became of a launch on its parent's runtime, and of one on its own.
fn child(parents: &Runtime) -> bool {
    let Err(error) = echo::launch(parents, LaunchOptions::default()) else { return false };
    let says_so = error.to_string().contains("forked");
    let own = Runtime::builder().backend(Cpu::new().workers(1)).build().expect("threads can be had");
    let kernel = echo::launch(&own, LaunchOptions::default()).expect("the options are right");
    says_so && kernel.call_blocking(Number { value: 7 }) == Ok(Number { value: 7 })
}

#[test]
fn it_is_refused() {
    let runtime = Runtime::builder().backend(Cpu::new().workers(1)).build().expect("threads can be had");
    // SAFETY: the child runs on this thread's copy alone; it takes no lock that another thread of the parent
    // may hold, but the allocator's, which is made whole after a fork, and leaves without running anybody's
    // destructors.
    let pid = unsafe { libc::fork() };
    assert!(pid >= 0, "a process can be forked");
    if pid == 0 {
        let child = AssertUnwindSafe(|| child(&runtime));
        let verdict = catch_unwind(child).unwrap_or(false);
        // SAFETY: ends the child here and now.
        unsafe { libc::_exit(i32::from(!verdict)) };
    }
    let mut status = 0;
    // SAFETY: waits for the child; `status` is an integer to write to.
    let waited = unsafe { libc::waitpid(pid, &raw mut status, 0) };
    assert_eq!((waited, libc::WIFEXITED(status), libc::WEXITSTATUS(status)), (pid, true, 0));
    // The parent's goes on.
    let kernel = echo::launch(&runtime, LaunchOptions::default()).expect("the options are right");
    assert_eq!(kernel.call_blocking(Number { value: 8 }), Ok(Number { value: 8 }));
}
