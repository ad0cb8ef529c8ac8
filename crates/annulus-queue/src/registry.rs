//! Queues by name.

use std::{
    any::{Any, type_name},
    collections::BTreeMap,
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Instant,
};

use crate::{Clock, InvalidOptions, Message, MessageQueue, QueueOptions, QueueStatus, short::short_both};

/// Named queues of one scope, such as a kernel: a registry makes them, finds them by name and type, lists
/// them, and closes them together.
///
/// A name stands for one queue and one message type. A registry closes its queues when it is dropped; handles
/// that were given out stay valid, so queued messages can still be received.
///
/// ```
/// use annulus_queue::{QueueOptions, Registry, SendError};
///
/// let registry = Registry::new();
/// let commands = registry.create::<u32>(QueueOptions::production().name("commands"))?;
/// let events = registry.create::<String>(QueueOptions::production().name("events"))?;
///
/// let _ = registry.get::<u32>("commands")?.send_blocking(7)?;
/// let wrong = registry.get::<u32>("events").unwrap_err();
/// assert!(wrong.to_string().contains("String") && wrong.to_string().contains("u32"));
///
/// drop(registry);
/// assert_eq!(commands.recv_blocking(), Ok(7));
/// assert_eq!(commands.send_blocking(8), Err(SendError::Closed(8)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Registry {
    queues: Mutex<Queues>,
    /// How many queues there may be at once.
    limit: usize,
    /// That of the queues that it makes.
    clock: Clock,
}

#[derive(Default)]
struct Queues {
    by_name: BTreeMap<String, Arc<dyn Listed>>,
    closed: bool,
}

/// A queue of any message type.
trait Listed: Any + Send + Sync {
    fn status(&self, name: &str) -> QueueStatus;
    fn close(&self) -> bool;
    fn message(&self) -> &'static str;
}

impl<T: Message + Send + 'static> Listed for MessageQueue<T> {
    fn status(&self, name: &str) -> QueueStatus {
        let (high_water, high_water_certain) = self.high_water();
        let counters = self.counters();
        QueueStatus {
            name: name.to_string(),
            message: self.message(),
            // From the same moment as the counters.
            depth: usize::try_from(counters.depth())
                .map_or(self.capacity(), |depth| depth.min(self.capacity())),
            capacity: self.capacity(),
            backpressure: self.backpressure(),
            closed: self.is_closed(),
            high_water,
            high_water_certain,
            counters,
            memory: self.memory_usage(),
            at: Instant::now(),
        }
    }

    fn close(&self) -> bool {
        self.close()
    }

    fn message(&self) -> &'static str {
        type_name::<T>()
    }
}

impl Registry {
    /// How many queues a registry holds by default: 16.
    pub const DEFAULT_LIMIT: usize = 16;

    /// An empty registry for up to 16 queues.
    ///
    /// ```
    /// assert!(annulus_queue::Registry::new().list().is_empty());
    /// ```
    pub fn new() -> Self {
        Self::with_limit(Self::DEFAULT_LIMIT)
    }

    /// An empty registry for up to `limit` queues.
    ///
    /// ```
    /// # use annulus_queue::{QueueOptions, Registry};
    /// let registry = Registry::with_limit(100);
    /// for i in 0..100 {
    ///     registry.create::<u32>(QueueOptions::low_latency().name(format!("queue {i}")))?;
    /// }
    /// # Ok::<(), annulus_queue::CreateError>(())
    /// ```
    pub fn with_limit(limit: usize) -> Self {
        Self { queues: Mutex::new(Queues::default()), limit, clock: Clock::machine() }
    }

    /// The clock of the queues that it makes from now on, for the age of their messages.
    ///
    /// ```
    /// # use annulus_queue::{Clock, QueueOptions, Registry, TryRecvError};
    /// # use std::time::Duration;
    /// let clock = Clock::manual();
    /// let registry = Registry::new().clock(&clock);
    /// let queue = registry.create(QueueOptions::new().name("orders").expiry(Duration::from_secs(30)))?;
    /// let _ = queue.try_send(7);
    /// clock.advance(Duration::from_secs(31));
    /// assert_eq!(queue.try_recv(), Err(TryRecvError::Empty));
    /// # Ok::<(), annulus_queue::CreateError>(())
    /// ```
    pub fn clock(mut self, clock: &Clock) -> Self {
        self.clock = clock.clone();
        self
    }

