//! X-05, T-08: every kernel's whole CUDA program, through NVIDIA's compiler to PTX, many to machine code. It needs no GPU,
//! but the library NVRTC, which `./test` installs; where it is missing the tests say so and check nothing.
#![cfg(target_os = "linux")]

extern crate annulus_runtime as annulus;

mod code;
mod compiler;
mod counts;
mod machine;
mod modelled;
mod modelled_page;

use std::sync::Mutex;

use annulus_block::ENTRY;
use annulus_conformance::kernels;
use annulus_cuda::Shape;
use annulus_kernel::{KernelShape, ProcessingMode, RingKernel, StateShape};

use crate::compiler::{Effort, nvrtc, program};

/// The architectures that are supported: Turing to Blackwell.
const ARCHITECTURES: [u32; 7] = [75, 80, 86, 89, 90, 100, 120];

fn threads(threads: u32) -> Shape {
    Shape { threads, ..Shape::default() }
}

#[test]
fn every_kernel_compiles() {
    let Some(nvrtc) = nvrtc() else { return };
    let lists = [
        kernels::SUITE,
        kernels::CONSTRUCTS,
        kernels::CORNERS,
        kernels::EDGES,
        kernels::VALUES,
        kernels::ITEMS,
        kernels::OWN,
        kernels::OWN_EDGES,
        // Without its neighbour, `nothing`: a value that takes no place has none, of which the compiler
        // warns.
        &[kernels::no_place::temporaries::DEFINITION],
        kernels::NAMES,
        kernels::REAL,
        kernels::prints::PRINTS,
        kernels::times::TIMES,
        kernels::together::TOGETHER,
        kernels::bodies::BODIES,
        kernels::order::ORDER,
        kernels::ports::PORTS,
        kernels::through::THROUGH,
        kernels::timers::TIMERS,
        kernels::events::EVENTS,
        kernels::variants::VARIANTS,
        kernels::peers::PEERS,
        kernels::barriers::BARRIERS,
        kernels::topics::TOPICS,
        kernels::rows::ROWS,
        kernels::replied::REPLIED,
        kernels::asks::ASKING,
        kernels::stamps::STAMPED,
        kernels::balance::BALANCE,
        &[kernels::shared::shares_much::DEFINITION],
    ];
    let definitions: Vec<_> = lists.into_iter().flatten().collect();
    let left = Mutex::new(definitions.iter().enumerate());
    let wrong = Mutex::new(Vec::new());
    let work = || {
        loop {
            let next = left.lock().unwrap().next();
            let Some((index, definition)) = next else { return };
            // Each for one of the architectures, with one thread or many, with open slots or sealed ones,
            // some connected, some in step.
            let architecture = ARCHITECTURES[index % ARCHITECTURES.len()];
            let (threads, sealed) = [(1, false), (64, false), (64, true)][index % 3];
            // Blocks with timers have one thread, and are by themselves.
            let is_alone = definition.timers.is_some();
            // Nor have those that calls go through; these are connected.
            let [into_variants, through, replied, asking, at_barriers, stamped] = [
                kernels::variants::VARIANTS,
                kernels::through::THROUGH,
                kernels::replied::REPLIED,
                kernels::asks::ASKING,
                kernels::barriers::BARRIERS,
                kernels::stamps::STAMPED,
            ]
            .map(|list| list.iter().any(|other| other.name == definition.name));
            let through = through || asking || replied && index % 2 == 0;
            let to_peers = definition.peers.is_some();
            let (threads, sealed) = if is_alone || through { (1, false) } else { (threads, sealed) };
            let sealed = sealed && !stamped;
            // Bodies have several threads, and neither links nor supersteps.
            let is_body = definition.shape == KernelShape::Body;
            let threads = if is_body { 64 } else { threads };
            let connectable = through
                || index % 2 == 0 && !is_alone && !is_body
                || into_variants
                || to_peers
                || at_barriers;
            let by_key = matches!(definition.state, StateShape::PerActor(_));
            let shape = Shape {
                threads,
                sealed,
                // With open slots of its own, every other one.
                seals: connectable && definition.output.is_some() && (sealed || index % 4 < 2),
                connectable,
                into_variants: into_variants || at_barriers,
                supersteps: index % 5 == 0 && !is_alone && !is_body && !through,
                rounds: index % 10 == 0 && !is_alone && !is_body && !through,
                sparse: by_key && index % 2 == 0,
                evicts: by_key && index % 4 == 0,
                blocks: 1,
                adaptive: definition.mode == ProcessingMode::Adaptive,
                counts_turns: index % 7 == 0,
                sequential: index % 11 == 0,
                through,
                traced: !sealed && index % 2 == 1 || through,
                hold: 0,
                causal: stamped || !sealed && !is_body && index % 3 == 0,
                arrays: 0,
            };
            let program = program(definition, shape);
            // Some to machine code as users get it: what the compiler optimises is much the same in all, the
            // block. A long run has all so.
            let is_whole = index % 8 == 0 || std::env::var_os("ANNULUS_LONG").is_some();
            let effort = if is_whole { Effort::Whole } else { Effort::Text };
            match nvrtc.compile(&program, architecture, effort) {
                Ok(compiled) if is_whole => {
                    assert!(compiled.cubin.starts_with(b"\x7fELF"), "{}", definition.name);
                }
                Ok(compiled) => assert!(compiled.ptx.contains(ENTRY), "{}", definition.name),
                Err(error) => wrong.lock().unwrap().push(format!("{}: {error}", definition.name)),
            }
        }
    };
    std::thread::scope(|scope| {
        scope.spawn(work);
        work();
    });
    let wrong = wrong.into_inner().unwrap();
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), definitions.len(), wrong.join("\n"));
}

