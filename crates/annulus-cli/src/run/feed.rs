//! Reads the input on a separate thread, so that alerts keep coming while we wait for input.

use std::cell::RefCell;
use std::io::{self, Read};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use super::batch::Batch;
use super::csv_input::{ColumnNames, CsvInput, cannot_read};
use super::input_error::InputError;
use super::series::Series;
use super::source::{Source, decompressed};

/// Batches that wait between reading and sending; enough that neither side waits for the other's hiccups.
const BATCHES_AHEAD: usize = 64;

/// What to read, and how.
#[derive(Clone, Debug)]
pub(crate) struct FeedOptions {
    pub(crate) source: Source,
    pub(crate) columns: ColumnNames,
    pub(crate) delimiter: u8,
    /// Series are numbered below this.
    pub(crate) max_series: u32,
    /// Count bad rows and go on, instead of failing at the first.
    pub(crate) skip_bad: bool,
    /// Begin again at the end, for ever, where the source allows it.
    pub(crate) replay: bool,
}

/// What the reader hands over.
#[derive(Debug)]
pub(crate) enum Event {
    /// Readings.
    Batch {
        batch: Arc<Batch>,
        /// The names of the series that appear in it for the first time, in the order of their numbers.
        new_series: Vec<Box<str>>,
        /// Rows skipped before its last reading, in total.
        bad_rows: u64,
    },
    /// The input has ended; that many rows were skipped.
    End { bad_rows: u64 },
    /// The input cannot be read further.
    Failed(InputError),
}

/// Starts reading. The thread ends when the input does or when the receiver is dropped; it may be left
/// blocked in a read.
pub(crate) fn start(options: FeedOptions) -> io::Result<Receiver<Event>> {
    let (sender, receiver) = sync_channel(BATCHES_AHEAD);
    thread::Builder::new().name("input".into()).spawn(move || {
        let outbox = Rc::new(RefCell::new(Outbox::new(sender, &options)));
        let last = match read_all(&options, &outbox) {
            Ok(()) => Event::End { bad_rows: outbox.borrow().bad_rows },
            Err(error) => Event::Failed(error),
        };
        let mut outbox = outbox.borrow_mut();
        outbox.flush();
        outbox.send(last);
    })?;
    Ok(receiver)
}

/// Reads the input once, or for ever; returns early when nobody listens any more.
fn read_all(options: &FeedOptions, outbox: &Rc<RefCell<Outbox>>) -> Result<(), InputError> {
    let replay = options.replay && options.source.can_replay();
    let mut series = Series::new(options.max_series);
    loop {
        read_once(options, &mut series, outbox)?;
        if !replay || outbox.borrow().closed {
            return Ok(());
        }
        // Parsing data that fits in memory again and again would only measure the parser.
        let kept = outbox.borrow_mut().kept.take();
        if let Some(kept) = kept {
            outbox.borrow_mut().flush();
            while kept.iter().all(|batch| outbox.borrow_mut().send_batch(Arc::clone(batch))) {}
            return Ok(());
        }
    }
}

/// Reads the input from its beginning to its end.
fn read_once(
    options: &FeedOptions,
    series: &mut Series,
    outbox: &Rc<RefCell<Outbox>>,
) -> Result<(), InputError> {
    let file: Arc<str> = options.source.to_string().into();
    let unreadable = |error: io::Error| {
        let (found, remedy) = cannot_read(&error);
        InputError { file: file.clone(), line: None, column: None, found, remedy, only_this_row: false }
    };
    let bytes = FlushFirst { bytes: options.source.open().map_err(unreadable)?, outbox: Rc::clone(outbox) };
    let text = decompressed(bytes).map_err(unreadable)?;
    let mut input = CsvInput::new(text, file.clone(), &options.columns, options.delimiter)?;

    let mut good_rows = 0_u64;
    let mut first_bad: Option<InputError> = None;
    loop {
        let (time, reading) = match input.next(series) {
            Ok(Some(row)) => row,
            Ok(None) => break,
            Err(error) if error.only_this_row && options.skip_bad => {
                outbox.borrow_mut().bad_rows += 1;
                first_bad.get_or_insert(error);
                continue;
            }
            Err(error) => return Err(error),
        };
        good_rows += 1;
        let mut outbox = outbox.borrow_mut();
        outbox.new_series.append(&mut series.take_new());
        outbox.batch.push(time, reading);
        if outbox.batch.is_full() && !outbox.flush() {
            return Ok(());
        }
    }
    match first_bad {
        _ if good_rows > 0 => Ok(()),
        Some(error) => {
            Err(InputError { found: format!("{}, and no other row is good", error.found), ..error })
        }
        None => {
            let found = "there are no rows after the header".into();
            let remedy = "add one row per reading".into();
            Err(InputError { file, line: None, column: None, found, remedy, only_this_row: false })
        }
    }
}

/// The sender's end of the channel, and what is to go through it next.
struct Outbox {
    sender: SyncSender<Event>,
    batch: Batch,
    new_series: Vec<Box<str>>,
    bad_rows: u64,
    /// What has been sent, where it is to be replayed from memory.
    kept: Option<Vec<Arc<Batch>>>,
    /// The receiver is gone.
    closed: bool,
}

impl Outbox {
    fn new(sender: SyncSender<Event>, options: &FeedOptions) -> Self {
        // Of the sources only the shipped data is known to be small.
        let keep = options.replay && options.source == Source::Shipped;
        let kept = keep.then(Vec::new);
        Self { sender, batch: Batch::default(), new_series: Vec::new(), bad_rows: 0, kept, closed: false }
    }

    /// Sends the readings at hand, if any; `false` when the receiver is gone.
    fn flush(&mut self) -> bool {
        if self.batch.readings().is_empty() {
            return !self.closed;
        }
        let batch = Arc::new(std::mem::take(&mut self.batch));
        if let Some(kept) = &mut self.kept {
            kept.push(Arc::clone(&batch));
        }
        self.send_batch(batch)
    }

    fn send_batch(&mut self, batch: Arc<Batch>) -> bool {
        let new_series = std::mem::take(&mut self.new_series);
        let bad_rows = self.bad_rows;
        self.send(Event::Batch { batch, new_series, bad_rows })
    }

    fn send(&mut self, event: Event) -> bool {
        self.closed |= self.sender.send(event).is_err();
        !self.closed
    }
}

/// Sends what is at hand before each read, because the read may wait for long.
struct FlushFirst<R> {
    bytes: R,
    outbox: Rc<RefCell<Outbox>>,
}

impl<R: Read> Read for FlushFirst<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.outbox.borrow_mut().flush();
        self.bytes.read(buffer)
    }
}
