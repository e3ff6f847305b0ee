//! Names as symbols: letters, digits and underscores, as linkers, file names and other tools take them.

use std::collections::{HashMap, HashSet};

/// The symbol of a launch: `ops::saxpy` in line 42 of `my-crate/src/ops.rs` is `ops_saxpy__my_crate_src_ops_rs_L42`.
///
/// Only `A` to `Z`, `a` to `z`, `0` to `9` and `_` are in it, it is never empty, and never begins with a digit. What else
/// stands in a row becomes one `_`, and nothing at either end. Without a file (`""`) it is the function's part alone; so the
/// symbol of a symbol is the symbol itself. It depends on nothing but what it is given. Different names may have one
/// symbol: [`Symbols`] tells those of a program apart.
///
/// ```
/// use launchsite::name::symbol;
///
/// let saxpy = symbol("ops::saxpy", "my-crate/src/ops.rs", 42);
/// assert_eq!(saxpy, "ops_saxpy__my_crate_src_ops_rs_L42");
/// assert_eq!(symbol(&saxpy, "", 0), saxpy);
/// assert_eq!(symbol("ops::scale<f32>", "", 0), "ops_scale_f32");
/// ```
#[must_use]
pub fn symbol(function: &str, file: &str, line: u32) -> String {
    let mut text = plain(function);
    let file = plain(file);
    if !file.is_empty() {
        text = format!("{text}__{file}_L{line}");
    }
    if text.is_empty() || text.starts_with(|c: char| c.is_ascii_digit()) {
        text.insert(0, '_');
    }
    text
}

/// `text` with one `_` for each row of characters that a symbol cannot have.
fn plain(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let words = text.split(|c| !is_plain(c)).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join("_")
}

/// The symbols of a program's sites: each site has one, and no two sites the same.
///
/// The first site to ask for a symbol has it as [`symbol`] gives it. To that of another site that would be the same, `_` and
/// eight hexadecimal digits are added: a hash of its own function, file, line and column, unaltered. Which of two sites comes
/// first decides which of them has the digits, and nothing else does.
///
/// ```
/// let mut symbols = launchsite::name::Symbols::new();
/// let first = symbols.of("a::b", "c/src/d.rs", 1, 5);
/// let other = symbols.of("a_b", "c/src/d.rs", 1, 5);
/// assert_eq!(first, "a_b__c_src_d_rs_L1");
/// assert!(other.starts_with("a_b__c_src_d_rs_L1_") && other.len() == first.len() + 9);
/// assert_eq!(symbols.of("a::b", "c/src/d.rs", 1, 5), first);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Symbols {
    of: HashMap<Place, String>,
    taken: HashSet<String>,
}

/// A site as it is, unaltered.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Place {
    function: String,
    file: String,
    line: u32,
    column: u32,
}

impl Symbols {
    /// None, so far.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The symbol of the site there, now and whenever it is asked for again.
    pub fn of(&mut self, function: &str, file: &str, line: u32, column: u32) -> String {
        let place = Place { function: function.to_owned(), file: file.to_owned(), line, column };
        if let Some(known) = self.of.get(&place) {
            return known.clone();
        }
        let plain = symbol(function, file, line);
        let mut found = plain.clone();
        // Should the digits be taken too, those of the digits are tried.
        let mut hash = hash(&place);
        while self.taken.contains(&found) {
            found = format!("{plain}_{hash:08x}");
            hash = hash.wrapping_mul(PRIME) ^ 1;
        }
        self.taken.insert(found.clone());
        self.of.insert(place, found.clone());
        found
    }
}

const PRIME: u32 = 0x0100_0193;

/// 32-bit FNV-1a (Fowler, Noll, Vo; offset basis and prime from their page), with a byte between the parts that no text has.
fn hash(place: &Place) -> u32 {
    let Place { function, file, line, column } = place;
    let texts = function.bytes().chain([0xff]).chain(file.bytes()).chain([0xff]);
    let bytes = texts.chain(line.to_le_bytes()).chain(column.to_le_bytes());
    bytes.fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(PRIME))
}

#[cfg(test)]
mod tests {
    use super::{Symbols, symbol};

