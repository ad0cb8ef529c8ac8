// Memory. Each allocation has pages before and behind it that nobody may touch, begins with bytes that are
// nothing, and once freed may not be touched either: its addresses are not given out again until many others
// were freed. Memory that the program registers is its own: nothing lies around it, and nothing is done to it.
#include "driver.hpp"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const size_t most_in_quarantine = 4096;
// Of the bytes that are nothing: a large allocation is zero behind them.
static const size_t most_poisoned = (size_t)64 << 20;

static size_t rounded(size_t bytes, size_t to) { return (bytes + to - 1) / to * to; }

// Fills whole pages with bytes that are nothing. Many pages are private mappings of one file, which holds these bytes once: a page
// costs something when it is used, and most of a large allocation is not.
static void poison(char *pages, size_t bytes)
{
    static const size_t part = (size_t)2 << 20;
    static const int file = [] {
        int made = memfd_create("poison", MFD_CLOEXEC);
        if (made < 0 || ftruncate(made, part) != 0) return -1;
        void *all = mmap(nullptr, part, PROT_READ | PROT_WRITE, MAP_SHARED, made, 0);
        if (all == MAP_FAILED) return -1;
        memset(all, 0xCD, part);
        munmap(all, part);
        return made;
    }();
    for (size_t at = 0; at < bytes; at += part) {
        size_t length = bytes - at < part ? bytes - at : part;
        bool is_small = length < part / 16;
        if (is_small || file < 0 || mmap(pages + at, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, file, 0) == MAP_FAILED)
            memset(pages + at, 0xCD, length);
    }
}

Status allocate(Allocation::Kind kind, size_t bytes, unsigned flags, Context *context, size_t *start)
{
    Driver &all = driver();
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    if (kind != Allocation::fiber_stack && kind != Allocation::block_memory) {
        all.allocated += 1;
        if (all.allocated == all.settings.fail_allocation) return CUDA_ERROR_OUT_OF_MEMORY;
    }
    if (kind == Allocation::device_memory && bytes > all.settings.memory - context->device->used) return CUDA_ERROR_OUT_OF_MEMORY;
    size_t mapped_bytes = rounded(bytes, page) + 2 * page;
    void *mapped = mmap(nullptr, mapped_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapped == MAP_FAILED) return CUDA_ERROR_OUT_OF_MEMORY;
    if (mprotect((char *)mapped + page, mapped_bytes - 2 * page, PROT_READ | PROT_WRITE) != 0) return CUDA_ERROR_OUT_OF_MEMORY;
    // Device memory is aligned to 256 bytes, a block's to 16: its end lies as near to the last page as that allows.
    size_t end = (size_t)mapped + mapped_bytes - page;
    size_t aligned = kind == Allocation::device_memory ? 256 : kind == Allocation::block_memory ? 16 : 0;
    *start = aligned != 0 ? end - rounded(bytes, aligned) : (size_t)mapped + page;
    if (kind != Allocation::fiber_stack) poison((char *)mapped + page, mapped_bytes - 2 * page < most_poisoned ? mapped_bytes - 2 * page : most_poisoned);
    all.allocations[*start] = {kind, *start, bytes, (size_t)mapped, mapped_bytes, flags, context, false};
    if (kind == Allocation::device_memory) context->device->used += bytes;
    return CUDA_SUCCESS;
}

