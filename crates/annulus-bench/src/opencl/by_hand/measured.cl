/* Calls a handler for each message, `turns` times, without the rings. At the end of the states: a handler's eight taps, a number that makes
   one build unlike another, and how many calls have failed. */
__kernel void measured(GLOBAL const u8 *in, GLOBAL u8 *out, GLOBAL u8 *memory, u32 count, u32 turns)
{
    GLOBAL const ANN_MESSAGE *messages = (GLOBAL const ANN_MESSAGE *)in;
#ifdef ANN_STATE
    GLOBAL ANN_STATE *states = (GLOBAL ANN_STATE *)memory;
#endif
    GLOBAL void *taps = memory + 3072;
#ifdef BENCH_EMITTED_TAPS
    GLOBAL const f32_x8 *bind_taps = (GLOBAL const f32_x8 *)taps;
#else
    GLOBAL void *bind_taps = taps;
#endif
    ann_cx cx = {0, 1, 0};
    u32 failed = 0;
    for (u32 turn = 0; turn < turns; turn++) {
        for (u32 m = 0; m < count; m++) {
            PRIVATE ann_outbox outbox = {out, m, count - 1, sizeof(ANN_OUTPUT), 1, 0, 0};
#ifdef ANN_STATE
            PRIVATE ANN_STATE state = states[ANN_KEY(&messages[m]) % 64];
            u32 code = ANN_CALL(cx, &messages[m], &state, &outbox);
            if (code == 0)
                states[ANN_KEY(&messages[m]) % 64] = state;
#else
            u32 code = ANN_CALL(cx, &messages[m], 0, &outbox);
#endif
            failed += code != 0;
        }
    }
    ((GLOBAL u32 *)memory)[1022] = BENCH_NUMBER;
    ((GLOBAL u32 *)memory)[1023] = failed;
}
