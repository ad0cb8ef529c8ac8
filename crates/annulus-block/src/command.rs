//! Commands of the host, and the block's end.

use std::sync::Arc;

use annulus_abi::{
    control::{command, state},
    telemetry::Telemetry,
};
use annulus_sync::Ordering;

use crate::{host::Progress, runner::Runner, turn::BlockCore};

impl<R: Runner> BlockCore<R> {
    /// Acknowledges a new command.
    // TWIN: obey
    pub(crate) fn obey(&mut self, command: u32) {
        self.seen_command = command;
        self.load_links();
        if command & command::TERMINATE != 0 {
            self.abandon();
            // What was held may have asked.
            self.tell_if_freed();
        }
        self.obey_telemetry(command);
        let state = if command & command::TERMINATE != 0 {
            self.outbound.close();
            state::TERMINATED
        } else if command & command::ACTIVE != 0 {
            state::ACTIVE
        } else {
            state::INACTIVE
        };
        self.at_command(state);
        // SYNC: state (release), both
        self.memory.state().store(state, Ordering::Release);
        self.memory.acknowledged().store(command, Ordering::Release);
        let signals = if state == state::TERMINATED {
            self.signals.take()
        } else {
            self.signals.as_ref().map(Arc::clone)
        };
        if let Some(signals) = signals {
            let progress = Progress { state_changed: true, ..Progress::default() };
            signals.progressed(self.cx.block_index(), progress);
            // This may be the last reference to what the program gave the kernel.
            R::hand_over();
        }
    }

    fn obey_telemetry(&mut self, command: u32) {
        let epoch = (command >> command::EPOCH_SHIFT) as u16;
        if epoch != self.telemetry.epoch {
            self.telemetry = Telemetry::new(epoch);
        }
        self.telemetry_on = command & command::TELEMETRY != 0;
        self.measures = self.telemetry_on && self.timestamps;
        self.write_telemetry();
    }
}
