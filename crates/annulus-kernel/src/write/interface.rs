//! The handler's function, and the macros by which the device runtime knows it.

use annulus_abi::{bridged::BEGIN_UNIT, error};

use super::{
    Writer,
    cooperate::TOGETHER,
    function::{PAYLOAD, PRINTER, QUEUE, ROUND, STAMP, TIME},
    statement::fail,
};
use crate::{
    BindingKind, HeldKey, KernelShape, KeyDescriptor, Primitive, StateShape, TickDefinition,
    TimersDefinition, TypeDescriptor, TypeKind,
    lower::names::{field_name, variant_name},
};

impl Writer<'_> {
    pub(super) fn handler(&mut self) {
        let (handler, definition) = (self.function, self.program.definition);
        let together = definition.shape.is_block_wide();
        let mut parameters = Vec::new();
        if !handler.cx.is_empty() {
            parameters.push(format!("ann_cx {}", handler.cx));
        }
        let message = self.stored(&definition.read_by_handlers().into());
        if definition.shape == KernelShape::Body {
            parameters.push(format!("PRIVATE ann_inbox *{}", handler.message));
        } else if definition.bridged.is_some() {
            parameters.push(PAYLOAD.to_owned());
        } else {
            parameters.push(format!("GLOBAL const {message} *{}", handler.message));
        }
        if let Some(state) = definition.state.definition() {
            let space = if together { "LOCAL" } else { "PRIVATE" };
            parameters.push(format!("{space} {} *{}", self.stored(&state.ty.into()), handler.state));
        }
        if !handler.outbox.is_empty() {
            parameters.push(format!("PRIVATE ann_outbox *{}", handler.outbox));
        }
        if !handler.later.is_empty() {
            parameters.push(format!("PRIVATE ann_later *{}", handler.later));
        }
        if !handler.actor.is_empty() {
            parameters.push(format!("PRIVATE u32 *{}", handler.actor));
        }
        let names = handler.bindings.iter().zip(&handler.lens);
        for (binding, (name, len)) in definition.bindings.iter().zip(names) {
            let ty = self.stored(&binding.ty.into());
            parameters.push(format!("{} {ty} *{name}", Self::qualifiers(binding.kind)));
            if binding.kind != BindingKind::Parameter {
                parameters.push(format!("u64 {len}"));
            }
        }
        if handler.prints {
            parameters.push(PRINTER.to_owned());
        }
        if handler.asks_queue {
            parameters.push(format!("u32 {QUEUE}"));
        }
        if handler.asks_time {
            parameters.push(format!("u64 {TIME}"));
        }
        if handler.asks_stamp {
            parameters.push(format!("u64 {STAMP}"));
        }
        if handler.asks_round {
            parameters.push(format!("u64 {ROUND}"));
        }
        if together {
            parameters.push(TOGETHER.to_owned());
        }
        self.put("");
        let (qualifier, name) = (self.target.function(), &handler.name);
        self.put(&format!("{qualifier} u32 {name}({}) {{", parameters.join(", ")));
        if definition.bridged.is_some() {
            self.depth += 1;
            self.root(&message);
            self.depth -= 1;
        }
        if handler.ticks {
            let budget = self.budget();
            self.depth += 1;
            self.put(&format!("u32 ann_budget = {budget};"));
            self.depth -= 1;
        }
        self.port_counts();
        if together {
            self.begin_together();
        }
        self.block(&handler.body);
        if together {
            self.end_together();
        }
        self.put("}");
    }

    /// The root of a bridged message, which is the end of its bytes.
    fn root(&mut self, message: &str) {
        let TypeDescriptor { size, align, .. } = *self.program.definition.read_by_handlers();
        let name = self.function.message.clone();
        let wrong = fail(error::BAD_ARCHIVE);
        let begin = format!("ann_length - {size}u");
        let aligned = format!("(({begin}) & {}u) != 0u", align - 1);
        self.put(&format!("if (ann_length < {size}u || {aligned}) {wrong}"));
        self.put(&format!(
            "GLOBAL const {message} *{name} = (GLOBAL const {message} *)(ann_payload + ({begin}));"
        ));
    }

    pub(super) fn macros(&mut self) {
        let (handler, definition) = (self.function, self.program.definition);
        self.put("");
        let message = self.stored(&definition.message.into());
        self.put(&format!("#define ANN_MESSAGE {message}"));
        // A C type always has a size above zero.
        self.put(&format!("#define ANN_MESSAGE_BYTES {}", definition.message.size));
        if let Some(descriptor) = definition.output {
            let size = descriptor.size;
            let output = self.stored(&descriptor.into());
            self.put(&format!("#define ANN_OUTPUT {output}"));
            self.put(&format!("#define ANN_OUTPUT_BYTES {size}"));
            if let Some(key) = definition.output_key_field {
                let key = self.key_of(descriptor, key);
                self.put(&format!("#define ANN_OUTPUT_KEY(message) {key}"));
            }
            self.port_macros();
        }
        if let Some(state) = definition.state.definition() {
            let state = self.stored(&state.ty.into());
            self.put(&format!("#define ANN_STATE {state}"));
        }
        let whole = definition.bindings.iter().any(|binding| binding.kind == BindingKind::Whole);
        let shape = match definition.state {
            _ if whole => "ANN_WHOLE",
            StateShape::Stateless => "ANN_STATELESS",
            StateShape::PerActor(_) => "ANN_PER_ACTOR",
            StateShape::Whole(_) => "ANN_WHOLE",
        };
        self.put(&format!("#define ANN_SHAPE {shape}"));
        match definition.key_field {
            Some(key) => {
                self.put("#define ANN_KEYED 1");
                let key = self.key_of(definition.message, key);
                self.put(&format!("#define ANN_KEY(message) {key}"));
            }
            None => self.put("#define ANN_KEYED 0"),
        }
        self.put(&format!("#define ANN_MAX_OUTPUTS {}", definition.max_outputs));
        // Prefixed, so that no user's parameter hides a name of the runtime.
        let mut declared = String::new();
        let mut entry = String::new();
        let mut handed_on = String::new();
        let mut called = String::new();
        for binding in definition.bindings {
            let ty = self.stored(&binding.ty.into());
            let name = format!("bind_{}", binding.name);
            let name = field_name(&name);
            let volatile = if binding.kind == BindingKind::Shared { "volatile " } else { "" };
            // No parameter's own name begins like this.
            let len = format!("len_of_{name}");
            declared += &format!(", {volatile}GLOBAL {ty} *{name}, u64 {len}");
            entry += &format!(", {volatile}GLOBAL {ty} *{name} ANN_BUFFER, ANN_NUMBER {len} ANN_BUFFER");
            handed_on += &format!(", {name}, {len}");
            called += &format!(", {name}");
            if binding.kind != BindingKind::Parameter {
                called += &format!(", {len}");
            }
        }
        self.put(format!("#define ANN_BINDING_PARAMETERS {declared}").trim_end());
        self.put(format!("#define ANN_BINDING_ENTRY {entry}").trim_end());
        self.put(format!("#define ANN_BINDING_ARGUMENTS {handed_on}").trim_end());
        let mut arguments = Vec::new();
        if !handler.cx.is_empty() {
            arguments.push("cx");
        }
        arguments.push(if definition.bridged.is_some() {
            self.put("#define ANN_BRIDGED 1");
            // An archive begins at a multiple of this, counted from its head.
            let begin = field_name("begin");
            let begin = format!("((GLOBAL const u8 *)(message) + (u64){BEGIN_UNIT} * (message)->{begin})");
            self.put(&format!("#define ANN_PAYLOAD(message) {begin}"));
            self.put(&format!("#define ANN_LENGTH(message) ((message)->{})", field_name("length")));
            "ANN_PAYLOAD(message), ANN_LENGTH(message)"
        } else {
            "message"
        });
        if definition.state.definition().is_some() {
            arguments.push("state");
        }
        if !handler.outbox.is_empty() {
            arguments.push("outbox");
        }
        if let Some(timers) = definition.timers {
            let TimersDefinition { room, each, .. } = timers;
            self.put(&format!("#define ANN_TIMERS {room}u"));
            self.put(&format!("#define ANN_MAX_TIMERS {each}u"));
            self.events(definition.message, timers);
            // A timer is due some time after the turn's.
            if !handler.asks_time {
                self.put("#define ANN_ASKS_TIME 1");
            }
        }
        if !handler.later.is_empty() {
            arguments.push("later");
        }
        if !handler.actor.is_empty() {
            self.put("#define ANN_ENDS 1");
            arguments.push("ending");
        }
        if handler.prints {
            self.put("#define ANN_PRINTS 1");
            called += ", printer";
        }
        if handler.asks_queue {
            self.put("#define ANN_ASKS_QUEUE 1");
            called += ", queue";
        }
        if handler.asks_time {
            self.put("#define ANN_ASKS_TIME 1");
            called += ", time";
        }
        if handler.asks_stamp {
            self.put("#define ANN_ASKS_STAMP 1");
            called += ", stamp";
        }
        if handler.asks_round {
            self.put("#define ANN_ASKS_ROUND 1");
            called += ", round";
        }
        if definition.shape.is_block_wide() {
            self.put("#define ANN_BLOCK_WIDE 1");
            called += ", v->together, v->rounds, first";
        }
        if definition.shape == KernelShape::Body {
            self.put("#define ANN_BODY 1");
        }
        let (function, arguments) = (&handler.name, arguments.join(", "));
        self.put(&format!("#define ANN_CALL(cx, message, state, outbox) {function}({arguments}{called})"));
    }

    /// The tags of messages that nobody sends.
    fn events(&mut self, message: &TypeDescriptor, timers: TimersDefinition) {
        let TypeKind::Enum { tag, variants } = message.kind else { return };
        let value = |of: &Self, variant: usize| of.literal(tag.into(), variants[variant].tag, false);
        if let Some(TickDefinition { variant, period }) = timers.tick {
            let period = self.literal(Primitive::U64.into(), period, false);
            self.put(&format!("#define ANN_TICK {period}"));
            self.put(&format!("#define ANN_TICK_TAG {}", value(self, variant)));
        }
        if let Some(variant) = timers.start {
            self.put(&format!("#define ANN_START_TAG {}", value(self, variant)));
        }
        if let Some(variant) = timers.stop {
            self.put(&format!("#define ANN_STOP_TAG {}", value(self, variant)));
        }
    }

    /// The key of `message`, a pointer, as an expression.
    pub(super) fn key_of(&self, message: &TypeDescriptor, key: KeyDescriptor) -> String {
        match (key, message.kind) {
            (KeyDescriptor::Field(field), TypeKind::Struct(fields)) => {
                format!("((u64)(message)->{})", field_name(fields[field].name))
            }
            (KeyDescriptor::Variants(keys), TypeKind::Enum { .. }) => {
                let keys: Vec<_> = keys.iter().map(|&field| HeldKey::field(field)).collect();
                self.key_of_variants(message, &keys)
            }
            (KeyDescriptor::Held(keys), TypeKind::Enum { .. }) => self.key_of_variants(message, keys),
            _ => unreachable!("a message that derives its key has the field"),
        }
    }

    fn key_of_variants(&self, message: &TypeDescriptor, keys: &[HeldKey]) -> String {
        let TypeKind::Enum { tag, variants } = message.kind else { unreachable!("it has variants") };
        let mut chosen: Option<String> = None;
        for (variant, key) in variants.iter().zip(keys).rev() {
            let held = &variant.fields[key.field];
            let place = format!("(message)->{}.{}", variant_name(variant.name), field_name(held.name));
            let value = match key.of {
                None => format!("(u64){place}"),
                Some(of) => self.key_of(held.ty, of).replace("(message)", &format!("(&{place})")),
            };
            chosen = Some(match chosen {
                Some(others) => {
                    let tag = self.literal(tag.into(), variant.tag, false);
                    format!("(message)->tag == {tag} ? {value} : {others}")
                }
                None => value,
            });
        }
        format!("({})", chosen.unwrap_or_default())
    }
}
