//! Resident slots: room for the blocks of kernels that stay on a device. A block without a slot would never
//! start, and whoever waits for it would wait for ever. So slots are counted, and a kernel that finds too few
//! is refused.
//!
//! # Quiescing a device
//!
//! Some devices do nothing else while kernels stay. A caller that needs such a device alone for a moment asks
//! all kernels that stay there to leave ([`Residency::ask_to_leave`]). Each backend's pump makes its own
//! kernels leave, keeps their slots, and launches them again when nobody asks any more. Kernels in epochs begin
//! no epoch meanwhile. The caller must find out itself whether they have left: kernels may hang.
//!
//! # How resident slots are counted
//!
//! A device has units. Each unit has resources (registers, memory of the block's own, threads) that its
//! blocks divide among them. The device decides on which unit a block runs. For each kernel, a certain number
//! of blocks fit on an empty unit; let *m* be the least of these numbers. Then no block of any kernel takes
//! more than 1/*m* of any resource, so a unit without room for one more block has at least *m* blocks
//! already. As long as all kernels together have no more than *m* blocks for each unit, every block finds
//! room, wherever and in whatever order the others were placed.
//!
//! # Kernels in epochs
//!
//! Kernels in epochs take no slots, but each of their launches needs room for a while. Some devices keep room
//! for that, whatever stays there (PoCL has one thread more than slots). On others
//! ([`Residency::shared_with_epochs`]) the kernels that stay can take up everything that the device runs at
//! once, and kernels in epochs would never run. There, as long as kernels in epochs exist ([`Visit`]), one
//! slot is left to them: the kernel that became resident last *must yield*: its pump makes it leave, and it
//! goes on in epochs as well.
//!
//! If every unit has room for one block of any kernel, as on PoCL, this simply counts blocks. Kernels of the
//! same size can fill a device. Small blocks beside large ones count as if they were large.

use std::{
    fmt,
    num::NonZeroU32,
    sync::{Arc, Condvar, Mutex, PoisonError, Weak},
    time::{Duration, Instant},
};

use annulus_sync::{AtomicU32, Ordering};

use crate::doorbell::PumpDoorbell;

/// The units of one device, and the kernels that stay there.
#[derive(Debug)]
pub struct Residency {
    units: u32,
    /// The most kernels that can stay at a time.
    most: usize,
    /// How many queues the driver has to the device, and the variable that says so, if that is known.
    queues: Option<(usize, &'static str)>,
    /// Kernels in epochs need a free slot.
    shared: bool,
    /// Number of kernels in epochs.
    visits: AtomicU32,
    kernels: Mutex<Vec<Resident>>,
    freed: Condvar,
    /// How many callers ask the kernels to leave.
    asking: AtomicU32,
    /// The doorbells of the pumps.
    doorbells: Mutex<Vec<Weak<PumpDoorbell>>>,
}

/// Kernels that stay are asked to leave as long as this lives.
pub struct Asked {
    residency: Arc<Residency>,
    /// The doorbells that were rung. The last owner of a doorbell also drops the memory it lies in, device
    /// memory among it. That must not happen before the asker has released its locks.
    _doorbells: Vec<Arc<PumpDoorbell>>,
}

impl fmt::Debug for Asked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Asked").field("residency", &self.residency).finish_non_exhaustive()
    }
}

impl Drop for Asked {
    fn drop(&mut self) {
        // SYNC: asked-to-leave (release)
        self.residency.asking.fetch_sub(1, Ordering::AcqRel);
        drop(self.residency.ring());
    }
}

/// A kernel that stays.
#[derive(Clone, Copy, Debug)]
struct Resident {
    id: u64,
    blocks: u32,
    per_unit: NonZeroU32,
    /// It has been told to end.
    leaving: bool,
}

/// Slots that a kernel holds until it has left the device.
#[derive(Debug)]
pub struct ResidentSlots {
    residency: Arc<Residency>,
    id: u64,
}

/// How long a launch waits for kernels that are about to leave.
const PATIENCE: Duration = Duration::from_secs(5);

