//! The edge of the server: too many connections, slow ones, heads and bodies that no client of ours would send, and
//! requests that could be read in two ways. Source: FAULTS I1 to I4, I6, I8, I9, H10.

use std::fs;
use std::io::{ErrorKind, Read as _, Write as _};
use std::net::{IpAddr, Shutdown, SocketAddr, TcpStream, UdpSocket};
use std::time::{Duration, Instant};

use reqwest::Response;
use serde_json::json;

use crate::harness::{Answer, Desk, Floor, Server, soon};

impl Server {
    pub fn address(&self) -> SocketAddr {
        self.base.split_once("://").unwrap().1.parse().unwrap()
    }

    /// Sends bytes as they are, and reads all that is answered until the server ends the connection.
    fn answers(&self, bytes: &[u8]) -> String {
        self.answers_to(bytes, false)
    }

    /// Like [`answers`](Self::answers), but closes its sending side after the bytes.
    fn answers_to_all(&self, bytes: &[u8]) -> String {
        self.answers_to(bytes, true)
    }

    fn answers_to(&self, bytes: &[u8], is_all: bool) -> String {
        let mut stream = TcpStream::connect(self.address()).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(15))).unwrap();
        // A server that has refused the beginning need not take the rest.
        let _ = stream.write_all(bytes);
        if is_all {
            let _ = stream.shutdown(Shutdown::Write);
        }
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        String::from_utf8_lossy(&answer).into_owned()
    }

    fn open_files(&self) -> usize {
        fs::read_dir(format!("/proc/{}/fd", self.id())).unwrap().count()
    }

    fn resident_bytes(&self) -> u64 {
        let pages = fs::read_to_string(format!("/proc/{}/statm", self.id())).unwrap();
        pages.split(' ').nth(1).unwrap().parse::<u64>().unwrap() * 4096
    }
}

/// Whether the other end has closed the connection. What it says before is of no interest.
pub fn is_closed(stream: &TcpStream) -> bool {
    stream.set_nonblocking(true).unwrap();
    let mut piece = [0; 1024];
    loop {
        match (&mut &*stream).read(&mut piece) {
            Ok(0) => return true,
            Ok(_) => {}
            Err(error) => return error.kind() != ErrorKind::WouldBlock,
        }
    }
}

fn closed(streams: &[TcpStream]) -> usize {
    streams.iter().filter(|stream| is_closed(stream)).count()
}

fn connect_often(address: SocketAddr, times: usize) -> Vec<TcpStream> {
    (0..times).map(|_| TcpStream::connect(address).unwrap()).collect()
}

/// An address of this machine under which it is a stranger to itself. Without a network there is none.
pub fn address_on_the_lan() -> Option<IpAddr> {
    let socket = UdpSocket::bind("0.0.0.0:0").ok()?;
    socket.connect("192.0.2.1:9").ok()?;
    Some(socket.local_addr().ok()?.ip()).filter(|ip| !ip.is_loopback() && !ip.is_unspecified())
}

/// A server that the whole network reaches: it, its address there and its address here.
fn on_the_lan(desk: &Desk) -> Option<(Server, SocketAddr, String)> {
    let lan = address_on_the_lan()?;
    let server = Server::spawn(desk.command(&["serve", "--listen", "0.0.0.0:0"]));
    let port = server.address().port();
    Some((server, SocketAddr::new(lan, port), format!("http://127.0.0.1:{port}")))
}

#[tokio::test]
async fn connections_beyond_the_cap_are_closed_at_once() {
    let desk = Desk::ready();
    desk.settings("max_connections = 40\n");
    let floor = Floor::of(desk);
    let idle = connect_often(floor.server.address(), 44);
    assert!(soon(async || closed(&idle) == 4).await, "{} of 44 were closed", closed(&idle));
    drop(idle);
    assert!(soon(async || floor.http.get(floor.url("/healthz")).send().await.is_ok()).await);
    assert_eq!(floor.challenge(1, "CAT").await.status, 201, "once they are gone there is room");
}

