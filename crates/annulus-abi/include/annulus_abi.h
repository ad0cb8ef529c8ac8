/* The C twin of the crate annulus-abi. Each field's invariant is documented there. */
#ifndef ANNULUS_ABI_H
#define ANNULUS_ABI_H

#include <stdint.h>

typedef struct annulus_telemetry {
    uint64_t messages_processed;
    uint64_t messages_dropped;
    int64_t last_processed_timestamp;
    int32_t queue_depth;
    uint32_t unmeasured;
    uint64_t total_latency_nanos;
    uint64_t max_latency_nanos;
    uint64_t min_latency_nanos;
    uint16_t error_code;
    uint16_t epoch;
    uint32_t check;
} annulus_telemetry;

#define ANNULUS_COMMAND_ACTIVE 1u
#define ANNULUS_COMMAND_TERMINATE 2u
#define ANNULUS_COMMAND_TELEMETRY 4u
#define ANNULUS_COMMAND_EPOCH_SHIFT 16u

#define ANNULUS_STATE_LAUNCHED 0u
#define ANNULUS_STATE_ACTIVE 1u
#define ANNULUS_STATE_INACTIVE 2u
#define ANNULUS_STATE_TERMINATED 3u

#define ANNULUS_STALLED_BY_HOST 1u
#define ANNULUS_STALLED_BY_KERNEL 2u
#define ANNULUS_STALLED_HOLDS 3u

typedef struct annulus_control_block {
    uint32_t command;
    uint32_t host_reserved;
    uint64_t host_heartbeat;
    uint64_t host_padding[14];
    uint32_t state;
    uint32_t last_error;
    uint64_t processed;
    uint64_t failed;
    uint64_t unknown_actor;
    uint64_t sent;
    uint32_t leaving;
    uint32_t acknowledged;
    uint64_t dead_letters_lost;
    uint64_t prints_lost;
    uint32_t stalled;
    uint32_t unread;
    uint64_t forwarded;
    uint64_t taken;
    uint64_t rested;
    uint64_t unforwarded;
    uint64_t turns;
    uint64_t due;
    uint64_t timers;
} annulus_control_block;

#define ANNULUS_RING_CLOSED (1ull << 63)

typedef struct annulus_ring_header {
    uint64_t reserved;
    uint64_t consumed_seen;
    uint64_t lost;
    uint64_t producer_padding[13];
    uint64_t consumed;
    uint64_t consumer_padding[15];
} annulus_ring_header;

#define ANNULUS_KIND_MESSAGE 1u
#define ANNULUS_KIND_TOMBSTONE 2u
#define ANNULUS_KIND_NO_REPLY 3u
#define ANNULUS_KIND_FAILED 4u
#define ANNULUS_KIND_DEAD_LETTER 5u
#define ANNULUS_KIND_PRINT 6u
#define ANNULUS_KIND_LOST 7u
#define ANNULUS_KIND_ENDED 8u
#define ANNULUS_KIND_RECORD 9u

typedef struct annulus_slot_header {
    uint32_t commit;
    uint32_t meta;
} annulus_slot_header;

/* A unit of a sealed slot: the next words of the slot's image, and the slot's lap. Written and read in one
   access. */
typedef struct annulus_sealed_unit {
    uint32_t content[3];
    uint32_t lap;
} annulus_sealed_unit;

#define ANNULUS_ERROR_FIRST_OWN 0xFF00u
#define ANNULUS_ERROR_PANICKED 0xFF01u
#define ANNULUS_ERROR_TOO_MANY_OUTPUTS 0xFF02u
#define ANNULUS_ERROR_UNKNOWN_ACTOR 0xFF03u
#define ANNULUS_ERROR_INDEX_OUT_OF_BOUNDS 0xFF04u
#define ANNULUS_ERROR_DIVISION_BY_ZERO 0xFF05u
#define ANNULUS_ERROR_OVERFLOW 0xFF06u
#define ANNULUS_ERROR_BUDGET_EXHAUSTED 0xFF07u
#define ANNULUS_ERROR_BARRIER_NOT_REACHED 0xFF09u
#define ANNULUS_ERROR_NOT_THE_LEADER 0xFF0Au
#define ANNULUS_ERROR_TIMERS_FULL 0xFF0Bu

