//! A chat: a kernel publishes each line on the topic of its room. Who is in a room hears it, by a kernel of their own;
//! people come and go meanwhile, and a moderator, which is the host, hears those who shout.
//!
//! `cargo run -p annulus --example chat -- [cpu|opencl]`

mod common;

use annulus::prelude::*;

use common::Outcome;

const PEOPLE: [&str; 3] = ["anna", "bert", "carl"];
const ROOMS: [&str; 3] = ["room.garden", "room.hall", "street"];

/// A line that somebody says in a room.
#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Line {
    #[ring(key)]
    speaker: u32,
    number: u32,
    room: Topic,
    length: u32,
    text: [u8; 44],
}

#[derive(DeviceType, Clone, Copy, Default)]
#[repr(C)]
struct Speaker {
    shouts: u32,
}

/// Where a speaker's first shout is told of, and where all others are.
const ONCE: Topic = Topic::of("moderator.once");
const AGAIN: Topic = Topic::of("moderator.again");

/// Tells a line to all who are in its room. A shout goes to the moderator instead.
#[ring_kernel(connectable = true)]
fn chat(line: &Line, speaker: &mut Speaker, said: &Outbox<Published<Line>>) {
    let mut capitals = 0;
    for i in 0..line.length as usize {
        if let b'A'..=b'Z' = line.text[i] {
            capitals += 1;
        }
    }
    let mut topic = line.room;
    if 2 * capitals > line.length {
        topic = if speaker.shouts == 0 { ONCE } else { AGAIN };
        speaker.shouts += 1;
    }
    said.send(Published { topic, message: *line });
}

#[derive(DeviceType, Clone, Copy, Default)]
#[repr(C)]
struct Known {
    lines: u32,
}

/// Hears for one of the people, and knows how often it has heard each of the others.
#[ring_kernel(connectable = true)]
fn hear(line: &Line, known: &mut Known, heard: &Outbox<Line>) {
    known.lines += 1;
    heard.send(*line);
}

fn words(line: &Line) -> String {
    let room = ROOMS.iter().find(|name| Topic::of(name) == line.room).unwrap_or(&"nowhere");
    let text = String::from_utf8_lossy(&line.text[..line.length as usize]);
    format!("{} in {room}: {text}", PEOPLE[line.speaker as usize])
}

/// What each has heard since the last time, in the order in which it was said.
fn told(people: &[KernelHandle<hear>]) {
    for person in people {
        person.drained_blocking();
        let mut lines: Vec<_> = std::iter::from_fn(|| person.try_recv().ok()).collect();
        lines.sort_by_key(|line| line.number);
        for line in &lines {
            println!("{} hears {}", person.name(), words(line));
        }
    }
}

fn talk(runtime: &Runtime) -> Outcome {
    let actors = PEOPLE.len() as u64;
    let launch = |name: &&str| hear::launch(runtime, hear::options().name(*name).actors(actors));
    let people = PEOPLE.iter().map(launch).collect::<Result<Vec<_>, _>>()?;
    let addresses: Vec<_> = people.iter().map(|person| person.peer()).collect();
    let chat = chat::launch(runtime, chat::options().actors(actors).active(false))?;
    let topics = chat.connect_topics(&addresses)?;
    chat.activate_blocking()?;
    for room in ROOMS {
        topics.name(room)?; // known, so that patterns take it
    }
    topics.name("moderator.once")?;
    topics.name("moderator.again")?;
    topics.listen("moderator.#")?; // the host

    let mut number = 0;
    let mut say = |speaker: u32, room: &str, words: &str| -> Outcome {
        number += 1;
        let mut text = [0; 44];
        text[..words.len()].copy_from_slice(words.as_bytes());
        let line = Line { speaker, number, room: Topic::of(room), length: words.len() as u32, text };
        let _ = chat.send_blocking(line)?;
        Ok(())
    };
    topics.subscribe("room.garden", addresses[0])?;
    topics.subscribe("room.*", addresses[1])?; // all rooms of the house
    say(2, "room.garden", "Is anybody here?")?;
    say(0, "room.hall", "Who is in the hall?")?;
    say(2, "street", "Nobody is out here.")?;
    say(2, "street", "HELLO")?;
    chat.drained_blocking();
    told(&people);

    topics.unsubscribe("room.garden", addresses[0])?; // anna leaves the garden,
    topics.subscribe("street", addresses[0])?; // and goes out
    topics.subscribe("#", addresses[2])?; // carl hears everything
    say(1, "room.garden", "Anna?")?;
    say(2, "street", "HELLO, ANNA")?;
    say(1, "street", "Do not shout.")?;
    chat.drained_blocking();
    told(&people);

    for _ in 0..3 {
        match chat.try_recv() {
            Ok(Published { topic, message }) if topic == AGAIN => println!("again, {}", words(&message)),
            Ok(Published { message, .. }) => println!("a shout of {}", words(&message)),
            Err(_) => println!("nobody else has shouted"),
        }
    }
    let peers = chat.peers();
    let copies: Vec<_> = peers.peers.iter().map(|peer| peer.sent).collect();
    println!("copies: {copies:?}, to the moderator: {}, to nobody: {}", peers.host, peers.gone);
    println!("{}", chat.status());
    Ok(())
}

fn main() -> std::process::ExitCode {
    common::run(talk)
}
