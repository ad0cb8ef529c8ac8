use annulus::prelude::*;

#[derive(ErrorCode, Clone, Copy)]
struct NoEnum;

#[derive(ErrorCode, Clone, Copy)]
enum NoVariants {}

#[derive(ErrorCode, Clone, Copy)]
enum FromZero {
    First,
    Second,
}

#[derive(ErrorCode, Clone, Copy)]
enum WithFields<T> {
    First(u32),
    Second { more: T },
}

#[derive(ErrorCode, Clone, Copy)]
enum OutOfRange {
    Zero = 0,
    Own = 0xFF00,
}

fn main() {}
