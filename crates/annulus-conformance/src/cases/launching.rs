//! Launches that are awaited, kernels that are ready, and what is told of a kernel's life.

use std::{
    future::Future,
    pin::Pin,
    sync::Mutex,
    task::{Context, Poll},
    thread,
    time::Duration,
};

use annulus_abi::control::{command, state};
use annulus_runtime::{KernelState, LaunchError, LaunchOptions, LifecycleError, ProgramOrigin, block_on};

use crate::{
    Bench,
    bench::{balanced, drain, eventually},
    kernels::{Item, echo, number, numbers, swallow, track},
    life::Lived,
    prints::keeper,
};

/// A kernel is ready when every block has answered, and not launched any more by then, also one that begins
/// inactive.
pub fn a_ready_kernel_has_answered(bench: &Bench) {
    for (grid, active, state) in
        [(1, true, KernelState::Active), (3, true, KernelState::Active), (2, false, KernelState::Inactive)]
    {
        for _ in bench.rounds(10, 200) {
            let options = LaunchOptions::default().grid(grid).active(active);
            let kernel = echo::launch(bench.runtime(), options).unwrap();
            assert_eq!(kernel.ready_blocking(), Ok(()));
            assert_eq!(kernel.status().state, state);
            // And it stays so.
            assert_eq!(block_on(kernel.ready()), Ok(()));
        }
    }
}

/// However many wait for it, and by whatever handle.
pub fn many_wait_until_a_kernel_is_ready(bench: &Bench) {
    for _ in bench.rounds(5, 100) {
        let kernel = echo::launch(bench.runtime(), LaunchOptions::default().grid(2)).unwrap();
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    assert_eq!(bench.runtime().kernel("echo").unwrap().ready_blocking(), Ok(()));
                    assert!(kernel.status().is_active());
                });
            }
        });
        kernel.terminate_blocking();
        assert_eq!(kernel.ready_blocking(), Err(LifecycleError::Terminated));
    }
}

/// A kernel whose messages came before it was ready handles them, and is then as ready as any.
pub fn messages_may_come_before(bench: &Bench) {
    let kernel = echo::launch(bench.runtime(), LaunchOptions::default()).unwrap();
    for message in numbers(0..10) {
        let _ = kernel.send_blocking(message).unwrap();
    }
    kernel.ready_blocking().unwrap();
    for expected in numbers(0..10) {
        assert_eq!(kernel.recv_blocking().unwrap(), expected);
    }
}

/// Blocks in step are ready like others.
pub fn kernels_in_step_get_ready(bench: &Bench) {
    let options = LaunchOptions::default().grid(2).supersteps(true);
    let kernel = echo::launch(bench.runtime(), options).unwrap();
    kernel.ready_blocking().unwrap();
    assert!(kernel.status().is_active());
}

/// An awaited launch is a launch.
pub fn a_launch_is_a_future(bench: &Bench) {
    let name = instance();
    let kernel = block_on(async {
        let kernel = echo::launch_async(bench.runtime(), LaunchOptions::default().name(&name)).await?;
        kernel.ready().await.expect("nobody terminates it");
        Ok::<_, LaunchError>(kernel)
    })
    .unwrap();
    assert_eq!(kernel.name(), name);
    assert!(kernel.status().is_active());
    let _ = kernel.try_send(number(7)).unwrap();
    // The order of the options' checks, the name and the backend is that of every launch.
    let again = block_on(echo::launch_async(bench.runtime(), LaunchOptions::default().name(&name)));
    assert_eq!(again.unwrap_err(), LaunchError::AlreadyLaunched { name });
    let wrong = block_on(track::launch_async(bench.runtime(), LaunchOptions::default()));
    assert!(matches!(wrong, Err(LaunchError::Invalid(_))));
}

/// Several launches at a time, all of which one thread awaits; then their kernels handle messages.
pub fn launches_are_awaited_together(bench: &Bench) {
    let options = |index| LaunchOptions::default().actors(4).name(format!("together-{index}"));
    let launches = (0..6).map(|index| track::launch_async(bench.runtime(), options(index)));
    let kernels = block_on(all(launches.collect()));
    for (index, kernel) in kernels.into_iter().enumerate() {
        let kernel = kernel.unwrap();
        assert_eq!(kernel.name(), format!("together-{index}"));
        let reply = kernel.call_blocking(Item { key: 3, producer: 0, sequence: 1 }).unwrap();
        assert_eq!((reply.key, reply.count), (3, 1));
    }
}

/// Nobody takes the kernel of a launch whose future was dropped: it ends, and its name is free again.
pub fn a_dropped_launch_leaves_no_kernel(bench: &Bench) {
    for _ in bench.rounds(5, 100) {
        let mut launch = echo::launch_async(bench.runtime(), LaunchOptions::default());
        let polled = Pin::new(&mut launch).poll(&mut Context::from_waker(std::task::Waker::noop()));
        drop((polled, launch));
        eventually(|| bench.runtime().kernels().is_empty());
    }
    eventually(|| echo::launch(bench.runtime(), LaunchOptions::default()).is_ok());
}

