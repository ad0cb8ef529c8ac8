//! Words that other systems have for what is said in another way here, or elsewhere.

use syn::Meta;

use crate::types;

/// What to write for a word that other systems have.
pub(super) fn said_otherwise(word: &str, meta: &Meta) -> Option<&'static str> {
    let value = match meta {
        Meta::NameValue(pair) => types::text(&pair.value),
        _ => String::new(),
    };
    // `BarrierScope::Warp` and `Warp` are the same.
    let value = value.rsplit("::").next().unwrap_or_default().trim();
    Some(match word {
        "processing_mode" => "write `mode = …`",
        "message_queue_size" => {
            "write `capacity = …`, which is that of both rings unless `output_capacity` says another"
        }
        "input_queue_size" | "queue_capacity" => "write `capacity = …`",
        "output_queue_size" => "write `output_capacity = …`",
        "max_message_size" | "max_input_message_size" => {
            "a slot is as large as its message type; of bridged messages write `max_payload = …`"
        }
        "grid_size" => "write `grid = …`",
        "block_size" => "write `block = …`",
        "memory_consistency" => "write `consistency = ReleaseAcquire`, which is the default",
        "enable_causal_ordering" => "write `causal_ordering = true`",
        "enable_timestamps" => "write `timestamps = true`, which is the default",
        "latency_tracking" | "enable_latency_tracking" => "write `track_latency = true`",
        "enable_telemetry" => {
            "telemetry is enabled while the kernel runs: `kernel.enable_telemetry()`; until then it costs nothing"
        }
        "event_driven" => "write `run_mode = EventDriven`",
        "persistent" => "write `run_mode = Persistent`, which is the default",
        "backend" => "write `backends = [Cuda]`, with all that the kernel may be launched on",
        "backpressure_strategy" => "write `backpressure = …`",
        "deduplication_window_size" => "write `deduplication_window = …`",
        "enable_priority_queue" => "write `priority = true`",
        "message_ttl" | "time_to_live" => "write `expiry = \"250 ms\"`",
        "shared_memory_size" => "write `shared_memory = …`, the most bytes that `cx.shared` may take",
        "body" => {
            "the parameters say it: make `cx: &BlockCx` the first one and `inbox: &Inbox<M>` the second, and take messages \
             by `inbox.try_recv()`"
        }
        "use_barriers" | "barriers" => {
            "the handler says where its threads wait: make `cx: &BlockCx` its first parameter, and call `cx.barrier()`; \
             for all blocks write `supersteps = true`"
        }
        "barrier_scope" => match value {
            "Grid" => "write `supersteps = true`: all blocks end their turns together",
            "System" => {
                "a handler waits at no barrier of several kernels: let kernels and the host send to one with a name, an \
                 `annulus::barrier::NamedBarrier`; the blocks of one kernel take their turns together with \
                 `supersteps = true`"
            }
            "Warp" => {
                "the handler says it by what it calls: make `cx: &BlockCx` its first parameter, and call `cx.warp_barrier()`, \
                 which the threads of a warp wait at"
            }
            "Tile" => {
                "no group of threads is smaller than a warp: make `cx: &BlockCx` the first parameter, and call \
                 `cx.warp_barrier()`, which the threads of a warp wait at, or `cx.barrier()` for the whole block"
            }
            _ => {
                "the handler says it by what it calls: make `cx: &BlockCx` its first parameter, and call `cx.barrier()`, \
                 which a whole block waits at"
            }
        },
        "barrier_capacity" => {
            "at `cx.barrier()` all threads of the block wait, as many as `block = …` says, and there is no other number \
             of them; a barrier of several kernels says how many are its parties, see `annulus::barrier`"
        }
        "named_barriers" | "named_barrier" | "barrier_timeout" => {
            "a barrier with a name and a limit belongs to several kernels and the host, and none of them alone: plan it \
             with `annulus::barrier::BarrierPlan`, and send it an `Arrive`; the barrier of a block's threads, \
             `cx.barrier()`, has no name"
        }
        "messaging_strategy" => match value {
            "SharedMemory" => {
                "the threads of a block share memory by `cx.shared::<T, N>()`; a message to another block goes through a \
                 ring in the device's memory, with `connectable = true`"
            }
            "P2P" | "PeerToPeer" | "Peer" => {
                "a device writes to no other device's rings: `kernel.bridge_to(&other)` carries messages between runtimes, through \
                 the host"
            }
            "NCCL" | "Collective" => {
                "collectives are of several launches of a kernel, and not of one: see `annulus::KernelGroup`"
            }
            _ => {
                "kernels of a runtime send to each other through lock-free rings in the device's memory, with \
                 `connectable = true`, and there is no other way to choose"
            }
        },
        _ => return None,
    })
}
