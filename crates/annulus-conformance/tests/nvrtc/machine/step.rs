//! One instruction of a warp: what branches, waits, meets, or reaches memory. All else
//! [computes](super::compute).

use super::{Machine, Owner, Spent, Time, Wait, lanes};
use crate::code::Operand;

/// Bytes of a line of the host's memory.
const LINE: u64 = 64;

impl Machine<'_> {
    #[allow(clippy::too_many_lines, clippy::collapsible_match)] // One arm for each instruction.
    pub(super) fn step(&mut self, index: usize, mask: u32, at: usize) {
        let code = self.code;
        let i = &code.instructions[at];
        let active = self.active(index, mask, i);
        let mut time = self.issue_time(index, mask, i);
        self.done.instructions += 1;
        let issued = time;
        time = time.plus(i.stall.max(1), Spent::Instructions);
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
                    time = time.plus(self.costs.system_fence, Spent::SystemFences);
                    self.done.system_fences += 1;
                    self.done.system_operations += 1;
                } else if active != 0 {
                    time = time.plus(self.costs.device_fence, Spent::DeviceFences);
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
                let Some(Operand::Barrier(barrier)) = ops.last() else { panic!("{}", i.text) };
                let barrier = *barrier;
                let mut leaves = active;
                if let [Operand::Predicate { number, is_uniform: false, is_not }, _] = &ops[..] {
                    leaves =
                        self.warps[index].mask_of_set(leaves, |lane| lane.predicates[*number] != *is_not);
                }
                self.warps[index].barriers[barrier] &= !leaves;
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
                let mut crossing = Vec::new();
                // A strong load waits for those of the same thread that are under way from the same line, as those of an
                // H200 were seen to do. What other threads of the warp load by the same instruction comes along.
                let mut lines = Vec::new();
                for lane in lanes(active) {
                    let address = self.address(index, lane, &ops[1], true);
                    let mut bytes = [0u8; 16];
                    let count = i.width() as usize;
                    if let Some(at) = self.in_block(address) {
                        bytes[..count].copy_from_slice(&self.shared[at..at + count]);
                    } else if let Some(at) = Self::in_thread(address) {
                        bytes[..count].copy_from_slice(&self.warps[index].lanes[lane].local[at..at + count]);
                    } else {
                        is_far = true;
                        if self.range(address, i.width(), i).owner == Owner::Host {
                            is_host = true;
                            crossing.push(address);
                            if i.has("STRONG") {
                                lines.push((lane, address / LINE));
                            }
                        }
                        // SAFETY: inside the range, which is memory of this process that lives as long as the
                        // machine.
                        unsafe { (address as *const u8).copy_to_nonoverlapping(bytes.as_mut_ptr(), count) };
                    }
                    self.put_bytes(index, lane, &ops[0], i, bytes);
                }
                if is_host {
                    self.cross(crossing, i.width(), false);
                }
                if is_far {
                    self.done.host_loads += u32::from(is_host);
                    self.done.system_operations += u32::from(i.has("SYS"));
                    let mut from = issued;
                    for (lane, line) in &lines {
                        let before = self.warps[index].lanes[*lane].lines.get(line);
                        from = before.map_or(from, |over| from.max(*over));
                    }
                    let over = self.loaded(from, is_host);
                    for (lane, line) in lines {
                        self.warps[index].lanes[lane].lines.insert(line, over);
                    }
                    ready = Some(over);
                } else if active != 0 {
                    ready = Some(self.exchanged(issued));
                }
            }
            "ST" | "STG" => {
                let (mut is_host, mut is_far) = (false, false);
                let mut crossing = Vec::new();
                for lane in lanes(active) {
                    let address = self.address(index, lane, &ops[0], true);
                    let bytes = self.bytes_of(index, lane, &ops[1], i.width());
                    let count = i.width() as usize;
                    if let Some(at) = self.in_block(address) {
                        self.shared[at..at + count].copy_from_slice(&bytes[..count]);
                    } else if let Some(at) = Self::in_thread(address) {
                        self.warps[index].lanes[lane].local[at..at + count].copy_from_slice(&bytes[..count]);
                    } else {
                        is_far = true;
                        if self.range(address, i.width(), i).owner == Owner::Host {
                            is_host = true;
                            crossing.push(address);
                        }
                        // SAFETY: as above, and written by this thread alone at this time.
                        unsafe { bytes.as_ptr().copy_to_nonoverlapping(address as *mut u8, count) };
                    }
                }
                if is_host {
                    self.cross(crossing, i.width(), true);
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
                    let count = i.width() as usize;
                    let memory =
                        if i.name == "LDS" { &self.shared } else { &self.warps[index].lanes[lane].local };
                    bytes[..count].copy_from_slice(&memory[from..from + count]);
                    self.put_bytes(index, lane, &ops[0], i, bytes);
                }
                ready = Some(self.exchanged(issued));
            }
            "STS" | "STL" => {
                for lane in lanes(active) {
                    let to = self.address(index, lane, &ops[0], false) as usize;
                    let count = i.width() as usize;
                    let bytes = self.bytes_of(index, lane, &ops[1], i.width());
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
                ready = Some(self.exchanged(self.exchanged(issued)));
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
                ready = Some(self.exchanged(issued));
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
}
