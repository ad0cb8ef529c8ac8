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
}

impl Time {
    fn max(self, other: Self) -> Self {
        Self {
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
}

#[derive(Clone, Debug)]
enum Operand {
    Register { number: usize, is_wide: bool, sign: Sign },
    Uniform { number: usize, sign: Sign },
    Predicate { number: usize, is_uniform: bool, is_not: bool },
    Number(u32),
    Constant { bank: usize, offset: usize, sign: Sign },
    Memory { register: Option<usize>, is_short: bool, uniform: Option<usize>, offset: i64 },
    Label(String),
    Barrier(usize),
    Special(String),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sign {
    Plus,
    Minus,
    Not,
}

impl Sign {
    fn of(self, value: u32) -> u32 {
        match self {
            Self::Plus => value,
            Self::Minus => value.wrapping_neg(),
            Self::Not => !value,
        }
    }
}

struct Instruction {
    text: String,
    guard: Option<(usize, bool, bool)>,
    name: String,
    modifiers: Vec<String>,
    operands: Vec<Operand>,
    immediate: u32,
    stall: u64,
    writes: usize,
    reads: usize,
    waits: u64,
}

impl Instruction {
    fn has(&self, modifier: &str) -> bool {
        self.modifiers.iter().any(|one| one == modifier)
    }
}

/// A kernel's instructions.
pub(crate) struct Code {
    instructions: Vec<Instruction>,
    labels: HashMap<String, usize>,
    /// The compiler's own constants: the second bank.
    constants: Vec<u8>,
}

impl Code {
    /// Of the text that `nvdisasm -hex` writes; of its section for the entry.
    pub(crate) fn new(text: &str, entry: &str) -> Self {
        let section = format!(".text.{entry}");
        let mut code = Self { instructions: Vec::new(), labels: HashMap::new(), constants: Vec::new() };
        let mut is_inside = false;
        let mut is_constant = false;
        for line in text.lines() {
            let line = line.trim();
            if line.starts_with(".section\t") {
                is_inside = line.contains(&section);
                is_constant = line.contains(".nv.constant2.");
            } else if let Some((_, bytes)) = line.split_once(".byte").filter(|_| is_constant) {
                code.constants.extend(bytes.split(',').map(|byte| hex(byte) as u8));
            } else if !is_inside {
            } else if let Some(label) = line.strip_suffix(':').filter(|label| !label.contains(' ')) {
                let label = label.trim_start_matches(".type ").to_owned();
                code.labels.insert(label, code.instructions.len());
            } else if let Some(rest) = line.strip_prefix("/*").filter(|rest| !rest.starts_with(' ')) {
                let (_, rest) = rest.split_once("*/").expect("an offset");
                let (text, bits) = rest.split_once(';').expect("an instruction ends with a semicolon");
                code.instructions.push(Self::instruction(text.trim(), hex(bits)));
            } else if let Some(bits) = line.strip_prefix("/* 0x") {
                let instruction = code.instructions.last_mut().expect("the first half comes first");
                let high = hex(bits);
                instruction.stall = high >> 41 & 15;
                instruction.writes = (high >> 46 & 7) as usize;
                instruction.reads = (high >> 49 & 7) as usize;
                instruction.waits = high >> 52 & 63;
            }
        }
        assert!(!code.instructions.is_empty(), "there is a section {section}");
        code
    }

    fn instruction(text: &str, low: u64) -> Instruction {
        let mut rest = text;
        let mut guard = None;
        if let Some(guarded) = text.strip_prefix('@') {
            let (predicate, after) = guarded.split_once(' ').expect("an instruction follows");
            let Operand::Predicate { number, is_uniform, is_not } = operand(predicate) else {
                panic!("{text}")
            };
            guard = Some((number, is_uniform, is_not));
            rest = after.trim();
        }
        let (full, operands) = rest.split_once(' ').unwrap_or((rest, ""));
        let mut names = full.split('.').map(str::to_owned);
        Instruction {
            text: text.to_owned(),
            guard,
            name: names.next().expect("a name"),
            modifiers: names.collect(),
            operands: operands
                .replace(" `", ", `")
                .split(',')
                .map(str::trim)
                .filter(|one| !one.is_empty())
                .map(operand)
                .collect(),
            immediate: (low >> 32) as u32,
            stall: 0,
            writes: 7,
            reads: 7,
            waits: 0,
        }
    }
}

fn hex(text: &str) -> u64 {
    let digits: String =
        text.chars().skip_while(|c| *c != 'x').skip(1).take_while(char::is_ascii_hexdigit).collect();
    let digits =
        if digits.is_empty() { text.chars().take_while(char::is_ascii_hexdigit).collect() } else { digits };
    u64::from_str_radix(&digits, 16).unwrap_or_else(|_| panic!("{text} is no number"))
}

fn number(text: &str) -> i64 {
    let (text, is_negative) = text.strip_prefix('-').map_or((text, false), |rest| (rest, true));
    let digits = text.trim_start_matches("0x");
    let value = i64::from_str_radix(digits, 16).unwrap_or_else(|_| panic!("{text} is no number"));
    if is_negative { -value } else { value }
}

fn register_number(text: &str, zero: &str, none: usize) -> Option<usize> {
    if text == zero {
        return Some(none);
    }
    text.strip_prefix(&zero[..zero.len() - 1]).and_then(|digits| digits.parse().ok())
}

fn operand(text: &str) -> Operand {
    let text = text.trim_end_matches(".reuse");
    if let Some(label) = text.strip_prefix("`(") {
        return Operand::Label(label.trim_end_matches(')').to_owned());
    }
    if let Some(at) = text.rfind('[').filter(|_| !text.trim_start_matches(['-', '~']).starts_with("c[")) {
        let inside = text[at + 1..].trim_end_matches(']');
        let mut memory = (None, false, None, 0i64);
        for part in inside.split('+') {
            if let Some(number) = part.strip_prefix("UR") {
                memory.2 = if number == "Z" { None } else { Some(number.parse().expect("a register")) };
            } else if let Some(rest) = part.strip_prefix('R') {
                let (number, width) = rest.split_once('.').unwrap_or((rest, ""));
                memory.0 = if number == "Z" { None } else { Some(number.parse().expect("a register")) };
                memory.1 = width == "U32";
            } else {
                memory.3 += number(part);
            }
        }
        return Operand::Memory {
            register: memory.0,
            is_short: memory.1,
            uniform: memory.2,
            offset: memory.3,
        };
    }
    let (rest, sign) = match text.as_bytes()[0] {
        b'-' => (&text[1..], Sign::Minus),
        b'~' => (&text[1..], Sign::Not),
        _ => (text, Sign::Plus),
    };
    if let Some((bank, offset)) = rest.strip_prefix("c[").and_then(|inside| inside.split_once("][")) {
        let bank = number(bank) as usize;
        return Operand::Constant { bank, offset: number(offset.trim_end_matches(']')) as usize, sign };
    }
    if rest.starts_with("0x") {
        return Operand::Number(sign.of(number(rest) as u32));
    }
    if let Some(number) = register_number(rest, "URZ", 255) {
        return Operand::Uniform { number, sign };
    }
    let (plain, width) = rest.split_once('.').unwrap_or((rest, ""));
    if let Some(number) = register_number(plain, "RZ", 255) {
        return Operand::Register { number, is_wide: width == "64", sign };
    }
    let (plain, is_not) = text.strip_prefix('!').map_or((text, false), |rest| (rest, true));
    if let Some(number) = register_number(plain, "UPT", 7) {
        return Operand::Predicate { number, is_uniform: true, is_not };
    }
    if let Some(number) = register_number(plain, "PT", 7) {
        return Operand::Predicate { number, is_uniform: false, is_not };
    }
    if let Some(number) = plain.strip_prefix('B').and_then(|digits| digits.parse().ok()) {
        return Operand::Barrier(number);
    }
    Operand::Special(text.to_owned())
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
        constants[0x28..0x2c].copy_from_slice(&1024u32.to_le_bytes());
        if parameters.0 > 0x37c {
            constants[0x37c..0x380].copy_from_slice(&1024u32.to_le_bytes());
        }
        for (index, value) in parameters.1.iter().enumerate() {
            let at = parameters.0 + index * 8;
            constants[at..at + 8].copy_from_slice(&value.to_le_bytes());
        }
        let lane = |_| Lane {
            registers: [0; 256],
            predicates: [true; 8],
            local: vec![0; 1024],
            now: Time::default(),
            boards: [Time::default(); 6],
            loads: Time::default(),
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

    /// Goes on until an instruction is about to access memory that `is_awaited`; before it does. Panics after
    /// so many instructions.
    pub(crate) fn run_until(&mut self, mut is_awaited: impl FnMut(&Access) -> bool) -> Access {
        if let Some((warp, mask, at)) = self.held.take() {
            self.step(warp, mask, at);
        }
        for _ in 0..4_000_000u32 {
            let (warp, mask, at) = self.next();
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

    fn range(&self, address: u64, bytes: u64, what: &Instruction) -> Range {
        let found = self.ranges.iter().find(|range| {
            let base = range.base as u64;
            address >= base && address + bytes <= base + range.bytes as u64
        });
        *found.unwrap_or_else(|| panic!("{}: nothing lies at {address:#x}", what.text))
    }

    #[allow(clippy::too_many_lines, clippy::collapsible_match)] // One arm for each instruction.
    fn step(&mut self, index: usize, mask: u32, at: usize) {
        let code = self.code;
        let i = &code.instructions[at];
        let active = self.active(index, mask, i);
        let mut time = self.issue_time(index, mask, i);
        self.done.instructions += 1;
        let issued = time;
        time.cycles += i.stall.max(1);
        let ops = &i.operands;
        // What is not so fast, and how fast then.
        let mut ready = None;
        for lane in lanes(mask) {
            self.warps[index].lanes[lane].at = at + 1;
        }
        match i.name.as_str() {
            "NOP" | "ERRBAR" | "CGAERRBAR" | "CCTL" => {}
            "MEMBAR" => {
                let loads = lanes(active)
                    .fold(Time::default(), |most, lane| most.max(self.warps[index].lanes[lane].loads));
                time = time.max(loads);
                if active != 0 && i.has("SYS") {
                    time.fences += 1;
                    time.cycles += self.costs.system_fence;
                    self.done.system_fences += 1;
                    self.done.system_operations += 1;
                } else if active != 0 {
                    time.cycles += self.costs.device_fence;
                }
            }
            "YIELD" | "NANOSLEEP" => {
                self.warps[index].current = !mask;
                self.turn += 1;
            }
            "BRA" => {
                let target = self.target(ops.last().expect("a target"));
                let mut taken = active;
                match ops.first() {
                    Some(Operand::Predicate { number, is_uniform: true, is_not }) => {
                        if self.warps[index].uniform_predicates[*number] == *is_not {
                            taken = 0;
                        }
                    }
                    Some(Operand::Predicate { number, is_not, .. }) => {
                        taken =
                            self.warps[index].mask_of_set(taken, |lane| lane.predicates[*number] != *is_not);
                    }
                    Some(Operand::Uniform { number, .. }) => {
                        // Where threads have parted.
                        if self.warps[index].uniform[*number] == mask {
                            taken = 0;
                        }
                    }
                    _ => {}
                }
                for lane in lanes(taken) {
                    self.warps[index].lanes[lane].at = target;
                }
                let stays = mask & !taken;
                self.warps[index].current = if stays != 0 { stays } else { taken };
            }
            "CALL" => {
                let target = self.target(&ops[0]);
                for lane in lanes(active) {
                    self.warps[index].lanes[lane].at = target;
                }
            }
            "RET" => {
                for lane in lanes(active) {
                    let to = self.value(index, lane, &ops[0]);
                    self.warps[index].lanes[lane].at = to as usize / 16;
                }
            }
            "BSSY" => {
                let Operand::Barrier(barrier) = ops[0] else { panic!("{}", i.text) };
                self.warps[index].barriers[barrier] = mask;
            }
            "BREAK" => {
                let Operand::Barrier(barrier) = ops[0] else { panic!("{}", i.text) };
                self.warps[index].barriers[barrier] &= !active;
                self.warps[index].release(|wait| wait == Wait::Converge(barrier), barrier);
            }
            "BSYNC" => {
                let Operand::Barrier(barrier) = ops[0] else { panic!("{}", i.text) };
                for lane in lanes(active) {
                    self.warps[index].lanes[lane].wait = Wait::Converge(barrier);
                    self.warps[index].lanes[lane].now = time;
                }
                self.warps[index].release(|wait| wait == Wait::Converge(barrier), barrier);
            }
            "WARPSYNC" => {
                let among = if i.has("ALL") { u32::MAX } else { self.value(index, 0, &ops[0]) };
                for lane in lanes(active) {
                    self.warps[index].lanes[lane].wait = Wait::Warp(among);
                    self.warps[index].lanes[lane].now = time;
                }
                self.warps[index].release_warp(among);
            }
            "BAR" => {
                for lane in lanes(active) {
                    self.warps[index].lanes[lane].wait = Wait::Block;
                    self.warps[index].lanes[lane].now = time;
                }
                self.release_block();
            }
            "EXIT" => {
                for lane in lanes(active) {
                    self.warps[index].lanes[lane].wait = Wait::Ended;
                }
            }
            "LD" | "LDG" => {
                let (mut is_host, mut is_far) = (false, false);
                for lane in lanes(active) {
                    let address = self.address(index, lane, &ops[1], true);
                    let mut bytes = [0u8; 16];
                    let count = width(i) as usize;
                    if let Some(at) = self.in_block(address) {
                        bytes[..count].copy_from_slice(&self.shared[at..at + count]);
                    } else {
                        is_far = true;
                        is_host |= self.range(address, width(i), i).owner == Owner::Host;
                        // SAFETY: inside the range, which is memory of this process that lives as long as the
                        // machine.
                        unsafe { (address as *const u8).copy_to_nonoverlapping(bytes.as_mut_ptr(), count) };
                    }
                    self.put_bytes(index, lane, &ops[0], i, bytes);
                }
                if is_far {
                    self.done.host_loads += u32::from(is_host);
                    self.done.system_operations += u32::from(i.has("SYS"));
                    ready = Some(self.loaded(issued, is_host));
                } else if active != 0 {
                    ready = Some(self.after(issued, self.costs.shared_load));
                }
            }
            "ST" | "STG" => {
                let (mut is_host, mut is_far) = (false, false);
                for lane in lanes(active) {
                    let address = self.address(index, lane, &ops[0], true);
                    let bytes = self.bytes_of(index, lane, &ops[1], width(i));
                    let count = width(i) as usize;
                    if let Some(at) = self.in_block(address) {
                        self.shared[at..at + count].copy_from_slice(&bytes[..count]);
                    } else {
                        is_far = true;
                        is_host |= self.range(address, width(i), i).owner == Owner::Host;
                        // SAFETY: as above, and written by this thread alone at this time.
                        unsafe { bytes.as_ptr().copy_to_nonoverlapping(address as *mut u8, count) };
                    }
                }
                self.done.host_stores += u32::from(is_host);
                self.done.system_operations += u32::from(is_far && i.has("SYS"));
                // The store has read its registers.
                if i.reads < 6 {
                    let read = self.after(issued, self.costs.other);
                    self.set_board(index, mask, i.reads, read);
                }
            }
            "ATOM" | "ATOMG" => {
                assert!(i.has("CAS"), "{}", i.text);
                let memory =
                    ops.iter().position(|one| matches!(one, Operand::Memory { .. })).expect("a place");
                for lane in lanes(active) {
                    let address = self.address(index, lane, &ops[memory], true);
                    let _ = self.range(address, 4, i);
                    let (expected, value) = (
                        self.value(index, lane, &ops[memory + 1]),
                        self.value(index, lane, &ops[memory + 2]),
                    );
                    // SAFETY: as above.
                    let found = unsafe { (address as *const u32).read() };
                    if found == expected {
                        // SAFETY: as above.
                        unsafe { (address as *mut u32).write(value) };
                    }
                    self.put(index, lane, &ops[memory - 1], found);
                }
                ready = (active != 0).then(|| self.loaded(issued, false));
            }
            "LDS" | "LDL" => {
                for lane in lanes(active) {
                    let from = self.address(index, lane, &ops[1], false) as usize;
                    let mut bytes = [0u8; 16];
                    let count = width(i) as usize;
                    let memory =
                        if i.name == "LDS" { &self.shared } else { &self.warps[index].lanes[lane].local };
                    bytes[..count].copy_from_slice(&memory[from..from + count]);
                    self.put_bytes(index, lane, &ops[0], i, bytes);
                }
                ready = Some(self.after(issued, self.costs.shared_load));
            }
            "STS" | "STL" => {
                for lane in lanes(active) {
                    let to = self.address(index, lane, &ops[0], false) as usize;
                    let count = width(i) as usize;
                    let bytes = self.bytes_of(index, lane, &ops[1], width(i));
                    let memory = if i.name == "STS" {
                        &mut self.shared
                    } else {
                        &mut self.warps[index].lanes[lane].local
                    };
                    memory[to..to + count].copy_from_slice(&bytes[..count]);
                }
                if i.reads < 6 {
                    let read = self.after(issued, self.costs.other);
                    self.set_board(index, mask, i.reads, read);
                }
            }
            "ATOMS" => {
                let memory =
                    ops.iter().position(|one| matches!(one, Operand::Memory { .. })).expect("a place");
                for lane in lanes(active) {
                    let at = self.address(index, lane, &ops[memory], false) as usize;
                    let found = u32::from_le_bytes(self.shared[at..at + 4].try_into().expect("four bytes"));
                    let by =
                        if ops.len() > memory + 1 { self.value(index, lane, &ops[memory + 1]) } else { 1 };
                    let value = if i.has("MIN") {
                        found.min(by)
                    } else if i.has("MAX") {
                        found.max(by)
                    } else if i.has("OR") {
                        found | by
                    } else if i.has("POPC") {
                        found.wrapping_add(1)
                    } else {
                        assert!(i.has("ADD"), "{}", i.text);
                        found.wrapping_add(by)
                    };
                    self.shared[at..at + 4].copy_from_slice(&value.to_le_bytes());
                    self.put(index, lane, &ops[0], found);
                }
                ready = Some(self.after(issued, 2 * self.costs.shared_load));
            }
            "SHFL" => {
                let Operand::Predicate { number: inside, .. } = ops[0] else { panic!("{}", i.text) };
                let from: Vec<u32> =
                    (0..self.warps[index].lanes.len()).map(|lane| self.value(index, lane, &ops[2])).collect();
                for lane in lanes(active) {
                    let (by, clamp) = (self.value(index, lane, &ops[3]), self.value(index, lane, &ops[4]));
                    let (segment, most) = ((clamp >> 8 & 31) as usize, (clamp & 31) as usize);
                    let (low, by) = (lane & segment, by as usize & 31);
                    let most = low | (most & !segment);
                    let (source, is_inside) = if i.has("IDX") {
                        let source = low | (by & !segment);
                        (source, source <= most)
                    } else if i.has("UP") {
                        (lane.wrapping_sub(by), lane >= by + most)
                    } else if i.has("DOWN") {
                        (lane + by, lane + by <= most)
                    } else {
                        (lane ^ by, lane ^ by <= most)
                    };
                    let source = if is_inside { source } else { lane };
                    self.put(index, lane, &ops[1], from[source]);
                    if inside != 7 {
                        self.warps[index].lanes[lane].predicates[inside] = is_inside;
                    }
                }
                ready = Some(self.after(issued, self.costs.shared_load));
            }
            "VOTE" | "VOTEU" => {
                let votes = self.warps[index].mask_of_set(active, |_| true);
                let votes = lanes(votes).fold(0, |all, lane| {
                    all | u32::from(self.is_true(index, lane, ops.last().expect("a vote"))) << lane
                });
                let outcome = if i.has("ALL") {
                    votes == active
                } else if i.has("EQ") {
                    votes == active || votes == 0
                } else {
                    votes != 0
                };
                for op in &ops[..ops.len() - 1] {
                    for lane in lanes(active) {
                        match op {
                            Operand::Predicate { .. } => self.put_predicate(index, lane, op, outcome),
                            _ => self.put(index, lane, op, votes),
                        }
                    }
                }
                ready = Some(self.after(issued, self.costs.other));
            }
            "REDUX" | "CREDUX" => {
                let values: Vec<u32> = lanes(active).map(|lane| self.value(index, lane, &ops[1])).collect();
                let value = if i.has("MIN") {
                    values.iter().copied().min()
                } else if i.has("MAX") {
                    values.iter().copied().max()
                } else if i.has("OR") {
                    values.iter().copied().reduce(|a, b| a | b)
                } else {
                    assert!(i.has("SUM"), "{}", i.text);
                    values.iter().copied().reduce(u32::wrapping_add)
                };
                for lane in lanes(active) {
                    self.put(index, lane, &ops[0], value.expect("a thread"));
                }
                ready = Some(self.after(issued, self.costs.other));
            }
            _ => {
                // The uniform part computes once for all threads.
                let is_uniform =
                    i.name.starts_with('U') || matches!(i.name.as_str(), "S2UR" | "R2UR" | "LDCU");
                let share = if is_uniform { active & active.wrapping_neg() } else { active };
                for lane in lanes(share) {
                    self.compute(index, lane, i);
                }
                if i.writes < 6 {
                    ready = Some(self.after(issued, self.costs.other));
                }
            }
        }
        if let Some(ready) = ready {
            if i.writes < 6 {
                self.set_board(index, mask, i.writes, ready);
            }
            if i.reads < 6 {
                let read = self.after(issued, self.costs.other);
                self.set_board(index, mask, i.reads, read);
            }
            for lane in lanes(active) {
                let lane = &mut self.warps[index].lanes[lane];
                lane.loads = lane.loads.max(ready);
            }
        }
        for lane in lanes(mask) {
            let lane = &mut self.warps[index].lanes[lane];
            lane.now = lane.now.max(time);
        }
    }

    fn loaded(&self, from: Time, is_host: bool) -> Time {
        let mut time = from;
        if is_host {
            time.host_loads += 1;
            time.cycles += self.costs.host_load;
        } else {
            time.device_loads += 1;
            time.cycles += self.costs.device_load;
        }
        time
    }

    fn after(&self, from: Time, cycles: u64) -> Time {
        Time { cycles: from.cycles + cycles, ..from }
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
        time.cycles += self.costs.barrier;
        self.done.barriers += 1;
        for warp in &mut self.warps {
            warp.current = u32::MAX;
            for lane in warp.lanes.iter_mut().filter(|lane| lane.wait == Wait::Block) {
                lane.wait = Wait::None;
                lane.now = time;
            }
        }
    }

    fn value(&self, warp: usize, lane: usize, operand: &Operand) -> u32 {
        let warp = &self.warps[warp];
        match operand {
            Operand::Register { number, sign, .. } => sign.of(warp.lanes[lane].registers[*number]),
            Operand::Uniform { number, sign } => sign.of(warp.uniform[*number]),
            Operand::Number(number) => *number,
            Operand::Constant { bank, offset, sign } => sign.of(self.constant(*bank, *offset)),
            other => panic!("{other:?} is no value"),
        }
    }

    fn constant(&self, bank: usize, offset: usize) -> u32 {
        let constants = if bank == 0 { &self.constants } else { &self.code.constants };
        let bytes = constants.get(offset..offset + 4).unwrap_or(&[0; 4]);
        u32::from_le_bytes(bytes.try_into().expect("four bytes"))
    }

    /// Two words from the operand's on.
    fn wide(&self, warp: usize, lane: usize, operand: &Operand) -> u64 {
        let warp = &self.warps[warp];
        match operand {
            Operand::Register { number, sign: Sign::Plus, .. } => pair(&warp.lanes[lane].registers, *number),
            Operand::Register { number, sign: Sign::Minus, .. } => {
                pair(&warp.lanes[lane].registers, *number).wrapping_neg()
            }
            Operand::Uniform { number, .. } => pair(&warp.uniform, *number),
            Operand::Number(number) => u64::from(*number),
            Operand::Constant { bank, offset, .. } => {
                u64::from(self.constant(*bank, *offset)) | u64::from(self.constant(*bank, *offset + 4)) << 32
            }
            other => panic!("{other:?} is no pair"),
        }
    }

    fn is_true(&self, warp: usize, lane: usize, operand: &Operand) -> bool {
        let Operand::Predicate { number, is_uniform, is_not } = operand else { panic!("{operand:?}") };
        let warp = &self.warps[warp];
        let value =
            if *is_uniform { warp.uniform_predicates[*number] } else { warp.lanes[lane].predicates[*number] };
        value != *is_not
    }

    fn put(&mut self, warp: usize, lane: usize, operand: &Operand, value: u32) {
        match operand {
            Operand::Register { number: 255, .. } | Operand::Uniform { number: 255, .. } => {}
            Operand::Register { number, .. } => self.warps[warp].lanes[lane].registers[*number] = value,
            Operand::Uniform { number, .. } => self.warps[warp].uniform[*number] = value,
            other => panic!("{other:?} is no place"),
        }
    }

    fn put_wide(&mut self, warp: usize, lane: usize, operand: &Operand, value: u64) {
        self.put(warp, lane, operand, value as u32);
        let next = match operand {
            Operand::Register { number, is_wide, sign } if *number != 255 => {
                Operand::Register { number: number + 1, is_wide: *is_wide, sign: *sign }
            }
            Operand::Uniform { number, sign } if *number != 255 => {
                Operand::Uniform { number: number + 1, sign: *sign }
            }
            _ => return,
        };
        self.put(warp, lane, &next, (value >> 32) as u32);
    }

    fn put_predicate(&mut self, warp: usize, lane: usize, operand: &Operand, value: bool) {
        match operand {
            Operand::Predicate { number: 7, .. } => {}
            Operand::Predicate { number, is_uniform: true, .. } => {
                self.warps[warp].uniform_predicates[*number] = value
            }
            Operand::Predicate { number, .. } => self.warps[warp].lanes[lane].predicates[*number] = value,
            other => panic!("{other:?} is no predicate"),
        }
    }

    fn put_bytes(&mut self, warp: usize, lane: usize, operand: &Operand, i: &Instruction, bytes: [u8; 16]) {
        let whole = u128::from_le_bytes(bytes);
        let Operand::Register { number, .. } = operand else { panic!("{}", i.text) };
        if *number == 255 {
            return;
        }
        for word in 0..(width(i) as usize).div_ceil(4) {
            self.warps[warp].lanes[lane].registers[number + word] = (whole >> (32 * word)) as u32;
        }
    }

    fn bytes_of(&self, warp: usize, lane: usize, operand: &Operand, width: u64) -> [u8; 16] {
        let mut bytes = [0; 16];
        let Operand::Register { number, .. } = operand else { panic!("{operand:?}") };
        for word in 0..(width as usize).div_ceil(4) {
            let value =
                if *number == 255 { 0 } else { self.warps[warp].lanes[lane].registers[number + word] };
            bytes[word * 4..word * 4 + 4].copy_from_slice(&value.to_le_bytes());
        }
        bytes
    }

    fn special(&mut self, name: &str, lane: usize, warp: usize) -> u64 {
        match name {
            "SR_TID.X" => (warp * LANES + lane) as u64,
            "SR_LANEID" => lane as u64,
            "SR_LTMASK" | "SR_LT" => (1u64 << lane) - 1,
            "SR_LEMASK" => (2u64 << lane) - 1,
            "SR_GLOBALTIMERLO" => {
                self.clock += 1;
                self.clock
            }
            "SRZ" | "SR_CTAID.X" | "SR_CgaCtaId" | "SR_SWINHI" => 0,
            other => panic!("{other} is not known"),
        }
    }

    /// What computes and neither waits nor branches.
    #[allow(clippy::too_many_lines)] // One arm for each instruction.
    fn compute(&mut self, w: usize, lane: usize, i: &Instruction) {
        let ops = &i.operands;
        let uniform = i.name.strip_prefix('U');
        let name = uniform.unwrap_or(&i.name);
        match name {
            "MOV" | "R2UR" | "R2U" => {
                let value = self.value(w, lane, &ops[1]);
                self.put(w, lane, &ops[0], value);
            }
            "LDC" | "LDCU" => {
                let words = if i.has("128") { 4 } else { 1 + usize::from(i.has("64")) };
                let Operand::Constant { bank, offset, .. } = ops[1] else { panic!("{}", i.text) };
                for word in 0..words {
                    let value = self.constant(bank, offset + 4 * word);
                    match &ops[0] {
                        Operand::Register { number: 255, .. } | Operand::Uniform { number: 255, .. } => {}
                        Operand::Register { number, .. } => {
                            self.warps[w].lanes[lane].registers[number + word] = value;
                        }
                        Operand::Uniform { number, .. } => self.warps[w].uniform[number + word] = value,
                        other => panic!("{other:?}"),
                    }
                }
            }
            "S2R" | "S2UR" | "2UR" | "CS2R" => {
                let Operand::Special(special) = &ops[1] else { panic!("{}", i.text) };
                let value = self.special(special, lane, w);
                if i.name == "CS2R" && !i.has("32") {
                    self.put_wide(w, lane, &ops[0], value);
                } else {
                    self.put(w, lane, &ops[0], value as u32);
                }
            }
            "HFMA2" => self.put(w, lane, &ops[0], i.immediate),
            "VIADD" => {
                let value = self.value(w, lane, &ops[1]).wrapping_add(self.value(w, lane, &ops[2]));
                self.put(w, lane, &ops[0], value);
            }
            "IADD3" => {
                let carries =
                    ops[1..].iter().take_while(|one| matches!(one, Operand::Predicate { .. })).count();
                let terms = &ops[1 + carries..4 + carries];
                let mut sum = 0u64;
                for term in terms {
                    let is_negative = matches!(
                        term,
                        Operand::Register { sign: Sign::Minus, .. }
                            | Operand::Uniform { sign: Sign::Minus, .. }
                            | Operand::Constant { sign: Sign::Minus, .. }
                    );
                    // The complement and one, whose carry counts.
                    sum += if is_negative {
                        u64::from(!self.value(w, lane, term).wrapping_neg()) + 1
                    } else {
                        u64::from(self.value(w, lane, term))
                    };
                }
                if i.has("X") {
                    for carry in &ops[4 + carries..] {
                        sum += u64::from(self.is_true(w, lane, carry));
                    }
                }
                self.put(w, lane, &ops[0], sum as u32);
                for (place, carry) in ops[1..1 + carries].iter().enumerate() {
                    self.put_predicate(w, lane, carry, sum >> 32 > place as u64);
                }
            }
            "IMAD" => {
                let carries = usize::from(matches!(ops[1], Operand::Predicate { .. }));
                let (a, b) = (self.value(w, lane, &ops[1 + carries]), self.value(w, lane, &ops[2 + carries]));
                let c = &ops[3 + carries];
                let is_wide = i.has("WIDE") || i.has("HI");
                if is_wide {
                    let product = if i.has("U32") {
                        u128::from(a) * u128::from(b)
                    } else {
                        (i64::from(a as i32) * i64::from(b as i32)) as u64 as u128
                    };
                    let sum = product + u128::from(self.wide(w, lane, c));
                    if i.has("HI") {
                        self.put(w, lane, &ops[0], (sum >> 32) as u32);
                    } else {
                        self.put_wide(w, lane, &ops[0], sum as u64);
                    }
                    if carries != 0 {
                        self.put_predicate(w, lane, &ops[1], sum >> 64 != 0);
                    }
                } else {
                    let mut value = a.wrapping_mul(b).wrapping_add(self.value(w, lane, c));
                    if i.has("X") {
                        value = value.wrapping_add(u32::from(self.is_true(w, lane, &ops[4 + carries])));
                    }
                    self.put(w, lane, &ops[0], value);
                }
            }
            "LEA" => {
                let carries = usize::from(matches!(ops[1], Operand::Predicate { .. }));
                let (a, b) = (self.value(w, lane, &ops[1 + carries]), self.value(w, lane, &ops[2 + carries]));
                let sum = if i.has("HI") {
                    let high = self.value(w, lane, &ops[3 + carries]);
                    let shift = self.value(w, lane, &ops[4 + carries]);
                    let whole = u64::from(a) | u64::from(high) << 32;
                    let carry = i.has("X") && self.is_true(w, lane, &ops[5 + carries]);
                    u64::from((whole << shift >> 32) as u32) + u64::from(b) + u64::from(carry)
                } else {
                    let shift = self.value(w, lane, &ops[3 + carries]);
                    u64::from(a << shift) + u64::from(b)
                };
                self.put(w, lane, &ops[0], sum as u32);
                if carries != 0 {
                    self.put_predicate(w, lane, &ops[1], sum >> 32 != 0);
                }
            }
            "SHF" => {
                let (a, shift, c) = (
                    self.value(w, lane, &ops[1]),
                    self.value(w, lane, &ops[2]),
                    self.value(w, lane, &ops[3]),
                );
                let is_long = i.has("U64") || i.has("S64");
                let most = if is_long { 64 } else { 32 };
                let shift = if i.has("W") { shift % most } else { shift.min(most) };
                let whole = u64::from(a) | u64::from(c) << 32;
                let left = |value: u64| value.checked_shl(shift).unwrap_or(0);
                let value = match (i.has("L"), is_long, i.has("HI")) {
                    (true, false, false) => left(u64::from(a)) as u32,
                    (true, false, true) | (true, true, true) => (left(whole) >> 32) as u32,
                    (true, true, false) => left(whole) as u32,
                    (false, false, true) if i.has("S32") => (c as i32 >> shift.min(31)) as u32,
                    (false, false, true) => (u64::from(c) >> shift) as u32,
                    (false, false, false) => (u64::from(a) >> shift) as u32,
                    (false, true, false) => whole.checked_shr(shift).unwrap_or(0) as u32,
                    (false, true, true) => (whole.checked_shr(shift).unwrap_or(0) >> 32) as u32,
                };
                self.put(w, lane, &ops[0], value);
            }
            "LOP3" => {
                let outcomes = usize::from(matches!(ops[0], Operand::Predicate { .. }));
                let to = &ops[outcomes];
                let [a, b, c, lut] = [1, 2, 3, 4].map(|place| self.value(w, lane, &ops[outcomes + place]));
                let mut value = 0;
                for bit in 0..8 {
                    if lut >> bit & 1 != 0 {
                        let pick = |value: u32, is_set: bool| if is_set { value } else { !value };
                        value |= pick(a, bit & 4 != 0) & pick(b, bit & 2 != 0) & pick(c, bit & 1 != 0);
                    }
                }
                self.put(w, lane, to, value);
                if outcomes != 0 {
                    let or = ops.get(outcomes + 5).is_some_and(|operand| self.is_true(w, lane, operand));
                    self.put_predicate(w, lane, &ops[0], value != 0 || or);
                }
            }
            "PLOP3" => {
                let [a, b, c] = [2, 3, 4].map(|place| usize::from(self.is_true(w, lane, &ops[place])));
                for (to, lut) in [(0, 5), (1, 6)] {
                    let lut = self.value(w, lane, &ops[lut]);
                    self.put_predicate(w, lane, &ops[to], lut >> (a * 4 + b * 2 + c) & 1 != 0);
                }
            }
            "ISETP" => {
                let (a, b) = (self.value(w, lane, &ops[2]), self.value(w, lane, &ops[3]));
                let order = if i.has("U32") { a.cmp(&b) } else { (a as i32).cmp(&(b as i32)) };
                let lower = i.has("EX").then(|| self.is_true(w, lane, &ops[5]));
                let compared = |is: bool, with: bool| match lower {
                    // The lower words decide where these are equal.
                    Some(lower) if order.is_eq() => lower,
                    Some(_) => with,
                    None => is,
                };
                let outcome = match i.modifiers[0].as_str() {
                    "EQ" => compared(order.is_eq(), false),
                    "NE" => compared(order.is_ne(), true),
                    "LT" => compared(order.is_lt(), order.is_lt()),
                    "LE" => compared(order.is_le(), order.is_lt()),
                    "GT" => compared(order.is_gt(), order.is_gt()),
                    "GE" => compared(order.is_ge(), order.is_gt()),
                    other => panic!("{other} in {}", i.text),
                };
                let with = self.is_true(w, lane, &ops[4]);
                let joined = |outcome: bool| {
                    if i.has("AND") {
                        outcome && with
                    } else if i.has("OR") {
                        outcome || with
                    } else {
                        outcome != with
                    }
                };
                self.put_predicate(w, lane, &ops[1], joined(!outcome));
                self.put_predicate(w, lane, &ops[0], joined(outcome));
            }
            "SEL" => {
                let which = if self.is_true(w, lane, &ops[3]) { 1 } else { 2 };
                let value = self.value(w, lane, &ops[which]);
                self.put(w, lane, &ops[0], value);
            }
            "IMNMX" | "VIMNMX" | "VIADDMNMX" => {
                let values: Vec<&Operand> =
                    ops[1..].iter().filter(|one| !matches!(one, Operand::Predicate { .. })).collect();
                let mut a = self.value(w, lane, values[0]);
                let mut b = self.value(w, lane, values[1]);
                if name == "VIADDMNMX" {
                    (a, b) = (a.wrapping_add(b), self.value(w, lane, values[2]));
                }
                let is_min = self.is_true(w, lane, ops.last().expect("which"));
                let value = match (i.has("U32"), is_min) {
                    (true, true) => a.min(b),
                    (true, false) => a.max(b),
                    (false, true) => (a as i32).min(b as i32) as u32,
                    (false, false) => (a as i32).max(b as i32) as u32,
                };
                self.put(w, lane, &ops[0], value);
            }
            "FLO" => {
                let value = self.value(w, lane, &ops[1]);
                let place = if value == 0 { u32::MAX } else { 31 - value.leading_zeros() };
                let place = if i.has("SH") && value != 0 { 31 - place } else { place };
                self.put(w, lane, &ops[0], place);
            }
            "POPC" => {
                let value = self.value(w, lane, &ops[1]).count_ones();
                self.put(w, lane, &ops[0], value);
            }
            "BREV" => {
                let value = self.value(w, lane, &ops[1]).reverse_bits();
                self.put(w, lane, &ops[0], value);
            }
            "PRMT" => {
                let [a, select, b] = [1, 2, 3].map(|place| self.value(w, lane, &ops[place]));
                let bytes = u64::from(a) | u64::from(b) << 32;
                let value = (0..4).fold(0u32, |all, place| {
                    let which = select >> (4 * place) & 15;
                    let byte = (bytes >> (8 * (which & 7))) as u8;
                    let byte = if which & 8 != 0 { 0u8.wrapping_sub(byte >> 7) } else { byte };
                    all | u32::from(byte) << (8 * place)
                });
                self.put(w, lane, &ops[0], value);
            }
            "P2R" => {
                let (base, mask) = (self.value(w, lane, &ops[2]), self.value(w, lane, &ops[3]));
                let set = (0..7).fold(0, |all, place| {
                    all | u32::from(self.warps[w].lanes[lane].predicates[place]) << place
                });
                self.put(w, lane, &ops[0], base & !mask | set & mask);
            }
            "R2P" => {
                let (value, mask) = (self.value(w, lane, &ops[1]), self.value(w, lane, &ops[2]));
                for place in (0..7).filter(|place| mask >> place & 1 != 0) {
                    self.warps[w].lanes[lane].predicates[place] = value >> place & 1 != 0;
                }
            }
            // Divisions: a first guess, corrected by integers.
            "I2F" => {
                let value = if i.has("U64") {
                    self.wide(w, lane, &ops[1])
                } else {
                    self.value(w, lane, &ops[1]).into()
                };
                let nearest = value as f32;
                // Rounded up.
                let up = if (nearest as f64) < value as f64 {
                    f32::from_bits(nearest.to_bits() + 1)
                } else {
                    nearest
                };
                self.put(w, lane, &ops[0], up.to_bits());
            }
            "F2I" => {
                let value = f32::from_bits(self.value(w, lane, &ops[1]));
                if i.has("U64") {
                    self.put_wide(w, lane, &ops[0], value as u64);
                } else {
                    self.put(w, lane, &ops[0], value as u32);
                }
            }
            "MUFU" => {
                assert!(i.has("RCP"), "{}", i.text);
                let value = 1.0 / f32::from_bits(self.value(w, lane, &ops[1]));
                self.put(w, lane, &ops[0], value.to_bits());
            }
            _ => panic!("{} is not known", i.text),
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

fn pair(registers: &[u32; 256], number: usize) -> u64 {
    if number == 255 {
        return 0;
    }
    u64::from(registers[number]) | u64::from(registers[number + 1]) << 32
}

/// Bytes of a load or store.
fn width(i: &Instruction) -> u64 {
    if i.has("128") {
        16
    } else if i.has("64") {
        8
    } else if i.has("U8") || i.has("S8") {
        1
    } else if i.has("U16") {
        2
    } else {
        4
    }
}