/// Kernels that read archives: with one thread and many, for the oldest and the newest architecture.
#[test]
fn kernels_of_bridged_messages_compile() {
    let Some(nvrtc) = nvrtc() else { return };
    for definition in [kernels::bridged::digest::DEFINITION, kernels::bridged::books::DEFINITION] {
        for (architecture, count) in [(75, 1), (120, 64)] {
            let program = program(definition, threads(count));
            match nvrtc.compile(&program, architecture, Effort::Whole) {
                Ok(compiled) => assert!(compiled.cubin.starts_with(b"\x7fELF"), "{}", definition.name),
                Err(error) => panic!("{}: {error}", definition.name),
            }
        }
    }
}

/// Every number type's functions, and one kernel of the suite, for every architecture.
#[test]
fn every_architecture_has_machine_code() {
    let Some(nvrtc) = nvrtc() else { return };
    for (index, architecture) in ARCHITECTURES.into_iter().enumerate() {
        for sealed in [false, true] {
            let shape = Shape { sealed, ..threads(32) };
            let program = program(kernels::real::order_book::DEFINITION, shape);
            // By turns open and sealed slots as users get them.
            let effort = if sealed == (index % 2 == 0) { Effort::Whole } else { Effort::Quick };
            let compiled =
                nvrtc.compile(&program, architecture, effort).unwrap_or_else(|error| panic!("{error}"));
            assert!(compiled.cubin.windows(ENTRY.len()).any(|bytes| bytes == ENTRY.as_bytes()));
        }
    }
}

/// B-02: the orderings that the protocols are argued by are in what is compiled, at system scope, and nothing
/// reads and writes a word in one step but in the block's own memory.
#[test]
fn orderings_are_in_the_ptx() {
    let Some(nvrtc) = nvrtc() else { return };
    let compiled = nvrtc.compile(&program(kernels::real::detect::DEFINITION, threads(32)), 90, Effort::Ptx);
    let ptx = compiled.unwrap_or_else(|error| panic!("{error}")).ptx;
    for needed in [
        "ld.relaxed.sys.u32",
        "st.relaxed.sys.u32",
        "st.release.sys",
        "fence.acq_rel.sys",
        "fence.sc.sys",
        "%globaltimer",
        "nanosleep.u32",
        "bar.sync",
    ] {
        assert!(ptx.contains(needed), "`{needed}` is missing");
    }
    for forbidden in ["atom.", "red.", "fma."] {
        let found =
            ptx.lines().find(|line| line.trim_start().starts_with(forbidden) && !line.contains(".shared."));
        assert_eq!(found, None, "this kernel has none of its own");
    }
    // What threads count their prints by is the block's own.
    let compiled =
        nvrtc.compile(&program(kernels::prints::print_actors::DEFINITION, threads(32)), 90, Effort::Ptx);
    let ptx = compiled.unwrap_or_else(|error| panic!("{error}")).ptx;
    let counts: Vec<&str> =
        ptx.lines().map(str::trim_start).filter(|line| line.starts_with("atom.")).collect();
    assert!(!counts.is_empty() && counts.iter().all(|line| line.starts_with("atom.shared.")), "{counts:?}");
}

/// The block reads words of eight bytes that it has stored as words of four, and the other way round, so a compiler must not
/// suppose that places of different types are different places.
#[test]
fn the_compiler_supposes_nothing_by_types() {
    let Some(nvrtc) = nvrtc() else { return };
    let text = "extern \"C\" __global__ void f(unsigned *word, unsigned long long *pair, float *real, unsigned *out)\n\
                {\n    word[0] = 1;\n    *pair = 2;\n    out[0] = word[0];\n    word[1] = 3;\n    *real = 4;\n    out[1] = word[1];\n}\n";
    let ptx = nvrtc.compile(text, 90, Effort::Ptx).unwrap_or_else(|error| panic!("{error}")).ptx;
    assert_eq!(ptx.matches("ld.global.u32").count(), 2, "each word is loaded behind the other store:\n{ptx}");
}

