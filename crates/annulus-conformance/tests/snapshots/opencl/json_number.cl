// The handler of kernel `json_number`, written from crates/annulus-conformance/src/kernels/real/text.rs:+0 (module annulus_conformance::kernels::real::text).
#pragma OPENCL FP_CONTRACT OFF

typedef struct u8_x31 { u8 at[31]; } u8_x31;

typedef struct Bytes {
    u8 len;
    u8_x31 bytes;
} Bytes;
typedef char ann_size_of_Bytes[sizeof(Bytes) == 32 ? 1 : -1];

typedef union Token {
    u32 tag; // 0u Integer, 1u Real, 2u TooLong, 3u None
    struct {
        u32 ann_tag;
        u8 ann_pad0[4];
        i64 value;
        u8 len;
        u8 ann_pad1[7];
    } Integer;
    struct {
        u32 ann_tag;
        u8 ann_pad0[4];
        i64 digits;
        i32 exponent;
        u8 len;
        u8 ann_pad1[3];
    } Real;
} Token;
typedef char ann_size_of_Token[sizeof(Token) == 24 ? 1 : -1];
typedef char ann_size_of_Token_Integer[sizeof(((PRIVATE Token *)0)->Integer) == 24 ? 1 : -1];
typedef char ann_size_of_Token_Real[sizeof(((PRIVATE Token *)0)->Real) == 24 ? 1 : -1];

typedef struct Option_Token { u8 tag; Token some; } Option_Token;

typedef struct Cursor {
    u8 at;
    u8 digits;
} Cursor;
typedef char ann_size_of_Cursor[sizeof(Cursor) == 2 ? 1 : -1];

typedef struct Option_void { u8 tag; } Option_void;

typedef struct Option_u8 { u8 tag; u8 some; } Option_u8;

