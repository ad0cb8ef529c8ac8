//! outputs_not_received.

use std::{sync::Arc, thread, time::Duration};

use annulus::prelude::*;

use super::common::*;

fn nobody(runtime: &Runtime) {
    let kernel = double::launch(runtime, LaunchOptions::production()).unwrap(); //~ outputs_not_received
    for value in 0..100_000 {
        let _ = kernel.send_blocking(Number { value }).unwrap();
    }
    kernel.drained_blocking();
    println!("{}", kernel.status());
}

async fn in_a_future(runtime: &Runtime) -> Result<(), Box<dyn std::error::Error>> {
    let kernel = double::launch_async(runtime, LaunchOptions::production()).await?; //~ outputs_not_received
    kernel.send_batch(&[Number { value: 1 }]).await?;
    kernel.shutdown(Duration::from_secs(1)).await;
    Ok(())
}

fn from_threads(runtime: &Runtime) {
    let kernel = double::launch(runtime, LaunchOptions::production()).unwrap(); //~ outputs_not_received
    let sender = kernel.clone();
    thread::scope(|scope| {
        scope.spawn(move || sender.send_batch_blocking(&[Number { value: 1 }]).unwrap());
    });
    drop(kernel);
}

fn the_last_of_a_chain(runtime: &Runtime) {
    let options = LaunchOptions::production().connectable(true);
    let first = double::launch(runtime, options.clone().name("first")).unwrap();
    let last = double::launch(runtime, options.name("last")).unwrap(); //~ outputs_not_received
    first.connect(&last).unwrap();
    first.send_batch_blocking(&[Number { value: 1 }]).unwrap();
}

fn the_last_that_others_are_launched_into(runtime: &Runtime) {
    let target = LaunchOptions::production().connectable(true);
    let last = double::launch(runtime, target.clone().name("last")).unwrap(); //~ outputs_not_received
    let next = double::launch_into(&last, target.name("next")).unwrap();
    let first = double::bind().launch_into(&next, LaunchOptions::production()).unwrap();
    first.send_batch_blocking(&[Number { value: 1 }]).unwrap();
}

fn an_outbox_of_a_kernel_that_also_asks(runtime: &Runtime) {
    let options = LaunchOptions::production().through(64);
    let last = double::launch(runtime, options.clone()).unwrap(); //~ outputs_not_received
    let first = doubled::bind().connect_port(doubled::OUT, &last).launch(runtime, options).unwrap();
    let _ = first.send_blocking(Asked::Number(Number { value: 1 })).unwrap();
}

// Near misses.

fn launched_into(runtime: &Runtime) {
    let last = double::launch(runtime, LaunchOptions::production().connectable(true).name("end")).unwrap();
    let first = double::launch_into(&last, LaunchOptions::production()).unwrap();
    first.send_batch_blocking(&[Number { value: 1 }]).unwrap();
    println!("{:?}", last.recv_blocking());
}

fn asked(runtime: &Runtime) {
    let options = LaunchOptions::production().through(64);
    let asked = double::launch(runtime, options.clone()).unwrap();
    let asks = doubled::bind().connect_port(doubled::TWICE, &asked).launch(runtime, options).unwrap();
    let _ = asks.send_blocking(Asked::Number(Number { value: 1 })).unwrap();
    println!("{:?}", asks.port(doubled::OUT).recv_blocking());
    asked.drained_blocking();
}

fn received_by_name(runtime: &Runtime) {
    let kernel = double::launch(runtime, LaunchOptions::production().name("asked")).unwrap();
    let _ = kernel.send_blocking(Number { value: 1 }).unwrap();
    println!("{:?}", runtime.receiver::<Number>("asked").unwrap().recv_blocking());
}

fn received(runtime: &Runtime) {
    let kernel = double::launch(runtime, LaunchOptions::production()).unwrap();
    let _ = kernel.send_blocking(Number { value: 1 }).unwrap();
    println!("{:?}", kernel.recv_blocking());
}

fn received_in_a_thread(runtime: &Runtime) {
    let kernel = double::launch(runtime, LaunchOptions::production()).unwrap();
    let receiver = kernel.clone();
    let receiver = thread::spawn(move || receiver.recv_blocking());
    let _ = kernel.send_blocking(Number { value: 1 }).unwrap();
    println!("{:?}", receiver.join());
}

fn called(runtime: &Runtime) {
    let kernel = double::launch(runtime, LaunchOptions::production()).unwrap();
    println!("{:?}", kernel.call_blocking(Number { value: 1 }));
}

fn connected(runtime: &Runtime) {
    let options = LaunchOptions::production().connectable(true);
    let first = double::launch(runtime, options.clone()).unwrap();
    let last = total::launch(runtime, options).unwrap();
    first.connect(&last).unwrap();
    first.send_batch_blocking(&[Number { value: 1 }]).unwrap();
}

fn nothing_is_sent(runtime: &Runtime) {
    let kernel = double::launch(runtime, LaunchOptions::production()).unwrap();
    println!("{}", kernel.status());
}

fn no_outbox(runtime: &Runtime) {
    let kernel = total::launch(runtime, LaunchOptions::production()).unwrap();
    let _ = kernel.send_blocking(Number { value: 1 }).unwrap();
}

fn given_away(runtime: &Runtime) -> KernelHandle<double> {
    let kernel = double::launch(runtime, LaunchOptions::production()).unwrap();
    let _ = kernel.send_blocking(Number { value: 1 }).unwrap();
    kernel
}

fn lent(runtime: &Runtime) {
    let kernel = double::launch(runtime, LaunchOptions::production()).unwrap();
    let _ = kernel.send_blocking(Number { value: 1 }).unwrap();
    print_all(&kernel);
}

fn shared(runtime: &Runtime) {
    let kernel = Arc::new(double::launch(runtime, LaunchOptions::production()).unwrap());
    let all = [1, 2].map(|value| (Arc::clone(&kernel), value));
    let _ = kernel.send_blocking(Number { value: 1 }).unwrap();
    all.iter().for_each(|(kernel, _)| print_all(kernel));
}

fn print_all(kernel: &KernelHandle<double>) {
    println!("{:?}", kernel.recv_blocking());
}