impl Residency {
    /// A device with this many units, all of them empty.
    pub fn new(units: u32) -> Self {
        Self {
            units,
            most: usize::MAX,
            queues: None,
            shared: false,
            visits: AtomicU32::new(0),
            kernels: Mutex::default(),
            freed: Condvar::new(),
            asking: AtomicU32::new(0),
            doorbells: Mutex::default(),
        }
    }

    /// The same, for a device on which at most this many kernels stay at a time, however small they are.
    pub fn for_kernels(self, most: usize) -> Self {
        Self { most, ..self }
    }

    /// The same, for a device to which the driver has so many queues, as the variable of this name says: a
    /// kernel that shares a queue with one that stays may begin only when that one ends. None is refused for
    /// that, since drivers may start both; a kernel that does not begin is told why.
    pub fn with_queues(self, queues: usize, variable: &'static str) -> Self {
        Self { queues: Some((queues, variable)), ..self }
    }

    /// Why a kernel may have to wait for another's end before it begins, if more stay than there are queues.
    pub(crate) fn why_late(&self) -> Option<String> {
        let (queues, variable) = self.queues?;
        let kernels = self.kernels.lock().unwrap_or_else(PoisonError::into_inner);
        (kernels.len() > queues).then(|| {
            format!(
                "more kernels stay on the device than its driver has queues ({queues}, by {variable}), and one that shares a queue may wait \
                 until another ends; end one, give one kernel more blocks in place of several kernels, run some in epochs, or raise \
                 {variable} before the program starts (32 at most)"
            )
        })
    }

    /// The same, for a device that runs kernels in epochs only in slots that resident kernels leave free.
    pub fn shared_with_epochs(self) -> Self {
        Self { shared: true, ..self }
    }

    /// How many units there are.
    pub fn units(&self) -> u32 {
        self.units
    }

