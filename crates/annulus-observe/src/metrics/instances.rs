//! Which of several living processes with the same labels is which.
//!
//! Containers that share a folder have process numbers of their own, so two processes of one program may have the same one,
//! often 1, at the same time. A label more tells them apart, and a process gets it only if it needs it: where nothing else is
//! alive with its labels, a container that is started again goes on with the series of the one before. Who has come first has
//! no such label; others have it as long as they live, also when they are alone by then, since a series should not change its
//! name. So it is remembered from look to look. Whoever looks for the first time takes the oldest one for the first.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

use super::Label;
use crate::{Liveness, Process};

/// The other labels of a process.
pub(super) type Common = Vec<(&'static Label, String)>;

#[derive(Debug, Default)]
pub(super) struct Instances {
    /// The file whose process has these labels and no more.
    first: BTreeMap<Vec<(&'static str, String)>, PathBuf>,
    /// Files of processes that have the label.
    labelled: BTreeSet<PathBuf>,
}

impl Instances {
    /// Sees the processes of a look, with the labels that they have without this one.
    pub(super) fn see(&mut self, processes: &[Process], labels: impl Fn(&Process) -> Common) {
        let lives = |file: &Path| {
            let same = |process: &&Process| process.file == file && process.liveness == Liveness::Running;
            processes.iter().any(|process| same(&process))
        };
        let mut living: Vec<&Process> =
            processes.iter().filter(|process| process.liveness == Liveness::Running).collect();
        living.sort_by_key(|process| (process.started, &process.file));
        for process in living {
            if self.labelled.contains(&process.file) {
                continue;
            }
            let key = labels(process).into_iter().map(|(label, value)| (label.prometheus, value)).collect();
            match self.first.get(&key) {
                Some(first) if *first == process.file => {}
                Some(first) if lives(first) => {
                    self.labelled.insert(process.file.clone());
                }
                _ => {
                    self.first.insert(key, process.file.clone());
                }
            }
        }
        let is_there = |file: &PathBuf| processes.iter().any(|process| process.file == *file);
        self.labelled.retain(is_there);
        self.first.retain(|_, file| is_there(file));
    }

    /// What tells this process from others with the same labels, if it needs something: the part of its file's name that
    /// says when its runtime was built.
    pub(super) fn of(&self, process: &Process) -> Option<String> {
        self.labelled.contains(&process.file).then(|| format!("{:x}", process.started))
    }
}
