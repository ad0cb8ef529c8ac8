//! Kernels that wait for room in each other: a status says whom they wait for, and a cycle that stands still
//! names itself. K-01.

use annulus_kernel::RingKernel;
use annulus_runtime::{KernelHandle, Stall, StallEnd, TryRecvError};

use super::{
    links::{connect, received, source},
    prints::instance,
};
use crate::{
    Bench,
    bench::{balanced, drain, eventually},
    kernels::{
        Total, echo,
        links::{Ball, double, hit},
        number, numbers,
    },
    prints::keeper,
};

fn stall<K: RingKernel>(kernel: &KernelHandle<K>) -> Option<Stall> {
    kernel.status().stall
}

/// The cycle that a kernel waits in, or for.
fn cycle<K: RingKernel>(kernel: &KernelHandle<K>) -> Option<Vec<String>> {
    match stall(kernel)?.end {
        StallEnd::Cycle(names) => Some(names),
        _ => None,
    }
}

/// How many events have told of a cycle with this kernel in it.
fn told(name: &str) -> usize {
    let is_of = |cycle: &String| cycle.split(", ").any(|member| member == name);
    keeper().kept(|event| event.cycle.as_ref().is_some_and(is_of)).len()
}

/// K-01: a cycle that stands still names its kernels, is told once, and goes on when one of them is taken
/// out.
pub fn k01_a_cycle_names_its_kernels(bench: &Bench) {
    let (one, two) = (instance(), instance());
    let launch = |name: &str| double::launch(bench.runtime(), source(name).capacity(16)).unwrap();
    let (first, second) = (launch(&one), launch(&two));
    connect(&first, &second);
    connect(&second, &first);
    let _ = first.try_send(number(1)).unwrap();
    eventually(|| cycle(&first).is_some() && cycle(&second).is_some());
    assert_eq!(cycle(&first), Some(vec![one.clone(), two.clone()]));
    assert_eq!(cycle(&second), Some(vec![two.clone(), one.clone()]));
    let its = stall(&first).unwrap();
    assert_eq!((its.for_host, its.for_kernel), (0, 1));
    assert_eq!(its.waits_for, [two.clone(), one.clone()]);
    let stalls = bench.runtime().stalls();
    for name in [&one, &two] {
        let (_, stall) = stalls.iter().find(|(stalled, _)| stalled == name).expect("both stall");
        assert!(stall.to_string().contains("rings are full; terminate or disconnect one of them"), "{stall}");
    }
    let status = first.status().to_string();
    let way =
        format!("1 of 1 shards stalled: waits for room in `{two}`, which waits for room in `{one}`: a cycle");
    assert!(status.contains(&way), "{status}");
    eventually(|| told(&one) != 0);

    // What waited for room goes to the host; the other one goes on.
    first.deactivate_blocking().unwrap();
    first.disconnect().unwrap();
    first.activate_blocking().unwrap();
    std::thread::scope(|scope| {
        let rest = scope.spawn(|| drain(&first));
        eventually(|| {
            let _ = received(&first);
            rest.is_finished()
        });
    });
    assert_eq!((balanced(&first).pending, balanced(&second).pending), (0, 0));
    assert_eq!((stall(&first), stall(&second)), (None, None));
    assert_eq!((told(&one), told(&two)), (1, 1), "once for both");
}

/// K-01: a cycle is told as soon as it stands still, though nobody asks for a status.
pub fn k01_a_cycle_is_told_unasked(bench: &Bench) {
    for grid in [1, 2] {
        let (one, two) = (instance(), instance());
        let launch =
            |name: &str| double::launch(bench.runtime(), source(name).capacity(16).grid(grid)).unwrap();
        let (first, second) = (launch(&one), launch(&two));
        connect(&first, &second);
        connect(&second, &first);
        let _ = first.try_send(number(1)).unwrap();
        eventually(|| told(&one) != 0 && told(&two) != 0);
        let names = Some(vec![one.clone(), two.clone()]);
        if grid == 1 {
            // The first status knows it, too.
            let status = first.status();
            let again = first.status();
            assert_eq!(cycle(&first), names, "{status:?}\n{again:?}\n{:?}", second.status());
        } else {
            // Of several shards a cycle may be told of a moment before the last of them waits.
            eventually(|| cycle(&first) == names);
        }
        let _ = (first.terminate_blocking(), second.terminate_blocking());
    }
}

