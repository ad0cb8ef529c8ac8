// Modules, their functions, and launches.
#include "driver.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// The file's length, by its own account; 0 if it is none for this host.
static size_t image_bytes(const void *image)
{
    const auto *header = (const ElfW(Ehdr) *)image;
    if (memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_type != ET_DYN) return 0;
    const auto *sections = (const ElfW(Shdr) *)((const char *)image + header->e_shoff);
    size_t bytes = header->e_shoff + (size_t)header->e_shnum * header->e_shentsize;
    for (unsigned i = 0; i < header->e_shnum; i += 1) {
        size_t end = sections[i].sh_type != SHT_NOBITS ? sections[i].sh_offset + sections[i].sh_size : 0;
        if (end > bytes) bytes = end;
    }
    return bytes;
}

// Loads the image under a name of its own, so that each module has its own variables.
static void *load(const void *image, size_t bytes)
{
    char path[] = "/tmp/annulus-module-XXXXXX";
    int file = mkstemp(path);
    if (file < 0) return nullptr;
    // Where races are looked for, lines are looked up in it, by this name.
    bool stays = variable("RACES", "") == "1";
    std::string name = stays ? "/proc/self/fd/" + std::to_string(file) : path;
    void *library = write(file, image, bytes) == (ssize_t)bytes ? dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL) : nullptr;
    if (!stays) close(file);
    unlink(path);
    return library;
}

// The memory of the calling thread's copy of the module's `__shared__` variables.
struct Shared {
    size_t base, bytes;
    void *start;
};

static Shared shared_of(const Module &module)
{
    struct link_map *map = nullptr;
    dlinfo(module.library, RTLD_DI_LINKMAP, &map);
    Shared shared = {map->l_addr, 0, nullptr};
    dl_iterate_phdr(
        [](struct dl_phdr_info *info, size_t, void *data) {
            auto *to = (Shared *)data;
            if (info->dlpi_addr != to->base) return 0;
            for (unsigned i = 0; i < info->dlpi_phnum; i += 1)
                if (info->dlpi_phdr[i].p_type == PT_TLS) to->bytes = info->dlpi_phdr[i].p_memsz;
            to->start = info->dlpi_tls_data;
            return 1;
        },
        &shared);
    return shared;
}

void poison_shared(const Module &module)
{
    module.program->touch();
    Shared shared = shared_of(module);
    if (shared.start) memset(shared.start, 0xCD, shared.bytes);
}

void say_given(const Module &module, void *given)
{
    // Only a program that has such memory has this variable: this thread's own.
    void **to = (void **)dlsym(module.library, "ann_given_here");
    if (to) *to = given;
}

// The most bytes of memory that a block can have: CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN.
static size_t most_shared()
{
    auto changed = driver().settings.attributes.find(97);
    return changed != driver().settings.attributes.end() ? (size_t)changed->second : most_shared_of_block;
}

void forget(Module *module)
{
    Driver &all = driver();
    all.modules.erase(module);
    for (auto &each : module->functions) all.functions.erase(each.second);
    if (module->context->device->unended.empty()) dlclose(module->library);
}

// How many blocks of this kind a multiprocessor takes at once.
unsigned resident_blocks(const Function &function, unsigned threads, size_t dynamic_bytes)
{
    const Settings &settings = driver().settings;
    // Threads come in warps; each block has some of the driver's own beside its memory.
    unsigned warps = (threads + 31) / 32;
    size_t bytes = function.module->shared_bytes + dynamic_bytes + 1024;
    if (threads > function.kernel->most_threads || dynamic_bytes > function.most_given) return 0;
    unsigned by_threads = threads_of_multiprocessor / 32 / warps, by_memory = (unsigned)(shared_of_multiprocessor / bytes);
    unsigned blocks = settings.blocks < by_threads ? settings.blocks : by_threads;
    return blocks < by_memory ? blocks : by_memory;
}

// What a block takes of its multiprocessor.
static unsigned warp_threads(const Launch &launch) { return (launch.threads() + 31) / 32 * 32; }
static size_t block_bytes(const Launch &launch) { return launch.function->module->shared_bytes + launch.shared_bytes + 1024; }

static bool has_room(const Multiprocessor &where, const Launch &launch)
{
    return where.blocks > 0 && where.threads >= warp_threads(launch) && where.shared_bytes >= block_bytes(launch);
}

