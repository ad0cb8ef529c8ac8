//! Corrects spelling: the word of a dictionary that is nearest to what was written.
//!
//! `cargo run -p annulus --example spelling -- [cpu|opencl]`
//!
//! Shows text of bounded length in messages and in a bound table, and a function that takes parts of arrays.

mod common;

use annulus::prelude::*;

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Written {
    number: u32,
    word: Text<16>,
}

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Nearest {
    number: u32,
    entry: u32,
    distance: u32,
}

/// How many letters must be put in, taken out, replaced or exchanged with the next one: a row of the table for each letter of `first`,
/// of which the last three are kept.
#[device_fn]
fn distance(first: &[u8], second: &[u8]) -> u32 {
    let mut rows = [[0u32; 17]; 3];
    for (i, distance) in rows[0].iter_mut().enumerate() {
        *distance = i as u32;
    }
    for (i, a) in first.iter().enumerate() {
        let (now, above) = ((i + 1) % 3, i % 3);
        rows[now][0] = i as u32 + 1;
        for (j, b) in second.iter().enumerate() {
            let replaced = rows[above][j] + u32::from(a != b);
            let mut least = replaced.min(rows[above][j + 1] + 1).min(rows[now][j] + 1);
            if i > 0 && j > 0 && *a == second[j - 1] && first[i - 1] == *b {
                least = least.min(rows[(i + 2) % 3][j - 1] + 1);
            }
            rows[now][j + 1] = least;
        }
    }
    rows[first.len() % 3][second.len()]
}

#[ring_kernel(mode = Batch)]
fn correct(written: &Written, dictionary: &[Text<16>], nearest: &Outbox<Nearest>) {
    let word = &written.word.items[..written.word.len as usize];
    let mut best = Nearest { number: written.number, entry: 0, distance: u32::MAX };
    for (entry, text) in dictionary.iter().enumerate() {
        let distance = distance(word, &text.items[..text.len as usize]);
        if distance < best.distance {
            best = Nearest { entry: entry as u32, distance, ..best };
        }
    }
    nearest.send(best);
}

const DICTIONARY: &str = "a accommodate address adjust all among and answer apparent argument as at because been beginning believe \
    business but by calendar can colour conscience could definitely device different do each embarrass environment every \
    example for foreign from government grammar guarantee had harass has have he height her his how if immediately in \
    independent intelligence is it its kernel knowledge language library like maintenance make many message millennium \
    misspell more necessary neighbour no not occasion occurred of on one or other out parallel people pleasant possession \
    privilege processor queue receive recommend rhythm ring said schedule see separate she so some successful surprise \
    tendency than that the their them then there these they this time to tomorrow truly two unfortunately until up use \
    was way we weird were what when which who will with word would write written you your";

fn main() -> std::process::ExitCode {
    common::run(|runtime| {
        let entries: Vec<&str> = DICTIONARY.split_whitespace().collect();
        let dictionary = entries.iter().map(|word| Text::new(word)).collect::<Result<Vec<_>, _>>()?;
        let kernel = correct::bind(&dictionary).launch(runtime, LaunchOptions::production().grid(2))?;

        let text =
            "unfortunatly it is definately neccessary to recieve a mesage from the proccesor untill tommorow";
        let words: Vec<&str> = text.split_whitespace().collect();
        for (number, word) in words.iter().enumerate() {
            let _ = kernel.send_blocking(Written { number: number as u32, word: Text::new(word)? })?;
        }
        let mut corrected = vec![("", 0); words.len()];
        for _ in &words {
            let Nearest { number, entry, distance } = kernel.recv_blocking()?;
            corrected[number as usize] = (entries[entry as usize], distance);
        }
        for (word, (entry, distance)) in words.iter().zip(&corrected) {
            if *distance > 0 {
                println!("{word:14} {entry:14} {distance} off");
            }
        }
        let corrected: Vec<_> = corrected.into_iter().map(|(entry, _)| entry).collect();
        println!("\n{text}\n{}\n", corrected.join(" "));
        println!("{}", kernel.status());
        Ok(())
    })
}
