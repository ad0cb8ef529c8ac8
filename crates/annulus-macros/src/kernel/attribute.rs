//! The words of `#[ring_kernel(..)]`.

use std::ops::RangeInclusive;

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote};
use syn::{
    Expr, ExprLit, Lit, Meta, MetaList, Path, Token, ext::IdentExt, parse::Parser, punctuated::Punctuated,
};

use super::{
    backends::{self, Backend},
    domain::Domain,
    launch_words,
    others::said_otherwise,
    signature::Handler,
};
use crate::{errors::Errors, near::nearest, types};

const WORDS: &str = "`domain`, `mode`, `max_messages_per_iteration`, `max_outputs`, `timers`, `max_timers`, `on_tick`, `loop_budget`, `shared_memory`, \
                     `backends`, `cpu_only`, `untested`, `name`";
/// The most bytes of shared arrays: what a block of CUDA's largest devices can have (227 KiB, compute capability
/// 9.0 and newer; CUDA C++ Programming Guide, technical specifications).
const MOST_SHARED: u32 = 227 << 10;
const MODES: [&str; 3] = ["Continuous", "Batch", "Adaptive"];
const MODE_LIST: &str = "`Continuous`, `Batch` and `Adaptive`";

/// A number and where it was written.
struct Number {
    value: u32,
    place: Expr,
}

/// What `max_outputs` says.
enum Outputs {
    /// `max_outputs = 3`.
    All(Number),
    /// `max_outputs(good = 1, bad = 40)`.
    Each { word: Path, ports: Vec<(Ident, Number)> },
}

/// The most messages that a handler sends for one message, by all of its outboxes.
const MOST_OUTPUTS: u32 = 256;

/// The most timers of a block.
const MOST_TIMERS: u32 = 65_536;
/// Timers of a block, unless the attribute says how many.
const TIMERS: u32 = 64;

/// What the attribute says.
#[derive(Default)]
pub(super) struct Options {
    domain: Option<&'static Domain>,
    mode: Option<Ident>,
    messages: Option<Number>,
    outputs: Option<Outputs>,
    timers: Option<Number>,
    max_timers: Option<Number>,
    /// The period in nanoseconds, and where it was written.
    on_tick: Option<(u64, Expr)>,
    loop_budget: Option<Number>,
    shared_memory: Option<Number>,
    /// Where it may be launched, if not everywhere.
    backends: Vec<Backend>,
    cpu_only: bool,
    untested: bool,
    /// The crate's own kernels, which no program launches by name.
    unlisted: bool,
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
        launch_words::check(metas.iter(), &mut errors);
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
            "max_outputs" => {
                self.outputs = Some(match meta {
                    Meta::List(list) => ports(list)?,
                    _ => Outputs::All(number(word, value()?, 1..=MOST_OUTPUTS)?),
                });
            }
            "timers" => self.timers = Some(number(word, value()?, 1..=MOST_TIMERS)?),
            "max_timers" => self.max_timers = Some(number(word, value()?, 1..=MOST_OUTPUTS)?),
            "on_tick" => self.on_tick = Some(period(value()?)?),
            "loop_budget" => self.loop_budget = Some(number(word, value()?, 1..=u32::MAX)?),
            "shared_memory" => self.shared_memory = Some(number(word, value()?, 1..=MOST_SHARED)?),
            "backends" => self.backends = backends::list(value()?)?,
            "cpu_only" | "untested" => match meta {
                Meta::Path(_) if word == "cpu_only" => self.cpu_only = true,
                Meta::Path(_) => self.untested = true,
                _ => return Err(syn::Error::new_spanned(meta, format!("write `{word}` alone"))),
            },
            // Not for programs: it is in no list of words.
            "__unlisted" => self.unlisted = true,
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
                let all = format!("{WORDS}, {}", launch_words::list());
                // Every other part between back quotes is a word.
                let message = match nearest(word, all.split('`').skip(1).step_by(2)) {
                    Some(meant) => {
                        format!("`{word}` is no word of `#[ring_kernel]`: did you mean `{meant}`?")
                    }
                    None => format!(
                        "`{word}` is no word of `#[ring_kernel]`: they are {WORDS}, and for its launches {}",
                        launch_words::list()
                    ),
                };
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

