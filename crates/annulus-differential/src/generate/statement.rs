//! Statements.

use super::{
    Around, Surrounding, Ty, Var, Writer,
    types::{INTS, int},
};

/// How many loops may be around a place.
pub(super) const MOST_LOOPS: usize = 3;

impl Writer<'_> {
    /// The handler's body.
    pub(super) fn body(&mut self) {
        self.work();
        self.line("Ok(())");
    }

    /// Statements, and a send behind them.
    pub(super) fn work(&mut self) {
        let count = 2 + self.choices.below(9);
        self.statements(count);
        self.fuel = self.fuel.max(20);
        self.send();
        for _ in 1..self.outboxes.len() {
            if self.choices.percent(40) {
                self.send();
            }
        }
    }

    /// Up to `most` statements.
    pub(super) fn statements(&mut self, most: usize) {
        for _ in 0..most {
            if self.fuel <= 0 {
                return;
            }
            let part = self.choices.begin();
            self.statement();
            self.choices.end(part);
        }
    }

    fn statement(&mut self) {
        self.fuel -= 1;
        // The others are few, and their seeds were chosen.
        let plain = self.together.is_none() && self.way.is_none();
        let choice = self.choices.below(if plain { 44 } else { 40 });
        // Loops in loops in loops take long.
        if matches!(choice, 12..=14 | 20..=22 | 39 | 40) && self.loops.len() >= MOST_LOOPS {
            return self.assign();
        }
        match choice {
            0..=4 => self.declare(),
            5..=8 => self.assign(),
            9 => self.compound(),
            10 | 11 => {
                let condition = self.expression(&Ty::Bool);
                let yes = self.lines();
                if self.choices.percent(50) {
                    let no = self.lines();
                    self.line(&format!("if {condition} {yes} else {no}"));
                } else {
                    self.line(&format!("if {condition} {yes}"));
                }
            }
            12 | 13 => self.counted(),
            14 => self.while_loop(),
            15 | 16 => {
                let (matched, arms) = self.arms(&mut Self::lines);
                self.line(&format!("match {matched} {arms}"));
            }
            17 => self.reference(),
            18 if self.output.is_none() && self.together.is_none() => self.send(),
            20..=22 => self.elements(),
            23 => self.part_of_list(),
            24 => self.labelled(),
            25 | 26 => self.if_let(),
            27 if self.may_end() => self.let_else(),
            28 if self.may_end() => self.question(),
            27 | 28 => self.if_let(),
            29 => self.assertion(),
            30 | 31 => self.effect(),
            32..=35 => self.share(),
            36..=38 => self.array_let(),
            39 => self.rows(),
            40 => self.moved_slice(),
            41 | 42 => self.slice_match(),
            43 => self.bounded_list(),
            _ => self.leave(),
        }
    }

    /// `{ statements }`.
    pub(super) fn lines(&mut self) -> String {
        let most = 1 + self.choices.below(3);
        self.block(|writer| writer.statements(most))
    }

    /// What tuples, options and functions have.
    pub(super) fn inner(&mut self) -> Ty {
        match self.choices.below(8) {
            0..=4 => Ty::Int(self.choices.one(&INTS)),
            5 => Ty::Bool,
            6 => Ty::Float("f32"),
            _ => Ty::Named("Pair"),
        }
    }

    pub(super) fn any(&mut self) -> Ty {
        if let Some(ty) = self.type_of_ways() {
            return ty;
        }
        match self.choices.below(17) {
            0..=5 => Ty::Int(self.choices.one(&INTS)),
            12 => Ty::Tuple(vec![Ty::Int(self.choices.one(&INTS)), Ty::Bool]),
            13 => Ty::Tuple((0..3).map(|_| self.inner()).collect()),
            14 | 15 => Ty::option(self.inner()),
            16 => Ty::Result(Box::new(self.inner())),
            6 => Ty::Bool,
            7 => Ty::Float("f32"),
            8 => Ty::Float("f64"),
            9 => Ty::Array(Box::new(Ty::Int(self.choices.one(&INTS))), 2 + self.choices.below(3)),
            _ => Ty::Named(self.choices.one(&["Pair", "Mixed", "Kind", "Shape"])),
        }
    }

    fn declare(&mut self) {
        let ty = self.any();
        let value = self.expression(&ty);
        let (name, mutable) = (self.name(), self.choices.percent(60));
        let annotation = if self.choices.percent(30) || ty.is_cases() {
            format!(": {}", ty.name())
        } else {
            String::new()
        };
        let keyword = if mutable { "let mut" } else { "let" };
        self.line(&format!("{keyword} {name}{annotation} = {value};"));
        if self.choices.percent(50) {
            self.keep(&name, &ty);
        }
        self.vars.push(Var { name, ty, mutable });
    }

    /// Lets the state tell a value that else might make no difference; says whether it can.
    pub(super) fn keep(&mut self, value: &str, ty: &Ty) -> bool {
        let is_number = matches!(ty, Ty::Int(_) | Ty::Float(_) | Ty::Bool);
        let roots = self.borrowed.iter().chain(&self.lent);
        if !is_number || self.output.is_some() || self.frozen || roots.into_iter().any(|root| root == "state")
        {
            return false;
        }
        self.line(&format!("state.wide = state.wide.rotate_left(5) ^ ({value} as i64);"));
        true
    }

    pub(super) fn assign(&mut self) {
        let ty = self.any();
        let value = self.expression(&ty);
        match self.place(&ty, true) {
            Some(place) => self.line(&format!("{place} = {value};")),
            None if self.keep(&value, &ty) => {}
            None => self.line(&format!("let _: {} = {value};", ty.name())),
        }
    }

    /// A check that rarely fails.
    fn assertion(&mut self) {
        let (first, second) = (self.expression(&Ty::Bool), self.expression(&Ty::Bool));
        let third = self.expression(&Ty::Int("u32"));
        self.line(&format!("assert!({first} || {second} || {third} != 7u32);"));
    }

    fn compound(&mut self) {
        let float = self.choices.percent(20);
        let ty = if float { Ty::Float("f32") } else { Ty::Int(self.choices.one(&INTS)) };
        let value = self.expression(&ty);
        let Some(place) = self.place(&ty, true) else { return self.line(&format!("let _ = {value};")) };
        let operator = if float {
            self.choices.one(&["+=", "-=", "*=", "/="])
        } else {
            self.choices.one(&["+=", "-=", "*=", "^=", "|=", "&="])
        };
        self.line(&format!("{place} {operator} {value};"));
    }

    pub(super) fn send(&mut self) {
        // A handler with one has nothing to choose.
        let (outbox, sent) = match self.outboxes {
            [one] => *one,
            several => self.choices.one(several),
        };
        if self.send_by_way(outbox, sent) {
            return;
        }
        let output = self.structure(sent);
        self.line(&format!("{outbox}.send{output};"));
    }

    /// `for` over a range that is short.
    fn counted(&mut self) {
        let name = self.choices.one(&INTS);
        let (turns, ty) = (self.choices.below(5), Ty::Int(name));
        let (_, signed) = int(name);
        let range = match self.choices.below(5) {
            0 | 1 => format!("0..{turns}{name}"),
            2 => format!("(0..={turns}{name}).rev()"),
            3 if signed => format!("-{turns}..{}{name}", self.choices.below(3)),
            3 => format!("{name}::MAX - {turns}..{name}::MAX"),
            _ => format!("(1..{}{name}).step_by({})", turns * 3 + 2, 1 + self.choices.below(4)),
        };
        let variable = self.name();
        let most = 1 + self.choices.below(3);
        let (lines, label) = self.around(Around::Plain, |writer| {
            writer.block(|writer| {
                writer.vars.push(Var { name: variable.clone(), ty, mutable: false });
                writer.statements(most);
            })
        });
        self.line(&format!("{label}for {variable} in {range} {lines}"));
    }

    fn while_loop(&mut self) {
        let turns = self.choices.below(5);
        let counter = format!("w{}", self.names);
        self.names += 1;
        let condition = if self.choices.percent(50) {
            let (condition, _) = self.around(Around::Condition, |writer| writer.expression(&Ty::Bool));
            format!(" && {condition}")
        } else {
            String::new()
        };
        self.line(&format!("let mut {counter} = 0i16;"));
        let most = 1 + self.choices.below(3);
        let (lines, label) = self.around(Around::Plain, |writer| {
            writer.block(|writer| {
                writer.line(&format!("{counter} += 1;"));
                writer.statements(most);
            })
        });
        self.line(&format!("{label}while {counter} < {turns}{condition} {lines}"));
    }

    /// Whether the handler may end here. Where one thread of a block does, the message nearly always fails: that
    /// is rare.
    fn may_end(&mut self) -> bool {
        self.together.is_none() || self.output.is_some() || self.choices.percent(8)
    }

    /// A way out: of a loop or a block, of a turn, or of the handler.
    fn leave(&mut self) {
        if self.loops.is_empty() && !self.may_end() {
            return self.assign();
        }
        let condition = self.expression(&Ty::Bool);
        let way = self.way_out();
        self.line(&format!("if {condition} {{ {way}; }}"));
    }

    pub(super) fn way_out(&mut self) -> String {
        // A thread that returns alone fails its block: that is rare.
        let stays = self.together.is_some() && self.output.is_none() && !self.loops.is_empty();
        let choice = self.choices.below(if stays { 3 } else { 4 });
        // What decides a loop's end is no place to leave those around it.
        let first = self.loops.iter().rposition(|outer| matches!(outer.around, Around::Condition));
        let (first, end) = (first.map_or(0, |at| at + 1), self.loops.len());
        if choice < 3 && first < end {
            let at = end - 1 - self.choices.below(end - first);
            let Surrounding { around, label, .. } = self.loops[at].clone();
            let is_block = matches!(around, Around::Block(_));
            let labelled = is_block || at + 1 < end || self.choices.percent(30);
            self.loops[at].used |= labelled;
            let label = if labelled { format!(" {label}") } else { String::new() };
            return match around {
                Around::Value(ty) | Around::Block(Some(ty)) if choice < 2 || is_block => {
                    format!("break{label} {}", self.expression(&ty))
                }
                Around::Block(_) | Around::Plain if choice < 2 || is_block => format!("break{label}"),
                _ => format!("continue{label}"),
            };
        }
        match self.output.clone() {
            Some(output) => format!("return {}", self.expression(&output)),
            None if choice == 3 => format!("return Err(Failure::of({}))", 1 + self.choices.below(9)),
            None => "return Ok(())".to_owned(),
        }
    }

    /// What is matched, and arms whose bodies `body` writes.
    pub(super) fn arms(&mut self, body: &mut dyn FnMut(&mut Self) -> String) -> (String, String) {
        let mut arms: Vec<(String, Vec<Var>)> = Vec::new();
        let var = |name: &str, ty| Var { name: name.into(), ty, mutable: false };
        let matched = match self.choices.below(6) {
            3 => {
                let (value, more) = self.option_arms();
                arms = more;
                value
            }
            4 => {
                let (value, more) = self.tuple_arms();
                arms = more;
                value
            }
            5 => {
                let (value, more) = self.array_arms();
                arms = more;
                value
            }
            0 => {
                let name = self.choices.one(&INTS);
                let value = self.expression(&Ty::Int(name));
                let (low, high) = (self.choices.below(5), 5 + self.choices.below(9));
                arms.push((low.to_string(), Vec::new()));
                arms.push((format!("{}..={high}", low + 1), Vec::new()));
                if self.choices.percent(50) {
                    let bound = format!("m{}", self.names);
                    self.names += 1;
                    let guard = {
                        self.vars.push(var(&bound, Ty::Int(name)));
                        let frozen = std::mem::replace(&mut self.frozen, true);
                        let guard = self.expression(&Ty::Bool);
                        self.frozen = frozen;
                        self.vars.pop();
                        guard
                    };
                    arms.push((format!("{bound} if {guard}"), vec![var(&bound, Ty::Int(name))]));
                }
                arms.push(("_".into(), Vec::new()));
                value
            }
            1 => {
                let value = self.expression(&Ty::Named("Kind"));
                arms.push(("Kind::Green".into(), Vec::new()));
                if self.choices.percent(50) {
                    arms.push(("Kind::Red | Kind::Blue".into(), Vec::new()));
                } else {
                    arms.push(("_".into(), Vec::new()));
                }
                value
            }
            _ => {
                let value = self.expression(&Ty::Named("Shape"));
                let (dot, w, pair) =
                    (format!("d{}", self.names), format!("e{}", self.names), format!("p{}", self.names));
                self.names += 1;
                arms.push((format!("Shape::Dot({dot})"), vec![var(&dot, Ty::Int("i32"))]));
                if self.choices.percent(50) {
                    let low = self.choices.below(200);
                    arms.push((
                        format!("Shape::Frame {{ w: {w} @ {low}.., .. }}"),
                        vec![var(&w, Ty::Int("u8"))],
                    ));
                    arms.push(("_".into(), Vec::new()));
                } else {
                    arms.push((
                        format!("Shape::Frame {{ pair: {pair}, .. }}"),
                        vec![var(&pair, Ty::Named("Pair"))],
                    ));
                    arms.push(("Shape::Empty".into(), Vec::new()));
                }
                value
            }
        };
        let mut text = String::from("{\n");
        let indent = "    ".repeat(self.indent + 1);
        for (pattern, vars) in arms {
            let before = self.vars.len();
            self.vars.extend(vars);
            self.indent += 1;
            let body = body(self);
            self.indent -= 1;
            self.vars.truncate(before);
            text.push_str(&format!("{indent}{pattern} => {body}\n"));
        }
        text.push_str(&format!("{}}}", "    ".repeat(self.indent)));
        (matched, text)
    }
}
