/* The mean of a series' last eight values, as one writes it in OpenCL C. */

typedef struct { uint series; float value; } Sample;
typedef struct { float values[8]; uchar next, filled; } Window;

static u32 handle(GLOBAL const Sample *sample, PRIVATE Window *window, PRIVATE ann_outbox *means)
{
    window->values[window->next] = sample->value;
    window->next = (window->next + 1) % 8;
    window->filled = min(window->filled + 1, 8);
    float sum = 0;
    for (uint i = 0; i < window->filled; i++)
        sum += window->values[i];
    GLOBAL Sample *mean = (GLOBAL Sample *)ann_outbox_next(means);
    if (mean) {
        mean->series = sample->series;
        mean->value = sum / window->filled;
    }
    return 0;
}

#define ANN_MESSAGE Sample
#define ANN_OUTPUT Sample
#define ANN_STATE Window
#define ANN_KEY(message) (message)->series
#define ANN_CALL(cx, message, state, outbox) handle(message, state, outbox)
