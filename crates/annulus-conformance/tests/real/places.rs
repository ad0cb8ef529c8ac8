use annulus_conformance::kernels::real::*;

use crate::running::{Random, Running};

/// An L, of which a point is inside if it is in one of two rectangles.
#[test]
fn geofence_knows_an_l() {
    let fence = [(0.0, 0.0), (4.0, 0.0), (4.0, 1.0), (1.0, 1.0), (1.0, 3.0), (0.0, 3.0)]
        .map(|(x, y)| Corner { x, y });
    let mut kernel = Running::<geofence>::with(false).bind(&fence);
    let mut random = Random(1);
    let (mut was, mut changes) = (false, 0);
    for _ in 0..500 {
        let (x, y) = (random.part() * 6.0 - 1.0, random.part() * 5.0 - 1.0);
        let within = |x1, y1| x > 0.0 && x < x1 && y > 0.0 && y < y1;
        let inside = within(4.0, 1.0) || within(1.0, 3.0);
        let expected = if inside == was { Vec::new() } else { vec![Crossing { vehicle: 5, inside }] };
        changes += expected.len();
        assert_eq!(kernel.send(Fix { vehicle: 5, x, y }), Ok(expected), "{x} {y}");
        was = inside;
    }
    assert!(changes > 50);
}

fn place(latitude: f32, longitude: f32) -> Coordinates {
    Coordinates { latitude, longitude }
}

#[test]
fn haversine_knows_the_globe() {
    let mut kernel = Running::<haversine>::new();
    let mut length = |from, to| kernel.answer(Journey { from, to }).value;
    let quarter = 6371.0 * std::f32::consts::FRAC_PI_2;
    assert!((length(place(0.0, 0.0), place(0.0, 90.0)) - quarter).abs() < 0.1);
    assert!((length(place(-45.0, 10.0), place(45.0, 10.0)) - quarter).abs() < 0.1);
    assert!((length(place(90.0, 0.0), place(-90.0, 77.0)) - 2.0 * quarter).abs() < 1.0);
    // Paris to London.
    assert!((length(place(48.8566, 2.3522), place(51.5074, -0.1278)) - 343.6).abs() < 0.5);
    // Against the angle between vectors, where that is not small.
    let mut random = Random(2);
    for _ in 0..100 {
        let [from, to] = [0, 1].map(|_| place(random.part() * 170.0 - 85.0, random.part() * 360.0 - 180.0));
        let vector = |place: Coordinates| {
            let (up, around) =
                (f64::from(place.latitude).to_radians(), f64::from(place.longitude).to_radians());
            [up.cos() * around.cos(), up.cos() * around.sin(), up.sin()]
        };
        let cosine: f64 = vector(from).iter().zip(vector(to)).map(|(a, b)| a * b).sum();
        let expected = 6371.0 * cosine.acos();
        let found = f64::from(length(from, to));
        assert!((found - expected).abs() < 3.0 && found >= 0.0, "{found} is not {expected}");
    }
}

#[test]
fn routes_are_those_of_the_longest_prefix() {
    let mut random = Random(3);
    let mut routes: Vec<(u32, u32)> = vec![(0, 0), (0xC0A8_0000, 16), (0xC0A8_0100, 24), (0xC0A8_0101, 32)];
    for _ in 0..30 {
        let bits = 1 + random.below(12) as u32;
        let prefix = random.number() as u32 & u32::MAX << (32 - bits);
        if !routes.contains(&(prefix, bits)) {
            routes.push((prefix, bits));
        }
    }
    let mut tree = vec![Node::default()];
    for (route, (prefix, bits)) in routes.iter().enumerate() {
        let mut at = 0;
        for bit in (0..*bits).map(|i| (prefix >> (31 - i) & 1) as usize) {
            if tree[at].children[bit] == 0 {
                tree[at].children[bit] = tree.len() as u16;
                tree.push(Node::default());
            }
            at = usize::from(tree[at].children[bit]);
        }
        tree[at].route = route as u16 + 1;
    }
    let mut kernel = Running::<longest_prefix>::new().bind(&tree);
    let fixed = [0xC0A8_0101, 0xC0A8_0102, 0xC0A8_7777, 0xC0A9_0000, 0, u32::MAX];
    for address in fixed.into_iter().chain((0..500).map(|_| random.number() as u32)) {
        let matches = |(prefix, bits): (u32, u32)| bits == 0 || (address ^ prefix) >> (32 - bits) == 0;
        let best = routes.iter().enumerate().filter(|(_, route)| matches(**route));
        let (route, (_, bits)) = best.max_by_key(|(_, (_, bits))| *bits).unwrap();
        let expected = Routed { address, route: route as u16 + 1, bits: *bits as u16 };
        assert_eq!(kernel.answer(Addressed { address }), expected, "{address:#X}");
    }
    let empty = Running::<longest_prefix>::new().bind::<Node>(&[]);
    assert_eq!({ empty }.send(Addressed { address: 1 }), Ok(Vec::new()));
}
