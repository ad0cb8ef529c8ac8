#![doc = include_str!("../PROTOCOL.md")]

/// The block in C: comes after the handler. Its entry is [`ENTRY`].
pub const RUNTIME: &str = concat!(
    include_str!("../c/records.c"),
    "\n",
    include_str!("../c/telemetry.c"),
    "\n",
    include_str!("../c/sealed.c"),
    "\n",
    include_str!("../c/links.c"),
    "\n",
    include_str!("../c/turn.c"),
    "\n",
    include_str!("../c/handle.c"),
    "\n",
    include_str!("../c/superstep.c"),
    "\n",
    include_str!("../c/entry.c"),
);

/// The name of the program's entry.
pub const ENTRY: &str = "ann_main";
