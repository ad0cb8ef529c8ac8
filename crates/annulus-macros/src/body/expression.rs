//! Expressions: operators, places, literals, structs and arrays.

use annulus_tree::{BinaryOp, ExpressionKind, FieldValue, Literal, UnaryOp};
use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};
use syn::{BinOp, Expr, ExprBinary, ExprPath, ExprStruct, ExprUnary, Lit, UnOp};

use super::{OR_CPU_ONLY, Read, Reader, Source, node, pattern, span};

impl Reader {
    pub(super) fn boxed(&mut self, expression: &Expr) -> (Box<annulus_tree::Expression>, TokenStream) {
        let Read { tree, tokens } = self.expression(expression);
        (Box::new(tree), tokens)
    }

    pub(super) fn expression(&mut self, expression: &Expr) -> Read {
        if self.nesting >= DEEPEST {
            // Once: what stands beside it is as deep.
            if !std::mem::replace(&mut self.too_deep, true) {
                self.errors.at(
                    expression,
                    format!(
                        "this stands in {DEEPEST} expressions, one inside the other, which is too deep: write a `match`, or \
                         give parts names"
                    ),
                );
            }
            return node(expression, ExpressionKind::Unit, TokenStream::new());
        }
        self.nesting += 1;
        let read = self.any_expression(expression);
        self.nesting -= 1;
        read
    }

