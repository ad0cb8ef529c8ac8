// The handler of kernel `trace`, written from crates/annulus-conformance/src/kernels/real/physics.rs:+0 (module annulus_conformance::kernels::real::physics).
#pragma OPENCL FP_CONTRACT OFF

typedef struct Vector {
    f32 x;
    f32 y;
    f32 z;
} Vector;
typedef char ann_size_of_Vector[sizeof(Vector) == 12 ? 1 : -1];

typedef struct Ray {
    u32 pixel;
    Vector origin;
    Vector direction;
} Ray;
typedef char ann_size_of_Ray[sizeof(Ray) == 28 ? 1 : -1];

typedef struct Hit {
    u32 pixel;
    u32 sphere;
    f32 distance_;
    Vector normal;
} Hit;
typedef char ann_size_of_Hit[sizeof(Hit) == 24 ? 1 : -1];

typedef struct Sphere {
    Vector centre;
    f32 radius;
} Sphere;
typedef char ann_size_of_Sphere[sizeof(Sphere) == 16 ? 1 : -1];

typedef struct Tuple_u64_f32 { u64 field_0; f32 field_1; } Tuple_u64_f32;

typedef struct Option_Tuple_u64_f32 { u8 tag; Tuple_u64_f32 some; } Option_Tuple_u64_f32;

typedef struct Option_f32 { u8 tag; f32 some; } Option_f32;

typedef struct f32_x2 { f32 at[2]; } f32_x2;

CONSTANT const Vector Vector_2 = { .x = 0.0f, .y = 0.0f, .z = 0.0f };

// physics.rs:-60: Vector::to
static Vector fn_Vector_to(Vector self, Vector other) {
    // physics.rs:-59
    Vector vector;
    vector.x = other.x - self.x;
    vector.y = other.y - self.y;
    vector.z = other.z - self.z;
    return vector;
}

// physics.rs:-65: Vector::dot
static f32 fn_Vector_dot(Vector self, Vector other) {
    // physics.rs:-64
    return ((self.x * other.x) + (self.y * other.y)) + (self.z * other.z);
}

// physics.rs:-20: meets
static u32 fn_meets(GLOBAL const Ray *ray, GLOBAL const Sphere *sphere, PRIVATE Option_f32 *ann_result, PRIVATE u32 *ann_budget) {
    // physics.rs:-19
    Vector to = fn_Vector_to(ray->origin, sphere->centre);
    // physics.rs:-18
    f32 a = fn_Vector_dot(ray->direction, ray->direction);
    // physics.rs:-17
    f32 b = fn_Vector_dot(ray->direction, to);
    // physics.rs:-16
    f32 dot_ = fn_Vector_dot(to, to);
    f32 c = dot_ - (sphere->radius * sphere->radius);
    // physics.rs:-15
    f32 discriminant = (b * b) - (a * c);
    // physics.rs:-14
    if (discriminant < 0.0f) {
        // physics.rs:-13
        Option_f32 option;
        option.tag = 0; // None
        *ann_result = option;
        return 0u;
    }
    // physics.rs:-11
    f32 root = rs_sqrt_f32(discriminant);
    // physics.rs:-10
    f32_x2 items;
    items.at[0] = (b - root) / a;
    items.at[1] = (b + root) / a;
    for (u64 i = 0ul; i < 2ul; i += 1) {
        if ((*ann_budget)-- == 0u) return 0xFF07u; // loop budget exhausted
        f32 distance_ = items.at[i];
        // physics.rs:-9
        if (distance_ > 0.0f) {
            // physics.rs:-8
            Option_f32 option;
            option.tag = 1; // Some
            option.some = distance_;
            *ann_result = option;
            return 0u;
        }
    }
    // physics.rs:-5
    Option_f32 option;
    option.tag = 0; // None
    *ann_result = option;
    return 0u;
}

// physics.rs:-55: Vector::along
static Vector fn_Vector_along(Vector self, Vector by, f32 times) {
    // physics.rs:-54
    Vector vector;
    vector.x = self.x + (by.x * times);
    vector.y = self.y + (by.y * times);
    vector.z = self.z + (by.z * times);
    return vector;
}

static u32 handle_trace(GLOBAL const Ray *ray, PRIVATE ann_outbox *hits, GLOBAL const Sphere *spheres, u64 spheres_len) {
    u32 ann_budget = 16777216u;
    // physics.rs:+1
    Option_Tuple_u64_f32 nearest;
    nearest.tag = 0; // None
    // physics.rs:+2
    for (u64 i = 0ul; i < spheres_len; i += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        // physics.rs:+3
        Option_f32 meets;
        RS_TRY(fn_meets(ray, &spheres[i], &meets, &ann_budget));
        if (meets.tag == 1) {
            f32 distance_ = meets.some;
            // physics.rs:+4
            if ((nearest.tag == 1) && (nearest.some.field_1 <= distance_)) {
                // physics.rs:+5
                f32 least = nearest.some.field_1;
            } else {
                // physics.rs:+6
                Tuple_u64_f32 tuple;
                tuple.field_0 = i;
                tuple.field_1 = distance_;
                Option_Tuple_u64_f32 option;
                option.tag = 1; // Some
                option.some = tuple;
                nearest = option;
            }
        }
    }
    // physics.rs:+10
    if (nearest.tag == 1) {
        u64 i = nearest.some.field_0;
        f32 distance_ = nearest.some.field_1;
        // physics.rs:+11
        if (i >= spheres_len) return 0xFF04u; // index out of bounds
        Vector centre = spheres[i].centre;
        f32 radius = spheres[i].radius;
        // physics.rs:+12
        Vector at = fn_Vector_along(ray->origin, ray->direction, distance_);
        // physics.rs:+13
        Vector to = fn_Vector_to(centre, at);
        Vector normal = fn_Vector_along(Vector_2, to, 1.0f / radius);
        // physics.rs:+14
        Hit hit;
        hit.pixel = ray->pixel;
        hit.sphere = (u32)i;
        hit.distance_ = distance_;
        hit.normal = normal;
        {
            GLOBAL Hit *ann_slot = (GLOBAL Hit *)ann_outbox_next(hits);
            if (ann_slot) *ann_slot = hit;
        }
    }
    return 0u;
}

#define ANN_MESSAGE Ray
#define ANN_MESSAGE_BYTES 28
#define ANN_OUTPUT Hit
#define ANN_OUTPUT_BYTES 24
#define ANN_SHAPE ANN_STATELESS
#define ANN_KEYED 0
#define ANN_MAX_OUTPUTS 1
#define ANN_BINDING_PARAMETERS , GLOBAL Sphere *bind_spheres, u64 len_of_bind_spheres
#define ANN_BINDING_ENTRY , GLOBAL Sphere *bind_spheres ANN_BUFFER, ANN_NUMBER len_of_bind_spheres ANN_BUFFER
#define ANN_BINDING_ARGUMENTS , bind_spheres, len_of_bind_spheres
#define ANN_CALL(cx, message, state, outbox) handle_trace(message, outbox, bind_spheres, len_of_bind_spheres)
