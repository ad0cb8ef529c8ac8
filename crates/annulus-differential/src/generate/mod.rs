//! Well-typed random handlers, as Rust source.
//!
//! They use what the language has, in any combination, and mean something definite: loops end, floats are never compared by bits, and what
//! Rust leaves open (the sign of a minimum of zeros) does not occur.

mod choices;
mod expression;
mod place;
mod statement;
mod types;

pub use choices::Choices;
pub use types::SOURCE;

use types::Ty;

/// The source of a handler of this name.
pub fn handler(name: &str, choices: &mut Choices) -> String {
    let mut writer = Writer::new(choices);
    writer.body();
    let body = writer.text;
    format!(
        "#[ring_kernel(max_outputs = 6)]
pub fn {name}(message: &In, state: &mut State, out: &Outbox<Out>) -> Result<(), Failure> {{\n{body}}}\n"
    )
}

/// A variable in scope.
#[derive(Clone)]
struct Var {
    name: String,
    ty: Ty,
    mutable: bool,
}

/// A loop around a place.
#[derive(Clone)]
enum Around {
    /// Its `break` has no value.
    Plain,
    /// Its `break` has one of this type.
    Value(Ty),
    /// The place is in its condition, or decides its end: neither `break` nor `continue`.
    Condition,
}

/// Writes one handler.
struct Writer<'c> {
    choices: &'c mut Choices,
    text: String,
    indent: usize,
    /// Those in scope; a later one hides an earlier one of the same name.
    vars: Vec<Var>,
    /// Names of roots that are borrowed.
    borrowed: Vec<String>,
    names: u32,
    /// Whether nothing outside may change: in a guard, where Rust does not let the matched place change.
    frozen: bool,
    /// How much more may be written.
    fuel: i32,
    /// How many expressions are around this place.
    depth: u32,
    /// The loops around this place.
    loops: Vec<Around>,
}

impl<'c> Writer<'c> {
    fn new(choices: &'c mut Choices) -> Self {
        let var = |name: &str, ty, mutable| Var { name: name.into(), ty: Ty::Named(ty), mutable };
        let vars = vec![var("message", "In", false), var("state", "State", true)];
        Self {
            choices,
            text: String::new(),
            indent: 1,
            vars,
            borrowed: Vec::new(),
            names: 0,
            frozen: false,
            fuel: 120,
            depth: 0,
            loops: Vec::new(),
        }
    }

    fn line(&mut self, line: &str) {
        self.text.push_str(&"    ".repeat(self.indent));
        self.text.push_str(line);
        self.text.push('\n');
    }

    /// A name for a variable, now and then one that is in use.
    fn name(&mut self) -> String {
        if self.names > 0 && self.choices.percent(10) {
            return format!("v{}", self.choices.below(self.names as usize));
        }
        self.names += 1;
        format!("v{}", self.names - 1)
    }

    /// Writes the lines that `write` writes, apart.
    fn apart(&mut self, write: impl FnOnce(&mut Self)) -> String {
        let before = std::mem::take(&mut self.text);
        self.indent += 1;
        let vars = self.vars.len();
        write(self);
        self.vars.truncate(vars);
        self.indent -= 1;
        std::mem::replace(&mut self.text, before)
    }

    /// `{ … }` around lines.
    fn block(&mut self, write: impl FnOnce(&mut Self)) -> String {
        let lines = self.apart(write);
        format!("{{\n{lines}{}}}", "    ".repeat(self.indent))
    }
}
