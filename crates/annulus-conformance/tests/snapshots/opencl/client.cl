// The handler of kernel `client`, written from crates/annulus-conformance/src/kernels/resilience.rs:+0 (module annulus_conformance::kernels::resilience).
#pragma OPENCL FP_CONTRACT OFF

/* Where the next output of one of several outboxes goes; null, and the message fails, beyond what this one may
   send. `sent` counts the outputs of each. */
RS_FN GLOBAL u8 *ann_port_next(PRIVATE ann_outbox *outbox, PRIVATE u32 *sent, u32 port, u32 limit)
{
    if (sent[port] >= limit) {
        outbox->refused = 1;
        return 0;
    }
    sent[port] += 1;
    return ann_outbox_next(outbox);
}

/* A message of a block to itself, or the place of one. The heap of those that wait is in front; what is behind it
   names the places that are free. */
typedef struct {
    u64 due; /* on the runtime's clock */
    u32 number; /* in the order in which timers were set, wrapping */
    u32 place;
} ann_timer;

/* Where the timers go that a call sets. */
typedef struct {
    GLOBAL ann_timer *next; /* those that it sets, with the places of their messages */
    GLOBAL u8 *first; /* the message in place 0, */
    u64 stride;       /* and the distance to the next */
    u64 now;
    u32 limit;
    u32 set;
    u32 refused;
} ann_later;

/* Where the message of the next timer goes; null, and the message fails, beyond what there is room for. */
RS_FN GLOBAL u8 *ann_later_next(PRIVATE ann_later *later, u64 nanos)
{
    if (later->set >= later->limit) {
        later->refused = 1;
        return 0;
    }
    GLOBAL ann_timer *timer = later->next + later->set;
    later->set += 1;
    u64 due = later->now + nanos;
    timer->due = due < nanos ? 0xFFFFFFFFFFFFFFFFul : due;
    return later->first + timer->place * later->stride;
}

/* Stands in place of a timer's number while its message is that of an ask. */
#define ANN_IS_ASK 1u

/* Where the message goes that comes of an ask; null, and the message fails, beyond what there is room for. */
RS_FN GLOBAL u8 *ann_ask_next(PRIVATE ann_later *later, u64 nanos)
{
    GLOBAL u8 *place = ann_later_next(later, nanos);
    if (place)
        later->next[later->set - 1].number = ANN_IS_ASK;
    return place;
}

typedef struct Limits {
    u32 actor;
    u32 failures;
    u64 cool_down;
} Limits;
typedef char ann_size_of_Limits[sizeof(Limits) == 16 ? 1 : -1];

typedef struct Retry {
    u64 first;
    u64 longest;
    u32 attempts;
    u32 failed;
} Retry;
typedef char ann_size_of_Retry[sizeof(Retry) == 24 ? 1 : -1];

typedef struct Wanted {
    u32 actor;
    u32 number;
    u32 act;
    u32 pad;
    u64 limit;
    Retry retry;
} Wanted;
typedef char ann_size_of_Wanted[sizeof(Wanted) == 48 ? 1 : -1];

typedef struct Price {
    u32 item;
    u32 cents;
} Price;
typedef char ann_size_of_Price[sizeof(Price) == 8 ? 1 : -1];

typedef struct Answer {
    u32 ended;
    u32 code;
    Price value;
} Answer;
typedef char ann_size_of_Answer[sizeof(Answer) == 16 ? 1 : -1];

typedef struct Tried {
    u32 actor;
    u32 permit;
    Wanted wanted;
    Answer price;
} Tried;
typedef char ann_size_of_Tried[sizeof(Tried) == 72 ? 1 : -1];

typedef union Event {
    u32 tag; // 0u Limits, 1u Wanted, 2u Tried
    struct {
        u32 ann_tag;
        u8 ann_pad0[4];
        Limits field_0;
        u8 ann_pad1[56];
    } Limits;
    struct {
        u32 ann_tag;
        u8 ann_pad0[4];
        Wanted field_0;
        u8 ann_pad1[24];
    } Wanted;
    struct {
        u32 ann_tag;
        u8 ann_pad0[4];
        Tried field_0;
    } Tried;
} Event;
typedef char ann_size_of_Event[sizeof(Event) == 80 ? 1 : -1];
typedef char ann_size_of_Event_Limits[sizeof(((PRIVATE Event *)0)->Limits) == 80 ? 1 : -1];
typedef char ann_size_of_Event_Wanted[sizeof(((PRIVATE Event *)0)->Wanted) == 80 ? 1 : -1];
typedef char ann_size_of_Event_Tried[sizeof(((PRIVATE Event *)0)->Tried) == 80 ? 1 : -1];

