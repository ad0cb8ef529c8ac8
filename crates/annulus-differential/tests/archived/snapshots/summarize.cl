// The handler of kernel `summarize`, written from crates/annulus-differential/tests/archived/notes.rs:+0 (module archived::notes).
#pragma OPENCL FP_CONTRACT OFF

// Archives: where what lies behind an offset begins, counted from the first of the message's bytes. It is
// RS_NOWHERE if it does not lie between the first and the last of them, at a multiple of its alignment.
#define RS_NOWHERE 0xFFFFFFFFu

RS_FN u32 rs_behind(
    GLOBAL const u8 *payload, u32 length, GLOBAL const u8 *place, i32 offset, u32 count, u32 size, u32 align) {
    i64 at = (i64)(place - payload) + (i64)offset;
    if (at < 0 || at > (i64)length || (u64)count * (u64)size > (u64)length - (u64)at) return RS_NOWHERE;
    return ((u32)at & (align - 1u)) == 0u ? (u32)at : RS_NOWHERE;
}

// A text of up to 8 bytes lies in its own place. The bytes after it are 0xFF, which is in no UTF-8. The first
// byte of the length of another begins with the bits 10, as the first byte of no UTF-8 does.
RS_FN bool rs_text_is_here(GLOBAL const u8 *text) { return (text[0] & 0xC0u) != 0x80u; }

RS_FN u32 rs_text_len(GLOBAL const u8 *text) {
    u32 len = 0u;
    if (!rs_text_is_here(text)) {
        len = ((GLOBAL const u32 *)text)[0];
        return (len & 0x3Fu) | ((len & 0xFFFFFF00u) >> 2);
    }
    while (len < 8u && text[len] != 0xFFu) len += 1u;
    return len;
}

RS_FN u32 rs_behind_text(GLOBAL const u8 *payload, u32 length, GLOBAL const u8 *text) {
    if (rs_text_is_here(text)) return (u32)(text - payload);
    return rs_behind(payload, length, text, ((GLOBAL const i32 *)text)[1], rs_text_len(text), 1u, 1u);
}

typedef struct BridgedHead {
    u32 length_;
    u32 begin;
    u64 key;
} BridgedHead;
typedef char ann_size_of_BridgedHead[sizeof(BridgedHead) == 16 ? 1 : -1];

typedef struct u32_le {
    u32 field_0;
} u32_le;
typedef char ann_size_of_u32_le[sizeof(u32_le) == 4 ? 1 : -1];

typedef struct ArchivedString {
    u32 len;
    i32 offset;
} ArchivedString;
typedef char ann_size_of_ArchivedString[sizeof(ArchivedString) == 8 ? 1 : -1];

typedef struct i32_le {
    i32 field_0;
} i32_le;
typedef char ann_size_of_i32_le[sizeof(i32_le) == 4 ? 1 : -1];

typedef struct ArchivedVec {
    i32 offset;
    u32 len;
} ArchivedVec;
typedef char ann_size_of_ArchivedVec[sizeof(ArchivedVec) == 8 ? 1 : -1];

typedef struct f32_le {
    f32 field_0;
} f32_le;
typedef char ann_size_of_f32_le[sizeof(f32_le) == 4 ? 1 : -1];

typedef struct ArchivedPoint {
    f32_le x;
    ArchivedString name;
} ArchivedPoint;
typedef char ann_size_of_ArchivedPoint[sizeof(ArchivedPoint) == 12 ? 1 : -1];

typedef union ArchivedOption {
    u8 tag; // 0 None, 1 Some
    struct {
        u8 ann_tag;
        u8 ann_pad0[3];
        ArchivedPoint field_0;
    } Some;
} ArchivedOption;
typedef char ann_size_of_ArchivedOption[sizeof(ArchivedOption) == 16 ? 1 : -1];
typedef char ann_size_of_ArchivedOption_Some[sizeof(((PRIVATE ArchivedOption *)0)->Some) == 16 ? 1 : -1];

typedef struct ArchivedVec_2 {
    i32 offset;
    u32 len;
} ArchivedVec_2;
typedef char ann_size_of_ArchivedVec_2[sizeof(ArchivedVec_2) == 8 ? 1 : -1];

typedef struct ArchivedNote {
    u32_le author;
    ArchivedString text;
    ArchivedVec values;
    ArchivedOption place;
    ArchivedVec_2 points;
} ArchivedNote;
typedef char ann_size_of_ArchivedNote[sizeof(ArchivedNote) == 44 ? 1 : -1];

typedef struct Summary {
    u32 words;
    i32 sum;
    f32 x;
    u32 names;
} Summary;
typedef char ann_size_of_Summary[sizeof(Summary) == 16 ? 1 : -1];

typedef struct Option_u8 { u8 tag; u8 some; } Option_u8;

// notes.rs:-11: names
static u32 fn_names(GLOBAL const ArchivedPoint *points, u64 points_len, PRIVATE u32 *ann_result, PRIVATE u32 *ann_budget, GLOBAL const u8 *ann_payload, u32 ann_length) {
    // notes.rs:-10
    u32 names = 0u;
    // notes.rs:-9
    for (u64 i = 0ul; i < points_len; i += 1) {
        if ((*ann_budget)-- == 0u) return 0xFF07u; // loop budget exhausted
        // notes.rs:-8
        u32 name_at = rs_behind_text(ann_payload, ann_length, (GLOBAL const u8 *)&points[i].name);
        if (name_at == RS_NOWHERE) return 0xFF08u; // no archive of its type
        GLOBAL const u8 *name = (GLOBAL const u8 *)(ann_payload + name_at);
        u64 name_len = rs_text_len((GLOBAL const u8 *)&points[i].name);
        bool there = name_len != 0ul;
        u8 copy;
        if (there) {
            copy = name[0];
        }
        Option_u8 option;
        if (there) {
            option.tag = 1; // Some
            option.some = copy;
        } else {
            option.tag = 0; // None
        }
        Option_u8 option_2;
        option_2.tag = 1; // Some
        option_2.some = 97;
        if ((option.tag == option_2.tag) && ((option.tag != 1) || (option.some == option_2.some))) {
            // notes.rs:-7
            names = names + 1u;
        }
    }
    // notes.rs:-4
    *ann_result = names;
    return 0u;
}