/// Where a device compiles, the handle tells how long that took, and whether it was needed; a second launch
/// in a process needs none.
pub fn a_launch_tells_of_its_program(bench: &Bench) {
    let compilation = || echo::launch(bench.runtime(), LaunchOptions::default()).unwrap().compilation();
    let (first, second) = (compilation(), compilation());
    match (first, second) {
        (None, None) => assert!(["cpu", "noop"].contains(&bench.runtime().backend())),
        (Some(first), Some(second)) => {
            assert!(first.took > Duration::ZERO);
            assert_eq!(second.origin, ProgramOrigin::Process);
            assert!(second.to_string().ends_with("(cached: in this process)"), "{second}");
        }
        differ => panic!("{differ:?}"),
    }
}

/// What is told of a kernel, in order.
pub fn a_life_is_told(bench: &Bench) {
    let name = instance();
    let options = LaunchOptions::default().name(&name).grid(2).capacity(64);
    let kernel = swallow::launch(bench.runtime(), options).unwrap();
    kernel.ready_blocking().unwrap();
    eventually(|| told(&name).contains(&"ready".into()));
    let _ = kernel.deactivate_blocking().unwrap();
    let _ = kernel.deactivate_blocking().unwrap();
    let _ = kernel.activate_blocking().unwrap();
    for message in numbers(0..20) {
        let _ = kernel.send_blocking(message).unwrap();
    }
    drain(&kernel);
    assert!(!told(&name).contains(&"drained".into()), "more may come");
    let _ = (kernel.close(), kernel.close());
    drain(&kernel);
    drain(&kernel);
    kernel.terminate_blocking();
    eventually(|| told(&name).contains(&"terminated".into()));

    let mut expected: Vec<_> =
        ["launched", "ready", "deactivated", "activated", "closed", "drained", "terminated"]
            .map(String::from)
            .into();
    if let Some(compilation) = kernel.compilation() {
        expected.splice(0..0, ["compiling", "compiled"].map(String::from));
        let compiled = &life(&name)[1];
        assert_eq!(compiled.field("cached"), compilation.origin.to_string());
        assert_eq!(compiled.seconds("seconds"), compilation.took.as_secs_f64());
        assert!(!life(&name)[0].field("device").is_empty());
    }
    assert_eq!(told(&name), expected);
    let event = |what: &str| life(&name).into_iter().find(|event| event.message == what).unwrap();
    let launched = event("launched");
    assert_eq!((launched.field("grid"), launched.field("block")), ("2", "1"));
    assert!(launched.field("definition").ends_with("::swallow"), "{launched:?}");
    assert!(launched.seconds("seconds") <= event("ready").seconds("seconds"));
    let terminated = event("terminated");
    assert_eq!((terminated.field("processed"), terminated.field("undelivered")), ("20", "0"));
    assert!(life(&name).iter().all(|event| event.field("backend") == bench.runtime().backend()));
    balanced(&kernel);
}

/// A kernel that is dropped is told of as well, and what it left; one that no backend could launch, too.
pub fn an_early_end_is_told(bench: &Bench) {
    let name = instance();
    let kernel = echo::launch(bench.runtime(), LaunchOptions::default().name(&name).active(false)).unwrap();
    let _ = kernel.try_send(number(1)).unwrap();
    let _ = kernel.ready_blocking();
    drop(kernel);
    eventually(|| told(&name).contains(&"terminated".into()));
    let life = life(&name);
    assert_eq!(life.last().unwrap().field("undelivered"), "1");
    assert!(life.iter().any(|event| event.message == "closed"));
    assert!(life.iter().all(|event| !["drained", "activated", "lost"].contains(&event.message.as_str())));

    let name = instance();
    let options = LaunchOptions::default().actors(u64::MAX).name(&name);
    if let Err(error) = track::launch(bench.runtime(), options) {
        let life = self::life(&name);
        let last = life.last().unwrap();
        assert_eq!(last.message, "not launched");
        assert!(error.to_string().contains(last.field("error")), "{error}: {last:?}");
    }
}

/// The name of an instance that no other case of the process has; from now on what it lives through is kept.
fn instance() -> String {
    static NEXT: Mutex<u32> = Mutex::new(0);
    let mut next = NEXT.lock().unwrap();
    *next += 1;
    let _ = keeper();
    format!("living {next}")
}

fn life(name: &str) -> Vec<Lived> {
    keeper().life_of(name)
}

fn told(name: &str) -> Vec<String> {
    life(name).into_iter().map(|event| event.message).collect()
}

/// Polls all futures until each is done.
async fn all<F: Future + Unpin>(futures: Vec<F>) -> Vec<F::Output> {
    let mut futures: Vec<_> = futures.into_iter().map(|future| (future, None)).collect();
    std::future::poll_fn(|context| {
        for (future, output) in futures.iter_mut().filter(|(_, output)| output.is_none()) {
            if let Poll::Ready(done) = Pin::new(future).poll(context) {
                *output = Some(done);
            }
        }
        if futures.iter().any(|(_, output)| output.is_none()) { Poll::Pending } else { Poll::Ready(()) }
    })
    .await;
    futures.into_iter().filter_map(|(_, output)| output).collect()
}

