//! Handlers with what the language has learnt since its first suites, as Rust and as text, on random and edge
//! values.

use std::path::Path;

use annulus_conformance::{
    kernels::{
        codes, compared, everyday, lent, lists, more_closures, more_values, ordered, parsing, sizes, sorted,
        traits, wrapping,
    },
    language::differences,
};
use annulus_kernel::{KernelDefinition, RingKernel, Target};

const CALLS: u64 = 2000;

fn agree(name: &str, definitions: &[&'static KernelDefinition], ulps: u32) {
    for target in Target::ALL {
        let has_text = |kernel: &&'static KernelDefinition| {
            target != Target::Metal || kernel.handler_source(target).is_ok()
        };
        let definitions: Vec<_> = definitions.iter().copied().filter(has_text).collect();
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("more_{name}_{target}"));
        let differences = differences(&definitions, target, &folder, CALLS, ulps);
        assert!(differences.is_empty(), "{target}: {}", differences.join("\n"));
    }
}

#[test]
fn alternatives_that_bind() {
    agree("alternatives", &[more_values::alternatives::DEFINITION], 0);
}

#[test]
fn equality_of_slices_lists_and_tuples() {
    agree("slices", &[more_values::same_slices::DEFINITION, more_values::lists_and_texts::DEFINITION], 0);
}

#[test]
fn operators_and_conversions_of_own_types() {
    agree("operators", &[more_values::operators::DEFINITION, more_values::conversions::DEFINITION], 0);
}

#[test]
fn comparisons_of_own_types() {
    let equal = compared::equal_values::DEFINITION;
    agree("compared", &[equal, ordered::order_values::DEFINITION, ordered::order_methods::DEFINITION], 0);
}

#[test]
fn numbers_that_wrap() {
    agree("wrapping", &[wrapping::wraps::DEFINITION], 0);
}

#[test]
fn options_in_memory() {
    agree("maybe", &[wrapping::notes::DEFINITION], 0);
}

#[test]
fn operators_of_references() {
    agree("lent", &[lent::lent_operators::DEFINITION], 0);
}

#[test]
fn sizes_in_messages_and_states() {
    agree("sizes", &[sizes::sizes_in_memory::DEFINITION, sizes::bound_sizes::DEFINITION], 0);
}

#[test]
fn traits_with_defaults_and_bounds() {
    agree("traits", &[traits::traits::DEFINITION], 0);
}

#[test]
fn references_that_branches_choose() {
    agree("chosen", &[more_values::chosen::DEFINITION], 0);
}

#[test]
fn closures() {
    agree("closures", &[more_closures::option_closures::DEFINITION, more_closures::used_up::DEFINITION], 0);
}

#[test]
fn sorting_and_searching() {
    agree("ordered", &[more_closures::ordered::DEFINITION, sorted::sorts::DEFINITION], 0);
}

#[test]
fn orders_of_slices_lists_and_texts() {
    agree("in_order", &[sorted::in_order::DEFINITION], 0);
}

#[test]
fn lists_of_bounded_length() {
    agree("lists", &[lists::list_changes::DEFINITION, lists::list_reads::DEFINITION], 0);
}

#[test]
fn errors_with_names() {
    agree("codes", &[codes::named_errors::DEFINITION], 0);
}

#[test]
fn copies_and_conversions() {
    agree("copies", &[everyday::copies::DEFINITION], 0);
}

#[test]
fn items_that_are_joined() {
    agree("joined", &[everyday::joined_items::DEFINITION], 0);
}

#[test]
fn own_methods_named_as_those_with_closures() {
    agree("gates", &[everyday::own_gates::DEFINITION], 0);
}

#[test]
fn slices_that_are_taken_apart() {
    agree("apart", &[parsing::take_apart::DEFINITION], 0);
}

#[test]
fn slices_that_are_turned() {
    agree("turned", &[everyday::turned_slices::DEFINITION], 0);
}

#[test]
fn arrays_that_closures_make() {
    agree("made", &[everyday::made_arrays::DEFINITION], 0);
}

#[test]
fn options_that_are_filled() {
    agree("filled", &[everyday::filled_options::DEFINITION], 0);
}

#[test]
fn guards_and_ranges() {
    agree("ranges", &[everyday::asked_ranges::DEFINITION], 0);
}

#[test]
fn numbers() {
    agree("roots", &[more_closures::integer_roots::DEFINITION], 0);
    // The host's C library and Rust's standard library have functions of their own.
    agree("curves", &[more_closures::curves::DEFINITION], 2);
}
