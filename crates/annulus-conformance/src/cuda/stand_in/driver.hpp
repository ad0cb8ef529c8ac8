// The stand-in driver's parts, and what they share. One lock is held wherever anything of this is read or
// written; one condition tells of every change. Nothing is ever destroyed that a thread of the host may still
// name: handles of what was are found out.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <stdint.h>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "../interface.hpp"

// CUDA's, as `CUresult` numbers them.
enum Status : int {
    CUDA_SUCCESS = 0,
    CUDA_ERROR_INVALID_VALUE = 1,
    CUDA_ERROR_OUT_OF_MEMORY = 2,
    CUDA_ERROR_NOT_INITIALIZED = 3,
    CUDA_ERROR_DEVICE_UNAVAILABLE = 46,
    CUDA_ERROR_NO_DEVICE = 100,
    CUDA_ERROR_INVALID_DEVICE = 101,
    CUDA_ERROR_INVALID_IMAGE = 200,
    CUDA_ERROR_INVALID_CONTEXT = 201,
    CUDA_ERROR_NO_BINARY_FOR_GPU = 209,
    CUDA_ERROR_UNSUPPORTED_LIMIT = 215,
    CUDA_ERROR_INVALID_HANDLE = 400,
    CUDA_ERROR_NOT_FOUND = 500,
    CUDA_ERROR_NOT_READY = 600,
    CUDA_ERROR_ILLEGAL_ADDRESS = 700,
    CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES = 701,
    CUDA_ERROR_LAUNCH_TIMEOUT = 702,
    CUDA_ERROR_CONTEXT_IS_DESTROYED = 709,
    CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED = 712,
    CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED = 713,
    CUDA_ERROR_LAUNCH_FAILED = 719,
    CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE = 720,
    CUDA_ERROR_NOT_SUPPORTED = 801,
    CUDA_ERROR_UNKNOWN = 999,
};

// What the environment says; `settings.cpp` names the variables.
struct Settings {
    enum Waiting { report, wait, ignore };
    unsigned devices, major, minor, multiprocessors, blocks;
    std::string name;
    size_t memory;
    std::map<int, int> attributes;
    Waiting waiting;
    bool loads_eagerly;
    bool in_turn, is_held;
    unsigned grace_ms, seed, drift_ppm, clock_step, local_bytes, fail_launch, fail_allocation, dies_after_ms, watchdog_ms;
    // How many queues the streams of a device share; 0: each has its own.
    unsigned queues;
};

struct Context;
struct Device;
struct Launch;
struct Stream;

// Bytes that the driver gave out, with pages before and after them that nobody may touch; or the program's own, registered, without.
struct Allocation {
    enum Kind { device_memory, host_memory, module_memory, fiber_stack, managed_memory, registered_memory, block_memory };
    Kind kind;
    size_t start, bytes;
    // All that is mapped for it, with the pages around it.
    size_t mapped, mapped_bytes;
    unsigned flags;
    Context *context;
    bool is_freed;
};

// Where managed memory should lie: a device (1) of this number, or the host (2).
struct Location {
    int type, id;
};

struct Module {
    Context *context;
    void *library;
    const ann_program *program;
    // Of the block's own memory.
    size_t shared_bytes;
    std::map<std::string, struct Function *> functions;
};

struct Function {
    Module *module;
    const ann_kernel *kernel;
    // What a launch may give each block.
    size_t most_given;
};

// A grid on its way.
struct Launch {
    Function *function;
    Device *device;
    uint64_t number;
    ann_index grid, size;
    size_t shared_bytes;
    std::vector<uint64_t> values;
    std::vector<void *> parameters;
    uint64_t blocks, begun, ended;
    std::chrono::steady_clock::time_point begun_at;
    // The device has died under it.
    std::atomic<bool> is_killed{false};
    // All blocks begin together.
    bool is_cooperative;
    // Its stream's thread alone waits for this: a block has ended, or the device has died.
    std::condition_variable changed;

    unsigned threads() const { return size.x * size.y * size.z; }
};

