//! An outbox whose outputs say themselves where they go is the handler's only one.
#![allow(unused_variables)]
use annulus::prelude::*;

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Job {
    #[ring(key)]
    number: u32,
}

#[derive(RingMessage, Clone, Copy)]
#[repr(u32)]
enum Event {
    #[ring(from)]
    Job(Job),
    #[ring(from)]
    Priced(Priced),
}

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Priced {
    #[ring(key)]
    number: u32,
    price: Answer<u64>,
}

type Directed = Addressed<Job>;

#[ring_kernel]
fn addressed(job: &Job, report: &Outbox<Job>, jobs: &Outbox<Addressed<Job>>) {}

#[ring_kernel]
fn published(job: &Job, rooms: &Outbox<Published<Job>>, report: &Outbox<Job>) {}

#[ring_kernel]
fn along(job: &Job, rows: &Outbox<Along<Job>>, reply: &Reply<Job>) {}

#[ring_kernel]
fn by_another_name(job: &Job, report: &Outbox<Job>, jobs: &Outbox<Directed>) {}

#[ring_kernel]
fn beside_an_ask(event: &Event, rooms: &Outbox<Published<Job>>, price: &Ask<Job, Priced>) {}

#[ring_kernel]
fn alone(job: &Job, jobs: &Outbox<Addressed<Job>>) {}

fn main() {}
