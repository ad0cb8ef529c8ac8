//! The kernels of real kinds compute what their names say: known answers, and models that are simpler and
//! slower. Every call is made twice, as Rust and as the C that the host compiles, and both must do the same.

mod business;
mod codes;
mod graphs;
mod grids;
mod hashes;
mod learning;
mod markets;
mod memory;
mod physics;
mod places;
mod running;
mod series;
mod signals;
mod text;

use annulus_conformance::kernels;

/// A user finds at least forty here, and no two of one name.
#[test]
fn they_have_names_of_their_own() {
    let mut names: Vec<_> = kernels::REAL.iter().map(|definition| definition.name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), kernels::REAL.len());
}
