//! States of sparse keys: which place of which shard is whose.

use std::mem::MaybeUninit;

use annulus_abi::actors::{self, ActorTable, Exits};
use annulus_kernel::{StateDefinition, StateShape, TypeDescriptor};
use annulus_ring::memory::ShardMemory;
use annulus_sync::{AtomicU64, Ordering};

use super::{Image, SnapshotError, mismatch};
use crate::{
    backend::DeviceKernel,
    kernel::{
        core::{HostShard, KernelCore},
        status::ActorStatus,
    },
};

impl KernelCore {
    /// Places for actors in each shard.
    fn places(&self) -> u64 {
        self.options.shape.actors.div_ceil(self.shards.len() as u64)
    }

    /// How its actors go.
    fn exits(&self) -> Exits {
        let evicts = self.options.shape.evict_actors;
        self.definition.state.definition().map_or(Exits::default(), |state| state.exits(evicts))
    }

    /// How many actors there are, if keys are sparse.
    pub(crate) fn actor_status(&self) -> Option<ActorStatus> {
        let used = |shard: &HostShard| Some(shard.memory.actors_used()?.load(Ordering::Relaxed));
        let used = self.shards.iter().map(used).collect::<Option<Vec<u64>>>()?;
        let places = self.places();
        let sum = |word: fn(&ShardMemory) -> Option<&AtomicU64>| {
            self.shards.iter().filter_map(|shard| Some(word(&shard.memory)?.load(Ordering::Relaxed))).sum()
        };
        Some(ActorStatus {
            used: used.iter().sum(),
            places: places * used.len() as u64,
            evicted: sum(ShardMemory::actors_evicted),
            ended: sum(ShardMemory::actors_ended),
            full_shards: used.iter().filter(|&&used| used >= places).count() as u32,
        })
    }

    /// Reads keys and states, in the order of the keys. Only while every shard is at rest.
    pub(super) fn read_actors(
        &self,
        device: &dyn DeviceKernel,
        keys: &mut Vec<u64>,
        image: &mut Image,
    ) -> Result<(), SnapshotError> {
        let (size, places, exits) = (image.ty.size, self.places(), self.exits());
        // Of each key, its shard and its place there.
        let mut found = Vec::new();
        let mut states = Vec::with_capacity(self.shards.len());
        for shard in 0..self.shards.len() {
            let mut words = vec![0; actors::words(places, exits) as usize];
            // SAFETY: `at_rest` calls this; the shard's table has so many words.
            unsafe { device.read_actors(shard as u32, &mut words) }?;
            let table = ActorTable::new(&mut words, places, exits);
            found.extend(table.actors().map(|(key, place)| (key, shard, place as usize)));
            let mut part = vec![MaybeUninit::uninit(); places as usize * size];
            // SAFETY: `at_rest` calls this; the shard has so many states, of so many bytes.
            unsafe { device.read_states(shard as u32, &mut part) }?;
            states.push(part);
        }
        found.sort_unstable();
        *image = Image::new(image.ty, found.len());
        *keys = found.iter().map(|&(key, ..)| key).collect();
        for (number, &(_, shard, place)) in found.iter().enumerate() {
            let state = &states[shard][place * size..(place + 1) * size];
            image.bytes[number * size..(number + 1) * size].copy_from_slice(state);
        }
        Ok(())
    }

    /// Whether each shard has places for those of these keys that are its own.
    pub(crate) fn check_room(&self, keys: impl Iterator<Item = u64>) -> Result<(), SnapshotError> {
        let (places, grid) = (self.places(), self.shards.len());
        let mut all = vec![0_u64; grid];
        keys.for_each(|key| all[(key % grid as u64) as usize] += 1);
        let Some(shard) = all.iter().position(|&count| count > places) else { return Ok(()) };
        let what =
            format!("number of actors of shard {shard} (a launch has places for actors / grid in each)");
        Err(mismatch(what, format!("{places} at most"), all[shard]))
    }

    /// Sets keys and states; without keys they are from 0 on. Only while every shard is at rest.
    pub(super) fn write_actors(
        &self,
        device: &dyn DeviceKernel,
        keys: Option<&[u64]>,
        image: &Image,
    ) -> Result<(), SnapshotError> {
        let (size, places, grid) = (image.ty.size, self.places(), self.shards.len());
        let exits = self.exits();
        let StateShape::PerActor(definition) = self.definition.state else { return Ok(()) };
        let key = |number: usize| keys.map_or(number as u64, |keys| keys[number]);
        self.check_room((0..image.count).map(key))?;
        let mut parts: Vec<_> = (0..grid).map(|_| Part::new(places, exits, definition)).collect();
        for number in 0..image.count {
            let part = &mut parts[(key(number) % grid as u64) as usize];
            if let Some(placed) = ActorTable::new(&mut part.words, places, exits).place(key(number)) {
                let at = placed.place() as usize * size;
                part.states[at..at + size].copy_from_slice(&image.bytes[number * size..(number + 1) * size]);
            }
        }
        for (shard, mut part) in parts.into_iter().enumerate() {
            // SAFETY: `at_rest` calls this; the shard has so many states, and these are valid ones.
            unsafe { device.write_states(shard as u32, &part.states) }?;
            // SAFETY: `at_rest` calls this; it is a table for as many places as the shard has.
            unsafe { device.write_actors(shard as u32, &part.words) }?;
            if let Some(used) = self.shards[shard].memory.actors_used() {
                used.store(ActorTable::new(&mut part.words, places, exits).used(), Ordering::Relaxed);
            }
        }
        Ok(())
    }
}

/// What a shard is set to.
struct Part {
    words: Vec<u64>,
    states: Vec<MaybeUninit<u8>>,
}

impl Part {
    /// Without actors: an empty table, and initial states.
    fn new(places: u64, exits: Exits, definition: StateDefinition) -> Self {
        let TypeDescriptor { size, align, .. } = *definition.ty;
        // A state's type may be more aligned than bytes are.
        let mut memory = vec![0_u8; size + align];
        let first = memory.as_ptr().align_offset(align);
        let initial = &mut memory[first..][..size];
        // SAFETY: the memory has room for a state, and is aligned for its type.
        unsafe { (definition.init)(initial.as_mut_ptr()) };
        let mut states = vec![MaybeUninit::uninit(); places as usize * size];
        for place in 0..places as usize {
            let to = states[place * size..].as_mut_ptr();
            // SAFETY: both have room for a state, and are different memory.
            unsafe { initial.as_ptr().cast::<MaybeUninit<u8>>().copy_to_nonoverlapping(to, size) };
        }
        Self { words: vec![0; actors::words(places, exits) as usize], states }
    }
}
