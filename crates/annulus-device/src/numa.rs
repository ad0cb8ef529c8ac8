//! Where the host's memory, its threads and a device lie on a machine with several NUMA nodes. A device reads
//! the host's memory across a bus that belongs to one of the nodes; from another node's memory each of its
//! looks crosses the link between the nodes, too.
//!
//! What is not known is `None`: other systems than Linux, containers without `/sys`, machines with one node.

#[cfg(target_os = "linux")]
use std::io;
use std::{fs, path::Path};

/// Where the kernel tells about devices.
const SYSFS: &str = "/sys";

/// The node that the device at a PCI address (`0000:3b:00.0`) is attached to, if the system says.
pub fn node_of_pci(address: &str) -> Option<u32> {
    node_in(Path::new(SYSFS), address)
}

/// The same, of this `/sys`.
fn node_in(sysfs: &Path, address: &str) -> Option<u32> {
    let path = sysfs.join("bus/pci/devices").join(address.to_ascii_lowercase()).join("numa_node");
    // -1 where there is one node, or none is known.
    fs::read_to_string(path).ok()?.trim().parse().ok()
}

/// Where a thread ran at some moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The processor.
    pub processor: u32,
    /// The NUMA node that it belongs to.
    pub node: u32,
}

impl Place {
    /// Where the calling thread runs; the next moment it may run elsewhere.
    #[cfg(target_os = "linux")]
    pub(crate) fn here() -> Option<Self> {
        let (mut processor, mut node) = (0u32, 0u32);
        let none = std::ptr::null_mut::<libc::c_void>();
        // SAFETY: both places are live numbers of 32 bits; the third argument is unused.
        let asked = unsafe { libc::syscall(libc::SYS_getcpu, &raw mut processor, &raw mut node, none) };
        (asked == 0).then_some(Self { processor, node })
    }

    #[cfg(not(target_os = "linux"))]
    pub(crate) fn here() -> Option<Self> {
        None
    }

    /// In one number that is not 0.
    pub(crate) fn word(self) -> u64 {
        u64::from(self.processor) << 32 | u64::from(self.node) | 1 << 63
    }

    /// Of [`word`](Self::word); `None` of 0.
    pub(crate) fn of_word(word: u64) -> Option<Self> {
        let place = Self { processor: (word >> 32) as u32 & (u32::MAX >> 1), node: word as u32 };
        (word != 0).then_some(place)
    }
}

/// What is to be said of the thread that polls for a device, which is attached to `device`.
pub(crate) fn describe_poller(place: Place, device: Option<u32>) -> String {
    let Place { processor, node } = place;
    let ran = format!("the host's poller last ran on processor {processor}, NUMA node {node}");
    match device {
        Some(device) if device != node => format!(
            "{ran}, and the device is attached to node {device}: start the program on that node (`numactl --cpunodebind={device}`)"
        ),
        Some(_) => format!("{ran}, which the device is attached to"),
        None => ran,
    }
}

/// While this lives, pages that the calling thread touches first come from one node, if it has room.
#[cfg(target_os = "linux")]
#[must_use = "dropping it ends the preference"]
#[derive(Debug)]
pub struct Preference {
    before: (libc::c_int, Nodes),
    /// The policy belongs to the thread.
    _thread: std::marker::PhantomData<*const ()>,
}

/// A bit for each node.
#[cfg(target_os = "linux")]
type Nodes = [libc::c_ulong; WORDS];
/// As many as any kernel is built for.
#[cfg(target_os = "linux")]
const NODES: usize = 1024;
#[cfg(target_os = "linux")]
const WORDS: usize = NODES / libc::c_ulong::BITS as usize;

#[cfg(target_os = "linux")]
impl Preference {
    /// Prefers a node; `None` if the system does not allow it, as in some containers.
    pub fn node(node: u32) -> Option<Self> {
        let bits = libc::c_ulong::BITS;
        let mut wanted: Nodes = [0; WORDS];
        *wanted.get_mut((node / bits) as usize)? |= 1 << (node % bits);
        let mut before = (0, [0; WORDS]);
        let (mode, nodes) = (&raw mut before.0, before.1.as_mut_ptr());
        // SAFETY: the places are live, and the second has room for as many bits as is said; without an
        // address and flags the call tells the thread's own policy.
        let asked = unsafe {
            libc::syscall(libc::SYS_get_mempolicy, mode, nodes, NODES, std::ptr::null::<libc::c_void>(), 0)
        };
        (asked == 0 && set(libc::MPOL_PREFERRED, &wanted).is_ok())
            .then_some(Self { before, _thread: std::marker::PhantomData })
    }
}

