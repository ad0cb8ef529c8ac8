//! Topologies whose kernels say whom each output is for: by addresses, and by topics; and one whose kernel asks another.

use std::time::Duration;

use annulus::{TopicStatus, Topology, TopologyError, TopologyProblem, prelude::*};

#[derive(RingMessage, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
struct Line {
    room: Topic,
    #[ring(key)]
    number: u32,
}

/// What makes a kernel send a line to another one.
#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Errand {
    to: Peer<Line>,
    line: Line,
}

/// A line, or something else.
#[derive(RingMessage, Clone, Copy)]
#[repr(u32)]
enum Heard {
    Nothing {
        #[ring(key)]
        number: u32,
    },
    #[ring(from)]
    Line(Line),
}

#[ring_kernel(actors = 8)]
fn show(line: &Line, shown: &Outbox<Line>) {
    shown.send(*line);
}

#[ring_kernel(actors = 8)]
fn hear(heard: &Heard, shown: &Outbox<Line>) {
    match heard {
        Heard::Nothing { .. } => {}
        Heard::Line(line) => shown.send(*line),
    }
}

#[ring_kernel(actors = 8)]
fn chat(line: &Line, rooms: &Outbox<Published<Line>>) {
    rooms.send(Published { topic: line.room, message: *line });
}

#[ring_kernel]
fn carry(errand: &Errand, lines: &Outbox<Addressed<Line>>) {
    lines.send(Addressed { to: errand.to, message: errand.line });
}

/// Sends along the rows of a graph.
#[ring_kernel(actors = 8)]
fn walk(line: &Line, edges: &Outbox<Along<Line>>) {
    edges.send(Along { row: line.number, from: 0, message: *line });
}

#[ring_kernel]
fn plain(errand: &Errand) {
    let _ = errand;
}

fn line(room: &str, number: u32) -> Line {
    Line { room: Topic::of(room), number }
}

fn rooms() -> Topology {
    Topology::new()
        .kernel("anna", show::bind(), show::options())
        .kernel("bert", hear::bind(), hear::options())
        .kernel("chat", chat::bind(), chat::options())
        .subscribe("chat", "room.garden", "anna")
        .subscribe("chat", "room.*", "bert")
        .topic("chat", "room.kitchen")
}

#[test]
fn k05_a_topology_subscribes() {
    let running = rooms().launch(&Runtime::builder().build().unwrap()).unwrap();
    let runtime = running.runtime();
    let chat = runtime.handle::<chat>("chat").unwrap();
    chat.send_batch_blocking(&[line("room.garden", 1), line("room.kitchen", 2), line("room.attic", 3)])
        .unwrap();
    chat.drained_blocking();
    // Wildcards take names that are known: nobody has named the attic.
    assert_eq!(chat.peers().gone, 1);
    let topics = running.topics("chat").unwrap();
    topics.name("room.attic").unwrap();
    let _ = chat.send_blocking(line("room.attic", 4)).unwrap();
    chat.drained_blocking();
    let next = |name: &str, count: usize| {
        let shown = runtime.receiver::<Line>(name).unwrap();
        let mut numbers: Vec<_> = (0..count).map(|_| shown.recv_blocking().unwrap().number).collect();
        numbers.sort_unstable();
        numbers
    };
    assert_eq!(next("anna", 1), [1]);
    assert_eq!(next("bert", 3), [1, 2, 4]);
    let known: Vec<(String, usize)> = topics
        .known()
        .unwrap()
        .into_iter()
        .map(|TopicStatus { name, takers, .. }| (name, takers.len()))
        .collect();
    assert_eq!(
        known,
        [("room.attic".into(), 1), ("room.garden".into(), 2), ("room.kitchen".into(), 1)]
            as [(String, usize); 3]
    );
    assert!(running.topics("anna").is_none() && running.topics("nobody").is_none());
    let outcomes = running.shutdown_blocking(Duration::from_secs(60));
    assert_eq!(outcomes[0].0, "chat", "sources first");
}

