//! What happens where the wanted backend is missing.

use std::{sync::Arc, time::Duration};

use annulus::{BackendError, BackendSource, Cpu, LaunchOptions, Runtime, backend::DeviceBackend, prelude::*};

#[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
#[repr(C)]
struct Number {
    value: u32,
}

#[ring_kernel]
fn doubled(number: &Number, out: &Outbox<Number>) {
    out.send(Number { value: number.value * 2 });
}

/// A device that no machine has.
struct Missing(&'static str);

impl BackendSource for Missing {
    fn open(self) -> Result<Arc<dyn DeviceBackend>, BackendError> {
        Err(BackendError::new(format!("there is no {} here", self.0)))
    }
}

/// E-06, W-14: without the device the user's handler runs on the CPU, and the program has been told why.
#[test]
fn e_06_the_cpu_instead() {
    let mut reasons = Vec::new();
    let backend = Missing("CUDA").or_else(|error| {
        reasons.push(error.to_string());
        Missing("OpenCL")
    });
    let runtime = Runtime::builder().backend(backend.or_else(|_| Cpu::new())).build().unwrap();
    assert_eq!(reasons, ["there is no CUDA here"]);
    assert_eq!(runtime.backend(), "cpu");
    let kernel = doubled::launch(&runtime, LaunchOptions::production()).unwrap();
    let _ = kernel.send_blocking(Number { value: 21 }).unwrap();
    assert_eq!(kernel.recv_timeout(Duration::from_secs(60)).unwrap(), Number { value: 42 });
}

/// E-06: the first that is there is taken; where none is, the last reason is the error.
#[test]
fn e_06_only_where_it_is_missing() {
    let backend = Cpu::new().or_else(|_| -> Missing { panic!("the first is there") });
    assert_eq!(Runtime::builder().backend(backend).build().unwrap().backend(), "cpu");
    let none = Missing("CUDA").or_else(|_| Missing("OpenCL"));
    assert_eq!(Runtime::builder().backend(none).build().unwrap_err().to_string(), "there is no OpenCL here");
}
