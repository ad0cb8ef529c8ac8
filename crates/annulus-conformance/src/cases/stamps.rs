//! Causal stamps: a message that was sent because of another one has a greater stamp, across blocks, kernels and the host.
//! K-08.

use annulus_runtime::{KernelHandle, LaunchOptions, Pipeline, Stamp};

use super::links::{connect, linked, source};
use crate::{
    Bench,
    bench::{Random, drain},
    kernels::{
        Number,
        bodies::sum_of_turn,
        links::next,
        numbers,
        stamps::{
            Begun, Inquiry, STEPS, Step, begin, forks, inform, inquire, put_off, shout, tell_stamp,
            tell_stamps,
        },
    },
};

fn causal(options: LaunchOptions) -> LaunchOptions {
    options.causal(true)
}

/// The stamp that was received last.
fn received() -> u64 {
    Stamp::received().expect("something with a stamp was received").word()
}

/// Takes what the host gets by an outbox: each output has a greater stamp than what it was sent because of. Returns how
/// many there were.
fn take_all(kernel: &KernelHandle<forks>, port: annulus_runtime::PortName<forks, Step>) -> u64 {
    let mut taken = 0;
    while let Ok(step) = kernel.port(port).try_recv() {
        assert!(received() > step.cause, "{} <= {step:?}", received());
        taken += 1;
    }
    taken
}

/// Kernels in random graphs without cycles, with blocks of one thread and of several: every handler finds that its message
/// has a greater stamp than the one that it was sent because of, and so does the host, which sends because of what it has
/// received.
pub fn k08_effects_after_causes(bench: &Bench) {
    const KERNELS: usize = 4;
    for seed in bench.rounds(2, 10) {
        let mut random = Random(seed);
        let mut kernels: Vec<KernelHandle<forks>> = Vec::new();
        for number in 0..KERNELS {
            let options = causal(source(&format!("{seed}-{number}"))).actors(4).capacity(256);
            let options = options.output_capacity(4096).grid(1 + random.below(2) as u32);
            let options = options.block(if random.below(2) == 0 { 1 } else { 4 });
            let kernel = forks::launch(bench.runtime(), options).unwrap();
            // Towards those that are there, or to the host.
            for port in [forks::LEFT, forks::RIGHT] {
                let to = random.below(number as u64 + 1) as usize;
                if to < number {
                    kernel.port(port).connect(&kernels[to]).unwrap();
                }
            }
            kernel.activate_blocking().unwrap();
            kernels.push(kernel);
        }
        let mut cause = 0;
        let mut came = 0;
        for _ in 0..4 {
            // Because of all that was received.
            let step = |actor| Step { actor, hops: 0, cause };
            for kernel in &kernels[1..] {
                kernel.send_batch_blocking(&[step(0), step(1), step(2), step(3), step(0)]).unwrap();
                let _ = kernel.send_blocking(step(1)).unwrap();
            }
            kernels.iter().rev().for_each(|kernel| drain(kernel));
            for kernel in &kernels {
                for port in [forks::LEFT, forks::RIGHT] {
                    let taken = take_all(kernel, port);
                    came += taken;
                    if taken != 0 {
                        cause = cause.max(received());
                    }
                }
            }
        }
        assert!(came >= 4 * 6 * (KERNELS as u64 - 1) && cause != 0, "{came}");
        for kernel in &kernels {
            assert_eq!(kernel.status().drops.failed, 0, "an effect is not before its cause");
        }
        for kernel in kernels.iter().rev() {
            let _ = kernel.terminate_blocking();
        }
    }
}

