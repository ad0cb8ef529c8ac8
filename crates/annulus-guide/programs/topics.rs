use std::error::Error;

use annulus::prelude::*;

// ANCHOR: handler
/// A line that somebody says in a room.
#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Line {
    room: Topic,
    number: u32,
    is_loud: u32,
}

/// What is heard in the whole house.
const HOUSE: Topic = Topic::of("house");

#[ring_kernel(connectable = true)]
fn read(line: &Line, shown: &Outbox<Line>) {
    shown.send(*line);
}

/// Tells a line to all who are in the room, and a loud one to the whole house, too.
#[ring_kernel(connectable = true, max_outputs = 2)]
fn chat(line: &Line, rooms: &Outbox<Published<Line>>) {
    rooms.send(Published { topic: line.room, message: *line });
    if line.is_loud != 0 {
        rooms.send(Published { topic: HOUSE, message: *line });
    }
}
// ANCHOR_END: handler

fn main() -> Result<(), Box<dyn Error>> {
    let runtime = Runtime::builder().backend(Backend::Auto).build()?;
    // ANCHOR: run
    let [anna, bert, carl] =
        ["anna", "bert", "carl"].map(|name| read::launch(&runtime, read::options().name(name)));
    let (anna, bert, carl) = (anna?, bert?, carl?);
    let chat = chat::launch(&runtime, chat::options().active(false))?;
    let topics = chat.connect_topics(&[anna.peer(), bert.peer(), carl.peer()])?; // all who may take some
    chat.activate_blocking()?;

    let garden = topics.name("room.garden")?; // known, so that patterns take it
    let hall = topics.name("room.hall")?;
    topics.subscribe("room.garden", anna.peer())?;
    topics.subscribe("room.*", bert.peer())?; // one word
    topics.subscribe("house", carl.peer())?;

    let say = |room, number, is_loud| chat.send_blocking(Line { room, number, is_loud });
    let hear = |reader: &KernelHandle<read>, lines: usize| -> Result<(), RecvError> {
        for _ in 0..lines {
            println!("{} hears line {}", reader.name(), reader.recv_blocking()?.number);
        }
        Ok(())
    };
    let _ = say(garden, 1, 0)?;
    let _ = say(hall, 2, 1)?; // loud
    hear(&anna, 1)?;
    hear(&bert, 2)?;
    hear(&carl, 1)?;

    topics.subscribe("#", anna.peer())?; // all, from now on; the chat runs meanwhile
    let _ = say(hall, 3, 0)?;
    let _ = say(Topic::of("cellar"), 4, 0)?; // nobody is there
    hear(&anna, 1)?;
    hear(&bert, 1)?;
    chat.drained_blocking();
    println!("copies: {:?}", chat.peers().peers.iter().map(|peer| peer.sent).collect::<Vec<_>>());
    println!("to nobody: {}", chat.peers().gone);
    // ANCHOR_END: run
    // ANCHOR: listen
    topics.listen("room.hall")?; // the host
    let _ = say(hall, 5, 0)?;
    let heard = chat.recv_blocking()?;
    println!("the host hears line {}, in the hall: {}", heard.message.number, heard.topic == hall);
    topics.unlisten("room.hall")?;
    // ANCHOR_END: listen
    Ok(())
}
