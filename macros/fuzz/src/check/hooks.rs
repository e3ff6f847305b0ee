//! The hooks that an expansion may hold: the one table to add to when the macro emits another.

/// What a hook keeps of the user's code, and how.
#[derive(Clone, Copy, Debug)]
pub(super) enum Form {
    /// `done(start(..), looks, CALL, &mut state)`.
    Call,
    /// `done_graph(looks, CALL, &mut state)`.
    Graph,
    /// `beside({ see_capture!(&raw const place); }, CALL)`, and with `fetch!(site, instance, entry, line);`.
    Beside,
    /// `around!(state, "kernel", site, instance, entry, CALL)`.
    Around,
    /// `arg(&mut state, VALUE)`.
    Value,
    /// `part(&mut state, Part::Kind, VALUE)`.
    Part,
    /// `recv(&mut state, VALUE)`, where the parentheses around the value are left out.
    Receiver,
    /// `recv_graph(&mut state, VALUE, site, instance, entry)`, likewise.
    GraphReceiver,
    /// Stands inside of another hook alone, and keeps nothing.
    Within,
}

/// The name of each hook in the runtime's `__private`, and its form.
const HOOKS: &[(&str, Form)] = &[
    ("done", Form::Call),
    ("done_graph", Form::Graph),
    ("beside", Form::Beside),
    ("around", Form::Around),
    ("arg", Form::Value),
    ("part", Form::Part),
    ("last", Form::Part),
    ("recv", Form::Receiver),
    ("recv_graph", Form::GraphReceiver),
    ("start", Form::Within),
    ("start_cudarc", Form::Within),
    ("start_driver", Form::Within),
    ("start_runtime", Form::Within),
    ("enter", Form::Within),
    ("enter_text", Form::Within),
    ("see", Form::Within),
    ("see_stream", Form::Within),
    ("see_graph", Form::Within),
    ("see_capture", Form::Within),
    ("fetch", Form::Within),
    ("stream_of", Form::Within),
    ("site", Form::Within),
    ("instance", Form::Within),
    ("Kind", Form::Within),
    ("Part", Form::Within),
    ("Slot", Form::Within),
    ("Call", Form::Within),
    ("Entry", Form::Within),
    ("Scope", Form::Within),
];

/// What the first argument of `done` may call.
pub(super) const STARTS: &[&str] = &["start", "start_cudarc", "start_driver", "start_runtime"];

/// What the second argument of `done` may look with.
pub(super) const LOOKS: &[&str] = &["see", "see_stream"];

/// The variable that follows a launch, less its number.
pub(super) const STATE: &str = "launchsite_";

/// Where it has its room, less its number.
pub(super) const SLOT: &str = "launchsite_slot_";

/// What a function was entered with.
pub(super) const ENTRY: &str = "launchsite_entry";

/// A whole call.
pub(super) const SCOPE: &str = "launchsite_scope";

/// Its guard.
pub(super) const ENTERED: &str = "_launchsite_entered";

/// The constant in front of a body with several sites.
pub(super) const PLACES: &str = "LAUNCHSITE_PLACES";

/// Macros that show their condition's text where there is no message: no hook may be in it.
pub(super) const ASSERTS: &[&str] = &["assert", "debug_assert", "ensure"];

/// Macros of std's whose arguments are expressions.
const STDS: &[&str] = &[
    "assert",
    "debug_assert",
    "assert_eq",
    "assert_ne",
    "debug_assert_eq",
    "debug_assert_ne",
    "matches",
    "vec",
    "format",
    "format_args",
    "print",
    "println",
    "eprint",
    "eprintln",
    "write",
    "writeln",
    "panic",
    "todo",
    "unreachable",
    "unimplemented",
];

/// Those of other libraries, by the crates that a path to them begins with.
const OTHERS: &[(&[&str], &[&str])] = &[
    (&["anyhow", "eyre", "color_eyre"], &["ensure", "bail", "anyhow", "eyre"]),
    (&["std", "core", "assert_matches"], &["assert_matches", "debug_assert_matches"]),
    (&["tokio", "futures", "futures_util"], &["join", "try_join"]),
    (&["log", "tracing"], &["trace", "debug", "info", "warn", "error"]),
];

pub(super) fn form(name: &str) -> Option<Form> {
    HOOKS.iter().find(|(known, _)| *known == name).map(|(_, form)| *form)
}

/// Whether the macro of this path may have hooks in its arguments.
pub(super) fn is_looked_into(path: &[String]) -> bool {
    let Some((name, of)) = path.split_last() else { return false };
    let of = of.first().map(String::as_str);
    let of_std = of.is_none_or(|first| ["std", "core", "alloc"].contains(&first));
    let others = OTHERS
        .iter()
        .any(|(of_any, names)| of.is_some_and(|first| of_any.contains(&first)) && names.contains(&name.as_str()));
    others || (of_std && STDS.contains(&name.as_str()))
}
