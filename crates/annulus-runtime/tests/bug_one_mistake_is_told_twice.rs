//! A launch said of a wrong `capacity` also that `output_capacity` was too small, which nobody had given. And a queue could have
//! the name of its kernel.

// What the kernel macros name.
extern crate annulus_runtime as annulus;

use annulus_macros::{RingMessage, ring_kernel};
use annulus_runtime::{LaunchError, LaunchOptions, NamedQueue, Noop, Runtime, prelude::Outbox};

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Number {
    value: u64,
}

#[ring_kernel(max_outputs = 100, mode = Batch, max_messages_per_iteration = 8)]
fn echo(number: &Number, out: &Outbox<Number>) {
    out.send(*number);
}

fn problems(options: LaunchOptions) -> Vec<String> {
    let runtime = Runtime::builder().backend(Noop).build().unwrap();
    match echo::launch(&runtime, options) {
        Ok(_) => Vec::new(),
        Err(LaunchError::Invalid(invalid)) => invalid.problems().iter().map(ToString::to_string).collect(),
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn a_capacity_is_wrong_once() {
    for (given, remedy) in [(0, 16), (17, 32)] {
        let told = problems(echo::options().capacity(given));
        let expected = format!("capacity is {given}, and must be a power of 2, 16 ..= 1048576: use {remedy}");
        assert_eq!(told, [expected]);
    }
    // One that can be is too small.
    assert!(problems(echo::options().capacity(64))[0].contains("may send 100 messages at once"));
    assert!(problems(echo::options().capacity(128)).is_empty());
}

#[test]
fn a_queue_has_a_name_of_its_own() {
    let queue = |name| LaunchOptions::production().queue(NamedQueue::new(name));
    let told = problems(queue("echo"));
    assert!(
        told.len() == 1 && told[0].starts_with("a queue is named \"echo\", as its kernel is"),
        "{told:?}"
    );
    assert!(problems(queue("north").name("north"))[0].contains("named \"north\""));
    assert!(problems(queue("echo").name("north")).is_empty());
}
