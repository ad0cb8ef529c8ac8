//! Kernels that keep accounts, stocks and rules.

use annulus_macros::{DeviceType, RingMessage, device_impl, ring_kernel};
use annulus_runtime::prelude::{Failure, Outbox};

/// Money from one account to another.
#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(C)]
pub struct Transfer {
    pub from: u16,
    pub to: u16,
    pub cents: u32,
}

/// What both accounts have then.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Balances {
    pub from: i64,
    pub to: i64,
}

/// There is no such account.
pub const UNKNOWN_ACCOUNT: Failure = Failure::of(130);
/// There is not enough on the account, or too much on the other.
pub const OVERDRAWN: Failure = Failure::of(131);
/// That is no amount.
pub const NO_AMOUNT: Failure = Failure::of(132);

/// A bank that overdraws no account. All is checked before any of the bank's memory is changed: only an actor's state is taken back
/// when a handler fails.
#[ring_kernel]
pub fn transfer(order: &Transfer, accounts: &mut [i64], balances: &Outbox<Balances>) -> Result<(), Failure> {
    if order.cents == 0 {
        return Err(NO_AMOUNT);
    }
    let (from, to) = (usize::from(order.from), usize::from(order.to));
    let (Some(&rich), Some(&poor)) = (accounts.get(from), accounts.get(to)) else {
        return Err(UNKNOWN_ACCOUNT);
    };
    if from == to {
        return Err(UNKNOWN_ACCOUNT);
    }
    let left = rich.checked_sub(order.cents.into()).ok_or(OVERDRAWN)?;
    let received = poor.checked_add(order.cents.into()).ok_or(OVERDRAWN)?;
    if left < 0 {
        return Err(OVERDRAWN);
    }
    accounts[from] = left;
    accounts[to] = received;
    balances.send(Balances { from: left, to: received });
    Ok(())
}

/// What happens to an article of a store.
#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(u32)]
pub enum Movement {
    Deliver {
        #[ring(key)]
        article: u32,
        pieces: u32,
    },
    Reserve {
        #[ring(key)]
        article: u32,
        pieces: u32,
    },
    Release {
        #[ring(key)]
        article: u32,
        pieces: u32,
    },
    Ship {
        #[ring(key)]
        article: u32,
        pieces: u32,
    },
}

/// How many pieces of an article lie there, and for how many of them there is a buyer.
#[derive(RingMessage, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Stock {
    pub there: u32,
    pub reserved: u32,
}

/// The pieces are not there, or others have them.
pub const OUT_OF_STOCK: Failure = Failure::of(133);
/// Fewer pieces are reserved.
pub const NOT_RESERVED: Failure = Failure::of(134);
/// The store is full.
pub const STORE_FULL: Failure = Failure::of(135);

/// A store's ledger: no more is reserved than is there, and nothing is shipped that was not reserved.
#[ring_kernel]
pub fn inventory(movement: &Movement, stock: &mut Stock, stocks: &Outbox<Stock>) -> Result<(), Failure> {
    match *movement {
        Movement::Deliver { pieces, .. } => {
            stock.there = stock.there.checked_add(pieces).ok_or(STORE_FULL)?
        }
        Movement::Reserve { pieces, .. } => {
            if pieces > stock.there.saturating_sub(stock.reserved) {
                return Err(OUT_OF_STOCK);
            }
            stock.reserved += pieces;
        }
        Movement::Release { pieces, .. } => {
            stock.reserved = stock.reserved.checked_sub(pieces).ok_or(NOT_RESERVED)?;
        }
        Movement::Ship { pieces, .. } => {
            stock.reserved = stock.reserved.checked_sub(pieces).ok_or(NOT_RESERVED)?;
            stock.there = stock.there.checked_sub(pieces).ok_or(OUT_OF_STOCK)?;
        }
    }
    stocks.send(*stock);
    Ok(())
}

/// A client's request, at a time in milliseconds.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Request {
    #[ring(key)]
    pub client: u32,
    pub time: u32,
    pub cost: u32,
}

/// How fast a client may ask, and how much it may save up, in thousandths.
#[derive(DeviceType, Clone, Copy, Debug)]
#[repr(C)]
pub struct Allowance {
    pub per_millisecond: u32,
    pub burst: u32,
}

/// What a client has left, and when that was reckoned last.
#[derive(DeviceType, Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct Bucket {
    pub spent: u32,
    pub time: u32,
}

