//! the library that stands in for Metal finds what a program does wrong with its objects: each misuse ends a process of its
//! own, with these words.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

use std::{
    ffi::{CString, c_char, c_void},
    mem,
    process::Command,
    ptr,
};

use annulus_conformance::{library::Library, metal};

type Id = *mut c_void;

/// The functions of the library.
struct Metal(Library);

/// Gives a function of the library its type.
macro_rules! function {
    ($metal:expr, $name:literal, $ty:ty) => {{
        let function = $metal.0.symbol($name).expect("the library has it").as_ptr();
        // SAFETY: the type is the function's, by its definition in `metal.cpp`.
        unsafe { mem::transmute::<*mut c_void, $ty>(function) }
    }};
}

impl Metal {
    fn load() -> Result<Self, String> {
        let path = metal::build()?;
        // SAFETY: the library runs nothing when it is loaded.
        let library = unsafe { Library::open(path, false) };
        library.map(Self).ok_or_else(|| format!("{} cannot be loaded", path.display()))
    }

    fn device(&self) -> Id {
        let device = function!(self, "MTLCreateSystemDefaultDevice", unsafe extern "C" fn() -> Id);
        // SAFETY: it takes nothing.
        unsafe { device() }
    }

    fn release(&self, object: Id) {
        let release = function!(self, "objc_release", unsafe extern "C" fn(Id));
        // SAFETY: whatever it is given, it ends the process or releases an object.
        unsafe { release(object) }
    }

    fn pool(&self) {
        let push = function!(self, "objc_autoreleasePoolPush", unsafe extern "C" fn() -> Id);
        // SAFETY: it takes nothing.
        unsafe { push() };
    }

    /// A message without arguments.
    fn send(&self, receiver: Id, message: &str) -> Id {
        self.send_with(receiver, message, [0; 3])
    }

    /// A message with these words as its arguments; those that it does not take are not looked at.
    fn send_with(&self, receiver: Id, message: &str, [a, b, c]: [usize; 3]) -> Id {
        let name = CString::new(message).unwrap();
        let register = function!(self, "sel_registerName", unsafe extern "C" fn(*const c_char) -> Id);
        // SAFETY: a C string.
        let message = unsafe { register(name.as_ptr()) };
        let send = function!(self, "objc_msgSend", unsafe extern "C" fn(Id, Id, usize, usize, usize) -> Id);
        // SAFETY: whatever it is given, it ends the process or calls a method of the library, none of which keeps a pointer.
        unsafe { send(receiver, message, a, b, c) }
    }

    /// A command buffer and its encoder.
    fn encoder(&self) -> (Id, Id) {
        self.pool();
        let queue = self.send(self.device(), "newCommandQueue");
        let commands = self.send(queue, "commandBuffer");
        (commands, self.send(commands, "computeCommandEncoder"))
    }
}

type Misuse = (&'static str, fn(&Metal), &'static str);

const MISUSES: [Misuse; 8] = [
    (
        "released too often",
        |metal| {
            let buffer = metal.send_with(metal.device(), "newBufferWithLength:options:", [64, 0, 0]);
            metal.release(buffer);
            metal.release(buffer);
        },
        "objc_release of an object that was released before",
    ),
    (
        "used after its release",
        |metal| {
            let queue = metal.send(metal.device(), "newCommandQueue");
            metal.release(queue);
            metal.send(queue, "commandBuffer");
        },
        "`commandBuffer` is sent to an object that was released",
    ),
    (
        "an unknown message",
        |metal| {
            metal.send(metal.device(), "newTexture");
        },
        "MTLDevice does not know the message `newTexture`",
    ),
    (
        "no pool",
        |metal| {
            metal.send(metal.device(), "name");
        },
        "a NSString is left to a pool, and the thread has none",
    ),
    (
        "committed with an encoder open",
        |metal| {
            metal.send(metal.encoder().0, "commit");
        },
        "commit of a command buffer whose encoder has not ended",
    ),
    (
        "committed twice",
        |metal| {
            let (commands, encoder) = metal.encoder();
            metal.send(encoder, "endEncoding");
            metal.send(commands, "commit");
            metal.send(commands, "commit");
        },
        "commit of a command buffer that was committed before",
    ),
    (
        "an encoder after its end",
        |metal| {
            let encoder = metal.encoder().1;
            metal.send(encoder, "endEncoding");
            metal.send(encoder, "endEncoding");
        },
        "endEncoding to an encoder that has ended",
    ),
    (
        "no buffer",
        |metal| {
            metal.send_with(metal.encoder().1, "setBuffer:offset:atIndex:", [0; 3]);
        },
        "setBuffer:offset:atIndex: of no buffer",
    ),
];

const MISUSE: &str = "ANNULUS_TEST_MISUSE";

#[test]
fn x03_misuses_are_found() {
    let metal = match Metal::load() {
        Ok(metal) => metal,
        Err(missing) => return println!("skipped: {missing}"),
    };
    if let Ok(name) = std::env::var(MISUSE) {
        let misuse = MISUSES.iter().find(|(known, ..)| *known == name).expect("a name of the list");
        return misuse.1(&metal);
    }
    for (name, _, words) in MISUSES {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "x03_misuses_are_found"]).env(MISUSE, name);
        let output = command.output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && said.contains(words), "{name}: {said}");
    }
}

#[test]
fn x03_a_message_to_nobody_gives_nothing() {
    let metal = match Metal::load() {
        Ok(metal) => metal,
        Err(missing) => return println!("skipped: {missing}"),
    };
    assert_eq!(metal.send(ptr::null_mut(), "newCommandQueue"), ptr::null_mut());
}
