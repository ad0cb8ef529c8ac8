//! Why kernels do not go on: who waits for whom, followed to the roots.
//!
//! All of it comes from two looks at the shards' words, so it works from inside a process and from outside. A
//! shard that waits for room says so; the links say for whose room; and a shard that makes no room is
//! *itself* at something: that is the cause. A kernel has at most one link, so each way ends, or comes back
//! to a kernel that is already on it: then they wait in a cycle.
//!
//! Two looks tell that something did not move, and not why a handler takes its time. So a handler is called a
//! cause when it was at the same message in both looks, for *at least* the time in between.

use std::{collections::BTreeSet, fmt, time::Duration};

use annulus_abi::{
    control::{STALLED_BY_KERNEL, state},
    vitals::{At, phase, read::Shard},
};

use crate::time::for_people;

/// A kernel at two looks. Made by whoever looks: [`Runtime::why`](crate::Runtime::why), or `annulus-observe`.
#[derive(Clone, Debug)]
pub struct KernelLooks {
    /// Tells it from others.
    pub id: u64,
    /// The name that it runs under.
    pub name: String,
    /// Whether it has ended.
    pub has_ended: bool,
    /// The kernel that its outputs go to, and whether they wait for room there.
    pub target: Option<(u64, bool)>,
    /// Slots of each inbound ring.
    pub inbound_capacity: u32,
    /// Its shards at the earlier look.
    pub before: Vec<Shard>,
    /// Its shards now.
    pub now: Vec<Shard>,
    /// The time between the looks at this kernel, where its words are copies: between the two copies. 0: both
    /// looks found the same copy, so nothing is known to have lasted.
    pub elapsed: Option<Duration>,
}

/// What a shard that makes no progress is at.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Cause {
    /// It has been in one message's handler since the earlier look.
    Handler {
        /// The message's number in its shard, from 0.
        message: u64,
        /// How many messages the block's threads handle at once, from that one on: at least 1.
        count: u64,
        /// Its key; 0 without keys, and for several messages.
        key: u64,
        /// The time between the looks: it may be in there much longer.
        at_least: Duration,
    },
    /// Nobody receives its outputs.
    NobodyReceives {
        /// How many wait.
        outputs: u64,
    },
    /// It is inactive.
    Inactive,
    /// It has not begun since it was launched.
    NotBegun,
    /// It takes none of its messages, and nothing says why.
    TakesNothing,
    /// It goes on, but not fast enough for those who send to it.
    Slow,
    /// Kernels that wait for room in each other.
    Cycle,
    /// The kernel that it waits for is not among those that were looked at.
    Unseen,
}

/// Shards of one kernel that are at the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The kernel.
    pub kernel: String,
    /// Its shards.
    pub shards: Vec<usize>,
    /// What they are at.
    pub cause: Cause,
    /// Messages that wait in their inbound rings.
    pub pending: u64,
    /// Ways of kernels that wait for this one, each from the kernel that nobody waits for, without this one.
    /// For a cycle: the one way around.
    pub waiting: Vec<Vec<Waiting>>,
}

/// Shards that wait for room in the next kernel on the way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// Their kernel.
    pub kernel: String,
    /// The shards.
    pub shards: Vec<usize>,
}

/// Why kernels do not go on; `Display` prints it for people. Empty if nothing waits in vain.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Why {
    /// The causes.
    pub findings: Vec<Finding>,
}

/// Finds the causes, given two looks that are `elapsed` apart.
pub fn explain(kernels: &[KernelLooks], elapsed: Duration) -> Why {
    let mut findings: Vec<Finding> =
        kernels.iter().flat_map(|kernel| causes(kernel, kernel.elapsed.unwrap_or(elapsed))).collect();
    let mut in_cycles = BTreeSet::new();
    for kernel in kernels {
        let stalled = waiting(kernel);
        let is_fed = |source: &KernelLooks| {
            source.target.is_some_and(|(id, _)| id == kernel.id) && !waiting(source).is_empty()
        };
        if stalled.is_empty() || in_cycles.contains(&kernel.id) {
            continue;
        }
        let (way, end) = way(kernel, kernels);
        match end {
            End::Cycle(first) => {
                let cycle = &way[first..];
                // Kernels that lead into a cycle wait for the same cause.
                if cycle.iter().all(|kernel| in_cycles.insert(kernel.id)) {
                    findings.push(Finding {
                        kernel: cycle[0].name.clone(),
                        shards: waiting(cycle[0]),
                        cause: Cause::Cycle,
                        pending: cycle[0].now.iter().map(|shard| shard.pending).fold(0, u64::saturating_add),
                        waiting: vec![cycle.iter().map(|kernel| step(kernel)).collect()],
                    });
                }
            }
            // Only ways from their beginnings: the others are parts of them.
            _ if kernels.iter().any(is_fed) => {}
            End::Unseen => findings.push(Finding {
                kernel: kernel.name.clone(),
                shards: stalled,
                cause: Cause::Unseen,
                pending: 0,
                waiting: Vec::new(),
            }),
            End::Root(root) => {
                let steps: Vec<Waiting> = way.iter().map(|kernel| step(kernel)).collect();
                // Of several causes in one kernel, it is one whose shard has no room.
                let full = full(root);
                let of_root = |finding: &&mut Finding| finding.kernel == root.name;
                let has_full = |finding: &Finding| finding.shards.iter().any(|shard| full.contains(shard));
                let any_full = findings.iter_mut().filter(of_root).any(|finding| has_full(finding));
                let found = findings
                    .iter_mut()
                    .filter(of_root)
                    .filter(|finding| !any_full || has_full(finding))
                    .map(|finding| finding.waiting.push(steps.clone()))
                    .count();
                if found == 0 {
                    findings.push(Finding {
                        kernel: root.name.clone(),
                        shards: full,
                        cause: if is_inactive(root) { Cause::Inactive } else { Cause::Slow },
                        pending: root.now.iter().map(|shard| shard.pending).fold(0, u64::saturating_add),
                        waiting: vec![steps],
                    });
                }
            }
        }
    }
    Why { findings }
}

