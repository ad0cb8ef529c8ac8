//! Calls through several connected kernels.

use std::{
    fmt,
    mem::MaybeUninit,
    ptr,
    sync::Arc,
    time::{Duration, Instant},
};

use annulus_kernel::{RingKernel, RingMessage};
use annulus_sync::{
    AtomicU64, Ordering,
    wait::{block_on, block_on_deadline},
};

use crate::{
    error::{CallError, PipelineError},
    handle::KernelHandle,
    kernel::{
        bytes::{Bytes, RawMessage, place},
        passage::{OpenCall, Passage, Pinned, Route, Tally},
        receive::accepted,
        shared::KernelShared,
    },
    time::deadline,
    within::within,
};

/// Kernels in a row, each [connected](KernelHandle::connect) to the next: a call is made to the first, and answered by the
/// last, or by one on the way.
///
/// A call's message carries its return address. When a handler on the way has taken the message, the address goes on with
/// the first output of the handler's first outbox. What the last kernel sends first is the answer. The kernels take all
/// other messages as ever, and what is no call's answer goes where it went.
///
/// **From the middle.** A handler that has a [`Reply`](annulus_kernel::Reply) answers by it: then the call has ended, and
/// goes no further. If it does not, the call goes on. A last kernel that has one answers by it alone, and may have several
/// outboxes. All kernels of a pipeline that reply do so with the type that the last one answers.
///
/// **Each call ends once**, without a time limit: it is answered; or a handler [failed](CallError::Failed), with its code;
/// or it sent nothing by its first outbox, and there is [no reply](CallError::NoReply); or the output that carried the
/// call was [lost](CallError::Lost), because the next kernel had ended, or had no room under Reject; or a kernel
/// [terminated](CallError::Terminated) before it took the message. If a kernel is inactive, calls wait for it. Calls that
/// are under way at the same time never get each other's answers.
///
/// Every kernel is launched with room for calls: [`LaunchOptions::through`](crate::LaunchOptions::through). An answer never
/// waits for room, however many outputs wait; a call waits until a place is free. As long as a pipeline or a call of it
/// lives, the first outboxes of its kernels cannot be connected elsewhere.
///
/// ```
/// # extern crate annulus_runtime as annulus;
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use annulus_runtime::{LaunchOptions, Noop, Pipeline, PipelineError, Runtime, prelude::*};
///
/// #[derive(RingMessage, Clone, Copy)]
/// #[repr(C)]
/// struct Number(u64);
///
/// #[ring_kernel]
/// fn step(number: &Number, out: &Outbox<Number>) {
///     out.send(Number(number.0 + 1));
/// }
///
/// let runtime = Runtime::builder().backend(Noop).build()?;
/// let last = step::launch(&runtime, LaunchOptions::production().name("last").through(64))?;
/// let options = LaunchOptions::production().name("first").through(64);
/// let first = step::launch_into(&last, options)?;
/// let both = Pipeline::new(&first, &last)?;
/// assert_eq!(both.status().kernels, ["first", "last"]);
///
/// let Err(PipelineError::NotConnected { kernel, last }) = Pipeline::new(&last, &first) else { panic!() };
/// assert_eq!((&*kernel, &*last), ("last", "first"));
/// # Ok(())
/// # }
/// ```
pub struct Pipeline<F: RingKernel, L: RingKernel> {
    first: KernelHandle<F>,
    last: KernelHandle<L>,
    passage: Arc<Passage>,
    route: Pinned,
}

/// What became of a pipeline's calls.
///
/// `calls` is the sum of what follows it, but for `on_the_way`, at any time when none begins or ends. Shown, it leaves out what
/// is 0, but for the calls.
///
/// ```
/// # extern crate annulus_runtime as annulus;
/// # use annulus::{Noop, Pipeline, prelude::*};
/// # #[derive(RingMessage, Clone, Copy)]
/// # #[repr(C)]
/// # struct Number(u64);
/// # #[ring_kernel]
/// # fn step(number: &Number, out: &Outbox<Number>) {
/// #     out.send(Number(number.0 + 1));
/// # }
/// # let runtime = Runtime::builder().backend(Noop).build()?;
/// # let last = step::launch(&runtime, LaunchOptions::production().name("last").through(64))?;
/// # let options = LaunchOptions::production().name("first").through(64);
/// # let first = step::launch_into(&last, options)?;
/// let pipeline = Pipeline::new(&first, &last)?;
/// assert_eq!(pipeline.status().to_string(), "first to last: 0 calls, with room for 64 at a time");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PipelineStatus {
    /// The names of its kernels, the first first.
    pub kernels: Vec<String>,
    /// How many calls may be open at a time, if no other pipeline has any.
    pub room: u32,
    /// Calls whose messages were sent.
    pub calls: u64,
    /// Of these, those that are under way.
    pub open: u64,
    /// Answered.
    pub answered: u64,
    /// Of these, those that a kernel before the last one has answered.
    pub on_the_way: u64,
    /// A handler on the way has failed.
    pub failed: u64,
    /// A handler on the way has sent nothing by which the call could go on.
    pub no_reply: u64,
    /// The output that carried the call was lost.
    pub lost: u64,
    /// A kernel has terminated before it took the message.
    pub terminated: u64,
    /// Their callers have given them up, or their time was up.
    pub given_up: u64,
}

