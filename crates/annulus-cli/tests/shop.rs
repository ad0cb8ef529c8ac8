//! The command of a program with kernels of its own, whose messages fail, wait, ask and have parts.

#[path = "common/fed.rs"]
mod fed;

use std::{
    fs,
    path::PathBuf,
    process::{Command, Output},
};

use serde_json::{Value, json};

use fed::fed;

/// The example that is built beside this test.
fn shop(arguments: &[&str], input: &str) -> Output {
    let test = std::env::current_exe().unwrap();
    let example = test.parent().and_then(|deps| deps.parent()).unwrap().join("examples").join("shop");
    fed(Command::new(example).args(arguments), input)
}

fn text(bytes: &[u8]) -> &str {
    str::from_utf8(bytes).unwrap()
}

/// A file of this test's own.
fn file(name: &str, content: &str) -> String {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::write(&path, content).unwrap();
    path.to_str().unwrap().into()
}

const CARTS: [&str; 4] = ["send", "carts", "--backend", "cpu"];

fn buy(cart: u32, pieces: u16) -> String {
    json!({ "Buy": { "cart": cart, "item": { "number": 7, "pieces": pieces } } }).to_string() + "\n"
}

/// Two are handled, one fails, and one is for a cart that there is not.
fn mixed() -> String {
    buy(3, 2) + &buy(4, 0) + &buy(800, 1) + &buy(3, 1)
}

/// A pipeline can tell that not all was handled.
#[test]
fn what_is_not_handled_is_told_by_the_exit_code() {
    let output = shop(&CARTS, &mixed());
    let told = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{told}");
    assert!(told.contains("2 processed, 2 sent back, 1 failed, 1 unknown actor"), "{told}");
    let words = "annulus: not all messages were handled by `carts`: 1 failed, 1 for unknown actors; --dead-letters FILE keeps";
    assert!(told.contains(words), "{told}");
    assert_eq!(shop(&CARTS, &buy(3, 2)).status.code(), Some(0));

    let topology = file("carts.toml", "[kernels.carts]\n");
    let output = shop(&["run", &topology, "--backend", "cpu"], &mixed());
    let told = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{told}");
    let words = "annulus: not all messages were handled by `carts`: 1 failed, 1 for unknown actors\n";
    assert!(told.contains(words), "{told}");
    assert_eq!(shop(&["run", &topology, "--backend", "cpu"], &buy(3, 2)).status.code(), Some(0));
}

/// Messages for later do not vanish without a word.
#[test]
fn timers_that_are_lost_are_told() {
    let output = shop(&CARTS, &(buy(3, 2) + &buy(4, 1)));
    let told = text(&output.stderr);
    assert!(told.contains("2 processed, 2 sent back, 2 messages that it had set for later lost"), "{told}");
    let topology = file("timers.toml", "[kernels.carts]\n");
    let output = shop(&["run", &topology, "--backend", "cpu"], &buy(3, 2));
    let told = text(&output.stderr);
    assert!(told.contains(", 1 timers lost"), "{told}");
}

/// What the kernel did not handle is kept beside what is no message.
#[test]
fn dead_letters_of_the_kernel_are_kept() {
    let path = file("letters.json", "");
    let arguments = [&CARTS[..], &["--dead-letters", &path]].concat();
    let output = shop(&arguments, &(mixed() + "{\"Buy\": 3}\n"));
    let told = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{told}");
    assert!(told.contains("3 dead letters in"), "{told}");
    let lines = fs::read_to_string(&path).unwrap();
    let lines: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let causes: Vec<_> = lines.iter().map(|line| line["cause"].as_str().unwrap()).collect();
    assert_eq!(causes, ["type", "failed", "unknown_actor"]);
    assert_eq!(lines[1]["message"], serde_json::from_str::<Value>(&buy(4, 0)).unwrap());
    assert!(lines[1]["reason"].as_str().unwrap().contains("NoPieces"), "{}", lines[1]);
    assert_eq!(lines[2]["message"]["Buy"]["cart"], 800);
    assert!(lines[2]["reason"].as_str().unwrap().contains("--actors"), "{}", lines[2]);
}

/// Who reads the list can write each message.
#[test]
fn kernels_are_listed_with_all_parts_of_their_types() {
    let output = shop(&["run", "--list"], "");
    let list = text(&output.stdout);
    for part in [
        "takes CartEvent: Buy { cart: u32, item: Item } | Close { cart: u32, why: Why }\n",
        "  Item { number: u32, pieces: u16 }\n",
        "  Why: Paid(u64) | Left { after_ms: u32 } | Broken\n",
        "--bind board=… Board { topic: Topic, above: u64 }\n",
        "  Topic: its name, as text\n",
        "sends by closed: Closed { cart: u32, why: Why }\n",
        "sends by packed: Packed { item: Item }\n",
        "asks by price: Query { item: u32 }\n",
        "as JSON: {\"Buy\": {\"cart\": 0, \"item\": {\"number\": 0, \"pieces\": 0}}}\n",
        "or:      {\"Close\": {\"cart\": 0, \"why\": {\"Paid\": 0}}}\n",
        "takes Letter (version 0, bridged) { from: u32, text: text }, a bridged message: `annulus send` cannot make it; a program sends it",
    ] {
        assert!(list.contains(part), "{part:?} is not in:\n{list}");
    }
    // Each of its lines is a message.
    let mut lines = String::new();
    let of_carts = list.split("  carts ").nth(1).unwrap().split("\n  catalogue").next().unwrap();
    for line in of_carts.lines() {
        if let Some(json) =
            line.trim_start().strip_prefix("as JSON: ").or(line.trim_start().strip_prefix("or: "))
        {
            lines += &(json.trim_start().to_owned() + "\n");
        }
    }
    let output = shop(&CARTS, &lines);
    let told = text(&output.stderr);
    assert!(told.contains("1 processed, 1 sent back, 1 failed"), "{told}");
}