    /// Makes a queue under the name in its options, and returns a handle of it.
    ///
    /// ```
    /// # use annulus_queue::{QueueOptions, Registry};
    /// let registry = Registry::new();
    /// let queue = registry.create::<u32>(QueueOptions::new().name("orders"))?;
    /// let taken = registry.create::<String>(QueueOptions::new().name("orders")).unwrap_err();
    /// assert!(taken.to_string().contains("u32") && taken.to_string().contains("String"));
    /// # Ok::<(), annulus_queue::CreateError>(())
    /// ```
    pub fn create<T: Message + Send + 'static>(
        &self,
        options: QueueOptions,
    ) -> Result<MessageQueue<T>, CreateError> {
        let queue =
            MessageQueue::builder(options).clock(&self.clock).build().map_err(CreateError::Options)?;
        self.register(&queue)?;
        Ok(queue)
    }

    /// Adds a queue that was made elsewhere, under its own name.
    ///
    /// ```
    /// # use annulus_queue::{DeadLetters, MessageQueue, QueueOptions, Registry};
    /// # use std::time::Duration;
    /// let options = QueueOptions::new().name("orders").expiry(Duration::from_secs(30));
    /// let queue = MessageQueue::<u32>::builder(options).dead_letters(&DeadLetters::new()).build()?;
    /// let registry = Registry::new();
    /// registry.register(&queue)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn register<T: Message + Send + 'static>(&self, queue: &MessageQueue<T>) -> Result<(), CreateError> {
        let Some(name) = queue.name() else { return Err(CreateError::Unnamed) };
        let mut queues = self.lock();
        if queues.closed {
            return Err(CreateError::Closed);
        }
        if let Some(existing) = queues.by_name.get(name) {
            return Err(CreateError::Taken {
                name: name.to_string(),
                registered: existing.message(),
                asked: type_name::<T>(),
            });
        }
        if queues.by_name.len() >= self.limit {
            return Err(CreateError::TooMany { limit: self.limit });
        }
        queues.by_name.insert(name.to_string(), Arc::new(queue.clone()));
        Ok(())
    }

    /// A handle of the queue of this name, whose messages must be of type `T`.
    ///
    /// ```
    /// # use annulus_queue::{LookUpError, Registry};
    /// assert!(matches!(Registry::new().get::<u32>("orders"), Err(LookUpError::Unknown { .. })));
    /// ```
    pub fn get<T: Message + Send + 'static>(&self, name: &str) -> Result<MessageQueue<T>, LookUpError> {
        let queues = self.lock();
        let Some(queue) = queues.by_name.get(name) else {
            return Err(LookUpError::Unknown { name: name.to_string() });
        };
        let any: &dyn Any = &**queue;
        any.downcast_ref::<MessageQueue<T>>().cloned().ok_or_else(|| LookUpError::WrongType {
            name: name.to_string(),
            registered: queue.message(),
            asked: type_name::<T>(),
        })
    }

    /// The status of all queues, in the order of their names. It reads one queue after the other, while
    /// others send and receive.
    ///
    /// ```
    /// # use annulus_queue::{QueueOptions, Registry};
    /// let registry = Registry::new();
    /// let queue = registry.create(QueueOptions::new().name("orders"))?;
    /// let _ = queue.try_send(7);
    /// let status = &registry.list()[0];
    /// assert_eq!((status.name.as_str(), status.depth, status.message), ("orders", 1, "i32"));
    /// # Ok::<(), annulus_queue::CreateError>(())
    /// ```
    pub fn list(&self) -> Vec<QueueStatus> {
        self.lock().by_name.iter().map(|(name, queue)| queue.status(name)).collect()
    }

    /// Closes the queue of this name and removes it. Returns whether there was one. Its name is free again.
    /// Handles of it stay valid.
    ///
    /// ```
    /// # use annulus_queue::{QueueOptions, Registry};
    /// let registry = Registry::new();
    /// let queue = registry.create::<u32>(QueueOptions::new().name("orders"))?;
    /// assert!(registry.remove("orders"));
    /// assert!(queue.is_closed());
    /// assert!(!registry.remove("orders"));
    /// # Ok::<(), annulus_queue::CreateError>(())
    /// ```
    pub fn remove(&self, name: &str) -> bool {
        let removed = self.lock().by_name.remove(name);
        // Closing wakes all waiters, so it is done after the lock is released.
        removed.map(|queue| queue.close()).is_some()
    }

    /// Closes every queue, and accepts no new ones. Returns how many queues were open. They stay listed, and
    /// queued messages can be received. Dropping the registry does the same.
    ///
    /// ```
    /// # use annulus_queue::{CreateError, QueueOptions, Registry};
    /// let registry = Registry::new();
    /// let queue = registry.create::<u32>(QueueOptions::new().name("orders"))?;
    /// assert_eq!(registry.close(), 1);
    /// assert!(queue.is_closed());
    /// let late = registry.create::<u32>(QueueOptions::new().name("late"));
    /// assert!(matches!(late, Err(CreateError::Closed)));
    /// # Ok::<(), CreateError>(())
    /// ```
    pub fn close(&self) -> usize {
        let queues: Vec<_> = {
            let mut queues = self.lock();
            queues.closed = true;
            queues.by_name.values().cloned().collect()
        };
        queues.iter().filter(|queue| queue.close()).count()
    }

    /// The map is whole at every point where a panic could poison its lock, so poison can be ignored.
    fn lock(&self) -> MutexGuard<'_, Queues> {
        self.queues.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Default for Registry {
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for Registry {
    fn drop(&mut self) {
        self.close();
    }
}

impl fmt::Debug for Registry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The formatter is the program's code, so it is not called under the lock.
        let (names, closed) = {
            let queues = self.lock();
            (queues.by_name.keys().cloned().collect::<Vec<_>>(), queues.closed)
        };
        f.debug_struct("Registry")
            .field("queues", &names)
            .field("limit", &self.limit)
            .field("closed", &closed)
            .finish()
    }
}

