//! Kernels whose C is written by hand, against the contract of the device program: what tests of the device
//! runtime launch.
#![allow(missing_docs)] // Message fields say what they are by their names.
#![allow(clippy::manual_is_multiple_of)] // The kernel language has `%`.
#![allow(dead_code)] // Each test binary uses some of it.

use std::{
    borrow::Cow,
    sync::{Mutex, MutexGuard, PoisonError},
};

use annulus_kernel::{Failure, KernelDefinition, Outbox};
use annulus_macros::{DeviceType, RingMessage, ring_kernel};
use annulus_opencl::OpenCl;
use annulus_runtime::Runtime;

/// Keeps the process's other tests off the device, where they would lack what this one keeps resident.
pub(crate) fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

#[derive(RingMessage, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub(crate) struct Number {
    pub(crate) value: u64,
}

#[derive(RingMessage, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub(crate) struct Item {
    #[ring(key)]
    pub(crate) key: u32,
    pub(crate) producer: u32,
    pub(crate) sequence: u64,
}

#[derive(RingMessage, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub(crate) struct Counted {
    pub(crate) key: u32,
    pub(crate) producer: u32,
    pub(crate) sequence: u64,
    pub(crate) count: u64,
}

#[derive(DeviceType, Clone, Copy, Debug, Default)]
#[repr(C)]
pub(crate) struct Count {
    pub(crate) count: u64,
}

/// Answers each message with itself.
#[ring_kernel]
pub(crate) fn echo(message: &Number, replies: &Outbox<Number>) {
    replies.send(*message);
}

/// Counts each actor's messages; fails on a sequence number that is a multiple of 100, after it has counted
/// and sent.
#[ring_kernel(mode = Batch, max_messages_per_iteration = 64, max_outputs = 2)]
pub(crate) fn count(item: &Item, count: &mut Count, replies: &Outbox<Counted>) -> Result<(), Failure> {
    count.count += 1;
    replies.send(Counted {
        key: item.key,
        producer: item.producer,
        sequence: item.sequence,
        count: count.count,
    });
    if item.sequence % 100 == 0 {
        return Err(Failure::of(7));
    }
    Ok(())
}

const ECHO: &str = "
typedef struct { u64 value; } Number;
#define ANN_MESSAGE Number
#define ANN_MESSAGE_BYTES 8
#define ANN_OUTPUT Number
#define ANN_OUTPUT_BYTES 8
#define ANN_SHAPE 0
#define ANN_KEYED 0
#define ANN_MAX_OUTPUTS 1
#define ANN_BINDING_PARAMETERS
#define ANN_BINDING_ENTRY
#define ANN_BINDING_ARGUMENTS
ANN_FUNCTION u32 echo(ann_cx cx, GLOBAL const Number *message, PRIVATE ann_outbox *replies)
{
    // tests/common/mod.rs:46
    GLOBAL u8 *place = ann_outbox_next(replies);
    if (place)
        *(GLOBAL Number *)place = *message;
    return 0;
}
#define ANN_CALL(cx, message, state, outbox) echo(cx, message, outbox)
";

const COUNT: &str = "
typedef struct { u32 key; u32 producer; u64 sequence; } Item;
typedef struct { u32 key; u32 producer; u64 sequence; u64 count; } Counted;
typedef struct { u64 count; } Count;
#define ANN_MESSAGE Item
#define ANN_MESSAGE_BYTES 16
#define ANN_OUTPUT Counted
#define ANN_OUTPUT_BYTES 24
#define ANN_STATE Count
#define ANN_SHAPE 1
#define ANN_KEYED 1
#define ANN_KEY(message) ((u64)(message)->key)
#define ANN_MAX_OUTPUTS 2
#define ANN_BINDING_PARAMETERS
#define ANN_BINDING_ENTRY
#define ANN_BINDING_ARGUMENTS
ANN_FUNCTION u32 count(ann_cx cx, GLOBAL const Item *item, PRIVATE Count *count, PRIVATE ann_outbox *replies)
{
    // tests/common/mod.rs:52
    count->count += 1;
    GLOBAL u8 *place = ann_outbox_next(replies);
    if (place) {
        GLOBAL Counted *counted = (GLOBAL Counted *)place;
        counted->key = item->key;
        counted->producer = item->producer;
        counted->sequence = item->sequence;
        counted->count = count->count;
    }
    // tests/common/mod.rs:54
    return item->sequence % 100 == 0 ? 7 : 0;
}
#define ANN_CALL(cx, message, state, outbox) count(cx, message, state, outbox)
";

/// The C of a kernel of this module.
pub(crate) fn handlers(definition: &'static KernelDefinition) -> Option<Cow<'static, str>> {
    match definition.name {
        "echo" => Some(ECHO.into()),
        "count" => Some(COUNT.into()),
        _ => None,
    }
}

/// A runtime on the first OpenCL device; prints why there is none.
pub(crate) fn runtime(options: OpenCl) -> Option<Runtime> {
    match Runtime::builder().backend(options.resident_groups(64).handlers(handlers)).build() {
        Ok(runtime) => Some(runtime),
        Err(error) => {
            println!("skipped: {error}");
            None
        }
    }
}
