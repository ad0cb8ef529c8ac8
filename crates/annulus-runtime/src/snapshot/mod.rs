//! A kernel's state as a value. It is read and set while the kernel is inactive.

use std::{fmt, mem::MaybeUninit};

use annulus_kernel::{BindingDefinition, BindingKind, DeviceType, StateShape, TypeDescriptor};

use crate::{
    backend::{BackendError, DeviceKernel},
    kernel::{core::KernelCore, shared::KernelShared},
};

mod actors;
mod bytes;
#[cfg(feature = "serde")]
mod described;

/// Everything that a kernel keeps between messages: its actors' states and its bound memory (`&mut [T]`,
/// `&[AtomicU32]`). The states are in the order of their keys, whatever the grid. If keys are
/// [sparse](crate::LaunchOptions::sparse_keys), they are those of the keys that have an actor. Parameters and tables never
/// change, and are not in the snapshot.
#[derive(Clone)]
pub struct Snapshot {
    kernel: &'static str,
    /// Those of sparse keys, ascending: as many as there are states.
    keys: Option<Vec<u64>>,
    state: Option<Image>,
    memory: Vec<(&'static str, Image)>,
}

/// Values of one type, as bytes; padding may be uninitialised.
#[derive(Clone)]
struct Image {
    ty: &'static TypeDescriptor,
    count: usize,
    /// `count` valid values of the type.
    bytes: Vec<MaybeUninit<u8>>,
}

/// Why a kernel's state could not be read or set.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SnapshotError {
    /// The kernel consumes messages.
    #[error("`{kernel}` is active, and its state changes at any time: deactivate it first")]
    Active {
        /// The instance's name.
        kernel: String,
    },
    /// The kernel has terminated, so there is nothing to set.
    #[error("`{kernel}` has terminated: launch it anew, with active(false), and restore that")]
    Terminated {
        /// The instance's name.
        kernel: String,
    },
    /// Messages of the kernel to itself wait for their time, and a snapshot does not hold them.
    #[error(
        "{timers} messages of `{kernel}` to itself wait for their time, and a snapshot does not hold them: let them \
         come, or take it when the kernel has terminated"
    )]
    Timers {
        /// The instance's name.
        kernel: String,
        /// How many wait.
        timers: u64,
    },
    /// The snapshot is of another kernel or of a launch with other sizes, or it was read as another type.
    #[error("the {what} is {expected}, not {found}")]
    Mismatch {
        /// What the two differ in.
        what: String,
        /// What there is.
        expected: String,
        /// What was given or asked for.
        found: String,
    },
    /// The bytes are not a snapshot of the kernel, or are damaged.
    #[error("the bytes are no snapshot: {problem}")]
    Bytes {
        /// What is wrong with them.
        problem: String,
    },
    /// The device could not read or set it.
    #[error("{0}")]
    Backend(#[from] BackendError),
}

crate::error::debug_in_words!(SnapshotError);

fn mismatch(what: impl Into<String>, expected: impl fmt::Display, found: impl fmt::Display) -> SnapshotError {
    SnapshotError::Mismatch { what: what.into(), expected: expected.to_string(), found: found.to_string() }
}

impl Image {
    fn new(ty: &'static TypeDescriptor, count: usize) -> Self {
        Self { ty, count, bytes: vec![MaybeUninit::uninit(); count * ty.size] }
    }

    fn check_type<T: DeviceType>(&self, what: &str) -> Result<(), SnapshotError> {
        if *self.ty == *T::DESCRIPTOR {
            return Ok(());
        }
        Err(mismatch(format!("type of {what}"), self.ty.name, T::DESCRIPTOR.name))
    }

    fn get<T: DeviceType>(&self, what: &str) -> Result<Vec<T>, SnapshotError> {
        self.check_type::<T>(what)?;
        let first = self.bytes.as_ptr().cast::<T>();
        let value = |index| {
            // SAFETY: the image has `count` values of the type's size, and the index is below.
            let place = unsafe { first.add(index) };
            // SAFETY: valid values of a type with the same descriptor, and so of the same layout and
            // validity; the bytes may lie less aligned than the type.
            unsafe { place.read_unaligned() }
        };
        Ok((0..self.count).map(value).collect())
    }