/// A token bucket: lets requests through as long as the client keeps within its allowance.
#[ring_kernel]
pub fn token_bucket(request: &Request, bucket: &mut Bucket, allowance: &Allowance, passed: &Outbox<Request>) {
    let elapsed = request.time.saturating_sub(bucket.time);
    bucket.time = bucket.time.max(request.time);
    bucket.spent = bucket.spent.saturating_sub(elapsed.saturating_mul(allowance.per_millisecond));
    match bucket.spent.checked_add(request.cost) {
        Some(spent) if spent <= allowance.burst => {
            bucket.spent = spent;
            passed.send(*request);
        }
        _ => {}
    }
}

/// Where a connection of TCP is.
#[derive(DeviceType, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum Stage {
    #[default]
    Closed,
    Listen,
    SynSent,
    SynReceived,
    Established,
    FinWait1,
    FinWait2,
    CloseWait,
    Closing,
    LastAck,
    TimeWait,
}

/// What its user does, or what arrives.
#[derive(DeviceType, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Happening {
    Listen,
    Connect,
    Close,
    Syn,
    SynAck,
    Ack,
    Fin,
    Reset,
    Timeout,
}

/// An event of a connection.
#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(C)]
pub struct Event {
    #[ring(key)]
    pub connection: u32,
    pub happening: Happening,
}

/// Where a connection is now, and what it answers the other side.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Step {
    pub stage: Stage,
    pub answer: Answer,
}

/// A segment that is sent.
#[derive(DeviceType, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Answer {
    Nothing,
    Syn,
    SynAck,
    Ack,
    Fin,
}

#[device_impl]
impl Stage {
    /// What follows; `None` if that cannot happen here.
    fn next(self, happening: Happening) -> Option<(Self, Answer)> {
        Some(match (self, happening) {
            (Self::Closed, Happening::Listen) => (Self::Listen, Answer::Nothing),
            (Self::Closed | Self::Listen, Happening::Connect) => (Self::SynSent, Answer::Syn),
            (Self::Listen, Happening::Syn) => (Self::SynReceived, Answer::SynAck),
            (Self::SynSent, Happening::SynAck) => (Self::Established, Answer::Ack),
            (Self::SynSent, Happening::Syn) => (Self::SynReceived, Answer::SynAck),
            (Self::SynReceived, Happening::Ack) => (Self::Established, Answer::Nothing),
            (Self::SynReceived | Self::Established, Happening::Close) => (Self::FinWait1, Answer::Fin),
            (Self::Established, Happening::Fin) => (Self::CloseWait, Answer::Ack),
            (Self::CloseWait, Happening::Close) => (Self::LastAck, Answer::Fin),
            (Self::FinWait1, Happening::Ack) => (Self::FinWait2, Answer::Nothing),
            (Self::FinWait1, Happening::Fin) => (Self::Closing, Answer::Ack),
            (Self::FinWait2, Happening::Fin) => (Self::TimeWait, Answer::Ack),
            (Self::Closing, Happening::Ack) => (Self::TimeWait, Answer::Nothing),
            (Self::LastAck, Happening::Ack) | (Self::TimeWait, Happening::Timeout) => {
                (Self::Closed, Answer::Nothing)
            }
            (Self::Listen | Self::SynSent, Happening::Close) => (Self::Closed, Answer::Nothing),
            (stage, Happening::Reset) if !matches!(stage, Self::Listen) => (Self::Closed, Answer::Nothing),
            _ => return None,
        })
    }
}

/// That cannot happen to this connection now.
pub const UNEXPECTED: Failure = Failure::of(136);

/// The states of TCP connections, as RFC 793 draws them.
#[ring_kernel]
pub fn connections(event: &Event, stage: &mut Stage, steps: &Outbox<Step>) -> Result<(), Failure> {
    let (next, answer) = stage.next(event.happening).ok_or(UNEXPECTED)?;
    *stage = next;
    steps.send(Step { stage: next, answer });
    Ok(())
}

/// Something to put into a container of a depot.
#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(C)]
pub struct Parcel {
    #[ring(key)]
    pub depot: u32,
    pub size: u16,
}

/// How full each container is, of 1000.
#[derive(DeviceType, Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct Containers {
    pub filled: [u16; 16],
}

/// Where a parcel lies.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Placed {
    pub container: u32,
    pub filled: u16,
}

/// No container has room for the parcel.
pub const NO_ROOM: Failure = Failure::of(137);

/// Bin packing: the first container that has room takes the parcel.
#[ring_kernel]
pub fn first_fit(
    parcel: &Parcel,
    containers: &mut Containers,
    placed: &Outbox<Placed>,
) -> Result<(), Failure> {
    for (container, filled) in containers.filled.iter_mut().enumerate() {
        let with = filled.saturating_add(parcel.size);
        if with <= 1000 {
            *filled = with;
            placed.send(Placed { container: container as u32, filled: with });
            return Ok(());
        }
    }
    Err(NO_ROOM)
}
