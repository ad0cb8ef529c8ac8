/* Steps the block: it runs on stacks of its own, from turn to turn. */

#define TWIN_STACK (256 * 1024)

typedef struct {
    ucontext_t start[ANN_LAUNCH_THREADS];
    jmp_buf host; /* where to go on */
    jmp_buf fibers[ANN_LAUNCH_THREADS];
    u32 started;
    u8 *stacks;
    void *arguments[10];
    const ann_view *view;
    u32 block;
    u32 running; /* the fiber that runs */
    u32 at_turn; /* the leader is about to begin one */
    u32 waits[ANN_LAUNCH_THREADS];
    u32 ended;
    u32 looked_waiting; /* commits to another kernel while the block looked as if it waited */
} twin;

static __thread twin *twin_now;

static uint twin_thread(void)
{
    return twin_now->running;
}

static uint twin_block(void)
{
    return twin_now->block;
}

static void twin_to_host(void)
{
    twin *t = twin_now;
    if (_setjmp(t->fibers[t->running]) == 0)
        _longjmp(t->host, 1);
}

/* Runs a fiber until it goes to the host. Signal masks are left alone, which would be a call of the system
   each time. */
static __attribute__((noinline)) void twin_resume(twin *t, u32 fiber)
{
    t->running = fiber;
    if (_setjmp(t->host) != 0)
        return;
    if (t->started >> fiber & 1)
        _longjmp(t->fibers[fiber], 1);
    t->started |= 1u << fiber;
    setcontext(&t->start[fiber]);
}

static void twin_barrier(void)
{
    if (ANN_LAUNCH_THREADS == 1)
        return;
    twin_now->waits[twin_now->running] = 1;
    twin_to_host();
}

static void twin_turn(const ann_view *v)
{
    twin_now->view = v;
    twin_now->at_turn = 1;
    twin_to_host();
}

static void twin_commit(u32 *word, u32 value)
{
#if ANN_LAUNCH_CONNECTABLE
    GLOBAL u8 *shard = twin_now->view->shard;
    u32 stalled = ann_load_relaxed_u32(ANN_U32(shard, ANN_CONTROL_STALLED));
    u64 rested = ann_load_relaxed_u64(ANN_U64(shard, ANN_CONTROL_RESTED));
    u64 taken = ann_load_relaxed_u64(ANN_U64(shard, ANN_CONTROL_TAKEN));
    twin_now->looked_waiting += stalled != 0 && rested == taken;
#endif
    ann_store_relaxed_u32(word, value);
}

static void twin_main(void)
{
    void **a = twin_now->arguments;
#if ANN_LAUNCH_CONNECTABLE && defined(ANN_ROWS)
    ann_main(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9]);
#elif ANN_LAUNCH_CONNECTABLE
    ann_main(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8]);
#else
    ann_main(a[0], a[1], a[2], a[3], a[4], a[5], a[6]);
#endif
    twin_now->ended |= 1u << twin_now->running;
    twin_to_host();
}

/* Runs until the leader is about to begin a turn; 0 once all fibers have ended. */
u32 twin_step(twin *t)
{
    u32 all = (u32)(((u64)1 << ANN_LAUNCH_THREADS) - 1);
    twin_now = t;
    t->at_turn = 0;
    while (t->ended != all) {
        for (u32 i = 0; i < ANN_LAUNCH_THREADS; i++) {
            if (t->waits[i] || (t->ended >> i & 1) != 0)
                continue;
            twin_resume(t, i);
            if (t->at_turn)
                return 1;
        }
        u32 waiting = 0;
        for (u32 i = 0; i < ANN_LAUNCH_THREADS; i++)
            waiting += t->waits[i];
        /* A barrier to which not all come. */
        if (waiting != 0 && t->ended != 0)
            abort();
        for (u32 i = 0; i < ANN_LAUNCH_THREADS; i++)
            t->waits[i] = 0;
    }
    return 0;
}

/* A block with these arguments of its entry, before its first turn. */
twin *twin_new(u32 block, void *const *arguments)
{
    twin *t = calloc(1, sizeof *t);
    t->block = block;
    for (u32 i = 0; i < sizeof t->arguments / sizeof *t->arguments; i++)
        t->arguments[i] = arguments[i];
    t->stacks = malloc((u64)TWIN_STACK * ANN_LAUNCH_THREADS);
    for (u32 i = 0; i < ANN_LAUNCH_THREADS; i++) {
        getcontext(&t->start[i]);
        t->start[i].uc_stack.ss_sp = t->stacks + (u64)TWIN_STACK * i;
        t->start[i].uc_stack.ss_size = TWIN_STACK;
        makecontext(&t->start[i], twin_main, 0);
    }
    twin_step(t);
    return t;
}

void twin_free(twin *t)
{
    free(t->stacks);
    free(t);
}

/* Whether the last turn found something. */
u32 twin_found(const twin *t)
{
    return t->view->shared->taken != 0 || t->view->shared->again != 0;
}

/* Messages that the last turn took. */
u32 twin_taken(const twin *t)
{
    return t->view->shared->taken;
}

u32 twin_has_work(twin *t)
{
    twin_now = t;
    return ann_has_work(t->view);
}

/* Outputs that a message holds, and how many of them have not gone. */
void twin_held(const twin *t, u32 *all, u32 *left)
{
    *all = t->view->shared->state.pending;
    *left = 0;
#if ANN_LAUNCH_CONNECTABLE && defined(ANN_OUTPUT)
    *left = ann_on_the_way(t->view);
#endif
}

u32 twin_looked_waiting(const twin *t)
{
    return t->looked_waiting;
}
