//! The shortest way through a maze, by messages: what a kernel sends can be sent to it again.
//!
//! `cargo run -p annulus --example maze -- [cpu|opencl]`
//!
//! Each message says that a place was reached, and from where. Who reaches a place with fewer steps than anyone before tells the
//! neighbours. `steps` is memory that all blocks share; `fetch_min` keeps it right whatever the order is that messages come in.

#![allow(clippy::disallowed_types)] // This repository's own rule for protocols, not for the counters of a kernel.

mod common;

use std::sync::atomic::{AtomicU32, Ordering};

use annulus::prelude::*;

use common::Random;

const WIDTH: usize = 61;
const HEIGHT: usize = 19;

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Reached {
    place: u32,
    from: u32,
    steps: u32,
}

/// What the kernel sends.
#[derive(RingMessage, Clone, Copy)]
#[repr(u32)]
enum News {
    /// Fewer steps than before lead to this place.
    Closer(Reached),
    /// This is to be sent to the kernel.
    Next(Reached),
}

#[ring_kernel(mode = Batch, max_outputs = 5)]
fn explore(reached: &Reached, walls: &[bool], width: &u32, steps: &[AtomicU32], news: &Outbox<News>) {
    let place = reached.place;
    if walls[place as usize] {
        return;
    }
    let before = steps[place as usize].fetch_min(reached.steps, Ordering::Relaxed);
    if reached.steps >= before {
        return;
    }
    news.send(News::Closer(*reached));
    for neighbour in [place - 1, place + 1, place - width, place + width] {
        news.send(News::Next(Reached { place: neighbour, from: place, steps: reached.steps + 1 }));
    }
}

/// A maze with several ways: passages dug from a start, and some walls broken.
fn maze() -> Vec<u8> {
    let mut random = Random(11);
    let mut maze = vec![b'#'; WIDTH * HEIGHT];
    let mut way = vec![(1, 1)];
    maze[WIDTH + 1] = b' ';
    while let Some(&(x, y)) = way.last() {
        let around = [(x + 2, y), (x, y + 2), (x - 2, y), (x, y - 2)];
        let free: Vec<(i32, i32)> = around
            .into_iter()
            .filter(|&(x, y)| x > 0 && y > 0 && x < WIDTH as i32 && y < HEIGHT as i32)
            .filter(|&(x, y)| maze[y as usize * WIDTH + x as usize] == b'#')
            .collect();
        if free.is_empty() {
            way.pop();
            continue;
        }
        let next = free[random.number() as usize % free.len()];
        for (x, y) in [((x + next.0) / 2, (y + next.1) / 2), next] {
            maze[y as usize * WIDTH + x as usize] = b' ';
        }
        way.push(next);
    }
    for _ in 0..40 {
        let (x, y) =
            (1 + random.number() as usize % (WIDTH - 2), 1 + random.number() as usize % (HEIGHT - 2));
        if x % 2 != y % 2 {
            maze[y * WIDTH + x] = b' ';
        }
    }
    maze
}

fn main() -> std::process::ExitCode {
    common::run(|runtime| {
        let mut maze = maze();
        let (start, end) = (WIDTH + 1, WIDTH * (HEIGHT - 1) - 2);
        let walls: Vec<bool> = maze.iter().map(|place| *place == b'#').collect();
        let kernel = explore::bind(&walls, WIDTH as u32, &vec![u32::MAX; maze.len()])
            .launch(runtime, LaunchOptions::production().grid(2))?;

        let _ = kernel.send_blocking(Reached { place: start as u32, from: start as u32, steps: 0 })?;
        let mut ways: Vec<Option<Reached>> = vec![None; maze.len()];
        let mut messages = 1;
        loop {
            kernel.drained_blocking();
            let mut next = Vec::new();
            while let Ok(news) = kernel.try_recv() {
                match news {
                    News::Next(reached) => next.push(reached),
                    News::Closer(reached) => {
                        let way = &mut ways[reached.place as usize];
                        if way.is_none_or(|before| reached.steps < before.steps) {
                            *way = Some(reached);
                        }
                    }
                }
            }
            if next.is_empty() {
                break;
            }
            messages += next.len();
            kernel.send_batch_blocking(&next)?;
        }

        let Some(last) = ways[end] else { return Err("there is no way".into()) };
        let mut at = last;
        maze[end] = b'o';
        while at.steps > 0 {
            maze[at.from as usize] = b'o';
            let Some(before) = ways[at.from as usize] else { return Err("the way has a gap".into()) };
            at = before;
        }
        for row in maze.chunks(WIDTH) {
            println!("{}", String::from_utf8_lossy(row));
        }
        println!("{} steps, found with {messages} messages", last.steps);
        println!("{}", kernel.status());
        Ok(())
    })
}
