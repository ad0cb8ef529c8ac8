//! Machine code of NVIDIA's GPUs as `nvdisasm` shows it, made instructions that a [machine](crate::machine)
//! can run: names, operands, and the control bits that say what an instruction waits for.

use std::collections::HashMap;

#[derive(Clone, Debug)]
pub(crate) enum Operand {
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
pub(crate) enum Sign {
    Plus,
    Minus,
    Not,
}

impl Sign {
    pub(crate) fn of(self, value: u32) -> u32 {
        match self {
            Self::Plus => value,
            Self::Minus => value.wrapping_neg(),
            Self::Not => !value,
        }
    }
}

pub(crate) struct Instruction {
    pub(crate) text: String,
    pub(crate) guard: Option<(usize, bool, bool)>,
    pub(crate) name: String,
    pub(crate) modifiers: Vec<String>,
    pub(crate) operands: Vec<Operand>,
    pub(crate) immediate: u32,
    pub(crate) stall: u64,
    pub(crate) writes: usize,
    pub(crate) reads: usize,
    pub(crate) waits: u64,
}

impl Instruction {
    pub(crate) fn has(&self, modifier: &str) -> bool {
        self.modifiers.iter().any(|one| one == modifier)
    }

    /// Bytes of a load or store.
    pub(crate) fn width(&self) -> u64 {
        if self.has("128") {
            16
        } else if self.has("64") {
            8
        } else if self.has("U8") || self.has("S8") {
            1
        } else if self.has("U16") {
            2
        } else {
            4
        }
    }
}

/// A kernel's instructions.
pub(crate) struct Code {
    pub(crate) instructions: Vec<Instruction>,
    pub(crate) labels: HashMap<String, usize>,
    /// The compiler's own constants: the second bank.
    pub(crate) constants: Vec<u8>,
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
