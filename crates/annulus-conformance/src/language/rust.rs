//! The handler as Rust.

use std::panic::{AssertUnwindSafe, catch_unwind};

use annulus_abi::error;
use annulus_kernel::{
    BoundMemory, Cx, Failure, Invocation, KernelDefinition, NoOutput, RawLater, RawOutbox, ThisActor,
    panic_code,
};

use tracing::subscriber::with_default;

use super::{Call, MOST_PRINTS, Outcome, Places, memory::Memory};
use crate::prints::Keeper;

/// The context that handlers see.
pub(super) const CX: Cx = Cx::new(3, 5, 0);

/// An output's memory for one call.
pub(super) fn room(definition: &KernelDefinition) -> Memory {
    let ty = definition.output.unwrap_or(<NoOutput as annulus_kernel::DeviceType>::DESCRIPTOR);
    Memory::zeroed(ty, definition.max_outputs as usize)
}

/// One call of a kernel's handler, as a block of the CPU backend makes it.
///
/// # Panics
///
/// If the call's memory has not the types of the definition.
pub fn call(definition: &'static KernelDefinition, call: &Call) -> Outcome {
    call_at(CX, definition, call)
}

/// One call of the handler of a kernel whose block of so many threads works on one message.
///
/// # Panics
///
/// If the call's memory has not the types of the definition.
pub fn call_block(definition: &'static KernelDefinition, call: &Call, threads: u32) -> Outcome {
    call_at(CX.with_block_dim(threads), definition, call)
}

fn call_at(cx: Cx, definition: &'static KernelDefinition, call: &Call) -> Outcome {
    let Call { mut message, mut state, mut bindings, told } = call.clone();
    let cx = cx.with_queue(told.queue).with_time(told.now).with_stamp(told.stamp);
    assert_eq!(message.ty(), definition.message, "the message's type");
    let mut outputs = room(definition);
    let slots = outputs.len().next_power_of_two().max(1);
    let mut ring = Memory::zeroed(outputs.ty(), slots);
    let bound: Vec<BoundMemory> = bindings
        .iter_mut()
        .map(|memory| BoundMemory { data: memory.as_mut_ptr(), len: memory.len() })
        .collect();
    let stride = ring.ty().size;
    // SAFETY: the ring has `slots` payloads of the output type, and is this call's own.
    let outbox =
        unsafe { RawOutbox::new(ring.as_mut_ptr(), stride, slots as u64 - 1, definition.max_outputs) };
    // SAFETY: the slots are this call's own.
    unsafe { outbox.begin(0) };
    let mut places = Places::of(definition);
    let limit = places.entries().len() as u32;
    let first = places.messages().as_mut_ptr();
    // SAFETY: every place that an entry names lies among the messages, which are this call's own.
    let later = unsafe { RawLater::new(first, definition.message.size) };
    // SAFETY: there are that many entries, and they are this call's own.
    unsafe { later.begin(places.first_entry(), limit, told.now) };
    let actor = ThisActor::new();
    let invocation = Invocation {
        cx,
        message: message.as_mut_ptr(),
        state: state.as_mut_ptr(),
        bindings: &bound,
        outbox: &outbox,
        later: definition.timers.map(|_| &later),
        actor: &actor,
    };
    // SAFETY: the memory has the types that the definition names: `Inputs` makes it by the same definition.
    let run = AssertUnwindSafe(|| unsafe { (definition.cpu)(&invocation) });
    let keeper = Keeper::default();
    let verdict = with_default(keeper.clone(), || catch_unwind(run));
    let mut prints: Vec<String> = keeper.kept(|_| true).into_iter().map(|print| print.message).collect();
    prints.truncate(MOST_PRINTS);
    let code = match verdict {
        Ok(Ok(())) if outbox.refused() => error::TOO_MANY_OUTPUTS,
        Ok(Ok(())) if later.refused() => error::TIMERS_FULL,
        Ok(verdict) => verdict.map_or_else(Failure::code, |()| 0),
        Err(panic) => panic_code(&*panic),
    };
    let sent = if code == 0 { outbox.sent() as usize } else { 0 };
    outputs.truncate(sent);
    let bytes = outputs.bytes().len();
    outputs.bytes_mut().copy_from_slice(&ring.bytes()[..bytes]);
    let (timers, later) = places.sent(if code == 0 { later.count() as usize } else { 0 });
    Outcome { code, state, outputs, timers, later, bindings, prints }
}
