//! Every compile error of the attribute, and code that must compile as it is. `tests/off` runs the same files with the
//! feature off: misuse is the same error there.

#[test]
fn ui() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("ui/fail/*.rs");
    // With the hooks in place the compiler may add a note; the error itself points at the user's tokens.
    cases.compile_fail("ui/fail_on/*.rs");
    cases.pass("ui/pass/*.rs");
}
