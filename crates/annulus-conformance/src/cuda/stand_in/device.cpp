// Devices and their primary contexts.
#include "driver.hpp"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

// The thread's contexts; the last one is current. There is always one, which may be none.
static std::vector<Context *> &stack()
{
    static thread_local std::vector<Context *> contexts(1);
    return contexts;
}

Context *&current() { return stack().back(); }

Status usable(Context *context)
{
    if (!driver().is_initialised) return CUDA_ERROR_NOT_INITIALIZED;
    if (!context) return CUDA_ERROR_INVALID_CONTEXT;
    if (context->device->context != context) return CUDA_ERROR_CONTEXT_IS_DESTROYED;
    return context->device->dead;
}

void synchronises(const char *call, Context *context, Guard &guard)
{
    Driver &all = driver();
    Device &device = *context->device;
    auto is_free = [&] { return device.unended.empty() || device.dead != CUDA_SUCCESS; };
    if (is_free() || all.settings.waiting == Settings::ignore) return;
    if (all.settings.waiting == Settings::wait) return all.changed.wait(guard, is_free);
    // A kernel that is about to end is none that stays.
    if (all.changed.wait_for(guard, std::chrono::milliseconds(all.settings.grace_ms), is_free)) return;
    const Launch &launch = **device.unended.begin();
    stop("%s waits for what runs on device %d, where `%s` (launch %llu, %llu of %llu blocks begun, %llu ended) stays: on a GPU this call may never "
         "return; do it before the launch, or after the kernel's end",
         call, device.ordinal, launch.function->kernel->name, (unsigned long long)launch.number, (unsigned long long)launch.begun,
         (unsigned long long)launch.blocks, (unsigned long long)launch.ended);
}

void die(Device &device, Status status)
{
    if (device.dead != CUDA_SUCCESS) return;
    device.dead = status;
    // What has not begun never will.
    for (Launch *launch : device.waiting) launch->blocks = launch->begun;
    for (Launch *launch : device.unended) {
        launch->is_killed = true;
        launch->changed.notify_one();
    }
    device.waiting.clear();
    driver().changed.notify_all();
}

static Device *device_of(int ordinal)
{
    Driver &all = driver();
    return ordinal >= 0 && (size_t)ordinal < all.devices.size() ? all.devices[(size_t)ordinal] : nullptr;
}

// A thread that ends the device when one of its kernels has run for too long.
static void watch(Device *device)
{
    Driver &all = driver();
    const std::pair<unsigned, Status> limits[] = {{all.settings.watchdog_ms, CUDA_ERROR_LAUNCH_TIMEOUT},
                                                  {all.settings.dies_after_ms, CUDA_ERROR_LAUNCH_FAILED}};
    for (;; usleep(5000)) {
        Guard guard(all.lock);
        auto now = std::chrono::steady_clock::now();
        for (const Launch *launch : device->unended)
            for (auto [limit, status] : limits)
                if (limit != 0 && launch->begun != 0 && now - launch->begun_at > std::chrono::milliseconds(limit)) die(*device, status);
    }
}

