//! Shared memory: tables of atomics, and what is done with them.

use super::{Ty, Var, Writer};

/// The tables that every handler has: the parameter's name, its elements, and what they hold.
pub(super) const TABLES: [(&str, &str, &str); 4] = [
    ("counts", "AtomicU32", "u32"),
    ("levels", "AtomicI32", "i32"),
    ("words", "AtomicU64", "u64"),
    ("sums", "AtomicI64", "i64"),
];

/// How many elements each table has.
pub const ELEMENTS: usize = 4;

/// Operations that put something in the place of what is there, and give that.
const CHANGES: [&str; 8] =
    ["fetch_add", "fetch_sub", "fetch_and", "fetch_or", "fetch_xor", "fetch_min", "fetch_max", "swap"];

const LOADS: [&str; 3] = ["Relaxed", "Acquire", "SeqCst"];
const STORES: [&str; 3] = ["Relaxed", "Release", "SeqCst"];
const ALL: [&str; 5] = ["Relaxed", "Acquire", "Release", "AcqRel", "SeqCst"];

/// A table of atomics in scope, or one atomic.
#[derive(Clone)]
pub(super) struct Shared {
    pub(super) name: String,
    pub(super) of: &'static str,
    pub(super) is_table: bool,
}

/// The tables of a handler.
pub(super) fn tables() -> Vec<Shared> {
    TABLES.iter().map(|&(name, _, of)| Shared { name: name.into(), of, is_table: true }).collect()
}

/// `AtomicU32` for `u32`.
pub(super) fn atomic_of(of: &str) -> &'static str {
    TABLES.iter().find(|(.., held)| *held == of).expect("an integer that has an atomic").1
}