/// Shards that were waiting for room in a kernel at both looks.
fn waiting(kernel: &KernelLooks) -> Vec<usize> {
    let waits = |shard: &Shard| shard.state == state::ACTIVE && shard.stalled == STALLED_BY_KERNEL;
    let at = |index: usize| kernel.before.get(index).is_some_and(waits);
    let now = kernel.now.iter().enumerate().filter(|(index, shard)| waits(shard) && at(*index));
    if kernel.has_ended { Vec::new() } else { now.map(|(index, _)| index).collect() }
}

fn step(kernel: &KernelLooks) -> Waiting {
    Waiting { kernel: kernel.name.clone(), shards: waiting(kernel) }
}

/// Shards whose inbound rings are full.
fn full(kernel: &KernelLooks) -> Vec<usize> {
    let is_full = |shard: &Shard| shard.pending >= u64::from(kernel.inbound_capacity);
    kernel.now.iter().enumerate().filter(|(_, shard)| is_full(shard)).map(|(index, _)| index).collect()
}

fn is_inactive(kernel: &KernelLooks) -> bool {
    kernel.now.iter().any(|shard| shard.state == state::INACTIVE)
}

enum End<'a> {
    Root(&'a KernelLooks),
    /// The way comes back to its kernel of this number.
    Cycle(usize),
    Unseen,
}

/// The kernels that wait, from this one on, and where that ends.
fn way<'a>(first: &'a KernelLooks, kernels: &'a [KernelLooks]) -> (Vec<&'a KernelLooks>, End<'a>) {
    let mut way = vec![first];
    loop {
        let target = way[way.len() - 1].target.map(|(id, _)| id);
        let Some(next) = kernels.iter().find(|kernel| Some(kernel.id) == target) else {
            return (way, End::Unseen);
        };
        if let Some(seen) = way.iter().position(|kernel| kernel.id == next.id) {
            return (way, End::Cycle(seen));
        }
        if waiting(next).is_empty() {
            return (way, End::Root(next));
        }
        way.push(next);
    }
}

/// The shards of a kernel that do not go on, by what they are at. Those that wait for a kernel are not among
/// them: they are no cause.
fn causes(kernel: &KernelLooks, elapsed: Duration) -> Vec<Finding> {
    let mut findings: Vec<Finding> = Vec::new();
    if kernel.has_ended {
        return findings;
    }
    for (index, (before, now)) in kernel.before.iter().zip(&kernel.now).enumerate() {
        let Some(cause) = cause(before, now, elapsed) else { continue };
        // Handlers are at different messages. All other causes are told once for all shards.
        let merge = findings.iter_mut().find(|finding| match (&finding.cause, &cause) {
            (Cause::NobodyReceives { .. }, Cause::NobodyReceives { .. }) => true,
            (a, b) => a == b,
        });
        match merge {
            Some(finding) => {
                finding.shards.push(index);
                finding.pending = finding.pending.saturating_add(now.pending);
                if let (Cause::NobodyReceives { outputs }, Cause::NobodyReceives { outputs: more }) =
                    (&mut finding.cause, cause)
                {
                    *outputs = outputs.saturating_add(more);
                }
            }
            None => findings.push(Finding {
                kernel: kernel.name.clone(),
                shards: vec![index],
                cause,
                pending: now.pending,
                waiting: Vec::new(),
            }),
        }
    }
    findings
}

