//! The functions of Objective-C's runtime and of Metal, loaded when they are first needed.

use std::{
    ffi::{CStr, c_char, c_void},
    sync::OnceLock,
};

use libloading::Library;

use super::Error;

/// An object of Objective-C, or null.
pub(super) type Id = *mut c_void;
/// The name of a message.
pub(super) type Selector = *const c_void;

/// Where tests find a library that stands in for Apple's.
pub(super) const VARIABLE: &str = "ANNULUS_METAL";

/// Apple's libraries. Metal finds no device in a program of the command line unless Core Graphics is loaded.
const APPLE: [&str; 4] = [
    "/usr/lib/libobjc.A.dylib",
    "/System/Library/Frameworks/Foundation.framework/Foundation",
    "/System/Library/Frameworks/CoreGraphics.framework/CoreGraphics",
    "/System/Library/Frameworks/Metal.framework/Metal",
];

macro_rules! selectors {
    ($($(#[$doc:meta])* $field:ident = $name:literal),* $(,)?) => {
        /// Every message that is sent, by its name.
        pub(super) struct Selectors {
            $(pub(super) $field: Selector,)*
        }

        impl Selectors {
            fn register(register: RegisterName) -> Self {
                Self {
                    // SAFETY: `sel_registerName` takes a C string, and keeps a copy of it.
                    $($field: unsafe { register(name($name).as_ptr()) },)*
                }
            }
        }
    };
}

selectors! {
    bytes = "UTF8String",
    buffer = "newBufferWithLength:options:",
    buffer_at = "newBufferWithBytesNoCopy:length:options:deallocator:",
    command_buffer = "commandBuffer",
    commit = "commit",
    contents = "contents",
    count = "count",
    description = "localizedDescription",
    dispatch = "dispatchThreadgroups:threadsPerThreadgroup:",
    encoder = "computeCommandEncoder",
    end_encoding = "endEncoding",
    error = "error",
    function = "newFunctionWithName:",
    init_with_bytes = "initWithBytes:length:encoding:",
    item = "objectAtIndex:",
    length = "length",
    library = "newLibraryWithSource:options:error:",
    alloc = "alloc",
    is_at_least = "isOperatingSystemAtLeastVersion:",
    max_threadgroup_memory = "maxThreadgroupMemoryLength",
    max_threads = "maxTotalThreadsPerThreadgroup",
    name = "name",
    new = "new",
    process_info = "processInfo",
    pipeline = "newComputePipelineStateWithFunction:error:",
    queue = "newCommandQueue",
    registry_id = "registryID",
    set_buffer = "setBuffer:offset:atIndex:",
    set_bytes = "setBytes:length:atIndex:",
    set_fast_math = "setFastMathEnabled:",
    set_language = "setLanguageVersion:",
    set_pipeline = "setComputePipelineState:",
    status = "status",
    unified = "hasUnifiedMemory",
}

type RegisterName = unsafe extern "C" fn(*const c_char) -> Selector;
type GetClass = unsafe extern "C" fn(*const c_char) -> Id;
type Retain = unsafe extern "C" fn(Id) -> Id;
type Release = unsafe extern "C" fn(Id);
type Push = unsafe extern "C" fn() -> *mut c_void;
type Pop = unsafe extern "C" fn(*mut c_void);
type Devices = unsafe extern "C-unwind" fn() -> Id;

/// What was loaded. It stays loaded until the process ends.
pub(super) struct Functions {
    /// `objc_msgSend`. Who calls it gives it the type of the method.
    pub(super) send: *const c_void,
    pub(super) retain: Retain,
    pub(super) release: Release,
    pub(super) push: Push,
    pub(super) pop: Pop,
    pub(super) default_device: Devices,
    pub(super) all_devices: Devices,
    pub(super) string_class: Id,
    pub(super) options_class: Id,
    pub(super) process_class: Id,
    pub(super) selectors: Selectors,
}

// SAFETY: the pointers are functions, classes and names, which never change; classes and functions may be used from any thread.
unsafe impl Send for Functions {}
// SAFETY: as above.
unsafe impl Sync for Functions {}

/// The functions, loaded at the first call of the process.
pub(super) fn functions() -> Result<&'static Functions, Error> {
    static LOADED: OnceLock<Result<Functions, Error>> = OnceLock::new();
    LOADED.get_or_init(load).as_ref().map_err(Clone::clone)
}

fn load() -> Result<Functions, Error> {
    let named = std::env::var_os(VARIABLE).filter(|path| !path.is_empty());
    let paths = match &named {
        Some(path) => vec![path.as_os_str()],
        None if cfg!(target_vendor = "apple") => APPLE.map(std::ffi::OsStr::new).to_vec(),
        None => {
            return Err(Error::new(
                "this system has no Metal: it is a part of Apple's systems; choose another backend",
            ));
        }
    };
    let mut libraries = Vec::new();
    for path in paths {
        // SAFETY: Apple's libraries may be loaded by any program; for a library that the variable names the one who set it answers.
        let library = unsafe { Library::new(path) };
        let library =
            library.map_err(|error| Error::new(format!("{} cannot be loaded: {error}", path.display())))?;
        // Classes and functions are used until the process ends.
        libraries.push(&*Box::leak(Box::new(library)));
    }
    let find = |symbol: &str| -> Result<*const c_void, Error> {
        for library in &libraries {
            // SAFETY: the symbol is a function; its address alone is taken here.
            let found = unsafe { library.get::<*const c_void>(symbol) };
            if let Ok(found) = found {
                return Ok(*found);
            }
        }
        Err(Error::new(format!("this system's libraries have no `{symbol}`")))
    };
    let (get_class, register) = (find("objc_getClass")?, find("sel_registerName")?);
    // SAFETY: the type is the one that Apple's documentation of Objective-C's runtime gives for this function.
    let get_class: GetClass = unsafe { std::mem::transmute(get_class) };
    // SAFETY: as above.
    let register: RegisterName = unsafe { std::mem::transmute(register) };
    let class = |class: &str| {
        // SAFETY: `objc_getClass` takes a C string.
        let found = unsafe { get_class(name(class).as_ptr()) };
        if found.is_null() {
            Err(Error::new(format!("this system has no class `{class}`")))
        } else {
            Ok(found)
        }
    };
    Ok(Functions {
        send: find("objc_msgSend")?,
        // SAFETY: as above.
        retain: unsafe { std::mem::transmute::<*const c_void, Retain>(find("objc_retain")?) },
        // SAFETY: as above.
        release: unsafe { std::mem::transmute::<*const c_void, Release>(find("objc_release")?) },
        // SAFETY: as above.
        push: unsafe { std::mem::transmute::<*const c_void, Push>(find("objc_autoreleasePoolPush")?) },
        // SAFETY: as above.
        pop: unsafe { std::mem::transmute::<*const c_void, Pop>(find("objc_autoreleasePoolPop")?) },
        // SAFETY: the type is the one that Apple's documentation of Metal gives for this function.
        default_device: unsafe {
            std::mem::transmute::<*const c_void, Devices>(find("MTLCreateSystemDefaultDevice")?)
        },
        // SAFETY: as above.
        all_devices: unsafe { std::mem::transmute::<*const c_void, Devices>(find("MTLCopyAllDevices")?) },
        string_class: class("NSString")?,
        options_class: class("MTLCompileOptions")?,
        process_class: class("NSProcessInfo")?,
        selectors: Selectors::register(register),
    })
}

/// A name as a C string that lives long enough for a call.
fn name(name: &str) -> Name {
    let mut bytes = [0; 64];
    bytes[..name.len()].copy_from_slice(name.as_bytes());
    Name(bytes)
}

struct Name([u8; 64]);

impl Name {
    fn as_ptr(&self) -> *const c_char {
        CStr::from_bytes_until_nul(&self.0).expect("names are shorter than their room").as_ptr()
    }
}
