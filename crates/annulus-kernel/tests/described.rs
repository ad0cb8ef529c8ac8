//! Values of any device type as JSON.

extern crate annulus_runtime as annulus;

use annulus::prelude::*;
use annulus_kernel::{Described, NoOutput, read_described};
use serde_json::{Deserializer, Value, json};

#[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
#[repr(C)]
struct Order {
    #[ring(key)]
    account: u32,
    urgent: bool,
    price: f64,
    symbol: Text<8>,
    legs: List<Leg, 3>,
    action: Action,
    history: [i16; 2],
}

#[derive(DeviceType, Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
struct Leg(u8, i64);

#[derive(DeviceType, Clone, Copy, Debug, PartialEq)]
#[repr(u16)]
enum Action {
    Cancel,
    Fill(f32),
    Move { to: u64, by: i8 } = 700,
    Split(u8, u8),
}

fn order(action: Action) -> Order {
    Order {
        account: 7,
        urgent: true,
        price: -0.5,
        symbol: Text::new("ÅNG").unwrap(),
        legs: List::new(&[Leg(1, -2), Leg(3, i64::MIN)]).unwrap(),
        action,
        history: [-1, 2],
    }
}

fn read<T: DeviceType>(value: &Value) -> Result<T, String> {
    read_described(value).map_err(|error| error.to_string())
}

#[test]
fn values_go_there_and_back() {
    let actions =
        [Action::Cancel, Action::Fill(1.25), Action::Move { to: u64::MAX, by: -3 }, Action::Split(1, 2)];
    for action in actions {
        let value = serde_json::to_value(Described::new(&order(action))).unwrap();
        assert_eq!(read::<Order>(&value), Ok(order(action)));
    }
}

