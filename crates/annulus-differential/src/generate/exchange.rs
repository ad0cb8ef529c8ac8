//! What the threads of a block give each other: by warps, by reductions and scans, and by memory.

use super::{
    Ty, Var, Writer,
    shared::TABLES,
    types::{INTS, int},
};

/// Closures that combine two integers. Most of them give another result in another order.
const OF_INTEGERS: [&str; 9] = [
    "a.wrapping_add(b)",
    "a ^ b",
    "a.max(b)",
    "a.wrapping_sub(b)",
    "a.rotate_left(3) ^ b",
    "a.wrapping_mul(b | 1)",
    "if b < a { b } else { a }",
    // These may fail.
    "a / (b | 1)",
    "a + b / 2",
];

/// Of two floats, of which sums and differences depend on the order.
const OF_FLOATS: [&str; 4] = ["a + b", "a - b * 0.5", "if b < a { b } else { a }", "a * 0.75 + b"];

impl Writer<'_> {
    /// A number's type.
    fn number(&mut self) -> Ty {
        match self.choices.below(10) {
            0..=6 => Ty::Int(self.choices.one(&INTS)),
            7 | 8 => Ty::Float("f32"),
            _ => Ty::Float("f64"),
        }
    }

    /// A closure that combines two of these.
    fn combining(&mut self, ty: &Ty) -> String {
        match ty {
            Ty::Int(name) => {
                let body = if self.choices.percent(15) {
                    format!("a.wrapping_add(b) ^ (message.d as {name})")
                } else {
                    self.choices.one(&OF_INTEGERS).into()
                };
                // What is negative is odd only with its sign.
                let (_, signed) = int(name);
                let body = if signed { body.replace("a / (b | 1)", "a / (b & 3 | 1)") } else { body };
                format!("|a, b| {body}")
            }
            _ => format!("|a, b| {}", self.choices.one(&OF_FLOATS)),
        }
    }

    /// What a thread has got, and that the answer depends on it.
    fn got(&mut self, value: &str, ty: &Ty) {
        let name = self.own_name("g");
        self.line(&format!("let {name}: {} = {value};", ty.name()));
        self.fold(&name, ty);
        self.vars.push(Var { name, ty: ty.clone(), mutable: false });
    }

    /// Lets the state depend on a value.
    fn fold(&mut self, name: &str, ty: &Ty) {
        let told = match ty {
            Ty::Float(_) => format!("told({name} as f64)"),
            _ => format!("({name} as i64)"),
        };
        self.line(&format!("state.wide = state.wide.rotate_left(5) ^ {told};"));
    }

    /// Shuffles, votes, reductions and scans.
    pub(super) fn exchange(&mut self) {
        let ty = self.number();
        match self.choices.below(12) {
            0..=4 => {
                let shuffle = self.choices.one(&["shuffle", "shuffle_up", "shuffle_down", "shuffle_xor"]);
                let value = self.expression(&ty);
                let by = match self.choices.below(3) {
                    0 => self.choices.below(33).to_string(),
                    1 => "lane / 2".into(),
                    _ => self.expression(&Ty::Int("u32")),
                };
                self.got(&format!("cx.{shuffle}({value}, {by})"), &ty);
            }
            5 => {
                let answer = self.expression(&Ty::Bool);
                self.got(&format!("cx.ballot({answer})"), &Ty::Int("u32"));
            }
            6 => {
                let vote = self.choices.one(&["any", "all"]);
                let answer = self.expression(&Ty::Bool);
                self.got(&format!("cx.{vote}({answer})"), &Ty::Bool);
            }
            7 | 8 => {
                let (value, combining) = (self.expression(&ty), self.combining(&ty));
                self.got(&format!("cx.warp_reduce({value}, {combining})"), &ty);
            }
            9 => {
                let (value, combining) = (self.expression(&ty), self.combining(&ty));
                let name = self.own_name("u");
                self.line(&format!("let {name}: {} = cx.block_reduce({value}, {combining});", ty.name()));
                self.met();
                self.fold(&name, &ty);
                self.uniform(&name, ty);
            }
            10 => {
                let (value, combining) = (self.expression(&ty), self.combining(&ty));
                self.got(&format!("cx.block_scan({value}, {combining})"), &ty);
                self.met();
            }
            _ => {
                let (value, first) = (self.expression(&ty), self.expression(&ty));
                let combining = self.combining(&ty);
                self.got(&format!("cx.block_scan_exclusive({value}, {first}, {combining})"), &ty);
                self.met();
            }
        }
    }

    /// Each thread writes a cell of its own; then it reads others'.
    pub(super) fn by_memory(&mut self) {
        let count = self.team().arrays.len();
        let at = self.choices.below(count);
        let mut array = self.team().arrays[at].clone();
        let threads = self.team().threads as usize;
        let choice = self.choices.below(6);
        if choice > 0 {
            if array.uses.read || array.uses.written {
                self.barrier();
            }
            let cell = match choice {
                1..=3 => "me as usize".into(),
                4 => format!("{} - me as usize", threads - 1),
                _ => format!("(me as usize + {}) % {threads}", self.choices.below(threads)),
            };
            let value = self.expression(&array.of);
            self.line(&format!("{}.set({cell}, {value});", array.name));
            array = self.team().arrays[at].clone();
            array.uses.written = true;
            if choice == 1 && self.choices.percent(50) {
                // A neighbour in the same warp.
                let other = self.own_name("o");
                let mask = 1 + self.choices.below(31);
                self.line("cx.warp_barrier();");
                self.line(&format!("let {other} = me ^ {mask};"));
                let cell = format!("(if {other} < dim {{ {other} }} else {{ me }}) as usize");
                array.uses.read = true;
                self.team().arrays[at] = array.clone();
                return self.got(&format!("{}.get({cell})", array.name), &array.of);
            }
            self.team().arrays[at] = array.clone();
            if self.choices.percent(25) {
                return;
            }
        }
        if array.uses.written {
            self.barrier();
        }
        for _ in 0..1 + self.choices.below(2) {
            let cell = match self.choices.below(4) {
                0 => format!("(me as usize + {}) % {threads}", self.choices.below(threads)),
                1 => format!("(me as usize * 5 + 3) % {}", array.len),
                _ => self.index(array.len),
            };
            self.team().arrays[at].uses.read = true;
            self.got(&format!("{}.get({cell})", array.name), &array.of);
        }
    }

    /// The state in the block's memory: the leader sets it, and all read it.
    pub(super) fn by_state(&mut self) {
        if self.choices.percent(60) {
            let held = self.team().held;
            if held.read || held.written {
                self.barrier();
            }
            self.line("if cx.is_leader() { held.set(state); }");
            self.team().held.written = true;
        }
        if self.team().held.written {
            self.barrier();
        }
        self.line("state.x = held.get().x;");
        self.line("state.list = held.get().list;");
        self.team().held.read = true;
    }

    /// All threads change a table in a way that any order makes the same of.
    pub(super) fn by_atomics(&mut self) {
        let which = self.choices.below(TABLES.len());
        let (table, _, of) = TABLES[which];
        let change = ["fetch_add", "fetch_max", "fetch_xor", "fetch_add"][which];
        let (value, at) = (self.expression(&Ty::Int(of)), self.index(super::ELEMENTS));
        self.line(&format!("{table}[{at}].{change}({value}, Ordering::Relaxed);"));
    }
}
