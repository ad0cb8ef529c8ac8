//! Who asks whom in a topology: what a launch would refuse, found before.

use annulus_abi::launch::asks_of;

use super::{Topology, TopologyProblem, check::Resolved};
use crate::error::ConnectError;

impl Topology {
    /// What is wrong with links by which kernels ask others.
    pub(super) fn asks(&self, links: &[Resolved]) -> Vec<TopologyProblem> {
        let mut problems = Vec::new();
        // How many places for answers are taken in each kernel.
        let mut taken = vec![0_u64; self.nodes.len()];
        for link in links {
            let (source, target) = (&self.nodes[link.from], &self.nodes[link.to]);
            let definition = source.bound.definition();
            let Some(port) = link.port.map(|port| &definition.ports[port]) else { continue };
            let Some(ask) = port.ask else { continue };
            let timers = definition.timers.map_or(0, |timers| timers.room);
            taken[link.to] += u64::from(asks_of(timers)) * u64::from(source.options.shape.grid);
            // What could never be launched is told of the kernel itself.
            let room = u32::try_from(taken[link.to]).unwrap_or(u32::MAX);
            let asked = target.bound.definition();
            let goes_on = |other: &Resolved| other.from == link.to && other.port.unwrap_or(0) == 0;
            let answers = asked.answer().is_some_and(|(ty, _)| ty.difference(ask.answered).is_none());
            let no_room = |kernel: &str, room| ConnectError::NoRoomToAsk { kernel: kernel.into(), room };
            let kernel = target.name.clone();
            let error = if asked.ask().is_some() {
                Some(ConnectError::AsksItself { kernel })
            } else if !answers {
                Some(ConnectError::OtherAnswer { kernel, awaits: ask.answered.name })
            } else if links.iter().any(goes_on) {
                Some(ConnectError::AskedGoesOn { kernel })
            } else if target.options.outbound.through < room {
                Some(no_room(&target.name, room))
            } else {
                // The asker's messages carry addresses, too. Its places are not used.
                (source.options.outbound.through == 0).then(|| no_room(&source.name, 1))
            };
            problems.extend(error.map(|error| TopologyProblem::Link {
                from: format!("{}.{}", source.name, port.name),
                to: target.name.clone(),
                problem: error.to_string(),
            }));
        }
        problems
    }
}
