//! Errors of the library, in words for users of the command line, who have flags and no code.

/// What a message of the library says, and what it means on the command line. In order: longer ones first.
pub(crate) type Phrases = &'static [(&'static str, &'static str)];

/// For every command that launches a kernel by name.
pub(crate) const SEND: Phrases = &[
    ("say how many keys there are with .actors(n)", "say how many keys there are with --actors N"),
    ("raise LaunchOptions::actors", "raise --actors"),
    ("LaunchOptions::sparse_keys", "--sparse-keys"),
    ("use .grid(1)", "use --grid 1"),
    ("invalid launch options: ", ""),
    ("capacity is ", "--capacity is "),
    ("grid is ", "--grid is "),
    ("block is ", "--block is "),
    ("raise output_capacity", "raise --capacity"),
    ("a smaller capacity or grid", "a smaller --capacity or --grid"),
    ("a smaller grid or capacity", "a smaller --grid or --capacity"),
    ("a smaller grid", "a smaller --grid"),
    ("a smaller block", "a smaller --block"),
    ("launch with fewer actors", "launch with fewer --actors"),
    (", or give this one a name with LaunchOptions::name", ""),
];

/// For the anomalies job, which chooses its own grid.
pub(crate) const ANOMALIES: Phrases = &[
    ("launch with a smaller capacity or grid", "make room for fewer series with --max-series"),
    ("launch with a smaller grid or capacity", "make room for fewer series with --max-series"),
    ("launch with fewer actors", "make room for fewer series with --max-series"),
    ("raise LaunchOptions::actors, or take any keys with LaunchOptions::sparse_keys", "raise --max-series"),
];

/// For every command.
const ALL: Phrases = &[
    ("run it in epochs (run_mode = EventDriven, or OpenCl::force_epochs for all), ", ""),
    ("run it in epochs (run_mode = EventDriven, or Cuda::force_epochs for all), ", ""),
    (
        "or on PoCL raise OpenCl::resident_groups",
        "or on PoCL set POCL_MAX_PTHREAD_COUNT higher in the environment",
    ),
    (", and name the folder in Cuda::cubins", ", for a program of your own"),
];

/// The message in words of the command line.
pub(crate) fn in_flags(message: &str, phrases: Phrases) -> String {
    let replaced = |text: String, &(api, flag): &(&str, &str)| text.replace(api, flag);
    phrases.iter().chain(ALL).fold(message.to_owned(), replaced)
}

#[cfg(test)]
mod tests {
    use annulus::{RegisteredKernel, kernel::Binding, prelude::*};

    use super::*;

    /// What no command line has.
    fn speaks_of_code(text: &str) -> bool {
        ["LaunchOptions", "OpenCl::", "Cuda::", "Cpu::", ".actors(", ".grid(", "launch options"]
            .iter()
            .any(|word| text.contains(word))
    }

    /// The library's own messages, of launches that it refuses.
    #[test]
    fn refused_launches_are_told_in_flags() {
        let runtime = Runtime::builder().backend(annulus::Backend::Cpu).build().unwrap();
        let kernel = RegisteredKernel::find("anomalies").unwrap();
        let options = kernel.options();
        let wrong = [
            (options.clone(), "with --actors N"),
            (options.clone().actors(1).capacity(17), "--capacity is 17, and must be a power of 2"),
            (options.clone().actors(1).grid(0), "--grid is 0, and must be 1 ..= 65536: use 1"),
            (options.clone().actors(1).block(5000), "--block is 5000, and must be 1 ..= 1024: use 1024"),
            (options.actors(u64::MAX), "fewer --actors"),
        ];
        for (options, expected) in wrong {
            let mut json = serde_json::Deserializer::from_str(r#"{"threshold": 3}"#);
            let binding = Binding::read(&kernel.definition().bindings[0], &mut json).unwrap();
            let error = kernel.launch(&runtime, options, vec![binding]).unwrap_err().to_string();
            let told = in_flags(&error, SEND);
            assert!(told.contains(expected) && !speaks_of_code(&told), "{told}");
        }
    }

    #[test]
    fn what_devices_say_is_told_in_flags() {
        let error = "`one` has 9 blocks, and 0 of the 8 that can stay on `pocl` at a time are free: terminate another kernel, launch with a \
                     smaller grid, run it in epochs (run_mode = EventDriven, or OpenCl::force_epochs for all), or on PoCL raise \
                     OpenCl::resident_groups";
        let told = in_flags(error, SEND);
        assert!(
            told.ends_with(
                "a smaller --grid, or on PoCL set POCL_MAX_PTHREAD_COUNT higher in the environment"
            ),
            "{told}"
        );
        assert!(!speaks_of_code(&told), "{told}");
        assert!(in_flags("launch with a smaller capacity or grid", ANOMALIES).contains("--max-series"));
        assert!(!speaks_of_code(&in_flags(annulus::describe_error(0xFF03), SEND)));
    }
}
