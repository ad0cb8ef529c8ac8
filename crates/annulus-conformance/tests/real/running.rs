//! A kernel that is called message by message.

use std::{marker::PhantomData, path::Path, sync::OnceLock};

use annulus_conformance::{
    kernels,
    language::{Call, HostText, Memory, Told, call, difference},
};
use annulus_kernel::{DeviceType, NoOutput, RingKernel, RingMessage, Target};

/// A kernel with its state and its bound memory, as Rust and as C.
pub(crate) struct Running<K> {
    index: usize,
    /// What the next call begins with.
    state: Memory,
    bindings: Vec<Memory>,
    kernel: PhantomData<K>,
}

/// All kernels' texts, compiled once.
fn texts() -> &'static HostText {
    static TEXTS: OnceLock<HostText> = OnceLock::new();
    TEXTS.get_or_init(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("real_answers");
        HostText::compile(kernels::REAL, Target::OpenCl, &folder).unwrap_or_else(|error| panic!("{error}"))
    })
}

impl<K: RingKernel<Message: RingMessage>> Running<K> {
    /// A kernel without state.
    pub(crate) fn new() -> Self {
        Self::in_memory(Memory::zeroed(NoOutput::DESCRIPTOR, 1))
    }

    /// A kernel of which one actor is called.
    pub(crate) fn with<S: DeviceType>(state: S) -> Self {
        Self::in_memory(Memory::of(&[state]))
    }

    fn in_memory(state: Memory) -> Self {
        let ty = K::DEFINITION.state.definition().map_or(NoOutput::DESCRIPTOR, |state| state.ty);
        assert_eq!(state.ty(), ty, "the state's type");
        let index = kernels::REAL.iter().position(|definition| definition.name == K::DEFINITION.name);
        let index = index.expect("it is one of the kernels of real kinds");
        Self { index, state, bindings: Vec::new(), kernel: PhantomData }
    }

    /// Binds the next parameter.
    pub(crate) fn bind<T: DeviceType>(mut self, values: &[T]) -> Self {
        let binding = &K::DEFINITION.bindings[self.bindings.len()];
        assert_eq!(binding.ty, T::DESCRIPTOR, "the type of `{}`", binding.name);
        self.bindings.push(Memory::of(values));
        self
    }

    /// What was bound, as it is now.
    pub(crate) fn bound<T: DeviceType>(&self, binding: usize) -> Vec<T> {
        self.bindings[binding].values()
    }

    /// Calls the kernel: what it sends, or the code that it fails with.
    pub(crate) fn send(&mut self, message: K::Message) -> Result<Vec<K::Output>, u16> {
        let input = Call {
            message: Memory::of(&[message]),
            state: self.state.clone(),
            bindings: self.bindings.clone(),
            told: Told::default(),
        };
        let outcome = call(K::DEFINITION, &input);
        let text = texts().call(self.index, &input);
        assert_eq!(difference(&outcome, &text, 0), None, "{} as C", K::DEFINITION.name);
        self.bindings = outcome.bindings;
        if outcome.code != 0 {
            return Err(outcome.code);
        }
        self.state = outcome.state;
        Ok(outcome.outputs.values())
    }

    /// Calls the kernel, which answers once.
    pub(crate) fn answer(&mut self, message: K::Message) -> K::Output {
        let answers = self.send(message).unwrap_or_else(|code| panic!("it fails with {code:#06X}"));
        assert_eq!(answers.len(), 1, "answers");
        answers[0]
    }
}

/// Numbers that look random, the same ones for the same seed (SplitMix64).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        kernels::mix(self.0)
    }

    /// One below `limit`.
    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        self.number() % limit
    }

    /// One from 0 to below 1.
    pub(crate) fn part(&mut self) -> f32 {
        (self.number() >> 40) as f32 / (1u64 << 24) as f32
    }

    pub(crate) fn bytes<const N: usize>(&mut self) -> [u8; N] {
        std::array::from_fn(|_| self.number() as u8)
    }
}