    /// `timers` and `max_timers` are about messages to oneself.
    pub(super) fn check_timers(&self, handler: &Handler) -> syn::Result<()> {
        let mut errors = Errors::default();
        for (word, number) in [("timers", &self.timers), ("max_timers", &self.max_timers)] {
            if let (Some(Number { place, .. }), false) = (number, handler.has_timers()) {
                let message = format!(
                    "the handler sends nothing to itself, and asks nothing: add a parameter `&Later<M>` or `&Ask<Q, A>`, or \
                     leave `{word}` out"
                );
                errors.at(place, message);
            }
        }
        let (room, each) = self.timers();
        if let (Some(Number { place, .. }), true) = (&self.max_timers, each > room) {
            let message = format!(
                "a handler that sets {each} timers for a message needs as much room in its block, which is {room}: write \
                 `timers = {each}`, or more"
            );
            errors.at(place, message);
        }
        errors.finish(())
    }

    /// What comes again and again is for one thread, and is a variant of a message that a slot holds whole.
    pub(super) fn check_tick(&self, handler: &Handler) -> syn::Result<()> {
        let Some((_, place)) = &self.on_tick else { return Ok(()) };
        let text = match (handler.is_for_blocks(), handler.bridged()) {
            (true, _) => {
                "a handler that a whole block runs has no ticks: make `cx: &Cx` the first parameter, or leave `on_tick` out"
            }
            (false, Some(_)) => {
                "a bridged message has no tick: take an enum of numbers, `&M`, with a variant `#[ring(tick)]`, or leave \
                 `on_tick` out"
            }
            (false, None) => return Ok(()),
        };
        Err(syn::Error::new_spanned(place, text))
    }

    /// The nanoseconds from one tick to the next, and where they were written.
    pub(super) fn on_tick(&self) -> Option<&(u64, Expr)> {
        self.on_tick.as_ref()
    }

    /// The most timers of a block, and of one message.
    pub(super) fn timers(&self) -> (u32, u32) {
        let value = |number: &Option<Number>, default| number.as_ref().map_or(default, |number| number.value);
        (value(&self.timers, TIMERS), value(&self.max_timers, 1))
    }

