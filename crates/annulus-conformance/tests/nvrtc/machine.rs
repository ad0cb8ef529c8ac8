//! Machine code of NVIDIA's GPUs, run on the processor: what one block does, instruction by instruction, as
//! `nvdisasm` shows it, so that what a path costs is counted from what the compiler made, and not from what
//! was written.
//!
//! It knows the instructions that device programs without floating point need, and stops at any other.
//! Threads of a warp go on together, part at branches and meet where the code says so (`BSSY`, `BSYNC`,
//! `WARPSYNC`, `BAR`). An instruction waits for what its control bits say that it waits for: scoreboards of
//! loads, and the cycles that the compiler counted. Each thread carries a [`Time`]: the longest chain of
//! waits behind it, by several measures at once.
//!
//! Memory is that of this process, so a host of this process talks to the block between two instructions.

use std::collections::HashMap;

use crate::code::{Code, Instruction, Operand};

mod compute;
mod step;

use compute::pair;

/// The longest chain up to some moment, by several measures that do not know of each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Time {
    /// Loads of the host's memory that waited for each other.
    pub(crate) host_loads: u32,
    /// Fences at the system's scope, one after the other.
    pub(crate) fences: u32,
    /// Barriers of the block.
    pub(crate) barriers: u32,
    /// Loads of the device's memory, and atomic operations there, that waited for each other.
    pub(crate) device_loads: u32,
    /// Cycles, by [`Costs`]: a model.
    pub(crate) cycles: u64,
    /// What the chain of most cycles spent them on, by [`Spent`]: it sums up to them.
    pub(crate) spent: [u64; Spent::COUNT],
}

/// What a chain of waits spends cycles on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Spent {
    /// Loads of the host's memory.
    HostLoads,
    /// Fences at the system's scope.
    SystemFences,
    /// Loads of the device's memory, and atomic operations there.
    DeviceLoads,
    /// Fences at the device's scope.
    DeviceFences,
    /// Barriers of the block.
    Barriers,
    /// The block's own memory, and exchanges between threads of a warp.
    Shared,
    /// All else: one instruction behind the other.
    Instructions,
}

impl Spent {
    pub(crate) const COUNT: usize = 7;
}

impl Time {
    /// So many cycles later.
    fn plus(mut self, cycles: u64, on: Spent) -> Self {
        self.cycles += cycles;
        self.spent[on as usize] += cycles;
        self
    }

    fn max(self, other: Self) -> Self {
        Self {
            spent: if other.cycles > self.cycles { other.spent } else { self.spent },
            host_loads: self.host_loads.max(other.host_loads),
            fences: self.fences.max(other.fences),
            barriers: self.barriers.max(other.barriers),
            device_loads: self.device_loads.max(other.device_loads),
            cycles: self.cycles.max(other.cycles),
        }
    }
}

impl std::ops::Sub for Time {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self {
            host_loads: self.host_loads.saturating_sub(other.host_loads),
            fences: self.fences.saturating_sub(other.fences),
            barriers: self.barriers.saturating_sub(other.barriers),
            device_loads: self.device_loads.saturating_sub(other.device_loads),
            cycles: self.cycles.saturating_sub(other.cycles),
            spent: std::array::from_fn(|on| self.spent[on].saturating_sub(other.spent[on])),
        }
    }
}

/// What the model's clock says of what takes long, in cycles.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Costs {
    pub(crate) host_load: u64,
    pub(crate) device_load: u64,
    pub(crate) system_fence: u64,
    pub(crate) device_fence: u64,
    pub(crate) barrier: u64,
    pub(crate) shared_load: u64,
    pub(crate) other: u64,
}

/// What was done, by all threads: a warp's instruction counts once.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Done {
    pub(crate) instructions: u64,
    pub(crate) system_fences: u32,
    /// Accesses at the system's scope, and fences.
    pub(crate) system_operations: u32,
    pub(crate) host_loads: u32,
    pub(crate) host_stores: u32,
    pub(crate) barriers: u32,
    /// Bytes that loads of the host's memory bring across the bus, in sectors of 32, and requests for them:
    /// one for each line of 128 bytes that a warp's instruction touches.
    pub(crate) bus_loaded: u64,
    pub(crate) bus_requests: u64,
    /// The same of stores.
    pub(crate) bus_stored: u64,
    pub(crate) bus_writes: u64,
}

/// Whose memory it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Owner {
    Host,
    Device,
}

/// Memory that the block may reach.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Range {
    pub(crate) base: *mut u8,
    pub(crate) bytes: usize,
    pub(crate) owner: Owner,
}

