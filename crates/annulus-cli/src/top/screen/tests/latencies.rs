//! Latencies, in the live table and in what is printed.

use annulus_observe::Telemetry;

use super::{
    super::super::{Sight, table},
    *,
};

/// With telemetry asked for: the mean of what was measured between two looks, of a kernel and of each shard.
#[test]
fn o_03_latencies_are_shown_where_they_were_asked_for() {
    let measures = |done: u64, nanos: u64, least: u64| {
        let mut shard = shard(Phase::Asleep, done);
        let line = Telemetry {
            messages_processed: done,
            unmeasured: 2,
            total_latency_nanos: nanos,
            min_latency_nanos: least,
            max_latency_nanos: 9_000_000,
            ..Telemetry::new(1)
        };
        shard.telemetry = Some(line);
        shard
    };
    let at = |shards: [Shard; 2]| {
        let silent = kernel(2, "silent", vec![shard(Phase::Asleep, 5)]);
        vec![process(52, vec![kernel(1, "sort", shards.to_vec()), silent])]
    };
    // 10 messages took 4 µs each, and another 30 took 8 µs; before, as many took an hour.
    let first = [measures(100, 3_600_000_000_000, 700), measures(2, 0, u64::MAX)];
    let then = [measures(110, 3_600_000_040_000, 700), measures(32, 240_000, 900)];
    let mut machine = Machine::new();
    machine.screen = Screen::new(true, true);
    machine.size = (100, 14);
    machine.look(0.0, at(first));
    machine.look(1.0, at(then));
    let frame = machine.frame();
    let column = frame[1].find("LATENCY").expect("there is such a column");
    let cell = |line: &str| line.chars().skip(column).take(7).collect::<String>();
    let cells: Vec<_> = frame[2..7].iter().map(|line| cell(line)).collect();
    assert_eq!(cells, ["7.00 µs", "4.00 µs", "8.00 µs", "      -", "      -"], "{frame:#?}");
    machine.key(KeyCode::Enter);
    let told = " latency 7.00 µs between the last two looks, 700 ns to 9.00 ms since it is measured";
    assert!(machine.frame().iter().any(|line| line == told), "{:#?}", machine.frame());
    // Nothing came since.
    machine.look(2.0, at(then));
    machine.key(KeyCode::Esc);
    assert_eq!(cell(&machine.frame()[2]), "      -");
    for width in 1..200 {
        let places = places(width, 7, 40, true);
        let shown = places.iter().any(|place| place.column == Column::Latency);
        assert!(shown || width < 40, "{width}: {places:?}");
        assert!(places.iter().all(|place| place.x + place.width <= width), "{width}: {places:?}");
    }

    let start = Instant::now();
    let sight = |millis, shards| Sight {
        at: start + Duration::from_millis(millis),
        processes: at(shards),
        unreadable: Vec::new(),
    };
    let text = table::text(&sight(500, then), &sight(0, first), true, true);
    for (name, latency) in [("sort ", "7.00 µs  "), ("shard 1 ", "8.00 µs  "), ("silent ", "-  asleep")] {
        let line = text.lines().find(|line| line.trim_start().starts_with(name)).expect("it is there");
        assert!(line.contains(latency), "{text}");
    }
    let json: serde_json::Value =
        serde_json::from_str(&table::json(&sight(500, then), &sight(0, first))).unwrap();
    let sort = &json["kernels"][0];
    let told =
        ["latency_seconds", "latency_min_seconds", "latency_max_seconds"].map(|name| sort[name].clone());
    assert_eq!(told, [7e-6, 7e-7, 9e-3].map(serde_json::Value::from));
    assert!(
        json["kernels"][1]["latency_seconds"].is_null()
            && json["kernels"][1]["latency_min_seconds"].is_null()
    );
}
