//! What the lines of the table do not say in numbers.

/// How many launches a call of a shape comes to, in `tests/shapes/src`, where it is not one.
pub(crate) const LAUNCHES: &[(&str, usize)] = &[
    ("V07", 2),
    ("V09", 2),
    ("V10", 2),
    ("V13", 2),
    ("V15", 2),
    ("V20", 2),
    ("V21", 3),
    ("V22", 3),
    ("V23", 7),
    ("V25", 3),
    ("V26", 3),
    ("V27", 3),
    ("V28", 2),
    ("V30", 2),
    ("V32", 2),
    ("V35", 2),
    ("V37", 2),
    ("V39", 2),
    ("V41", 5),
    ("V43", 3),
    ("V53", 2),
    ("V56", 3),
    ("V58", 2),
    ("V62", 2),
    ("V63", 2),
    ("V64", 2),
    ("V65", 2),
    ("V66", 2),
    ("V71", 3),
    ("V73", 2),
    ("V74", 3),
    // Two that are captured, and two replays.
    ("V75", 4),
    ("V79", 0),
    ("V80", 0),
    ("V81", 0),
    ("V82", 0),
    ("V83", 0),
    ("V87", 2),
];

/// Callers of other shapes, and which: the launch is in these.
pub(crate) const LAUNCHED_BY: &[(&str, &str)] = &[("V61", "V60"), ("V69", "V68"), ("V87", "V86")];

/// Shapes that may have no site: their launches stand in the tokens of a macro of the program's own (V63), or a helper
/// makes them and no call of a `LaunchArgs` is to be seen (V61, V67, V70, V82).
pub(crate) const NOT_LOOKED_INTO: &[&str] = &["V61", "V63", "V67", "V70", "V82"];

/// Shapes whose stream is behind something, as their lines say in other words than "unknown": a builder in a parameter
/// (V59), a helper (V61), a macro whose stream is of the program's own type (V56).
pub(crate) const OUT_OF_SIGHT: &[&str] = &["V56", "V59", "V61"];