impl Writer<'_> {
    /// An atomic that holds this, or any; `None` if there is none in scope.
    fn atomic(&mut self, of: Option<&str>) -> Option<(String, &'static str)> {
        let known: Vec<Shared> =
            self.shared.iter().filter(|shared| of.is_none_or(|of| shared.of == of)).cloned().collect();
        if known.is_empty() {
            return None;
        }
        let Shared { name, of, is_table } = self.choices.one(&known);
        Some((if is_table { format!("{name}[{}]", self.index(ELEMENTS)) } else { name }, of))
    }

    /// An argument for a parameter that is a table, or one atomic.
    pub(super) fn shared_argument(&mut self, of: &'static str, is_table: bool) -> Option<String> {
        let known: Vec<Shared> = self
            .shared
            .iter()
            .filter(|shared| shared.of == of && (shared.is_table || !is_table))
            .cloned()
            .collect();
        if known.is_empty() {
            return None;
        }
        let shared = self.choices.one(&known);
        Some(if shared.is_table && !is_table {
            format!("&{}[{}]", shared.name, self.index(ELEMENTS))
        } else {
            shared.name
        })
    }

    fn ordering(&mut self, of: &[&str]) -> String {
        format!("Ordering::{}", self.choices.one(of))
    }

    /// What an atomic holds, or held until this changed it.
    pub(super) fn atomic_value(&mut self, of: &'static str) -> Option<String> {
        let (atomic, of) = self.atomic(Some(of))?;
        Some(match self.choices.below(6) {
            0 | 1 => format!("{atomic}.load({})", self.ordering(&LOADS)),
            2..=4 => self.change_of(&atomic, of),
            _ => {
                let exchanged = self.exchanged(&atomic, of);
                format!("{exchanged}.unwrap_or({})", self.expression(&Ty::Int(of)))
            }
        })
    }

    /// The value before, if an exchange went well, or if it did not.
    pub(super) fn atomic_option(&mut self, of: &'static str) -> Option<String> {
        let (atomic, of) = self.atomic(Some(of))?;
        let exchanged = self.exchanged(&atomic, of);
        Some(format!("{exchanged}.{}()", self.choices.one(&["ok", "err"])))
    }

    /// Whether an exchange goes well.
    pub(super) fn atomic_question(&mut self) -> Option<String> {
        let (atomic, of) = self.atomic(None)?;
        let exchanged = self.exchanged(&atomic, of);
        Some(format!("{exchanged}.{}()", self.choices.one(&["is_ok", "is_err"])))
    }

    fn change_of(&mut self, atomic: &str, of: &'static str) -> String {
        let (change, value) = (self.choices.one(&CHANGES), self.expression(&Ty::Int(of)));
        format!("{atomic}.{change}({value}, {})", self.ordering(&ALL))
    }

    /// An exchange, which goes well about every second time.
    fn exchanged(&mut self, atomic: &str, of: &'static str) -> String {
        let ty = Ty::Int(of);
        let expected = if self.choices.percent(60) {
            format!("{atomic}.load(Ordering::Relaxed)")
        } else {
            self.expression(&ty)
        };
        let new = self.expression(&ty);
        let (success, failure) = (self.ordering(&ALL), self.ordering(&LOADS));
        format!("{atomic}.compare_exchange({expected}, {new}, {success}, {failure})")
    }

    /// A statement that changes shared memory.
    pub(super) fn share(&mut self) {
        let Some((atomic, of)) = self.atomic(None) else { return self.assign() };
        let ty = Ty::Int(of);
        match self.choices.below(6) {
            0 | 1 => {
                let value = self.expression(&ty);
                let line = format!("{atomic}.store({value}, {});", self.ordering(&STORES));
                self.line(&line);
            }
            2 => {
                let change = self.change_of(&atomic, of);
                self.line(&format!("{change};"));
            }
            3 => self.exchange_until(&atomic, of),
            4 => {
                let (exchanged, bound) = (self.exchanged(&atomic, of), self.own_name("b"));
                let mut arm = |case: &str| {
                    let mark = self.vars.len();
                    self.vars.push(Var { name: bound.clone(), ty: ty.clone(), mutable: false });
                    self.indent += 1;
                    let lines = self.lines();
                    self.indent -= 1;
                    self.vars.truncate(mark);
                    format!("{}{case}({bound}) => {lines}\n", "    ".repeat(self.indent + 1))
                };
                let (ok, err) = (arm("Ok"), arm("Err"));
                self.line(&format!("match {exchanged} {{\n{ok}{err}{}}}", "    ".repeat(self.indent)));
            }
            _ => {
                let (exchanged, name) = (self.exchanged(&atomic, of), self.own_name("b"));
                let case = self.choices.one(&["Ok", "Err"]);
                let mark = self.vars.len();
                self.vars.push(Var { name: name.clone(), ty, mutable: false });
                let lines = self.lines();
                self.vars.truncate(mark);
                self.line(&format!("if let {case}({name}) = {exchanged} {lines}"));
            }
        }
    }

    /// The loop that makes any change of an atomic: nobody else writes, so it ends at once, or in its second
    /// turn.
    fn exchange_until(&mut self, atomic: &str, of: &'static str) {
        let (seen, by) = (self.own_name("b"), self.own_name("b"));
        let start = if self.choices.percent(50) {
            format!("{atomic}.load({})", self.ordering(&LOADS))
        } else {
            self.literal(&Ty::Int(of))
        };
        let (amount, at) = (self.expression(&Ty::Int(of)), self.own_name("x"));
        // Were it found anew in each turn, it might be another one in each.
        let fixed = match atomic.split_once('[') {
            Some((table, index)) => {
                self.line(&format!(
                    "let {at}: usize = {};",
                    index.strip_suffix(']').expect("an index ends so")
                ));
                format!("{table}[{at}]")
            }
            None => atomic.to_owned(),
        };
        self.line(&format!("let {by} = {amount};"));
        self.line(&format!("let mut {seen} = {start};"));
        let (success, failure) = (self.ordering(&ALL), self.ordering(&LOADS));
        let weak = self.choices.one(&["", "_weak"]);
        let new =
            format!("{seen}.{}({by})", self.choices.one(&["wrapping_add", "wrapping_mul", "max", "min"]));
        self.line(&format!(
            "while let Err(now) = {fixed}.compare_exchange{weak}({seen}, {new}, {success}, {failure}) {{"
        ));
        self.line(&format!("    {seen} = now;"));
        self.line("}");
        self.vars.push(Var { name: seen, ty: Ty::Int(of), mutable: true });
    }
}
