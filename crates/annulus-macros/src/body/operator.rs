//! Operators that may be the user's: rustc tells for the types of the operands whether they are.

use annulus_tree::{BinaryOp, Expression, ExpressionKind, Pattern, UnaryOp, names};
use proc_macro2::{Ident, TokenStream};
use quote::{quote, quote_spanned};
use syn::{Expr, ExprTry, UnOp, ext::IdentExt, spanned::Spanned};

use super::{Callee, Read, Reader, call::is_primitive, expression::bare, node, span};

/// Methods that give numbers and booleans, whatever they are called on.
const NUMBERS: &[&str] = &[
    "abs_diff", "contains", "ilog2", "is_empty", "is_err", "is_none", "is_ok", "is_some", "len", "pow",
    "powf", "powi", "signum", "sqrt", "to_bits",
];
/// Beginnings of the names of such methods.
const OF_NUMBERS: &[&str] = &["count_", "leading_", "rotate_", "saturating_", "trailing_", "wrapping_"];
/// Methods that give what they are called on.
const SAME: &[&str] = &["abs", "clamp", "floor", "max", "min"];

impl Reader {
    /// Whether an expression can be seen to be a number or a boolean, which have no operators of the user's.
    pub(super) fn is_number(&mut self, expression: &Expr) -> bool {
        match bare(expression) {
            Expr::Lit(_) | Expr::Cast(_) => true,
            Expr::Unary(unary) => self.is_number(&unary.expr),
            Expr::Binary(binary) => {
                use syn::BinOp::{And, Eq, Ge, Gt, Le, Lt, Ne, Or};
                matches!(binary.op, And(_) | Or(_) | Eq(_) | Ne(_) | Lt(_) | Le(_) | Gt(_) | Ge(_))
                    || self.is_number(&binary.left) && self.is_number(&binary.right)
            }
            // `u64::from(x)`.
            Expr::Call(call) => match &*call.func {
                Expr::Path(path) => {
                    let words: Vec<_> = path.path.segments.iter().collect();
                    matches!(&words[..], [ty, from] if is_primitive(&quote!(#ty)) && from.ident == "from")
                }
                _ => false,
            },
            Expr::MethodCall(call) => {
                let name = call.method.unraw().to_string();
                NUMBERS.contains(&name.as_str())
                    || OF_NUMBERS.iter().any(|beginning| name.starts_with(beginning))
                    || SAME.contains(&name.as_str()) && self.is_number(&call.receiver)
            }
            Expr::Path(path) => match path.path.get_ident() {
                Some(ident) => {
                    let name = self.variable(ident);
                    self.scopes.is_number(&name)
                }
                None => {
                    let words: Vec<_> = path.path.segments.iter().collect();
                    matches!(&words[..], [ty, _] if is_primitive(&quote!(#ty)))
                }
            },
            _ => false,
        }
    }

    /// Notes that a variable is a number.
    pub(super) fn note_number(&mut self, pattern: &Pattern) {
        if let Pattern::Bind { name, inner: None, .. } = pattern {
            self.scopes.note_number(name);
        }
    }

    /// The operator of this name that may be meant; none between numbers.
    fn operator(&mut self, name: &'static str, place: &Expr) -> (annulus_tree::FunctionId, Ident) {
        self.callee(Callee::Operator { name, ty: None, place: span(place) })
    }

    /// `left op right`, where the sides are read.
    pub(super) fn operated(
        &mut self,
        expression: &Expr,
        sides: (&Expr, &Expr),
        (op, assigns): (BinaryOp, bool),
        read: Read,
        tokens: (&TokenStream, &TokenStream),
    ) -> Read {
        let Some(name) = operator_name(op, assigns) else { return read };
        let numbers = (self.is_number(sides.0), self.is_number(sides.1));
        use BinaryOp::{Eq, Ge, Gt, Le, Lt, Ne};
        let compares = matches!(op, Eq | Ne | Lt | Le | Gt | Ge);
        if if compares { numbers.0 || numbers.1 } else { numbers.0 && numbers.1 } {
            return read;
        }
        let (function, callee) = self.operator(name, expression);
        let Expr::Binary(binary) = expression else { return read };
        let (left, right, sign, place) = (tokens.0, tokens.1, &binary.op, span(expression));
        let witness = quote_spanned!(place=> ::annulus::__private::witness);
        let tokens = if assigns {
            quote_spanned!(place=> { #witness::left_of(&#callee, &#left); #left #sign #witness::right(&#callee, #right) })
        } else if compares {
            quote_spanned!(place=> (*#witness::left_of(&#callee, &#left) #sign *#witness::right_of(&#callee, &#right)))
        } else {
            quote_spanned!(place=> (#witness::left(&#callee, #left) #sign #witness::right(&#callee, #right)))
        };
        own(function, read.tree, tokens)
    }

    /// `-x`, `!x`.
    pub(super) fn operated_alone(
        &mut self,
        expression: &Expr,
        op: &UnaryOp,
        inner: &Expr,
        sign: &UnOp,
        read: Read,
        tokens: &TokenStream,
    ) -> Read {
        let name = match op {
            UnaryOp::Negate => "Neg",
            UnaryOp::Not => "Not",
            UnaryOp::Deref => return read,
        };
        if self.is_number(inner) {
            return read;
        }
        let (function, callee) = self.operator(name, expression);
        // What is expected of the result says nothing of the operand, which a reference may be.
        let tokens = quote_spanned! {span(expression)=> {
            let __annulus_operand = ::annulus::__private::witness::alone(&#callee, #tokens);
            #sign __annulus_operand
        }};
        own(function, read.tree, tokens)
    }

    /// `operand?`, whose error may be turned into another by a `From`.
    pub(super) fn attempt(&mut self, expression: &Expr, attempt: &ExprTry) -> Read {
        self.check_leaves(expression, "`?`");
        let (operand, tokens) = self.boxed(&attempt.expr);
        let (function, callee) = self.operator("From", expression);
        let tokens = match self.returns.clone() {
            Some(returns) => quote_spanned! {span(expression)=>
                ::annulus::__private::witness::attempt::<#returns, _>(&#callee, #tokens)?
            },
            None => {
                quote_spanned!(span(expression)=> ::annulus::__private::witness::attempt::<(), _>(&#callee, #tokens)?)
            }
        };
        node(expression, ExpressionKind::Try { operand, function }, tokens)
    }

    /// `T::from(value)` and `value.into()`, which may be a `From` of the user's: the type on the left side
    /// may be written.
    pub(super) fn converted(
        &mut self,
        ty: Option<TokenStream>,
        value: &Expr,
        read: Expression,
    ) -> (Ident, Expression) {
        let ty = ty.map(|ty| quote_spanned!(value.span()=> ::annulus::__private::witness::Operands<#ty, _>));
        let (function, callee) = self.callee(Callee::Operator { name: "From", ty, place: span(value) });
        let line = read.line;
        (callee, Expression { line, kind: ExpressionKind::Own { function, otherwise: Box::new(read) } })
    }
}

fn own(function: annulus_tree::FunctionId, tree: Expression, tokens: TokenStream) -> Read {
    let line = tree.line;
    Read {
        tree: Expression { line, kind: ExpressionKind::Own { function, otherwise: Box::new(tree) } },
        tokens,
    }
}

/// The trait of an operator that a type of the user's may have.
fn operator_name(op: BinaryOp, assigns: bool) -> Option<&'static str> {
    let (plain, assigning) = match op {
        BinaryOp::Add => ("Add", "AddAssign"),
        BinaryOp::Sub => ("Sub", "SubAssign"),
        BinaryOp::Mul => ("Mul", "MulAssign"),
        BinaryOp::Div => ("Div", "DivAssign"),
        BinaryOp::Rem => ("Rem", "RemAssign"),
        BinaryOp::BitAnd => ("BitAnd", "BitAndAssign"),
        BinaryOp::BitOr => ("BitOr", "BitOrAssign"),
        BinaryOp::BitXor => ("BitXor", "BitXorAssign"),
        BinaryOp::Shl => ("Shl", "ShlAssign"),
        BinaryOp::Shr => ("Shr", "ShrAssign"),
        BinaryOp::Eq | BinaryOp::Ne => ("PartialEq", "PartialEq"),
        BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => ("PartialOrd", "PartialOrd"),
        BinaryOp::And | BinaryOp::Or => return None,
    };
    let name = if assigns { assigning } else { plain };
    debug_assert!(names::OPERATORS.iter().any(|(known, _)| *known == name));
    Some(name)
}
