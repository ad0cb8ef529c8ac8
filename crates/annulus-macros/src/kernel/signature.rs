//! A handler's signature: what it may touch, or everything that is wrong with it.

use annulus_tree::ParameterRole;
use proc_macro2::Ident;
use syn::{
    FnArg, GenericArgument, ItemFn, PathArguments, ReturnType, Safety, Signature, Type, ext::IdentExt,
};

use super::parameter::{Parameter, Position, Role};
use crate::{
    errors::Errors,
    types::{self, bare},
};

/// A handler whose parameters are understood.
pub(super) struct Handler {
    pub(super) parameters: Vec<Parameter>,
}

impl Handler {
    pub(super) fn of(function: &ItemFn) -> syn::Result<Self> {
        let mut errors = Errors::default();
        let signature = &function.sig;
        check_qualifiers(signature, &mut errors);
        check_return(&signature.output, &mut errors);
        let parameters = parameters(signature, &mut errors);
        errors.finish(Self { parameters })
    }

    pub(super) fn message(&self) -> &Type {
        let message = self.parameters.iter().find_map(|parameter| match &parameter.role {
            Role::Message(ty) | Role::Bridged(ty) | Role::Inbox(ty) => Some(ty),
            _ => None,
        });
        message.expect("a handler without a message is refused")
    }

    /// The parameter of a bridged message.
    pub(super) fn bridged(&self) -> Option<&Parameter> {
        self.parameters.iter().find(|parameter| matches!(parameter.role, Role::Bridged(_)))
    }

    pub(super) fn state(&self) -> Option<&Type> {
        self.parameters.iter().find_map(|parameter| match &parameter.role {
            Role::State(ty) | Role::BlockState(ty) => Some(ty),
            _ => None,
        })
    }

    /// Whether a whole block works on one message.
    pub(super) fn is_for_blocks(&self) -> bool {
        self.parameters.iter().any(|parameter| matches!(parameter.role, Role::BlockCx))
    }

    /// Whether it takes all messages of a turn.
    pub(super) fn is_body(&self) -> bool {
        self.parameters.iter().any(|parameter| matches!(parameter.role, Role::Inbox(_)))
    }

    /// What the handler answers, if it says so.
    pub(super) fn reply(&self) -> Option<(&Ident, &Type)> {
        self.parameters.iter().find_map(|parameter| match &parameter.role {
            Role::Reply(ty) => Some((parameter.name.as_ref()?, ty)),
            _ => None,
        })
    }

    /// What the handler asks others by, and what comes of it.
    pub(super) fn ask(&self) -> Option<(&Ident, &Type, &Type)> {
        self.parameters.iter().find_map(|parameter| match &parameter.role {
            Role::Ask(types) => Some((parameter.name.as_ref()?, &types[0], &types[1])),
            _ => None,
        })
    }

    /// Whether its block has timers.
    pub(super) fn has_timers(&self) -> bool {
        self.later().is_some() || self.ask().is_some()
    }

    /// The outboxes, the reply and the ask, each with its name and what it sends; a single one may have no name.
    pub(super) fn outboxes(&self) -> impl Iterator<Item = (Option<&Ident>, &Type)> {
        self.parameters.iter().filter_map(|parameter| match &parameter.role {
            Role::Outbox(ty) | Role::Reply(ty) => Some((parameter.name.as_ref(), ty)),
            Role::Ask(types) => Some((parameter.name.as_ref(), &types[0])),
            _ => None,
        })
    }

    /// What the only outbox sends.
    pub(super) fn output(&self) -> Option<&Type> {
        self.outboxes().next().map(|(_, ty)| ty).filter(|_| !self.has_ports())
    }

    /// Whether there are several outboxes.
    pub(super) fn has_ports(&self) -> bool {
        self.outboxes().nth(1).is_some()
    }

    /// Several outboxes, each with its name and what it sends; empty if there are fewer.
    pub(super) fn ports(&self) -> Vec<(&Ident, &Type)> {
        if !self.has_ports() {
            return Vec::new();
        }
        self.outboxes().filter_map(|(name, ty)| Some((name?, ty))).collect()
    }

    /// The parameter by which it sends to itself.
    pub(super) fn later(&self) -> Option<&Parameter> {
        self.parameters.iter().find(|parameter| matches!(parameter.role, Role::Later(_)))
    }

    /// Whether it may end its actor.
    pub(super) fn ends_actors(&self) -> bool {
        self.parameters.iter().any(|parameter| matches!(parameter.role, Role::Actor))
    }

