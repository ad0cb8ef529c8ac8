//! Types that changed between who writes and who reads. Row W-11; DECISIONS 8.

use annulus::message::{FrameReader, FrameWriter, Message, Payload, ReadError};

/// A module for each version of a program.
macro_rules! version {
    ($module:ident: $($item:item)+) => {
        mod $module {
            use annulus::prelude::*;
            $($item)+
        }
    };
}

version! { first:
    #[derive(RingMessage, Clone, Debug, PartialEq)]
    #[ring(bridged, version = 1)]
    pub(super) struct Order { pub(super) account: u32, pub(super) text: String, pub(super) items: Vec<u8> }

    #[derive(RingMessage, Clone, Debug, PartialEq)]
    #[ring(bridged)]
    pub(super) enum Event { Opened(u32), Closed { text: String } }

    #[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
    #[repr(C)]
    pub(super) struct Tick { pub(super) series: u32, pub(super) value: f64, pub(super) up: bool }
}

version! { grown:
    #[derive(RingMessage, Clone, Debug, PartialEq)]
    #[ring(bridged, version = 2)]
    pub(super) struct Order {
        pub(super) account: u32,
        pub(super) text: String,
        pub(super) items: Vec<u8>,
        pub(super) note: Option<String>,
        pub(super) wide: u128,
    }

    #[derive(RingMessage, Clone, Debug, PartialEq)]
    #[ring(bridged)]
    pub(super) enum Event { Opened(u32), Closed { text: String }, Moved(u64, String) }

    #[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
    #[repr(C)]
    pub(super) struct Tick {
        pub(super) series: u32,
        pub(super) value: f64,
        pub(super) up: bool,
        pub(super) count: u16,
    }
}

version! { other:
    #[derive(RingMessage, Clone, Debug, PartialEq)]
    #[ring(bridged, version = 3)]
    pub(super) struct Order { pub(super) account: u32, pub(super) text: String, pub(super) items: Vec<Item> }

    #[derive(RingMessage, Clone, Debug, PartialEq)]
    #[ring(bridged)]
    pub(super) struct Item { pub(super) count: u16, pub(super) what: String }

    #[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
    #[repr(C)]
    pub(super) struct Tick { pub(super) series: u32, pub(super) value: f32, pub(super) up: bool }
}

fn stream<M: Message + Payload + 'static>(messages: &[M]) -> Vec<u8> {
    let mut stream = Vec::new();
    FrameWriter::new(&mut stream).write_batch(messages).unwrap();
    stream
}

fn read<M: Payload + 'static>(stream: &[u8]) -> Result<Vec<M>, ReadError> {
    let mut reader = FrameReader::new(stream);
    let mut all = Vec::new();
    while let Some(frame) = reader.read()? {
        for message in frame.messages::<M>()? {
            all.push(message?);
        }
    }
    Ok(all)
}

fn refused<M: Payload + std::fmt::Debug + 'static>(stream: &[u8]) -> String {
    let error = read::<M>(stream).unwrap_err();
    assert!(error.is_passed_over());
    error.to_string()
}

#[test]
fn a_reader_passes_over_what_a_type_has_gained() {
    let order = grown::Order {
        account: 1,
        text: "a text that does not fit in place".into(),
        items: vec![1, 2, 3],
        note: Some("a note".into()),
        wide: 7,
    };
    let sent = [order.clone(), grown::Order { note: None, ..order }];
    let read_back = read::<first::Order>(&stream(&sent)).unwrap();
    for (sent, read) in sent.iter().zip(&read_back) {
        assert_eq!((sent.account, &sent.text, &sent.items), (read.account, &read.text, &read.items));
    }
    let ticks: Vec<_> =
        (0..9).map(|i| grown::Tick { series: i, value: f64::from(i), up: i % 2 == 0, count: 9 }).collect();
    for (sent, read) in ticks.iter().zip(read::<first::Tick>(&stream(&ticks)).unwrap()) {
        assert_eq!((sent.series, sent.value, sent.up), (read.series, read.value, read.up));
    }
    let opened = stream(&[grown::Event::Opened(3), grown::Event::Closed { text: "the end".into() }]);
    let events = [first::Event::Opened(3), first::Event::Closed { text: "the end".into() }];
    assert_eq!(read::<first::Event>(&opened).unwrap(), events);
    // A variant that the reader does not know is an error of that message.
    let error = read::<first::Event>(&stream(&[grown::Event::Moved(1, String::new())])).unwrap_err();
    assert!(matches!(error, ReadError::Decode(_)), "{error}");
}

#[test]
fn other_changes_name_both_sides_and_the_field() {
    let order = first::Order { account: 1, text: String::new(), items: vec![] };
    assert_eq!(
        refused::<grown::Order>(&stream(std::slice::from_ref(&order))),
        "the sender's Order (version 1) is not the reader's Order (version 2): `note` is not there"
    );
    assert_eq!(
        refused::<other::Order>(&stream(&[order])),
        "the sender's Order (version 1) is not the reader's Order (version 3): `items[]` is u8 there, Item here"
    );
    let tick = first::Tick { series: 1, value: 2.0, up: true };
    assert_eq!(
        refused::<other::Tick>(&stream(&[tick, tick])),
        "the sender's Tick (version 0) is not the reader's Tick (version 0): `value` is f64 there, f32 here"
    );
    assert_eq!(
        refused::<first::Order>(&stream(&[tick])),
        "the sender's Tick (version 0) is not the reader's Order (version 1): is called Tick there, Order here"
    );
    let item = other::Item { count: 1, what: "w".into() };
    let changed = other::Order { account: 1, text: String::new(), items: vec![item] };
    assert!(refused::<first::Order>(&stream(&[changed])).contains("`items[]` is Item there, u8 here"));
}

/// A message whose schema the reader has itself needs no announcement; another does.
#[test]
fn a_stream_that_is_joined_late_says_so() {
    let whole = stream(&[first::Tick { series: 1, value: 2.0, up: true }]);
    let mut reader = FrameReader::new(&whole[..]);
    let schema = reader.read().unwrap().unwrap().schema().cloned().unwrap();
    assert_eq!(schema.to_string(), "Tick (version 0, direct) { series: u32, value: f64, up: bool }");
    let late = &whole[whole.len() - 256 - first::Tick::ROOT_SIZE..];
    assert_eq!(read::<first::Tick>(late).unwrap().len(), 1);
    assert!(refused::<other::Tick>(late).contains("read the stream from its beginning"));
}
