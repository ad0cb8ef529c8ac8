//! Functions that a handler calls: random ones of its own, and those of `SOURCE`.

use super::{
    Around, Slice, Ty, Var, Writer,
    shared::{Shared, TABLES, atomic_of},
    types::INTS,
};

/// A function that was written.
#[derive(Clone)]
pub(super) struct Function {
    name: String,
    parameters: Vec<Parameter>,
    output: Ty,
}

#[derive(Clone)]
enum Parameter {
    Value(Ty),
    Reference(Ty, bool),
    /// A slice of these.
    Slice(Ty, bool),
    /// A table of atomics that hold these, or one of them.
    Shared(&'static str, bool),
}

/// How much is written into a function.
const FUEL: i32 = 30;

impl Writer<'_> {
    /// Writes the functions of a handler of this name; they can be called from then on.
    pub(super) fn functions_of(&mut self, handler: &str) -> String {
        let count = [0, 1, 2, 3, 1][self.choices.below(5)];
        (0..count).map(|number| self.function(format!("{handler}_f{number}"))).collect()
    }

    pub(super) fn function(&mut self, name: String) -> String {
        let output = match self.choices.below(6) {
            0..=2 => Ty::Int(self.choices.one(&INTS)),
            3 => Ty::option(Ty::Int(self.choices.one(&INTS))),
            4 => Ty::Result(Box::new(Ty::Int(self.choices.one(&INTS)))),
            _ => self.any(),
        };
        let count = self.choices.below(4);
        let parameters: Vec<Parameter> = (0..count).map(|_| self.parameter()).collect();
        let kept = (std::mem::take(&mut self.vars), std::mem::take(&mut self.shared), self.fuel);
        self.output = Some(output.clone());
        self.fuel = FUEL;
        self.indent = 0;
        let mut list = Vec::new();
        let body = self.block(|writer| {
            for parameter in &parameters {
                list.push(writer.declare_parameter(parameter));
            }
            let most = writer.choices.below(4);
            writer.statements(most);
            writer.fuel = writer.fuel.max(6);
            let value = writer.expression(&output);
            writer.line(&value);
        });
        self.indent = 1;
        (self.vars, self.shared, self.fuel) = kept;
        self.slices.clear();
        self.output = None;
        let text = format!("#[device_fn]\npub fn {name}({}) -> {} {body}\n", list.join(", "), output.name());
        self.functions.push(Function { name, parameters, output });
        text
    }

    fn parameter(&mut self) -> Parameter {
        match self.choices.below(10) {
            0..=2 => Parameter::Value(self.any()),
            3 => Parameter::Reference(self.inner(), false),
            4 | 5 => Parameter::Reference(self.inner(), true),
            6 => Parameter::Slice(self.integer_of_lists(), false),
            7 => Parameter::Slice(self.integer_of_lists(), true),
            _ => Parameter::Shared(self.choices.one(&TABLES).2, self.choices.percent(50)),
        }
    }

    fn integer_of_lists(&mut self) -> Ty {
        Ty::Int(self.choices.one(&["i32", "u16", "i16", "i8"]))
    }

    fn declare_parameter(&mut self, parameter: &Parameter) -> String {
        let name = self.own_name("q");
        match parameter {
            Parameter::Value(ty) => {
                let mutable = self.choices.percent(30);
                let text = format!("{}{name}: {}", if mutable { "mut " } else { "" }, ty.name());
                self.vars.push(Var { name, ty: ty.clone(), mutable });
                text
            }
            Parameter::Reference(ty, mutable) => {
                let var = Var { name: format!("(*{name})"), ty: ty.clone(), mutable: *mutable };
                self.vars.push(var);
                format!("{name}: {}{}", sign(*mutable), ty.name())
            }
            Parameter::Slice(of, mutable) => {
                let text = format!("{name}: {}[{}]", sign(*mutable), of.name());
                self.slice(Slice { name, of: of.clone(), mutable: *mutable });
                text
            }
            Parameter::Shared(of, is_table) => {
                let atomic = atomic_of(of);
                let text =
                    if *is_table { format!("{name}: &[{atomic}]") } else { format!("{name}: &{atomic}") };
                self.shared.push(Shared { name, of, is_table: *is_table });
                text
            }
        }
    }

