//! The hooks that an expansion may hold: the one table to add to when the macro emits another.

/// What a hook keeps of the user's code, and how.
#[derive(Clone, Copy, Debug)]
pub(super) enum Form {
    /// `done(start(..), seen, CALL, &mut state)`.
    Call,
    /// `arg(&mut state, VALUE)`.
    Value,
    /// `part(&mut state, Part::Kind, VALUE)`.
    Part,
    /// `recv(&mut state, VALUE)`, where the parentheses around the value are left out.
    Receiver,
    /// Stands inside of another hook alone, and keeps nothing.
    Within,
}

/// The name of each hook in the runtime's `__private`, and its form.
pub(super) const HOOKS: &[(&str, Form)] = &[
    ("done", Form::Call),
    ("arg", Form::Value),
    ("part", Form::Part),
    ("last", Form::Part),
    ("recv", Form::Receiver),
    ("start", Form::Within),
    ("start_cudarc", Form::Within),
    ("start_driver", Form::Within),
    ("start_runtime", Form::Within),
    ("see", Form::Within),
    ("see_stream", Form::Within),
    ("site", Form::Within),
    ("instance", Form::Within),
    ("Part", Form::Within),
    ("Call", Form::Within),
];

/// What the first argument of `done` may call.
pub(super) const STARTS: &[&str] = &["start", "start_cudarc", "start_driver", "start_runtime"];

/// What the second argument of `done` may call.
pub(super) const LOOKS: &[&str] = &["see", "see_stream"];

/// The variable that follows a launch, less its number.
pub(super) const STATE: &str = "launchsite_";

/// The constant in front of a body with several launches.
pub(super) const PLACES: &str = "LAUNCHSITE_PLACES";

/// Macros of std's to which the text of their condition is given.
pub(super) const ASSERTS: &[&str] = &["assert", "debug_assert"];

pub(super) fn form(name: &str) -> Option<Form> {
    HOOKS.iter().find(|(known, _)| *known == name).map(|(_, form)| *form)
}
