#![allow(unused_variables)]
use annulus::prelude::*;

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Job {
    number: u32,
}

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Other {
    number: u32,
}

const JOBS: Topic = Topic::of("jobs");

#[ring_kernel]
fn plain(job: &Job, out: &Outbox<Job>) {
    out.send(*job);
}

#[ring_kernel]
fn silent(job: &Job) {}

#[ring_kernel]
fn sort(job: &Job, good: &Outbox<Job>, bad: &Outbox<Job>) {}

#[ring_kernel]
fn deal(job: &Job, jobs: &Outbox<Addressed<Job>>) {
    jobs.send(Addressed { to: Peer::<Job>::ANY, message: *job });
}

#[ring_kernel]
fn tell(job: &Job, jobs: &Outbox<Published<Job>>) {
    jobs.send(Published { topic: JOBS, message: *job });
}

#[ring_kernel]
fn others(other: &Other) {}

fn connect(
    plain: &KernelHandle<plain>,
    silent: &KernelHandle<silent>,
    sort: &KernelHandle<sort>,
    deal: &KernelHandle<deal>,
    tell: &KernelHandle<tell>,
    others: &KernelHandle<others>,
) {
    // Outputs that do not say where they go.
    plain.connect_along(plain).unwrap();
    plain.rows();
    plain.connect_peers(&[plain.peer()]).unwrap();
    plain.connect_topics(&[plain.peer()]).unwrap();
    silent.connect_peers_with(&[plain.peer()], Backpressure::Reject).unwrap();
    // Those that say it otherwise.
    deal.connect_topics(&[plain.peer()]).unwrap();
    tell.connect_peers(&[plain.peer()]).unwrap();
    deal.connect(plain).unwrap();
    // Kernels that take something else.
    deal.connect_peers(&[others.peer()]).unwrap();
    tell.connect_topics(&[others.peer()]).unwrap();
    // Several outboxes.
    sort.connect(plain).unwrap();
    sort.port(sort::GOOD).connect(others).unwrap();
}

fn main() {}