typedef struct Verdict {
    u32 number;
    u32 verdict;
    u32 cents;
    u32 failed;
    u64 at;
    u64 allows_in;
} Verdict;
typedef char ann_size_of_Verdict[sizeof(Verdict) == 32 ? 1 : -1];

typedef struct Query {
    u32 desk;
    u32 item;
    u32 act;
} Query;
typedef char ann_size_of_Query[sizeof(Query) == 12 ? 1 : -1];

typedef union outputs_of_client {
    u64 tag; // 0ul verdicts, 1ul price
    struct {
        u64 ann_tag;
        Verdict field_0;
    } verdicts;
    struct {
        u64 ann_tag;
        Query field_0;
        u8 ann_pad0[20];
    } price;
} outputs_of_client;
typedef char ann_size_of_outputs_of_client[sizeof(outputs_of_client) == 40 ? 1 : -1];
typedef char ann_size_of_outputs_of_client_verdicts[sizeof(((PRIVATE outputs_of_client *)0)->verdicts) == 40 ? 1 : -1];
typedef char ann_size_of_outputs_of_client_price[sizeof(((PRIVATE outputs_of_client *)0)->price) == 40 ? 1 : -1];

typedef struct Breaker {
    u64 cool_down;
    u64 since;
    u32 threshold;
    u32 failures;
    u32 period;
    u32 state;
} Breaker;
typedef char ann_size_of_Breaker[sizeof(Breaker) == 32 ? 1 : -1];

typedef struct Client {
    Breaker breaker;
} Client;
typedef char ann_size_of_Client[sizeof(Client) == 32 ? 1 : -1];

typedef struct Option_u64 { u8 tag; u64 some; } Option_u64;

typedef struct Option_u32 { u8 tag; u32 some; } Option_u32;

// breaker.rs:+14: Breaker::new
static Breaker fn_Breaker_new(u32 threshold, u64 cool_down) {
    // breaker.rs:+15
    Breaker breaker;
    breaker.cool_down = cool_down;
    breaker.since = 0ul;
    breaker.threshold = rs_max_u32(threshold, 1u);
    breaker.failures = 0u;
    breaker.period = 0u;
    breaker.state = 0u;
    return breaker;
}

// breaker.rs:+96: Breaker::turn
static void fn_Breaker_turn(PRIVATE Breaker *self, u32 state, u64 now) {
    // breaker.rs:+97
    self->state = state;
    // breaker.rs:+98
    self->since = now;
    // breaker.rs:+99
    self->period = self->period + 1u;
}

// breaker.rs:+29: Breaker::permit
static u32 fn_Breaker_permit(PRIVATE Breaker *self, u64 now, PRIVATE Option_u32 *ann_result) {
    // breaker.rs:+30
    if (self->state == 0u) {
        // breaker.rs:+31
        Option_u32 option;
        option.tag = 1; // Some
        option.some = self->period;
        *ann_result = option;
        return 0u;
    }
    // breaker.rs:+33
    if (now < self->since) {
        // breaker.rs:+35
        self->since = now;
    }
    // breaker.rs:+37
    if (rs_sub_overflows_u64(now, self->since)) return 0xFF06u; // overflow
    if ((now - self->since) < self->cool_down) {
        // breaker.rs:+38
        Option_u32 option;
        option.tag = 0; // None
        *ann_result = option;
        return 0u;
    }
    // breaker.rs:+40
    fn_Breaker_turn(self, 2u, now);
    // breaker.rs:+41
    Option_u32 option;
    option.tag = 1; // Some
    option.some = self->period;
    *ann_result = option;
    return 0u;
}

// retry.rs:-12: Retry::failed
static u32 fn_Retry_failed(GLOBAL const Retry *self) {
    // retry.rs:-11
    return self->failed;
}

// breaker.rs:+89: Breaker::allows_in
static u64 fn_Breaker_allows_in(PRIVATE const Breaker *self, u64 now) {
    // breaker.rs:+90
    if (self->state == 0u) {
        // breaker.rs:+91
        return 0ul;
    }
    // breaker.rs:+93
    return rs_saturating_sub_u64(self->cool_down, rs_saturating_sub_u64(now, self->since));
}

// breaker.rs:+55: Breaker::succeeded
static void fn_Breaker_succeeded(PRIVATE Breaker *self, u32 permit) {
    // breaker.rs:+56
    if (permit == self->period) {
        // breaker.rs:+57
        self->failures = 0u;
        // breaker.rs:+58
        self->state = 0u;
    }
}

// breaker.rs:+73: Breaker::failed
static void fn_Breaker_failed(PRIVATE Breaker *self, u32 permit, u64 now) {
    // breaker.rs:+74
    if (permit != self->period) {
        // breaker.rs:+75
        return;
    }
    // breaker.rs:+77
    self->failures = rs_saturating_add_u32(self->failures, 1u);
    // breaker.rs:+78
    if ((self->state == 2u) || (self->failures >= self->threshold)) {
        // breaker.rs:+79
        fn_Breaker_turn(self, 1u, now);
    }
}