impl fmt::Display for PipelineStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plural = if self.calls == 1 { "" } else { "s" };
        write!(f, "{}: {} call{plural}", self.kernels.join(" to "), self.calls)?;
        let counts = [
            (self.open, "open"),
            (self.answered, "answered"),
            (self.on_the_way, "of these on the way"),
            (self.failed, "failed"),
            (self.no_reply, "without a reply"),
            (self.lost, "lost"),
            (self.terminated, "terminated"),
            (self.given_up, "given up"),
        ];
        for (count, what) in counts.into_iter().filter(|(count, _)| *count != 0) {
            write!(f, ", {count} {what}")?;
        }
        write!(f, ", with room for {} at a time", self.room)
    }
}

impl<F: RingKernel, L: RingKernel<Answer: RingMessage>> Pipeline<F, L> {
    /// The kernels from `first` to `last`, by their first outboxes.
    ///
    /// # Errors
    ///
    /// [`PipelineError`] says what does not lead there, and the remedy.
    pub fn new(first: &KernelHandle<F>, last: &KernelHandle<L>) -> Result<Self, PipelineError> {
        if !ptr::addr_eq(Arc::as_ptr(first.runtime()), Arc::as_ptr(last.runtime())) {
            let (first, last) = (first.name().to_owned(), last.name().to_owned());
            return Err(PipelineError::OtherRuntime { first, last });
        }
        let route = Route::find(first.shared_arc(), last.shared_arc())?;
        let through = first.shared_arc().through.as_ref().expect("calls go through the kernels of a route");
        Ok(Self { first: first.clone(), last: last.clone(), passage: Arc::clone(&through.passage), route })
    }

