// The handler of kernel `n_body`, written from crates/annulus-conformance/src/kernels/real/physics.rs:+0 (module annulus_conformance::kernels::real::physics).
#pragma OPENCL FP_CONTRACT OFF

typedef struct Tick {
    f32 seconds;
} Tick;
typedef char ann_size_of_Tick[sizeof(Tick) == 4 ? 1 : -1];

typedef struct Energy {
    f32 kinetic;
    f32 potential;
} Energy;
typedef char ann_size_of_Energy[sizeof(Energy) == 8 ? 1 : -1];

typedef struct Vector {
    f32 x;
    f32 y;
    f32 z;
} Vector;
typedef char ann_size_of_Vector[sizeof(Vector) == 12 ? 1 : -1];

typedef struct Body {
    Vector position;
    Vector velocity;
    f32 mass;
} Body;
typedef char ann_size_of_Body[sizeof(Body) == 28 ? 1 : -1];

// physics.rs:-104: Vector::to
static Vector fn_Vector_to(Vector self, Vector other) {
    // physics.rs:-103
    Vector vector;
    vector.x = other.x - self.x;
    vector.y = other.y - self.y;
    vector.z = other.z - self.z;
    return vector;
}

// physics.rs:-109: Vector::dot
static f32 fn_Vector_dot(Vector self, Vector other) {
    // physics.rs:-108
    return ((self.x * other.x) + (self.y * other.y)) + (self.z * other.z);
}

// physics.rs:-99: Vector::along
static Vector fn_Vector_along(Vector self, Vector by, f32 times) {
    // physics.rs:-98
    Vector vector;
    vector.x = self.x + (by.x * times);
    vector.y = self.y + (by.y * times);
    vector.z = self.z + (by.z * times);
    return vector;
}

// physics.rs:+19: kick
static u32 fn_kick(GLOBAL Body *bodies, u64 bodies_len, f32 seconds, PRIVATE u32 *ann_budget) {
    // physics.rs:+20
    for (u64 i = 0ul; i < bodies_len; i += 1) {
        if ((*ann_budget)-- == 0u) return 0xFF07u; // loop budget exhausted
        // physics.rs:+21
        for (u64 j = 0ul; j < bodies_len; j += 1) {
            if ((*ann_budget)-- == 0u) return 0xFF07u; // loop budget exhausted
            // physics.rs:+22
            if (i != j) {
                // physics.rs:+23
                Vector to = fn_Vector_to(bodies[i].position, bodies[j].position);
                // physics.rs:+24
                f32 squared = fn_Vector_dot(to, to);
                // physics.rs:+25
                f32 pull = bodies[j].mass / (squared * rs_sqrt_f32(squared));
                // physics.rs:+26
                Vector along = fn_Vector_along(bodies[i].velocity, to, pull * seconds);
                bodies[i].velocity = along;
            }
        }
    }
    return 0u;
}

static u32 handle_n_body(GLOBAL const Tick *tick, PRIVATE ann_outbox *energies, GLOBAL Body *bodies, u64 bodies_len) {
    u32 ann_budget = 16777216u;
    // physics.rs:+1
    RS_TRY(fn_kick(bodies, bodies_len, tick->seconds / 2.0f, &ann_budget));
    // physics.rs:+2
    for (u64 i = 0ul; i < bodies_len; i += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        // physics.rs:+3
        Vector along = fn_Vector_along(bodies[i].position, bodies[i].velocity, tick->seconds);
        bodies[i].position = along;
    }
    // physics.rs:+5
    RS_TRY(fn_kick(bodies, bodies_len, tick->seconds / 2.0f, &ann_budget));
    // physics.rs:+6
    Energy energy;
    energy.kinetic = 0.0f;
    energy.potential = 0.0f;
    // physics.rs:+7
    for (u64 i = 0ul; i < bodies_len; i += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        // physics.rs:+8
        f32 dot_ = fn_Vector_dot(bodies[i].velocity, bodies[i].velocity);
        energy.kinetic = energy.kinetic + ((bodies[i].mass * dot_) / 2.0f);
        // physics.rs:+9
        if (0ul > i) return 0xFF04u; // index out of bounds
        if (i > bodies_len) return 0xFF04u; // index out of bounds
        for (u64 i_2 = 0ul; i_2 < i; i_2 += 1) {
            if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
            // physics.rs:+10
            Vector to = fn_Vector_to(bodies[i].position, bodies[i_2].position);
            // physics.rs:+11
            f32 dot__2 = fn_Vector_dot(to, to);
            energy.potential = energy.potential - ((bodies[i].mass * bodies[i_2].mass) / rs_sqrt_f32(dot__2));
        }
    }
    // physics.rs:+14
    {
        GLOBAL Energy *ann_slot = (GLOBAL Energy *)ann_outbox_next(energies);
        if (ann_slot) *ann_slot = energy;
    }
    return 0u;
}

#define ANN_MESSAGE Tick
#define ANN_MESSAGE_BYTES 4
#define ANN_OUTPUT Energy
#define ANN_OUTPUT_BYTES 8
#define ANN_SHAPE ANN_WHOLE
#define ANN_KEYED 0
#define ANN_MAX_OUTPUTS 1
#define ANN_BINDING_PARAMETERS , GLOBAL Body *bind_bodies, u64 len_of_bind_bodies
#define ANN_BINDING_ENTRY , GLOBAL Body *bind_bodies ANN_BUFFER, ANN_NUMBER len_of_bind_bodies ANN_BUFFER
#define ANN_BINDING_ARGUMENTS , bind_bodies, len_of_bind_bodies
#define ANN_CALL(cx, message, state, outbox) handle_n_body(message, outbox, bind_bodies, len_of_bind_bodies)
