use annulus::prelude::*;

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Ready {
    worker: u32,
}

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Finished {
    worker: u32,
}

#[derive(RingMessage, Clone, Copy)]
#[repr(u32)]
enum Event {
    #[ring(from)]
    Ready(Ready),
    Finished(Finished),
}

#[ring_kernel]
fn finish(message: &Ready, out: &Outbox<Finished>) {
    out.send(Finished { worker: message.worker });
}

#[ring_kernel]
fn coordinate(event: &Event, out: &Outbox<Event>) {
    out.send(*event);
}

fn main() {
    let runtime = Runtime::builder().build().unwrap();
    let coordinate = coordinate::launch(&runtime, LaunchOptions::production()).unwrap();
    let finish = finish::launch_into(&coordinate, LaunchOptions::production()).unwrap();
    finish.connect(&coordinate).unwrap();
}
