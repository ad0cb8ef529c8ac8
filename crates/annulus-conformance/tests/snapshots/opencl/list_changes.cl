// The handler of kernel `list_changes`, written from crates/annulus-conformance/src/kernels/lists.rs:+0 (module annulus_conformance::kernels::lists).
#pragma OPENCL FP_CONTRACT OFF

typedef struct Lot {
    i16 price;
    u8 amount;
    u8 ann_pad0[1];
} Lot;
typedef char ann_size_of_Lot[sizeof(Lot) == 4 ? 1 : -1];

typedef struct Lot_x3 { Lot at[3]; } Lot_x3;

typedef struct List {
    u32 len;
    Lot_x3 items;
} List;
typedef char ann_size_of_List[sizeof(List) == 16 ? 1 : -1];

typedef struct u8_x5 { u8 at[5]; } u8_x5;

typedef struct List_2 {
    u32 len;
    u8_x5 items;
    u8 ann_pad0[3];
} List_2;
typedef char ann_size_of_List_2[sizeof(List_2) == 12 ? 1 : -1];

typedef struct Given {
    u32 key;
    u8 what;
    u8 at;
    Lot lot;
    u8 ann_pad0[2];
    List lots;
    List_2 bytes;
} Given;
typedef char ann_size_of_Given[sizeof(Given) == 40 ? 1 : -1];

typedef struct u32_x8 { u32 at[8]; } u32_x8;

typedef struct Answer {
    u32_x8 words;
    i64 sum;
    f32 x;
    u8 on;
    u8 ann_pad0[3];
} Answer;
typedef char ann_size_of_Answer[sizeof(Answer) == 48 ? 1 : -1];

typedef struct Lot_x4 { Lot at[4]; } Lot_x4;

typedef struct List_3 {
    u32 len;
    Lot_x4 items;
} List_3;
typedef char ann_size_of_List_3[sizeof(List_3) == 20 ? 1 : -1];

typedef struct i32_x6 { i32 at[6]; } i32_x6;

typedef struct List_4 {
    u32 len;
    i32_x6 items;
} List_4;
typedef char ann_size_of_List_4[sizeof(List_4) == 28 ? 1 : -1];

typedef struct u16_x2 { u16 at[2]; } u16_x2;

typedef struct List_5 {
    u32 len;
    u16_x2 items;
} List_5;
typedef char ann_size_of_List_5[sizeof(List_5) == 8 ? 1 : -1];

typedef struct List_5_x3 { List_5 at[3]; } List_5_x3;

typedef struct Sum {
    u32 of;
} Sum;
typedef char ann_size_of_Sum[sizeof(Sum) == 4 ? 1 : -1];

typedef struct Sum_x2 { Sum at[2]; } Sum_x2;

typedef struct Kept {
    List_3 lots;
    List_4 numbers;
    List_5_x3 rows;
    Sum_x2 sums;
} Kept;
typedef char ann_size_of_Kept[sizeof(Kept) == 80 ? 1 : -1];

typedef struct Result_u64_i32 { u8 tag; u64 ok; i32 err; } Result_u64_i32;

typedef struct Option_i32 { u8 tag; i32 some; } Option_i32;

// lists.rs:-8: number_of
static u32 fn_number_of(PRIVATE const Lot *lot) {
    // lists.rs:-7
    return ((u32)((u16)lot->price)) | (((u32)lot->amount) << 16u);
}

// lists.rs:-37: Kept::push
static bool fn_Kept_push(PRIVATE Kept *self, i32 number) {
    // lists.rs:-36
    u64 len = rs_min_u64((u64)self->numbers.len, 6ul);
    if (len < 6ul) {
        self->numbers.items.at[len] = number;
        self->numbers.len = (u32)(len + 1ul);
    }
    return len < 6ul;
}

// lists.rs:-33: Kept::take_last
static Option_i32 fn_Kept_take_last(PRIVATE Kept *self) {
    // lists.rs:-32
    u64 len = rs_min_u64((u64)self->numbers.len, 6ul);
    i32 popped;
    if (len != 0ul) {
        popped = self->numbers.items.at[len - 1ul];
        self->numbers.len = (u32)(len - 1ul);
    }
    if (len == 0ul) {
        Option_i32 given;
        given.tag = 0; // None
        return given;
    }
    i32 last = popped;
    // lists.rs:-31
    u64 len_2 = rs_min_u64((u64)self->numbers.len, 6ul);
    Option_i32 option;
    option.tag = 1; // Some
    option.some = rs_add_i32(last, (i32)len_2);
    return option;
}