/// What kernels send to each other is ordered at the device's scope, which waits for nothing across the bus,
/// and tickets are taken there in one step.
#[test]
fn words_between_kernels_have_the_devices_scope() {
    let Some(nvrtc) = nvrtc() else { return };
    for threads in [1, 32] {
        let shape = Shape { connectable: true, ..self::threads(threads) };
        let compiled = nvrtc.compile(&program(kernels::real::detect::DEFINITION, shape), 90, Effort::Ptx);
        let ptx = compiled.unwrap_or_else(|error| panic!("{error}")).ptx;
        for needed in [
            "ld.relaxed.gpu.u32",
            "ld.acquire.gpu.u32",
            "st.relaxed.gpu.u32",
            "st.release.gpu.u32",
            "fence.acq_rel.gpu",
            "atom.relaxed.gpu.cas.b32",
        ] {
            assert!(ptx.contains(needed), "`{needed}` is missing");
        }
        let steps = ptx.lines().map(str::trim_start).filter(|line| line.starts_with("atom."));
        let others: Vec<&str> = steps
            .filter(|line| !line.contains(".shared.") && !line.starts_with("atom.relaxed.gpu.cas"))
            .collect();
        assert!(others.is_empty(), "{others:?}");
    }
}

/// What loads and fences of a program's PTX there are, in their order.
fn accesses(ptx: &str) -> Vec<&str> {
    let interesting =
        |line: &&str| line.contains("ld.relaxed.sys") || line.contains("ld.u64") || line.contains("fence.");
    ptx.lines().map(str::trim).filter(interesting).collect()
}

/// How many times the program copies eight bytes of a slot or an output (`ann_load_word`). The compiler's own
/// loads are not in inline assembly.
fn words_copied(ptx: &str) -> usize {
    let lines: Vec<&str> = ptx.lines().map(str::trim).collect();
    lines.windows(2).filter(|pair| pair[0] == "// begin inline asm" && pair[1].starts_with("ld.u64")).count()
}

/// With sealed slots a unit is loaded in one relaxed access of 16 bytes: by one instruction for all threads that look, which
/// brings the command and the gauge, too; by eight where the leader looks alone; and sixteen of each thread's share; and stored
/// in one. A leader
/// that finds no room loads one unit of the next slot, to see whether it is a call (`ann_next_is_call`, which
/// stands at three places). There is no other load of messages from the ring: with open slots it is weak loads
/// of words.
#[test]
fn sealed_slots_are_loaded_once() {
    let Some(nvrtc) = nvrtc() else { return };
    let ptx = |definition, sealed| {
        let compiled = nvrtc.compile(&program(definition, Shape { sealed, ..threads(32) }), 90, Effort::Ptx);
        compiled.unwrap_or_else(|error| panic!("{error}")).ptx
    };
    let count = |ptx: &str, what: &str| accesses(ptx).iter().filter(|line| line.contains(what)).count();
    let open = ptx(kernels::real::detect::DEFINITION, false);
    assert_eq!(open.matches(".b128").count(), 0);
    assert_ne!(words_copied(&open), 0);
    let sealed = ptx(kernels::real::detect::DEFINITION, true);
    assert_eq!(count(&sealed, "ld.relaxed.sys.b128"), 1 + 16 + 3);
    assert!(sealed.contains("st.relaxed.sys.b128"));
    // The next slot's unit, the command or the gauge, whichever the thread has to load: nothing else is loaded in the look.
    let vote = sealed.find("vote.sync").expect("threads that look vote");
    let look = sealed[..vote].rfind("ld.relaxed.sys").expect("they have looked");
    assert!(sealed[look..].starts_with("ld.relaxed.sys.b128"), "{}", &sealed[look..vote]);
    // Who sends no outputs copies no words at all: what is left to copy is answers, to a ring that may be
    // open.
    let silent = |sealed| words_copied(&ptx(kernels::swallow::DEFINITION, sealed));
    assert_eq!(silent(true), 0);
    assert_ne!(silent(false), 0);
}

