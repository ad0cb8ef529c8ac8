//! The files of a project, as `cargo metadata` lists them.

use std::{
    collections::{BTreeMap, HashSet},
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::Value;

use crate::{
    facts::{Facts, is_test},
    finding::Finding,
    lint::{Level, Lint},
    lints,
    source::Source,
};

/// What is checked, and how strictly.
///
/// ```
/// let mut options = annulus_check::Options::default();
/// options.deny_warnings = true;
/// options.allow.extend(annulus_check::find("tight_poll"));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The project's `Cargo.toml`; else the one that Cargo finds from here.
    pub manifest_path: Option<PathBuf>,
    /// Only these packages of the workspace.
    pub packages: Vec<String>,
    /// Tests as well.
    pub tests: bool,
    /// Lints that are not wanted.
    pub allow: Vec<&'static Lint>,
    /// Lints that are errors.
    pub deny: Vec<&'static Lint>,
    /// Whether all warnings are errors.
    pub deny_warnings: bool,
}

/// A file that was checked.
pub struct Checked {
    /// The file.
    pub source: Source,
    /// What was found in it.
    pub findings: Vec<Finding>,
    /// The package's id, as Cargo's messages have it.
    pub package_id: String,
    /// The package's `Cargo.toml`.
    pub manifest_path: String,
    /// The target, as `cargo metadata` describes it.
    pub target: Value,
}

/// Why a project, or a part of it, was not checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Problem {
    /// `cargo metadata` does not list the project: what it says.
    Project(String),
    /// A package that was asked for is not in the workspace.
    NoPackage(String),
    /// No package of the project depends on Annulus.
    NotUsed,
    /// A file is no Rust: which, and where.
    Syntax(String),
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Project(said) => write!(f, "cargo metadata: {}", said.trim_end()),
            Self::NoPackage(name) => write!(f, "the workspace has no package `{name}`"),
            Self::NotUsed => f.write_str("no package here depends on annulus: there is nothing to check"),
            Self::Syntax(said) => write!(f, "{said}: not checked"),
        }
    }
}

impl std::error::Error for Problem {}

/// Checks a project: its files that were read, in order, and what could not be.
///
/// ```no_run
/// let (files, problems) = annulus_check::check(&annulus_check::Options::default())?;
/// for file in &files {
///     print!("{}", annulus_check::text(&file.source, &file.findings, false));
/// }
/// assert!(problems.is_empty());
/// # Ok::<(), annulus_check::Problem>(())
/// ```
///
/// # Errors
///
/// Nothing could be checked. Files that are no Rust are in the list beside the others.
pub fn check(options: &Options) -> Result<(Vec<Checked>, Vec<Problem>), Problem> {
    let metadata = metadata(options)?;
    let root = PathBuf::from(text(&metadata["workspace_root"]));
    let packages = metadata["packages"].as_array().map_or(&[][..], Vec::as_slice);
    for wanted in &options.packages {
        if !packages.iter().any(|package| package["name"] == **wanted) {
            return Err(Problem::NoPackage(wanted.clone()));
        }
    }
    let (mut all, mut problems) = (Vec::new(), Vec::new());
    let mut is_used = false;
    for package in packages {
        let name = text(&package["name"]);
        if !options.packages.is_empty() && !options.packages.contains(&name) || !uses_annulus(package) {
            continue;
        }
        is_used = true;
        let files = files(package, &root, options.tests, &mut problems);
        let sources: Vec<&Source> = files.iter().map(|(source, _)| source).collect();
        let (facts, bodies) = Facts::of(&sources, options.tests);
        let findings =
            |(source, bodies): (&&Source, _)| strictly(lints::file(source, bodies, &facts), options);
        let findings: Vec<Vec<Finding>> =
            sources.iter().zip(bodies.iter().map(Vec::as_slice)).map(findings).collect();
        for ((source, target), findings) in files.into_iter().zip(findings) {
            let (package_id, manifest_path) = (text(&package["id"]), text(&package["manifest_path"]));
            all.push(Checked { source, findings, package_id, manifest_path, target });
        }
    }
    if is_used { Ok((all, problems)) } else { Err(Problem::NotUsed) }
}

/// With the levels that the options ask for.
fn strictly(findings: Vec<Finding>, options: &Options) -> Vec<Finding> {
    let wanted = findings.into_iter().filter(|finding| !options.allow.contains(&finding.lint));
    let level = |mut finding: Finding| {
        if options.deny_warnings || options.deny.contains(&finding.lint) {
            finding.level = Level::Error;
        }
        finding
    };
    wanted.map(level).collect()
}

