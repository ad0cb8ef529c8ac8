//! The sieve of Eratosthenes as a chain of kernels: what one sends is the next one's message, and the host sees only what falls out at the end.
//!
//! `cargo run -p annulus --example sieve -- [cpu|opencl]`
//!
//! Each kernel keeps the first number that reaches it, which is a prime, since all that came before it in the chain have let it through. From then on it lets
//! through what is no multiple. Ten kernels hold the primes below 30, so every number below 31² that passes them all is prime.

mod common;

use annulus::prelude::*;

/// Kernels in the chain.
const LENGTH: usize = 10;
/// The square of the first prime that no kernel holds.
const END: u32 = 31 * 31;

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Number {
    value: u32,
}

#[ring_kernel(mode = Batch)]
fn sieve(number: &Number, prime: &mut u32, rest: &Outbox<Number>) {
    if *prime == 0 {
        *prime = number.value;
    } else if !number.value.is_multiple_of(*prime) {
        rest.send(*number);
    }
}

fn main() -> std::process::ExitCode {
    common::run(|runtime| {
        // Targets first: the last one, and then each into the one behind it.
        let options =
            |place: usize| LaunchOptions::production().connectable(true).name(format!("sieve {place}"));
        let mut chain = vec![sieve::launch(runtime, options(LENGTH - 1))?];
        for place in (0..LENGTH - 1).rev() {
            chain.insert(0, sieve::launch_into(&chain[0], options(place))?);
        }
        let [first, .., last] = &chain[..] else { return Err("a chain has two ends".into()) };

        let numbers: Vec<Number> = (2..END).map(|value| Number { value }).collect();
        first.send_batch_blocking(&numbers)?;
        // Of all that are connected to it as well: nothing is on its way any more.
        last.drained_blocking();

        let mut primes = Vec::new();
        for kernel in &chain {
            kernel.deactivate_blocking()?;
            let held = kernel.snapshot_blocking()?.states::<u32>()?;
            let status = kernel.status();
            println!("{:3} took {:3} numbers and sent {:3} on", held[0], status.processed, status.produced);
            primes.extend(held);
        }
        let mut rest: Vec<u32> =
            std::iter::from_fn(|| last.try_recv().ok()).map(|number| number.value).collect();
        rest.sort_unstable();
        primes.extend(rest);
        for row in primes.chunks(18) {
            println!("{}", row.iter().map(|prime| format!("{prime:4}")).collect::<String>());
        }
        println!("{} primes below {END}", primes.len());
        println!("{}", last.status());
        Ok(())
    })
}
