//! A file: its text, its syntax, and where its lines begin.

use std::{ops::Range, path::PathBuf};

use proc_macro2::{Span, TokenStream, TokenTree};
use syn::spanned::Spanned;

/// A file of Rust that was read.
pub struct Source {
    /// Where it lies.
    pub path: PathBuf,
    /// How it is called in messages.
    pub shown: String,
    /// All of it.
    pub text: String,
    pub(crate) file: syn::File,
    /// Where tokens are, in order. Empty if the text has no comment of ours, for which alone they are needed.
    pub(crate) tokens: Vec<Range<usize>>,
    /// Bytes before what the compiler reads.
    base: usize,
    line_starts: Vec<usize>,
}

impl Source {
    /// Reads the text of a file.
    ///
    /// ```
    /// # use annulus_check::Source;
    /// let source = Source::parse("a.rs".into(), "a.rs".into(), "fn a() {}\nfn b() {}\n".into())?;
    /// assert_eq!(source.place(13), (2, 4)); // of `b`
    /// # Ok::<(), String>(())
    /// ```
    ///
    /// # Errors
    ///
    /// What is no Rust, and where.
    pub fn parse(path: PathBuf, shown: String, text: String) -> Result<Self, String> {
        let base = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        let code = &text[base..];
        // As long as before, so that places stay.
        let script = code.starts_with("#!") && !code[2..].trim_start().starts_with('[');
        let code = if script { format!("//{}", &code[2..]) } else { code.into() };
        let lines = text.match_indices('\n').map(|(at, _)| at + 1);
        let line_starts = std::iter::once(0).chain(lines).collect();
        let place = |error: &syn::Error| {
            let start = error.span().start();
            format!("{shown}:{}:{}: {error}", start.line, start.column + 1)
        };
        let stream: TokenStream =
            code.parse().map_err(|error: proc_macro2::LexError| place(&syn::Error::from(error)))?;
        let mut source =
            Self { path, text, file: empty(), tokens: Vec::new(), base, line_starts, shown: String::new() };
        if source.text.contains("annulus:") {
            source.collect(stream.clone());
        }
        source.file = syn::parse2(stream).map_err(|error| place(&error))?;
        source.shown = shown;
        Ok(source)
    }

    fn collect(&mut self, stream: TokenStream) {
        for tree in stream {
            match tree {
                TokenTree::Group(group) => {
                    self.tokens.push(self.bytes(group.span_open()));
                    self.collect(group.stream());
                    self.tokens.push(self.bytes(group.span_close()));
                }
                other => self.tokens.push(self.bytes(other.span())),
            }
        }
    }

    /// The bytes of a span.
    pub(crate) fn bytes(&self, span: Span) -> Range<usize> {
        let range = span.byte_range();
        range.start + self.base..range.end + self.base
    }

    /// The bytes of a part of the syntax.
    pub(crate) fn range(&self, part: &impl Spanned) -> Range<usize> {
        self.bytes(part.span())
    }

    /// Line and column of a byte, both from 1; the column counts characters.
    ///
    /// ```
    /// # use annulus_check::Source;
    /// let source = Source::parse("a.rs".into(), "a.rs".into(), "const Ä: u8 = 1;".into())?;
    /// assert_eq!(source.place(8), (1, 8));
    /// # Ok::<(), String>(())
    /// ```
    pub fn place(&self, byte: usize) -> (usize, usize) {
        let line = self.line_starts.partition_point(|&start| start <= byte);
        let start = self.line_starts[line - 1];
        (line, self.text.get(start..byte).map_or(0, |text| text.chars().count()) + 1)
    }

    /// The bytes of a line, which counts from 1, without its end.
    pub(crate) fn line(&self, line: usize) -> Range<usize> {
        let start = self.line_starts[line - 1];
        let end = self.line_starts.get(line).map_or(self.text.len(), |next| next - 1);
        start..end
    }
}

fn empty() -> syn::File {
    syn::File { shebang: None, frontmatter: None, attrs: Vec::new(), items: Vec::new() }
}
