/* After the prelude: what a block of the test does otherwise than one of OpenCL. */

/* The block's own memory: one of each program at a time, in each thread of the test. */
#undef ANN_SHARED
#define ANN_SHARED static __thread
/* GPU threads are fibers, which change places here. */
#undef ann_barrier
#define ann_barrier() twin_barrier()
/* The host hears the doorbell. Nobody sleeps on it. */
#undef ANN_RINGS
#define ANN_RINGS 1
/* What another kernel is about to see is looked at. */
#undef ann_device_store_relaxed_u32
#define ann_device_store_relaxed_u32(word, value) twin_commit(word, value)
