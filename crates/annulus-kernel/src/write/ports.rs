//! Several outboxes of one handler. In C they are one outbox, whose outputs begin with the number of theirs.

use super::{Writer, function::PORT_COUNTS};
use crate::{
    TypeKind,
    lower::{
        names::{field_name, variant_name},
        program::Expr,
    },
};

/// Counts what each outbox has sent. It stands in the texts of handlers that have several.
pub(super) const SOURCE: &str = include_str!("../../c/ports.c");

impl Writer<'_> {
    pub(super) fn has_ports(&self) -> bool {
        !self.program.definition.ports.is_empty()
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
}
