//! One parameter of a handler: what its type says that it may touch.

use syn::{Error, Ident, Pat, PatType, Type, TypeReference};

use crate::types::{self, bare, first_argument, last_segment, text, type_arguments};

/// The atomic types that devices have, by name.
const ATOMICS: [&str; 4] = ["AtomicU32", "AtomicI32", "AtomicU64", "AtomicI64"];

/// What a parameter is to its handler. The type is what stands behind the reference, or each element's.
pub(super) enum Role {
    Cx,
    /// `&BlockCx`: the whole block works on one message.
    BlockCx,
    Message(Type),
    /// `&Archived<M>`: a bridged message, with `M`.
    Bridged(Type),
    /// `&Inbox<M>`: the messages of a turn, for a body.
    Inbox(Type),
    State(Type),
    /// `&Block<S>`: the state of a handler that a whole block runs.
    BlockState(Type),
    Outbox(Type),
    /// `&Reply<T>`: answers who asked.
    Reply(Type),
    /// `&Ask<Q, A>`: asks another kernel a `Q`, of which comes an `A`.
    Ask(Box<[Type; 2]>),
    /// `&Later<M>`: messages to itself.
    Later(Type),
    /// `&ThisActor`: ends its actor.
    Actor,
    Parameter(Type),
    Table(Type),
    Whole(Type),
    /// `&Block<[T]>`: memory of the kernel in a handler that a whole block runs.
    BlockMemory(Type),
    Shared(Type),
}

impl Role {
    /// Whether a launch binds it.
    pub(super) fn is_bound(&self) -> bool {
        matches!(
            self,
            Self::Parameter(_) | Self::Table(_) | Self::Whole(_) | Self::BlockMemory(_) | Self::Shared(_)
        )
    }
}

/// A parameter that is understood.
pub(super) struct Parameter {
    /// Its name; known for those that a launch binds.
    pub(super) name: Option<Ident>,
    pub(super) role: Role,
    /// The whole type, for errors.
    pub(super) ty: Type,
}

/// Where a parameter stands, which decides what `&T` means.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Position {
    /// The first of all: `cx` or the message.
    First,
    /// After `cx`: the message.
    AfterCx,
    /// After the message.
    Rest,
}

impl Parameter {
    pub(super) fn of(parameter: &PatType, position: Position) -> syn::Result<Self> {
        for attribute in &parameter.attrs {
            if attribute.path().is_ident("cfg") || attribute.path().is_ident("cfg_attr") {
                let message =
                    "a handler's parameters are the same in every build: write `#[cfg]` on the function";
                return Err(Error::new_spanned(attribute, message));
            }
        }
        let ty = bare(&parameter.ty);
        let role = match ty {
            Type::Reference(reference) => role(reference, position)?,
            _ => return Err(Error::new_spanned(ty, by_value(ty, position))),
        };
        let name = match &*parameter.pat {
            Pat::Ident(pattern) => Some(pattern.ident.clone()),
            _ if role.is_bound() => {
                let message =
                    "a launch binds this parameter by its name: write a name here, and take it apart inside";
                return Err(Error::new_spanned(&parameter.pat, message));
            }
            _ => None,
        };
        Ok(Self { name, role, ty: ty.clone() })
    }
}

fn role(reference: &TypeReference, position: Position) -> syn::Result<Role> {
    let refuse = |message: &str| Err(Error::new_spanned(reference, message));
    let target = bare(&reference.elem);
    if let Some(lifetime) = &reference.lifetime {
        let message = format!("what a handler gets lives as long as the call: write `{}`", plain(reference));
        return Err(Error::new_spanned(lifetime, message));
    }
    let mutable = reference.mutability.is_some();
    let name = last_segment(target).map(|segment| segment.ident.to_string()).unwrap_or_default();
    if name == "Cx" || name == "BlockCx" {
        return match position {
            _ if mutable => refuse(&format!("the context is read-only: write `&{name}`")),
            Position::First if name == "BlockCx" => Ok(Role::BlockCx),
            Position::First => Ok(Role::Cx),
            _ => refuse(&format!("the context comes first and once: make `cx: &{name}` the first parameter")),
        };
    }
    if position != Position::Rest {
        return message(reference, target, &name);
    }
    match target {
        Type::Slice(slice) if types::is_atomic(&slice.elem) => {
            let element = text(&slice.elem);
            if !last_segment(&slice.elem)
                .is_some_and(|last| ATOMICS.iter().any(|atomic| last.ident == atomic))
            {
                return refuse(&format!(
                    "devices have no `{element}`: write `&[AtomicU32]`, or one of `AtomicI32`, `AtomicU64`, `AtomicI64`"
                ));
            }
            if mutable {
                return refuse(&format!("atomics are shared, not exclusive: write `&[{element}]`"));
            }
            Ok(Role::Shared((*slice.elem).clone()))
        }
        Type::Slice(slice) => {
            types::check(&slice.elem)?;
            let element = (*slice.elem).clone();
            Ok(if mutable { Role::Whole(element) } else { Role::Table(element) })
        }
        _ if name == "Outbox" => outbox(reference, target),
        _ if is_reply(target) => reply(reference, target),
        _ if is_ask(target) => ask(reference, target),
        _ if name == "Later" => later(reference, target),
        _ if name == "ThisActor" && mutable => {
            refuse("ending an actor changes no parameter: write `&ThisActor`")
        }
        _ if name == "ThisActor" => Ok(Role::Actor),
        _ if name == "Inbox" => refuse(
            "a body's inbox takes the place of the message: make it the second parameter, behind `cx: &BlockCx`",
        ),
        _ if name == "Block" => block_state(reference, target),
        _ if types::is_atomic(target) => refuse(&format!(
            "shared memory is bound as a slice: write `&[{}]`, of length 1 if need be",
            text(target)
        )),
        _ => {
            check_single(reference, target, &name)?;
            let target = target.clone();
            Ok(if mutable { Role::State(target) } else { Role::Parameter(target) })
        }
    }
}