    /// Takes slots for a kernel of which `per_unit` blocks fit on an empty unit. Waits for the slots of
    /// kernels that are leaving.
    ///
    /// # Errors
    ///
    /// If there are too few slots: the number of its blocks for which there is room.
    pub fn take(self: &Arc<Self>, blocks: u32, per_unit: NonZeroU32) -> Result<ResidentSlots, u32> {
        let deadline = Instant::now() + PATIENCE;
        let mut kernels = self.kernels.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            let free = self.free(kernels.iter(), per_unit);
            if blocks <= free {
                let id = kernels.iter().map(|kernel| kernel.id + 1).max().unwrap_or(0);
                kernels.push(Resident { id, blocks, per_unit, leaving: false });
                return Ok(ResidentSlots { residency: Arc::clone(self), id });
            }
            let soon = self.free(kernels.iter().filter(|kernel| !kernel.leaving), per_unit);
            let left = deadline.saturating_duration_since(Instant::now());
            if blocks > soon || left.is_zero() {
                return Err(free);
            }
            kernels = self.freed.wait_timeout(kernels, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// One more kernel runs in epochs, until the returned value is dropped.
    pub(crate) fn visit(self: &Arc<Self>) -> Visit {
        // SYNC: visits (release)
        self.visits.fetch_add(1, Ordering::AcqRel);
        if self.shared {
            drop(self.ring());
        }
        Visit { residency: Arc::clone(self) }
    }

    /// Slots that are left to kernels in epochs.
    fn left_to_epochs(&self) -> u32 {
        // SYNC: visits (acquire)
        u32::from(self.shared && self.visits.load(Ordering::Acquire) != 0)
    }

    /// Asks all kernels that stay on the device to leave it, until the returned value is dropped. They leave
    /// as soon as their blocks see it. A kernel that is launched meanwhile starts, and leaves again. Kernels in
    /// epochs begin no epoch.
    pub fn ask_to_leave(self: &Arc<Self>) -> Asked {
        // SYNC: asked-to-leave (release)
        self.asking.fetch_add(1, Ordering::AcqRel);
        Asked { _doorbells: self.ring(), residency: Arc::clone(self) }
    }

    /// Whether kernels are asked to leave the device to somebody else.
    pub(crate) fn is_asked(&self) -> bool {
        // SYNC: asked-to-leave (acquire)
        self.asking.load(Ordering::Acquire) != 0
    }

    /// Rings this doorbell when the answer of [`is_asked`](Self::is_asked) changes.
    pub(crate) fn rings(&self, doorbell: &Arc<PumpDoorbell>) {
        let mut doorbells = self.doorbells.lock().unwrap_or_else(PoisonError::into_inner);
        doorbells.retain(|doorbell| doorbell.strong_count() != 0);
        doorbells.push(Arc::downgrade(doorbell));
    }

    fn ring(&self) -> Vec<Arc<PumpDoorbell>> {
        let doorbells: Vec<_> = {
            let doorbells = self.doorbells.lock().unwrap_or_else(PoisonError::into_inner);
            doorbells.iter().filter_map(Weak::upgrade).collect()
        };
        doorbells.iter().for_each(|doorbell| doorbell.ring());
        doorbells
    }

    /// The number of blocks of one more kernel for which there is room beside these.
    fn free<'a>(&self, kernels: impl Iterator<Item = &'a Resident> + Clone, per_unit: NonZeroU32) -> u32 {
        let left = self.left_to_epochs();
        if kernels.clone().count() >= self.most.saturating_sub(left as usize) {
            return 0;
        }
        let least = kernels.clone().map(|kernel| kernel.per_unit).fold(per_unit, NonZeroU32::min);
        let slots = self.units.saturating_mul(least.get()).saturating_sub(left);
        kernels.fold(slots, |left, kernel| left.saturating_sub(kernel.blocks))
    }

    fn change(&self, change: impl FnOnce(&mut Vec<Resident>)) {
        change(&mut self.kernels.lock().unwrap_or_else(PoisonError::into_inner));
        self.freed.notify_all();
    }
}

/// A kernel runs in epochs as long as this lives.
#[derive(Debug)]
pub(crate) struct Visit {
    residency: Arc<Residency>,
}

impl Drop for Visit {
    fn drop(&mut self) {
        // SYNC: visits (release)
        self.residency.visits.fetch_sub(1, Ordering::AcqRel);
    }
}

impl ResidentSlots {
    /// Whether kernels in epochs lack a slot, and this kernel is the one that must make room.
    pub(crate) fn must_yield(&self) -> bool {
        let residency = &self.residency;
        if residency.left_to_epochs() == 0 {
            return false;
        }
        let kernels = residency.kernels.lock().unwrap_or_else(PoisonError::into_inner);
        let least = kernels.iter().map(|kernel| kernel.per_unit).min().unwrap_or(NonZeroU32::MIN);
        let taken: u64 = kernels.iter().map(|kernel| u64::from(kernel.blocks)).sum();
        let full = taken >= u64::from(residency.units) * u64::from(least.get());
        (full || kernels.len() >= residency.most)
            && kernels.iter().map(|kernel| kernel.id).max() == Some(self.id)
    }

