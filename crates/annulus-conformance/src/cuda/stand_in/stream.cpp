// Streams and events.
#include "driver.hpp"

// The thread of a stream.
static void serve(Stream *stream)
{
    Driver &all = driver();
    Guard guard(all.lock);
    for (;;) {
        stream->came.wait(guard, [&] { return !stream->work.empty() || stream->is_destroyed; });
        if (stream->work.empty()) return;
        Stream::Work work = std::move(stream->work.front());
        stream->work.pop_front();
        Status &dead = stream->context->device->dead;
        for (auto &each : work.after) all.changed.wait(guard, [&] { return each.first->done >= each.second || dead != CUDA_SUCCESS; });
        guard.unlock();
        work.run();
        guard.lock();
        stream->done += 1;
        all.changed.notify_all();
    }
}

Stream *make_stream(Context *context, bool is_legacy, bool waits_for_legacy)
{
    auto *stream = new Stream{context, driver().streams_made++, is_legacy, waits_for_legacy, false, 0, 0, {}, {}};
    driver().streams.insert(stream);
    std::thread(serve, stream).detach();
    return stream;
}

// What it has still to do it does.
void destroy(Stream *stream)
{
    driver().streams.erase(stream);
    stream->is_destroyed = true;
    stream->came.notify_one();
    driver().changed.notify_all();
}

Status find_stream(Stream *handle, const char *call, Guard &guard, Stream **to)
{
    Context *context = current();
    if ((size_t)handle > 1) {
        *to = handle;
        if (driver().streams.count(handle) == 0) return CUDA_ERROR_INVALID_HANDLE;
        return handle->context == context ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
    }
    // The legacy stream waits for what all others do, but for those that say otherwise.
    synchronises((std::string(call) + " in the legacy stream").c_str(), context, guard);
    if (!context->legacy) context->legacy = make_stream(context, true, false);
    *to = context->legacy;
    return CUDA_SUCCESS;
}

uint64_t enqueue(Stream &stream, std::function<void()> run)
{
    Stream::Work work{std::move(run), {}};
    if (stream.is_legacy) {
        for (Stream *other : driver().streams)
            if (other->context == stream.context && other->waits_for_legacy) work.after.push_back({other, other->enqueued});
    } else if (stream.waits_for_legacy && stream.context->legacy) {
        work.after.push_back({stream.context->legacy, stream.context->legacy->enqueued});
    }
    stream.work.push_back(std::move(work));
    stream.enqueued += 1;
    stream.came.notify_one();
    return stream.enqueued;
}

Status wait_until(Stream &stream, uint64_t done, Guard &guard)
{
    const Status &dead = stream.context->device->dead;
    driver().changed.wait(guard, [&] { return stream.done >= done || dead != CUDA_SUCCESS; });
    return dead;
}

// Of a stream in whichever context.
static Status any_stream(Stream *handle, const char *call, Guard &guard, Stream **to)
{
    if ((size_t)handle > 1) {
        *to = handle;
        return driver().streams.count(handle) != 0 ? handle->context->device->dead : CUDA_ERROR_INVALID_HANDLE;
    }
    Status status = usable(current());
    return status == CUDA_SUCCESS ? find_stream(handle, call, guard, to) : status;
}

