//! What each lint looks for.

mod asynchronous;
mod outcomes;
mod outputs;
mod polling;
mod sequence;
mod switched_off;

use std::collections::BTreeSet;

use crate::{allow::Allows, body::Body, facts::Facts, finding::Finding, source::Source};

/// A function, and what is known of what is around it.
struct Context<'a> {
    source: &'a Source,
    facts: &'a Facts,
    body: &'a Body,
    /// The functions of the file that poll telemetry each time they are called.
    polling: &'a BTreeSet<&'a str>,
}

impl Context<'_> {
    /// The text of a place.
    fn text(&self, span: &std::ops::Range<usize>) -> &str {
        self.source.text.get(span.clone()).unwrap_or("")
    }
}

/// All findings in a file's functions that no comment allows, in the order of the text.
pub(crate) fn file(source: &Source, bodies: &[Body], facts: &Facts) -> Vec<Finding> {
    let mut findings = Vec::new();
    let polling = &polling::functions(bodies);
    for body in bodies {
        let context = Context { source, facts, body, polling };
        polling::check(&context, &mut findings);
        sequence::check(&context, &mut findings);
        switched_off::check(&context, &mut findings);
        outputs::check(&context, &mut findings);
        asynchronous::check(&context, &mut findings);
        outcomes::check(&context, &mut findings);
    }
    let allows = Allows::of(source);
    findings.retain(|finding| !allows.allow(finding));
    findings.extend(allows.useless(source));
    findings.sort_by_key(|finding| (finding.span.start, finding.lint.code));
    findings
}
