//! A batcher's errors carried what the sink had said, and gave it to nobody who asks an error for its source.

use std::{error::Error, num::ParseIntError};

use annulus_queue::batching::{CloseError, PushError};

#[test]
fn they_name_what_caused_them() {
    let cause = || "seven".parse::<u8>().expect_err("it is no number");
    let refused = PushError::Refused(7, cause());
    let source = refused.source().expect("the sink refused");
    assert_eq!(source.downcast_ref::<ParseIntError>(), Some(&cause()));
    assert!(PushError::<_, ParseIntError>::Busy(7).source().is_none());
    let left = CloseError { error: cause(), undelivered: vec![7] };
    assert!(left.source().is_some_and(|source| source.is::<ParseIntError>()));
}