    fn set<T: DeviceType>(&mut self, what: &str, values: &[T]) -> Result<(), SnapshotError> {
        self.check_type::<T>(what)?;
        if values.len() != self.count {
            return Err(mismatch(format!("length of {what}"), self.count, values.len()));
        }
        let to = self.bytes.as_mut_ptr().cast::<T>();
        for (index, &value) in values.iter().enumerate() {
            // SAFETY: the image has `count` values of the type's size, and there are as many here.
            let place = unsafe { to.add(index) };
            // SAFETY: the place is inside the image; the bytes may lie less aligned than the type.
            unsafe { place.write_unaligned(value) };
        }
        Ok(())
    }
}

impl Snapshot {
    /// The kernel's id, which the snapshot belongs to.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// let kernel = accounts();
    /// kernel.deactivate_blocking()?;
    /// assert_eq!(kernel.snapshot_blocking()?.kernel(), "keep");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn kernel(&self) -> &'static str {
        self.kernel
    }

    /// The keys of the states, ascending, if keys are [sparse](crate::LaunchOptions::sparse_keys); `None` if the keys are the
    /// states' numbers, from 0 on.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// let runtime = Runtime::builder().build()?;
    /// let kernel = keep::launch(&runtime, LaunchOptions::production().actors(100).sparse_keys(true))?;
    /// for account in [4_000_000_000, 17] {
    ///     let _ = kernel.send_blocking(Deposit { account, amount: 5 })?;
    /// }
    /// kernel.drained_blocking();
    /// kernel.deactivate_blocking()?;
    /// let snapshot = kernel.snapshot_blocking()?;
    /// assert_eq!(snapshot.keys(), Some(&[17, 4_000_000_000][..]));
    /// assert_eq!(snapshot.states::<i64>()?, [5, 5]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn keys(&self) -> Option<&[u64]> {
        self.keys.as_deref()
    }

    /// Number of states: one for each actor; one for a kernel with a single state; 0 for a kernel without
    /// state.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// let kernel = accounts();
    /// kernel.deactivate_blocking()?;
    /// assert_eq!(kernel.snapshot_blocking()?.len(), 3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn len(&self) -> usize {
        self.state.as_ref().map_or(0, |image| image.count)
    }

    /// Whether there is no state.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// let kernel = launched();
    /// kernel.deactivate_blocking()?;
    /// assert!(kernel.snapshot_blocking()?.is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Every actor's state, by key.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # use annulus::SnapshotError;
    /// let kernel = accounts();
    /// kernel.deactivate_blocking()?;
    /// let snapshot = kernel.snapshot_blocking()?;
    /// assert_eq!(snapshot.states::<i64>()?, [100, 0, 0]);
    /// assert!(matches!(snapshot.states::<u64>(), Err(SnapshotError::Mismatch { .. })));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`SnapshotError::Mismatch`] if the kernel's state is of another type.
    pub fn states<S: DeviceType>(&self) -> Result<Vec<S>, SnapshotError> {
        self.state.as_ref().map_or_else(|| Ok(Vec::new()), |image| image.get("the state"))
    }

    /// Sets every actor's state, by key.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// let kernel = accounts();
    /// kernel.deactivate_blocking()?;
    /// let mut snapshot = kernel.snapshot_blocking()?;
    /// snapshot.set_states(&[1_i64, 2, 3])?;
    /// assert!(snapshot.set_states(&[1_i64]).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`SnapshotError::Mismatch`] if the kernel's state is of another type, or there are more or fewer
    /// actors.
    pub fn set_states<S: DeviceType>(&mut self, states: &[S]) -> Result<(), SnapshotError> {
        match &mut self.state {
            Some(image) => image.set("the state", states),
            None if states.is_empty() => Ok(()),
            None => Err(mismatch("kernel's state", "none", S::DESCRIPTOR.name)),
        }
    }

    /// Sets all actors of a kernel with [sparse keys](crate::LaunchOptions::sparse_keys): their keys and states, in any order.
    /// Other keys have none then.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// let runtime = Runtime::builder().build()?;
    /// let options = LaunchOptions::production().actors(100).sparse_keys(true).active(false);
    /// let kernel = keep::launch(&runtime, options)?;
    /// let mut snapshot = kernel.snapshot_blocking()?;
    /// snapshot.set_actors(&[(4_000_000_000, 70_i64), (17, -5)])?;
    /// assert_eq!(snapshot.states::<i64>()?, [-5, 70]);
    /// kernel.restore_blocking(&snapshot)?;
    /// assert!(snapshot.set_actors(&[(17, 1_i64), (17, 2)]).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`SnapshotError::Mismatch`] if the keys are not sparse, the state is of another type, or a key is there twice.
    pub fn set_actors<S: DeviceType>(&mut self, actors: &[(u64, S)]) -> Result<(), SnapshotError> {
        let (Some(keys), Some(image)) = (&mut self.keys, &mut self.state) else {
            return Err(mismatch("range of the kernel's keys", "from 0 on (use set_states)", "any"));
        };
        image.check_type::<S>("the state")?;
        let mut actors = actors.to_vec();
        actors.sort_by_key(|&(key, _)| key);
        if let Some(twice) = actors.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            return Err(mismatch("number of states of a key", "1", format!("2 of {}", twice[0].0)));
        }
        *image = Image::new(image.ty, actors.len());
        *keys = actors.iter().map(|&(key, _)| key).collect();
        image.set("the state", &actors.iter().map(|&(_, state)| state).collect::<Vec<_>>())
    }

    /// The contents of the bound parameter of this name.
    ///
    /// ```
    /// # use annulus::prelude::*;
    /// use std::sync::atomic::{AtomicU32, Ordering};
    ///
    /// #[derive(RingMessage, Clone, Copy)]
    /// #[repr(C)]
    /// struct Visit {
    ///     page: u32,
    /// }
    ///
    /// #[ring_kernel]
    /// fn count(visit: &Visit, visits: &[AtomicU32]) {
    ///     visits[visit.page as usize].fetch_add(1, Ordering::Relaxed);
    /// }
    ///
    /// let runtime = Runtime::builder().build()?;
    /// let kernel = count::bind(&[0; 2]).launch(&runtime, LaunchOptions::production())?;
    /// let _ = kernel.try_send(Visit { page: 1 })?;
    /// kernel.drained_blocking();
    /// kernel.deactivate_blocking()?;
    /// assert_eq!(kernel.snapshot_blocking()?.memory::<u32>("visits")?, [0, 1]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`SnapshotError::Mismatch`] if no parameter that can change has that name, or if it is of another
    /// type.
    pub fn memory<T: DeviceType>(&self, name: &str) -> Result<Vec<T>, SnapshotError> {
        let found = self.memory.iter().find(|(own, _)| *own == name);
        found.ok_or_else(|| self.no_memory(name))?.1.get(name)
    }

    /// Sets the contents of the bound parameter of this name.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// let kernel = accounts();
    /// kernel.deactivate_blocking()?;
    /// let mut snapshot = kernel.snapshot_blocking()?;
    /// assert!(snapshot.set_memory("visits", &[0_u32]).is_err()); // it binds none
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`memory`](Self::memory), and if there are more or fewer values.
    pub fn set_memory<T: DeviceType>(&mut self, name: &str, values: &[T]) -> Result<(), SnapshotError> {
        let unknown = self.no_memory(name);
        let found = self.memory.iter_mut().find(|(own, _)| *own == name);
        found.ok_or(unknown)?.1.set(name, values)
    }

    fn no_memory(&self, name: &str) -> SnapshotError {
        let names: Vec<_> = self.memory.iter().map(|(name, _)| *name).collect();
        mismatch("bound memory", format!("[{}]", names.join(", ")), name)
    }

    /// The same values, of another kernel that keeps the same.
    pub(crate) fn of_kernel(self, kernel: &'static str) -> Self {
        Self { kernel, ..self }
    }

    /// Checks that this snapshot can be restored where `other` was read.
    fn check_fits(&self, other: &Self) -> Result<(), SnapshotError> {
        if self.kernel != other.kernel {
            return Err(mismatch(
                "kernel",
                other.kernel,
                format_args!("that of the snapshot, {}", self.kernel),
            ));
        }
        let shape = |snapshot: &Self| {
            let state = snapshot.state.iter().map(|state| match &snapshot.keys {
                Some(_) => format!("sparse keys with states of the type {}", state.ty.name),
                None => {
                    let actors = if state.count == 1 { "actor" } else { "actors" };
                    format!("{} {actors} with a state of the type {}", state.count, state.ty.name)
                }
            });
            let memory = snapshot.memory.iter().map(|(name, memory)| {
                format!("{name} with {} values of the type {}", memory.count, memory.ty.name)
            });
            let parts = state.chain(memory).collect::<Vec<_>>();
            if parts.is_empty() { "without state and memory".into() } else { parts.join(", ") }
        };
        let same = |a: &Image, b: &Image| *a.ty == *b.ty && a.count == b.count;
        let fits = match (&self.state, &other.state) {
            // Keys from 0 on are keys, too. Whether there is room for all, each shard says.
            (Some(a), Some(b)) if other.keys.is_some() => *a.ty == *b.ty,
            (Some(a), Some(b)) => self.keys.is_none() && same(a, b),
            (None, None) => true,
            _ => false,
        } && self.memory.len() == other.memory.len()
            && self.memory.iter().zip(&other.memory).all(|((a, x), (b, y))| a == b && same(x, y));
        if fits {
            return Ok(());
        }
        Err(mismatch(
            "shape of the launch",
            shape(other),
            format_args!("that of the snapshot: {}", shape(self)),
        ))
    }
}

