//! A coordinator that evens out its workers' queues. Workers tell how many jobs wait for them; whose queue is deeper than one and a
//! half times the average is told to hand ten of its jobs over to the worker that has fewest. The host only sends jobs.
//!
//! `cargo run -p annulus --example balance -- [cpu|opencl]`

mod common;

use annulus::prelude::*;

use common::Outcome;

/// How many workers there are.
const WORKERS: usize = 4;
/// How many jobs a worker's queue holds.
const ROOM: usize = 64;
/// How many jobs one order moves at most.
const MOVED: usize = 10;
/// What a job of the host fails with for which its worker has no room.
const FULL: Failure = Failure::of(1);

/// Something to be done.
#[derive(DeviceType, Clone, Copy, Default)]
#[repr(C)]
struct Job {
    number: u32,
    /// How long it takes.
    nanos: u32,
}

/// `worker` is to hand `count` jobs over to another one.
#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Order {
    #[ring(key)]
    worker: u32,
    to: u32,
    count: u32,
}

/// Jobs on their way from worker to worker.
#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Handed {
    #[ring(key)]
    worker: u32,
    from: u32,
    /// How many were handed over at first.
    count: u32,
    /// Whether these are the ones that the other had no room for.
    is_answer: bool,
    jobs: List<Job, MOVED>,
}

/// What a worker takes.
#[derive(RingMessage, Clone, Copy)]
#[repr(u32)]
enum Task {
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
#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Finished {
    worker: u32,
    number: u32,
}

/// A heartbeat: how a worker is after a message.
#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Beat {
    worker: u32,
    /// The jobs that wait in its queue.
    depth: u32,
    /// The orders that it has carried out, answer included.
    gave: u32,
    /// The orders of others by which it was handed something.
    took: u32,
}