extern "C" {

Status cuStreamCreateWithPriority(Stream **to, unsigned flags, int)
{
    Guard guard(driver().lock);
    Status status = usable(current());
    if (status != CUDA_SUCCESS) return status;
    if (!to || flags > 1) return CUDA_ERROR_INVALID_VALUE;
    *to = make_stream(current(), false, flags == 0);
    return CUDA_SUCCESS;
}
Status cuStreamCreate(Stream **to, unsigned flags) { return cuStreamCreateWithPriority(to, flags, 0); }

Status cuStreamDestroy_v2(Stream *stream)
{
    Guard guard(driver().lock);
    if (driver().streams.count(stream) == 0) return CUDA_ERROR_INVALID_HANDLE;
    destroy(stream);
    return stream->context->device->dead;
}

Status cuStreamQuery(Stream *handle)
{
    Guard guard(driver().lock);
    Stream *stream;
    Status status = any_stream(handle, "cuStreamQuery", guard, &stream);
    if (status != CUDA_SUCCESS) return status;
    return stream->done == stream->enqueued ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}

Status cuStreamSynchronize(Stream *handle)
{
    Guard guard(driver().lock);
    Stream *stream;
    Status status = any_stream(handle, "cuStreamSynchronize", guard, &stream);
    return status == CUDA_SUCCESS ? wait_until(*stream, stream->enqueued, guard) : status;
}

Status cuStreamGetCtx(Stream *handle, Context **context)
{
    Guard guard(driver().lock);
    Stream *stream;
    Status status = any_stream(handle, "cuStreamGetCtx", guard, &stream);
    if (status == CUDA_SUCCESS) *context = stream->context;
    return status;
}

Status cuLaunchHostFunc(Stream *handle, void (*function)(void *), void *data)
{
    Guard guard(driver().lock);
    Stream *stream;
    Status status = any_stream(handle, "cuLaunchHostFunc", guard, &stream);
    if (status == CUDA_SUCCESS) enqueue(*stream, [=] { function(data); });
    return status;
}

Status cuEventCreate(Event **to, unsigned flags)
{
    Guard guard(driver().lock);
    Status status = usable(current());
    if (status != CUDA_SUCCESS) return status;
    // Blocking, without time, between processes.
    if (!to || flags > 7) return CUDA_ERROR_INVALID_VALUE;
    *to = new Event{current(), (flags & 2) == 0, false, false, 0, {}, nullptr};
    driver().events.insert(*to);
    return CUDA_SUCCESS;
}

Status cuEventRecord(Event *event, Stream *handle)
{
    Guard guard(driver().lock);
    if (driver().events.count(event) == 0) return CUDA_ERROR_INVALID_HANDLE;
    Stream *stream;
    Status status = any_stream(handle, "cuEventRecord", guard, &stream);
    if (status != CUDA_SUCCESS) return status;
    event->is_recorded = true;
    event->is_done = false;
    event->stream = stream;
    uint64_t number = event->records += 1;
    enqueue(*stream, [=] {
        Guard inner(driver().lock);
        // Only the last record counts.
        if (event->records != number) return;
        event->is_done = true;
        event->at = std::chrono::steady_clock::now();
    });
    return CUDA_SUCCESS;
}

Status cuEventQuery(Event *event)
{
    Guard guard(driver().lock);
    if (driver().events.count(event) == 0) return CUDA_ERROR_INVALID_HANDLE;
    if (event->context->device->dead != CUDA_SUCCESS) return event->context->device->dead;
    return event->is_done || !event->is_recorded ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}

Status cuEventSynchronize(Event *event)
{
    Guard guard(driver().lock);
    if (driver().events.count(event) == 0) return CUDA_ERROR_INVALID_HANDLE;
    const Status &dead = event->context->device->dead;
    driver().changed.wait(guard, [&] { return event->is_done || !event->is_recorded || dead != CUDA_SUCCESS; });
    return dead;
}

Status cuStreamWaitEvent(Stream *handle, Event *event, unsigned flags)
{
    Guard guard(driver().lock);
    if (driver().events.count(event) == 0 || flags != 0) return flags != 0 ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_HANDLE;
    Stream *stream;
    Status status = any_stream(handle, "cuStreamWaitEvent", guard, &stream);
    if (status != CUDA_SUCCESS || !event->is_recorded || event->is_done) return status;
    uint64_t number = event->records;
    enqueue(*stream, [=] {
        Guard inner(driver().lock);
        const Status &dead = event->context->device->dead;
        driver().changed.wait(inner, [&] { return event->is_done || event->records != number || dead != CUDA_SUCCESS; });
    });
    return CUDA_SUCCESS;
}

Status cuEventElapsedTime_v2(float *milliseconds, Event *from, Event *to)
{
    Guard guard(driver().lock);
    auto &events = driver().events;
    if (events.count(from) == 0 || events.count(to) == 0) return CUDA_ERROR_INVALID_HANDLE;
    if (!from->has_time || !to->has_time || !from->is_recorded || !to->is_recorded) return CUDA_ERROR_INVALID_HANDLE;
    if (!from->is_done || !to->is_done) return CUDA_ERROR_NOT_READY;
    *milliseconds = std::chrono::duration<float, std::milli>(to->at - from->at).count();
    return CUDA_SUCCESS;
}
Status cuEventElapsedTime(float *milliseconds, Event *from, Event *to) { return cuEventElapsedTime_v2(milliseconds, from, to); }

Status cuEventDestroy_v2(Event *event)
{
    Guard guard(driver().lock);
    return driver().events.erase(event) != 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}
}