impl fmt::Debug for Snapshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Snapshot")
            .field("kernel", &self.kernel)
            .field("len", &self.len())
            .finish_non_exhaustive()
    }
}

/// Whether what is bound to a parameter changes while the kernel runs.
fn changes(binding: &BindingDefinition) -> bool {
    matches!(binding.kind, BindingKind::Whole | BindingKind::Shared)
}

/// How a kernel's states are spread over its shards: actor `k` is number `k / grid` of shard `k % grid`.
struct Spread {
    size: usize,
    count: usize,
    grid: usize,
}

impl Spread {
    fn in_shard(&self, shard: usize) -> usize {
        self.count.saturating_sub(shard).div_ceil(self.grid)
    }

    /// For each state of a shard: its place among all states, and its place among the shard's states.
    fn pairs(&self, shard: usize) -> impl Iterator<Item = (std::ops::Range<usize>, std::ops::Range<usize>)> {
        let (size, grid) = (self.size, self.grid);
        (0..self.in_shard(shard)).map(move |index| {
            let actor = index * grid + shard;
            (actor * size..(actor + 1) * size, index * size..(index + 1) * size)
        })
    }
}

impl KernelCore {
    /// A snapshot of the right shape, with nothing in it yet.
    fn blank(&self) -> Snapshot {
        let definition = self.definition;
        let count = match definition.state {
            StateShape::Stateless => 0,
            StateShape::Whole(_) => 1,
            StateShape::PerActor(_) if self.options.shape.sparse_keys => 0,
            StateShape::PerActor(_) => self.options.shape.actors as usize,
        };
        Snapshot {
            kernel: definition.name,
            keys: self.options.shape.sparse_keys.then(Vec::new),
            state: definition.state.definition().map(|state| Image::new(state.ty, count)),
            memory: definition
                .bindings
                .iter()
                .zip(&self.binding_lengths)
                .filter(|(binding, _)| changes(binding))
                .map(|(binding, &length)| (binding.name, Image::new(binding.ty, length)))
                .collect(),
        }
    }

