//! A pool of objects that are expensive to make: made in advance, lent, cleared and used again, without a
//! lock.
//!
//! # What it promises
//!
//! - **A fixed stock.** [`Pool::new`] makes 256 objects at once. As long as no more than that are lent out
//!   (including those that are just being lent or returned), nothing is made and nothing is dropped.
//! - **It never refuses.** When all are lent out, `get` makes one more, and counts it as
//!   [`overflowed`](PoolCounters::overflowed).
//! - **It never grows.** An object that comes back to a full pool is dropped, and counted as
//!   [`surplus`](PoolCounters::surplus).
//! - **Objects come back clean.** The reset closure runs when an object is returned, before anyone else can
//!   get it. This holds for every way to return it, also when the stack unwinds.
//! - **Lock-free**, except for the code that makes, resets and drops objects: it is a [`Stack`].
//!
//! # What it does not promise
//!
//! - *Which object.* Usually the one that was returned last, since that is still in the cache.
//! - *That the stock stays whole.* An object never comes back if its guard is [detached](Pooled::detach) or
//!   forgotten, or if the reset closure panics. A later `get` that finds none makes a new object and counts
//!   it as overflowed. When that object is returned, it takes the free place. So the pool repairs itself.
//!
//! # Why a return finds a place
//!
//! Every object that is not lent out has its own place of the [`Stack`], from before the push that returns it
//! to after the pop that lends it. With N places and no more than N objects, at most N - 1 other objects can
//! have a place while one is being returned; so one place is free. In the same way, a `get` does not find the
//! stack empty while no more than N - 1 other objects are lent out or moving.
//!
//! ```
//! use annulus_queue::pool::Pool;
//!
//! let buffers = Pool::new(|| Vec::<u8>::with_capacity(4096)).on_return(Vec::clear);
//! let mut buffer = buffers.get();
//! buffer.extend_from_slice(b"message");
//! drop(buffer); // cleared, and back
//! assert!(buffers.get().is_empty());
//! assert_eq!(buffers.counters().overflowed, 0);
//! ```

use std::{
    fmt,
    ops::{Deref, DerefMut},
    sync::Arc,
};

use crate::{counters::Count, stack::Stack};

/// The stock of [`Pool::new`]: that of the object pool in the specification's section "Memory Pool
/// Allocation".
pub const DEFAULT_CAPACITY: u32 = 256;

/// A pool of objects; see the [module](self).
pub struct Pool<T> {
    stock: Stack<T>,
    make: Box<dyn Fn() -> T + Send + Sync>,
    reset: Box<dyn Fn(&mut T) + Send + Sync>,
    overflowed: Count,
    surplus: Count,
}

/// Counts of what a pool could not do from its stock so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct PoolCounters {
    /// Objects made because none was in stock. If this keeps growing, the capacity is too small.
    pub overflowed: u64,
    /// Objects dropped on return because the stock was full.
    pub surplus: u64,
}

impl<T: Send> Pool<T> {
    /// A pool with a stock of [`DEFAULT_CAPACITY`] objects, all made now.
    ///
    /// ```
    /// let pool = annulus_queue::pool::Pool::new(String::new);
    /// assert_eq!(pool.capacity(), 256);
    /// ```
    pub fn new(make: impl Fn() -> T + Send + Sync + 'static) -> Self {
        Self::with_capacity(DEFAULT_CAPACITY, make)
    }

    /// A pool with a stock of `capacity` objects, all made now. With 0, all are made when needed and dropped
    /// on return.
    ///
    /// ```
    /// let pool = annulus_queue::pool::Pool::with_capacity(1, String::new);
    /// let (_one, _two) = (pool.get(), pool.get());
    /// assert_eq!(pool.counters().overflowed, 1);
    /// ```
    pub fn with_capacity(capacity: u32, make: impl Fn() -> T + Send + Sync + 'static) -> Self {
        let stock = Stack::new(capacity);
        // Ends when the stock refuses an object: nobody takes from it yet.
        while !stock.is_full() && stock.push(make()).is_ok() {}
        Self {
            stock,
            make: Box::new(make),
            reset: Box::new(|_| ()),
            overflowed: Count::default(),
            surplus: Count::default(),
        }
    }

    /// Sets `reset`, which clears every object when it is returned. By default, objects are left as they are.
    ///
    /// If `reset` panics, the object is dropped, and the panic continues in the code that dropped the guard.
    ///
    /// ```
    /// # use annulus_queue::pool::Pool;
    /// let pool = Pool::with_capacity(1, || 0).on_return(|number| *number = 0);
    /// *pool.get() += 1;
    /// assert_eq!(*pool.get(), 0);
    /// ```
    pub fn on_return(mut self, reset: impl Fn(&mut T) + Send + Sync + 'static) -> Self {
        self.reset = Box::new(reset);
        self
    }