// lists.rs:-14: add::<6>
static Result_u64_i32 fn_add_6(PRIVATE List_4 *list, i32 number) {
    // lists.rs:-13
    u64 len = rs_min_u64((u64)list->len, 6ul);
    if (len < 6ul) {
        list->items.at[len] = number;
        list->len = (u32)(len + 1ul);
    }
    if (len >= 6ul) {
        Result_u64_i32 given;
        given.tag = 1; // Err
        given.err = number;
        return given;
    }
    // lists.rs:-12
    u64 len_2 = rs_min_u64((u64)list->len, 6ul);
    Result_u64_i32 result;
    result.tag = 0; // Ok
    result.ok = len_2;
    return result;
}

// lists.rs:-55: Sum::push
static void fn_Sum_push(PRIVATE Sum *self, u32 number) {
    // lists.rs:-54
    self->of = self->of + number;
}

// lists.rs:-21: double
static u32 fn_double(PRIVATE i32 *numbers, u64 numbers_len, PRIVATE u32 *ann_budget) {
    // lists.rs:-20
    for (u64 i = 0ul; i < numbers_len; i += 1) {
        if ((*ann_budget)-- == 0u) return 0xFF07u; // loop budget exhausted
        // lists.rs:-19
        numbers[i] = rs_mul_i32(numbers[i], 2);
    }
    return 0u;
}

// lists.rs:-26: total
static u32 fn_total(PRIVATE const i32 *numbers, u64 numbers_len, PRIVATE i32 *ann_result, PRIVATE u32 *ann_budget) {
    // lists.rs:-25
    i32 folded = 0;
    for (u64 i = 0ul; i < numbers_len; i += 1) {
        if ((*ann_budget)-- == 0u) return 0xFF07u; // loop budget exhausted
        i32 sum = folded;
        folded = rs_add_i32(sum, numbers[i]);
    }
    *ann_result = folded;
    return 0u;
}

