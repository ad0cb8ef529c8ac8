//! Two kernels that hand tokens to each other, for a topology with a cycle:
//!
//! ```sh
//! echo '{"id": 1, "left": 3, "hops": 0}' | cargo run -q -p annulus-cli --example tokens -- run cycle.toml --to ping
//! ```
//!
//! where `cycle.toml` is
//!
//! ```toml
//! [kernels.ping]
//! [kernels.pong]
//! [[links]]
//! from = "ping.next"
//! to = "pong"
//! [[links]]
//! from = "pong"
//! to = "ping"
//! ```

use annulus::prelude::*;

/// A token that goes to and fro.
#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Token {
    id: u32,
    /// How often it is still handed on.
    left: u32,
    hops: u64,
}

/// A token at its end.
#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Arrived {
    id: u32,
    hops: u64,
}

/// Hands a token on, unless it has arrived.
#[ring_kernel(connectable = true)]
fn ping(token: &Token, next: &Outbox<Token>, arrived: &Outbox<Arrived>) {
    if token.left == 0 {
        arrived.send(Arrived { id: token.id, hops: token.hops });
    } else {
        next.send(Token { left: token.left - 1, hops: token.hops + 1, ..*token });
    }
}

/// Hands a token back.
#[ring_kernel(connectable = true)]
fn pong(token: &Token, back: &Outbox<Token>) {
    back.send(Token { hops: token.hops + 1, ..*token });
}

fn main() -> std::process::ExitCode {
    annulus_cli::main()
}
