//! What barriers there are, for whom: names become numbers.

use std::{fmt, time::Duration};

use annulus_kernel::{Accepts, Peer, RingKernel};

use super::{
    host::{Barriers, Named},
    kernel::{Arrive, MOST_BARRIERS, MOST_PARTIES, Passed, Terms, Told, meet, tell_the_host},
};
use crate::{
    error::{ConnectError, LaunchError, LifecycleError},
    handle::KernelHandle,
    launch::runtime::Runtime,
    why::Absent,
};

/// Why there is no such barrier.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BarrierError {
    /// A barrier of this name is in the plan.
    #[error("the plan has a barrier named `{name}`: give this one another name")]
    NameTaken {
        /// The name.
        name: String,
    },
    /// No barrier has this name.
    #[error(
        "there is no barrier named `{name}`{}",
        if known.is_empty() { ": name it in the plan, with `add`".into() }
        else { format!("; these are: {}", known.join(", ")) }
    )]
    Unknown {
        /// The name that was asked for.
        name: String,
        /// The names that there are.
        known: Vec<String>,
    },
    /// The barrier has no party, or more than bits.
    #[error(
        "barrier `{name}` is for {parties} parties: it is for 1 to {most}{}",
        if *parties == 0 { "" } else { "; let one actor come for several, or several barriers be parties of one" }
    )]
    Parties {
        /// The barrier.
        name: String,
        /// So many were asked for.
        parties: u32,
        /// So many at most.
        most: u32,
    },
    /// The barrier has no such party.
    #[error("barrier `{name}` has no party {party}: its {parties} parties are numbered from 0 on")]
    NoSuchParty {
        /// The barrier.
        name: String,
        /// The party that was given.
        party: u32,
        /// So many it has.
        parties: u32,
    },
    /// The party is told already.
    #[error("party {party} of barrier `{name}` is told already: say once for each party whom it is")]
    ToldTwice {
        /// The barrier.
        name: String,
        /// The party.
        party: u32,
    },
    /// The limit is 0, or longer than a clock of nanoseconds counts.
    #[error(
        "the limit of barrier `{name}` is {limit:?}: it is 1 ns to 100 years; write `None` for a barrier without \
         one"
    )]
    Limit {
        /// The barrier.
        name: String,
        /// The limit that was given.
        limit: Duration,
    },
    /// A plan has no room for so many barriers, or has none.
    #[error("a plan has 1 to {most} barriers: launch several plans for more")]
    Barriers {
        /// So many at most.
        most: u32,
    },
    /// A kernel of the barriers could not be launched.
    #[error("{}", of_barriers(_0))]
    Launch(#[source] LaunchError),
    /// The barriers could not be connected to a kernel that is told.
    #[error("{0}")]
    Connect(#[source] ConnectError),
    /// The barriers' kernel could not be activated.
    #[error("{0}")]
    Activate(#[source] LifecycleError),
}

crate::error::debug_in_words!(BarrierError);

/// A launch's error, for those who launch barriers and give them a name, and no options.
fn of_barriers(error: &LaunchError) -> String {
    let said = [
        ("give this one a name with LaunchOptions::name", "give the barriers another name"),
        ("name is empty: leave it out to use the kernel's id", "the barriers' name is empty: give them one"),
    ];
    said.iter().fold(error.to_string(), |told, (launch, barriers)| told.replace(launch, barriers))
}

/// The number of a barrier. Handlers know it by this, since names are the host's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BarrierNumber(u32);

impl BarrierNumber {
    pub(super) const fn of(number: u32) -> Self {
        Self(number)
    }

    /// The number itself: the key of what is sent to the barrier.
    pub const fn get(self) -> u32 {
        self.0
    }

    /// What this party sends when it has come to generation 0. A kernel is bound with it, and sends
    /// `Arrive { generation, ..*me }`.
    pub const fn party(self, party: u32) -> Arrive {
        Arrive { barrier: self.0, party, generation: 0 }
    }
}

/// Barriers that are to be: their names, parties and limits, and which kernels are told. See the
/// [module](crate::barrier).
#[derive(Clone, Debug)]
#[must_use = "a plan does nothing until it is launched"]
pub struct BarrierPlan {
    kernel: String,
    barriers: Vec<Planned>,
}

#[derive(Clone, Debug)]
struct Planned {
    name: String,
    parties: u32,
    limit: u64,
    told: Vec<Told>,
    /// The names of their kernels.
    kernels: Vec<String>,
}

/// A bit for each of so many parties, of which there are 1 to 64.
fn all(parties: u32) -> u64 {
    u64::MAX >> (MOST_PARTIES - parties)
}

impl BarrierPlan {
    /// A plan without barriers; the kernel that they will be actors of is named so.
    pub fn new(kernel: impl Into<String>) -> Self {
        Self { kernel: kernel.into(), barriers: Vec::new() }
    }

    /// Plans a barrier of this name, for so many parties, which are numbered from 0 on. With a limit it
    /// passes so long after the first party has come, also if others have not.
    ///
    /// ```
    /// use annulus::barrier::{BarrierError, BarrierPlan};
    /// use std::time::Duration;
    ///
    /// let mut plan = BarrierPlan::new("barriers");
    /// assert_eq!(plan.add("epoch", 3, Duration::from_millis(20))?.get(), 0);
    /// assert_eq!(plan.add("day", 2, None)?.get(), 1);
    /// let twice = plan.add("epoch", 2, None).unwrap_err();
    /// assert_eq!(twice, BarrierError::NameTaken { name: "epoch".into() });
    /// # Ok::<(), BarrierError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`BarrierError`]: the name is taken, there are no parties or more than
    /// [`MOST_PARTIES`](super::MOST_PARTIES), the limit is 0, or the plan has
    /// [`MOST_BARRIERS`](super::MOST_BARRIERS).
    pub fn add(
        &mut self,
        name: impl Into<String>,
        parties: u32,
        limit: impl Into<Option<Duration>>,
    ) -> Result<BarrierNumber, BarrierError> {
        let name = name.into();
        if self.barriers.iter().any(|planned| planned.name == name) {
            return Err(BarrierError::NameTaken { name });
        }
        if !(1..=MOST_PARTIES).contains(&parties) {
            return Err(BarrierError::Parties { name, parties, most: MOST_PARTIES });
        }
        let number = self.barriers.len() as u32;
        if number == MOST_BARRIERS {
            return Err(BarrierError::Barriers { most: MOST_BARRIERS });
        }
        let limit = match limit.into() {
            None => 0,
            // Added to a clock's nanoseconds they are still a number of 64 bits.
            Some(limit) if !limit.is_zero() && limit <= LONGEST => limit.as_nanos() as u64,
            Some(limit) => return Err(BarrierError::Limit { name, limit }),
        };
        self.barriers.push(Planned { name, parties, limit, told: Vec::new(), kernels: Vec::new() });
        Ok(BarrierNumber(number))
    }

    /// Says that a party is an actor of this kernel: it gets [`Passed`] for each generation, with this
    /// `actor` as the key. The kernel takes `Passed`, by itself or by a variant with `#[ring(from)]`, and is
    /// [connectable](crate::LaunchOptions::connectable). A party that is not told is one of the host's.
    ///
    /// # Errors
    ///
    /// [`BarrierError`], if the barrier has no such party, or if this one is told already.
    ///
    /// # Panics
    ///
    /// If the number is that of another plan, and this one has fewer barriers.
    pub fn tell<K: RingKernel>(
        &mut self,
        barrier: BarrierNumber,
        party: u32,
        kernel: &KernelHandle<K>,
        actor: u32,
    ) -> Result<(), BarrierError>
    where
        K::Message: Accepts<Passed>,
    {
        let Planned { name, parties, told, kernels, .. } = &mut self.barriers[barrier.0 as usize];
        if party >= *parties {
            return Err(BarrierError::NoSuchParty { name: name.clone(), party, parties: *parties });
        }
        let party_bit = 1 << party;
        if told.iter().any(|told| told.party == party_bit) {
            return Err(BarrierError::ToldTwice { name: name.clone(), party });
        }
        told.push(Told { to: kernel.peer_of::<Passed>(), party: party_bit, actor, padding: 0 });
        kernels.push(kernel.name().into());
        Ok(())
    }

    /// Launches the barriers. Kernels that are parties are then connected to [`Barriers::kernel`].
    ///
    /// # Errors
    ///
    /// [`BarrierError`], if the plan is empty, if the kernel cannot be launched, or if a kernel that is told
    /// cannot be sent to: it is of another runtime, is not connectable, has terminated, or is one of more
    /// than 14.
    pub fn launch(&self, runtime: &Runtime) -> Result<Barriers, BarrierError> {
        if self.barriers.is_empty() {
            return Err(BarrierError::Barriers { most: MOST_BARRIERS });
        }
        let mut peers: Vec<Peer<Passed>> = Vec::new();
        for told in self.barriers.iter().flat_map(|planned| &planned.told) {
            if !peers.contains(&told.to) {
                peers.push(told.to);
            }
        }
        // Connected, a kernel's outputs go to kernels alone; so one of them is the host's.
        let relay = (!peers.is_empty()).then(|| {
            let options = tell_the_host::options().name(format!("{}-host", self.kernel));
            tell_the_host::launch(runtime, options).map_err(BarrierError::Launch)
        });
        let relay = relay.transpose()?;
        let host = relay.as_ref().map_or(Peer::NOBODY, |relay| relay.peer());
        let (terms, told) = self.tables(host);
        let options = meet::options().name(self.kernel.clone()).actors(terms.len() as u64);
        let options = options.active(false).into_variants(!peers.is_empty());
        let kernel = meet::bind(&terms, &told).launch(runtime, options).map_err(BarrierError::Launch)?;
        if relay.is_some() {
            peers.insert(0, host);
            kernel.connect_peers(&peers).map_err(BarrierError::Connect)?;
        }
        let named = self.barriers.iter().map(|planned| {
            let told = planned.told.iter().zip(&planned.kernels);
            let actors = told.map(|(told, kernel)| {
                let actor = Some((kernel.clone(), told.actor));
                Absent { party: told.party.trailing_zeros(), actor }
            });
            Named::new(planned.name.clone(), planned.parties, planned.limit != 0, actors.collect())
        });
        let barriers = Barriers::new(kernel, relay, named.collect());
        barriers.kernel().activate_blocking().map_err(BarrierError::Activate)?;
        barriers.show(&runtime.inner.barriers);
        Ok(barriers)
    }

    /// The terms of all barriers, and who is told.
    fn tables(&self, host: Peer<Passed>) -> (Vec<Terms>, Vec<Told>) {
        let mut told = Vec::new();
        let terms = self.barriers.iter().map(|planned| {
            let first = told.len() as u32;
            told.push(Told { to: host, ..Told::default() });
            told.extend_from_slice(&planned.told);
            Terms { parties: all(planned.parties), limit: planned.limit, first, end: told.len() as u32 }
        });
        let terms = terms.collect();
        (terms, told)
    }
}

/// As long as any limit: 100 years.
const LONGEST: Duration = Duration::from_secs(100 * 366 * 86_400);

impl fmt::Display for BarrierNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
