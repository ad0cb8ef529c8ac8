//! `annulus emit KERNEL`: what a handler becomes for a device.

use std::io::{self, Write};
#[cfg(feature = "cuda")]
use std::{collections::BTreeMap, fs, path::PathBuf};

use annulus::{RegisteredKernel, kernel::Target};
#[cfg(feature = "cuda")]
use annulus::{
    cuda::{self, Architecture},
    kernel::KernelDefinition,
};
use clap::Args;

use crate::{failure::Failure, values};

/// Print the C that a kernel's handler becomes, or write its machine code
///
/// Comments name the Rust lines that statements come from. `annulus run --list` lists the kernels.
///
/// Machine code is for machines without NVRTC, NVIDIA's compiler: `Cuda::cubins` takes the folder that it was
/// written to. Making it needs NVRTC, and no device.
#[derive(Args)]
pub(crate) struct Emit {
    /// The kernel's name, or `module::name` where several have it
    #[arg(value_name = "KERNEL", value_parser = values::kernel())]
    kernel: &'static RegisteredKernel,

    /// The dialect
    #[arg(long, short, value_name = "TARGET", default_value = "opencl", value_parser = values::target())]
    target: Target,

    #[cfg(feature = "cuda")]
    /// Write CUDA machine code instead, a file for each architecture
    #[arg(long, conflicts_with = "target")]
    cubin: bool,

    #[cfg(feature = "cuda")]
    /// The architectures, as sm_80,sm_90; all that NVRTC knows unless said
    #[arg(long, value_name = "LIST", value_delimiter = ',', requires = "cubin")]
    arch: Vec<Architecture>,

    #[cfg(feature = "cuda")]
    /// Threads of a block, as the program will launch it
    #[arg(long, value_name = "N", default_value_t = cuda::THREADS, requires = "cubin", value_parser = clap::value_parser!(u32).range(1..=1024))]
    threads: u32,

    #[cfg(feature = "cuda")]
    /// For launches with LaunchOptions::connectable, which may be connected to other kernels
    #[arg(long, requires = "cubin")]
    connectable: bool,

    #[cfg(feature = "cuda")]
    /// For launches with LaunchOptions::into_variants, whose messages become variants of others' ones
    #[arg(long, requires = "connectable")]
    into_variants: bool,

    #[cfg(feature = "cuda")]
    /// For launches with LaunchOptions::supersteps, whose blocks take their turns together
    #[arg(long, requires = "cubin")]
    supersteps: bool,

    #[cfg(feature = "cuda")]
    /// For launches with LaunchOptions::rounds, whose blocks begin what they have sent together
    #[arg(long, requires = "cubin")]
    rounds: bool,

    #[cfg(feature = "cuda")]
    /// For launches with LaunchOptions::sparse_keys
    #[arg(long, requires = "cubin")]
    sparse_keys: bool,

    #[cfg(feature = "cuda")]
    /// For launches with LaunchOptions::evict_actors
    #[arg(long, requires = "cubin")]
    evict_actors: bool,

    #[cfg(feature = "cuda")]
    /// Where the files go
    #[arg(long, value_name = "DIR", default_value = ".", requires = "cubin")]
    out: PathBuf,
}

impl Emit {
    pub(crate) fn execute(&self) -> Result<(), Failure> {
        let definition = self.kernel.definition();
        #[cfg(feature = "cuda")]
        if self.cubin {
            return self.write_cubins(definition);
        }
        let text = definition.handler_source(self.target).map_err(Failure::fault)?;
        io::stdout().write_all(text.as_bytes()).map_err(Failure::stdout)
    }

    #[cfg(feature = "cuda")]
    fn write_cubins(&self, definition: &'static KernelDefinition) -> Result<(), Failure> {
        let architectures = match &self.arch[..] {
            [] => cuda::architectures().map_err(Failure::fault)?,
            wanted => wanted.to_vec(),
        };
        let mut files = BTreeMap::new();
        for architecture in architectures {
            let shape = cuda::Shape {
                threads: self.threads,
                connectable: self.connectable,
                into_variants: self.into_variants,
                supersteps: self.supersteps || self.rounds,
                rounds: self.rounds,
                sparse: self.sparse_keys || self.evict_actors,
                evicts: self.evict_actors,
                ..Default::default()
            };
            let cubins = cuda::cubins(definition, shape, architecture).map_err(Failure::fault)?;
            files.extend(cubins.into_iter().map(|cubin| (cubin.file, cubin.bytes)));
        }
        let at = |path: &PathBuf, error: io::Error| Failure::Fault(format!("{}: {error}", path.display()));
        fs::create_dir_all(&self.out).map_err(|error| at(&self.out, error))?;
        for (name, bytes) in files {
            let path = self.out.join(name);
            fs::write(&path, bytes).map_err(|error| at(&path, error))?;
            writeln!(io::stdout(), "{}", path.display()).map_err(Failure::stdout)?;
        }
        Ok(())
    }
}
