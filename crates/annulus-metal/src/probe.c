/* Each block copies the host's word into a line of its own, once all blocks have arrived or it has looked often enough; how many had
   arrived when it looked last is the line's second word. */
ANN_KERNEL void ann_probe(
    GLOBAL u32 *words ANN_BUFFER, ANN_NUMBER looks ANN_BUFFER, ANN_NUMBER all ANN_BUFFER ANN_PLACE_PARAMETERS)
{
    struct {
        ANN_PLACE
    } place;
    ann_take_place(&place);
    if (ann_thread(&place) == 0) {
        GLOBAL u32 *own = words + 64 + 32 * ann_block(&place);
        u32 number = ann_load_acquire_u32(words);
        u32 arrived = 0;
        ann_arrive_grid(words + 32);
        for (u64 i = 0; i < looks && arrived < all; i++)
            arrived = ann_load_acquire_u32(words + 32);
        ann_store_relaxed_u32(own + 1, arrived);
        ann_store_release_u32(own, number);
    }
    ann_barrier();
}

/* What the block's text does with memory: structures that are copied between address spaces, pointers within them, and a choice of
   pointers. */
typedef struct {
    u64 number;
    u32 parts[6];
} ann_probe_item;
typedef struct {
    ANN_PLACE
    GLOBAL u8 *items;
    LOCAL ann_probe_item *kept;
} ann_probe_view;
ANN_FUNCTION GLOBAL ann_probe_item *ann_probe_item_at(PRIVATE const ann_probe_view *v, u32 i)
{
    return (GLOBAL ann_probe_item *)v->items + i;
}

/* The buffers of each entry are numbered from 0 on. */
enum { ann_first_of_publish = __COUNTER__ + 1 };
#undef ANN_BUFFER
#define ANN_BUFFER [[buffer(__COUNTER__ - ann_first_of_publish)]]

/* Writes `count` items behind the words, each equal to its number in all parts, and then says so, while it goes on: until the host has
   answered, or for so many looks. The host must find all items as they were written. */
ANN_KERNEL void ann_publish(
    GLOBAL u32 *words ANN_BUFFER, ANN_NUMBER looks ANN_BUFFER, ANN_NUMBER count ANN_BUFFER ANN_PLACE_PARAMETERS)
{
    ANN_SHARED ann_probe_item kept;
    ann_probe_view view;
    ann_take_place(&view);
    view.items = (GLOBAL u8 *)(words + 64);
    view.kept = ann_shared_at(&kept);
    if (ann_thread(&view) == 0) {
        PRIVATE const ann_probe_view *v = &view;
        u32 number = ann_load_acquire_u32(words);
        for (u32 i = 0; i < count; i++) {
            ann_probe_item item;
            item.number = number + i;
            for (u32 part = 0; part < 6; part++)
                item.parts[part] = number + i;
            *v->kept = item;
            GLOBAL ann_probe_item *to = i == 0 ? (GLOBAL ann_probe_item *)v->items : ann_probe_item_at(v, i);
            if ((i & 1) == 0) {
                *to = *v->kept;
            } else {
                *to = *ann_probe_item_at(v, i - 1);
                item.number = to->number + 1;
                *to = item;
                ann_store_word((GLOBAL u8 *)to, ann_load_word((GLOBAL const u8 *)to));
            }
        }
        ann_store_release_u32(words + 32, number);
        u32 answer = 0;
        for (u64 i = 0; i < looks && answer != number; i++)
            answer = ann_load_acquire_u32(words + 1);
        ann_store_release_u32(words + 33, answer == number ? 2 : 1);
    }
    ann_barrier();
}