fn metadata(options: &Options) -> Result<Value, Problem> {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(["metadata", "--no-deps", "--format-version", "1"]);
    if let Some(path) = &options.manifest_path {
        command.arg("--manifest-path").arg(path);
    }
    let output =
        command.output().map_err(|error| Problem::Project(format!("cannot start cargo: {error}")))?;
    if !output.status.success() {
        return Err(Problem::Project(String::from_utf8_lossy(&output.stderr).into_owned()));
    }
    serde_json::from_slice(&output.stdout).map_err(|error| Problem::Project(error.to_string()))
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().into()
}

fn uses_annulus(package: &Value) -> bool {
    let is_ours = |name: &Value| {
        let name = name.as_str().unwrap_or_default();
        name == "annulus" || name.starts_with("annulus-")
    };
    let mut dependencies = package["dependencies"].as_array().into_iter().flatten();
    is_ours(&package["name"]) || dependencies.any(|dependency| is_ours(&dependency["name"]))
}

/// The files of a package, each with the first target that has it.
fn files(package: &Value, root: &Path, tests: bool, problems: &mut Vec<Problem>) -> Vec<(Source, Value)> {
    let mut targets: Vec<&Value> = package["targets"].as_array().into_iter().flatten().collect();
    let is_kind = |target: &Value, wanted: &str| {
        target["kind"].as_array().is_some_and(|kinds| kinds.iter().any(|kind| kind == wanted))
    };
    targets.retain(|target| !is_kind(target, "custom-build") && (tests || !is_kind(target, "test")));
    let mut reader = Reader { root, tests, seen: HashSet::new(), files: BTreeMap::new(), problems };
    for target in targets {
        let path = PathBuf::from(text(&target["src_path"]));
        let folder = path.parent().map(Path::to_path_buf).unwrap_or_default();
        reader.file(&path, &folder, target);
    }
    reader.files.into_values().collect()
}

struct Reader<'a> {
    root: &'a Path,
    tests: bool,
    seen: HashSet<PathBuf>,
    files: BTreeMap<PathBuf, (Source, Value)>,
    problems: &'a mut Vec<Problem>,
}

impl Reader<'_> {
    /// Reads a file, and those of its modules, which lie in `folder`.
    fn file(&mut self, path: &Path, folder: &Path, target: &Value) {
        // Compiled for this machine or not, it is there or not.
        let Ok(text) = fs::read_to_string(path) else { return };
        if !self.seen.insert(path.to_path_buf()) {
            return;
        }
        let shown = path.strip_prefix(self.root).unwrap_or(path).display().to_string();
        match Source::parse(path.into(), shown, text) {
            Ok(source) => {
                let modules = modules(&source.file.items, folder, path, self.tests);
                self.files.insert(path.into(), (source, target.clone()));
                for (candidates, folder) in modules {
                    if let Some(path) = candidates.iter().find(|path| path.exists()) {
                        let folder =
                            if path.ends_with("mod.rs") { path.parent().unwrap_or(&folder) } else { &folder };
                        self.file(path, folder, target);
                    }
                }
            }
            Err(said) => self.problems.push(Problem::Syntax(said)),
        }
    }
}

/// The modules of a file that lie in other files: where each may lie, and where its own do.
fn modules(items: &[syn::Item], folder: &Path, file: &Path, tests: bool) -> Vec<(Vec<PathBuf>, PathBuf)> {
    let mut found = Vec::new();
    for item in items {
        let syn::Item::Mod(module) = item else { continue };
        if !tests && is_test(&module.attrs) {
            continue;
        }
        let name = module.ident.to_string();
        let name = name.strip_prefix("r#").unwrap_or(&name);
        let inner = folder.join(name);
        let said = module.attrs.iter().find_map(|attribute| match &attribute.meta {
            syn::Meta::NameValue(pair) if pair.path.is_ident("path") => crate::known::string(&pair.value),
            _ => None,
        });
        match (&module.content, said) {
            (Some((_, items)), _) => found.extend(modules(items, &inner, file, tests)),
            (None, Some(said)) => {
                let path = file.parent().unwrap_or(folder).join(said);
                let its = path.parent().unwrap_or(folder).to_path_buf();
                found.push((vec![path], its));
            }
            (None, None) => {
                found.push((vec![folder.join(format!("{name}.rs")), inner.join("mod.rs")], inner));
            }
        }
    }
    found
}
