//! From the compiler's name of a function to the short one that people use for it.

/// The last module and the function, or the type and the method, with type arguments as instantiated.
///
/// `path` is the `type_name` of a closure made in the function:
///
/// - `app::ops::saxpy::{{closure}}` is `ops::saxpy`
/// - `<app::Lin as app::Forward>::forward::{{closure}}` is `Lin::forward`
/// - `app::ops::scale<half::bfloat::bf16>::{{closure}}` is `ops::scale<bf16>`
///
/// `None` where nothing of the path can be read.
pub(crate) fn function(path: &str) -> Option<String> {
    let mut parts = split(path);
    parts.retain(|part| !part.starts_with("{{"));
    let function = shortened(parts.pop()?);
    let owner = parts.pop().map(owner).unwrap_or_default();
    let text = if owner.is_empty() { function } else { format!("{owner}::{function}") };
    (!text.is_empty()).then_some(text)
}

/// The type arguments in a function as [`function`] gives it: `f32, 16` of `Dense<f32>::tile<16>`.
pub(crate) fn types(function: &str) -> String {
    let mut groups = Vec::new();
    let (mut start, mut depth, mut before) = (0, 0_usize, 0);
    for (index, byte) in marks(function) {
        match byte {
            b'<' => {
                start = if depth == 0 { index + 1 } else { start };
                depth += 1;
            }
            // The arrow of a function type closes nothing.
            b'>' if before != b'-' && depth > 0 => {
                depth -= 1;
                groups.extend(function.get(start..index).filter(|_| depth == 0));
            }
            _ => {}
        }
        before = byte;
    }
    groups.join(", ")
}

/// The bytes of `text` with their places, but for those in characters: `'{'` is an argument, and no bracket.
fn marks(text: &str) -> impl Iterator<Item = (usize, u8)> + '_ {
    let mut behind = 0;
    text.bytes().enumerate().filter(move |&(index, _)| {
        if index >= behind {
            behind = index + text.get(index..).map_or(0, character);
        }
        index >= behind
    })
}

/// How many bytes the character is that `text` begins with, quotes included; 0 where it is none, but a lifetime.
fn character(text: &str) -> usize {
    let Some(inside) = text.strip_prefix('\'') else { return 0 };
    let mut chars = inside.char_indices();
    // An escape: `'\''`, `'\u{7f}'`.
    let escaped = matches!(chars.next(), Some((_, '\\'))) && chars.next().is_some();
    let end = if escaped { chars.find(|(_, c)| *c == '\'') } else { chars.next().filter(|(_, c)| *c == '\'') };
    end.map_or(0, |(at, _)| at + 2)
}

/// The parts between `::` that are in no bracket.
fn split(path: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut start, mut depth) = (0, 0_usize);
    let bytes = path.as_bytes();
    for (index, byte) in marks(path) {
        match byte {
            b'<' | b'(' | b'[' | b'{' => depth += 1,
            // The arrow of a function type closes nothing.
            b'>' if index > 0 && bytes.get(index - 1) == Some(&b'-') => {}
            b'>' | b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            b':' if depth == 0 && bytes.get(index + 1) == Some(&b':') => {
                parts.extend(path.get(start..index));
                start = index + 2;
            }
            _ => {}
        }
    }
    parts.extend(path.get(start..));
    parts.retain(|part| !part.is_empty());
    parts
}

/// A module as it is; of `<Type as Trait>`, `<impl Type>` and `<impl Trait for Type>` the type.
fn owner(part: &str) -> String {
    let Some(inner) = part.strip_prefix('<').and_then(|part| part.strip_suffix('>')) else {
        return shortened(part);
    };
    let of_trait = outside(inner, " as ").map_or(inner, |(of, _)| of);
    let of_impl = match of_trait.strip_prefix("impl ") {
        Some(written) => outside(written, " for ").map_or(written, |(_, of)| of),
        None => of_trait,
    };
    shortened(of_impl.trim())
}

/// Splits at the first `word` that is in no bracket.
fn outside<'t>(text: &'t str, word: &str) -> Option<(&'t str, &'t str)> {
    let mut depth = 0_usize;
    for (index, byte) in marks(text) {
        match byte {
            b'<' | b'(' | b'[' => depth += 1,
            b'>' | b')' | b']' => depth = depth.saturating_sub(1),
            _ if depth == 0 && text.get(index..).is_some_and(|rest| rest.starts_with(word)) => {
                return Some((text.get(..index)?, text.get(index + word.len()..)?));
            }
            _ => {}
        }
    }
    None
}

/// Every path in `text` cut to its last part, and lifetimes that say nothing left out.
///
/// What the compiler adds in braces says nothing by itself: a tuple variant that is used as a function,
/// `a::E::V::{{constructor}}`, is `V`, and a closure keeps the function that it is in, `run::{{closure}}`. Nor does what
/// stands behind type arguments: `a::E<f32>::V` is `E<f32>::V`.
fn shortened(text: &str) -> String {
    let mut short = String::with_capacity(text.len());
    let mut word = String::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        if let Some((kept, behind)) = rest.split_at_checked(character(rest)).filter(|(kept, _)| !kept.is_empty()) {
            word.push_str(kept);
            rest = behind;
            continue;
        }
        rest = rest.get(c.len_utf8()..).unwrap_or_default();
        match c {
            ':' if rest.starts_with(':') => {
                rest = rest.get(1..).unwrap_or_default();
                if let Some(behind) = rest.strip_prefix("{{constructor}}") {
                    rest = behind;
                } else if rest.starts_with("{{") || (word.is_empty() && short.ends_with('>')) {
                    word.push_str("::");
                } else {
                    word.clear();
                }
            }
            '<' | '>' | '(' | ')' | '[' | ']' | ',' | ' ' | '&' | ';' | '*' => {
                short.push_str(&word);
                word.clear();
                short.push(c);
            }
            _ => word.push(c),
        }
    }
    short.push_str(&word);
    short.replace("'_, ", "").replace("<'_>", "").replace("&'_ ", "&")
}
