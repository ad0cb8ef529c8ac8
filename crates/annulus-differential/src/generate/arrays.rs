//! Patterns of arrays.

use super::{Around, Ty, Var, Writer, types::INTS};

impl Writer<'_> {
    /// Takes an array apart.
    pub(super) fn array_let(&mut self) {
        let (of, len) = self.element_and_len();
        let ty = Ty::Array(Box::new(of), len);
        let how = self.choices.below(4);
        let (sign, mutable) = match how {
            0 | 1 => {
                let value = self.expression(&ty);
                let mut vars = Vec::new();
                let pattern = self.array_pattern(&ty, false, None, &mut vars);
                self.line(&format!("let {pattern} = {value};"));
                self.vars.extend(vars);
                return;
            }
            2 => ("&", false),
            _ => ("&mut ", true),
        };
        let Some((place, root)) = self.rooted(&ty, mutable) else { return self.assign() };
        let mut vars = Vec::new();
        let pattern = self.array_pattern(&ty, false, Some(mutable), &mut vars);
        let most = 1 + self.choices.below(3);
        let lines = self.lending(&root, mutable, |writer| {
            writer.block(|writer| {
                writer.line(&format!("let {pattern} = {sign}{place};"));
                writer.vars.extend(vars);
                writer.statements(most);
            })
        });
        self.line(&lines);
    }

    /// `for` over the rows of an array of arrays, each taken apart.
    pub(super) fn rows(&mut self) {
        let row = Ty::Array(Box::new(Ty::Int("i8")), 2);
        let mutable = self.choices.percent(40);
        let Some((place, root)) = self.rooted(&Ty::Array(Box::new(row.clone()), 3), mutable) else {
            return self.array_let();
        };
        let by_value = !mutable && self.choices.percent(30);
        let mut vars = Vec::new();
        let pattern = self.array_pattern(&row, false, (!by_value).then_some(mutable), &mut vars);
        let over = match (mutable, by_value) {
            (true, _) => format!("{place}.iter_mut()"),
            (false, true) => place,
            (false, false) => format!("&{place}"),
        };
        let most = 1 + self.choices.below(3);
        let (lines, label) = self.lending(&root, mutable, |writer| {
            writer.around(Around::Plain, |writer| {
                writer.block(|writer| {
                    writer.vars.extend(vars);
                    writer.statements(most);
                })
            })
        });
        self.line(&format!("{label}for {pattern} in {over} {lines}"));
    }

    /// Arms for an array.
    pub(super) fn array_arms(&mut self) -> (String, Vec<(String, Vec<Var>)>) {
        let (of, len) = self.element_and_len();
        let ty = Ty::Array(Box::new(of), len);
        let value = self.expression(&ty);
        let mut arms = Vec::new();
        for _ in 0..1 + self.choices.below(3) {
            let mut vars = Vec::new();
            let mut pattern = self.array_pattern(&ty, true, None, &mut vars);
            if vars.is_empty() && self.choices.percent(30) {
                // No alternative binds anything.
                pattern = format!("{pattern} | [_, 7, ..]");
            }
            arms.push((pattern, vars));
        }
        let mut vars = Vec::new();
        arms.push((self.array_pattern(&ty, false, None, &mut vars), vars));
        (value, arms)
    }

    fn element_and_len(&mut self) -> (Ty, usize) {
        match self.choices.below(5) {
            0 => (Ty::Int("i32"), 4),
            1 => (Ty::Int("u16"), 5),
            2 => (Ty::Int("i16"), 3),
            3 => (Ty::Int("i64"), 3),
            _ => (Ty::Int(self.choices.one(&INTS)), 2 + self.choices.below(3)),
        }
    }

    /// A pattern for an array of integers. What it binds are references, mutable or not, if `by_reference`
    /// says so.
    fn array_pattern(
        &mut self,
        ty: &Ty,
        refutable: bool,
        by_reference: Option<bool>,
        vars: &mut Vec<Var>,
    ) -> String {
        let Ty::Array(of, len) = ty else { unreachable!("arrays have such patterns") };
        let count = self.choices.below(len + 1);
        let mut parts = Vec::new();
        for _ in 0..count {
            let choice = self.choices.below(if refutable { 7 } else { 4 });
            let name = self.own_name("b");
            let mut bind = |mutable| {
                let name = if by_reference.is_some() { format!("(*{name})") } else { name.clone() };
                vars.push(Var { name, ty: (**of).clone(), mutable });
            };
            parts.push(match choice {
                0 | 1 => {
                    bind(by_reference == Some(true));
                    name
                }
                2 if by_reference.is_none() => {
                    bind(true);
                    format!("mut {name}")
                }
                2 | 3 => "_".into(),
                4 => self.choices.below(9).to_string(),
                5 => "0..=20".into(),
                _ => {
                    bind(false);
                    format!("{name} @ (1 | 3..)")
                }
            });
        }
        if count < *len || self.choices.percent(20) {
            parts.push("..".into());
        }
        format!("[{}]", parts.join(", "))
    }
}
