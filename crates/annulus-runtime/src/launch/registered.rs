//! The kernels of a program, by name, and how to launch one without knowing its types.
//!
//! `#[ring_kernel]` puts every kernel into a list. The linker gathers the list from all linked crates. A tool
//! finds a kernel there by its name, launches it, and talks to it in JSON. Descriptors say what its messages
//! and outputs look like.

use std::{
    fmt,
    sync::{Mutex, PoisonError},
};

use annulus_kernel::{Binding, KernelDefinition, RingKernel};
use linkme::distributed_slice;

use crate::{
    LaunchError, LaunchOptions, Runtime,
    kernel::shared::Kind,
    launch::{dynamic_kernel::DynamicKernel, start::AnyBound},
};

/// The list that the linker gathers.
#[doc(hidden)]
#[distributed_slice]
pub static KERNELS: [RegisteredKernel];

/// Kernels that were added at run time.
static ADDED: Mutex<Vec<&'static RegisteredKernel>> = Mutex::new(Vec::new());

/// A kernel of this program.
#[derive(Clone, Copy)]
pub struct RegisteredKernel {
    kind: Kind,
    options: fn() -> LaunchOptions,
}

impl RegisteredKernel {
    /// Called by the code that the macro emits.
    #[doc(hidden)]
    pub const fn of<K: RingKernel>(options: fn() -> LaunchOptions) -> Self {
        Self { kind: Kind::of::<K>(), options }
    }

