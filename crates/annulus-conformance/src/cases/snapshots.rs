//! A kernel's state is read and set while it is inactive.

use annulus_runtime::{KernelHandle, LaunchOptions, SnapshotError};

use crate::{
    Bench,
    bench::drain,
    kernels::{Item, Scale, Total, exchange, number, scale, total, track},
};

const ACTORS: u32 = 10;

fn launch(bench: &Bench, name: &str, grid: u32) -> KernelHandle<track> {
    let options = LaunchOptions::default().name(name).actors(ACTORS.into()).grid(grid);
    track::launch(bench.runtime(), options).unwrap()
}

/// Sends each actor as many messages as its key says, and takes the answers.
fn count_up(kernel: &KernelHandle<track>) {
    for key in 0..ACTORS {
        for sequence in 0..key {
            let _ = kernel.send_blocking(Item { key, producer: 0, sequence: sequence.into() }).unwrap();
            kernel.recv_blocking().unwrap();
        }
    }
}

fn sums(totals: &[Total]) -> Vec<u64> {
    totals.iter().map(|total| total.sum).collect()
}

/// States come in the order of their keys, however they are spread over shards.
pub fn states_by_key_whatever_the_grid(bench: &Bench) {
    for grid in [1, 3, 4] {
        let kernel = launch(bench, &format!("grid {grid}"), grid);
        count_up(&kernel);
        kernel.deactivate_blocking().unwrap();
        let snapshot = kernel.snapshot_blocking().unwrap();
        assert_eq!((snapshot.kernel(), snapshot.len()), ("track", 10));
        assert_eq!(sums(&snapshot.states().unwrap()), (0..10).collect::<Vec<_>>());
        // Every key has been used, and no more than that.
        drain(&kernel);
    }
}

/// A snapshot of one launch continues in another, with another grid.
pub fn a_restored_kernel_goes_on_from_there(bench: &Bench) {
    let first = launch(bench, "first", 2);
    count_up(&first);
    first.deactivate_blocking().unwrap();
    let mut snapshot = first.snapshot_blocking().unwrap();
    let mut states = snapshot.states::<Total>().unwrap();
    states[7].sum = 1000;
    snapshot.set_states(&states).unwrap();

    let options = LaunchOptions::default().name("second").actors(ACTORS.into()).grid(3).active(false);
    let second = track::launch(bench.runtime(), options).unwrap();
    second.restore_blocking(&snapshot).unwrap();
    second.activate_blocking().unwrap();
    for (key, count) in [(0, 1), (3, 4), (7, 1001), (9, 10)] {
        let answer = second.call_blocking(Item { key, producer: 0, sequence: 0 }).unwrap();
        assert_eq!(answer.count, count, "actor {key}");
    }
    // The first is untouched.
    first.activate_blocking().unwrap();
    assert_eq!(first.call_blocking(Item { key: 7, producer: 0, sequence: 0 }).unwrap().count, 8);
}

/// A kernel with one state, one with memory of its own, and one with shared counters.
pub fn one_state_and_bound_memory(bench: &Bench) {
    let kernel = total::launch(bench.runtime(), LaunchOptions::default()).unwrap();
    let _ = kernel.call_blocking(number(42)).unwrap();
    kernel.deactivate_blocking().unwrap();
    let mut snapshot = kernel.snapshot_blocking().unwrap();
    assert_eq!(sums(&snapshot.states().unwrap()), [42]);
    snapshot.set_states(&[Total { sum: 50 }]).unwrap();
    kernel.restore_blocking(&snapshot).unwrap();
    kernel.activate_blocking().unwrap();
    assert_eq!(kernel.call_blocking(number(1)), Ok(number(51)));

    let kernel = exchange::bind(&[5, 6, 7]).launch(bench.runtime(), LaunchOptions::default()).unwrap();
    assert_eq!(kernel.call_blocking(number(4)), Ok(number(6)));
    kernel.deactivate_blocking().unwrap();
    let mut snapshot = kernel.snapshot_blocking().unwrap();
    assert!(snapshot.is_empty());
    assert_eq!(snapshot.memory::<u64>("memory").unwrap(), [5, 4, 7]);
    snapshot.set_memory("memory", &[10u64, 11, 12]).unwrap();
    kernel.restore_blocking(&snapshot).unwrap();
    kernel.activate_blocking().unwrap();
    assert_eq!(kernel.call_blocking(number(2)), Ok(number(12)));

    let bound = scale::bind(Scale { factor: 2, offset: 1 }, &[3, 4], &[0, 0]);
    let kernel = bound.launch(bench.runtime(), LaunchOptions::default()).unwrap();
    for value in [0, 1, 1] {
        let _ = kernel.call_blocking(number(value)).unwrap();
    }
    kernel.deactivate_blocking().unwrap();
    let snapshot = kernel.snapshot_blocking().unwrap();
    assert_eq!(snapshot.memory::<u32>("uses").unwrap(), [1, 2]);
    // What never changes is not in it.
    assert!(matches!(snapshot.memory::<u64>("table"), Err(SnapshotError::Mismatch { .. })));
}

