//! What the CUDA backend does where a device is unwilling, and how kernels make way: on the libraries that
//! stand in for NVIDIA's, each case in a process of its own, whose environment says what the device is like.
#![cfg(target_os = "linux")]

use std::{
    collections::HashMap,
    fs,
    path::Path,
    process::Command,
    thread,
    time::{Duration, Instant},
};

use annulus_conformance::{
    cuda,
    kernels::{self, Item, Number},
};
use annulus_cuda::{Architecture, Cuda};
use annulus_kernel::RingKernel;
use annulus_runtime::{LaunchOptions, RecvError, Runtime};
use annulus_sync::{AtomicBool, Ordering};
use cudarc::driver::sys;

/// Which case the child runs, and a folder for those that need one.
const CASE: &str = "ANNULUS_CUDA_CASE";
const FOLDER: &str = "ANNULUS_CUDA_FOLDER";

const LIMIT: Duration = Duration::from_secs(60);

/// Runs a case of [`in_a_child`] in a process of its own, with these variables.
fn run(case: &str, variables: &[(&str, &str)]) {
    let folder = match cuda::build() {
        Ok(folder) => folder,
        Err(error) => return println!("skipped: no stand-in for CUDA: {error}"),
    };
    let mut command = Command::new("timeout");
    command.arg("100").arg(std::env::current_exe().unwrap());
    command.args(["--exact", "in_a_child", "--ignored", "--nocapture"]);
    command.env("ANNULUS_NVRTC", folder).env(CASE, case).envs(variables.iter().copied());
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{case}: {said}{}", String::from_utf8_lossy(&output.stdout));
}

#[test]
#[ignore = "the other tests run it, each with an environment of its own"]
fn in_a_child() {
    cuda::stand_in().unwrap();
    match std::env::var(CASE).unwrap().as_str() {
        "programs" => programs_are_loaded_beside_traffic(),
        "arenas" => arenas_grow_beside_traffic(),
        "two devices" => kernels_of_two_devices_make_way(),
        "in step" => kernels_in_step_make_way(),
        "too many in step" => blocks_in_step_have_places(),
        "not together" => blocks_are_not_launched_together(),
        "in turn" => blocks_one_after_the_other_get_their_turn(),
        "queues" => a_kernel_behind_others_is_told_why(),
        "two backends" => kernels_of_two_backends_make_way(),
        "too old" => refused(&["cannot run kernels: it is sm_61", "for sm_75 and newer"]),
        "not compiled for" => refused(&["cannot run kernels: it is sm_70", "for sm_75 and newer"]),
        "no pinned memory" => refused(&["CUDA_ERROR_OUT_OF_MEMORY", "lower Cuda::pinned_bytes"]),
        "no memory" => refused(&["CUDA_ERROR_OUT_OF_MEMORY", "lower Cuda::device_bytes"]),
        "prohibited" => {
            refused(&["cannot run kernels: its compute mode lets no process use it", "nvidia-smi -c DEFAULT"])
        }
        "held" => refused(&[
            "CUDA_ERROR_DEVICE_UNAVAILABLE",
            "one process use it at a time",
            "nvidia-smi -c DEFAULT",
        ]),
        "busy" => refused(&["CUDA_ERROR_DEVICE_UNAVAILABLE", "`nvidia-smi` shows who else uses it"]),
        "slice" => what_nobody_has_tried_is_told(),
        "no device" => refused(&["the CUDA driver of this machine knows no device: install NVIDIA's driver"]),
        "no compiler" => refused(&["`annulus-probe` cannot be compiled", "annulus emit", "Cuda::cubins"]),
        "unknown architecture" => refused(&["none of which runs on a device of sm_990"]),
        "unknown device" => a_device_that_is_not_there(),
        "watchdog" => a_device_with_a_display_runs_epochs(),
        "coarse" => a_coarse_clock_is_told(),
        "lazy" => programs_that_are_loaded_lazily_mean_epochs(),
        "kept" => machine_code_is_kept(),
        "own context" => the_threads_context_is_left_alone(),
        "launch" => a_launch_is_refused(),
        "dies" => a_device_dies(),
        "drift" => a_clock_that_drifts_is_followed(),
        "ship" => machine_code_is_made_beforehand(),
        "shipped" => machine_code_is_found(),
        other => panic!("there is no case `{other}`"),
    }
}