    /// Sends a message to the first kernel, and waits for the answer of the last. Waits for a place while as many calls
    /// are open as the kernels have room for.
    ///
    /// Dropping the future gives the call up. If its message was already sent, it goes its way, and its place is free again
    /// when it has ended.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # use annulus::Pipeline;
    /// # annulus::block_on(async {
    /// let runtime = Runtime::builder().build()?;
    /// let options = |name| LaunchOptions::production().name(name).through(64);
    /// let twice = double::launch(&runtime, options("twice"))?;
    /// let once = double::launch_into(&twice, options("once"))?;
    /// let pipeline = Pipeline::new(&once, &twice)?;
    /// assert_eq!(pipeline.call(Number { value: 10 }).await?, Number { value: 40 });
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`CallError`] says why there is no answer.
    pub async fn call(&self, mut message: F::Message) -> Result<L::Answer, CallError> {
        let mut message = self.first.inlet().raw(&mut message)?;
        let mut output = MaybeUninit::uninit();
        self.call_raw(message.get(), place(&mut output)).await?;
        // SAFETY: the last kernel answers by this type, and so does each on the way that replies: `Route::find` has looked.
        Ok(unsafe { output.assume_init() })
    }

    /// [`call`](Self::call), blocking: polls for as long as the first kernel's `spin` says, then sleeps.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # use annulus::Pipeline;
    /// let runtime = Runtime::builder().build()?;
    /// let one = double::launch(&runtime, LaunchOptions::production().through(16))?;
    /// assert_eq!(Pipeline::new(&one, &one)?.call_blocking(Number { value: 4 })?, Number { value: 8 });
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of that method.
    pub fn call_blocking(&self, mut message: F::Message) -> Result<L::Answer, CallError> {
        let mut message = self.first.inlet().raw(&mut message)?;
        let mut output = MaybeUninit::uninit();
        self.call_raw_blocking(message.get(), place(&mut output))?;
        // SAFETY: as in `call`.
        Ok(unsafe { output.assume_init() })
    }

    /// [`call_blocking`](Self::call_blocking) for at most `limit`.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # use annulus::{CallError, Pipeline};
    /// # use std::time::Duration;
    /// let runtime = Runtime::builder().build()?;
    /// let one = double::launch(&runtime, LaunchOptions::production().through(16).active(false))?;
    /// let answer = Pipeline::new(&one, &one)?.call_timeout(Number { value: 4 }, Duration::from_millis(1));
    /// assert_eq!(answer, Err(CallError::Timeout));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of that method, and [`CallError::Timeout`].
    pub fn call_timeout(&self, message: F::Message, limit: Duration) -> Result<L::Answer, CallError> {
        self.call_until(message, deadline(limit))
    }

    fn call_until(&self, message: F::Message, deadline: Instant) -> Result<L::Answer, CallError> {
        block_on_deadline(self.call(message), deadline).unwrap_or(Err(CallError::Timeout))
    }

    /// [`call`](Self::call) for at most `limit`.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # use annulus::{CallError, Pipeline};
    /// # use std::time::Duration;
    /// let runtime = Runtime::builder().build()?;
    /// let one = double::launch(&runtime, LaunchOptions::production().through(16).active(false))?;
    /// let pipeline = Pipeline::new(&one, &one)?;
    /// let answer = annulus::block_on(pipeline.call_within(Number { value: 4 }, Duration::from_millis(1)));
    /// assert_eq!((answer, pipeline.status().given_up), (Err(CallError::Timeout), 1));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of that method, and [`CallError::Timeout`].
    pub async fn call_within(&self, message: F::Message, limit: Duration) -> Result<L::Answer, CallError> {
        within(&self.first.shared().core.clock, limit, self.call(message))
            .await
            .unwrap_or(Err(CallError::Timeout))
    }

    /// The kernel that calls are made to.
    pub fn first(&self) -> &KernelHandle<F> {
        &self.first
    }

    /// The kernel that answers.
    pub fn last(&self) -> &KernelHandle<L> {
        &self.last
    }

    /// What became of the calls that were made with this value and its clones.
    pub fn status(&self) -> PipelineStatus {
        let Tally { called, answered, on_the_way, failed, no_reply, lost, terminated, given_up } =
            &self.route.tally;
        // Ends first: a call is counted before it ends. SYNC: none: keeps the looks in this order.
        let look = |count: &AtomicU64| count.load(Ordering::Acquire);
        // SYNC: on-the-way (acquire)
        let on_the_way = look(on_the_way);
        let ends = [answered, failed, no_reply, lost, terminated, given_up].map(look);
        let calls = look(called);
        let [answered, failed, no_reply, lost, terminated, given_up] = ends;
        PipelineStatus {
            kernels: self.route.kernels.iter().map(|kernel| kernel.core.name.clone()).collect(),
            room: self.route.room,
            calls,
            // A count may be seen later than that of its end.
            open: calls.saturating_sub(ends.iter().sum()),
            answered,
            on_the_way,
            failed,
            no_reply,
            lost,
            terminated,
            given_up,
        }
    }

    async fn call_raw(&self, message: RawMessage<'_>, output: &mut Bytes) -> Result<(), CallError> {
        let mut call = self.open().await?;
        let first = self.first.shared_arc();
        accepted(first.send_through(message, &mut call).await)?;
        self.answer(&mut call, output).await
    }

    fn call_raw_blocking(&self, message: RawMessage<'_>, output: &mut Bytes) -> Result<(), CallError> {
        let mut call = match self.passage.try_open(&self.route)? {
            Some(call) => call,
            None => block_on(self.open())?,
        };
        let first = self.first.shared_arc();
        accepted(block_on(first.send_through(message, &mut call)))?;
        first
            .spin_until(None, || call.try_take(output))
            .unwrap_or_else(|| block_on(self.answer(&mut call, output)))
    }

    /// Waits for a place.
    async fn open(&self) -> Result<OpenCall<'_>, CallError> {
        loop {
            if let Some(call) = self.passage.try_open(&self.route)? {
                return Ok(call);
            }
            let listener = self.passage.freed.listen();
            if let Some(call) = self.passage.try_open(&self.route)? {
                return Ok(call);
            }
            self.expect();
            listener.await;
        }
    }

    /// Waits for the answer to a call whose message was sent.
    async fn answer(&self, call: &mut OpenCall<'_>, output: &mut Bytes) -> Result<(), CallError> {
        loop {
            if let Some(answer) = call.try_take(output) {
                return answer;
            }
            let listener = self.passage.answered.listen();
            if let Some(answer) = call.try_take(output) {
                return answer;
            }
            self.expect();
            listener.await;
        }
    }

    fn expect(&self) {
        self.route.kernels.iter().for_each(|kernel| kernel.core.expect());
    }
}