    /// A call that gives this; `None` if there is no function, or no place for one of its parameters.
    pub(super) fn call(&mut self, ty: &Ty) -> Option<String> {
        let own: Vec<Function> =
            self.functions.iter().filter(|function| function.output == *ty).cloned().collect();
        let choice = self.choices.below(3 + own.len());
        if choice >= 3 {
            return self.call_of(&own[choice - 3].clone());
        }
        match (choice, ty) {
            (0, Ty::Int("i32")) => {
                if self.choices.percent(50) {
                    Some(format!("({}).sum()", self.expression(&Ty::Named("Pair"))))
                } else {
                    let (a, b) = (self.expression(ty), self.expression(&Ty::Int("u8")));
                    Some(format!("Pair::new({a}, {b}).sum()"))
                }
            }
            (0, Ty::Int("u8")) => {
                let (place, root) = self.rooted(&Ty::Named("Pair"), true)?;
                let by = self.lending(&root, true, |writer| writer.expression(&Ty::Int("i32")));
                Some(format!("{place}.bump({by})"))
            }
            (0, Ty::Int("u32")) => {
                let of = self.integer_of_lists();
                let list = self.list(Some(&of), false)?;
                let wanted = self.lending(&list.root, false, |writer| writer.expression(&of));
                let sign = if list.is_slice { "" } else { "&" };
                Some(format!("count({sign}{}, {wanted})", list.path))
            }
            (0, Ty::Named("Pair")) => {
                if self.choices.percent(50) {
                    return Some(format!("({}).swapped()", self.place(ty, false)?));
                }
                let (a, b) = (self.expression(&Ty::Int("i32")), self.expression(&Ty::Int("u8")));
                Some(format!("Pair::new({a}, {b})"))
            }
            (1, Ty::Int(_)) => {
                let (a, b) = (self.expression(ty), self.expression(ty));
                Some(format!("larger({a}, {b})"))
            }
            (2, Ty::Int(_)) => {
                let list = self.list(Some(ty), false)?;
                if list.is_slice {
                    return None;
                }
                let at = self.lending(&list.root, false, |writer| writer.expression(&Ty::Int("usize")));
                Some(format!("element(&{}, {at})", list.path))
            }
            (_, Ty::Option(_) | Ty::Result(_) | Ty::Tuple(_)) => None,
            _ => {
                let (first, a, b) = (self.expression(&Ty::Bool), self.expression(ty), self.expression(ty));
                Some(format!("choose({first}, {a}, {b})"))
            }
        }
    }

    /// Arguments are borrowed in their order: what one of them borrows, later ones leave alone.
    fn call_of(&mut self, function: &Function) -> Option<String> {
        let kept = (self.borrowed.len(), self.lent.len());
        let mut arguments = Some(Vec::new());
        for parameter in &function.parameters {
            let argument = self.argument(parameter);
            match (argument, &mut arguments) {
                (Some(argument), Some(arguments)) => arguments.push(argument),
                _ => arguments = None,
            }
        }
        self.borrowed.truncate(kept.0);
        self.lent.truncate(kept.1);
        Some(format!("{}({})", function.name, arguments?.join(", ")))
    }

    fn argument(&mut self, parameter: &Parameter) -> Option<String> {
        let (text, root, mutable) = match parameter {
            Parameter::Value(ty) => return Some(self.expression(ty)),
            Parameter::Shared(of, is_table) => return self.shared_argument(of, *is_table),
            Parameter::Reference(ty, mutable) => {
                let (place, root) = self.rooted(ty, *mutable)?;
                (format!("{}{place}", sign(*mutable)), root, *mutable)
            }
            Parameter::Slice(of, mutable) => {
                let list = self.list(Some(of), *mutable)?;
                let text = match (list.is_slice, self.choices.below(3)) {
                    (true, _) => list.path,
                    (false, 0 | 1) => format!("{}{}", sign(*mutable), list.path),
                    (false, _) => format!("{}{}[1..]", sign(*mutable), list.path),
                };
                (text, list.root, *mutable)
            }
        };
        self.lend(&root, mutable);
        Some(text)
    }

    /// A statement that is there for what it does.
    pub(super) fn effect(&mut self) {
        let functions = self.functions.clone();
        if functions.is_empty() || self.choices.percent(30) {
            let ty = if self.choices.percent(50) { Ty::Int("u8") } else { self.inner() };
            return match self.call(&ty) {
                Some(call) if self.keep(&call, &ty) => {}
                Some(call) => self.line(&format!("let _ = {call};")),
                None => self.assign(),
            };
        }
        let function = self.choices.one(&functions);
        let Some(call) = self.call_of(&function) else { return self.assign() };
        let name = self.name();
        self.line(&format!("let {name} = {call};"));
        self.keep(&name, &function.output);
        self.vars.push(Var { name, ty: function.output, mutable: false });
    }

    /// A block that its label leaves with a value.
    pub(super) fn labelled_value(&mut self, ty: &Ty) -> String {
        let (block, label) = self.around(Around::Block(Some(ty.clone())), |writer| writer.value_block(ty));
        format!("({label}{block})")
    }
}

fn sign(mutable: bool) -> &'static str {
    if mutable { "&mut " } else { "&" }
}