/// What a block sends has stamps that rise from message to message, each greater than that of its own message, whatever the
/// time does; also when the kernel was inactive in between.
pub fn k08_stamps_rise_per_block(bench: &Bench) {
    for block in [1, 4] {
        let options = causal(LaunchOptions::default()).name(format!("threads {block}")).block(block);
        let kernel = tell_stamp::launch(bench.runtime(), options).unwrap();
        let mut last = 0;
        for round in 0..4 {
            // A batch is one event of the host's.
            kernel.send_batch_blocking(&numbers(0..100)).unwrap();
            drain(&kernel);
            let mut of_batch = None;
            for _ in 0..100 {
                let number = kernel.try_recv().unwrap();
                assert!(received() > last && received() > number.value, "{last} {} {number:?}", received());
                last = received();
                assert_eq!(*of_batch.get_or_insert(number.value), number.value);
            }
            let stamp = Stamp::of(last);
            assert_eq!(stamp.word(), last);
            let micros = (bench.runtime().now() + bench.clock_error()) / 1000 + 1;
            assert!(stamp.micros() <= micros, "{stamp} is not ahead of {micros} µs");
            if round % 2 == 0 {
                kernel.deactivate_blocking().unwrap();
                kernel.activate_blocking().unwrap();
            }
        }
        kernel.terminate_blocking();
    }
    // A whole block works on each message.
    let options = causal(LaunchOptions::default()).block(8);
    let kernel = tell_stamps::launch(bench.runtime(), options).unwrap();
    kernel.send_batch_blocking(&numbers(0..20)).unwrap();
    drain(&kernel);
    let mut last = 0;
    for _ in 0..20 {
        let number = kernel.try_recv().unwrap();
        assert!(number.value != 0 && received() > last && received() > number.value);
        last = received();
    }
}

/// What the host sends because of something that it has received, an output, a batch of them or a reply, has a greater
/// stamp, also if that goes to another kernel.
pub fn k08_host_goes_between_kernels(bench: &Bench) {
    let options = |name: &str| causal(LaunchOptions::default()).name(name);
    let kernels = ["a", "b", "c"].map(|name| tell_stamp::launch(bench.runtime(), options(name)).unwrap());
    let mut last = 0;
    for round in 0..60 {
        let kernel = &kernels[round % 3];
        let value = match round % 4 {
            0 => kernel.call_blocking(Number { value: 1 }).unwrap().value,
            1 => {
                let _ = kernel.send_blocking(Number { value: 1 }).unwrap();
                kernel.recv_blocking().unwrap().value
            }
            2 => {
                kernel.send_batch_blocking(&numbers(0..8)).unwrap();
                drain(kernel);
                let mut outputs = Vec::new();
                assert_eq!(kernel.try_recv_batch(&mut outputs, 8), Ok(8));
                outputs[0].value
            }
            _ => {
                let call = kernel.call(Number { value: 2 });
                annulus_runtime::block_on(call).unwrap().value
            }
        };
        assert!(value > last, "round {round}: sent after {last}, with {value}");
        assert!(received() > value);
        last = received();
    }
}

/// Calls through pipelines carry stamps there and back.
pub fn k08_calls_through_pipelines(bench: &Bench) {
    let options = |name: &str| causal(linked(name)).through(16);
    let last = tell_stamp::launch(bench.runtime(), options("last")).unwrap();
    let first = tell_stamp::launch(bench.runtime(), options("first").active(false)).unwrap();
    connect(&first, &last);
    let pipeline = Pipeline::new(&first, &last).unwrap();
    let mut before = 0;
    for _ in 0..20 {
        let value = pipeline.call_blocking(Number { value: 0 }).unwrap().value;
        // The stamp of what the first kernel has sent.
        assert!(before < value && value < received());
        before = received();
    }
}

/// What a handler sends to itself carries the stamp of the call that has sent it; a start has one of its own.
pub fn k08_timers_carry_stamps(bench: &Bench) {
    let kernel = put_off::launch(bench.runtime(), causal(LaunchOptions::default()).capacity(64)).unwrap();
    for round in 0..10 {
        let cause = Stamp::received().map_or(0, Stamp::word);
        let cause = if round == 0 { 0 } else { cause };
        let _ = kernel.send_blocking(Step { actor: 0, hops: 0, cause }).unwrap();
        let step = kernel.recv_blocking().unwrap();
        assert_eq!(step.hops, 2);
        assert!(received() > step.cause && step.cause > cause);
    }
    assert_eq!(kernel.status().drops.failed, 0);
    kernel.terminate_blocking();

    let kernel = begin::launch(bench.runtime(), causal(LaunchOptions::default())).unwrap();
    let start = kernel.recv_blocking().unwrap();
    let first = received();
    assert!(start.value != 0 && first > start.value);
    let _ = kernel.send_blocking(Begun::Say { word: 0 }).unwrap();
    assert!(kernel.recv_blocking().unwrap().value > first);
}

