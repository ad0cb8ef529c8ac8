//! Publishing on topics.
//!
//! A kernel whose outputs are [`Published`](annulus_kernel::Published) has places, as one has whose outputs say [whom they are for](super::peers).
//! A block looks the topic of an output up, once, in the kernel's [table of topics](annulus_abi::topics), and finds there
//! which places take it. From then on the output is one for each of these places. The places are fixed while the kernel is
//! active; who takes which topic changes at any time, by one store of one word for each topic.
//!
//! Patterns are the host's alone. It compares them with names: whenever a name is new, or a pattern is.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use annulus_abi::topics::{PLACES, find};
use annulus_kernel::{ByTopic, KernelDefinition, MOST_PEERS, Peer, RingKernel, RingMessage, Topic};
use annulus_queue::Backpressure;

use crate::{
    backend::{DeviceKernel, LinkTarget},
    error::ConnectError,
    handle::KernelHandle,
    kernel::shared::KernelShared,
    options::LaunchOptions,
};

/// Entries of the table of a kernel: at least half of them stay empty.
pub(crate) fn entries(definition: &KernelDefinition, options: &LaunchOptions) -> usize {
    let publishes = options.shape.connectable && publishes(definition);
    if publishes { 2 * (options.outbound.topics as usize).next_power_of_two() } else { 0 }
}

/// Whether the kernel's outputs are [`Published`](annulus_kernel::Published).
pub(crate) fn publishes(definition: &KernelDefinition) -> bool {
    definition.peers.is_some_and(|peers| peers.by_topic)
}

/// Who takes which topics of a kernel.
///
/// It is made by [`connect_topics`](KernelHandle::connect_topics), and may be cloned. Any thread may change it while the kernel
/// runs. Messages that are sent to the kernel after a change meet it; those that its blocks handle meanwhile may meet
/// either.
pub struct Topics {
    kernel: Weak<KernelShared>,
    name: String,
    version: u64,
}

/// One topic of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TopicStatus {
    /// Its name.
    pub name: String,
    /// The kernels that take it, in the order in which they were given; `None` for one that is gone.
    pub takers: Vec<Option<String>>,
    /// Whether the host [listens](Topics::listen) to it.
    pub host: bool,
}

/// Why the topics of a kernel stay as they are.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TopicError {
    /// This is no name of a topic.
    #[error(
        "`{name}` is no name of a topic: it is words with a dot in between, none of them empty, and without `*` and `#`"
    )]
    Name {
        /// What was given.
        name: String,
    },
    /// This is no pattern.
    #[error(
        "`{pattern}` is no pattern of topics: it is words with a dot in between, none of them empty, and a word that has `*` \
         or `#` is nothing else"
    )]
    Pattern {
        /// What was given.
        pattern: String,
    },
    /// The kernel does not publish to that one.
    #[error(
        "`{kernel}` was not connected to a kernel with the address {address:#x}: give it to connect_topics(..), as one of at most \
         {MOST_PEERS}"
    )]
    NotConnected {
        /// The kernel that publishes.
        kernel: String,
        /// The other's address.
        address: u64,
    },
    /// There are more topics than the kernel has room for.
    #[error("`{kernel}` knows {known} topics, and has room for no more: {}", remedy(*known))]
    TooMany {
        /// The kernel that publishes.
        kernel: String,
        /// How many it knows.
        known: u32,
    },
    /// Two names have the same hash.
    #[error("the topics `{name}` and `{other}` have the same hash: rename one of them")]
    SameHash {
        /// The new name.
        name: String,
        /// The one that is known.
        other: String,
    },
    /// The kernel has been connected anew, or disconnected.
    #[error(
        "`{kernel}` was connected anew, or disconnected: use what its last connect_topics(..) has returned"
    )]
    Stale {
        /// The kernel that publishes.
        kernel: String,
    },
    /// The kernel has terminated.
    #[error("`{kernel}` has terminated: launch it again")]
    Gone {
        /// The kernel that published.
        kernel: String,
    },
}

crate::error::debug_in_words!(TopicError);

fn remedy(known: u32) -> String {
    match known {
        LaunchOptions::MAX_TOPICS.. => "share the topics among several kernels".into(),
        known => {
            format!("launch it with LaunchOptions::topics({})", (2 * known).min(LaunchOptions::MAX_TOPICS))
        }
    }
}