impl<F: RingKernel, L: RingKernel> Clone for Pipeline<F, L> {
    fn clone(&self) -> Self {
        let (passage, route) = (Arc::clone(&self.passage), self.route.clone());
        Self { first: self.first.clone(), last: self.last.clone(), passage, route }
    }
}

impl<F: RingKernel, L: RingKernel> fmt::Debug for Pipeline<F, L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.route.kernels.iter().map(|kernel| &kernel.core.name).collect();
        f.debug_tuple("Pipeline").field(&names).finish()
    }
}

impl Route {
    /// The kernels from `first` to `last`, each of which from now on sends by its first outbox where it does now.
    fn find(first: &Arc<KernelShared>, last: &Arc<KernelShared>) -> Result<Pinned, PipelineError> {
        let mut found = Self { kernels: Box::default(), room: u32::MAX, tally: Tally::default() };
        match found.follow(first, last) {
            Ok(()) => Ok(Pinned::adopt(found)),
            Err(error) => {
                found.unpin();
                Err(error)
            }
        }
    }

    /// Pins the kernels from `first` on, and makes them its own, until `last` or an error.
    fn follow(&mut self, first: &Arc<KernelShared>, last: &Arc<KernelShared>) -> Result<(), PipelineError> {
        let name = |kernel: &KernelShared| kernel.core.name.clone();
        if !first.fronts.is_empty() {
            return Err(PipelineError::QueueInFront { kernel: name(first) });
        }
        let definition = last.core.definition;
        let Some((answers, _)) = definition.answer() else {
            let outboxes = definition.ports.len();
            return Err(PipelineError::Outboxes { kernel: name(last), outboxes });
        };
        let mut next = Arc::clone(first);
        loop {
            if next.core.definition.ask().is_some() {
                return Err(PipelineError::Asks { kernel: name(&next) });
            }
            let Some(through) = &next.through else {
                return Err(PipelineError::NotThrough { kernel: name(&next) });
            };
            let target = {
                // Links change under this lock.
                let _command = next.core.lock_command();
                // SYNC: none: the lock orders it with those that change links.
                through.pins.fetch_add(1, Ordering::Relaxed);
                let known = next.links.known();
                known.targets.iter().find(|target| target.outbox == 0).map(|target| target.kernel.clone())
            };
            self.room = self.room.min(through.room);
            self.kernels = self.kernels.iter().cloned().chain([Arc::clone(&next)]).collect();
            if let Some(reply) = next.core.definition.reply()
                && let Some(difference) = answers.difference(reply.output)
            {
                let (kernel, last) = (name(&next), name(last));
                let (replies, answers) = (reply.output.name, answers.name);
                return Err(PipelineError::OtherAnswer { kernel, replies, last, answers, difference });
            }
            let is_last = Arc::ptr_eq(&next, last);
            let kernel = name(&next);
            next = match (is_last, target) {
                (true, None) => return Ok(()),
                (true, Some(to)) => {
                    let to = to.upgrade().map_or_else(|| "a kernel that has ended".into(), |to| name(&to));
                    return Err(PipelineError::GoesOn { kernel, to });
                }
                (false, None) => return Err(PipelineError::NotConnected { kernel, last: name(last) }),
                (false, Some(to)) => to.upgrade().ok_or(PipelineError::Ended { kernel })?,
            };
            if self.kernels.iter().any(|kernel| Arc::ptr_eq(kernel, &next)) {
                return Err(PipelineError::Cycle { kernel: name(&next), last: name(last) });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::PipelineStatus;

    #[test]
    fn a_status_says_what_became_of_the_calls() {
        let status = PipelineStatus {
            kernels: vec!["parse".into(), "count".into()],
            room: 8,
            calls: 15,
            open: 1,
            answered: 9,
            on_the_way: 2,
            failed: 1,
            no_reply: 1,
            lost: 1,
            terminated: 0,
            given_up: 2,
        };
        assert_eq!(
            status.to_string(),
            "parse to count: 15 calls, 1 open, 9 answered, 2 of these on the way, 1 failed, 1 without a reply, 1 lost, \
             2 given up, with room for 8 at a time"
        );
    }
}
