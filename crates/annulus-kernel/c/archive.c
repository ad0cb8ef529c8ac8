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