    /// The kernel has been told to end.
    pub(crate) fn leaving(&self) {
        self.residency.change(|kernels| {
            kernels.iter_mut().filter(|kernel| kernel.id == self.id).for_each(|kernel| kernel.leaving = true);
        });
    }
}

impl Drop for ResidentSlots {
    fn drop(&mut self) {
        self.residency.change(|kernels| kernels.retain(|kernel| kernel.id != self.id));
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    fn per_unit(blocks: u32) -> NonZeroU32 {
        NonZeroU32::new(blocks).expect("a test says how many")
    }

    fn residency(units: u32) -> Arc<Residency> {
        Arc::new(Residency::new(units))
    }

    #[test]
    fn a_kernel_among_more_than_the_queues_knows_why_it_may_be_late() {
        let residency = Arc::new(Residency::new(3).with_queues(1, "QUEUES"));
        let first = residency.take(1, per_unit(1)).unwrap();
        assert_eq!(residency.why_late(), None);
        let _second = residency.take(1, per_unit(1)).unwrap();
        assert!(residency.why_late().is_some_and(|why| why.contains("queues (1, by QUEUES)")));
        drop(first);
        assert_eq!(residency.why_late(), None);
    }

    #[test]
    fn blocks_are_counted_where_each_takes_a_unit() {
        let residency = residency(3);
        let two = residency.take(2, per_unit(1)).unwrap();
        let one = residency.take(1, per_unit(1)).unwrap();
        assert_eq!(residency.take(1, per_unit(1)).unwrap_err(), 0);
        drop(two);
        assert_eq!(residency.take(3, per_unit(1)).unwrap_err(), 2);
        drop(one);
        residency.take(3, per_unit(1)).unwrap();
    }

    #[test]
    fn kernels_that_are_alike_fill_a_device() {
        let residency = residency(4);
        let kernels: Vec<_> = (0..4).map(|_| residency.take(8, per_unit(8)).unwrap()).collect();
        assert_eq!(residency.take(1, per_unit(8)).unwrap_err(), 0);
        drop(kernels);
    }

    /// A unit's load never exceeds its resources, wherever and in whatever order kernels with slots are
    /// placed.
    #[test]
    fn every_block_with_a_place_finds_room_wherever_the_others_went() {
        // All sizes divide this.
        const WHOLE: u32 = 840;
        let mut seed = 1u64;
        let mut random = |limit: u32| {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            ((seed >> 33) as u32) % limit
        };
        let mut most = 0;
        for _ in 0..4000 {
            let units = 1 + random(6);
            let residency = residency(units);
            let mut places = Vec::new();
            let mut blocks = Vec::new();
            for _ in 0..1 + random(5) {
                let (count, size) = (1 + random(12), per_unit(1 + random(8)));
                // If those are too many, as many as there is room for.
                let taken = residency.take(count, size).map(|taken| (taken, count));
                let taken = taken.or_else(|free| residency.take(free, size).map(|taken| (taken, free)));
                let (taken, count) = taken.expect("it said that there is room");
                places.push(taken);
                blocks.extend((0..count).map(|_| WHOLE / size));
            }
            most = most.max(places.len());
            let mut room = vec![WHOLE; units as usize];
            // One kernel after the other, from either end, or all mixed.
            let order = random(3);
            while !blocks.is_empty() {
                let next = [0, blocks.len() - 1, random(blocks.len() as u32) as usize][order as usize];
                let block = blocks.remove(next);
                let fits: Vec<usize> = (0..room.len()).filter(|&unit| room[unit] >= block).collect();
                assert!(!fits.is_empty(), "a block of {block} finds no unit: {room:?}");
                // The emptiest unit blocks as many units for large blocks as possible.
                let unit = match random(2) {
                    0 => *fits.iter().max_by_key(|&&unit| room[unit]).expect("there is one"),
                    _ => fits[random(fits.len() as u32) as usize],
                };
                room[unit] -= block;
            }
        }
        assert!(most > 2, "kernels of different sizes were together");
    }

    #[test]
    fn small_blocks_beside_large_ones_count_as_large() {
        let residency = residency(4);
        let small = residency.take(3, per_unit(8)).unwrap();
        let _large = residency.take(1, per_unit(1)).unwrap();
        assert_eq!(residency.take(1, per_unit(8)).unwrap_err(), 0);
        drop(small);
        assert_eq!(residency.take(4, per_unit(8)).unwrap_err(), 3);
    }

    #[test]
    fn a_kernel_waits_for_places_of_one_that_leaves() {
        let residency = residency(2);
        let first = residency.take(2, per_unit(1)).unwrap();
        first.leaving();
        let second = thread::scope(|scope| {
            let waits = scope.spawn(|| residency.take(1, per_unit(1)));
            thread::sleep(Duration::from_millis(20));
            drop(first);
            waits.join().unwrap()
        });
        assert!(second.is_ok());
    }
}
