//! Handlers that send by other ways out than a plain outbox: to themselves, to whom they ask, to whom their outputs name,
//! to those that take a topic, and along rows.

use super::{
    Choices, Outboxes, Ty, Var, Writer,
    shared::{ELEMENTS, TABLES},
};

/// What a handler has besides an outbox, or what its outbox sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    Later,
    Asks,
    Peers,
    Topics,
    Rows,
}

const WAYS: [Way; 5] = [Way::Later, Way::Asks, Way::Peers, Way::Topics, Way::Rows];

const LATER: [(&str, &str); 2] = [("out", "Out"), ("later", "Directed")];
const ASKS: [(&str, &str); 3] = [("out", "Out"), ("later", "Event"), ("ask", "Query")];
const PEERS: [(&str, &str); 1] = [("out", "Addressed<Out>")];
const TOPICS: [(&str, &str); 1] = [("out", "Published<Out>")];
const ROWS: [(&str, &str); 1] = [("out", "Along<Hop>")];

impl Way {
    fn outboxes(self) -> &'static Outboxes {
        match self {
            Self::Later => &LATER,
            Self::Asks => &ASKS,
            Self::Peers => &PEERS,
            Self::Topics => &TOPICS,
            Self::Rows => &ROWS,
        }
    }

    /// The attribute, and the parameters that send.
    fn attribute(self) -> (&'static str, &'static str) {
        match self {
            Self::Later => {
                ("max_outputs = 4, timers = 8, max_timers = 2", "out: &Outbox<Out>, later: &Later<Directed>")
            }
            Self::Asks => (
                "max_outputs(out = 4), timers = 8, max_timers = 2",
                "out: &Outbox<Out>, ask: &Ask<Query, Told>, later: &Later<Event>",
            ),
            Self::Peers => ("max_outputs = 4", "out: &Outbox<Addressed<Out>>"),
            Self::Topics => ("max_outputs = 4", "out: &Outbox<Published<Out>>"),
            Self::Rows => ("max_outputs = 4", "out: &Outbox<Along<Hop>>"),
        }
    }
}

/// The source of a handler of this name that sends by one of these ways, and hears by its context what it can.
pub fn handler_by_ways(name: &str, choices: &mut Choices) -> String {
    let way = choices.one(&WAYS);
    let mut writer = Writer::new(choices);
    writer.way = Some(way);
    let functions = writer.functions_of(name);
    writer.outboxes = way.outboxes();
    let (message, body) = if way == Way::Asks {
        let arms = [("message", "Directed"), ("told", "Told")].map(|(variable, ty)| {
            writer.heard(variable, ty);
            writer.fuel = writer.fuel.max(60);
            let arm = writer.block(|writer| writer.work());
            format!("        Event::{ty}({variable}) => {arm}\n")
        });
        ("event: &Event", format!("    match event {{\n{}    }}\n    Ok(())\n", arms.concat()))
    } else {
        writer.heard("message", "Directed");
        writer.body();
        ("message: &Directed", std::mem::take(&mut writer.text))
    };
    let (attribute, sends) = way.attribute();
    let tables: String =
        TABLES.iter().map(|(name, atomic, _)| format!("    {name}: &[{atomic}],\n")).collect();
    format!(
        "{functions}#[ring_kernel({attribute})]
pub fn {name}(
    cx: &Cx,
    {message},
    state: &mut Known,
{tables}    peers: &[Peer<Out>],
    topics: &[Topic],
    {sends},
) -> Result<(), Failure> {{\n{body}}}\n"
    )
}

impl Writer<'_> {
    /// What is in scope where a message begins to be handled.
    fn heard(&mut self, message: &str, ty: &'static str) {
        let number = if ty == "Told" { "told.number" } else { "message.f" };
        let var = |name: &str, ty, mutable| Var { name: name.into(), ty, mutable };
        self.vars = vec![
            var(&format!("peers[({number} as usize) % {ELEMENTS}]"), Ty::Named("Peer<Out>"), false),
            var(&format!("topics[({number} as usize) % {ELEMENTS}]"), Ty::Named("Topic"), false),
            var("cx.queue()", Ty::Int("u32"), false),
            var("cx.now()", Ty::Int("u64"), false),
            var("cx.stamp()", Ty::Int("u64"), false),
            var(message, Ty::Named(ty), false),
            var("state", Ty::Named("Known"), true),
        ];
    }

    /// A type that only these handlers use.
    pub(super) fn type_of_ways(&mut self) -> Option<Ty> {
        self.way?;
        self.choices.percent(15).then(|| Ty::Named(self.choices.one(&["Peer<Out>", "Topic", "Answer<Pair>"])))
    }

    /// A question that only these ask.
    pub(super) fn question_of_ways(&mut self) -> Option<String> {
        self.way?;
        if self.choices.percent(80) {
            return None;
        }
        let ty = Ty::Named(self.choices.one(&["Peer<Out>", "Topic"]));
        let operator = self.choices.one(&["==", "!="]);
        let (a, b) = (self.expression(&ty), self.expression(&ty));
        Some(format!("({a} {operator} {b})"))
    }

    /// A literal of a type that only these use.
    pub(super) fn literal_of_ways(&mut self, name: &str) -> Option<String> {
        let text = match name {
            "Peer<Out>" => {
                format!("Peer::<Out>::{}", self.choices.one(&["ANY", "NOBODY"]))
            }
            "Topic" => self.choices.one(&["Topic::NONE", "PRICES", "ALARMS"]).to_owned(),
            "Event" if self.choices.percent(50) => format!("Event::Told({})", self.structure("Told")),
            "Event" => format!("Event::Directed({})", self.structure("Directed")),
            _ => return None,
        };
        Some(text)
    }

    /// Sends by one of these ways; says if it is none of them.
    pub(super) fn send_by_way(&mut self, outbox: &str, sent: &'static str) -> bool {
        let nanos = Ty::Int("u64");
        let line = match outbox {
            "later" => {
                let (message, nanos) = (self.literal(&Ty::Named(sent)), self.expression(&nanos));
                let send = format!("later.send_after({message}, {nanos});");
                if self.choices.percent(60) {
                    // Now and then more than it may.
                    let times = self.expression(&Ty::Int("u8"));
                    format!("for _ in 0..({times} % 6u8) {{ {send} }}")
                } else {
                    send
                }
            }
            "ask" => {
                let (query, awaited) = (self.structure(sent), self.structure("Told"));
                format!("ask.send({query}, {awaited}, {});", self.expression(&nanos))
            }
            _ => return false,
        };
        self.line(&line);
        true
    }
}
