//! Bodies of handlers and of the functions that they call as plain data: what the macros read, and what
//! `annulus-kernel` lowers.
//!
//! # What this crate promises
//!
//! * A [`HandlerTree`] says what was written, with source lines, and nothing that was concluded from it: it
//!   has no types. Where a type or a constant's value is needed, it has the number of a *witness*, of which
//!   rustc tells the type.
//! * [`HandlerTree::decode`] gives back what [`HandlerTree::encode`] was given. The encoding is the same
//!   build's on both ends: it has no versions, and bytes that it did not write are refused, not interpreted.
//!
//! # What it does not do
//!
//! It knows no other crate of Annulus, checks no meaning and writes no code.

#[macro_use]
mod codec;
pub mod names;
mod syntax;

pub use codec::Malformed;
pub use syntax::{
    Arm, BinaryOp, Block, Bound, Expression, ExpressionKind, FieldPattern, FieldValue, FunctionId,
    FunctionTree, HandlerTree, Literal, Parameter, ParameterRole, Pattern, Statement, StatementKind, UnaryOp,
    WitnessId,
};

macro_rules! as_bytes {
    ($($tree:ident),+) => {$(
        impl $tree {
            /// The tree as bytes.
            pub fn encode(&self) -> Vec<u8> {
                let mut bytes = Vec::new();
                codec::Code::encode(self, &mut bytes);
                bytes
            }

            /// The tree that was encoded as `bytes`.
            pub fn decode(mut bytes: &[u8]) -> Result<Self, Malformed> {
                let tree = codec::Code::decode(&mut bytes)?;
                if bytes.is_empty() { Ok(tree) } else { Err(Malformed) }
            }
        }
    )+};
}

as_bytes!(HandlerTree, FunctionTree);
