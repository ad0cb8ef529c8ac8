// The handler of kernel `haversine`, written from crates/annulus-conformance/src/kernels/real/places.rs:+0 (module annulus_conformance::kernels::real::places).
#pragma OPENCL FP_CONTRACT OFF

typedef struct Coordinates {
    f32 latitude;
    f32 longitude;
} Coordinates;
typedef char ann_size_of_Coordinates[sizeof(Coordinates) == 8 ? 1 : -1];

typedef struct Journey {
    Coordinates from;
    Coordinates to;
} Journey;
typedef char ann_size_of_Journey[sizeof(Journey) == 16 ? 1 : -1];

typedef struct Kilometres {
    f32 value;
} Kilometres;
typedef char ann_size_of_Kilometres[sizeof(Kilometres) == 4 ? 1 : -1];

static u32 handle_haversine(GLOBAL const Journey *journey, PRIVATE ann_outbox *lengths) {
    // places.rs:+3
    Coordinates from = journey->from;
    Coordinates to = journey->to;
    // places.rs:+4
    f32 up = rs_sin_f32(((to.latitude - from.latitude) * 0.017453292f) / 2.0f);
    // places.rs:+5
    f32 across = rs_sin_f32(((to.longitude - from.longitude) * 0.017453292f) / 2.0f);
    // places.rs:+6
    f32 from_2 = from.latitude * 0.017453292f;
    f32 to_2 = to.latitude * 0.017453292f;
    // places.rs:+7
    f32 haversine = (up * up) + (((rs_cos_f32(from_2) * rs_cos_f32(to_2)) * across) * across);
    // places.rs:+8
    Kilometres kilometres;
    kilometres.value = (2.0f * 6371.0f) * rs_asin_f32(rs_sqrt_f32(rs_min_f32(haversine, 1.0f)));
    {
        GLOBAL Kilometres *ann_slot = (GLOBAL Kilometres *)ann_outbox_next(lengths);
        if (ann_slot) *ann_slot = kilometres;
    }
    return 0u;
}

#define ANN_MESSAGE Journey
#define ANN_MESSAGE_BYTES 16
#define ANN_OUTPUT Kilometres
#define ANN_OUTPUT_BYTES 4
#define ANN_SHAPE ANN_STATELESS
#define ANN_KEYED 0
#define ANN_MAX_OUTPUTS 1
#define ANN_BINDING_PARAMETERS
#define ANN_BINDING_ENTRY
#define ANN_BINDING_ARGUMENTS
#define ANN_CALL(cx, message, state, outbox) handle_haversine(message, outbox)