/// a kernel whose rings lie in a file does what it does without, also when their slots are used again; and the file goes
/// with it, while others stay.
pub fn r06_a_kernel_with_a_black_box_runs_as_without(bench: &Bench) {
    if cfg!(not(target_os = "linux")) {
        return println!("skipped: there are no vitals files on this system");
    }
    let options = LaunchOptions::default().capacity(16).black_box(true);
    let stays = echo::launch(bench.runtime(), options.clone().name("stays")).unwrap();
    for (name, options) in [
        ("plain", options.clone()),
        ("grid", options.clone().grid(2)),
        ("bare", options.clone().timestamps(false).calls(false)),
        ("connectable", options.connectable(true)),
    ] {
        let kernel = echo::launch(bench.runtime(), options.name(name)).unwrap();
        let path = kernel.status().black_box.expect("it was asked for");
        assert!(path.exists(), "{name}");
        for expected in numbers(0..50) {
            let _ = kernel.send_blocking(expected).unwrap();
            assert_eq!(kernel.recv_blocking(), Ok(expected), "{name}");
        }
        drain(&kernel);
        assert_eq!(balanced(&kernel).processed, 50, "{name}");
        kernel.terminate_blocking();
        drop(kernel);
        eventually(|| !path.exists());
    }
    let _ = stays.send_blocking(number(7)).unwrap();
    assert_eq!(stays.recv_blocking(), Ok(number(7)));
}

/// telemetry of a kernel is enabled, polled and reset by who knows its name alone, and is the one that its handle has.
pub fn r06_telemetry_by_the_kernels_name(bench: &Bench) {
    let kernel = echo::launch(bench.runtime(), LaunchOptions::production().name("by name")).unwrap();
    let control = bench.runtime().kernel("by name").unwrap();
    let telemetry = control.enable_telemetry().unwrap();
    for message in numbers(0..5) {
        assert_eq!(kernel.call_blocking(message), Ok(message));
    }
    drain(&kernel);
    eventually(|| telemetry.poll().messages_processed == 5);
    assert_eq!(kernel.enable_telemetry().unwrap().poll().messages_processed, 5);
    telemetry.reset();
    assert_eq!(kernel.enable_telemetry().unwrap().poll().messages_processed, 0);
    let unknown = bench.runtime().kernel("nobody").unwrap_err().to_string();
    assert!(unknown.contains("nobody") && unknown.contains("by name"), "{unknown}");
}

/// R-12, M-01: a kernel that stays is started once, whatever it waits for meanwhile, and answers until it is terminated.
pub fn r12_m01_a_kernel_stays_until_it_is_terminated(bench: &Bench) {
    let notes = bench.runtime().devices()[0].notes.join("; ");
    if notes.contains("epochs") || !notes.contains("persistent") {
        return println!("skipped: kernels do not stay there: {notes}");
    }
    let kernel = echo::launch(bench.runtime(), LaunchOptions::production().grid(2)).unwrap();
    for message in numbers(0..3) {
        assert_eq!(kernel.call_blocking(message), Ok(message));
        // Long enough for it to sleep.
        thread::sleep(Duration::from_millis(20));
    }
    kernel.deactivate_blocking().unwrap();
    kernel.activate_blocking().unwrap();
    assert_eq!(kernel.call_blocking(number(7)), Ok(number(7)));
    assert_eq!(kernel.status().epochs, 0, "it never left");
    kernel.terminate_blocking();
    assert!(kernel.try_send(number(9)).is_err());
    let status = balanced(&kernel);
    assert_eq!((status.processed, status.epochs, status.state), (4, 0, KernelState::Terminated));
}

/// a shard's control block says whether it is active, and its rings' how far both ends have come, while the kernel runs and
/// when it does not.
pub fn r13_the_control_block_says_where_the_queues_are(bench: &Bench) {
    let options = LaunchOptions::production().capacity(16).active(false);
    let kernel = echo::launch(bench.runtime(), options).unwrap();
    kernel.deactivate_blocking().unwrap();
    let shard = || kernel.look().shards[0];
    assert_eq!((shard().command & command::ACTIVE, shard().state), (0, state::INACTIVE));
    kernel.try_send_batch(&numbers(0..5)).unwrap();
    assert_eq!((shard().accepted, shard().pending, shard().outputs_waiting), (5, 5, 0));
    kernel.activate_blocking().unwrap();
    kernel.drained_blocking();
    assert_eq!((shard().command & command::ACTIVE, shard().state), (command::ACTIVE, state::ACTIVE));
    assert_eq!((shard().accepted, shard().pending), (5, 0));
    eventually(|| shard().outputs_waiting == 5 && shard().processed == 5);
    for message in numbers(0..5) {
        assert_eq!(kernel.recv_blocking(), Ok(message));
    }
    assert_eq!(shard().outputs_waiting, 0);
    kernel.terminate_blocking();
    assert_eq!(shard().state, state::TERMINATED);
}