fn cuda() -> Cuda {
    Cuda::new().without_cache()
}

fn runtime(cuda: Cuda) -> Runtime {
    Runtime::builder().backend(cuda).build().unwrap()
}

fn refused(parts: &[&str]) {
    let error = Runtime::builder().backend(cuda()).build().expect_err("it is refused").to_string();
    for part in parts {
        assert!(error.contains(part), "`{part}` is not in: {error}");
    }
}

/// An echo that was launched answers.
fn echoes(runtime: &Runtime, name: &str) {
    let echo = kernels::echo::launch(runtime, LaunchOptions::default().name(name)).unwrap();
    for value in 0..10 {
        assert_eq!(echo.call_blocking(Number { value }), Ok(Number { value }));
    }
    echo.shutdown_blocking(LIMIT);
}

/// Does something while messages go through a kernel that stays, and sees that none of them is lost, doubled
/// or out of order.
fn beside_traffic(runtime: &Runtime, something: impl FnOnce()) {
    beside_traffic_of(runtime, LaunchOptions::default(), something);
}

fn beside_traffic_of(runtime: &Runtime, options: LaunchOptions, something: impl FnOnce()) {
    const ACTORS: u64 = 5;
    let options = options.grid(2).actors(ACTORS).capacity(64).name("traffic");
    let kernel = kernels::track::launch(runtime, options).unwrap();
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        let sent = scope.spawn(|| {
            let mut sequence = 0;
            while !done.load(Ordering::Acquire) || sequence < 1000 {
                let key = (sequence % ACTORS) as u32;
                let _ = kernel.send_blocking(Item { key, producer: 0, sequence }).unwrap();
                sequence += 1;
            }
            sequence
        });
        let received = scope.spawn(|| {
            let mut counts: HashMap<u32, u64> = HashMap::new();
            let mut received = 0;
            loop {
                let reply = match kernel.recv_blocking() {
                    Ok(reply) => reply,
                    Err(RecvError::Closed) => return received,
                    Err(error) => panic!("{error}"),
                };
                let count = counts.entry(reply.key).or_insert(0);
                assert_eq!(reply.sequence, *count * ACTORS + u64::from(reply.key), "in order, none missing");
                *count += 1;
                assert_eq!(reply.count, *count, "the actor's state goes on");
                received += 1;
            }
        });
        something();
        done.store(true, Ordering::Release);
        let sent = sent.join().unwrap();
        let shutdown = kernel.shutdown_blocking(LIMIT);
        assert!(shutdown.undelivered.is_empty());
        assert_eq!(received.join().unwrap(), sent);
    });
}

fn programs_are_loaded_beside_traffic() {
    let runtime = runtime(cuda().threads_per_block(8));
    beside_traffic(&runtime, || {
        // Each of another program.
        echoes(&runtime, "echo");
        let total = kernels::total::launch(&runtime, LaunchOptions::default()).unwrap();
        assert_eq!(total.call_blocking(Number { value: 3 }), Ok(Number { value: 3 }));
        let odd = kernels::odd::launch(&runtime, LaunchOptions::default()).unwrap();
        assert_eq!(odd.call_blocking(Number { value: 3 }), Ok(Number { value: 3 }));
        // That one kept its state while it was away.
        assert_eq!(total.call_blocking(Number { value: 4 }), Ok(Number { value: 7 }));
        let batch = kernels::batch_echo::launch(&runtime, LaunchOptions::default()).unwrap();
        assert_eq!(batch.call_blocking(Number { value: 3 }), Ok(Number { value: 3 }));
        assert_eq!(total.call_blocking(Number { value: 1 }), Ok(Number { value: 8 }));
    });
}