    /// What each parameter is, for the tree.
    pub(super) fn roles(&self) -> Vec<ParameterRole> {
        let role = |parameter: &Parameter| match parameter.role {
            Role::Cx | Role::BlockCx => ParameterRole::Cx,
            Role::Message(_) | Role::Bridged(_) | Role::Inbox(_) => ParameterRole::Message,
            Role::State(_) | Role::BlockState(_) => ParameterRole::State,
            Role::Outbox(_) | Role::Reply(_) | Role::Ask(..) => ParameterRole::Outbox,
            Role::Later(_) => ParameterRole::Later,
            Role::Actor => ParameterRole::Actor,
            Role::Parameter(_) | Role::Table(_) | Role::Whole(_) | Role::BlockMemory(_) | Role::Shared(_) => {
                ParameterRole::Bound
            }
        };
        self.parameters.iter().map(role).collect()
    }

    /// The parameters that a launch binds, in order.
    pub(super) fn bound(&self) -> impl Iterator<Item = (&Ident, &Parameter)> {
        self.parameters
            .iter()
            .filter(|parameter| parameter.role.is_bound())
            .filter_map(|parameter| parameter.name.as_ref().map(|name| (name, parameter)))
    }
}

fn check_qualifiers(signature: &Signature, errors: &mut Errors) {
    if let Some(token) = &signature.asyncness {
        errors.at(
            token,
            "a handler never waits: write a plain `fn`, and send what should happen later as a message",
        );
    }
    if let Some(token) = &signature.constness {
        errors.at(token, "a handler runs on a device, not in the compiler: write a plain `fn`");
    }
    if let Safety::Unsafe(token) = &signature.safety {
        errors.at(token, "whoever sends a message calls the handler, so it must be safe: write a plain `fn`");
    }
    if let Some(abi) = &signature.abi {
        errors.at(abi, "a handler is called by Annulus only: write a plain `fn`");
    }
    if !signature.generics.params.is_empty() {
        let message = "a kernel is launched with types that are known: write them instead of parameters";
        errors.at(&signature.generics.params, message);
    }
    if let Some(clause) = &signature.generics.where_clause {
        errors.at(clause, "a kernel is launched with types that are known: leave the `where` clause out");
    }
    if let Some(variadic) = &signature.variadic {
        errors.at(variadic, "a launch binds each parameter by its name: name them, or bind a table, `&[T]`");
    }
}

fn check_return(output: &ReturnType, errors: &mut Errors) {
    let ReturnType::Type(_, ty) = output else { return };
    let is_unit = |ty: &Type| matches!(bare(ty), Type::Tuple(tuple) if tuple.elems.is_empty());
    let fits = is_unit(ty)
        || types::last_segment(ty).is_some_and(|segment| {
            segment.ident == "Result"
                && matches!(
                    &segment.arguments,
                    PathArguments::AngleBracketed(arguments)
                        if matches!(arguments.args.first(), Some(GenericArgument::Type(ty)) if is_unit(ty))
                )
        });
    if !fits {
        let message =
            "a handler returns nothing or `Result<(), E>`: to answer, send through a parameter `&Outbox<T>`";
        errors.at(ty, message);
    }
}

fn parameters(signature: &Signature, errors: &mut Errors) -> Vec<Parameter> {
    let mut parameters: Vec<Parameter> = Vec::new();
    let mut position = Position::First;
    for argument in &signature.inputs {
        let argument = match argument {
            FnArg::Typed(argument) => argument,
            FnArg::Receiver(receiver) => {
                let message =
                    "a handler is a free function: make what `self` holds its state, a parameter `&mut S`";
                errors.at(receiver, message);
                continue;
            }
        };
        let parameter = errors.take(Parameter::of(argument, position));
        position = match &parameter {
            Some(Parameter { role: Role::Cx | Role::BlockCx, .. }) => Position::AfterCx,
            _ => Position::Rest,
        };
        if let Some(parameter) = parameter {
            check_single(&parameters, &parameter, errors);
            parameters.push(parameter);
        }
    }
    check_shared(&parameters, errors);
    check_later(&parameters, errors);
    check_actor(&parameters, errors);
    check_ports(&parameters, errors);
    check_reply(&parameters, errors);
    check_ask(&parameters, errors);
    check_body(&parameters, errors);
    if position != Position::Rest {
        let message = "a handler takes a message: add `message: &M`, where `M` derives `RingMessage`";
        errors.at(&signature.ident, message);
    }
    parameters
}

