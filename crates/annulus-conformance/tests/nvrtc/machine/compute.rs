//! What instructions compute, and the values that they take and leave: registers, predicates, constants,
//! numbers.

use super::{LANES, Machine};
use crate::code::{Instruction, Operand, Sign};

impl Machine<'_> {
    pub(super) fn value(&self, warp: usize, lane: usize, operand: &Operand) -> u32 {
        let warp = &self.warps[warp];
        match operand {
            Operand::Register { number, sign, .. } => sign.of(warp.lanes[lane].registers[*number]),
            Operand::Uniform { number, sign } => sign.of(warp.uniform[*number]),
            Operand::Number(number) => *number,
            Operand::Constant { bank, offset, sign } => sign.of(self.constant(*bank, *offset)),
            other => panic!("{other:?} is no value"),
        }
    }

    pub(super) fn constant(&self, bank: usize, offset: usize) -> u32 {
        let constants = if bank == 0 { &self.constants } else { &self.code.constants };
        let bytes = constants.get(offset..offset + 4).unwrap_or(&[0; 4]);
        u32::from_le_bytes(bytes.try_into().expect("four bytes"))
    }

    /// Two words from the operand's on.
    pub(super) fn wide(&self, warp: usize, lane: usize, operand: &Operand) -> u64 {
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

    pub(super) fn is_true(&self, warp: usize, lane: usize, operand: &Operand) -> bool {
        let Operand::Predicate { number, is_uniform, is_not } = operand else { panic!("{operand:?}") };
        let warp = &self.warps[warp];
        let value =
            if *is_uniform { warp.uniform_predicates[*number] } else { warp.lanes[lane].predicates[*number] };
        value != *is_not
    }

    pub(super) fn put(&mut self, warp: usize, lane: usize, operand: &Operand, value: u32) {
        match operand {
            Operand::Register { number: 255, .. } | Operand::Uniform { number: 255, .. } => {}
            Operand::Register { number, .. } => self.warps[warp].lanes[lane].registers[*number] = value,
            Operand::Uniform { number, .. } => self.warps[warp].uniform[*number] = value,
            other => panic!("{other:?} is no place"),
        }
    }

    pub(super) fn put_wide(&mut self, warp: usize, lane: usize, operand: &Operand, value: u64) {
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

    pub(super) fn put_predicate(&mut self, warp: usize, lane: usize, operand: &Operand, value: bool) {
        match operand {
            Operand::Predicate { number: 7, .. } => {}
            Operand::Predicate { number, is_uniform: true, .. } => {
                self.warps[warp].uniform_predicates[*number] = value
            }
            Operand::Predicate { number, .. } => self.warps[warp].lanes[lane].predicates[*number] = value,
            other => panic!("{other:?} is no predicate"),
        }
    }

    pub(super) fn put_bytes(
        &mut self,
        warp: usize,
        lane: usize,
        operand: &Operand,
        i: &Instruction,
        bytes: [u8; 16],
    ) {
        let whole = u128::from_le_bytes(bytes);
        let Operand::Register { number, .. } = operand else { panic!("{}", i.text) };
        if *number == 255 {
            return;
        }
        for word in 0..(i.width() as usize).div_ceil(4) {
            self.warps[warp].lanes[lane].registers[number + word] = (whole >> (32 * word)) as u32;
        }
    }

    pub(super) fn bytes_of(&self, warp: usize, lane: usize, operand: &Operand, width: u64) -> [u8; 16] {
        let mut bytes = [0; 16];
        let Operand::Register { number, .. } = operand else { panic!("{operand:?}") };
        for word in 0..(width as usize).div_ceil(4) {
            let value =
                if *number == 255 { 0 } else { self.warps[warp].lanes[lane].registers[number + word] };
            bytes[word * 4..word * 4 + 4].copy_from_slice(&value.to_le_bytes());
        }
        bytes
    }

    pub(super) fn special(&mut self, name: &str, lane: usize, warp: usize) -> u64 {
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
    pub(super) fn compute(&mut self, w: usize, lane: usize, i: &Instruction) {
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

pub(super) fn pair(registers: &[u32; 256], number: usize) -> u64 {
    if number == 255 {
        return 0;
    }
    u64::from(registers[number]) | u64::from(registers[number + 1]) << 32
}
