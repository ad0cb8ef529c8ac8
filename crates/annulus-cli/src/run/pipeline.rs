//! From the input through the engine to the alerts.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use indicatif::HumanCount;

use super::alerts::AlertSink;
use super::batch::Batch;
use super::engine::{Alert, Engine, EngineReport};
use super::feed::Event;
use super::in_flight::InFlight;
use super::pace::Pace;
use super::progress::{Progress, Status};
use super::summary::Tally;
use crate::failure::Failure;
use crate::signals::Interrupt;

/// How long alerts may lie unseen while nothing is sent.
const POLL: Duration = Duration::from_millis(5);

/// Memory for the times of readings that an alert may still come back for: about a million readings' worth.
/// Emptying the queue once it is full costs far less time than filling it takes.
const IN_FLIGHT_BYTES: usize = 16 << 20;

/// Moves readings to the engine and alerts from it.
pub(crate) struct Pipeline<'a> {
    engine: Box<dyn Engine>,
    /// How fast to send, where not as fast as possible.
    pace: Option<Pace>,
    /// Send no more than this.
    limit: u64,
    /// Send no more once somebody asks for the end.
    stop: Interrupt,
    sink: &'a mut AlertSink,
    progress: &'a mut Progress,
    in_flight: InFlight,
    /// Alerts on their way from the engine to the sink.
    alerts: Vec<Alert>,
    sent: u64,
}

impl<'a> Pipeline<'a> {
    pub(crate) fn new(
        engine: Box<dyn Engine>,
        pace: Option<Pace>,
        limit: u64,
        stop: &Interrupt,
        sink: &'a mut AlertSink,
        progress: &'a mut Progress,
    ) -> Self {
        let in_flight = InFlight::new(IN_FLIGHT_BYTES);
        let stop = stop.clone();
        Self { engine, pace, limit, stop, sink, progress, in_flight, alerts: Vec::new(), sent: 0 }
    }

    /// Runs until the input ends, the limit is reached or the end is asked for, and all answers are there.
    /// What came before a fault of the input is processed, and its alerts are written, before that fault is
    /// returned.
    pub(crate) fn run(mut self, events: &Receiver<Event>) -> Result<(Tally, EngineReport), Failure> {
        let mut bad_rows = 0;
        let mut fault = None;
        let mut start = None;
        while self.sent < self.limit && !self.stop.is_asked() {
            match events.recv_timeout(POLL) {
                Ok(Event::Batch { batch, new_series, bad_rows: bad }) => {
                    bad_rows = bad;
                    if start.is_none() {
                        start = Some(Instant::now());
                        // The schedule begins with the first reading, not with the program.
                        self.restart_pace();
                    }
                    self.sink.add_series(new_series);
                    self.send(&batch)?;
                }
                Ok(Event::End { bad_rows: bad }) => {
                    bad_rows = bad;
                    break;
                }
                Ok(Event::Failed(error)) => {
                    fault = Some(error.to_string());
                    break;
                }
                Err(RecvTimeoutError::Timeout) => {
                    self.take_alerts()?;
                    self.restart_pace();
                }
                Err(RecvTimeoutError::Disconnected) => {
                    fault = Some("the thread that reads the input has failed".into());
                    break;
                }
            }
        }
        self.drain()?;
        let elapsed = start.map_or(Duration::ZERO, |start: Instant| start.elapsed());
        self.progress.finish();

        let report = self.engine.report();
        let (sent, alerts) = (self.sent, self.sink.count());
        if let Some(fault) = fault {
            let before = match sent {
                0 => String::new(),
                _ => {
                    let [sent, alerts] = [sent, alerts].map(HumanCount);
                    format!("\n  before that: messages sent: {sent}, alerts: {alerts}")
                }
            };
            return Err(Failure::Fault(fault + &before));
        }
        let (paced, interrupted) = (self.pace.is_some(), self.stop.is_asked());
        Ok((Tally { sent, alerts, bad_rows, elapsed, paced, interrupted }, report))
    }

    /// Sends a batch, as far as the limit allows and as fast as the pace does.
    fn send(&mut self, batch: &Arc<Batch>) -> Result<(), Failure> {
        if self.in_flight.is_full() {
            self.drain()?;
        }
        self.in_flight.push(self.sent, Arc::clone(batch));
        let room = usize::try_from(self.limit - self.sent).unwrap_or(usize::MAX);
        let mut rest = &batch.readings()[..batch.readings().len().min(room)];
        while !rest.is_empty() && !self.stop.is_asked() {
            let count = self.pace.as_mut().map_or(rest.len(), |pace| pace.wait(rest.len(), POLL));
            let (now, later) = rest.split_at(count);
            if !now.is_empty() {
                self.engine.send(now, &mut self.alerts).map_err(Failure::fault)?;
                self.sent += now.len() as u64;
            }
            self.take_alerts()?;
            rest = later;
        }
        Ok(())
    }

    /// For when there was nothing to send.
    fn restart_pace(&mut self) {
        if let Some(pace) = &mut self.pace {
            pace.restart();
        }
    }

    /// Waits for all answers; the times of what has been sent are not needed any more then.
    fn drain(&mut self) -> Result<(), Failure> {
        self.engine.drain(&mut self.alerts).map_err(Failure::fault)?;
        self.write_alerts()?;
        self.in_flight.clear();
        Ok(())
    }

