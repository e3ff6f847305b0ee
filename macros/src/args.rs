//! The arguments of the attribute, as the user wrote them.

use proc_macro2::{Span, TokenStream};
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream, Parser};
use syn::{Error, Expr, Ident, LitInt, LitStr, Path, Result, Token, parenthesized, parse_quote_spanned, token};

use crate::text::Text;

/// What stands between the parentheses of `#[gpu_kernel(..)]`.
#[derive(Default)]
pub(crate) struct Args {
    /// `name = "gemm"`: takes the place of the function's path.
    pub(crate) name: Option<Text>,
    /// `stream = expr`: where the launches go, if nothing else tells.
    pub(crate) stream: Option<Expr>,
    /// `scope`: the whole call is a range too.
    pub(crate) scope: Option<Span>,
    /// `caller`: named after the place that calls the function.
    pub(crate) caller: Option<Span>,
    /// `internal`: the function is a helper, named after what it helps.
    pub(crate) internal: Option<Span>,
    /// `stack`: named after the first function on the call stack that is not internal.
    pub(crate) stack: Option<Span>,
    /// `fields(layer = i, query_id)`: what records of its launches say beside.
    pub(crate) fields: Vec<Field>,
    /// `flops = expr`: floating-point operations of each launch.
    pub(crate) flops: Option<Expr>,
    /// `bytes = expr`: bytes that each launch moves.
    pub(crate) bytes: Option<Expr>,
    /// `category = ".."`: takes the place of the module as the category of its ranges.
    pub(crate) category: Option<String>,
    /// `color = 0x76b900`: red, green and blue of its ranges.
    pub(crate) color: Option<u32>,
    /// `crate = path`: the runtime under another name.
    pub(crate) root: Option<Path>,
}

const ACCEPTED: &str = "accepted are `name = \"..\"`, `stream = expr`, `scope`, `caller`, `stack`, `internal`, \
                        `fields(..)`, `flops = expr`, `bytes = expr`, `category = \"..\"`, `color = 0x76b900` and `crate = path`";

impl Args {
    /// The arguments as far as they are right, and what is wrong with the others.
    pub(crate) fn read(tokens: TokenStream) -> (Self, Errors) {
        let (mut args, mut errors) = (Self::default(), Errors::default());
        let all = |input: ParseStream<'_>| {
            while !input.is_empty() {
                if let Err(error) = args.argument(input) {
                    errors.push(error);
                    skip_to_comma(input)?;
                }
                if !input.is_empty() {
                    input.parse::<Token![,]>()?;
                }
            }
            Ok(())
        };
        if let Err(error) = all.parse2(tokens) {
            errors.push(error);
        }
        (args, errors)
    }

    fn argument(&mut self, input: ParseStream<'_>) -> Result<()> {
        if input.peek(Token![crate]) {
            let key: Token![crate] = input.parse()?;
            let key = Ident::new("crate", key.span);
            equals(input, &key, "crate = path")?;
            return set_once(&mut self.root, &key, input.call(Path::parse_mod_style)?);
        }
        if input.peek(LitStr) {
            return Err(input.error("a name is given by `name = \"..\"`"));
        }
        let key: Ident = input.parse()?;
        match key.to_string().as_str() {
            "name" => {
                equals(input, &key, "name = \"..\"")?;
                let text = Text::new(input.parse::<LitStr>()?)?;
                set_once(&mut self.name, &key, text)
            }
            "stream" => {
                equals(input, &key, "stream = expr")?;
                set_once(&mut self.stream, &key, input.parse()?)
            }
            "flops" => {
                equals(input, &key, "flops = expr")?;
                set_once(&mut self.flops, &key, input.parse()?)
            }
            "bytes" => {
                equals(input, &key, "bytes = expr")?;
                set_once(&mut self.bytes, &key, input.parse()?)
            }
            "category" => {
                equals(input, &key, "category = \"..\"")?;
                set_once(&mut self.category, &key, category(&input.parse()?)?)
            }
            "color" => {
                equals(input, &key, "color = 0x76b900")?;
                set_once(&mut self.color, &key, color(&input.parse()?)?)
            }
            "fields" if !self.fields.is_empty() => Err(Error::new(key.span(), "duplicate argument `fields`")),
            "fields" => {
                self.fields = fields(input, &key)?;
                Ok(())
            }
            "scope" => flag(input, &key, &mut self.scope),
            "caller" => flag(input, &key, &mut self.caller),
            "internal" => flag(input, &key, &mut self.internal),
            "stack" => flag(input, &key, &mut self.stack),
            _ => Err(Error::new(key.span(), format!("unknown argument `{key}`: {ACCEPTED}"))),
        }
    }
}

