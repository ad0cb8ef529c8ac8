//! What stands beside a handler: a type of its name that is the kernel.

use proc_macro2::{Literal, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::{Attribute, FnArg, Ident, ItemFn, Pat, ReturnType, Type, ext::IdentExt, spanned::Spanned};

use super::{
    attribute::Options,
    events,
    parameter::{Parameter, Role},
    ports,
    signature::Handler,
};

/// The kernel's type, its definition, and `bind`, `launch` and `launch_into`.
pub(super) fn kernel(
    options: &Options,
    function: &ItemFn,
    handler: &Handler,
    tree: Option<&TokenStream>,
) -> TokenStream {
    let name = &function.sig.ident;
    let visibility = &function.vis;
    let docs = with_name(&function.attrs, "doc");
    let cfgs: Vec<_> = with_name(&function.attrs, "cfg").collect();
    let title = format!("The ring kernel `{}`.", name.unraw());
    let ring_kernel = ring_kernel(options, function, handler, tree);
    let launcher = launcher(function, handler);
    let launch_options = launch_options(options, function);
    let port_constants = ports::constants(function, handler);
    let port_output = ports::output(function, handler, &cfgs);
    let assertions = whole_needs_no_key(handler, &cfgs);
    let of_body = body_needs_no_key(handler, &cfgs);
    let of_ports = ports::stand_alone(handler, &cfgs);
    let of_events = events::assertions(name, options, handler, &cfgs);
    let registration = (options.listed() && registered()).then(|| {
        quote! {
            #(#cfgs)*
            ::annulus::__private::register_kernel!(#name);
        }
    });
    let test = options.tested().then(|| test(name, &cfgs));
    quote! {
        #(#cfgs)*
        #[doc = #title]
        #[doc = ""]
        #(#docs)*
        #[allow(non_camel_case_types, dead_code, unreachable_pub)]
        #visibility struct #name {}

        #(#cfgs)*
        #[allow(deprecated)]
        #ring_kernel

        #(#cfgs)*
        #[allow(dead_code, deprecated, unreachable_pub, clippy::too_many_arguments, clippy::used_underscore_binding)]
        impl #name {
            #port_constants
            #launch_options
            #launcher
        }

        #port_output

        #registration

        #assertions
        #of_body
        #of_ports
        #of_events
        #test
    }
}

/// A test of the user's crate that the kernel can run on devices. It stands in a module, so that one beside a
/// kernel inside of a function, which no harness finds, is no reason for a warning; from there it sees the
/// kernel through a trait.
fn test(name: &Ident, cfgs: &[&Attribute]) -> TokenStream {
    let module = format_ident!("{}_on_devices", name.unraw());
    quote! {
        #(#cfgs)*
        #[cfg(test)]
        #[allow(unnameable_test_items, non_snake_case)]
        mod #module {
            pub(super) struct Kernel;

            #[::core::prelude::v1::test]
            fn runs() {
                ::annulus::__private::assert_for_devices(<Kernel as ::annulus::__private::Checked>::DEFINITION);
            }
        }

        #(#cfgs)*
        #[cfg(test)]
        impl ::annulus::__private::Checked for #module::Kernel {
            const DEFINITION: &'static ::annulus::__private::KernelDefinition =
                <#name as ::annulus::__private::RingKernel>::DEFINITION;
        }
    }
}

/// Whether the crate's kernels are listed for launches by name. Each listed kernel costs the code of a launch
/// and of JSON, whether it is launched or not; a crate of many kernels that nobody launches by name sets
/// `ANNULUS_UNREGISTERED` in its build script (`println!("cargo::rustc-env=ANNULUS_UNREGISTERED=1")`).
fn registered() -> bool {
    std::env::var_os("ANNULUS_UNREGISTERED").is_none()
}

fn with_name<'a>(attributes: &'a [Attribute], name: &'a str) -> impl Iterator<Item = &'a Attribute> {
    attributes.iter().filter(move |attribute| attribute.path().is_ident(name))
}

