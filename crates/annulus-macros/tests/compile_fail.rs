//! What the macros refuse, and how they say it. `TRYBUILD=overwrite cargo test -p annulus-macros --test compile_fail`
//! rewrites the expected text; read it before committing.

#[test]
fn errors_speak_of_the_users_code() {
    trybuild::TestCases::new().compile_fail("tests/ui/*.rs");
}

#[test]
fn what_should_compile_does() {
    trybuild::TestCases::new().pass("tests/pass/*.rs");
}