/// FAULTS I5, H10
#[tokio::test]
async fn one_address_cannot_take_what_is_there_for_others() {
    let desk = Desk::ready();
    desk.settings("max_connections = 48\nmax_connections_per_address = 3\n");
    let token = desk.token("client", "client");
    let Some((_server, lan, here)) = on_the_lan(&desk) else { return };
    let greedy = connect_often(lan, 10);
    for stream in &greedy {
        // A forwarded-for header does not change the address that the limit counts.
        let _ = (&mut &*stream).write_all(b"GET /healthz HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 10.9.8.7\r\n\r\n");
    }
    assert!(soon(async || closed(&greedy) == 7).await, "{} of 10 were closed", closed(&greedy));
    let slip = reqwest::Client::new().post(format!("{here}/api/v1/tournaments/lagos/slips")).bearer_auth(token);
    let slip = slip.header("Idempotency-Key", "k").json(&json!({"division": "A", "words": ["CAT"]}));
    assert_eq!(slip.send().await.unwrap().status(), 201);
}

/// FAULTS H10
#[tokio::test]
async fn what_a_client_says_of_its_address_is_ignored() {
    let desk = Desk::ready();
    desk.token("client", "client");
    let Some((_server, lan, here)) = on_the_lan(&desk) else { return };
    for (name, said) in [
        ("X-Forwarded-For", "127.0.0.1"),
        ("Forwarded", "for=127.0.0.1"),
        ("X-Real-IP", "::1"),
        ("X-Forwarded-Host", "localhost"),
    ] {
        let http = reqwest::Client::new();
        let status = async |url: String, said: &str| http.get(url).header(name, said).send().await.unwrap().status();
        assert_eq!(status(format!("http://{lan}/metrics"), said).await, 401, "{name}");
        assert_eq!(status(format!("{here}/metrics"), "203.0.113.9").await, 200, "{name}");
    }
}

