//! Handlers on an OpenCL device: many in one program, each call a work-item.

use std::{
    collections::BTreeSet,
    ffi::{CStr, c_void},
    fmt::Write as _,
    ptr,
};

use annulus_conformance::language::{Call, Memory, Outcome, Places};
use annulus_differential::generate::ELEMENTS;
use annulus_kernel::{
    KernelDefinition, LANGUAGE_SOURCE, Target, TimerEntry,
    device::{INTERFACE, OPENCL_PRELUDE},
};
use cl3::{
    command_queue::{enqueue_nd_range_kernel, enqueue_read_buffer, enqueue_write_buffer, finish},
    context::create_context,
    device::{
        CL_DEVICE_EXTENSIONS, CL_DEVICE_NAME, CL_DEVICE_TYPE_ALL, CL_DEVICE_VERSION, get_device_data,
        get_device_ids,
    },
    kernel::{create_kernel, release_kernel, set_kernel_arg},
    memory::{CL_MEM_READ_WRITE, create_buffer, release_mem_object},
    platform::get_platform_ids,
    program::{CL_PROGRAM_BUILD_LOG, build_program, create_program_with_source, get_program_build_data},
    types::{CL_TRUE, cl_command_queue, cl_context, cl_device_id, cl_mem, cl_program},
};

/// The first device there is. What it has opened stays open until the process ends.
pub(crate) struct Device {
    id: cl_device_id,
    context: cl_context,
    queue: cl_command_queue,
}

/// A call's code and how many outputs it sent.
const RESULT: usize = 8;

/// What a call is told: the queue, the time, the stamp. Afterwards the first word says how many timers it set.
const TOLD: usize = 24;

/// The bytes of a timer's entry.
const ENTRY: usize = 16;

impl Device {
    /// `None` if there is none.
    pub(crate) fn first() -> Option<Self> {
        let platforms = get_platform_ids().ok()?;
        let id = *platforms
            .iter()
            .find_map(|platform| {
                get_device_ids(*platform, CL_DEVICE_TYPE_ALL).ok().filter(|devices| !devices.is_empty())
            })?
            .first()?;
        let context = create_context(&[id], ptr::null(), None, ptr::null_mut()).ok()?;
        #[allow(deprecated, reason = "the call of OpenCL 1.2, which every version has")]
        // SAFETY: the device is the context's.
        let queue = unsafe { cl3::command_queue::create_command_queue(context, id, 0) }.ok()?;
        Some(Self { id, context, queue })
    }

    pub(crate) fn name(&self) -> String {
        let name = get_device_data(self.id, CL_DEVICE_NAME).unwrap_or_default();
        String::from_utf8_lossy(&name).trim_end_matches('\0').into()
    }

    /// Whether it belongs to PoCL.
    #[allow(dead_code, reason = "one of the programs with this module does not ask")]
    pub(crate) fn is_pocl(&self) -> bool {
        let version = get_device_data(self.id, CL_DEVICE_VERSION).unwrap_or_default();
        String::from_utf8_lossy(&version).to_lowercase().contains("pocl")
    }

    #[allow(dead_code, reason = "one of the programs with this module needs no atomics")]
    pub(crate) fn has_wide_atomics(&self) -> bool {
        let extensions = get_device_data(self.id, CL_DEVICE_EXTENSIONS).unwrap_or_default();
        String::from_utf8_lossy(&extensions).contains("cl_khr_int64_extended_atomics")
    }