/// The `=` behind `key`; without one the error is on the key, since there may be no other token.
fn equals(input: ParseStream<'_>, key: &Ident, whole: &str) -> Result<()> {
    match input.parse::<Option<Token![=]>>()? {
        Some(_) => Ok(()),
        None => Err(Error::new(key.span(), format!("`{key}` needs a value: `{whole}`"))),
    }
}

/// One of the fields, with the expression that gives its value.
pub(crate) struct Field {
    pub(crate) name: Ident,
    pub(crate) value: Expr,
}

impl Parse for Field {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let name = input.call(Ident::parse_any)?;
        let value = match input.parse::<Option<Token![=]>>()? {
            Some(_) => input.parse()?,
            None => parse_quote_spanned!(name.span()=> #name),
        };
        Ok(Self { name, value })
    }
}

/// # Errors
/// There are none, or two of one name.
fn fields(input: ParseStream<'_>, key: &Ident) -> Result<Vec<Field>> {
    if !input.peek(token::Paren) {
        return Err(Error::new(key.span(), "`fields` needs names: `fields(layer = i, query_id)`"));
    }
    let inside;
    parenthesized!(inside in input);
    let fields: Vec<Field> = inside.parse_terminated(Field::parse, Token![,])?.into_iter().collect();
    if fields.is_empty() {
        return Err(Error::new(key.span(), "`fields` needs names: `fields(layer = i, query_id)`"));
    }
    for (at, field) in fields.iter().enumerate() {
        if fields.iter().take(at).any(|other| other.name == field.name) {
            return Err(Error::new(field.name.span(), format!("duplicate field `{}`", field.name)));
        }
    }
    Ok(fields)
}

/// # Errors
/// It is no category: empty, or with NUL.
fn category(literal: &LitStr) -> Result<String> {
    let value = literal.value();
    let wrong = |why: &str| Err(Error::new(literal.span(), why));
    if value.trim().is_empty() {
        return wrong("a category cannot be empty");
    }
    if value.contains('\0') {
        return wrong("a category cannot contain NUL: profilers end it there");
    }
    Ok(value)
}

/// # Errors
/// It is no colour: more than three bytes, or of another type.
fn color(literal: &LitInt) -> Result<u32> {
    let value = literal.base10_parse::<u32>().ok().filter(|&value| value <= 0x00ff_ffff);
    let plain = matches!(literal.suffix(), "" | "u32");
    value.filter(|_| plain).ok_or_else(|| {
        Error::new(literal.span(), "a colour is red, green and blue in one number: from `0x000000` to `0xffffff`")
    })
}

/// An argument that stands alone.
fn flag(input: ParseStream<'_>, key: &Ident, slot: &mut Option<Span>) -> Result<()> {
    if input.peek(Token![=]) {
        return Err(input.error(format!("`{key}` takes no value")));
    }
    set_once(slot, key, key.span())
}

fn set_once<T>(slot: &mut Option<T>, key: &Ident, value: T) -> Result<()> {
    if slot.is_some() {
        return Err(Error::new(key.span(), format!("duplicate argument `{key}`")));
    }
    *slot = Some(value);
    Ok(())
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
