use std::error::Error;

use annulus::prelude::*;

// ANCHOR: types
/// An enum has an integer representation. Each variant marks the same key, or none does.
#[derive(RingMessage, Clone, Copy)]
#[repr(u32)]
enum Command {
    Rename {
        #[ring(key)]
        player: u32,
        name: Text<16>,
    },
    Play {
        #[ring(key)]
        player: u32,
        scores: List<u16, 8>,
    },
}

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Standing {
    player: u32,
    best: u16,
    games: u16,
    name: Text<16>,
}
// ANCHOR_END: types

// ANCHOR: handler
#[derive(DeviceType, Clone, Copy, Default)]
#[repr(C)]
struct Player {
    best: u16,
    games: u16,
    name: Text<16>,
}

#[ring_kernel]
fn league(command: &Command, state: &mut Player, standings: &Outbox<Standing>) {
    let player = match *command {
        Command::Rename { player, name } => {
            state.name = name;
            player
        }
        Command::Play { player, scores } => {
            for i in 0..scores.len as usize {
                state.best = state.best.max(scores.items[i]);
                state.games += 1;
            }
            player
        }
    };
    standings.send(Standing { player, best: state.best, games: state.games, name: state.name });
}
// ANCHOR_END: handler

// ANCHOR: main
fn main() -> Result<(), Box<dyn Error>> {
    let runtime = Runtime::builder().backend(Backend::Auto).build()?;
    let kernel = league::launch(&runtime, LaunchOptions::production().actors(100).grid(2))?;

    let _ = kernel.send_blocking(Command::Rename { player: 42, name: Text::new("Ada")? })?;
    let _ = kernel.send_blocking(Command::Play { player: 42, scores: List::new(&[310, 720, 550])? })?;
    let _ = kernel.send_blocking(Command::Play { player: 42, scores: List::new(&[640])? })?;

    for _ in 0..3 {
        let standing = kernel.recv_blocking()?;
        println!("{}: {} games, best {}", standing.name.as_str()?, standing.games, standing.best);
    }

    // A key that is not below the number of actors is counted, and becomes a dead letter.
    let _ = kernel.send_blocking(Command::Play { player: 100, scores: List::new(&[1])? })?;
    kernel.drained_blocking();
    println!("{} for nobody", kernel.status().drops.unknown_actor);

    let error = Text::<16>::new("a name of more than sixteen bytes").unwrap_err();
    println!("{error}");
    Ok(())
}
// ANCHOR_END: main
