//! A batcher's errors contained the sink's error, but did not return it as their source.

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
