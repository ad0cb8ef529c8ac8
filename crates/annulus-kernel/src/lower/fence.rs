//! `cx.fence(scope)`: a statement of its own, so that no access moves over it.

use annulus_tree::{Expression, ExpressionKind};

use super::{
    Lowered, Lowerer,
    operand::Operand,
    program::{Function, Program, Stmt, any},
};
use crate::{DeviceType, FenceScope, typed::Value};

impl Lowerer<'_> {
    pub(super) fn fence(&mut self, arguments: &[Expression]) -> Lowered<Operand> {
        if let [scope] = arguments
            && let ExpressionKind::Constant { witness, .. } = &scope.kind
            && let (ty, Value::Enum { variant, .. }) = self.constant_of(*witness)?
            && ty == FenceScope::DESCRIPTOR.into()
            && let Some(scope) = FenceScope::ALL.get(*variant)
        {
            self.out.push(Stmt::Fence(*scope));
            return Ok(Operand::Unit);
        }
        Err("write the fence's scope here, as `FenceScope::Device`".into())
    }
}

impl Program {
    /// Whether the handler, or a function that it calls, has a fence that is wanted.
    pub(crate) fn fences(&self, wanted: impl Fn(FenceScope) -> bool) -> bool {
        let is_wanted = |statement: &Stmt| matches!(statement, Stmt::Fence(scope) if wanted(*scope));
        let has = |function: &Function| any(&function.body, &is_wanted);
        self.functions.iter().any(has) || has(&self.handler)
    }
}