    fn spread(&self, image: &Image) -> Spread {
        Spread { size: image.ty.size, count: image.count, grid: self.shards.len() }
    }

    /// The index of each bound parameter that changes, in the snapshot's order.
    fn changing(&self) -> impl Iterator<Item = usize> {
        let bindings = self.definition.bindings.iter().enumerate();
        bindings.filter(|(_, binding)| changes(binding)).map(|(index, _)| index)
    }

    /// Only while every shard is at rest.
    fn read(&self, device: &dyn DeviceKernel) -> Result<Snapshot, SnapshotError> {
        let timers = if self.is_finished() { 0 } else { self.timers() };
        if timers != 0 {
            return Err(SnapshotError::Timers { kernel: self.name.clone(), timers });
        }
        let mut snapshot = self.blank();
        if let (Some(keys), Some(image)) = (&mut snapshot.keys, &mut snapshot.state) {
            self.read_actors(device, keys, image)?;
        } else if let Some(image) = &mut snapshot.state {
            let spread = self.spread(image);
            for shard in 0..spread.grid {
                let mut part = vec![MaybeUninit::uninit(); spread.in_shard(shard) * spread.size];
                // SAFETY: `at_rest` calls this; the shard has so many states, of so many bytes.
                unsafe { device.read_states(shard as u32, &mut part) }?;
                for (all, own) in spread.pairs(shard) {
                    image.bytes[all].copy_from_slice(&part[own]);
                }
            }
        }
        for (index, (_, image)) in self.changing().zip(&mut snapshot.memory) {
            // SAFETY: `at_rest` calls this; the image has the parameter's length and type.
            unsafe { device.read_binding(index, &mut image.bytes) }?;
        }
        Ok(snapshot)
    }

