//! The arguments of the attribute, as the user wrote them.

use syn::parse::{Parse, ParseStream};
use syn::{Error, Ident, LitStr, Path, Result, Token};

/// What stands between the parentheses of `#[gpu_kernel(..)]`.
#[derive(Default)]
pub(crate) struct Args {
    /// `name = "gemm"`: takes the place of the function's path.
    pub(crate) name: Option<LitStr>,
    /// `crate = path`: the runtime under another name.
    pub(crate) root: Option<Path>,
}

const ACCEPTED: &str = "accepted are `name = \"..\"` and `crate = path`";

impl Parse for Args {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let mut args = Self::default();
        let mut errors = Errors::default();
        while !input.is_empty() {
            if let Err(error) = args.argument(input) {
                errors.push(error);
                skip_to_comma(input)?;
            }
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        errors.finish()?;
        Ok(args)
    }
}

impl Args {
    fn argument(&mut self, input: ParseStream<'_>) -> Result<()> {
        if input.peek(Token![crate]) {
            let key: Token![crate] = input.parse()?;
            let key = Ident::new("crate", key.span);
            equals(input, &key, "crate = path")?;
            return set_once(&mut self.root, &key, input.call(Path::parse_mod_style)?);
        }
        let key: Ident = input.parse()?;
        if key == "name" {
            equals(input, &key, "name = \"..\"")?;
            let text = name(input.parse()?)?;
            return set_once(&mut self.name, &key, text);
        }
        Err(Error::new(key.span(), format!("unknown argument `{key}`: {ACCEPTED}")))
    }
}

/// The `=` behind `key`; without one the error is on the key, since there may be no other token.
fn equals(input: ParseStream<'_>, key: &Ident, whole: &str) -> Result<()> {
    match input.parse::<Option<Token![=]>>()? {
        Some(_) => Ok(()),
        None => Err(Error::new(key.span(), format!("`{key}` needs a value: `{whole}`"))),
    }
}

fn name(text: LitStr) -> Result<LitStr> {
    let value = text.value();
    let wrong = if value.trim().is_empty() {
        "a name cannot be empty"
    } else if value.contains('\0') {
        "a name cannot contain NUL: profilers end it there"
    } else if value.contains(['{', '}']) {
        "a name is taken as it stands: `{` and `}` are not accepted in it"
    } else {
        return Ok(text);
    };
    Err(Error::new(text.span(), wrong))
}

fn set_once<T>(slot: &mut Option<T>, key: &Ident, value: T) -> Result<()> {
    match slot.replace(value) {
        None => Ok(()),
        Some(_) => Err(Error::new(key.span(), format!("duplicate argument `{key}`"))),
    }
}

/// So that one wrong argument does not hide the next.
fn skip_to_comma(input: ParseStream<'_>) -> Result<()> {
    while !input.is_empty() && !input.peek(Token![,]) {
        input.parse::<proc_macro2::TokenTree>()?;
    }
    Ok(())
}

/// Collects errors, so that all mistakes are reported at once.
#[derive(Default)]
pub(crate) struct Errors(Option<Error>);

impl Errors {
    pub(crate) fn push(&mut self, error: Error) {
        match &mut self.0 {
            Some(first) => first.combine(error),
            None => self.0 = Some(error),
        }
    }

    pub(crate) fn finish(self) -> Result<()> {
        self.0.map_or(Ok(()), Err)
    }
}
