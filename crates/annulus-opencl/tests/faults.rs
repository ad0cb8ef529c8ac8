//! What goes wrong, and how it is told.

extern crate annulus_runtime as annulus;

mod common;

use std::{borrow::Cow, time::Duration};

use annulus_kernel::KernelDefinition;
use annulus_opencl::{Faults, OpenCl};
use annulus_runtime::{KernelState, LaunchOptions, RecvError, Runtime, SendError, SnapshotError};
use common::{Number, alone, echo};

const LIMIT: Duration = Duration::from_secs(60);

/// A kernel that the device ends without a word is lost: what it has done stands, what it has not is handed
/// back, and there is room for the next one.
#[test]
fn a_kernel_that_is_lost_hands_back() {
    let _alone = alone();
    let Some(runtime) = common::runtime(OpenCl::new().faults(Faults { ends_after: 5, ..Faults::default() }))
    else {
        return;
    };
    for _ in 0..2 {
        let kernel = echo::launch(&runtime, LaunchOptions::production().active(false)).unwrap();
        for value in 0..8 {
            let _ = kernel.send_blocking(Number { value }).unwrap();
        }
        // The end may come before the answer to this.
        let _ = kernel.activate_blocking();
        let mut answers = Vec::new();
        let end = loop {
            match kernel.recv_timeout(LIMIT) {
                Ok(answer) => answers.push(answer.value),
                Err(end) => break end,
            }
        };
        assert_eq!(end, RecvError::Closed);
        assert_eq!(answers, [0, 1, 2, 3, 4]);
        let left: Vec<u64> = kernel.take_undelivered().iter().map(|message| message.value).collect();
        assert_eq!(left, [5, 6, 7]);
        let status = kernel.status();
        assert_eq!(
            (status.state, status.sent, status.processed),
            (KernelState::Terminated, 8, 5),
            "{status}"
        );
        assert_eq!(status.drops.undelivered, 3, "{status}");
        assert!(matches!(kernel.send_blocking(Number { value: 8 }), Err(SendError::Closed(_))));
    }
}

/// A kernel whose host says nothing any more ends itself.
#[test]
fn a_kernel_ends_without_its_host() {
    let _alone = alone();
    let faults = Faults { no_heartbeat: true, patience: Some(2), ..Faults::default() };
    let Some(runtime) = common::runtime(OpenCl::new().faults(faults)) else { return };
    let kernel = echo::launch(&runtime, LaunchOptions::production()).unwrap();
    let _ = kernel.send_blocking(Number { value: 1 }).unwrap();
    assert_eq!(kernel.recv_timeout(LIMIT), Ok(Number { value: 1 }));
    assert_eq!(kernel.recv_timeout(LIMIT), Err(RecvError::Closed));
    assert_eq!(kernel.status().state, KernelState::Terminated);
}

/// So do blocks in step, which nap and wake together.
#[test]
fn blocks_in_step_end_without_their_host() {
    let _alone = alone();
    let faults = Faults { no_heartbeat: true, patience: Some(2), ..Faults::default() };
    let Some(runtime) = common::runtime(OpenCl::new().faults(faults)) else { return };
    let kernel = echo::launch(&runtime, LaunchOptions::production().grid(3).supersteps(true)).unwrap();
    assert_eq!(kernel.recv_timeout(LIMIT), Err(RecvError::Closed));
    assert_eq!(kernel.status().state, KernelState::Terminated);
    // They have left together: there is room for others, and the runtime ends.
    drop(kernel);
    let _again = echo::launch(&runtime, LaunchOptions::production().grid(3).supersteps(true)).unwrap();
}

/// While its host lives a kernel waits for as long as it takes.
#[test]
fn a_kernel_stays_with_its_host() {
    let _alone = alone();
    let faults = Faults { patience: Some(2), ..Faults::default() };
    let Some(runtime) = common::runtime(OpenCl::new().faults(faults)) else { return };
    let in_step = LaunchOptions::production().grid(3).supersteps(true);
    for options in [LaunchOptions::production().name("alone"), in_step.name("in step")] {
        let kernel = echo::launch(&runtime, options).unwrap();
        assert_eq!(kernel.recv_timeout(Duration::from_secs(1)), Err(RecvError::Timeout));
        let _ = kernel.send_blocking(Number { value: 1 }).unwrap();
        assert_eq!(kernel.recv_timeout(LIMIT), Ok(Number { value: 1 }));
    }
}

/// C that no compiler takes, at a line that says where it comes from.
fn broken(_: &'static KernelDefinition) -> Option<Cow<'static, str>> {
    let text = "#define ANN_SHAPE 0\n#define ANN_MESSAGE u64\n#define ANN_MESSAGE_BYTES 8\n#define ANN_MAX_OUTPUTS 0\n#define ANN_BINDING_PARAMETERS\n#define ANN_BINDING_ENTRY\n\
                #define ANN_BINDING_ARGUMENTS\nANN_FUNCTION u32 handle(void)\n{\n    // src/lib.rs:7\n    return missing;\n}\n\
                #define ANN_CALL(cx, message, state, outbox) handle()\n";
    Some(text.into())
}

#[test]
fn a_build_error_shows_the_rust_line() {
    let _alone = alone();
    let Some(_) = common::runtime(OpenCl::new()) else { return };
    let runtime = Runtime::builder().backend(OpenCl::new().handlers(broken)).build().unwrap();
    let error = echo::launch(&runtime, LaunchOptions::production()).unwrap_err().to_string();
    for part in ["`echo` does not compile", "missing", "return missing;", "from src/lib.rs:7"] {
        assert!(error.contains(part), "{part} in {error}");
    }
    // The name is free again.
    let again = echo::launch(&runtime, LaunchOptions::production()).unwrap_err().to_string();
    assert!(again.contains("does not compile"), "{again}");
}

/// Memory of a device's own is not copied while a kernel stays there, and nobody waits for it for ever.
#[test]
fn a_snapshot_of_a_resident_kernel_on_a_device_with_memory_of_its_own_is_refused() {
    let _alone = alone();
    let Some(runtime) = common::runtime(OpenCl::new().force_portable()) else { return };
    let kernel = common::count::launch(&runtime, LaunchOptions::production().actors(3)).unwrap();
    kernel.deactivate_blocking().unwrap();
    match kernel.snapshot_blocking() {
        Err(error @ SnapshotError::Backend { .. }) => {
            assert!(error.to_string().contains("force_epochs"), "{error}")
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_device_that_is_not_there_lists_those_that_are() {
    let _alone = alone();
    let Some(_) = common::runtime(OpenCl::new()) else { return };
    for options in [OpenCl::new().device_index(1000), OpenCl::new().device_named("no such device")] {
        let error = Runtime::builder().backend(options).build().unwrap_err().to_string();
        assert!(error.contains("there is `"), "{error}");
    }
}
