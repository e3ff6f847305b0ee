//! A name that the user gives, with or without placeholders.

use syn::ext::IdentExt;
use syn::parse::Parser;
use syn::{Error, Ident, LitStr, Result};

/// `name = ".."`.
pub(crate) struct Text {
    pub(crate) literal: LitStr,
    /// What stands in braces: the names of arguments.
    pub(crate) placeholders: Vec<String>,
}

impl Text {
    /// # Errors
    /// It is no name: empty, with NUL, or with braces that hold something else than an argument's name.
    pub(crate) fn new(literal: LitStr) -> Result<Self> {
        let value = literal.value();
        let wrong = |why: &str| Err(Error::new(literal.span(), why));
        if value.trim().is_empty() {
            return wrong("a name cannot be empty");
        }
        if value.contains('\0') {
            return wrong("a name cannot contain NUL: profilers end it there");
        }
        match placeholders(&value) {
            Ok(placeholders) => Ok(Self { literal, placeholders }),
            Err(why) => wrong(why),
        }
    }

    /// What is shown where no placeholder is filled in; the text itself where it has none.
    pub(crate) fn plain(&self) -> String {
        let value = self.literal.value();
        if self.placeholders.is_empty() { value.replace("{{", "{").replace("}}", "}") } else { value }
    }
}

/// The names in braces, before a colon: what follows is how they are formatted.
fn placeholders(text: &str) -> std::result::Result<Vec<String>, &'static str> {
    const UNCLOSED: &str = "`{` is not closed: a placeholder is `{argument}`, and a brace by itself `{{`";
    const UNOPENED: &str = "`}` closes nothing: a brace by itself is `}}`";
    const RAW: &str = "a placeholder has its argument's name without `r#`, as `format!` has it";
    const NEVER_RAW: [&str; 4] = ["self", "Self", "super", "crate"];
    const UNNAMED: &str = "a placeholder names an argument of the function: `{argument}`";
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(['{', '}']) {
        let (brace, behind) = rest.split_at(at).1.split_at(1);
        if let Some(doubled) = behind.strip_prefix(brace) {
            rest = doubled;
            continue;
        }
        if brace == "}" {
            return Err(UNOPENED);
        }
        let (inside, behind) = behind.split_once('}').ok_or(UNCLOSED)?;
        let name = inside.split(':').next().unwrap_or_default().trim();
        if name.starts_with("r#") {
            return Err(RAW);
        }
        // A keyword, too: an argument `r#type` is `{type}`, as `format!` has it.
        let is_name = Ident::parse_any.parse_str(name).is_ok() && name != "_" && !name.is_empty();
        if !is_name || NEVER_RAW.contains(&name) {
            return Err(UNNAMED);
        }
        found.push(name.to_owned());
        rest = behind;
    }
    Ok(found)
}