    #[test]
    fn s2_1_a_symbol_is_a_pure_function_of_the_name() {
        let table = [
            (("ops::saxpy", "my-crate/src/ops.rs", 42), "ops_saxpy__my_crate_src_ops_rs_L42"),
            (("ops::scale<f32>", "my-crate/src/ops.rs", 1), "ops_scale_f32__my_crate_src_ops_rs_L1"),
            (("<Lin as Fwd>::go", "a/b.rs", 7), "Lin_as_Fwd_go__a_b_rs_L7"),
            (("gemm of my own", "a.rs", u32::MAX), "gemm_of_my_own__a_rs_L4294967295"),
            (("größe::π", "crate/src/ä.rs", 3), "gr_e__crate_src_rs_L3"),
            (("r#match::r#loop", "", 0), "r_match_r_loop"),
            (("a__b", "", 9), "a__b"),
            (("_", "", 0), "_"),
            (("__a_", "", 0), "__a_"),
            (("3d::blur", "x.rs", 2), "_3d_blur__x_rs_L2"),
            (("", "", 0), "_"),
            (("π", "", 0), "_"),
            (("", "a.rs", 1), "__a_rs_L1"),
            (("f\0g\n", "a b/c.rs", 1), "f_g__a_b_c_rs_L1"),
        ];
        for ((function, file, line), expected) in table {
            let found = symbol(function, file, line);
            assert_eq!(found, expected);
            assert_eq!(symbol(&found, "", 0), found, "idempotent");
        }
    }

    #[test]
    fn s2_1_whatever_goes_in_a_symbol_comes_out() {
        // Every character of one byte and some of more, at each place and doubled.
        for c in (0..=255_u8).map(char::from).chain(['€', '𝄞', '\u{301}']) {
            for text in [format!("{c}"), format!("{c}{c}"), format!("{c}a"), format!("a{c}"), format!("a{c}{c}9")] {
                for file in ["", &text] {
                    let found = symbol(&text, file, 5);
                    assert!(found.chars().all(|c| c.is_ascii_alphanumeric() || c == '_'), "{text:?}: {found}");
                    assert!(!found.is_empty() && !found.starts_with(|c: char| c.is_ascii_digit()), "{text:?}: {found}");
                    assert_eq!(symbol(&found, "", 0), found, "{text:?}");
                }
            }
        }
    }

    #[test]
    fn s2_1_symbols_of_one_program_are_told_apart() {
        let sites = [("a::b", 1, 5), ("a_b", 1, 5), ("a b", 1, 5), ("a::b", 1, 9), ("a::b", 2, 5)];
        let all = |order: &[usize]| {
            let mut symbols = Symbols::new();
            let mut of = |&index: &usize| {
                let (function, line, column) = sites[index];
                (index, symbols.of(function, "c.rs", line, column))
            };
            let mut found: Vec<_> = order.iter().map(&mut of).collect();
            // Asked for again, in whatever order, each has the one it had.
            assert!(found.iter().rev().all(|known| of(&known.0) == *known));
            found.sort();
            found.into_iter().map(|(_, symbol)| symbol).collect::<Vec<_>>()
        };
        let found = all(&[0, 1, 2, 3, 4]);
        assert_eq!((found[0].as_str(), found[4].as_str()), ("a_b__c_rs_L1", "a_b__c_rs_L2"));
        for symbol in &found[1..4] {
            let digits = symbol.strip_prefix("a_b__c_rs_L1_").unwrap();
            assert!(digits.len() == 8 && digits.bytes().all(|byte| byte.is_ascii_hexdigit()), "{symbol}");
        }
        let mut distinct = found.clone();
        distinct.sort();
        distinct.dedup();
        assert_eq!(distinct.len(), sites.len());
        // The digits are those of the site, whenever it came; only who has none depends on who was first.
        let other = all(&[3, 4, 2, 1, 0]);
        assert_eq!((&other[1], &other[2], other[3].as_str()), (&found[1], &found[2], "a_b__c_rs_L1"));
    }

    #[test]
    fn s2_1_a_symbol_that_looks_like_anothers_digits_takes_none_from_it() {
        let mut symbols = Symbols::new();
        let first = symbols.of("a::b", "", 0, 0);
        let with_digits = Symbols::clone(&symbols).of("a_b", "", 0, 0);
        assert_eq!(symbols.of(&with_digits, "", 0, 0), with_digits);
        let other = symbols.of("a_b", "", 0, 0);
        assert!(other != first && other != with_digits, "{other}");
    }
}