fn arenas_grow_beside_traffic() {
    let runtime = runtime(cuda().threads_per_block(1).pinned_bytes(1).device_bytes(1));
    beside_traffic(&runtime, || {
        thread::scope(|scope| {
            for number in 0..6 {
                let options = LaunchOptions::default().capacity(1 << 16).name(format!("large-{number}"));
                let echo = kernels::echo::launch(&runtime, options).unwrap();
                assert_eq!(echo.call_blocking(Number { value: 3 }), Ok(Number { value: 3 }));
                // Its memory is given back while more is asked for; of some it never is.
                scope.spawn(move || if number < 4 { drop(echo) } else { std::mem::forget(echo) });
            }
        });
    });
}

/// All blocks leave out of one superstep, and go on together.
fn kernels_in_step_make_way() {
    let runtime = runtime(cuda().threads_per_block(8));
    beside_traffic_of(&runtime, LaunchOptions::default().supersteps(true), || {
        echoes(&runtime, "echo");
        let total = kernels::total::launch(&runtime, LaunchOptions::default()).unwrap();
        assert_eq!(total.call_blocking(Number { value: 3 }), Ok(Number { value: 3 }));
        // One that only waits goes, too.
        let options = LaunchOptions::default().grid(3).supersteps(true);
        let odd = kernels::odd::launch(&runtime, options).unwrap();
        assert_eq!(odd.call_blocking(Number { value: 3 }), Ok(Number { value: 3 }));
        thread::sleep(Duration::from_millis(50));
        let batch = kernels::batch_echo::launch(&runtime, LaunchOptions::default()).unwrap();
        assert_eq!(batch.call_blocking(Number { value: 3 }), Ok(Number { value: 3 }));
        assert_eq!(odd.call_blocking(Number { value: 5 }), Ok(Number { value: 5 }));
    });
}

/// Where the device does not begin a block before another one has ended, a kernel of several does not stay:
/// it goes into epochs, keeps what it had, and says so.
fn blocks_one_after_the_other_get_their_turn() {
    let runtime = runtime(cuda());
    beside_traffic(&runtime, || {
        let kernel = &runtime.kernels()[0];
        let begun = Instant::now();
        while kernel.status().notes.is_empty() {
            assert!(begun.elapsed() < LIMIT, "{:?}", kernel.status());
            thread::sleep(Duration::from_millis(1));
        }
        let notes = kernel.status().notes;
        assert_eq!(notes.len(), 1, "once: {notes:?}");
        assert!(notes[0].contains("has gone into epochs: of 2 blocks only 1 have begun"), "{notes:?}");
        thread::sleep(Duration::from_millis(200));
        assert_eq!(kernel.status().notes, notes);
    });
}

/// Where a driver has two queues, and lets no kernel begin behind another one in its queue, a third kernel
/// that stays does not begin; it says why, and begins when the one before it has ended.
fn a_kernel_behind_others_is_told_why() {
    let runtime = runtime(cuda());
    let launch = |name| kernels::echo::launch(&runtime, LaunchOptions::default().name(name)).unwrap();
    let first = launch("first");
    let second = launch("second");
    for kernel in [&first, &second] {
        assert_eq!(kernel.call_blocking(Number { value: 1 }), Ok(Number { value: 1 }));
    }
    let third = launch("third");
    let begun = Instant::now();
    while third.status().notes.is_empty() {
        assert!(begun.elapsed() < LIMIT, "{:?}", third.status());
        thread::sleep(Duration::from_millis(1));
    }
    let notes = third.status().notes;
    let told =
        ["none of its 1 blocks has begun", "than its driver has queues (2, by CUDA_DEVICE_MAX_CONNECTIONS)"];
    assert!(told.iter().all(|part| notes[0].contains(part)), "{notes:?}");
    first.shutdown_blocking(LIMIT);
    second.shutdown_blocking(LIMIT);
    assert_eq!(third.call_blocking(Number { value: 3 }), Ok(Number { value: 3 }));
    // And that it has begun.
    while third.status().notes.len() < 2 {
        assert!(begun.elapsed() < LIMIT, "{:?}", third.status());
        thread::sleep(Duration::from_millis(1));
    }
    let notes = third.status().notes;
    assert!(notes[1].starts_with("all of its 1 blocks have begun, "), "{notes:?}");
    third.shutdown_blocking(LIMIT);
    assert!(first.status().notes.is_empty() && second.status().notes.is_empty());
}