/// An access to memory beyond the block, as it is issued.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Access {
    pub(crate) address: u64,
    pub(crate) is_store: bool,
    pub(crate) time: Time,
}

const LANES: usize = 32;
/// Bytes of a thread's own memory, and where it lies for those who reach it by an address of any memory.
const STACK: usize = 2048;
const LOCAL_WINDOW: u64 = 1 << 56;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Wait {
    None,
    Converge(usize),
    Warp(u32),
    Block,
    Ended,
}

struct Lane {
    registers: [u32; 256],
    predicates: [bool; 8],
    local: Vec<u8>,
    now: Time,
    boards: [Time; 6],
    loads: Time,
    /// When the last load at more than the block's scope from a line of the host's memory is over.
    lines: HashMap<u64, Time>,
    at: usize,
    wait: Wait,
}

struct Warp {
    lanes: Vec<Lane>,
    uniform: [u32; 256],
    uniform_predicates: [bool; 8],
    barriers: [u32; 16],
    /// The threads that go on now, by preference.
    current: u32,
}

/// One block as it runs.
pub(crate) struct Machine<'a> {
    code: &'a Code,
    constants: Vec<u8>,
    ranges: Vec<Range>,
    shared: Vec<u8>,
    warps: Vec<Warp>,
    costs: Costs,
    clock: u64,
    turn: usize,
    /// An instruction that was awaited, and is not done yet.
    held: Option<(usize, u32, usize)>,
    pub(crate) done: Done,
    /// The accesses of the last instruction that had any.
    pub(crate) accesses: Vec<Access>,
}

impl<'a> Machine<'a> {
    /// With so many threads; `parameters` lie at an offset of the constants that the architecture says.
    pub(crate) fn new(
        code: &'a Code,
        threads: u32,
        parameters: (usize, &[u64]),
        ranges: Vec<Range>,
        costs: Costs,
    ) -> Self {
        let mut constants = vec![0; parameters.0 + parameters.1.len() * 8];
        // The stack's end is where the code looks for it.
        constants[0x28..0x2c].copy_from_slice(&(STACK as u32).to_le_bytes());
        constants[0x20..0x28].copy_from_slice(&LOCAL_WINDOW.to_le_bytes());
        if parameters.0 > 0x37c {
            constants[0x37c..0x380].copy_from_slice(&(STACK as u32).to_le_bytes());
            constants[0x2f8..0x300].copy_from_slice(&LOCAL_WINDOW.to_le_bytes());
        }
        for (index, value) in parameters.1.iter().enumerate() {
            let at = parameters.0 + index * 8;
            constants[at..at + 8].copy_from_slice(&value.to_le_bytes());
        }
        let lane = |_| Lane {
            registers: [0; 256],
            predicates: [true; 8],
            local: vec![0; STACK],
            now: Time::default(),
            boards: [Time::default(); 6],
            loads: Time::default(),
            lines: HashMap::new(),
            at: 0,
            wait: Wait::None,
        };
        let warp = |index: usize| Warp {
            lanes: (0..LANES.min(threads as usize - index * LANES)).map(lane).collect(),
            uniform: [0; 256],
            uniform_predicates: [true; 8],
            barriers: [0; 16],
            current: u32::MAX,
        };
        let warps = (0..(threads as usize).div_ceil(LANES)).map(warp).collect();
        let shared = vec![0xA5; 64 << 10];
        Self {
            code,
            constants,
            ranges,
            shared,
            warps,
            costs,
            clock: 1,
            turn: 0,
            held: None,
            done: Done::default(),
            accesses: Vec::new(),
        }
    }

    /// The latest of all threads.
    pub(crate) fn latest(&self) -> Time {
        self.warps.iter().flat_map(|warp| &warp.lanes).fold(Time::default(), |most, lane| most.max(lane.now))
    }

    /// Goes on until an instruction is about to access memory that `is_awaited`; before it does. The one that was
    /// awaited before is done first. Panics after so many instructions.
    pub(crate) fn run_until(&mut self, is_awaited: impl FnMut(&Access) -> bool) -> Access {
        if let Some((warp, mask, at)) = self.held.take() {
            self.step(warp, mask, at);
        }
        self.run_on_until(is_awaited)
    }