/// A pattern, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Pattern(Box<[Box<str>]>);

impl Pattern {
    fn of(pattern: &str) -> Option<Self> {
        let words: Box<[Box<str>]> = pattern.split('.').map(Box::from).collect();
        let is_word =
            |word: &str| matches!(word, "*" | "#") || !word.is_empty() && !word.contains(['*', '#']);
        words.iter().all(|word| is_word(word)).then_some(Self(words))
    }

    /// The name that it is, if it takes one alone.
    fn name(&self) -> Option<String> {
        let is_name = !self.0.iter().any(|word| matches!(&**word, "*" | "#"));
        is_name.then(|| self.0.join("."))
    }

    fn takes(&self, name: &str) -> bool {
        let words: Vec<&str> = name.split('.').collect();
        // Which rests of the name the words of the pattern so far leave over: by how many of its words are used up.
        let mut used = vec![false; words.len() + 1];
        used[0] = true;
        for pattern in &self.0 {
            let mut next = vec![false; words.len() + 1];
            match &**pattern {
                "#" => {
                    let first = used.iter().position(|used| *used).unwrap_or(next.len());
                    next[first..].fill(true);
                }
                pattern => {
                    for at in 0..words.len() {
                        next[at + 1] = used[at] && (pattern == "*" || pattern == words[at]);
                    }
                }
            }
            used = next;
        }
        used[words.len()]
    }
}

/// What the host knows of a kernel's table.
pub(crate) struct TopicTable {
    state: Mutex<State>,
    /// See [`LaunchOptions::topics`].
    most: u32,
}

struct State {
    /// Raised whenever the kernel is connected or disconnected.
    version: u64,
    /// The addresses of the kernels that it publishes to, by their places.
    peers: Vec<u64>,
    /// What blocks see, and which name each entry has.
    entries: Box<[(u64, Option<Box<str>>)]>,
    known: u32,
    /// Which places take what.
    subscriptions: Vec<(Pattern, usize)>,
}

impl TopicTable {
    /// The table of a kernel that publishes.
    pub(crate) fn new(entries: usize, options: &LaunchOptions) -> Self {
        let state = State {
            version: 0,
            peers: Vec::new(),
            entries: vec![(0, None); entries].into(),
            known: 0,
            subscriptions: Vec::new(),
        };
        Self { state: Mutex::new(state), most: options.outbound.topics }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Each change is whole before anything that may panic.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The inactive kernel was connected to those with these addresses, or to nobody: the table is empty again. Returns its
    /// version.
    pub(crate) fn begin(&self, device: &dyn DeviceKernel, peers: Vec<u64>) -> u64 {
        let mut state = self.lock();
        state.version += 1;
        state.subscriptions.clear();
        state.peers = peers;
        state.known = 0;
        for place in 0..state.entries.len() {
            if state.entries[place].0 != 0 {
                state.set(device, place, 0);
                state.entries[place].1 = None;
            }
        }
        state.version
    }
}

/// The host's place in a subscription: the last one, which stands for nobody elsewhere.
const HOST: usize = MOST_PEERS;
const _: () = assert!(annulus_abi::topics::HOST == 1 << HOST);

/// The places in an entry.
const TAKERS: u64 = (1 << PLACES) - 1;

impl State {
    fn set(&mut self, device: &dyn DeviceKernel, place: usize, entry: u64) {
        self.entries[place].0 = entry;
        device.set_topic(place, entry);
    }

    /// The places that take a name.
    fn takers(&self, name: &str) -> u64 {
        let of = self.subscriptions.iter().filter(|(pattern, _)| pattern.takes(name));
        of.fold(0, |takers, (_, place)| takers | 1 << place)
    }

    /// Makes a name known, if it is not. Its entry shows who takes it.
    fn know(
        &mut self,
        device: &dyn DeviceKernel,
        kernel: &str,
        name: &str,
        most: u32,
    ) -> Result<Topic, TopicError> {
        let topic = Topic::of(name);
        match find(topic.bits(), self.entries.len(), |place| self.entries[place].0) {
            Ok((place, _)) => match &self.entries[place].1 {
                Some(other) if **other != *name => {
                    Err(TopicError::SameHash { name: name.into(), other: other.to_string() })
                }
                _ => Ok(topic),
            },
            Err(Some(place)) if self.known < most => {
                self.known += 1;
                self.entries[place].1 = Some(name.into());
                self.set(device, place, topic.bits() | self.takers(name));
                Ok(topic)
            }
            Err(_) => Err(TopicError::TooMany { kernel: kernel.into(), known: self.known }),
        }
    }