/* What a shard is at: a line that its block alone writes. */
typedef struct annulus_at {
    uint64_t phase;
    uint64_t number;
    uint64_t key;
    uint64_t count;
    uint64_t failed;
    uint64_t failed_key;
    uint64_t reserved[2];
} annulus_at;

#define ANNULUS_PHASE_UNKNOWN 0u
#define ANNULUS_PHASE_ASLEEP 1u
#define ANNULUS_PHASE_LOOKING 2u
#define ANNULUS_PHASE_IN_HANDLER 3u
#define ANNULUS_PHASE_PUBLISHING 4u
#define ANNULUS_PHASE_STALLED_ON_HOST 5u
#define ANNULUS_PHASE_STALLED_ON_KERNEL 6u
#define ANNULUS_PHASE_AT_BARRIER 7u
#define ANNULUS_PHASE_INACTIVE 8u
#define ANNULUS_PHASE_ENDED 9u

/* What one of several outboxes of a shard has sent to other kernels. */
typedef struct annulus_port_counts {
    uint64_t forwarded;
    uint64_t unforwarded;
    uint64_t held;
    uint64_t padding[5];
} annulus_port_counts;

/* Where an outbox leads. */
typedef struct annulus_port_link {
    uint64_t kernel;
    uint64_t target;
    uint64_t waits;
    uint8_t name[40];
} annulus_port_link;

#define ANNULUS_MOST_PORTS 16u

/* A shard's outboxes in a vitals file. */
typedef struct annulus_shard_ports {
    annulus_port_counts counts[ANNULUS_MOST_PORTS];
    annulus_port_link links[ANNULUS_MOST_PORTS];
} annulus_shard_ports;

/* What the host says of a shard. */
typedef struct annulus_host_words {
    uint64_t staged;
    uint64_t dropped_before[5];
    uint64_t traces_recorded;
    uint64_t traces_lost;
    uint64_t fed;
    uint64_t reserved[7];
} annulus_host_words;

/* How many actors a shard has, of a kernel whose keys are sparse. */
typedef struct annulus_actor_counts {
    uint64_t used;
    uint64_t evicted;
    uint64_t ended;
    uint64_t padding[13];
} annulus_actor_counts;

/* A shard's part of a vitals file. */
typedef struct annulus_shard_vitals {
    annulus_control_block control;
    annulus_ring_header inbound;
    annulus_ring_header outbound;
    annulus_telemetry telemetry;
    annulus_at at;
    annulus_host_words host;
    annulus_actor_counts actors;
} annulus_shard_vitals;

/* The beginning of a vitals file. */
typedef struct annulus_vitals_header {
    uint64_t magic;
    uint32_t version;
    uint32_t kernel_stride;
    uint64_t kernels_offset;
    uint64_t shards_offset;
    uint32_t kernels;
    uint32_t shards;
    uint32_t shard_stride;
    uint32_t pid;
    uint64_t started;
    uint64_t clock_origin;
    uint8_t boot[16];
    char backend[16];
    char library[16];
    char executable[256];
    uint64_t records_offset;
    uint32_t records;
    uint32_t record_stride;
    uint64_t requests_offset;
    uint64_t ports_offset;
    uint64_t port_stride;
    uint64_t histograms_offset;
    uint64_t histogram_stride;
    char device[72];
    uint32_t bridges_page;
    uint32_t bridges;
    uint64_t check;
} annulus_vitals_header;

