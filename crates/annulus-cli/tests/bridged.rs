//! A kernel with bridged messages can be launched by its name, and says why it takes no JSON.

use annulus::{DynamicError, LaunchOptions, RegisteredKernel, prelude::*};

#[derive(RingMessage, Clone)]
struct Line {
    text: String,
}

#[ring_kernel(cpu_only)]
fn read_lines(line: &Archived<Line>) {
    let _ = line.text.len();
}

#[test]
fn json_is_refused_in_words() {
    let runtime = Runtime::builder().backend(Backend::Cpu).build().unwrap();
    let kernel = RegisteredKernel::find("read_lines").unwrap();
    let kernel = kernel.launch(&runtime, LaunchOptions::default(), Vec::new()).unwrap();
    for error in [kernel.send_blocking("{\"text\": \"a\"}"), kernel.call_blocking("{}").map(drop)] {
        let error = error.unwrap_err();
        assert!(matches!(error, DynamicError::Bridged { kernel: "read_lines", message: "Line" }), "{error}");
        assert!(error.to_string().contains("send them with its typed handle"), "{error}");
    }
}
