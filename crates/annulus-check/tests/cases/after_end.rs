//! telemetry_after_end.

use std::time::Duration;

use annulus::{TelemetryError, prelude::*};

use super::common::*;

fn terminated(kernel: KernelHandle<total>) {
    kernel.terminate_blocking();
    println!("{}", kernel.enable_telemetry().unwrap().poll()); //~ telemetry_after_end
}

async fn shut_down(kernel: KernelHandle<total>) -> Result<u64, TelemetryError> {
    let same = kernel.clone();
    kernel.shutdown(Duration::from_secs(1)).await;
    let telemetry = same.enable_telemetry()?; //~ telemetry_after_end
    Ok(telemetry.poll().messages_processed)
}

fn all_shut_down(runtime: &Runtime) {
    let kernel = total::launch(runtime, LaunchOptions::production()).unwrap();
    let _ = runtime.shutdown_blocking(Duration::from_secs(1));
    kernel.enable_telemetry().unwrap(); //~ telemetry_after_end
}

fn by_name(runtime: &Runtime) {
    let kernel = total::launch(runtime, LaunchOptions::production()).unwrap();
    kernel.terminate_blocking();
    println!("{}", runtime.kernel("total").unwrap().status()); //~ telemetry_after_end
}

// Near misses.

fn before(kernel: KernelHandle<total>) {
    let telemetry = kernel.enable_telemetry().unwrap();
    kernel.terminate_blocking();
    println!("{}", telemetry.poll());
}

fn another(one: KernelHandle<total>, other: KernelHandle<total>) {
    one.terminate_blocking();
    println!("{}", other.enable_telemetry().unwrap().poll());
}

fn perhaps(kernel: KernelHandle<total>, end: bool) {
    if end {
        kernel.terminate_blocking();
        return;
    }
    println!("{}", kernel.enable_telemetry().unwrap().poll());
}

fn expected(kernel: KernelHandle<total>) {
    kernel.terminate_blocking();
    assert!(kernel.enable_telemetry().is_err());
    let error = kernel.enable_telemetry().unwrap_err();
    println!("{error}");
}

fn launched_again(runtime: &Runtime) {
    let mut kernel = total::launch(runtime, LaunchOptions::production()).unwrap();
    kernel.terminate_blocking();
    kernel = total::launch(runtime, LaunchOptions::production()).unwrap();
    println!("{}", kernel.enable_telemetry().unwrap().poll());
    println!("{}", runtime.kernel("total").unwrap().status());
}

/// The future is not awaited, so nothing has ended.
fn not_awaited(kernel: KernelHandle<total>) {
    let end = kernel.terminate();
    println!("{}", kernel.enable_telemetry().unwrap().poll());
    drop(end);
}

struct Service {
    kernel: KernelHandle<total>,
}

impl Service {
    fn ends(&self) {
        self.kernel.terminate_blocking();
        println!("{}", self.kernel.enable_telemetry().unwrap().poll()); //~ telemetry_after_end
    }

    fn begins_again(&mut self, runtime: &Runtime) {
        self.kernel.terminate_blocking();
        self.kernel = total::launch(runtime, LaunchOptions::production()).unwrap();
        println!("{}", self.kernel.enable_telemetry().unwrap().poll());
    }
}

fn of_a_field(service: &Service) {
    service.kernel.terminate_blocking();
    service.kernel.enable_telemetry().unwrap(); //~ telemetry_after_end
}
