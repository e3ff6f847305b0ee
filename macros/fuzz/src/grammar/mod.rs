//! Writes items, as text: all of Rust's syntax that a function can hold, and launches wherever an expression may stand.
//!
//! Names need not be bound and types need not fit: the macro sees tokens alone.

mod args;
mod expr;
mod flow;
mod item;
mod launch;
mod pattern;
mod signature;
mod stmt;
mod types;

use crate::entropy::Entropy;

/// What stands between the attribute's parentheses, right or wrong.
pub(crate) fn args(entropy: &mut Entropy<'_>) -> String {
    let mut writer = Writer::new(entropy);
    writer.args();
    writer.text
}

/// What the attribute stands on.
pub(crate) fn item(entropy: &mut Entropy<'_>) -> String {
    let mut writer = Writer::new(entropy);
    writer.annotated();
    writer.text
}

struct Writer<'e, 'b> {
    entropy: &'e mut Entropy<'b>,
    text: String,
    /// How much deeper rules may still go.
    depth: usize,
}

impl<'e, 'b> Writer<'e, 'b> {
    fn new(entropy: &'e mut Entropy<'b>) -> Self {
        Self { entropy, text: String::new(), depth: 7 }
    }

    /// With a space in front, so that words stay apart.
    fn put(&mut self, text: &str) {
        self.text.push(' ');
        self.text.push_str(text);
    }

    fn put_one(&mut self, texts: &[&str]) {
        let text = self.entropy.pick(texts).copied().unwrap_or_default();
        self.put(text);
    }

    fn once_in(&mut self, times: usize) -> bool {
        self.entropy.once_in(times)
    }

    /// One of `rules`. At the bottom it is the first, which has to be an end.
    fn one_of(&mut self, rules: &[fn(&mut Self)]) {
        if self.depth == 0 || self.entropy.is_spent() {
            rules.iter().take(1).for_each(|rule| rule(self));
            return;
        }
        self.depth -= 1;
        if let Some(rule) = self.entropy.pick(rules) {
            rule(self);
        }
        self.depth += 1;
    }

    /// Up to `most` times `rule`, with `between`, and sometimes with another one at the end.
    fn some(&mut self, most: usize, between: &str, rule: fn(&mut Self)) {
        let count = self.entropy.below(most + 1);
        for index in 0..count {
            if index > 0 {
                self.put(between);
            }
            rule(self);
        }
        if count > 0 && self.once_in(5) {
            self.put(between);
        }
    }

    fn maybe(&mut self, times: usize, rule: fn(&mut Self)) {
        if self.once_in(times) {
            rule(self);
        }
    }

    fn within(&mut self, delimiters: (&str, &str), rule: impl FnOnce(&mut Self)) {
        self.put(delimiters.0);
        rule(self);
        self.put(delimiters.1);
    }

    fn name(&mut self) {
        self.put_one(&[
            "b", "x", "cfg", "stream", "größe", "r#type", "s", "launch", "i", "_unused", "名前", "r#launch",
        ]);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn most_of_what_is_written_is_an_item() {
        let mut parsed = 0;
        for seed in 0..1000 {
            let mut bytes = [0; 1024];
            fastrand::Rng::with_seed(seed).fill(&mut bytes);
            let text = item(&mut Entropy::new(&bytes));
            text.parse::<proc_macro2::TokenStream>().unwrap();
            parsed += usize::from(syn::parse_str::<syn::Item>(&text).is_ok());
        }
        assert!(parsed > 930, "{parsed} of 1000");
    }

    #[test]
    fn no_bytes_make_a_small_function() {
        let text = item(&mut Entropy::new(&[]));
        assert!(matches!(syn::parse_str(&text).unwrap(), syn::Item::Fn(_)), "{text}");
    }
}