    /// Compiles these handlers.
    pub(crate) fn compile(&self, definitions: &[&'static KernelDefinition]) -> Result<Handlers<'_>, String> {
        let texts = definitions.iter().map(|definition| definition.handler_source(Target::OpenCl));
        let texts: Vec<String> = texts.collect::<Result<_, _>>().map_err(|error| error.to_string())?;
        let hears = texts.iter().any(|text| HEARS.iter().any(|word| text.contains(word)));
        Ok(Handlers { program: self.build(&text(definitions, &texts, hears)?)?, hears })
    }

    /// Compiles a program.
    pub(crate) fn build(&self, source: &str) -> Result<Program<'_>, String> {
        let program = create_program_with_source(self.context, &[source])
            .map_err(failed("clCreateProgramWithSource"))?;
        let options = c"-cl-std=CL1.2 -cl-fp32-correctly-rounded-divide-sqrt";
        if let Err(code) = build_program(program, &[self.id], options, None, ptr::null_mut()) {
            let log = get_program_build_data(program, self.id, CL_PROGRAM_BUILD_LOG).unwrap_or_default();
            let log = String::from_utf8_lossy(&log);
            return Err(format!("clBuildProgram failed with {code}\n{log}"));
        }
        Ok(Program { device: self, program })
    }

    fn buffer(&self, bytes: &[u8]) -> Result<Buffer, String> {
        let length = bytes.len().max(1);
        // SAFETY: the flags ask for no host pointer.
        let buffer = unsafe { create_buffer(self.context, CL_MEM_READ_WRITE, length, ptr::null_mut()) }
            .map_err(failed("clCreateBuffer"))?;
        let buffer = Buffer(buffer);
        if !bytes.is_empty() {
            let from = bytes.as_ptr().cast::<c_void>();
            // SAFETY: the buffer is as long as the bytes, and the call returns when they are copied.
            unsafe {
                enqueue_write_buffer(self.queue, buffer.0, CL_TRUE, 0, bytes.len(), from, 0, ptr::null())
            }
            .map_err(failed("clEnqueueWriteBuffer"))?;
        }
        Ok(buffer)
    }

    fn read(&self, buffer: &Buffer, bytes: &mut [u8]) -> Result<(), String> {
        if bytes.is_empty() {
            return Ok(());
        }
        let to = bytes.as_mut_ptr().cast::<c_void>();
        // SAFETY: the buffer is as long as the bytes, and the call returns when they are copied.
        unsafe { enqueue_read_buffer(self.queue, buffer.0, CL_TRUE, 0, bytes.len(), to, 0, ptr::null()) }
            .map_err(failed("clEnqueueReadBuffer"))?;
        Ok(())
    }
}

struct Buffer(cl_mem);

impl Drop for Buffer {
    fn drop(&mut self) {
        // SAFETY: the buffer is ours, and released once.
        let _ = unsafe { release_mem_object(self.0) };
    }
}

fn failed(call: &'static str) -> impl Fn(i32) -> String {
    move |code| format!("{call} failed with {code}")
}

/// A program of this device.
pub(crate) struct Program<'d> {
    device: &'d Device,
    program: cl_program,
}

impl Program<'_> {
    /// Runs a kernel to its end: its parameters are these numbers, each a `uint`, and then pointers to these
    /// memories, which come back as it leaves them.
    pub(crate) fn run(
        &self,
        kernel: &CStr,
        numbers: &[u32],
        memories: &mut [Vec<u8>],
        groups: usize,
        threads: usize,
    ) -> Result<(), String> {
        let device = self.device;
        let kernel = create_kernel(self.program, kernel).map_err(failed("clCreateKernel"))?;
        let buffers: Vec<Buffer> =
            memories.iter().map(|bytes| device.buffer(bytes)).collect::<Result<_, _>>()?;
        for (argument, number) in numbers.iter().enumerate() {
            let size = size_of::<u32>();
            // SAFETY: the argument is a `uint`.
            unsafe { set_kernel_arg(kernel, argument as u32, size, std::ptr::from_ref(number).cast()) }
                .map_err(failed("clSetKernelArg"))?;
        }
        for (argument, buffer) in buffers.iter().enumerate() {
            let (argument, size) = ((numbers.len() + argument) as u32, size_of::<cl_mem>());
            // SAFETY: the argument is a pointer to global memory, and the value a buffer's handle.
            unsafe { set_kernel_arg(kernel, argument, size, (&raw const buffer.0).cast()) }
                .map_err(failed("clSetKernelArg"))?;
        }
        let (global, local) = ([groups * threads], [threads]);
        // SAFETY: all arguments are set; the buffers hold what that many calls read and write, and live until
        // `finish` returns.
        unsafe {
            enqueue_nd_range_kernel(
                device.queue,
                kernel,
                1,
                ptr::null(),
                global.as_ptr(),
                local.as_ptr(),
                0,
                ptr::null(),
            )
        }
        .map_err(failed("clEnqueueNDRangeKernel"))?;
        finish(device.queue).map_err(failed("clFinish"))?;
        for (buffer, memory) in buffers.iter().zip(memories) {
            device.read(buffer, memory)?;
        }
        // SAFETY: the kernel is ours, ended, and released once.
        let _ = unsafe { release_kernel(kernel) };
        Ok(())
    }
}

