//! What a [`List`] does besides holding values: it is a slice of them, and takes and gives single ones.
//!
//! Handlers on devices have all of it. A length beyond the room, which a handler may have written, counts as
//! the room here, as for [`List::as_slice`].

use std::{
    array,
    iter::Take,
    ops::{Deref, DerefMut},
    slice,
};

use crate::List;

impl<T, const N: usize> List<T, N> {
    /// The values.
    pub fn as_slice(&self) -> &[T] {
        &self.items[..(self.len as usize).min(N)]
    }

    /// The values, to be changed.
    ///
    /// ```
    /// use annulus_kernel::List;
    /// let mut list = List::<u32, 4>::new(&[10, 20, 30])?;
    /// list.as_mut_slice()[1] = 25;
    /// list[2] += 5; // The same: a list is a slice.
    /// assert_eq!(list.as_slice(), [10, 25, 35]);
    /// # Ok::<(), annulus_kernel::TooLong>(())
    /// ```
    pub fn as_mut_slice(&mut self) -> &mut [T] {
        &mut self.items[..(self.len as usize).min(N)]
    }

    /// Whether there is room for no more.
    ///
    /// ```
    /// use annulus_kernel::List;
    /// assert!(List::<u32, 2>::new(&[1, 2])?.is_full());
    /// assert!(!List::<u32, 2>::default().is_full());
    /// # Ok::<(), annulus_kernel::TooLong>(())
    /// ```
    pub fn is_full(&self) -> bool {
        self.as_slice().len() == N
    }

    /// Adds a value at the end.
    ///
    /// # Errors
    ///
    /// The value, if there is no room for it. A handler may say so with `push(value).map_err(|_| FULL)?`.
    ///
    /// ```
    /// use annulus_kernel::List;
    /// let mut list = List::<u32, 2>::default();
    /// assert_eq!([list.push(1), list.push(2), list.push(3)], [Ok(()), Ok(()), Err(3)]);
    /// assert_eq!(list.as_slice(), [1, 2]);
    /// ```
    pub fn push(&mut self, value: T) -> Result<(), T> {
        let len = self.as_slice().len();
        let Some(place) = self.items.get_mut(len) else { return Err(value) };
        *place = value;
        self.len = len as u32 + 1;
        Ok(())
    }

    /// Takes all values out.
    ///
    /// ```
    /// use annulus_kernel::List;
    /// let mut list = List::<u32, 2>::new(&[1, 2])?;
    /// list.clear();
    /// assert!(list.is_empty());
    /// # Ok::<(), annulus_kernel::TooLong>(())
    /// ```
    pub fn clear(&mut self) {
        self.len = 0;
    }

    /// Keeps the first `len` values; all of them if there are fewer.
    ///
    /// ```
    /// use annulus_kernel::List;
    /// let mut list = List::<u32, 4>::new(&[1, 2, 3])?;
    /// list.truncate(2);
    /// list.truncate(9);
    /// assert_eq!(list.as_slice(), [1, 2]);
    /// # Ok::<(), annulus_kernel::TooLong>(())
    /// ```
    pub fn truncate(&mut self, len: usize) {
        if len < self.as_slice().len() {
            self.len = len as u32;
        }
    }
}

impl<T: Copy, const N: usize> List<T, N> {
    /// Takes the last value out; `None` if there is none.
    ///
    /// ```
    /// use annulus_kernel::List;
    /// let mut list = List::<u32, 4>::new(&[1, 2])?;
    /// assert_eq!([list.pop(), list.pop(), list.pop()], [Some(2), Some(1), None]);
    /// # Ok::<(), annulus_kernel::TooLong>(())
    /// ```
    pub fn pop(&mut self) -> Option<T> {
        let last = *self.last()?;
        self.len = self.as_slice().len() as u32 - 1;
        Some(last)
    }

    /// Puts a value before the one of this index, which moves up with all that are behind it.
    ///
    /// # Errors
    ///
    /// The value, if there is no room for it.
    ///
    /// # Panics
    ///
    /// If `index` is greater than the length, as for any index: on a device the handler fails with
    /// `INDEX_OUT_OF_BOUNDS`.
    ///
    /// ```
    /// use annulus_kernel::List;
    /// let mut list = List::<u32, 3>::new(&[1, 3])?;
    /// assert_eq!([list.insert(1, 2), list.insert(0, 0)], [Ok(()), Err(0)]);
    /// assert_eq!(list.as_slice(), [1, 2, 3]);
    /// # Ok::<(), annulus_kernel::TooLong>(())
    /// ```
    pub fn insert(&mut self, index: usize, value: T) -> Result<(), T> {
        let len = index + self[index..].len();
        if len == N {
            return Err(value);
        }
        self.items.copy_within(index..len, index + 1);
        self.items[index] = value;
        self.len = len as u32 + 1;
        Ok(())
    }

