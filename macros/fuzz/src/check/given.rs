//! What the attribute's arguments ask for, as far as it is seen in an expansion.

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use quote::ToTokens;
use syn::Expr;

use super::hooks::{ENTERED, ENTRY, SCOPE};
use super::parts::Reader;
use crate::args::Args;

/// What a function with these arguments is entered with.
#[derive(Debug, Default)]
pub(super) struct Given {
    /// The stream that is asked for, as tokens.
    stream: Option<String>,
    /// A name with placeholders.
    text: Option<String>,
    /// The names of the fields and their values, as tokens.
    fields: Vec<(String, String)>,
    /// The same of `flops` and `bytes`.
    works: Vec<(String, String)>,
    pub(super) caller: bool,
    pub(super) scope: bool,
    /// The function is a helper, launch or not.
    pub(super) internal: bool,
}

impl Given {
    pub(super) fn of(args: TokenStream) -> Self {
        let (args, _) = Args::read(args);
        Self {
            stream: args.stream.map(|stream| stream.to_token_stream().to_string()),
            text: args.name.filter(|name| !name.placeholders.is_empty()).map(|name| name.literal.token().to_string()),
            fields: args
                .fields
                .iter()
                .map(|field| (field.name.to_string(), field.value.to_token_stream().to_string()))
                .collect(),
            works: [("flops", &args.flops), ("bytes", &args.bytes)]
                .into_iter()
                .filter_map(|(name, work)| Some((name.to_owned(), work.as_ref()?.to_token_stream().to_string())))
                .collect(),
            caller: args.caller.or(args.internal).is_some(),
            scope: args.scope.is_some(),
            internal: args.internal.is_some(),
        }
    }

    /// Whether there is a note for the launches.
    pub(super) fn is_noted(&self) -> bool {
        self.is_filled_in() || self.caller
    }

    /// Whether something is put into the note.
    fn is_filled_in(&self) -> bool {
        self.stream.is_some() || self.text.is_some() || self.has_fields()
    }

    fn has_fields(&self) -> bool {
        !self.fields.is_empty() || !self.works.is_empty()
    }

    /// How many statements come of it.
    pub(super) fn statements(&self) -> usize {
        // A scope is a place and a guard.
        let fields = self.has_fields();
        let all = [self.is_noted(), self.stream.is_some(), fields, self.text.is_some(), self.scope, self.scope];
        all.into_iter().filter(|is| *is).count()
    }

    /// The statements that make the note, read off the front.
    pub(super) fn read(&self, read: &mut Reader<'_, '_>) -> Option<()> {
        let mutable = if self.is_filled_in() { "mut" } else { "" };
        read.tokens(&format!("let {mutable} {ENTRY} ="))?;
        read.private("Entry")?;
        read.tokens(": : NONE")?;
        if self.caller {
            read.tokens(". called_at")?;
            let called = read.group(Delimiter::Parenthesis)?;
            let mut called = Reader { root: read.root, rest: &called };
            called.tokens(": : core : : panic : : Location : : caller ()")?;
            called.end()?;
        }
        read.tokens(";")?;
        if let Some(stream) = &self.stream {
            read.tokens("if")?;
            read.private("Entry")?;
            read.tokens(": : wants_records ()")?;
            goes_to(read.root, &read.group(Delimiter::Brace)?, stream)?;
        }
        if self.has_fields() {
            read.tokens("if")?;
            read.private("Entry")?;
            read.tokens(": : wants_records ()")?;
            has_fields(read.root, &read.group(Delimiter::Brace)?, [&self.fields, &self.works])?;
        }
        if let Some(text) = &self.text {
            read.private("enter_text")?;
            read.tokens("!")?;
            let told = read.group(Delimiter::Parenthesis)?;
            let mut told = Reader { root: read.root, rest: &told };
            told.tokens(&format!("{ENTRY} , : : core : : format_args !"))?;
            let told = told.group(Delimiter::Parenthesis)?;
            let [TokenTree::Literal(found)] = told.as_slice() else { return None };
            (found.to_string() == *text).then_some(())?;
            read.tokens(";")?;
        }
        Some(())
    }

    /// `let mut launchsite_scope = Scope::new(); let _launchsite_entered = Scope::enter(&mut launchsite_scope, ..);`: what it
    /// is given.
    pub(super) fn read_scope(read: &mut Reader<'_, '_>) -> Option<Vec<TokenTree>> {
        read.tokens(&format!("let mut {SCOPE} ="))?;
        read.private("Scope")?;
        read.tokens(&format!(": : new () ; let {ENTERED} ="))?;
        read.private("Scope")?;
        read.tokens(": : enter")?;
        let given = read.group(Delimiter::Parenthesis)?;
        read.tokens(";")?;
        let mut inside = Reader { root: read.root, rest: &given };
        inside.tokens(&format!("& mut {SCOPE} ,"))?;
        Some(inside.rest.to_vec())
    }
}

/// `Entry::has_fields(&mut launchsite_entry, &[field("NAME", &VALUE), .., work("flops", &VALUE), ..]);`
fn has_fields(root: &[TokenTree], trees: &[TokenTree], [fields, works]: [&[(String, String)]; 2]) -> Option<()> {
    let mut read = Reader { root, rest: trees };
    read.private("Entry")?;
    read.tokens(": : has_fields")?;
    let given = read.group(Delimiter::Parenthesis)?;
    read.tokens(";")?;
    read.end()?;
    let mut read = Reader { root, rest: &given };
    read.tokens(&format!("& mut {ENTRY} , &"))?;
    let list = read.group(Delimiter::Bracket)?;
    read.end()?;
    let mut read = Reader { root, rest: &list };
    let (fields, works) = (fields.iter().map(|pair| ("field", pair)), works.iter().map(|pair| ("work", pair)));
    for (index, (hook, (name, value))) in fields.chain(works).enumerate() {
        if index > 0 {
            read.tokens(",")?;
        }
        read.private(hook)?;
        let pair = read.group(Delimiter::Parenthesis)?;
        let [TokenTree::Literal(found), _, looked_at @ ..] = pair.as_slice() else { return None };
        (found.to_string() == format!("{name:?}")).then_some(())?;
        is_reference_to(looked_at, value)?;
    }
    read.end()
}

/// `Entry::goes_to(&mut launchsite_entry, stream_of(&STREAM));`
fn goes_to(root: &[TokenTree], trees: &[TokenTree], stream: &str) -> Option<()> {
    let mut read = Reader { root, rest: trees };
    read.private("Entry")?;
    read.tokens(": : goes_to")?;
    let given = read.group(Delimiter::Parenthesis)?;
    read.tokens(";")?;
    read.end()?;
    let mut read = Reader { root, rest: &given };
    read.tokens(&format!("& mut {ENTRY} ,"))?;
    read.private("stream_of")?;
    let given = read.group(Delimiter::Parenthesis)?;
    read.end()?;
    is_reference_to(&given, stream)
}

/// `&EXPR`
fn is_reference_to(trees: &[TokenTree], expr: &str) -> Option<()> {
    let Expr::Reference(found) = syn::parse2(trees.iter().cloned().collect()).ok()? else { return None };
    // Where it would mean something else behind the `&`, it is in parentheses.
    let bare = match &*found.expr {
        Expr::Paren(inner) => inner.expr.to_token_stream().to_string(),
        _ => String::new(),
    };
    (bare == expr || found.expr.to_token_stream().to_string() == expr).then_some(())
}
