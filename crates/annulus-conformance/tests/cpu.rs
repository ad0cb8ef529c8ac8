//! the CPU backend, on which the handlers of the whole suite run.

use annulus_conformance::{Subject, conformance_suite};
use annulus_cpu::Cpu;
use annulus_runtime::Runtime;

struct Workers(usize);

impl Subject for Workers {
    fn name(&self) -> &str {
        "cpu"
    }

    fn runtime(&self) -> Runtime {
        Runtime::builder()
            .backend(Cpu::new().workers(self.0))
            .build()
            .expect("a process can have a few threads")
    }
}

/// A worker per core.
mod cores {
    use super::*;
    conformance_suite!(Workers(0));
}

/// One worker for all blocks.
mod one_worker {
    use super::*;
    conformance_suite!(Workers(1));
}

/// More workers than this machine has cores, so that blocks of one kernel run at the same time and in any
/// order.
mod four_workers {
    use super::*;
    conformance_suite!(Workers(4));
}

/// A kernel that asks looked for answers in the memory of the asked kernel, which was freed with that kernel's last handle.
mod bug_answers_were_looked_for_in_freed_memory {
    use std::{
        thread,
        time::{Duration, Instant},
    };

    use annulus_conformance::kernels::asks::{Event, Order, act, asker, teller};
    use annulus_kernel::ended;
    use annulus_runtime::LaunchOptions;

    use super::*;

    /// With this, glibc's allocator gives all but small memory back to the system at once, and a look there ends the process.
    const NOTHING_IS_KEPT: (&str, &str) = ("MALLOC_MMAP_THRESHOLD_", "4096");
    const ASKS: u32 = 4;
    const HOUR: u64 = 3600 * 1_000_000_000;

    #[test]
    fn the_asked_kernel_is_gone() {
        let (variable, value) = NOTHING_IS_KEPT;
        if std::env::var_os(variable).is_some() {
            return answers_are_looked_for();
        }
        let mut child = std::process::Command::new(std::env::current_exe().unwrap());
        child.args(["--exact", "bug_answers_were_looked_for_in_freed_memory::the_asked_kernel_is_gone"]);
        let output = child.env(variable, value).output().unwrap();
        let told = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && told.contains("1 passed"), "{}: {told}", output.status);
    }

    fn answers_are_looked_for() {
        let runtime = Runtime::builder().backend(Cpu::new()).build().unwrap();
        let options = || LaunchOptions::default().actors(4).connectable(true).through(64).active(false);
        let asked = teller::launch(&runtime, options().name("asked")).unwrap();
        let asks = asker::launch(&runtime, options().name("asks")).unwrap();
        asks.port(asker::PRICE).connect(&asked).unwrap();
        asks.activate_blocking().unwrap();
        for number in 0..ASKS {
            let order = Order { actor: number, number, act: act::ANSWER, more: 0, limit: HOUR };
            let _ = asks.send_blocking(Event::Order(order)).unwrap();
        }
        let patience = Instant::now() + Duration::from_secs(60);
        while asks.status().timers.unwrap().asks < ASKS.into() {
            assert!(Instant::now() < patience, "{}", asks.status());
            thread::yield_now();
        }
        asks.deactivate_blocking().unwrap();
        asked.terminate_blocking();
        drop(asked);
        asks.activate_blocking().unwrap();
        for _ in 0..ASKS {
            assert_eq!(asks.port(asker::DONE).recv_blocking().unwrap().ended, ended::CLOSED);
        }
    }
}