    /// Takes the value of this index out. Those behind it move down.
    ///
    /// # Panics
    ///
    /// If there is none, as for any index: on a device the handler fails with `INDEX_OUT_OF_BOUNDS`.
    ///
    /// ```
    /// use annulus_kernel::List;
    /// let mut list = List::<u32, 4>::new(&[1, 2, 3, 4])?;
    /// assert_eq!(list.remove(1), 2);
    /// assert_eq!(list.as_slice(), [1, 3, 4]);
    /// # Ok::<(), annulus_kernel::TooLong>(())
    /// ```
    pub fn remove(&mut self, index: usize) -> T {
        let removed = self[index];
        let len = self.as_slice().len();
        self.items.copy_within(index + 1..len, index);
        self.len = len as u32 - 1;
        removed
    }

    /// Takes the value of this index out. The last one takes its place: faster than [`remove`](Self::remove),
    /// and the order is another.
    ///
    /// # Panics
    ///
    /// If there is none, as for any index: on a device the handler fails with `INDEX_OUT_OF_BOUNDS`.
    ///
    /// ```
    /// use annulus_kernel::List;
    /// let mut list = List::<u32, 4>::new(&[1, 2, 3, 4])?;
    /// assert_eq!(list.swap_remove(0), 1);
    /// assert_eq!(list.as_slice(), [4, 2, 3]);
    /// # Ok::<(), annulus_kernel::TooLong>(())
    /// ```
    pub fn swap_remove(&mut self, index: usize) -> T {
        let removed = self[index];
        let last = self.as_slice().len() - 1;
        self.items[index] = self.items[last];
        self.len = last as u32;
        removed
    }

    /// Keeps the values of which `keep` says so, in their order.
    ///
    /// ```
    /// use annulus_kernel::List;
    /// let mut list = List::<u32, 4>::new(&[1, 2, 3, 4])?;
    /// list.retain(|value| value % 2 == 0);
    /// assert_eq!(list.as_slice(), [2, 4]);
    /// # Ok::<(), annulus_kernel::TooLong>(())
    /// ```
    pub fn retain(&mut self, mut keep: impl FnMut(&T) -> bool) {
        let mut kept = 0;
        for at in 0..self.as_slice().len() {
            if keep(&self.items[at]) {
                self.items[kept] = self.items[at];
                kept += 1;
            }
        }
        self.len = kept as u32;
    }
}

/// A list is a slice of its values: it has all methods of slices, and `list[i]` and `&list[a..b]`.
impl<T, const N: usize> Deref for List<T, N> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        self.as_slice()
    }
}

impl<T, const N: usize> DerefMut for List<T, N> {
    fn deref_mut(&mut self) -> &mut [T] {
        self.as_mut_slice()
    }
}

impl<T, const N: usize> IntoIterator for List<T, N> {
    type Item = T;
    type IntoIter = Take<array::IntoIter<T, N>>;

    fn into_iter(self) -> Self::IntoIter {
        let len = self.as_slice().len();
        self.items.into_iter().take(len)
    }
}

impl<'l, T, const N: usize> IntoIterator for &'l List<T, N> {
    type Item = &'l T;
    type IntoIter = slice::Iter<'l, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<'l, T, const N: usize> IntoIterator for &'l mut List<T, N> {
    type Item = &'l mut T;
    type IntoIter = slice::IterMut<'l, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter_mut()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A handler may write any length.
    #[test]
    fn a_length_beyond_the_room_counts_as_the_room() {
        let full = List { len: u32::MAX, items: [1u8, 2, 3] };
        let mut list = full;
        assert!(list.is_full());
        assert_eq!(list.push(4), Err(4));
        assert_eq!(list.insert(3, 4), Err(4));
        list.truncate(7);
        assert_eq!((list.len, list.len()), (u32::MAX, 3));
        assert_eq!((list.pop(), list.len), (Some(3), 2));
        list = full;
        assert_eq!((list.remove(0), list.as_slice()), (1, &[2, 3][..]));
        list = full;
        assert_eq!((list.swap_remove(0), list.as_slice()), (1, &[3, 2][..]));
        list = full;
        list.retain(|value| *value != 2);
        assert_eq!(list.as_slice(), [1, 3]);
        assert!(full.into_iter().eq([1, 2, 3]));
        assert!((&full).into_iter().eq(&[1, 2, 3]));
        assert!((&mut list).into_iter().eq(&[1, 3]));
    }

    /// Handlers fail with the code that devices fail with.
    #[test]
    fn an_index_without_a_value_fails_as_an_index() {
        type List3 = List<u8, 3>;
        let code = |change: fn(&mut List3)| {
            let list = std::panic::AssertUnwindSafe(List3::new(&[1, 2]).expect("they fit"));
            let panic = std::panic::catch_unwind(move || change(&mut { *list })).expect_err("no such index");
            crate::panic_code(&*panic)
        };
        let changes: [fn(&mut List3); 3] = [
            |list| _ = list.insert(3, 1),
            |list| _ = list.remove(2),
            |list| _ = list.swap_remove(usize::MAX),
        ];
        for change in changes {
            assert_eq!(code(change), annulus_abi::error::INDEX_OUT_OF_BOUNDS);
        }
    }
}
