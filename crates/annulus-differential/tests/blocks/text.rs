//! A program for a device: handlers that a whole block runs, each with a kernel of its own.

use std::{collections::BTreeSet, fmt::Write as _};

use annulus_differential::generate::{ELEMENTS, KEPT};
use annulus_kernel::{
    BindingKind, KernelDefinition, LANGUAGE_SOURCE, Target,
    device::{CUDA_PRELUDE, INTERFACE, OPENCL_PRELUDE},
};

use crate::device::own_name;

/// What stands in the text of each such handler, and here once.
const MEETING: &str = include_str!("../../../annulus-kernel/c/cooperate.c");
/// What stands in the texts of those whose warps exchange values, and depends on their word.
const WARPS: &str = include_str!("../../../annulus-kernel/c/warps.c");

/// The names that [`WARPS`] defines: functions, and macros.
fn names_of_warps(target: Target) -> (Vec<&'static str>, Vec<&'static str>) {
    let mut functions = vec!["ann_lane_at"];
    let mut macros =
        vec!["ANN_HAS_WARPS", "ANN_WARP_MEMORY", "ann_warp_barrier", "ann_shuffle_u32", "ann_shuffle_u64"];
    if target == Target::Cuda {
        functions.push("ann_warp_lanes");
        macros.push("ann_ballot");
    } else {
        functions.extend(["ann_shuffle", "ann_ballot"]);
    }
    (functions, macros)
}

/// A block's work on messages, as the block's own text does it (`ann_handle` and `ann_transact`): `each`
/// messages one after the other, so that what one leaves in the block's memory meets the next.
const ENTRY: &str = "
typedef struct {
    LOCAL ann_block_memory *together;
    PRIVATE ann_round *rounds;
} ann_test_view;
ANN_KERNEL void run_@(u32 each, u32 all, GLOBAL const u8 *messages, GLOBAL u8 *states, GLOBAL u8 *outputs, GLOBAL u32 *results$TABLES)
{
    ANN_SHARED ann_block_memory together;
    ann_round rounds;
    ann_test_view view;
    view.together = &together;
    view.rounds = &rounds;
    PRIVATE ann_test_view *v = &view;
    ann_begin_meeting(&together.meeting, &rounds);
    ann_barrier();
    u32 leads = ann_thread(&rounds) == 0;
    u32 begin = ann_block(&rounds) * each;
    u32 end = begin + each < all ? begin + each : all;
    for (u32 call = begin; call < end; call++) {
        ann_outbox outbox;
        outbox.first = outputs + (u64)call * $ROOM * sizeof(ANN_OUTPUT);
        outbox.ticket = 0;
        outbox.mask = ~(u64)0;
        outbox.stride = sizeof(ANN_OUTPUT);
        outbox.limit = leads ? $ROOM : 0;
        outbox.sent = 0;
        outbox.refused = 0;
        ann_cx cx;
        cx.block_index = 3;
        cx.grid_size = 5;
        cx.thread_index = ann_thread(&rounds);
        u32 first = 0;
        GLOBAL ANN_STATE *cell = (GLOBAL ANN_STATE *)states + call;
        GLOBAL const ANN_MESSAGE *message = (GLOBAL const ANN_MESSAGE *)messages + call;
        if (leads)
            v->together->state = *cell;
$OF_CALL
        u32 code = ANN_CALL(cx, message, &v->together->state, &outbox);
        if ((code == 0 || code == ANN_RETURNED) && outbox.refused)
            code = 0xFF02u;
        code = ann_end_meeting(&v->together->meeting, v->rounds, code);
        if (code == 0 && leads)
            *cell = v->together->state;
        if (leads) {
            results[2 * call] = code;
            results[2 * call + 1] = outbox.sent;
        }
    }
}
";

