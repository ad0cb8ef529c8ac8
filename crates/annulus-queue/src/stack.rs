//! A bounded lock-free stack: last in, first out, from any thread to any thread.
//!
//! # What it promises
//!
//! - **Whole values, once.** A pushed value is popped, given back or dropped exactly once, and only after it
//!   was completely written.
//! - **Lock-free.** A thread that is stopped at any point does not keep others from pushing and popping. It
//!   only occupies the one place that it was working on.
//! - **No allocation** after [`Stack::new`], and no recursion when it is dropped.
//! - **No ABA problem**, without a garbage collector: see below.
//!
//! # What it does not promise
//!
//! - *Exact fullness at every instant.* A place counts as taken while a push or pop is copying. So a push may
//!   be refused, or a pop may find nothing, because of calls that have not returned. Calls that have returned
//!   are counted exactly.
//! - *Fairness.* The last comes first. A thread that loses a race tries again, and may lose again.
//! - *Waiting.* Nobody sleeps here. For that, use a [`queue`](crate::queue()).
//!
//! # Protocol
//!
//! The values lie in a slab of nodes, allocated once. Two lists link the nodes by index: *full*, of nodes
//! that hold values, and *free*, of the others. A node is on one list or is owned by one call. `push` takes a
//! node off *free*, writes the value, and puts the node on *full*; `pop` does the reverse.
//!
//! | word | written by |
//! |---|---|
//! | a list's `top`: index of the first node, and a tag | any thread, by compare-and-swap |
//! | a node's `next`: index of the one below it | the node's owner, before it lists the node |
//! | a node's value | the node's owner |
//!
//! **ABA.** A pop reads the top A and the B below it, and swaps A for B. Without tags that goes wrong if A
//! and B left meanwhile and A came back on top of another node: the swap finds A and succeeds, and puts B on
//! the list, although somebody owns B. So every push onto a list adds one to the tag beside its top. For A to
//! be first again after it left, it must be pushed; only pops keep the tag, and pops never bring a node back.
//! So the same index with the same tag means that the list did not change, and the swap fails if any node
//! left in between. (A push needs no such care: whatever happened meanwhile, the new node's `next` is the top
//! that the swap replaces.)
//!
//! The tag has all bits that the index does not need, so at least 32. It fails only if a thread is stopped
//! between the load and the swap while the other threads make an exact multiple of 2^bits pushes. At 100
//! million pushes a second without a pause, that takes:
//!
//! | capacity | tag | time until the tag repeats |
//! |---|---|---|
//! | 255 | 56 bits | 22 years |
//! | 65,535 | 48 bits | 32 days |
//! | 16,777,215 | 40 bits | 3 hours |
//! | 4,294,967,295 | 32 bits | 43 seconds |
//!
//! **Ordering.** Putting a node on a list is a release; taking one off begins with an acquire load of the
//! same `top` (`SYNC: node-listed`). All writes of `top` are read-modify-writes, so that load synchronises
//! with the push of *every* node that was on the list then, not only the first: they are one release
//! sequence. So a popper sees the value and the `next` that the pusher wrote, and the next pusher writes the
//! value only after the popper has read it, by the same edge of the other list. A `next` may be read from a
//! node that was taken meanwhile: it is atomic, and the swap fails.

use std::{fmt, mem::MaybeUninit};

use crate::padded::Padded;
use annulus_sync::{AtomicU32, AtomicU64, Ordering, UnsafeCell, wait::Backoff};

/// A bounded lock-free stack; see the [module](self).
///
/// ```
/// let stack = annulus_queue::stack::Stack::new(2);
/// std::thread::scope(|s| {
///     s.spawn(|| stack.push("a"));
///     s.spawn(|| stack.push("b"));
/// });
/// assert_eq!(stack.push("c"), Err("c"));
/// assert!(stack.pop().is_some() && stack.pop().is_some());
/// assert_eq!(stack.pop(), None);
/// ```
pub struct Stack<T> {
    /// The nodes that hold values, the newest first.
    full: Padded<List>,
    /// The nodes that hold no value.
    free: Padded<List>,
    nodes: Box<[Node<T>]>,
}

struct Node<T> {
    /// The node below this one while it is on a list. Written by its owner only.
    next: AtomicU32,
    /// Holds a value while the node is on `full`, and while the calls that put it there or take it off work
    /// on it.
    value: UnsafeCell<MaybeUninit<T>>,
}