extern "C" {

Status cuInit(unsigned flags)
{
    Driver &all = driver();
    Guard guard(all.lock);
    if (flags != 0) return CUDA_ERROR_INVALID_VALUE;
    if (!all.is_initialised) {
        all.settings = read_settings();
        for (unsigned i = 0; i < all.settings.devices; i += 1) {
            auto *device = new Device{};
            device->ordinal = (int)i;
            all.devices.push_back(device);
            if (all.settings.dies_after_ms != 0 || all.settings.watchdog_ms != 0) std::thread(watch, device).detach();
        }
        watch_faults();
        all.is_initialised = true;
    }
    return all.devices.empty() ? CUDA_ERROR_NO_DEVICE : CUDA_SUCCESS;
}

Status cuDriverGetVersion(int *version)
{
    *version = 13000;
    return CUDA_SUCCESS;
}

Status cuDeviceGetCount(int *count)
{
    Guard guard(driver().lock);
    if (!driver().is_initialised) return CUDA_ERROR_NOT_INITIALIZED;
    *count = (int)driver().devices.size();
    return CUDA_SUCCESS;
}

Status cuDeviceGet(int *device, int ordinal)
{
    Guard guard(driver().lock);
    if (!driver().is_initialised) return CUDA_ERROR_NOT_INITIALIZED;
    *device = ordinal;
    return device_of(ordinal) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

Status cuDeviceGetName(char *name, int room, int ordinal)
{
    Guard guard(driver().lock);
    if (!device_of(ordinal)) return CUDA_ERROR_INVALID_DEVICE;
    if (room <= 0) return CUDA_ERROR_INVALID_VALUE;
    snprintf(name, (size_t)room, "%s", driver().settings.name.c_str());
    return CUDA_SUCCESS;
}

Status cuDeviceGetUuid_v2(unsigned char *uuid, int ordinal)
{
    Guard guard(driver().lock);
    if (!device_of(ordinal)) return CUDA_ERROR_INVALID_DEVICE;
    memcpy(uuid, "annulus stand-in", 16);
    uuid[15] = (unsigned char)ordinal;
    return CUDA_SUCCESS;
}
Status cuDeviceGetUuid(unsigned char *uuid, int ordinal) { return cuDeviceGetUuid_v2(uuid, ordinal); }

Status cuDeviceTotalMem_v2(size_t *bytes, int ordinal)
{
    Guard guard(driver().lock);
    *bytes = driver().settings.memory;
    return device_of(ordinal) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

Status cuDeviceGetAttribute(int *to, int attribute, int ordinal)
{
    Driver &all = driver();
    Guard guard(all.lock);
    if (!device_of(ordinal)) return CUDA_ERROR_INVALID_DEVICE;
    const Settings &settings = all.settings;
    const std::map<int, int> usual = {
        {1, (int)most_threads},
        {2, 1024}, // block, x y z
        {3, 1024},
        {4, 64},
        {5, 0x7FFFFFFF}, // grid, x y z
        {6, 65535},
        {7, 65535},
        {8, (int)shared_of_block},
        {9, 65536}, // constant memory
        {10, 32},   // a warp's threads
        {11, 0x7FFFFFFF},
        {12, 65536}, // registers of a block
        {13, 1980000},
        {14, 512},
        {15, 1}, // copies beside kernels
        {16, (int)settings.multiprocessors},
        {17, settings.watchdog_ms != 0}, // kernels have a limit of time
        {18, 0},
        {19, 1}, // maps host memory
        {20, 0},
        {31, 1}, // several kernels at once
        {32, 1},
        {33, ordinal + 1}, // PCI bus, device
        {34, 0},
        {35, 0},
        {36, 2619000},
        {37, 5120},
        {38, 50 << 20},
        {39, (int)threads_of_multiprocessor},
        {40, 3},
        {41, 1}, // one address space
        {50, 0}, // PCI domain
        {75, (int)settings.major},
        {76, (int)settings.minor},
        {78, 1},
        {79, 1},
        {80, 1},
        {81, (int)shared_of_multiprocessor},
        {82, 65536},
        {83, 1},
        {84, 0},
        {85, ordinal},
        {86, 0}, // no atomics on host memory
        {87, 2},
        {88, 0},
        {89, 1},
        {90, 1},
        {91, 1},
        {92, 1},
        {93, 1},
        {94, 1},
        {95, 1}, // cooperative launch
        {97, (int)most_shared_of_block},
        {99, 1},
        {100, 0},
        {101, 0},
        {102, 0},
        {106, (int)settings.blocks},
        {111, 1024},
        {115, 1}, // allocation in the order of a stream
    };
    auto changed = settings.attributes.find(attribute);
    auto found = usual.find(attribute);
    if (changed == settings.attributes.end() && found == usual.end()) return CUDA_ERROR_INVALID_VALUE;
    *to = changed != settings.attributes.end() ? changed->second : found->second;
    return CUDA_SUCCESS;
}

Status cuDevicePrimaryCtxRetain(Context **context, int ordinal)
{
    Driver &all = driver();
    Guard guard(all.lock);
    Device *device = device_of(ordinal);
    if (!device) return all.is_initialised ? CUDA_ERROR_INVALID_DEVICE : CUDA_ERROR_NOT_INITIALIZED;
    if (device->dead != CUDA_SUCCESS) return device->dead;
    if (all.settings.is_held) return CUDA_ERROR_DEVICE_UNAVAILABLE;
    if (!device->context) {
        device->context = new Context{device, nullptr, device->flags, 1024};
        device->multiprocessors.assign(all.settings.multiprocessors, {threads_of_multiprocessor, all.settings.blocks, shared_of_multiprocessor});
    }
    device->retained += 1;
    *context = device->context;
    return CUDA_SUCCESS;
}

Status cuDevicePrimaryCtxRelease_v2(int ordinal)
{
    Driver &all = driver();
    Guard guard(all.lock);
    Device *device = device_of(ordinal);
    if (!device) return CUDA_ERROR_INVALID_DEVICE;
    if (device->retained == 0) return CUDA_ERROR_INVALID_CONTEXT;
    if (device->retained == 1) {
        synchronises("cuDevicePrimaryCtxRelease, the last,", device->context, guard);
        for (auto &each : all.allocations)
            if (each.second.context == device->context && !each.second.is_freed) release(each.second);
        std::set<Module *> modules = all.modules;
        for (Module *module : modules)
            if (module->context == device->context) forget(module);
        std::set<Stream *> streams = all.streams;
        for (Stream *stream : streams)
            if (stream->context == device->context) destroy(stream);
        device->context = nullptr;
    }
    device->retained -= 1;
    return CUDA_SUCCESS;
}

Status cuDevicePrimaryCtxSetFlags_v2(int ordinal, unsigned flags)
{
    Guard guard(driver().lock);
    Device *device = device_of(ordinal);
    if (!device) return CUDA_ERROR_INVALID_DEVICE;
    // How the host waits: auto, spin, yield, blocking.
    if ((flags & 7) != 0 && (flags & 7) != 1 && (flags & 7) != 2 && (flags & 7) != 4) return CUDA_ERROR_INVALID_VALUE;
    device->flags = flags;
    if (device->context) device->context->flags = flags;
    return CUDA_SUCCESS;
}

Status cuDevicePrimaryCtxGetState(int ordinal, unsigned *flags, int *active)
{
    Guard guard(driver().lock);
    Device *device = device_of(ordinal);
    if (!device) return CUDA_ERROR_INVALID_DEVICE;
    *flags = device->flags;
    *active = device->context != nullptr;
    return CUDA_SUCCESS;
}

Status cuCtxSetCurrent(Context *context)
{
    Guard guard(driver().lock);
    if (!driver().is_initialised) return CUDA_ERROR_NOT_INITIALIZED;
    bool known = !context;
    for (Device *device : driver().devices) known = known || device->context == context;
    if (!known) return CUDA_ERROR_INVALID_CONTEXT;
    current() = context;
    return CUDA_SUCCESS;
}

Status cuCtxPushCurrent_v2(Context *context)
{
    stack().push_back(nullptr);
    Status status = context ? cuCtxSetCurrent(context) : CUDA_ERROR_INVALID_CONTEXT;
    if (status != CUDA_SUCCESS) stack().pop_back();
    return status;
}

Status cuCtxPopCurrent_v2(Context **context)
{
    if (!current()) return CUDA_ERROR_INVALID_CONTEXT;
    if (context) *context = current();
    if (stack().size() > 1)
        stack().pop_back();
    else
        current() = nullptr;
    return CUDA_SUCCESS;
}

Status cuCtxGetCurrent(Context **context)
{
    Guard guard(driver().lock);
    if (!driver().is_initialised) return CUDA_ERROR_NOT_INITIALIZED;
    *context = current();
    return CUDA_SUCCESS;
}

Status cuCtxGetDevice(int *ordinal)
{
    Guard guard(driver().lock);
    Status status = usable(current());
    if (status == CUDA_SUCCESS) *ordinal = current()->device->ordinal;
    return status;
}

Status cuCtxGetFlags(unsigned *flags)
{
    Guard guard(driver().lock);
    Status status = usable(current());
    if (status == CUDA_SUCCESS) *flags = current()->flags;
    return status;
}

Status cuCtxGetStreamPriorityRange(int *least, int *greatest)
{
    Guard guard(driver().lock);
    Status status = usable(current());
    if (least) *least = 0;
    if (greatest) *greatest = -5;
    return status;
}

Status cuCtxGetLimit(size_t *bytes, int limit)
{
    Guard guard(driver().lock);
    Status status = usable(current());
    if (status != CUDA_SUCCESS) return status;
    // Of a thread's stack; others are not known here.
    if (limit != 0) return CUDA_ERROR_UNSUPPORTED_LIMIT;
    *bytes = current()->local_bytes;
    return CUDA_SUCCESS;
}

Status cuCtxSetLimit(int limit, size_t bytes)
{
    Guard guard(driver().lock);
    Status status = usable(current());
    if (status != CUDA_SUCCESS) return status;
    if (limit != 0) return CUDA_ERROR_UNSUPPORTED_LIMIT;
    if (bytes > (size_t)512 << 10) return CUDA_ERROR_INVALID_VALUE;
    synchronises("cuCtxSetLimit", current(), guard);
    current()->local_bytes = bytes;
    return CUDA_SUCCESS;
}

Status cuCtxSynchronize()
{
    Guard guard(driver().lock);
    Status status = usable(current());
    if (status != CUDA_SUCCESS) return status;
    Context *context = current();
    synchronises("cuCtxSynchronize", context, guard);
    driver().changed.wait(guard, [&] {
        for (Stream *stream : driver().streams)
            if (stream->context == context && stream->done != stream->enqueued && context->device->dead == CUDA_SUCCESS) return false;
        return true;
    });
    return usable(context);
}
}
