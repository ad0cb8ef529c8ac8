//! What a value looks like, if its type says so: outputs of several outboxes are shown, and their types need not be.

use std::fmt::{self, Debug};

/// A value that may have a `Debug` of its own. For a type that has none, the answer is that of [`NotShown`].
///
/// ```
/// use annulus_kernel::{NotShown as _, Shown};
///
/// struct Silent;
/// assert_eq!(format!("{:?}", Shown(&7).shown()), "7");
/// assert_eq!(format!("{:?}", Shown(&Silent).shown()), "..");
/// ```
#[doc(hidden)]
#[derive(Debug)]
pub struct Shown<'a, T>(pub &'a T);

impl<'a, T: Debug> Shown<'a, T> {
    /// The value.
    pub fn shown(&self) -> &'a dyn Debug {
        self.0
    }
}

/// The answer for all other types.
#[doc(hidden)]
pub trait NotShown {
    /// Two dots.
    fn shown(&self) -> &'static dyn Debug {
        &Dots
    }
}

impl<T> NotShown for Shown<'_, T> {}

struct Dots;

impl Debug for Dots {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("..")
    }
}