// retry.rs:-35: Retry::pause
static u32 fn_Retry_pause(PRIVATE Retry *self, PRIVATE Option_u64 *ann_result) {
    // retry.rs:-34
    self->failed = rs_saturating_add_u32(self->failed, 1u);
    // retry.rs:-33
    if (self->failed >= self->attempts) {
        // retry.rs:-32
        Option_u64 option;
        option.tag = 0; // None
        *ann_result = option;
        return 0u;
    }
    // retry.rs:-30
    if (rs_sub_overflows_u32(self->failed, 1u)) return 0xFF06u; // overflow
    u32 doublings = self->failed - 1u;
    // retry.rs:-29
    if (self->first == 0ul) {
        // retry.rs:-28
        Option_u64 option;
        option.tag = 1; // Some
        option.some = 0ul;
        *ann_result = option;
        return 0u;
    }
    // retry.rs:-26
    if (doublings > rs_leading_zeros_u64(self->first)) {
        // retry.rs:-25
        Option_u64 option;
        option.tag = 1; // Some
        option.some = self->longest;
        *ann_result = option;
        return 0u;
    }
    // retry.rs:-23
    if (doublings >= 64u) return 0xFF06u; // overflow
    Option_u64 option;
    option.tag = 1; // Some
    option.some = rs_min_u64(rs_shl_u64(self->first, doublings), self->longest);
    *ann_result = option;
    return 0u;
}

// retry.rs:-12: Retry::failed
static u32 fn_Retry_failed_2(PRIVATE const Retry *self) {
    // retry.rs:-11
    return self->failed;
}

