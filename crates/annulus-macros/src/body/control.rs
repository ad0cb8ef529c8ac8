//! Blocks, branches and loops.

use annulus_tree::{Arm, ExpressionKind};
use quote::{ToTokens, quote, quote_spanned};
use syn::{Expr, ExprIf, ExprLet, ExprMatch, Label, Lifetime, Pat};

use super::{
    Read, Reader,
    expression::{DEEPEST, bare},
    node, span,
};

impl Reader {
    /// An expression that decides what runs.
    pub(super) fn control(&mut self, expression: &Expr) -> Read {
        match expression {
            Expr::Block(block) => {
                let (kind, tokens) = self.block_expression(block);
                node(expression, kind, tokens)
            }
            Expr::If(conditional) => {
                self.check_chain(conditional);
                if let Some(read) = self.if_chain(expression, conditional) {
                    return read;
                }
                let mark = self.scopes.mark();
                let (condition, condition_tokens) = self.condition(&conditional.cond);
                let (then, then_tokens) = self.block(&conditional.then_branch);
                self.scopes.back_to(&mark);
                let (otherwise, otherwise_tokens) = match &conditional.else_branch {
                    Some((_, otherwise)) => {
                        let (tree, tokens) = self.boxed(otherwise);
                        (Some(tree), Some(quote!(else #tokens)))
                    }
                    None => (None, None),
                };
                let kind = ExpressionKind::If { condition, then, otherwise };
                let place = span(expression);
                node(
                    expression,
                    kind,
                    quote_spanned!(place=> if #condition_tokens #then_tokens #otherwise_tokens),
                )
            }
            Expr::Match(choice) => self.choice(expression, choice),
            Expr::While(repeat) => {
                if let Some(read) = self.while_chain(expression, repeat) {
                    return read;
                }
                let mark = self.scopes.mark();
                let (condition, condition_tokens) = self.condition(&repeat.cond);
                let (body, body_tokens) = self.block(&repeat.body);
                self.scopes.back_to(&mark);
                let label = &repeat.label;
                let kind = ExpressionKind::While { label: self.label(label.as_ref()), condition, body };
                let place = span(expression);
                node(expression, kind, quote_spanned!(place=> #label while #condition_tokens #body_tokens))
            }
            Expr::Loop(repeat) => {
                let (body, body_tokens) = self.block(&repeat.body);
                let label = &repeat.label;
                let kind = ExpressionKind::Loop { label: self.label(label.as_ref()), body };
                node(expression, kind, quote_spanned!(span(expression)=> #label loop #body_tokens))
            }
            Expr::ForLoop(repeat) => {
                let (items, items_tokens) = self.items(&repeat.expr);
                let mark = self.scopes.mark();
                let number = match bare(&repeat.expr) {
                    Expr::Range(range) => range.start.as_ref().is_some_and(|start| self.is_number(start)),
                    _ => false,
                };
                let (pattern, pattern_tokens) = self.irrefutable(&repeat.pat);
                if number {
                    self.note_number(&pattern);
                }
                let (body, body_tokens) = self.block(&repeat.body);
                self.scopes.back_to(&mark);
                let label = &repeat.label;
                let kind = ExpressionKind::For { label: self.label(label.as_ref()), pattern, items, body };
                let place = span(expression);
                let tokens = quote_spanned!(place=> #label for #pattern_tokens in #items_tokens #body_tokens);
                node(expression, kind, tokens)
            }
            Expr::Break(leave) => {
                let label = &leave.label;
                let (value, value_tokens) = match &leave.expr {
                    Some(value) => {
                        let (tree, tokens) = self.boxed(value);
                        // A block with a label stands in parentheses there, which the tree has not.
                        (Some(tree), Some(quote_spanned!(span(value)=> (#tokens))))
                    }
                    None => (None, None),
                };
                let kind = ExpressionKind::Break { label: self.label_of(label.as_ref()), value };
                node(expression, kind, quote_spanned!(span(expression)=> (break #label #value_tokens)))
            }
            Expr::Continue(again) => {
                let kind = ExpressionKind::Continue { label: self.label_of(again.label.as_ref()) };
                node(expression, kind, expression.to_token_stream())
            }
            Expr::Return(give) => {
                self.check_leaves(expression, "`return`");
                let (value, tokens) = match &give.expr {
                    Some(value) => {
                        let (tree, tokens) = self.boxed(value);
                        (Some(tree), Some(tokens))
                    }
                    None => (None, None),
                };
                let kind = ExpressionKind::Return { value };
                node(expression, kind, quote_spanned!(span(expression)=> (return #tokens)))
            }
            Expr::Let(_) => {
                let message =
                    "a device takes `let` in a condition and its `&&`: write two `if`s, one inside the other";
                self.refuse(expression, message)
            }
            Expr::Range(_) => self.refuse(
                expression,
                "a device has ranges in `for … in`, in patterns and in slices: write `for i in a..b`",
            ),
            other => unreachable!("`{}` is no control flow", other.to_token_stream()),
        }
    }

    /// Refuses the `else if` that comes close to what is too deep: its condition would be, and none of it
    /// says why.
    fn check_chain(&mut self, conditional: &ExprIf) {
        const ROOM: usize = 16;
        if let Some((word, otherwise)) = &conditional.else_branch
            && matches!(**otherwise, Expr::If(_))
            && self.nesting + ROOM > DEEPEST
            && !std::mem::replace(&mut self.too_deep, true)
        {
            let message = "this chain of `else if`s is too long, each of them inside of the one before: write a `match`, or return from \
                 the one that holds";
            self.errors.at(word, message);
        }
    }

    /// A condition, which may be a `let`; what it binds stays in scope.
    pub(super) fn condition(
        &mut self,
        condition: &Expr,
    ) -> (Box<annulus_tree::Expression>, proc_macro2::TokenStream) {
        let Expr::Let(ExprLet { pat, expr, .. }) = bare(condition) else { return self.boxed(condition) };
        let (value, value_tokens) = self.boxed(expr);
        let (pattern, pattern_tokens) = self.pattern(pat);
        let kind = ExpressionKind::Let { pattern, value };
        let tokens = quote_spanned!(span(condition)=> let #pattern_tokens = #value_tokens);
        let Read { tree, tokens } = node(condition, kind, tokens);
        (Box::new(tree), tokens)
    }

    fn choice(&mut self, expression: &Expr, choice: &ExprMatch) -> Read {
        let (value, value_tokens) = self.boxed(&choice.expr);
        let mut arms = Vec::new();
        let mut tokens = Vec::new();
        for arm in &choice.arms {
            let mark = self.scopes.mark();
            let (pat, guard) = match &arm.pat {
                Pat::Guard(guarded) => (&*guarded.pat, Some(&*guarded.guard)),
                pat => (pat, None),
            };
            let (pattern, pattern_tokens) = self.pattern(pat);
            let (guard, guard_tokens) = match guard {
                Some(guard) => {
                    let Read { tree, tokens } = self.expression(guard);
                    (Some(tree), Some(quote!(if #tokens)))
                }
                None => (None, None),
            };
            let Read { tree, tokens: body_tokens } = self.expression(&arm.body);
            self.scopes.back_to(&mark);
            let place = span(&arm.pat);
            tokens.push(quote_spanned!(place=> #pattern_tokens #guard_tokens => #body_tokens,));
            let line = super::line(place);
            arms.push(Arm { line, pattern, guard, body: tree });
        }
        let kind = ExpressionKind::Match { value, arms };
        node(expression, kind, quote_spanned!(span(expression)=> match #value_tokens { #(#tokens)* }))
    }
}

impl Reader {
    /// What a label is called in the tree: two of one name that come from different macros are two.
    pub(super) fn label(&mut self, label: Option<&Label>) -> Option<String> {
        self.label_of(label.map(|label| &label.name))
    }

    fn label_of(&mut self, label: Option<&Lifetime>) -> Option<String> {
        label.map(|label| self.variable(&label.ident))
    }
}