    fn any_expression(&mut self, expression: &Expr) -> Read {
        match expression {
            Expr::Paren(paren) => self.expression(&paren.expr),
            Expr::Group(group) => self.expression(&group.expr),
            Expr::Lit(literal) => self.literal_expression(expression, &literal.lit),
            Expr::Path(path) => self.path(path),
            Expr::Unary(unary) => self.unary(expression, unary),
            Expr::Binary(binary) => self.binary(expression, binary),
            Expr::Assign(assign) => self.assign(expression, assign),
            Expr::Cast(cast) => self.cast(cast),
            Expr::Field(field) => {
                let (base, tokens) = self.boxed(&field.base);
                let member = &field.member;
                let kind = ExpressionKind::Field { base, name: pattern::member_name(member) };
                node(expression, kind, quote_spanned!(span(expression)=> #tokens.#member))
            }
            Expr::Index(index) => {
                let (base, base_tokens) = self.boxed(&index.expr);
                let (at, at_tokens) = self.subscript(&index.index);
                let kind = ExpressionKind::Index { base, index: at };
                node(expression, kind, quote_spanned!(span(expression)=> #base_tokens[#at_tokens]))
            }
            Expr::Reference(reference) => {
                let mutability = &reference.mutability;
                if let (None, Some(literal)) = (mutability, self.literal_of(&reference.expr)) {
                    return self.promoted(expression, &reference.expr, literal);
                }
                let (place, tokens) = self.boxed(&reference.expr);
                let kind = ExpressionKind::Reference { mutable: mutability.is_some(), place };
                node(expression, kind, quote_spanned!(span(expression)=> (& #mutability #tokens)))
            }
            Expr::Struct(literal) => self.construct(literal),
            Expr::Array(array) => {
                let (items, tokens): (Vec<_>, Vec<_>) = array
                    .elems
                    .iter()
                    .map(|item| {
                        let Read { tree, tokens } = self.expression(item);
                        (tree, tokens)
                    })
                    .unzip();
                let (witness, tokens) = self.witnessed(expression, &quote!([#(#tokens),*]));
                node(expression, ExpressionKind::Array { items, witness }, tokens)
            }
            Expr::Repeat(repeat) => {
                let (item, tokens) = self.boxed(&repeat.expr);
                let len = &repeat.len;
                let (witness, tokens) = self.witnessed(expression, &quote!([#tokens; #len]));
                node(expression, ExpressionKind::Repeat { item, witness }, tokens)
            }
            Expr::Tuple(tuple) if tuple.elems.is_empty() => {
                node(expression, ExpressionKind::Unit, expression.to_token_stream())
            }
            Expr::Tuple(tuple) => self.tuple(expression, tuple),
            Expr::Try(attempt) => self.attempt(expression, attempt),
            Expr::Call(call) => self.call(expression, call),
            Expr::MethodCall(call) => self.method(expression, call),
            Expr::Macro(call) => self.macro_call(&call.mac),
            Expr::Block(_)
            | Expr::If(_)
            | Expr::Match(_)
            | Expr::While(_)
            | Expr::Loop(_)
            | Expr::ForLoop(_)
            | Expr::Break(_)
            | Expr::Continue(_)
            | Expr::Return(_)
            | Expr::Let(_)
            | Expr::Range(_) => self.control(expression),
            other => {
                let message = refusal(other);
                self.refuse(other, message)
            }
        }
    }

    fn literal_expression(&mut self, expression: &Expr, literal: &Lit) -> Read {
        let Some(tree) = self.literal(literal, false) else {
            let message = match literal {
                Lit::ByteStr(bytes) => return self.bytes(expression, bytes),
                Lit::Str(_) | Lit::CStr(_) => {
                    format!(
                        "a device has no text: send a number and let the host find the words, {OR_CPU_ONLY}"
                    )
                }
                Lit::Char(_) => pattern::NO_CHAR.to_owned(),
                _ => format!("a device does not know this literal: write a number, {OR_CPU_ONLY}"),
            };
            return self.refuse(expression, message);
        };
        self.typed_literal(expression, tree)
    }

    /// `b"…"`: a reference to an array of the program's.
    fn bytes(&mut self, expression: &Expr, bytes: &syn::LitByteStr) -> Read {
        let witness = self.witness(Source::Constant(quote_spanned!(span(expression)=> *#bytes)));
        let kind = ExpressionKind::Constant { name: "TEXT".to_owned(), witness };
        let Read { tree, .. } = node(expression, kind, TokenStream::new());
        let kind = ExpressionKind::Reference { mutable: false, place: Box::new(tree) };
        node(expression, kind, bytes.to_token_stream())
    }

    fn typed_literal(&mut self, expression: &Expr, literal: Literal) -> Read {
        let (witness, tokens) = self.witnessed(expression, &expression.to_token_stream());
        node(expression, ExpressionKind::Literal { literal, witness: Some(witness) }, tokens)
    }

    /// `&3`, which refers to a constant of the program.
    fn promoted(&mut self, expression: &Expr, inner: &Expr, literal: Literal) -> Read {
        let id = self.witness(Source::Inferred(span(inner)));
        let mut name = super::witness(id);
        name.set_span(span(inner));
        let Read { tree, .. } =
            node(inner, ExpressionKind::Literal { literal, witness: Some(id) }, TokenStream::new());
        let kind = ExpressionKind::Reference { mutable: false, place: Box::new(tree) };
        let tokens = quote_spanned! {span(expression)=>
            ::annulus::__private::witness::lent(&#name, #expression)
        };
        node(expression, kind, tokens)
    }

    /// A variable, or a constant.
    fn path(&mut self, path: &ExprPath) -> Read {
        if path.qself.is_none()
            && let Some(ident) = path.path.get_ident()
        {
            let name = if ident == "self" { ident.to_string() } else { self.variable(ident) };
            if self.scopes.has(&name) {
                if name == "self" {
                    let receiver = super::receiver(path);
                    return node(path, ExpressionKind::Variable { name }, quote!(#receiver));
                }
                return node(path, ExpressionKind::Variable { name }, path.to_token_stream());
            }
        }
        let name = pattern::last_name(&path.path);
        if name == "None" || pattern::is_bare_nothing(&path.path) {
            let (witness, tokens) = self.witnessed(path, &path.to_token_stream());
            let kind = ExpressionKind::Construct { name, fields: Vec::new(), base: None, witness };
            return node(path, kind, tokens);
        }
        // Written as it is: rustc promotes a constant that is referred to, and no call around it.
        let witness = self.witness(Source::Constant(path.to_token_stream()));
        node(path, ExpressionKind::Constant { name, witness }, path.to_token_stream())
    }

    /// An expression that depends on nothing: its value is taken where the tree is built.
    pub(super) fn constant_expression(
        &mut self,
        place: &(impl ToTokens + 'static),
        name: String,
        tokens: TokenStream,
    ) -> Read {
        let witness = self.witness(Source::Constant(tokens.clone()));
        let seen = super::around(witness, place, &tokens);
        node(place, ExpressionKind::Constant { name, witness }, seen)
    }

    fn unary(&mut self, expression: &Expr, unary: &ExprUnary) -> Read {
        if let Some(literal) = self.literal_of(expression) {
            return self.typed_literal(expression, literal);
        }
        let op = match unary.op {
            UnOp::Neg(_) => UnaryOp::Negate,
            UnOp::Not(_) => UnaryOp::Not,
            UnOp::Deref(_) => UnaryOp::Deref,
            _ => return self.refuse(unary, format!("a device does not know this operator: {OR_CPU_ONLY}")),
        };
        let (operand, tokens) = self.boxed(&unary.expr);
        let sign = &unary.op;
        let kind = ExpressionKind::Unary { op, operand };
        let read = node(expression, kind, quote_spanned!(span(expression)=> (#sign #tokens)));
        let negation = match unary.op {
            UnOp::Neg(_) => UnaryOp::Negate,
            UnOp::Not(_) => UnaryOp::Not,
            _ => return read,
        };
        self.operated_alone(expression, &negation, &unary.expr, sign, read, &tokens)
    }

    fn binary(&mut self, expression: &Expr, binary: &ExprBinary) -> Read {
        let Some((op, assigns)) = operator(&binary.op) else {
            return self.refuse(&binary.op, format!("a device does not know this operator: {OR_CPU_ONLY}"));
        };
        let compares = matches!(op, BinaryOp::Eq | BinaryOp::Ne);
        let mut side = |side: &Expr| if compares { self.compared(side) } else { self.boxed(side) };
        let ((left, left_tokens), (right, right_tokens)) = (side(&binary.left), side(&binary.right));
        let sign = &binary.op;
        let tokens = quote_spanned!(span(expression)=> (#left_tokens #sign #right_tokens));
        let kind = if assigns {
            ExpressionKind::AssignOp { op, place: left, value: right }
        } else {
            ExpressionKind::Binary { op, left, right }
        };
        let read = node(expression, kind, tokens);
        self.operated(
            expression,
            (&binary.left, &binary.right),
            (op, assigns),
            read,
            (&left_tokens, &right_tokens),
        )
    }

    /// What is compared: `Some(&value)` means what it refers to.
    pub(super) fn compared(&mut self, side: &Expr) -> (Box<annulus_tree::Expression>, TokenStream) {
        let (Expr::Call(call), place) = (bare(side), side) else { return self.boxed(side) };
        let (Expr::Path(function), Some(Expr::Reference(inner)), 1) =
            (&*call.func, call.args.first(), call.args.len())
        else {
            return self.boxed(side);
        };
        if pattern::last_name(&function.path) != "Some" || inner.mutability.is_some() {
            return self.boxed(side);
        }
        let Read { tree: value, tokens } = self.expression(&inner.expr);
        let witness = self.witness(Source::Inferred(span(place)));
        let mut seen = super::witness(witness);
        seen.set_span(span(place));
        let tokens = quote_spanned! {span(place)=>
            ::annulus::__private::witness::lent_some(&#seen, #function(&#tokens))
        };
        let name = "Some".to_owned();
        let fields = vec![FieldValue { name: "0".to_owned(), value }];
        let kind = ExpressionKind::Construct { name, fields, base: None, witness };
        let Read { tree, tokens } = node(place, kind, tokens);
        (Box::new(tree), tokens)
    }

    fn assign(&mut self, expression: &Expr, assign: &syn::ExprAssign) -> Read {
        if let Expr::Infer(_) = &*assign.left {
            let (value, tokens) = self.boxed(&assign.right);
            // A block whose value nobody takes: the same as `_ = value`.
            let statement = annulus_tree::Statement {
                line: value.line,
                kind: annulus_tree::StatementKind::Expression { expression: *value },
            };
            let block = annulus_tree::Block { statements: vec![statement], value: None };
            return node(assign, ExpressionKind::Block { label: None, block }, quote!((_ = #tokens)));
        }
        if matches!(bare(&assign.left), Expr::Tuple(_) | Expr::Struct(_) | Expr::Array(_) | Expr::Call(_)) {
            return self.assign_parts(assign);
        }
        let (place, place_tokens) = self.boxed(&assign.left);
        let (value, value_tokens) = self.boxed(&assign.right);
        let tokens = quote_spanned!(span(expression)=> (#place_tokens = #value_tokens));
        node(expression, ExpressionKind::Assign { place, value }, tokens)
    }

    fn cast(&mut self, cast: &syn::ExprCast) -> Read {
        // rustc gives a literal the type that it is cast to, if it can; a witness around it would hide that.
        let (operand, tokens) = match self.literal_of(&cast.expr) {
            Some(literal) if !has_suffix(&cast.expr) => {
                let kind = ExpressionKind::Literal { literal, witness: None };
                let Read { tree, tokens } = node(&cast.expr, kind, cast.expr.to_token_stream());
                (Box::new(tree), tokens)
            }
            _ => self.boxed(&cast.expr),
        };
        let ty = &cast.ty;
        self.known_type(ty);
        let (witness, tokens) = self.witnessed(cast, &quote!(#tokens as #ty));
        node(cast, ExpressionKind::Cast { operand, witness }, tokens)
    }

    fn construct(&mut self, literal: &ExprStruct) -> Read {
        let mut fields = Vec::new();
        let mut tokens = Vec::new();
        for field in &literal.fields {
            let Read { tree, tokens: value } = self.expression(&field.expr);
            let member = &field.member;
            tokens.push(quote_spanned!(span(field)=> #member: #value));
            fields.push(FieldValue { name: pattern::member_name(member), value: tree });
        }
        let (base, rest) = match &literal.rest {
            Some(rest) => {
                let (base, tokens) = self.boxed(rest);
                (Some(base), Some(quote!(..#tokens)))
            }
            None => (None, None),
        };
        let path = &literal.path;
        let (witness, tokens) = self.witnessed_value(
            literal,
            path,
            &quote_spanned!(span(literal)=> #path { #(#tokens,)* #rest }),
        );
        let name = pattern::last_name(path);
        node(literal, ExpressionKind::Construct { name, fields, base, witness }, tokens)
    }
}

/// How many expressions may stand inside one another. A walk along a tree takes a few kilobytes of the stack
/// for each, and a thread may have no more than one or two megabytes.
pub(super) const DEEPEST: usize = 128;

/// The expression without parentheses.
pub(super) fn bare(expression: &Expr) -> &Expr {
    match expression {
        Expr::Paren(paren) => bare(&paren.expr),
        Expr::Group(group) => bare(&group.expr),
        other => other,
    }
}

/// Whether a literal says its type.
fn has_suffix(expression: &Expr) -> bool {
    match bare(expression) {
        Expr::Lit(literal) => match &literal.lit {
            Lit::Int(int) => !int.suffix().is_empty(),
            Lit::Float(float) => !float.suffix().is_empty(),
            Lit::Byte(_) => true,
            _ => false,
        },
        Expr::Unary(unary) => has_suffix(&unary.expr),
        _ => false,
    }
}

/// An operator, and whether it assigns.
fn operator(op: &BinOp) -> Option<(BinaryOp, bool)> {
    Some(match op {
        BinOp::Add(_) => (BinaryOp::Add, false),
        BinOp::Sub(_) => (BinaryOp::Sub, false),
        BinOp::Mul(_) => (BinaryOp::Mul, false),
        BinOp::Div(_) => (BinaryOp::Div, false),
        BinOp::Rem(_) => (BinaryOp::Rem, false),
        BinOp::And(_) => (BinaryOp::And, false),
        BinOp::Or(_) => (BinaryOp::Or, false),
        BinOp::BitXor(_) => (BinaryOp::BitXor, false),
        BinOp::BitAnd(_) => (BinaryOp::BitAnd, false),
        BinOp::BitOr(_) => (BinaryOp::BitOr, false),
        BinOp::Shl(_) => (BinaryOp::Shl, false),
        BinOp::Shr(_) => (BinaryOp::Shr, false),
        BinOp::Eq(_) => (BinaryOp::Eq, false),
        BinOp::Lt(_) => (BinaryOp::Lt, false),
        BinOp::Le(_) => (BinaryOp::Le, false),
        BinOp::Ne(_) => (BinaryOp::Ne, false),
        BinOp::Ge(_) => (BinaryOp::Ge, false),
        BinOp::Gt(_) => (BinaryOp::Gt, false),
        BinOp::AddAssign(_) => (BinaryOp::Add, true),
        BinOp::SubAssign(_) => (BinaryOp::Sub, true),
        BinOp::MulAssign(_) => (BinaryOp::Mul, true),
        BinOp::DivAssign(_) => (BinaryOp::Div, true),
        BinOp::RemAssign(_) => (BinaryOp::Rem, true),
        BinOp::BitXorAssign(_) => (BinaryOp::BitXor, true),
        BinOp::BitAndAssign(_) => (BinaryOp::BitAnd, true),
        BinOp::BitOrAssign(_) => (BinaryOp::BitOr, true),
        BinOp::ShlAssign(_) => (BinaryOp::Shl, true),
        BinOp::ShrAssign(_) => (BinaryOp::Shr, true),
        _ => return None,
    })
}

/// What to write instead of an expression that the language has not.
fn refusal(expression: &Expr) -> String {
    match expression {
        Expr::Closure(_) => "a device has closures where a method of `Option`, `Result` or an iterator calls them, and not as values: write \
             a function with `#[device_fn]`".into(),
        Expr::Async(_) | Expr::Await(_) => {
            "a handler never waits: send what should happen later as a message".into()
        }
        Expr::Unsafe(_) | Expr::RawAddr(_) => {
            format!("a device runs safe Rust only: write it without `unsafe` and raw pointers, {OR_CPU_ONLY}")
        }
        Expr::Const(_) => "write the constant as an item: `const NAME: T = …;`, and name it here".into(),
        _ => format!("a device cannot run this: {OR_CPU_ONLY}"),
    }
}
