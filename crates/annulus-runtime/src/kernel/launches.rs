//! The launches of the process, by number.
//!
//! An address names a launch by its number, which no other launch of the process has, on whatever runtime. So a runtime
//! that does not know a number may ask here whether it belongs to another one, and say so. Nothing but what an error says
//! depends on it: whether a kernel is reached is decided by the runtime's own list.

use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

/// A launch of the process, which is listed for as long as this lives.
#[derive(Debug)]
pub(crate) struct Launch(u64);

/// A listed launch.
struct Listed {
    /// Where the list of its runtime lies.
    runtime: usize,
    /// The kernel's name.
    name: String,
}

struct Launches {
    /// The greatest number that was given.
    last: u64,
    listed: BTreeMap<u64, Listed>,
}

static LAUNCHES: Mutex<Launches> = Mutex::new(Launches { last: 0, listed: BTreeMap::new() });

fn launches() -> MutexGuard<'static, Launches> {
    // A panic can only interrupt one change of the map.
    LAUNCHES.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Launch {
    /// The launch of a kernel with this name, on the runtime whose list of kernels lies there.
    pub(crate) fn new(runtime: usize, name: &str) -> Self {
        let mut launches = launches();
        launches.last += 1;
        let number = launches.last;
        launches.listed.insert(number, Listed { runtime, name: name.into() });
        Self(number)
    }

    /// From 1 on.
    pub(crate) fn number(&self) -> u64 {
        self.0
    }

    /// The name of the kernel whose launch has this number, if it is on another runtime than this one.
    pub(crate) fn elsewhere(number: u64, runtime: usize) -> Option<String> {
        let launches = launches();
        let listed = launches.listed.get(&number)?;
        (listed.runtime != runtime).then(|| listed.name.clone())
    }
}

impl Drop for Launch {
    fn drop(&mut self) {
        launches().listed.remove(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// K-01: a launch is known to be another runtime's for as long as it lives, and its number is not given again.
    #[test]
    fn k01_a_launch_is_listed_while_it_lives() {
        let one = Launch::new(1, "one");
        let two = Launch::new(2, "two");
        assert_eq!(Launch::elsewhere(one.number(), 2), Some("one".into()));
        assert_eq!(Launch::elsewhere(one.number(), 1), None);
        let number = two.number();
        drop(two);
        assert_eq!(Launch::elsewhere(number, 1), None);
        assert!(Launch::new(1, "three").number() > number);
        assert_eq!(Launch::elsewhere(0, 1), None);
    }
}
