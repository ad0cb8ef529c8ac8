//! Writing: a lowered handler as readable C, in one of the dialects.

mod cooperate;
mod expression;
mod function;
mod interface;
mod layout;
mod ports;
mod statement;
mod target;

use layout::storage;
pub use target::{Target, UnknownTarget};

use crate::{
    BindingDefinition, BindingKind, FenceScope, KernelDefinition, KernelShape,
    lower::{
        LowerError, lower,
        program::{Function, Program, calls, uses},
        types::TypeNames,
    },
    typed::{Scalar, Type},
};

/// What Rust's operators and methods mean on a device, as C that every dialect accepts. It stands after the
/// dialect's prelude and before the text of [`handler_source`].
pub const LANGUAGE_SOURCE: &str =
    concat!(include_str!("../../c/language.c"), "\n", include_str!("../../c/integers.c"));

/// Where what lies behind the offsets of an archive begins. It stands in the texts of the handlers that ask.
const ARCHIVE_SOURCE: &str = include_str!("../../c/archive.c");

/// Fences. They stand in the texts of the handlers that have one.
const FENCE_SOURCE: &str = include_str!("../../c/fence.c");

/// Where timers go. It stands in the texts of handlers that set some.
const LATER_SOURCE: &str = include_str!("../../c/later.c");

/// The prelude for a C compiler of the host (gcc or clang), used to run a handler's text in tests.
pub const HOST_PRELUDE_SOURCE: &str = include_str!("../../c/prelude/host.c");

/// The handler's part of a kernel's device program: its types, the handler as a function, and the macros
/// through which the device runtime calls it.
///
/// # Errors
///
/// If the handler uses something that devices, or this kind of device, cannot do; the error says where.
pub fn handler_source(definition: &'static KernelDefinition, target: Target) -> Result<String, LowerError> {
    let (program, types) = lower(definition)?;
    if !target.has_f64() && uses_f64(&program, &types) {
        return Err(LowerError {
            kernel: definition.name,
            file: definition.file,
            line: definition.line,
            reason: format!("target `{target}` has no `f64`: use `f32`, or another backend"),
        });
    }
    let is_wide = |binding: &&BindingDefinition| binding.kind == BindingKind::Shared && binding.ty.size == 8;
    if !target.has_wide_atomics()
        && let Some(binding) = definition.bindings.iter().find(is_wide)
    {
        let reason = format!(
            "`{}` has atomics of 64 bits, and target `{target}` has none: use `AtomicU32` or `AtomicI32`, or another backend",
            binding.name
        );
        let KernelDefinition { name, file, line, .. } = *definition;
        return Err(LowerError { kernel: name, file, line, reason });
    }
    if target == Target::Metal && program.fences(|scope| scope == FenceScope::System) {
        let reason = "target `metal` orders memory for one device and no further: write `FenceScope::Device`, which \
                      is enough for the blocks of a device, or use another backend";
        let KernelDefinition { name, file, line, .. } = *definition;
        return Err(LowerError { kernel: name, file, line, reason: reason.into() });
    }
    const ROOTS: [&str; 4] = ["hypot", "cbrt", "exp_m1", "ln_1p"];
    if target == Target::Metal
        && program.functions.iter().chain([&program.handler]).any(|function| calls(&function.body, &ROOTS))
    {
        let reason = "target `metal` has no `hypot`, `cbrt`, `exp_m1` and `ln_1p`: write `(x * x + y * y).sqrt()`, \
                      `x.abs().powf(1.0 / 3.0).copysign(x)`, `x.exp() - 1.0` or `(1.0 + x).ln()`, or use another backend";
        let KernelDefinition { name, file, line, .. } = *definition;
        return Err(LowerError { kernel: name, file, line, reason: reason.into() });
    }
    let mut writer = Writer::new(target, &program, &types);
    writer.head();
    writer.types();
    writer.constants();
    writer.functions();
    if definition.shape.is_block_wide() {
        writer.together();
    }
    writer.handler();
    writer.macros();
    Ok(writer.text)
}

fn uses_f64(program: &Program, types: &TypeNames) -> bool {
    let is_f64 = |ty: &Type| *ty == Type::Scalar(Scalar::F64);
    program.functions.iter().chain([&program.handler]).any(|function| {
        function.locals.iter().any(|local| is_f64(&local.ty)) || uses(&function.body, Scalar::F64)
    }) || types.uses_f64()
}

struct Writer<'a> {
    target: Target,
    program: &'a Program,
    /// The function that is being written.
    function: &'a Function,
    types: &'a TypeNames,
    text: String,
    depth: usize,
    /// The file's name without its folders, which comments repeat.
    file: &'static str,
    /// The line that the next statement comes from, and the line that the last comment named.
    line: u32,
    commented: u32,
    /// Whether it writes a segment: what ends the handler elsewhere ends the segment there.
    in_segment: bool,
}

impl<'a> Writer<'a> {
    fn new(target: Target, program: &'a Program, types: &'a TypeNames) -> Self {
        let function = &program.handler;
        let file = function::file_name(function.file);
        Self {
            target,
            program,
            function,
            types,
            text: String::new(),
            depth: 0,
            file,
            line: 0,
            commented: 0,
            in_segment: false,
        }
    }

    /// One line, indented.
    fn put(&mut self, line: &str) {
        if !line.is_empty() {
            self.text.push_str(&"    ".repeat(self.depth));
            self.text.push_str(line);
        }
        self.text.push('\n');
    }

    fn head(&mut self) {
        let KernelDefinition { name, module, file, line, .. } = self.program.definition;
        self.put(&format!(
            "// The handler of kernel `{name}`, written from {file}:{line} (module {module})."
        ));
        if let Some(pragma) = self.target.no_contraction() {
            self.put(pragma);
        }
        if self.program.functions.iter().chain([&self.program.handler]).any(|function| function.follows) {
            self.put("");
            self.text.push_str(ARCHIVE_SOURCE);
        }
        if self.program.fences(|_| true) {
            self.put("");
            self.text.push_str(FENCE_SOURCE);
        }
        if self.has_ports() {
            self.put("");
            self.text.push_str(ports::SOURCE);
        }
        if self.program.definition.timers.is_some() {
            self.put("");
            self.text.push_str(LATER_SOURCE);
        }
        if self.program.definition.ask().is_some() {
            self.put("");
            self.text.push_str(ports::ASK_SOURCE);
        }
        if self.program.definition.shape.is_block_wide() {
            self.put("");
            self.text.push_str(cooperate::SOURCE);
            if self.program.definition.shape == KernelShape::Body {
                self.put("");
                self.text.push_str(cooperate::INBOX);
            }
            self.warps();
        }
    }
}