// notes.rs:-25: words
static u32 fn_words(GLOBAL const u8 *bytes, u64 bytes_len, PRIVATE u32 *ann_result, PRIVATE u32 *ann_budget) {
    // notes.rs:-24
    u32 words = 0u;
    // notes.rs:-23
    bool inside = false;
    // notes.rs:-22
    for (u64 i = 0ul; i < bytes_len; i += 1) {
        if ((*ann_budget)-- == 0u) return 0xFF07u; // loop budget exhausted
        // notes.rs:-21
        bool letter = bytes[i] != 32;
        // notes.rs:-20
        if (letter && (!inside)) {
            // notes.rs:-19
            words = words + 1u;
        }
        // notes.rs:-17
        inside = letter;
    }
    // notes.rs:-15
    *ann_result = words;
    return 0u;
}

static u32 handle_summarize(GLOBAL const u8 *ann_payload, u32 ann_length, PRIVATE u32 *author, PRIVATE ann_outbox *summaries) {
    if (ann_length < 44u || ((ann_length - 44u) & 3u) != 0u) return 0xFF08u; // no archive of its type
    GLOBAL const ArchivedNote *note = (GLOBAL const ArchivedNote *)(ann_payload + (ann_length - 44u));
    u32 ann_budget = 100000u;
    // notes.rs:+1
    i32 sum = 0;
    // notes.rs:+2
    u32 values_at = rs_behind(ann_payload, ann_length, (GLOBAL const u8 *)&note->values, note->values.offset, note->values.len, 4u, 4u);
    if (values_at == RS_NOWHERE) return 0xFF08u; // no archive of its type
    GLOBAL const i32_le *values = (GLOBAL const i32_le *)(ann_payload + values_at);
    u64 values_len = note->values.len;
    for (u64 i = 0ul; i < values_len; i += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        // notes.rs:+3
        sum = rs_add_i32(sum, values[i].field_0);
    }
    // notes.rs:+5
    bool there = note->place.tag == 1;
    f32 x;
    if (there) {
        // notes.rs:+6
        u32 name_at = rs_behind_text(ann_payload, ann_length, (GLOBAL const u8 *)&note->place.Some.field_0.name);
        if (name_at == RS_NOWHERE) return 0xFF08u; // no archive of its type
        GLOBAL const u8 *name = (GLOBAL const u8 *)(ann_payload + name_at);
        u64 name_len = rs_text_len((GLOBAL const u8 *)&note->place.Some.field_0.name);
        x = note->place.Some.field_0.x.field_0 + ((f32)name_len);
    } else {
        // notes.rs:+7
        x = 0.5f;
    }
    // notes.rs:+9
    (*author) = note->author.field_0;
    // notes.rs:+10
    u32 points_at = rs_behind(ann_payload, ann_length, (GLOBAL const u8 *)&note->points, note->points.offset, note->points.len, 12u, 4u);
    if (points_at == RS_NOWHERE) return 0xFF08u; // no archive of its type
    GLOBAL const ArchivedPoint *points = (GLOBAL const ArchivedPoint *)(ann_payload + points_at);
    u64 points_len = note->points.len;
    u32 names;
    RS_TRY(fn_names(&points[0], points_len, &names, &ann_budget, ann_payload, ann_length));
    // notes.rs:+11
    u32 text_at = rs_behind_text(ann_payload, ann_length, (GLOBAL const u8 *)&note->text);
    if (text_at == RS_NOWHERE) return 0xFF08u; // no archive of its type
    GLOBAL const u8 *text = (GLOBAL const u8 *)(ann_payload + text_at);
    u64 text_len = rs_text_len((GLOBAL const u8 *)&note->text);
    u32 words;
    RS_TRY(fn_words(text, text_len, &words, &ann_budget));
    Summary summary;
    summary.words = words;
    summary.sum = sum;
    summary.x = x;
    summary.names = names;
    {
        GLOBAL Summary *ann_slot = (GLOBAL Summary *)ann_outbox_next(summaries);
        if (ann_slot) *ann_slot = summary;
    }
    return 0u;
}

#define ANN_MESSAGE BridgedHead
#define ANN_MESSAGE_BYTES 16
#define ANN_OUTPUT Summary
#define ANN_OUTPUT_BYTES 16
#define ANN_STATE u32
#define ANN_SHAPE ANN_PER_ACTOR
#define ANN_KEYED 1
#define ANN_KEY(message) ((u64)(message)->key)
#define ANN_MAX_OUTPUTS 1
#define ANN_BINDING_PARAMETERS
#define ANN_BINDING_ENTRY
#define ANN_BINDING_ARGUMENTS
#define ANN_BRIDGED 1
#define ANN_PAYLOAD(message) ((GLOBAL const u8 *)(message) + (u64)16 * (message)->begin)
#define ANN_LENGTH(message) ((message)->length_)
#define ANN_CALL(cx, message, state, outbox) handle_summarize(ANN_PAYLOAD(message), ANN_LENGTH(message), state, outbox)