/// The message, which is `&M` with a type of its own, or `&Archived<M>`.
fn message(reference: &TypeReference, target: &Type, name: &str) -> syn::Result<Role> {
    if name == "Archived"
        && reference.mutability.is_none()
        && let Some([message]) = last_segment(target).map(type_arguments).as_deref()
    {
        return Ok(Role::Bridged((*message).clone()));
    }
    if name == "Inbox" {
        return inbox(reference, target);
    }
    let is_other = ["Outbox", "Later", "ThisActor"].contains(&name)
        || is_reply(target)
        || is_ask(target)
        || types::is_atomic(target);
    if reference.mutability.is_some() || matches!(target, Type::Slice(_) | Type::Array(_)) || is_other {
        return Err(Error::new_spanned(
            reference,
            "a handler takes a message: before this parameter write `message: &M`, \
             where `M` derives `RingMessage` (only `cx: &Cx` may come earlier)",
        ));
    }
    check_single(reference, target, name)?;
    Ok(Role::Message(target.clone()))
}

/// `&Inbox<M>`, the messages of a turn.
fn inbox(reference: &TypeReference, target: &Type) -> syn::Result<Role> {
    let refuse = |message: String| Err(Error::new_spanned(reference, message));
    let arguments = last_segment(target).map(type_arguments).unwrap_or_default();
    let [message] = arguments.as_slice() else {
        return refuse("say what it takes: `&Inbox<Job>`, for one".into());
    };
    if reference.mutability.is_some() {
        return refuse(format!(
            "the threads of a block share it, and take from it: write `&{}`",
            text(target)
        ));
    }
    if last_segment(message).is_some_and(|segment| segment.ident == "Archived") {
        return refuse(
            "a body takes no bridged messages: take a message of numbers, `&Inbox<M>`, or write a handler for one \
             message, `message: &Archived<M>`"
                .into(),
        );
    }
    types::check(message)?;
    Ok(Role::Inbox((*message).clone()))
}

fn outbox(reference: &TypeReference, target: &Type) -> syn::Result<Role> {
    let arguments = last_segment(target).map(type_arguments).unwrap_or_default();
    let [output] = arguments.as_slice() else {
        return Err(Error::new_spanned(reference, "say what it sends: `&Outbox<Alert>`, for one"));
    };
    if reference.mutability.is_some() {
        let message = format!("an outbox is not changed by sending: write `&{}`", text(target));
        return Err(Error::new_spanned(reference, message));
    }
    types::check(output)?;
    Ok(Role::Outbox((*output).clone()))
}

/// Whether it is `Reply<T>`. A program may have a type of its own with this name.
fn is_reply(target: &Type) -> bool {
    last_segment(target).is_some_and(|last| last.ident == "Reply" && !type_arguments(last).is_empty())
}

/// `&Reply<T>`, by which a handler answers.
fn reply(reference: &TypeReference, target: &Type) -> syn::Result<Role> {
    let arguments = last_segment(target).map(type_arguments).unwrap_or_default();
    let [answer] = arguments.as_slice() else {
        return Err(Error::new_spanned(reference, "say what it answers: `&Reply<Price>`, for one"));
    };
    if reference.mutability.is_some() {
        let message = format!("a reply is not changed by answering: write `&{}`", text(target));
        return Err(Error::new_spanned(reference, message));
    }
    types::check(answer)?;
    Ok(Role::Reply((*answer).clone()))
}

/// Whether it is `Ask<Q, A>`. A program may have a type of its own with this name.
fn is_ask(target: &Type) -> bool {
    last_segment(target).is_some_and(|last| last.ident == "Ask" && !type_arguments(last).is_empty())
}