/// Refuses a second state.
fn check_single(before: &[Parameter], parameter: &Parameter, errors: &mut Errors) {
    let has = |is: fn(&Role) -> bool| is(&parameter.role) && before.iter().any(|other| is(&other.role));
    if has(|role| matches!(role, Role::State(_) | Role::BlockState(_))) {
        errors.at(&parameter.ty, "a handler has one state: put both into one struct");
    }
    if has(|role| matches!(role, Role::Later(_))) {
        errors.at(&parameter.ty, "one `&Later` sends all that comes later: leave this one out");
    }
    if has(|role| matches!(role, Role::Actor)) {
        errors.at(&parameter.ty, "a message is for one actor: leave this one out");
    }
}

/// An actor that ends has a state, and a message that one thread handles.
fn check_actor(parameters: &[Parameter], errors: &mut Errors) {
    let Some(actor) = parameters.iter().find(|parameter| matches!(parameter.role, Role::Actor)) else {
        return;
    };
    let has = |is: fn(&Role) -> bool| parameters.iter().any(|parameter| is(&parameter.role));
    if has(|role| matches!(role, Role::BlockCx)) {
        let text = "a handler that a whole block runs does not end its actor: make `cx: &Cx` the first parameter, or \
                    leave this one out";
        errors.at(&actor.ty, text);
    } else if !has(|role| matches!(role, Role::State(_))) {
        let text =
            "without a state there is nothing that ends: add a parameter `&mut S`, or leave this one out";
        errors.at(&actor.ty, text);
    }
}

/// What comes later is a message of the handler's own, one that a thread handles and that a slot holds whole.
fn check_later(parameters: &[Parameter], errors: &mut Errors) {
    let Some((ty, later)) = parameters.iter().find_map(|Parameter { role, ty, .. }| match role {
        Role::Later(later) => Some((ty, later)),
        _ => None,
    }) else {
        return;
    };
    for Parameter { role, .. } in parameters {
        match role {
            Role::Message(message) if types::text(message) != types::text(later) => {
                let message = types::text(message);
                let text = format!("a handler sends its own messages to itself: write `&Later<{message}>`");
                errors.at(ty, text);
            }
            Role::Bridged(_) => {
                let text = "a bridged message is not sent to oneself: take a message that is a struct of numbers, \
                            `&M`, or leave this parameter out";
                errors.at(ty, text);
            }
            Role::BlockCx => {
                let text = "a handler that a whole block runs sends nothing to itself: make `cx: &Cx` the first \
                            parameter, or leave this one out";
                errors.at(ty, text);
            }
            _ => {}
        }
    }
}

/// A body is for a whole block, and has one outbox at most.
fn check_body(parameters: &[Parameter], errors: &mut Errors) {
    let Some(inbox) = parameters.iter().find(|parameter| matches!(parameter.role, Role::Inbox(_))) else {
        return;
    };
    if !parameters.iter().any(|parameter| matches!(parameter.role, Role::BlockCx)) {
        let text = "the threads of a block share an inbox: make `cx: &BlockCx` the first parameter, or take one \
                    message, `message: &M`";
        errors.at(&inbox.ty, text);
    }
    if let Some(reply) = parameters.iter().find(|parameter| matches!(parameter.role, Role::Reply(_))) {
        let text = "a body takes many messages, and a reply answers one: write a handler for one message, `message: &M`";
        errors.at(&reply.ty, text);
    }
    let mut outboxes = parameters.iter().filter(|parameter| matches!(parameter.role, Role::Outbox(_)));
    if let Some(second) = outboxes.nth(1) {
        let text = "a body has one outbox: let it send an enum with `#[repr(u32)]` that is either, or write a handler \
                    for one message";
        errors.at(&second.ty, text);
    }
}

/// The most outboxes of a handler. It is that of `annulus-kernel`.
const MOST_PORTS: usize = 16;

/// The name of an outbox's constant.
pub(super) fn constant(name: &Ident) -> String {
    name.unraw().to_string().to_uppercase()
}

fn is_way_out(role: &Role) -> bool {
    matches!(role, Role::Outbox(_) | Role::Reply(_) | Role::Ask(..))
}

