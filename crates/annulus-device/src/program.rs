//! From a handler's text to a program on a device.

use std::{
    collections::HashMap,
    path::Path,
    sync::{Arc, Mutex, PoisonError},
};

use annulus_block::RUNTIME;
use annulus_kernel::{LANGUAGE_SOURCE, device::INTERFACE};
use annulus_runtime::ProgramOrigin;

use crate::cache::Cache;

/// The whole text of a program: the launch's macros, the dialect's prelude, the functions and types that
/// handlers use, the handler, and the runtime around it.
pub fn assemble(macros: &str, prelude: &str, handler: &str) -> String {
    format!("{macros}\n{prelude}\n{INTERFACE}\n{LANGUAGE_SOURCE}\n{handler}\n{RUNTIME}")
}

/// The programs of an opened device: those of this process, and those that were kept on disk.
#[derive(Debug)]
pub struct Programs<P> {
    built: Mutex<HashMap<String, Arc<P>>>,
}

impl<P> Default for Programs<P> {
    /// None yet.
    fn default() -> Self {
        Self { built: Mutex::default() }
    }
}

impl<P> Programs<P> {
    /// The program of a key, which names all that decides it (device, driver, options, source). In this
    /// order: the one of this process, the `load`ed binary from the directory, or a new `build`. The `binary`
    /// of a new build, if it has one, is kept in the directory.
    ///
    /// A binary that `load` does not accept is built anew, like a damaged one. The result says where the
    /// program came from.
    ///
    /// # Errors
    ///
    /// What `build` returns.
    pub fn get<E>(
        &self,
        key: String,
        directory: Option<&Path>,
        load: impl FnOnce(&[u8]) -> Option<P>,
        build: impl FnOnce() -> Result<P, E>,
        binary: impl FnOnce(&P) -> Option<Vec<u8>>,
    ) -> Result<(Arc<P>, ProgramOrigin), E> {
        if let Some(program) = self.built.lock().unwrap_or_else(PoisonError::into_inner).get(&key) {
            return Ok((Arc::clone(program), ProgramOrigin::Process));
        }
        let cache = directory.map(|directory| Cache::new(directory, &key));
        let (program, origin) = match cache.as_ref().and_then(Cache::read).and_then(|kept| load(&kept)) {
            Some(program) => (program, ProgramOrigin::Disk),
            None => {
                let program = build()?;
                if let Some(cache) = cache
                    && let Some(binary) = binary(&program)
                {
                    cache.write(&binary);
                }
                (program, ProgramOrigin::Compiled)
            }
        };
        let program = Arc::new(program);
        self.built.lock().unwrap_or_else(PoisonError::into_inner).insert(key, Arc::clone(&program));
        Ok((program, origin))
    }

    /// Replaces the program of this key, here and in the directory, by one that was built anew.
    pub fn replace(
        &self,
        key: String,
        directory: Option<&Path>,
        program: P,
        binary: impl FnOnce(&P) -> Option<Vec<u8>>,
    ) -> Arc<P> {
        if let Some(directory) = directory
            && let Some(binary) = binary(&program)
        {
            Cache::new(directory, &key).write(&binary);
        }
        let program = Arc::new(program);
        self.built.lock().unwrap_or_else(PoisonError::into_inner).insert(key, Arc::clone(&program));
        program
    }
}

/// The compiler's log. After each line that names a place come the C line there and the Rust line behind it.
pub fn explain(log: &str, source: &str) -> String {
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

/// The line number that a compiler's message names, as in `file.cl:12:5: error`, or in `file.cu(12): error`.
fn place(message: &str) -> Option<usize> {
    if let Some((before, _)) = message.split_once("): ")
        && let Some((_, number)) = before.rsplit_once('(')
        && let Ok(number) = number.parse()
    {
        return Some(number);
    }
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

/// The Rust line that the last of these lines of C comes from: the last comment `// file.rs:12`, unless a
/// function ends after it.
fn origin<'a>(lines: &[&'a str]) -> Option<&'a str> {
    for line in lines.iter().rev() {
        if let Some(comment) = line.trim().strip_prefix("// ") {
            let path = comment.rsplit_once(':');
            if path.is_some_and(|(file, line)| file.ends_with(".rs") && line.trim().parse::<u32>().is_ok()) {
                return Some(comment.trim());
            }
        }
        // A closing brace in the first column ends a function: comments above it do not belong to this line.
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
    fn a_message_of_nvrtcs_does_too() {
        let log = "kernel.cu(6): error: identifier \"z\" is undefined\n        u32 y = x + z;\n                    ^";
        assert_eq!(
            explain(log, SOURCE),
            "kernel.cu(6): error: identifier \"z\" is undefined\n    u32 y = x + z;\n    from src/lib.rs:7\n        u32 y = x + z;\n                    ^"
        );
        assert_eq!(explain("f(x): y", SOURCE), "f(x): y");
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
