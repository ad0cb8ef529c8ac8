//! Of the errors here only two told what caused them, so that nobody could ask for more than their words.

use std::{error::Error, io};

use annulus_kernel::LowerError;
use annulus_runtime::{
    BackendError, BatchError, ConnectError, HandleError, LaunchError, SendError, SnapshotError, UnknownKernel,
};

fn cause<C: Error + 'static>(error: &dyn Error) -> &C {
    error.source().expect("a cause").downcast_ref().expect("of that type")
}

fn lowering() -> LowerError {
    LowerError { kernel: "detect", file: "src/lib.rs", line: 7, reason: "a device has no text".into() }
}

#[test]
fn a_backends_error_has_a_cause() {
    let plain = BackendError::new("no device");
    assert!(plain.source().is_none());
    let caused = BackendError::new(lowering().to_string()).caused_by(lowering());
    assert_eq!(cause::<LowerError>(&caused).line, 7);
    assert_eq!(caused, BackendError::new(lowering().to_string()), "words are what is compared");
    assert_eq!(caused.clone().source().map(ToString::to_string), Some(lowering().to_string()));
}

#[test]
fn errors_lead_to_the_first_cause() {
    let error = BackendError::new("no threads: none left").caused_by(io::Error::other("none left"));
    let launch = LaunchError::Backend { backend: "cpu", error: error.clone() };
    assert_eq!(launch.to_string(), "the cpu backend cannot launch it: no threads: none left");
    assert_eq!(cause::<io::Error>(cause::<BackendError>(&launch)).to_string(), "none left");

    let connect = ConnectError::Backend { backend: "cpu", error: error.clone() };
    assert_eq!(connect.to_string(), "the cpu backend cannot connect them: no threads: none left");
    assert_eq!(cause::<BackendError>(&connect), &error);

    let snapshot = SnapshotError::from(error.clone());
    assert_eq!(snapshot.to_string(), "no threads: none left");
    assert_eq!(cause::<BackendError>(&snapshot), &error);

    let batch = BatchError { sent: 3, cause: SendError::Timeout(()) };
    assert_eq!(
        batch.to_string(),
        "3 messages of the batch were sent; then the queue stayed full until the deadline"
    );
    assert_eq!(cause::<SendError<()>>(&batch), &SendError::Timeout(()));

    let unknown = UnknownKernel { name: "detect".into(), running: vec!["a".into(), "b".into()] };
    let handle = HandleError::Unknown(unknown.clone());
    assert_eq!(handle.to_string(), "no kernel named `detect` is running; these are: a, b");
    assert_eq!(cause::<UnknownKernel>(&handle), &unknown);
}

/// The name of the kernel that sends is called `source`, and caused nothing.
#[test]
fn a_source_of_messages_is_no_cause() {
    let error = ConnectError::OtherRuntime { source: "a".into(), target: "b".into() };
    let told =
        "`a` and `b` run on two runtimes: launch both on one, or carry the outputs there with `bridge_to`";
    assert_eq!(error.to_string(), told);
    assert!(error.source().is_none());
}
