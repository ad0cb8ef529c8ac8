/* Prints a vitals file of a test: its kernels, its shards, and the record that it ends with. */
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "annulus_abi.h"

static uint64_t check(uint64_t sum, const void *from, size_t bytes) {
    for (size_t at = 0; at < bytes; at += 8) {
        uint64_t word;
        memcpy(&word, (const char *)from + at, 8);
        sum = annulus_check_more(sum, word);
    }
    return annulus_check_end(sum);
}

int main(int count, char **arguments) {
    static char file[1 << 20];
    FILE *from = count == 2 ? fopen(arguments[1], "rb") : NULL;
    if (from == NULL) {
        return 2;
    }
    size_t bytes = fread(file, 1, sizeof file, from);
    fclose(from);
    annulus_vitals_header header;
    memcpy(&header, file, sizeof header);
    uint64_t begin = annulus_check_begin();
    if (header.magic != ANNULUS_VITALS_MAGIC || header.version != ANNULUS_VITALS_VERSION
        || header.check != check(begin, &header, offsetof(annulus_vitals_header, check))) {
        puts("the header is damaged");
        return 0;
    }
    printf("process %" PRIu32 ", %.16s, %.72s\n", header.pid, header.backend, header.device);
    for (uint32_t index = 0; index < header.kernels; index++) {
        annulus_kernel_entry kernel;
        memcpy(&kernel, file + header.kernels_offset + index * sizeof kernel, sizeof kernel);
        if (kernel.state == ANNULUS_KERNEL_FREE) {
            continue;
        }
        size_t constant = offsetof(annulus_kernel_entry, id);
        size_t covered = offsetof(annulus_kernel_entry, check) - constant;
        if (kernel.check != check(begin, (char *)&kernel + constant, covered)) {
            printf("kernel %" PRIu32 " is damaged\n", index);
            continue;
        }
        printf("kernel %.128s (%.128s): %" PRIu32 " shards of %" PRIu32 " threads, %.128s %" PRIu32 ":%" PRIu32
               ":%" PRIx64 ", %" PRIu64 " bytes of rings, %" PRIu64 " of states\n",
               kernel.name, kernel.kernel, kernel.grid, kernel.block, kernel.message, kernel.message_size,
               kernel.message_align, kernel.message_layout, kernel.memory.inbound, kernel.memory.states);
        for (uint32_t shard = 0; shard < kernel.grid; shard++) {
            annulus_shard_vitals vitals;
            memcpy(&vitals, file + header.shards_offset + (kernel.first_shard + shard) * sizeof vitals, sizeof vitals);
            printf("shard %" PRIu32 ": %" PRIu64 " processed, phase %" PRIu64, shard, vitals.control.processed,
                   vitals.at.phase);
            if (vitals.at.phase == ANNULUS_PHASE_IN_HANDLER) {
                printf(", message %" PRIu64 ", key %" PRIu64, vitals.at.number, vitals.at.key);
            }
            puts("");
        }
    }
    annulus_record record;
    memcpy(&record, file + bytes - sizeof record, sizeof record);
    uint64_t after_magic = annulus_check_more(begin, ANNULUS_VITALS_MAGIC);
    if (record.check != check(after_magic, &record, offsetof(annulus_record, check))) {
        puts("the record is damaged");
        return 0;
    }
    printf("record %" PRIu64 ": event %" PRIu32 " of launch %" PRIu64 ", %" PRIu64 "\n", record.number, record.event,
           record.kernel, record.values[0]);
    return 0;
}
