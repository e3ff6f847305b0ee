//! Expansions, as text.