    /// Who takes which topic, for those that a pattern takes, after it has come or gone.
    fn renew(&mut self, device: &dyn DeviceKernel, changed: &Pattern) {
        for place in 0..self.entries.len() {
            let (entry, Some(name)) = &self.entries[place] else { continue };
            if changed.takes(name) {
                let entry = entry & !TAKERS | self.takers(name);
                self.set(device, place, entry);
            }
        }
    }
}

impl Topics {
    /// The topics of a kernel that was connected when its table got this version.
    pub(crate) fn of(kernel: &Arc<KernelShared>, version: u64) -> Self {
        Self { kernel: Arc::downgrade(kernel), name: kernel.core().name.clone(), version }
    }

    /// Makes a name known to the kernel, so that [patterns](Self::subscribe) take it. A name that is the pattern of a
    /// subscription is known from then on; giving one twice does no harm. It stays known until the kernel is connected
    /// anew, also when nobody takes it any more.
    ///
    /// # Errors
    ///
    /// [`TopicError`]; nothing was changed then.
    pub fn name(&self, name: &str) -> Result<Topic, TopicError> {
        let name = known(name)?;
        self.change(|state, device, most| state.know(device, &self.name, &name, most))
    }

    /// From now on the kernel with this address takes what is published on these topics. It must be one of those that
    /// [`connect_topics`](KernelHandle::connect_topics) was given.
    ///
    /// A pattern is the name of a topic, or has wildcards in the place of words: `*` stands for one word, `#` for any
    /// number of them, also none. Wildcards take the names that the kernel [knows](Self::name), now and later. However many
    /// patterns take a topic for one kernel, it gets one copy.
    ///
    /// # Errors
    ///
    /// [`TopicError`]; nothing was changed then.
    pub fn subscribe<M: RingMessage>(&self, pattern: &str, peer: Peer<M>) -> Result<(), TopicError> {
        self.subscribe_address(pattern, peer.bits())
    }

    /// [`subscribe`](Self::subscribe) by the bits of an address.
    pub(crate) fn subscribe_address(&self, pattern: &str, address: u64) -> Result<(), TopicError> {
        self.add(pattern, |state| self.place(state, address))
    }

    /// From now on the host takes what is published on these topics, as a kernel that
    /// [subscribes](Self::subscribe): the kernel that publishes also sends it to the host, which receives it with its topic,
    /// as what a kernel sends that is not connected ([`KernelHandle::recv`], and the like).
    ///
    /// However many patterns take a topic, the host gets one copy. A host that listens has to receive: while the kernel has no room
    /// for what it sends to the host, it takes no message.
    ///
    /// ```
    /// # extern crate annulus_runtime as annulus;
    /// # use annulus::prelude::*;
    /// # use annulus_runtime::Noop;
    /// # #[derive(RingMessage, Clone, Copy)]
    /// # #[repr(C)]
    /// # struct Line {
    /// #     room: Topic,
    /// #     number: u32,
    /// # }
    /// # #[ring_kernel]
    /// # fn chat(line: &Line, rooms: &Outbox<Published<Line>>) {
    /// #     rooms.send(Published { topic: line.room, message: *line });
    /// # }
    /// # let runtime = Runtime::builder().backend(Noop).build()?;
    /// let chat = chat::launch(&runtime, LaunchOptions::production().connectable(true).active(false))?;
    /// let topics = chat.connect_topics(&[])?; // no kernel takes any
    /// topics.listen("room.garden")?;
    /// assert!(topics.known()?[0].host);
    /// chat.activate_blocking()?;
    /// assert!(topics.unlisten("room.garden")?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`TopicError`]; nothing was changed then.
    pub fn listen(&self, pattern: &str) -> Result<(), TopicError> {
        self.add(pattern, |_| Ok(HOST))
    }

