// The handler of kernel `kalman`, written from crates/annulus-conformance/src/kernels/real/signals.rs:+0 (module annulus_conformance::kernels::real::signals).
#pragma OPENCL FP_CONTRACT OFF

typedef struct Sample {
    u32 series;
    f32 value;
} Sample;
typedef char ann_size_of_Sample[sizeof(Sample) == 8 ? 1 : -1];

typedef struct Motion {
    u32 series;
    f32 position;
    f32 velocity;
} Motion;
typedef char ann_size_of_Motion[sizeof(Motion) == 12 ? 1 : -1];

typedef struct Covariance {
    f32 position;
    f32 both;
    f32 velocity;
} Covariance;
typedef char ann_size_of_Covariance[sizeof(Covariance) == 12 ? 1 : -1];

typedef struct Track {
    f32 position;
    f32 velocity;
    Covariance covariance;
    u8 known;
    u8 ann_pad0[3];
} Track;
typedef char ann_size_of_Track[sizeof(Track) == 24 ? 1 : -1];

typedef struct Noise {
    f32 movement;
    f32 measurement;
} Noise;
typedef char ann_size_of_Noise[sizeof(Noise) == 8 ? 1 : -1];

// signals.rs:-28: Track::predict
static void fn_Track_predict(PRIVATE Track *self, f32 movement) {
    // signals.rs:-27
    f32 position = self->covariance.position;
    f32 both = self->covariance.both;
    f32 velocity = self->covariance.velocity;
    // signals.rs:-26
    self->position = self->position + self->velocity;
    // signals.rs:-25
    Covariance covariance;
    covariance.position = (position + (2.0f * both)) + velocity;
    covariance.both = both + velocity;
    covariance.velocity = velocity + movement;
    self->covariance = covariance;
}

// signals.rs:-17: Track::correct
static void fn_Track_correct(PRIVATE Track *self, f32 measured, f32 noise) {
    // signals.rs:-16
    f32 position = self->covariance.position;
    f32 both = self->covariance.both;
    f32 velocity = self->covariance.velocity;
    // signals.rs:-15
    f32 off = measured - self->position;
    // signals.rs:-14
    f32 unsure = position + noise;
    // signals.rs:-13
    f32 gain = position / unsure;
    f32 gain_of_velocity = both / unsure;
    // signals.rs:-12
    self->position = self->position + (gain * off);
    // signals.rs:-11
    self->velocity = self->velocity + (gain_of_velocity * off);
    // signals.rs:-10
    Covariance covariance;
    covariance.position = position - (gain * position);
    covariance.both = both - (gain * both);
    covariance.velocity = velocity - (gain_of_velocity * both);
    self->covariance = covariance;
}

static u32 handle_kalman(GLOBAL const Sample *sample, PRIVATE Track *track, PRIVATE ann_outbox *motions, GLOBAL const Noise *noise) {
    // signals.rs:+1
    if (track->known) {
        // signals.rs:+2
        fn_Track_predict(track, noise->movement);
        // signals.rs:+3
        fn_Track_correct(track, sample->value, noise->measurement);
    } else {
        // signals.rs:+5
        Covariance covariance;
        covariance.position = noise->measurement;
        covariance.both = 0.0f;
        covariance.velocity = 1000.0f;
        // signals.rs:+6
        Track track_2;
        track_2.position = sample->value;
        track_2.velocity = 0.0f;
        track_2.covariance = covariance;
        track_2.known = true;
        (*track) = track_2;
    }
    // signals.rs:+8
    Motion motion;
    motion.series = sample->series;
    motion.position = track->position;
    motion.velocity = track->velocity;
    {
        GLOBAL Motion *ann_slot = (GLOBAL Motion *)ann_outbox_next(motions);
        if (ann_slot) *ann_slot = motion;
    }
    return 0u;
}

#define ANN_MESSAGE Sample
#define ANN_MESSAGE_BYTES 8
#define ANN_OUTPUT Motion
#define ANN_OUTPUT_BYTES 12
#define ANN_STATE Track
#define ANN_SHAPE ANN_PER_ACTOR
#define ANN_KEYED 1
#define ANN_KEY(message) ((u64)(message)->series)
#define ANN_MAX_OUTPUTS 1
#define ANN_BINDING_PARAMETERS , GLOBAL Noise *bind_noise, u64 len_of_bind_noise
#define ANN_BINDING_ENTRY , GLOBAL Noise *bind_noise ANN_BUFFER, ANN_NUMBER len_of_bind_noise ANN_BUFFER
#define ANN_BINDING_ARGUMENTS , bind_noise, len_of_bind_noise
#define ANN_CALL(cx, message, state, outbox) handle_kalman(message, state, outbox, bind_noise)