/// While it runs, its state is nobody else's.
pub fn an_active_kernel_has_no_snapshot(bench: &Bench) {
    let kernel = total::launch(bench.runtime(), LaunchOptions::default()).unwrap();
    let error = kernel.snapshot_blocking().unwrap_err();
    assert_eq!(error, SnapshotError::Active { kernel: "total".into() });
    assert!(error.to_string().contains("deactivate"), "{error}");
}

/// Another kernel's snapshot, another number of actors, another type, another length.
pub fn what_does_not_fit_is_refused(bench: &Bench) {
    let inactive = LaunchOptions::default().active(false);
    let kernel = track::launch(bench.runtime(), inactive.clone().actors(4)).unwrap();
    let other = total::launch(bench.runtime(), inactive.clone()).unwrap();
    let larger = track::launch(bench.runtime(), inactive.actors(5).name("larger")).unwrap();
    let mut snapshot = kernel.snapshot_blocking().unwrap();
    let refusals = [
        other.restore_blocking(&snapshot).unwrap_err(),
        larger.restore_blocking(&snapshot).unwrap_err(),
        snapshot.states::<u64>().unwrap_err(),
        snapshot.set_states(&[Total { sum: 1 }; 5]).unwrap_err(),
        snapshot.memory::<u64>("nothing").unwrap_err(),
    ];
    for refusal in &refusals {
        assert!(matches!(refusal, SnapshotError::Mismatch { .. }), "{refusal}");
    }
    // Which of the two is which.
    assert_eq!(refusals[0].to_string(), "the kernel is total, not that of the snapshot, track");
    let (launch, snapshot_of) =
        ("5 actors with a state of the type Total", "4 actors with a state of the type Total");
    let told = refusals[1].to_string();
    assert!(told.starts_with(&format!("the shape of the launch is {launch}")), "{told}");
    assert!(told.contains(&format!(", not that of the snapshot: {snapshot_of}")), "{told}");
    kernel.restore_blocking(&snapshot).unwrap();
}

/// What a terminated kernel had in the end.
pub fn the_end_can_be_read(bench: &Bench) {
    let kernel = total::launch(bench.runtime(), LaunchOptions::default()).unwrap();
    let _ = kernel.call_blocking(number(9)).unwrap();
    let _ = kernel.terminate_blocking();
    let snapshot = kernel.snapshot_blocking().unwrap();
    assert_eq!(sums(&snapshot.states().unwrap()), [9]);
    assert_eq!(kernel.restore_blocking(&snapshot), Err(SnapshotError::Terminated { kernel: "total".into() }));
}

/// A snapshot is of one moment, whoever activates the kernel meanwhile: both states of a pair agree.
pub fn snapshots_race_with_activation(bench: &Bench) {
    let kernel = launch(bench, "raced", 2);
    let rounds = bench.size(20, 300);
    std::thread::scope(|scope| {
        let switch = scope.spawn(|| {
            for _ in 0..rounds {
                kernel.activate_blocking().unwrap();
                let answer = kernel.call_blocking(Item { key: 1, producer: 0, sequence: 0 });
                assert!(answer.is_ok(), "{answer:?}");
                kernel.deactivate_blocking().unwrap();
            }
        });
        let mut last = 0;
        while !switch.is_finished() {
            match kernel.snapshot_blocking() {
                Ok(snapshot) => {
                    let sums = sums(&snapshot.states().unwrap());
                    assert!(sums[1] >= last && sums[0] == 0, "{sums:?} after {last}");
                    last = sums[1];
                }
                Err(error) => assert!(matches!(error, SnapshotError::Active { .. }), "{error}"),
            }
        }
    });
    assert_eq!(sums(&kernel.snapshot_blocking().unwrap().states().unwrap())[1], rounds);
}
