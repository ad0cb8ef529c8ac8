//! A body's inbox.

use annulus_tree::Expression;

use super::{
    Lowered, Lowerer,
    cases::Cases,
    operand::Operand,
    program::{Expr, Stmt},
};
use crate::typed::{Scalar, Type};

impl Lowerer<'_> {
    pub(super) fn inbox_method(&mut self, method: &str, arguments: &[Expression]) -> Lowered<Operand> {
        match (method, arguments) {
            ("try_recv", []) => {
                let ty: Type = self.definition.message.into();
                let found = self.temporary("took", Type::Scalar(Scalar::Bool), None);
                let message = self.temporary("taken", ty.clone(), None);
                self.out.push(Stmt::Take { found, message });
                for local in [found, message] {
                    self.locals[local].made = false;
                    self.locals[local].mutable = true;
                }
                let then = Box::new(Operand::Value(self.read(message), ty));
                Ok(Operand::cases(Cases { good: self.read(found), then, error: None, mutable: false }))
            }
            ("found", []) => Ok(Operand::Value(Expr::Found, Type::Scalar(Scalar::U32))),
            ("end_kernel", []) => {
                self.out.push(Stmt::EndKernel);
                Ok(Operand::Unit)
            }
            _ => Err(format!("an inbox has `try_recv`, `found` and `end_kernel`, and no `{method}`")),
        }
    }
}
