//! One kernel of a topology that runs is replaced by another, for instance by a new version of it.
//!
//! # The steps
//!
//! | | what is done | if it fails |
//! |---|---|---|
//! | 1 | the links are checked: of the new kernel, and that nobody else is connected to the old one | nothing was changed |
//! | 2 | the new kernel is launched, inactive and without a name | likewise |
//! | | the new kernel begins, and its state is kept for `carry` | likewise |
//! | 3 | the kernels that send to the old one are made inactive, and bridges to it carry what they hold | they are active again |
//! | 4 | the old kernel is made inactive for a moment, and its state is carried over: a rehearsal | all are active again |
//! | 5 | bridges to the old kernel end, it is closed, and handles what it has | the limit passes: step 6 all the same |
//! | 6 | it is made inactive, and its state is carried over | [`ReplaceError::Late`] |
//! | 7 | the new kernel is connected, the old one ends, and the new one gets its name | [`ReplaceError::Late`] |
//! | 8 | the new kernel is activated, and those that send to it; bridges begin anew | |
//!
//! Closing cannot be taken back, so whatever can fail is tried before. What waits for room in a kernel that sends stays there, and
//! goes to the new one: a link is looked up when the output leaves.
//!
//! That the old kernel has handled everything is found as in [`links`](crate::links), for it alone: those that send to it are
//! inactive, the host is shut out, and bridges have ended.

use std::{
    fmt,
    sync::Arc,
    time::{Duration, Instant},
};

use annulus_kernel::RingKernel;
use annulus_sync::wait::{block_on, block_on_deadline};

use super::{Node, RunningTopology, TopologyProblem};
use crate::{
    bridge::upstream::Feeding,
    error::{LaunchError, LifecycleError, debug_in_words},
    handle::{KernelHandle, control::KernelControl},
    kernel::{
        lifecycle::ShutdownOutcome,
        shared::{KernelShared, Kind},
    },
    launch::{bound::Bound, start::AnyBound},
    options::LaunchOptions,
    snapshot::{self, Snapshot, SnapshotError},
    within::within,
};

/// How long a bridge from the old kernel may need at least for its last outputs. Source: as for the end of a bridge.
const ENDING: Duration = Duration::from_secs(1);

type CarryOver = Box<dyn FnMut(&Snapshot, &mut Snapshot) -> Result<(), SnapshotError> + Send>;

/// A kernel that is to take the place of one of a topology: [`RunningTopology::replace`].
pub struct Replacement {
    bound: AnyBound,
    options: LaunchOptions,
    carry: Carry,
}

/// What becomes of the old kernel's state.
enum Carry {
    /// It is the new one's: both keep the same.
    Same,
    Nothing,
    By(CarryOver),
}

/// What a [replacement](RunningTopology::replace) did.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Replaced {
    /// How the old kernel ended. [`DeadlinePassed`](ShutdownOutcome::DeadlinePassed): it had not handled all when the limit passed.
    pub outcome: ShutdownOutcome,
    /// The old kernel. Its [status](KernelControl::status) counts the messages that it has left. Handles of it have these, and its
    /// outputs that nobody has received.
    pub before: KernelControl,
}