// Whether the launch's next block may begin beside those before it.
static bool has_turn(const Launch &launch)
{
    return !driver().settings.in_turn || launch.is_cooperative || launch.begun == launch.ended;
}

// The thread of one block.
static void serve_block(Launch *launch, uint64_t index, Multiprocessor *where)
{
    run_block(*launch, index);
    Guard guard(driver().lock);
    where->threads += warp_threads(*launch);
    where->shared_bytes += block_bytes(*launch);
    where->blocks += 1;
    launch->ended += 1;
    place_blocks(*launch->device);
    launch->changed.notify_one();
}

// Whether there is room for all blocks at once.
static bool has_room_for_all(const Device &device, const Launch &launch)
{
    uint64_t room = 0;
    for (Multiprocessor each : device.multiprocessors) {
        while (has_room(each, launch)) {
            each.blocks -= 1;
            each.threads -= warp_threads(launch);
            each.shared_bytes -= block_bytes(launch);
            room += 1;
        }
    }
    return room >= launch.blocks;
}

// Begins blocks while there is room for them: the rest waits until others end. Those of a cooperative launch
// begin together.
void place_blocks(Device &device)
{
    while (!device.waiting.empty()) {
        Launch &launch = *device.waiting.front();
        if (launch.is_cooperative && !has_room_for_all(device, launch)) return;
        for (Multiprocessor &each : device.multiprocessors) {
            while (launch.begun < launch.blocks && has_room(each, launch) && has_turn(launch)) {
                each.blocks -= 1;
                each.threads -= warp_threads(launch);
                each.shared_bytes -= block_bytes(launch);
                if (launch.begun == 0) launch.begun_at = std::chrono::steady_clock::now();
                std::thread(serve_block, &launch, launch.begun, &each).detach();
                launch.begun += 1;
            }
        }
        if (launch.begun < launch.blocks) return;
        device.waiting.pop_front();
    }
}

static Status launch(const char *call, Function *function, ann_index grid, ann_index size, unsigned shared_bytes, Stream *handle, void **parameters,
                     bool is_cooperative)
{
    Driver &all = driver();
    Guard guard(all.lock);
    Status status = usable(current());
    if (status != CUDA_SUCCESS) return status;
    if (all.functions.count(function) == 0) return CUDA_ERROR_INVALID_HANDLE;
    Stream *stream;
    status = find_stream(handle, call, guard, &stream);
    if (status != CUDA_SUCCESS) return status;
    if (function->module->context != stream->context) return CUDA_ERROR_INVALID_CONTEXT;
    uint64_t threads = (uint64_t)size.x * size.y * size.z, blocks = (uint64_t)grid.x * grid.y * grid.z;
    if (threads == 0 || blocks == 0 || threads > most_threads) return CUDA_ERROR_INVALID_VALUE;
    if (size.x > most_threads || size.y > most_threads || size.z > 64) return CUDA_ERROR_INVALID_VALUE;
    if (grid.x > 0x7FFFFFFF || grid.y > 65535 || grid.z > 65535) return CUDA_ERROR_INVALID_VALUE;
    if (shared_bytes > function->most_given) return CUDA_ERROR_INVALID_VALUE;
    if (function->kernel->parameters != 0 && !parameters) return CUDA_ERROR_INVALID_VALUE;
    unsigned resident = resident_blocks(*function, (unsigned)threads, shared_bytes);
    auto together = all.settings.attributes.find(95);
    if (is_cooperative && together != all.settings.attributes.end() && together->second == 0) return CUDA_ERROR_NOT_SUPPORTED;
    all.launched += 1;
    if (resident == 0 || all.launched == all.settings.fail_launch) return CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
    if (is_cooperative && blocks > (uint64_t)resident * all.settings.multiprocessors) return CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE;

    if (all.settings.local_bytes > stream->context->local_bytes) {
        // It would wait only beside a kernel that stays; but whether one does is chance.
        if (all.settings.waiting == Settings::report)
            stop("%s of `%s`, whose threads need %u bytes of local memory, of which %zu are set aside: a driver waits for the device to set more "
                 "aside; say so before with cuCtxSetLimit",
                 call, function->kernel->name, all.settings.local_bytes, stream->context->local_bytes);
        synchronises(call, stream->context, guard);
        stream->context->local_bytes = all.settings.local_bytes;
    }
    auto *made = new Launch;
    made->function = function;
    made->device = stream->context->device;
    made->number = made->device->launches += 1;
    made->grid = grid;
    made->size = size;
    made->is_cooperative = is_cooperative;
    made->shared_bytes = shared_bytes;
    made->blocks = blocks;
    made->begun = made->ended = 0;
    // Parameters are copied before the call returns.
    for (unsigned i = 0; i < function->kernel->parameters; i += 1) {
        size_t bytes = function->kernel->sizes[i], words = (bytes + 7) / 8, at = made->values.size();
        made->values.resize(at + words);
        memcpy(&made->values[at], parameters[i], bytes);
    }
    size_t at = 0;
    for (unsigned i = 0; i < function->kernel->parameters; i += 1) {
        made->parameters.push_back(&made->values[at]);
        at += (function->kernel->sizes[i] + 7) / 8;
    }
    made->device->unended.insert(made);
    const unsigned queues = all.settings.queues;
    const uint64_t queue = queues ? stream->number % queues : 0;
    enqueue(*stream, [made, queues, queue] {
        Guard inner(driver().lock);
        Device &device = *made->device;
        if (queues) {
            driver().changed.wait(inner, [&] { return device.busy_queues.count(queue) == 0 || device.dead != CUDA_SUCCESS; });
            device.busy_queues.insert(queue);
        }
        if (device.dead == CUDA_SUCCESS) {
            device.waiting.push_back(made);
            place_blocks(device);
            made->changed.wait(inner, [&] { return made->ended == made->blocks; });
        }
        device.unended.erase(made);
        device.busy_queues.erase(queue);
        driver().changed.notify_all();
        delete made;
    });
    return CUDA_SUCCESS;
}

