// A program for the stand-in driver, which runs each block on a thread of its own, and the block's GPU
// threads as fibers of it.

#include <utility>

#define __shared__ static thread_local

static const ann_machine *ann_host_machine;
static inline const ann_place *ann_host_place() { return ann_host_machine->place(); }
static inline void ann_host_barrier(u32 line) { ann_host_machine->barrier(line); }
static inline void ann_host_warp(u32 mask, u32 line) { ann_host_machine->warp(mask, line); }
static inline void ann_host_exchange(u32 mask, u32 line) { ann_host_machine->warp(mask, line); }
static thread_local u64 ann_lanes[1024];
static inline u64 *ann_host_lanes() { return ann_lanes; }
static inline void ann_host_look() { ann_host_machine->look(); }
static inline void ann_host_look_at_unit() { ann_host_machine->look(); }
static inline void ann_host_stored(bool is_published) { ann_host_machine->stored(is_published); }
static inline void ann_host_sleep(u32 nanos) { ann_host_machine->sleep(nanos); }
static inline u64 ann_host_clock() { return ann_host_machine->clock(); }
static inline void ann_host_meet() { ann_host_machine->meet(); }
[[noreturn]] static inline void ann_host_fault(const char *what, const void *address)
{
    ann_host_machine->fault(what, address);
    __builtin_unreachable();
}

static thread_local volatile char ann_touched;
static void ann_touch() { ann_touched = 1; }

// A kernel's parameters, by its type.
template <class... T>
struct ann_parameters {
    static constexpr unsigned count = sizeof...(T);
    static constexpr size_t sizes[] = {sizeof(T)..., 0};
};
template <class... T>
static ann_parameters<T...> ann_parameters_of(void (*)(T...));

template <class... T, size_t... I>
static void ann_call(void (*kernel)(T...), void *const *parameters, std::index_sequence<I...>)
{
    kernel(*(T *)parameters[I]...);
}
template <class... T>
static void ann_call(void (*kernel)(T...), void *const *parameters)
{
    ann_call(kernel, parameters, std::index_sequence_for<T...>());
}

#define ANN_KERNEL_OF(NAME, THREADS)                                                                                       \
    {#NAME, THREADS, decltype(ann_parameters_of(NAME))::count, decltype(ann_parameters_of(NAME))::sizes,                   \
     [](void *const *parameters) { ann_call(NAME, parameters); }}
