// What the environment says, read when the driver is initialised:
//
// | ANNULUS_STAND_IN_… | meaning | unless said |
// |---|---|---|
// | DEVICES | how many there are | 1 |
// | NAME | of each | Annulus stand-in |
// | CAPABILITY | of each | 9.0 |
// | MULTIPROCESSORS | of each | 16 |
// | BLOCKS | at most so many on a multiprocessor | 16 |
// | IN_TURN | 1: of a launch one block runs at a time, though there is room for more; cooperative ones excepted | 0 |
// | MEMORY | bytes of each | 8 GiB |
// | ATTRIBUTES | `number=value,…`: device attributes that are other than usual | |
// | SYNC | `report`, `wait`, `ignore`: what becomes of a call that would wait for a kernel that stays | report |
// | GRACE_MS | so long a kernel may take to end before such a call is reported | 10000 |
// | SEED | of the fibers' order | 1 |
// | LOCAL_BYTES | local memory that each kernel says its threads need | 0 |
// | DRIFT_PPM | by so many millionths %globaltimer goes faster than the host's clock | 0 |
// | CLOCK_STEP_NS | %globaltimer goes in steps of so many nanoseconds | 32 |
// | RACES | 1: programs are compiled so that races between the threads of a block are found (`races.cpp`) | 0 |
// | HELD | 1: another process has each device in exclusive mode | 0 |
// | FAIL_LAUNCH | the launch of this number, from 1 on, is refused for want of resources | |
// | FAIL_ALLOCATION | the allocation of this number, from 1 on, is refused for want of memory | |
// | DIES_AFTER_MS | a device dies when a kernel has run so long | |
// | QUEUES | 1: streams share as many queues to a device as CUDA_DEVICE_MAX_CONNECTIONS says (8 unless it does), and a kernel
//   begins when none of another stream runs in its queue | 0 |
// | WATCHDOG_MS | the same, as the watchdog of a device with a display does it | |
//
// CUDA_MODULE_LOADING is NVIDIA's: only with `EAGER` does code go to the device with its module.
#include "driver.hpp"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

Driver &driver()
{
    // Never destroyed: threads of the device run until the process has ended.
    static Driver *only = new Driver;
    return *only;
}

void stop(const char *format, ...)
{
    char text[1024] = "annulus stand-in: ";
    size_t begun = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + begun, sizeof text - begun - 1, format, arguments);
    va_end(arguments);
    strcat(text, "\n");
    if (write(2, text, strlen(text)) < 0) abort();
    abort();
}

static std::string variable(const char *name, const char *otherwise)
{
    const char *value = getenv((std::string("ANNULUS_STAND_IN_") + name).c_str());
    return value ? value : otherwise;
}

static size_t number(const char *name, size_t otherwise)
{
    std::string text = variable(name, "");
    char *end = nullptr;
    size_t value = text.empty() ? otherwise : strtoull(text.c_str(), &end, 10);
    if (end && *end != 0) stop("ANNULUS_STAND_IN_%s is `%s`: it must be a number", name, text.c_str());
    return value;
}

