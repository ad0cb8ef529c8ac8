//! What the doctor has found.

use std::fmt;

use serde::Serialize;

/// How something stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum State {
    /// As it should be.
    Well,
    /// Not there, or not as it should be.
    Lacks,
    /// Worth knowing.
    Note,
}

/// One thing that was looked at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Finding {
    pub(super) subject: String,
    pub(super) state: State,
    /// What there is, a line each.
    pub(super) found: Vec<String>,
    /// What fixes it.
    pub(super) remedy: Option<String>,
}

impl Finding {
    pub(super) fn new(subject: &str, state: State, found: impl Into<String>) -> Self {
        Self { subject: subject.into(), state, found: vec![found.into()], remedy: None }
    }

    pub(super) fn remedy(mut self, remedy: impl Into<String>) -> Self {
        self.remedy = Some(remedy.into());
        self
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = match self.state {
            State::Well => "well",
            State::Lacks => "lacks",
            State::Note => "note",
        };
        let lines = self.found.iter().flat_map(|found| found.lines());
        for (index, line) in lines.enumerate() {
            match index {
                0 => writeln!(f, "{:<12} {state:<6} {line}", self.subject)?,
                _ => writeln!(f, "{:<19} {line}", "")?,
            }
        }
        match &self.remedy {
            Some(remedy) => writeln!(f, "{:<19} to mend it: {remedy}", ""),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_finding_is_lines_and_its_remedy() {
        let mut finding = Finding::new("opencl", State::Lacks, "no library").remedy("install it");
        finding.found.push("two\nlines".into());
        assert_eq!(
            finding.to_string(),
            "opencl       lacks  no library\n                    two\n                    lines\n                    to mend it: install it\n"
        );
    }
}
