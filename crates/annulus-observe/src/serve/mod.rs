//! Health, metrics and a live page over HTTP.
//!
//! | path | what |
//! |---|---|
//! | `/` | the page: plots of each kernel, and a drawing of who sends to whom |
//! | `/events` | what the page shows, once a second, as events that the server sends |
//! | `/metrics` | Prometheus' text |
//! | `/healthz` | 200, or 503 if a kernel is unhealthy; the text says why |
//! | `/readyz` | 200 if all kernels take messages and none is unhealthy, else 503 |
//!
//! [`Observer::serve_metrics`] serves the last three alone.

mod http;
mod live;

use std::{
    io::{self, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    sync::{Arc, Condvar, Mutex, PoisonError},
    thread::{self, JoinHandle},
    time::Duration,
};

use crate::{HealthState, Observer, metrics};
use http::Refused;

/// The most connections at a time. Source: this project's choice: a few pages, a scraper, a probe.
const MOST: usize = 32;

/// How often the page gets news.
const NEWS: Duration = Duration::from_secs(1);

const PAGE: &str = include_str!("page.html");
const TEXT: &str = "text/plain; charset=utf-8";

/// A server of an observer's pages. It ends when this is dropped.
#[derive(Debug)]
pub struct Server {
    address: SocketAddr,
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct Shared {
    observer: Observer,
    /// Whether there is a page, beside what programs read.
    has_page: bool,
    /// Only requests are taken that call it by its address.
    guarded: bool,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    ends: bool,
    connections: usize,
}

impl Observer {
    /// Serves the page, the metrics and the health at an address: `/`, `/metrics`, `/healthz`, `/readyz`. With
    /// port 0 the system chooses one. Whoever reaches the address sees everything; so use one of this machine's own,
    /// `127.0.0.1`, unless others should.
    ///
    /// ```
    /// use annulus::prelude::*;
    /// let observer = annulus_observe::Observer::of(&Runtime::builder().build()?);
    /// let server = observer.serve(([127, 0, 0, 1], 0).into())?;
    /// println!("http://{}/", server.address());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the address cannot be had.
    pub fn serve(&self, address: SocketAddr) -> io::Result<Server> {
        self.serve_as(address, true)
    }

    /// The same without the page: what programs read, `/metrics`, `/healthz` and `/readyz`.
    ///
    /// ```
    /// use annulus::prelude::*;
    /// let observer = annulus_observe::Observer::of(&Runtime::builder().build()?);
    /// let server = observer.serve_metrics(([127, 0, 0, 1], 0).into())?;
    /// println!("http://{}/metrics", server.address());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the address cannot be had.
    pub fn serve_metrics(&self, address: SocketAddr) -> io::Result<Server> {
        self.serve_as(address, false)
    }

    fn serve_as(&self, address: SocketAddr, has_page: bool) -> io::Result<Server> {
        let cannot =
            |error: io::Error| io::Error::new(error.kind(), format!("cannot serve at {address}: {error}"));
        let listener = TcpListener::bind(address).map_err(cannot)?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared {
            observer: self.clone(),
            has_page,
            guarded: address.ip().is_loopback(),
            state: Mutex::default(),
            changed: Condvar::new(),
        });
        let its = Arc::clone(&shared);
        let thread =
            thread::Builder::new().name("annulus-page".into()).spawn(move || its.listen(&listener))?;
        Ok(Server { address, shared, thread: Some(thread) })
    }
}

impl Server {
    /// Where it is.
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.shared.lock().ends = true;
        self.shared.changed.notify_all();
        // The thread waits for a connection: this is one.
        let mut own = self.address;
        if own.ip().is_unspecified() {
            own.set_ip(std::net::Ipv4Addr::LOCALHOST.into());
        }
        if TcpStream::connect_timeout(&own, NEWS).is_ok()
            && let Some(thread) = self.thread.take()
        {
            let _ = thread.join();
        }
    }
}

impl Shared {
    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        // Numbers, each set at once.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn listen(self: Arc<Self>, listener: &TcpListener) {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else {
                // No more descriptors, for one: some will be free again.
                thread::sleep(Duration::from_millis(50));
                continue;
            };
            {
                let mut state = self.lock();
                if state.ends {
                    return;
                }
                // An answer would be lost: the request is not read.
                if state.connections >= MOST {
                    continue;
                }
                state.connections += 1;
            }
            let shared = Arc::clone(&self);
            let spawned = thread::Builder::new().name("annulus-page".into()).spawn(move || {
                let _open = Open(&shared);
                // A peer that has gone is nobody's fault.
                let _ = shared.answer(&mut stream);
            });
            if spawned.is_err() {
                drop(Open(&self));
            }
        }
    }

    fn answer(&self, stream: &mut TcpStream) -> io::Result<()> {
        let request = match http::read(stream, self.guarded) {
            Ok(request) => request,
            Err(Refused::Gone) => return Ok(()),
            Err(refused) => {
                let status: &str = refused.into();
                return http::answer(stream, None, status, TEXT, &format!("{status}\n"));
            }
        };
        let told = |stream: &mut TcpStream, is_well: bool, text: &str| {
            let status = if is_well { "200 OK" } else { "503 Service Unavailable" };
            http::answer(stream, Some(&request), status, TEXT, text)
        };
        match &*request.path {
            "/" | "/events" if !self.has_page => self.lacks(stream, &request),
            "/" => http::answer(stream, Some(&request), "200 OK", "text/html; charset=utf-8", PAGE),
            "/metrics" => {
                let text = self.observer.prometheus();
                http::answer(stream, Some(&request), "200 OK", metrics::CONTENT_TYPE, &text)
            }
            "/healthz" => {
                let health = self.observer.health();
                told(stream, health.state() != HealthState::Unhealthy, &format!("{health}\n"))
            }
            "/readyz" => {
                let health = self.observer.health();
                let word = if health.is_ready() { "ready" } else { "not ready" };
                told(stream, health.is_ready(), &format!("{word}\n{health}\n"))
            }
            "/events" if request.head_only => http::head(stream, "200 OK", "text/event-stream", None),
            "/events" => self.tell_news(stream),
            _ => self.lacks(stream, &request),
        }
    }

    /// Answers that there is no such path, and which ones there are.
    fn lacks(&self, stream: &mut TcpStream, request: &http::Request) -> io::Result<()> {
        let page = if self.has_page { "/, " } else { "" };
        let text = format!("{page}/metrics, /healthz or /readyz\n");
        http::answer(stream, Some(request), "404 Not Found", TEXT, &text)
    }

    /// Sends what the page shows, until the page is closed or the server ends.
    fn tell_news(&self, stream: &mut TcpStream) -> io::Result<()> {
        http::head(stream, "200 OK", "text/event-stream", None)?;
        loop {
            let news = live::news(&self.observer.look());
            write!(stream, "data: {news}\n\n")?;
            stream.flush()?;
            let state = self.lock();
            let waits = self.changed.wait_timeout_while(state, NEWS, |state| !state.ends);
            if waits.unwrap_or_else(PoisonError::into_inner).0.ends {
                return Ok(());
            }
        }
    }
}

/// Counts a connection until it is closed.
struct Open<'a>(&'a Shared);

impl Drop for Open<'_> {
    fn drop(&mut self) {
        self.0.lock().connections -= 1;
    }
}
