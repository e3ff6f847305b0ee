//! A text with the attribute on its functions.

use std::ops::Range;

use crate::functions::Function;

/// What is put into a text.
#[derive(Clone, Debug)]
pub struct Annotation {
    /// The attribute, as it is written.
    pub attribute: String,
    /// In front of a function's other attributes, else behind them.
    pub first: bool,
    /// What a crate's root begins with, if anything: its place and its text.
    pub prelude: Option<(usize, String)>,
}

/// An annotated text.
#[derive(Debug)]
pub struct Annotated {
    /// It.
    pub text: String,
    /// For each of the functions, from its attribute to its body.
    pub signatures: Vec<Range<usize>>,
}

/// Puts the attribute on each of `functions`, on the line that the function begins on, so that no line moves.
pub fn annotate(text: &str, functions: &[&Function], annotation: &Annotation) -> Annotated {
    let mut insertions: Vec<(usize, &str)> = Vec::new();
    if let Some((at, prelude)) = &annotation.prelude {
        insertions.push((*at, prelude));
    }
    let attribute = format!("{} ", annotation.attribute);
    let at = |function: &Function| if annotation.first { function.first } else { function.at };
    insertions.extend(functions.iter().map(|function| (at(function), attribute.as_str())));
    // Stable: the prelude stays in front of an attribute at the same place.
    insertions.sort_by_key(|(at, _)| *at);

    let mut annotated = String::with_capacity(text.len() + insertions.len() * attribute.len());
    let mut copied = 0;
    for (at, inserted) in &insertions {
        annotated.push_str(text.get(copied..*at).unwrap_or_default());
        annotated.push_str(inserted);
        copied = *at;
    }
    annotated.push_str(text.get(copied..).unwrap_or_default());

    let moved = |place: usize, inclusive: bool| {
        let before = insertions.iter().filter(|(at, _)| *at < place || (inclusive && *at == place));
        place + before.map(|(_, inserted)| inserted.len()).sum::<usize>()
    };
    let signature = |function: &&Function| {
        let attribute_start = moved(at(function), true) - attribute.len();
        attribute_start..moved(function.body, true)
    };
    Annotated { text: annotated, signatures: functions.iter().map(signature).collect() }
}