/// Why a kernel of a topology was not replaced. Unless it says something else, the topology runs as before.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ReplaceError {
    /// The topology has no kernel of this name.
    #[error("the topology has no kernel `{name}`; it has {}", .members.join(", "))]
    Unknown {
        /// What was asked for.
        name: String,
        /// The names of its kernels.
        members: Vec<String>,
    },
    /// The new kernel does not fit where the old one is.
    #[error("`{kernel}` cannot be replaced so: {}", .problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
    Invalid {
        /// The kernel's name.
        kernel: String,
        /// Every problem.
        problems: Vec<TopologyProblem>,
    },
    /// Something leads to or from the old kernel that cannot be led to another one.
    #[error("`{kernel}` cannot be replaced while the topology runs: {why}")]
    Held {
        /// The kernel's name.
        kernel: String,
        /// What holds it, and the remedy.
        why: String,
    },
    /// The new kernel could not be launched.
    #[error("the new `{kernel}`, beside the old one: {error}")]
    Launch {
        /// The kernel's name.
        kernel: String,
        /// Why.
        #[source]
        error: LaunchError,
    },
    /// What the old kernel keeps is not what the new one can keep.
    #[error(
        "what `{kernel}` keeps was not carried over: {error}; say how with Replacement::carry(..), or carry_nothing()"
    )]
    Carry {
        /// The kernel's name.
        kernel: String,
        /// Why.
        #[source]
        error: SnapshotError,
    },
    /// The new kernel did not begin.
    #[error("the new `{kernel}`, beside the old one, did not begin: {why}")]
    NotBegun {
        /// The kernel's name.
        kernel: String,
        /// Why.
        why: String,
    },
    /// Bridges to the old kernel still carried messages when the limit had passed.
    #[error(
        "messages were on the way to `{kernel}` over bridges when the limit had passed: give it more time"
    )]
    OnTheWay {
        /// The kernel's name.
        kernel: String,
    },
    /// The old kernel was closed already when something failed.
    #[error(
        "`{kernel}` was closed, and could not be replaced: {why}; it has not been ended, and its state can be read: shut the \
         topology down, or launch another one in its place and let the topology adopt it"
    )]
    Late {
        /// The kernel's name.
        kernel: String,
        /// What failed.
        why: String,
    },
}

debug_in_words!(ReplaceError);

impl Replacement {
    /// This kernel, with these options. The name stays that of the kernel that it replaces.
    ///
    /// It takes over what the old kernel keeps. Both keep the same then: as many actors, states of the same type, and
    /// bound memory of the same names, types and lengths. If they do not, [`carry`](Self::carry) says how.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # use annulus::Replacement;
    /// let next = Replacement::new(keep::bind(), keep::options().actors(3).grid(2));
    /// # let _ = next;
    /// ```
    pub fn new<K: RingKernel>(kernel: Bound<K>, options: LaunchOptions) -> Self {
        Self { bound: kernel.any(), options, carry: Carry::Same }
    }

    /// What the old kernel keeps becomes what the new one keeps by this function: it gets the old kernel's snapshot, and one of
    /// the new kernel as it was launched, which it changes. It is called twice: once to see whether it works, and again at the
    /// end. It gets a new kernel's snapshot each time.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # use annulus::Replacement;
    /// let next = Replacement::new(keep::bind(), keep::options().actors(3)).carry(|old, new| {
    ///     let doubled: Vec<i64> = old.states::<i64>()?.iter().map(|sum| sum * 2).collect();
    ///     new.set_states(&doubled)
    /// });
    /// # let _ = next;
    /// ```
    #[must_use]
    pub fn carry(
        self,
        by: impl FnMut(&Snapshot, &mut Snapshot) -> Result<(), SnapshotError> + Send + 'static,
    ) -> Self {
        Self { carry: Carry::By(Box::new(by)), ..self }
    }

    /// The new kernel begins as a launch does.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # use annulus::Replacement;
    /// let next = Replacement::new(keep::bind(), keep::options().actors(300)).carry_nothing();
    /// # let _ = next;
    /// ```
    #[must_use]
    pub fn carry_nothing(self) -> Self {
        Self { carry: Carry::Nothing, ..self }
    }
}

impl fmt::Debug for Replacement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Replacement").field("kernel", &self.bound.definition().name).finish_non_exhaustive()
    }
}

/// Kernels that are inactive for a while: active again when this is dropped.
#[derive(Default)]
struct Paused(Vec<Arc<KernelShared>>);

