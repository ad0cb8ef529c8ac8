//! Expressions.

use super::{
    Around, Ty, Writer,
    statement::MOST_LOOPS,
    types::{INTS, fields, int},
};

const FLOATS: [&str; 2] = ["f32", "f64"];

impl Writer<'_> {
    /// An expression of this type, in parentheses where it needs them.
    pub(super) fn expression(&mut self, ty: &Ty) -> String {
        let part = self.choices.begin();
        let expression = self.expression_part(ty);
        self.choices.end(part);
        expression
    }

    fn expression_part(&mut self, ty: &Ty) -> String {
        self.fuel -= 1;
        if self.fuel <= 0 || self.depth > 4 {
            return self.leaf(ty);
        }
        self.depth += 1;
        let expression = match self.choices.below(10) {
            0..=3 => self.leaf(ty),
            4..=7 => self.operation(ty),
            _ => self.control(ty),
        };
        self.depth -= 1;
        expression
    }

    /// A literal or a place.
    fn leaf(&mut self, ty: &Ty) -> String {
        let literal = self.choices.percent(25);
        if !literal && let Some(place) = self.place(ty, false) {
            return place;
        }
        self.literal(ty)
    }

    pub(super) fn literal(&mut self, ty: &Ty) -> String {
        match ty {
            Ty::Bool => ["false", "true"][self.choices.below(2)].into(),
            Ty::Int(name) => {
                let (bits, signed) = int(name);
                match self.choices.below(8) {
                    0..=3 => format!("{}{name}", self.choices.below(10)),
                    4 => format!("{name}::MAX"),
                    5 => format!("{name}::MIN"),
                    6 if signed => format!("(-{}{name})", 1 + self.choices.below(100)),
                    _ => format!("{}{name}", 1u64 << self.choices.below(bits as usize - 1)),
                }
            }
            Ty::Float(name) => {
                const NUMBERS: [&str; 8] = ["0.0", "1.0", "0.5", "3.25", "1e-3", "7e9", "1e-40", "0.1"];
                const CONSTANTS: [&str; 5] = ["MAX", "MIN_POSITIVE", "INFINITY", "NEG_INFINITY", "NAN"];
                match self.choices.below(10) {
                    0..=5 => format!("{}{name}", self.choices.one(&NUMBERS)),
                    6..=7 => format!("(-{}{name})", self.choices.one(&NUMBERS)),
                    _ => format!("{name}::{}", self.choices.one(&CONSTANTS)),
                }
            }
            Ty::Array(of, len) => {
                if self.choices.percent(40) && self.fuel > 0 {
                    let items: Vec<String> = (0..*len).map(|_| self.expression(of)).collect();
                    format!("[{}]", items.join(", "))
                } else {
                    format!("[{}; {len}]", self.literal(of))
                }
            }
            Ty::Tuple(parts) => {
                let parts: Vec<String> = parts.iter().map(|part| self.expression(part)).collect();
                format!("({})", parts.join(", "))
            }
            Ty::Option(of) => {
                if self.choices.percent(60) {
                    format!("Some({})", self.expression(of))
                } else {
                    "None".into()
                }
            }
            Ty::Result(of) => {
                if self.choices.percent(40) {
                    format!("Err({})", self.expression(&Ty::Int("u8")))
                } else {
                    format!("Ok({})", self.expression(of))
                }
            }
            Ty::Named("Kind") => format!("Kind::{}", self.choices.one(&["Red", "Green", "Blue"])),
            Ty::Named("Shape") => match self.choices.below(3) {
                0 => "Shape::Empty".into(),
                1 => format!("Shape::Dot({})", self.expression(&Ty::Int("i32"))),
                _ => {
                    let (w, h, pair) = (
                        self.expression(&Ty::Int("u8")),
                        self.expression(&Ty::Float("f32")),
                        self.expression(&Ty::Named("Pair")),
                    );
                    format!("(Shape::Frame {{ w: {w}, h: {h}, pair: {pair} }})")
                }
            },
            Ty::Named(name) => self.literal_of_ways(name).unwrap_or_else(|| self.structure(name)),
        }
    }

    /// `Name { field: …, … }`, in parentheses, since conditions do not take it without.
    pub(super) fn structure(&mut self, name: &str) -> String {
        let mut parts: Vec<String> =
            fields(name).iter().map(|(field, ty)| format!("{field}: {}", self.expression(ty))).collect();
        // The order in which they are written is the order of evaluation.
        if self.choices.percent(30) {
            parts.reverse();
        }
        // An expression's type needs no arguments.
        let name = name.split('<').next().unwrap_or(name);
        format!("({name} {{ {} }})", parts.join(", "))
    }

    fn operation(&mut self, ty: &Ty) -> String {
        if self.choices.percent(15)
            && let Some(call) = self.call(ty)
        {
            return call;
        }
        match ty {
            Ty::Bool => self.condition(),
            Ty::Int(name) => self.integer(name),
            Ty::Float(name) => self.float(name),
            Ty::Option(of) => self.known_option(of),
            Ty::Result(of) => self.known_result(of),
            Ty::Tuple(parts) => match parts[..] {
                [Ty::Int(name), Ty::Bool] => self.overflowing(name),
                _ => self.literal(ty),
            },
            _ => self.literal(ty),
        }
    }

    fn integer(&mut self, name: &'static str) -> String {
        let ty = &Ty::Int(name);
        let (bits, signed) = int(name);
        let choice = self.choices.below(23);
        if choice >= 20
            && let Some(value) = self.atomic_value(name)
        {
            return value;
        }
        match choice {
            14 | 15 => self.unwrapped(ty),
            16 => {
                const METHODS: [&str; 3] = ["saturating_add", "saturating_sub", "saturating_mul"];
                let method = self.choices.one(&METHODS);
                let (a, b) = (self.expression(ty), self.expression(ty));
                format!("({a}).{method}({b})")
            }
            17 => format!("{}.0", self.overflowing(name)),
            18 => {
                let method = self.choices.one(&["rotate_left", "rotate_right", "wrapping_pow"]);
                let (a, b) = (self.expression(ty), self.expression(&Ty::Int("u32")));
                format!("({a}).{method}({b})")
            }
            19 if name == "u32" => {
                const METHODS: [&str; 4] = ["count_ones", "leading_zeros", "trailing_zeros", "count_zeros"];
                let (method, of) = (self.choices.one(&METHODS), Ty::Int(self.choices.one(&INTS)));
                format!("({}).{method}()", self.expression(&of))
            }
            19 => {
                let (a, b) = (self.expression(ty), self.expression(ty));
                let method = self.choices.one(&["div_euclid", "rem_euclid"]);
                format!("({a}).{method}({b} | 1)")
            }
            0..=3 => {
                let operator = self.choices.one(&["+", "-", "*", "&", "|", "^"]);
                let (a, b) = (self.expression(ty), self.expression(ty));
                format!("({a} {operator} {b})")
            }
            4 => {
                let operator = self.choices.one(&["/", "%"]);
                let (a, b) = (self.expression(ty), self.expression(ty));
                // Dividing by zero is an error, and a handler that always fails shows nothing.
                if self.choices.percent(10) {
                    format!("({a} {operator} {b})")
                } else {
                    format!("({a} {operator} ({b} | 1))")
                }
            }
            5 => {
                let operator = self.choices.one(&["<<", ">>"]);
                let amount = self.choices.one(&["u32", "u8", "i32", "u64"]);
                let (a, b) = (self.expression(ty), self.expression(&Ty::Int(amount)));
                if self.choices.percent(30) {
                    format!("({a} {operator} {b})")
                } else {
                    format!("({a} {operator} ({b} & {}))", bits - 1)
                }
            }
            6 => format!("(!{})", self.expression(ty)),
            7 if signed => format!("(-{})", self.expression(ty)),
            8 | 9 => {
                const BINARY: [&str; 5] = ["wrapping_add", "wrapping_sub", "wrapping_mul", "min", "max"];
                let method = self.choices.one(&BINARY);
                let (a, b) = (self.expression(ty), self.expression(ty));
                format!("({a}).{method}({b})")
            }
            10 => {
                let method = if signed { "wrapping_abs" } else { "wrapping_neg" };
                format!("({}).{method}()", self.expression(ty))
            }
            11 => {
                let from = if self.choices.percent(70) { self.choices.one(&INTS) } else { "bool" };
                let from = if from == "bool" { Ty::Bool } else { Ty::Int(from) };
                format!("({} as {name})", self.expression(&from))
            }
            12 => format!("({} as {name})", self.float_of_any()),
            _ => {
                let method = self.choices.one(&["wrapping_shl", "wrapping_shr"]);
                let (a, b) = (self.expression(ty), self.expression(&Ty::Int("u32")));
                format!("({a}).{method}({b})")
            }
        }
    }

    /// `(a, overflows)`.
    fn overflowing(&mut self, name: &'static str) -> String {
        const METHODS: [&str; 3] = ["overflowing_add", "overflowing_sub", "overflowing_mul"];
        let (method, ty) = (self.choices.one(&METHODS), Ty::Int(name));
        let (a, b) = (self.expression(&ty), self.expression(&ty));
        format!("({a}).{method}({b})")
    }

    fn float_of_any(&mut self) -> String {
        let name = self.choices.one(&FLOATS);
        self.expression(&Ty::Float(name))
    }

    fn float(&mut self, name: &'static str) -> String {
        let ty = &Ty::Float(name);
        match self.choices.below(13) {
            10 => {
                const UNARY: [&str; 3] = ["fract", "recip", "signum"];
                let method = self.choices.one(&UNARY);
                format!("({}).{method}()", self.expression(ty))
            }
            11 => {
                let (a, b, c) = (self.expression(ty), self.expression(ty), self.expression(ty));
                format!("({a}).mul_add({b}, {c})")
            }
            12 => format!("({}).clamp(-1.5, 2.5)", self.expression(ty)),
            0..=4 => {
                let operator = self.choices.one(&["+", "-", "*", "/", "%"]);
                let (a, b) = (self.expression(ty), self.expression(ty));
                format!("({a} {operator} {b})")
            }
            5 => format!("(-{})", self.expression(ty)),
            6 | 7 => {
                const UNARY: [&str; 6] = ["abs", "sqrt", "floor", "ceil", "trunc", "round"];
                let method = self.choices.one(&UNARY);
                format!("({}).{method}()", self.expression(ty))
            }
            8 => {
                let from = self.choices.one(&INTS);
                format!("({} as {name})", self.expression(&Ty::Int(from)))
            }
            _ => format!("({} as {name})", self.float_of_any()),
        }
    }

    fn condition(&mut self) -> String {
        if let Some(question) = self.question_of_ways() {
            return question;
        }
        match self.choices.below(12) {
            11 => self.atomic_question().unwrap_or_else(|| "true".into()),
            8 | 9 => self.question_of_cases(),
            10 => {
                let value = self.float_of_any();
                format!("({value}).{}()", self.choices.one(&["is_nan", "is_finite", "is_infinite"]))
            }
            0..=3 => {
                let operator = self.choices.one(&["<", "==", "!=", "<=", ">", ">="]);
                let ty = if self.choices.percent(25) {
                    Ty::Float(self.choices.one(&FLOATS))
                } else {
                    Ty::Int(self.choices.one(&INTS))
                };
                let (a, b) = (self.expression(&ty), self.expression(&ty));
                format!("({a} {operator} {b})")
            }
            4 | 5 => {
                let operator = self.choices.one(&["&&", "||", "&", "|", "^"]);
                let (a, b) = (self.expression(&Ty::Bool), self.expression(&Ty::Bool));
                format!("({a} {operator} {b})")
            }
            6 => format!("(!{})", self.expression(&Ty::Bool)),
            _ => {
                let pattern =
                    self.choices.one(&["Shape::Empty", "Shape::Dot(0..)", "Shape::Frame { w: 1..=9, .. }"]);
                match self.place(&Ty::Named("Shape"), false) {
                    Some(place) => format!("matches!({place}, {pattern})"),
                    None => "true".into(),
                }
            }
        }
    }

    /// A value that branches, blocks or loops give.
    fn control(&mut self, ty: &Ty) -> String {
        match self.choices.below(9) {
            8 => self.labelled_value(ty),
            0..=2 => {
                let condition = self.expression(&Ty::Bool);
                let yes = self.value_block(ty);
                let no = self.value_block(ty);
                format!("(if {condition} {yes} else {no})")
            }
            3 | 4 => format!("({})", self.value_block(ty)),
            5 | 6 => {
                let (matched, arms) = self.arms(&mut |writer| writer.value_block(ty));
                format!("(match {matched} {arms})")
            }
            _ if self.loops.len() >= MOST_LOOPS => self.literal(ty),
            _ => {
                let ends = 1 + self.choices.below(4);
                let counter = format!("w{}", self.names);
                self.names += 1;
                // To go on from there would be to go on for ever.
                let (last, _) = self.around(Around::Condition, |writer| writer.expression(ty));
                let (turns, label) = self.around(Around::Value(ty.clone()), |writer| {
                    writer.block(|writer| {
                        writer.line(&format!("if {counter} == {ends} {{ break {last}; }}"));
                        writer.line(&format!("{counter} += 1;"));
                        writer.statements(2);
                    })
                });
                format!("({{ let mut {counter} = 0u8; {label}loop {turns} }})")
            }
        }
    }

    /// `{ statements; value }`.
    pub(super) fn value_block(&mut self, ty: &Ty) -> String {
        self.block(|writer| {
            let most = writer.choices.below(3);
            writer.statements(most);
            let value = writer.expression(ty);
            writer.line(&value);
        })
    }
}
