//! What rustc says of handlers that touch parts of a bridged message that no device reads.
//! `TRYBUILD=overwrite cargo test -p annulus-differential --test compile_fail` rewrites the expected text;
//! read it before committing.

#[test]
fn what_devices_do_not_read_is_refused_where_it_is_touched() {
    trybuild::TestCases::new().compile_fail("tests/ui/*.rs");
}
