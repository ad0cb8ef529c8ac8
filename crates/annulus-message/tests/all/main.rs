//! Messages as bytes: bridged ones, frames, what changed, what is broken.

mod bridged;
mod compressed;
mod frames;
mod refused;
mod samples;
mod schemas;
mod untrusted;
