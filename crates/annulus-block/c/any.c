/* The block: outputs for any of the connected kernels (`ANN_ANY`). Each is offered to one kernel after the other, from the one
   whose turn it is, until one takes it. What none takes waits, or is lost, by the last place. */

#ifdef ANN_ANY

/* What the kernels that may take this output can do with it now: ANN_SOME_HAS_ROOM, ANN_SOME_WAITS, both, or 0. */
ANN_FUNCTION u32 ann_look_around(PRIVATE const ann_view *v, GLOBAL const u8 *output)
{
    u32 found = 0;
    for (u32 place = 0; place < ANN_PEERS; place++) {
        LOCAL const ann_link *l = ANN_LINK(v, place);
        u32 keyed = ANN_PORT_IS_KEYED(place) && l->grid != 0;
        u32 block = keyed ? (u32)(ANN_PORT_KEY(place, output) % l->grid) : 0;
        u32 end = keyed ? block + 1 : l->grid;
        for (; block < end; block++) {
            GLOBAL u8 *ring = ann_ring_of(v, l, block);
            u32 reserved = ann_device_load_relaxed_u32(ANN_U32(ring, ANN_DEVICE_LOCAL_RESERVED));
            if ((reserved & ANN_DEVICE_LOCAL_CLOSED) != 0)
                continue;
            found |= ann_has_room(v, l, block) ? ANN_SOME_HAS_ROOM : 0;
            found |= l->waits ? ANN_SOME_WAITS : 0;
        }
    }
    return found;
}

#if ANN_LAUNCH_THREADS == 1

/* Offers number `k`, an output for any, to the kernel of a place. Returns as `ann_device_local_reserve`. */
ANN_FUNCTION u32 ann_offer_to(PRIVATE const ann_view *v, u32 place, u32 k)
{
    LOCAL const ann_link *l = ANN_LINK(v, place);
    LOCAL ann_port *port = &v->shared->ports[place];
    u32 keyed = ANN_PORT_IS_KEYED(place);
    u32 blocks = keyed ? 1 : l->grid;
    u32 closed = 0;
    for (u32 i = 0; i < blocks; i++) {
        u32 block = keyed ? (u32)(ANN_PORT_KEY(place, ann_held_at(v, k)) % l->grid) : port->dealt % l->grid;
        u32 first = 0;
        GLOBAL u8 *ring = ann_ring_of(v, l, block);
        u32 granted = ann_device_local_reserve(l, ring, ann_look_at_tickets(ring), 1, &first);
        port->dealt = block + 1 < l->grid ? block + 1 : 0;
        if (granted == ANN_DEVICE_LOCAL_CLOSED) {
            closed += 1;
        } else if (granted != 0) {
            /* From here on it is as one with the address of this kernel. */
            *(GLOBAL u64 *)ann_held_at(v, k) = v->shared->peers[place];
            ann_send_row_for(v, place, k, ring, first, 1);
            return 1;
        }
    }
    return closed == blocks ? ANN_DEVICE_LOCAL_CLOSED : 0;
}

/* Offers number `k`, an output for any, to one kernel after the other, from the one whose turn it is. Returns 1 if one has
   taken it; 0 if it has to wait; or ANN_DEVICE_LOCAL_CLOSED if it is lost. */
/* TWIN: offer_around */
ANN_FUNCTION u32 ann_offer_around(PRIVATE const ann_view *v, u32 k)
{
    LOCAL ann_state *s = &v->shared->state;
    u32 waits = 0;
    for (u32 i = 0; i < ANN_PEERS; i++) {
        u32 place = (s->dealt + i) % ANN_PEERS;
        if (ANN_LINK(v, place)->grid == 0)
            continue;
        u32 offered = ann_offer_to(v, place, k);
        if (offered == 1) {
            s->dealt = (place + 1) % ANN_PEERS;
            return 1;
        }
        waits |= offered == 0 && ANN_LINK(v, place)->waits;
    }
    return waits ? 0 : ANN_DEVICE_LOCAL_CLOSED;
}

/* Sends what is for any, in order; the first that no kernel has room for stops those behind it. What is for nobody is lost.
   Returns how many have to wait. */
/* TWIN: deliver_to_any */
ANN_FUNCTION u32 ann_send_to_any(PRIVATE const ann_view *v)
{
    u32 k = v->shared->state.pending_from;
    u32 waits = 0;
    for (u32 left = v->shared->ports[ANN_PEERS].wanted; left != 0; left--) {
        k = ann_next_for(v, ANN_PEERS, k);
        u32 became = ANN_DEVICE_LOCAL_CLOSED;
        if (ANN_IS_FOR_ANY(ann_held_at(v, k)))
            became = waits != 0 ? 0 : ann_offer_around(v, k);
        waits += became == 0;
        if (became == ANN_DEVICE_LOCAL_CLOSED)
            ann_lose_row(v, ANN_PEERS, k, 1);
        k += 1;
    }
    return waits;
}

#else

/* How many places lead to kernels. */
ANN_FUNCTION u32 ann_linked_places(PRIVATE const ann_view *v)
{
    u32 linked = 0;
    for (u32 place = 0; place < ANN_PEERS; place++)
        linked += ANN_LINK(v, place)->grid != 0;
    return linked;
}

/* The place of such a number among those that lead to kernels, from the one whose turn it is; the last place if there is
   none. */
ANN_FUNCTION u32 ann_place_in_turn(PRIVATE const ann_view *v, u32 number)
{
    u32 linked = ann_linked_places(v);
    if (linked == 0)
        return ANN_PEERS;
    u32 before = number % linked;
    u32 place = v->shared->state.dealt % ANN_PEERS;
    for (;;) {
        u32 is_linked = ANN_LINK(v, place)->grid != 0;
        if (is_linked && before == 0)
            return place;
        before -= is_linked;
        place = (place + 1) % ANN_PEERS;
    }
}

/* How many outputs for any kernel, in front of this one, have not gone. Asked when a pass begins: what goes in its rounds
   must not change whom the others are offered to, else some are offered twice to one kernel, and never to another. */
ANN_FUNCTION u32 ann_for_any_before(PRIVATE const ann_view *v, u32 k)
{
    u32 count = 0;
    for (u32 j = 0; j < k; j++) {
        GLOBAL const ann_parcel *other = ann_parcel_at(v, j);
        count += other->source != ANN_GONE && ANN_IS_FOR_ANY(v->outputs + (u64)other->source * ANN_OUTPUT_STRIDE);
    }
    return count;
}

/* The place that an output is offered to in this round of a pass. In the first one go those with an address of a kernel's own.
   In each of the others what is for any is offered to the next place, until each was asked. ANN_PORTS: to none. */
ANN_FUNCTION u32 ann_place_in_round(PRIVATE const ann_view *v, GLOBAL const u8 *output, u32 k, u32 round)
{
    u32 place = ANN_PORT_OF(output);
    if (!ANN_IS_FOR_ANY(output))
        return round == 0 ? place : ANN_PORTS;
    /* Of a kernel that is connected no more, it goes to the host. */
    if (ANN_LINK(v, place)->grid == 0)
        return ANN_PORTS;
    if (round == 0) {
        ann_parcel_at(v, k)->number = ann_for_any_before(v, k);
        ann_count_up_by(&v->shared->any, 1);
        return ANN_PORTS;
    }
    return ann_place_in_turn(v, ann_parcel_at(v, k)->number + round - 1);
}

#endif

#endif
