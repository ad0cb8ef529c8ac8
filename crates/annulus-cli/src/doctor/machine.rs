//! What can be seen of the machine without a driver: its graphics processors, the files through which drivers
//! reach them, and how packages are installed here.

use std::{
    fs::{self, OpenOptions},
    io,
    path::{Path, PathBuf},
};

use annulus::Backend;

use super::finding::{Finding, State};

/// PCI vendor numbers, with the vendors' names.
const MAKERS: [(&str, &str); 3] = [("0x10de", "NVIDIA"), ("0x1002", "AMD"), ("0x8086", "Intel")];

/// The machine's graphics processors, and whether this user may use them. Only Linux shows them.
pub(super) fn devices() -> Vec<Finding> {
    if !cfg!(target_os = "linux") {
        return Vec::new();
    }
    let makers = makers(Path::new("/sys/bus/pci/devices"));
    let found = match &makers[..] {
        [] => "no graphics processor is on this machine's PCI bus: kernels run on the processor".to_owned(),
        makers => format!("graphics processors on the PCI bus: {}", makers.join(", ")),
    };
    let gpus = Finding::new("devices", State::Note, found);
    std::iter::once(gpus).chain(access(Path::new("/dev"))).collect()
}

/// Whether it is known that there is no NVIDIA GPU.
pub(super) fn lacks_nvidia() -> bool {
    let bus = Path::new("/sys/bus/pci/devices");
    // WSL's GPU, and that of NVIDIA's own boards, are on no PCI bus.
    let elsewhere = ["/dev/dxg", "/dev/nvhost-gpu", "/dev/nvgpu"].iter().any(|path| Path::new(path).exists());
    bus.is_dir() && !elsewhere && makers(bus).iter().all(|maker| maker != "NVIDIA")
}

/// The makers of display controllers in a folder of PCI devices.
fn makers(folder: &Path) -> Vec<String> {
    let Ok(devices) = fs::read_dir(folder) else { return Vec::new() };
    let word = |device: &Path, file: &str| {
        fs::read_to_string(device.join(file)).map(|text| text.trim().to_owned()).unwrap_or_default()
    };
    let paths = devices.flatten().map(|device| device.path());
    // Class 0x03 is a display controller, whatever its kind.
    let mut makers: Vec<_> = paths
        .filter(|device| word(device, "class").starts_with("0x03"))
        .map(|device| word(&device, "vendor"))
        .map(|number| match MAKERS.iter().find(|(known, _)| *known == number) {
            Some((_, name)) => (*name).to_owned(),
            None => format!("maker {number}"),
        })
        .collect();
    makers.sort();
    makers
}

/// Whether this user may open what drivers open.
fn access(folder: &Path) -> Option<Finding> {
    let nodes = |folder: PathBuf, start: &'static str| {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        entries.map(|entry| entry.path()).filter(move |path| {
            path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(start)) && !path.is_dir()
        })
    };
    let mut all: Vec<_> =
        nodes(folder.join("dri"), "renderD").chain(nodes(folder.into(), "nvidia")).collect();
    all.sort();
    let refused = |path: &&PathBuf| {
        let opened = OpenOptions::new().read(true).write(true).open(path);
        opened.is_err_and(|error| error.kind() == io::ErrorKind::PermissionDenied)
    };
    let names = |paths: &[&PathBuf]| {
        paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", ")
    };
    let closed: Vec<_> = all.iter().filter(refused).collect();
    match (&all[..], &closed[..]) {
        ([], _) => None,
        (all, []) => {
            let all: Vec<_> = all.iter().collect();
            Some(Finding::new("permissions", State::Well, format!("this user may use {}", names(&all))))
        }
        (_, closed) => {
            let found = format!("this user may not use {}", names(closed));
            let remedy = "sudo usermod -aG render,video $USER, and log in again";
            Some(Finding::new("permissions", State::Lacks, found).remedy(remedy))
        }
    }
}

/// How packages are installed here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Packages {
    Apt,
    Dnf,
    Pacman,
    Unknown,
}

