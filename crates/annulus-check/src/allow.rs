//! Comments that allow a finding: `// annulus: allow(tight_poll)`, with a reason behind it.
//!
//! At the end of a line it stands for that line. On a line of its own it stands for the statement, item,
//! field or arm below. `// annulus: allow-file(…)` stands for the file.

use std::{cell::Cell, ops::Range};

use syn::visit::{self, Visit};

use crate::{
    finding::Finding,
    lint::{self, LINTS, Lint, USELESS_ALLOW},
    source::Source,
};

/// The comments of a file.
pub(crate) struct Allows {
    allows: Vec<Allow>,
    /// Comments that begin as one of ours and go on otherwise.
    malformed: Vec<Range<usize>>,
}

struct Allow {
    /// The lint, or what stands in its place.
    lint: Result<&'static Lint, String>,
    name: Range<usize>,
    /// The comment, and how many names it has.
    comment: (Range<usize>, usize),
    target: Range<usize>,
    is_used: Cell<bool>,
}

impl Allows {
    pub(crate) fn of(source: &Source) -> Self {
        let mut found = Self { allows: Vec::new(), malformed: Vec::new() };
        let mut nodes = None;
        // Most files have none.
        let comments = if source.tokens.is_empty() { Vec::new() } else { comments(source) };
        for comment in comments {
            let text = &source.text[comment.clone()];
            let Some(said) = text.trim_start_matches('/').trim_start().strip_prefix("annulus:") else {
                continue;
            };
            let said = said.trim_start();
            if !said.starts_with("allow") {
                continue;
            }
            let is_file = said.starts_with("allow-file");
            let rest = said.trim_start_matches("allow-file").trim_start_matches("allow");
            let Some((names, _)) = rest.strip_prefix('(').and_then(|rest| rest.split_once(')')) else {
                found.malformed.push(comment);
                continue;
            };
            let target = match is_file {
                true => 0..source.text.len(),
                false => target(source, &comment, nodes.get_or_insert_with(|| Nodes::of(source))),
            };
            let mut at = comment.start + (text.len() - rest.len()) + 1;
            let count = names.split(',').count();
            for name in names.split(',') {
                let start = at + (name.len() - name.trim_start().len());
                let span = start..start + name.trim().len();
                at += name.len() + 1;
                let lint = lint::find(name.trim()).ok_or_else(|| name.trim().to_owned());
                let (comment, target) = ((comment.clone(), count), target.clone());
                found.allows.push(Allow { lint, name: span, comment, target, is_used: Cell::new(false) });
            }
        }
        found
    }

    /// Whether a comment allows this.
    pub(crate) fn allow(&self, finding: &Finding) -> bool {
        let mut is_allowed = false;
        for allow in &self.allows {
            if allow.lint == Ok(finding.lint) && allow.target.contains(&finding.span.start) {
                allow.is_used.set(true);
                is_allowed = true;
            }
        }
        is_allowed
    }

    /// What the comments themselves have wrong. After all findings were asked for.
    pub(crate) fn useless(&self, source: &Source) -> Vec<Finding> {
        let mut findings = Vec::new();
        for allow in &self.allows {
            match &allow.lint {
                Err(name) => {
                    let near = LINTS.iter().map(|lint| lint.name).min_by_key(|known| distance(known, name));
                    let near = near.filter(|near| distance(near, name) <= name.len() / 2);
                    let finding = Finding::new(
                        &USELESS_ALLOW,
                        allow.name.clone(),
                        format!("no lint is called `{name}`, so this allows nothing"),
                        "no such lint",
                        "`annulus check --list` lists them",
                    );
                    findings.push(match near {
                        Some(near) => {
                            finding.fix(format!("there is `{near}`"), allow.name.clone(), near, false)
                        }
                        None => finding,
                    });
                }
                Ok(lint) if !allow.is_used.get() => {
                    let finding = Finding::new(
                        &USELESS_ALLOW,
                        allow.name.clone(),
                        format!("`{}` is not found here, so allowing it does nothing", lint.name),
                        "allows nothing",
                        "remove it, or put it right above what it allows",
                    );
                    let (comment, count) = &allow.comment;
                    findings.push(match count {
                        1 => finding.fix("remove the comment", whole(source, comment), "", true),
                        _ => finding,
                    });
                }
                Ok(_) => {}
            }
        }
        findings.extend(self.malformed.iter().map(|comment| {
            Finding::new(
                &USELESS_ALLOW,
                comment.clone(),
                "this comment allows nothing, since it names no lint in brackets",
                "not understood",
                "write `// annulus: allow(tight_poll)` and the reason behind it",
            )
        }));
        findings
    }
}

/// A comment with its line, if it is alone there.
fn whole(source: &Source, comment: &Range<usize>) -> Range<usize> {
    let line = source.line(source.place(comment.start).0);
    let before = &source.text[line.start..comment.start];
    match before.trim().is_empty() {
        true => line.start..(line.end + 1).min(source.text.len()),
        false => line.start + before.trim_end().len()..comment.end,
    }
}