    /// As [`run_until`](Self::run_until); the instruction that was awaited before, and is not done yet, may be the
    /// one that is awaited now.
    pub(crate) fn run_on_until(&mut self, mut is_awaited: impl FnMut(&Access) -> bool) -> Access {
        let mut held = self.held.take();
        for _ in 0..4_000_000u32 {
            let (warp, mask, at) = held.take().unwrap_or_else(|| self.next());
            self.accesses.clear();
            self.look_ahead(warp, mask, at);
            if let Some(access) = self.accesses.iter().copied().find(|access| is_awaited(access)) {
                self.held = Some((warp, mask, at));
                return access;
            }
            self.step(warp, mask, at);
        }
        panic!("what was awaited does not come");
    }

    /// The threads that go on next, of one warp and at one place.
    fn next(&mut self) -> (usize, u32, usize) {
        let count = self.warps.len();
        for offset in 0..count {
            let index = (self.turn + offset) % count;
            let warp = &mut self.warps[index];
            let ready = warp.mask_of(|lane| lane.wait == Wait::None);
            if ready == 0 {
                continue;
            }
            self.turn = index;
            let preferred = if warp.current & ready != 0 { warp.current & ready } else { ready };
            let at = warp.lanes[preferred.trailing_zeros() as usize].at;
            let mask = preferred & warp.mask_of(|lane| lane.wait == Wait::None && lane.at == at);
            warp.current = mask;
            return (index, mask, at);
        }
        let places: Vec<_> = self.warps[0].lanes.iter().map(|lane| (lane.at, lane.wait)).collect();
        panic!("no thread can go on: {places:?}");
    }

    /// Which lanes of the mask do the instruction.
    fn active(&self, warp: usize, mask: u32, instruction: &Instruction) -> u32 {
        let warp = &self.warps[warp];
        let Some((number, is_uniform, is_not)) = instruction.guard else { return mask };
        warp.mask_of_set(mask, |lane| {
            let value = if is_uniform { warp.uniform_predicates[number] } else { lane.predicates[number] };
            value != is_not
        })
    }

    /// Notes what accesses to memory an instruction is about to make.
    fn look_ahead(&mut self, warp: usize, mask: u32, at: usize) {
        let code = self.code;
        let instruction = &code.instructions[at];
        if !matches!(instruction.name.as_str(), "LD" | "LDG" | "ST" | "STG" | "ATOM" | "ATOMG" | "RED") {
            return;
        }
        let active = self.active(warp, mask, instruction);
        let is_store = matches!(instruction.name.as_str(), "ST" | "STG");
        let memory =
            instruction.operands.iter().find(|one| matches!(one, Operand::Memory { .. })).expect("a place");
        let time = self.issue_time(warp, mask, instruction);
        for lane in lanes(active) {
            let address = self.address(warp, lane, memory, true);
            self.accesses.push(Access { address, is_store, time });
        }
    }

    fn address(&self, warp: usize, lane: usize, memory: &Operand, is_wide: bool) -> u64 {
        let Operand::Memory { register, is_short, uniform, offset } = memory else { panic!("{memory:?}") };
        let warp = &self.warps[warp];
        let mut address = *offset as u64;
        if let Some(register) = register {
            let registers = &warp.lanes[lane].registers;
            let value = if is_wide && !is_short {
                pair(registers, *register)
            } else {
                u64::from(registers[*register])
            };
            address = address.wrapping_add(value);
        }
        if let Some(uniform) = uniform {
            let value =
                if is_wide { pair(&warp.uniform, *uniform) } else { u64::from(warp.uniform[*uniform]) };
            address = address.wrapping_add(value);
        }
        if is_wide { address } else { address & 0xFF_FFFF }
    }

    /// When the instruction is issued: its threads go on together.
    fn issue_time(&self, warp: usize, mask: u32, instruction: &Instruction) -> Time {
        let warp = &self.warps[warp];
        lanes(mask).fold(Time::default(), |mut time, lane| {
            let lane = &warp.lanes[lane];
            time = time.max(lane.now);
            for (board, ready) in lane.boards.iter().enumerate() {
                if instruction.waits >> board & 1 != 0 {
                    time = time.max(*ready);
                }
            }
            time
        })
    }

    /// Where an address means the block's own memory: its window begins at 0 here.
    fn in_block(&self, address: u64) -> Option<usize> {
        (address < self.shared.len() as u64).then_some(address as usize)
    }

    fn in_thread(address: u64) -> Option<usize> {
        (LOCAL_WINDOW..LOCAL_WINDOW + STACK as u64)
            .contains(&address)
            .then(|| (address - LOCAL_WINDOW) as usize)
    }

    fn range(&self, address: u64, bytes: u64, what: &Instruction) -> Range {
        let found = self.ranges.iter().find(|range| {
            let base = range.base as u64;
            address >= base && address + bytes <= base + range.bytes as u64
        });
        *found.unwrap_or_else(|| panic!("{}: nothing lies at {address:#x}", what.text))
    }

