//! What idle kernels cost on the CPU backend. Alone in its process, whose processor time is measured.

use annulus_conformance::{Subject, idle_suite};
use annulus_cpu::Cpu;
use annulus_runtime::Runtime;

struct AllCores;

impl Subject for AllCores {
    fn name(&self) -> &str {
        "cpu"
    }

    fn runtime(&self) -> Runtime {
        Runtime::builder().backend(Cpu::new()).build().expect("a process can have a few threads")
    }
}

idle_suite!(AllCores);