const TILL: &str = "[kernels.till]\nthrough = 64\n[kernels.catalogue]\n[[links]]\nfrom = \"till.price\"\nto = \"catalogue\"\n";

/// A kernel that asks another runs from a file, which lacks no option for it; and what is missing is told before anything
/// is launched, in the words of the file.
#[test]
fn asks_run_from_a_file() {
    let lacks = file("lacks.toml", TILL);
    for command in ["graph", "run"] {
        let output = shop(&[command, &lacks], "");
        let told = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{told}");
        let words = "lacks.toml: the topology cannot be: link from `till.price` to `catalogue`: `catalogue` has no room for so many \
                     asks: launch it with through = 64, or more\n";
        assert!(told.contains(words), "{told}");
        assert_eq!(text(&output.stdout), "");
    }
    let whole = TILL.replace("[kernels.catalogue]\n", "[kernels.catalogue]\nthrough = 64\n");
    let whole = file("asks.toml", &whole);
    let input = "{\"Query\": {\"item\": 7}}\n";
    let output = shop(&["run", &whole, "--backend", "cpu", "--to", "till"], input);
    let told = text(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{told}");
    assert!(told.contains("catalogue on cpu: terminated, 1 sent, 1 processed"), "{told}");
}

/// All that an attribute may say of a launch, as far as it is a number or a word.
#[test]
fn options_are_words_of_the_file() {
    let options = "priority = true\ndeduplication = \"ByPayload\"\ndeduplication_window = 16\nexpiry_us = 60000000\nmode = \"Batch\"\n\
                   max_messages_per_iteration = 8\ncalls = false\ntimestamps = true\ntrack_latency = true\nspin_us = 5\n\
                   run_mode = \"EventDriven\"\nleave_after = 10\nslow_after_us = 1000000\ncount_turns = true\n\
                   max_payload = 512\nrounds = true\nsupersteps = true\nblack_box = false\n";
    let topology = file("options.toml", &("[kernels.catalogue]\n".to_owned() + options));
    // Equal messages are one.
    let output =
        shop(&["run", &topology, "--backend", "cpu"], "{\"item\": 7}\n{\"item\": 7}\n{\"item\": 8}\n");
    let told = text(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{told}");
    assert!(told.contains("2 processed, 1 dropped") && told.contains(" rounds"), "{told}");
    for (options, expected) in [
        ("mode = \"Bath\"", "unknown variant `Bath`, expected one of `Continuous`, `Batch`, `Adaptive`"),
        ("deduplication = \"ById\"", "deduplication is ById, and messages of `catalogue` have no id"),
        ("rounds = true\nsupersteps = false", "leave supersteps = false out"),
        ("grid = 0", "grid is 0, and must be 1 ..= 65536: use 1"),
    ] {
        let topology = file("refused.toml", &format!("[kernels.catalogue]\n{options}\n"));
        let output = shop(&["graph", &topology], "");
        let told = text(&output.stderr);
        assert!(output.status.code() == Some(1) && told.contains(expected), "{told}");
        assert!(!told.contains("LaunchOptions"), "{told}");
    }
    let output = shop(&["graph", &file("actors.toml", "[kernels.carts]\nactors = 0\n")], "");
    assert!(
        text(&output.stderr).contains("how many keys there are with actors = n"),
        "{}",
        text(&output.stderr)
    );
}

/// A topic is bound by its name, and numbers of 64 bits by their digits, where TOML has no such number.
#[test]
fn topics_are_bound_by_their_names() {
    let board = |topic: &str, above: &str| {
        format!("[kernels.board]\nbind = {{ board = {{ topic = {topic}, above = {above} }} }}\n")
    };
    let price = "{\"cents\": 18446744073709551615}\n{\"cents\": \"0xffffffffffffffff\"}\n{\"cents\": 7}\n";
    let bits = annulus::Topic::of("prices.eu").bits();
    let topology = file("topic.toml", &board("\"prices.eu\"", "\"18446744073709551615\""));
    let output = shop(&["run", &topology, "--backend", "cpu"], price);
    let told = text(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{told}");
    let lines: Vec<Value> =
        text(&output.stdout).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 2);
    for line in lines {
        assert_eq!(line["output"]["topic"]["bits"], bits);
        assert_eq!(line["output"]["message"]["cents"], u64::MAX);
    }
    for (topic, above, expected) in [
        ("3", "1", "expected the name of a topic, or a Topic with bits"),
        ("\"\"", "1", "a topic has a name that is not empty"),
        ("\"a\"", "\"many\"", "invalid type: string \"many\", expected a u64"),
        ("\"a\"", "\"18446744073709551616\"", "18446744073709551616 is no u64"),
    ] {
        let output = shop(&["graph", &file("no_topic.toml", &board(topic, above))], "");
        assert!(text(&output.stderr).contains(expected), "{}", text(&output.stderr));
    }
    // On the command line, too; and the list says so.
    let bind = r#"board={"topic": "prices.eu", "above": 5}"#;
    let output = shop(&["send", "board", "--backend", "cpu", "--bind", bind], "{\"cents\": 7}\n");
    let line: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(line["topic"]["bits"], bits);
}