/// Where there is room for four blocks, five are refused, also in epochs.
fn blocks_in_step_have_places() {
    for cuda in [cuda(), cuda().force_epochs()] {
        let runtime = runtime(cuda);
        let launch =
            |grid| kernels::echo::launch(&runtime, LaunchOptions::default().grid(grid).supersteps(true));
        let error = launch(5).unwrap_err().to_string();
        assert!(error.contains("5 blocks' turns in step, and 4 of the 4 blocks that can run"), "{error}");
        let echo = launch(4).unwrap();
        for value in 0..20 {
            assert_eq!(echo.call_blocking(Number { value }), Ok(Number { value }));
        }
        echo.terminate_blocking();
    }
}

fn blocks_are_not_launched_together() {
    let runtime = runtime(cuda());
    let options = LaunchOptions::default().supersteps(true);
    let error = kernels::echo::launch(&runtime, options).unwrap_err().to_string();
    for part in ["cannot launch blocks together (cooperative launch)", "launch it without supersteps"] {
        assert!(error.contains(part), "`{part}` is not in: {error}");
    }
    echoes(&runtime, "echo");
}

fn kernels_of_two_backends_make_way() {
    let other = runtime(cuda().threads_per_block(1));
    let total = kernels::total::launch(&other, LaunchOptions::default()).unwrap();
    assert_eq!(total.call_blocking(Number { value: 3 }), Ok(Number { value: 3 }));
    // Memory is reserved for it, and programs are loaded, while the other's kernel stays.
    let runtime = runtime(cuda().threads_per_block(1));
    beside_traffic(&runtime, || echoes(&other, "echo"));
    assert_eq!(total.call_blocking(Number { value: 4 }), Ok(Number { value: 7 }));
}

/// Pinned memory is every device's: for more of it, kernels of all devices leave.
fn kernels_of_two_devices_make_way() {
    let on = |index| runtime(cuda().threads_per_block(1).pinned_bytes(1).device_index(index));
    let one = on(0);
    beside_traffic(&one, || {
        let other = on(1);
        beside_traffic(&other, || {
            echoes(&one, "echo");
            let options = LaunchOptions::default().capacity(1 << 16).name("large");
            let echo = kernels::echo::launch(&one, options).unwrap();
            assert_eq!(echo.call_blocking(Number { value: 3 }), Ok(Number { value: 3 }));
            drop(echo);
            echoes(&other, "echo");
        });
    });
}

fn a_device_that_is_not_there() {
    let error = |cuda: Cuda| Runtime::builder().backend(cuda).build().expect_err("it is refused").to_string();
    let index = error(cuda().device_index(7));
    assert_eq!(index, "no CUDA device has the index 7: there is `first`, `first`");
    let named = error(cuda().device_named("second"));
    assert_eq!(named, "no CUDA device has `second` in its name: there is `first`, `first`");
    assert_eq!(runtime(cuda().device_named("FIRST")).devices().len(), 2);
}

fn a_device_with_a_display_runs_epochs() {
    let runtime = runtime(cuda());
    let notes = runtime.devices()[0].notes.join("\n");
    assert!(notes.contains("epochs: a display's watchdog ends kernels"), "{notes}");
    beside_traffic(&runtime, || echoes(&runtime, "echo"));
}

fn a_coarse_clock_is_told() {
    let notes = runtime(cuda()).devices()[0].notes.join("\n");
    assert!(notes.contains("its clock goes in steps of 1.024µs, and is known to "), "{notes}");
}

