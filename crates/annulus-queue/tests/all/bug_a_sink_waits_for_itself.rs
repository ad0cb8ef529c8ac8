//! A sink that pushed to its own batcher, flushed, closed or dropped it waited for itself for ever; so did
//! the `Drop` of a message that a batch was cleared of, and on the timer's thread that was the end of all
//! batchers.

use std::{
    sync::{
        Arc, Mutex, OnceLock,
        mpsc::{Sender, channel},
    },
    time::Duration,
};

use annulus_queue::batching::{BatchOptions, BatchSink, Batcher, PushError};

const LONG: Duration = Duration::from_secs(60);

type Slot = Arc<OnceLock<Batcher<u32, Echo>>>;

/// Pushes, flushes and closes while it delivers; tells what it gets.
struct Echo {
    own: Slot,
    told: Sender<Vec<u32>>,
    /// Deliveries to come.
    left: u32,
}

impl BatchSink<u32> for Echo {
    type Error = ();

    fn deliver(&mut self, batch: &mut Vec<u32>) -> Result<(), ()> {
        let own = self.own.get().expect("it is there before a message is");
        let first = batch[0];
        self.told.send(std::mem::take(batch)).unwrap();
        self.left -= 1;
        if self.left > 1 {
            // Fills the other batch, and finds no more room.
            assert_eq!(own.push(first + 1), Ok(()));
            assert_eq!(own.push(first + 2), Ok(()));
            assert_eq!(own.push(first + 3), Err(PushError::Busy(first + 3)));
            assert_eq!(own.flush(), Ok(()));
        } else if self.left == 1 {
            assert_eq!(own.push(first + 1), Ok(()));
            assert_eq!(own.close(), Ok(()));
            assert_eq!(own.push(first + 2), Err(PushError::Closed(first + 2)));
        }
        Ok(())
    }
}

#[test]
fn what_it_asks_for_comes_afterwards() {
    let (told, tells) = channel();
    let own = Slot::default();
    let sink = Echo { own: Arc::clone(&own), told, left: 4 };
    let options = BatchOptions::new().messages(2).delay(Duration::MAX);
    assert!(own.set(Batcher::new(options, sink).unwrap()).is_ok());
    own.get().unwrap().push(10).unwrap();
    own.get().unwrap().flush().unwrap();
    let got: Vec<_> = tells.try_iter().collect();
    assert_eq!(got, [vec![10], vec![11, 12], vec![12, 13], vec![13]]);
    assert_eq!(own.get().unwrap().counters().returned, 0);
}

/// The batcher that messages flush, as long as they do.
type Own = Arc<Mutex<Option<Arc<Batcher<Flushes, Clears>>>>>;

/// A message whose `Drop` flushes: it is dropped where the batch is cleared.
struct Flushes(Own, Sender<()>);

impl Drop for Flushes {
    fn drop(&mut self) {
        let own = self.0.lock().unwrap().clone();
        own.map(|own| own.flush());
        self.1.send(()).unwrap();
    }
}

/// Leaves the messages to be dropped.
struct Clears;

impl BatchSink<Flushes> for Clears {
    type Error = ();

    fn deliver(&mut self, _: &mut Vec<Flushes>) -> Result<(), ()> {
        Ok(())
    }
}

#[test]
fn a_message_flushes_as_it_is_dropped() {
    let own = Own::default();
    let (told, tells) = channel();
    let batcher = Arc::new(Batcher::new(BatchOptions::new().delay(Duration::MAX), Clears).unwrap());
    *own.lock().unwrap() = Some(Arc::clone(&batcher));
    for _ in 0..3 {
        assert!(batcher.push(Flushes(Arc::clone(&own), told.clone())).is_ok());
    }
    batcher.flush().unwrap();
    assert_eq!(tells.try_iter().count(), 3);
    *own.lock().unwrap() = None;
}

/// Drops its own batcher, on the timer's thread.
#[test]
fn the_timer_outlives_a_batcher_that_its_sink_drops() {
    let own = Arc::new(Mutex::new(None));
    let its = Arc::clone(&own);
    let sink = move |_: &mut Vec<u32>| {
        let dropped: Option<Box<dyn std::any::Any + Send>> = its.lock().unwrap().take();
        drop(dropped);
        Ok::<(), ()>(())
    };
    let batcher = Batcher::new(BatchOptions::new().delay(Duration::from_millis(20)), sink).unwrap();
    let mut held = own.lock().unwrap();
    batcher.push(1).unwrap();
    *held = Some(Box::new(batcher));
    drop(held);
    let (told, tells) = channel();
    let good =
        Batcher::new(BatchOptions::new().delay(Duration::from_millis(40)), move |batch: &mut Vec<u32>| {
            batch.drain(..).try_for_each(|message| told.send(message))
        });
    let good = good.unwrap();
    good.push(2).unwrap();
    assert_eq!(tells.recv_timeout(LONG), Ok(2));
    assert!(own.lock().unwrap().is_none());
}
