//! What the sources of a random program have counted, beside what the model says.

use std::{
    thread,
    time::{Duration, Instant},
};

use annulus_runtime::PeersStatus;

use super::{
    Way, World,
    model::{Link, To},
};

/// What a source has counted.
#[derive(Debug, PartialEq, Eq)]
struct Counts {
    handled: u64,
    /// For each link: sent, held, lost.
    links: Vec<(u64, u64, u64)>,
    waiting: u64,
    gone: u64,
    lost: u64,
}

impl World {
    /// What a source has counted.
    fn counts(&self, source: usize) -> Counts {
        let kernel = self.sources[source].kernel();
        let status = kernel.status();
        let peers = |status: PeersStatus| {
            let of = status.peers.iter().map(|peer| (peer.sent, peer.held, peer.lost));
            (of.collect(), status.waiting, status.gone)
        };
        let (links, waiting, gone) = match &self.sources[source].way {
            Way::Addresses(kernel) => peers(kernel.peers()),
            Way::Topics(kernel, _) => peers(kernel.peers()),
            Way::Outbox(_) => {
                let kept = status.ports.iter().find(|port| port.name == "kept").expect("it has this outbox");
                (vec![(kept.sent, kept.held, kept.lost)], 0, 0)
            }
            Way::Rows(kernel) => {
                let rows = kernel.rows();
                (vec![(rows.sent, rows.held, rows.lost)], 0, rows.astray)
            }
        };
        let handled = status.processed + status.drops.failed;
        Counts { handled, links, waiting, gone, lost: status.outputs_lost }
    }

    /// What the model says that it has counted, beside those for any.
    fn expected(&self, source: usize) -> Counts {
        let plain = &self.model.sources[source];
        let of = |link: &Link| (link.sent, plain.held(link.taker), link.lost);
        let mut links: Vec<_> = plain.links.iter().map(of).collect();
        if source >= 2 {
            // These count since launch.
            for link in &mut links {
                (link.0, link.2) = (link.0 + plain.sent_before, link.2 + plain.lost_before);
            }
        }
        let waiting = plain.backlog.iter().filter(|(to, _)| matches!(to, To::Any)).count() as u64;
        let handled = self.sources[source].messages;
        Counts { handled, links, waiting, gone: plain.gone, lost: plain.lost() }
    }

    /// Waits until a source has done what it can, and compares what it has counted.
    pub(super) fn settle(&mut self, source: usize) {
        let expected = self.expected(source);
        let plain = &self.model.sources[source];
        let (is_whole, holds, any) = (plain.backlog.is_empty(), plain.holds, plain.any_sent);
        let waits_for_any = plain.backlog.iter().any(|(to, _)| matches!(to, To::Any));
        let until = Instant::now() + self.patience;
        let went = loop {
            let mut counts = self.counts(source);
            let more = |(count, of): (&(u64, u64, u64), &(u64, u64, u64))| count.0.checked_sub(of.0);
            let went: Option<Vec<u64>> = counts.links.iter().zip(&expected.links).map(more).collect();
            let went = went.filter(|went| went.iter().sum::<u64>() == any);
            if went.is_some() {
                for (count, of) in counts.links.iter_mut().zip(&expected.links) {
                    count.0 = of.0;
                }
            }
            let is_settled = if is_whole || holds {
                went.is_some() && counts == expected
            } else {
                // What stands behind an output that waits may have been sent, or not.
                let stands = counts.waiting != 0 || counts.links.iter().any(|link| link.1 != 0);
                stands && (went.is_some() || !waits_for_any)
            };
            if is_settled {
                break went;
            }
            assert!(Instant::now() < until, "source {source} has counted {counts:?}, and not {expected:?}");
            thread::sleep(Duration::from_micros(100));
        };
        if let Some(went) = went.filter(|_| source == 0 && (is_whole || holds || waits_for_any)) {
            self.model.any_went(source, &went);
        }
    }
}
