//! OTLP: metrics and spans for a collector of OpenTelemetry, over HTTP.
//!
//! What is sent are the messages of OpenTelemetry's own crate for the protocol (`opentelemetry-proto`), without its
//! SDK's exporters: the SDK has no histogram that is observed and no spans whose times were measured elsewhere, and
//! here both leave as they are. A [`Collector`] has no thread, no queue and no second try: who pushes hears what
//! became of it, and cumulative counts lose nothing if one push fails.

mod messages;

use std::{fmt, time::Duration};

use opentelemetry_proto::tonic::collector::{
    metrics::v1::ExportMetricsServiceResponse, trace::v1::ExportTraceServiceResponse,
};
use prost::Message;
use ureq::{Agent, http::Uri};

use crate::{metrics::Sample, spans::Span};

/// How long a collector may take for a push.
const PATIENCE: Duration = Duration::from_secs(10);
/// The most of an answer that is read.
const MOST: u64 = 64 * 1024;
/// The most spans of a request: one has some 300 bytes, and collectors take 4 MiB or more. Source: this project's choice.
const MOST_SPANS: usize = 4096;
/// The port of collectors that take OTLP over HTTP.
const PORT: u16 = 4318;

/// A collector of OpenTelemetry. Clones push to the same one.
///
/// ```
/// use annulus_observe::otlp::Collector;
/// assert_eq!(Collector::at("http://127.0.0.1")?.to_string(), "http://127.0.0.1:4318");
/// assert!(Collector::at("https://collector.example").is_err());
/// # Ok::<(), annulus_observe::otlp::PushError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Collector {
    /// Without a slash at its end.
    address: String,
    /// The name of this program; of other processes that of their executable, unless it was chosen.
    service: Option<String>,
    agent: Agent,
}

/// Why a push failed.
#[derive(Debug)]
#[non_exhaustive]
pub enum PushError {
    /// That is no address of a collector.
    Address(String),
    /// The collector cannot be reached, or does not answer.
    Unreachable {
        /// Its address, with the path that was pushed to.
        collector: String,
        /// Why.
        why: String,
    },
    /// It has answered with an error.
    Refused {
        /// Its address, with the path that was pushed to.
        collector: String,
        /// The status of HTTP.
        status: u16,
        /// The beginning of its answer.
        answer: String,
    },
    /// It has taken a part only.
    Partly {
        /// Its address.
        collector: String,
        /// How many values or spans it has not taken.
        rejected: i64,
        /// Why, as it says.
        answer: String,
    },
}

impl fmt::Display for PushError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Address(address) => write!(
                f,
                "`{address}` is no address of a collector: write http://HOST:PORT, of one that takes OTLP over HTTP (usually \
                 port {PORT}); there is no TLS here, so let a collector on this machine send on to others"
            ),
            Self::Unreachable { collector, why } => write!(
                f,
                "cannot push to {collector}: {why}; is a collector there that takes OTLP over HTTP, within {} seconds?",
                PATIENCE.as_secs()
            ),
            Self::Refused { collector, status, answer } => {
                write!(f, "{collector} has not taken what was pushed: HTTP status {status}")?;
                if answer.is_empty() { Ok(()) } else { write!(f, ": {answer}") }
            }
            Self::Partly { collector, rejected, answer } => {
                write!(f, "{collector} has not taken {rejected} of what was pushed: {answer}")
            }
        }
    }
}

impl std::error::Error for PushError {}

impl fmt::Display for Collector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.address)
    }
}

impl Collector {
    /// The one at this address: `http://HOST:PORT`, or with a path in front of `/v1/…`. Without a port it is 4318. That
    /// `/v1/metrics` or `/v1/traces` is added, and may stand in the address, too.
    /// Proxies of the environment are not asked.
    ///
    /// # Errors
    ///
    /// If this is no such address.
    pub fn at(address: &str) -> Result<Self, PushError> {
        let wrong = || PushError::Address(address.to_owned());
        let uri: Uri = address.parse().map_err(|_| wrong())?;
        let authority = uri.authority().ok_or_else(wrong)?;
        let host = authority.host();
        let is_plain = uri.scheme_str() == Some("http") && uri.query().is_none();
        // Names and passwords would be sent to nobody.
        if !is_plain || host.is_empty() || authority.as_str().contains('@') {
            return Err(wrong());
        }
        let rest = &authority.as_str()[host.len()..];
        let port = match rest.strip_prefix(':') {
            Some(port) => port.parse().map_err(|_| wrong())?,
            None => PORT,
        };
        let agent = Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .proxy(None)
            .timeout_global(Some(PATIENCE))
            .build()
            .new_agent();
        let path = uri.path().trim_end_matches('/');
        // Others ask for the whole address of one kind of data, which is what people have at hand.
        let path =
            ["/v1/metrics", "/v1/traces"].iter().find_map(|end| path.strip_suffix(end)).unwrap_or(path);
        let address = format!("http://{host}:{port}{path}");
        Ok(Self { address, service: None, agent })
    }

