//! Workers with queues of their own, and a coordinator that evens them out.

use annulus_kernel::{KernelDefinition, RingKernel};
use annulus_macros::{RingMessage, device_impl, ring_kernel};
use annulus_runtime::prelude::{DeviceType, Failure, Later, List, Outbox};

/// The kernels here.
pub const BALANCE: &[&KernelDefinition] = &[toil::DEFINITION, even_out::DEFINITION];

/// How many workers there are.
pub const WORKERS: usize = 4;
/// How many jobs a worker's queue holds.
pub const ROOM: usize = 64;
/// How many jobs one order moves at most.
pub const MOVED: usize = 10;
/// What a job of the host fails with for which its worker has no room.
pub const FULL: Failure = Failure::of(1);

/// Something to be done.
#[derive(DeviceType, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Job {
    pub number: u32,
    /// How long it takes.
    pub nanos: u32,
}

/// `worker` is to hand `count` jobs over to another one.
#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(C)]
pub struct Order {
    #[ring(key)]
    pub worker: u32,
    pub to: u32,
    pub count: u32,
}

/// Jobs on their way from worker to worker.
#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(C)]
pub struct Handed {
    #[ring(key)]
    pub worker: u32,
    pub from: u32,
    /// How many were handed over at first.
    pub count: u32,
    /// Whether these are the ones that the other had no room for.
    pub is_answer: bool,
    pub jobs: List<Job, MOVED>,
}

/// What a worker takes.
#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(u32)]
pub enum Task {
    /// Of the host.
    Job {
        #[ring(key)]
        worker: u32,
        job: Job,
    },
    /// Of the host: from now on it works.
    Open {
        #[ring(key)]
        worker: u32,
    },
    /// Of itself: its job is done.
    Done {
        #[ring(key)]
        worker: u32,
    },
    #[ring(from)]
    Order(Order),
    #[ring(from)]
    Handed(Handed),
}

/// That a job was done, and by whom.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Finished {
    pub worker: u32,
    pub number: u32,
}

/// A heartbeat: how a worker is after a message.
#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(C)]
pub struct Beat {
    pub worker: u32,
    /// The jobs that wait in its queue.
    pub depth: u32,
    /// The orders that it has carried out, answer included.
    pub gave: u32,
    /// The orders of others by which it was handed something.
    pub took: u32,
}

/// What a worker keeps.
#[derive(DeviceType, Clone, Copy, Debug)]
#[repr(C)]
pub struct Worker {
    pub is_open: bool,
    pub is_busy: bool,
    pub doing: Job,
    /// Where the queue begins in `jobs`, which goes round.
    first: u32,
    pub depth: u32,
    jobs: [Job; ROOM],
    /// Places that are kept free for jobs that may come back.
    pub lent: u32,
    pub gave: u32,
    pub took: u32,
    pub finished: u32,
    /// Jobs that were handed over to it and found room.
    pub kept: u32,
}

impl Default for Worker {
    fn default() -> Self {
        Self {
            is_open: false,
            is_busy: false,
            doing: Job::default(),
            first: 0,
            depth: 0,
            jobs: [Job::default(); ROOM],
            lent: 0,
            gave: 0,
            took: 0,
            finished: 0,
            kept: 0,
        }
    }
}

#[device_impl]
impl Worker {
    fn has_room(&self) -> bool {
        self.depth + self.lent < ROOM as u32
    }

    /// At the back.
    fn push(&mut self, job: Job) {
        self.jobs[(self.first + self.depth) as usize % ROOM] = job;
        self.depth += 1;
    }

    /// The next one.
    fn pop(&mut self) -> Job {
        let job = self.jobs[self.first as usize];
        self.first = (self.first + 1) % ROOM as u32;
        self.depth -= 1;
        job
    }

    /// The last ones, in their order: so many, or all if there are fewer. Their places are kept for them.
    fn lend(&mut self, count: u32) -> List<Job, MOVED> {
        let count = count.min(self.depth).min(MOVED as u32);
        self.depth -= count;
        self.lent += count;
        let mut jobs = List::default();
        for at in 0..count {
            jobs.items[at as usize] = self.jobs[(self.first + self.depth + at) as usize % ROOM];
        }
        jobs.len = count;
        jobs
    }
}

