//! `annulus check`: lints for programs that use Annulus.

use std::{
    io::{self, IsTerminal, Write},
    path::PathBuf,
};

use annulus_check::{Checked, Level, Lint, Problem};
use clap::builder::{PossibleValue, TypedValueParser};
use clap::{Args, ValueEnum, builder::PossibleValuesParser};

use crate::failure::Failure;

/// Find mistakes with kernels that the compiler does not see, in any project
///
/// Reads the source of the packages that depend on annulus, without compiling it: telemetry polled without a
/// pause, outputs that nobody receives, blocking calls in futures, outcomes thrown away … `--list` has all
/// lints.
#[derive(Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Check {
    /// The project's Cargo.toml; else that of the current folder, or of one above it
    #[arg(long, value_name = "PATH")]
    manifest_path: Option<PathBuf>,

    /// Only this package of the workspace; may be given several times
    #[arg(long, short, value_name = "NAME")]
    package: Vec<String>,

    /// Check tests as well
    #[arg(long)]
    tests: bool,

    /// Not this lint
    #[arg(long, value_name = "LINT", value_parser = lint(), hide_possible_values = true)]
    allow: Vec<&'static Lint>,

    /// Take what this lint finds for an error; `warnings` means all
    #[arg(long, value_name = "LINT", value_parser = denied(), hide_possible_values = true)]
    deny: Vec<Denied>,

    /// How findings are printed
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = MessageFormat::Human)]
    message_format: MessageFormat,

    /// Put fixes that leave the program's meaning as it is into the files; other fixes are only shown
    #[arg(long, conflicts_with = "message_format")]
    fix: bool,

    /// Say what a lint finds and why, with examples
    #[arg(long, value_name = "LINT", value_parser = lint(), exclusive = true)]
    explain: Option<&'static Lint>,

    /// List all lints
    #[arg(long, exclusive = true)]
    list: bool,
}

const EXAMPLES: &str = "\
Examples:
  annulus check                              the project of this folder
  annulus check --explain tight_poll         what a lint finds, why, and what to write instead
  annulus check --fix                        puts right what can be without a change of meaning
  annulus check --tests --deny warnings      for continuous integration

To keep what a lint finds, write a comment with the reason. At the end of a line it stands for that
line, on a line of its own for the statement or item below:
  // annulus: allow(tight_poll) this measures how fast a poll is
For a whole file:
  // annulus: allow-file(tight_poll)

rust-analyzer shows the findings, and offers the fixes, beside the compiler's own. Its setting
rust-analyzer.check.overrideCommand is then:
  [\"sh\", \"-c\", \"cargo check --message-format=json; annulus check --message-format=json\"]

Exit codes:
  0  there are no errors; warnings are none
  1  there are errors, or the project cannot be read
  2  the command line is wrong";

/// How findings are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum MessageFormat {
    /// With the lines that they are about
    Human,
    /// One line each
    Short,
    /// As `cargo check --message-format=json` does, for editors
    Json,
}

/// What `--deny` takes.
#[derive(Clone, Copy)]
enum Denied {
    Warnings,
    Lint(&'static Lint),
}

fn names() -> Vec<PossibleValue> {
    let value = |lint: &&'static Lint| PossibleValue::new(lint.name).alias(lint.code).help(lint.summary);
    annulus_check::LINTS.iter().map(value).collect()
}

fn lint() -> impl TypedValueParser<Value = &'static Lint> {
    PossibleValuesParser::new(names()).try_map(|name| annulus_check::find(&name).ok_or("no such lint"))
}

fn denied() -> impl TypedValueParser<Value = Denied> {
    let warnings = PossibleValue::new("warnings").help("All of them");
    PossibleValuesParser::new(names().into_iter().chain([warnings])).try_map(|name| match name.as_str() {
        "warnings" => Ok(Denied::Warnings),
        name => annulus_check::find(name).map(Denied::Lint).ok_or("no such lint"),
    })
}

impl Check {
    pub(crate) fn execute(&self) -> Result<(), Failure> {
        let print = |text: &str| io::stdout().write_all(text.as_bytes()).map_err(Failure::stdout);
        if self.list {
            return print(&annulus_check::list());
        }
        if let Some(lint) = self.explain {
            return print(&format!(
                "{} {}: {}\n\n{}",
                lint.code,
                lint.name,
                lint.summary,
                lint.explanation()
            ));
        }
        let checked = annulus_check::check(&self.options());
        let (files, problems) = checked.map_err(|problem| match problem {
            Problem::NoPackage(_) => Failure::Usage(problem.to_string()),
            _ => Failure::fault(problem),
        })?;
        for problem in &problems {
            let _ = writeln!(io::stderr(), "annulus: {problem}");
        }
        let mut fixed = 0;
        let colored = io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none();
        for file in &files {
            if self.fix
                && let Some(changed) = annulus_check::fix(file).map_err(Failure::fault)?
            {
                fixed += changed.count;
                print(&format!("{}: {} fixed\n", file.source.shown, changed.count))?;
            }
        }
        // What is left, and where it is now.
        let (files, _) = match fixed {
            0 => (files, Vec::new()),
            _ => annulus_check::check(&self.options()).map_err(Failure::fault)?,
        };
        for file in &files {
            let text = match self.message_format {
                MessageFormat::Human => annulus_check::text(&file.source, &file.findings, colored),
                MessageFormat::Short => annulus_check::short(&file.source, &file.findings),
                MessageFormat::Json => {
                    annulus_check::json(file).into_iter().map(|line| line + "\n").collect()
                }
            };
            print(&text)?;
        }
        summary(&files, problems.len(), self.message_format)
    }

    fn options(&self) -> annulus_check::Options {
        annulus_check::Options {
            manifest_path: self.manifest_path.clone(),
            packages: self.package.clone(),
            tests: self.tests,
            allow: self.allow.clone(),
            deny: self
                .deny
                .iter()
                .filter_map(|denied| match denied {
                    Denied::Lint(lint) => Some(*lint),
                    Denied::Warnings => None,
                })
                .collect(),
            deny_warnings: self.deny.iter().any(|denied| matches!(denied, Denied::Warnings)),
        }
    }
}

/// How many findings there are; a failure if there are errors.
fn summary(files: &[Checked], unread: usize, format: MessageFormat) -> Result<(), Failure> {
    let of = |level: Level| {
        files.iter().flat_map(|file| &file.findings).filter(|finding| finding.level == level).count()
    };
    let (errors, warnings) = (of(Level::Error), of(Level::Warning));
    let count = |number: usize, what: &str| format!("{number} {what}{}", if number == 1 { "" } else { "s" });
    let (files, errors_told) = (count(files.len(), "file"), count(errors, "error"));
    let told = format!("{files} checked: {errors_told}, {}", count(warnings, "warning"));
    match (errors, unread) {
        (0, 0) => {
            if format == MessageFormat::Human {
                return writeln!(io::stdout(), "{told}").map_err(Failure::stdout);
            }
            Ok(())
        }
        (_, 0) => Err(Failure::Fault(told)),
        (_, unread) => Err(Failure::Fault(format!("{told}; {} not checked", count(unread, "file")))),
    }
}
