//! Which parts of a stretch of memory are free: first fit.

/// Parts begin at multiples of this, and the memory after them, too: two cache lines.
pub const PART_ALIGN: usize = 128;

/// The free parts of a stretch of memory.
#[derive(Debug)]
pub struct FreeList {
    /// By offset; no two of them touch, and none is empty.
    free: Vec<Range>,
    bytes: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Range {
    offset: usize,
    bytes: usize,
}

/// The length that is taken for a request: at least one byte, rounded up to whole alignments. `None` if that
/// overflows.
fn whole(bytes: usize) -> Option<usize> {
    bytes.max(1).checked_next_multiple_of(PART_ALIGN)
}

impl FreeList {
    /// A free stretch of at least this many bytes; [`bytes`](Self::bytes) gives its length.
    pub fn new(bytes: usize) -> Self {
        let bytes = whole(bytes).unwrap_or(usize::MAX - usize::MAX % PART_ALIGN);
        Self { free: vec![Range { offset: 0, bytes }], bytes }
    }

    /// The whole stretch's length.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// How many bytes are free, in all parts together.
    pub fn free(&self) -> usize {
        self.free.iter().map(|range| range.bytes).sum()
    }

    /// Takes the first part that is long enough, and returns its offset.
    pub fn take(&mut self, bytes: usize) -> Option<usize> {
        let bytes = whole(bytes)?;
        let index = self.free.iter().position(|range| range.bytes >= bytes)?;
        let range = &mut self.free[index];
        let offset = range.offset;
        if range.bytes == bytes {
            self.free.remove(index);
        } else {
            *range = Range { offset: offset + bytes, bytes: range.bytes - bytes };
        }
        Some(offset)
    }

    /// Gives back a part that [`take`](Self::take) returned for this many bytes.
    pub fn give_back(&mut self, offset: usize, bytes: usize) {
        let bytes = whole(bytes).expect("it was taken with this length");
        let index = self.free.partition_point(|range| range.offset < offset);
        self.free.insert(index, Range { offset, bytes });
        self.join(index);
        if let Some(before) = index.checked_sub(1) {
            self.join(before);
        }
    }

    /// Merges a free range with the next one, if they touch.
    fn join(&mut self, index: usize) {
        let (Some(&range), Some(&next)) = (self.free.get(index), self.free.get(index + 1)) else { return };
        debug_assert!(range.offset + range.bytes <= next.offset, "nothing is given back twice");
        if range.offset + range.bytes == next.offset {
            self.free[index].bytes += next.bytes;
            self.free.remove(index + 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_first_part_that_fits_is_taken() {
        let mut free_list = FreeList::new(1024);
        assert_eq!(
            [free_list.take(1), free_list.take(256), free_list.take(128)],
            [Some(0), Some(128), Some(384)]
        );
        free_list.give_back(128, 256);
        assert_eq!(free_list.take(129), Some(128), "rounded up, it fits exactly");
        assert_eq!(free_list.take(513), None);
        assert_eq!(free_list.take(512), Some(512));
        assert_eq!((free_list.take(0), free_list.free()), (None, 0));
    }

    #[test]
    fn neighbours_become_one_again() {
        let mut free_list = FreeList::new(384);
        for offset in [0, 128, 256] {
            assert_eq!(free_list.take(128), Some(offset));
        }
        free_list.give_back(0, 128);
        free_list.give_back(256, 128);
        assert_eq!(free_list.take(256), None, "256 bytes are free, and apart");
        free_list.give_back(128, 128);
        assert_eq!(free_list.take(384), Some(0));
    }

    #[test]
    fn no_number_is_too_large_to_ask_for() {
        let mut free_list = FreeList::new(1024);
        assert_eq!(free_list.take(usize::MAX), None);
        assert_eq!(free_list.take(usize::MAX - 200), None);
    }

    proptest! {
        /// For any order of taking and giving back: parts never overlap; taken and free parts add up to the
        /// whole; a request is refused only if no gap is long enough; and in the end there is one free part
        /// again.
        #[test]
        fn parts_never_overlap(steps in proptest::collection::vec((0usize..900, any::<prop::sample::Index>(), any::<bool>()), 1..200)) {
            const BYTES: usize = 4096;
            let mut free_list = FreeList::new(BYTES);
            let mut taken: Vec<(usize, usize)> = Vec::new();
            for (bytes, index, give) in steps {
                if give && !taken.is_empty() {
                    let (offset, bytes) = taken.swap_remove(index.index(taken.len()));
                    free_list.give_back(offset, bytes);
                    continue;
                }
                let mut sorted = taken.clone();
                sorted.sort_unstable();
                let ends = sorted.iter().map(|&(offset, bytes)| offset + whole(bytes).unwrap());
                let starts = sorted.iter().map(|&(offset, _)| offset).chain([BYTES]);
                let gap = std::iter::once(0).chain(ends).zip(starts).find(|(end, start)| start - end >= whole(bytes).unwrap());
                let got = free_list.take(bytes);
                prop_assert_eq!(got, gap.map(|(end, _)| end));
                taken.extend(got.map(|offset| (offset, bytes)));
                let sum: usize = taken.iter().map(|&(_, bytes)| whole(bytes).unwrap()).sum();
                prop_assert_eq!(free_list.free(), BYTES - sum);
            }
            for (offset, bytes) in taken {
                free_list.give_back(offset, bytes);
            }
            prop_assert_eq!(free_list.take(BYTES), Some(0));
        }
    }
}