    /// Takes in what has come back, and shows it.
    fn take_alerts(&mut self) -> Result<(), Failure> {
        self.engine.poll(&mut self.alerts).map_err(Failure::fault)?;
        self.write_alerts()?;
        let Self { engine, sent, sink, .. } = self;
        self.progress.tick(|| status(&**engine, *sent, sink));
        Ok(())
    }

    fn write_alerts(&mut self) -> Result<(), Failure> {
        self.sink.take(&mut self.alerts, &self.in_flight)?;
        match self.sink.has_lines() {
            true => self.progress.suspend(|| self.sink.flush()),
            false => self.sink.flush(),
        }
    }
}

fn status(engine: &dyn Engine, sent: u64, sink: &AlertSink) -> Status {
    Status { sent, processed: engine.processed(), queue_depth: engine.queue_depth(), alerts: sink.count() }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::sync_channel;

    use super::*;
    use crate::run::alerts::Show;
    use crate::run::engine::{EngineError, LaunchReport, Reading};
    use crate::run::input_error::InputError;

    /// Alerts on every reading, as late as an engine may and in the reverse order; takes its figures from its
    /// queue.
    #[derive(Default)]
    struct LateEngine {
        queued: Vec<Alert>,
        processed: u64,
    }

    impl Engine for LateEngine {
        fn send(&mut self, readings: &[Reading], _: &mut Vec<Alert>) -> Result<(), EngineError> {
            for &Reading { series, value } in readings {
                let sequence = self.processed + self.queued.len() as u64;
                self.queued.push(Alert { sequence, series, value, z: value });
            }
            Ok(())
        }

        fn poll(&mut self, _: &mut Vec<Alert>) -> Result<(), EngineError> {
            Ok(())
        }

        fn drain(&mut self, alerts: &mut Vec<Alert>) -> Result<(), EngineError> {
            self.processed += self.queued.len() as u64;
            alerts.extend(self.queued.drain(..).rev());
            Ok(())
        }

        fn queue_depth(&self) -> u64 {
            self.queued.len() as u64
        }

        fn processed(&self) -> u64 {
            self.processed
        }

        fn report(&self) -> EngineReport {
            EngineReport {
                processed: self.processed,
                dropped: Vec::new(),
                latency: None,
                backend: "late".into(),
                launch: LaunchReport::default(),
            }
        }
    }

    /// An event with readings `from..to`, whose times and values are their numbers.
    fn batch(from: u32, to: u32) -> Event {
        let mut batch = Batch::default();
        for number in from..to {
            batch.push(&number.to_string(), Reading { series: 0, value: number as f32 });
        }
        let new_series = if from == 0 { vec!["s".into()] } else { Vec::new() };
        Event::Batch { batch: Arc::new(batch), new_series, bad_rows: 0 }
    }

    /// Runs `events` with room for `in_flight` bytes, and gives the outcome and the lines of the alerts'
    /// file.
    fn run(
        name: &str,
        events: Vec<Event>,
        limit: u64,
        in_flight: usize,
    ) -> (Result<(Tally, EngineReport), Failure>, Vec<String>) {
        let path = std::env::temp_dir().join(format!("annulus-pipeline-{}-{name}.csv", std::process::id()));
        let mut sink = AlertSink::new(Show::Nothing, Some(&path)).unwrap();
        let (mut progress, stop) = (Progress::new(false), Interrupt::default());
        let (sender, receiver) = sync_channel(events.len());
        for event in events {
            sender.send(event).unwrap();
        }
        let mut pipeline =
            Pipeline::new(Box::new(LateEngine::default()), None, limit, &stop, &mut sink, &mut progress);
        pipeline.in_flight = InFlight::new(in_flight);
        let outcome = pipeline.run(&receiver);
        let lines = std::fs::read_to_string(&path).unwrap().lines().skip(1).map(String::from).collect();
        std::fs::remove_file(&path).unwrap();
        (outcome, lines)
    }

    fn expected(count: u32) -> Vec<String> {
        (0..count).map(|number| format!("{number},s,{number},{number}")).collect()
    }

    #[test]
    fn late_alerts_find_their_times_however_small_the_log() {
        for in_flight in [0, 5000, 1 << 20] {
            let events = (0..20).map(|i| batch(i * 100, (i + 1) * 100)).chain([Event::End { bad_rows: 4 }]);
            let (outcome, mut lines) =
                run(&format!("late-{in_flight}"), events.collect(), u64::MAX, in_flight);
            let (tally, report) = outcome.unwrap();
            assert_eq!((tally.sent, tally.alerts, tally.bad_rows, report.processed), (2000, 2000, 4, 2000));
            lines.sort_by_key(|line| line.split(',').next().unwrap().parse::<u32>().unwrap());
            assert_eq!(lines, expected(2000));
        }
    }

    #[test]
    fn the_limit_cuts_a_batch() {
        let (outcome, mut lines) = run("limit", vec![batch(0, 100), batch(100, 200)], 150, 1 << 20);
        assert_eq!(outcome.unwrap().0.sent, 150);
        lines.reverse();
        assert_eq!(lines, expected(150));
    }

    #[test]
    fn alerts_from_before_a_fault_are_written() {
        let fault = InputError {
            file: "f".into(),
            line: Some(5),
            column: None,
            found: "x".into(),
            remedy: "y".into(),
            only_this_row: true,
        };
        let (outcome, lines) = run("fault", vec![batch(0, 3), Event::Failed(fault)], u64::MAX, 1 << 20);
        assert!(matches!(outcome, Err(Failure::Fault(text)) if text.contains("line 5")));
        assert_eq!(lines.len(), 3);
    }
}
