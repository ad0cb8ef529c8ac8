//! Queues of one sender hold small messages in groups that share a stamp. Messages of every size behave as a
//! plain list does.

use std::collections::VecDeque;

use annulus_queue::{
    Backpressure, QueueOptions,
    single_consumer::{Receiver, Sender, spsc},
};
use proptest::prelude::*;

#[derive(Clone, Debug)]
enum Step {
    Send,
    SendBatch(usize),
    Reserve(bool),
    Receive,
    ReceiveBatch(usize),
    Peek,
    Clear,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        Just(Step::Send),
        (0..40usize).prop_map(Step::SendBatch),
        any::<bool>().prop_map(Step::Reserve),
        Just(Step::Receive),
        (0..40usize).prop_map(Step::ReceiveBatch),
        Just(Step::Peek),
        Just(Step::Clear),
    ]
}

/// Takes the steps with messages of type `T`, made from numbers, beside a list of 16 places.
fn run<T: PartialEq + std::fmt::Debug + Send>(steps: &[Step], make: impl Fn(u64) -> T) {
    let options = QueueOptions::new().capacity(16).backpressure(Backpressure::Reject);
    let (mut tx, mut rx): (Sender<T>, Receiver<T>) = spsc(options).unwrap();
    let mut list = VecDeque::new();
    let mut number = 0;
    for step in steps {
        match *step {
            Step::Send => {
                number += 1;
                let sent = tx.try_send(make(number)).is_ok();
                assert_eq!(sent, list.len() < 16);
                if sent {
                    list.push_back(number);
                }
            }
            Step::SendBatch(count) => {
                let numbers = number + 1..number + 1 + count as u64;
                number += count as u64;
                let room = 16 - list.len();
                let mut back = Vec::new();
                let sent = tx.try_send_batch(numbers.clone().map(&make), |refused| back.push(refused));
                assert_eq!(sent, count.min(room));
                list.extend(numbers.clone().take(sent));
                assert_eq!(back, numbers.skip(sent).map(&make).collect::<Vec<_>>());
            }
            Step::Reserve(commits) => {
                let Ok(mut place) = tx.try_reserve() else {
                    assert_eq!(list.len(), 16);
                    continue;
                };
                number += 1;
                place.write(make(number));
                if commits {
                    assert!(place.commit().is_ok());
                    list.push_back(number);
                }
            }
            Step::Receive => assert_eq!(rx.try_recv().ok(), list.pop_front().map(&make)),
            Step::ReceiveBatch(most) => {
                let count = rx.try_recv_batch(most, |message| {
                    assert_eq!(Some(message), list.pop_front().map(&make));
                });
                assert!(count <= most && (count == most || list.is_empty()));
            }
            Step::Peek => {
                let same = rx.peek(|message| *message == make(list[0])).ok();
                assert_eq!(same, (!list.is_empty()).then_some(true));
            }
            Step::Clear => {
                assert_eq!(rx.clear(), list.len());
                list.clear();
            }
        }
        assert_eq!((tx.len(), rx.len()), (list.len(), list.len()));
    }
    let abandoned = list.len() as u64;
    drop(rx);
    assert_eq!(tx.counters().abandoned, abandoned);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if cfg!(miri) { 2 } else { 64 }))]

    #[test]
    fn of_every_size(steps in prop::collection::vec(step(), 0..200)) {
        run(&steps, |_| ());
        run(&steps, |n| n as u8);
        run(&steps, |n| n as u16);
        run(&steps, |n| n as u32);
        run(&steps, |n| [n as u8; 5]);
        run(&steps, |n| n);
        run(&steps, |n| [n as u32; 3]);
        run(&steps, |n| [n; 2]);
        run(&steps, u128::from);
        run(&steps, |n| [n as u32; 5]);
        run(&steps, |n| [n as u32; 7]);
        run(&steps, |n| [n; 7]);
        run(&steps, |n| [n; 9]);
        run(&steps, |n| n.to_string());
        run(&steps, Box::new);
    }
}
