//! Bridges between a queue and bytes: files, pipes, sockets.
//!
//! [`BridgeOut`] takes messages from a [`MessageQueue`] and writes them as frames, in batches. [`BridgeIn`]
//! reads frames, and sends their messages to a queue. Both run on the thread that calls `run`, until the
//! queue is closed or the stream ends.
//!
//! # What it promises
//!
//! - **Order.** Messages leave in the order in which the queue gives them out, and arrive in the order of the
//!   stream.
//! - **A batch goes when it is full, or when its first message has waited for the delay**, even if no other
//!   message ever comes. With nothing on the way the thread sleeps without a time limit.
//! - **Back-pressure through the whole chain.** A bridge holds one batch at most. A destination that takes no
//!   bytes stops it; then its queue fills up, and the queue's strategy decides. A queue that has no room
//!   stops the other bridge, so that it reads nothing, and the pipe fills up.
//! - **Every message is counted once**: `taken = moved + drops`, with what a failed `run` hands back.
//! - **What no frame can be made of, and what is no message, becomes a dead letter**, if the program gives a
//!   store.
//! - **No allocation per message** of a direct type, once buffers have grown.
//!
//! # What it does not promise
//!
//! - *Exactly once.* After an error of the stream nobody knows which of the last batch's bytes have arrived,
//!   so the whole batch comes back.
//!
//! ```
//! use std::{io, thread, time::Duration};
//! use annulus_message::{FrameReader, FrameWriter};
//! use annulus_queue::{MessageQueue, batching::BatchOptions, bridge::{BridgeIn, BridgeOut}};
//! # use annulus_message::{DecodeError, EncodeError, Encoding, Field, Message, Number, Payload, Schema, Shape};
//! # #[derive(Debug, PartialEq)]
//! # struct Tick(u32); // derived in a program: #[derive(RingMessage)]
//! # impl Message for Tick {}
//! # impl Payload for Tick {
//! #     const ENCODING: Encoding = Encoding::Direct;
//! #     const ROOT_SIZE: usize = 4;
//! #     fn schema() -> Schema {
//! #         let fields = vec![Field { name: "0".into(), shape: Shape::Number(Number::U32) }];
//! #         let shape = Shape::Struct { name: "Tick".into(), fields };
//! #         Schema { name: "Tick".into(), version: 0, encoding: Self::ENCODING, shape }
//! #     }
//! #     fn write(&self, to: &mut Vec<u8>) -> Result<(), EncodeError> {
//! #         to.extend_from_slice(&self.0.to_le_bytes());
//! #         Ok(())
//! #     }
//! #     fn read(bytes: &[u8]) -> Result<Self, DecodeError> {
//! #         let bytes = bytes.try_into().map_err(|_| DecodeError::new("a tick has 4 bytes"))?;
//! #         Ok(Self(u32::from_le_bytes(bytes)))
//! #     }
//! # }
//!
//! let (reader, writer) = io::pipe()?;
//! let (from, to) = (MessageQueue::with_defaults(), MessageQueue::with_defaults());
//! let mut out = BridgeOut::new(&from, BatchOptions::new().messages(64).delay(Duration::from_millis(1)))?;
//! let statistics = out.statistics();
//! let mut back = BridgeIn::new(&to);
//! thread::scope(|scope| {
//!     scope.spawn(move || out.run(&mut FrameWriter::new(writer)));
//!     scope.spawn(move || back.run(&mut FrameReader::new(reader)));
//!     let _ = from.send_blocking(Tick(7));
//!     assert_eq!(to.recv_blocking(), Ok(Tick(7))); // the delay has passed, though nothing else was sent
//!     from.close(); // ends both
//! });
//! assert_eq!((statistics.counters().moved, statistics.counters().by_timer), (1, 1));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod counters;
mod inward;
mod outward;

pub use counters::{BridgeCounters, BridgeDrops, BridgeStatistics};
pub use inward::{BridgeIn, BridgeInError};
pub use outward::{BridgeOut, BridgeOutError};

#[cfg(doc)]
use crate::MessageQueue;
