//! A closure that looked at a message with `peek`, and used the same queue, waited for itself for ever.

use std::panic::{AssertUnwindSafe, catch_unwind};

use annulus_queue::{MessageQueue, QueueOptions};

fn says_so(use_it: impl Fn(&MessageQueue<u32>)) {
    let queue = MessageQueue::new(QueueOptions::new().priority(true)).unwrap();
    assert!(queue.try_send(1).is_ok());
    let panic = catch_unwind(AssertUnwindSafe(|| queue.peek(|_| use_it(&queue)))).unwrap_err();
    let text = panic.downcast_ref::<&str>().expect("a message");
    assert!(text.contains("peek") && text.contains("locked"), "{text}");
    // Nothing has changed, and the queue goes on.
    assert_eq!(queue.peek(|&message| message), Ok(1));
    assert_eq!(queue.try_recv(), Ok(1));
}

#[test]
fn it_panics_instead() {
    says_so(|queue| assert!(queue.try_recv().is_ok()));
    says_so(|queue| assert!(queue.try_send(2).is_ok()));
    says_so(|queue| assert!(!queue.is_empty()));
    says_so(|queue| assert!(queue.peek(|_| ()).is_ok()));
}

/// Others wait, as they should.
#[test]
fn another_thread_waits() {
    let queue = MessageQueue::new(QueueOptions::new().priority(true)).unwrap();
    assert!(queue.try_send(1).is_ok());
    std::thread::scope(|scope| {
        let taken = queue.peek(|_| {
            let taker = scope.spawn(|| queue.try_recv());
            std::thread::sleep(std::time::Duration::from_millis(20));
            assert!(!taker.is_finished());
            taker
        });
        assert_eq!(taken.unwrap().join().unwrap(), Ok(1));
    });
}
