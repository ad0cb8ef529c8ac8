//! What the macros refuse, and how they say it; what they take is in `tests/pass`. `TRYBUILD=overwrite cargo
//! test -p annulus-macros --test compile_fail` rewrites the expected text; read it before committing.

#[test]
fn errors_speak_of_the_users_code() {
    trybuild::TestCases::new().compile_fail("tests/ui/*.rs");
}