/// Why a shard does not go on; `None` if it does, has nothing to do, or waits for a kernel.
fn cause(before: &Shard, now: &Shard, elapsed: Duration) -> Option<Cause> {
    if now.state == state::INACTIVE {
        // However long it has been so: it takes nothing until somebody activates it.
        return (now.pending != 0).then_some(Cause::Inactive);
    }
    if elapsed.is_zero() {
        return None;
    }
    let taken = |shard: &Shard| shard.accepted.saturating_sub(shard.pending);
    let done = |shard: &Shard| (shard.processed, shard.failed, shard.unknown_actor, taken(shard));
    if done(before) != done(now) || before.state != now.state {
        return None;
    }
    match (now.state, now.stalled) {
        (state::ACTIVE, STALLED_BY_KERNEL) | (state::TERMINATED, _) => return None,
        (state::ACTIVE, 0) => {}
        (state::ACTIVE, _) => {
            let outputs = now.outputs_waiting;
            return (before.stalled == now.stalled).then_some(Cause::NobodyReceives { outputs });
        }
        _ => return (now.pending != 0).then_some(Cause::NotBegun),
    }
    match now.at {
        At { phase: phase::IN_HANDLER, number, key, count, .. } if before.at == now.at => {
            let (count, key) = if count > 1 { (count, 0) } else { (1, key) };
            Some(Cause::Handler { message: number, count, key, at_least: elapsed })
        }
        // It is at something else than at the earlier look.
        _ if before.at != now.at => None,
        // What has come between the looks may be taken the next moment.
        _ if before.pending != 0 && now.pending != 0 => Some(Cause::TakesNothing),
        _ => None,
    }
}

/// `shard 1`, `shards 0, 2 and 5`.
fn shards(shards: &[usize]) -> String {
    let numbers: Vec<String> = shards.iter().map(usize::to_string).collect();
    match &numbers[..] {
        [] => "some shards".into(),
        [one] => format!("shard {one}"),
        [rest @ .., last] => format!("shards {} and {last}", rest.join(", ")),
    }
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.findings.is_empty() {
            return f.write_str("nothing waits in vain");
        }
        for (index, finding) in self.findings.iter().enumerate() {
            if index != 0 {
                writeln!(f)?;
            }
            finding.fmt(f)?;
        }
        Ok(())
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for way in &self.waiting {
            for (index, step) in way.iter().enumerate() {
                let next = match (way.get(index + 1), &self.cause) {
                    (Some(next), _) => &next.kernel,
                    (None, Cause::Cycle) => &way[0].kernel,
                    (None, _) => &self.kernel,
                };
                let waits = if step.shards.len() == 1 { "waits" } else { "wait" };
                writeln!(f, "`{}` {} {waits} for room in `{next}`;", step.kernel, shards(&step.shards))?;
            }
        }
        let (kernel, its) = (&self.kernel, shards(&self.shards));
        let are = if self.shards.len() == 1 { "is" } else { "are" };
        match &self.cause {
            Cause::Cycle => {
                let names: Vec<String> =
                    self.waiting.iter().flatten().map(|step| format!("`{}`", step.kernel)).collect();
                return write!(
                    f,
                    "{} wait for each other: a cycle, which cannot go on; terminate or disconnect one of them",
                    names.join(", ")
                );
            }
            Cause::Handler { message, count: count @ 2.., at_least, .. } => write!(
                f,
                "`{kernel}` {its} {are} in the handlers of messages {message} to {}, for {} or more",
                message.saturating_add(count - 1),
                for_people(*at_least)
            )?,
            Cause::Handler { message, key, at_least, .. } => write!(
                f,
                "`{kernel}` {its} {are} in the handler of message {message}, key {key}, for {} or more",
                for_people(*at_least)
            )?,
            Cause::NobodyReceives { outputs } => {
                write!(
                    f,
                    "`{kernel}` {its} {are} stalled: nobody receives the outputs, of which {outputs} wait"
                )?;
            }
            Cause::Inactive => write!(f, "`{kernel}` {its} {are} inactive: activate the kernel")?,
            Cause::NotBegun => write!(f, "`{kernel}` {its} did not begin since the launch")?,
            Cause::TakesNothing => {
                write!(f, "`{kernel}` {its} took no message, and says not why")?;
            }
            Cause::Slow => write!(f, "`{kernel}` goes on, but more is sent to it than it handles")?,
            Cause::Unseen => {
                return write!(f, "`{kernel}` {its} {are} waiting for room in a kernel that is not seen");
            }
        }
        match self.pending {
            0 => {}
            1 => f.write_str("; 1 message is in its ring")?,
            pending => write!(f, "; {pending} messages are in its rings")?,
        }
        if !self.waiting.is_empty() {
            f.write_str(": that is the cause")?;
        }
        Ok(())
    }
}