static u32 handle_client(ann_cx cx, GLOBAL const Event *event, PRIVATE Client *client, PRIVATE ann_outbox *outbox, PRIVATE ann_later *later, u64 ann_time) {
    u32 ann_sent[2] = { 0u, 0u };
    // resilience.rs:+8
    Verdict end;
    end.number = 0u;
    end.verdict = 0u;
    end.cents = 0u;
    end.failed = 0u;
    end.at = ann_time;
    end.allows_in = 0ul;
    // resilience.rs:+9
    if (event->tag == 0u) {
        // resilience.rs:+10
        Breaker new_ = fn_Breaker_new(event->Limits.field_0.failures, event->Limits.field_0.cool_down);
        client->breaker = new_;
    } else if (event->tag == 1u) {
        // resilience.rs:+11
        Option_u32 permit;
        RS_TRY(fn_Breaker_permit(&client->breaker, ann_time, &permit));
        if (permit.tag == 1) {
            // resilience.rs:+12
            u32 permit_2 = permit.some;
            // resilience.rs:+13
            Price value;
            value.item = 0u;
            value.cents = 0u;
            // resilience.rs:+14
            Answer answer;
            answer.ended = 0u;
            answer.code = 0u;
            answer.value = value;
            // resilience.rs:+15
            Tried tried;
            tried.actor = event->Wanted.field_0.actor;
            tried.permit = permit_2;
            tried.wanted = event->Wanted.field_0;
            tried.price = answer;
            // resilience.rs:+16
            Query query;
            query.desk = event->Wanted.field_0.number % 4u;
            query.item = event->Wanted.field_0.number;
            query.act = event->Wanted.field_0.act;
            // resilience.rs:+17
            {
                GLOBAL outputs_of_client *ann_slot = (GLOBAL outputs_of_client *)ann_port_next(outbox, ann_sent, 1u, 1u);
                if (ann_slot) {
                    ann_slot->tag = 1ul;
                    ann_slot->price.field_0 = query;
                }
            }
            {
                GLOBAL Event *ann_slot = (GLOBAL Event *)ann_ask_next(later, event->Wanted.field_0.limit);
                if (ann_slot) {
                    ann_slot->tag = 2u;
                    ann_slot->Tried.field_0 = tried;
                }
            }
        } else {
            // resilience.rs:+20
            end.number = event->Wanted.field_0.number;
            // resilience.rs:+21
            end.verdict = 4u;
            // resilience.rs:+22
            u32 failed = fn_Retry_failed(&event->Wanted.field_0.retry);
            end.failed = failed;
            // resilience.rs:+23
            u64 allows_in = fn_Breaker_allows_in(&client->breaker, ann_time);
            end.allows_in = allows_in;
            // resilience.rs:+24
            {
                GLOBAL outputs_of_client *ann_slot = (GLOBAL outputs_of_client *)ann_port_next(outbox, ann_sent, 0u, 1u);
                if (ann_slot) {
                    ann_slot->tag = 0ul;
                    ann_slot->verdicts.field_0 = end;
                }
            }
        }
    } else {
        // resilience.rs:+28
        end.number = event->Tried.field_0.wanted.number;
        // resilience.rs:+29
        u32 failed = fn_Retry_failed(&event->Tried.field_0.wanted.retry);
        end.failed = failed;
        // resilience.rs:+30
        if (event->Tried.field_0.price.ended == 1u) {
            // resilience.rs:+31
            fn_Breaker_succeeded(&client->breaker, event->Tried.field_0.permit);
            // resilience.rs:+32
            end.verdict = 1u;
            // resilience.rs:+33
            end.cents = event->Tried.field_0.price.value.cents;
            // resilience.rs:+34
            {
                GLOBAL outputs_of_client *ann_slot = (GLOBAL outputs_of_client *)ann_port_next(outbox, ann_sent, 0u, 1u);
                if (ann_slot) {
                    ann_slot->tag = 0ul;
                    ann_slot->verdicts.field_0 = end;
                }
            }
            // resilience.rs:+35
            return 0u;
        }
        // resilience.rs:+37
        fn_Breaker_failed(&client->breaker, event->Tried.field_0.permit, ann_time);
        // resilience.rs:+38
        Wanted wanted = event->Tried.field_0.wanted;
        // resilience.rs:+39
        Option_u64 pause;
        RS_TRY(fn_Retry_pause(&wanted.retry, &pause));
        // resilience.rs:+40
        u32 failed_2 = fn_Retry_failed_2(&wanted.retry);
        end.failed = failed_2;
        // resilience.rs:+41
        if (event->Tried.field_0.price.ended != 6u) {
            // resilience.rs:+42
            end.verdict = 3u;
            // resilience.rs:+43
            {
                GLOBAL outputs_of_client *ann_slot = (GLOBAL outputs_of_client *)ann_port_next(outbox, ann_sent, 0u, 1u);
                if (ann_slot) {
                    ann_slot->tag = 0ul;
                    ann_slot->verdicts.field_0 = end;
                }
            }
        } else if (pause.tag == 1) {
            u64 nanos = pause.some;
            // resilience.rs:+45
            Event event_2;
            event_2.tag = 1u; // Wanted
            event_2.Wanted.field_0 = wanted;
            {
                GLOBAL Event *ann_slot = (GLOBAL Event *)ann_later_next(later, nanos);
                if (ann_slot) *ann_slot = event_2;
            }
        } else {
            // resilience.rs:+47
            end.verdict = 2u;
            // resilience.rs:+48
            {
                GLOBAL outputs_of_client *ann_slot = (GLOBAL outputs_of_client *)ann_port_next(outbox, ann_sent, 0u, 1u);
                if (ann_slot) {
                    ann_slot->tag = 0ul;
                    ann_slot->verdicts.field_0 = end;
                }
            }
        }
    }
    return 0u;
}

#define ANN_MESSAGE Event
#define ANN_MESSAGE_BYTES 80
#define ANN_OUTPUT outputs_of_client
#define ANN_OUTPUT_BYTES 40
#define ANN_PORTS 2
#define ANN_PORT_OFFSET(port) ((port) == 0u ? 8u : 8u)
#define ANN_PORT_BYTES(port) ((port) == 0u ? 32u : 12u)
#define ANN_PORT_IS_KEYED(port) ((port) == 0u ? 0u : 1u)
#define ANN_ASK_PORT 1u
#define ANN_ANSWER 64u
#define ANN_ANSWER_VALUE 72u
#define ANN_ANSWER_BYTES 8u
#define ANN_PORT_KEY_1(message) ((u64)(message)->desk)
#define ANN_PORT_KEY(port, output) ((port) == 0u ? (u64)0 : ANN_PORT_KEY_1((GLOBAL const Query *)((output) + 8u)))
#define ANN_STATE Client
#define ANN_SHAPE ANN_PER_ACTOR
#define ANN_KEYED 1
#define ANN_KEY(message) ((message)->tag == 0u ? ((u64)(&(message)->Limits.field_0)->actor) : (message)->tag == 1u ? ((u64)(&(message)->Wanted.field_0)->actor) : ((u64)(&(message)->Tried.field_0)->actor))
#define ANN_MAX_OUTPUTS 2
#define ANN_BINDING_PARAMETERS
#define ANN_BINDING_ENTRY
#define ANN_BINDING_ARGUMENTS
#define ANN_TIMERS 32u
#define ANN_MAX_TIMERS 1u
#define ANN_ASKS_TIME 1
#define ANN_CALL(cx, message, state, outbox) handle_client(cx, message, state, outbox, later, time)
