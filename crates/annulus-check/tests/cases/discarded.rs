//! outcome_discarded.

use std::{sync::mpsc, time::Duration};

use annulus::{Backpressure, KernelQueue, prelude::*, queue::MessageQueue};

use super::common::*;

const ONE: Number = Number { value: 1 };

fn errors(kernel: &KernelHandle<total>, queue: &MessageQueue<u32>) {
    let _ = kernel.try_send(ONE); //~ outcome_discarded
    _ = kernel.send_blocking(ONE); //~ outcome_discarded
    kernel.send_batch_blocking(&[ONE]).ok(); //~ outcome_discarded
    drop(kernel.try_send(ONE)); //~ outcome_discarded
    let _ = kernel.try_send(ONE).ok(); //~ outcome_discarded
    let _ = queue.try_send(7); //~ outcome_discarded
}

async fn calls(kernel: &KernelHandle<double>, limit: Duration) {
    let _ = kernel.call(ONE); //~ outcome_discarded
    drop(kernel.call_within(ONE, limit)); //~ outcome_discarded
    let _ = kernel.send_within(ONE, limit); //~ outcome_discarded
}

fn calls_of_a_queue(queue: &KernelQueue<double>) {
    let _ = queue.call(ONE); //~ outcome_discarded
}

async fn futures(kernel: &KernelHandle<total>) {
    let _ = kernel.send(ONE); //~ outcome_discarded
    drop(kernel.send_batch(&[ONE])); //~ outcome_discarded
    let _ = kernel.send(ONE).await; //~ outcome_discarded
}

fn outcomes(runtime: &Runtime) {
    let options = LaunchOptions::production().backpressure(Backpressure::DropOldest);
    let kernel = total::launch(runtime, options).unwrap();
    let _ = kernel.try_send(ONE).unwrap(); //~ outcome_discarded
    let same = kernel.clone();
    let _ = same.send_blocking(ONE).unwrap(); //~ outcome_discarded
}

// Near misses.

fn passed_on(kernel: &KernelHandle<total>) -> Result<(), Box<dyn std::error::Error>> {
    let _ = kernel.try_send(ONE)?;
    let _ = kernel.send_blocking(ONE).map_err(|error| error.to_string())?;
    kernel.send_batch_blocking(&[ONE])?;
    Ok(())
}

fn looked_at(kernel: &KernelHandle<total>) -> Option<SendOutcome<Number>> {
    let _outcome = kernel.try_send(ONE);
    if kernel.try_send(ONE).is_err() {
        println!("full");
    }
    match kernel.try_send(ONE) {
        Ok(outcome) => drop(outcome),
        Err(error) => println!("{error}"),
    }
    kernel.try_send(ONE).ok()
}

/// The answer was thrown away, and the message was sent.
async fn called(kernel: &KernelHandle<double>) {
    let _ = kernel.call(ONE).await;
    let _ = kernel.call_blocking(ONE); //~ blocking_in_async
    let answer = kernel.call(ONE);
    let _ = answer.await;
}

fn nothing_comes_back(runtime: &Runtime, options: LaunchOptions) {
    let kernel = total::launch(runtime, LaunchOptions::low_latency()).unwrap();
    let _ = kernel.try_send(ONE).unwrap();
    let block = LaunchOptions::production().name("b").backpressure(Backpressure::Block);
    let block = total::launch(runtime, block).unwrap();
    let _ = block.try_send(ONE).unwrap();
    let any = total::launch(runtime, options).unwrap();
    let _ = any.try_send(ONE).unwrap();
}

fn evicted(runtime: &Runtime) {
    let options = LaunchOptions::production().backpressure(Backpressure::DropOldest);
    let kernel = total::launch(runtime, options).unwrap();
    if let SendOutcome::Evicted(old) = kernel.try_send(ONE).unwrap() {
        println!("{} is gone", old.value);
    }
}

/// Somebody else's.
fn of_others(sender: &mpsc::Sender<u32>) {
    let _ = sender.send(7);
    sender.send(7).ok();
}