/// FAULTS I1
#[tokio::test]
async fn a_client_without_a_complete_request_head_is_cut_within_15_seconds() {
    let floor = Floor::open();
    let began = Instant::now();
    let slow = connect_often(floor.server.address(), 90);
    let mut left: Vec<(usize, TcpStream)> = slow.into_iter().enumerate().collect();
    let mut sent = 0;
    while !left.is_empty() {
        assert!(began.elapsed() < Duration::from_secs(15), "{} are still connected", left.len());
        for (number, stream) in &mut left {
            // A third sends nothing, a third half a head, a third a byte at a time.
            let piece: &[u8] = match (*number % 3, sent) {
                (1, 0) => b"POST /api/v1/tournaments/lagos/slips HTTP/1.1\r\nHost: x\r\nX-Half",
                (2, 0) => b"GET / HTTP/1.1\r\nX-Slow: ",
                (2, _) => b"x",
                _ => b"",
            };
            let _ = stream.write_all(piece);
        }
        sent += 1;
        if sent <= 5 {
            assert_eq!(floor.challenge(sent, "CAT").await.status, 201, "others are served");
        }
        left.retain(|(_, stream)| !is_closed(stream));
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
}

/// Reads a stream of events until it says something, or ends. Returns whether it said it.
async fn says(stream: &mut Response, what: &str) -> bool {
    let mut heard = String::new();
    while let Ok(Ok(Some(piece))) = tokio::time::timeout(Duration::from_secs(5), stream.chunk()).await {
        heard.push_str(&String::from_utf8_lossy(&piece));
        if heard.contains(what) {
            return true;
        }
    }
    false
}

/// FAULTS I6
#[tokio::test]
async fn the_fifth_stream_of_a_token_ends_its_first() {
    let floor = Floor::open();
    let follow = async |token: &str| {
        let request = floor.http.get(floor.url("/api/v1/tournaments/lagos/events")).bearer_auth(token);
        request.send().await.unwrap()
    };
    let mut other = follow(&floor.observer).await;
    let mut streams = Vec::new();
    for _ in 0..6 {
        streams.push(follow(&floor.judge).await);
    }
    for stream in &mut streams[..2] {
        assert!(says(stream, "event: too-many-streams").await);
        assert!(!says(stream, "\n").await, "and nothing more");
    }
    assert_eq!(floor.challenge(1, "CAT").await.status, 201);
    for stream in &mut streams[2..] {
        assert!(says(stream, "event: slip-ruled").await);
    }
    assert!(says(&mut other, "event: slip-ruled").await);
}

/// FAULTS I4
#[tokio::test]
async fn heads_that_are_too_large_are_refused() {
    let floor = Floor::open();
    let many: String = (0..150).map(|number| format!("X-{number}: x\r\n")).collect();
    let long = |bytes: usize| "x".repeat(bytes);
    for (status, path, headers) in [
        (431, "/", many.as_str()),
        (431, "/", &format!("X-Long: {}\r\n", long(64 * 1024))),
        (431, "/", &format!("X-Long: {}\r\n", long(300 * 1024))),
        (414, &format!("/{}", long(70_000)), ""),
        (414, &format!("/api/v1/lexicons?{}", long(10_000)), ""),
        (200, &format!("/?{}", long(4_000)), &format!("X-Long: {}\r\n", long(8 * 1024))),
    ] {
        let answer = floor
            .server
            .answers(format!("GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n{headers}\r\n").as_bytes());
        assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{status}: {answer:.200}");
        assert!(!answer.to_lowercase().contains("\r\nserver:"), "{answer:.200}");
    }
}

/// RFC 9112 section 3.2: what stands before the server may have understood another host.
#[tokio::test]
async fn a_request_of_http_1_1_names_one_host() {
    let floor = Floor::open();
    for (hosts, version, status) in [
        ("", "1.1", 400),
        ("Host: a\r\nHost: b\r\n", "1.1", 400),
        ("Host: a\r\nHost: a\r\n", "1.0", 400),
        ("Host: a\r\n", "1.1", 200),
        ("", "1.0", 200),
    ] {
        let request = format!("GET /healthz HTTP/{version}\r\n{hosts}Connection: close\r\n\r\n");
        let answer = floor.server.answers(request.as_bytes());
        assert_eq!(answer.get(9..12), Some(status.to_string().as_str()), "{version} {hosts:?}: {answer:.200}");
        assert_eq!(answer.contains("/problems/host-required"), status == 400, "{answer:.400}");
    }
}

/// FAULTS I3
#[tokio::test]
async fn bodies_that_are_too_large_or_lie_cost_nothing() {
    let floor = Floor::open();
    let slip = r#"{"division":"A","words":["CAT"]}"#;
    let head = head_of(&floor, "lies", 1);
    let short =
        floor.server.answers_to_all(format!("{head}Content-Length: {}\r\n\r\n{slip}", slip.len() + 5).as_bytes());
    assert!(!short.starts_with("HTTP/1.1 2"), "cut short: {short}");
    let long = floor.server.answers(format!("{head}Content-Length: {}\r\n\r\n{slip}", slip.len() - 1).as_bytes());
    assert!(long.starts_with("HTTP/1.1 400 "), "{long}");
    let before = floor.server.resident_bytes();
    for _ in 0..20 {
        let answer =
            floor.server.answers(format!("{head}Content-Length: 1000000\r\n\r\n{}", " ".repeat(1_000_000)).as_bytes());
        assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 413 "), "{answer}");
        let chunk = format!("10000\r\n{}\r\n", " ".repeat(0x10000)).repeat(15);
        let answer = floor.server.answers(format!("{head}Transfer-Encoding: chunked\r\n\r\n{chunk}").as_bytes());
        assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 413 "), "{answer}");
    }
    let grown = floor.server.resident_bytes().saturating_sub(before);
    assert!(grown < 30_000_000, "40 MB were refused, and {grown} bytes are kept");
    assert_eq!(floor.ruled().await, 0);
}

fn head_of(floor: &Floor, key: &str, table: u32) -> String {
    head_to(floor, &format!("POST /api/v1/tournaments/lagos/slips?{table} HTTP/1.1"), key)
}

fn head_to(floor: &Floor, line: &str, key: &str) -> String {
    format!(
        "{line}\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer {}\r\nIdempotency-Key: {key}\r\nContent-Type: application/json\r\n",
        floor.client
    )
}

/// FAULTS I8: an ambiguous request is refused or read in one way, and no slip gets two answers.
#[tokio::test]
async fn a_request_that_could_be_two_is_one_at_most() {
    let floor = Floor::open();
    let slip = |table: usize| format!(r#"{{"division":"A","words":["CAT"],"table":{table}}}"#);
    let chunked = |body: &str| format!("{:x}\r\n{body}\r\n0\r\n\r\n", body.len());
    let length = |body: &str| format!("Content-Length: {}\r\n", body.len());
    let te = "Transfer-Encoding: chunked\r\n";
    let path = "/api/v1/tournaments/lagos/slips";
    let mut rows = 0;
    for (table, (shape, statuses)) in [
        ("both lengths", &[201, 400][..]),
        ("both lengths, the other first", &[201, 400]),
        ("two lengths", &[400]),
        ("a length and none", &[400]),
        ("a length with a sign", &[400]),
        ("chunked twice over", &[400]),
        ("a blank before the colon", &[400]),
        ("a folded header", &[400]),
        ("lines without carriage returns", &[201, 400]),
        ("a method in small letters", &[405]),
        ("TRACE", &[405]),
        ("CONNECT", &[400, 404, 405]),
        ("a whole address", &[201]),
        ("expecting leave to send", &[201]),
    ]
    .into_iter()
    .enumerate()
    {
        let (body, key) = (slip(table + 1), format!("shape {table}").replace(' ', "-"));
        let post = head_to(&floor, &format!("POST {path} HTTP/1.1"), &key);
        let other = |line: &str| head_to(&floor, line, &key);
        let request = match shape {
            "both lengths" => format!("{post}Content-Length: 4\r\n{te}\r\n{}", chunked(&body)),
            "both lengths, the other first" => format!("{post}{te}{}\r\n{}", length(&body), chunked(&body)),
            "two lengths" => format!("{post}{}Content-Length: 4\r\n\r\n{body}", length(&body)),
            "a length and none" => format!("{post}{}Content-Length: \r\n\r\n{body}", length(&body)),
            "a length with a sign" => format!("{post}Content-Length: +{}\r\n\r\n{body}", body.len()),
            "chunked twice over" => format!("{post}Transfer-Encoding: chunked, identity\r\n\r\n{}", chunked(&body)),
            "a blank before the colon" => format!("{post}Content-Length : {}\r\n\r\n{body}", body.len()),
            "a folded header" => format!("{post}X-Folded: a\r\n b\r\n{}\r\n{body}", length(&body)),
            "lines without carriage returns" => format!("{post}{}\r\n{body}", length(&body)).replace("\r\n", "\n"),
            "a method in small letters" => {
                format!("{}{}\r\n{body}", other(&format!("post {path} HTTP/1.1")), length(&body))
            }
            "TRACE" => format!("{}\r\n", other(&format!("TRACE {path} HTTP/1.1"))),
            "CONNECT" => format!("{}\r\n", other("CONNECT example.org:443 HTTP/1.1")),
            "a whole address" => {
                format!(
                    "{}{}\r\n{body}",
                    other(&format!("POST http://elsewhere.example{path} HTTP/1.1")),
                    length(&body)
                )
            }
            _ => format!("{post}Expect: 100-continue\r\n{}\r\n{body}", length(&body)),
        };
        let answer = floor.server.answers(request.as_bytes());
        let final_answer = answer.trim_start_matches("HTTP/1.1 100 Continue\r\n\r\n");
        let status: u16 = final_answer.get(9..12).unwrap_or_default().parse().unwrap_or(0);
        assert!(statuses.contains(&status), "{shape}: {answer}");
        assert!(answer.matches("{\"ruling\":").count() <= 1, "{shape}: {answer}");
        rows += i64::from(status == 201);
        assert_eq!(floor.ruled().await, rows, "{shape}: {answer}");
    }
}

/// FAULTS I8: a slip hidden in another's body, or sent behind it.
#[tokio::test]
async fn requests_that_follow_each_other_are_each_answered_once() {
    let floor = Floor::open();
    let body = r#"{"division":"A","words":["CAT"],"table":1}"#;
    let one = |key: &str, length: &str, body: &str| format!("{}{length}\r\n{body}", head_of(&floor, key, 1));
    let length = format!("Content-Length: {}\r\n", body.len());
    let twice = one("same", &length, body);
    let twice = format!("{}{twice}", twice.replace("Connection: close\r\n", ""));
    let answer = floor.server.answers(twice.as_bytes());
    assert_eq!(answer.matches("HTTP/1.1 201 ").count(), 2, "{answer}");
    assert_eq!(answer.to_lowercase().matches("idempotency-replayed: true").count(), 1, "{answer}");
    assert_eq!(floor.ruled().await, 1);
    // The first ends by its chunks; by its length the second would be a part of it.
    let hidden = one("hidden", &length, body);
    let chunked = format!("{:x}\r\n{body}\r\n0\r\n\r\n{hidden}", body.len());
    let both = format!("Transfer-Encoding: chunked\r\nContent-Length: {}\r\n", chunked.len());
    let outer = one("outer", &both, &chunked).replace("Connection: close\r\n", "");
    let answer = floor.server.answers(outer.as_bytes());
    assert_eq!(answer.matches("HTTP/1.1 ").count(), 1, "the connection ends with the first answer: {answer}");
    let resolved = floor.write(&floor.client, "hidden", "tournaments/lagos/slips/resolve", json!({})).await;
    assert_eq!(resolved.json(), json!({"ruling": null}), "nobody heard of the hidden one");
}

/// FAULTS I10
#[tokio::test]
async fn a_body_of_brackets_is_only_malformed() {
    let floor = Floor::open();
    for (body, shape) in [
        ("[".repeat(16_000), (400, "malformed-json")),
        (format!("{{\"words\":{}", "{\"a\":".repeat(3_000)), (400, "malformed-json")),
        ("[".repeat(100_000), (413, "too-large")),
    ] {
        let request = floor.post(&floor.client, "k").header("Content-Type", "application/json").body(body);
        let answer = Answer::of(request.send().await.unwrap()).await;
        assert_eq!((answer.status, answer.problem().as_str()), shape);
    }
}

/// FAULTS I9
#[tokio::test]
async fn garbage_leaves_no_connection_open() {
    let floor = Floor::open();
    assert_eq!(floor.challenge(1, "CAT").await.status, 201);
    let before = floor.server.open_files();
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut byte = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_be_bytes()[0]
    };
    let hello = [0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc, 3, 3];
    for number in 0..500_usize {
        let mut noise: Vec<u8> = (0..=number).map(|_| byte()).collect();
        match number % 3 {
            0 => {}
            1 => noise.splice(..0, hello).for_each(drop),
            _ => noise.splice(..0, *b"POST /station/words HTTP/1.1\r\nContent-Length: 9\r\n").for_each(drop),
        }
        let answer = floor.server.answers_to_all(&noise);
        assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 4"), "{noise:?}: {answer}");
    }
    assert_eq!(floor.challenge(2, "CAT").await.status, 201);
    assert!(soon(async || floor.server.open_files() <= before + 2).await, "files are left open");
    assert_eq!(floor.ruled().await, 2);
}
