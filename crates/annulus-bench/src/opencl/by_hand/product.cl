/* The product of two matrices by one work-group of 256, as a person writes it. Contraction is off, as in Rust: answers
   are compared bit by bit. */
#pragma OPENCL FP_CONTRACT OFF

#define SIDE 256
#define TILE 16

__kernel __attribute__((reqd_work_group_size(256, 1, 1))) void product(
    __global const float *a, __global float *c, __global const float *b, uint rounds)
{
    __local float left[TILE][TILE];
    __local float right[TILE][TILE];
    const uint me = get_local_id(0);
    const uint row = me / TILE, column = me % TILE;
    for (uint round = 0; round < rounds; round++) {
        for (uint first_row = 0; first_row < SIDE; first_row += TILE) {
            for (uint first_column = 0; first_column < SIDE; first_column += TILE) {
                float sum = 0.0f;
                for (uint tile = 0; tile < SIDE; tile += TILE) {
                    left[row][column] = a[(first_row + row) * SIDE + tile + column];
                    right[row][column] = b[(tile + row) * SIDE + first_column + column];
                    barrier(CLK_LOCAL_MEM_FENCE);
                    for (uint k = 0; k < TILE; k++)
                        sum += left[row][k] * right[k][column];
                    barrier(CLK_LOCAL_MEM_FENCE);
                }
                c[(first_row + row) * SIDE + first_column + column] = sum;
            }
        }
    }
}