/// A slice of a device, shared by MPS; and where the thread runs that polls for it.
fn what_nobody_has_tried_is_told() {
    let runtime = runtime(cuda());
    echoes(&runtime, "echo");
    let notes = runtime.devices()[0].notes.join("\n");
    assert!(notes.contains("a MIG slice: nobody has tried one"), "{notes}");
    assert!(notes.contains("MPS shares it: kernels that stay keep their multiprocessors"), "{notes}");
    assert!(notes.contains("the host's poller last ran on processor "), "{notes}");
}

fn programs_that_are_loaded_lazily_mean_epochs() {
    let runtime = runtime(cuda());
    let notes = runtime.devices()[0].notes.join("\n");
    assert!(notes.contains("epochs: the driver loads programs lazily"), "{notes}");
    assert!(notes.contains("set CUDA_MODULE_LOADING=EAGER before the program starts"), "{notes}");
    beside_traffic(&runtime, || echoes(&runtime, "echo"));
}

fn machine_code_is_kept() {
    let folder = std::env::var_os(FOLDER).unwrap();
    let runtime = runtime(Cuda::new().cache_directory(folder));
    echoes(&runtime, "echo");
}

/// A program that uses CUDA by itself, here without a context, finds its thread as it left it.
fn the_threads_context_is_left_alone() {
    let current = || {
        let mut context = std::ptr::null_mut();
        // SAFETY: the place is live.
        let asked = unsafe { sys::cuCtxGetCurrent(&raw mut context) };
        assert_eq!(asked, sys::CUresult::CUDA_SUCCESS);
        context
    };
    let runtime = runtime(cuda());
    assert!(current().is_null());
    let mut own = std::ptr::null_mut();
    // SAFETY: the place is live, and there are two devices.
    assert_eq!(unsafe { sys::cuDevicePrimaryCtxRetain(&raw mut own, 1) }, sys::CUresult::CUDA_SUCCESS);
    // SAFETY: the context was just retained.
    assert_eq!(unsafe { sys::cuCtxSetCurrent(own) }, sys::CUresult::CUDA_SUCCESS);
    let total = kernels::total::launch(&runtime, LaunchOptions::default()).unwrap();
    assert_eq!(total.call_blocking(Number { value: 3 }), Ok(Number { value: 3 }));
    total.deactivate_blocking().unwrap();
    total.snapshot_blocking().unwrap();
    beside_traffic(&runtime, || echoes(&runtime, "echo"));
    drop((total, runtime));
    assert_eq!(current(), own);
}

fn a_launch_is_refused() {
    let runtime = runtime(cuda());
    let error =
        kernels::echo::launch(&runtime, LaunchOptions::default().name("one")).unwrap_err().to_string();
    assert!(
        error.contains("cannot launch `echo`: cuLaunchKernel failed: CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES"),
        "{error}"
    );
    // Nothing of it is left.
    echoes(&runtime, "one");
    beside_traffic(&runtime, || ());
}

fn a_device_dies() {
    let runtime = runtime(cuda());
    let echo = kernels::echo::launch(&runtime, LaunchOptions::default().name("one")).unwrap();
    assert_eq!(echo.recv_timeout(LIMIT), Err(RecvError::Closed));
    assert!(echo.send_blocking(Number { value: 1 }).is_err());
    let error = kernels::total::launch(&runtime, LaunchOptions::default()).unwrap_err().to_string();
    assert!(error.contains("CUDA_ERROR_"), "{error}");
}

