//! Bridges in the live table.

use annulus_observe::{BridgeCounts, BridgeKind, BridgeLook, BridgeTarget};

use super::*;

/// Two runtimes of one process: a bridge leads from the one to a kernel of the other, which hangs.
fn bridged(moved: u64) -> Vec<Process> {
    let mut stalled = shard(Phase::StalledOnHost, 900);
    stalled.stalled = 1;
    let mut parse = kernel(1, "parse", vec![stalled]);
    parse.bridges = vec![BridgeLook {
        number: 4,
        from: "parse".into(),
        to: "cou\u{1b}nt".into(),
        kind: BridgeKind::ToKernels,
        outbox: None,
        began: 0,
        counts: BridgeCounts { moved, discarded: 2, held: 64, ..BridgeCounts::default() },
        has_ended: false,
        waits_for: Some(BridgeTarget { runtime: 7, kernel: 1 }),
    }];
    let mut count = kernel(1, "cou\u{1b}nt", vec![shard(Phase::InHandler, 64)]);
    count.shards[0].pending = 256;
    let there = Process { started: 7, file: PathBuf::from("52-7-1.vitals"), ..process(52, vec![count]) };
    vec![process(52, vec![parse]), there]
}

/// D-03, O-01: where a kernel waits for room over a bridge, how fast that moves messages, and what its target is at: that is told
/// of both kernels.
#[test]
fn o_01_bridges_are_shown() {
    let mut machine = Machine::new();
    machine.size = (100, 22);
    machine.look(0.0, bridged(100));
    machine.look(2.0, bridged(124));
    let frame = machine.frame();
    assert!(frame.iter().any(|line| line.contains(" for cou\u{fffd}nt (bridg")), "{frame:#?}");
    let why = [
        " `parse` shard 0 waits for room in `cou\u{fffd}nt` (over a bridge);",
        " `cou\u{fffd}nt` shard 0 is in the handler of message 64, key 0, for 2.00 s or more; 256 messages are in",
    ];
    let detail = |machine: &mut Machine, name: &str| {
        machine.keys("/");
        machine.keys(name);
        machine.key(KeyCode::Enter);
        machine.key(KeyCode::Enter);
        let frame = machine.frame();
        for line in why {
            assert!(frame.iter().any(|shown| shown == line), "{line:?} in {frame:#?}");
        }
        frame
    };
    let of_source = detail(&mut machine, "parse");
    let line = " bridge => cou\u{fffd}nt: 124 moved, 12.0 per s, 2 dropped, 64 held, waits for room";
    assert!(of_source.iter().any(|shown| shown == line), "{of_source:#?}");
    let mut machine = Machine::new();
    machine.size = (100, 22);
    machine.look(0.0, bridged(100));
    machine.look(2.0, bridged(124));
    detail(&mut machine, "cou");
}
