//! A function's signature: what each parameter is to it.

use annulus_tree::{FunctionTree, Parameter, ParameterRole, WitnessId};
use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};
use syn::{
    Attribute, Error, FnArg, GenericParam, Receiver, ReceiverKind, ReturnType, Safety, Signature, Type,
    TypeReference, spanned::Spanned,
};

use crate::{
    body::{self, Reader, This},
    errors::Errors,
    types::{self, bare, first_argument, is_atomic, is_call, last_segment, text, type_arguments},
};

const NO_CLOSURE: &str =
    "a device has no closures and no addresses of functions: take an enum of what to do, and match on it";

const NO_LIFETIME: &str = "a device function returns values, which need no lifetime: leave it out";

/// A function that was read: the statements with its witnessed copy, and its `KernelTree`, as an expression.
pub(super) struct Function {
    pub(super) statements: TokenStream,
    pub(super) tree: TokenStream,
}

/// Reads a function, or says everything that is wrong with it.
pub(super) fn read(signature: &Signature, block: &syn::Block, this: Option<This>) -> syn::Result<Function> {
    let mut reader = Reader::new();
    if let Some(this) = this {
        reader.reads(this);
    }
    let mut parameters = Vec::new();
    let mut inputs = Vec::new();
    for argument in &signature.inputs {
        match argument {
            FnArg::Receiver(receiver) => {
                inputs.push(receiver_input(receiver));
                parameters.push(receiver_parameter(&mut reader, receiver));
            }
            FnArg::Typed(argument) => {
                inputs.push(argument.to_token_stream());
                for attribute in &argument.attrs {
                    reader.wrong(conditional(attribute));
                }
                let role = match role(&mut reader, &argument.ty) {
                    Ok(role) => role,
                    Err(error) => {
                        reader.wrong(error);
                        ParameterRole::Cx
                    }
                };
                let number = types::is_number(&argument.ty);
                parameters.push(reader.parameter(body::line(argument.span()), &argument.pat, role, number));
            }
        }
    }
    let output = output(&mut reader, &signature.output);
    reader.returning(&signature.output);
    let (body, tokens) = reader.body(block);
    let returns = body::output(&signature.output);
    let syntax = FunctionTree { parameters, output, body }.encode();
    let (statements, tree) = reader.finish(&quote!(|#(#inputs),*| #returns #tokens), &syntax)?;
    Ok(Function { statements, tree })
}

fn conditional(attribute: &Attribute) -> Error {
    Error::new_spanned(
        attribute,
        "a device function's parameters have no attributes: write it on the function",
    )
}

/// What no function of a device can be, which its companion could not be written for either.
pub(super) fn check(signature: &Signature) -> syn::Result<()> {
    let mut errors = Errors::default();
    let mut refuse = |place: &dyn ToTokens, message: &str| errors.at(place, message);
    if let Some(token) = &signature.asyncness {
        refuse(token, "a device never waits: write a plain `fn`");
    }
    if let Safety::Unsafe(token) = &signature.safety {
        refuse(token, "a device runs safe Rust only: write a plain `fn`");
    }
    if let Some(abi) = &signature.abi {
        refuse(abi, "a device calls functions of Rust: write a plain `fn`");
    }
    if let Some(variadic) = &signature.variadic {
        refuse(variadic, "a device function has as many parameters as it names: take a slice, `&[T]`");
    }
    for parameter in &signature.generics.params {
        match parameter {
            GenericParam::Lifetime(lifetime) => refuse(lifetime, NO_LIFETIME),
            GenericParam::Type(parameter) if is_call(&text(&parameter.bounds)) => {
                refuse(parameter, NO_CLOSURE)
            }
            _ => {}
        }
    }
    for argument in &signature.inputs {
        if let FnArg::Typed(argument) = argument
            && let Type::ImplTrait(ty) = bare(&argument.ty)
        {
            let calls = is_call(&text(&ty.bounds));
            refuse(
                ty,
                if calls {
                    NO_CLOSURE
                } else {
                    "write a type parameter, `fn f<T: …>(x: T)`, whose type a device then knows"
                },
            );
        }
    }
    match &signature.output {
        ReturnType::Type(_, ty) if matches!(bare(ty), Type::ImplTrait(_)) => {
            refuse(ty, "a device knows what a function returns: write the type");
        }
        _ => {}
    }
    errors.finish(())
}

/// `self` as the parameter of a closure.
fn receiver_input(receiver: &Receiver) -> TokenStream {
    let name = body::receiver(&receiver.self_token);
    let mutability = &receiver.mutability;
    match &receiver.kind {
        ReceiverKind::Reference(_, _, mutability) => {
            quote_spanned!(receiver.span()=> #name: & #mutability Self)
        }
        _ => quote_spanned!(receiver.span()=> #mutability #name: Self),
    }
}

fn receiver_parameter(reader: &mut Reader, receiver: &Receiver) -> Parameter {
    let ty = reader.written(&quote_spanned!(receiver.self_token.span()=> Self));
    let role = match &receiver.kind {
        ReceiverKind::Reference(_, lifetime, mutability) => {
            if let Some(lifetime) = lifetime {
                reader.wrong(Error::new_spanned(lifetime, NO_LIFETIME));
            }
            ParameterRole::Reference { mutable: mutability.is_some(), ty }
        }
        ReceiverKind::Value => ParameterRole::Value { ty },
        _ => {
            let message = "a device has no boxes and pins: write `self`, `&self` or `&mut self`";
            reader.wrong(Error::new_spanned(receiver, message));
            ParameterRole::Value { ty }
        }
    };
    reader.receiver(body::line(receiver.span()), receiver.mutability.is_some(), role)
}

fn role(reader: &mut Reader, ty: &Type) -> syn::Result<ParameterRole> {
    let ty = bare(ty);
    let Type::Reference(reference) = ty else {
        types::check_value(ty)?;
        return Ok(ParameterRole::Value { ty: reader.written(ty) });
    };
    behind(reader, reference)
}

fn behind(reader: &mut Reader, reference: &TypeReference) -> syn::Result<ParameterRole> {
    let refuse = |message: String| Err(Error::new_spanned(reference, message));
    if let Some(lifetime) = &reference.lifetime {
        return Err(Error::new_spanned(lifetime, NO_LIFETIME));
    }
    let mutable = reference.mutability.is_some();
    let target = bare(&reference.elem);
    let name = last_segment(target).map(|segment| segment.ident.to_string()).unwrap_or_default();
    let plain = |ty: &Type| quote_spanned!(ty.span()=> <#ty as ::annulus::__private::DeviceAtomic>::Value);
    match target {
        _ if mutable && (name == "Cx" || name == "Outbox") => refuse(format!("write `&{}`", text(target))),
        _ if name == "Later" => refuse(
            "only a handler sends to itself: return what shall come later, and let the handler send it"
                .into(),
        ),
        _ if name == "ThisActor" => refuse(
            "only a handler ends its actor: return whether it shall end, and let the handler end it".into(),
        ),
        _ if name == "Reply" && last_segment(target).is_some_and(|last| !type_arguments(last).is_empty()) => {
            let answer = last_segment(target).map(first_argument).unwrap_or_default();
            refuse(format!("a function sends by an outbox: write `&Outbox<{answer}>`, and give it the reply"))
        }
        _ if name == "Ask" && last_segment(target).is_some_and(|last| !type_arguments(last).is_empty()) => {
            refuse("only a handler asks: return what shall be asked, and let the handler ask it".into())
        }
        _ if name == "Cx" => Ok(ParameterRole::Cx),
        _ if name == "Outbox" => Ok(ParameterRole::Outbox),
        Type::Slice(slice) if is_atomic(&slice.elem) => {
            if mutable {
                return refuse(format!(
                    "atomics are shared, not exclusive: write `&[{}]`",
                    text(&slice.elem)
                ));
            }
            Ok(ParameterRole::Atomics { ty: reader.written(&plain(&slice.elem)) })
        }
        Type::Slice(slice) => {
            types::check_value(&slice.elem)?;
            Ok(ParameterRole::Slice { mutable, ty: reader.written(&slice.elem) })
        }
        _ if is_atomic(target) && mutable => {
            refuse(format!("atomics are shared, not exclusive: write `&{}`", text(target)))
        }
        _ if is_atomic(target) => Ok(ParameterRole::Atomic { ty: reader.written(&plain(target)) }),
        Type::Reference(_) => refuse(format!("one reference is enough: write `{}`", text(target))),
        Type::TraitObject(object) if is_call(&text(&object.bounds)) => refuse(NO_CLOSURE.into()),
        Type::TraitObject(_) | Type::ImplTrait(_) => {
            refuse("write a type parameter, `fn f<T: …>(x: &T)`, whose type a device then knows".into())
        }
        _ if name == "str" => refuse("text is bytes on a device: write `&[u8]`".into()),
        target => {
            types::check_value(target)?;
            Ok(ParameterRole::Reference { mutable, ty: reader.written(target) })
        }
    }
}

/// The witness of what a function returns.
fn output(reader: &mut Reader, output: &ReturnType) -> Option<WitnessId> {
    let ReturnType::Type(_, ty) = output else { return None };
    let message = match bare(ty) {
        Type::Tuple(tuple) if tuple.elems.is_empty() => return None,
        Type::Reference(_) => "a device function returns no reference: return the value, or an index",
        Type::Never(_) => {
            "a device function comes back: return the `Failure`, or write `panic!()` where it is called"
        }
        ty => {
            if !is_borrowing(ty) {
                reader.known_type(ty);
                return Some(reader.written(ty));
            }
            "a device function returns no reference: return the value, or an index"
        }
    };
    reader.wrong(Error::new_spanned(ty, message));
    None
}

/// Whether a reference stands in the options, results or tuples of a type.
fn is_borrowing(ty: &Type) -> bool {
    match bare(ty) {
        Type::Reference(_) => true,
        Type::Tuple(tuple) => tuple.elems.iter().any(is_borrowing),
        Type::Array(array) => is_borrowing(&array.elem),
        ty => last_segment(ty).is_some_and(|segment| type_arguments(segment).into_iter().any(is_borrowing)),
    }
}