/// Why a registry did not take a queue.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CreateError {
    /// The queue has no name.
    Unnamed,
    /// The options are invalid.
    Options(InvalidOptions),
    /// There is a queue of that name.
    Taken {
        /// The name.
        name: String,
        /// The message type of the registered queue.
        registered: &'static str,
        /// The message type of the queue that was to be added.
        asked: &'static str,
    },
    /// The registry is full.
    TooMany {
        /// How many queues it holds.
        limit: usize,
    },
    /// The registry is closed.
    Closed,
}

/// Why a registry did not find a queue.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LookUpError {
    /// There is no queue of that name.
    Unknown {
        /// The name.
        name: String,
    },
    /// The queue of that name has another message type.
    WrongType {
        /// The name.
        name: String,
        /// The message type of the registered queue.
        registered: &'static str,
        /// The message type that was asked for.
        asked: &'static str,
    },
}

impl fmt::Display for CreateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unnamed => f.write_str("a registered queue needs a name: give its options one"),
            Self::Options(invalid) => invalid.fmt(f),
            Self::Taken { name, registered, asked } => {
                let (registered, asked) = short_both(registered, asked);
                write!(
                    f,
                    "there is a queue \"{name}\" of {registered} already, so none of {asked} was made: choose another \
                     name"
                )
            }
            Self::TooMany { limit } => write!(
                f,
                "the registry has its {limit} queues: remove one, or make it with `Registry::with_limit`"
            ),
            Self::Closed => f.write_str("the registry is closed to new queues"),
        }
    }
}

impl fmt::Display for LookUpError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown { name } => write!(f, "there is no queue \"{name}\""),
            Self::WrongType { name, registered, asked } => {
                let (registered, asked) = short_both(registered, asked);
                write!(f, "the queue \"{name}\" is of {registered}, and not of {asked}")
            }
        }
    }
}

impl std::error::Error for CreateError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Options(invalid) => Some(invalid),
            _ => None,
        }
    }
}

impl std::error::Error for LookUpError {}