/// `&Ask<Q, A>`, by which a handler asks another kernel.
fn ask(reference: &TypeReference, target: &Type) -> syn::Result<Role> {
    let arguments = last_segment(target).map(type_arguments).unwrap_or_default();
    let [query, awaited] = arguments.as_slice() else {
        let message = "say what it asks, and what comes of it: `&Ask<Query, Priced>`, where `Priced` is a message with a field \
                       of type `Answer<T>`";
        return Err(Error::new_spanned(reference, message));
    };
    if reference.mutability.is_some() {
        let message = format!("asking changes no parameter: write `&{}`", text(target));
        return Err(Error::new_spanned(reference, message));
    }
    types::check(query)?;
    types::check(awaited)?;
    Ok(Role::Ask(Box::new([(*query).clone(), (*awaited).clone()])))
}

/// `&Later<M>`, the messages that a handler sends to itself.
fn later(reference: &TypeReference, target: &Type) -> syn::Result<Role> {
    let arguments = last_segment(target).map(type_arguments).unwrap_or_default();
    let [message] = arguments.as_slice() else {
        let text = "say what comes later: `&Later<M>`, where `M` is the handler's own message";
        return Err(Error::new_spanned(reference, text));
    };
    if reference.mutability.is_some() {
        let message = format!("sending later changes no parameter: write `&{}`", text(target));
        return Err(Error::new_spanned(reference, message));
    }
    Ok(Role::Later((*message).clone()))
}

/// `&Block<S>`, the state that a block's threads share, or `&Block<[T]>`, their memory.
fn block_state(reference: &TypeReference, target: &Type) -> syn::Result<Role> {
    let arguments = last_segment(target).map(type_arguments).unwrap_or_default();
    let [state] = arguments.as_slice() else {
        return Err(Error::new_spanned(reference, "say what state it is: `&Block<Total>`, for one"));
    };
    if reference.mutability.is_some() {
        let message =
            format!("the threads of a block share it, and `set` changes it: write `&{}`", text(target));
        return Err(Error::new_spanned(reference, message));
    }
    if let Type::Slice(slice) = bare(state) {
        if types::is_atomic(&slice.elem) {
            let element = text(&slice.elem);
            let message =
                format!("the threads of a block share atomics as all blocks do: write `&[{element}]`");
            return Err(Error::new_spanned(reference, message));
        }
        types::check(&slice.elem)?;
        return Ok(Role::BlockMemory((*slice.elem).clone()));
    }
    types::check(state)?;
    Ok(Role::BlockState((*state).clone()))
}

/// Refuses the host's own containers behind a reference, for which devices have slices.
fn check_single(reference: &TypeReference, target: &Type, name: &str) -> syn::Result<()> {
    let access = if reference.mutability.is_some() { "&mut " } else { "&" };
    let message = match name {
        "str" | "String" => format!("text is bytes on a device: write `{access}[u8]`"),
        "Vec" => {
            let element = last_segment(target).map(first_argument).unwrap_or_default();
            format!("the host's vectors are slices on a device: write `{access}[{element}]`")
        }
        _ => return types::check(target),
    };
    Err(Error::new_spanned(reference, message))
}

/// What to write instead of a parameter that is no reference.
fn by_value(ty: &Type, position: Position) -> String {
    let shown = text(ty);
    let Some(segment) = last_segment(ty) else {
        return format!(
            "a handler's parameters are references: `&M`, `&mut S`, `&[T]`, `&Outbox<T>`; not `{shown}`"
        );
    };
    let argument = first_argument(segment);
    match segment.ident.to_string().as_str() {
        "Option" => {
            let inner = argument.trim_start_matches('&');
            format!(
                "a parameter is always there: write `&{inner}`, and say in its fields what may be missing"
            )
        }
        "Vec" => format!("a handler borrows what a launch binds: write `&[{argument}]`"),
        "String" => "a handler borrows what a launch binds, and text is bytes: write `&[u8]`".into(),
        "Box" | "Rc" | "Arc" => format!("a handler borrows what a launch binds: write `&{argument}`"),
        "Cx" | "BlockCx" | "Block" | "Inbox" | "Outbox" | "Later" | "ThisActor" => {
            format!("write `&{shown}`")
        }
        "Reply" | "Ask" if !argument.is_empty() => format!("write `&{shown}`"),
        _ if position == Position::Rest => {
            format!("a handler borrows what a launch binds: write `&{shown}`")
        }
        _ => format!("the message is read in its slot, not moved out: write `&{shown}`"),
    }
}

/// The reference without its lifetime.
fn plain(reference: &TypeReference) -> String {
    let mut reference = reference.clone();
    reference.lifetime = None;
    text(reference)
}
