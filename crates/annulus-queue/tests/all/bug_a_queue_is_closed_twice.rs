//! The only sender of an `spmc` queue closes it on behalf of the last receiver when it finds that this has
//! left. If it had not looked yet, its own `close` returned that the queue had been open.

use annulus_queue::{QueueOptions, spmc::spmc};

#[test]
fn a_queue_that_nobody_receives_from_is_closed_already() {
    let (mut tx, rx) = spmc::<u32>(QueueOptions::new()).unwrap();
    drop(rx);
    assert!(tx.is_closed());
    assert!(!tx.close());

    let (mut tx, rx) = spmc::<u32>(QueueOptions::new()).unwrap();
    assert!(tx.close() && !tx.close());
    drop(rx);
}