    /// Lends an object, which comes back when the guard is dropped. Makes one if none is in stock.
    ///
    /// ```
    /// let pool = annulus_queue::pool::Pool::new(|| vec![0_u8; 64]);
    /// let mut buffer = pool.get();
    /// buffer[0] = 1;
    /// ```
    #[inline]
    pub fn get(&self) -> Pooled<T, &Self> {
        Pooled { object: Some(self.take()), pool: self }
    }

    /// [`get`](Self::get) with a guard that keeps the pool alive, so that it can be moved anywhere: into a
    /// message, or to another thread.
    ///
    /// ```
    /// use std::{sync::Arc, thread};
    /// use annulus_queue::pool::Pool;
    ///
    /// let pool = Arc::new(Pool::new(|| vec![0_u8; 64]));
    /// let buffer = Pool::get_owned(&pool);
    /// thread::spawn(move || drop(buffer)).join().unwrap();
    /// ```
    pub fn get_owned(pool: &Arc<Self>) -> Pooled<T, Arc<Self>> {
        Pooled { object: Some(pool.take()), pool: Arc::clone(pool) }
    }

    #[inline]
    fn take(&self) -> T {
        self.stock.pop().unwrap_or_else(|| self.overflow())
    }

    #[cold]
    fn overflow(&self) -> T {
        let object = (self.make)();
        self.overflowed.add_one();
        object
    }
}

impl<T> Pool<T> {
    /// How many objects the stock holds at most. Never changes.
    ///
    /// ```
    /// let pool = annulus_queue::pool::Pool::with_capacity(8, String::new);
    /// assert_eq!(pool.capacity(), 8);
    /// ```
    pub fn capacity(&self) -> u32 {
        self.stock.capacity()
    }

    /// Counts of what the pool could not do from its stock so far. Exact when nobody gets or returns. Both
    /// figures only grow.
    ///
    /// ```
    /// let pool = annulus_queue::pool::Pool::with_capacity(1, String::new);
    /// drop((pool.get(), pool.get()));
    /// let counters = pool.counters();
    /// assert_eq!((counters.overflowed, counters.surplus), (1, 1));
    /// ```
    pub fn counters(&self) -> PoolCounters {
        PoolCounters { overflowed: self.overflowed.get(), surplus: self.surplus.get() }
    }
}

impl<T> fmt::Debug for Pool<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pool")
            .field("capacity", &self.capacity())
            .field("counters", &self.counters())
            .finish_non_exhaustive()
    }
}

/// An object lent from a [`Pool`]. It returns to the pool when this is dropped.
///
/// `P` is how the pool is held: `&Pool<T>` or `Arc<Pool<T>>`.
pub struct Pooled<T, P: Deref<Target = Pool<T>>> {
    /// `Some` until this is dropped or detached.
    object: Option<T>,
    pool: P,
}

/// Why `object` is `Some`: only `detach` and `drop` take it, and after them the guard no longer exists.
const LENT: &str = "a guard has its object until it is detached or dropped";

impl<T, P: Deref<Target = Pool<T>>> Pooled<T, P> {
    /// Takes the object out of the pool for ever. The pool makes another one when it needs one.
    ///
    /// ```
    /// let pool = annulus_queue::pool::Pool::with_capacity(1, || 7);
    /// let seven: i32 = pool.get().detach();
    /// assert_eq!(seven, 7);
    /// ```
    pub fn detach(mut self) -> T {
        self.object.take().expect(LENT)
    }
}

impl<T, P: Deref<Target = Pool<T>>> Deref for Pooled<T, P> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        self.object.as_ref().expect(LENT)
    }
}

impl<T, P: Deref<Target = Pool<T>>> DerefMut for Pooled<T, P> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        self.object.as_mut().expect(LENT)
    }
}

impl<T, P: Deref<Target = Pool<T>>> Drop for Pooled<T, P> {
    fn drop(&mut self) {
        let Some(mut object) = self.object.take() else { return };
        (self.pool.reset)(&mut object);
        if let Err(surplus) = self.pool.stock.push(object) {
            self.pool.surplus.add_one();
            drop(surplus);
        }
    }
}

impl<T: fmt::Debug, P: Deref<Target = Pool<T>>> fmt::Debug for Pooled<T, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}
