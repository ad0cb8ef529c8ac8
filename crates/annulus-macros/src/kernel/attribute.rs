//! The words of `#[ring_kernel(..)]`.

use std::ops::RangeInclusive;

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote};
use syn::{Expr, ExprLit, Lit, Meta, Token, parse::Parser, punctuated::Punctuated};

use super::{
    backends::{self, Backend},
    domain::Domain,
    launch_words,
    others::said_otherwise,
};
use crate::{errors::Errors, types};

const WORDS: &str = "`domain`, `mode`, `max_messages_per_iteration`, `max_outputs`, `loop_budget`, `shared_memory`, \
                     `backends`, `cpu_only`, `untested`, `name`";
/// The most bytes of shared arrays: what CUDA gives a block without being asked.
const MOST_SHARED: u32 = 48 << 10;
const MODES: [&str; 3] = ["Continuous", "Batch", "Adaptive"];
const MODE_LIST: &str = "`Continuous`, `Batch` and `Adaptive`";

/// A number and where it was written.
struct Number {
    value: u32,
    place: Expr,
}

/// What the attribute says.
#[derive(Default)]
pub(super) struct Options {
    domain: Option<&'static Domain>,
    mode: Option<Ident>,
    messages: Option<Number>,
    outputs: Option<Number>,
    loop_budget: Option<Number>,
    shared_memory: Option<Number>,
    /// Where it may be launched, if not everywhere.
    backends: Vec<Backend>,
    cpu_only: bool,
    untested: bool,
    name: Option<String>,
    /// Calls of `LaunchOptions`' methods.
    launch: TokenStream,
}

impl Options {
    pub(super) fn parse(attribute: TokenStream) -> syn::Result<Self> {
        let metas = Punctuated::<Meta, Token![,]>::parse_terminated.parse2(attribute)?;
        let mut errors = Errors::default();
        let mut options = Self::default();
        let mut seen = Vec::new();
        for meta in &metas {
            let word = types::text(meta.path());
            if seen.contains(&word) {
                errors.at(meta, format!("`{word}` is said twice"));
                continue;
            }
            if let Err(error) = options.word(&word, meta) {
                errors.push(error);
            }
            seen.push(word);
        }
        options.check_cap(&mut errors);
        options.check_backends(&mut errors);
        errors.finish(options)
    }

    fn word(&mut self, word: &str, meta: &Meta) -> syn::Result<()> {
        let value = || match meta {
            Meta::NameValue(pair) => Ok(&pair.value),
            _ => Err(syn::Error::new_spanned(meta, format!("`{word}` needs a value: `{word} = …`"))),
        };
        match word {
            "domain" => self.domain = Some(Domain::of(value()?)?),
            "mode" => self.mode = Some(mode(value()?)?),
            "max_messages_per_iteration" => self.messages = Some(number(word, value()?, 1..=65_536)?),
            "max_outputs" => self.outputs = Some(number(word, value()?, 1..=256)?),
            "loop_budget" => self.loop_budget = Some(number(word, value()?, 1..=u32::MAX)?),
            "shared_memory" => self.shared_memory = Some(number(word, value()?, 1..=MOST_SHARED)?),
            "backends" => self.backends = backends::list(value()?)?,
            "cpu_only" | "untested" => match meta {
                Meta::Path(_) if word == "cpu_only" => self.cpu_only = true,
                Meta::Path(_) => self.untested = true,
                _ => return Err(syn::Error::new_spanned(meta, format!("write `{word}` alone"))),
            },
            "name" => self.name = Some(name(value()?)?),
            _ if launch_words::is(word) => self.launch.extend(launch_words::call(word, value()?)?),
            _ if MODES.contains(&word) => {
                return Err(syn::Error::new_spanned(meta, format!("write `mode = {word}`")));
            }
            _ if said_otherwise(word, meta).is_some() => {
                let instead = said_otherwise(word, meta).unwrap_or_default();
                let message = format!("`{word}` is no word of `#[ring_kernel]`: {instead}");
                return Err(syn::Error::new_spanned(meta.path(), message));
            }
            _ => {
                let message = format!(
                    "`{word}` is no word of `#[ring_kernel]`: they are {WORDS}, and for its launches {}",
                    launch_words::list()
                );
                return Err(syn::Error::new_spanned(meta.path(), message));
            }
        }
        Ok(())
    }

    /// `Continuous` takes one message at a time, so another cap contradicts it.
    fn check_cap(&self, errors: &mut Errors) {
        let Some(Number { value, place }) = &self.messages else { return };
        if self.mode() != "Continuous" || *value == 1 {
            return;
        }
        let said = if self.mode.is_some() { "" } else { ", which is the mode unless you say another," };
        let message = format!(
            "`Continuous`{said} takes one message at a time, not {value}: write `mode = Adaptive` or `mode = Batch`"
        );
        errors.at(place, message);
    }

    /// A kernel that stays on the CPU is not for devices.
    fn check_backends(&self, errors: &mut Errors) {
        if !self.cpu_only {
            return;
        }
        if let Some(device) = self.backends.iter().find(|backend| backend.is_device()) {
            let message = format!(
                "`cpu_only` keeps the kernel off devices, and `backends` names {}: leave one of the two out",
                device.name()
            );
            errors.at(device.place(), message);
        }
    }

