//! Patterns with alternatives that bind variables. Each alternative becomes an arm of its own, since rustc
//! tries them one after the other.

use annulus_tree::{Arm, Block, Expression, ExpressionKind, FieldPattern, Pattern};

use super::{
    Lowered, Lowerer,
    operand::{Operand, Variable},
    pattern::{Subject, binds},
    program::Stmt,
};

/// The most arms that one pattern may become.
const MOST: usize = 64;

/// Whether a pattern has alternatives that bind variables.
pub(super) fn has_alternatives(pattern: &Pattern) -> bool {
    match pattern {
        Pattern::Or { patterns } => patterns.iter().any(binds),
        Pattern::Bind { inner, .. } => inner.as_deref().is_some_and(has_alternatives),
        Pattern::Fields { fields, .. } => fields.iter().any(|field| has_alternatives(&field.pattern)),
        Pattern::Reference { pattern } => has_alternatives(pattern),
        Pattern::Tuple { patterns } => patterns.iter().any(has_alternatives),
        _ => false,
    }
}

/// The patterns that replace a pattern with such alternatives, in the order in which they are tried.
pub(super) fn alternatives(pattern: &Pattern) -> Lowered<Vec<Pattern>> {
    let all = expand(pattern);
    if all.len() > MOST {
        return Err(format!(
            "this pattern stands for {} alternatives that bind, and a device takes {MOST} at most: write several arms",
            all.len()
        ));
    }
    Ok(all)
}

fn expand(pattern: &Pattern) -> Vec<Pattern> {
    if !has_alternatives(pattern) {
        return vec![pattern.clone()];
    }
    match pattern {
        Pattern::Or { patterns } => patterns.iter().flat_map(expand).collect(),
        Pattern::Bind { name, mutable, by_reference, inner: Some(inner) } => expand(inner)
            .into_iter()
            .map(|inner| Pattern::Bind {
                name: name.clone(),
                mutable: *mutable,
                by_reference: *by_reference,
                inner: Some(Box::new(inner)),
            })
            .collect(),
        Pattern::Fields { name, fields } => {
            let parts = fields.iter().map(|field| expand(&field.pattern)).collect();
            let with = |parts: Vec<Pattern>| Pattern::Fields {
                name: name.clone(),
                fields: fields
                    .iter()
                    .zip(parts)
                    .map(|(field, pattern)| FieldPattern { name: field.name.clone(), pattern })
                    .collect(),
            };
            combined(parts).into_iter().map(with).collect()
        }
        Pattern::Reference { pattern } => expand(pattern)
            .into_iter()
            .map(|pattern| Pattern::Reference { pattern: Box::new(pattern) })
            .collect(),
        Pattern::Tuple { patterns } => combined(patterns.iter().map(expand).collect())
            .into_iter()
            .map(|patterns| Pattern::Tuple { patterns })
            .collect(),
        other => vec![other.clone()],
    }
}

/// Every combination with one element of each part; the last part changes fastest. Stops at the number that
/// is refused anyway.
fn combined(parts: Vec<Vec<Pattern>>) -> Vec<Vec<Pattern>> {
    let mut all = vec![Vec::new()];
    for choices in parts {
        let longer = all.iter().flat_map(|chosen| {
            choices.iter().map(move |choice| {
                let mut chosen: Vec<Pattern> = chosen.clone();
                chosen.push(choice.clone());
                chosen
            })
        });
        all = longer.take(MOST + 1).collect();
    }
    all
}

/// The arms with each alternative as an arm of its own; `None` if there is nothing to do.
pub(super) fn arms_of(arms: &[Arm]) -> Lowered<Option<Vec<Arm>>> {
    if !arms.iter().any(|arm| has_alternatives(&arm.pattern)) {
        return Ok(None);
    }
    let mut all = Vec::new();
    for arm in arms {
        for pattern in alternatives(&arm.pattern)? {
            all.push(Arm { pattern, ..arm.clone() });
        }
    }
    Ok(Some(all))
}

