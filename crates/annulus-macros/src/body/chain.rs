//! Conditions in which a `let` stands beside others: `if a && let Some(b) = c && b > d`.
//!
//! They become conditions inside one another. What is left of the whole where one of them does not hold comes
//! after all of them, in a block that the innermost leaves.

use annulus_tree::{Block, Expression, ExpressionKind, Statement, StatementKind};
use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::{BinOp, Expr, ExprIf, ExprWhile};

use super::{Read, Reader, expression::bare, node, span};

/// The parts of a condition that has a `let` among others; `None` for any other.
fn parts(condition: &Expr) -> Option<Vec<&Expr>> {
    let mut parts = Vec::new();
    let mut rest = condition;
    while let Expr::Binary(binary) = rest
        && let BinOp::And(_) = binary.op
    {
        parts.push(&*binary.right);
        rest = &binary.left;
    }
    parts.push(rest);
    parts.reverse();
    let has_let = parts.iter().any(|part| matches!(bare(part), Expr::Let(_)));
    (has_let && parts.len() > 1).then_some(parts)
}

fn block(statements: Vec<Expression>, value: Option<Expression>) -> Block {
    let statement = |expression: Expression| Statement {
        line: expression.line,
        kind: StatementKind::Expression { expression },
    };
    Block { statements: statements.into_iter().map(statement).collect(), value: value.map(Box::new) }
}

/// Conditions inside one another, around what is done where all hold.
fn nested(conditions: Vec<Expression>, inner: Expression) -> Expression {
    conditions.into_iter().rev().fold(inner, |inner, condition| Expression {
        line: condition.line,
        kind: ExpressionKind::If {
            condition: Box::new(condition),
            then: block(Vec::new(), Some(inner)),
            otherwise: None,
        },
    })
}

impl Reader {
    /// The conditions in order, whose variables stay in scope, and all of them as they were written.
    fn conditions(&mut self, parts: &[&Expr]) -> (Vec<Expression>, TokenStream) {
        let (conditions, tokens): (Vec<_>, Vec<_>) = parts
            .iter()
            .map(|part| {
                let (condition, tokens) = self.condition(part);
                (*condition, tokens)
            })
            .unzip();
        (conditions, quote!(#(#tokens)&&*))
    }

    /// `if a && let … { … } else { … }`; `None` if the condition is another.
    pub(super) fn if_chain(&mut self, expression: &Expr, conditional: &ExprIf) -> Option<Read> {
        let parts = parts(&conditional.cond)?;
        let mark = self.scopes.mark();
        let (conditions, condition_tokens) = self.conditions(&parts);
        let (then, then_tokens) = self.block(&conditional.then_branch);
        self.scopes.back_to(&mark);
        let (otherwise, otherwise_tokens) = match &conditional.else_branch {
            Some((_, otherwise)) => {
                let Read { tree, tokens } = self.expression(otherwise);
                (Some(tree), Some(quote!(else #tokens)))
            }
            None => (None, None),
        };
        let line = super::line(span(expression));
        // No label of a handler's can have this name.
        let label = Some(format!("chain {}", self.witnesses.len()));
        let then = Expression { line, kind: ExpressionKind::Block { label: None, block: then } };
        let leave = ExpressionKind::Break { label: label.clone(), value: Some(Box::new(then)) };
        let chain = nested(conditions, Expression { line, kind: leave });
        let kind = ExpressionKind::Block { label, block: block(vec![chain], otherwise) };
        let tokens = quote_spanned!(span(expression)=> if #condition_tokens #then_tokens #otherwise_tokens);
        Some(node(expression, kind, tokens))
    }

    /// `while a && let … { … }`; `None` if the condition is another.
    pub(super) fn while_chain(&mut self, expression: &Expr, repeat: &ExprWhile) -> Option<Read> {
        let parts = parts(&repeat.cond)?;
        let mark = self.scopes.mark();
        let (conditions, condition_tokens) = self.conditions(&parts);
        let (body, body_tokens) = self.block(&repeat.body);
        self.scopes.back_to(&mark);
        let line = super::line(span(expression));
        let at = |kind| Expression { line, kind };
        let body = at(ExpressionKind::Block { label: None, block: body });
        let again = at(ExpressionKind::Continue { label: None });
        let turn = at(ExpressionKind::Block { label: None, block: block(vec![body], Some(again)) });
        let end = at(ExpressionKind::Break { label: None, value: None });
        let label = &repeat.label;
        let kind = ExpressionKind::Loop {
            label: self.label(label.as_ref()),
            body: block(vec![nested(conditions, turn), end], None),
        };
        let tokens = quote_spanned!(span(expression)=> #label while #condition_tokens #body_tokens);
        Some(node(expression, kind, tokens))
    }
}
