//! What a handler needs of a device that not every device has, and where.

use std::{fmt, slice};

use super::{
    program::{Function, Member, Program, Stmt, bodies, uses},
    types::TypeNames,
};
use crate::{
    BindingDefinition, BindingKind, TypeDescriptor, WARP,
    typed::{Scalar, Type},
};

/// What a handler needs of a device that not every device has: see
/// [`KernelDefinition::needs`](crate::KernelDefinition::needs).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Needs {
    /// Where the handler first computes with an `f64`, or, if it only passes some on, the handler itself.
    pub f64: Option<NeededAt>,
    /// Where the handler first uses an atomic of 64 bits, or, if it only has some, the handler itself.
    pub wide_atomics: Option<NeededAt>,
    /// What the threads of a block share, in the order of the text's struct.
    shared: Vec<Shared>,
}

/// A line of the user's program. It prints as `file:line`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NeededAt {
    /// The source file.
    pub file: &'static str,
    /// The line.
    pub line: u32,
}

impl fmt::Display for NeededAt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

/// A part of what a block's threads share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Shared {
    /// In bytes, of one element.
    size: usize,
    align: usize,
    /// Elements for the block, and for each of its threads.
    fixed: usize,
    each: usize,
    /// It is an array of the handler's.
    is_array: bool,
}

impl Needs {
    /// How many bytes a block of so many threads shares while it works on a message: the handler's arrays, its
    /// state, and what reductions and barriers take. 0 where each thread works for itself.
    pub fn shared_bytes(&self, threads: u32) -> usize {
        bytes(self.shared.iter(), threads)
    }

    /// How many of them are the handler's arrays (`cx.shared`). On CUDA these lie apart from the rest, in memory
    /// that the launch gives each block: dynamic shared memory.
    pub fn array_bytes(&self) -> usize {
        bytes(self.shared.iter().filter(|part| part.is_array), 0)
    }

    /// How many the rest has.
    pub fn other_shared_bytes(&self, threads: u32) -> usize {
        bytes(self.shared.iter().filter(|part| !part.is_array), threads)
    }

    pub(super) fn of(program: &Program, types: &TypeNames) -> Self {
        let definition = program.definition;
        let handler = NeededAt { file: definition.file, line: definition.line };
        let first = |is: &dyn Fn(&Function, &Stmt) -> bool| {
            let functions = [&program.handler].into_iter().chain(&program.functions);
            functions.into_iter().find_map(|function| {
                let mut line = function.line;
                first_line(&function.body, &|statement| is(function, statement), &mut line)
                    .map(|line| NeededAt { file: function.file, line })
            })
        };
        let wide = |binding: &BindingDefinition| binding.kind == BindingKind::Shared && binding.ty.size == 8;
        let f64 = first(&computes_with_f64).or_else(|| types.uses_f64().then_some(handler));
        let has_wide = definition.bindings.iter().any(wide);
        Self {
            f64,
            wide_atomics: has_wide
                .then(|| first(&|_, statement| is_wide_atomic(statement)).unwrap_or(handler)),
            shared: if definition.shape.is_block_wide() { shared(program) } else { Vec::new() },
        }
    }
}

/// The size of a struct of these parts.
fn bytes<'a>(parts: impl Iterator<Item = &'a Shared>, threads: u32) -> usize {
    let (end, align) = parts.fold((0usize, 1), |(end, align), part| {
        let elements = part.fixed + part.each * threads as usize;
        (end.next_multiple_of(part.align.max(1)) + part.size * elements, align.max(part.align))
    });
    end.next_multiple_of(align)
}

fn computes_with_f64(function: &Function, statement: &Stmt) -> bool {
    let f64 = Type::Scalar(Scalar::F64);
    matches!(statement, Stmt::Declare(local, _) if function.locals[*local].ty == f64)
        || uses(slice::from_ref(statement), Scalar::F64)
}

fn is_wide_atomic(statement: &Stmt) -> bool {
    super::program::any(
        slice::from_ref(statement),
        &|statement| matches!(statement, Stmt::Atomic(atomic) if atomic.scalar.bits() == 64),
    )
}

/// The line of the first statement that passes the test, which a statement passes if one inside of it does.
/// `line` is that of the statement before.
fn first_line(statements: &[Stmt], is: &dyn Fn(&Stmt) -> bool, line: &mut u32) -> Option<u32> {
    statements.iter().find_map(|statement| {
        if let Stmt::Line(next) = statement {
            *line = *next;
            return None;
        }
        let own = *line;
        if let Stmt::If(condition, ..) = statement
            && is(&Stmt::If(condition.clone(), Vec::new(), Vec::new()))
        {
            return Some(own);
        }
        let inside = bodies(statement).into_iter().find_map(|body| first_line(body, is, line));
        inside.or_else(|| is(statement).then_some(own))
    })
}

/// The parts of `ann_block_memory`, as the text has them: `write/cooperate.rs` and `c/cooperate.c`.
fn shared(program: &Program) -> Vec<Shared> {
    let part = |size, align, fixed, each| Shared { size, align, fixed, each, is_array: false };
    // `ann_meeting`: flags, codes, the leader's answer.
    let mut parts = vec![part(4, 4, 6, 0), part(2, 2, 0, 3), part(4, 4, 1, 0)];
    if let Some(state) = program.definition.state.definition() {
        parts.push(part(state.ty.size, state.ty.align, 1, 0));
    }
    // What warps exchange goes through memory, but on CUDA.
    if let Some(word) = program.warp_word() {
        let size = word.bits() as usize / 8;
        parts.push(part(size, size, 0, 2));
    }
    for member in &program.handler.together {
        let (ty, fixed, each) = match member {
            Member::OfWarps(ty) => (ty, WARP as usize, 0),
            Member::Array(ty) | Member::Given(ty) => (ty, 1, 0),
            Member::OfThreads(ty) => (ty, 0, 1),
        };
        let (size, align) = layout(ty);
        let is_array = matches!(member, Member::Array(_));
        parts.push(Shared { is_array, ..part(size, align, fixed, each) });
    }
    parts
}

/// The bytes of a handler's arrays, as a struct has them.
pub(crate) fn array_bytes(program: &Program) -> usize {
    let parts = shared(program);
    bytes(parts.iter().filter(|part| part.is_array), 0)
}

/// Size and alignment of what threads share: numbers, and arrays of them.
fn layout(ty: &Type) -> (usize, usize) {
    match ty {
        Type::Scalar(scalar) => {
            let size = scalar.bits().div_ceil(8) as usize;
            (size, size)
        }
        Type::Array { element, len } => {
            let (size, align) = layout(element);
            // C has no empty arrays.
            (size * (*len).max(1), align)
        }
        Type::Struct(TypeDescriptor { size, align, .. }) | Type::Enum(TypeDescriptor { size, align, .. }) => {
            (*size, *align)
        }
        _ => (0, 1),
    }
}
