//! Kernels of the cases.

use annulus::prelude::*;

#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(C)]
pub(super) struct Number {
    pub(super) value: u64,
}

#[ring_kernel]
pub(super) fn double(number: &Number, out: &Outbox<Number>) {
    out.send(Number { value: number.value.wrapping_mul(2) });
}

#[ring_kernel]
pub(super) fn total(number: &Number, sum: &mut u64) {
    *sum = sum.wrapping_add(number.value);
}

#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(C)]
pub(super) struct Answered {
    pub(super) answer: Answer<Number>,
}

#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(u32)]
pub(super) enum Asked {
    #[ring(from)]
    Number(Number),
    #[ring(from)]
    Answered(Answered),
}

#[ring_kernel]
pub(super) fn doubled(asked: &Asked, out: &Outbox<Number>, twice: &Ask<Number, Answered>) {
    match asked {
        Asked::Number(number) => {
            let answer = Answer { ended: 0, code: 0, value: Number { value: 0 } };
            twice.send(*number, Answered { answer }, 1_000_000_000);
        }
        Asked::Answered(answered) => out.send(answered.answer.value),
    }
}