#[cfg(target_os = "linux")]
impl Drop for Preference {
    fn drop(&mut self) {
        // It was the thread's policy before, so the system takes it again.
        let _ = set(self.before.0, &self.before.1);
    }
}

#[cfg(target_os = "linux")]
fn set(mode: libc::c_int, nodes: &Nodes) -> io::Result<()> {
    // SAFETY: the nodes are live; the system reads one bit less than it is told. The call changes where this
    // thread's later pages come from, and nothing else.
    let asked = unsafe { libc::syscall(libc::SYS_set_mempolicy, mode, nodes.as_ptr(), NODES + 1) };
    if asked == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Other systems have no such call.
#[cfg(not(target_os = "linux"))]
#[derive(Debug)]
pub struct Preference;

#[cfg(not(target_os = "linux"))]
impl Preference {
    /// Prefers nothing.
    pub fn node(_: u32) -> Option<Self> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A `/sys` of a test's own.
    struct Sysfs(std::path::PathBuf);

    impl Sysfs {
        fn new(name: &str) -> Self {
            Self(std::env::temp_dir().join(format!("annulus-numa-{}-{name}", std::process::id())))
        }

        fn device(&self, address: &str, node: &str) {
            let folder = self.0.join("bus/pci/devices").join(address);
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join("numa_node"), node).unwrap();
        }
    }

    impl Drop for Sysfs {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn a_devices_node_is_what_the_system_says() {
        let sysfs = Sysfs::new("nodes");
        sysfs.device("0000:3b:00.0", "1\n");
        sysfs.device("0000:04:00.0", "-1\n");
        sysfs.device("0000:05:00.0", "many\n");
        assert_eq!(node_in(&sysfs.0, "0000:3B:00.0"), Some(1));
        for unknown in ["0000:04:00.0", "0000:05:00.0", "0000:06:00.0"] {
            assert_eq!(node_in(&sysfs.0, unknown), None);
        }
    }

    #[test]
    fn a_poller_away_from_its_device_is_told_where_to_be() {
        let place = Place { processor: 12, node: 1 };
        assert_eq!(Place::of_word(place.word()), Some(place));
        assert_eq!(
            Place::of_word(Place { processor: 0, node: 0 }.word()),
            Some(Place { processor: 0, node: 0 })
        );
        assert_eq!(Place::of_word(0), None);
        let at = "the host's poller last ran on processor 12, NUMA node 1";
        assert_eq!(describe_poller(place, None), at);
        assert_eq!(describe_poller(place, Some(1)), format!("{at}, which the device is attached to"));
        let away = describe_poller(place, Some(0));
        assert!(away.starts_with(at) && away.contains("attached to node 0"), "{away}");
        assert!(away.contains("numactl --cpunodebind=0"), "{away}");
    }

    /// The thread's policy is what it was, whether this system takes a preference or not.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_preference_ends() {
        let policy = || {
            let (mut mode, mut nodes) = (0 as libc::c_int, [0 as libc::c_ulong; WORDS]);
            let (at, to) = (&raw mut mode, nodes.as_mut_ptr());
            // SAFETY: as in `Preference::node`.
            let asked = unsafe {
                libc::syscall(libc::SYS_get_mempolicy, at, to, NODES, std::ptr::null::<libc::c_void>(), 0)
            };
            (asked, mode, nodes)
        };
        let before = policy();
        if let Some(preference) = Preference::node(0) {
            assert_eq!((policy().1, policy().2[0]), (libc::MPOL_PREFERRED, 1));
            drop(preference);
        } else {
            println!("skipped: this system lets no thread choose a node");
        }
        assert_eq!(policy(), before);
        assert!(Preference::node(NODES as u32).is_none(), "there is no such node");
        assert_eq!(policy(), before);
    }
}
