//! Handlers that a whole block runs: the frame, through which all threads go in the same way.
//!
//! They have no races by construction: a thread writes a cell of its own, and what others read has a barrier
//! before and behind it ([`Together`] knows whether one is needed). Conditions and loops around what the
//! threads do together depend on what is the same in all threads. Rarely a handler tears its block, in a
//! way of which the outcome is known: some threads miss a barrier, fail or return, or do what only the leader
//! may.

use super::{Choices, Ty, Var, Writer, shared::TABLES, types::INTS};

/// How many threads a block may have: parts of a warp, whole warps, and both.
const THREADS: [u32; 6] = [4, 40, 32, 64, 33, 96];

/// How many elements there are of what a kernel keeps for its block: more than threads.
pub const KEPT: usize = 136;

/// What is known of a block.
pub(super) struct Together {
    pub(super) threads: u32,
    pub(super) arrays: Vec<Array>,
    /// The state in the block's memory, as an array of one.
    pub(super) held: Uses,
    /// What is the same in all threads.
    pub(super) uniforms: Vec<Var>,
    /// How many conditions and loops of the frame are around this place.
    depth: u32,
    /// How many parts of the frame may follow.
    steps: i32,
}

/// What the threads have done with shared memory since they met last, or may have.
#[derive(Clone, Copy, Default)]
pub(super) struct Uses {
    pub(super) written: bool,
    /// By others than whoever writes it.
    pub(super) read: bool,
}

/// An array that the threads share.
#[derive(Clone)]
pub(super) struct Array {
    pub(super) name: String,
    pub(super) of: Ty,
    pub(super) len: usize,
    pub(super) uses: Uses,
}

/// The source of a handler of this name that a whole block runs, of the functions that it calls, and how many
/// threads the block has.
pub fn block_handler(name: &str, choices: &mut Choices) -> (String, u32) {
    let threads = choices.one(&THREADS);
    let mut writer = Writer::new(choices);
    writer.shared.clear();
    writer.vars.truncate(1);
    let message = writer.vars[0].clone();
    writer.together = Some(Together {
        threads,
        arrays: Vec::new(),
        held: Uses { written: false, read: true },
        uniforms: vec![message],
        depth: 0,
        steps: 0,
    });
    let functions =
        if writer.choices.percent(40) { writer.function(format!("{name}_f0")) } else { String::new() };
    writer.block_body();
    let mut tables: String =
        TABLES.iter().map(|(name, atomic, _)| format!("    {name}: &[{atomic}],\n")).collect();
    let mut of_message = "In";
    if let Some(kept) = writer.team().arrays.first().filter(|array| array.name == "kept") {
        of_message = "Unkeyed";
        tables += &format!("    kept: &Block<[{}]>,\n", kept.of.name());
    }
    let body = writer.text;
    let source = format!(
        "{functions}#[ring_kernel(max_outputs = 6)]
pub fn {name}(
    cx: &BlockCx,
    message: &{of_message},
    held: &Block<State>,
{tables}    out: &Outbox<Out>,
) -> Result<(), Failure> {{\n{body}}}\n"
    );
    (source, threads)
}

