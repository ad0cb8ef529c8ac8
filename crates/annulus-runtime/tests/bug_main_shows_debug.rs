//! A `main` that returned a launch's error showed the fields of types, with the quotes of the message
//! escaped: `Debug` prints the words.

use annulus_runtime::{BackendError, CallError, ConnectError, LaunchError, SnapshotError};

#[test]
fn debug_prints_the_words() {
    let error = BackendError::new("no `driver`: say \"yes\"");
    assert_eq!(format!("{error:?}"), "no `driver`: say \"yes\"");
    let error = LaunchError::Backend { backend: "cuda", error };
    assert_eq!(format!("{error:?}"), "the cuda backend cannot launch it: no `driver`: say \"yes\"");
    let error = ConnectError::NotConnectable { kernel: "average".into() };
    let words = "`average` was launched without links: launch it with LaunchOptions::connectable(true), or with \
                 the kernel's own options() if its attribute says `connectable`";
    assert_eq!(format!("{error:?}"), words);
    assert_eq!(format!("{:?}", CallError::Timeout), CallError::Timeout.to_string());
    let error = SnapshotError::Active { kernel: "average".into() };
    let words = "`average` is active, and its state changes at any time: deactivate it first";
    assert_eq!(format!("{error:?}"), words);
}
