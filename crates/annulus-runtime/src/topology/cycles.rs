//! Ways through the kernels of a topology: which are launched first, and which lead round.

/// Adds the kernels that this one leads to, and then itself.
pub(super) fn deepest_first(
    targets: &[Vec<usize>],
    kernel: usize,
    seen: &mut [bool],
    order: &mut Vec<usize>,
) {
    if !std::mem::replace(&mut seen[kernel], true) {
        targets[kernel].iter().for_each(|&target| deepest_first(targets, target, seen, order));
        order.push(kernel);
    }
}

/// The most cycles that are named: there may be as many as ways through the kernels. Source: this project's choice.
const MOST_CYCLES: usize = 64;

/// A search for the ways that lead round, each once: it begins at its first kernel.
///
/// It goes on only to kernels from which the first one can be reached beside the way that it has come. So each step
/// belongs to a cycle that is found, and the number of cycles bounds the search, too.
pub(super) struct Cycles<'a> {
    targets: &'a [Vec<usize>],
    /// The other way round: which kernels lead to each.
    sources: Vec<Vec<usize>>,
    /// The kernels on the way to where it is.
    way: Vec<usize>,
    found: Vec<Vec<usize>>,
}

impl<'a> Cycles<'a> {
    pub(super) fn of(targets: &'a [Vec<usize>]) -> Vec<Vec<usize>> {
        let mut sources = vec![Vec::new(); targets.len()];
        for (kernel, targets) in targets.iter().enumerate() {
            targets.iter().for_each(|&target| sources[target].push(kernel));
        }
        let mut search = Self { targets, sources, way: Vec::new(), found: Vec::new() };
        (0..targets.len()).for_each(|first| search.visit(first));
        search.found
    }

    /// Kernels from which there is a way to the first, by later ones alone, of which none is on the way.
    fn leading_back(&self) -> Vec<bool> {
        let first = self.way[0];
        // Those of which nothing more is asked.
        let mut seen = vec![false; self.targets.len()];
        self.way.iter().for_each(|&kernel| seen[kernel] = true);
        let mut leads = vec![false; self.targets.len()];
        let mut next = vec![first];
        while let Some(kernel) = next.pop() {
            for &source in self.sources[kernel].iter().filter(|&&source| source > first) {
                if !std::mem::replace(&mut seen[source], true) {
                    leads[source] = true;
                    next.push(source);
                }
            }
        }
        leads
    }

    fn visit(&mut self, kernel: usize) {
        if self.found.len() == MOST_CYCLES {
            return;
        }
        self.way.push(kernel);
        let leads_back = self.leading_back();
        for &target in &self.targets[kernel] {
            if self.found.len() == MOST_CYCLES {
                break;
            }
            if target == self.way[0] {
                self.found.push(self.way.clone());
            } else if leads_back[target] {
                self.visit(target);
            }
        }
        self.way.pop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Also those whose last link is that of another cycle.
    #[test]
    fn each_way_round_is_found_once() {
        // 0 to 1 and 2, both to 3, and that back to 0; and 2 to itself; 4 leads in, 5 out.
        let targets = [vec![1, 2], vec![3], vec![3, 2], vec![0, 5], vec![2], vec![]];
        assert_eq!(Cycles::of(&targets), [vec![0, 1, 3], vec![0, 2, 3], vec![2]]);
        assert!(Cycles::of(&[vec![1, 2], vec![2], vec![]]).is_empty());
    }

    /// Of 30 kernels that all send to each other there are more than anybody can name.
    #[test]
    fn many_cycles_take_no_long_search() {
        let targets: Vec<Vec<usize>> = (0..30).map(|_| (0..30).collect()).collect();
        assert_eq!(Cycles::of(&targets).len(), MOST_CYCLES);
        // More than 2^40 ways lead through the ladder's rungs, and back to 1: none of them is one to 0.
        let mut ladder: Vec<Vec<usize>> = (0..62).map(|at| vec![at + 1, at + 2]).collect();
        ladder[0] = vec![1];
        ladder[1] = vec![2, 0];
        ladder.extend([vec![1], vec![1]]);
        let found = Cycles::of(&ladder);
        assert_eq!((&*found[0], found.len()), (&[0, 1][..], MOST_CYCLES));
        assert!(found[1..].iter().all(|way| way[0] == 1), "{found:?}");
    }

    /// What is looked at last is found, too: ways that come to nothing before that cost nothing.
    #[test]
    fn ways_that_do_not_lead_back_hide_none() {
        let others = |at: usize| (2..=10).filter(move |&other| other != at);
        let targets: Vec<Vec<usize>> = [vec![1], others(0).chain([0]).collect()]
            .into_iter()
            .chain((2..=10).map(|at| others(at).chain([1]).collect()))
            .collect();
        let found = Cycles::of(&targets);
        assert_eq!((&*found[0], found.len()), (&[0, 1][..], MOST_CYCLES));
        let once: std::collections::BTreeSet<_> = found.iter().collect();
        assert_eq!(once.len(), found.len());
    }
}
