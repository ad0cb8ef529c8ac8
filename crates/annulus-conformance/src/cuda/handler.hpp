// What a handler's text alone needs of the runtime.

typedef struct ann_cx {
    u32 block_index, grid_size, thread_index;
} ann_cx;

// Sends of one call, one after the other.
typedef struct ann_outbox {
    u8 *payloads;
    u64 stride;
    u32 limit, sent, refused;
} ann_outbox;

static inline GLOBAL u8 *ann_outbox_next(PRIVATE ann_outbox *outbox)
{
    if (outbox->sent == outbox->limit) {
        outbox->refused = 1;
        return 0;
    }
    return outbox->payloads + outbox->stride * outbox->sent++;
}

// A pointer that becomes one of any type.
struct any_pointer {
    void *pointer;
    template <class T>
    operator T *() const
    {
        return (T *)pointer;
    }
};
