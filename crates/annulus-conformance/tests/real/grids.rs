use annulus_conformance::kernels::real::*;

use crate::running::{Random, Running};

/// A glider is itself again after four generations, one cell further down and to the right.
#[test]
fn conway_s_glider_glides() {
    let mut kernel = Running::<conway>::new();
    let glider = [(1, 0), (2, 1), (0, 2), (1, 2), (2, 2)];
    let mut grid = [[false; 12]; 12];
    for (x, y) in glider {
        grid[y + 2][x + 2] = true;
    }
    for _ in 0..4 {
        let before = grid;
        for y in 1..11 {
            for x in 1..11 {
                let cells = std::array::from_fn(|i| before[y + i / 3 - 1][x + i % 3 - 1]);
                grid[y][x] = kernel.answer(Neighbourhood { cells }).alive;
            }
        }
    }
    let living: Vec<_> = (0..144).map(|i| (i % 12, i / 12)).filter(|(x, y)| grid[*y][*x]).collect();
    assert_eq!(living, glider.map(|(x, y)| (x + 3, y + 3)));
}

#[test]
fn sobel_sees_slopes() {
    let mut kernel = Running::<sobel>::new();
    let slopes = |kernel: &mut Running<sobel>, pixel: &dyn Fn(usize, usize) -> u8| {
        let pixels = std::array::from_fn(|y| std::array::from_fn(|x| pixel(x, y)));
        kernel.answer(Tile { pixels }).pixels
    };
    assert_eq!(slopes(&mut kernel, &|_, _| 200), [[0; 8]; 8]);
    // Ten up per pixel: 80 of the mask's weights of 8.
    let ramp = slopes(&mut kernel, &|x, _| 10 * x as u8);
    assert!((1..7).all(|i| ramp[i][1..7] == [10; 6]) && ramp[0] == [0; 8]);
    let edge = slopes(&mut kernel, &|_, y| if y < 4 { 0 } else { 255 });
    assert_eq!(edge.map(|row| row[3]), [0, 0, 0, 127, 127, 0, 0, 0]);
}

#[test]
fn convolution_is_the_sum_over_the_mask() {
    let mut random = Random(1);
    for _ in 0..50 {
        let mask: [[i32; 3]; 3] =
            std::array::from_fn(|_| std::array::from_fn(|_| random.below(400) as i32 - 100));
        let pixels: [[u8; 8]; 8] = std::array::from_fn(|_| random.bytes());
        let found = Running::<convolution>::new().bind(&[mask]).answer(Tile { pixels }).pixels;
        for (at, pixel) in found.as_flattened().iter().enumerate() {
            let from = |i: usize, d: usize| (i as i32 + d as i32 - 1).clamp(0, 7) as usize;
            let sum: i32 = (0..9)
                .map(|k| mask[k / 3][k % 3] * i32::from(pixels[from(at / 8, k / 3)][from(at % 8, k % 3)]))
                .sum();
            assert_eq!(i32::from(*pixel), (sum / 256).clamp(0, 255));
        }
    }
    let pixels: [[u8; 8]; 8] = std::array::from_fn(|_| random.bytes());
    let same = Running::<convolution>::new().bind(&[[[0, 0, 0], [0, 256, 0], [0, 0, 0]]]);
    assert_eq!({ same }.answer(Tile { pixels }).pixels, pixels);
}