/* "ANNULUSV" in the bytes of a little-endian machine. */
#define ANNULUS_VITALS_MAGIC 0x5653554C554E4E41ull
#define ANNULUS_VITALS_VERSION 3u
#define ANNULUS_VITALS_PAGE 4096u
#define ANNULUS_MOST_KERNELS 1024u
#define ANNULUS_MOST_SHARDS 1048576u

/* What observers ask: they write `telemetry_until`, then another `bell`, and wake those who sleep on the bell. */
typedef struct annulus_request_page {
    uint64_t telemetry_until;
    uint32_t bell;
    uint32_t reserved[13];
} annulus_request_page;

#define ANNULUS_LONGEST_LEASE 60000000000ull

#define ANNULUS_CAUSES 7u

/* The bytes of a kernel's memory, by what they are for; of all these, how many lie in memory of the host that no device
   sees, in memory that both see, and in a device's own. */
typedef struct annulus_kernel_memory {
    uint64_t inbound;
    uint64_t outbound;
    uint64_t replies;
    uint64_t dead_letters;
    uint64_t traces;
    uint64_t prints;
    uint64_t control;
    uint64_t queues;
    uint64_t states;
    uint64_t bindings;
    uint64_t links;
    uint64_t scratch;
    uint64_t host;
    uint64_t shared;
    uint64_t device;
} annulus_kernel_memory;

/* A kernel in the directory of a vitals file. The check covers what stands from `id` on. */
typedef struct annulus_kernel_entry {
    uint32_t state;
    uint32_t left_behind;
    uint64_t ended_at;
    uint64_t mirrored_at;
    uint64_t target;
    uint64_t waits;
    uint64_t queue_capacity;
    uint64_t drops[ANNULUS_CAUSES];
    uint64_t slow;
    uint64_t counting_since;
    uint64_t linked;

    uint64_t id;
    uint64_t launched_at;
    uint32_t first_shard;
    uint32_t grid;
    uint32_t block;
    uint32_t mode;
    uint32_t max_batch;
    uint32_t flags;
    uint32_t inbound_capacity;
    uint32_t outbound_capacity;
    uint64_t actors;
    uint32_t message_size;
    uint32_t output_size;
    char name[128];
    char kernel[128];
    char message[128];
    char output[128];
    char errors[256];
    uint64_t ports;
    uint32_t message_align;
    uint32_t output_align;
    uint64_t message_layout;
    uint64_t output_layout;
    annulus_kernel_memory memory;
    uint64_t constant[4];
    uint64_t check;
} annulus_kernel_entry;

/* What a bridge has done. */
typedef struct annulus_bridge_counts {
    uint64_t moved;
    uint64_t bytes;
    uint64_t by_count;
    uint64_t by_timer;
    uint64_t by_close;
    uint64_t evicted;
    uint64_t discarded;
    uint64_t lost;
    uint64_t duplicate;
    uint64_t too_large;
    uint64_t held;
} annulus_bridge_counts;

/* A bridge in a vitals file. The check covers what stands from `number` on. */
typedef struct annulus_bridge_entry {
    uint32_t state;
    uint32_t reserved;
    annulus_bridge_counts counts;
    uint64_t waits;
    uint64_t waits_runtime;
    uint64_t waits_kernel;
    uint64_t changing;

    uint64_t number;
    uint64_t kernel;
    uint64_t began;
    uint32_t kind;
    uint32_t outbox;
    char from[128];
    char to[128];
    uint64_t constant[11];
    uint64_t check;
} annulus_bridge_entry;

#define ANNULUS_MOST_BRIDGES 256u

#define ANNULUS_BRIDGE_FREE 0u
#define ANNULUS_BRIDGE_WORKS 1u
#define ANNULUS_BRIDGE_ENDED 2u

#define ANNULUS_BRIDGE_TO_KERNELS 1u
#define ANNULUS_BRIDGE_TO_QUEUE 2u
#define ANNULUS_BRIDGE_FROM_QUEUE 3u

#define ANNULUS_KERNEL_FREE 0u
#define ANNULUS_KERNEL_LAUNCHED 1u
#define ANNULUS_KERNEL_ENDED 2u

