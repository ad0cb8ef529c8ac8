//! `#[ring_kernel]`: a handler becomes a kernel.

mod attribute;
mod backends;
mod domain;
mod emit;
mod events;
mod launch_words;
mod others;
mod parameter;
mod ports;
mod signature;

use proc_macro2::TokenStream;
use quote::quote;
use syn::ItemFn;

use self::{attribute::Options, signature::Handler};
use crate::errors::Errors;

/// The function as it was, and the kernel beside it; or beside it the errors, so that the rest of the
/// program, which may call the function, is not blamed too.
pub(crate) fn expand(attribute: TokenStream, item: TokenStream) -> TokenStream {
    let function = match syn::parse2::<ItemFn>(item.clone()) {
        Ok(function) => function,
        Err(error) => {
            let error = not_a_function(&item).unwrap_or(error).into_compile_error();
            return quote!(#item #error);
        }
    };
    let beside = kernel(attribute, &function).unwrap_or_else(|errors| errors.into_compile_error());
    quote! {
        // A kernel that nobody launches yet is no mistake; its parameters are references, and as many as a
        // launch binds; and it cannot be `const`. Its loops run over indices, since that is what devices
        // have.
        #[allow(
            dead_code,
            clippy::manual_memcpy,
            clippy::missing_const_for_fn,
            clippy::needless_range_loop,
            clippy::too_many_arguments,
            clippy::trivially_copy_pass_by_ref
        )]
        #item
        #beside
    }
}

fn kernel(attribute: TokenStream, function: &ItemFn) -> syn::Result<TokenStream> {
    let mut errors = Errors::default();
    let options = errors.take(Options::parse(attribute));
    let handler = errors.take(Handler::of(function));
    if let (Some(options), Some(handler)) = (&options, &handler) {
        errors.take(options.check_outputs(handler));
        errors.take(options.check_timers(handler));
        errors.take(options.check_tick(handler));
        errors.take(options.check_shared_memory(handler.is_for_blocks()));
    }
    let tree = match (&options, &handler) {
        (Some(options), _) if options.cpu_only() => None,
        (_, Some(handler)) => errors.take(crate::body::tree(function, &handler.roles())),
        _ => None,
    };
    errors.finish(())?;
    let (options, handler) = options.zip(handler).expect("what is missing has left an error");
    Ok(emit::kernel(&options, function, &handler, tree.as_ref()))
}

/// A plain word about an item that is no function; if it is none at all, the parser's own error says more.
fn not_a_function(item: &TokenStream) -> Option<syn::Error> {
    let item = syn::parse2::<syn::Item>(item.clone()).ok()?;
    Some(syn::Error::new_spanned(item, "`#[ring_kernel]` stands on a free function, the kernel's handler"))
}
