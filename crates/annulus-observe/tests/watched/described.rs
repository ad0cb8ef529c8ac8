//! What a file says of its device, its types and its boot.

use std::{fs, os::fd::AsRawFd, path::Path, time::Duration};

use annulus::kernel::DeviceType;
use annulus_abi::vitals::{VitalsHeader, check, read::Vitals};
use annulus_observe::{Attached, Kernel, Liveness, TypeLayout, ask_for_telemetry, autopsy, look};

use crate::{Device, Job, Watched, kernel, read_used, write_used};

fn assert_has_layout(kernel: &Kernel) {
    let ty = Job::DESCRIPTOR;
    let layout = TypeLayout { size: 16, align: 8, hash: ty.layout_hash() };
    assert_eq!(
        (kernel.message_layout, kernel.output_layout),
        (Some(layout), Some(layout)),
        "{}",
        kernel.name
    );
    assert_ne!(layout.hash, 0);
}

/// the device, and the types of messages in and out, as the program has them: also after its death.
#[test]
fn r_06_a_file_names_its_device_and_its_types() {
    let mut watched = Watched::start("works");
    let process = watched.look();
    assert_eq!(process.device, "CPU, 3 workers");
    assert_has_layout(kernel(&process, "sort"));
    let memory = kernel(&process, "sort").memory;
    assert!(memory.inbound > 64 * 16 && memory.outbound > 64 * 16, "rings of 64 messages at least");
    assert_eq!((memory.host, memory.device), (memory.total(), 0), "all is the host's on the CPU");
    watched.child.kill().unwrap();
    watched.child.wait().unwrap();
    let text = autopsy(&watched.file()).unwrap().to_string();
    let hash = Job::DESCRIPTOR.layout_hash();
    assert!(text.contains("\n  on CPU, 3 workers\n"), "{text}");
    for what in ["messages", "outputs"] {
        let line = format!("    {what} are `Job`: 16 bytes, aligned to 8, layout {hash:016x}\n");
        assert!(text.contains(&line), "{line} in {text}");
    }
}

/// the same of devices.
#[test]
fn r_06_devices_are_named() {
    for device in Device::ALL {
        let Some(watched) = Watched::start_on(device, "device") else { continue };
        let process = watched.look_for(|process| !process.kernels.is_empty());
        match device {
            Device::Cuda => assert_eq!(process.device, "Annulus stand-in"),
            Device::OpenCl => assert!(process.device.len() > 3, "{}", process.device),
        }
        process.kernels.iter().for_each(assert_has_layout);
    }
}

/// Takes the lock of a file, as whoever keeps a vitals file does.
pub(crate) fn keep(path: &Path) -> fs::File {
    let file = fs::File::options().read(true).write(true).open(path).unwrap();
    // SAFETY: zeros are a valid value of this structure of numbers.
    let mut lock: libc::flock = unsafe { std::mem::zeroed() };
    lock.l_type = libc::F_WRLCK as libc::c_short;
    // SAFETY: the structure is valid for the duration of the call.
    assert_eq!(unsafe { libc::fcntl(file.as_raw_fd(), libc::F_OFD_SETLK, &raw const lock) }, 0);
    file
}

/// A header with other bytes from a place on, and the check that belongs to it.
fn with_header(whole: &[u8], at: usize, bytes: &[u8]) -> Vec<u8> {
    let mut changed = whole.to_vec();
    changed[at..at + bytes.len()].copy_from_slice(bytes);
    let last = size_of::<VitalsHeader>() - 8;
    let word = |word: &[u8]| u64::from_ne_bytes(word.try_into().unwrap());
    let words: Vec<u64> = changed[..last].chunks_exact(8).map(word).collect();
    changed[last..last + 8].copy_from_slice(&check(&words).to_ne_bytes());
    changed
}

/// a file of another boot is that of a dead process, whoever has its lock, and nobody is asked there. Without an id the
/// lock alone decides.
#[test]
fn r_06_a_file_of_another_boot_is_dead() {
    let watched = Watched::start("works");
    let (whole, length) = read_used(&watched.file());
    let own = Vitals::new(&whole).unwrap().boot();
    if own == [0; 16] {
        return println!("skipped: this system has no boot id");
    }
    let path = watched.folder.join("copy.vitals");
    for (boot, is_other) in [(own, false), ([0; 16], false), ([7; 16], true)] {
        write_used(&path, &with_header(&whole, 64, &boot), length);
        let kept = keep(&path);
        let process = look(&path).unwrap();
        let expected = if is_other { Liveness::Dead } else { Liveness::Running };
        assert_eq!((process.liveness, process.other_boot), (expected, is_other), "{boot:?}");
        assert_eq!(process.kernels.len(), 1, "what it was is shown");
        let attached = Attached::open(&path).unwrap();
        assert_eq!(attached.liveness().unwrap(), expected);
        assert_eq!(attached.liveness().unwrap(), expected, "and again");
        assert_eq!(ask_for_telemetry(&path, Duration::from_secs(1)).unwrap(), !is_other);
        let text = autopsy(&path).unwrap().to_string();
        let told = "it died with an earlier boot of this machine, or is another machine's";
        assert_eq!(text.lines().next().unwrap().ends_with(told), is_other, "{text}");
        drop(kept);
        assert_eq!(look(&path).unwrap().liveness, Liveness::Dead, "nobody has the lock");
    }
}
