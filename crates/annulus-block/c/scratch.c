/* The block: its scratch memory, where several threads work on a turn. */

#if ANN_LAUNCH_THREADS > 1

/* A message of the turn. */
typedef struct {
    u64 actor;
    u64 caller;
    u32 kind;
    u32 code;
    u32 sent;
    u32 padding;
} ann_job;

/* A slot that the turn fills, of the outbound ring or of that of replies. */
typedef struct {
    u64 to; /* the ticket, or the call that is answered: then `meta` has ANN_REPLY */
    u32 meta;
    u32 source; /* the place of its payload among the outputs */
} ann_answer;

/* Uses the highest bit of a slot's kind, which no kind has. */
#define ANN_REPLY 0x80000000u

#define ANN_MOST_ANSWERS (ANN_LIMIT > 1 ? ANN_LIMIT : 1)

/* Divides the block's scratch memory into its parts. Twin of `scratch_bytes`. */
ANN_FUNCTION void ann_cut_scratch(PRIVATE ann_view *v, GLOBAL u8 *scratch, GLOBAL const ann_launch *l)
{
    u64 limit = l->limit;
    v->messages = scratch;
    v->first = scratch;
    v->message_stride = (u32)ANN_IMAGE_STRIDE(l);
    v->in_correlation = (u32)l->in_correlation;
    v->in_payload = (u32)l->in_payload;
#if ANN_INDEPENDENT
    if (v->message_stride <= ANN_BLOCK_IMAGE)
        v->first = (u8 *)v->shared->image;
#endif
    v->outputs = v->messages + limit * ANN_IMAGE_STRIDE(l);
    v->answers = v->outputs + limit * ANN_LIMIT * ANN_OUTPUT_STRIDE;
    v->jobs = v->answers + limit * ANN_MOST_ANSWERS * sizeof(ann_answer);
#if ANN_LAUNCH_CONNECTABLE && defined(ANN_OUTPUT)
    v->parcels = v->jobs + limit * sizeof(ann_job);
    v->owners = v->parcels + limit * ANN_LIMIT * sizeof(ann_parcel);
#else
    v->owners = v->jobs + limit * sizeof(ann_job);
#endif
#if ANN_INDEPENDENT
    if (limit <= ANN_BLOCK_JOBS) {
        v->jobs = (u8 *)v->shared->jobs;
        v->owners = (u8 *)v->shared->owners;
    }
#endif
}

ANN_FUNCTION GLOBAL ann_job *ann_job_at(PRIVATE const ann_view *v, u32 i)
{
    return (GLOBAL ann_job *)v->jobs + i;
}

#endif
