//! Conway's game of life, a message per cell: the least that a kernel can be, a function of its message.
//!
//! `cargo run -p annulus --example life -- [cpu|opencl]`
//!
//! The kernel has no state, so its blocks may handle the cells of a generation in any order, side by side. What it sends says which
//! cell it is of.

mod common;

use annulus::prelude::*;

const WIDTH: usize = 48;
const HEIGHT: usize = 24;

/// A cell and its eight neighbours, row by row.
#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Neighbourhood {
    place: u32,
    cells: [bool; 9],
}

/// What becomes of the cell.
#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Cell {
    place: u32,
    alive: bool,
}

#[ring_kernel(mode = Batch)]
fn next_generation(here: &Neighbourhood, cells: &Outbox<Cell>) {
    let mut living = 0;
    for (i, alive) in here.cells.iter().enumerate() {
        if i != 4 && *alive {
            living += 1;
        }
    }
    let alive = living == 3 || living == 2 && here.cells[4];
    cells.send(Cell { place: here.place, alive });
}

/// Gosper's gun, which sends off a glider every thirty generations.
const GUN: [&str; 9] = [
    "........................#...........",
    "......................#.#...........",
    "............##......##............##",
    "...........#...#....##............##",
    "##........#.....#...##..............",
    "##........#...#.##....#.#...........",
    "..........#.....#.......#...........",
    "...........#...#....................",
    "............##......................",
];

fn main() -> std::process::ExitCode {
    common::run(|runtime| {
        // Room for a whole generation, so that all of it can be sent before anything is received.
        let options = LaunchOptions::production().grid(2).capacity(1024);
        let kernel = next_generation::launch(runtime, options)?;
        let mut grid = vec![false; WIDTH * HEIGHT];
        for (y, row) in GUN.iter().enumerate() {
            for (x, cell) in row.bytes().enumerate() {
                grid[(y + 1) * WIDTH + x + 1] = cell == b'#';
            }
        }
        for generation in 0..=60 {
            if generation % 30 == 0 {
                draw(generation, &grid);
            }
            for place in 0..grid.len() {
                // The world has no rim: what leaves it on one side comes back on the other.
                let (x, y) = (place % WIDTH, place / WIDTH);
                let cells = std::array::from_fn(|i| {
                    let (column, row) = (x + WIDTH + i % 3 - 1, y + HEIGHT + i / 3 - 1);
                    grid[row % HEIGHT * WIDTH + column % WIDTH]
                });
                let _ = kernel.send_blocking(Neighbourhood { place: place as u32, cells })?;
            }
            for _ in 0..grid.len() {
                let cell = kernel.recv_blocking()?;
                grid[cell.place as usize] = cell.alive;
            }
        }
        println!("{}", kernel.status());
        Ok(())
    })
}

/// Two rows to a line.
fn draw(generation: u32, grid: &[bool]) {
    println!("generation {generation}");
    for rows in grid.chunks(2 * WIDTH) {
        let (above, below) = rows.split_at(WIDTH);
        let cells = above.iter().zip(below).map(|cells| match cells {
            (true, true) => '█',
            (true, false) => '▀',
            (false, true) => '▄',
            (false, false) => ' ',
        });
        println!("{}", cells.collect::<String>().trim_end());
    }
}
