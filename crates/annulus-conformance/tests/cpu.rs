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
