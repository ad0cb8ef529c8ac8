// In place of Objective-C's runtime, Foundation and Metal, as far as the Metal backend uses them: for tests on a system without
// them. Messages become calls of the CUDA stand-in's driver, which runs each block on a thread and its GPU threads as fibers.
//
// It ends the process, with a message, where a program misuses Apple's libraries: a message to an object that was released, or
// that its class does not know; an object released once too often; one that is left to no pool; an encoder that is used after its
// end, or beside another one; a command buffer that is committed with an encoder open, or twice; arguments that
// are missing or too many; more threads than a pipeline takes.
//
// FILES: the folder with an empty file `metal_stdlib`.
#include "../../cuda/stand_in/driver.cpp"
#include "../../cuda/stand_in/nvrtc.cpp"

namespace {

struct Object {
    const char *kind;
    int count = 1;
    explicit Object(const char *of) : kind(of) {}
    virtual ~Object() {}
};

// Objects that live. One lock is held where counts change.
std::mutex counts;
std::set<Object *> &living()
{
    static auto *all = new std::set<Object *>;
    return *all;
}

template <class T>
T *made(T *object)
{
    std::lock_guard<std::mutex> guard(counts);
    living().insert(object);
    return object;
}

Object *retain(Object *object)
{
    if (!object) return nullptr;
    std::lock_guard<std::mutex> guard(counts);
    if (living().count(object) == 0) stop("objc_retain of an object that was released");
    object->count += 1;
    return object;
}

void release(Object *object)
{
    if (!object) return;
    {
        std::lock_guard<std::mutex> guard(counts);
        if (living().count(object) == 0) stop("objc_release of an object that was released before");
        if (--object->count != 0) return;
        living().erase(object);
    }
    delete object;
}

// The thread's pools: where each begins, and all that was left to them.
thread_local std::vector<size_t> pools;
thread_local std::vector<Object *> pooled;

template <class T>
T *autoreleased(T *object)
{
    if (!object) return nullptr;
    if (pools.empty()) stop("a %s is left to a pool, and the thread has none: it would never be released", object->kind);
    pooled.push_back(object);
    return object;
}

const char *const device_kind = "MTLDevice", *const buffer_kind = "MTLBuffer", *const library_kind = "MTLLibrary",
                 *const function_kind = "MTLFunction", *const pipeline_kind = "MTLComputePipelineState",
                 *const queue_kind = "MTLCommandQueue", *const commands_kind = "MTLCommandBuffer",
                 *const encoder_kind = "MTLComputeCommandEncoder", *const string_kind = "NSString", *const array_kind = "NSArray",
                 *const error_kind = "NSError", *const options_kind = "MTLCompileOptions",
                 *const string_class_kind = "the class NSString", *const process_class_kind = "the class NSProcessInfo", *const process_kind = "NSProcessInfo", *const options_class_kind = "the class MTLCompileOptions";

struct String : Object {
    std::string text;
    explicit String(std::string of) : Object(string_kind), text(std::move(of)) {}
};

struct Error : Object {
    std::string text;
    explicit Error(std::string of) : Object(error_kind), text(std::move(of)) {}
};

struct Array : Object {
    std::vector<Object *> items;
    Array() : Object(array_kind) {}
    ~Array() override
    {
        for (Object *item : items) release(item);
    }
};

struct CompileOptions : Object {
    size_t language = 0;
    CompileOptions() : Object(options_kind) {}
};

struct MetalDevice : Object {
    Context *context;
    unsigned number;
    MetalDevice() : Object(device_kind) {}
};

struct Buffer : Object {
    size_t start, bytes;
    bool is_own;
    Buffer() : Object(buffer_kind) {}
    ~Buffer() override
    {
        if (!is_own) return;
        Guard guard(driver().lock);
        ::release(driver().allocations.at(start));
        shorten_quarantine();
    }
};

struct Library : Object {
    MetalDevice *device;
    std::string image, source;
    Library() : Object(library_kind) {}
};

struct MetalFunction : Object {
    MetalDevice *device;
    Module *module;
    Function *function;
    MetalFunction() : Object(function_kind) {}
};

struct Pipeline : Object {
    MetalFunction *function;
    Pipeline() : Object(pipeline_kind) {}
    ~Pipeline() override { release(function); }
};

struct Queue : Object {
    MetalDevice *device;
    Stream *stream;
    Queue() : Object(queue_kind) {}
    ~Queue() override
    {
        Guard guard(driver().lock);
        destroy(stream);
    }
};

struct Encoder;

struct Commands : Object {
    Queue *queue;
    Encoder *open = nullptr;
    bool is_committed = false;
    std::atomic<size_t> status{0};
    // What is to run, and what it uses.
    std::vector<std::function<Status()>> launches;
    std::vector<Object *> used;
    Error *error = nullptr;
    Commands() : Object(commands_kind) {}
    ~Commands() override
    {
        for (Object *object : used) release(object);
        release(error);
        release(queue);
    }
};

struct Encoder : Object {
    Commands *commands;
    Pipeline *pipeline = nullptr;
    std::map<size_t, uint64_t> arguments;
    Encoder() : Object(encoder_kind) {}
    ~Encoder() override
    {
        if (commands->open == this) stop("an MTLComputeCommandEncoder is released before endEncoding");
    }
};

void check(const char *call, Status status)
{
    if (status != CUDA_SUCCESS) stop("%s of the driver below gives %d", call, (int)status);
}

MetalDevice *the_device()
{
    static MetalDevice *only = [] {
        if (cuInit(0) != CUDA_SUCCESS) return (MetalDevice *)nullptr;
        // Metal's calls wait for nothing that runs.
        driver().settings.waiting = Settings::ignore;
        auto *device = made(new MetalDevice);
        device->number = 1;
        check("cuDevicePrimaryCtxRetain", cuDevicePrimaryCtxRetain(&device->context, 0));
        return device;
    }();
    return only;
}

void use(const MetalDevice *device) { check("cuCtxSetCurrent", cuCtxSetCurrent(device->context)); }

// What messages do. Each has the receiver, the message's name and the arguments.
typedef const char *Selector;

Object *device_name(MetalDevice *, Selector) { return autoreleased(made(new String("Annulus stand-in for Metal"))); }
uint64_t device_registry_id(MetalDevice *device, Selector) { return device->number; }
bool device_is_unified(MetalDevice *, Selector) { return true; }
size_t device_threadgroup_bytes(MetalDevice *, Selector) { return 32 << 10; }

Object *device_new_buffer(MetalDevice *device, Selector, size_t bytes, size_t options)
{
    if (options != 0) stop("newBufferWithLength: with options %zu: only shared memory is there", options);
    if (bytes == 0) return nullptr;
    size_t start;
    {
        Guard guard(driver().lock);
        if (allocate(Allocation::host_memory, bytes, 0, device->context, &start) != CUDA_SUCCESS) return nullptr;
    }
    memset((void *)start, 0, bytes);
    auto *buffer = made(new Buffer);
    buffer->start = start;
    buffer->bytes = bytes;
    buffer->is_own = true;
    return buffer;
}

Object *device_new_buffer_at(MetalDevice *, Selector, void *memory, size_t bytes, size_t options, void *deallocator)
{
    if (options != 0 || deallocator) stop("newBufferWithBytesNoCopy: with options %zu and a deallocator %p: neither is there", options, deallocator);
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    if (!memory || bytes == 0 || (size_t)memory % page != 0 || bytes % page != 0) return nullptr;
    auto *buffer = made(new Buffer);
    buffer->start = (size_t)memory;
    buffer->bytes = bytes;
    buffer->is_own = false;
    return buffer;
}

Object *device_new_queue(MetalDevice *device, Selector)
{
    use(device);
    auto *queue = made(new Queue);
    queue->device = device;
    check("cuStreamCreate", cuStreamCreate(&queue->stream, 1));
    return queue;
}

Object *device_new_library(MetalDevice *device, Selector, String *source, Object *options, Error **error)
{
    if (!options || options->kind != options_kind) stop("newLibraryWithSource: without options");
    if (((CompileOptions *)options)->language != (3 << 16 | 2)) stop("a program is compiled for another version of the language than 3.2");
    // Without this, Apple's compiler does not know the word.
    if (source->text.find("#define ANN_LAUNCH_COHERENT 2") != std::string::npos && source->text.find("#pragma METAL internals : enable") == std::string::npos)
        stop("coherent(system) without its pragma");
    // The place of a thread is what the call of an entry gives last: `device.hpp`.
    size_t thread = source->text.find("[[thread_position_in_threadgroup]]"), block = source->text.find("[[threadgroup_position_in_grid]]");
    if (thread == std::string::npos || block == std::string::npos || block < thread)
        stop("a program's entry does not end with the thread's and the block's place");
    Program program{source->text, "program_source", "", "", "", false};
    Options how;
    how.architecture = driver().settings.major * 10 + driver().settings.minor;
    how.definitions.push_back("-I" FILES);
    Result result = compile(program, how);
    if (result != success) {
        if (error) *error = autoreleased(made(new Error(program.log)));
        return nullptr;
    }
    auto *library = made(new Library);
    library->device = device;
    library->image = program.image;
    library->source = source->text;
    return library;
}

Object *library_new_function(Library *library, Selector, String *name)
{
    use(library->device);
    Module *module;
    check("cuModuleLoadData", cuModuleLoadData(&module, library->image.data()));
    Function *found;
    if (cuModuleGetFunction(&found, module, name->text.c_str()) != CUDA_SUCCESS) return nullptr;
    auto *function = made(new MetalFunction);
    function->device = library->device;
    function->module = module;
    function->function = found;
    return function;
}

Object *device_new_pipeline(MetalDevice *, Selector, MetalFunction *function, Error **error)
{
    size_t bytes = function->module->shared_bytes;
    if (bytes > 32 << 10) {
        std::string text = "Threadgroup memory size (" + std::to_string(bytes) + ") exceeds the maximum threadgroup memory allowed (32768)";
        if (error) *error = autoreleased(made(new Error(text)));
        return nullptr;
    }
    auto *pipeline = made(new Pipeline);
    pipeline->function = function;
    retain(function);
    return pipeline;
}

size_t pipeline_max_threads(Pipeline *pipeline, Selector) { return pipeline->function->function->kernel->most_threads; }

void *buffer_contents(Buffer *buffer, Selector) { return (void *)buffer->start; }
size_t buffer_length(Buffer *buffer, Selector) { return buffer->bytes; }

Object *queue_commands(Queue *queue, Selector)
{
    auto *commands = made(new Commands);
    commands->queue = queue;
    retain(queue);
    return autoreleased(commands);
}

Object *commands_encoder(Commands *commands, Selector)
{
    if (commands->is_committed) stop("computeCommandEncoder of a command buffer that was committed");
    if (commands->open) stop("a command buffer has two encoders at a time");
    auto *encoder = made(new Encoder);
    encoder->commands = commands;
    retain(commands);
    commands->used.push_back(encoder);
    retain(encoder);
    commands->open = encoder;
    return autoreleased(encoder);
}

Encoder *open(Encoder *encoder, const char *message)
{
    if (encoder->commands->open != encoder) stop("%s to an encoder that has ended", message);
    return encoder;
}

void encoder_set_pipeline(Encoder *encoder, Selector message, Pipeline *pipeline)
{
    open(encoder, message)->pipeline = pipeline;
    encoder->commands->used.push_back(retain(pipeline));
}

void encoder_set_buffer(Encoder *encoder, Selector message, Buffer *buffer, size_t offset, size_t index)
{
    if (!buffer || buffer->kind != buffer_kind || offset > buffer->bytes) stop("setBuffer:offset:atIndex: of no buffer, or behind its end");
    if (index > 30) stop("a kernel has at most 31 buffers, and this one is number %zu", index);
    open(encoder, message)->arguments[index] = buffer->start + offset;
    encoder->commands->used.push_back(retain(buffer));
}

void encoder_set_bytes(Encoder *encoder, Selector message, const void *bytes, size_t length, size_t index)
{
    if (length != 8 || index > 30) stop("setBytes:length:atIndex: of %zu bytes at %zu", length, index);
    memcpy(&open(encoder, message)->arguments[index], bytes, length);
}

struct Size {
    size_t width, height, depth;
};

void encoder_dispatch(Encoder *encoder, Selector message, Size groups, Size threads)
{
    open(encoder, message);
    if (!encoder->pipeline) stop("%s without a pipeline", message);
    Function *function = encoder->pipeline->function->function;
    const ann_kernel &kernel = *function->kernel;
    if (threads.width * threads.height * threads.depth > kernel.most_threads)
        stop("%zu threads in a block: the pipeline of `%s` takes %u", threads.width, kernel.name, kernel.most_threads);
    // The last two parameters are the thread's place.
    const size_t count = kernel.parameters - 2;
    if (encoder->arguments.size() != count || (count != 0 && encoder->arguments.rbegin()->first != count - 1))
        stop("`%s` takes %zu buffers, and was given %zu", kernel.name, count, encoder->arguments.size());
    std::vector<uint64_t> values;
    for (auto &argument : encoder->arguments) values.push_back(argument.second);
    values.resize(count + 2);
    Stream *stream = encoder->commands->queue->stream;
    encoder->commands->launches.push_back([=] {
        std::vector<void *> parameters;
        for (const uint64_t &value : values) parameters.push_back((void *)&value);
        return cuLaunchKernel(function, (unsigned)groups.width, (unsigned)groups.height, (unsigned)groups.depth, (unsigned)threads.width,
                              (unsigned)threads.height, (unsigned)threads.depth, 0, stream, parameters.data(), nullptr);
    });
}

void encoder_end(Encoder *encoder, Selector message)
{
    open(encoder, message);
    Commands *commands = encoder->commands;
    commands->open = nullptr;
    // The encoder holds a count of its command buffer until it ends.
    release(commands);
}

void commands_commit(Commands *commands, Selector)
{
    if (commands->open) stop("commit of a command buffer whose encoder has not ended");
    if (commands->is_committed) stop("commit of a command buffer that was committed before");
    commands->is_committed = true;
    commands->status = 2;
    use(commands->queue->device);
    Status status = CUDA_SUCCESS;
    for (auto &launch : commands->launches)
        if (status == CUDA_SUCCESS) status = launch();
    // Metal keeps a command buffer, and what it uses, until it is over.
    retain(commands);
    Context *context = commands->queue->device->context;
    Guard guard(driver().lock);
    enqueue(*commands->queue->stream, [=] {
        Status end = status;
        {
            Guard inner(driver().lock);
            if (end == CUDA_SUCCESS) end = context->device->dead;
        }
        if (end != CUDA_SUCCESS) {
            const char *text = "an error";
            cuGetErrorString(end, &text);
            commands->error = made(new Error(text));
        }
        commands->status = end == CUDA_SUCCESS ? 4 : 5;
        // Not here: the last count of a queue must not go on the queue's own thread.
        std::thread([=] { release(commands); }).detach();
    });
}

size_t commands_status(Commands *commands, Selector) { return commands->status; }
Object *commands_error(Commands *commands, Selector) { return commands->error; }

Object *string_alloc(Object *, Selector) { return made(new String("")); }
Object *string_init(String *string, Selector, const char *bytes, size_t length, size_t encoding)
{
    if (encoding != 4) stop("a string of the encoding %zu: only UTF-8 is there", encoding);
    string->text.assign(bytes, length);
    return string;
}
const char *string_bytes(String *string, Selector) { return string->text.c_str(); }
Object *error_description(Error *error, Selector) { return autoreleased(made(new String(error->text))); }
size_t array_count(Array *array, Selector) { return array->items.size(); }
Object *array_item(Array *array, Selector, size_t index)
{
    if (index >= array->items.size()) stop("objectAtIndex: %zu of %zu", index, array->items.size());
    return array->items[index];
}
struct System {
    long major, minor, patch;
};
Object *process_info(Object *, Selector)
{
    static Object *process = made(new Object(process_kind));
    return process;
}
// ANNULUS_STAND_IN_MACOS: the system's first number, 15 unless said.
bool process_is_at_least(Object *, Selector, System system) { return (long)number("MACOS", 15) >= system.major; }

Object *options_new(Object *, Selector) { return made(new CompileOptions); }
void options_set_language(CompileOptions *options, Selector, size_t version) { options->language = version; }
void options_set_fast_math(Object *, Selector, bool is_fast)
{
    if (is_fast) stop("fast arithmetic is not Rust's");
}

const struct {
    const char *kind, *message;
    void *method;
} methods[] = {
    {device_kind, "name", (void *)device_name},
    {device_kind, "registryID", (void *)device_registry_id},
    {device_kind, "hasUnifiedMemory", (void *)device_is_unified},
    {device_kind, "maxThreadgroupMemoryLength", (void *)device_threadgroup_bytes},
    {device_kind, "newBufferWithLength:options:", (void *)device_new_buffer},
    {device_kind, "newBufferWithBytesNoCopy:length:options:deallocator:", (void *)device_new_buffer_at},
    {device_kind, "newCommandQueue", (void *)device_new_queue},
    {device_kind, "newLibraryWithSource:options:error:", (void *)device_new_library},
    {device_kind, "newComputePipelineStateWithFunction:error:", (void *)device_new_pipeline},
    {library_kind, "newFunctionWithName:", (void *)library_new_function},
    {pipeline_kind, "maxTotalThreadsPerThreadgroup", (void *)pipeline_max_threads},
    {buffer_kind, "contents", (void *)buffer_contents},
    {buffer_kind, "length", (void *)buffer_length},
    {queue_kind, "commandBuffer", (void *)queue_commands},
    {commands_kind, "computeCommandEncoder", (void *)commands_encoder},
    {commands_kind, "commit", (void *)commands_commit},
    {commands_kind, "status", (void *)commands_status},
    {commands_kind, "error", (void *)commands_error},
    {encoder_kind, "setComputePipelineState:", (void *)encoder_set_pipeline},
    {encoder_kind, "setBuffer:offset:atIndex:", (void *)encoder_set_buffer},
    {encoder_kind, "setBytes:length:atIndex:", (void *)encoder_set_bytes},
    {encoder_kind, "dispatchThreadgroups:threadsPerThreadgroup:", (void *)encoder_dispatch},
    {encoder_kind, "endEncoding", (void *)encoder_end},
    {string_class_kind, "alloc", (void *)string_alloc},
    {string_kind, "initWithBytes:length:encoding:", (void *)string_init},
    {string_kind, "UTF8String", (void *)string_bytes},
    {error_kind, "localizedDescription", (void *)error_description},
    {array_kind, "count", (void *)array_count},
    {array_kind, "objectAtIndex:", (void *)array_item},
    {process_class_kind, "processInfo", (void *)process_info},
    {process_kind, "isOperatingSystemAtLeastVersion:", (void *)process_is_at_least},
    {options_class_kind, "new", (void *)options_new},
    {options_kind, "setFastMathEnabled:", (void *)options_set_fast_math},
    {options_kind, "setLanguageVersion:", (void *)options_set_language},
};

} // namespace