/// Handlers that were compiled in one go.
pub(crate) struct Handlers<'d> {
    program: Program<'d>,
    /// Whether one of them asks for more than the message.
    hears: bool,
}

impl Handlers<'_> {
    /// All these calls of the handler of this number.
    pub(crate) fn calls(
        &self,
        index: usize,
        definition: &'static KernelDefinition,
        calls: &[Call],
    ) -> Result<Vec<Outcome>, String> {
        let mut memories = memories(definition, calls);
        if self.hears {
            let more = memories_that_hear(definition, calls);
            memories.splice(BEFORE_TABLES..BEFORE_TABLES, more);
        }
        // A bridged message is as many heads as its image is long.
        let stride = calls.first().map_or(1, |call| call.message.len());
        self.program.run(c"run", &[index as u32, stride as u32], &mut memories, calls.len(), 1)?;
        let heard = if self.hears { HEARD } else { 0 };
        let heard: Vec<_> = memories.splice(BEFORE_TABLES..BEFORE_TABLES + heard, []).collect();
        let mut outcomes = outcomes(definition, calls, &memories);
        if let [told, entries, messages] = &heard[..] {
            add_timers(definition, &mut outcomes, told, entries, messages);
        }
        Ok(outcomes)
    }
}

/// How many memories stand before the tables.
const BEFORE_TABLES: usize = 4;

/// What the kernels of a program get besides, if its handlers ask for more than the message: what each call is told, the
/// entries of its timers, and room for their messages.
fn memories_that_hear(definition: &'static KernelDefinition, calls: &[Call]) -> [Vec<u8>; HEARD] {
    let told = calls.iter().flat_map(|call| [u64::from(call.told.queue), call.told.now, call.told.stamp]);
    let mut places = Places::of(definition);
    let entry = |entry: &TimerEntry| {
        let TimerEntry { due, number, place } = *entry;
        [&due.to_ne_bytes()[..], &number.to_ne_bytes(), &place.to_ne_bytes()].concat()
    };
    let entries: Vec<u8> = places.entries().iter().flat_map(entry).collect();
    let room = places.messages().bytes().len();
    [told.flat_map(u64::to_ne_bytes).collect(), entries.repeat(calls.len()), vec![0; room * calls.len()]]
}

/// How many memories these are.
const HEARD: usize = 3;

/// Reads which timers the calls have set.
fn add_timers(
    definition: &'static KernelDefinition,
    outcomes: &mut [Outcome],
    told: &[u8],
    entries: &[u8],
    messages: &[u8],
) {
    for (number, outcome) in outcomes.iter_mut().enumerate() {
        let mut places = Places::of(definition);
        let (each, room) = (places.entries().len() * ENTRY, places.messages().bytes().len());
        let own = entries[number * each..(number + 1) * each].chunks(ENTRY);
        for (entry, bytes) in places.entries().iter_mut().zip(own) {
            let due = u64::from_ne_bytes(bytes[..8].try_into().expect("eight bytes"));
            *entry = TimerEntry { due, number: word(bytes, 8), place: word(bytes, 12) };
        }
        places.messages().bytes_mut().copy_from_slice(&messages[number * room..(number + 1) * room]);
        let set = if outcome.code == 0 && definition.timers.is_some() {
            word(told, number * TOLD) as usize
        } else {
            0
        };
        (outcome.timers, outcome.later) = places.sent(set);
    }
}

fn word(memory: &[u8], at: usize) -> u32 {
    u32::from_ne_bytes(memory[at..at + 4].try_into().expect("four bytes"))
}

/// What a kernel gets for these calls: messages, states, room for outputs, results, and tables.
pub(crate) fn memories(definition: &'static KernelDefinition, calls: &[Call]) -> Vec<Vec<u8>> {
    let all = |of: &dyn Fn(&Call) -> &Memory| -> Vec<u8> {
        calls.iter().flat_map(|call| of(call).bytes().to_vec()).collect()
    };
    let output = definition.output.expect("the handlers send");
    let room = output.size * definition.max_outputs as usize;
    let mut memories = vec![
        all(&|call| &call.message),
        all(&|call| &call.state),
        vec![0; room * calls.len()],
        vec![0; RESULT * calls.len()],
    ];
    memories.extend((0..definition.bindings.len()).map(|table| all(&|call| &call.bindings[table])));
    memories
}