#[test]
fn the_text_is_what_one_would_write() {
    let text = serde_json::to_value(Described::new(&order(Action::Move { to: 5, by: -3 }))).unwrap();
    let expected = json!({
        "account": 7, "urgent": true, "price": -0.5, "symbol": "ÅNG", "legs": [[1, -2], [3, i64::MIN]],
        "action": {"Move": {"to": 5, "by": -3}}, "history": [-1, 2],
    });
    assert_eq!(text, expected);
    let action = |action| serde_json::to_string(&Described::new(&action)).unwrap();
    assert_eq!(action(Action::Cancel), r#""Cancel""#);
    assert_eq!(action(Action::Fill(2.0)), r#"{"Fill":2.0}"#);
    assert_eq!(action(Action::Split(1, 2)), r#"{"Split":[1,2]}"#);
    assert_eq!(serde_json::to_string(&Described::new(&[f32::NAN, f32::INFINITY])).unwrap(), "[null,null]");
    assert!(read::<f32>(&json!(null)).unwrap().is_nan());
}

#[test]
fn what_does_not_fit_is_refused_where_it_stands() {
    let good = serde_json::to_value(Described::new(&order(Action::Cancel))).unwrap();
    let with = |name: &str, value: Value| {
        let mut changed = good.clone();
        changed[name] = value;
        read::<Order>(&changed).unwrap_err()
    };
    assert_eq!(with("account", json!(-1)), ".account: -1 is no u32, which is from 0 to 4294967295");
    assert_eq!(with("account", json!(1.5)), ".account: 1.5 is no u32: write an integer");
    assert_eq!(with("history", json!([1])), ".history: there are 1 values, not 2");
    assert_eq!(with("history", json!([1, 2, 3])), ".history: there are more than 2 values");
    assert_eq!(
        with("history", json!([1, 40_000])),
        ".history[1]: 40000 is no i16, which is from -32768 to 32767"
    );
    assert_eq!(
        with("action", json!({"Fill": 1e99})),
        ".action.Fill: 1e99 is no f32, which is from -3.4028235e38 to 3.4028235e38"
    );
    assert_eq!(with("symbol", json!("123456789")), ".symbol: the text has 9 bytes, and there is room for 8");
    assert_eq!(
        with("legs", json!([[1, 1], [1, 1], [1, 1], [1, 1]])),
        ".legs: there are more than the 3 values that it has room for"
    );
    assert_eq!(with("legs", json!([[1, "x"]])), ".legs[0][1]: invalid type: string \"x\", expected an i64");
    assert_eq!(
        with("colour", json!(1)),
        "Order has no `colour`: it has account, urgent, price, symbol, legs, action, history"
    );
    assert_eq!(
        with("action", json!("Sell")),
        ".action: Action has no variant `Sell`: it has Cancel, Fill, Move, Split"
    );
    let forms = r#"Action is "Cancel" or {"Fill": …} or {"Move": {"to": …, "by": …}} or {"Split": […]}: "#;
    let told = with("action", json!(null));
    assert!(told.starts_with(&format!(".action: {forms}")), "{told}");
    let error = read_described::<[Action; 1], _>(&mut Deserializer::from_str("[\n1]")).unwrap_err();
    let place = "expected value at line 2 column 1";
    assert_eq!(error.to_string(), format!("[0]: {forms}{place}"));
    assert_eq!(with("action", json!({"Move": {"to": 1}})), ".action.Move: `by` of Action is missing");
    for number in ["99999999999999999999", "-1e30"] {
        let error =
            read_described::<[i64; 1], _>(&mut Deserializer::from_str(&format!("[{number}]"))).unwrap_err();
        let told = format!("is no i64, which is from {} to {}", i64::MIN, i64::MAX);
        assert!(error.to_string().contains(&told), "{error}");
    }
    // One more than the largest of 64 bits, which a float does not tell from it.
    let error =
        read_described::<[u64; 1], _>(&mut Deserializer::from_str("[18446744073709551616]")).unwrap_err();
    let told = format!("is no u64, which is from 0 to {}", u64::MAX);
    assert!(error.to_string().contains(&told), "{error}");
    for kept in ["-9223372036854775808.0", "9223372036854774784.0"] {
        let error =
            read_described::<[i64; 1], _>(&mut Deserializer::from_str(&format!("[{kept}]"))).unwrap_err();
        assert!(error.to_string().contains("is no i64: write an integer"), "{error}");
    }
    let error =
        read_described::<[i64; 1], _>(&mut Deserializer::from_str("[9223372036854775808.0]")).unwrap_err();
    assert!(error.to_string().contains("is no i64, which is from"), "{error}");
    assert_eq!(with("account", json!(3.0)), ".account: 3.0 is no u32: write an integer");
    assert_eq!(with("urgent", json!(3.5)), ".urgent: invalid type: floating point `3.5`, expected a bool");
    // A variant in a form that it does not have.
    let action = |text| {
        let error = read_described::<Action, _>(&mut Deserializer::from_str(text)).unwrap_err();
        error.to_string()
    };
    for (text, form) in [
        (r#""Move""#, r#".Move: write {"Move": {"to": …, "by": …}}: its name stands alone"#),
        (r#"{"Move": 3}"#, r#".Move: write {"Move": {"to": …, "by": …}}: "#),
        (r#""Fill""#, r#".Fill: write {"Fill": …}: its name stands alone"#),
        (r#"{"Split": {}}"#, r#".Split: write {"Split": […]}: "#),
        (r#"{"Cancel": 3}"#, r#".Cancel: write "Cancel": "#),
        ("{}", forms),
        (r#"{"Fill": 1.0, "Cancel": null}"#, "something follows the variant, and an Action is one of them: "),
    ] {
        assert!(action(text).starts_with(form), "{}", action(text));
    }
    let mut short = good.clone();
    short.as_object_mut().unwrap().remove("price");
    assert_eq!(read::<Order>(&short).unwrap_err(), "`price` of Order is missing");
    let twice = r#"{"Move": {"to": 1, "to": 2}}"#;
    let error = read_described::<Action, _>(&mut Deserializer::from_str(twice)).unwrap_err();
    assert!(error.to_string().starts_with(".Move: `to` is said twice"), "{error}");
}

/// The least number that would become infinite is refused, as are those beyond; the greatest `f32` is not, and a format
/// that can write infinity may.
#[test]
fn a_number_beyond_f32_does_not_become_infinite() {
    let beyond = 3.402_823_567_797_337e38;
    assert_eq!(beyond as f32, f32::INFINITY);
    for sign in [1.0, -1.0] {
        let refused = read::<f32>(&json!(sign * beyond)).unwrap_err();
        assert!(refused.ends_with("is no f32, which is from -3.4028235e38 to 3.4028235e38"), "{refused}");
        assert_eq!(read::<f32>(&json!(sign * f64::from(f32::MAX))), Ok(sign as f32 * f32::MAX));
        let infinite =
            serde::de::value::F64Deserializer::<serde::de::value::Error>::new(sign * f64::INFINITY);
        assert_eq!(read_described::<f32, _>(infinite), Ok(sign as f32 * f32::INFINITY));
    }
    assert_eq!(read::<f32>(&json!(1e-99)), Ok(0.0));
    assert_eq!(read::<f64>(&json!(1e99)), Ok(1e99));
}

/// A type without values has no value that could be read.
#[test]
fn nothing_is_no_output() {
    for value in [json!(null), json!({}), json!([]), json!("NoOutput"), json!(0)] {
        assert!(read::<NoOutput>(&value).is_err(), "{value}");
    }
}

#[test]
fn what_a_launch_binds_is_read_too() {
    use annulus_kernel::{Binding, BindingDefinition, BindingKind};

    let definition = |kind| BindingDefinition { name: "legs", kind, ty: Leg::DESCRIPTOR };
    let bind =
        |kind, value: Value| Binding::read(&definition(kind), value).map_err(|error| error.to_string());
    let parameter = bind(BindingKind::Parameter, json!([1, 2])).unwrap();
    assert_eq!((parameter.len(), parameter.ty().name), (1, "Leg"));
    let table = bind(BindingKind::Table, json!([[1, 2], [3, 4], [5, 6]])).unwrap();
    assert_eq!(table.len(), 3);
    let third = table.as_ptr().cast::<Leg>().wrapping_add(2);
    // SAFETY: the binding has three legs.
    assert_eq!(unsafe { third.read() }, Leg(5, 6));
    assert_eq!(bind(BindingKind::Whole, json!({"repeat": [1, 2], "count": 1000})).unwrap().len(), 1000);
    assert_eq!(bind(BindingKind::Whole, json!([])).unwrap().len(), 0);
    let refusal = |value| bind(BindingKind::Whole, value).unwrap_err();
    assert_eq!(refusal(json!([[1, 2], [300, 2]])), "[1][0]: 300 is no u8, which is from 0 to 255");
    assert_eq!(refusal(json!({"repeat": [1, 2]})), "`repeat` and `count` are both needed");
    let refused = refusal(json!({"repeat": [1, 2], "count": u64::MAX}));
    assert!(
        refused.starts_with(".count: 18446744073709551615 values of 16 bytes are more than"),
        "{refused}"
    );
    assert!(refusal(json!(3)).contains(r#"an array of Leg, or {"repeat": Leg, "count": n}"#));
}

/// No value of it is all zeros.
#[derive(DeviceType, Clone, Copy, Debug, PartialEq)]
#[repr(u8)]
enum Side {
    Buy = 1,
    Sell = 2,
}

#[test]
fn items_behind_the_end_are_valid() {
    let list: List<Side, 3> = read_described(&json!(["Sell"])).unwrap();
    assert_eq!((list.len, list.items), (1, [Side::Sell, Side::Buy, Side::Buy]));
    assert!(read_described::<List<NoOutput, 2>, _>(&json!([])).is_err(), "it would have items");
}

/// A number that wraps is that number, as serde has it; what may be missing says so by its name.
#[test]
fn wrapping_and_maybe() {
    use std::num::Wrapping;

    let numbers = [Wrapping(3u32), Wrapping(u32::MAX)];
    let value = serde_json::to_value(Described::new(&numbers)).unwrap();
    assert_eq!(value, json!([3, u32::MAX]));
    assert_eq!(read::<[Wrapping<u32>; 2]>(&value), Ok(numbers));
    assert_eq!(read::<Wrapping<i8>>(&json!(200)), Err("200 is no i8, which is from -128 to 127".into()));
    let both = [Maybe::Nothing, Maybe::Just(-1.5f64)];
    let value = serde_json::to_value(Described::new(&both)).unwrap();
    assert_eq!(value, json!(["Nothing", { "Just": -1.5 }]));
    assert_eq!(read::<[Maybe<f64>; 2]>(&value), Ok(both));
    for wrong in [json!(null), json!(1.5)] {
        let told = read::<Maybe<f64>>(&wrong).unwrap_err();
        assert!(told.starts_with(r#"Maybe is "Nothing" or {"Just": …}: "#), "{told}");
    }
    let wide = [Maybe::Just(7u64), Maybe::Nothing];
    assert_eq!((size_of_val(&wide), align_of_val(&wide)), (32, 8));
}