extern "C" {

Status cuModuleLoadData(Module **to, const void *image)
{
    Driver &all = driver();
    Guard guard(all.lock);
    Status status = usable(current());
    if (status != CUDA_SUCCESS) return status;
    if (!to || !image) return CUDA_ERROR_INVALID_VALUE;
    synchronises("cuModuleLoadData", current(), guard);
    size_t bytes = image_bytes(image);
    void *library = bytes != 0 ? load(image, bytes) : nullptr;
    const auto *program = library ? (const ann_program *)dlsym(library, "ann_program") : nullptr;
    if (!program) return CUDA_ERROR_INVALID_IMAGE;
    // Machine code runs on its own major version, from its own minor one on.
    unsigned major = program->architecture / 10, minor = program->architecture % 10;
    if (major != all.settings.major || minor > all.settings.minor) {
        dlclose(library);
        return CUDA_ERROR_NO_BINARY_FOR_GPU;
    }
    *program->machine = &machine;
    auto *module = new Module{current(), library, program, 0, {}};
    module->shared_bytes = shared_of(*module).bytes;
    if (module->shared_bytes > shared_of_block)
        stop("the program has %zu bytes of __shared__ memory, of which a block has %zu: NVIDIA's compiler would refuse it", module->shared_bytes,
             shared_of_block);
    for (unsigned i = 0; i < program->kernel_count; i += 1) {
        auto *function = new Function{module, &program->kernels[i], shared_of_block - module->shared_bytes};
        module->functions[program->kernels[i].name] = function;
    }
    all.modules.insert(module);
    *to = module;
    return CUDA_SUCCESS;
}
Status cuModuleLoadDataEx(Module **to, const void *image, unsigned, void *, void **) { return cuModuleLoadData(to, image); }

Status cuModuleUnload(Module *module)
{
    Driver &all = driver();
    Guard guard(all.lock);
    if (all.modules.count(module) == 0) return CUDA_ERROR_INVALID_HANDLE;
    Status status = usable(current());
    if (status != CUDA_SUCCESS) return status;
    synchronises("cuModuleUnload", module->context, guard);
    forget(module);
    return CUDA_SUCCESS;
}

Status cuModuleGetFunction(Function **to, Module *module, const char *name)
{
    Driver &all = driver();
    Guard guard(all.lock);
    if (all.modules.count(module) == 0) return CUDA_ERROR_INVALID_HANDLE;
    Status status = usable(module->context);
    if (status != CUDA_SUCCESS) return status;
    auto found = module->functions.find(name);
    if (found == module->functions.end()) return CUDA_ERROR_NOT_FOUND;
    // With lazy loading, which is usual, the code goes to the device now.
    if (all.functions.count(found->second) == 0 && !all.settings.loads_eagerly)
        synchronises("cuModuleGetFunction, which loads the code unless CUDA_MODULE_LOADING was EAGER when the driver was initialised,",
                     module->context, guard);
    all.functions.insert(found->second);
    *to = found->second;
    return CUDA_SUCCESS;
}

Status cuModuleGetGlobal_v2(size_t *to, size_t *bytes, Module *module, const char *name)
{
    Guard guard(driver().lock);
    if (driver().modules.count(module) == 0) return CUDA_ERROR_INVALID_HANDLE;
    void *found = dlsym(module->library, name);
    Dl_info info;
    const ElfW(Sym) *symbol = nullptr;
    if (!found || !dladdr1(found, &info, (void **)&symbol, RTLD_DL_SYMENT) || !symbol) return CUDA_ERROR_NOT_FOUND;
    size_t start = (size_t)found;
    driver().allocations[start] = {Allocation::module_memory, start, symbol->st_size, start, symbol->st_size, 0, nullptr, false};
    if (to) *to = start;
    if (bytes) *bytes = symbol->st_size;
    return CUDA_SUCCESS;
}

Status cuModuleGetLoadingMode(int *mode)
{
    Guard guard(driver().lock);
    if (!driver().is_initialised) return CUDA_ERROR_NOT_INITIALIZED;
    *mode = driver().settings.loads_eagerly ? 1 : 2;
    return CUDA_SUCCESS;
}

Status cuFuncGetAttribute(int *to, int attribute, Function *function)
{
    Guard guard(driver().lock);
    if (driver().functions.count(function) == 0) return CUDA_ERROR_INVALID_HANDLE;
    const ann_program &program = *function->module->program;
    // Threads of a block, shared, constant and local bytes, registers, versions, cache, dynamic shared bytes,
    // their share.
    const int values[] = {(int)function->kernel->most_threads, (int)function->module->shared_bytes, 0, (int)driver().settings.local_bytes, 32, (int)program.architecture,
                          (int)program.architecture, 0, (int)function->most_given, -1};
    if (attribute < 0 || attribute > 9) return CUDA_ERROR_INVALID_VALUE;
    *to = values[attribute];
    return CUDA_SUCCESS;
}

Status cuFuncSetAttribute(Function *function, int attribute, int value)
{
    Guard guard(driver().lock);
    if (driver().functions.count(function) == 0) return CUDA_ERROR_INVALID_HANDLE;
    size_t own = function->module->shared_bytes;
    // Dynamic shared bytes, and their share.
    bool is_valid = attribute == 8 ? value >= 0 && own + (size_t)value <= most_shared() : attribute == 9 && value >= -1 && value <= 100;
    if (is_valid && attribute == 8) function->most_given = (size_t)value;
    return is_valid ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

Status cuFuncLoad(Function *function)
{
    Guard guard(driver().lock);
    return driver().functions.count(function) != 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

Status cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, Function *function, int threads, size_t dynamic_bytes)
{
    Guard guard(driver().lock);
    if (driver().functions.count(function) == 0) return CUDA_ERROR_INVALID_HANDLE;
    if (!blocks || threads <= 0 || threads > (int)most_threads) return CUDA_ERROR_INVALID_VALUE;
    *blocks = (int)resident_blocks(*function, (unsigned)threads, dynamic_bytes);
    return CUDA_SUCCESS;
}

Status cuLaunchKernel(Function *function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned x, unsigned y, unsigned z,
                      unsigned shared_bytes, Stream *stream, void **parameters, void **extra)
{
    if (extra) return CUDA_ERROR_INVALID_VALUE;
    return launch("cuLaunchKernel", function, {grid_x, grid_y, grid_z}, {x, y, z}, shared_bytes, stream, parameters, false);
}

Status cuLaunchCooperativeKernel(Function *function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned x, unsigned y, unsigned z,
                                 unsigned shared_bytes, Stream *stream, void **parameters)
{
    return launch("cuLaunchCooperativeKernel", function, {grid_x, grid_y, grid_z}, {x, y, z}, shared_bytes, stream, parameters, true);
}
}
