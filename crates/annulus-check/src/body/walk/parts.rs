//! The parts of a function's syntax, one after the other.

use std::collections::HashMap;

use syn::{
    Expr, Pat, Stmt,
    spanned::Spanned,
    visit::{self, Visit},
};

use super::{Walk, key};
use crate::{
    body::{
        Call, Discarded, Event, LAUNCH_INTO, Loop, Receiver, connects,
        infer::{parts, turbofish},
        peel::peel,
    },
    known::Known,
};

/// Whether a `for` over this ends by itself.
fn ends(expr: &Expr) -> bool {
    match expr {
        Expr::Paren(paren) => ends(&paren.expr),
        Expr::Range(range) => range.end.is_some(),
        Expr::Call(call) => {
            let last = parts(&call.func).pop().unwrap_or_default();
            !["repeat", "repeat_with", "successors", "from_fn"].contains(&last.as_str())
        }
        Expr::MethodCall(call) if call.method == "cycle" => false,
        Expr::MethodCall(call)
            if ["take", "take_while", "map_while", "zip"].iter().any(|name| call.method == name) =>
        {
            true
        }
        Expr::MethodCall(call) => ends(&call.receiver),
        _ => true,
    }
}

/// Whether a method takes from `repeat_with` until something tells it to stop: as often as it can.
fn drives(call: &syn::ExprMethodCall) -> bool {
    const DRIVERS: &[&str] =
        &["all", "any", "find", "find_map", "fold", "for_each", "position", "try_fold", "try_for_each"];
    const PASSES: &[&str] = &["by_ref", "filter", "filter_map", "inspect", "map", "skip_while", "take_while"];
    fn is_endless(expr: &Expr) -> bool {
        match expr {
            Expr::Call(call) => parts(&call.func).pop().is_some_and(|last| last == "repeat_with"),
            Expr::MethodCall(call) => {
                PASSES.iter().any(|name| call.method == name) && is_endless(&call.receiver)
            }
            _ => false,
        }
    }
    DRIVERS.iter().any(|name| call.method == name) && is_endless(&call.receiver)
}

