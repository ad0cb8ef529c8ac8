// What a compiled program and whoever runs it tell each other.

struct ann_index {
    unsigned x, y, z;
};

// A GPU thread's place.
struct ann_place {
    ann_index thread, block, block_size, grid_size;
};

// What the driver does for the program's GPU threads: the functions that `device.hpp` explains.
struct ann_machine {
    const ann_place *(*place)();
    void (*barrier)(unsigned line);
    void (*look)();
    void (*stored)(bool is_published);
    void (*sleep)(unsigned nanos);
    unsigned long long (*clock)();
    void (*fault)(const char *what, const void *address);
    void (*meet)();
    void (*warp)(unsigned mask, unsigned line);
};

// A kernel: the sizes of its parameters, and what calls it with them.
struct ann_kernel {
    const char *name;
    unsigned most_threads, parameters;
    const size_t *sizes;
    void (*call)(void *const *parameters);
};

// The one name that each compiled program has.
struct ann_program {
    unsigned architecture;
    const ann_machine **machine;
    unsigned kernel_count;
    const ann_kernel *kernels;
    // Makes this thread's copy of the block's memory.
    void (*touch)();
};