/// What a worker keeps.
#[derive(DeviceType, Clone, Copy)]
#[repr(C)]
struct Worker {
    is_open: bool,
    is_busy: bool,
    doing: Job,
    /// Where the queue begins in `jobs`, which goes round.
    first: u32,
    depth: u32,
    jobs: [Job; ROOM],
    /// Places that are kept free for jobs that may come back.
    lent: u32,
    gave: u32,
    took: u32,
    finished: u32,
    /// Jobs that were handed over to it and found room.
    kept: u32,
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
#[ring_kernel(connectable = true, hold = 16)]
fn work(
    task: &Task,
    me: &mut Worker,
    later: &Later<Task>,
    finished: &Outbox<Finished>,
    beats: &Outbox<Beat>,
    handed: &Outbox<Handed>,
) -> Result<(), Failure> {
    let worker: u32;
    // ANCHOR: handed
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
    // ANCHOR_END: handed
    if me.is_open && !me.is_busy && me.depth != 0 {
        me.doing = me.pop();
        me.is_busy = true;
        later.send_after(Task::Done { worker }, me.doing.nanos as u64);
    }
    beats.send(Beat { worker, depth: me.depth, gave: me.gave, took: me.took });
    Ok(())
}

/// What the coordinator takes.
#[derive(RingMessage, Clone, Copy)]
#[repr(u32)]
enum News {
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
#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Known {
    depths: [u32; WORKERS],
    /// How often it has looked, while no order was under way.
    looks: u32,
    /// The orders that it gave.
    orders: u32,
    /// Whether all of them have been carried out.
    is_settled: bool,
}

/// What the coordinator keeps: of each worker how deep its queue is, by its last heartbeat, which orders it has carried out, and which
/// ones it was given.
#[derive(DeviceType, Clone, Copy, Default)]
#[repr(C)]
struct Office {
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

// ANCHOR: rule
/// Whose queue is deeper than one and a half times the average is to hand ten jobs over to the worker that has fewest, but not more
/// than half of what it has more.
#[ring_kernel(connectable = true, on_tick = "1 ms", max_outputs(orders = 4), hold = 16)]
fn coordinate(news: &News, office: &mut Office, orders: &Outbox<Order>, known: &Outbox<Known>) {
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
// ANCHOR_END: rule

/// The workers and their coordinator.
struct Shop {
    workers: KernelHandle<work>,
    office: KernelHandle<coordinate>,
}

impl Shop {
    /// Nobody works yet, and no orders are given.
    fn new(runtime: &Runtime) -> Result<Self, Box<dyn std::error::Error>> {
        // ANCHOR: links
        let actors = work::options().actors(WORKERS as u64).grid(2);
        let workers = work::launch(runtime, actors.into_variants(true).active(false))?;
        let office = coordinate::launch(runtime, coordinate::options().into_variants(true).active(false))?;
        workers.port(work::BEATS).connect(&office)?;
        office.port(coordinate::ORDERS).connect(&workers)?;
        workers.port(work::HANDED).connect(&workers)?; // from worker to worker
        workers.activate_blocking()?;
        office.activate_blocking()?;
        // ANCHOR_END: links
        Ok(Self { workers, office })
    }

    /// Gives the jobs with these numbers to worker 0. Each takes as long as any other: a turn.
    fn give(&self, numbers: std::ops::Range<u32>) -> Outcome {
        for number in numbers {
            let _ =
                self.workers.send_blocking(Task::Job { worker: 0, job: Job { number, nanos: 100_000 } })?;
        }
        Ok(())
    }

    fn rule(&self, is_on: bool) -> Outcome {
        let _ = self.office.send_blocking(News::Rule { is_on })?;
        Ok(())
    }

    /// From now on all work.
    fn open(&self) -> Outcome {
        for worker in 0..WORKERS as u32 {
            let _ = self.workers.send_blocking(Task::Open { worker })?;
        }
        Ok(())
    }

    /// What the coordinator knows as soon as `is_enough`.
    fn known(&self, is_enough: impl Fn(&Known) -> bool) -> Result<Known, Box<dyn std::error::Error>> {
        loop {
            let _ = self.office.send_blocking(News::Asked)?;
            let known = self.office.port(coordinate::KNOWN).recv_blocking()?;
            if known.is_settled && is_enough(&known) {
                return Ok(known);
            }
        }
    }

    /// Waits for a job to be done.
    fn finished(&self, all: &mut Vec<Finished>) -> Outcome {
        all.push(self.workers.port(work::FINISHED).recv_blocking()?);
        Ok(())
    }
}

/// How many jobs each worker has done.
fn shares(all: &[Finished]) -> [usize; WORKERS] {
    [0, 1, 2, 3].map(|worker| all.iter().filter(|finished| finished.worker == worker).count())
}

const JOBS: u32 = 60;

/// All jobs are for worker 0. How are they shared, and for how many turns does the busiest worker work?
fn all_for_one(runtime: &Runtime, has_rule: bool) -> Outcome {
    let shop = Shop::new(runtime)?;
    shop.give(0..JOBS)?;
    shop.known(|known| known.depths[0] == JOBS)?;
    if has_rule {
        shop.rule(true)?;
        // Until it has looked, and found no queue too deep.
        let known = shop.known(|known| known.looks > known.orders)?;
        println!("{} orders: {:?} jobs wait", known.orders, known.depths);
        shop.rule(false)?;
    }
    shop.open()?;
    let mut all = Vec::new();
    for _ in 0..JOBS {
        shop.finished(&mut all)?;
    }
    let shares = shares(&all);
    let turns = shares.iter().max().expect("there are four");
    let with = if has_rule { "with" } else { "without" };
    println!("{with} the rule: {shares:?} jobs are done by the workers, the last one in turn {turns}");
    Ok(())
}

/// The rule holds while jobs are sent and done.
fn while_all_work(runtime: &Runtime) -> Outcome {
    const ALL: u32 = 300;
    let shop = Shop::new(runtime)?;
    shop.give(0..40)?;
    shop.known(|known| known.depths[0] == 40)?;
    shop.rule(true)?;
    shop.known(|known| known.orders > 0)?;
    shop.open()?;
    let mut all = Vec::new();
    for number in 40..ALL {
        // As many as a queue holds, less the ten that it may have lent.
        if number as usize - all.len() >= ROOM - MOVED {
            shop.finished(&mut all)?;
        }
        shop.give(number..number + 1)?;
    }
    while all.len() < ALL as usize {
        shop.finished(&mut all)?;
    }
    let helped = shares(&all)[0] < ALL as usize;
    all.sort_by_key(|finished| finished.number);
    let once = all.iter().map(|finished| finished.number).eq(0..ALL);
    println!(
        "while all work: each of {ALL} jobs is done once: {once}; others have helped worker 0: {helped}"
    );
    shop.rule(false)?;
    shop.known(|known| known.depths == [0; WORKERS])?;
    println!("{}", shop.workers.status());
    Ok(())
}

fn main() -> std::process::ExitCode {
    common::run(|runtime| {
        println!("{JOBS} jobs, all for worker 0");
        all_for_one(runtime, false)?;
        all_for_one(runtime, true)?;
        while_all_work(runtime)
    })
}
