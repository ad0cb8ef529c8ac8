//! Handlers that a whole block runs: all threads come to every barrier, whatever happens to one of them.
//!
//! A device's compiler may assume that all threads of a block come to a barrier together. So the barriers of
//! a handler, and the conditions and loops around them, form its *frame*, through which all threads go in the
//! same way:
//!
//! * What is between two parts of the frame becomes a segment. A thread that fails in a segment, or returns,
//!   notes that, skips the segments that follow, and comes to the next barrier like the others. There all
//!   threads see it. From then on they skip all segments and all loops of the frame, and so come to its end
//!   together: no barrier is under a condition unless the handler says so.
//! * A condition of the frame has the same value in all threads. Either this follows from the text: it
//!   depends only on the message, on constants, and on variables that all threads assign alike, in the frame,
//!   even those that have failed. Or the threads compare their values, and fail if they differ.
//!
//! So no input makes a thread wait for others that do not come.

use std::cell::RefCell;

use annulus_tree::BinaryOp;

use super::program::{
    Expr, Function, Local, LocalId, Member, Place, Root, Step, Stmt, Warp, acts, any, assigned, declared,
    fails,
};
use crate::typed::{Scalar, Type};

/// Cuts a handler's body. An error has its line.
pub(super) fn cut(handler: &mut Function, functions: &[Function]) -> Result<(), (u32, String)> {
    let body = std::mem::take(&mut handler.body);
    let varying = vec![false; handler.locals.len()];
    let because = vec![None; handler.locals.len()];
    let mut cutter = Cutter {
        handler,
        functions,
        varying,
        because,
        pending: false,
        met: false,
        line: 0,
        segment: Vec::new(),
        out: Vec::new(),
    };
    while cutter.spread(&body) {}
    let body = cutter.frame(body).map_err(|reason| (cutter.line, reason))?;
    handler.body = body;
    Ok(())
}

struct Cutter<'a> {
    handler: &'a mut Function,
    functions: &'a [Function],
    /// The variables that may differ between threads.
    varying: Vec<bool>,
    /// Of each of them the part of its value that differs, or that a thread which has failed does not evaluate; `None`
    /// if it is set in another way.
    because: Vec<Option<String>>,
    /// Whether a thread may have failed or returned since all met.
    pending: bool,
    /// Whether threads that have failed may have met since.
    met: bool,
    line: u32,
    /// The segment that is being gathered, and what precedes it in its block.
    segment: Vec<Stmt>,
    out: Vec<Stmt>,
}

/// Whether a statement belongs to the frame: a barrier is in it, or it leaves a loop of the frame.
fn is_frame(statement: &Stmt) -> bool {
    meets(statement) || leaves(std::slice::from_ref(statement))
}

fn meets(statement: &Stmt) -> bool {
    any(std::slice::from_ref(statement), &|inner| matches!(inner, Stmt::Meet | Stmt::Warp(_)))
}

/// Whether statements leave or continue a loop around them. Outside of segments that is one of the frame.
fn leaves(statements: &[Stmt]) -> bool {
    statements.iter().any(|statement| match statement {
        Stmt::Break | Stmt::Continue => true,
        Stmt::If(_, then, otherwise) => leaves(then) || leaves(otherwise),
        _ => false,
    })
}

/// Whether statements continue a loop around them.
fn goes_on(statements: &[Stmt]) -> bool {
    statements.iter().any(|statement| match statement {
        Stmt::Continue => true,
        Stmt::If(_, then, otherwise) => goes_on(then) || goes_on(otherwise),
        _ => false,
    })
}

/// Whether an expression may be evaluated by a thread whose checks before it have failed.
fn is_total(expr: &Expr) -> bool {
    !expr.any(&is_partial)
}

/// Whether every number can be divided by this one. A small constant: 0, or -1 below the least value, would not do.
/// And a block has a thread at least.
fn divides(divisor: &Expr) -> bool {
    matches!(divisor, Expr::Bits(_, 1..=0x7F) | Expr::BlockDim)
}

