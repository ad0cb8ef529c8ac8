//! What the threads of a block share, and how they meet, in C.

use annulus_abi::error;

use super::Writer;
use crate::{
    Target, WARP,
    lower::{
        array_bytes,
        program::{Expr, LocalId, Member, Stmt, Warp, any, fails},
    },
    typed::{Scalar, Type},
};

/// How the threads of a block meet. It stands in the texts of the handlers that a whole block runs.
pub(super) const SOURCE: &str = include_str!("../../c/cooperate.c");

/// What the threads of a warp give each other. It stands in the texts of the handlers that ask.
const WARPS: &str = include_str!("../../c/warps.c");

/// What a body takes its messages from. It stands in the texts of bodies.
pub(super) const INBOX: &str = include_str!("../../c/inbox.c");

/// The extra parameters of such a handler: what the threads share, how often they have met, and what the
/// message has failed with before.
pub(super) const TOGETHER: &str =
    "LOCAL ann_block_memory *ann_together, PRIVATE ann_round *ann_rounds, u32 ann_first";

/// The name of a part of what the threads share.
fn name(member: usize) -> String {
    format!("part_{member}")
}

impl Writer<'_> {
    /// Whether a part lies in memory that the launch gives each block. CUDA gives more of it than the 48 KiB that a
    /// program may say itself.
    fn is_apart(&self, member: &Member) -> bool {
        self.target == Target::Cuda && matches!(member, Member::Array(_))
    }

    /// Where a part of what the threads share lies.
    pub(super) fn part(&self, member: usize) -> String {
        let memory =
            if self.is_apart(&self.program.handler.together[member]) { "ann_arrays" } else { "ann_together" };
        format!("{memory}->{}", name(member))
    }

    /// Whether the handler's warps do this.
    fn has_warp(&self, is: impl Fn(&Warp) -> bool) -> bool {
        any(&self.program.handler.body, &|statement| matches!(statement, Stmt::Warp(warp) if is(warp)))
    }

    /// The functions of warps, if the handler needs them.
    pub(super) fn warps(&mut self) {
        if !self.has_warp(|_| true) {
            return;
        }
        let word = if self.program.warp_word() == Some(Scalar::U64) { "u64" } else { "u32" };
        self.put("");
        self.put(&format!("#define ANN_WARP_WORD {word}"));
        self.text.push_str(WARPS);
    }

    /// The type of what the threads share.
    pub(super) fn together(&mut self) {
        let program = self.program;
        self.put("");
        self.put("// What the threads of a block share while they work on a message.");
        self.put("typedef struct {");
        self.depth += 1;
        self.put("ann_meeting meeting;");
        if let Some(state) = program.definition.state.definition() {
            self.put(&format!("{} state;", self.stored(&state.ty.into())));
        }
        if self.program.warp_word().is_some() {
            self.put("ANN_WARP_MEMORY");
        }
        let (apart, kept): (Vec<_>, Vec<_>) =
            program.handler.together.iter().enumerate().partition(|(_, member)| self.is_apart(member));
        self.parts(&kept);
        self.depth -= 1;
        self.put("} ann_block_memory;");
        if apart.is_empty() {
            return;
        }
        self.put("// Its arrays, in memory that the launch gives each block.");
        self.put("typedef struct {");
        self.depth += 1;
        self.parts(&apart);
        self.depth -= 1;
        self.put("} ann_block_arrays;");
        self.check_size("ann_block_arrays", "sizeof(ann_block_arrays)", array_bytes(program));
        self.put("extern __shared__ ann_block_arrays ann_arrays[];");
    }

    /// Members of a struct: parts of what the threads share, with their numbers.
    fn parts(&mut self, parts: &[(usize, &Member)]) {
        for (number, member) in parts {
            let name = name(*number);
            let text = match member {
                Member::Array(ty) | Member::Given(ty) => format!("{} {name};", self.stored(ty)),
                Member::OfThreads(ty) => format!("{} {name}[ANN_LAUNCH_THREADS];", self.stored(ty)),
                Member::OfWarps(ty) => format!("{} {name}[{WARP}];", self.stored(ty)),
            };
            self.put(&text);
        }
    }

    /// The beginning of a handler that a whole block runs.
    pub(super) fn begin_together(&mut self) {
        self.depth += 1;
        self.put("u32 ann_code = ann_first; // of this thread");
        self.put("u32 ann_end = ann_first; // the same in all threads");
        if self.program.warp_word().is_some() {
            self.put("u32 ann_side = 0u; // of the warps' memory");
        }
        let function = self.function;
        let mut shares = self.program.definition.state.definition().is_some();
        for (number, member) in function.together.iter().enumerate() {
            if let Member::Array(Type::Array { len, .. }) = member {
                let (part, cx) = (self.part(number), &function.cx);
                self.put(&format!(
                    "for (u32 ann_i = {cx}.thread_index; ann_i < {len}u; ann_i += ANN_LAUNCH_THREADS)"
                ));
                self.put(&format!("    {part}.at[ann_i] = 0;"));
                shares = true;
            }
        }
        if shares {
            self.put("ann_barrier();");
        }
        self.depth -= 1;
    }

    /// Its end.
    pub(super) fn end_together(&mut self) {
        self.depth += 1;
        self.put("return ann_code;");
        self.depth -= 1;
    }

    /// The threads meet.
    pub(super) fn meet(&mut self, answer: Option<LocalId>) {
        let meeting = "&ann_together->meeting, ann_rounds, ann_code";
        match answer {
            Some(answer) => {
                let answer = &self.function.locals[answer].name;
                self.code(&format!("ann_code = ann_agree({meeting}, {answer});"));
            }
            None => self.code(&format!("ann_code = ann_meet({meeting});")),
        }
        self.code("ann_end = ann_code;");
    }

    /// The threads of each warp do something together.
    pub(super) fn warp(&mut self, warp: &Warp) {
        let local = |result: &LocalId| &self.function.locals[*result];
        let memory = "ann_together->warps, ann_rounds, &ann_side";
        let text = match warp {
            Warp::Barrier => "ann_warp_barrier(ann_rounds);".to_owned(),
            Warp::Shuffle { value, lane, result } => {
                let (result, value, lane) = (local(result), self.expression(value), self.expression(lane));
                let ty = self.spell(&result.ty);
                format!("{ty} {} = ann_shuffle_{ty}({memory}, {value}, {lane});", result.name)
            }
            Warp::Ballot { answer, result } => {
                let answer = self.expression(answer);
                format!("u32 {} = ann_ballot({memory}, {answer});", local(result).name)
            }
        };
        self.code(&text);
    }

    /// A body takes a message.
    pub(super) fn take(&mut self, found: LocalId, message: LocalId) {
        let inbox = &self.function.message;
        let descriptor = self.program.definition.message;
        let ty = self.stored(&descriptor.into());
        let [found, message] = [found, message].map(|local| &self.function.locals[local].name);
        self.code("{");
        self.depth += 1;
        self.put(&format!("GLOBAL const {ty} *ann_slot = (GLOBAL const {ty} *)ann_take_message({inbox});"));
        self.put(&format!("{found} = ann_slot != 0;"));
        if descriptor.size != 0 {
            self.put(&format!("if ({found}) {message} = *ann_slot;"));
        }
        self.depth -= 1;
        self.put("}");
    }

    pub(super) fn segment(&mut self, statements: &[Stmt]) {
        self.code("while (ann_code == 0u) {");
        self.in_segment = true;
        self.block(statements);
        self.in_segment = false;
        self.depth += 1;
        self.put("break;");
        self.depth -= 1;
        self.put("}");
    }

    /// Behind a loop of a segment: a thread that has ended in it leaves the segment, too.
    pub(super) fn leave_loop(&mut self, body: &[Stmt]) {
        let returns = |statement: &Stmt| matches!(statement, Stmt::Return(_));
        if self.in_segment && (fails(body, &self.program.functions) || any(body, &returns)) {
            self.put("if (ann_code != 0u) break;");
        }
    }

    /// Ends a segment because the handler returns.
    pub(super) fn return_from_segment(&mut self, value: &Expr) {
        match value {
            Expr::Code(0) => self.code("ann_code = ANN_RETURNED;"),
            value => {
                let text = format!("ann_code = {};", self.expression(value));
                self.code(&text);
                self.code("if (ann_code == 0u) ann_code = ANN_RETURNED;");
            }
        }
        self.code("break;");
    }

    /// What a failure does here.
    pub(super) fn fail(&self, code: u16) -> String {
        let failed = super::statement::fail(code);
        match failed.split_once("; // ") {
            Some((_, what)) if self.in_segment => {
                format!("{{ ann_code = {code:#06X}u; break; }} // {what}")
            }
            _ => failed,
        }
    }
}

/// What a code means, for comments.
pub(super) fn what(code: u16) -> Option<&'static str> {
    match code {
        error::BARRIER_NOT_REACHED => Some("barrier not reached by all threads"),
        error::NOT_THE_LEADER => Some("not the leader"),
        _ => None,
    }
}