/// The program of these handlers, whose blocks have so many threads. The kernel of each is `run_` and its
/// number.
pub(super) fn program(
    target: Target,
    handlers: &[(usize, &'static KernelDefinition)],
    threads: u32,
) -> Result<String, String> {
    let (prelude, portable) = match target {
        Target::Cuda => (CUDA_PRELUDE, 0),
        _ => (OPENCL_PRELUDE, 1),
    };
    let mut source = format!(
        "#define ANN_LAUNCH_THREADS {threads}\n#define ANN_LAUNCH_PORTABLE {portable}\n{prelude}\n{INTERFACE}\n\
         {LANGUAGE_SOURCE}\n#define ANN_STATELESS 0\n#define ANN_PER_ACTOR 1\n#define ANN_WHOLE 2\n{MEETING}\n"
    );
    let mut known = BTreeSet::new();
    for &(index, definition) in handlers {
        let handler = definition.handler_source(target).map_err(|error| error.to_string())?;
        add(&mut source, target, index, definition, &handler, &mut known)
            .ok_or_else(|| format!("the text of {} is not as it was", definition.name))?;
    }
    Ok(source)
}

fn add(
    source: &mut String,
    target: Target,
    index: usize,
    definition: &KernelDefinition,
    handler: &str,
    known: &mut BTreeSet<String>,
) -> Option<()> {
    let mut put = |text: &str| source.push_str(text);
    let (before, after) = handler.split_once(MEETING)?;
    let mut handler = format!("{before}{after}");
    let mut renamed = vec!["ann_block_memory", "ann_test_view"];
    if target == Target::Cuda {
        renamed.extend(["ann_block_arrays", "ann_arrays"]);
    }
    let mut undone = Vec::new();
    let own_warps;
    if let Some((before, after)) = handler.split_once(WARPS) {
        let (before, word) = before.rsplit_once("#define ANN_WARP_WORD ")?;
        let (functions, macros) = names_of_warps(target);
        renamed.extend(functions);
        undone.extend(macros);
        undone.push("ANN_WARP_WORD");
        own_warps = format!("#define ANN_WARP_WORD {word}{WARPS}");
        handler = format!("{before}{after}");
    } else {
        own_warps = String::new();
    }
    let (types, rest) = handler.split_at(handler.find("static u32 handle_").or_else(|| {
        // CUDA's is a function of the device.
        handler.find("static __device__ u32 handle_")
    })?);
    let (function, macros) = rest.split_at(rest.find("#define ANN_MESSAGE")?);
    // Types are told apart by their names, which are the same for all handlers of a module. Functions and
    // constants are not: they are numbered.
    let mut functions = String::new();
    let own: BTreeSet<&str> = types.split("\n\n").filter_map(own_name).collect();
    for name in own.iter().chain(&renamed) {
        put(&format!("#define {name} {name}_of_{index}\n"));
    }
    for paragraph in types.split("\n\n") {
        if own_name(paragraph).is_some() || paragraph.contains("ann_block_memory") {
            writeln!(functions, "{paragraph}\n").expect("a String takes all");
        } else if (paragraph.contains("typedef") || paragraph.contains("RS_"))
            && known.insert(paragraph.trim().to_owned())
        {
            put(paragraph);
            put("\n\n");
        }
    }
    let (mut tables, mut of_call) = (String::new(), String::new());
    for (number, binding) in definition.bindings.iter().enumerate() {
        tables += &format!(", GLOBAL u8 *table_{number}");
        let is_kept = binding.kind == BindingKind::Whole;
        let (elements, volatile) = if is_kept { (KEPT, "") } else { (ELEMENTS, "volatile ") };
        let (bytes, name) = (elements * binding.ty.size, binding.name);
        let ty = match binding.ty.name {
            "f32" => "float",
            "f64" => "double",
            "usize" => "u64",
            "isize" => "i64",
            integer => integer,
        };
        of_call += &format!(
            "        {volatile}GLOBAL {ty} *bind_{name} = ({volatile}GLOBAL {ty} *)(table_{number} + (u64)call * {bytes});\n\
             \x20       u64 len_of_bind_{name} = {elements};\n"
        );
    }
    let entry = ENTRY
        .replace('@', &index.to_string())
        .replace("$TABLES", &tables)
        .replace("$OF_CALL", &of_call)
        .replace("$ROOM", &definition.max_outputs.to_string());
    for text in [&own_warps, &functions, function, macros, &entry] {
        put(text);
        put("\n");
    }
    let macros = macros
        .lines()
        .filter_map(|line| line.strip_prefix("#define "))
        .filter_map(|line| line.split([' ', '(']).next());
    for name in macros.chain(own).chain(renamed).chain(undone) {
        put(&format!("#undef {name}\n"));
    }
    Some(())
}
