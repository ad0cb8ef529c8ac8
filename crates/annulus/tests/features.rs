//! A backend that the program was built without. Two are with
//! `cargo test -p annulus --no-default-features --features cpu --test features`.

use annulus::{Backend, BackendSource};

#[test]
fn a_backend_that_was_left_out_says_by_which_feature_it_comes() {
    let built = [
        (Backend::Cpu, cfg!(feature = "cpu")),
        (Backend::Cuda, cfg!(feature = "cuda")),
        (Backend::Metal, cfg!(feature = "metal")),
        (Backend::OpenCl, cfg!(feature = "opencl")),
    ];
    for (backend, there) in built {
        // With its feature it opens, or says what the machine lacks.
        let said = backend.open().err().map(|error| error.to_string()).unwrap_or_default();
        let told = format!("build it with the feature `{backend}` of the crate annulus");
        assert_eq!(said.contains(&told), !there, "{backend}: {said}");
    }
}

#[test]
fn auto_is_one_that_was_built() {
    match Backend::Auto.open() {
        Ok(backend) if cfg!(feature = "cpu") => assert_eq!(backend.name(), "cpu"),
        Ok(backend) => assert!(["cuda", "metal", "opencl"].contains(&backend.name())),
        Err(error) if cfg!(feature = "cpu") => panic!("the processor is always there: {error}"),
        Err(error) => assert!(error.to_string().starts_with("no backend: cuda: "), "{error}"),
    }
}
