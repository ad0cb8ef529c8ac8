//! Options and results: what gives them, and what takes them apart.

use super::{Around, Ty, Var, Writer, types::INTS};

impl Writer<'_> {
    /// An option, whose type says itself.
    pub(super) fn known_option(&mut self, of: &Ty) -> String {
        let choice = self.choices.below(9);
        if choice == 0
            && let Some(place) = self.place(&Ty::option(of.clone()), false)
        {
            return place;
        }
        if let (8, Ty::Int(name)) = (choice, of)
            && let Some(option) = self.atomic_option(name)
        {
            return option;
        }
        if let (Ty::Int(name), 1..=6) = (of, choice) {
            return match choice {
                1 | 2 => self.checked(name),
                3 => {
                    let Some(list) = self.list(Some(of), false) else { return self.checked(name) };
                    let path = &list.path;
                    match self.choices.below(6) {
                        0 => format!("{path}.first().copied()"),
                        1 => format!("{path}.last().copied()"),
                        2 => {
                            let (least, more) = (self.literal(of), self.literal(of));
                            format!(
                                "{path}.iter().filter(|item| **item > {least}).map(|item| item.wrapping_add({more})).max()"
                            )
                        }
                        3 => format!("{path}.iter().copied().find(|item| *item != {})", self.literal(of)),
                        _ => {
                            let index = self.lending(&list.root, false, |writer| writer.index(list.len + 1));
                            format!("{path}.get({index}).copied()")
                        }
                    }
                }
                4 if self.choices.percent(50) => {
                    let (option, value) = (self.known_option(of), self.literal(of));
                    match self.choices.below(3) {
                        0 => format!("({option}).map(|item| item.wrapping_mul({value}))"),
                        1 => format!("({option}).filter(|item| *item != {value})"),
                        _ => format!("({option}).and_then(|item| item.checked_sub({value}))"),
                    }
                }
                4 => {
                    let (a, b) = (self.known_option(of), self.expression(&Ty::option(of.clone())));
                    format!("({a}).or({b})")
                }
                5 => format!("({}).ok()", self.known_result(of)),
                _ => self.then_some(of),
            };
        }
        self.then_some(of)
    }

    fn then_some(&mut self, of: &Ty) -> String {
        let (condition, value) = (self.expression(&Ty::Bool), self.expression(of));
        format!("({condition}).then_some({value})")
    }

    fn checked(&mut self, name: &'static str) -> String {
        let ty = &Ty::Int(name);
        let value = self.expression(ty);
        match self.choices.below(6) {
            0..=3 => {
                const METHODS: [&str; 5] =
                    ["checked_add", "checked_sub", "checked_mul", "checked_div", "checked_rem"];
                let (method, other) = (self.choices.one(&METHODS), self.expression(ty));
                format!("({value}).{method}({other})")
            }
            4 => format!("({value}).checked_neg()"),
            _ => {
                let method = self.choices.one(&["checked_shl", "checked_shr", "checked_pow"]);
                format!("({value}).{method}({} & 63)", self.expression(&Ty::Int("u32")))
            }
        }
    }

    /// A result, whose type says itself.
    pub(super) fn known_result(&mut self, of: &Ty) -> String {
        if self.choices.percent(40)
            && let Some(place) = self.place(&Ty::Result(Box::new(of.clone())), false)
        {
            return place;
        }
        let (option, error) = (self.then_some(of), self.expression(&Ty::Int("u8")));
        format!("({option}).ok_or({error})")
    }

    /// A value out of an option or a result.
    pub(super) fn unwrapped(&mut self, of: &Ty) -> String {
        let cases = if self.choices.percent(30) { self.known_result(of) } else { self.known_option(of) };
        format!("({cases}).unwrap_or({})", self.expression(of))
    }

    /// A question about options, results, and what is made of parts.
    pub(super) fn question_of_cases(&mut self) -> String {
        let of = Ty::Int(self.choices.one(&INTS));
        match self.choices.below(6) {
            0 => format!("({}).{}()", self.known_option(&of), ["is_some", "is_none"][self.choices.below(2)]),
            1 => format!("({}).{}()", self.known_result(&of), ["is_ok", "is_err"][self.choices.below(2)]),
            2 => {
                let pattern = self.choices.one(&["None", "Some(0..=9)", "Some(1 | 3)", "Some(_)"]);
                format!("matches!({}, {pattern})", self.known_option(&of))
            }
            3 => {
                let (a, b) = (self.known_option(&of), self.expression(&Ty::option(of)));
                format!("({a} == {b})")
            }
            4 => {
                let ty = Ty::Tuple(vec![of, Ty::Bool]);
                let (a, b) = (self.expression(&ty), self.expression(&ty));
                format!("({a} != {b})")
            }
            _ => {
                let ty = Ty::Array(Box::new(of), 3);
                let (a, b) = (self.expression(&ty), self.expression(&ty));
                format!("({a} == {b})")
            }
        }
    }

    fn int_or_pair(&mut self) -> Ty {
        if self.choices.percent(20) { Ty::Named("Pair") } else { Ty::Int(self.choices.one(&INTS)) }
    }

    /// What binds what is in an option or a result, if it is there.
    fn bound(&mut self) -> (String, String, Vec<Var>) {
        let of = self.int_or_pair();
        let name = self.own_name("b");
        let var = |name: &str, ty: &Ty| Var { name: name.into(), ty: ty.clone(), mutable: false };
        match (self.choices.below(6), &of) {
            (0..=2, _) => (format!("Some({name})"), self.known_option(&of), vec![var(&name, &of)]),
            (3, _) => (format!("Ok({name})"), self.known_result(&of), vec![var(&name, &of)]),
            (4, _) => (format!("Err({name})"), self.known_result(&of), vec![var(&name, &Ty::Int("u8"))]),
            (_, Ty::Int(_)) => {
                (format!("Some({name} @ 0..=99)"), self.known_option(&of), vec![var(&name, &of)])
            }
            _ => (
                format!("Some(Pair {{ a: {name}, .. }})"),
                self.known_option(&of),
                vec![var(&name, &Ty::Int("i32"))],
            ),
        }
    }

    /// `if let`, alone or beside other conditions, and `while let`.
    pub(super) fn if_let(&mut self) {
        let mark = self.vars.len();
        let mut conditions = Vec::new();
        if self.choices.percent(30) {
            conditions.push(self.expression(&Ty::Bool));
        }
        let (pattern, value, vars) = self.bound();
        conditions.push(format!("let {pattern} = {value}"));
        self.vars.extend(vars);
        if self.choices.percent(30) {
            conditions.push(self.expression(&Ty::Bool));
        }
        let yes = self.lines();
        self.vars.truncate(mark);
        let no = if self.choices.percent(40) { format!(" else {}", self.lines()) } else { String::new() };
        self.line(&format!("if {} {yes}{no}", conditions.join(" && ")));
    }

    pub(super) fn let_else(&mut self) {
        let (pattern, value, vars) = self.bound();
        let mark = (self.fuel, self.depth);
        self.fuel = self.fuel.min(8);
        let lines = self.block(|writer| {
            let way = writer.way_out();
            writer.line(&format!("{way};"));
        });
        self.fuel = mark.0 - 1;
        self.line(&format!("let {pattern} = {value} else {lines};"));
        self.vars.extend(vars);
    }

    /// `?`, where what is around can be left with what it leaves.
    pub(super) fn question(&mut self) {
        let of = self.int_or_pair();
        let option = self.known_option(&of);
        let value = match &self.output {
            None => format!("({option}).ok_or(Failure::of({}))?", 1 + self.choices.below(9)),
            Some(Ty::Option(_)) => format!("({option})?"),
            Some(Ty::Result(_)) => format!("({})?", self.known_result(&of)),
            Some(_) => return self.if_let(),
        };
        let name = self.name();
        self.line(&format!("let {name} = {value};"));
        self.keep(&name, &of);
        self.vars.push(Var { name, ty: of, mutable: false });
    }

    /// Arms for an option.
    pub(super) fn option_arms(&mut self) -> (String, Vec<(String, Vec<Var>)>) {
        let of = Ty::Int(self.choices.one(&INTS));
        let value = self.known_option(&of);
        let (low, bound) = (self.choices.below(9), self.own_name("b"));
        let var = Var { name: bound.clone(), ty: of, mutable: false };
        let mut arms = vec![(format!("Some({low})"), Vec::new())];
        if self.choices.percent(50) {
            arms.push(("None".into(), Vec::new()));
            arms.push((format!("Some({bound})"), vec![var]));
        } else {
            arms.push((format!("Some({bound} @ 10..)"), vec![var]));
            arms.push(("_".into(), Vec::new()));
        }
        (value, arms)
    }

    /// Arms for two values at once.
    pub(super) fn tuple_arms(&mut self) -> (String, Vec<(String, Vec<Var>)>) {
        let of = Ty::Int(self.choices.one(&INTS));
        let value = self.expression(&Ty::Tuple(vec![of.clone(), Ty::Bool]));
        let (low, bound) = (self.choices.below(9), self.own_name("b"));
        let var = |ty| vec![Var { name: bound.clone(), ty, mutable: false }];
        let arms = vec![
            (format!("({low}, {bound})"), var(Ty::Bool)),
            (format!("({bound}, true)"), var(of)),
            ("(0..=5, _)".into(), Vec::new()),
            ("_".into(), Vec::new()),
        ];
        (value, arms)
    }

    /// A block with a label.
    pub(super) fn labelled(&mut self) {
        let (lines, label) = self.around(Around::Block(None), Self::lines);
        self.line(&format!("{label}{lines}"));
    }
}