/// K-01: a kernel that sends itself more than it takes stands still, names itself, and ends when it is told
/// to.
pub fn k01_a_kernel_that_waits_for_itself(bench: &Bench) {
    for grid in [1, 2] {
        let name = instance();
        let kernel =
            double::launch(bench.runtime(), source(&name).capacity(16).output_capacity(16).grid(grid))
                .unwrap();
        connect(&kernel, &kernel);
        let _ = kernel.try_send(number(1)).unwrap();
        eventually(|| cycle(&kernel).is_some());
        let itself = Some(vec![name.clone()]);
        let text = format!("stalled: waits for room in `{name}`: a cycle");
        if grid == 1 {
            assert_eq!(cycle(&kernel), itself);
            let status = kernel.status().to_string();
            assert!(status.contains(&text), "{status}");
        } else {
            // Of several shards a cycle may be told of a moment before the last of them waits.
            eventually(|| cycle(&kernel) == itself && kernel.status().to_string().contains(&text));
        }
        eventually(|| told(&name) != 0);
        assert_eq!(kernel.try_recv(), Err(TryRecvError::Empty));
        let _ = kernel.terminate_blocking();
        assert_eq!(stall(&kernel), None);
        assert_eq!(balanced(&kernel).pending, 0);
        assert_eq!(told(&name), 1);
    }
}

/// K-01: a kernel that waits for a cycle that it is not in says so.
pub fn k01_a_kernel_that_waits_for_a_cycle(bench: &Bench) {
    let (one, two) = (instance(), instance());
    let before = echo::launch(bench.runtime(), source(&one).capacity(64)).unwrap();
    let looped = double::launch(bench.runtime(), source(&two).capacity(16)).unwrap();
    connect(&looped, &looped);
    connect(&before, &looped);
    before.send_batch_blocking(&numbers(0..40)).unwrap();
    eventually(|| cycle(&before).is_some());
    assert_eq!(cycle(&before), Some(vec![two.clone()]));
    assert_eq!(stall(&before).unwrap().waits_for, [two.clone(), two.clone()]);
    eventually(|| told(&two) != 0);
    assert_eq!(told(&one), 0);
    let _ = looped.terminate_blocking();
    drain(&before);
    assert_eq!(stall(&before), None);
}

/// K-01: where no cycle is, the way ends with whoever can do something about it.
pub fn k01_a_wait_ends_with_its_cause(bench: &Bench) {
    let names: [String; 3] = std::array::from_fn(|_| instance());
    let launch =
        |name: &String| echo::launch(bench.runtime(), source(name).capacity(16).output_capacity(16)).unwrap();
    let [first, second, third] = [0, 1, 2].map(|index| launch(&names[index]));
    connect(&first, &second);
    connect(&second, &third);
    // More than all rings hold, and all that waits between them.
    let count = 150;
    std::thread::scope(|scope| {
        scope.spawn(|| first.send_batch_blocking(&numbers(0..count)).unwrap());
        // Each look is of one moment, and what a block waits for shows when it has slept or looked again: a
        // way is waited for as a whole.
        let waits = |kernel: &KernelHandle<echo>, way: &[String], end: StallEnd| {
            let is = |stall: Stall| stall.waits_for == way && stall.end == end;
            eventually(|| stall(kernel).is_some_and(is));
        };
        // The last one is inactive.
        waits(&first, &names[1..], StallEnd::Activation);
        waits(&second, &names[2..], StallEnd::Activation);
        assert!(first.status().to_string().contains("which is inactive"), "{}", first.status());
        // It is active, and nobody receives.
        third.activate_blocking().unwrap();
        waits(&third, &[], StallEnd::Host);
        waits(&second, &names[2..], StallEnd::Host);
        waits(&first, &names[1..], StallEnd::Host);
        let last = stall(&third).unwrap();
        assert_eq!((last.for_host, last.for_kernel), (1, 0));
        eventually(|| first.status().to_string().ends_with("which waits until the host receives"));
        for value in 0..count {
            assert_eq!(third.recv_blocking(), Ok(number(value)));
        }
    });
    drain(&third);
    for kernel in [&first, &second, &third] {
        assert_eq!(stall(kernel), None);
    }
    assert!(names.iter().all(|name| told(name) == 0));
}

/// K-01: kernels that wait for each other now and then, and go on, are told of by nobody.
pub fn k01_a_cycle_that_goes_round_is_none(bench: &Bench) {
    let (one, two) = (instance(), instance());
    let balls = 24;
    let launch = |name: &str| {
        hit::launch(bench.runtime(), source(name).capacity(16).actors(balls).spin(std::time::Duration::ZERO))
            .unwrap()
    };
    let (first, second) = (launch(&one), launch(&two));
    connect(&first, &second);
    connect(&second, &first);
    let hits = bench.size(500, 20_000) as u32;
    let sent: Vec<_> = (0..balls as u32).map(|number| Ball { number, left: hits }).collect();
    std::thread::scope(|scope| {
        let end = scope.spawn(|| {
            first.send_batch_blocking(&sent).unwrap();
            drain(&first);
        });
        while !end.is_finished() {
            for kernel in [&first, &second] {
                assert_eq!(cycle(kernel), None);
            }
        }
    });
    assert_eq!((told(&one), told(&two)), (0, 0));
    for kernel in [&first, &second] {
        kernel.deactivate_blocking().unwrap();
        let states = kernel.snapshot_blocking().unwrap().states::<Total>().unwrap();
        assert_eq!(states, vec![Total { sum: (hits / 2).into() }; balls as usize]);
    }
}