/// By `/etc/os-release`.
fn packages(release: &str) -> Packages {
    let said = release
        .lines()
        .filter_map(|line| line.strip_prefix("ID=").or_else(|| line.strip_prefix("ID_LIKE=")))
        .flat_map(|value| value.trim_matches('"').split_whitespace());
    for name in said {
        match name {
            "debian" | "ubuntu" => return Packages::Apt,
            "fedora" | "rhel" => return Packages::Dnf,
            "arch" => return Packages::Pacman,
            _ => {}
        }
    }
    Packages::Unknown
}

/// The command that gives this machine what a backend needs, if one is known.
pub(super) fn remedy(backend: Backend) -> Option<String> {
    let packages = packages(&fs::read_to_string("/etc/os-release").unwrap_or_default());
    let command = match (backend, packages) {
        (Backend::OpenCl, Packages::Apt) => "sudo apt install ocl-icd-libopencl1 pocl-opencl-icd",
        (Backend::OpenCl, Packages::Dnf) => "sudo dnf install ocl-icd pocl",
        (Backend::OpenCl, Packages::Pacman) => "sudo pacman -S ocl-icd pocl",
        (Backend::OpenCl, Packages::Unknown) => {
            "install an OpenCL loader (ocl-icd) and a driver (PoCL runs on any processor)"
        }
        (Backend::Cuda, Packages::Apt) => {
            "sudo apt install nvidia-driver (Debian, non-free) or sudo ubuntu-drivers install (Ubuntu), and restart"
        }
        (Backend::Cuda, _) => "install NVIDIA's driver, restart, and see that nvidia-smi shows the GPU",
        _ => return None,
    };
    Some(command.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder of this test's own, which goes when the value does.
    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Self {
            let path = std::env::temp_dir().join(format!("annulus-doctor-{}-{name}", std::process::id()));
            fs::create_dir_all(&path).unwrap();
            Self(path)
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn display_controllers_are_told_by_their_makers() {
        let folder = Folder::new("pci");
        for (device, class, vendor) in [
            ("0", "0x030000", "0x8086"),
            ("1", "0x030200", "0x10de"),
            ("2", "0x020000", "0x10de"),
            ("3", "0x038000", "0x1234"),
        ] {
            let device = folder.0.join(device);
            fs::create_dir(&device).unwrap();
            fs::write(device.join("class"), format!("{class}\n")).unwrap();
            fs::write(device.join("vendor"), format!("{vendor}\n")).unwrap();
        }
        assert_eq!(makers(&folder.0), ["Intel", "NVIDIA", "maker 0x1234"]);
        assert!(makers(&folder.0.join("none")).is_empty());
    }

    #[test]
    fn files_that_drivers_open_are_looked_for() {
        let folder = Folder::new("dev");
        assert_eq!(access(&folder.0), None);
        fs::create_dir(folder.0.join("dri")).unwrap();
        for name in ["dri/renderD128", "nvidia0", "dri/card0", "null"] {
            fs::write(folder.0.join(name), "").unwrap();
        }
        let found = access(&folder.0).unwrap();
        assert_eq!(found.state, State::Well);
        assert!(found.found[0].contains("renderD128") && found.found[0].contains("nvidia0"), "{found}");
        assert!(!found.found[0].contains("card0") && !found.found[0].contains("null"), "{found}");
    }

    #[test]
    fn distributions_are_known_by_their_kin() {
        let cases = [
            ("ID=debian\n", Packages::Apt),
            ("NAME=\"Linux Mint\"\nID=linuxmint\nID_LIKE=\"ubuntu debian\"\n", Packages::Apt),
            ("ID=\"rocky\"\nID_LIKE=\"rhel centos fedora\"\n", Packages::Dnf),
            ("ID=arch\n", Packages::Pacman),
            ("ID=nixos\n", Packages::Unknown),
            ("", Packages::Unknown),
        ];
        for (release, expected) in cases {
            assert_eq!(packages(release), expected, "{release}");
        }
    }
}
