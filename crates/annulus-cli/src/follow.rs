//! `--tracing` and `--otlp` of commands that launch kernels: messages are followed, and their spans pushed.

use std::{
    sync::mpsc::{RecvTimeoutError, channel},
    thread,
    time::Duration,
};

use annulus::{LaunchOptions, Runtime};
use annulus_observe::{otlp::Collector, spans};
use clap::Args;

use crate::{export::collector, failure::Failure, told::tell};

/// How often spans are pushed. Source: the batch processor of OpenTelemetry's SDKs waits 5 s at most; a runtime keeps 65,536
/// events.
const PAUSE: Duration = Duration::from_secs(1);

/// What the command line says of it.
#[derive(Args)]
pub(crate) struct Follow {
    /// Follow messages through the kernels: one in a hundred, or such a part of them, from 0 to 1
    ///
    /// Needs --otlp, to which their spans go: what is known of a message is how long it waited, how long its handler took,
    /// and what was sent because of it.
    #[arg(long, value_name = "PART", num_args = 0..=1, default_missing_value = "0.01", require_equals = true)]
    #[arg(value_parser = part, requires = "otlp", help_heading = "Traces")]
    tracing: Option<f64>,

    /// Push the spans of messages that are followed to a collector of OpenTelemetry, by OTLP over HTTP:
    /// http://HOST:PORT, usually port 4318
    ///
    /// Kernels follow messages with --tracing, or if their attribute or the topology says so. There is no TLS: let a
    /// collector on this machine send on to others.
    #[arg(long, value_name = "URL", value_parser = collector, help_heading = "Traces")]
    otlp: Option<Collector>,
}

/// A part of all.
fn part(text: &str) -> Result<f64, String> {
    let part = text.parse().ok().filter(|part| (0.0..=1.0).contains(part));
    part.ok_or_else(|| "write a number from 0, none, to 1, all: 0.01 is one in a hundred".into())
}

impl Follow {
    /// Whether any of it was said.
    pub(crate) fn is_asked(&self) -> bool {
        // The other option needs this one.
        self.otlp.is_some()
    }

    /// The options, if it says which part of the messages to follow.
    pub(crate) fn options(&self, options: LaunchOptions) -> LaunchOptions {
        match self.tracing {
            Some(part) => options.tracing(true).trace_sample(part),
            None => options,
        }
    }

    /// # Errors
    ///
    /// If spans are to be pushed, and there will be none: no kernel follows its messages.
    pub(crate) fn check(&self, follows: bool) -> Result<(), Failure> {
        if self.otlp.is_some() && !follows {
            let why =
                "--otlp pushes spans of messages that are followed, and no kernel follows any: add --tracing";
            return Err(Failure::Usage(why.into()));
        }
        Ok(())
    }

    /// Does the work, which ends with the end of the kernels, and pushes the spans of their messages meanwhile. A push that
    /// fails is told at once; the work goes on, and it is a fault if that was all right.
    pub(crate) fn pushing(
        &self,
        runtimes: &[&Runtime],
        work: impl FnOnce() -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let Some(collector) = &self.otlp else { return work() };
        let (end, ended) = channel::<()>();
        let (done, (pushed, lost)) = thread::scope(|scope| {
            let pusher = scope.spawn(move || {
                let (mut pushed, mut lost) = (0, 0);
                let mut push = || {
                    for runtime in runtimes {
                        let spans = spans::of(&runtime.take_traces());
                        match collector.push_spans(&spans) {
                            Ok(()) => pushed += spans.len(),
                            Err(error) => {
                                if lost == 0 {
                                    tell(&error.to_string());
                                }
                                lost += spans.len();
                            }
                        }
                    }
                };
                while ended.recv_timeout(PAUSE) == Err(RecvTimeoutError::Timeout) {
                    push();
                }
                push();
                (pushed, lost)
            });
            // Also if the work panics, which ends the pusher.
            let end = end;
            let done = work();
            drop(end);
            (done, pusher.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
        });
        let missed = match runtimes.iter().map(|runtime| runtime.trace_events_lost()).sum::<u64>() {
            0 => String::new(),
            missed => format!(", {missed} events of others were not kept"),
        };
        tell(&format!("{pushed} spans pushed to {collector}{missed}"));
        done?;
        match lost {
            0 => Ok(()),
            lost => Err(Failure::Fault(format!("{lost} spans were lost, since they could not be pushed"))),
        }
    }
}
