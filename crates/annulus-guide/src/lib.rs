//! Holds the guide's chapters whose programs are short: each block of Rust in them is a documentation test.
//!
//! The longer programs are in `programs`, one file each, and run by `cargo run -p annulus-guide -- NAME`.
//! `tests/guide.rs` compares the chapters with them.

#[cfg(doctest)]
#[doc = include_str!("../../../docs/guide/language.md")]
struct Language;