/// Left alone, stamps would be more than 20 ms ahead in the end.
fn a_clock_that_drifts_is_followed() {
    let runtime = runtime(cuda().threads_per_block(1));
    let echo = kernels::echo::launch(&runtime, LaunchOptions::default()).unwrap();
    let telemetry = echo.enable_telemetry().unwrap();
    let begun = Instant::now();
    // How far the last call's stamp is from the host's time around it.
    let error = || {
        let before = telemetry.now();
        assert_eq!(echo.call_blocking(Number { value: 1 }), Ok(Number { value: 1 }));
        thread::sleep(Duration::from_millis(5));
        let last = telemetry.poll().last_processed_timestamp as u64;
        before.saturating_sub(last).max(last.saturating_sub(telemetry.now()))
    };
    while begun.elapsed() < Duration::from_secs(4) {
        error();
    }
    // One question may have been answered late, on a busy machine; what nobody follows only gets worse.
    let few = 8_000_000;
    let errors: Vec<_> = (0..400).map(|_| error()).take_while(|&error| error > few).collect();
    assert!(errors.len() < 400, "the stamps are never within 8 ms of the host's time: {errors:?} ns");
}

fn machine_code_is_made_beforehand() {
    let folder = std::env::var_os(FOLDER).unwrap();
    for definition in [kernels::echo::DEFINITION, kernels::track::DEFINITION] {
        for cubin in annulus_cuda::cubins(
            definition,
            annulus_cuda::Shape { threads: 32, ..Default::default() },
            Architecture::new(8, 6),
        )
        .unwrap()
        {
            fs::write(Path::new(&folder).join(cubin.file), cubin.bytes).unwrap();
        }
    }
}

/// On a device of a newer architecture of the same generation, and without a compiler.
fn machine_code_is_found() {
    let folder = std::env::var_os(FOLDER).unwrap();
    let runtime = runtime(cuda().cubins(&folder));
    beside_traffic(&runtime, || echoes(&runtime, "echo"));
    let error = kernels::total::launch(&runtime, LaunchOptions::default()).unwrap_err().to_string();
    for part in ["`total` cannot be compiled", "annulus emit total --cubin", "has no total-32-sm_89-"] {
        assert!(error.contains(part), "`{part}` is not in: {error}");
    }
}

#[test]
fn a_kernel_whose_blocks_run_one_after_the_other_goes_into_epochs() {
    run("in turn", &[("ANNULUS_STAND_IN_IN_TURN", "1")]);
}

#[test]
fn programs_are_loaded_while_kernels_stay() {
    run("programs", &[]);
}

#[test]
fn arenas_grow_while_kernels_stay() {
    run("arenas", &[]);
}

/// B-06: blocks in step run at once or not at all.
#[test]
fn blocks_in_step_run_together() {
    run("in step", &[]);
    let few = [("ANNULUS_STAND_IN_MULTIPROCESSORS", "2"), ("ANNULUS_STAND_IN_BLOCKS", "2")];
    run("too many in step", &few);
    // CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH
    run("not together", &[("ANNULUS_STAND_IN_ATTRIBUTES", "95=0")]);
}

#[test]
fn a_kernel_that_waits_behind_others_says_so() {
    run("queues", &[("ANNULUS_STAND_IN_QUEUES", "1"), ("CUDA_DEVICE_MAX_CONNECTIONS", "2")]);
}

#[test]
fn two_backends_share_a_device() {
    run("two backends", &[]);
}

#[test]
fn two_devices_share_the_hosts_memory() {
    run("two devices", &[("ANNULUS_STAND_IN_DEVICES", "2")]);
}

#[test]
fn devices_that_are_no_use_are_refused() {
    run("too old", &[("ANNULUS_STAND_IN_CAPABILITY", "6.1")]);
    // Kernels would be right there, and no test compiles one for it.
    run("not compiled for", &[("ANNULUS_STAND_IN_CAPABILITY", "7.0")]);
    run("unknown architecture", &[("ANNULUS_STAND_IN_CAPABILITY", "99.0")]);
    run("no device", &[("ANNULUS_STAND_IN_DEVICES", "0")]);
    run("no compiler", &[("ANNULUS_NVRTC", "/nowhere")]);
    // CU_DEVICE_ATTRIBUTE_COMPUTE_MODE
    run("prohibited", &[("ANNULUS_STAND_IN_ATTRIBUTES", "20=2")]);
    run("held", &[("ANNULUS_STAND_IN_ATTRIBUTES", "20=3"), ("ANNULUS_STAND_IN_HELD", "1")]);
    run("busy", &[("ANNULUS_STAND_IN_HELD", "1")]);
    run("unknown device", &[("ANNULUS_STAND_IN_DEVICES", "2"), ("ANNULUS_STAND_IN_NAME", "first")]);
}