/// The arms of `if let pattern = … { then } else { otherwise }`.
pub(super) fn arms_of_condition(
    pattern: &Pattern,
    then: &Block,
    otherwise: Option<&Expression>,
    line: u32,
) -> Vec<Arm> {
    let body = |kind| Expression { line, kind };
    let then = body(ExpressionKind::Block { label: None, block: then.clone() });
    let otherwise = otherwise.cloned().unwrap_or_else(|| body(ExpressionKind::Unit));
    vec![
        Arm { line, pattern: pattern.clone(), guard: None, body: then },
        Arm { line: otherwise.line, pattern: Pattern::Wildcard, guard: None, body: otherwise },
    ]
}

/// The names that a pattern binds.
fn names<'p>(pattern: &'p Pattern, all: &mut Vec<&'p str>) {
    match pattern {
        Pattern::Bind { name, inner, .. } => {
            all.push(name);
            if let Some(inner) = inner {
                names(inner, all);
            }
        }
        Pattern::Fields { fields, .. } => fields.iter().for_each(|field| names(&field.pattern, all)),
        Pattern::Reference { pattern } => names(pattern, all),
        Pattern::Tuple { patterns } => patterns.iter().for_each(|pattern| names(pattern, all)),
        Pattern::Or { patterns } => {
            if let Some(first) = patterns.first() {
                names(first, all);
            }
        }
        _ => {}
    }
}

impl Lowerer<'_> {
    /// Binds the variables of a `let` with alternatives, one of which matches. Only values are bound, since a
    /// variable is one place.
    pub(super) fn bind_alternatives(&mut self, patterns: &[Pattern], subject: &Subject) -> Lowered<()> {
        let mut all = Vec::new();
        if let Some(first) = patterns.first() {
            names(first, &mut all);
        }
        let mut made: Vec<Option<usize>> = vec![None; all.len()];
        let depth = self.names.depth();
        let mut rest: Vec<Stmt> = Vec::new();
        let tests =
            patterns.iter().map(|pattern| self.test(pattern, subject)).collect::<Lowered<Vec<_>>>()?;
        for (pattern, test) in patterns.iter().zip(tests).rev() {
            let ((), statements) = self.nested(|inner| {
                inner.bind(pattern, subject, false)?;
                for (name, made) in all.iter().zip(&mut made) {
                    let found = inner.variables.iter().rev().find(|(known, _)| known == name);
                    let operand = match found.map(|(_, variable)| variable.clone()) {
                        Some(Variable::Local(local)) => Operand::Place(inner.place_of_local(local)),
                        Some(Variable::Operand(operand)) => operand,
                        None => return Err(format!("`{name}` is not bound by each alternative")),
                    };
                    if Self::holds_reference(&operand) {
                        return Err(
                            "alternatives of a `let` bind values on a device, and these bind references: write a `match`".into()
                        );
                    }
                    let (value, ty) = inner.value_of(operand)?;
                    let local = match *made {
                        Some(local) => local,
                        None => inner.outer_local(depth, name, ty),
                    };
                    *made = Some(local);
                    let place = inner.place_of_local(local);
                    inner.out.push(Stmt::Assign(place, value));
                }
                Ok(())
            })?;
            rest = match test {
                Some(test) if !rest.is_empty() => vec![Stmt::If(test, statements, rest)],
                _ => statements,
            };
        }
        for (name, local) in all.iter().zip(&made) {
            let local = local.ok_or("a pattern has no alternatives: rebuild the program")?;
            self.out.push(Stmt::Declare(local, None));
            self.variables.push(((*name).to_owned(), Variable::Local(local)));
        }
        self.out.extend(rest);
        Ok(())
    }

    /// A variable of an outer scope, which is declared there later.
    pub(super) fn outer_local(&mut self, depth: usize, wanted: &str, ty: crate::typed::Type) -> usize {
        let name = self.names.take_at(depth, wanted);
        self.locals.push(super::Local::new(name, ty, true, false));
        self.locals.len() - 1
    }
}