impl Paused {
    /// Makes it inactive, if it has not ended. One that was told so before is not told to go on, but has obeyed then.
    async fn pause(&mut self, kernel: &Arc<KernelShared>) {
        if kernel.core.is_finished() {
            return;
        }
        if kernel.is_active() {
            self.0.push(Arc::clone(kernel));
        }
        // It may end meanwhile: then it sends nothing, either.
        let _: Result<_, LifecycleError> = kernel.core.set_active(false).await;
    }

    async fn go_on(&mut self) {
        // One that has not obeyed yet is still here if nobody waits any longer.
        while let Some(kernel) = self.0.last() {
            let _: Result<_, LifecycleError> = kernel.core.set_active(true).await;
            self.0.pop();
        }
    }
}

impl Drop for Paused {
    fn drop(&mut self) {
        // It has the command with the first look; nobody waits here until it has obeyed.
        for kernel in &self.0 {
            let _ = block_on_deadline(kernel.core.set_active(true), Instant::now());
        }
    }
}

impl Carry {
    /// Both kernels are inactive, or have ended.
    async fn over(
        &mut self,
        old: &KernelShared,
        new: &KernelShared,
        begun: Option<&Snapshot>,
    ) -> Result<(), SnapshotError> {
        let next = match self {
            Self::Nothing => return Ok(()),
            Self::Same => snapshot::take(old).await?.of_kernel(new.core.definition.name),
            Self::By(carry) => {
                let mut next = begun.expect("it was taken for this").clone();
                carry(&snapshot::take(old).await?, &mut next)?;
                next
            }
        };
        snapshot::restore(new, &next).await
    }
}

