//! telemetry_before_launch: A-04 where the types allow it.

use annulus::prelude::*;

use super::common::*;

fn by_name(runtime: &Runtime) -> Result<(), Box<dyn std::error::Error>> {
    let telemetry = runtime.kernel("total")?.enable_telemetry()?; //~ telemetry_before_launch
    let _kernel = total::launch(runtime, LaunchOptions::production())?;
    println!("{}", telemetry.poll());
    Ok(())
}

fn by_a_given_name() {
    let runtime = Runtime::builder().backend(Backend::Cpu).build().unwrap();
    let early = runtime.handle::<total>("north").unwrap(); //~ telemetry_before_launch
    let _kernel = total::launch(&runtime, LaunchOptions::production().name("north")).unwrap();
    println!("{}", early.enable_telemetry().unwrap().poll());
}

// Near misses.

fn after_the_launch(runtime: &Runtime) {
    let _kernel = total::launch(runtime, LaunchOptions::production()).unwrap();
    println!("{}", runtime.kernel("total").unwrap().status());
}

fn another_name(runtime: &Runtime, name: &str) {
    println!("{}", runtime.kernel("total").unwrap().status());
    println!("{}", runtime.kernel(name).unwrap().status());
    let _kernel = total::launch(runtime, LaunchOptions::production().name("north")).unwrap();
    let _other = total::launch(runtime, LaunchOptions::production().name(name)).unwrap();
}

fn another_runtime(runtime: &Runtime, other: &Runtime) {
    println!("{}", runtime.kernel("total").unwrap().status());
    let _kernel = total::launch(other, LaunchOptions::production()).unwrap();
}

/// The error is what is asked for.
fn not_there_yet(runtime: &Runtime) {
    assert!(runtime.kernel("total").is_err());
    match runtime.kernel("total") {
        Ok(kernel) => println!("{}", kernel.status()),
        Err(_) => println!("not yet"),
    }
    let _kernel = total::launch(runtime, LaunchOptions::production()).unwrap();
}

/// It runs later than it stands.
fn in_a_closure(runtime: &Runtime) {
    let show = || println!("{}", runtime.kernel("total").unwrap().status());
    let _kernel = total::launch(runtime, LaunchOptions::production()).unwrap();
    show();
}