void release(Allocation &allocation)
{
    Driver &all = driver();
    allocation.is_freed = true;
    // A fresh mapping gives the pages back as well.
    mmap((void *)allocation.mapped, allocation.mapped_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    if (allocation.kind == Allocation::device_memory) allocation.context->device->used -= allocation.bytes;
    all.quarantine.push_back(allocation.start);
}

void *give(size_t bytes)
{
    if (bytes == 0) return nullptr;
    Guard guard(driver().lock);
    size_t start = 0;
    if (allocate(Allocation::block_memory, bytes, 0, nullptr, &start) != CUDA_SUCCESS) stop("there is no memory for what a launch gives a block");
    return (void *)start;
}

void take_back(void *given)
{
    if (!given) return;
    Guard guard(driver().lock);
    auto found = driver().allocations.find((size_t)given);
    munmap((void *)found->second.mapped, found->second.mapped_bytes);
    driver().allocations.erase(found);
}

// Gives back addresses that were freed long ago. Nothing of the map is named here but by its key.
static void shorten_quarantine()
{
    Driver &all = driver();
    while (all.quarantine.size() > most_in_quarantine) {
        auto oldest = all.allocations.find(all.quarantine.front());
        munmap((void *)oldest->second.mapped, oldest->second.mapped_bytes);
        all.allocations.erase(oldest);
        all.quarantine.pop_front();
    }
}

// The allocation whose bytes, or whose pages around them, hold the address.
static Allocation *around(size_t address)
{
    auto &allocations = driver().allocations;
    auto next = allocations.upper_bound(address);
    if (next != allocations.end() && next->second.mapped <= address) return &next->second;
    if (next == allocations.begin()) return nullptr;
    Allocation &before = std::prev(next)->second;
    return address < before.mapped + before.mapped_bytes ? &before : nullptr;
}

Allocation *find(size_t start, size_t bytes)
{
    Allocation *found = around(start);
    if (!found || found->is_freed || start < found->start || bytes > found->bytes || start - found->start > found->bytes - bytes) return nullptr;
    return found->kind == Allocation::fiber_stack || found->kind == Allocation::block_memory ? nullptr : found;
}

void describe(size_t address, char *to, size_t room)
{
    const Allocation *found = around(address);
    if (!found) {
        snprintf(to, room, "where nothing was ever allocated");
        return;
    }
    static const char *const kinds[] = {"device memory", "page-locked host memory", "a module's variable", "a GPU thread's stack", "managed memory",
                                        "registered host memory", "a block's dynamic shared memory"};
    const char *where = address < found->start ? "before" : address - found->start < found->bytes ? "in" : "behind";
    snprintf(to, room, "%s %s of %zu bytes from %#zx on%s", where, kinds[found->kind], found->bytes, found->start,
             found->is_freed ? ", which was freed" : "");
}

// What a copy reads or writes on the device's side: memory of the device, or page-locked memory that it sees.
static bool is_device_range(size_t start, size_t bytes) { return find(start, bytes) != nullptr; }

static bool is_page_locked(size_t start, size_t bytes)
{
    Allocation *found = find(start, bytes);
    return found && (found->kind == Allocation::host_memory || found->kind == Allocation::registered_memory);
}

// A copy, or a fill, in the order of a stream. The source of one from the host is read at once unless the
// driver can read it later.
static Status copy(const char *call, Stream *handle, size_t to, size_t from, size_t bytes, bool to_device, bool from_device, bool waits)
{
    Guard guard(driver().lock);
    Status status = usable(current());
    if (status != CUDA_SUCCESS) return status;
    if ((to_device && !is_device_range(to, bytes)) || (from_device && !is_device_range(from, bytes))) return CUDA_ERROR_INVALID_VALUE;
    if (waits) synchronises(call, current(), guard);
    Stream *stream;
    status = find_stream(handle, call, guard, &stream);
    if (status != CUDA_SUCCESS) return status;
    std::shared_ptr<std::vector<char>> staged;
    if (!from_device && !is_page_locked(from, bytes)) staged = std::make_shared<std::vector<char>>((char *)from, (char *)from + bytes);
    // What the driver must write to memory that it cannot reach later is waited for.
    bool must_wait = waits || (!to_device && !is_page_locked(to, bytes));
    uint64_t number = enqueue(*stream, [=] { memcpy((void *)to, staged ? staged->data() : (void *)from, bytes); });
    return must_wait ? wait_until(*stream, number, guard) : CUDA_SUCCESS;
}

static Status fill(const char *call, Stream *handle, size_t to, unsigned char value, size_t bytes, bool waits)
{
    Guard guard(driver().lock);
    Status status = usable(current());
    if (status != CUDA_SUCCESS) return status;
    if (!is_device_range(to, bytes)) return CUDA_ERROR_INVALID_VALUE;
    if (waits) synchronises(call, current(), guard);
    Stream *stream;
    status = find_stream(handle, call, guard, &stream);
    if (status != CUDA_SUCCESS) return status;
    uint64_t number = enqueue(*stream, [=] { memset((void *)to, value, bytes); });
    return waits ? wait_until(*stream, number, guard) : CUDA_SUCCESS;
}

// Page-locked memory, and managed memory, is every device's: who asks for it waits for all of them.
static void wait_for_kernels(const char *call, Allocation::Kind kind, Context *own, Guard &guard)
{
    if (kind == Allocation::device_memory) return synchronises(call, own, guard);
    for (Device *device : driver().devices)
        if (device->context) synchronises(call, device->context, guard);
}

// Memory of either kind, at once.
static Status allocate_now(const char *call, Allocation::Kind kind, size_t bytes, unsigned flags, size_t *to)
{
    Guard guard(driver().lock);
    Status status = usable(current());
    if (status != CUDA_SUCCESS) return status;
    if (!to || bytes == 0) return CUDA_ERROR_INVALID_VALUE;
    wait_for_kernels(call, kind, current(), guard);
    return allocate(kind, bytes, flags, current(), to);
}

static Status free_now(const char *call, Allocation::Kind kind, size_t start)
{
    Guard guard(driver().lock);
    Status status = usable(current());
    if (status != CUDA_SUCCESS) return status;
    if (start == 0) return CUDA_SUCCESS;
    auto found = driver().allocations.find(start);
    if (found == driver().allocations.end() || found->second.kind != kind) return CUDA_ERROR_INVALID_VALUE;
    wait_for_kernels(call, kind, found->second.context, guard);
    // Here, since another thread may have done it while this one waited.
    found = driver().allocations.find(start);
    if (found == driver().allocations.end() || found->second.is_freed) stop("%s: %#zx was freed before", call, start);
    release(found->second);
    shorten_quarantine();
    return CUDA_SUCCESS;
}

// Whether all of these pages are mapped.
static bool is_mapped(void *start, size_t bytes) { return msync(start, bytes, MS_ASYNC) == 0; }

extern "C" {

// A driver takes other ranges, too, and registers whole pages of them: here they must be whole pages.
Status cuMemHostRegister_v2(void *start, size_t bytes, unsigned flags)
{
    Driver &all = driver();
    Guard guard(all.lock);
    Status status = usable(current());
    if (status != CUDA_SUCCESS) return status;
    size_t page = (size_t)sysconf(_SC_PAGESIZE), first = (size_t)start;
    // Portable, mapped, a device's memory, read only.
    if (bytes == 0 || first % page != 0 || bytes % page != 0 || flags > 15 || !is_mapped(start, bytes)) return CUDA_ERROR_INVALID_VALUE;
    auto changed = all.settings.attributes.find(99);
    if (changed != all.settings.attributes.end() && changed->second == 0) return CUDA_ERROR_NOT_SUPPORTED;
    wait_for_kernels("cuMemHostRegister", Allocation::registered_memory, current(), guard);
    for (auto &[begin, other] : all.allocations)
        if (other.mapped < first + bytes && first < other.mapped + other.mapped_bytes)
            return other.kind == Allocation::registered_memory ? CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED : CUDA_ERROR_INVALID_VALUE;
    all.allocated += 1;
    if (all.allocated == all.settings.fail_allocation) return CUDA_ERROR_OUT_OF_MEMORY;
    all.allocations[first] = {Allocation::registered_memory, first, bytes, first, bytes, flags, current(), false};
    return CUDA_SUCCESS;
}

Status cuMemHostUnregister(void *start)
{
    Driver &all = driver();
    Guard guard(all.lock);
    Status status = usable(current());
    if (status != CUDA_SUCCESS) return status;
    auto is_registered = [&] {
        auto found = all.allocations.find((size_t)start);
        return found != all.allocations.end() && found->second.kind == Allocation::registered_memory;
    };
    if (!is_registered()) return CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
    wait_for_kernels("cuMemHostUnregister", Allocation::registered_memory, current(), guard);
    // Here, since another thread may have done it while this one waited.
    if (!is_registered()) return CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
    auto found = all.allocations.find((size_t)start);
    if (!is_mapped(start, found->second.bytes)) stop("cuMemHostUnregister: %#zx was unmapped while it was registered", (size_t)start);
    all.allocations.erase(found);
    return CUDA_SUCCESS;
}

Status cuMemHostAlloc(void **to, size_t bytes, unsigned flags)
{
    // Portable, mapped, write-combined.
    if (flags > 7) return CUDA_ERROR_INVALID_VALUE;
    // A driver allows it. But a host's reads of such memory take hundreds of nanoseconds each, and a kernel's memory is read.
    if (flags & 4) stop("cuMemHostAlloc: write-combined memory, which the host reads slowly");
    if (!(flags & 2)) stop("cuMemHostAlloc: memory that is not mapped, which no kernel sees");
    return allocate_now("cuMemHostAlloc", Allocation::host_memory, bytes, flags, (size_t *)to);
}

Status cuMemHostGetDevicePointer_v2(size_t *to, void *host, unsigned flags)
{
    Guard guard(driver().lock);
    Status status = usable(current());
    if (status != CUDA_SUCCESS) return status;
    Allocation *found = find((size_t)host, 1);
    bool is_host = found && (found->kind == Allocation::host_memory || found->kind == Allocation::registered_memory);
    if (!is_host || (found->flags & 2) == 0 || flags != 0) return CUDA_ERROR_INVALID_VALUE;
    // One address space.
    *to = (size_t)host;
    return CUDA_SUCCESS;
}

Status cuMemHostGetFlags(unsigned *flags, void *host)
{
    Guard guard(driver().lock);
    Allocation *found = find((size_t)host, 1);
    bool is_host = found && (found->kind == Allocation::host_memory || found->kind == Allocation::registered_memory);
    if (!is_host) return CUDA_ERROR_INVALID_VALUE;
    *flags = found->flags;
    return CUDA_SUCCESS;
}

Status cuMemAllocManaged(size_t *to, size_t bytes, unsigned flags)
{
    // Reached by every stream from the beginning, or by the host alone.
    if (flags != 1 && flags != 2) return CUDA_ERROR_INVALID_VALUE;
    return allocate_now("cuMemAllocManaged", Allocation::managed_memory, bytes, flags, to);
}

// Advice changes nothing here: there is one memory. It must be such as a driver takes.
Status cuMemAdvise_v2(size_t start, size_t bytes, int advice, Location location)
{
    Guard guard(driver().lock);
    Status status = usable(current());
    if (status != CUDA_SUCCESS) return status;
    Allocation *found = find(start, bytes);
    bool is_device = location.type == 1 && location.id >= 0 && (size_t)location.id < driver().devices.size();
    // Read mostly, preferred location, accessed by, each set and unset; of the device, or of the host.
    bool is_known = advice >= 1 && advice <= 6 && (is_device || (location.type == 2 && location.id == 0));
    return is_known && found && found->kind == Allocation::managed_memory ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

Status cuMemFreeHost(void *host) { return free_now("cuMemFreeHost", Allocation::host_memory, (size_t)host); }

Status cuMemAlloc_v2(size_t *to, size_t bytes) { return allocate_now("cuMemAlloc", Allocation::device_memory, bytes, 0, to); }

// Managed memory is freed by the same call.
Status cuMemFree_v2(size_t start)
{
    Allocation::Kind kind = Allocation::device_memory;
    {
        Guard guard(driver().lock);
        auto found = driver().allocations.find(start);
        if (found != driver().allocations.end() && found->second.kind == Allocation::managed_memory) kind = found->second.kind;
    }
    return free_now("cuMemFree", kind, start);
}

Status cuMemAllocAsync(size_t *to, size_t bytes, Stream *handle)
{
    Guard guard(driver().lock);
    Status status = usable(current());
    Stream *stream;
    if (status == CUDA_SUCCESS) status = find_stream(handle, "cuMemAllocAsync", guard, &stream);
    if (status != CUDA_SUCCESS) return status;
    if (!to || bytes == 0) return CUDA_ERROR_INVALID_VALUE;
    return allocate(Allocation::device_memory, bytes, 0, current(), to);
}

Status cuMemFreeAsync(size_t start, Stream *handle)
{
    Guard guard(driver().lock);
    Status status = usable(current());
    Stream *stream;
    if (status == CUDA_SUCCESS) status = find_stream(handle, "cuMemFreeAsync", guard, &stream);
    if (status != CUDA_SUCCESS || start == 0) return status;
    Allocation *found = find(start, 1);
    if (!found || found->start != start || found->kind != Allocation::device_memory) return CUDA_ERROR_INVALID_VALUE;
    enqueue(*stream, [start] {
        Guard guard(driver().lock);
        Allocation *freed = find(start, 1);
        if (!freed) stop("cuMemFreeAsync: %#zx was freed before", start);
        release(*freed);
        shorten_quarantine();
    });
    return CUDA_SUCCESS;
}

Status cuMemGetInfo_v2(size_t *free, size_t *total)
{
    Guard guard(driver().lock);
    Status status = usable(current());
    if (status != CUDA_SUCCESS) return status;
    *total = driver().settings.memory;
    *free = *total - current()->device->used;
    return CUDA_SUCCESS;
}

Status cuMemcpyHtoD_v2(size_t to, const void *from, size_t bytes)
{
    return copy("cuMemcpyHtoD", nullptr, to, (size_t)from, bytes, true, false, true);
}
Status cuMemcpyDtoH_v2(void *to, size_t from, size_t bytes)
{
    return copy("cuMemcpyDtoH", nullptr, (size_t)to, from, bytes, false, true, true);
}
Status cuMemcpyDtoD_v2(size_t to, size_t from, size_t bytes)
{
    return copy("cuMemcpyDtoD", nullptr, to, from, bytes, true, true, true);
}
Status cuMemcpyHtoDAsync_v2(size_t to, const void *from, size_t bytes, Stream *stream)
{
    return copy("cuMemcpyHtoDAsync", stream, to, (size_t)from, bytes, true, false, false);
}
Status cuMemcpyDtoHAsync_v2(void *to, size_t from, size_t bytes, Stream *stream)
{
    return copy("cuMemcpyDtoHAsync", stream, (size_t)to, from, bytes, false, true, false);
}
Status cuMemcpyDtoDAsync_v2(size_t to, size_t from, size_t bytes, Stream *stream)
{
    return copy("cuMemcpyDtoDAsync", stream, to, from, bytes, true, true, false);
}
Status cuMemsetD8_v2(size_t to, unsigned char value, size_t bytes) { return fill("cuMemsetD8", nullptr, to, value, bytes, true); }
Status cuMemsetD8Async(size_t to, unsigned char value, size_t bytes, Stream *stream)
{
    return fill("cuMemsetD8Async", stream, to, value, bytes, false);
}
}
