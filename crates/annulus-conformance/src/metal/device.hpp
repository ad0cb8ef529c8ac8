// Metal's device for a program's text on the host, beside what `language.hpp` and the CUDA stand-in's `fibers.hpp` give: the block's
// memory, its barrier, and the call of an entry. A program's own prelude names its types and address spaces.
#undef GLOBAL
#undef PRIVATE
#undef CONSTANT

#include <tuple>
#include <type_traits>

#define threadgroup
#define coherent(scope)
// A variable of the block.
#define ANN_HOST_SHARED static thread_local

namespace metal {

typedef u32 uint2 __attribute__((vector_size(8)));

static inline void threadgroup_barrier_at(mem_flags, u32 line) { ann_host_barrier(line); }
#define threadgroup_barrier(flags) threadgroup_barrier_at(flags, __LINE__)
static inline u32 clz(u32 value) { return value == 0 ? 32 : (u32)__builtin_clz(value); }
// Where others may have written, or are to see what was written: other threads of the block take their turns here.
static inline void fence_at_device(mem_flags flags, memory_order order, thread_scope scope)
{
    atomic_thread_fence(flags, order, scope);
    ann_host_look();
}
#define atomic_thread_fence fence_at_device

} // namespace metal

// An entry's last two parameters are the thread's place; a number is a reference.
template <class... T, size_t... I>
static void ann_enter(void (*kernel)(T...), void *const *parameters, std::index_sequence<I...>)
{
    typedef std::tuple<T...> all;
    kernel(*(std::remove_reference_t<std::tuple_element_t<I, all>> *)parameters[I]..., ann_place_in_block(),
           ann_place_of_block());
}
template <class... T>
static void ann_enter(void (*kernel)(T...), void *const *parameters)
{
    static_assert(sizeof...(T) > 2, "an entry has buffers, and the thread's place");
    ann_enter(kernel, parameters, std::make_index_sequence<sizeof...(T) - 2>());
}
#undef ANN_KERNEL_OF
#define ANN_KERNEL_OF(NAME, THREADS)                                                                                       \
    {#NAME, THREADS, decltype(ann_parameters_of(NAME))::count, decltype(ann_parameters_of(NAME))::sizes,                   \
     [](void *const *parameters) { ann_enter(NAME, parameters); }}