// SAFETY: a shared node gives access to its value only to its owner. There is one owner at a time, with a
// happens-before edge from each to the next (`node-listed`). So values only move between threads, which `T:
// Send` allows.
unsafe impl<T: Send> Sync for Node<T> {}

impl<T> Node<T> {
    /// # Safety
    /// The caller owns the node, and it holds no value.
    #[inline]
    unsafe fn write(&self, value: T) {
        self.value.with_mut(|place| {
            // SAFETY: the place is inside the node, so it is aligned and live. The caller owns the node, so
            // nobody else accesses it.
            unsafe { place.write(MaybeUninit::new(value)) }
        });
    }

    /// # Safety
    /// The caller owns the node, it holds a value, and the caller treats it as holding none afterwards.
    #[inline]
    unsafe fn read(&self) -> T {
        self.value.with_mut(|place| {
            // SAFETY: the place is aligned, live, and holds a value; the caller guarantees all of this.
            // Nobody else accesses it, since the caller owns the node. It is read once, since the caller
            // treats it as moved out.
            unsafe { place.cast::<T>().read() }
        })
    }
}

impl<T> Stack<T> {
    /// A stack for exactly `capacity` values; with 0 every push is refused.
    ///
    /// Allocates all of its memory: the value's size and four bytes, rounded up to their alignment, for each
    /// place.
    ///
    /// ```
    /// let stack = annulus_queue::stack::Stack::<u64>::new(1000);
    /// assert_eq!(stack.capacity(), 1000);
    /// ```
    pub fn new(capacity: u32) -> Self {
        Self {
            full: Padded(List::empty(capacity)),
            free: Padded(List::of_all(capacity)),
            nodes: nodes(capacity),
        }
    }

    /// Puts `value` on top. Returns it if all places are taken, also if calls that have not returned yet take
    /// some of them.
    ///
    /// ```
    /// let stack = annulus_queue::stack::Stack::new(1);
    /// assert_eq!(stack.push(1), Ok(()));
    /// assert_eq!(stack.push(2), Err(2));
    /// ```
    #[inline]
    pub fn push(&self, value: T) -> Result<(), T> {
        let Some(index) = self.free.pop(&self.nodes) else { return Err(value) };
        // SAFETY: this call took the node off `free`, so it owns it (the protocol's first lines), and nodes
        // on `free` hold no value.
        unsafe { self.nodes[index as usize].write(value) };
        self.full.push(&self.nodes, index);
        Ok(())
    }

    /// Takes the value on top. `None` if there are no values, apart from those that are just being pushed.
    ///
    /// ```
    /// let stack = annulus_queue::stack::Stack::new(2);
    /// stack.push(1)?;
    /// stack.push(2)?;
    /// assert_eq!((stack.pop(), stack.pop(), stack.pop()), (Some(2), Some(1), None));
    /// # Ok::<(), i32>(())
    /// ```
    #[inline]
    pub fn pop(&self) -> Option<T> {
        let index = self.full.pop(&self.nodes)?;
        // SAFETY: this call took the node off `full`, so it owns it; nodes on `full` hold a value; and it
        // goes to `free` next.
        let value = unsafe { self.nodes[index as usize].read() };
        self.free.push(&self.nodes, index);
        Some(value)
    }

    /// How many values the stack holds at most. Never changes.
    ///
    /// ```
    /// assert_eq!(annulus_queue::stack::Stack::<u8>::new(3).capacity(), 3);
    /// ```
    pub fn capacity(&self) -> u32 {
        // It was made from a `u32`.
        self.nodes.len() as u32
    }

    /// Whether a pop would have found nothing. Other threads may change it at any time.
    ///
    /// ```
    /// let stack = annulus_queue::stack::Stack::new(3);
    /// assert!(stack.is_empty());
    /// let _ = stack.push(1);
    /// assert!(!stack.is_empty());
    /// ```
    pub fn is_empty(&self) -> bool {
        self.full.is_empty()
    }

    /// Whether a push would have been refused. Other threads may change it at any time.
    ///
    /// ```
    /// let stack = annulus_queue::stack::Stack::new(1);
    /// assert!(!stack.is_full());
    /// let _ = stack.push(1);
    /// assert!(stack.is_full());
    /// ```
    pub fn is_full(&self) -> bool {
        self.free.is_empty()
    }
}