impl RunningTopology {
    /// Replaces the kernel of this name by another one, while the others go on; those that send to it wait meanwhile. The new
    /// kernel gets its name, its links, and what it keeps.
    ///
    /// The old kernel takes no more messages of the host, and handles what it has; when `limit` has passed since the launch of the new one, it ends anyway. What
    /// kernels have sent and it had no room for goes to the new one. Handles, senders and receivers of the old kernel stay with it:
    /// whoever looks it up by its name finds the new one. Until the old one ends, the device has both.
    ///
    /// A handler of the old kernel that does not return holds all of it, as it holds a shutdown. If the future is dropped, the
    /// topology runs as before, or as after it, though perhaps without bridges of this kernel; but if the old kernel was closed already and the new one is not there yet, as after
    /// [`ReplaceError::Late`].
    ///
    /// A cycle of links is no obstacle. But what the old kernel still sends in it needs room in kernels that wait.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # use annulus::{Replacement, ShutdownOutcome, Topology};
    /// # use std::time::Duration;
    /// let topology = Topology::new().kernel("keep", keep::bind(), keep::options().actors(3));
    /// let runtime = Runtime::builder().build()?;
    /// let mut running = topology.launch(&runtime)?;
    /// let _ = runtime.handle::<keep>("keep")?.send_blocking(Deposit { account: 1, amount: 5 })?;
    ///
    /// let next = Replacement::new(keep::bind(), keep::options().actors(3).grid(2));
    /// let replaced = running.replace_blocking("keep", next, Duration::from_secs(60))?;
    /// assert_eq!(replaced.outcome, ShutdownOutcome::Drained);
    ///
    /// let keep = runtime.handle::<keep>("keep")?; // the new one
    /// assert_eq!(keep.status().shards, 2);
    /// keep.deactivate_blocking()?;
    /// assert_eq!(keep.snapshot_blocking()?.states::<i64>()?, [0, 5, 0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ReplaceError`]. But for [`ReplaceError::Late`], the topology runs as before.
    pub async fn replace(
        &mut self,
        name: &str,
        replacement: Replacement,
        limit: Duration,
    ) -> Result<Replaced, ReplaceError> {
        let (member, place) = self.find(name)?;
        let Replacement { bound, options, mut carry } = replacement;
        let options = bound.options(options).name(name);
        let around = self.check_replacement(member, &bound, &options)?;
        let (handle, runtime) = self.kernels[place].clone();
        let old = handle.shared_arc();
        self.check_held(&around, old, bound.definition())?;

        let node = Node { name: name.into(), bound: bound.bare(), options: options.clone() };
        let new = self.launch_beside(&around, bound, options, &runtime).await.map_err(|error| {
            let kernel = name.to_owned();
            ReplaceError::Launch { kernel, error }
        })?;
        let start = Instant::now();
        let left = || limit.saturating_sub(start.elapsed());
        // It is there before anybody waits for it, and its state is what a launch gives: `carry` gets that both times.
        let is_changed = matches!(carry, Carry::By(_));
        let begun = async {
            new.control().ready().await.map_err(|error| error.to_string())?;
            match is_changed {
                true => snapshot::take(new.shared()).await.map(Some).map_err(|error| error.to_string()),
                false => Ok(None),
            }
        };
        let begun = match within(&old.core.clock, left(), begun).await {
            Some(Ok(begun)) => begun,
            Some(Err(why)) => return Err(ReplaceError::NotBegun { kernel: name.into(), why }),
            None => {
                let why =
                    "the limit has passed; the device may have no room for it beside the old one".into();
                return Err(ReplaceError::NotBegun { kernel: name.into(), why });
            }
        };
        let mut paused = Paused::default();
        for (_, link) in around.coming().filter(|(_, link)| link.from != member) {
            paused.pause(self.handle_of(link.from).shared_arc()).await;
        }
        let bridges = old.feeders();
        let clear = async {
            for bridge in &bridges {
                bridge.until_clear().await;
            }
        };
        if within(&old.core.clock, left(), clear).await.is_none() {
            return Err(ReplaceError::OnTheWay { kernel: name.into() });
        }
        let rehearsed = match carry {
            Carry::Nothing => Ok(()),
            _ => {
                let mut rehearsal = Paused::default();
                rehearsal.pause(old).await;
                let rehearsed = carry.over(old, new.shared(), begun.as_ref()).await;
                rehearsal.go_on().await;
                rehearsed
            }
        };
        rehearsed.map_err(|error| ReplaceError::Carry { kernel: name.into(), error })?;

        // The program may have connected something meanwhile.
        if let Some(why) = self.held_now(&around, old) {
            return Err(ReplaceError::Held { kernel: name.into(), why });
        }

        // From here on nothing is taken back.
        let outcome = end_of_work(old, &bridges, left()).await;
        let late = |why: String| ReplaceError::Late { kernel: name.into(), why };
        carry.over(old, new.shared(), begun.as_ref()).await.map_err(|error| late(error.to_string()))?;
        self.connect_in_place(&around, &new).map_err(|error| late(error.to_string()))?;
        runtime.inner.registry.hand_over(old, new.shared_arc());
        if let Some(requests) = &runtime.inner.requests {
            requests.tell(|on| new.shared().lease_telemetry(on));
        }
        let mut begins = Paused::default();
        if node.options.shape.active {
            // It may have been lost meanwhile; its handle says so, as after any launch.
            begins.0.push(Arc::clone(new.shared_arc()));
        }
        // All that is left is done also if nobody waits any longer, but for the bridges.
        self.kernels[place].0 = new.clone();
        self.plan.nodes[member] = node;
        old.request_termination();
        old.finished().await;
        begins.go_on().await;
        // Before bridges from the old kernel end: they may need room in these.
        paused.go_on().await;
        self.begin_bridges(&around, left().max(ENDING)).await;
        Ok(Replaced { outcome, before: handle.control().clone() })
    }

    /// [`replace`](Self::replace), blocking.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # use annulus::{Replacement, Topology};
    /// # use std::time::Duration;
    /// let topology = Topology::new().kernel("twice", double::bind(), double::options());
    /// let mut running = topology.launch(&Runtime::builder().build()?)?;
    /// let next = || Replacement::new(double::bind(), double::options());
    /// let error = running.replace_blocking("thrice", next(), Duration::from_secs(60)).unwrap_err();
    /// assert_eq!(error.to_string(), "the topology has no kernel `thrice`; it has twice");
    /// running.replace_blocking("twice", next(), Duration::from_secs(60))?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of that method.
    pub fn replace_blocking(
        &mut self,
        name: &str,
        replacement: Replacement,
        limit: Duration,
    ) -> Result<Replaced, ReplaceError> {
        block_on(self.replace(name, replacement, limit))
    }

