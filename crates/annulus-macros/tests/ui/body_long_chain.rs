//! A chain of too many `else if`s.
#![allow(unused_variables)]
use annulus::prelude::*;

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Reading {
    value: u32,
}

#[ring_kernel]
fn chain(reading: &Reading, state: &mut u32) {
    if reading.value == 0 {
        *state = 0;
    } else if reading.value == 1 {
        *state = 1;
    } else if reading.value == 2 {
        *state = 2;
    } else if reading.value == 3 {
        *state = 3;
    } else if reading.value == 4 {
        *state = 4;
    } else if reading.value == 5 {
        *state = 5;
    } else if reading.value == 6 {
        *state = 6;
    } else if reading.value == 7 {
        *state = 7;
    } else if reading.value == 8 {
        *state = 8;
    } else if reading.value == 9 {
        *state = 9;
    } else if reading.value == 10 {
        *state = 10;
    } else if reading.value == 11 {
        *state = 11;
    } else if reading.value == 12 {
        *state = 12;
    } else if reading.value == 13 {
        *state = 13;
    } else if reading.value == 14 {
        *state = 14;
    } else if reading.value == 15 {
        *state = 15;
    } else if reading.value == 16 {
        *state = 16;
    } else if reading.value == 17 {
        *state = 17;
    } else if reading.value == 18 {
        *state = 18;
    } else if reading.value == 19 {
        *state = 19;
    } else if reading.value == 20 {
        *state = 20;
    } else if reading.value == 21 {
        *state = 21;
    } else if reading.value == 22 {
        *state = 22;
    } else if reading.value == 23 {
        *state = 23;
    } else if reading.value == 24 {
        *state = 24;
    } else if reading.value == 25 {
        *state = 25;
    } else if reading.value == 26 {
        *state = 26;
    } else if reading.value == 27 {
        *state = 27;
    } else if reading.value == 28 {
        *state = 28;
    } else if reading.value == 29 {
        *state = 29;
    } else if reading.value == 30 {
        *state = 30;
    } else if reading.value == 31 {
        *state = 31;
    } else if reading.value == 32 {
        *state = 32;
    } else if reading.value == 33 {
        *state = 33;
    } else if reading.value == 34 {
        *state = 34;
    } else if reading.value == 35 {
        *state = 35;
    } else if reading.value == 36 {
        *state = 36;
    } else if reading.value == 37 {
        *state = 37;
    } else if reading.value == 38 {
        *state = 38;
    } else if reading.value == 39 {
        *state = 39;
    } else if reading.value == 40 {
        *state = 40;
    } else if reading.value == 41 {
        *state = 41;
    } else if reading.value == 42 {
        *state = 42;
    } else if reading.value == 43 {
        *state = 43;
    } else if reading.value == 44 {
        *state = 44;
    } else if reading.value == 45 {
        *state = 45;
    } else if reading.value == 46 {
        *state = 46;
    } else if reading.value == 47 {
        *state = 47;
    } else if reading.value == 48 {
        *state = 48;
    } else if reading.value == 49 {
        *state = 49;
    } else if reading.value == 50 {
        *state = 50;
    } else if reading.value == 51 {
        *state = 51;
    } else if reading.value == 52 {
        *state = 52;
    } else if reading.value == 53 {
        *state = 53;
    } else if reading.value == 54 {
        *state = 54;
    } else if reading.value == 55 {
        *state = 55;
    } else if reading.value == 56 {
        *state = 56;
    } else if reading.value == 57 {
        *state = 57;
    } else if reading.value == 58 {
        *state = 58;
    } else if reading.value == 59 {
        *state = 59;
    } else if reading.value == 60 {
        *state = 60;
    } else if reading.value == 61 {
        *state = 61;
    } else if reading.value == 62 {
        *state = 62;
    } else if reading.value == 63 {
        *state = 63;
    } else if reading.value == 64 {
        *state = 64;
    } else if reading.value == 65 {
        *state = 65;
    } else if reading.value == 66 {
        *state = 66;
    } else if reading.value == 67 {
        *state = 67;
    } else if reading.value == 68 {
        *state = 68;
    } else if reading.value == 69 {
        *state = 69;
    } else if reading.value == 70 {
        *state = 70;
    } else if reading.value == 71 {
        *state = 71;
    } else if reading.value == 72 {
        *state = 72;
    } else if reading.value == 73 {
        *state = 73;
    } else if reading.value == 74 {
        *state = 74;
    } else if reading.value == 75 {
        *state = 75;
    } else if reading.value == 76 {
        *state = 76;
    } else if reading.value == 77 {
        *state = 77;
    } else if reading.value == 78 {
        *state = 78;
    } else if reading.value == 79 {
        *state = 79;
    } else if reading.value == 80 {
        *state = 80;
    } else if reading.value == 81 {
        *state = 81;
    } else if reading.value == 82 {
        *state = 82;
    } else if reading.value == 83 {
        *state = 83;
    } else if reading.value == 84 {
        *state = 84;
    } else if reading.value == 85 {
        *state = 85;
    } else if reading.value == 86 {
        *state = 86;
    } else if reading.value == 87 {
        *state = 87;
    } else if reading.value == 88 {
        *state = 88;
    } else if reading.value == 89 {
        *state = 89;
    } else if reading.value == 90 {
        *state = 90;
    } else if reading.value == 91 {
        *state = 91;
    } else if reading.value == 92 {
        *state = 92;
    } else if reading.value == 93 {
        *state = 93;
    } else if reading.value == 94 {
        *state = 94;
    } else if reading.value == 95 {
        *state = 95;
    } else if reading.value == 96 {
        *state = 96;
    } else if reading.value == 97 {
        *state = 97;
    } else if reading.value == 98 {
        *state = 98;
    } else if reading.value == 99 {
        *state = 99;
    } else if reading.value == 100 {
        *state = 100;
    } else if reading.value == 101 {
        *state = 101;
    } else if reading.value == 102 {
        *state = 102;
    } else if reading.value == 103 {
        *state = 103;
    } else if reading.value == 104 {
        *state = 104;
    } else if reading.value == 105 {
        *state = 105;
    } else if reading.value == 106 {
        *state = 106;
    } else if reading.value == 107 {
        *state = 107;
    } else if reading.value == 108 {
        *state = 108;
    } else if reading.value == 109 {
        *state = 109;
    } else if reading.value == 110 {
        *state = 110;
    } else if reading.value == 111 {
        *state = 111;
    } else if reading.value == 112 {
        *state = 112;
    } else if reading.value == 113 {
        *state = 113;
    } else if reading.value == 114 {
        *state = 114;
    } else if reading.value == 115 {
        *state = 115;
    } else if reading.value == 116 {
        *state = 116;
    } else if reading.value == 117 {
        *state = 117;
    } else if reading.value == 118 {
        *state = 118;
    } else if reading.value == 119 {
        *state = 119;
    } else if reading.value == 120 {
        *state = 120;
    } else if reading.value == 121 {
        *state = 121;
    } else if reading.value == 122 {
        *state = 122;
    } else if reading.value == 123 {
        *state = 123;
    } else if reading.value == 124 {
        *state = 124;
    } else if reading.value == 125 {
        *state = 125;
    } else if reading.value == 126 {
        *state = 126;
    } else if reading.value == 127 {
        *state = 127;
    } else if reading.value == 128 {
        *state = 128;
    } else if reading.value == 129 {
        *state = 129;
    }
}

fn main() {}
