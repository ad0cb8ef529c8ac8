//! Handlers that end their actors where nothing can end.

use annulus::prelude::*;

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Step {
    #[ring(key)]
    session: u64,
}

#[derive(DeviceType, Clone, Copy, Default)]
#[repr(C)]
struct Session {
    steps: u64,
}

#[ring_kernel]
fn without_a_state(step: &Step, actor: &ThisActor) {
    if step.session == 0 {
        actor.end();
    }
}

#[ring_kernel]
fn by_a_block(cx: &BlockCx, step: &Step, session: &Block<Session>, actor: &ThisActor) {
    if cx.is_leader() {
        session.set(Session { steps: step.session });
        actor.end();
    }
}

#[ring_kernel]
fn of_two(step: &Step, session: &mut Session, actor: &ThisActor, other: &ThisActor) {
    session.steps += step.session;
    actor.end();
    other.end();
}

#[ring_kernel]
fn mutable(step: &Step, session: &mut Session, actor: &mut ThisActor) {
    session.steps += step.session;
    actor.end();
}

#[ring_kernel]
fn by_value(step: &Step, session: &mut Session, actor: ThisActor) {
    session.steps += step.session;
    actor.end();
}

#[ring_kernel]
fn first(actor: &ThisActor, session: &mut Session) {
    session.steps += 1;
    actor.end();
}

#[device_fn]
fn ends(actor: &ThisActor) {
    actor.end();
}

fn main() {}
