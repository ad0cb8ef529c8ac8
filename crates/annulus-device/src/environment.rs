//! What drivers read from the environment.

/// Sets an environment variable for a driver that is about to read it, unless the variable is set already.
///
/// Call this once for each variable, when the process opens its first device of a backend. The backend's
/// front page documents it: if C code of other threads may read the environment at that time, the program
/// sets the variable itself before it starts those threads.
pub fn tell_driver(variable: &str, value: &str) {
    if std::env::var_os(variable).is_some() {
        return;
    }
    // SAFETY: the standard library's lock orders Rust's own accesses to the environment. What remains is C
    // code of another thread that reads the environment at this very moment. This cannot be excluded here;
    // the front pages of the backends say how a program excludes it.
    unsafe { std::env::set_var(variable, value) };
}
