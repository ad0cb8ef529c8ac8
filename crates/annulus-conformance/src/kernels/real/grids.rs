//! Kernels over images and other grids.

use annulus_macros::{RingMessage, ring_kernel};
use annulus_runtime::prelude::Outbox;

/// A cell of Conway's life and its eight neighbours, row by row.
#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(C)]
pub struct Neighbourhood {
    pub cells: [bool; 9],
}

/// Whether the cell lives on.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Cell {
    pub alive: bool,
}

/// One cell's next generation.
#[ring_kernel]
pub fn conway(neighbourhood: &Neighbourhood, cells: &Outbox<Cell>) {
    let mut living = 0;
    for i in 0..9 {
        if i != 4 && neighbourhood.cells[i] {
            living += 1;
        }
    }
    let alive = match living {
        2 => neighbourhood.cells[4],
        3 => true,
        _ => false,
    };
    cells.send(Cell { alive });
}

/// A part of an image, eight by eight pixels.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Tile {
    pub pixels: [[u8; 8]; 8],
}

/// How steep an image is at each pixel, by Sobel's two masks; 0 at the rim.
#[ring_kernel]
pub fn sobel(tile: &Tile, slopes: &Outbox<Tile>) {
    const WEIGHTS: [i32; 3] = [1, 2, 1];
    let mut slope = Tile { pixels: [[0; 8]; 8] };
    for y in 1..7 {
        for x in 1..7 {
            let (mut across, mut down) = (0, 0);
            for (i, weight) in WEIGHTS.iter().enumerate() {
                across += weight
                    * (i32::from(tile.pixels[y + i - 1][x + 1]) - i32::from(tile.pixels[y + i - 1][x - 1]));
                down += weight
                    * (i32::from(tile.pixels[y + 1][x + i - 1]) - i32::from(tile.pixels[y - 1][x + i - 1]));
            }
            slope.pixels[y][x] = ((across.abs() + down.abs()) / 8).min(255) as u8;
        }
    }
    slopes.send(slope);
}

/// A convolution with any mask of three by three, in 256ths; beyond the rim, the rim goes on.
#[ring_kernel]
pub fn convolution(tile: &Tile, mask: &[[i32; 3]; 3], tiles: &Outbox<Tile>) {
    let mut pixels = [[0u8; 8]; 8];
    for (y, row) in pixels.iter_mut().enumerate() {
        for (x, pixel) in row.iter_mut().enumerate() {
            let mut sum = 0i64;
            for (dy, weights) in mask.iter().enumerate() {
                for (dx, weight) in weights.iter().enumerate() {
                    let from = tile.pixels[(y + dy).clamp(1, 8) - 1][(x + dx).clamp(1, 8) - 1];
                    sum += i64::from(*weight) * i64::from(from);
                }
            }
            *pixel = (sum / 256).clamp(0, 255) as u8;
        }
    }
    tiles.send(Tile { pixels });
}
