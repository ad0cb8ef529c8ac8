//! A call that fails says what the application calls the failure: that of the kernel which failed, and of no other.

use annulus::{ErrorName, prelude::*};
use annulus_cpu::Cpu;

#[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
#[repr(C)]
struct Sum {
    cents: i64,
}

#[derive(ErrorCode, Clone, Copy)]
#[repr(u16)]
enum Unread {
    /// Nothing is to be booked.
    Nothing = 1,
}

#[derive(ErrorCode, Clone, Copy)]
#[repr(u16)]
enum Refused {
    /// The account has too little.
    Overdrawn = 1,
    Closed = 2,
}

#[ring_kernel(connectable = true)]
fn read(sum: &Sum, out: &Outbox<Sum>) -> Result<(), Unread> {
    if sum.cents == 0 {
        return Err(Unread::Nothing);
    }
    out.send(*sum);
    Ok(())
}

#[ring_kernel(connectable = true)]
fn book(sum: &Sum, out: &Outbox<Sum>) -> Result<(), Refused> {
    if sum.cents == 7 {
        return Err(Refused::Closed);
    }
    if sum.cents < 0 {
        return Err(Refused::Overdrawn);
    }
    out.send(Sum { cents: 100 / (sum.cents - 1) });
    Ok(())
}

fn said<T: std::fmt::Debug>(answer: Result<T, CallError>) -> String {
    answer.unwrap_err().to_string()
}

#[test]
fn a_call_says_what_its_failure_is_called() {
    let runtime = Runtime::builder().backend(Cpu::new().workers(1)).build().unwrap();
    let book = book::launch(&runtime, book::options()).unwrap();
    let call = |cents| book.call_blocking(Sum { cents });
    static NAME: ErrorName = ErrorName { code: 1, name: "Overdrawn", meaning: "The account has too little" };
    assert_eq!(call(-5), Err(CallError::Failed { code: 1, name: Some(&NAME) }));
    assert_eq!(said(call(-5)), format!("the handler failed with {NAME}"));
    assert_eq!(said(call(7)), "the handler failed with Closed (0x0002)");
    // Annulus's own codes have none.
    let own = annulus_abi::error::DIVISION_BY_ZERO;
    assert_eq!(call(1), Err(CallError::Failed { code: own, name: None }));
    assert!(
        said(call(1)).starts_with("the handler failed with 0xff05 (the handler divided by zero"),
        "{}",
        said(call(1))
    );
    assert_eq!(call(3), Ok(Sum { cents: 50 }));
}

#[test]
fn a_call_through_a_pipeline_says_it_by_the_names_of_the_kernel_that_failed() {
    let runtime = Runtime::builder().backend(Cpu::new().workers(1)).build().unwrap();
    let book = book::launch(&runtime, book::options().through(4)).unwrap();
    let read = read::launch_into(&book, read::options().through(4)).unwrap();
    let pipeline = Pipeline::new(&read, &book).unwrap();
    let call = |cents| pipeline.call_blocking(Sum { cents });
    assert!(said(call(0)).starts_with("the handler failed with Nothing (0x0001)"), "{}", said(call(0)));
    assert!(said(call(-5)).starts_with("the handler failed with Overdrawn (0x0001)"), "{}", said(call(-5)));
    assert_eq!(call(3), Ok(Sum { cents: 50 }));
}
