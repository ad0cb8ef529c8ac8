//! Blocks and statements.

use annulus_tree::{Block as TreeBlock, ExpressionKind, Statement, StatementKind};
use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::{Block, Expr, ExprBlock, Item, Local, Pat, Stmt, spanned::Spanned};

use super::{Reader, Source, line, span, start};
use crate::types;

impl Reader {
    pub(super) fn block(&mut self, block: &Block) -> (TreeBlock, TokenStream) {
        let mark = self.scopes.mark();
        self.depth += 1;
        let mut statements = Vec::new();
        let mut value = None;
        let mut tokens = Vec::new();
        let last = block.stmts.len().saturating_sub(1);
        for (index, statement) in block.stmts.iter().enumerate() {
            let at = line(match statement {
                Stmt::Local(local) if local.attrs.is_empty() => local.let_token.span,
                Stmt::Expr(expression, _) => start(expression),
                other => other.span(),
            });
            match statement {
                Stmt::Local(local) => {
                    if let Some((kind, written)) = self.local(local) {
                        statements.push(Statement { line: at, kind });
                        tokens.push(written);
                    }
                }
                Stmt::Item(item) => tokens.push(self.item(item)),
                Stmt::Expr(expression, semicolon) => {
                    let read = self.expression(expression);
                    let written = &read.tokens;
                    tokens.push(quote!(#written #semicolon));
                    if index == last && semicolon.is_none() {
                        value = Some(Box::new(read.tree));
                    } else {
                        let kind = StatementKind::Expression { expression: read.tree };
                        statements.push(Statement { line: at, kind });
                    }
                }
                Stmt::Macro(statement) => {
                    let read = self.macro_call(&statement.mac);
                    let (written, semicolon) = (&read.tokens, &statement.semi_token);
                    tokens.push(quote!(#written #semicolon));
                    if index == last && semicolon.is_none() {
                        value = Some(Box::new(read.tree));
                    } else {
                        let kind = StatementKind::Expression { expression: read.tree };
                        statements.push(Statement { line: at, kind });
                    }
                }
            }
        }
        self.scopes.back_to(&mark);
        self.depth -= 1;
        let place = Span::mixed_site().located_at(block.brace_token.span.join());
        (TreeBlock { statements, value }, quote_spanned!(place=> { #(#tokens)* }))
    }

    /// `let`.
    fn local(&mut self, local: &Local) -> Option<(StatementKind, TokenStream)> {
        let (pat, ty) = match &local.pat {
            Pat::Type(typed) => (&*typed.pat, Some(&typed.ty)),
            pat => (pat, None),
        };
        if let Some(ty) = ty {
            self.known_type(ty);
        }
        let written_type = ty.map(|ty| quote!(: #ty));
        let Some(init) = &local.init else {
            return self.declaration(local, pat, ty.map(|ty| ty.to_token_stream()));
        };
        let value = self.expression(&init.expr);
        let value_tokens = &value.tokens;
        // Before `else` rustc wants no closing brace.
        let value_tokens =
            if init.diverge.is_some() { quote!((#value_tokens)) } else { quote!(#value_tokens) };
        let mut otherwise = None;
        let mut otherwise_tokens = None;
        if let Some((_, diverge)) = &init.diverge {
            let Expr::Block(block) = &**diverge else {
                self.errors.at(diverge, "write a block after `else`");
                return None;
            };
            let (tree, tokens) = self.block(&block.block);
            otherwise = Some(tree);
            otherwise_tokens = Some(quote!(else #tokens));
        }
        let number = match ty {
            Some(ty) => types::is_number(ty),
            None => self.is_number(&init.expr),
        };
        let (pattern, pattern_tokens) =
            if otherwise.is_some() { self.pattern(pat) } else { self.irrefutable(pat) };
        if number {
            self.note_number(&pattern);
        }
        let tokens = quote_spanned! {span(&local.let_token)=>
            let #pattern_tokens #written_type = #value_tokens #otherwise_tokens;
        };
        Some((StatementKind::Let { pattern, value: value.tree, otherwise }, tokens))
    }

    /// `let name: T;`
    fn declaration(
        &mut self,
        local: &Local,
        pat: &Pat,
        ty: Option<TokenStream>,
    ) -> Option<(StatementKind, TokenStream)> {
        let (Pat::Ident(ident), Some(ty)) = (pat, ty) else {
            let message = "a device must know the type here: write `let name: T;`, or give it a value: \
                           `let name = if … { … } else { … };`";
            self.errors.at(local, message);
            return None;
        };
        let ty = self.witness(Source::Written(ty));
        let name = self.variable(&ident.ident);
        self.scopes.declare(&name);
        Some((StatementKind::Declare { name, ty }, local.to_token_stream()))
    }

    /// An item in a body: constants and imports are taken along, others are refused.
    fn item(&mut self, item: &Item) -> TokenStream {
        match item {
            // Constants are captured outside of the body, where a block's own could be taken for another's.
            Item::Const(_) | Item::Use(_) if self.depth > 1 => {
                self.errors
                    .at(item, "write this at the beginning of the handler's body, not in a block of it");
            }
            Item::Const(_) | Item::Use(_) => self.items.push(item.to_token_stream()),
            Item::Static(_) => self.errors.at(item, "a static is a constant here: write `const`"),
            _ => self.errors.at(
                item,
                "a handler's body has statements, `const` and `use`: write this item beside the handler",
            ),
        }
        item.to_token_stream()
    }

    /// A block that is an expression, its value taken.
    pub(super) fn block_expression(&mut self, block: &ExprBlock) -> (ExpressionKind, TokenStream) {
        let label = &block.label;
        let (tree, tokens) = self.block(&block.block);
        (ExpressionKind::Block { label: self.label(label.as_ref()), block: tree }, quote!(#label #tokens))
    }
}