    /// `shared_memory` is about arrays that a block's threads share.
    pub(super) fn check_shared_memory(&self, is_for_blocks: bool) -> syn::Result<()> {
        match &self.shared_memory {
            Some(Number { place, .. }) if !is_for_blocks => Err(syn::Error::new_spanned(
                place,
                "one thread handles a message, and shares no memory: make `cx: &BlockCx` the first parameter, or leave \
                 `shared_memory` out",
            )),
            _ => Ok(()),
        }
    }

    /// `max_outputs` is about an outbox.
    pub(super) fn check_outputs(&self, has_outbox: bool) -> syn::Result<()> {
        match &self.outputs {
            Some(Number { place, .. }) if !has_outbox => Err(syn::Error::new_spanned(
                place,
                "the handler has no outbox, so it sends nothing: add a parameter `&Outbox<T>`, or leave `max_outputs` out",
            )),
            _ => Ok(()),
        }
    }

    pub(super) fn mode(&self) -> Ident {
        let default =
            || Ident::new(self.domain.map_or("Continuous", |domain| domain.mode), Span::mixed_site());
        self.mode.clone().unwrap_or_else(default)
    }

    pub(super) fn max_messages_per_iteration(&self) -> u32 {
        match &self.messages {
            Some(messages) => messages.value,
            None if self.mode() == "Batch" => 64,
            None if self.mode() == "Adaptive" => 32,
            None => 1,
        }
    }

    pub(super) fn max_outputs(&self, has_outbox: bool) -> u32 {
        self.outputs.as_ref().map_or(u32::from(has_outbox), |outputs| outputs.value)
    }

    pub(super) fn loop_budget(&self) -> Option<u32> {
        self.loop_budget.as_ref().map(|budget| budget.value)
    }

    /// Whether the handler may be any Rust, and stays on the host.
    pub(super) fn cpu_only(&self) -> bool {
        self.cpu_only
    }

    /// Whether a test stands beside the kernel.
    pub(super) fn tested(&self) -> bool {
        !self.untested && !self.cpu_only
    }

    pub(super) fn shared_memory(&self) -> Option<u32> {
        self.shared_memory.as_ref().map(|bytes| bytes.value)
    }

    /// The names of the backends that it may be launched on; none for all.
    pub(super) fn backends(&self) -> impl Iterator<Item = &str> {
        self.backends.iter().map(Backend::name)
    }

    /// What the attribute says of launches: a function of `LaunchOptions`, and calls of its methods.
    pub(super) fn launch(&self) -> TokenStream {
        let calls = &self.launch;
        let Some(domain) = self.domain.filter(|domain| domain.has_mode()) else {
            return quote!(::production() #calls);
        };
        // The domain has a mode and a cap, too; the attribute's own words come before them.
        let (domain, mode, cap) = (domain.ident(), self.mode(), self.max_messages_per_iteration());
        quote! {
            ::for_domain(::annulus::__private::Domain::#domain)
                .mode(::annulus::__private::ProcessingMode::#mode)
                .max_messages_per_iteration(#cap)
                #calls
        }
    }

    pub(super) fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }
}

fn mode(value: &Expr) -> syn::Result<Ident> {
    if let Expr::Path(path) = value
        && let Some(ident) = path.path.get_ident()
        && MODES.iter().any(|mode| ident == mode)
    {
        // The variant is looked up in Annulus's own enum, whatever the user's crate calls so.
        return Ok(Ident::new(&ident.to_string(), Span::mixed_site().located_at(ident.span())));
    }
    let said = types::text(value);
    let message = match said.as_str() {
        "Persistent" | "EventDriven" => format!(
            "`{said}` says whether the kernel stays where it runs: write `run_mode = {said}`; `mode` says how many \
             messages a turn takes: {MODE_LIST}"
        ),
        _ => format!("`{said}` is no mode: the modes are {MODE_LIST}"),
    };
    Err(syn::Error::new_spanned(value, message))
}

fn number(word: &str, value: &Expr, range: RangeInclusive<u32>) -> syn::Result<Number> {
    let (least, most) = range.clone().into_inner();
    let error = |message: String| syn::Error::new_spanned(value, message);
    let Expr::Lit(ExprLit { lit: Lit::Int(literal), .. }) = value else {
        return Err(error(format!("`{word}` is an integer literal from {least} to {most}")));
    };
    match literal.base10_parse::<u32>() {
        Ok(number) if range.contains(&number) => Ok(Number { value: number, place: value.clone() }),
        _ => {
            let number = literal.to_token_stream();
            Err(error(format!("`{word} = {number}` is out of range: it is from {least} to {most}")))
        }
    }
}

fn name(value: &Expr) -> syn::Result<String> {
    let Expr::Lit(ExprLit { lit: Lit::Str(literal), .. }) = value else {
        return Err(syn::Error::new_spanned(value, "`name` is a string literal: `name = \"detect\"`"));
    };
    let name = literal.value();
    if name.trim().is_empty() {
        return Err(syn::Error::new_spanned(
            value,
            "a kernel's name is not empty: leave `name` out to take the handler's",
        ));
    }
    Ok(name)
}