// Runs what it is given, in order, on a thread of its own.
struct Stream {
    struct Work {
        std::function<void()> run;
        // Streams that must have done so much before.
        std::vector<std::pair<Stream *, uint64_t>> after;
    };
    Context *context;
    // Counted in the process, from 0: its queue is told by it.
    uint64_t number;
    bool is_legacy, waits_for_legacy, is_destroyed;
    uint64_t enqueued, done;
    std::deque<Work> work;
    // There is work, or no more will come. Its thread alone waits for this: others need not wake for each work.
    std::condition_variable came;
};

struct Event {
    Context *context;
    bool has_time, is_recorded, is_done;
    uint64_t records;
    std::chrono::steady_clock::time_point at;
    Stream *stream;
};

struct Context {
    Device *device;
    Stream *legacy;
    unsigned flags;
    // Bytes of local memory that are set aside for each GPU thread.
    size_t local_bytes;
};

struct Multiprocessor {
    unsigned threads, blocks;
    size_t shared_bytes;
};

struct Device {
    int ordinal;
    Context *context;
    unsigned retained, flags;
    // Since when the device gives nothing but this error.
    Status dead;
    std::vector<Multiprocessor> multiprocessors;
    // Launches whose blocks have not all begun, in order; those that have not ended.
    std::deque<Launch *> waiting;
    std::set<Launch *> unended;
    uint64_t launches;
    // The queues, by number, in which a kernel runs.
    std::set<uint64_t> busy_queues;
    size_t used;
    bool has_watch;
};

struct Driver {
    std::mutex lock;
    std::condition_variable changed;
    bool is_initialised = false;
    Settings settings;
    std::vector<Device *> devices;
    std::map<size_t, Allocation> allocations;
    std::deque<size_t> quarantine;
    std::set<Stream *> streams;
    std::set<Event *> events;
    std::set<Module *> modules;
    std::set<Function *> functions;
    uint64_t allocated = 0, launched = 0, streams_made = 0;
};

typedef std::unique_lock<std::mutex> Guard;

constexpr unsigned most_threads = 1024, threads_of_multiprocessor = 2048;
// Of a block's memory: what a program may have itself, and what it has with what a launch gives it, unless the
// environment says another attribute 97.
constexpr size_t shared_of_block = 48 << 10, most_shared_of_block = 227 << 10, shared_of_multiprocessor = 228 << 10;

// settings.cpp
Driver &driver();
Settings read_settings();
[[noreturn]] void stop(const char *format, ...) __attribute__((format(printf, 1, 2)));

// device.cpp
Context *&current();
// Of the calling thread's context: why nothing can be done with it, if so. The lock is held.
Status usable(Context *context);
// A call that waits for all that runs on the device, or may. The lock is held.
void synchronises(const char *call, Context *context, Guard &guard);
void die(Device &device, Status status);

// memory.cpp
Status allocate(Allocation::Kind kind, size_t bytes, unsigned flags, Context *context, size_t *start);
void release(Allocation &allocation);
// The allocation that is live and holds all of these bytes.
Allocation *find(size_t start, size_t bytes);
// What a launch gives a block, and the end of that. Both take the lock.
void *give(size_t bytes);
void take_back(void *given);
// What is known of an address, for people. Takes no lock.
void describe(size_t address, char *to, size_t room);

// stream.cpp
Stream *make_stream(Context *context, bool is_legacy, bool waits_for_legacy);
void destroy(Stream *stream);
// The stream of a handle. Tells the check if a legacy one is used beside a kernel.
Status find_stream(Stream *handle, const char *call, Guard &guard, Stream **stream);
uint64_t enqueue(Stream &stream, std::function<void()> run);
Status wait_until(Stream &stream, uint64_t done, Guard &guard);

// block.cpp
extern const ann_machine machine;
void run_block(Launch &launch, uint64_t index);
void watch_faults();

// races.cpp
// Watches the block that begins on this thread of the host, if its program was compiled for that; until it is
// forgotten.
void watch_races(const Module &module, unsigned threads, const void *given, size_t given_bytes);
void forget_races();

// module.cpp
unsigned resident_blocks(const Function &function, unsigned threads, size_t dynamic_bytes);
void poison_shared(const Module &module);
// Tells the program on this thread of the host where what the launch gives the block lies.
void say_given(const Module &module, void *given);
// The module, its functions and, if nothing runs, its code are gone.
void forget(Module *module);
void place_blocks(Device &device);