/// Whether this part itself must not be evaluated then, whatever is in it.
fn is_partial(part: &Expr) -> bool {
    match part {
        Expr::Binary(BinaryOp::Div | BinaryOp::Rem, scalar, _, divisor) => {
            !scalar.is_float() && !divides(divisor)
        }
        Expr::Call("div_ceil" | "next_multiple_of", _, values) => !values.last().is_some_and(divides),
        Expr::Read(place) | Expr::Tag(place) => {
            place.steps.iter().any(|step| !matches!(step, Step::Field(_)))
        }
        Expr::Call(name, ..) => !matches!(
            *name,
            "shl"
                | "shr"
                | "min"
                | "max"
                | "next_power_of_two"
                | "leading_zeros"
                | "trailing_zeros"
                | "count_ones"
                | "saturating_add"
                | "saturating_sub"
                | "saturating_mul"
                | "abs_diff"
        ),
        Expr::TextLen(_) => true,
        _ => false,
    }
}

impl Cutter<'_> {
    /// The variable of the text that this one is.
    fn named(&self, mut local: LocalId) -> LocalId {
        while let Some(other) = self.handler.locals[local].became {
            local = other;
        }
        local
    }

    fn varies(&self, expr: &Expr) -> bool {
        expr.any(&|part| self.differs(part))
    }

    /// Whether this part itself differs between threads.
    fn differs(&self, part: &Expr) -> bool {
        match part {
            Expr::Read(place) | Expr::Tag(place) | Expr::TextLen(place) => match place.root {
                Root::Local(local) => self.varying[self.named(local)],
                Root::Message | Root::Constant(_) => false,
                Root::State | Root::Binding(_) => true,
                Root::Together(member) => !matches!(self.handler.together[member], Member::Given(_)),
            },
            Expr::Cx(field) => *field == "thread_index",
            _ => false,
        }
    }

    /// The first part of an expression that all threads would not evaluate alike, for a person.
    fn blamed(&self, expr: &Expr) -> Option<String> {
        let found = RefCell::new(None);
        let _ = expr.any(&|part| {
            if self.differs(part) || is_partial(part) {
                found.borrow_mut().get_or_insert_with(|| self.shown(part));
            }
            false
        });
        found.into_inner()
    }

    fn shown(&self, part: &Expr) -> String {
        match part {
            Expr::Read(place) | Expr::Tag(place) | Expr::TextLen(place) => match place.root {
                Root::Local(local) if self.varying[self.named(local)] => {
                    let local = self.named(local);
                    let name = || format!("`{}`", self.handler.locals[local].name);
                    self.because[local].clone().unwrap_or_else(name)
                }
                Root::State => "the state".into(),
                Root::Binding(_) => "bound memory".into(),
                Root::Together(_) => "what the threads share".into(),
                _ => "an element that may not be there".into(),
            },
            Expr::Cx(field) => format!("`cx.{field}()`"),
            Expr::Call(name, ..) => format!("`{name}`"),
            _ => "a division, by what may be 0,".into(),
        }
    }

    /// Whether all threads do this alike, even those that have failed: then it belongs to the frame.
    fn is_alike(&self, place: &Place, value: &Expr) -> bool {
        let Root::Local(local) = place.root else { return false };
        !self.varying[self.named(local)] && self.gives_alike(place, value)
    }

    fn gives_alike(&self, place: &Place, value: &Expr) -> bool {
        let alike = |expr: &Expr| is_total(expr) && !self.varies(expr);
        place.steps.iter().all(|step| matches!(step, Step::Field(_))) && alike(value)
    }

    fn whole(&self, local: LocalId) -> Place {
        Place::new(Root::Local(local), self.handler.locals[local].ty.clone())
    }

    /// Notes which variables differ between threads, as far as one look shows it; whether there were more.
    fn spread(&mut self, statements: &[Stmt]) -> bool {
        let mut more = false;
        for statement in statements {
            let found: Vec<LocalId> = match statement {
                Stmt::Declare(local, Some(value)) if !self.gives_alike(&self.whole(*local), value) => {
                    vec![*local]
                }
                Stmt::Assign(place @ Place { root: Root::Local(local), .. }, value)
                    if !self.gives_alike(place, value) =>
                {
                    vec![*local]
                }
                Stmt::Declare(..) | Stmt::Assign(..) => Vec::new(),
                Stmt::Warp(warp) => warp.result().into_iter().collect(),
                statement if is_frame(statement) => {
                    match statement {
                        Stmt::If(_, then, otherwise) => {
                            more |= self.spread(then);
                            more |= self.spread(otherwise);
                        }
                        Stmt::Loop(body) | Stmt::For { body, .. } => more |= self.spread(body),
                        _ => {}
                    }
                    Vec::new()
                }
                other => {
                    let mut roots = declared(std::slice::from_ref(other));
                    assigned(std::slice::from_ref(other), &mut roots);
                    if let Stmt::Atomic(atomic) = other {
                        roots.extend(atomic.result.map(Root::Local));
                    }
                    let local = |root| match root {
                        Root::Local(local) => Some(local),
                        _ => None,
                    };
                    roots.into_iter().filter_map(local).collect()
                }
            };
            let because = match statement {
                Stmt::Declare(_, Some(value)) | Stmt::Assign(_, value) => self.blamed(value),
                _ => None,
            };
            for local in found {
                let local = self.named(local);
                if !std::mem::replace(&mut self.varying[local], true) {
                    self.because[local].clone_from(&because);
                    more = true;
                }
            }
        }
        more
    }

    /// The statements of a block of the frame.
    fn frame(&mut self, statements: Vec<Stmt>) -> Result<Vec<Stmt>, String> {
        let outer = (std::mem::take(&mut self.segment), std::mem::take(&mut self.out));
        for statement in statements {
            self.statement(statement)?;
        }
        self.flush();
        self.segment = outer.0;
        Ok(std::mem::replace(&mut self.out, outer.1))
    }

    fn statement(&mut self, statement: Stmt) -> Result<(), String> {
        match statement {
            Stmt::Line(line) => {
                self.line = line;
                let place = if self.segment.is_empty() { &mut self.out } else { &mut self.segment };
                place.push(Stmt::Line(line));
            }
            Stmt::Meet => {
                self.flush();
                self.out.push(if self.pending { Stmt::Meet } else { Stmt::Barrier });
                self.met |= std::mem::take(&mut self.pending);
            }
            Stmt::Warp(warp) => {
                self.flush();
                // No thread takes part that has failed, so the block meets if one may have.
                if std::mem::take(&mut self.pending) {
                    self.out.push(Stmt::Meet);
                    self.met = true;
                    if warp == Warp::Barrier {
                        return Ok(());
                    }
                }
                self.out.push(Stmt::Warp(warp));
            }
            Stmt::Break | Stmt::Continue => {
                self.flush();
                self.out.push(statement);
            }
            Stmt::If(condition, then, otherwise) if then.iter().chain(&otherwise).any(is_frame) => {
                let condition = self.agreed(condition);
                let before = self.pending;
                let then = self.frame(then)?;
                let after = std::mem::replace(&mut self.pending, before);
                let otherwise = self.frame(otherwise)?;
                self.pending |= after;
                self.out.push(Stmt::If(condition, then, otherwise));
            }
            Stmt::Loop(body) if body.iter().any(meets) => {
                self.flush();
                let body = self.frame_loop(body)?;
                self.out.push(Stmt::FrameLoop(body));
            }
            Stmt::For { local, start, end, body } if body.iter().any(meets) => {
                self.flush();
                if let Some(part) = [&start, &end].into_iter().find_map(|bound| self.blamed(bound)) {
                    return Err(format!(
                        "the bounds of a loop around a barrier are the same in all threads, from constants, the message and such \
                         variables, and {part} is not seen to be: write `while`, or take the barrier out of the loop"
                    ));
                }
                let body = self.frame_loop(body)?;
                self.out.push(Stmt::FrameFor { local, start, end, body });
            }
            Stmt::Return(_) | Stmt::Abort(_) => {
                self.segment.push(statement);
                self.flush();
                self.out.push(Stmt::Leave);
            }
            Stmt::Declare(_, None) => {
                self.flush();
                self.out.push(statement);
            }
            Stmt::Declare(local, Some(ref value)) if self.is_alike(&self.whole(local), value) => {
                self.flush();
                self.out.push(statement);
            }
            Stmt::Assign(ref place, ref value) if self.is_alike(place, value) => {
                self.flush();
                self.out.push(statement);
            }
            other => self.segment.push(other),
        }
        Ok(())
    }

    /// The body of a loop of the frame. If a thread may fail or return in it, each turn looks whether the
    /// message has ended, so in each turn the threads meet.
    fn frame_loop(&mut self, body: Vec<Stmt>) -> Result<Vec<Stmt>, String> {
        if !self.ends(&body) {
            if std::mem::take(&mut self.pending) {
                self.out.push(Stmt::Meet);
                self.met = true;
            }
            return self.frame(body);
        }
        self.pending = true;
        let first = body.iter().position(|statement| matches!(statement, Stmt::Meet | Stmt::Warp(_)));
        let always = first.is_some_and(|first| !goes_on(&body[..first]));
        let mut body = self.frame(body)?;
        self.pending = true;
        if !always {
            body.insert(0, Stmt::Meet);
        }
        self.met = true;
        Ok(body)
    }

    /// A condition of the frame, which is the same in all threads from here on.
    fn agreed(&mut self, condition: Expr) -> Expr {
        if !self.varies(&condition) && is_total(&condition) {
            self.flush();
            return condition;
        }
        let ty = Type::Scalar(Scalar::Bool);
        let local = self.handler.locals.len();
        let name = format!("ann_answer_{local}");
        self.handler.locals.push(Local::new(name, ty, false, false));
        self.varying.push(true);
        self.because.push(None);
        self.segment.push(Stmt::Assign(self.whole(local), condition));
        self.out.push(Stmt::Declare(local, None));
        self.flush();
        self.out.push(Stmt::Agree(local));
        self.pending = false;
        self.met = true;
        // Threads that have failed may have no answer.
        Expr::binary(BinaryOp::And, Scalar::Bool, Expr::GoesOn, Expr::Read(self.whole(local)))
    }

    /// Whether a thread may fail or return in these statements.
    fn ends(&self, statements: &[Stmt]) -> bool {
        fails(statements, self.functions)
            || any(statements, &|statement| matches!(statement, Stmt::Return(_)))
    }

    /// Puts the segment out.
    fn flush(&mut self) {
        let mut segment = std::mem::take(&mut self.segment);
        let ends = self.ends(&segment);
        // Where all have met, and some had failed, nobody goes on: others see what these would do here.
        let acts = self.met && acts(&segment, self.functions);
        if segment.iter().all(|statement| matches!(statement, Stmt::Line(_)))
            || !ends && !self.pending && !acts
        {
            self.out.append(&mut segment);
            return;
        }
        // What a segment declares, later ones and the frame use.
        for statement in &mut segment {
            if let Stmt::Declare(local, value) = statement {
                let (local, value) = (*local, value.take());
                self.out.push(Stmt::Declare(local, None));
                *statement = match value {
                    Some(value) => Stmt::Assign(self.whole(local), value),
                    None => Stmt::Line(self.line),
                };
            }
        }
        self.out.push(Stmt::Segment(segment));
        self.pending |= ends;
    }
}