impl Writer<'_> {
    pub(super) fn team(&mut self) -> &mut Together {
        self.together.as_mut().expect("a whole block runs the handler")
    }

    /// A variable that is the same in all threads.
    pub(super) fn uniform(&mut self, name: &str, ty: Ty) {
        let var = Var { name: name.into(), ty, mutable: false };
        self.team().uniforms.push(var.clone());
        self.vars.push(var);
    }

    fn block_body(&mut self) {
        self.line("let me = cx.thread_index();");
        self.line("let lane = cx.lane();");
        self.line("let dim = cx.block_dim();");
        self.line("let mut state = held.get();");
        let u32_of = |name: &str| Var { name: name.into(), ty: Ty::Int("u32"), mutable: false };
        self.vars.extend([u32_of("me"), u32_of("lane")]);
        self.vars.push(Var { name: "state".into(), ty: Ty::Named("State"), mutable: true });
        self.uniform("dim", Ty::Int("u32"));
        for _ in 0..1 + self.choices.below(3) {
            let of = if self.choices.percent(30) {
                Ty::Float(self.choices.one(&["f32", "f64"]))
            } else {
                Ty::Int(self.choices.one(&INTS))
            };
            let longer = self.choices.below(2);
            // The first one may be the kernel's, which keeps it. Its bytes are compared, so they are no floats.
            if longer == 1 && matches!(of, Ty::Int(_)) && self.team().arrays.is_empty() {
                self.team().arrays.push(Array { name: "kept".into(), of, len: KEPT, uses: Uses::default() });
                continue;
            }
            let name = self.own_name("s");
            let len = self.team().threads as usize + longer * 40;
            self.line(&format!("let {name} = cx.shared::<{}, {len}>();", of.name()));
            self.team().arrays.push(Array { name, of, len, uses: Uses::default() });
        }
        self.team().steps = 12;
        let count = 3 + self.choices.below(6);
        self.steps(count);
        // What any thread has found is in the answer.
        self.line("let all = cx.block_reduce(state.wide, |a, b| a.rotate_left(7) ^ b);");
        self.met();
        self.uniform("all", Ty::Int("i64"));
        self.fuel = 12;
        let send = self.block(|writer| {
            writer.line("state.wide = all;");
            writer.line("held.set(state);");
            writer.send();
        });
        self.line(&format!("if cx.is_leader() {send}"));
        self.line("Ok(())");
    }

    /// All threads have come to a barrier of the block.
    pub(super) fn met(&mut self) {
        let team = self.team();
        team.held = Uses::default();
        for array in &mut team.arrays {
            array.uses = Uses::default();
        }
    }

    pub(super) fn barrier(&mut self) {
        self.line("cx.barrier();");
        self.met();
    }

    /// Up to `most` parts of the frame.
    fn steps(&mut self, most: usize) {
        for _ in 0..most {
            if self.team().steps <= 0 {
                return;
            }
            let part = self.choices.begin();
            self.step();
            self.choices.end(part);
        }
    }

    fn step(&mut self) {
        self.team().steps -= 1;
        self.fuel = 9;
        let choice = self.choices.below(24);
        if matches!(choice, 16..=21) && self.team().depth >= 2 {
            return self.exchange();
        }
        match choice {
            0..=3 => {
                let most = 1 + self.choices.below(3);
                self.statements(most);
            }
            4..=9 => self.exchange(),
            10..=13 => self.by_memory(),
            14 => self.by_state(),
            15 => self.by_atomics(),
            16..=18 => self.all_or_none(),
            19..=21 => self.turns(),
            22 => self.same(),
            _ => self.torn(),
        }
    }

    /// A condition around parts of the frame, and whether the text alone says that it is the same in all threads.
    /// Else devices compare it, and so see there who has failed before: of failures before it and behind it, with
    /// no barrier in between, they tell another one than the CPU, which sees all at the next barrier. So there is
    /// a barrier: before a condition, or where its branches begin and behind it.
    fn condition_of_all(&mut self) -> (String, bool) {
        if self.choices.percent(50) { (self.same_in_all(&Ty::Bool), false) } else { (self.plain(), true) }
    }

    /// An expression that is the same in all threads.
    pub(super) fn same_in_all(&mut self, ty: &Ty) -> String {
        let uniforms = self.team().uniforms.clone();
        let vars = std::mem::replace(&mut self.vars, uniforms);
        let slices = std::mem::take(&mut self.slices);
        let frozen = std::mem::replace(&mut self.frozen, true);
        let expression = self.expression(ty);
        (self.vars, self.slices, self.frozen) = (vars, slices, frozen);
        expression
    }

    /// A condition that depends on the message and constants alone, and cannot fail.
    fn plain(&mut self) -> String {
        let number = self.choices.below(9);
        match self.choices.below(5) {
            0 => "message.on".into(),
            1 => "message.d % 2 == 0".into(),
            2 => "message.mixed.flag && message.f > 3".into(),
            3 => "dim > 32".into(),
            _ => format!("message.b < {number}"),
        }
    }

    /// A block of the frame, which begins with a barrier or does not.
    fn frame(&mut self, most: usize, meets: bool) -> String {
        let uniforms = self.team().uniforms.len();
        self.team().depth += 1;
        let text = self.block(|writer| {
            if meets {
                writer.barrier();
            }
            writer.steps(most);
        });
        self.team().depth -= 1;
        self.team().uniforms.truncate(uniforms);
        text
    }

    fn uses(&mut self) -> Vec<Uses> {
        let team = self.team();
        team.arrays.iter().map(|array| array.uses).chain([team.held]).collect()
    }

    /// What may have been done: by what came last, or by this.
    fn or_used(&mut self, before: &[Uses]) {
        let team = self.team();
        let all = team.arrays.iter_mut().map(|array| &mut array.uses).chain([&mut team.held]);
        for (uses, before) in all.zip(before) {
            uses.written |= before.written;
            uses.read |= before.read;
        }
    }

    fn set_uses(&mut self, to: &[Uses]) {
        let team = self.team();
        let all = team.arrays.iter_mut().map(|array| &mut array.uses).chain([&mut team.held]);
        for (uses, to) in all.zip(to) {
            *uses = *to;
        }
    }

    /// A condition or a match around parts of the frame.
    fn all_or_none(&mut self) {
        let is_match = self.choices.percent(25);
        let (head, known) = if is_match {
            let value = self.same_in_all(&Ty::Named("Kind"));
            (format!("match {value}"), false)
        } else {
            let (condition, known) = self.condition_of_all();
            (format!("if {condition}"), known)
        };
        let meets = !known && self.choices.percent(50);
        if !known && !meets {
            self.barrier();
        }
        let before = self.uses();
        let most = 1 + self.choices.below(3);
        let yes = self.frame(most, meets);
        let after = self.uses();
        self.set_uses(&before);
        let no = if meets || is_match || self.choices.percent(50) {
            let most = self.choices.below(3);
            format!(" else {}", self.frame(most, meets))
        } else {
            String::new()
        };
        self.or_used(&after);
        if is_match {
            self.line(&format!("{head} {{ Kind::Green => {yes}, _ => {} }}", no.replacen(" else ", "", 1)));
        } else {
            self.line(&format!("{head} {yes}{no}"));
        }
    }

    /// A loop around parts of the frame, in which all threads take the same turns.
    fn turns(&mut self) {
        let count = self.choices.below(4);
        let kind = self.choices.below(4);
        let counter = self.own_name("t");
        // What the last turn did, the next one finds.
        self.set_worst();
        let most = 1 + self.choices.below(3);
        let mut behind = false;
        let lines = match kind {
            0 => {
                let over = ["(message.b as u32) % 4", "message.f % 3", "4u32", "(message.h as u32) % 5"];
                let over = self.choices.one(&over);
                let lines = self.turn(most, &counter, |_| ());
                format!("for {counter} in 0..{over} {lines}")
            }
            1 => {
                let (condition, known) = self.condition_of_all();
                behind = !known;
                let lines = self.turn(most, &counter, |writer| {
                    writer.line(&format!("{counter} += 1;"));
                    if !known {
                        writer.barrier();
                    }
                });
                self.line(&format!("let mut {counter} = 0u32;"));
                format!("while {counter} < {count} && {condition} {lines}")
            }
            2 => {
                let lines = self.turn(most, &counter, |writer| {
                    writer.line(&format!("if {counter} == {count} {{ break; }}"));
                    writer.line(&format!("{counter} += 1;"));
                });
                self.line(&format!("let mut {counter} = 0u32;"));
                format!("loop {lines}")
            }
            _ => {
                let way = self.choices.one(&["break", "continue"]);
                let (condition, known) = self.condition_of_all();
                behind = !known;
                let lines = self.turn(most, &counter, |writer| {
                    writer.line(&format!("{counter} += 1;"));
                    if writer.choices.percent(50) {
                        writer.barrier();
                    }
                    writer.line(&format!("if {condition} {{ {way}; }}"));
                    if !known {
                        writer.barrier();
                    }
                });
                self.line(&format!("let mut {counter} = 0u32;"));
                format!("while {counter} < {count} {lines}")
            }
        };
        self.line(&lines);
        self.set_worst();
        if behind {
            self.barrier();
        }
    }

    fn turn(&mut self, most: usize, counter: &str, first: impl FnOnce(&mut Self)) -> String {
        let uniforms = self.team().uniforms.len();
        self.team().depth += 1;
        let text = self.block(|writer| {
            writer.uniform(counter, Ty::Int("u32"));
            first(writer);
            writer.steps(most);
        });
        self.team().depth -= 1;
        self.team().uniforms.truncate(uniforms);
        text
    }

    fn set_worst(&mut self) {
        let worst = vec![Uses { written: true, read: true }; self.team().arrays.len() + 1];
        self.set_uses(&worst);
    }

    /// A variable that is the same in all threads.
    fn same(&mut self) {
        let ty = Ty::Int(self.choices.one(&INTS));
        let value = self.same_in_all(&ty);
        let name = self.own_name("u");
        self.line(&format!("let {name}: {} = {value};", ty.name()));
        self.uniform(&name, ty);
    }

    /// What goes wrong in one thread, for a few messages.
    fn torn(&mut self) {
        let threads = self.team().threads as usize;
        let thread = self.choices.below(threads);
        let value = self.choices.below(16);
        let field = self.choices.one(&["a", "c", "e", "g"]);
        let condition = format!("message.{field} == {value} && me == {thread}");
        match self.choices.below(5) {
            0 => {
                self.line(&format!("if {condition} {{ cx.barrier(); }}"));
                self.barrier();
            }
            1 => self.line(&format!("if {condition} {{ return Err(Failure::of({})); }}", value + 1)),
            2 => self.line(&format!("if {condition} {{ return Ok(()); }}")),
            3 => {
                let held = self.team().held;
                if held.read || held.written {
                    self.barrier();
                }
                self.line(&format!("if {condition} {{ held.set(state); }}"));
                self.team().held.written = true;
            }
            _ => {
                let send = self.block(Self::send);
                self.line(&format!("if {condition} {send}"));
            }
        }
    }
}
