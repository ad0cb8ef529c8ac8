//! Zeros instead of a fault, where a file that is mapped has been cut off.
//!
//! Whoever touches a page of a mapping that its file no longer has gets the signal `SIGBUS`. Watching must not crash,
//! so the first mapping of a process installs a handler. It knows the mappings by a table of atomics, since it must
//! not take a lock. On a fault in one of them it notes that the file was cut off, and maps a page of zeros in its
//! place; then the load goes on. A `SIGBUS` of any other origin goes to the handler that was there before. Wayland's
//! `wl_shm` guards the buffers of its clients in the same way.
//!
//! | step of the handler | who sees it |
//! |---|---|
//! | the table has the address | the thread that faulted: it borrows the mapping, so the entry is its own |
//! | `cut` is set, then zeros are mapped | any thread that loads zeros, and looks at `cut` behind a fence |

use std::{
    ffi::{c_int, c_void},
    io,
    ptr::{self, NonNull},
    sync::Once,
};

use annulus_sync::{AtomicBool, AtomicUsize, Ordering};

/// Files that a process may have mapped at a time. Source: this project's choice; each costs four words.
const MOST: usize = 256;

struct Place {
    /// 0 if there is no mapping. Written last when there is one, and first when there is none any more.
    base: AtomicUsize,
    bytes: AtomicUsize,
    cut: AtomicBool,
    /// Whether somebody has this place.
    taken: AtomicBool,
}

static PLACES: [Place; MOST] = [const {
    Place {
        base: AtomicUsize::new(0),
        bytes: AtomicUsize::new(0),
        cut: AtomicBool::new(false),
        taken: AtomicBool::new(false),
    }
}; MOST];

/// The handler that was there before, and its flags.
static BEFORE: [AtomicUsize; 2] = [AtomicUsize::new(libc::SIG_DFL), AtomicUsize::new(0)];

/// The system's page.
static PAGE: AtomicUsize = AtomicUsize::new(4096);

/// A mapping in which a fault finds zeros.
#[derive(Debug)]
pub(super) struct Guarded(&'static Place);

impl std::fmt::Debug for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Place").field("cut", &self.cut).finish_non_exhaustive()
    }
}

impl Guarded {
    /// Whether zeros were found.
    #[inline]
    pub(super) fn is_cut(&self) -> bool {
        self.0.cut.load(Ordering::Relaxed)
    }
}

/// From now on, a fault in this mapping finds zeros.
pub(super) fn register(base: NonNull<u8>, bytes: usize) -> io::Result<Guarded> {
    static HANDLER: Once = Once::new();
    HANDLER.call_once(install);
    let free = |place: &&Place| {
        // SYNC: guard-place (acquire)
        place.taken.compare_exchange(false, true, Ordering::Acquire, Ordering::Relaxed).is_ok()
    };
    let place = PLACES.iter().find(free);
    let place = place.ok_or_else(|| io::Error::other(format!("{MOST} files are watched already")))?;
    place.cut.store(false, Ordering::Relaxed);
    place.bytes.store(bytes, Ordering::Relaxed);
    // SYNC: guard-mapped (release)
    place.base.store(base.as_ptr() as usize, Ordering::Release);
    Ok(Guarded(place))
}

impl Drop for Guarded {
    fn drop(&mut self) {
        self.0.base.store(0, Ordering::Relaxed);
        // SYNC: guard-place (release)
        self.0.taken.store(false, Ordering::Release);
    }
}

fn no_action() -> libc::sigaction {
    // SAFETY: zeros are a valid value of this structure of numbers: the default action, no flags, no signals.
    unsafe { std::mem::zeroed() }
}

fn install() {
    // SAFETY: the call takes a number.
    if let Ok(page) = usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }) {
        PAGE.store(page, Ordering::Relaxed);
    }
    let mut before = no_action();
    // SAFETY: the structure is valid for the duration of the call, which changes no action.
    unsafe { libc::sigaction(libc::SIGBUS, ptr::null(), &raw mut before) };
    BEFORE[0].store(before.sa_sigaction, Ordering::Relaxed);
    BEFORE[1].store(before.sa_flags as usize, Ordering::Relaxed);
    let mut action = no_action();
    action.sa_sigaction = on_fault as *const () as usize;
    action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
    // SAFETY: the handler has the signature that `SA_SIGINFO` asks for, and does only what a handler may: it loads and
    // stores atomics, and makes system calls.
    unsafe { libc::sigaction(libc::SIGBUS, &raw const action, ptr::null_mut()) };
}

/// The page of zeros is there, and the load may go on.
fn has_zeros(address: usize) -> bool {
    let holds = |place: &&Place| {
        // SYNC: guard-mapped (acquire)
        let base = place.base.load(Ordering::Acquire);
        base != 0 && (base..base + place.bytes.load(Ordering::Relaxed)).contains(&address)
    };
    let Some(place) = PLACES.iter().find(holds) else { return false };
    place.cut.store(true, Ordering::SeqCst);
    let page = PAGE.load(Ordering::Relaxed);
    let at = ptr::without_provenance_mut::<c_void>(address - address % page);
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED;
    // SAFETY: the location of the thread's error number is valid as long as the thread.
    let errno = unsafe { libc::__errno_location() };
    // SAFETY: as above, and nobody else has this thread's.
    let before = unsafe { *errno };
    // SAFETY: this replaces a page of a mapping that the thread that faulted borrows, so it is not unmapped meanwhile.
    let mapped = unsafe { libc::mmap(at, page, libc::PROT_READ, flags, -1, 0) };
    // SAFETY: as above. Whoever was interrupted finds its own error.
    unsafe { *errno = before };
    mapped != libc::MAP_FAILED
}

unsafe extern "C" fn on_fault(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    // SAFETY: the system passes a valid structure, which is the handler's own until it returns.
    let told = unsafe { &*info };
    // SAFETY: a `SIGBUS` with this code has an address.
    let address = || unsafe { told.si_addr() } as usize;
    if told.si_code == libc::BUS_ADRERR && has_zeros(address()) {
        return;
    }
    let [handler, flags] = [0, 1].map(|i| BEFORE[i].load(Ordering::Relaxed));
    if handler == libc::SIG_DFL || handler == libc::SIG_IGN {
        let mut action = no_action();
        action.sa_sigaction = handler;
        // SAFETY: what was there before is valid.
        unsafe { libc::sigaction(signal, &raw const action, ptr::null_mut()) };
        // A fault comes again by itself, and a signal that was sent is sent again.
        // SAFETY: the call takes a number.
        unsafe { libc::raise(signal) };
    } else if flags as c_int & libc::SA_SIGINFO != 0 {
        type Told = unsafe extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void);
        // SAFETY: the handler of before was installed with this signature, as its flags say.
        let handler = unsafe { std::mem::transmute::<usize, Told>(handler) };
        // SAFETY: it gets what it would have got.
        unsafe { handler(signal, info, context) };
    } else {
        // SAFETY: as above; without the flag, this is the signature.
        let handler = unsafe { std::mem::transmute::<usize, unsafe extern "C" fn(c_int)>(handler) };
        // SAFETY: as above.
        unsafe { handler(signal) };
    }
}