extern "C" {

// What the receiver does at this message.
__attribute__((visibility("hidden"), used)) void *annulus_method(Object *receiver, Selector message)
{
    {
        std::lock_guard<std::mutex> guard(counts);
        if (living().count(receiver) == 0) stop("`%s` is sent to an object that was released", message);
    }
    for (auto &each : methods)
        if (each.kind == receiver->kind && strcmp(each.message, message) == 0) return each.method;
    stop("%s does not know the message `%s`", receiver->kind, message);
}

// A message to nobody gives 0. Otherwise the method is called in place of this, with its arguments where they are.
__asm__(".text\n"
        ".globl objc_msgSend\n"
        ".type objc_msgSend, @function\n"
        "objc_msgSend:\n"
        "    testq %rdi, %rdi\n"
        "    je 1f\n"
        "    pushq %rbp\n"
        "    movq %rsp, %rbp\n"
        "    pushq %rdi\n"
        "    pushq %rsi\n"
        "    pushq %rdx\n"
        "    pushq %rcx\n"
        "    pushq %r8\n"
        "    pushq %r9\n"
        "    call annulus_method\n"
        "    popq %r9\n"
        "    popq %r8\n"
        "    popq %rcx\n"
        "    popq %rdx\n"
        "    popq %rsi\n"
        "    popq %rdi\n"
        "    popq %rbp\n"
        "    jmp *%rax\n"
        "1:  xorl %eax, %eax\n"
        "    ret\n"
        ".size objc_msgSend, . - objc_msgSend\n");

Selector sel_registerName(const char *name)
{
    static auto *names = new std::set<std::string>;
    std::lock_guard<std::mutex> guard(counts);
    return names->insert(name).first->c_str();
}

Object *objc_getClass(const char *name)
{
    static Object *string = made(new Object(string_class_kind)), *options = made(new Object(options_class_kind)),
                  *process = made(new Object(process_class_kind));
    for (Object *known : {string, options, process})
        if (strcmp(known->kind + strlen("the class "), name) == 0) return known;
    return nullptr;
}

Object *objc_retain(Object *object) { return retain(object); }
void objc_release(Object *object) { release(object); }

void *objc_autoreleasePoolPush()
{
    pools.push_back(pooled.size());
    return (void *)pools.size();
}
void objc_autoreleasePoolPop(void *pool)
{
    if ((size_t)pool != pools.size()) stop("objc_autoreleasePoolPop of a pool that is not the newest");
    while (pooled.size() > pools.back()) {
        Object *object = pooled.back();
        pooled.pop_back();
        release(object);
    }
    pools.pop_back();
}

Object *MTLCreateSystemDefaultDevice() { return retain(the_device()); }
Object *MTLCopyAllDevices()
{
    auto *array = made(new Array);
    if (MetalDevice *device = the_device()) array->items.push_back(retain(device));
    return array;
}

// Not Apple's: how many objects live.
size_t annulus_living()
{
    std::lock_guard<std::mutex> guard(counts);
    return living().size();
}
}