/// Does one job after the other, and hands over what it is told to.
#[ring_kernel(connectable = true, mode = Batch, max_messages_per_iteration = 4, hold = 16)]
pub fn toil(
    task: &Task,
    me: &mut Worker,
    later: &Later<Task>,
    finished: &Outbox<Finished>,
    beats: &Outbox<Beat>,
    handed: &Outbox<Handed>,
) -> Result<(), Failure> {
    let worker: u32;
    match task {
        Task::Job { worker: mine, job } => {
            worker = *mine;
            if !me.has_room() {
                return Err(FULL);
            }
            me.push(*job);
        }
        Task::Open { worker: mine } => {
            worker = *mine;
            me.is_open = true;
        }
        Task::Done { worker: mine } => {
            worker = *mine;
            finished.send(Finished { worker, number: me.doing.number });
            me.is_busy = false;
            me.finished += 1;
        }
        Task::Order(order) => {
            worker = order.worker;
            let jobs = me.lend(order.count);
            handed.send(Handed { worker: order.to, from: worker, count: jobs.len, is_answer: false, jobs });
        }
        Task::Handed(parcel) => {
            worker = parcel.worker;
            if parcel.is_answer {
                // The places were kept for them.
                me.lent -= parcel.count;
                me.gave += 1;
                for job in parcel.jobs.as_slice() {
                    me.push(*job);
                }
            } else {
                let mut back: List<Job, MOVED> = List::default();
                for job in parcel.jobs.as_slice() {
                    if me.has_room() {
                        me.push(*job);
                        me.kept += 1;
                    } else {
                        back.items[back.len as usize] = *job;
                        back.len += 1;
                    }
                }
                me.took += 1;
                handed.send(Handed {
                    worker: parcel.from,
                    from: worker,
                    count: parcel.count,
                    is_answer: true,
                    jobs: back,
                });
            }
        }
    }
    if me.is_open && !me.is_busy && me.depth != 0 {
        me.doing = me.pop();
        me.is_busy = true;
        later.send_after(Task::Done { worker }, me.doing.nanos as u64);
    }
    beats.send(Beat { worker, depth: me.depth, gave: me.gave, took: me.took });
    Ok(())
}

/// What the coordinator takes.
#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(u32)]
pub enum News {
    #[ring(from)]
    Beat(Beat),
    /// Of the host: from now on it gives orders, or none.
    Rule { is_on: bool },
    /// Of the host: how are all?
    Asked,
    #[ring(tick)]
    Look,
}

/// How all are.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Known {
    pub depths: [u32; WORKERS],
    /// How often it has looked, while no order was under way.
    pub looks: u32,
    /// The orders that it gave.
    pub orders: u32,
    /// Whether all of them have been carried out.
    pub is_settled: bool,
}

/// What the coordinator keeps: of each worker how deep its queue is, by its last heartbeat, which orders it has carried out, and which
/// ones it was given.
#[derive(DeviceType, Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct Office {
    is_on: bool,
    looks: u32,
    orders: u32,
    depths: [u32; WORKERS],
    gave: [u32; WORKERS],
    took: [u32; WORKERS],
    gives: [u32; WORKERS],
    takes: [u32; WORKERS],
}

#[device_impl]
impl Office {
    /// Whether the last heartbeats are from after all orders.
    fn is_settled(&self) -> bool {
        self.gave == self.gives && self.took == self.takes
    }

    fn least(&self) -> usize {
        let mut least = 0;
        for worker in 1..WORKERS {
            if self.depths[worker] < self.depths[least] {
                least = worker;
            }
        }
        least
    }
}

/// Whose queue is deeper than one and a half times the average is to hand ten jobs over to the worker that has fewest, but not more
/// than half of what it has more.
#[ring_kernel(connectable = true, on_tick = "1 ms", max_outputs(orders = 4), hold = 16)]
pub fn even_out(news: &News, office: &mut Office, orders: &Outbox<Order>, known: &Outbox<Known>) {
    match *news {
        News::Beat(beat) => {
            let worker = beat.worker as usize;
            office.depths[worker] = beat.depth;
            office.gave[worker] = beat.gave;
            office.took[worker] = beat.took;
        }
        News::Rule { is_on } => office.is_on = is_on,
        News::Asked => known.send(Known {
            depths: office.depths,
            looks: office.looks,
            orders: office.orders,
            is_settled: office.is_settled(),
        }),
        News::Look => {
            if !office.is_on || !office.is_settled() {
                return;
            }
            office.looks += 1;
            let depths = office.depths;
            let sum = depths.iter().sum::<u32>();
            for from in 0..WORKERS {
                // depth > 1.5 × sum ÷ workers, in whole numbers.
                if 2 * depths[from] * WORKERS as u32 > 3 * sum {
                    let to = office.least();
                    let half = (depths[from] - office.depths[to]) / 2;
                    let count = half.min(MOVED as u32);
                    if count != 0 {
                        office.depths[from] -= count;
                        office.depths[to] += count;
                        office.gives[from] += 1;
                        office.takes[to] += 1;
                        office.orders += 1;
                        orders.send(Order { worker: from as u32, to: to as u32, count });
                    }
                }
            }
        }
    }
}
