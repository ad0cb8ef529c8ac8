//! blocking_in_async.

use std::{sync::Arc, thread, time::Duration};

use annulus::{block_on, prelude::*, queue::MessageQueue};

use super::common::*;

async fn sends(kernel: &KernelHandle<total>) {
    let _ = kernel.send_blocking(Number { value: 1 }).unwrap(); //~ blocking_in_async
    kernel.drained_blocking(); //~ blocking_in_async
}

fn in_a_block(kernel: KernelHandle<double>) -> impl Future<Output = u64> {
    async move {
        let received = kernel.recv_blocking().unwrap(); //~ blocking_in_async
        received.value
    }
}

async fn with_a_limit(kernel: &KernelHandle<double>) {
    println!("{:?}", kernel.recv_timeout(Duration::from_secs(1))); //~ blocking_in_async
}

async fn sleeps() {
    thread::sleep(Duration::from_millis(1)); //~ blocking_in_async
    std::thread::sleep(Duration::from_millis(1)); //~ blocking_in_async
}

async fn future_in_a_future(kernel: &KernelHandle<total>) {
    block_on(kernel.drained()); //~ blocking_in_async
}

async fn of_a_queue(queue: &MessageQueue<u32>) {
    println!("{:?}", queue.recv_blocking()); //~ blocking_in_async
}

struct Service {
    kernel: KernelHandle<double>,
}

impl Service {
    async fn answer(&self, value: u64) -> Result<u64, CallError> {
        Ok(self.kernel.call_blocking(Number { value })?.value) //~ blocking_in_async
    }
}

fn closure(kernel: &KernelHandle<double>) {
    let _answer = async |value| kernel.call_blocking(Number { value }); //~ blocking_in_async
}

// Near misses.

fn no_future(kernel: &KernelHandle<total>) {
    kernel.drained_blocking();
    thread::sleep(Duration::from_millis(1));
    block_on(async { kernel.drained().await });
}

async fn elsewhere(kernel: KernelHandle<total>) {
    let other = thread::spawn(move || kernel.drained_blocking());
    let _ = other.join();
}

async fn awaited(kernel: &KernelHandle<double>) -> Result<Number, CallError> {
    let _ = kernel.try_recv();
    kernel.call(Number { value: 1 }).await
}

/// A function inside is one by itself.
async fn outer() -> fn(&KernelHandle<total>) {
    fn inner(kernel: &KernelHandle<total>) {
        kernel.drained_blocking();
    }
    inner
}

/// Of somebody else.
struct Other;

impl Other {
    fn fetch_blocking(&self) {}
    fn wait_timeout(&self, _: Duration) {}
}

async fn of_others(other: &Other) {
    other.fetch_blocking();
    other.wait_timeout(Duration::from_secs(1));
}

/// Of one's own, with the names of ours.
struct Radio {
    kernel: KernelHandle<double>,
}

impl Radio {
    fn new(kernel: KernelHandle<double>) -> Self {
        Self { kernel }
    }

    fn recv_blocking(&self) {}

    async fn listens(&self) {
        self.recv_blocking();
        let _ = self.kernel.recv_blocking(); //~ blocking_in_async
    }
}

impl std::ops::Deref for Radio {
    type Target = KernelHandle<double>;

    fn deref(&self) -> &Self::Target {
        &self.kernel
    }
}

struct Car {
    radio: Arc<Radio>,
}

impl Car {
    async fn drives(&self) {
        self.radio.recv_blocking();
    }
}

async fn of_ones_own(radio: &Radio, kernel: &KernelHandle<double>) {
    radio.recv_blocking();
    Radio::new(kernel.clone()).recv_blocking();
    let made = Radio { kernel: kernel.clone() };
    made.recv_blocking();
    // This one it only lends.
    radio.drained_blocking(); //~ blocking_in_async
}

type Doubles = KernelHandle<double>;

async fn of_an_alias(kernel: &Doubles) {
    let _ = kernel.recv_blocking(); //~ blocking_in_async
}
