//! Tells the suite whether it is built for release, which its own debug assertions do not say, and the macros
//! that nobody launches its kernels by name.

fn main() {
    let profile = std::env::var("PROFILE").expect("Cargo sets it for build scripts");
    println!("cargo::rustc-env=ANNULUS_PROFILE={profile}");
    println!("cargo::rustc-env=ANNULUS_UNREGISTERED=1");
    println!("cargo::rerun-if-changed=build.rs");
}
