use annulus_conformance::kernels::real::*;

use crate::running::{Random, Running};

#[test]
fn transfers_overdraw_nothing() {
    let mut model = [1000i64, 500, 0, 20];
    let mut kernel = Running::<transfer>::new().bind(&model);
    let mut random = Random(1);
    let mut refused = 0;
    for _ in 0..1000 {
        let (from, to) = (random.below(5) as u16, random.below(4) as u16);
        let cents = random.below(600).saturating_sub(20) as u32;
        let answer = kernel.send(Transfer { from, to, cents });
        let expected = if cents == 0 {
            Err(NO_AMOUNT.code())
        } else if from == 4 || from == to {
            Err(UNKNOWN_ACCOUNT.code())
        } else if model[usize::from(from)] < i64::from(cents) {
            refused += 1;
            Err(OVERDRAWN.code())
        } else {
            model[usize::from(from)] -= i64::from(cents);
            model[usize::from(to)] += i64::from(cents);
            Ok(vec![Balances { from: model[usize::from(from)], to: model[usize::from(to)] }])
        };
        assert_eq!(answer, expected);
        assert_eq!(kernel.bound::<i64>(0), model);
        assert_eq!(model.iter().sum::<i64>(), 1520);
    }
    assert!(refused > 50, "{refused}");
}

#[test]
fn inventory_ships_what_is_reserved() {
    let mut kernel = Running::<inventory>::with(Stock::default());
    let article = 7;
    let stock = |there, reserved| Ok(vec![Stock { there, reserved }]);
    assert_eq!(kernel.send(Movement::Reserve { article, pieces: 1 }), Err(OUT_OF_STOCK.code()));
    assert_eq!(kernel.send(Movement::Deliver { article, pieces: 10 }), stock(10, 0));
    assert_eq!(kernel.send(Movement::Reserve { article, pieces: 6 }), stock(10, 6));
    assert_eq!(kernel.send(Movement::Reserve { article, pieces: 5 }), Err(OUT_OF_STOCK.code()));
    assert_eq!(kernel.send(Movement::Ship { article, pieces: 7 }), Err(NOT_RESERVED.code()));
    assert_eq!(kernel.send(Movement::Ship { article, pieces: 4 }), stock(6, 2));
    assert_eq!(kernel.send(Movement::Release { article, pieces: 1 }), stock(6, 1));
    assert_eq!(kernel.send(Movement::Release { article, pieces: 2 }), Err(NOT_RESERVED.code()));
    assert_eq!(kernel.send(Movement::Deliver { article, pieces: u32::MAX }), Err(STORE_FULL.code()));
    assert_eq!(kernel.send(Movement::Reserve { article, pieces: 5 }), stock(6, 6), "failures left nothing");
}

/// In no stretch of time does a client get more than its burst and what time has brought.
#[test]
fn token_bucket_keeps_the_rate() {
    let allowance = Allowance { per_millisecond: 100, burst: 5000 };
    let mut kernel = Running::<token_bucket>::with(Bucket::default()).bind(&[allowance]);
    let mut random = Random(2);
    let (mut time, mut passed) = (0, Vec::new());
    let (mut asked, mut limited) = (0, 0);
    for _ in 0..2000 {
        time += random.below(15) as u32;
        let request = Request { client: 1, time, cost: 500 + random.below(1000) as u32 };
        asked += 1;
        match kernel.send(request).unwrap()[..] {
            [through] => {
                assert_eq!(through, request);
                passed.push(request);
            }
            _ => limited += 1,
        }
    }
    assert!(limited > asked / 10 && limited < asked * 9 / 10, "{limited} of {asked}");
    for (i, first) in passed.iter().enumerate() {
        let mut cost = 0;
        for last in &passed[i..] {
            cost += last.cost;
            assert!(cost <= 5000 + (last.time - first.time) * 100);
        }
    }
    // And no less: the whole time's worth is used up, but for what may lie in the bucket.
    let cost: u32 = passed.iter().map(|request| request.cost).sum();
    assert!(cost + 5000 + 1500 > time * 100, "{cost} of {}", time * 100);
}

#[test]
fn connections_open_and_close() {
    let walk = |happenings: &[Happening]| {
        let mut kernel = Running::<connections>::with(Stage::default());
        happenings
            .iter()
            .map(|happening| kernel.send(Event { connection: 0, happening: *happening }))
            .collect::<Result<Vec<_>, _>>()
            .map(|steps| {
                steps.into_iter().flatten().map(|step| (step.stage, step.answer)).collect::<Vec<_>>()
            })
    };
    use Happening::{Ack, Close, Connect, Fin, Listen, Reset, Syn, SynAck, Timeout};
    // Who connects, and closes first.
    assert_eq!(
        walk(&[Connect, SynAck, Close, Ack, Fin, Timeout]).unwrap(),
        [
            (Stage::SynSent, Answer::Syn),
            (Stage::Established, Answer::Ack),
            (Stage::FinWait1, Answer::Fin),
            (Stage::FinWait2, Answer::Nothing),
            (Stage::TimeWait, Answer::Ack),
            (Stage::Closed, Answer::Nothing),
        ]
    );
    // Who is connected to, and closes last.
    assert_eq!(
        walk(&[Listen, Syn, Ack, Fin, Close, Ack]).unwrap(),
        [
            (Stage::Listen, Answer::Nothing),
            (Stage::SynReceived, Answer::SynAck),
            (Stage::Established, Answer::Nothing),
            (Stage::CloseWait, Answer::Ack),
            (Stage::LastAck, Answer::Fin),
            (Stage::Closed, Answer::Nothing),
        ]
    );
    // Both at once.
    let both = walk(&[Connect, Syn, Ack, Close, Fin, Ack, Timeout]).unwrap();
    assert_eq!(
        both.iter().map(|(stage, _)| *stage).collect::<Vec<_>>(),
        [
            Stage::SynSent,
            Stage::SynReceived,
            Stage::Established,
            Stage::FinWait1,
            Stage::Closing,
            Stage::TimeWait,
            Stage::Closed,
        ]
    );
    assert_eq!(walk(&[Connect, SynAck, Reset]).unwrap().last(), Some(&(Stage::Closed, Answer::Nothing)));
    assert_eq!(walk(&[Listen, Reset]), Err(UNEXPECTED.code()));
    assert_eq!(walk(&[Syn]), Err(UNEXPECTED.code()));
}

#[test]
fn first_fit_takes_the_first_that_fits() {
    let mut kernel = Running::<first_fit>::with(Containers::default());
    let mut random = Random(3);
    let mut model = vec![0u16];
    let mut placed = 0;
    loop {
        let size = 100 + random.below(500) as u16;
        if model[model.len() - 1] + size > 1000 && model.iter().all(|filled| filled + size > 1000) {
            model.push(0);
        }
        let answer = kernel.send(Parcel { depot: 0, size });
        if model.len() > 16 {
            assert_eq!(answer, Err(NO_ROOM.code()));
            break;
        }
        let container = model.iter().position(|filled| filled + size <= 1000).unwrap();
        model[container] += size;
        placed += 1;
        assert_eq!(answer, Ok(vec![Placed { container: container as u32, filled: model[container] }]));
    }
    assert!(placed > 30, "{placed}");
}