// text.rs:-56: Cursor::letter
static bool fn_Cursor_letter(PRIVATE Cursor *self, GLOBAL const Bytes *text, u8 letter) {
    // text.rs:-55
    bool both = self->at < text->len;
    if (both) {
        u64 at = (u64)self->at;
        bool there = at < 31ul;
        u8 copy;
        if (there) {
            copy = text->bytes.at[at];
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
        option_2.some = letter;
        both = (option.tag == option_2.tag) && ((option.tag != 1) || (option.some == option_2.some));
    }
    // text.rs:-54
    self->at = rs_add_u8(self->at, (u8)both);
    // text.rs:-53
    return both;
}

// text.rs:-70: Cursor::number
static u32 fn_Cursor_number(PRIVATE Cursor *self, GLOBAL const Bytes *text, PRIVATE i64 *value, PRIVATE Option_void *ann_result, PRIVATE u32 *ann_budget) {
    // text.rs:-69
    self->digits = 0;
    // text.rs:-68
    for (;;) {
        u64 at = (u64)self->at;
        bool there = at < 31ul;
        if (!(there && ((text->bytes.at[at] >= 48) && (text->bytes.at[at] <= 57)))) {
            break;
        }
        u8 digit = text->bytes.at[at];
        if ((*ann_budget)-- == 0u) return 0xFF07u; // loop budget exhausted
        // text.rs:-67
        if (self->at >= text->len) {
            // text.rs:-66
            break;
        }
        // text.rs:-64
        i64 operand = (*value);
        if (rs_overflows_mul_i64(operand, 10l)) {
            Option_void given;
            given.tag = 0; // None
            *ann_result = given;
            return 0u;
        }
        i64 operand_2 = rs_mul_i64(operand, 10l);
        i64 operand_3 = (i64)rs_sub_u8(digit, 48);
        if (rs_overflows_add_i64(operand_2, operand_3)) {
            Option_void given_2;
            given_2.tag = 0; // None
            *ann_result = given_2;
            return 0u;
        }
        (*value) = rs_add_i64(operand_2, operand_3);
        // text.rs:-63
        self->at = rs_add_u8(self->at, 1);
        // text.rs:-62
        self->digits = rs_add_u8(self->digits, 1);
    }
    // text.rs:-60
    Option_void option;
    option.tag = 1; // Some
    *ann_result = option;
    return 0u;
}

// text.rs:-47: json_token
static u32 fn_json_token(GLOBAL const Bytes *text, PRIVATE Option_Token *ann_result, PRIVATE u32 *ann_budget) {
    // text.rs:-46
    Cursor cursor;
    cursor.at = 0;
    cursor.digits = 0;
    // text.rs:-45
    bool negative = fn_Cursor_letter(&cursor, text, 45);
    // text.rs:-44
    i64 value = 0l;
    // text.rs:-43
    i32 exponent = 0;
    // text.rs:-42
    bool letter = fn_Cursor_letter(&cursor, text, 48);
    if (letter) {
        // text.rs:-41
        cursor.digits = 1;
    } else {
        // text.rs:-39
        Option_void number;
        RS_TRY(fn_Cursor_number(&cursor, text, &value, &number, ann_budget));
        if (number.tag != 1) {
            Option_Token given;
            given.tag = 0; // None
            *ann_result = given;
            return 0u;
        }
    }
    // text.rs:-37
    if (cursor.digits == 0) {
        // text.rs:-36
        Token token;
        token.tag = 3u; // None
        Option_Token option;
        option.tag = 1; // Some
        option.some = token;
        *ann_result = option;
        return 0u;
    }
    // text.rs:-34
    Cursor end = cursor;
    // text.rs:-33
    bool letter_2 = fn_Cursor_letter(&cursor, text, 46);
    if (letter_2) {
        // text.rs:-32
        Option_void number;
        RS_TRY(fn_Cursor_number(&cursor, text, &value, &number, ann_budget));
        if (number.tag != 1) {
            Option_Token given;
            given.tag = 0; // None
            *ann_result = given;
            return 0u;
        }
        // text.rs:-31
        if (cursor.digits > 0) {
            // text.rs:-30
            exponent = rs_neg_i32((i32)cursor.digits);
            // text.rs:-29
            end = cursor;
        }
    }
    // text.rs:-26
    bool both = end.at == cursor.at;
    if (both) {
        bool letter_3 = fn_Cursor_letter(&cursor, text, 101);
        both = letter_3;
        if (!both) {
            both = fn_Cursor_letter(&cursor, text, 69);
        }
    }
    if (both) {
        // text.rs:-25
        bool down = fn_Cursor_letter(&cursor, text, 45);
        // text.rs:-24
        if (!down) {
            // text.rs:-23
            bool letter_3 = fn_Cursor_letter(&cursor, text, 43);
        }
        // text.rs:-21
        i64 power = 0l;
        // text.rs:-20
        Option_void number;
        RS_TRY(fn_Cursor_number(&cursor, text, &power, &number, ann_budget));
        if (number.tag != 1) {
            Option_Token given;
            given.tag = 0; // None
            *ann_result = given;
            return 0u;
        }
        // text.rs:-19
        if (cursor.digits > 0) {
            // text.rs:-18
            if (power > 9999l) {
                // text.rs:-17
                Option_Token option;
                option.tag = 0; // None
                *ann_result = option;
                return 0u;
            }
            // text.rs:-15
            exponent = rs_add_i32(exponent, down ? rs_neg_i32((i32)power) : ((i32)power));
            // text.rs:-14
            end = cursor;
        }
    }
    // text.rs:-11
    i64 value_2 = negative ? rs_neg_i64(value) : value;
    // text.rs:-10
    u8 len = end.at;
    // text.rs:-9
    Token chosen;
    if (exponent == 0) {
        // text.rs:-8
        chosen.tag = 0u; // Integer
        chosen.Integer.value = value_2;
        chosen.Integer.len = len;
    } else {
        // text.rs:-6
        chosen.tag = 1u; // Real
        chosen.Real.digits = value_2;
        chosen.Real.exponent = exponent;
        chosen.Real.len = len;
    }
    Option_Token option;
    option.tag = 1; // Some
    option.some = chosen;
    *ann_result = option;
    return 0u;
}

static u32 handle_json_number(GLOBAL const Bytes *text, PRIVATE ann_outbox *tokens) {
    u32 ann_budget = 16777216u;
    // text.rs:+1
    Option_Token json_token;
    RS_TRY(fn_json_token(text, &json_token, &ann_budget));
    Token token;
    token.tag = 2u; // TooLong
    Token chosen;
    if (json_token.tag == 1) {
        chosen = json_token.some;
    } else {
        chosen = token;
    }
    {
        GLOBAL Token *ann_slot = (GLOBAL Token *)ann_outbox_next(tokens);
        if (ann_slot) *ann_slot = chosen;
    }
    return 0u;
}

#define ANN_MESSAGE Bytes
#define ANN_MESSAGE_BYTES 32
#define ANN_OUTPUT Token
#define ANN_OUTPUT_BYTES 24
#define ANN_SHAPE ANN_STATELESS
#define ANN_KEYED 0
#define ANN_MAX_OUTPUTS 1
#define ANN_BINDING_PARAMETERS
#define ANN_BINDING_ENTRY
#define ANN_BINDING_ARGUMENTS
#define ANN_CALL(cx, message, state, outbox) handle_json_number(message, outbox)