impl<'ast> Visit<'ast> for Walk<'_> {
    // Functions by themselves.
    fn visit_item(&mut self, _: &'ast syn::Item) {}

    fn visit_block(&mut self, block: &'ast syn::Block) {
        self.names.push(HashMap::new());
        visit::visit_block(self, block);
        self.names.pop();
    }

    fn visit_stmt(&mut self, stmt: &'ast Stmt) {
        if let Stmt::Expr(expr, Some(_)) = stmt {
            self.note(expr, Some(Discarded::Statement));
        }
        visit::visit_stmt(self, stmt);
    }

    fn visit_local(&mut self, local: &'ast syn::Local) {
        let Some(init) = &local.init else {
            self.bind(&local.pat, Known::Unknown);
            return;
        };
        if matches!(local.pat, Pat::Wild(_)) {
            let start = self.source.bytes(local.let_token.span()).start;
            let before = start..self.source.range(&init.expr).start;
            self.note(&init.expr, Some(Discarded::Underscore(before)));
        }
        if let Some((_, otherwise)) = &init.diverge {
            self.inside(|walk| walk.visit_expr(otherwise));
        }
        self.local(&local.pat, &init.expr);
    }

    fn visit_expr_assign(&mut self, assign: &'ast syn::ExprAssign) {
        if matches!(*assign.left, Expr::Infer(_)) {
            let before = self.source.range(&assign.left).start..self.source.range(&assign.right).start;
            self.note(&assign.right, Some(Discarded::Underscore(before)));
        }
        self.visit_expr(&assign.right);
        if let Some(binding) = self.binding_of(&assign.left) {
            let known = self.known(&assign.right);
            let binding = &mut self.body.bindings[binding];
            binding.is_reassigned = true;
            if matches!(binding.known, Known::Unknown | Known::Plain(_)) {
                binding.known = known;
            }
        } else {
            self.visit_expr(&assign.left);
        }
    }

    fn visit_expr_await(&mut self, expr: &'ast syn::ExprAwait) {
        match self.noted(&expr.base) {
            Some(noted) => noted.is_awaited = true,
            // A future that has a name.
            None => self.body.events.push(Event::Opaque(self.at.clone())),
        }
        visit::visit_expr_await(self, expr);
    }

    fn visit_expr_try(&mut self, expr: &'ast syn::ExprTry) {
        if let Some(noted) = self.noted(&expr.expr) {
            noted.is_tried = true;
        }
        visit::visit_expr_try(self, expr);
    }

    fn visit_expr_if(&mut self, expr: &'ast syn::ExprIf) {
        self.names.push(HashMap::new());
        self.visit_expr(&expr.cond);
        self.inside(|walk| walk.visit_block(&expr.then_branch));
        self.names.pop();
        if let Some((_, otherwise)) = &expr.else_branch {
            self.inside(|walk| walk.visit_expr(otherwise));
        }
    }

    fn visit_expr_let(&mut self, expr: &'ast syn::ExprLet) {
        self.visit_expr(&expr.expr);
        let known = self.known(&expr.expr);
        self.bind(&expr.pat, known);
    }

    fn visit_expr_match(&mut self, expr: &'ast syn::ExprMatch) {
        self.visit_expr(&expr.expr);
        let known = self.known(&expr.expr);
        for arm in &expr.arms {
            self.inside(|walk| {
                walk.bind(&arm.pat, known.clone());
                visit::visit_arm(walk, arm);
            });
        }
    }

    fn visit_expr_loop(&mut self, expr: &'ast syn::ExprLoop) {
        let head = self.source.bytes(expr.loop_token.span());
        self.in_loop(false, head, &expr.body, |walk| walk.visit_block(&expr.body));
    }

    fn visit_expr_while(&mut self, expr: &'ast syn::ExprWhile) {
        let start = self.source.bytes(expr.while_token.span()).start;
        let head = start..self.source.range(&expr.cond).end;
        self.in_loop(false, head, &expr.body, |walk| {
            walk.visit_expr(&expr.cond);
            walk.visit_block(&expr.body);
        });
    }

    fn visit_expr_for_loop(&mut self, expr: &'ast syn::ExprForLoop) {
        self.visit_expr(&expr.expr);
        let one = self.known(&expr.expr).one();
        let start = self.source.bytes(expr.for_token.span()).start;
        let head = start..self.source.range(&expr.expr).end;
        self.in_loop(ends(&expr.expr), head, &expr.body, |walk| {
            walk.bind(&expr.pat, one);
            walk.visit_block(&expr.body);
        });
    }

    fn visit_expr_closure(&mut self, expr: &'ast syn::ExprClosure) {
        self.closure(expr.asyncness.is_some(), |walk| {
            for input in &expr.inputs {
                walk.bind(input, Known::Unknown);
            }
            walk.visit_expr(&expr.body);
        });
    }

    fn visit_expr_async(&mut self, expr: &'ast syn::ExprAsync) {
        self.closure(true, |walk| walk.visit_block(&expr.block));
    }

    fn visit_expr_field(&mut self, expr: &'ast syn::ExprField) {
        let whole = Expr::Field(expr.clone());
        match self.place(&whole) {
            Some(place) => {
                // The variable itself goes nowhere, but for what is made of its part.
                self.body.events.extend(self.binding_of(&whole).or(place.0).map(Event::Escape));
                self.loose.push(place);
            }
            None => visit::visit_expr_field(self, expr),
        }
    }

    fn visit_expr_path(&mut self, expr: &'ast syn::ExprPath) {
        let binding = expr.path.get_ident().and_then(|name| self.binding(&name.to_string()));
        if binding.is_some() || expr.path.is_ident("self") {
            self.loose.push((binding.map(|binding| self.body.root(binding)), Vec::new()));
        }
        self.body.events.extend(binding.map(Event::Escape));
    }

    fn visit_expr_macro(&mut self, expr: &'ast syn::ExprMacro) {
        self.tokens(&expr.mac);
    }

    fn visit_stmt_macro(&mut self, stmt: &'ast syn::StmtMacro) {
        self.tokens(&stmt.mac);
    }

    fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
        if !drives(call) {
            return self.method_call(call);
        }
        let head = self.source.range(call);
        let (end, is_async) = (head.end, self.at.is_async);
        self.at.loops.push(self.body.loops.len());
        let (is_bounded, is_empty, is_block) = (false, false, false);
        self.body.loops.push(Loop { is_bounded, head, end, is_empty, is_async, is_block });
        self.driven += 1;
        self.method_call(call);
        self.driven -= 1;
        self.at.loops.pop();
    }

    fn visit_expr_call(&mut self, call: &'ast syn::ExprCall) {
        self.function_call(call);
    }
}

