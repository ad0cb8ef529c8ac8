//! Heat on a plate: each thread has a point of it, and looks at its four neighbours.
//!
//! `cargo run -p annulus --example heat -- [cpu|opencl]`

mod common;

use annulus::prelude::*;

/// The plate's sides, in points.
const WIDTH: usize = 32;
const HEIGHT: usize = 16;

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Warm {
    steps: u32,
}

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Plate {
    warmth: [[f32; 32]; 16],
}

/// The plate after so many steps. Its edges stay cold; where `source` is above 0 it stays that warm.
#[ring_kernel(block = 512)]
fn heat(cx: &BlockCx, warm: &Warm, source: &[f32], out: &Outbox<Plate>) {
    let plate = cx.shared::<f32, 512>();
    let me = cx.thread_index() as usize;
    let (row, column) = (me / WIDTH, me % WIDTH);
    let inside = row > 0 && row + 1 < HEIGHT && column > 0 && column + 1 < WIDTH;
    let own = source[me];
    plate.set(me, own);
    cx.barrier();
    for _ in 0..warm.steps {
        let mut warmth = own;
        if inside && own == 0.0 {
            let around =
                plate.get(me - 1) + plate.get(me + 1) + plate.get(me - WIDTH) + plate.get(me + WIDTH);
            warmth = around / 4.0;
        }
        // All have read what the others now write.
        cx.barrier();
        plate.set(me, warmth);
        cx.barrier();
    }
    if cx.is_leader() {
        let mut warmth = [[0.0; 32]; 16];
        for row in 0..HEIGHT {
            for column in 0..WIDTH {
                warmth[row][column] = plate.get(row * WIDTH + column);
            }
        }
        out.send(Plate { warmth });
    }
}

fn main() -> std::process::ExitCode {
    common::run(|runtime| {
        let mut source = vec![0.0; WIDTH * HEIGHT];
        for row in 3..HEIGHT - 3 {
            source[row * WIDTH + 5] = 1.0;
        }
        source[8 * WIDTH + 24] = 1.0;
        let kernel = heat::bind(&source).launch(runtime, heat::options())?;
        for steps in [10, 100] {
            println!("after {steps} steps");
            for row in kernel.call_blocking(Warm { steps })?.warmth {
                let shade =
                    |warmth: f32| [' ', '.', ':', '-', '=', '+', '*', '#', '%', '@'][(warmth * 9.0) as usize];
                println!("{}", row.map(shade).into_iter().collect::<String>().trim_end());
            }
        }
        println!("{}", kernel.status());
        Ok(())
    })
}
