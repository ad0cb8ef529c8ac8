/* The block: calls through pipelines, which go on with an output of the kernel's first outbox. */

#if ANN_LAUNCH_THROUGH

/* Ends a call without a reply, for this reason. */
ANN_FUNCTION void ann_end_call(PRIVATE const ann_view *v, u64 call, u32 kind, u32 code)
{
    GLOBAL u8 *slot = ann_reply_slot(v, call);
    *ANN_U32(slot, 4) = kind << 24 | code;
    /* SYNC: slot-published (release) */
    ann_store_release_u32(ANN_U32(slot, 0), ann_reply_lap(call));
}

#if ANN_LAUNCH_CONNECTABLE && defined(ANN_OUTPUT)

/* The call that an output in scratch memory carries; 0 for none. */
#define ANN_CARRIED(output) (*ANN_U64(output, ANN_OUTPUT_STRIDE - 8))

#if ANN_ASKS
ANN_FUNCTION void ann_lose_ask(PRIVATE const ann_view *v, u64 call);
#endif

/* The message of a call, or of none, was handled, and its outputs from number `first` on, up to `end`, go on: so does the
   call, with the first of them that is of the first outbox. If there is none, the call ends. */
/* TWIN: hand_on */
ANN_FUNCTION void ann_hand_on(PRIVATE const ann_view *v, u64 caller, u32 code, u32 first, u32 end)
{
    u32 carried = caller == 0;
    for (u32 k = first; k < end; k++) {
        GLOBAL u8 *output = v->outputs + (u64)k * ANN_OUTPUT_STRIDE;
#ifdef ANN_PORTS
        u32 carries = !carried && *ANN_U64(output, 0) == 0;
#else
        u32 carries = !carried;
#endif
        ANN_CARRIED(output) = carries ? caller : 0;
        carried |= carries;
#if ANN_ASKS
        /* Who asks is not asked, and calls do not go through it. */
        if (*ANN_U64(output, 0) == ANN_ASK_PORT)
            ANN_CARRIED(output) = v->shared->asked;
#endif
    }
    if (!carried)
        ann_end_call(v, caller, code == 0 ? ANN_KIND_NO_REPLY : ANN_KIND_FAILED, code);
}

/* An output is lost, and with it the call that it carries. */
/* TWIN: lose */
ANN_FUNCTION void ann_lose(PRIVATE const ann_view *v, GLOBAL const u8 *output)
{
#if ANN_ASKS
    if (ANN_CARRIED(output) != 0)
        ann_lose_ask(v, ANN_CARRIED(output));
#else
    if (ANN_CARRIED(output) != 0)
        ann_end_call(v, ANN_CARRIED(output), ANN_KIND_LOST, 0);
#endif
}

#endif

#if ANN_LAUNCH_CONNECTABLE

/* How often a block that ends looks for a message whose sender has its ticket, and is about to publish it. */
#define ANN_LAST_LOOKS 100000000u

/* By the leader of a block that ends: ends the calls of the messages of other kernels that it has not read. */
ANN_FUNCTION void ann_end_unread(PRIVATE const ann_view *v, u32 unread)
{
    for (u32 i = 0; i < unread; i++) {
        u32 looks = 0;
        /* The sender waits for nobody between the two. If it is gone, the host ends the call. */
        while (!ann_device_local_published(v, i) && looks < ANN_LAST_LOOKS)
            looks += 1;
        if (looks == ANN_LAST_LOOKS)
            return;
        /* SYNC: device-local-published (acquire) */
        ann_device_fence_acquire();
        GLOBAL u8 *slot = ann_device_local_in_slot(v, (ann_device_local_next(v) + i) & ANN_DEVICE_LOCAL_TICKETS);
        u64 call = ann_caller(v, slot);
        if (ann_is_through(call))
            ann_end_call(v, call, ANN_KIND_ENDED, 0);
    }
}

#endif

#endif