static u32 handle_list_changes(GLOBAL const Given *given, PRIVATE Kept *kept, PRIVATE ann_outbox *answers) {
    u32 ann_budget = 16777216u;
    // lists.rs:+1
    u32_x8 words;
    for (u64 i = 0ul; i < 8ul; i += 1) {
        words.at[i] = 0u;
    }
    // lists.rs:+2
    u64 at = (u64)(given->at % 8);
    // lists.rs:+3
    i32 number = (i32)given->lot.price;
    // lists.rs:+4
    u8 subject = given->what % 12;
    if (subject == 0) {
        // lists.rs:+5
        Lot pushed = given->lot;
        u64 len = rs_min_u64((u64)kept->lots.len, 4ul);
        if (len < 4ul) {
            kept->lots.items.at[len] = pushed;
            kept->lots.len = (u32)(len + 1ul);
        }
        bool there = len < 4ul;
        if (!there) {
            return 7u;
        }
    } else if (subject == 1) {
        // lists.rs:+7
        Lot lot = given->lot;
        lot.amount = (u8)at;
        u64 len = rs_min_u64((u64)kept->lots.len, 4ul);
        if (len < 4ul) {
            kept->lots.items.at[len] = lot;
            kept->lots.len = (u32)(len + 1ul);
        }
        bool there = len < 4ul;
        if (!there) {
            Lot lot_2 = lot;
            // lists.rs:+8
            u32 number_of = fn_number_of(&lot_2);
            words.at[0] = number_of;
        }
    } else if (subject == 2) {
        // lists.rs:+11
        u64 len = rs_min_u64((u64)kept->lots.len, 4ul);
        Lot popped;
        if (len != 0ul) {
            popped = kept->lots.items.at[len - 1ul];
            kept->lots.len = (u32)(len - 1ul);
        }
        bool there = len != 0ul;
        u32 mapped;
        if (there) {
            Lot lot = popped;
            mapped = fn_number_of(&lot);
        } else {
            mapped = 99u;
        }
        words.at[0] = mapped;
    } else if (subject == 3) {
        // lists.rs:+13
        u64 len = rs_min_u64((u64)kept->lots.len, 4ul);
        if (at >= len) return 0xFF04u; // index out of bounds
        Lot removed = kept->lots.items.at[at];
        u64 count = (len - 1ul) - at;
        for (u64 i = 0ul; i < count; i += 1) {
            kept->lots.items.at[at + i] = kept->lots.items.at[(at + i) + 1ul];
        }
        kept->lots.len = (u32)(len - 1ul);
        Lot removed_2 = removed;
        // lists.rs:+14
        u32 number_of = fn_number_of(&removed_2);
        words.at[0] = number_of;
    } else if (subject == 4) {
        // lists.rs:+16
        u64 at_2 = at % 5ul;
        u64 len = rs_min_u64((u64)kept->lots.len, 4ul);
        if (at_2 >= len) return 0xFF04u; // index out of bounds
        Lot removed = kept->lots.items.at[at_2];
        kept->lots.items.at[at_2] = kept->lots.items.at[len - 1ul];
        kept->lots.len = (u32)(len - 1ul);
        Lot value = removed;
        u32 number_of = fn_number_of(&value);
        words.at[0] = number_of;
    } else if (subject == 5) {
        // lists.rs:+18
        Lot inserted = given->lot;
        u64 len = rs_min_u64((u64)kept->lots.len, 4ul);
        if (at > len) return 0xFF04u; // index out of bounds
        if (len < 4ul) {
            u64 count = len - at;
            for (u64 i = 0ul; i < count; i += 1) {
                kept->lots.items.at[len - i] = kept->lots.items.at[(len - i) - 1ul];
            }
            kept->lots.items.at[at] = inserted;
            kept->lots.len = (u32)(len + 1ul);
        }
        bool there = len < 4ul;
        u32 chosen_2;
        if (there) {
            // lists.rs:+19
            chosen_2 = 1u;
        } else {
            // lists.rs:+20
            Lot lot = inserted;
            chosen_2 = fn_number_of(&lot);
        }
        words.at[0] = chosen_2;
    } else if (subject == 6) {
        // lists.rs:+23
        u64 len = rs_min_u64((u64)kept->lots.len, 4ul);
        u64 kept_2 = 0ul;
        for (u64 i = 0ul; i < len; i += 1) {
            if ((kept->lots.items.at[i].price > given->lot.price) && (kept->lots.items.at[i].amount != given->at)) {
                kept->lots.items.at[kept_2] = kept->lots.items.at[i];
                kept_2 = kept_2 + 1ul;
            }
        }
        kept->lots.len = (u32)kept_2;
    } else if (subject == 7) {
        // lists.rs:+24
        u64 len = rs_min_u64((u64)kept->lots.len, 4ul);
        if (at < len) {
            kept->lots.len = (u32)at;
        }
    } else if (subject == 8) {
        // lists.rs:+25
        u64 len = rs_min_u64((u64)kept->lots.len, 4ul);
        kept->lots.len = 0u;
    } else if (subject == 9) {
        // lists.rs:+27
        for (;;) {
            u64 len = rs_min_u64((u64)kept->numbers.len, 6ul);
            if (len == 6ul) {
                break;
            }
            if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
            // lists.rs:+28
            u64 len_2 = rs_min_u64((u64)kept->numbers.len, 6ul);
            if (len_2 < 6ul) {
                kept->numbers.items.at[len_2] = number;
                kept->numbers.len = (u32)(len_2 + 1ul);
            }
            // lists.rs:+29
            u64 len_3 = rs_min_u64((u64)kept->numbers.len, 6ul);
            if (len_3 == at) {
                // lists.rs:+30
                break;
            }
        }
    } else if (subject == 10) {
        // lists.rs:+35
        bool push = fn_Kept_push(kept, number);
        bool push_2 = fn_Kept_push(kept, (i32)at);
        words.at[0] = ((u32)push) | (((u32)push_2) << 1u);
        // lists.rs:+36
        Option_i32 take_last = fn_Kept_take_last(kept);
        words.at[1] = (u32)((take_last.tag == 1) ? take_last.some : (-1));
        // lists.rs:+37
        Result_u64_i32 add = fn_add_6(&kept->numbers, number);
        bool there = add.tag == 0;
        u64 subject_2 = add.ok;
        i32 subject_3 = add.err;
        u32 mapped;
        if (there) {
            u64 len = subject_2;
            mapped = (u32)len;
        } else {
            i32 number_2 = subject_3;
            mapped = (u32)number_2;
        }
        words.at[2] = mapped;
    } else {
        // lists.rs:+40
        u64 at_2 = at % 3ul;
        if (at_2 >= 3ul) return 0xFF04u; // index out of bounds
        // lists.rs:+41
        u64 len = rs_min_u64((u64)kept->rows.at[at_2].len, 2ul);
        u16 pushed = (u16)len;
        u64 len_2 = rs_min_u64((u64)kept->rows.at[at_2].len, 2ul);
        if (len_2 < 2ul) {
            kept->rows.at[at_2].items.at[len_2] = pushed;
            kept->rows.at[at_2].len = (u32)(len_2 + 1ul);
        }
        // lists.rs:+42
        u64 len_3 = rs_min_u64((u64)kept->rows.at[at_2].len, 2ul);
        words.at[0] = (u32)(len_3 == 2ul);
        // lists.rs:+43
        u64 len_4 = rs_min_u64((u64)kept->rows.at[at_2].len, 2ul);
        bool there = len_4 != 0ul;
        u32 mapped;
        if (there) {
            mapped = (u32)kept->rows.at[at_2].items.at[0];
        } else {
            mapped = 7u;
        }
        words.at[1] = mapped;
        // lists.rs:+44
        u64 len_5 = rs_min_u64((u64)kept->rows.at[at_2].len, 2ul);
        u64 at_3 = len_5 - 1ul;
        bool there_2 = len_5 != 0ul;
        if (there_2) {
            // lists.rs:+45
            kept->rows.at[at_2].items.at[at_3] = rs_add_u16(kept->rows.at[at_2].items.at[at_3], 3);
        }
        // lists.rs:+47
        if (at < 2ul) {
            // lists.rs:+48
            if (at >= 2ul) return 0xFF01u; // panicked
            fn_Sum_push(&kept->sums.at[at], words.at[1]);
            // lists.rs:+49
            if (at >= 2ul) return 0xFF04u; // index out of bounds
            words.at[2] = kept->sums.at[at].of;
            // lists.rs:+50
            if (at >= 3ul) return 0xFF01u; // panicked
            u64 len_6 = rs_min_u64((u64)kept->rows.at[at].len, 2ul);
            if (len_6 < 2ul) {
                kept->rows.at[at].items.at[len_6] = 9;
                kept->rows.at[at].len = (u32)(len_6 + 1ul);
            }
            bool full = len_6 >= 2ul;
            // lists.rs:+51
            words.at[7] = (u32)full;
        }
    }
    // lists.rs:+55
    u64 len = rs_min_u64((u64)kept->numbers.len, 6ul);
    RS_TRY(fn_double(&kept->numbers.items.at[0], len, &ann_budget));
    // lists.rs:+56
    u64 len_2 = rs_min_u64((u64)kept->lots.len, 4ul);
    u64 len_3 = rs_min_u64((u64)kept->numbers.len, 6ul);
    words.at[3] = ((u32)len_2) | (((u32)len_3) << 8u);
    // lists.rs:+57
    u64 len_4 = rs_min_u64((u64)kept->lots.len, 4ul);
    u32 folded = 1u;
    for (u64 i = 0ul; i < len_4; i += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        u32 number_of = fn_number_of(&kept->lots.items.at[i]);
        u32 hash = folded;
        folded = (hash * 31u) ^ number_of;
    }
    words.at[4] = folded;
    // lists.rs:+58
    u64 len_5 = rs_min_u64((u64)kept->numbers.len, 6ul);
    i32 total;
    RS_TRY(fn_total(&kept->numbers.items.at[0], len_5, &total, &ann_budget));
    words.at[5] = (u32)total;
    // lists.rs:+59
    u32 sum = 0u;
    for (u64 i = 0ul; i < 3ul; i += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        u64 len_6 = rs_min_u64((u64)kept->rows.at[i].len, 2ul);
        sum = sum + ((u32)len_6);
    }
    words.at[6] = sum;
    // lists.rs:+60
    u64 len_6 = rs_min_u64((u64)kept->lots.len, 4ul);
    Answer answer;
    answer.words = words;
    answer.sum = 0l;
    answer.x = 0.0f;
    answer.on = len_6 == 0ul;
    {
        GLOBAL Answer *ann_slot = (GLOBAL Answer *)ann_outbox_next(answers);
        if (ann_slot) *ann_slot = answer;
    }
    // lists.rs:+61
    return 0u;
}

#define ANN_MESSAGE Given
#define ANN_MESSAGE_BYTES 40
#define ANN_OUTPUT Answer
#define ANN_OUTPUT_BYTES 48
#define ANN_STATE Kept
#define ANN_SHAPE ANN_PER_ACTOR
#define ANN_KEYED 1
#define ANN_KEY(message) ((u64)(message)->key)
#define ANN_MAX_OUTPUTS 1
#define ANN_BINDING_PARAMETERS
#define ANN_BINDING_ENTRY
#define ANN_BINDING_ARGUMENTS
#define ANN_CALL(cx, message, state, outbox) handle_list_changes(message, state, outbox)