Settings read_settings()
{
    Settings settings;
    settings.devices = (unsigned)number("DEVICES", 1);
    settings.multiprocessors = (unsigned)number("MULTIPROCESSORS", 16);
    settings.blocks = (unsigned)number("BLOCKS", 16);
    settings.in_turn = number("IN_TURN", 0) != 0;
    settings.name = variable("NAME", "Annulus stand-in");
    settings.memory = number("MEMORY", (size_t)8 << 30);
    std::string capability = variable("CAPABILITY", "9.0");
    if (sscanf(capability.c_str(), "%u.%u", &settings.major, &settings.minor) != 2)
        stop("ANNULUS_STAND_IN_CAPABILITY is `%s`: it must be like 9.0", capability.c_str());
    std::string attributes = variable("ATTRIBUTES", "");
    for (const char *at = attributes.c_str(); *at != 0; at += *at == ',') {
        int key, value, length;
        if (sscanf(at, "%d=%d%n", &key, &value, &length) != 2)
            stop("ANNULUS_STAND_IN_ATTRIBUTES is `%s`: it must be like 17=1,95=0", attributes.c_str());
        settings.attributes[key] = value;
        at += length;
    }
    std::string waiting = variable("SYNC", "report");
    if (waiting != "report" && waiting != "wait" && waiting != "ignore")
        stop("ANNULUS_STAND_IN_SYNC is `%s`: it must be report, wait or ignore", waiting.c_str());
    settings.waiting = waiting == "report" ? Settings::report : waiting == "wait" ? Settings::wait : Settings::ignore;
    const char *loading = getenv("CUDA_MODULE_LOADING");
    settings.loads_eagerly = loading && strcmp(loading, "EAGER") == 0;
    settings.grace_ms = (unsigned)number("GRACE_MS", 10000);
    settings.seed = (unsigned)number("SEED", 1);
    settings.local_bytes = (unsigned)number("LOCAL_BYTES", 0);
    settings.drift_ppm = (unsigned)number("DRIFT_PPM", 0);
    settings.clock_step = (unsigned)number("CLOCK_STEP_NS", 32);
    if (settings.clock_step == 0) stop("ANNULUS_STAND_IN_CLOCK_STEP_NS is 0: a clock must go");
    settings.is_held = number("HELD", 0) != 0;
    settings.fail_launch = (unsigned)number("FAIL_LAUNCH", 0);
    settings.fail_allocation = (unsigned)number("FAIL_ALLOCATION", 0);
    settings.dies_after_ms = (unsigned)number("DIES_AFTER_MS", 0);
    settings.watchdog_ms = (unsigned)number("WATCHDOG_MS", 0);
    const char *queues = getenv("CUDA_DEVICE_MAX_CONNECTIONS");
    settings.queues = number("QUEUES", 0) == 0 ? 0 : queues ? (unsigned)atoi(queues) : 8;
    return settings;
}

static const struct {
    int status;
    const char *name, *text;
} texts[] = {
    {0, "CUDA_SUCCESS", "no error"},
    {1, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {2, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {3, "CUDA_ERROR_NOT_INITIALIZED", "initialization error"},
    {46, "CUDA_ERROR_DEVICE_UNAVAILABLE", "CUDA-capable device(s) is/are busy or unavailable"},
    {100, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
    {101, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"},
    {200, "CUDA_ERROR_INVALID_IMAGE", "device kernel image is invalid"},
    {201, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
    {209, "CUDA_ERROR_NO_BINARY_FOR_GPU", "no kernel image is available for execution on the device"},
    {215, "CUDA_ERROR_UNSUPPORTED_LIMIT", "limit is not supported on this architecture"},
    {400, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
    {500, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {600, "CUDA_ERROR_NOT_READY", "device not ready"},
    {700, "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered"},
    {701, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", "too many resources requested for launch"},
    {702, "CUDA_ERROR_LAUNCH_TIMEOUT", "the launch timed out and was terminated"},
    {709, "CUDA_ERROR_CONTEXT_IS_DESTROYED", "context is destroyed"},
    {719, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
    {720, "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE", "too many blocks in cooperative launch"},
    {801, "CUDA_ERROR_NOT_SUPPORTED", "operation not supported"},
    {999, "CUDA_ERROR_UNKNOWN", "unknown error"},
};

extern "C" Status cuGetErrorName(int status, const char **to)
{
    for (const auto &each : texts)
        if (each.status == status) return *to = each.name, CUDA_SUCCESS;
    *to = nullptr;
    return CUDA_ERROR_INVALID_VALUE;
}

extern "C" Status cuGetErrorString(int status, const char **to)
{
    for (const auto &each : texts)
        if (each.status == status) return *to = each.text, CUDA_SUCCESS;
    *to = nullptr;
    return CUDA_ERROR_INVALID_VALUE;
}
