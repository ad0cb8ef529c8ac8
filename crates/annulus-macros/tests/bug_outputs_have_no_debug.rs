//! What a kernel with several outboxes answers could not be printed: `{:?}` of a call's result did not compile.

use annulus::prelude::*;

#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(C)]
struct Number {
    value: u32,
}

/// It has no `Debug`, and need not have.
#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Silent {
    value: u32,
}

#[ring_kernel(mode = Batch)]
fn sort(number: &Number, even: &Outbox<Number>, r#type: &Outbox<Silent>) {
    if number.value.is_multiple_of(2) {
        even.send(*number);
    } else {
        r#type.send(Silent { value: number.value });
    }
}

/// A kernel whose name the macro might have used for a variable.
#[ring_kernel]
fn output(number: &Number, name: &Outbox<Number>, output: &Outbox<Number>) {
    name.send(*number);
    output.send(*number);
}

#[test]
fn outputs_are_shown() {
    let even = outputs_of_sort::even(Number { value: 2 });
    assert_eq!(format!("{even:?}"), "even(Number { value: 2 })");
    let odd: Result<outputs_of_sort, ()> = Ok(outputs_of_sort::r#type(Silent { value: 3 }));
    assert_eq!(format!("{odd:?}"), "Ok(type(..))");
    assert_eq!(format!("{:?}", outputs_of_output::name(Number { value: 1 })), "name(Number { value: 1 })");
}