    /// Adds a kernel to the list at run time: one that the linker does not see, such as that of a library which
    /// was opened later. `options` are those that its attribute asks for, `double::options`.
    ///
    /// ```
    /// # mod registered { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/registered.rs")); }
    /// # use registered::*;
    /// // The linker has seen this one.
    /// let error = RegisteredKernel::register::<double>(double::options).unwrap_err();
    /// assert!(error.to_string().ends_with("::double is registered already: each kernel of a program once"));
    /// ```
    ///
    /// # Errors
    ///
    /// [`AlreadyRegistered`] if a kernel of this path is in the list.
    pub fn register<K: RingKernel>(
        options: fn() -> LaunchOptions,
    ) -> Result<&'static Self, AlreadyRegistered> {
        let kernel = Self::of::<K>(options);
        let mut added = ADDED.lock().unwrap_or_else(PoisonError::into_inner);
        let path = kernel.path();
        if KERNELS.iter().chain(added.iter().copied()).any(|other| other.path() == path) {
            return Err(AlreadyRegistered { path });
        }
        // For good, as those that are linked: whoever found one may keep it.
        let kernel: &'static Self = Box::leak(Box::new(kernel));
        added.push(kernel);
        Ok(kernel)
    }

    /// Every kernel that is linked into this program or was [added](Self::register), by name, then by module.
    ///
    /// ```
    /// # mod registered { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/registered.rs")); }
    /// # use registered::*;
    /// for kernel in RegisteredKernel::all() {
    ///     println!("{} takes {}", kernel.path(), kernel.definition().message.name);
    /// }
    /// # assert!(RegisteredKernel::all().len() >= 2);
    /// ```
    pub fn all() -> Vec<&'static Self> {
        let added = ADDED.lock().unwrap_or_else(PoisonError::into_inner);
        let mut all: Vec<_> = KERNELS.iter().chain(added.iter().copied()).collect();
        all.sort_by_key(|kernel| (kernel.kind.definition.name, kernel.kind.definition.module));
        all
    }

    /// The kernel of this name. If several modules have one, give its path (`module::name`), or the end of
    /// its path.
    ///
    /// ```
    /// # mod registered { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/registered.rs")); }
    /// # use registered::*;
    /// let path = registered().path();
    /// assert_eq!(RegisteredKernel::find(&path)?.path(), path);
    /// assert!(RegisteredKernel::find("nothing").unwrap_err().to_string().starts_with("no kernel is called `nothing`"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`NotRegistered`] lists what there is.
    pub fn find(name: &str) -> Result<&'static Self, NotRegistered> {
        let all = Self::all();
        let is_meant = |kernel: &&&Self| {
            let path = kernel.path();
            path == name || path.strip_suffix(name).is_some_and(|front| front.ends_with("::"))
        };
        let found: Vec<_> = all.iter().filter(is_meant).collect();
        match found[..] {
            [kernel] => Ok(kernel),
            [] => Err(NotRegistered { name: name.into(), ambiguous: false, there_are: paths(&all) }),
            _ => {
                let there_are = found.iter().map(|kernel| kernel.path()).collect();
                Err(NotRegistered { name: name.into(), ambiguous: true, there_are })
            }
        }
    }

    /// The kernel as data.
    ///
    /// ```
    /// # mod registered { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/registered.rs")); }
    /// # use registered::*;
    /// assert_eq!(registered().definition().name, "double");
    /// ```
    pub fn definition(&self) -> &'static KernelDefinition {
        self.kind.definition
    }

    /// The launch options that its attribute asks for.
    ///
    /// ```
    /// # mod registered { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/registered.rs")); }
    /// # use registered::*;
    /// assert_eq!(registered().options(), LaunchOptions::production());
    /// ```
    pub fn options(&self) -> LaunchOptions {
        (self.options)()
    }

    /// The module that its handler stands in, and its name: `my_crate::sensors::detect`.
    ///
    /// ```
    /// # mod registered { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/registered.rs")); }
    /// # use registered::*;
    /// assert!(registered().path().ends_with("::double"));
    /// ```
    pub fn path(&self) -> String {
        format!("{}::{}", self.kind.definition.module, self.kind.definition.name)
    }

    /// Launches the kernel with its bound parameters, as its definition lists them.
    ///
    /// ```
    /// # mod registered { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/registered.rs")); }
    /// # use registered::*;
    /// let runtime = Runtime::builder().build()?;
    /// let kernel = registered().launch(&runtime, LaunchOptions::production(), vec![])?;
    /// assert_eq!(kernel.call_blocking(r#"{"value": 21}"#)?, r#"{"value":42}"#);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`LaunchError`] names what is wrong, and the remedy.
    pub fn launch(
        &self,
        runtime: &Runtime,
        options: LaunchOptions,
        bindings: Vec<Binding>,
    ) -> Result<DynamicKernel, LaunchError> {
        let handle = self.bound(bindings).launch(runtime, options)?;
        Ok(DynamicKernel { handle })
    }

    pub(crate) fn bound(&self, bindings: Vec<Binding>) -> AnyBound {
        AnyBound::new(self.kind, bindings, self.options)
    }
}

fn paths(kernels: &[&RegisteredKernel]) -> Vec<String> {
    kernels.iter().map(|kernel| kernel.path()).collect()
}

impl fmt::Debug for RegisteredKernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RegisteredKernel").field("path", &self.path()).finish_non_exhaustive()
    }
}

/// This program has no kernel of this name, or more than one.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct NotRegistered {
    /// The name that was asked for.
    pub name: String,
    /// Whether several kernels have it.
    pub ambiguous: bool,
    /// The paths of the kernels that have the name, or of all kernels if none has it.
    pub there_are: Vec<String>,
}

impl fmt::Display for NotRegistered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, ambiguous, there_are } = self;
        let list = there_are.join(", ");
        match (ambiguous, there_are.is_empty()) {
            (true, _) => write!(f, "several kernels are called `{name}`: say which of {list}"),
            (false, true) => {
                write!(
                    f,
                    "no kernel is called `{name}`: this program has none; write `#[ring_kernel]` on a function"
                )
            }
            (false, false) => write!(f, "no kernel is called `{name}`; there are {list}"),
        }
    }
}

impl std::error::Error for NotRegistered {}

/// A kernel of this path is registered.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[error("{path} is registered already: each kernel of a program once")]
#[non_exhaustive]
pub struct AlreadyRegistered {
    /// The path.
    pub path: String,
}

crate::error::debug_in_words!(AlreadyRegistered);
