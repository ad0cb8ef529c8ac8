//! PageRank in rounds: what pages send to each other in a round is handled in the next one.
//!
//! `cargo run -p annulus --example ranks -- [cpu|opencl|cuda]`
//!
//! Each page is an actor of one kernel, which is connected to itself, and sends a part of its rank along its links. Ranks
//! are whole numbers, millionths: so sums do not depend on the order of the messages, and the end is compared with a plain
//! loop, number by number.

mod common;

use annulus::prelude::*;

use common::Random;

const PAGES: u32 = 200;
/// How often each page gives.
const TIMES: u32 = 20;
const ONE: u64 = 1_000_000;

// ANCHOR: handler
/// What a page gets from another one.
#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Share {
    #[ring(key)]
    page: u32,
    millionths: u64,
}

#[derive(DeviceType, Clone, Copy, Default)]
#[repr(C)]
struct Page {
    /// The round that it was called in last, from 1 on.
    round: u64,
    rank: u64,
    /// What it has got since it gave last.
    sum: u64,
}

/// In odd rounds pages give, and in even ones they get. Row `2 * page` of the graph has a page's links, and the row behind
/// it the page itself: by this it is called in each round, also if nobody gives it anything.
#[ring_kernel(mode = Batch, max_messages_per_iteration = 64, max_outputs = 2)]
fn rank(cx: &Cx, share: &Share, page: &mut Page, links: &[u32], out: &Outbox<Along<Share>>) {
    let round = cx.round() + 1;
    if page.round != round {
        // The first message of a round: all that was sent in the round before the last one has come.
        page.round = round;
        let gives = round % 2 == 1;
        if gives {
            page.rank = if round == 1 { ONE } else { new_rank(page.sum) };
            page.sum = 0;
        }
        if round <= 2 * TIMES as u64 {
            let message = Share { page: share.page, millionths: 0 };
            out.send(Along { row: 2 * share.page + 1, from: 0, message });
            if gives {
                let millionths = page.rank / links[share.page as usize] as u64;
                out.send(Along { row: 2 * share.page, from: 0, message: Share { millionths, ..message } });
            }
        }
    }
    page.sum += share.millionths;
}
// ANCHOR_END: handler

#[device_fn]
fn new_rank(sum: u64) -> u64 {
    ONE * 15 / 100 + sum * 85 / 100
}

/// Which pages each one links to: mostly the first ones, and each at least one.
fn web() -> Vec<Vec<u32>> {
    let mut random = Random(9);
    let mut page = || {
        let (one, other) = (random.number() as u32 % PAGES, random.number() as u32 % PAGES);
        one.min(other)
    };
    (0..PAGES).map(|number| (0..1 + number % 9).map(|_| page()).collect()).collect()
}

/// The ranks by a plain loop.
fn by_hand(web: &[Vec<u32>]) -> Vec<u64> {
    let mut ranks = vec![ONE; web.len()];
    for _ in 0..TIMES {
        let mut sums = vec![0; web.len()];
        for (links, rank) in web.iter().zip(&ranks) {
            for &to in links {
                sums[to as usize] += rank / links.len() as u64;
            }
        }
        ranks = sums.into_iter().map(new_rank).collect();
    }
    ranks
}

fn main() -> std::process::ExitCode {
    common::run(|runtime| {
        let web = web();
        let counts: Vec<u32> = web.iter().map(|links| links.len() as u32).collect();
        // ANCHOR: launch
        let rows = (0..).zip(&web).flat_map(|(page, links)| [links.clone(), vec![page]]);
        // The rings have room for all that comes to one block in a round.
        let options = LaunchOptions::production().rounds(true).grid(2).capacity(4096);
        let options = options.actors(PAGES.into()).rows(Rows::of_lists(rows)?);
        let rank = rank::bind(&counts).launch(runtime, options.active(false))?;
        rank.connect_along(&rank)?;
        // What is sent before the kernel is active is one round.
        for page in 0..PAGES {
            let _ = rank.send_blocking(Share { page, millionths: 0 })?;
        }
        rank.activate_blocking()?;
        rank.drained_blocking();
        // ANCHOR_END: launch
        rank.deactivate_blocking()?;
        let pages = rank.snapshot_blocking()?.states::<Page>()?;

        let mut best: Vec<_> = (0..PAGES).zip(&pages).collect();
        best.sort_by_key(|&(number, page)| (std::cmp::Reverse(page.rank), number));
        for (number, page) in &best[..5] {
            println!("page {number:>3}: {:>4}.{:02}", page.rank / ONE, page.rank % ONE / (ONE / 100));
        }
        let same = pages.iter().zip(by_hand(&web)).filter(|(page, rank)| page.rank == *rank).count();
        println!("{same} of {PAGES} ranks are as by hand");
        println!("{}", rank.status());
        Ok(())
    })
}