/// Line comments: what lies between tokens and begins with `//`. Those in texts are inside of tokens.
fn comments(source: &Source) -> Vec<Range<usize>> {
    let mut comments = Vec::new();
    let mut from = 0;
    let ends = source.tokens.iter().cloned().chain(std::iter::once(source.text.len()..source.text.len()));
    for token in ends {
        if from < token.start {
            let mut at = from;
            while let Some(found) = source.text[at..token.start].find('/') {
                let start = at + found;
                let rest = &source.text[start..token.start];
                let length = match rest.strip_prefix("/*") {
                    Some(_) => block_comment(rest),
                    None => rest.find('\n').unwrap_or(rest.len()),
                };
                if rest.starts_with("//") {
                    let text = rest[..length].trim_end();
                    comments.push(start..start + text.len());
                }
                at = start + length.max(1);
                if at >= token.start {
                    break;
                }
            }
        }
        from = from.max(token.end);
    }
    comments
}

/// How long a comment in `/*` and `*/` is; they may lie in each other.
fn block_comment(text: &str) -> usize {
    let mut depth = 0;
    let mut at = 0;
    loop {
        let rest = &text[at..];
        let (step, deeper) = match (rest.find("/*"), rest.find("*/")) {
            (Some(open), Some(close)) if open < close => (open, 1),
            (_, Some(close)) => (close, -1),
            _ => return text.len(),
        };
        depth += deeper;
        at += step + 2;
        if depth == 0 {
            return at;
        }
    }
}

fn target(source: &Source, comment: &Range<usize>, nodes: &Nodes) -> Range<usize> {
    let line = source.line(source.place(comment.start).0);
    if !source.text[line.start..comment.start].trim().is_empty() {
        return line;
    }
    let next = source.tokens.partition_point(|token| token.start < comment.end);
    let Some(next) = source.tokens.get(next) else { return comment.clone() };
    let largest = nodes.0.iter().filter(|node| node.start == next.start).max_by_key(|node| node.len());
    largest.cloned().unwrap_or_else(|| source.line(source.place(next.start).0))
}

/// What a comment may stand above.
struct Nodes(Vec<Range<usize>>);

impl Nodes {
    fn of(source: &Source) -> Self {
        let mut collect = Collect { source, nodes: Vec::new() };
        collect.visit_file(&source.file);
        Self(collect.nodes)
    }
}

struct Collect<'a> {
    source: &'a Source,
    nodes: Vec<Range<usize>>,
}

impl Collect<'_> {
    /// Also without its attributes, where the comment stands between.
    fn add(&mut self, part: &impl syn::spanned::Spanned, attributes: &[syn::Attribute]) {
        let range = self.source.range(part);
        for attribute in attributes {
            let end = self.source.range(attribute).end;
            let next = self.source.tokens.partition_point(|token| token.start < end);
            let start = self.source.tokens.get(next).map_or(range.start, |token| token.start);
            self.nodes.push(start..range.end.max(start));
        }
        self.nodes.push(range);
    }
}

impl<'ast> Visit<'ast> for Collect<'_> {
    fn visit_item(&mut self, item: &'ast syn::Item) {
        let attributes = match item {
            syn::Item::Fn(item) => &item.attrs[..],
            syn::Item::Mod(item) => &item.attrs,
            syn::Item::Impl(item) => &item.attrs,
            _ => &[],
        };
        self.add(item, attributes);
        visit::visit_item(self, item);
    }

    fn visit_impl_item(&mut self, item: &'ast syn::ImplItem) {
        let attributes = match item {
            syn::ImplItem::Fn(item) => &item.attrs[..],
            _ => &[],
        };
        self.add(item, attributes);
        visit::visit_impl_item(self, item);
    }

    fn visit_stmt(&mut self, stmt: &'ast syn::Stmt) {
        self.add(stmt, &[]);
        visit::visit_stmt(self, stmt);
    }

    fn visit_arm(&mut self, arm: &'ast syn::Arm) {
        self.add(arm, &[]);
        visit::visit_arm(self, arm);
    }

    fn visit_field_value(&mut self, value: &'ast syn::FieldValue) {
        self.add(value, &[]);
        visit::visit_field_value(self, value);
    }

    fn visit_expr(&mut self, expr: &'ast syn::Expr) {
        self.add(expr, &[]);
        visit::visit_expr(self, expr);
    }
}

/// How many letters differ, by Levenshtein.
fn distance(one: &str, other: &str) -> usize {
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (i, a) in one.bytes().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, b) in other.bytes().enumerate() {
            let change = diagonal + usize::from(a != b);
            diagonal = row[j + 1];
            row[j + 1] = change.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[other.len()]
}
