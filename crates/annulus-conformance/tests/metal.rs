//! the Metal backend, on a library that stands in for Objective-C's runtime and Metal: kernels run in epochs.
//! Where `ANNULUS_APPLE` is set, on a Mac's own.
#![cfg(any(target_vendor = "apple", all(target_os = "linux", target_arch = "x86_64")))]

use std::sync::OnceLock;

use annulus_conformance::{Subject, conformance_suite};
use annulus_metal::Metal;
use annulus_runtime::Runtime;

/// A backend, and what shows as well what it shows.
struct Device(Metal, Option<&'static str>);

/// Whether a Mac's own Metal is to be used.
fn on_apple() -> bool {
    std::env::var_os("ANNULUS_APPLE").is_some()
}

/// Builds the library, and names it to the backend, for the whole process; says why it cannot be had.
#[cfg(target_os = "linux")]
fn stand_in() -> Option<String> {
    // A device that takes as many blocks at a time as the cases launch.
    const SETTINGS: [(&str, &str); 2] =
        [("ANNULUS_STAND_IN_MULTIPROCESSORS", "16"), ("ANNULUS_STAND_IN_BLOCKS", "16")];
    static NAMED: OnceLock<Result<(), String>> = OnceLock::new();
    let name = || {
        let library = annulus_conformance::metal::build()?;
        for (name, value) in SETTINGS {
            // SAFETY: cases run one at a time, and the first comes here before anything else of Metal: no C code reads the
            // environment now.
            unsafe { std::env::set_var(name, value) };
        }
        // SAFETY: as above.
        unsafe { std::env::set_var("ANNULUS_METAL", library) };
        Ok(())
    };
    NAMED.get_or_init(name).clone().err()
}

#[cfg(not(target_os = "linux"))]
fn stand_in() -> Option<String> {
    (!on_apple()).then(|| "set ANNULUS_APPLE to use this machine's Metal".into())
}

impl Subject for Device {
    fn name(&self) -> &str {
        "metal"
    }

    fn unavailable(&self) -> Option<String> {
        static TRIED: OnceLock<Option<String>> = OnceLock::new();
        let tried = TRIED.get_or_init(|| {
            stand_in().or_else(|| {
                let error = Runtime::builder().backend(self.0.clone()).build().err();
                // A stand-in that was built must run: its cases would pass without a kernel's having run.
                assert!(error.is_none(), "Metal does not run: {error:?}");
                None
            })
        });
        assert!(!on_apple() || tried.is_none(), "ANNULUS_APPLE is set, but there is no Metal: {tried:?}");
        tried.clone()
    }

    fn runtime(&self) -> Runtime {
        Runtime::builder().backend(self.0.clone()).build().expect("it was available a moment ago")
    }

    fn has_fine_clock(&self) -> bool {
        false
    }

    fn shrinks(&self) -> u64 {
        if on_apple() { 1 } else { 4 }
    }

    /// What Metal's language does not have.
    fn may_refuse(&self, why: &str) -> bool {
        ["has atomics of 64 bits", "computes with `f64`", "orders memory for one device"]
            .iter()
            .any(|missing| why.contains(missing))
    }

    /// The soak takes longer than all other cases together.
    fn repeats(&self, module: &str) -> Option<&str> {
        self.1.or((module == "soak").then_some("OpenCL's soak")).filter(|_| !on_apple())
    }
}

/// Blocks of a few threads, among which messages are dealt.
mod few_threads {
    use super::*;
    conformance_suite!(Device(Metal::new().threads_per_block(4), None));
}

/// Blocks of as many threads as the backend takes unless told otherwise.
mod many_threads {
    use super::*;
    conformance_suite!(Device(Metal::new(), Some("`few_threads`")));
}

/// Blocks of one thread.
mod one_thread {
    use super::*;
    conformance_suite!(Device(Metal::new().threads_per_block(1), Some("`few_threads`")));
}

/// What only the library that stands in can show.
#[cfg(target_os = "linux")]
mod on_stand_in {
    use std::thread;

    use annulus_conformance::{
        Bench, Needs,
        kernels::{Number, batch_echo},
        library::Library,
        run,
    };
    use annulus_runtime::LaunchOptions;

    use super::*;

    /// What a kernel has taken of Metal is given back when it has ended: as many objects live after each launch as after the first.
    #[test]
    fn x03_objects_are_released() {
        fn living() -> usize {
            let path = annulus_conformance::metal::build().expect("the cases run on it");
            // SAFETY: the library runs nothing when it is loaded, and is loaded already.
            let library = unsafe { Library::open(path, false) }.expect("it is loaded already");
            let living = library.symbol("annulus_living").expect("it counts its objects").as_ptr();
            // SAFETY: the type is the function's, by its definition in `metal.cpp`.
            let living =
                unsafe { std::mem::transmute::<*mut std::ffi::c_void, extern "C" fn() -> usize>(living) };
            living()
        }
        run(Device(Metal::new(), None), "objects_are_released", Needs::Handlers, |bench: &Bench| {
            let mut before = None;
            for round in 0..4 {
                let options = LaunchOptions::production().grid(2).connectable(true);
                let kernel = batch_echo::launch(bench.runtime(), options).unwrap();
                for value in 0..20 {
                    assert_eq!(kernel.call_blocking(Number { value }).unwrap().value, value);
                }
                kernel.terminate_blocking();
                drop(kernel);
                // The last command buffers go on their own; who waits for more than is there is ended by the case's limit.
                while before.is_some_and(|before| living() > before) {
                    thread::yield_now();
                }
                if round == 1 {
                    before = Some(living());
                }
            }
        });
    }

    /// On a system that does not know the language's version the backend says so, and asks the compiler for nothing.
    #[test]
    fn x03_an_older_system_is_refused() {
        const OLD: &str = "ANNULUS_STAND_IN_MACOS";
        if let Some(missing) = stand_in() {
            return println!("skipped: {missing}");
        }
        if std::env::var_os(OLD).is_some() {
            let error = Runtime::builder().backend(Metal::new()).build().unwrap_err().to_string();
            assert!(error.contains("macOS 15 or later"), "{error}");
            return;
        }
        let mut child = std::process::Command::new(std::env::current_exe().unwrap());
        child.args(["--exact", "on_stand_in::x03_an_older_system_is_refused"]).env(OLD, "14");
        let output = child.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    }
}
