/* A filter of eight taps, as one writes it in OpenCL C. */

typedef struct { uint series; float value; } Sample;
typedef struct { float values[8]; uchar next, filled; } Window;

static u32 handle(GLOBAL const Sample *sample, PRIVATE Window *window, PRIVATE ann_outbox *filtered, GLOBAL const float *taps)
{
    for (uint i = 7; i > 0; i--)
        window->values[i] = window->values[i - 1];
    window->values[0] = sample->value;
    float value = 0;
    for (uint i = 0; i < 8; i++)
        value = fma(window->values[i], taps[i], value);
    GLOBAL Sample *answer = (GLOBAL Sample *)ann_outbox_next(filtered);
    if (answer) {
        answer->series = sample->series;
        answer->value = value;
    }
    return 0;
}

#define ANN_MESSAGE Sample
#define ANN_OUTPUT Sample
#define ANN_STATE Window
#define ANN_KEY(message) (message)->series
#define ANN_CALL(cx, message, state, outbox) handle(message, state, outbox, (GLOBAL const float *)bind_taps)