    fn loaded(&self, from: Time, is_host: bool) -> Time {
        if is_host {
            let time = from.plus(self.costs.host_load, Spent::HostLoads);
            Time { host_loads: from.host_loads + 1, ..time }
        } else {
            let time = from.plus(self.costs.device_load, Spent::DeviceLoads);
            Time { device_loads: from.device_loads + 1, ..time }
        }
    }

    /// When an access to the block's own memory, or an exchange within a warp, is done.
    fn exchanged(&self, from: Time) -> Time {
        from.plus(self.costs.shared_load, Spent::Shared)
    }

    fn after(&self, from: Time, cycles: u64) -> Time {
        from.plus(cycles, Spent::Instructions)
    }

    /// Notes what an access to the host's memory moves across the bus: the sectors and lines that a warp's
    /// instruction touches.
    fn cross(&mut self, mut addresses: Vec<u64>, width: u64, is_store: bool) {
        let parts = |addresses: &[u64], size: u64| {
            let mut parts: Vec<u64> =
                addresses.iter().flat_map(|at| [at / size, (at + width - 1) / size]).collect();
            parts.sort_unstable();
            parts.dedup();
            parts.len() as u64
        };
        addresses.sort_unstable();
        let (bytes, lines) = (32 * parts(&addresses, 32), parts(&addresses, 128));
        if is_store {
            self.done.bus_stored += bytes;
            self.done.bus_writes += lines;
        } else {
            self.done.bus_loaded += bytes;
            self.done.bus_requests += lines;
        }
    }

    fn set_board(&mut self, warp: usize, mask: u32, board: usize, ready: Time) {
        for lane in lanes(mask) {
            let board = &mut self.warps[warp].lanes[lane].boards[board];
            *board = board.max(ready);
        }
    }

    fn target(&self, operand: &Operand) -> usize {
        let Operand::Label(label) = operand else { panic!("{operand:?}") };
        *self.code.labels.get(label).unwrap_or_else(|| panic!("there is no {label}"))
    }

    /// All threads that have not ended go on when all of them have come.
    fn release_block(&mut self) {
        let all = || self.warps.iter().flat_map(|warp| &warp.lanes);
        if !all().all(|lane| matches!(lane.wait, Wait::Block | Wait::Ended)) {
            return;
        }
        let mut time = all().fold(Time::default(), |most, lane| most.max(lane.now));
        time.barriers += 1;
        time = time.plus(self.costs.barrier, Spent::Barriers);
        self.done.barriers += 1;
        for warp in &mut self.warps {
            warp.current = u32::MAX;
            for lane in warp.lanes.iter_mut().filter(|lane| lane.wait == Wait::Block) {
                lane.wait = Wait::None;
                lane.now = time;
            }
        }
    }
}

impl Warp {
    fn mask_of(&self, is_in: impl Fn(&Lane) -> bool) -> u32 {
        self.mask_of_set(u32::MAX, is_in)
    }

    fn mask_of_set(&self, mask: u32, is_in: impl Fn(&Lane) -> bool) -> u32 {
        let lanes = self.lanes.iter().enumerate();
        lanes.fold(0, |all, (place, lane)| all | u32::from(mask >> place & 1 != 0 && is_in(lane)) << place)
    }

    /// The threads that wait for each other at a place where they meet go on when all of them have come.
    fn release(&mut self, waits: impl Fn(Wait) -> bool, barrier: usize) {
        let among = self.barriers[barrier] & !self.mask_of(|lane| lane.wait == Wait::Ended);
        let there = self.mask_of(|lane| waits(lane.wait));
        if there & among == among {
            self.free(there);
        }
    }

    fn release_warp(&mut self, among: u32) {
        let among = self.mask_of_set(among, |lane| lane.wait != Wait::Ended);
        let there = self.mask_of(|lane| matches!(lane.wait, Wait::Warp(_)));
        if there & among == among {
            self.free(there & among);
        }
    }

    fn free(&mut self, mask: u32) {
        let time = lanes(mask).fold(Time::default(), |most, lane| most.max(self.lanes[lane].now));
        for lane in lanes(mask) {
            self.lanes[lane].wait = Wait::None;
            self.lanes[lane].now = time;
        }
        self.current = mask;
    }
}

fn lanes(mask: u32) -> impl Iterator<Item = usize> {
    (0..LANES).filter(move |lane| mask >> lane & 1 != 0)
}
