//! Several outboxes of one handler. In C they are one outbox, whose outputs begin with the number of theirs.

use super::{Writer, function::PORT_COUNTS};
use crate::{
    MOST_PEERS, PeersDefinition, PortDefinition, RowField, RowsDefinition, TypeKind,
    lower::{
        names::{field_name, variant_name},
        program::Expr,
    },
};

/// Marks the timers of asks. It stands in the texts of handlers that ask.
pub(super) const ASK_SOURCE: &str = include_str!("../../c/ask.c");

/// Counts what each outbox has sent. It stands in the texts of handlers that have several.
pub(super) const SOURCE: &str = include_str!("../../c/ports.c");

impl Writer<'_> {
    pub(super) fn has_ports(&self) -> bool {
        !self.program.definition.ports.is_empty()
    }

    /// What a block asks of outboxes, by their numbers: where in an output theirs lie, and how they are keyed.
    pub(super) fn port_macros(&mut self) {
        let ports = self.program.definition.ports;
        let definition = self.program.definition;
        if let Some(peers) = &definition.peers {
            self.peer_macros(peers);
        }
        if let Some(rows) = &definition.rows {
            self.row_macros(rows);
        }
        if ports.is_empty() {
            return;
        }
        let choose = |of: &dyn Fn(&PortDefinition) -> String| {
            let (last, others) = ports.split_last().expect("there are several");
            others
                .iter()
                .rev()
                .fold(of(last), |rest, port| format!("(port) == {}u ? {} : {rest}", port.tag, of(port)))
        };
        self.put(&format!("#define ANN_PORTS {}", ports.len()));
        self.put(&format!("#define ANN_PORT_OFFSET(port) ({})", choose(&|port| format!("{}u", port.offset))));
        self.put(&format!(
            "#define ANN_PORT_BYTES(port) ({})",
            choose(&|port| format!("{}u", port.output.size))
        ));
        let is_keyed = |port: &PortDefinition| format!("{}u", u32::from(port.output_key_field.is_some()));
        self.put(&format!("#define ANN_PORT_IS_KEYED(port) ({})", choose(&is_keyed)));
        if let Some(reply) = definition.reply() {
            self.put(&format!("#define ANN_REPLY_PORT {}u", reply.tag));
        }
        self.ask_macros();
        for port in ports {
            if let Some(key) = port.output_key_field {
                let (number, key) = (port.tag, self.key_of(port.output, key));
                self.put(&format!("#define ANN_PORT_KEY_{number}(message) {key}"));
            }
        }
        let key = |port: &PortDefinition| match port.output_key_field {
            Some(_) => {
                let ty = self.stored(&port.output.into());
                format!("ANN_PORT_KEY_{}((GLOBAL const {ty} *)((output) + {}u))", port.tag, port.offset)
            }
            None => "(u64)0".to_owned(),
        };
        let keys = choose(&key);
        self.put(&format!("#define ANN_PORT_KEY(port, output) ({keys})"));
    }

    /// The same of an outbox whose outputs say whom they are for: each place is one for a kernel.
    fn peer_macros(&mut self, peers: &PeersDefinition) {
        let PeersDefinition { by_topic, message, key_field, offset } = *peers;
        self.put(&format!("#define ANN_PORTS {}", MOST_PEERS + 1));
        self.put(&format!("#define ANN_PEERS {}", MOST_PEERS));
        if by_topic {
            self.put("#define ANN_TOPICS");
        }
        self.put(&format!("#define ANN_PORT_OFFSET(port) {offset}u"));
        self.put(&format!("#define ANN_PORT_BYTES(port) {}u", message.size));
        self.put(&format!("#define ANN_PORT_IS_KEYED(port) {}u", u32::from(key_field.is_some())));
        let key = match key_field {
            Some(key) => {
                let (key, ty) = (self.key_of(message, key), self.stored(&message.into()));
                self.put(&format!("#define ANN_PEER_KEY(message) {key}"));
                format!("ANN_PEER_KEY((GLOBAL const {ty} *)((output) + {offset}u))")
            }
            None => "(u64)0".to_owned(),
        };
        self.put(&format!("#define ANN_PORT_KEY(port, output) ({key})"));
    }

    /// The same of an outbox whose outputs go along rows: how an entry is written into what goes to its actor.
    fn row_macros(&mut self, rows: &RowsDefinition) {
        let RowsDefinition { message, offset, key, edge } = *rows;
        self.put("#define ANN_ROWS");
        self.put(&format!("#define ANN_ROW_OFFSET {offset}u"));
        self.put(&format!("#define ANN_ROW_BYTES {}u", message.size));
        let store = |field: RowField, value: &str| {
            let ty = format!("u{}", field.ty.size() * 8);
            format!("(*(GLOBAL {ty} *)((copy) + {}u) = ({ty})({value}))", field.offset)
        };
        self.put(&format!("#define ANN_ROW_STORE_KEY(copy, key) {}", store(key, "key")));
        if let Some(edge) = edge {
            self.put(&format!("#define ANN_ROW_STORE_EDGE(copy, value) {}", store(edge, "value")));
        }
    }

    /// The handler's counts of what it has sent by each outbox.
    pub(super) fn port_counts(&mut self) {
        if !self.has_ports() {
            return;
        }
        let zeros = vec!["0u"; self.program.definition.ports.len()].join(", ");
        let count = self.program.definition.ports.len();
        self.depth += 1;
        self.put(&format!("u32 {PORT_COUNTS}[{count}] = {{ {zeros} }};"));
        self.depth -= 1;
    }

    pub(super) fn send_to_port(&mut self, port: u8, value: &Expr) {
        let value = self.expression(value);
        let definition = self.program.definition;
        let number = usize::from(port);
        let (Some(output), Some(by)) = (definition.output, definition.ports.get(number)) else { return };
        let TypeKind::Enum { tag, variants } = output.kind else { return };
        let ty = self.stored(&output.into());
        let tag = self.literal(tag.into(), variants[number].tag, false);
        let outbox = &self.function.outbox;
        let next = format!("ann_port_next({outbox}, {PORT_COUNTS}, {port}u, {}u)", by.max_outputs);
        self.code("{");
        self.depth += 1;
        self.put(&format!("GLOBAL {ty} *ann_slot = (GLOBAL {ty} *){next};"));
        if by.output.size == 0 {
            self.put(&format!("if (ann_slot) ann_slot->tag = {tag};"));
        } else {
            let (member, field) = (variant_name(by.name), field_name(variants[number].fields[0].name));
            self.put("if (ann_slot) {");
            self.depth += 1;
            self.put(&format!("ann_slot->tag = {tag};"));
            self.put(&format!("ann_slot->{member}.{field} = {value};"));
            self.depth -= 1;
            self.put("}");
        }
        self.depth -= 1;
        self.put("}");
    }

    /// What a block asks of an ask: the number of its way out, and where in the kernel's message the answer goes.
    fn ask_macros(&mut self) {
        let Some(port) = self.program.definition.ask() else { return };
        let Some(ask) = &port.ask else { return };
        let begin = ask.inside().offset;
        self.put(&format!("#define ANN_ASK_PORT {}u", port.tag));
        self.put(&format!("#define ANN_ANSWER {}u", begin + ask.answer));
        self.put(&format!("#define ANN_ANSWER_VALUE {}u", begin + ask.value));
        self.put(&format!("#define ANN_ANSWER_BYTES {}u", ask.answered.size));
    }

    /// The message that comes of an ask is written as that of a timer.
    pub(super) fn await_answer(&mut self, port: u8, awaited: &Expr, nanos: &Expr) {
        let (awaited, nanos) = (self.expression(awaited), self.expression(nanos));
        let definition = self.program.definition;
        let Some(ask) = definition.ports.get(usize::from(port)).and_then(|port| port.ask) else { return };
        let TypeKind::Enum { tag, variants } = definition.message.kind else { return };
        let variant = &variants[ask.variant];
        let tag = self.literal(tag.into(), variant.tag, false);
        let (member, field) = (variant_name(variant.name), field_name(variant.fields[0].name));
        let ty = self.stored(&definition.message.into());
        let next = format!("ann_ask_next({}, {nanos})", self.function.later);
        self.code("{");
        self.depth += 1;
        self.put(&format!("GLOBAL {ty} *ann_slot = (GLOBAL {ty} *){next};"));
        self.put("if (ann_slot) {");
        self.depth += 1;
        self.put(&format!("ann_slot->tag = {tag};"));
        self.put(&format!("ann_slot->{member}.{field} = {awaited};"));
        self.depth -= 1;
        self.put("}");
        self.depth -= 1;
        self.put("}");
    }
}