impl Walk<'_> {
    fn method_call(&mut self, call: &syn::ExprMethodCall) {
        let name = call.method.to_string();
        let is_ok = name == "ok" && call.args.is_empty();
        let is_tried = matches!(name.as_str(), "unwrap" | "expect");
        if (is_ok || is_tried)
            && let Some(noted) = self.noted(&call.receiver)
        {
            noted.is_ok |= is_ok;
            noted.is_tried |= is_tried;
        }
        self.follow_field(&call.receiver);
        let binding = self.binding_of(&call.receiver);
        if let Some((root @ Some(_), way)) =
            self.place(peel(&call.receiver).0).filter(|(_, way)| way.is_empty())
        {
            // A method may do anything with the fields.
            self.loose.push((root, way));
        }
        // A variable under `?` and the like is looked at, and does not go anywhere.
        if binding.is_none() {
            self.visit_expr(&call.receiver);
        }
        let arguments = self.arguments(call.args.iter());
        for argument in &call.args {
            // The kernel that it is connected to stays where it is.
            if !(connects(&name) && self.binding_of(argument).is_some()) {
                self.visit_expr(argument);
            }
        }
        let known = self.known(&call.receiver);
        let launch = match (&known, name.as_str()) {
            (Known::Bound(Some(kernel)), "launch" | "launch_async" | LAUNCH_INTO) => {
                Some(self.launch(kernel.clone(), &name, &arguments))
            }
            _ => None,
        };
        let span = self.source.range(call);
        let event = Call {
            path: Vec::new(),
            receiver: Some(Receiver { binding, known }),
            arguments,
            turbofish: turbofish(call),
            launch,
            usage: self.usages.remove(&key(call)).unwrap_or_default(),
            at: self.at.clone(),
            end: span.end,
            span,
            name_span: self.source.bytes(call.method.span()),
            name,
        };
        self.body.events.push(Event::Call(Box::new(event)));
    }

    fn function_call(&mut self, call: &syn::ExprCall) {
        let path = parts(&call.func);
        if path.is_empty() {
            self.visit_expr(&call.func);
        }
        let name = path.last().cloned().unwrap_or_default();
        if let ("drop", Some(first)) = (name.as_str(), call.args.first()) {
            self.note(first, Some(Discarded::Drop));
        }
        let arguments = self.arguments(call.args.iter());
        let kernel = match &path[..] {
            [.., kernel, function] if function.starts_with("launch") && self.is_kernel(kernel) => {
                Some(kernel.clone())
            }
            _ => None,
        };
        for argument in &call.args {
            let is_bare = matches!(argument, Expr::Path(_)) && self.binding_of(argument).is_some();
            let is_runtime = self.known(argument) == Known::Runtime && matches!(argument, Expr::Reference(_));
            let is_target = kernel.is_some() && connects(&name) && self.binding_of(argument).is_some();
            let stays = is_runtime || is_target || is_bare && name == "drop";
            if !stays {
                self.visit_expr(argument);
            }
        }
        let launch = kernel.map(|kernel| self.launch(kernel, &name, &arguments));
        let span = self.source.range(call);
        let event = Call {
            name_span: self.source.range(&call.func),
            name,
            path,
            receiver: None,
            arguments,
            turbofish: None,
            launch,
            usage: self.usages.remove(&key(call)).unwrap_or_default(),
            at: self.at.clone(),
            end: span.end,
            span,
        };
        self.body.events.push(Event::Call(Box::new(event)));
    }
}
