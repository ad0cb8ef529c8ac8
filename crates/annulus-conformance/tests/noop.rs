//! The backend that runs nothing: it keeps the contract honest.

use annulus_conformance::{Subject, conformance_suite};
use annulus_runtime::{Noop, Runtime};

struct Nothing;

impl Subject for Nothing {
    fn name(&self) -> &str {
        "noop"
    }

    fn runtime(&self) -> Runtime {
        Runtime::builder().backend(Noop).build().expect("it needs nothing")
    }

    fn runs_handlers(&self) -> bool {
        false
    }
}

conformance_suite!(Nothing);
