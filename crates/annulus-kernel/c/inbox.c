/* A thread's view of the messages that a turn has found. The block defines what stands behind it. */
typedef struct {
    PRIVATE const void *view;   /* the thread's, of the block's memory */
    PRIVATE ann_outbox *outbox; /* the thread's: it leads to the outputs of the message that was taken last */
    u32 found;                  /* messages of the turn */
    u32 at; /* the message that the thread took last, by its place in the turn; ANN_NONE_TAKEN before */
} ann_inbox;

#define ANN_NONE_TAKEN 0xFFFFFFFFu

/* The next message that no thread has taken; null if there is none. */
ANN_FUNCTION GLOBAL const void *ann_take_message(PRIVATE ann_inbox *inbox);

/* The kernel ends if the body succeeds. */
ANN_FUNCTION void ann_end_kernel(PRIVATE const ann_inbox *inbox);
