//! What drivers read from the environment.

/// Sets a variable of the environment for a driver that is about to read it, unless it is set.
///
/// To be called once for each variable, when the process opens its first device of a backend. The backend's
/// front page says so: a program whose C code reads the environment on other threads meanwhile sets the
/// variable itself, before it starts them.
pub fn tell_driver(variable: &str, value: &str) {
    if std::env::var_os(variable).is_some() {
        return;
    }
    // SAFETY: Rust's own accesses to the environment are ordered by the standard library's lock. What remains
    // is C code of another thread that reads the environment at this very moment. It cannot be excluded from
    // here; the front pages of the backends say how a program excludes it.
    unsafe { std::env::set_var(variable, value) };
}