/// What is in these memories after the calls.
pub(crate) fn outcomes(
    definition: &'static KernelDefinition,
    calls: &[Call],
    memories: &[Vec<u8>],
) -> Vec<Outcome> {
    let [_, states, outputs, results, tables @ ..] = memories else {
        unreachable!("`memories` has made them")
    };
    let output = definition.output.expect("the handlers send");
    let room = output.size * definition.max_outputs as usize;
    let outcomes = calls.iter().enumerate().map(|(number, call)| {
        let code = u16::try_from(word(results, number * RESULT)).expect("an error code has 16 bits");
        let sent = if code == 0 { word(results, number * RESULT + 4) as usize } else { 0 };
        let size = call.state.ty().size;
        let mut state = call.state.clone();
        state.bytes_mut().copy_from_slice(&states[number * size..(number + 1) * size]);
        let mut sends = Memory::zeroed(output, sent);
        let first = number * room;
        sends.bytes_mut().copy_from_slice(&outputs[first..first + sent * output.size]);
        let mut bindings = call.bindings.clone();
        for (binding, table) in bindings.iter_mut().zip(tables) {
            let size = binding.bytes().len();
            binding.bytes_mut().copy_from_slice(&table[number * size..(number + 1) * size]);
        }
        let (timers, later) = (Vec::new(), Memory::zeroed(definition.message, 0));
        Outcome { code, state, outputs: sends, timers, later, bindings, prints: Vec::new() }
    });
    outcomes.collect()
}

/// The name of the function or the constant that a paragraph of a handler's text is: `static u32 name(`,
/// `CONSTANT const u32 NAME = `.
pub(crate) fn own_name(paragraph: &str) -> Option<&str> {
    if let Some(constant) = paragraph.trim().strip_prefix("CONSTANT const ") {
        return constant.split_once(" = ")?.0.rsplit(' ').next();
    }
    let line = paragraph.lines().find(|line| !line.starts_with("//") && !line.is_empty())?;
    let (head, _) = line.strip_suffix('{')?.split_once('(')?;
    head.starts_with("static").then(|| head.rsplit(' ').next())?
}

/// What a text says whose handler asks for more than the message.
const HEARS: [&str; 4] =
    ["#define ANN_TIMERS ", "#define ANN_ASKS_QUEUE ", "#define ANN_ASKS_TIME ", "#define ANN_ASKS_STAMP "];

/// The parameters for what such a handler asks for, the arguments, and what stands before the call and behind it.
fn heard(definition: &KernelDefinition) -> (String, String, String, String) {
    let mut parameters = ", u32 queue, u64 time, u64 stamp".to_owned();
    let mut arguments = ", (u32)told[3 * call], told[3 * call + 1], told[3 * call + 2]".to_owned();
    let (mut begin, mut end) = (String::new(), String::new());
    if let Some(timers) = definition.timers {
        let each = timers.each;
        parameters.insert_str(0, ", PRIVATE ann_later *later");
        arguments.insert_str(0, ", &later");
        begin = format!(
            "    ann_later later;
    later.next = (GLOBAL ann_timer *)entries + call * {each};
    later.first = later_messages + call * {each} * sizeof(ANN_MESSAGE);
    later.stride = sizeof(ANN_MESSAGE);
    later.now = told[3 * call + 1];
    later.limit = {each};
    later.set = 0;
    later.refused = 0;
"
        );
        // 0xFF0B is `TIMERS_FULL`.
        end =
            "    if (code == 0u && later.refused) code = 0xFF0Bu;\n    told[3 * call] = later.set;\n".into();
    }
    (parameters, arguments, begin, end)
}