    /// The same; what is pushed is of a service with this name (`service.name`). Else that is the name of the
    /// executable.
    #[must_use]
    pub fn service(self, name: &str) -> Self {
        Self { service: Some(name.to_owned()), ..self }
    }

    /// Pushes the samples of a [look](crate::Observer::look), as values of now. Each process is a resource
    /// of its own.
    ///
    /// ```no_run
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let collector = annulus_observe::otlp::Collector::at("http://127.0.0.1:4318")?;
    /// let observer = annulus_observe::Observer::of_machine(None).build();
    /// collector.push_metrics(&observer.look().samples)?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// If the collector cannot be reached, or does not take all of them.
    pub fn push_metrics(&self, samples: &[Sample]) -> Result<(), PushError> {
        let request = messages::metrics(samples, self.service.as_deref());
        let answer = self.post("/v1/metrics", request.encode_to_vec())?;
        // A body that is no such answer says nothing of what was rejected: the status was good.
        let partial = ExportMetricsServiceResponse::decode(&*answer).ok().and_then(|it| it.partial_success);
        partial.map_or(Ok(()), |partial| self.all_taken(partial.rejected_data_points, &partial.error_message))
    }

    /// Pushes spans, as [`spans::of`](crate::spans::of) makes them: of this process. Many go in several requests, one
    /// behind the other, since collectors limit the size of one; after an error, those before it have been taken.
    ///
    /// ```no_run
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # use annulus::prelude::*;
    /// # let runtime = Runtime::builder().build()?;
    /// let collector = annulus_observe::otlp::Collector::at("http://127.0.0.1:4318")?.service("shop");
    /// collector.push_spans(&annulus_observe::spans::of(&runtime.take_traces()))?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// If the collector cannot be reached, or does not take all of them.
    pub fn push_spans(&self, spans: &[Span]) -> Result<(), PushError> {
        for spans in spans.chunks(MOST_SPANS) {
            let request = messages::spans(spans, self.service.as_deref());
            let answer = self.post("/v1/traces", request.encode_to_vec())?;
            let partial = ExportTraceServiceResponse::decode(&*answer).ok().and_then(|it| it.partial_success);
            if let Some(partial) = partial {
                self.all_taken(partial.rejected_spans, &partial.error_message)?;
            }
        }
        Ok(())
    }

    /// A collector may also warn with nothing rejected: that is no failure.
    fn all_taken(&self, rejected: i64, answer: &str) -> Result<(), PushError> {
        if rejected == 0 {
            return Ok(());
        }
        Err(PushError::Partly { collector: self.to_string(), rejected, answer: shown(answer) })
    }

    fn post(&self, path: &str, body: Vec<u8>) -> Result<Vec<u8>, PushError> {
        let url = format!("{}{path}", self.address);
        let failed =
            |error: ureq::Error| PushError::Unreachable { collector: url.clone(), why: error.to_string() };
        let request = self.agent.post(&url);
        let mut answer = request.content_type("application/x-protobuf").send(&body).map_err(failed)?;
        let status = answer.status();
        let said = answer.body_mut().with_config().limit(MOST).read_to_vec();
        if status.is_success() {
            return said.map_err(failed);
        }
        let said = said.unwrap_or_default();
        Err(PushError::Refused {
            collector: url.clone(),
            status: status.as_u16(),
            answer: shown(&String::from_utf8_lossy(&said)),
        })
    }
}

/// The beginning of what a stranger says, on one line.
fn shown(text: &str) -> String {
    let plain = text.chars().map(|c| if c.is_control() { ' ' } else { c });
    plain.take(200).collect::<String>().trim().to_owned()
}
