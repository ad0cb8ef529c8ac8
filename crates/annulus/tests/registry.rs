//! Every kernel of a program can be found, launched and talked to by its name.

use std::time::Duration;

use annulus::{DynamicError, LaunchOptions, RegisteredKernel, kernel::Binding, prelude::*};
use serde_json::{Value, json};

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Reading {
    #[ring(key)]
    sensor: u32,
    value: i64,
}

/// Adds up each sensor's readings, times a factor.
#[ring_kernel(actors = 4)]
fn sums(reading: &Reading, sum: &mut i64, factor: &i64, out: &Outbox<Reading>) {
    *sum = sum.wrapping_add(reading.value.wrapping_mul(*factor));
    out.send(Reading { sensor: reading.sensor, value: *sum });
}

mod one {
    use annulus::prelude::*;

    #[ring_kernel]
    fn twice_named(value: &super::Reading) {
        let _ = value;
    }
}

mod two {
    use annulus::prelude::*;

    #[ring_kernel]
    fn twice_named(value: &super::Reading) {
        let _ = value;
    }
}

fn runtime() -> Runtime {
    Runtime::builder().backend(Backend::Cpu).build().unwrap()
}

fn launch_sums(runtime: &Runtime) -> annulus::DynamicKernel {
    let kernel = RegisteredKernel::find("sums").unwrap();
    let binding = Binding::read(&kernel.definition().bindings[0], json!(10)).unwrap();
    assert_eq!(kernel.options(), sums::options());
    kernel.launch(runtime, kernel.options(), vec![binding]).unwrap()
}

/// R-09, R-10: the list knows every kernel with its types and its place, without reflection.
#[test]
fn r09_r10_all_kernels_are_listed() {
    let paths: Vec<_> = RegisteredKernel::all().iter().map(|kernel| kernel.path()).collect();
    assert_eq!(paths, ["registry::sums", "registry::one::twice_named", "registry::two::twice_named"]);
    let definition = RegisteredKernel::find("sums").unwrap().definition();
    assert_eq!((definition.message.name, definition.output.unwrap().name), ("Reading", "Reading"));
    assert!(definition.file.ends_with("registry.rs"));
}

#[test]
fn a_kernel_without_name_or_with_two_is_not_found() {
    let unknown = RegisteredKernel::find("sum").unwrap_err().to_string();
    assert_eq!(
        unknown,
        "no kernel is called `sum`; there are registry::sums, registry::one::twice_named, registry::two::twice_named"
    );
    let two = RegisteredKernel::find("twice_named").unwrap_err().to_string();
    assert!(two.starts_with("several kernels are called `twice_named`: say which of registry::one"), "{two}");
    assert_eq!(RegisteredKernel::find("one::twice_named").unwrap().path(), "registry::one::twice_named");
}

#[test]
fn a_kernel_takes_and_gives_json() {
    let runtime = runtime();
    let kernel = launch_sums(&runtime);
    for value in [1, 2] {
        kernel.send_blocking(&json!({"sensor": 3, "value": value}).to_string()).unwrap();
    }
    for sum in [10, 30] {
        let output: Value =
            serde_json::from_str(&kernel.recv_timeout(Duration::from_secs(60)).unwrap()).unwrap();
        assert_eq!(output, json!({"sensor": 3, "value": sum}));
    }
    assert_eq!(kernel.call_blocking(r#"{"sensor": 1, "value": -1}"#).unwrap(), r#"{"sensor":1,"value":-10}"#);
    // A reply can be received before its message is counted.
    annulus::block_on(kernel.control().drained());
    assert_eq!(kernel.control().status().processed, 3);
}

/// R-08: what is wrong with a message names the type and the place.
#[test]
fn r08_a_wrong_message_is_refused() {
    let runtime = runtime();
    let kernel = launch_sums(&runtime);
    let error = kernel.send_blocking(r#"{"sensor": 3, "value": "x"}"#).unwrap_err();
    assert!(matches!(error, DynamicError::Text { message: "Reading", .. }));
    assert!(error.to_string().starts_with("not of type Reading: .value: invalid type: string"), "{error}");
    let error = kernel.send_blocking(r#"{"sensor": 3, "value": 1} {}"#).unwrap_err();
    assert!(error.to_string().contains("trailing characters"), "{error}");
    let error = kernel.call_blocking(r#"{"sensor": 9, "value": 1}"#).unwrap_err();
    assert!(error.to_string().contains("actor"), "{error}");
}

/// A launch by name without what it binds is an error that says what is missing.
#[test]
fn r08_a_wrong_binding_names_both_types() {
    let kernel = RegisteredKernel::find("sums").unwrap();
    let error = kernel.launch(&runtime(), LaunchOptions::default().actors(1), vec![Binding::parameter(1u8)]);
    let error = error.unwrap_err().to_string();
    assert!(error.contains("factor: Parameter of i64") && error.contains("u8"), "{error}");
}