fn ring_kernel(
    options: &Options,
    function: &ItemFn,
    handler: &Handler,
    tree: Option<&TokenStream>,
) -> TokenStream {
    let name = &function.sig.ident;
    let shown = options.name().map_or_else(|| name.unraw().to_string(), str::to_owned);
    let line = quote_spanned!(name.span()=> ::core::line!());
    let message = handler.message();
    let output_type = ports::output_type(function, handler);
    let output = match handler.outboxes().next() {
        Some(_) => quote! {
            ::core::option::Option::Some(::annulus::__private::KernelDefinition::output_of::<Self>())
        },
        None => quote!(::core::option::Option::None),
    };
    let answer = handler.reply().map_or_else(|| output_type.clone(), |(_, ty)| quote!(#ty));
    let ports = ports::definitions(options, handler);
    let state = match handler.state() {
        Some(ty) => {
            let ending = handler.ends_actors().then(|| quote!(.ending()));
            quote_spanned! {ty.span()=>
                ::annulus::__private::StateShape::of::<Self, #ty>()#ending
            }
        }
        None => quote!(::annulus::__private::StateShape::Stateless),
    };
    let bindings = handler.bound().map(|(name, parameter)| binding(name, parameter));
    let mode = options.mode();
    let messages = options.max_messages_per_iteration();
    let outputs = options.max_outputs(handler);
    let loop_budget = options
        .loop_budget()
        .map_or_else(|| quote!(::annulus::__private::DEFAULT_LOOP_BUDGET), |budget| quote!(#budget));
    let tree = tree.map_or_else(
        || quote!(::core::option::Option::None),
        |tree| quote!(::core::option::Option::Some(#tree)),
    );
    let timers = events::timers(options, handler);
    let asks_time = asks_time(function, handler);
    let backends = options.backends();
    let shared_memory = options
        .shared_memory()
        .map_or_else(|| quote!(::annulus::__private::DEFAULT_SHARED_MEMORY), |bytes| quote!(#bytes));
    let errors = match &function.sig.output {
        ReturnType::Default => quote!(&[]),
        ReturnType::Type(_, ty) => quote! {{
            #[allow(unused_imports)]
            use ::annulus::__private::NoErrorNames as _;
            ::annulus::__private::ErrorNamesOf::<#ty>::NAMES
        }},
    };
    let entry = entry(function, handler);
    let quiet = crate::types::quiet();
    let shape = match (handler.is_body(), handler.is_for_blocks()) {
        (true, _) => quote!(Body),
        (false, true) => quote!(Block),
        (false, false) => quote!(Thread),
    };
    quote! {
        #quiet
        // SAFETY: everything in the definition is derived from the one function below and its types.
        unsafe impl ::annulus::__private::RingKernel for #name {
            type Message = #message;
            type Output = #output_type;
            type Answer = #answer;
            const DEFINITION: &'static ::annulus::__private::KernelDefinition =
                &::annulus::__private::KernelDefinition {
                    name: #shown,
                    module: ::core::module_path!(),
                    file: ::core::file!(),
                    line: #line,
                    message: ::annulus::__private::KernelDefinition::message_of::<Self>(),
                    bridged: ::annulus::__private::KernelDefinition::bridged_of::<Self>(),
                    output: #output,
                    ports: &[#(#ports),*],
                    key: ::annulus::__private::KernelDefinition::key_of::<Self>(),
                    key_field: ::annulus::__private::KernelDefinition::key_field_of::<Self>(),
                    from: ::annulus::__private::KernelDefinition::from_of::<Self>(),
                    peers: ::annulus::__private::KernelDefinition::peers_of::<Self>(),
                    rows: ::annulus::__private::KernelDefinition::rows_of::<Self>(),
                    output_key_field: ::annulus::__private::KernelDefinition::output_key_field_of::<Self>(),
                    state: #state,
                    shape: ::annulus::__private::KernelShape::#shape,
                    bindings: &[#(#bindings),*],
                    mode: ::annulus::__private::ProcessingMode::#mode,
                    max_messages_per_iteration: #messages,
                    max_outputs: #outputs,
                    loop_budget: #loop_budget,
                    errors: #errors,
                    asks_time: #asks_time || ::core::option::Option::is_some(&#timers),
                    timers: #timers,
                    backends: &[#(#backends),*],
                    shared_memory: #shared_memory,
                    cpu: { #entry __annulus_entry },
                    tree: #tree,
                };
        }
    }
}

fn binding(name: &Ident, parameter: &Parameter) -> TokenStream {
    let (kind, ty) = match &parameter.role {
        Role::Parameter(ty) => ("Parameter", ty),
        Role::Table(ty) => ("Table", ty),
        Role::Whole(ty) | Role::BlockMemory(ty) => ("Whole", ty),
        Role::Shared(ty) => ("Shared", ty),
        _ => unreachable!("only bound parameters have a binding"),
    };
    let plain = match &parameter.role {
        Role::Shared(ty) => atomic_value(ty),
        _ => quote!(#ty),
    };
    let descriptor = quote_spanned!(ty.span()=> <#plain as ::annulus::__private::DeviceType>::DESCRIPTOR);
    let kind = format_ident!("{kind}");
    let name = name.unraw().to_string();
    quote! {
        ::annulus::__private::BindingDefinition {
            name: #name,
            kind: ::annulus::__private::BindingKind::#kind,
            ty: #descriptor,
        }
    }
}

/// Whether the handler may ask for the time: it calls some `now`, or gives its context to somebody else.
fn asks_time(function: &ItemFn, handler: &Handler) -> bool {
    let mut parameters = handler.parameters.iter().zip(&function.sig.inputs);
    let context = parameters.find_map(|(parameter, input)| match (&parameter.role, input) {
        (Role::Cx | Role::BlockCx, FnArg::Typed(typed)) => Some(&*typed.pat),
        _ => None,
    });
    match context {
        None => false,
        Some(Pat::Ident(context)) => mentions_time(function.block.to_token_stream(), &context.ident),
        Some(pattern) => !matches!(pattern, Pat::Wild(_)),
    }
}

fn mentions_time(tokens: TokenStream, context: &Ident) -> bool {
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        let asks = match token {
            TokenTree::Group(group) => mentions_time(group.stream(), context),
            TokenTree::Ident(ident) if ident == *context => {
                !matches!(tokens.peek(), Some(TokenTree::Punct(next)) if next.as_char() == '.')
            }
            TokenTree::Ident(ident) => ident == "now",
            // A text may name its arguments.
            TokenTree::Literal(_) | TokenTree::Punct(_) => false,
        };
        if asks {
            return true;
        }
    }
    false
}

/// The plain type of an atomic's value.
fn atomic_value(ty: &Type) -> TokenStream {
    quote_spanned!(ty.span()=> <#ty as ::annulus::__private::DeviceAtomic>::Value)
}

/// The handler on the CPU: from untyped memory to the user's function and back.
///
/// SAFETY of what it does, one reason for all: its caller gives memory of the types that the definition
/// names, and the definition around it names the types that are asked for here, in the same order, from the
/// same parameters. A slice of `Whole` memory is asked for once, since each parameter has an index of its
/// own.
fn entry(function: &ItemFn, handler: &Handler) -> TokenStream {
    let name = &function.sig.ident;
    let mut index = 0usize;
    let mut port = 0usize;
    let arguments: Vec<_> = handler
        .parameters
        .iter()
        .map(|parameter| {
            if let (Role::Ask(types), true) = (&parameter.role, handler.has_ports()) {
                let [query, awaited] = &**types;
                port += 1;
                return ports::ask_argument(name, port - 1, query, awaited);
            }
            if let (Role::Outbox(ty) | Role::Reply(ty), true) = (&parameter.role, handler.has_ports()) {
                port += 1;
                let outbox = ports::argument(name, port - 1, ty);
                return match &parameter.role {
                    Role::Reply(_) => quote!(::annulus::__private::Reply::by(#outbox)),
                    _ => outbox,
                };
            }
            let argument = argument(parameter, index);
            index += usize::from(parameter.role.is_bound());
            argument
        })
        .collect();
    let into_verdict = match &function.sig.output {
        ReturnType::Default => quote!(<() as ::annulus::__private::HandlerReturn>::into_verdict),
        ReturnType::Type(_, ty) => {
            quote_spanned!(ty.span()=> <#ty as ::annulus::__private::HandlerReturn>::into_verdict)
        }
    };
    if handler.is_body() {
        return body_entry(handler, &quote!(#into_verdict(#name(#(#arguments),*))));
    }
    if handler.is_for_blocks() {
        return block_entry(handler, &quote!(#into_verdict(#name(#(#arguments),*))));
    }
    // The state is a copy, so that a handler that fails leaves nothing behind.
    let load = handler
        .state()
        .map(|ty| quote!(let mut __annulus_state = unsafe { __annulus_call.load_state::<#ty>() };));
    let timers_fit = handler
        .has_timers()
        .then(|| quote!(&&!::annulus::__private::Invocation::refused_timers(__annulus_call)));
    let store = handler.state().map(|ty| {
        quote! {
            if ::core::result::Result::is_ok(&__annulus_verdict)
                && !::annulus::__private::RawOutbox::refused(__annulus_call.outbox)
                #timers_fit
            {
                unsafe { __annulus_call.store_state::<#ty>(__annulus_state) };
            }
        }
    });
    quote! {
        unsafe fn __annulus_entry(
            __annulus_call: &::annulus::__private::Invocation<'_>,
        ) -> ::core::result::Result<(), ::annulus::__private::Failure> {
            #load
            let __annulus_verdict = #into_verdict(#name(#(#arguments),*));
            #store
            __annulus_verdict
        }
    }
}

/// The copy of the state that a block's threads share: how it is loaded, and stored on success.
fn block_state(handler: &Handler) -> (Option<TokenStream>, Option<TokenStream>) {
    let load = handler.state().map(|ty| {
        quote!(let __annulus_state = ::annulus::__private::Block::new(unsafe { __annulus_whole.load_state::<#ty>() });)
    });
    let store = handler.state().map(|ty| {
        quote! {
            if ::core::result::Result::is_ok(&__annulus_verdict)
                && !::annulus::__private::RawOutbox::refused(__annulus_whole.outbox)
            {
                unsafe { __annulus_whole.store_state::<#ty>(::annulus::__private::Block::<#ty>::get(&__annulus_state)) };
            }
        }
    });
    (load, store)
}

/// The same for a body: each thread has an inbox of its own, which leads its outbox to the message that it took last.
fn body_entry(handler: &Handler, called: &TokenStream) -> TokenStream {
    let (load, store) = block_state(handler);
    let message = handler.message();
    quote! {
        unsafe fn __annulus_entry(
            __annulus_whole: &::annulus::__private::Invocation<'_>,
        ) -> ::core::result::Result<(), ::annulus::__private::Failure> {
            #load
            let __annulus_turn = unsafe { ::annulus::__private::Invocation::inbox(__annulus_whole) };
            let __annulus_verdict = ::annulus::__private::run_block(__annulus_whole.cx, |__annulus_cx| {
                let __annulus_outbox = ::annulus::__private::RawInbox::outbox_of_thread(__annulus_turn);
                let __annulus_call =
                    &::annulus::__private::Invocation { outbox: &__annulus_outbox, ..*__annulus_whole };
                let __annulus_inbox = unsafe {
                    ::annulus::__private::RawInbox::of_thread::<#message>(__annulus_turn, &__annulus_outbox)
                };
                let __annulus_verdict = #called;
                if ::annulus::__private::RawOutbox::refused(&__annulus_outbox) {
                    ::annulus::__private::RawOutbox::refuse(__annulus_whole.outbox);
                }
                __annulus_verdict
            });
            #store
            __annulus_verdict
        }
    }
}

/// The same for a handler that a whole block runs: `called` is one thread's call. The threads share the copy
/// of the state; the outbox is the leader's, and closed for the others.
fn block_entry(handler: &Handler, called: &TokenStream) -> TokenStream {
    let (load, store) = block_state(handler);
    quote! {
        unsafe fn __annulus_entry(
            __annulus_whole: &::annulus::__private::Invocation<'_>,
        ) -> ::core::result::Result<(), ::annulus::__private::Failure> {
            #load
            let __annulus_closed = ::annulus::__private::RawOutbox::closed();
            let __annulus_verdict = ::annulus::__private::run_block(__annulus_whole.cx, |__annulus_cx| {
                let __annulus_call = &::annulus::__private::Invocation {
                    outbox: if ::annulus::__private::BlockCx::is_leader(__annulus_cx) {
                        __annulus_whole.outbox
                    } else {
                        &__annulus_closed
                    },
                    ..*__annulus_whole
                };
                #called
            });
            if ::annulus::__private::RawOutbox::refused(&__annulus_closed) {
                ::annulus::__private::RawOutbox::refuse(__annulus_whole.outbox);
            }
            #store
            __annulus_verdict
        }
    }
}

fn argument(parameter: &Parameter, index: usize) -> TokenStream {
    let index = Literal::usize_unsuffixed(index);
    match &parameter.role {
        Role::Cx => quote!(&__annulus_call.cx),
        Role::BlockCx => quote!(__annulus_cx),
        Role::BlockState(_) => quote!(&__annulus_state),
        Role::Message(ty) => quote!(unsafe { __annulus_call.message::<#ty>() }),
        Role::Bridged(ty) => quote_spanned! {ty.span()=>
            unsafe {
                <#ty as ::annulus::__private::BridgedMessage>::archived(
                    ::annulus::__private::Invocation::payload(__annulus_call),
                )
            }
        },
        Role::Inbox(_) => quote!(&__annulus_inbox),
        Role::State(_) => quote!(&mut __annulus_state),
        Role::Outbox(ty) | Role::Reply(ty) => quote!(unsafe { __annulus_call.outbox::<#ty>() }),
        Role::Ask(..) => unreachable!("an ask stands beside an outbox"),
        Role::Later(ty) => quote!(unsafe { __annulus_call.later::<#ty>() }),
        Role::Actor => quote!(__annulus_call.actor),
        Role::Parameter(ty) => quote!(unsafe { __annulus_call.parameter::<#ty>(#index) }),
        Role::Table(ty) | Role::Shared(ty) => quote!(unsafe { __annulus_call.table::<#ty>(#index) }),
        Role::Whole(ty) => quote!(unsafe { __annulus_call.whole::<#ty>(#index) }),
        Role::BlockMemory(ty) => quote!(unsafe { __annulus_call.of_block::<#ty>(#index) }),
    }
}

/// `options`: what the attribute says of launches.
fn launch_options(options: &Options, function: &ItemFn) -> TokenStream {
    let visibility = &function.vis;
    let calls = options.launch();
    quote! {
        /// The launch options that the kernel's attribute asks for: those of `LaunchOptions::production()`, or of
        /// its domain, changed by its words. A launch with other options has them, too, where it names no others.
        #[must_use]
        #[inline]
        #visibility fn options() -> ::annulus::__private::LaunchOptions {
            ::annulus::__private::LaunchOptions #calls
        }
    }
}

/// `bind`; for a kernel that binds nothing, `launch` as well, and `launch_into` if it has one outbox.
fn launcher(function: &ItemFn, handler: &Handler) -> TokenStream {
    let visibility = &function.vis;
    if handler.bound().next().is_none() {
        let launch_into = handler.output().filter(|_| !handler.has_ports()).map(|_| {
            quote! {
                /// Launches the kernel into another one, whose messages its outputs become from the first on.
                #[inline]
                #visibility fn launch_into<
                    T: ::annulus::__private::RingKernel<
                        Message: ::annulus::__private::Accepts<
                            <Self as ::annulus::__private::RingKernel>::Output,
                        >,
                    >,
                >(
                    target: &::annulus::__private::KernelHandle<T>,
                    options: ::annulus::__private::LaunchOptions,
                ) -> ::core::result::Result<
                    ::annulus::__private::KernelHandle<Self>,
                    ::annulus::__private::LaunchError,
                > {
                    Self::bind().launch_into(target, options)
                }
            }
        });
        return quote! {
            /// The kernel, which binds nothing, ready to be connected and launched.
            #[must_use = "a kernel that is bound does nothing until it is launched"]
            #[inline]
            #visibility fn bind() -> ::annulus::__private::Bound<Self> {
                ::annulus::__private::Bound::<Self>::new(::std::vec::Vec::new(), Self::options)
            }

            #launch_into

            /// Launches the kernel.
            // Compiled where it is called: a launch is much code, and most crates launch few of the kernels
            // that they see.
            #[inline]
            #visibility fn launch(
                runtime: &::annulus::__private::Runtime,
                options: ::annulus::__private::LaunchOptions,
            ) -> ::core::result::Result<
                ::annulus::__private::KernelHandle<Self>,
                ::annulus::__private::LaunchError,
            > {
                Self::bind().launch(runtime, options)
            }

            /// Launches the kernel on a thread of its own, while this is awaited.
            #[inline]
            #visibility fn launch_async(
                runtime: &::annulus::__private::Runtime,
                options: ::annulus::__private::LaunchOptions,
            ) -> ::annulus::__private::Launching<Self> {
                Self::bind().launch_async(runtime, options)
            }
        };
    }
    let parameters = handler.bound().map(|(name, parameter)| match &parameter.role {
        Role::Parameter(ty) => quote!(#name: #ty),
        Role::Shared(ty) => {
            let value = atomic_value(ty);
            quote!(#name: &[#value])
        }
        Role::Table(ty) | Role::Whole(ty) | Role::BlockMemory(ty) => quote!(#name: &[#ty]),
        _ => unreachable!("only bound parameters are bound"),
    });
    let values = handler.bound().map(|(name, parameter)| match &parameter.role {
        Role::Parameter(_) => quote!(::annulus::__private::Binding::parameter(#name)),
        _ => quote!(::annulus::__private::Binding::slice(#name)),
    });
    quote! {
        /// Binds the handler's parameters, in its order: `&P` by value, memory and atomics by their first
        /// contents.
        #[must_use = "a kernel that is bound does nothing until it is launched"]
        #[inline]
        #visibility fn bind(#(#parameters),*) -> ::annulus::__private::Bound<Self> {
            ::annulus::__private::Bound::<Self>::new(::std::vec![#(#values),*], Self::options)
        }
    }
}

/// Memory of the whole kernel and a message with a key contradict each other; only the compiler knows of the
/// key.
fn whole_needs_no_key(handler: &Handler, cfgs: &[&Attribute]) -> TokenStream {
    let message = handler.message();
    let keyed = match handler.bridged() {
        Some(_) => quote!(<#message as ::annulus::__private::Message>::KEYED),
        None => quote!(<#message as ::annulus::__private::RingMessage>::IS_KEYED),
    };
    handler
        .parameters
        .iter()
        .filter_map(|parameter| {
            let shown = match &parameter.role {
                Role::Whole(element) => format!("&mut [{}]", crate::types::text(element)),
                Role::BlockMemory(element) => format!("&Block<[{}]>", crate::types::text(element)),
                _ => return None,
            };
            let reason = format!(
                "the message has a key, so actors run in parallel, and `{shown}` is memory of the whole kernel: \
                 take a message without `#[ring(key)]`, or share atomics, `&[AtomicU32]`"
            );
            // From the first token to the last: the compiler then underlines the whole type.
            let tokens = parameter.ty.to_token_stream().into_iter();
            let (first, last) = (parameter.ty.span(), tokens.last().map(|token| token.span())?);
            let assertion = quote_spanned!(first=> ::core::assert!);
            let condition = quote_spanned! {last=>
                (!#keyed, #reason)
            };
            Some(quote! {
                #(#cfgs)*
                const _: () = #assertion #condition;
            })
        })
        .collect()
}

/// A body's threads take messages as they come, and those of one actor would be in several threads at a time; only the
/// compiler knows of the key.
fn body_needs_no_key(handler: &Handler, cfgs: &[&Attribute]) -> Option<TokenStream> {
    let parameter = handler.parameters.iter().find(|parameter| matches!(parameter.role, Role::Inbox(_)))?;
    let message = handler.message();
    let reason = "the message has a key, and a body takes messages of all keys as they come: take a message without \
                  `#[ring(key)]`, or write a handler for one message";
    // From the first token to the last: the compiler then underlines the whole type.
    let tokens = parameter.ty.to_token_stream().into_iter();
    let (first, last) = (parameter.ty.span(), tokens.last().map(|token| token.span())?);
    let assertion = quote_spanned!(first=> ::core::assert!);
    let condition = quote_spanned! {last=>
        (!<#message as ::annulus::__private::RingMessage>::IS_KEYED, #reason)
    };
    Some(quote! {
        #(#cfgs)*
        const _: () = #assertion #condition;
    })
}