/* Its supervisor has left it behind. */
#define ANNULUS_LEFT_BEHIND 1u

#define ANNULUS_KERNEL_CONNECTABLE 1u
#define ANNULUS_KERNEL_SUPERSTEPS 2u
#define ANNULUS_KERNEL_CALLS 4u
#define ANNULUS_KERNEL_TIMESTAMPS 8u
#define ANNULUS_KERNEL_MIRRORED 16u
#define ANNULUS_KERNEL_LATENCIES 32u
#define ANNULUS_KERNEL_BLACK_BOX 64u
#define ANNULUS_KERNEL_TRACING 128u
#define ANNULUS_KERNEL_KEYS 256u
#define ANNULUS_KERNEL_ROUNDS 512u
#define ANNULUS_KERNEL_SPARSE_KEYS 1024u
/* The number of the outbox by which it asks, plus 1; 0 for none. */
#define ANNULUS_KERNEL_ASKS_BY_SHIFT 11
#define ANNULUS_KERNEL_ASKS_BY 63488u

/* An event of the flight recorder. Its check covers ANNULUS_VITALS_MAGIC and the seven words before it. */
typedef struct annulus_record {
    uint64_t number;
    uint64_t time;
    uint64_t kernel;
    uint32_t event;
    uint32_t shard;
    uint64_t values[3];
    uint64_t check;
} annulus_record;

#define ANNULUS_RECORDS 4096u
#define ANNULUS_NO_SHARD 0xFFFFFFFFu

#define ANNULUS_EVENT_LAUNCHED 1u
#define ANNULUS_EVENT_READY 2u
#define ANNULUS_EVENT_ACTIVATED 3u
#define ANNULUS_EVENT_DEACTIVATED 4u
#define ANNULUS_EVENT_CLOSED 5u
#define ANNULUS_EVENT_DRAINED 6u
#define ANNULUS_EVENT_TERMINATED 7u
#define ANNULUS_EVENT_LOST 8u
#define ANNULUS_EVENT_FAILED 9u
#define ANNULUS_EVENT_DROPPED 10u
#define ANNULUS_EVENT_STALLED 11u
#define ANNULUS_EVENT_CYCLE 12u
#define ANNULUS_EVENT_NOT_LAUNCHED 13u
#define ANNULUS_EVENT_SLOW 14u
#define ANNULUS_EVENT_PRINTED 15u

/* The beginning of a black box. */
typedef struct annulus_box_header {
    uint64_t magic;
    uint32_t version;
    uint32_t flags;
    uint64_t started;
    uint64_t kernel;
    uint32_t grid;
    uint32_t capacity;
    uint64_t shards_offset;
    uint64_t shard_stride;
    uint64_t slots_offset;
    uint64_t slot_stride;
    uint32_t payload_offset;
    uint32_t payload_size;
    uint64_t type_offset;
    uint64_t type_bytes;
    uint64_t type_check;
    uint64_t units;
    uint64_t at_offset;
    uint64_t at_stride;
    uint64_t reserved[15];
    uint64_t check;
} annulus_box_header;

/* "ANNULUSB" in the bytes of a little-endian machine. */
#define ANNULUS_BOX_MAGIC 0x4253554C554E4E41ull
#define ANNULUS_BOX_VERSION 3u

/* The beginning of the check of words; `annulus_check_more` adds one, and `annulus_check_end` is the check. */
static inline uint64_t annulus_check_begin(void) {
    return ANNULUS_VITALS_VERSION;
}

static inline uint64_t annulus_check_more(uint64_t sum, uint64_t word) {
    uint64_t mixed = (sum ^ word) * 0x9E3779B97F4A7C15ull;
    return mixed << 29 | mixed >> 35;
}

static inline uint64_t annulus_check_end(uint64_t sum) {
    return sum ^ sum >> 32;
}

#endif