    /// `max_outputs` is about an outbox, or names each of several.
    pub(super) fn check_outputs(&self, handler: &Handler) -> syn::Result<()> {
        let mut errors = Errors::default();
        let known: Vec<_> = handler.ports().iter().map(|(name, _)| name.unraw()).collect();
        let shown =
            |names: &[Ident]| names.iter().map(|name| format!("{name} = 1")).collect::<Vec<_>>().join(", ");
        match &self.outputs {
            None => {}
            Some(Outputs::All(Number { place, .. })) if handler.outboxes().next().is_none() => {
                errors.at(place, NO_OUTBOX);
            }
            Some(Outputs::All(Number { place, .. })) if handler.has_ports() => {
                let each = shown(&known);
                errors.at(
                    place,
                    format!("the handler has several outboxes: say it of each, `max_outputs({each})`"),
                );
            }
            Some(Outputs::All(_)) => {}
            Some(Outputs::Each { word, .. }) if handler.outboxes().next().is_none() => {
                errors.at(word, NO_OUTBOX)
            }
            Some(Outputs::Each { word, .. }) if !handler.has_ports() => {
                errors.at(word, "the handler has one outbox: write `max_outputs = …`");
            }
            Some(Outputs::Each { ports, .. }) => {
                for (name, _) in ports.iter().filter(|(name, _)| !known.contains(&name.unraw())) {
                    let known: Vec<_> = known.iter().map(|name| format!("`{name}`")).collect();
                    let known = known.join(", ");
                    errors.at(name, format!("the handler has no outbox `{name}`: they are {known}"));
                }
                let reply = handler.reply().map(|(name, _)| name.unraw());
                let is_more =
                    |(name, outputs): &&(Ident, Number)| Some(name.unraw()) == reply && outputs.value != 1;
                for (name, _) in ports.iter().filter(is_more) {
                    let message = format!("a call is answered once: leave `{name}` out");
                    errors.at(name, message);
                }
                let ask = handler.ask().map(|(name, ..)| name.unraw());
                let asks_more =
                    |(name, outputs): &&(Ident, Number)| Some(name.unraw()) == ask && outputs.value != 1;
                for (name, _) in ports.iter().filter(asks_more) {
                    let message = format!(
                        "a handler asks once for a message: leave `{name}` out, and ask the next by a message to itself"
                    );
                    errors.at(name, message);
                }
            }
        }
        let all = self.max_outputs(handler);
        if let (Some(Outputs::Each { word, .. }), true) = (&self.outputs, all > MOST_OUTPUTS) {
            let message = format!(
                "the outboxes may send {all} messages together, and a handler sends at most {MOST_OUTPUTS} for one message"
            );
            errors.at(word, message);
        }
        errors.finish(())
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

    /// By all outboxes.
    pub(super) fn max_outputs(&self, handler: &Handler) -> u32 {
        match (&self.outputs, handler.has_ports()) {
            (_, true) => handler.ports().iter().map(|(name, _)| self.max_outputs_of(name)).sum(),
            (Some(Outputs::All(outputs)), _) => outputs.value,
            _ => u32::from(handler.outboxes().next().is_some()),
        }
    }

    /// By one of several outboxes.
    pub(super) fn max_outputs_of(&self, port: &Ident) -> u32 {
        let Some(Outputs::Each { ports, .. }) = &self.outputs else { return 1 };
        let own = ports.iter().find(|(name, _)| name.unraw() == port.unraw());
        own.map_or(1, |(_, outputs)| outputs.value)
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

    /// Whether programs may launch the kernel by its name.
    pub(super) fn listed(&self) -> bool {
        !self.unlisted
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

const NO_OUTBOX: &str = "the handler has no outbox, so it sends nothing: add a parameter `&Outbox<T>`, or leave `max_outputs` out";

/// `max_outputs(good = 1, bad = 40)`.
fn ports(list: &MetaList) -> syn::Result<Outputs> {
    let said = list.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated)?;
    let mut errors = Errors::default();
    let mut ports: Vec<(Ident, Number)> = Vec::new();
    if said.is_empty() {
        errors.at(list, "name the outboxes: `max_outputs(good = 1, bad = 40)`, for two of these names");
    }
    for meta in &said {
        let Some(name) = meta.path().get_ident() else {
            errors.at(meta, "name an outbox of the handler: `max_outputs(good = 1)`, for one");
            continue;
        };
        if ports.iter().any(|(other, _)| other.unraw() == name.unraw()) {
            errors.at(name, format!("`{name}` is said twice"));
            continue;
        }
        let Meta::NameValue(pair) = meta else {
            errors.at(meta, format!("say how many messages `{name}` may send: `{name} = …`"));
            continue;
        };
        if let Some(outputs) = errors.take(number(&name.to_string(), &pair.value, 1..=MOST_OUTPUTS)) {
            ports.push((name.clone(), outputs));
        }
    }
    errors.finish(Outputs::Each { word: list.path.clone(), ports })
}

/// `on_tick = "1 ms"`.
fn period(value: &Expr) -> syn::Result<(u64, Expr)> {
    // A day.
    const MOST: u64 = 86_400_000_000_000;
    match launch_words::time(value).filter(|period| (1_000..=MOST).contains(period)) {
        Some(period) => Ok((period, value.clone())),
        None => {
            let text = "`on_tick` is a time from 1 us to a day, with its unit (us, ms, s, min): write `on_tick = \"10 ms\"`";
            Err(syn::Error::new_spanned(value, text))
        }
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
