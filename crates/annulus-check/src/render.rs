//! Findings as text for people, and as JSON for editors.

use annotate_snippets::{AnnotationKind, Group, Level as Title, Patch, Renderer, Snippet};
use serde_json::{Value, json};

use crate::{
    finding::{Finding, Fix},
    lint::{LINTS, Level},
    project::Checked,
    source::Source,
};

/// The findings of a file as the compiler shows its own.
///
/// ```
/// # use annulus_check::{Source, check_text, text};
/// let code = "async fn wait(kernel: &KernelHandle<detect>) { kernel.drained_blocking() }";
/// let source = Source::parse("a.rs".into(), "a.rs".into(), code.into())?;
/// let shown = text(&source, &check_text("a.rs".as_ref(), code), false);
/// assert!(shown.starts_with("warning[AN07]: `drained_blocking` blocks the thread inside a future"));
/// # Ok::<(), String>(())
/// ```
pub fn text(source: &Source, findings: &[Finding], color: bool) -> String {
    findings.iter().map(|finding| rendered(source, finding, color) + "\n\n").collect()
}

fn rendered(source: &Source, finding: &Finding, color: bool) -> String {
    let title = match finding.level {
        Level::Warning => Title::WARNING,
        Level::Error => Title::ERROR,
    };
    let place = AnnotationKind::Primary.span(finding.span.clone()).label(&*finding.label);
    let notes = finding.notes.iter().map(|note| {
        let span = note.span.clone();
        AnnotationKind::Context.span(span).label(&*note.label)
    });
    let snippet = Snippet::source(&*source.text).path(&*source.shown).annotation(place).annotations(notes);
    let explain =
        format!("`{}`: `annulus check --explain {}` says more", finding.lint.name, finding.lint.code);
    let mut groups = vec![
        title
            .primary_title(&*finding.message)
            .id(finding.lint.code)
            .element(snippet)
            .element(Title::HELP.message(&*finding.help))
            .element(Title::NOTE.message(explain)),
    ];
    groups.extend(finding.fixes.iter().map(|fix| suggestion(source, fix)));
    let renderer = if color { Renderer::styled() } else { Renderer::plain() };
    renderer.render(&groups)
}

fn suggestion<'a>(source: &'a Source, fix: &'a Fix) -> Group<'a> {
    let patches = fix.edits.iter().map(|edit| Patch::new(edit.span.clone(), &*edit.replacement));
    let snippet = Snippet::source(&*source.text).path(&*source.shown).patches(patches);
    Title::HELP.secondary_title(&*fix.message).element(snippet)
}

/// The findings of a file, each in one line: place, level, code, message.
///
/// ```
/// # use annulus_check::{Source, check_text, short};
/// let code = "async fn wait(kernel: &KernelHandle<detect>) { kernel.drained_blocking() }";
/// let source = Source::parse("a.rs".into(), "a.rs".into(), code.into())?;
/// assert!(short(&source, &check_text("a.rs".as_ref(), code)).starts_with("a.rs:1:55: warning[AN07]: "));
/// # Ok::<(), String>(())
/// ```
pub fn short(source: &Source, findings: &[Finding]) -> String {
    let line = |finding: &Finding| {
        let (line, column) = source.place(finding.span.start);
        let (level, code, message) = (finding.level, finding.lint.code, &finding.message);
        format!("{}:{line}:{column}: {level}[{code}]: {message}\n", source.shown)
    };
    findings.iter().map(line).collect()
}

/// The findings of a file as Cargo writes the compiler's (`cargo check --message-format=json`): one message
/// a line, with suggestions that editors offer.
pub fn json(file: &Checked) -> Vec<String> {
    let message = |finding: &Finding| {
        json!({
            "reason": "compiler-message",
            "package_id": file.package_id,
            "manifest_path": file.manifest_path,
            "target": file.target,
            "message": diagnostic(&file.source, finding),
        })
        .to_string()
    };
    file.findings.iter().map(message).collect()
}

/// A finding as rustc writes its own.
fn diagnostic(source: &Source, finding: &Finding) -> Value {
    let mut spans = vec![span(source, &finding.span, true, Some(&finding.label), None)];
    spans.extend(finding.notes.iter().map(|note| span(source, &note.span, false, Some(&note.label), None)));
    let child = |level: &str, message: &str, spans: Vec<Value>| {
        json!({
            "message": message, "code": null, "level": level, "spans": spans, "children": [], "rendered": null,
        })
    };
    let mut children = vec![child("help", &finding.help, Vec::new())];
    children.extend(finding.fixes.iter().map(|fix| {
        let applicability = if fix.is_safe { "MachineApplicable" } else { "MaybeIncorrect" };
        let edit = |edit: &crate::Edit| {
            span(source, &edit.span, true, None, Some((&edit.replacement, applicability)))
        };
        child("help", &fix.message, fix.edits.iter().map(edit).collect())
    }));
    let name = format!("annulus::{}", finding.lint.name);
    json!({
        "$message_type": "diagnostic",
        "message": finding.message,
        "code": { "code": name, "explanation": finding.lint.explanation() },
        "level": finding.level.to_string(),
        "spans": spans,
        "children": children,
        "rendered": rendered(source, finding, false) + "\n\n",
    })
}

fn span(
    source: &Source,
    span: &std::ops::Range<usize>,
    is_primary: bool,
    label: Option<&str>,
    suggestion: Option<(&str, &str)>,
) -> Value {
    let (line_start, column_start) = source.place(span.start);
    let (line_end, column_end) = source.place(span.end);
    let lines = (line_start..=line_end).map(|line| {
        let text = &source.text[source.line(line)];
        let start = if line == line_start { column_start } else { 1 };
        let end = if line == line_end { column_end } else { text.chars().count() + 1 };
        json!({ "text": text, "highlight_start": start, "highlight_end": end })
    });
    json!({
        "file_name": source.shown,
        "byte_start": span.start,
        "byte_end": span.end,
        "line_start": line_start,
        "line_end": line_end,
        "column_start": column_start,
        "column_end": column_end,
        "is_primary": is_primary,
        "text": lines.collect::<Vec<_>>(),
        "label": label,
        "suggested_replacement": suggestion.map(|(text, _)| text),
        "suggestion_applicability": suggestion.map(|(_, applicability)| applicability),
        "expansion": null,
    })
}

/// All lints as a table: code, name, level, what each finds.
///
/// ```
/// assert!(annulus_check::list().starts_with("AN01  tight_poll               warning  telemetry is polled"));
/// ```
pub fn list() -> String {
    let width = LINTS.iter().map(|lint| lint.name.len()).max().unwrap_or(0);
    let line = |lint: &&crate::Lint| {
        format!("{}  {:width$}  {:7}  {}\n", lint.code, lint.name, lint.level.to_string(), lint.summary)
    };
    LINTS.iter().map(line).collect()
}
