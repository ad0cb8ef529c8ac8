//! From a handler's text to a program on a device.

use std::{path::PathBuf, sync::Arc};

use annulus_kernel::{
    LANGUAGE_SOURCE,
    device::{ENTRY, INTERFACE, OPENCL_PRELUDE, RUNTIME},
};
use annulus_runtime::BackendError;

use crate::{
    cache::Cache,
    cl::{BuildError, Program},
    device::{Device, Opened},
};

/// What decides a program, besides the handler.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    /// Threads of a block.
    pub(crate) threads: u32,
    /// Do without what only some systems have.
    pub(crate) portable: bool,
    /// The grid, where each must have a program of its own ([`Device::programs_by_grid`]).
    pub(crate) blocks: Option<u32>,
}

/// The whole text of a program.
pub(crate) fn assemble(handler: &str, shape: Shape) -> String {
    let Shape { threads, portable, blocks } = shape;
    let portable = u32::from(portable);
    let blocks = blocks.map_or(String::new(), |blocks| format!("#define ANN_LAUNCH_BLOCKS {blocks}\n"));
    format!(
        "{blocks}#define ANN_LAUNCH_THREADS {threads}\n#define ANN_LAUNCH_PORTABLE {portable}\n\n\
         {OPENCL_PRELUDE}\n{INTERFACE}\n{LANGUAGE_SOURCE}\n{handler}\n{RUNTIME}"
    )
}

/// The program of this text: from this process's memory, from the cache, or built.
pub(crate) fn load(
    device: &Device,
    opened: &Opened,
    cache: Option<&PathBuf>,
    kernel: &str,
    source: &str,
) -> Result<Arc<Program>, BackendError> {
    let options = &device.build_options();
    let key = format!(
        "{}\n{}\n{}\n{}\n{options}\n{source}",
        device.platform, device.name, device.version, device.driver
    );
    if let Some(program) = opened.known(&key) {
        return Ok(program);
    }
    let cache = cache.map(|directory| Cache::new(directory, &key));
    let cached = cache.as_ref().and_then(Cache::read);
    // A binary that the driver does not take any more is built anew, like one that is damaged.
    // So is one that lacks the entry.
    let loaded = cached
        .and_then(|binary| Program::from_binary(&opened.context, &binary, options).ok())
        .filter(|program| program.kernel(ENTRY).is_ok());
    let program = match loaded {
        Some(program) => program,
        None => {
            let program = Program::from_source(&opened.context, source, options)
                .map_err(|refused| not_built(kernel, device, source, &refused))?;
            if let (Some(cache), Some(binary)) = (&cache, program.binary()) {
                cache.write(&binary);
            }
            program
        }
    };
    let program = Arc::new(program);
    opened.keep(key, &program);
    Ok(program)
}

fn not_built(kernel: &str, device: &Device, source: &str, refused: &BuildError) -> BackendError {
    let mut message = format!(
        "`{kernel}` does not compile for `{}`, driver {}: {}",
        device.name, device.driver, refused.error
    );
    if !refused.log.is_empty() {
        message.push('\n');
        message.push_str(&explain(&refused.log, source));
    }
    BackendError::new(message)
}

/// The compiler's log, each line that names a place followed by the C there and the Rust behind it.
pub(crate) fn explain(log: &str, source: &str) -> String {
    let lines: Vec<&str> = source.lines().collect();
    let mut explained = String::new();
    for line in log.lines() {
        explained.push_str(line);
        explained.push('\n');
        let Some(number) = place(line) else { continue };
        let Some(text) = number.checked_sub(1).and_then(|index| lines.get(index)) else { continue };
        explained.push_str(&format!("    {}\n", text.trim()));
        if let Some(origin) = origin(&lines[..number]) {
            explained.push_str(&format!("    from {origin}\n"));
        }
    }
    explained.truncate(explained.trim_end().len());
    explained
}

/// The line that a compiler's message names, as in `file.cl:12:5: error`.
fn place(message: &str) -> Option<usize> {
    let mut parts = message.split(':');
    while let Some(part) = parts.next() {
        let number: Option<usize> = part.trim().parse().ok();
        let column = parts.clone().next().and_then(|next| next.trim().parse::<usize>().ok());
        if let (Some(number), Some(_)) = (number, column) {
            return Some(number);
        }
    }
    None
}

/// The Rust line that the last of these lines of C come from: the last comment `// file.rs:12`, unless a function begins after it.
fn origin<'a>(lines: &[&'a str]) -> Option<&'a str> {
    for line in lines.iter().rev() {
        if let Some(comment) = line.trim().strip_prefix("// ") {
            let path = comment.rsplit_once(':');
            if path.is_some_and(|(file, line)| file.ends_with(".rs") && line.trim().parse::<u32>().is_ok()) {
                return Some(comment.trim());
            }
        }
        // A closing brace in the first column ends a function: what stands above is not this line's.
        if line.starts_with('}') {
            return None;
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = "typedef uint u32;\n\nu32 f(u32 x)\n{\n    // src/lib.rs:7\n    u32 y = x + z;\n    return y;\n}\n\nu32 g(void) {\n    return q;\n}\n";

    #[test]
    fn a_message_shows_the_c_and_the_rust_behind_it() {
        let log = "error: /tmp/x_1.cl:6:17: use of undeclared identifier 'z'\nDevice failed";
        assert_eq!(
            explain(log, SOURCE),
            "error: /tmp/x_1.cl:6:17: use of undeclared identifier 'z'\n    u32 y = x + z;\n    from src/lib.rs:7\nDevice failed"
        );
    }

    #[test]
    fn a_line_that_no_rust_stands_behind_says_nothing_of_rust() {
        let log = "error: x.cl:11:12: use of undeclared identifier 'q'";
        assert_eq!(explain(log, SOURCE), format!("{log}\n    return q;"));
    }

    #[test]
    fn a_message_without_a_place_stays_as_it_is() {
        assert_eq!(explain("linker: 3 errors", SOURCE), "linker: 3 errors");
        assert_eq!(
            explain("error: x.cl:4000:1: beyond the end", SOURCE),
            "error: x.cl:4000:1: beyond the end"
        );
    }
}
