//! Kernels with several outboxes, in the live table and in what is printed.

use annulus_observe::{PortLook, PortShard};

use super::{
    super::super::{Sight, table},
    *,
};

/// A kernel of two shards with four outboxes, the second of which has no room in a kernel that hangs.
fn sifting() -> Vec<Process> {
    let mut waiting = shard(Phase::StalledOnKernel, 800);
    waiting.stalled = 2;
    let mut sift = kernel(1, "sift", vec![shard(Phase::Asleep, 900), waiting]);
    let port = |name: &str, target: Option<u64>, shards: [PortShard; 2]| PortLook {
        name: name.into(),
        target: target.map(|target| (target, target != 9)),
        shards: shards.to_vec(),
    };
    let none = PortShard::default();
    let bad = [PortShard { sent: 5, ..none }, PortShard { sent: 60, held: 4, lost: 1 }];
    sift.ports = vec![
        port("good", Some(2), [PortShard { sent: 800, ..none }, none]),
        port("bad", Some(3), bad),
        port("rest\u{1b}[2J", None, [none; 2]),
        port("log", Some(9), [none; 2]),
    ];
    (sift.target, sift.output) = (Some((2, true)), String::new());
    let mut report = kernel(3, "report", vec![shard(Phase::InHandler, 64)]);
    report.shards[0].pending = 256;
    vec![process(52, vec![sift, kernel(2, "merge", vec![shard(Phase::Asleep, 800)]), report])]
}

/// By which of several outboxes a kernel waits, where each leads, and what it has sent: in the table, the detail, the
/// text and JSON.
#[test]
fn o_01_outboxes_are_shown() {
    let mut machine = Machine::new();
    machine.size = (80, 22);
    machine.look(0.0, sifting());
    machine.look(2.0, sifting());
    machine.keys("s");
    let frame = machine.frame();
    assert!(frame[2].contains(" for report (ba"), "{frame:#?}");
    assert!(frame[3].ends_with(" asleep") && frame[4].contains(" for report (ba"), "{frame:#?}");
    machine.key(KeyCode::Enter);
    assert_eq!(
        machine.frame()[4..14],
        [
            " messages Reading, rings of 256; outputs by 4 outboxes, rings of 256",
            " outbox good to merge: 800 sent to kernels, 0 wait for room, 0 lost",
            " outbox bad to report: 65 sent to kernels, 4 wait for room, 1 lost",
            " outbox rest\u{fffd}[2J to the host",
            " outbox log to a kernel that is not shown, or lost without room there",
            " launched 41.0 s ago",
            "     0 per s  ▁",
            "",
            " `sift` shard 1 waits for room in `report` (outbox `bad`);",
            " `report` shard 0 is in the handler of message 64, key 0, for 2.00 s or more;",
        ]
    );
    let mut idle = sifting();
    idle[0].kernels[0].shards.pop();
    machine.look(3.0, idle);
    machine.key(KeyCode::Esc);
    machine.size = (160, 22);
    assert!(
        machine.frame()[2].ends_with(" asleep → merge, report, an unseen kernel"),
        "{:#?}",
        machine.frame()
    );

    let start = Instant::now();
    let sight = |millis| Sight {
        at: start + Duration::from_millis(millis),
        processes: sifting(),
        unreadable: Vec::new(),
    };
    let text = table::text(&sight(500), &sight(0), true, false);
    let links = "  good -> merge, bad -> report, log -> a kernel that is not shown, or lost\n";
    assert!(text.contains(&format!("stalled on kernel (outbox bad) (shard 1){links}")), "{text}");
    assert!(text.contains("  stalled on kernel (outbox bad)\n"), "{text}");
    let json: serde_json::Value = serde_json::from_str(&table::json(&sight(500), &sight(0))).unwrap();
    assert_eq!(
        json["kernels"][0]["outboxes"][1],
        serde_json::json!({
            "name": "bad",
            "target": 3,
            "waits_for_target": true,
            "sent": 65,
            "held": 4,
            "lost": 1,
            "held_by_shard": [0, 4],
        })
    );
    assert_eq!(json["kernels"][1]["outboxes"], serde_json::json!([]));
}

/// Of a kernel whose outputs name who gets them, each of these kernels is shown, and what nobody got.
#[test]
fn o_01_peers_are_shown() {
    let mut machine = Machine::new();
    machine.size = (90, 22);
    let sending = || {
        let mut processes = sifting();
        let sender = &mut processes[0].kernels[0];
        let lost = [PortShard { lost: 2, ..PortShard::default() }; 2];
        sender.ports.truncate(2);
        sender.ports.push(PortLook { name: "any or no peer".into(), target: None, shards: lost.to_vec() });
        sender.ports[0].name = "peer 1".into();
        sender.ports[1].name = "peer 2".into();
        sender.output = "Addressed<Job>".into();
        processes
    };
    machine.look(0.0, sending());
    machine.look(2.0, sending());
    machine.key(KeyCode::Enter);
    assert_eq!(
        machine.frame()[3..7],
        [
            " messages Reading, rings of 256; outputs Addressed<Job> for 2 kernels, rings of 256",
            " peer 1 to merge: 800 sent to kernels, 0 wait for room, 0 lost",
            " peer 2 to report: 65 sent to kernels, 4 wait for room, 1 lost",
            " any or no peer: 0 sent to kernels, 0 wait for room, 4 lost",
        ]
    );
}
