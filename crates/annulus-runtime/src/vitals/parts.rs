//! Where the parts of the file are. [`annulus_abi::vitals`] says what they hold.

use annulus_abi::{
    histogram,
    vitals::{
        KernelEntry, MOST_KERNELS, PAGE, ShardVitals,
        bridges::{BridgeEntry, MOST_BRIDGES},
        ports::ShardPorts,
    },
};

use super::recorder;

/// Where the parts of a file begin, each at a page.
#[derive(Clone, Copy, Debug)]
pub(super) struct Parts {
    /// Entries of the directory.
    pub(super) kernels: usize,
    pub(super) kernels_offset: usize,
    pub(super) shards_offset: usize,
    pub(super) records_offset: usize,
    pub(super) ports_offset: usize,
    pub(super) histograms_offset: usize,
    pub(super) bridges_offset: usize,
    /// Only files have this page, which is their last one.
    #[cfg_attr(not(target_os = "linux"), expect(dead_code))]
    pub(super) requests_offset: usize,
    #[cfg_attr(not(target_os = "linux"), expect(dead_code))]
    pub(super) bytes: usize,
}

impl Parts {
    /// Those of a file for so many shards.
    pub(super) fn new(shards: usize) -> Self {
        let end = |offset: usize, bytes: usize| (offset + bytes).next_multiple_of(PAGE);
        let kernels = shards.min(MOST_KERNELS);
        let kernels_offset = PAGE;
        let shards_offset = end(kernels_offset, kernels * size_of::<KernelEntry>());
        let records_offset = end(shards_offset, shards * size_of::<ShardVitals>());
        let ports_offset = end(records_offset, recorder::BYTES);
        let histograms_offset = end(ports_offset, shards * size_of::<ShardPorts>());
        let bridges_offset = end(histograms_offset, shards * histogram::BYTES);
        let requests_offset = end(bridges_offset, MOST_BRIDGES * size_of::<BridgeEntry>());
        Self {
            kernels,
            kernels_offset,
            shards_offset,
            records_offset,
            ports_offset,
            histograms_offset,
            bridges_offset,
            requests_offset,
            bytes: requests_offset + PAGE,
        }
    }
}