    /// Only while every shard is at rest.
    fn write(&self, device: &dyn DeviceKernel, snapshot: &Snapshot) -> Result<(), SnapshotError> {
        snapshot.check_fits(&self.blank())?;
        if let (true, Some(image)) = (self.options.shape.sparse_keys, &snapshot.state) {
            self.write_actors(device, snapshot.keys.as_deref(), image)?;
        } else if let Some(image) = &snapshot.state {
            let spread = self.spread(image);
            for shard in 0..spread.grid {
                let mut part = vec![MaybeUninit::uninit(); spread.in_shard(shard) * spread.size];
                for (all, own) in spread.pairs(shard) {
                    part[own].copy_from_slice(&image.bytes[all]);
                }
                // SAFETY: `at_rest` calls this; the shard has so many states, and the image holds valid ones
                // of their type.
                unsafe { device.write_states(shard as u32, &part) }?;
            }
        }
        for (index, (_, image)) in self.changing().zip(&snapshot.memory) {
            // SAFETY: `at_rest` calls this; the image has the parameter's length, and holds valid values of
            // its type.
            unsafe { device.write_binding(index, &image.bytes) }?;
        }
        Ok(())
    }

    /// Calls `f` while every shard is inactive and stays so, or has terminated.
    async fn at_rest<R>(
        &self,
        f: impl FnOnce(&dyn DeviceKernel) -> Result<R, SnapshotError>,
    ) -> Result<R, SnapshotError> {
        let active = || Err(SnapshotError::Active { kernel: self.name.clone() });
        self.while_inactive(f).await.unwrap_or_else(active)
    }
}

pub(crate) async fn take(kernel: &KernelShared) -> Result<Snapshot, SnapshotError> {
    let core = kernel.core();
    core.at_rest(|device| core.read(device)).await
}

pub(crate) async fn restore(kernel: &KernelShared, snapshot: &Snapshot) -> Result<(), SnapshotError> {
    let core = kernel.core();
    core.at_rest(|device| {
        if core.is_finished() {
            return Err(SnapshotError::Terminated { kernel: core.name.clone() });
        }
        core.write(device, snapshot)
    })
    .await
}
