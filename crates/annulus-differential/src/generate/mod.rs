//! Well-typed random handlers, as Rust source.
//!
//! They use what the language has, in any combination, and mean something definite: loops end, floats are
//! never compared by bits, and what Rust leaves open (the sign of a minimum of zeros) does not occur.

mod arrays;
mod cases;
mod choices;
mod exchange;
mod expression;
mod function;
mod items;
mod moved;
mod place;
mod shared;
mod statement;
mod together;
mod types;
mod ways;

pub use choices::Choices;
pub use shared::ELEMENTS;
pub use together::{KEPT, block_handler};
pub use types::SOURCE;
pub use ways::handler_by_ways;

use function::Function;
use shared::{Shared, TABLES, tables};
use together::Together;
use types::Ty;
use ways::Way;

/// The source of a handler of this name, and of the functions that it calls.
pub fn handler(name: &str, choices: &mut Choices) -> String {
    let mut writer = Writer::new(choices);
    let functions = writer.functions_of(name);
    writer.body();
    let body = writer.text;
    let tables: String =
        TABLES.iter().map(|(name, atomic, _)| format!("    {name}: &[{atomic}],\n")).collect();
    format!(
        "{functions}#[ring_kernel(max_outputs = 6)]
pub fn {name}(
    message: &In,
    state: &mut State,
{tables}    out: &Outbox<Out>,
) -> Result<(), Failure> {{\n{body}}}\n"
    )
}

/// The source of a handler of this name with two outboxes and a reply.
pub fn handler_of_several(name: &str, choices: &mut Choices) -> String {
    let mut writer = Writer::new(choices);
    writer.outboxes = &SEVERAL;
    let functions = writer.functions_of(name);
    writer.body();
    let body = writer.text;
    let tables: String =
        TABLES.iter().map(|(name, atomic, _)| format!("    {name}: &[{atomic}],\n")).collect();
    format!(
        "{functions}#[ring_kernel(max_outputs(out = 4, aside = 2))]
pub fn {name}(
    message: &In,
    state: &mut State,
{tables}    out: &Outbox<Out>,
    aside: &Outbox<Aside>,
    reply: &Reply<Mark>,
) -> Result<(), Failure> {{\n{body}}}\n"
    )
}

/// What a handler sends by, and what of [`SOURCE`] it sends.
type Outboxes = [(&'static str, &'static str)];

const ONE: [(&str, &str); 1] = [("out", "Out")];
const SEVERAL: [(&str, &str); 4] =
    [("out", "Out"), ("aside", "Aside"), ("aside", "Aside"), ("reply", "Mark")];

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
    /// A block with a label, and what it gives: its label is the only way out.
    Block(Option<Ty>),
    /// The place is in its condition, or decides its end: neither `break` nor `continue`.
    Condition,
}

/// What [`Around`] a place there is.
#[derive(Clone)]
struct Surrounding {
    around: Around,
    label: String,
    /// Whether the label is used, and so written.
    used: bool,
}

/// A slice in scope, which has at least one element.
#[derive(Clone)]
struct Slice {
    name: String,
    of: Ty,
    mutable: bool,
}

impl Slice {
    /// The variable that stands for its first element, by which it is borrowed too.
    fn first(&self) -> String {
        format!("{}[0]", self.name)
    }
}

/// Writes one handler.
struct Writer<'c> {
    choices: &'c mut Choices,
    text: String,
    indent: usize,
    /// Those in scope; a later one hides an earlier one of the same name.
    vars: Vec<Var>,
    slices: Vec<Slice>,
    /// Shared memory in scope.
    shared: Vec<Shared>,
    /// Names of roots that are borrowed.
    borrowed: Vec<String>,
    /// Names of roots that can only be read, since there are shared references into them.
    lent: Vec<String>,
    names: u32,
    /// Whether nothing outside may change: in a guard, where Rust does not let the matched place change.
    frozen: bool,
    /// How much more may be written.
    fuel: i32,
    /// How many expressions are around this place.
    depth: u32,
    /// The loops around this place.
    loops: Vec<Surrounding>,
    /// The functions that can be called.
    functions: Vec<Function>,
    /// What the function gives that is written; `None` in the handler.
    output: Option<Ty>,
    /// What is known of the block, in a handler that a whole block runs.
    together: Option<Together>,
    outboxes: &'static Outboxes,
    /// What the handler sends by, if it is one of those that send by other ways.
    way: Option<Way>,
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
            slices: Vec::new(),
            shared: tables(),
            borrowed: Vec::new(),
            lent: Vec::new(),
            names: 0,
            frozen: false,
            fuel: 120,
            depth: 0,
            loops: Vec::new(),
            functions: Vec::new(),
            output: None,
            together: None,
            outboxes: &ONE,
            way: None,
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

    /// A name that no variable of [`name`](Self::name) hides.
    fn own_name(&mut self, prefix: &str) -> String {
        self.names += 1;
        format!("{prefix}{}", self.names - 1)
    }

    /// Writes what stands in a loop or a labelled block, and gives its label if it is used: `'a1: `.
    fn around<T>(&mut self, around: Around, write: impl FnOnce(&mut Self) -> T) -> (T, String) {
        let label = self.own_name("'a");
        self.loops.push(Surrounding { around, label, used: false });
        let written = write(self);
        let Surrounding { label, used, .. } = self.loops.pop().expect("it was pushed");
        (written, if used { format!("{label}: ") } else { String::new() })
    }

    /// Writes what may read these variables, and not change them.
    fn lending<T>(&mut self, root: &str, mutable: bool, write: impl FnOnce(&mut Self) -> T) -> T {
        let kept = (self.borrowed.len(), self.lent.len());
        self.lend(root, mutable);
        let written = write(self);
        self.borrowed.truncate(kept.0);
        self.lent.truncate(kept.1);
        written
    }

    fn lend(&mut self, root: &str, mutable: bool) {
        let roots = if mutable { &mut self.borrowed } else { &mut self.lent };
        roots.push(root.to_owned());
        // A slice that is borrowed does not tell its length either.
        if let Some(slice) = root.strip_suffix("[0]") {
            roots.push(format!("{slice}.len()"));
        }
    }

    /// Writes the lines that `write` writes, apart.
    fn apart(&mut self, write: impl FnOnce(&mut Self)) -> String {
        let before = std::mem::take(&mut self.text);
        self.indent += 1;
        let (vars, slices) = (self.vars.len(), self.slices.len());
        write(self);
        self.vars.truncate(vars);
        self.slices.truncate(slices);
        self.indent -= 1;
        std::mem::replace(&mut self.text, before)
    }

    /// `{ … }` around lines.
    fn block(&mut self, write: impl FnOnce(&mut Self)) -> String {
        let lines = self.apart(write);
        format!("{{\n{lines}{}}}", "    ".repeat(self.indent))
    }
}