impl<T> Drop for Stack<T> {
    fn drop(&mut self) {
        if !std::mem::needs_drop::<T>() {
            return;
        }
        while let Some(index) = self.full.pop(&self.nodes) {
            // SAFETY: nobody else has the stack any more. This took the node off `full`, so it owns the node,
            // which holds a value. No list has the node afterwards, so nobody reads it again.
            drop(unsafe { self.nodes[index as usize].read() });
        }
    }
}

impl<T> fmt::Debug for Stack<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stack")
            .field("capacity", &self.capacity())
            .field("empty", &self.is_empty())
            .finish_non_exhaustive()
    }
}

/// `capacity` nodes without values, each above the next.
fn nodes<T>(capacity: u32) -> Box<[Node<T>]> {
    let next = |index| if index + 1 == capacity { List::mask(capacity) as u32 } else { index + 1 };
    let node = |next| Node { next: AtomicU32::new(next), value: UnsafeCell::new(MaybeUninit::uninit()) };
    (0..capacity).map(next).map(node).collect()
}

/// A list of nodes by index. The module's documentation describes its protocol.
struct List {
    /// The index of the first node, or `mask` if there is none, and above it the tag.
    top: AtomicU64,
    /// The bits of the index. No index is all ones.
    mask: u64,
    /// The amount that a push adds: one, at the tag's position.
    one: u64,
}

impl List {
    fn empty(capacity: u32) -> Self {
        Self::new(capacity, Self::mask(capacity))
    }

    /// A list of all [`nodes`]. If there are no nodes, the mask is zero, so zero means that the list is
    /// empty.
    fn of_all(capacity: u32) -> Self {
        Self::new(capacity, 0)
    }

    fn new(capacity: u32, top: u64) -> Self {
        let mask = Self::mask(capacity);
        Self { top: AtomicU64::new(top), mask, one: mask + 1 }
    }

    /// As many one bits as the capacity has binary digits, at most 32. So the mask is greater than any index.
    fn mask(capacity: u32) -> u64 {
        (1 << (u32::BITS - capacity.leading_zeros())) - 1
    }

    /// Puts a node on the list. The caller must own it; otherwise two calls would own it.
    #[inline]
    fn push<T>(&self, nodes: &[Node<T>], index: u32) {
        let mut backoff = Backoff::new();
        let next = &nodes[index as usize].next;
        let mut top = self.top.load(Ordering::Relaxed);
        loop {
            // Indices have 32 bits at most.
            next.store((top & self.mask) as u32, Ordering::Relaxed);
            let listed = (top & !self.mask).wrapping_add(self.one) | u64::from(index);
            // SYNC: node-listed
            match self.top.compare_exchange_weak(top, listed, Ordering::Release, Ordering::Relaxed) {
                Ok(_) => return,
                Err(now) => top = now,
            }
            backoff.spin();
        }
    }

    /// Takes the first node off the list, for the caller to own.
    #[inline]
    fn pop<T>(&self, nodes: &[Node<T>]) -> Option<u32> {
        let mut backoff = Backoff::new();
        // SYNC: node-listed
        let mut top = self.top.load(Ordering::Acquire);
        loop {
            let index = top & self.mask;
            if index == self.mask {
                return None;
            }
            // Somebody may own this node by now; then the swap fails.
            let next = nodes[index as usize].next.load(Ordering::Relaxed);
            let rest = (top & !self.mask) | u64::from(next);
            // SYNC: node-listed. Relaxed if it succeeds, since then it reads what the load has acquired.
            match self.top.compare_exchange_weak(top, rest, Ordering::Relaxed, Ordering::Acquire) {
                // Indices have 32 bits at most.
                Ok(_) => return Some(index as u32),
                Err(now) => top = now,
            }
            backoff.spin();
        }
    }

    fn is_empty(&self) -> bool {
        self.top.load(Ordering::Relaxed) & self.mask == self.mask
    }
}

/// One list, for models of the list alone: with tags, or without them to show why they are needed.
#[cfg(loom)]
#[doc(hidden)]
pub struct ModelList {
    list: List,
    nodes: Box<[Node<()>]>,
}

#[cfg(loom)]
#[allow(missing_docs)]
impl ModelList {
    pub fn of_all(capacity: u32, tags: bool) -> Self {
        let mut list = List::of_all(capacity);
        if !tags {
            list.one = 0;
        }
        Self { list, nodes: nodes(capacity) }
    }

    pub fn push(&self, index: u32) {
        self.list.push(&self.nodes, index);
    }

    pub fn pop(&self) -> Option<u32> {
        self.list.pop(&self.nodes)
    }
}
