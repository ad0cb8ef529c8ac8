//! Kernels that wait for answers, in the live table and in what is printed.

use annulus_abi::control::Timers;
use annulus_observe::{PortLook, PortShard};

use super::{
    super::super::{Sight, table},
    *,
};

/// A kernel of two shards, of which the second has asked an inactive one five times.
fn asking() -> Vec<Process> {
    let mut asks = shard(Phase::Asleep, 5);
    asks.timers = Timers { asks: 5, ..Timers::default() };
    let mut book = kernel(1, "book", vec![shard(Phase::Asleep, 5), asks]);
    let port = |name: &str, target: Option<u64>| PortLook {
        name: name.into(),
        target: target.map(|target| (target, true)),
        shards: vec![PortShard::default(); 2],
    };
    book.ports = vec![port("done", None), port("risk", Some(2))];
    (book.target, book.asks_by) = (Some((2, true)), Some(1));
    let mut risk = kernel(2, "risk", vec![shard(Phase::Inactive, 0)]);
    risk.shards[0].state = annulus_abi::control::state::INACTIVE;
    risk.shards[0].pending = 5;
    vec![process(52, vec![book, risk])]
}

/// Who waits for answers does not look as if it rested: in the table, the detail, the text and JSON.
#[test]
fn o_01_open_asks_are_shown() {
    let mut machine = Machine::new();
    machine.size = (140, 22);
    machine.look(0.0, asking());
    machine.look(2.0, asking());
    assert!(machine.frame()[2].ends_with(" 5 asks open (shard 1) → risk"), "{:#?}", machine.frame());
    machine.keys("s");
    assert!(machine.frame()[3].ends_with(" asleep") && machine.frame()[4].ends_with(" 5 asks open"));
    machine.key(KeyCode::Enter);
    let detail = machine.frame().join("\n");
    for wanted in [
        " asks of risk: 5 open, whose answers have not come",
        " `book` shard 1 waits for 5 answers of `risk` (outbox `risk`);",
        " `risk` shard 0 is inactive: activate the kernel; 5 messages are in its ring",
    ] {
        assert!(detail.contains(wanted), "{detail}");
    }
    let start = Instant::now();
    let sight = |millis| Sight {
        at: start + Duration::from_millis(millis),
        processes: asking(),
        unreadable: Vec::new(),
    };
    let text = table::text(&sight(500), &sight(0), true, false);
    assert!(text.contains("  asleep, 5 asks open (shard 1)  risk -> risk\n"), "{text}");
    let json: serde_json::Value = serde_json::from_str(&table::json(&sight(500), &sight(0))).unwrap();
    let book = &json["kernels"][0];
    assert_eq!((&book["asks_open"], &book["asked"]), (&5.into(), &2.into()));
    assert_eq!((&book["shards"][0]["asks_open"], &book["shards"][1]["asks_open"]), (&0.into(), &5.into()));
}
