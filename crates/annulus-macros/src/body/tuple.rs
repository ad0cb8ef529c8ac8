//! Tuples, and assignments to several places at once.

use annulus_tree::{Block, Expression, ExpressionKind, Pattern, Statement, StatementKind};
use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::{Expr, ExprAssign, ExprTuple};

use super::{Read, Reader, expression::bare, node, span};
use crate::types::{MOST_PARTS, too_many_parts};

impl Reader {
    pub(super) fn tuple(&mut self, expression: &Expr, tuple: &ExprTuple) -> Read {
        if tuple.elems.len() > MOST_PARTS {
            return self.refuse(expression, too_many_parts(tuple.elems.len()));
        }
        let mut items = Vec::new();
        let mut tokens = Vec::new();
        for item in &tuple.elems {
            let Read { tree, tokens: item } = self.expression(item);
            items.push(tree);
            tokens.push(item);
        }
        node(expression, ExpressionKind::Tuple { items }, quote_spanned!(span(expression)=> (#(#tokens,)*)))
    }

    /// `(a, b) = value`: as rustc does it, the value is taken apart, and then each part is assigned, from
    /// left to right.
    pub(super) fn assign_parts(&mut self, assign: &ExprAssign) -> Read {
        let (value, value_tokens) = self.boxed(&assign.right);
        let line = value.line;
        let mut statements = Vec::new();
        let (pattern, tokens) = self.parts_assigned(&assign.left, &mut statements);
        let bind = StatementKind::Let { pattern, value: *value, otherwise: None };
        statements.insert(0, Statement { line, kind: bind });
        let block = Block { statements, value: None };
        let kind = ExpressionKind::Block { label: None, block };
        node(assign, kind, quote_spanned!(span(assign)=> (#tokens = #value_tokens)))
    }

    /// The pattern that takes the value apart, and the left side; the assignments of its parts go to
    /// `statements`.
    fn parts_assigned(&mut self, left: &Expr, statements: &mut Vec<Statement>) -> (Pattern, TokenStream) {
        match bare(left) {
            Expr::Infer(_) => (Pattern::Wildcard, quote!(_)),
            Expr::Tuple(tuple) => {
                let mut patterns = Vec::new();
                let mut tokens = Vec::new();
                for (index, part) in tuple.elems.iter().enumerate() {
                    if matches!(part, Expr::Range(range) if range.start.is_none() && range.end.is_none()) {
                        if index + 1 != tuple.elems.len() {
                            self.errors.at(
                                part,
                                "`..` stands at the end: write `_` for each part that it stands for",
                            );
                        }
                        tokens.push(quote!(..));
                        continue;
                    }
                    let (pattern, part) = self.parts_assigned(part, statements);
                    patterns.push(pattern);
                    tokens.push(part);
                }
                (Pattern::Tuple { patterns }, quote_spanned!(span(left)=> (#(#tokens,)*)))
            }
            Expr::Array(array) => {
                let (patterns, tokens): (Vec<_>, Vec<_>) =
                    array.elems.iter().map(|part| self.parts_assigned(part, statements)).unzip();
                (Pattern::Tuple { patterns }, quote_spanned!(span(left)=> [#(#tokens,)*]))
            }
            Expr::Struct(_) | Expr::Call(_) => {
                let message =
                    "a device assigns to places and to tuples of them: write an assignment for each field";
                self.refuse(left, message);
                (Pattern::Wildcard, TokenStream::new())
            }
            _ => {
                // No variable of a handler can have this name.
                let name = format!("part {}", statements.len());
                let Read { tree, tokens } = self.expression(left);
                let line = tree.line;
                let part = ExpressionKind::Variable { name: name.clone() };
                let value = Box::new(Expression { line, kind: part });
                let kind = ExpressionKind::Assign { place: Box::new(tree), value };
                let expression = Expression { line, kind };
                statements.push(Statement { line, kind: StatementKind::Expression { expression } });
                (Pattern::Bind { name, mutable: false, by_reference: false, inner: None }, tokens)
            }
        }
    }
}