    /// The host takes these topics no more. Returns whether it [listened](Self::listen) by this very pattern. Copies that were made before
    /// are still received.
    ///
    /// # Errors
    ///
    /// [`TopicError`]; nothing was changed then.
    pub fn unlisten(&self, pattern: &str) -> Result<bool, TopicError> {
        self.take_back(pattern, |_| Ok(HOST))
    }

    fn add(
        &self,
        pattern: &str,
        place: impl FnOnce(&State) -> Result<usize, TopicError>,
    ) -> Result<(), TopicError> {
        let parsed = parse(pattern)?;
        self.change(|state, device, most| {
            let subscription = (parsed.clone(), place(state)?);
            if let Some(name) = parsed.name() {
                state.know(device, &self.name, &name, most)?;
            }
            if !state.subscriptions.contains(&subscription) {
                state.subscriptions.push(subscription);
            }
            state.renew(device, &parsed);
            Ok(())
        })
    }

    /// Takes a subscription back. Returns whether there was one with this very pattern. Copies that were made before are
    /// still delivered.
    ///
    /// # Errors
    ///
    /// [`TopicError`]; nothing was changed then.
    pub fn unsubscribe<M: RingMessage>(&self, pattern: &str, peer: Peer<M>) -> Result<bool, TopicError> {
        self.take_back(pattern, |state| self.place(state, peer.bits()))
    }

    fn take_back(
        &self,
        pattern: &str,
        place: impl FnOnce(&State) -> Result<usize, TopicError>,
    ) -> Result<bool, TopicError> {
        let parsed = parse(pattern)?;
        self.change(|state, device, _| {
            let subscription = (parsed.clone(), place(state)?);
            let before = state.subscriptions.len();
            state.subscriptions.retain(|other| *other != subscription);
            state.renew(device, &parsed);
            Ok(state.subscriptions.len() != before)
        })
    }

    /// The topics that the kernel knows, by name.
    ///
    /// # Errors
    ///
    /// [`TopicError`]: the kernel is gone, or was connected anew.
    pub fn known(&self) -> Result<Vec<TopicStatus>, TopicError> {
        let shared = self.kernel.upgrade().ok_or_else(|| self.gone())?;
        let targets = shared.links.known();
        let name_of = |place: usize| {
            let target = targets.targets.iter().find(|target| target.outbox == place)?;
            Some(target.kernel.upgrade()?.core().name.clone())
        };
        let mut topics = self.change(|state, _, _| {
            let of = state.entries.iter().filter_map(|(entry, name)| Some((entry & TAKERS, name.as_ref()?)));
            Ok(of.map(|(takers, name)| (takers, name.to_string())).collect::<Vec<_>>())
        })?;
        topics.sort_unstable_by(|one, other| one.1.cmp(&other.1));
        let status = |(places, name): (u64, String)| {
            let takes = |place: &usize| places >> place & 1 != 0;
            let takers = (0..MOST_PEERS).filter(takes).map(name_of).collect();
            TopicStatus { name, takers, host: takes(&HOST) }
        };
        Ok(topics.into_iter().map(status).collect())
    }

    fn place(&self, state: &State, address: u64) -> Result<usize, TopicError> {
        let kernel = self.name.clone();
        let place = state.peers.iter().position(|peer| *peer == address);
        place.ok_or(TopicError::NotConnected { kernel, address })
    }

    fn gone(&self) -> TopicError {
        TopicError::Gone { kernel: self.name.clone() }
    }

    /// Changes the table, or looks at it.
    fn change<T>(
        &self,
        change: impl FnOnce(&mut State, &dyn DeviceKernel, u32) -> Result<T, TopicError>,
    ) -> Result<T, TopicError> {
        let shared = self.kernel.upgrade().ok_or_else(|| self.gone())?;
        let table = shared.topics.as_ref().expect("only kernels that publish have topics");
        let device = LinkTarget::device(&*shared)
            .filter(|_| !shared.core().is_finished())
            .ok_or_else(|| self.gone())?;
        let mut state = table.lock();
        if state.version != self.version {
            return Err(TopicError::Stale { kernel: self.name.clone() });
        }
        change(&mut state, device, table.most)
    }
}

impl Clone for Topics {
    fn clone(&self) -> Self {
        Self { kernel: Weak::clone(&self.kernel), name: self.name.clone(), version: self.version }
    }
}

impl std::fmt::Debug for Topics {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Topics").field("kernel", &self.name).finish_non_exhaustive()
    }
}