#[test]
fn a_device_without_memory_is_refused() {
    // The first allocation is the probe's.
    run("no pinned memory", &[("ANNULUS_STAND_IN_FAIL_ALLOCATION", "2")]);
    run("no memory", &[("ANNULUS_STAND_IN_FAIL_ALLOCATION", "3")]);
}

/// where something ends a kernel that stays, kernels run in epochs.
#[test]
fn x06_a_display_means_epochs() {
    // CU_DEVICE_ATTRIBUTE_KERNEL_EXEC_TIMEOUT
    run("watchdog", &[("ANNULUS_STAND_IN_ATTRIBUTES", "17=1")]);
}

#[test]
fn devices_that_nobody_has_tried_say_so() {
    // CU_DEVICE_ATTRIBUTE_MPS_ENABLED
    let name = ("ANNULUS_STAND_IN_NAME", "Annulus stand-in MIG 1g.10gb");
    run("slice", &[name, ("ANNULUS_STAND_IN_ATTRIBUTES", "133=1")]);
}

#[test]
fn clocks_may_be_coarse() {
    run("coarse", &[("ANNULUS_STAND_IN_CLOCK_STEP_NS", "1024")]);
}

#[test]
fn programs_must_be_loaded_eagerly() {
    run("lazy", &[("CUDA_MODULE_LOADING", "LAZY")]);
}

#[test]
fn a_threads_own_context_stays_current() {
    run("own context", &[("ANNULUS_STAND_IN_DEVICES", "2")]);
}

/// What the driver refuses is made anew, and kept in place of it.
#[test]
fn kept_machine_code_that_is_no_use_is_made_anew() {
    let folder = std::env::temp_dir().join(format!("annulus-kept-{}", std::process::id()));
    let variables = [(FOLDER, folder.to_str().unwrap())];
    run("kept", &variables);
    let Ok(kept) = fs::read_dir(&folder) else { return };
    let kept: Vec<_> = kept.map(|entry| entry.unwrap().path()).collect();
    let [one, other] = &kept[..] else { panic!("the probe's and the kernel's: {kept:?}") };
    let whole = [one, other].map(|path| fs::read(path).unwrap());
    // Each lacks the other's entry.
    fs::write(one, &whole[1]).unwrap();
    fs::write(other, &whole[0]).unwrap();
    run("kept", &variables);
    assert!([one, other].map(|path| fs::read(path).unwrap()) == whole, "they are what they were");
    fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_refused_launch_leaves_nothing() {
    // The first launch is the probe's.
    run("launch", &[("ANNULUS_STAND_IN_FAIL_LAUNCH", "2")]);
}

#[test]
fn kernels_are_lost_with_their_device() {
    run("dies", &[("ANNULUS_STAND_IN_DIES_AFTER_MS", "1500")]);
}

/// W-13, M-07: stamps come from the device's clock, which is related to the host's again and again.
#[test]
fn clocks_drift() {
    run("drift", &[("ANNULUS_STAND_IN_DRIFT_PPM", "5000")]);
}

#[test]
fn machine_code_can_be_shipped_along() {
    let folder = std::env::temp_dir().join(format!("annulus-shipped-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let name = folder.to_str().unwrap();
    run("ship", &[(FOLDER, name)]);
    let variables = [(FOLDER, name), ("ANNULUS_NVRTC", "/nowhere"), ("ANNULUS_STAND_IN_CAPABILITY", "8.9")];
    run("shipped", &variables);
    fs::remove_dir_all(&folder).unwrap();
}
