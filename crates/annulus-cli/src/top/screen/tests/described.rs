//! What a kernel is, and what is wrong with its file.

use annulus_observe::{KernelMemory, TypeLayout};

use super::*;

/// the device, the layout of the types, and its memory.
#[test]
fn r_05_the_detail_names_device_types_and_memory() {
    let layout = |size, hash| Some(TypeLayout { size, align: 8, hash });
    let mut memory = KernelMemory::default();
    (memory.inbound, memory.outbound, memory.shared) = (64 << 10, 4 << 10, 68 << 10);
    (memory.states, memory.device) = (3 << 20, 3 << 20);
    let look = || {
        let kernel = Kernel {
            message_layout: layout(16, 0xAB),
            output_layout: layout(24, 0xCD),
            memory,
            ..kernel(1, "detect", vec![shard(Phase::Asleep, 5)])
        };
        vec![Process { device: "Some\u{1b}GPU".into(), ..process(1, vec![kernel]) }]
    };
    let mut machine = Machine::new();
    machine.size = (80, 20);
    machine.look(0.0, look());
    machine.look(1.0, look());
    machine.key(KeyCode::Enter);
    assert_eq!(
        machine.frame()[3..9],
        [
            "   actors",
            " messages Reading, rings of 256; outputs Alert, rings of 256",
            " a message is 16 bytes, aligned to 8, layout 00000000000000ab; an output is 24",
            "   bytes, aligned to 8, layout 00000000000000cd",
            " on Some\u{FFFD}GPU; 3.1 MiB of memory: 68.0 KiB rings, 3.0 MiB states; 3.0 MiB on the",
            "   device",
        ]
    );
}

/// a damaged file is told below the table, in its row, and in the detail; a process of another boot is dead.
#[test]
fn r_06_damage_and_other_boots_are_told() {
    let damage = FileDamage { entries: 2, ..FileDamage::default() };
    let damaged = Process { damage, ..process(7, Vec::new()) };
    let other = Process {
        liveness: Liveness::Dead,
        other_boot: true,
        ..process(8, vec![kernel(1, "detect", vec![shard(Phase::Asleep, 5)])])
    };
    let mut machine = Machine::new();
    machine.size = (110, 20);
    machine.look(0.0, vec![damaged.clone(), other.clone()]);
    let frame = machine.frame();
    assert!(frame.iter().any(|line| line.contains(" (damaged) ")), "{frame:#?}");
    assert!(
        frame.iter().any(|line| line.contains("1 file is damaged: `annulus top --once` says why")),
        "{frame:#?}"
    );
    machine.keys("/(dam");
    machine.key(KeyCode::Enter);
    machine.key(KeyCode::Enter);
    let told = machine.frame().join("");
    assert!(told.contains("7-1-0.vitals is damaged: 2 entries of its directory do not match"), "{told}");
    assert!(told.contains(" It shows no kernels that can be read."), "{told}");

    let sight = || Sight { at: Instant::now(), processes: vec![other.clone()], unreadable: Vec::new() };
    let text = crate::top::table::text(&sight(), &sight(), false, false);
    let line = "process 8, cpu, /usr/local/bin/detector: DEAD with an earlier boot of this machine, or on another machine: \
                this is how it was last\n";
    assert!(text.starts_with(line), "{text}");
    let json: serde_json::Value = serde_json::from_str(&crate::top::table::json(&sight(), &sight())).unwrap();
    assert_eq!((&json["other_boot"], &json["alive"]), (&true.into(), &false.into()));
}