/// What is wrong with a pattern.
pub(crate) fn check_pattern(pattern: &str) -> Result<(), TopicError> {
    parse(pattern).map(drop)
}

/// What is wrong with a topic's name.
pub(crate) fn check_name(name: &str) -> Result<(), TopicError> {
    known(name).map(drop)
}

/// A topic's name as it is kept.
fn known(name: &str) -> Result<String, TopicError> {
    let known = Pattern::of(name).and_then(|pattern| pattern.name());
    known.ok_or_else(|| TopicError::Name { name: name.into() })
}

fn parse(pattern: &str) -> Result<Pattern, TopicError> {
    Pattern::of(pattern).ok_or_else(|| TopicError::Pattern { pattern: pattern.into() })
}

impl<K: RingKernel> KernelHandle<K> {
    /// From now on, a copy of each output goes to each of these kernels that takes its topic; the backpressure is Block.
    /// See [`connect_topics_with`](Self::connect_topics_with).
    ///
    /// ```
    /// # extern crate annulus_runtime as annulus;
    /// use annulus::prelude::*;
    /// # use annulus_runtime::Noop;
    ///
    /// #[derive(RingMessage, Clone, Copy)]
    /// #[repr(C)]
    /// struct Line {
    ///     room: Topic,
    ///     number: u32,
    /// }
    ///
    /// #[ring_kernel]
    /// fn show(line: &Line, shown: &Outbox<Line>) {
    ///     shown.send(*line);
    /// }
    ///
    /// #[ring_kernel]
    /// fn chat(line: &Line, rooms: &Outbox<Published<Line>>) {
    ///     rooms.send(Published { topic: line.room, message: *line });
    /// }
    ///
    /// # let runtime = Runtime::builder().backend(Noop).build()?;
    /// let options = LaunchOptions::production().connectable(true);
    /// let [anna, bert] = ["anna", "bert"].map(|name| show::launch(&runtime, options.clone().name(name)));
    /// let (anna, bert) = (anna?, bert?);
    /// let chat = chat::launch(&runtime, options.active(false))?;
    /// let topics = chat.connect_topics(&[anna.peer(), bert.peer()])?;
    /// topics.subscribe("room.garden", anna.peer())?;
    /// topics.subscribe("room.*", bert.peer())?;
    /// chat.activate_blocking()?;
    /// # let _ = chat.send_blocking(Line { room: Topic::of("room.garden"), number: 7 })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As for that method.
    pub fn connect_topics(
        &self,
        peers: &[Peer<<K::Output as ByTopic>::Message>],
    ) -> Result<Topics, ConnectError>
    where
        K: RingKernel<Output: ByTopic>,
    {
        let peers: Vec<_> = peers.iter().map(|&peer| (peer, Backpressure::Block)).collect();
        self.connect_topics_with(&peers)
    }

    /// From now on, a copy of each output goes to each of these kernels that takes its topic, of which there are 15 at
    /// most. Nobody takes anything until it is [subscribed](Topics::subscribe). What is published on a topic that nobody
    /// takes is lost, and [counted](Self::peers). It holds until [`disconnect`](Self::disconnect).
    ///
    /// What [`connect_with`](Self::connect_with) says of a link holds for each of these: this kernel must be inactive, and
    /// all are connectable. A copy that waits for room in its kernel holds back none for another; but its shard takes no
    /// message meanwhile. Under Reject it is lost instead, for that kernel alone. Copies of one sending actor for one
    /// receiving actor keep their order.
    ///
    /// # Errors
    ///
    /// [`ConnectError`]; nothing was changed then. The address of a kernel of another runtime of this process is refused as
    /// that: [`ConnectError::OtherRuntime`]. Copies that wait are for those that took their topics when they were
    /// sent: while there are some, a kernel is not connected to others.
    pub fn connect_topics_with(
        &self,
        peers: &[(Peer<<K::Output as ByTopic>::Message>, Backpressure)],
    ) -> Result<Topics, ConnectError>
    where
        K: RingKernel<Output: ByTopic>,
    {
        let changes = self.changes_to(peers)?;
        let source: &Arc<KernelShared> = self.shared_arc();
        // SAFETY: each of these takes the message of an output, or has a variant that does, and so says the link.
        let version = unsafe { source.change_links(changes, None) }?;
        Ok(Topics::of(source, version))
    }
}

