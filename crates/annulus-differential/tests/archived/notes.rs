//! A message without `f64`, which Metal's text can have, too: its handler's texts are kept in `snapshots`.
//! `UPDATE_SNAPSHOTS=1 cargo test -p annulus-differential --test archived` writes them anew.

use std::{env, fs, path::Path};

use annulus_kernel::{KernelDefinition, Target};
use annulus_macros::{RingMessage, device_fn, ring_kernel};
use annulus_message::{Archived, Payload};
use annulus_runtime::prelude::{Outbox, RingKernel};

use crate::samples::{self, Random, image};

#[derive(RingMessage, Clone, Debug)]
#[ring(bridged)]
struct Note {
    #[ring(key)]
    author: u32,
    text: String,
    values: Vec<i32>,
    place: Option<Point>,
    points: Vec<Point>,
}

#[derive(RingMessage, Clone, Debug)]
#[ring(bridged)]
struct Point {
    x: f32,
    name: String,
}

#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(C)]
struct Summary {
    words: u32,
    sum: i32,
    x: f32,
    names: u32,
}

#[device_fn]
fn words(bytes: &[u8]) -> u32 {
    let mut words = 0;
    let mut inside = false;
    for byte in bytes {
        let letter = *byte != b' ';
        if letter && !inside {
            words += 1;
        }
        inside = letter;
    }
    words
}

#[device_fn]
fn names(points: &[Archived<Point>]) -> u32 {
    let mut names = 0u32;
    for point in points {
        if point.name.as_bytes().first() == Some(&b'a') {
            names += 1;
        }
    }
    names
}

#[ring_kernel(loop_budget = 100_000)]
fn summarize(note: &Archived<Note>, author: &mut u32, summaries: &Outbox<Summary>) {
    let mut sum = 0i32;
    for value in note.values.iter() {
        sum = sum.wrapping_add(value.to_native());
    }
    let x = match note.place.as_ref() {
        Some(place) => place.x.to_native() + place.name.len() as f32,
        None => 0.5,
    };
    *author = note.author.to_native();
    let names = names(note.points.as_slice());
    summaries.send(Summary { words: words(note.text.as_bytes()), sum, x, names });
}

const KERNEL: &KernelDefinition = summarize::DEFINITION;

/// Comments name lines of the Rust by their distance from the handler's.
fn without_lines(text: &str) -> String {
    let line = |line: &str| match line.split_once(".rs:") {
        Some((before, after)) if line.trim_start().starts_with("//") => {
            let digits = after.len() - after.trim_start_matches(|c: char| c.is_ascii_digit()).len();
            let number: i64 = after[..digits].parse().expect("a line's number follows");
            format!("{before}.rs:{:+}{}\n", number - i64::from(KERNEL.line), &after[digits..])
        }
        _ => format!("{line}\n"),
    };
    text.lines().map(line).collect()
}

#[test]
fn texts_are_what_they_were() {
    for target in Target::ALL {
        let text = without_lines(&KERNEL.handler_source(target).unwrap());
        let file = format!("tests/archived/snapshots/summarize.{}", target.extension());
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
        if env::var_os("UPDATE_SNAPSHOTS").is_some() {
            fs::create_dir_all(path.parent().expect("a file's folder")).expect("the folder can be made");
            fs::write(&path, text).expect("the file can be written");
            continue;
        }
        let expected = fs::read_to_string(&path).unwrap_or_default();
        let first = text.lines().zip(expected.lines()).position(|(now, before)| now != before);
        assert!(text == expected, "{}: line {first:?}; UPDATE_SNAPSHOTS=1 accepts it", path.display());
    }
}

fn note(random: &mut Random) -> Note {
    let log = random.log();
    let point = |item: samples::Item| Point { x: item.id as f32 / 4.0, name: item.name };
    Note {
        author: log.source,
        text: log.text,
        values: log.values,
        place: log.first.map(point),
        points: log.items.into_iter().map(point).collect(),
    }
}

/// As all three targets' texts.
#[test]
fn notes_agree() {
    let mut random = Random::new(23);
    let calls: Vec<_> = (0..300)
        .map(|seed| {
            let mut bytes = Vec::new();
            note(&mut random).write(&mut bytes).unwrap();
            samples::call(KERNEL, image(&bytes, 0), seed)
        })
        .collect();
    for target in Target::ALL {
        let text = crate::text_of(&[KERNEL], target, "notes");
        for (number, call) in calls.iter().enumerate() {
            let rust = annulus_conformance::language::call(KERNEL, call);
            assert_eq!(rust.code, 0);
            let difference = annulus_conformance::language::difference(&rust, &text.call(0, call), 0);
            assert_eq!(difference, None, "{target}, call {number}");
        }
    }
}
