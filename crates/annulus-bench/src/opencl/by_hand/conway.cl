/* One cell of Conway's life, as one writes it in OpenCL C. */

typedef struct { uchar cells[9]; } Neighbourhood;

static u32 handle(GLOBAL const Neighbourhood *neighbourhood, PRIVATE ann_outbox *cells)
{
    uint living = 0;
    for (uint i = 0; i < 9; i++)
        if (i != 4 && neighbourhood->cells[i])
            living++;
    GLOBAL uchar *alive = (GLOBAL uchar *)ann_outbox_next(cells);
    if (alive)
        *alive = living == 3 || (living == 2 && neighbourhood->cells[4]);
    return 0;
}

#define ANN_MESSAGE Neighbourhood
#define ANN_OUTPUT uchar
#define ANN_CALL(cx, message, state, outbox) handle(message, outbox)