    /// From now on, a kernel that the program has launched itself is the topology's, in place of the one of the same name, which
    /// has ended. The program has connected it. [`shutdown`](Self::shutdown) then ends it with the others. It is for those that
    /// [`replace`](Self::replace) refuses.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # use annulus::{ShutdownOutcome, Topology};
    /// # use std::time::Duration;
    /// let topology = Topology::new().kernel("twice", double::bind(), double::options());
    /// let runtime = Runtime::builder().build()?;
    /// let mut running = topology.launch(&runtime)?;
    /// runtime.handle::<double>("twice")?.terminate_blocking();
    /// running.adopt(&double::launch(&runtime, double::options().name("twice"))?)?;
    /// let outcomes = running.shutdown_blocking(Duration::from_secs(60));
    /// assert_eq!(outcomes, [("twice".to_owned(), ShutdownOutcome::Drained)]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ReplaceError::Unknown`] if no kernel of the topology has this name; [`ReplaceError::Held`] if that one has not ended, or
    /// if it ran on another runtime.
    pub fn adopt<K: RingKernel>(&mut self, kernel: &KernelHandle<K>) -> Result<(), ReplaceError> {
        let name = kernel.name();
        let (member, place) = self.find(name)?;
        let (handle, runtime) = &mut self.kernels[place];
        let held = |why: &str| ReplaceError::Held { kernel: name.into(), why: why.into() };
        if Arc::ptr_eq(handle.shared_arc(), kernel.shared_arc()) {
            return Ok(());
        }
        if kernel.shared().runtime_place() != runtime.inner.place() {
            return Err(held(
                "the other one was launched on another runtime: launch it on that of this kernel",
            ));
        }
        if !handle.shared().core.is_finished() {
            return Err(held("it has not ended: terminate it first"));
        }
        *handle = kernel.any().clone();
        let options = kernel.shared().core.options.clone();
        self.plan.nodes[member] = Node {
            name: name.into(),
            bound: AnyBound::new(Kind::of::<K>(), Vec::new(), LaunchOptions::production),
            options,
        };
        Ok(())
    }

    /// The number of the kernel of this name in the plan, and among the handles.
    fn find(&self, name: &str) -> Result<(usize, usize), ReplaceError> {
        let member = self.plan.nodes.iter().position(|node| node.name == name);
        let place = self.kernels.iter().position(|(handle, _)| handle.control().name() == name);
        member.zip(place).ok_or_else(|| ReplaceError::Unknown {
            name: name.into(),
            members: self.plan.nodes.iter().map(|node| node.name.clone()).collect(),
        })
    }
}

/// Ends the bridges to the old kernel, which are clear, closes it, and waits until it has handled all, or the limit has passed.
/// It is inactive afterwards, or has ended.
async fn end_of_work(old: &Arc<KernelShared>, bridges: &[Feeding], limit: Duration) -> ShutdownOutcome {
    if old.core.is_finished() {
        return ShutdownOutcome::AlreadyTerminated;
    }
    bridges.iter().for_each(Feeding::stop);
    old.close();
    let rested = within(&old.core.clock, limit, old.rests_alone()).await;
    let outcome = match rested {
        Some(()) if old.is_ending() || old.core.is_finished() => ShutdownOutcome::AlreadyTerminated,
        Some(()) => ShutdownOutcome::Drained,
        None => ShutdownOutcome::DeadlinePassed,
    };
    let _: Result<_, LifecycleError> = old.core.set_active(false).await;
    outcome
}