/// An ask stands beside an outbox, in a handler of one thread, for messages that a slot holds whole.
fn check_ask(parameters: &[Parameter], errors: &mut Errors) {
    let mut asks = parameters.iter().filter(|parameter| matches!(parameter.role, Role::Ask(..)));
    let Some(first) = asks.next() else { return };
    for second in asks {
        let text = "a handler asks one other kernel: let this one be asked with an enum, or ask it by a handler of its own";
        errors.at(&second.ty, text);
    }
    let has = |is: fn(&Role) -> bool| parameters.iter().any(|parameter| is(&parameter.role));
    if !has(|role| matches!(role, Role::Outbox(_))) {
        let text = "an ask stands beside an outbox, by which the handler says what came of it: add a parameter `&Outbox<T>`";
        errors.at(&first.ty, text);
    }
    if has(|role| matches!(role, Role::Reply(_))) {
        let text = "a kernel that asks is not asked itself yet: leave the reply out, or this ask";
        errors.at(&first.ty, text);
    }
    if has(|role| matches!(role, Role::Bridged(_))) {
        let text = "what comes of an ask is a variant of the handler's message, and this one is bridged: take an enum of \
                    numbers, `&M`";
        errors.at(&first.ty, text);
    }
    if has(|role| matches!(role, Role::BlockCx)) {
        let text = "a handler that a whole block runs does not ask yet: make `cx: &Cx` the first parameter, or leave the ask out";
        errors.at(&first.ty, text);
    }
}

/// A reply stands behind an outbox, by which goes on what it does not answer.
fn check_reply(parameters: &[Parameter], errors: &mut Errors) {
    let is_outbox = |parameter: &Parameter| matches!(parameter.role, Role::Outbox(_));
    let mut replies =
        parameters.iter().enumerate().filter(|(_, parameter)| matches!(parameter.role, Role::Reply(_)));
    let Some((at, first)) = replies.next() else { return };
    for (_, second) in replies {
        errors.at(&second.ty, "a call is answered once: leave this reply out, or make it an outbox");
    }
    if !parameters.iter().any(is_outbox) {
        let text = "what the only outbox sends first is the answer already: write `&Outbox<T>`, or add the outbox by which \
                    a call goes on that is not answered";
        errors.at(&first.ty, text);
    } else if !parameters[..at].iter().any(is_outbox) {
        let text = "a call that is not answered goes on by the first outbox: write that one before the reply";
        errors.at(&first.ty, text);
    }
}

/// Each of several outboxes has a name, from which its constant has its own.
fn check_ports(parameters: &[Parameter], errors: &mut Errors) {
    let ports: Vec<_> = parameters.iter().filter(|parameter| is_way_out(&parameter.role)).collect();
    if ports.len() < 2 {
        return;
    }
    if let Some(surplus) = ports.get(MOST_PORTS) {
        let message = format!(
            "a handler has at most {MOST_PORTS} outboxes: let one of them send an enum with `#[repr(u32)]` that is either"
        );
        errors.at(&surplus.ty, message);
    }
    let mut seen: Vec<String> = Vec::new();
    for port in ports {
        let Some(name) = &port.name else {
            let message = "a handler with several outboxes is asked for each by its name: write a name here";
            errors.at(&port.ty, message);
            continue;
        };
        let constant = constant(name);
        if !constant.starts_with(|c: char| c.is_alphabetic()) {
            let message = format!(
                "`{name}` gives its outbox a constant, `{constant}`, whose name begins with a letter: rename it"
            );
            errors.at(name, message);
        } else if seen.contains(&constant) {
            let message = format!(
                "two outboxes would have the constant `{constant}`: give `{name}` a name that differs by more than case"
            );
            errors.at(name, message);
        }
        seen.push(constant);
    }
}

/// Refuses what the threads of a block cannot share, and what only they have.
fn check_shared(parameters: &[Parameter], errors: &mut Errors) {
    let of_block = parameters.iter().any(|parameter| matches!(parameter.role, Role::BlockCx));
    for Parameter { role, ty, .. } in parameters {
        match role {
            Role::State(state) if of_block => {
                let state = types::text(state);
                let message = format!(
                    "all threads of the block have this state, and `&mut` is for one alone: write `&Block<{state}>`"
                );
                errors.at(ty, message);
            }
            Role::BlockState(state) if !of_block => {
                let state = types::text(state);
                let message = format!(
                    "one thread has this state: write `&mut {state}`, or let the whole block work on a message: make \
                     `cx: &BlockCx` the first parameter"
                );
                errors.at(ty, message);
            }
            Role::Whole(element) if of_block => {
                let message = format!(
                    "all threads of the block have this memory, and `&mut` is for one alone: write `&Block<[{}]>`",
                    types::text(element)
                );
                errors.at(ty, message);
            }
            Role::BlockMemory(element) if !of_block => {
                let message = format!(
                    "one thread has this memory: write `&mut [{}]`, or let the whole block work on a message: make \
                     `cx: &BlockCx` the first parameter",
                    types::text(element)
                );
                errors.at(ty, message);
            }
            _ => {}
        }
    }
}