/// what threads of a warp give each other goes from register to register.
#[test]
fn x02_warps_exchange_by_instructions() {
    let Some(nvrtc) = nvrtc() else { return };
    let ptx = |definition, threads| {
        let compiled = nvrtc.compile(&program(definition, self::threads(threads)), 90, Effort::Ptx);
        compiled.unwrap_or_else(|error| panic!("{error}")).ptx
    };
    for threads in [64, 40] {
        let ptx = ptx(kernels::warps::of_warps::DEFINITION, threads);
        for needed in ["shfl.sync.idx.b32", "vote.sync.ballot.b32"] {
            assert!(ptx.contains(needed), "{threads} threads: `{needed}` is missing");
        }
    }
    assert!(ptx(kernels::warps::torn_warps::DEFINITION, 64).contains("bar.warp.sync"));
}

/// a handler's arrays are what the launch gives each block, for every architecture: a compiler would refuse 100 KiB
/// of the program's own. Texts of handlers without arrays ask for nothing of a launch.
#[test]
fn x02_arrays_are_what_a_launch_gives() {
    let Some(nvrtc) = nvrtc() else { return };
    for architecture in ARCHITECTURES {
        let ptx = |definition| {
            let compiled = nvrtc.compile(&program(definition, threads(256)), architecture, Effort::Ptx);
            compiled.unwrap_or_else(|error| panic!("{error}")).ptx
        };
        let given = ptx(kernels::shared::shares_much::DEFINITION);
        let given: Vec<_> = given.lines().filter(|line| line.starts_with(".extern .shared")).collect();
        assert_eq!(given.len(), 1, "{given:?}");
        assert!(given[0].contains("ann_arrays"), "{given:?}");
        assert!(!ptx(kernels::together::float_sum::DEFINITION).contains(".extern .shared"));
    }
}

/// B-06: the barrier of the grid is in the PTX of kernels in step alone, for every architecture, in
/// the device's scope: one word that blocks count in, and no other is read and written in one step.
#[test]
fn b06_the_grids_barrier_is_in_the_ptx() {
    let Some(nvrtc) = nvrtc() else { return };
    for architecture in ARCHITECTURES {
        for threads in [1, 32] {
            let shape = Shape { threads, supersteps: true, ..Shape::default() };
            let program = program(kernels::real::detect::DEFINITION, shape);
            let ptx = nvrtc
                .compile(&program, architecture, Effort::Ptx)
                .unwrap_or_else(|error| panic!("{error}"))
                .ptx;
            for needed in
                ["ld.relaxed.gpu.u32", "ld.acquire.gpu.u32", "st.relaxed.gpu.u32", "st.release.gpu.u32"]
            {
                assert!(ptx.contains(needed), "sm_{architecture}: `{needed}` is missing");
            }
            let steps: Vec<&str> = ptx
                .lines()
                .map(str::trim_start)
                .filter(|line| line.starts_with("atom.") && !line.contains(".shared."))
                .collect();
            assert!(
                !steps.is_empty() && steps.iter().all(|line| line.starts_with("atom.add.acq_rel.gpu.u32")),
                "sm_{architecture}: {steps:?}"
            );
        }
    }
    let without = nvrtc.compile(&program(kernels::real::detect::DEFINITION, threads(32)), 90, Effort::Ptx);
    let ptx = without.unwrap_or_else(|error| panic!("{error}")).ptx;
    assert!(!ptx.contains(".gpu."), "kernels out of step know no other blocks");
}

/// B-03: a handler's fences have the scopes that it asks for.
#[test]
fn b03_fences_have_their_scopes_in_the_ptx() {
    let Some(nvrtc) = nvrtc() else { return };
    let compiled = nvrtc.compile(&program(kernels::order::litmus::DEFINITION, threads(1)), 90, Effort::Ptx);
    let ptx = compiled.unwrap_or_else(|error| panic!("{error}")).ptx;
    // PTX's other names for `fence.sc.cta`, `fence.sc.gpu` and `fence.sc.sys`.
    for needed in ["membar.cta;", "membar.gl;", "membar.sys;"] {
        assert_eq!(ptx.matches(needed).count(), 1, "`{needed}`");
    }
}

/// B-04: with `Sequential`, a fence for the system stands before each of the program's calls of the handler;
/// without, there is none more than before.
#[test]
fn b04_sequential_fences_before_each_handler() {
    let Some(nvrtc) = nvrtc() else { return };
    for threads in [1, 32] {
        let fences = |sequential| {
            let shape = Shape { sequential, ..self::threads(threads) };
            let compiled = nvrtc.compile(&program(kernels::echo::DEFINITION, shape), 90, Effort::Ptx);
            let ptx = compiled.unwrap_or_else(|error| panic!("{error}")).ptx;
            ptx.matches("fence.sc.sys").count()
        };
        // With several threads the leader handles single messages itself.
        let calls = if threads == 1 { 1 } else { 2 };
        assert_eq!(fences(true), fences(false) + calls, "{threads} threads");
    }
}
