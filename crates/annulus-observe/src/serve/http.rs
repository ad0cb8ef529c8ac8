//! As much of HTTP/1.1 as four pages that are only read need.
//!
//! A request has no body here, and a connection is closed after its answer. Whatever is asked wrongly, slowly or too
//! often ends with an error of HTTP, and costs at most a thread for a few seconds.

use std::{
    io::{self, Read, Write},
    net::{IpAddr, TcpStream},
    time::Duration,
};

/// How long a peer may take to send its request, and to take a part of the answer.
const PATIENCE: Duration = Duration::from_secs(5);

/// The most bytes of a request's head. Source: this project's choice; browsers send less than a tenth.
const MOST: usize = 16 << 10;

/// The most header fields of a request.
const FIELDS: usize = 64;

/// What was asked for.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Request {
    /// The path, without what comes behind a question mark.
    pub(super) path: String,
    /// Whether only the head of the answer is wanted.
    pub(super) head_only: bool,
}

/// Why a request is refused: the status of the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refused {
    BadRequest,
    Forbidden,
    Method,
    TooLarge,
    /// The peer has gone, or is too slow.
    Gone,
}

impl From<Refused> for &'static str {
    fn from(refused: Refused) -> Self {
        match refused {
            Refused::BadRequest => "400 Bad Request",
            Refused::Forbidden => "403 Forbidden",
            Refused::Method => "405 Method Not Allowed",
            Refused::TooLarge => "431 Request Header Fields Too Large",
            Refused::Gone => "408 Request Timeout",
        }
    }
}

/// Reads a request. `guarded`: only those are taken that call this server by an address or `localhost`. Else a page of
/// anybody could read what is shown here, by a name of its own that it lets point to this machine.
pub(super) fn read(stream: &mut TcpStream, guarded: bool) -> Result<Request, Refused> {
    let prepared = stream.set_read_timeout(Some(PATIENCE)).and(stream.set_write_timeout(Some(PATIENCE)));
    prepared.map_err(|_| Refused::Gone)?;
    let start = std::time::Instant::now();
    let mut bytes = Vec::new();
    loop {
        if let Some(request) = parse(&bytes, guarded)? {
            return Ok(request);
        }
        if bytes.len() >= MOST {
            return Err(Refused::TooLarge);
        }
        // A peer that sends a byte now and then is slow as a whole.
        if start.elapsed() > PATIENCE {
            return Err(Refused::Gone);
        }
        let mut part = [0; 2048];
        match stream.read(&mut part) {
            Ok(0) | Err(_) => return Err(Refused::Gone),
            Ok(read) => bytes.extend_from_slice(&part[..read]),
        }
    }
}

/// The request that the bytes begin with; `None` if more of it must come.
fn parse(bytes: &[u8], guarded: bool) -> Result<Option<Request>, Refused> {
    let mut fields = [httparse::EMPTY_HEADER; FIELDS];
    let mut request = httparse::Request::new(&mut fields);
    match request.parse(bytes) {
        Ok(httparse::Status::Complete(_)) => {}
        Ok(httparse::Status::Partial) => return Ok(None),
        Err(httparse::Error::TooManyHeaders) => return Err(Refused::TooLarge),
        Err(_) => return Err(Refused::BadRequest),
    }
    let head_only = match request.method {
        Some("GET") => false,
        Some("HEAD") => true,
        _ => return Err(Refused::Method),
    };
    let host = request.headers.iter().find(|field| field.name.eq_ignore_ascii_case("host"));
    let host = host.and_then(|field| str::from_utf8(field.value).ok());
    if guarded && !host.is_some_and(is_own) {
        return Err(Refused::Forbidden);
    }
    let path = request.path.unwrap_or("/");
    Ok(Some(Request { path: path.split('?').next().unwrap_or_default().to_owned(), head_only }))
}

/// Whether a host, perhaps with a port, is an address or `localhost`: nobody else can own such a name.
fn is_own(host: &str) -> bool {
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    };
    let plain = name.trim_start_matches('[').trim_end_matches(']');
    name.eq_ignore_ascii_case("localhost") || plain.parse::<IpAddr>().is_ok()
}

/// Begins an answer. `length`: of its body; `None` if the body lasts until the connection is closed.
pub(super) fn head(
    stream: &mut TcpStream,
    status: &str,
    content_type: &str,
    length: Option<usize>,
) -> io::Result<()> {
    let length = length.map_or(String::new(), |length| format!("Content-Length: {length}\r\n"));
    // The page has its styles and its script in itself, and asks nobody else for anything.
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {content_type}\r\n{length}Connection: close\r\nCache-Control: no-store\r\n\
         X-Content-Type-Options: nosniff\r\nContent-Security-Policy: default-src 'none'; style-src 'unsafe-inline'; \
         script-src 'unsafe-inline'; connect-src 'self'; frame-ancestors 'none'\r\n\r\n"
    );
    stream.write_all(head.as_bytes())
}

/// A whole answer.
pub(super) fn answer(
    stream: &mut TcpStream,
    request: Option<&Request>,
    status: &str,
    content_type: &str,
    body: &str,
) -> io::Result<()> {
    head(stream, status, content_type, Some(body.len()))?;
    if request.is_none_or(|request| !request.head_only) {
        stream.write_all(body.as_bytes())?;
    }
    stream.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_read_by_their_parts() {
        let whole = b"GET /metrics?x=1 HTTP/1.1\r\nHost: localhost:9464\r\n\r\n";
        for length in 0..whole.len() {
            assert_eq!(parse(&whole[..length], true), Ok(None), "{length}");
        }
        let request = Request { path: "/metrics".into(), head_only: false };
        assert_eq!(parse(whole, true), Ok(Some(request)));
    }

    #[test]
    fn what_is_no_request_for_us_is_refused() {
        let refused = |text: &str| parse(text.as_bytes(), true).unwrap_err();
        assert_eq!(refused("GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n"), Refused::Forbidden);
        assert_eq!(refused("GET / HTTP/1.1\r\n\r\n"), Refused::Forbidden);
        assert_eq!(refused("POST / HTTP/1.1\r\nHost: localhost\r\n\r\n"), Refused::Method);
        assert_eq!(refused("\x16\x03\x01 TLS?\r\n\r\n"), Refused::BadRequest);
        let many = format!("GET / HTTP/1.1\r\n{}\r\n", "a: b\r\n".repeat(FIELDS + 1));
        assert_eq!(refused(&many), Refused::TooLarge);
        assert!(parse(b"GET / HTTP/1.1\r\nHost: any.example\r\n\r\n", false).unwrap().is_some());
    }

    #[test]
    fn addresses_are_own_names() {
        for own in
            ["127.0.0.1:9464", "127.0.0.1", "localhost:1", "LOCALHOST", "[::1]:9464", "[::1]", "10.0.0.7"]
        {
            assert!(is_own(own), "{own}");
        }
        for foreign in ["evil.example", "localhost.evil.example:80", "", ":80", "127.0.0.1.evil.example"] {
            assert!(!is_own(foreign), "{foreign}");
        }
    }
}