/// What comes of an ask has a greater stamp than the ask, and than what the answer was given because of.
pub fn k08_asks_carry_stamps(bench: &Bench) {
    let options = causal(LaunchOptions::default()).connectable(true).through(64);
    let asked = inform::launch(bench.runtime(), options.clone()).unwrap();
    let asks = inquire::bind().connect_port(inquire::ASK, &asked).launch(bench.runtime(), options).unwrap();
    for _ in 0..20 {
        let before = Stamp::received().map_or(0, Stamp::word);
        let _ = asks.send_blocking(Inquiry::Number(Number { value: 1 })).unwrap();
        let told = asks.port(inquire::OUT).recv_blocking().unwrap();
        assert!(before < told.value && told.value < received(), "{before} {told:?} {}", received());
    }
    assert_eq!((asks.status().drops.failed, asked.status().drops.failed), (0, 0));
    let _ = asks.terminate_blocking();
    let _ = asked.terminate_blocking();
}

/// Every copy of what is on a topic carries the stamp.
pub fn k08_topics_carry_stamps(bench: &Bench) {
    for block in [1, 4] {
        let options = |name: &str| causal(linked(&format!("{name} {block}"))).capacity(64).block(block);
        let heard = ["first", "second"].map(|name| {
            forks::launch(bench.runtime(), options(name).actors(4).output_capacity(1024)).unwrap()
        });
        let shout = shout::launch(bench.runtime(), options("shout").active(false)).unwrap();
        let peers = [heard[0].peer(), heard[1].peer()];
        let topics = shout.connect_topics(&peers).unwrap();
        assert_eq!(topics.name("steps").unwrap(), STEPS);
        peers.iter().for_each(|&peer| topics.subscribe("steps", peer).unwrap());
        shout.activate_blocking().unwrap();
        let cause = Stamp::received().map_or(0, Stamp::word);
        for actor in 0..40 {
            let _ = shout.send_blocking(Step { actor: actor % 4, hops: 0, cause }).unwrap();
        }
        drain(&shout);
        for kernel in &heard {
            drain(kernel);
            assert_eq!((take_all(kernel, forks::LEFT), kernel.status().drops.failed), (40, 0));
        }
    }
}

/// A kernel that gives no stamps ends the chain, and says so: what it sends carries none, also where a message with one lay
/// in the slot before.
pub fn k08_a_kernel_without_stamps_gives_none(bench: &Bench) {
    for block in [1, 4] {
        let options = causal(linked(&format!("last {block}"))).capacity(16).output_capacity(256).block(block);
        let last = tell_stamp::launch(bench.runtime(), options).unwrap();
        let with = tell_stamp::launch(bench.runtime(), causal(source(&format!("with {block}")))).unwrap();
        connect(&with, &last);
        with.send_batch_blocking(&numbers(0..40)).unwrap();
        drain(&with);
        drain(&last);
        for _ in 0..40 {
            let number = last.try_recv().unwrap();
            assert!(number.value != 0 && received() > number.value);
        }
        let _ = with.terminate_blocking();
        let without = next::launch(bench.runtime(), source(&format!("without {block}"))).unwrap();
        connect(&without, &last);
        without.send_batch_blocking(&numbers(0..40)).unwrap();
        drain(&without);
        drain(&last);
        let mut before = received();
        for _ in 0..40 {
            assert_eq!(last.try_recv().unwrap().value, 0);
            // The block's own clock rises.
            assert!(received() > before);
            before = received();
        }
        let _ = without.terminate_blocking();
        last.terminate_blocking();
    }
    // Without the word, the context has none.
    let plain = tell_stamp::launch(bench.runtime(), LaunchOptions::default()).unwrap();
    assert_eq!(plain.call_blocking(Number { value: 1 }).unwrap().value, 0);
}

/// A body takes its messages itself, and gives no stamps: that is said.
pub fn k08_bodies_refuse_stamps(bench: &Bench) {
    let options = causal(LaunchOptions::default()).block(4);
    let refused = sum_of_turn::launch(bench.runtime(), options).unwrap_err().to_string();
    assert!(refused.contains("causal is on") && refused.contains("leave causal out"), "{refused}");
}