#[test]
fn k01_a_topology_sends_to_addresses() {
    let topology = Topology::new()
        .kernel("anna", show::bind(), show::options())
        .kernel("bert", hear::bind(), hear::options())
        .kernel("carry", carry::bind(), carry::options())
        .link("carry", "anna")
        .link_with("carry", "bert", Backpressure::Reject);
    let drawn = topology.drawn().unwrap();
    assert!(
        drawn.starts_with(
            "host   ── Errand ───────▶ carry\n\
             carry  ── Line ─────────▶ anna\n\
             carry  ── Line or lost ─▶ bert\n"
        ),
        "{drawn}"
    );
    let running = topology.launch(&Runtime::builder().build().unwrap()).unwrap();
    let runtime = running.runtime();
    let carry = runtime.handle::<carry>("carry").unwrap();
    let (anna, bert) = (runtime.peer::<Line>("anna").unwrap(), runtime.handle::<hear>("bert").unwrap());
    for (number, to) in [anna, bert.peer_of::<Line>(), Peer::NOBODY, anna].into_iter().enumerate() {
        let _ = carry.send_blocking(Errand { to, line: line("room", number as u32) }).unwrap();
    }
    let _ = bert.send_blocking(Heard::Nothing { number: 3 }).unwrap();
    carry.drained_blocking();
    let next = |name: &str| runtime.receiver::<Line>(name).unwrap().recv_blocking().unwrap().number;
    assert_eq!((next("bert"), next("anna"), next("anna")), (1, 0, 3));
    let peers = carry.peers();
    assert_eq!((peers.peers[0].sent, peers.peers[1].sent, peers.gone), (2, 1, 1));
}