#[cfg(test)]
mod tests {
    use std::{any::Any, mem::MaybeUninit};

    use super::*;
    use crate::backend::BackendError;

    /// The same by trying everything.
    fn takes(pattern: &[&str], name: &[&str]) -> bool {
        match pattern.split_first() {
            None => name.is_empty(),
            Some((&"#", rest)) => (0..=name.len()).any(|skip| takes(rest, &name[skip..])),
            Some((&word, rest)) => {
                let first = name.split_first();
                first.is_some_and(|(first, name)| (word == "*" || word == *first) && takes(rest, name))
            }
        }
    }

    /// Two names whose hashes are the same, found by trying nine million.
    #[test]
    fn k07_names_with_one_hash_are_refused() {
        let [one, other] = ["topic.509193", "topic.8920456"];
        assert_eq!(Topic::of(one), Topic::of(other));
        let options = LaunchOptions::default();
        let table = TopicTable::new(8, &options);
        let mut state = table.lock();
        assert_eq!(state.know(&Nowhere, "chat", one, 64), Ok(Topic::of(one)));
        assert_eq!(state.know(&Nowhere, "chat", one, 64), Ok(Topic::of(one)));
        let error = TopicError::SameHash { name: other.into(), other: one.into() };
        assert_eq!(state.know(&Nowhere, "chat", other, 64), Err(error));
        assert_eq!(state.known, 1);
    }

    /// A kernel that keeps nothing.
    struct Nowhere;

    impl DeviceKernel for Nowhere {
        fn wake(&self, _: u32) {}

        unsafe fn read_states(&self, _: u32, _: &mut [MaybeUninit<u8>]) -> Result<(), BackendError> {
            unreachable!("it has none")
        }

        unsafe fn write_states(&self, _: u32, _: &[MaybeUninit<u8>]) -> Result<(), BackendError> {
            unreachable!("it has none")
        }

        unsafe fn read_actors(&self, _: u32, _: &mut [u64]) -> Result<(), BackendError> {
            unreachable!("it has none")
        }

        unsafe fn write_actors(&self, _: u32, _: &[u64]) -> Result<(), BackendError> {
            unreachable!("it has none")
        }

        unsafe fn read_binding(&self, _: usize, _: &mut [MaybeUninit<u8>]) -> Result<(), BackendError> {
            unreachable!("it has none")
        }

        unsafe fn write_binding(&self, _: usize, _: &[MaybeUninit<u8>]) -> Result<(), BackendError> {
            unreachable!("it has none")
        }

        fn set_topic(&self, _: usize, _: u64) {}

        fn as_any(&self) -> &dyn Any {
            self
        }
    }

    #[test]
    fn k05_patterns_take_what_the_definition_says() {
        let words = ["a", "b", "*", "#"];
        let mut both = [0, 0];
        let all = |most: u32, words: &[&'static str]| {
            let mut rows: Vec<Vec<&'static str>> = vec![vec![]];
            let mut found = Vec::new();
            for _ in 0..most {
                rows = rows
                    .iter()
                    .flat_map(|row| words.iter().map(|word| [row.as_slice(), &[*word]].concat()))
                    .collect();
                found.extend(rows.iter().cloned());
            }
            found
        };
        let names = all(4, &words[..2]);
        for pattern in all(4, &words) {
            let parsed = Pattern::of(&pattern.join(".")).unwrap();
            assert_eq!(parsed.name().is_some(), !pattern.contains(&"*") && !pattern.contains(&"#"));
            for name in &names {
                let expected = takes(&pattern, name);
                assert_eq!(parsed.takes(&name.join(".")), expected, "{pattern:?} {name:?}");
                both[usize::from(expected)] += 1;
            }
        }
        assert!(both[0] > 1000 && both[1] > 1000, "{both:?}");
        for refused in ["", ".", "a.", ".a", "a..b", "a*", "#b", "a.b#"] {
            assert_eq!(Pattern::of(refused), None, "{refused}");
        }
    }
}