/// A program: what the handlers have in common once, each handler with an entry of its own, and a kernel that
/// calls one of them.
fn text(definitions: &[&'static KernelDefinition], texts: &[String], hears: bool) -> Result<String, String> {
    let mut source = format!(
        "#define ANN_LAUNCH_THREADS 1\n#define ANN_LAUNCH_PORTABLE 1\n{OPENCL_PRELUDE}\n{INTERFACE}\n{LANGUAGE_SOURCE}\n\
         #define ANN_STATELESS 0\n#define ANN_PER_ACTOR 1\n#define ANN_WHOLE 2\n"
    );
    // All handlers have the same tables.
    let bindings = definitions.first().map_or(&[][..], |definition| definition.bindings);
    let (mut tables, mut handed_on, mut of_call) = (String::new(), String::new(), String::new());
    if hears {
        tables += ", GLOBAL u64 *told, GLOBAL u8 *entries, GLOBAL u8 *later_messages";
        handed_on += ", told, entries, later_messages";
    }
    for (number, binding) in bindings.iter().enumerate() {
        tables += &format!(", GLOBAL u8 *table_{number}");
        handed_on += &format!(", table_{number}");
        let bytes = ELEMENTS * binding.ty.size;
        of_call += &format!(", (GLOBAL void *)(table_{number} + call * {bytes}), {ELEMENTS}");
    }
    let mut known = BTreeSet::new();
    let mut cases = String::new();
    for (index, (definition, handler)) in definitions.iter().zip(texts).enumerate() {
        let (types, rest) =
            handler.split_at(handler.find("static u32 handle_").ok_or("there is no handler")?);
        let (function, macros) =
            rest.split_at(rest.find("#define ANN_MESSAGE").ok_or("there are no macros")?);
        // Types are told apart by their names, which are the same for all handlers of a module. Functions and
        // constants are not: they are numbered.
        let mut functions = String::new();
        for paragraph in types.split("\n\n") {
            if let Some(name) = own_name(paragraph) {
                writeln!(functions, "#define {name} {name}_of_{index}\n{paragraph}\n")
                    .expect("a String takes all");
            } else if (["typedef", "RS_", "#define ANN_IS_ASK"].iter().any(|word| paragraph.contains(word)))
                && known.insert(paragraph.trim().to_owned())
            {
                writeln!(source, "{paragraph}\n").expect("a String takes all");
            }
        }
        let names = types.split("\n\n").filter_map(own_name);
        let undo_functions: String = names.map(|name| format!("#undef {name}\n")).collect();
        let undo: String = macros
            .lines()
            .filter_map(|line| line.strip_prefix("#define "))
            .filter_map(|line| line.split([' ', '(']).next())
            .map(|name| format!("#undef {name}\n"))
            .collect();
        let room = definition.max_outputs;
        let (hearing, heard, begin, end) = if hears { heard(definition) } else { Default::default() };
        writeln!(
            source,
            "{functions}{function}\n{macros}
#ifndef ANN_STATE
#define ANN_STATE u8
#endif
static u32 call_{index}(
    ann_cx cx, GLOBAL const ANN_MESSAGE *message, PRIVATE ANN_STATE *state, PRIVATE ann_outbox *outbox{hearing} ANN_BINDING_PARAMETERS)
{{
    return ANN_CALL(cx, message, state, outbox);
}}
static void entry_{index}(u32 stride, GLOBAL const u8 *messages, GLOBAL u8 *states, GLOBAL u8 *outputs, GLOBAL u32 *results{tables})
{{
    u64 call = get_global_id(0);
    ann_outbox outbox;
    outbox.first = outputs + call * {room} * sizeof(ANN_OUTPUT);
    outbox.ticket = 0;
    outbox.mask = 0xFF;
    outbox.stride = sizeof(ANN_OUTPUT);
    outbox.limit = {room};
    outbox.sent = 0;
    outbox.refused = 0;
    ann_cx cx;
    cx.block_index = 3;
    cx.grid_size = 5;
    cx.thread_index = 0;
{begin}    ANN_STATE state = ((GLOBAL ANN_STATE *)states)[call];
    u32 code = call_{index}(cx, (GLOBAL const ANN_MESSAGE *)messages + call * stride, &state, &outbox{heard}{of_call});
    if (code == 0u && outbox.refused) code = 0xFF02u;
{end}    if (code == 0u) ((GLOBAL ANN_STATE *)states)[call] = state;
    results[2 * call] = code;
    results[2 * call + 1] = outbox.sent;
}}
#undef ANN_STATE
{undo}{undo_functions}"
        )
        .expect("a String takes all");
        writeln!(
            cases,
            "    case {index}: entry_{index}(stride, messages, states, outputs, results{handed_on}); break;"
        )
        .expect("a String takes all");
    }
    writeln!(
        source,
        "__kernel void run(u32 which, u32 stride, GLOBAL const u8 *messages, GLOBAL u8 *states, GLOBAL u8 *outputs, GLOBAL u32 *results{tables})
{{
    switch (which) {{
{cases}    }}
}}"
    )
    .expect("a String takes all");
    Ok(source)
}
