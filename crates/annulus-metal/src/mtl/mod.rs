//! Metal's objects, by messages of Objective-C.
//!
//! Apple's libraries are loaded when the first device is asked for; nothing links to them, and this module compiles on every
//! system. Where the environment variable `ANNULUS_METAL` names a library, its functions are used instead: so tests
//! run the same code on a system without Metal.
//!
//! # The messages
//!
//! A message is a call of `objc_msgSend` with the type of the method. None returns a structure, which would need another function
//! on some processors. The types are those of Apple's headers; `id` is any object, `NSUInteger` is `usize`, `BOOL` a byte.
//!
//! | receiver | message | arguments | result |
//! |---|---|---|---|
//! | `MTLDevice` | `name` | | `NSString` |
//! | | `registryID` | | `uint64_t` |
//! | | `hasUnifiedMemory` | | `BOOL` |
//! | | `maxThreadgroupMemoryLength` | | `NSUInteger` |
//! | | `newBufferWithLength:options:` | `NSUInteger`, `NSUInteger` | `MTLBuffer`, the caller's |
//! | | `newBufferWithBytesNoCopy:length:options:deallocator:` | `void *`, `NSUInteger`, `NSUInteger`, a block or null | `MTLBuffer`, the caller's |
//! | | `newLibraryWithSource:options:error:` | `NSString`, `MTLCompileOptions`, `NSError **` | `MTLLibrary`, the caller's |
//! | | `newComputePipelineStateWithFunction:error:` | `MTLFunction`, `NSError **` | `MTLComputePipelineState`, the caller's |
//! | | `newCommandQueue` | | `MTLCommandQueue`, the caller's |
//! | `MTLLibrary` | `newFunctionWithName:` | `NSString` | `MTLFunction`, the caller's |
//! | `MTLComputePipelineState` | `maxTotalThreadsPerThreadgroup` | | `NSUInteger` |
//! | `MTLBuffer` | `contents` | | `void *` |
//! | | `length` | | `NSUInteger` |
//! | `MTLCommandQueue` | `commandBuffer` | | `MTLCommandBuffer`, the pool's |
//! | `MTLCommandBuffer` | `computeCommandEncoder` | | `MTLComputeCommandEncoder`, the pool's |
//! | | `commit` | | |
//! | | `status` | | `NSUInteger`: 4 completed, 5 failed |
//! | | `error` | | `NSError` or null |
//! | `MTLComputeCommandEncoder` | `setComputePipelineState:` | `MTLComputePipelineState` | |
//! | | `setBuffer:offset:atIndex:` | `MTLBuffer`, `NSUInteger`, `NSUInteger` | |
//! | | `setBytes:length:atIndex:` | `const void *`, `NSUInteger`, `NSUInteger` | |
//! | | `dispatchThreadgroups:threadsPerThreadgroup:` | `MTLSize`, `MTLSize` | |
//! | | `endEncoding` | | |
//! | `MTLCompileOptions` | `new` (of the class) | | the caller's |
//! | | `setFastMathEnabled:` | `BOOL` | |
//! | | `setLanguageVersion:` | `NSUInteger`: the version, a half of 16 bits for each of its two numbers | |
//! | `NSProcessInfo` | `processInfo` (of the class) | | the process's own |
//! | | `isOperatingSystemAtLeastVersion:` | three `NSInteger`, by value | `BOOL` |
//! | `NSString` | `alloc` (of the class) | | |
//! | | `initWithBytes:length:encoding:` | `const void *`, `NSUInteger`, `NSUInteger`: 4 for UTF-8 | the caller's |
//! | | `UTF8String` | | `const char *` |
//! | `NSError` | `localizedDescription` | | `NSString` |
//! | `NSArray` | `count` | | `NSUInteger` |
//! | | `objectAtIndex:` | `NSUInteger` | `id` |
//!
//! # Threads
//!
//! Devices, queues, libraries, functions and pipelines may be used from any thread. Buffers and command buffers are moved to other threads
//! here, and asked for what never changes, or for their status. An encoder belongs to the call that made it. What messages leave to the pool of autoreleased objects is released when the call ends.

