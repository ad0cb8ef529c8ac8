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
/// The most steps of the search for them. Source: as above, some milliseconds.
const MOST_STEPS: u32 = 1 << 16;

/// A search for the ways that lead round, each once: it begins at its first kernel.
pub(super) struct Cycles<'a> {
    targets: &'a [Vec<usize>],
    /// Kernels from which there is a way back to the first, by later ones alone.
    leads_back: Vec<bool>,
    /// The kernels on the way to where it is.
    way: Vec<usize>,
    steps: u32,
    found: Vec<Vec<usize>>,
}

impl<'a> Cycles<'a> {
    pub(super) fn of(targets: &'a [Vec<usize>]) -> Vec<Vec<usize>> {
        let mut search =
            Self { targets, leads_back: Vec::new(), way: Vec::new(), steps: 0, found: Vec::new() };
        for first in 0..targets.len() {
            search.leads_back = search.leading_to(first);
            search.visit(first);
        }
        search.found
    }

    fn leading_to(&self, first: usize) -> Vec<bool> {
        let mut leads = vec![false; self.targets.len()];
        leads[first] = true;
        loop {
            let more: Vec<usize> = (first..leads.len())
                .filter(|&kernel| !leads[kernel] && self.targets[kernel].iter().any(|&target| leads[target]))
                .collect();
            if more.is_empty() {
                return leads;
            }
            more.iter().for_each(|&kernel| leads[kernel] = true);
        }
    }

    fn visit(&mut self, kernel: usize) {
        self.way.push(kernel);
        for &target in &self.targets[kernel] {
            self.steps += 1;
            if self.found.len() == MOST_CYCLES || self.steps > MOST_STEPS {
                break;
            }
            if target == self.way[0] {
                self.found.push(self.way.clone());
            } else if self.leads_back[target] && !self.way.contains(&target) {
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
        // A way back that every way in between avoids.
        let ladder: Vec<Vec<usize>> =
            (0..60).map(|at| vec![at + 1, at + 2]).chain([vec![], vec![]]).collect();
        assert!(Cycles::of(&ladder).is_empty());
    }
}
