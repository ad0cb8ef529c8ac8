//! What is encoded comes back; what was not encoded is refused.

use annulus_tree::{
    Block, Expression, ExpressionKind, HandlerTree, Literal, Malformed, Parameter, ParameterRole, Pattern,
    Statement, StatementKind,
};

fn tree() -> HandlerTree {
    let number = |magnitude| Expression {
        line: 300,
        kind: ExpressionKind::Literal {
            literal: Literal::Integer { negative: true, magnitude },
            witness: Some(7),
        },
    };
    let bind = |name: &str| Pattern::Bind {
        name: name.into(),
        mutable: false,
        by_reference: true,
        inner: Some(Box::new(Pattern::Wildcard)),
    };
    let bound = StatementKind::Let { pattern: bind("größe"), value: number(u64::MAX), otherwise: None };
    HandlerTree {
        parameters: vec![Parameter { line: 1, pattern: bind("message"), role: ParameterRole::Message }],
        body: Block {
            statements: vec![Statement { line: 127, kind: bound }],
            value: Some(Box::new(number(128))),
        },
    }
}

#[test]
fn a_tree_comes_back() {
    assert_eq!(HandlerTree::decode(&tree().encode()), Ok(tree()));
}

#[test]
fn every_shorter_and_longer_text_is_refused() {
    let bytes = tree().encode();
    for len in 0..bytes.len() {
        assert_eq!(HandlerTree::decode(&bytes[..len]), Err(Malformed), "the first {len} bytes");
    }
    let longer: Vec<u8> = bytes.into_iter().chain([0]).collect();
    assert_eq!(HandlerTree::decode(&longer), Err(Malformed));
}

#[test]
fn no_bytes_make_the_decoder_fail_otherwise() {
    let bytes = tree().encode();
    for at in 0..bytes.len() {
        for value in 0..=255 {
            let mut changed = bytes.clone();
            changed[at] = value;
            if let Ok(tree) = HandlerTree::decode(&changed) {
                assert_eq!(HandlerTree::decode(&tree.encode()), Ok(tree));
            }
        }
    }
}