mod library;

use std::{
    ffi::{CStr, c_char, c_void},
    fmt,
    ptr::{self, NonNull},
};

use annulus_sync::{Ordering, fence};
use library::{Functions, Id, Selector, functions};

/// Why Metal did not do something: its own words, or those of whoever asked it.
#[derive(Clone, Debug)]
pub(crate) struct Error(String);

impl Error {
    fn new(words: impl Into<String>) -> Self {
        Self(words.into())
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Sends a message: `send!(functions, receiver, selector(argument => type, …) -> result)`. Used in this module alone, whose
/// receivers and arguments are objects that an [`Object`] or the pool of the call keeps, of the types of the table above.
macro_rules! send {
    ($functions:expr, $receiver:expr, $selector:ident($($argument:expr => $ty:ty),*) -> $result:ty) => {{
        let functions: &Functions = $functions;
        let method: *const c_void = functions.send;
        // SAFETY: `objc_msgSend` is called as a function of the type that the method has, by the table above.
        let method: unsafe extern "C-unwind" fn(Id, Selector $(, $ty)*) -> $result = unsafe { std::mem::transmute(method) };
        // SAFETY: the receiver and the arguments are live objects, as above.
        unsafe { method($receiver, functions.selectors.$selector $(, $argument)*) }
    }};
}

/// An object that this value owns a count of.
struct Object {
    id: NonNull<c_void>,
    functions: &'static Functions,
}

// SAFETY: the objects that are owned are of the kinds that Metal allows from any thread; counts are atomic.
unsafe impl Send for Object {}
// SAFETY: as above.
unsafe impl Sync for Object {}

impl Object {
    /// Takes over a count of an object; `what` says what it should have been.
    fn owned(functions: &'static Functions, id: Id, what: &str) -> Result<Self, Error> {
        let id = NonNull::new(id).ok_or_else(|| Error::new(format!("Metal made no {what}")))?;
        Ok(Self { id, functions })
    }

    /// Takes a count of an object that somebody else owns.
    fn shared(functions: &'static Functions, id: Id, what: &str) -> Result<Self, Error> {
        if !id.is_null() {
            // SAFETY: the object lives: whoever gave it still owns it.
            unsafe { (functions.retain)(id) };
        }
        Self::owned(functions, id, what)
    }

    fn id(&self) -> Id {
        self.id.as_ptr()
    }
}

impl Clone for Object {
    fn clone(&self) -> Self {
        // SAFETY: the object lives as long as this count of it.
        unsafe { (self.functions.retain)(self.id()) };
        Self { id: self.id, functions: self.functions }
    }
}

impl Drop for Object {
    fn drop(&mut self) {
        // SAFETY: the count is this value's own.
        unsafe { (self.functions.release)(self.id()) };
    }
}

/// Objects that messages leave to the pool live until this is dropped.
struct Pool {
    pool: *mut c_void,
    functions: &'static Functions,
}

impl Pool {
    fn new(functions: &'static Functions) -> Self {
        // SAFETY: a pool belongs to the thread that makes it, and this value does not leave it.
        Self { pool: unsafe { (functions.push)() }, functions }
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        // SAFETY: the pool is the newest of this thread: values are dropped in the opposite order of their making.
        unsafe { (self.functions.pop)(self.pool) };
    }
}

/// A string of Foundation's as one of Rust's; empty for null.
fn text(functions: &'static Functions, string: Id) -> String {
    if string.is_null() {
        return String::new();
    }
    let bytes = send!(functions, string, bytes() -> *const c_char);
    if bytes.is_null() {
        return String::new();
    }
    // SAFETY: the bytes end with a zero, and live as long as the string or the pool, which the caller holds.
    unsafe { CStr::from_ptr(bytes) }.to_string_lossy().into_owned()
}

/// A string of Foundation's.
fn string(functions: &'static Functions, text: &str) -> Result<Object, Error> {
    const UTF_8: usize = 4;
    let empty = send!(functions, functions.string_class, alloc() -> Id);
    let string = send!(
        functions,
        empty,
        init_with_bytes(text.as_ptr().cast() => *const c_void, text.len() => usize, UTF_8 => usize) -> Id
    );
    Object::owned(functions, string, "string")
}

/// What an error of Foundation's says.
fn told(functions: &'static Functions, error: Id, otherwise: &str) -> Error {
    if error.is_null() {
        return Error::new(otherwise);
    }
    Error::new(text(functions, send!(functions, error, description() -> Id)))
}

/// The bytes of a page of this system.
fn page_bytes() -> usize {
    if cfg!(all(target_vendor = "apple", target_arch = "aarch64")) { 16 << 10 } else { 4 << 10 }
}

/// All devices of this machine, in Metal's order. The default one is asked for only where there is no list: a computer with two
/// GPUs switches to the larger one for that question.
pub(crate) fn devices() -> Result<Vec<Device>, Error> {
    let functions = functions()?;
    let _pool = Pool::new(functions);
    let mut devices = Vec::new();
    // SAFETY: the function takes nothing; the caller owns a count of its result.
    let all = unsafe { (functions.all_devices)() };
    if let Ok(all) = Object::owned(functions, all, "list of devices") {
        for index in 0..send!(functions, all.id(), count() -> usize) {
            let device = send!(functions, all.id(), item(index => usize) -> Id);
            devices.push(Device(Object::shared(functions, device, "device")?));
        }
    }
    if devices.is_empty() {
        // SAFETY: as above.
        let default = unsafe { (functions.default_device)() };
        devices.extend(Object::owned(functions, default, "device").ok().map(Device));
    }
    Ok(devices)
}

/// A device.
pub(crate) struct Device(Object);

/// Memory that host and device share: `MTLResourceStorageModeShared`, with the processor's caches as usual.
const SHARED: usize = 0;
/// Version 3.2 of the language.
const LANGUAGE: usize = 3 << 16 | 2;

impl Device {
    pub(crate) fn name(&self) -> String {
        let _pool = Pool::new(self.0.functions);
        text(self.0.functions, send!(self.0.functions, self.0.id(), name() -> Id))
    }

    /// The system's number of it.
    pub(crate) fn registry_id(&self) -> u64 {
        send!(self.0.functions, self.0.id(), registry_id() -> u64)
    }

    /// Whether its memory is the host's.
    pub(crate) fn has_unified_memory(&self) -> bool {
        send!(self.0.functions, self.0.id(), unified() -> u8) != 0
    }

    /// The most bytes of a block's own memory.
    pub(crate) fn threadgroup_bytes(&self) -> usize {
        send!(self.0.functions, self.0.id(), max_threadgroup_memory() -> usize)
    }

    /// Zeroed memory that host and device share; a length of 0 is made 1.
    pub(crate) fn buffer(&self, bytes: usize) -> Result<Buffer, Error> {
        let bytes = bytes.max(1);
        let _pool = Pool::new(self.0.functions);
        let buffer = send!(self.0.functions, self.0.id(), buffer(bytes => usize, SHARED => usize) -> Id);
        let buffer = self.buffer_of(buffer, bytes)?;
        // Metal's documentation does not promise it.
        // SAFETY: nobody else has the buffer yet, and it has so many bytes.
        unsafe { buffer.contents().write_bytes(0, bytes) };
        Ok(buffer)
    }

    /// The host's memory as a buffer. It begins and ends at a page.
    ///
    /// # Safety
    ///
    /// The memory lives until the buffer, and all runs that use it, are gone.
    pub(crate) unsafe fn adopt(&self, memory: NonNull<u8>, bytes: usize) -> Result<Buffer, Error> {
        let page = page_bytes();
        if !memory.as_ptr().addr().is_multiple_of(page) || !bytes.is_multiple_of(page) {
            return Err(Error::new(format!(
                "it does not begin and end at a page, of which one has {page} bytes here"
            )));
        }
        let _pool = Pool::new(self.0.functions);
        let (memory, nobody): (Id, Id) = (memory.as_ptr().cast(), ptr::null_mut());
        let buffer = send!(
            self.0.functions,
            self.0.id(),
            buffer_at(memory => *mut c_void, bytes => usize, SHARED => usize, nobody => Id) -> Id
        );
        self.buffer_of(buffer, bytes)
    }

    fn buffer_of(&self, buffer: Id, bytes: usize) -> Result<Buffer, Error> {
        let buffer = Object::owned(
            self.0.functions,
            buffer,
            &format!("buffer of {bytes} bytes: is there so much memory?"),
        )?;
        let contents = send!(self.0.functions, buffer.id(), contents() -> *mut u8);
        let contents =
            NonNull::new(contents).ok_or_else(|| Error::new("the host does not see a buffer's contents"))?;
        let long_enough = send!(self.0.functions, buffer.id(), length() -> usize) >= bytes;
        if !long_enough {
            return Err(Error::new(format!("Metal made a buffer that is shorter than {bytes} bytes")));
        }
        Ok(Buffer { buffer, contents, bytes })
    }

    /// Compiles a program, with the arithmetic of IEEE 754 and version 3.2 of the language. Unless it is said, the version
    /// depends on the system that a program was linked for.
    ///
    /// # Errors
    ///
    /// If the compiler refuses it: its log. If the system does not know that version: an option that is too new may end the process.
    pub(crate) fn library(&self, source: &str) -> Result<Library, Error> {
        let functions = self.0.functions;
        let _pool = Pool::new(functions);
        let process = send!(functions, functions.process_class, process_info() -> Id);
        if send!(functions, process, is_at_least(System::NEEDED => System) -> u8) == 0 {
            return Err(Error::new(
                "version 3.2 of Metal's language is needed: macOS 15 or later, or iOS 18; use the CPU backend",
            ));
        }
        let options = send!(functions, functions.options_class, new() -> Id);
        let options = Object::owned(functions, options, "options of the compiler")?;
        send!(functions, options.id(), set_fast_math(false => bool) -> ());
        send!(functions, options.id(), set_language(LANGUAGE => usize) -> ());
        let source = string(functions, source)?;
        let mut error: Id = ptr::null_mut();
        let library = send!(
            functions,
            self.0.id(),
            library(source.id() => Id, options.id() => Id, &raw mut error => *mut Id) -> Id
        );
        // A library may come with warnings.
        match Object::owned(functions, library, "library") {
            Ok(library) => Ok(Library(library)),
            Err(none) => Err(told(functions, error, &none.0)),
        }
    }

    /// A function of a compiled program, ready to run.
    ///
    /// # Errors
    ///
    /// If there is none of this name, or the device cannot run it.
    pub(crate) fn pipeline(&self, library: &Library, function: &str) -> Result<Pipeline, Error> {
        let functions = self.0.functions;
        let _pool = Pool::new(functions);
        let name = string(functions, function)?;
        let entry = send!(functions, library.0.id(), function(name.id() => Id) -> Id);
        let entry = Object::owned(functions, entry, &format!("function `{function}`: the program has none"))?;
        let mut error: Id = ptr::null_mut();
        let pipeline =
            send!(functions, self.0.id(), pipeline(entry.id() => Id, &raw mut error => *mut Id) -> Id);
        match Object::owned(functions, pipeline, "pipeline") {
            Ok(pipeline) => Ok(Pipeline(pipeline)),
            Err(none) => Err(told(functions, error, &none.0)),
        }
    }

    /// Runs that are started here run one after the other.
    pub(crate) fn queue(&self) -> Result<Queue, Error> {
        let _pool = Pool::new(self.0.functions);
        let queue = send!(self.0.functions, self.0.id(), queue() -> Id);
        Ok(Queue(Object::owned(self.0.functions, queue, "command queue")?))
    }
}

/// `NSOperatingSystemVersion`.
#[repr(C)]
struct System {
    major: isize,
    minor: isize,
    patch: isize,
}

impl System {
    /// The first that knows version 3.2 of the language.
    const NEEDED: Self = Self { major: if cfg!(target_os = "ios") { 18 } else { 15 }, minor: 0, patch: 0 };
}

/// A compiled program.
pub(crate) struct Library(Object);

/// Memory that host and device share. A clone is the same memory.
#[derive(Clone)]
pub(crate) struct Buffer {
    buffer: Object,
    contents: NonNull<u8>,
    bytes: usize,
}

// SAFETY: the place of the contents is a number to this module; who reads or writes there says why it may.
unsafe impl Send for Buffer {}
// SAFETY: as above.
unsafe impl Sync for Buffer {}

impl Buffer {
    /// Where the host sees it: always the same place, as long as the buffer or a clone lives.
    pub(crate) fn contents(&self) -> NonNull<u8> {
        self.contents
    }

    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }
}

/// A function of a program, ready to run.
#[derive(Clone)]
pub(crate) struct Pipeline(Object);

impl Pipeline {
    /// The most threads of a block.
    pub(crate) fn max_threads(&self) -> usize {
        send!(self.0.functions, self.0.id(), max_threads() -> usize)
    }
}

/// An argument of a run.
pub(crate) enum Argument {
    Buffer(Buffer),
    Number(u64),
}

/// Runs one after the other.
pub(crate) struct Queue(Object);

/// `MTLSize`.
#[repr(C)]
struct Size {
    width: usize,
    height: usize,
    depth: usize,
}

impl Size {
    fn of(width: u32) -> Self {
        Self { width: width as usize, height: 1, depth: 1 }
    }
}

impl Queue {
    /// Starts a run, behind those that were started before, and returns.
    ///
    /// # Errors
    ///
    /// If nothing was started.
    ///
    /// # Safety
    ///
    /// The arguments are what the function takes, and its use of their memory is sound. Memory that was adopted lives until the
    /// run has ended; Metal keeps other buffers.
    pub(crate) unsafe fn start(
        &self,
        pipeline: &Pipeline,
        arguments: &[Argument],
        blocks: u32,
        threads: u32,
    ) -> Result<Run, Error> {
        let functions = self.0.functions;
        let _pool = Pool::new(functions);
        let commands = send!(functions, self.0.id(), command_buffer() -> Id);
        let commands = Object::shared(functions, commands, "command buffer")?;
        let encoder = send!(functions, commands.id(), encoder() -> Id);
        let encoder = Object::shared(functions, encoder, "encoder of commands")?;
        send!(functions, encoder.id(), set_pipeline(pipeline.0.id() => Id) -> ());
        for (index, argument) in arguments.iter().enumerate() {
            match argument {
                Argument::Buffer(buffer) => {
                    let id = buffer.buffer.id();
                    send!(functions, encoder.id(), set_buffer(id => Id, 0 => usize, index => usize) -> ());
                }
                Argument::Number(number) => {
                    let bytes: *const c_void = ptr::from_ref(number).cast();
                    let length = size_of::<u64>();
                    send!(
                        functions,
                        encoder.id(),
                        set_bytes(bytes => *const c_void, length => usize, index => usize) -> ()
                    );
                }
            }
        }
        let (blocks, threads) = (Size::of(blocks), Size::of(threads));
        send!(functions, encoder.id(), dispatch(blocks => Size, threads => Size) -> ());
        send!(functions, encoder.id(), end_encoding() -> ());
        send!(functions, commands.id(), commit() -> ());
        Ok(Run(commands))
    }
}

/// A run that was started.
pub(crate) struct Run(Object);

impl Run {
    /// Whether it has ended.
    ///
    /// # Errors
    ///
    /// If it has failed: Metal's words. Nothing of it runs any more.
    pub(crate) fn is_over(&self) -> Result<bool, Error> {
        const COMPLETED: usize = 4;
        const FAILED: usize = 5;
        let functions = self.0.functions;
        let _pool = Pool::new(functions);
        let status = send!(functions, self.0.id(), status() -> usize);
        // What is read behind this is read after the run's end was seen.
        fence(Ordering::Acquire);
        match status {
            COMPLETED => Ok(true),
            FAILED => {
                let error = send!(functions, self.0.id(), error() -> Id);
                Err(told(functions, error, "a run has failed, and Metal does not say why"))
            }
            _ => Ok(false),
        }
    }
}