#[test]
fn k05_topics_are_drawn() {
    let drawn = rooms().drawn().unwrap();
    assert!(
        drawn.starts_with(
            "host  ── Line ────────────────▶ chat\n\
             chat  ── Line on room.garden ─▶ anna\n\
             chat  ── Line on room.* ──────▶ bert\n"
        ),
        "{drawn}"
    );
    assert!(rooms().to_dot().unwrap().contains(r#""chat" -> "bert" [label="Line on room.*"];"#));
    assert!(rooms().to_svg().unwrap().contains(">Line on room.garden<"));
}

/// A kernel whose topics have names, and that nobody takes topics of, is connected all the same: the host gets nothing of it.
#[test]
fn k05_a_kernel_with_topics_alone_sends_nothing_to_the_host() {
    let topology = || Topology::new().kernel("chat", chat::bind(), chat::options());
    assert_eq!(topology().check().unwrap().exits, ["chat"]);
    let named = topology().topic("chat", "room.garden");
    assert_eq!(named.check().unwrap().exits, [""; 0]);
    assert!(topology().drawn().unwrap().contains("▶ host"), "{}", topology().drawn().unwrap());
    assert!(!named.drawn().unwrap().contains("▶ host"), "{}", named.drawn().unwrap());
}

#[test]
fn k05_what_cannot_be_is_named_before_a_launch() {
    let wrong = rooms()
        .kernel("plain", plain::bind(), plain::options())
        .kernel("carry", carry::bind(), carry::options())
        .subscribe("chat", "room.", "anna")
        .link("chat", "anna")
        .subscribe("carry", "room.*", "anna")
        .link("carry", "plain")
        .topic("plain", "room.garden")
        .topic("chat", "room.#")
        .topic("chats", "room.garden");
    let TopologyError::Invalid(problems) = wrong.check().unwrap_err() else { panic!("invalid") };
    let problems: Vec<_> = problems.iter().map(ToString::to_string).collect();
    assert_eq!(
        problems,
        [
            "link from `chat` to `anna`: `room.` is no pattern of topics: it is words with a dot in between, none of \
             them empty, and a word that has `*` or `#` is nothing else",
            "link from `carry` to `anna`: `carry` publishes nothing: nobody takes topics such as `room.*` of it; take \
             the pattern away, or publish by an `&Outbox<Published<T>>`",
            "link from `carry` to `plain`: `carry` sends `Line`, and `plain` takes `Errand`: field `to` stands there \
             where `room` stands here",
            "topics of `plain`: `plain` publishes nothing: it has no topics; take the name away, or publish by an \
             `&Outbox<Published<T>>`",
            "topics of `chat`: `room.#` is no name of a topic: it is words with a dot in between, none of them empty, and \
             without `*` and `#`",
            "topics of `chats`: no kernel is called `chats`; there are anna, bert, chat, plain, carry",
        ]
    );
    let rows = Topology::new().kernel("walk", walk::bind(), walk::options()).link("walk", "walk");
    let error = rows.check().unwrap_err().to_string();
    assert!(
        error.contains("`walk` sends along the rows of a graph") && error.contains("connect_along"),
        "{error}"
    );
    let twice = rooms().link("chat", "anna");
    let TopologyError::Invalid(problems) = twice.check().unwrap_err() else { panic!("invalid") };
    assert!(
        matches!(&problems[..], [TopologyProblem::Link { problem, .. }] if problem.contains("linked twice"))
    );
    let many =
        (0..16).fold(Topology::new().kernel("chat", chat::bind(), chat::options()), |topology, number| {
            let name = format!("taker-{number}");
            topology.kernel(&name, show::bind(), show::options()).link("chat", &name)
        });
    let error = many.check().unwrap_err().to_string();
    assert!(error.contains("`chat` has links to 15 others"), "{error}");
    // Two names with one hash are known when they are named, and nothing runs then.
    let runtime = Runtime::builder().build().unwrap();
    let same = rooms().topic("chat", "topic.509193").topic("chat", "topic.8920456");
    let error = same.launch(&runtime).unwrap_err();
    assert!(matches!(&error, TopologyError::Topics { kernel, .. } if kernel == "chat"), "{error}");
    // The names are free, or about to be.
    let _running = rooms().launch(&runtime).unwrap();
}

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Query {
    item: u32,
}

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Price {
    cents: u32,
}

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Priced {
    price: Answer<Price>,
}

#[derive(RingMessage, Clone, Copy)]
#[repr(u32)]
enum Event {
    #[ring(from)]
    Query(Query),
    #[ring(from)]
    Priced(Priced),
}

#[ring_kernel]
fn shop(event: &Event, sold: &Outbox<Price>, price: &Ask<Query, Priced>) {
    match event {
        Event::Query(query) => {
            let awaited = Priced { price: Answer { ended: 0, code: 0, value: Price { cents: 0 } } };
            price.send(*query, awaited, 60_000_000_000);
        }
        Event::Priced(priced) => sold.send(priced.price.value),
    }
}

#[ring_kernel]
fn catalogue(query: &Query, prices: &Outbox<Price>) {
    prices.send(Price { cents: 10 * query.item });
}

#[ring_kernel]
fn echo(query: &Query, queries: &Outbox<Query>) {
    queries.send(*query);
}

#[test]
fn p02_a_topology_connects_who_asks() {
    let topology = |room: u32| {
        Topology::new()
            .kernel("shop", shop::bind(), shop::options().through(64))
            .kernel("catalogue", catalogue::bind(), catalogue::options().through(room))
            .link("shop.price", "catalogue")
    };
    let running = topology(64).launch(&Runtime::builder().build().unwrap()).unwrap();
    let shop = running.runtime().handle::<shop>("shop").unwrap();
    let _ = shop.send_blocking(Event::Query(Query { item: 7 })).unwrap();
    assert_eq!(running.runtime().receiver::<Price>("shop.sold").unwrap().recv_blocking().unwrap().cents, 70);

    let error = topology(0).launch(&Runtime::builder().build().unwrap()).unwrap_err().to_string();
    assert_eq!(
        error,
        "the topology cannot be: link from `shop.price` to `catalogue`: `catalogue` has no room for so many asks: launch it \
         with LaunchOptions::through(64), or more"
    );
    assert_eq!(topology(0).check().unwrap_err().to_string(), error);
    topology(64).check().unwrap();

    // Of several that ask, each takes its room; and whatever else a launch would refuse is found before.
    let two = |room: u32, asker: u32| {
        topology(room)
            .kernel("other", shop::bind(), shop::options().through(asker).grid(2))
            .link("other.price", "catalogue")
    };
    for (topology, expected) in [
        (
            two(191, 1),
            "link from `other.price` to `catalogue`: `catalogue` has no room for so many asks: launch it with LaunchOptions::through(192)",
        ),
        (two(192, 0), "`other` has no room for so many asks: launch it with LaunchOptions::through(1)"),
        (
            topology(64).kernel("next", catalogue::bind(), catalogue::options()).link("shop.sold", "next"),
            "sends `Price`, and `next` takes `Query`",
        ),
        (
            Topology::new()
                .kernel("shop", shop::bind(), shop::options().through(64))
                .kernel("other", echo::bind(), echo::options().through(64))
                .link("shop.price", "other"),
            "`other` does not answer `Price`, as it is asked",
        ),
    ] {
        let error = topology.check().unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
        assert_eq!(topology.launch(&Runtime::builder().build().unwrap()).unwrap_err().to_string(), error);
    }
    two(192, 1).launch(&Runtime::builder().build().unwrap()).unwrap();
}

#[cfg(feature = "toml")]
#[test]
fn k05_topics_from_toml() {
    let path = |name: &str| format!("{}::{name}", module_path!());
    let text = format!(
        r#"
        [kernels.anna]
        kernel = "{}"
        [kernels.chat]
        kernel = "{}"
        topics = ["room.kitchen"]
        [[links]]
        from = "chat"
        to = "anna"
        topics = ["room.garden", "room.*"]
        "#,
        path("show"),
        path("chat")
    );
    let running = Topology::from_toml(&text).unwrap().launch(&Runtime::builder().build().unwrap()).unwrap();
    let chat = running.runtime().handle::<chat>("chat").unwrap();
    // A pattern that is a name makes it known, and two that take a topic bring one copy.
    chat.send_batch_blocking(&[line("room.garden", 1), line("room.kitchen", 2)]).unwrap();
    chat.drained_blocking();
    assert_eq!(chat.peers().peers[0].sent, 2);
}

/// Keeps a count for each number.
#[ring_kernel(actors = 2)]
fn keep(line: &Line, count: &mut u64, shown: &Outbox<Line>) {
    *count += 1;
    shown.send(Line { number: *count as u32, ..*line });
}

#[cfg(feature = "toml")]
#[test]
fn sparse_keys_from_toml() {
    let launched = |words: &str| {
        let text = format!("[kernels.keep]\nkernel = \"{}::keep\"\n{words}", module_path!());
        Topology::from_toml(&text).unwrap().launch(&Runtime::builder().build().unwrap())
    };
    // What becomes of numbers: how many of them are refused, have places, and were evicted.
    let outcome = |words: &str, numbers: &[u32]| {
        let running = launched(words).unwrap();
        let keep = running.runtime().handle::<keep>("keep").unwrap();
        for &number in numbers {
            let _ = keep.send_blocking(line("room", number)).unwrap();
        }
        keep.drained_blocking();
        let status = keep.status();
        let actors = status.actors.map(|actors| (actors.used, actors.evicted));
        (status.drops.unknown_actor, actors)
    };
    let numbers = [1, 70, u32::MAX, 1];
    assert_eq!(outcome("", &numbers), (2, None));
    assert_eq!(outcome("sparse_keys = false", &numbers), (2, None));
    assert_eq!(outcome("sparse_keys = true", &numbers), (1, Some((2, 0))));
    assert_eq!(outcome("sparse_keys = true\nactors = 3", &numbers), (0, Some((3, 0))));
    assert_eq!(outcome("evict_actors = true", &numbers), (0, Some((2, 2))));
    assert_eq!(outcome("sparse_keys = true\nevict_actors = false", &numbers), (1, Some((2, 0))));
    let problem = |words: &str| launched(words).map(drop).unwrap_err().to_string();
    let both = problem("evict_actors = true\nsparse_keys = false");
    assert!(both.contains("evict_actors is on, and sparse_keys off"), "{both}");
    let text = format!("[kernels.show]\nkernel = \"{}::show\"\nsparse_keys = true", module_path!());
    let stateless = Topology::from_toml(&text).unwrap().launch(&Runtime::builder().build().unwrap());
    let stateless = stateless.map(drop).unwrap_err().to_string();
    assert!(stateless.contains("sparse_keys is on, and `show` keeps no state by key"), "{stateless}");
    for word in ["sparse_keys = 1", "evict_actors = \"yes\"", "sparse_key = true"] {
        let text = format!("[kernels.keep]\nkernel = \"{}::keep\"\n{word}", module_path!());
        let error = Topology::from_toml(&text).map(drop).unwrap_err();
        assert!(matches!(error, TopologyError::Text(_)), "{word}: {error}");
    }
}

#[cfg(feature = "toml")]
#[test]
fn k01_any_from_toml() {
    let text = format!(
        r#"
        [kernels.anna]
        kernel = "{0}::show"
        [kernels.bert]
        kernel = "{0}::show"
        [kernels.carry]
        kernel = "{0}::carry"
        [[links]]
        from = "carry"
        to = "anna"
        [[links]]
        from = "carry"
        to = "bert"
        "#,
        module_path!()
    );
    let running = Topology::from_toml(&text).unwrap().launch(&Runtime::builder().build().unwrap()).unwrap();
    let carry = running.runtime().handle::<carry>("carry").unwrap();
    // Which of them gets one is for the output to say: by its address, or by that of any.
    let anna = running.runtime().peer::<Line>("anna").unwrap();
    let to = |number: u32| if number == 0 { anna } else { Peer::ANY };
    let sent: Vec<_> = (0..7).map(|number| Errand { to: to(number), line: line("room", number) }).collect();
    carry.send_batch_blocking(&sent).unwrap();
    carry.drained_blocking();
    let peers = carry.peers();
    assert_eq!((peers.peers.iter().map(|peer| peer.sent).sum::<u64>(), peers.waiting, peers.gone), (7, 0, 0));
    let mut came = Vec::new();
    for (name, peer) in ["anna", "bert"].into_iter().zip(&peers.peers) {
        assert!(peer.sent >= 3, "{peers:?}");
        let shown = running.runtime().receiver::<Line>(name).unwrap();
        came.extend((0..peer.sent).map(|_| shown.recv_blocking().unwrap().number));
    }
    came.sort_unstable();
    assert!(came.into_iter().eq(0..7));
}

/// D-03: a topology over two devices: drawn, checked, launched, shut down in order.
#[test]
fn d03_a_topology_has_devices() {
    let topology = || {
        Topology::new()
            .kernel("in", show::bind(), show::options())
            .kernel("away", hear::bind(), hear::options())
            .kernel("out", show::bind(), show::options())
            .on("away", "there")
            .link("in", "away")
            .link_with("away", "out", Backpressure::Reject)
    };
    assert_eq!(topology().devices(), ["there"]);
    let plan = topology().check().unwrap();
    let named = |from: &str, to: &str| (from.to_owned(), to.to_owned());
    assert_eq!(plan.bridges, [named("in", "away"), named("away", "out")]);
    assert_eq!(plan.order, ["out", "away", "in"]);
    let drawn = topology().drawn().unwrap();
    assert!(
        drawn.starts_with(
            "host  ── Line ─────────▶ in\n\
             in    ══ Line ═════════▶ away on there\n\
             away  ══ Line or lost ═▶ out\n\
             out   ── Line ─────────▶ host\n"
        ),
        "{drawn}"
    );
    let dot = topology().to_dot().unwrap();
    assert!(dot.contains(r#""away" [label="away\nhear, grid 1, on there"];"#), "{dot}");
    assert!(dot.contains(r#""in" -> "away" [label="Line", style=bold];"#), "{dot}");
    assert!(topology().to_svg().unwrap().contains("stroke-width=\"3\""));

    let [here, there] = [(); 2].map(|()| Runtime::builder().build().unwrap());
    let error = topology().launch_on(&here, &[("elsewhere", &there)]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "`away` is for the device `there`, and the launch names elsewhere: give it a runtime with launch_on"
    );
    let running = topology().launch_on(&here, &[("there", &there)]).unwrap();
    assert!(there.handle::<hear>("away").is_ok() && here.handle::<hear>("away").is_err());
    let first = here.handle::<show>("in").unwrap();
    for number in 0..1000 {
        let _ = first.send_blocking(line("room", number % 8)).unwrap();
    }
    let outcomes = running.shutdown_blocking(Duration::from_secs(60));
    let names: Vec<_> = outcomes.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["in", "away", "out"], "sources first");
    assert!(outcomes.iter().all(|(_, outcome)| *outcome == annulus::ShutdownOutcome::Drained));
    let bridges = running.bridges();
    assert_eq!((bridges[0].moved, bridges[1].moved + bridges[1].discarded), (1000, 1000));
    assert!(bridges.iter().all(|bridge| bridge.ended && bridge.held == 0));
}

/// D-03: a cycle over two devices ends in time, also if one of its kernels takes nothing.
#[test]
fn d03_a_cycle_over_devices_ends() {
    for active in [true, false] {
        let options = show::options().capacity(16).output_capacity(16);
        let topology = Topology::new()
            .kernel("a", show::bind(), options.clone())
            .kernel("b", show::bind(), options.active(active))
            .on("b", "there")
            .link("a", "b")
            .link("b", "a");
        let [here, there] = [(); 2].map(|()| Runtime::builder().build().unwrap());
        let running = topology.launch_on(&here, &[("there", &there)]).unwrap();
        let first = here.handle::<show>("a").unwrap();
        for number in 0..8 {
            let _ = first.send_blocking(line("room", number)).unwrap();
        }
        let outcomes = running.shutdown_blocking(Duration::from_millis(200));
        assert_eq!(outcomes.len(), 2);
        assert!(
            running.kernels().iter().all(|kernel| kernel.status().state == annulus::KernelState::Terminated)
        );
    }
}

/// D-03: a source whose target behind a bridge has ended goes on, as behind a link: what it sends is lost, and counted.
#[test]
fn d03_what_nobody_takes_is_lost() {
    let options = show::options().capacity(16).output_capacity(16);
    let topology = Topology::new()
        .kernel("a", show::bind(), options.clone())
        .kernel("b", show::bind(), options)
        .on("b", "there")
        .link("a", "b");
    let [here, there] = [(); 2].map(|()| Runtime::builder().build().unwrap());
    let running = topology.launch_on(&here, &[("there", &there)]).unwrap();
    there.handle::<show>("b").unwrap().terminate_blocking();
    let first = here.handle::<show>("a").unwrap();
    for number in 0..1000 {
        let _ = first.send_blocking(line("room", number % 8)).unwrap();
    }
    let outcomes = running.shutdown_blocking(Duration::from_secs(60));
    assert_eq!(outcomes[0], ("a".to_owned(), annulus::ShutdownOutcome::Drained));
    let bridge = &running.bridges()[0];
    assert_eq!((bridge.moved, bridge.lost, bridge.held), (0, 1000, 0), "{bridge}");
}

/// What cannot be on several devices is named before a launch.
#[test]
fn d03_devices_that_cannot_be() {
    let wrong = rooms().on("bert", "there").on("dora", "there");
    let TopologyError::Invalid(problems) = wrong.check().unwrap_err() else { panic!("invalid") };
    let problems: Vec<_> = problems.iter().map(ToString::to_string).collect();
    assert_eq!(
        problems,
        [
            "link from `chat` to `bert`: `chat` publishes, to kernels of its own device; it runs on the launch's own \
             device, and `bert` on `there`: put both on one device, or a kernel in between",
            "`dora` on `there`: no kernel is called `dora`; there are anna, bert, chat",
        ]
    );
}

/// D-03, D-04: a link from device to device has the options of its bridge; one that is no bridge, and a batch that cannot be,
/// are refused before a launch.
#[test]
fn d03_a_link_has_options_of_its_bridge() {
    let topology = |options: BridgeOptions| {
        Topology::new()
            .kernel("a", show::bind(), show::options())
            .kernel("b", show::bind(), show::options())
            .bridge_with("a", "b", options, Backpressure::Block)
    };
    let wrong = |topology: Topology| topology.check().unwrap_err().to_string();
    assert_eq!(
        wrong(topology(BridgeOptions::new())),
        "the topology cannot be: link from `a` to `b`: both run on the launch's own device, so this link is no bridge, and \
         has no batches: leave its messages and its delay out, or put one of the two kernels on another device"
    );
    let told = wrong(topology(BridgeOptions::new().messages(0)).on("b", "there"));
    assert!(
        told.ends_with("a batch of this bridge has 0 messages, and must have 1 to 65536: change `messages`"),
        "{told}"
    );
    // A batch waits for its second message, for an hour.
    let options = BridgeOptions::new().messages(2).delay(Duration::from_secs(3600));
    let [here, there] = [(); 2].map(|()| Runtime::builder().build().unwrap());
    let running = topology(options).on("b", "there").launch_on(&here, &[("there", &there)]).unwrap();
    let (first, last) = (here.handle::<show>("a").unwrap(), there.handle::<show>("b").unwrap());
    for number in 0..3 {
        let _ = first.send_blocking(line("room", number)).unwrap();
    }
    let got = [(); 2].map(|()| last.recv_blocking().unwrap().number);
    assert_eq!(got, [0, 1]);
    while running.bridges()[0].held != 1 || running.bridges()[0].by_count != 1 {
        std::thread::yield_now();
    }
    running.shutdown_blocking(Duration::from_secs(60));
    let bridge = &running.bridges()[0];
    assert_eq!((bridge.moved, bridge.by_count, bridge.by_close), (3, 1, 1), "{bridge}");
}

#[cfg(feature = "toml")]
#[test]
fn d03_options_of_a_bridge_from_toml() {
    let text = |device: &str, options: &str| {
        format!(
            r#"
            [kernels.a]
            kernel = "{0}::show"
            [kernels.b]
            kernel = "{0}::show"
            {device}
            [[links]]
            from = "a"
            to = "b"
            {options}
            "#,
            module_path!()
        )
    };
    let check = |device: &str, options: &str| Topology::from_toml(&text(device, options)).unwrap().check();
    let device = "device = \"there\"";
    for options in ["messages = 256\ndelay_us = 100", "messages = 1", "delay_us = 5", ""] {
        assert_eq!(check(device, options).unwrap().bridges.len(), 1);
        let is_refused = check("", options).map_err(|error| error.to_string());
        match options {
            "" => assert_eq!(is_refused.unwrap().bridges, []),
            _ => {
                assert!(is_refused.unwrap_err().contains("leave its messages and its delay out"), "{options}")
            }
        }
    }
    let told = check(device, "messages = 65537").unwrap_err().to_string();
    assert!(told.ends_with("has 65537 messages, and must have 1 to 65536: change `messages`"), "{told}");
    let options = "messages = 2\ndelay_us = 3600000000";
    let [here, there] = [(); 2].map(|()| Runtime::builder().build().unwrap());
    let topology = Topology::from_toml(&text(device, options)).unwrap();
    let running = topology.launch_on(&here, &[("there", &there)]).unwrap();
    here.handle::<show>("a").unwrap().send_batch_blocking(&[line("room", 1), line("room", 2)]).unwrap();
    let last = there.handle::<show>("b").unwrap();
    assert_eq!([(); 2].map(|()| last.recv_blocking().unwrap().number), [1, 2]);
    while running.bridges()[0].by_count != 1 {
        std::thread::yield_now();
    }
    assert_eq!(running.bridges()[0].by_timer, 0);
}
