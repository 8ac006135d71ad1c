//! HTTPS by the venue's own authority and by files of others, and the page that says what that is good for.

use std::fs;
use std::io::Write as _;
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use adjudge::transport::PublicCertificate;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio_rustls::TlsConnector;

use crate::browser::{Driver, picture};
use crate::edge::{address_on_the_lan, is_closed};
use crate::harness::{Answer, Desk, Server};
use crate::pages::into_gallery;

const SLIP: &str = r#"{"division":"A","words":["CAT"]}"#;

/// A client that trusts nothing but one authority.
struct Client {
    config: Arc<ClientConfig>,
    address: SocketAddr,
}

impl Client {
    fn of(authority: &CertificateDer<'static>, address: SocketAddr) -> Self {
        let mut roots = RootCertStore::empty();
        roots.add(authority.clone()).unwrap();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let builder = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
        Self { config: Arc::new(builder.with_root_certificates(roots).with_no_client_auth()), address }
    }

    /// Everything that the server answers to a request, if it is trusted under that name.
    async fn ask(&self, name: &str, request: &str) -> Option<Vec<u8>> {
        let stream = tokio::net::TcpStream::connect(self.address).await.unwrap();
        let name = ServerName::try_from(name.to_owned()).unwrap();
        let mut stream = TlsConnector::from(self.config.clone()).connect(name, stream).await.ok()?;
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).await.unwrap();
        Some(answer)
    }

    /// The body of a page.
    async fn get(&self, path: &str) -> Vec<u8> {
        let request = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
        let answer = self.ask("localhost", &request).await.unwrap();
        assert!(answer.starts_with(b"HTTP/1.1 200 "), "{path}: {}", String::from_utf8_lossy(&answer));
        let end = answer.windows(4).position(|four| four == b"\r\n\r\n").unwrap();
        answer[end + 4..].to_vec()
    }
}

fn authority_of(folder: &Path) -> CertificateDer<'static> {
    CertificateDer::from_pem_file(folder.join("tls/ca.crt")).unwrap()
}

fn serve(desk: &Desk) -> Server {
    Server::spawn(desk.command(&["serve", "--tls", "--listen", "127.0.0.1:0"]))
}

fn page_of(body: Vec<u8>) -> Answer {
    let body = String::from_utf8(body).unwrap();
    Answer { status: 200, body, location: None, replayed: false, headers: Vec::new() }
}

fn slip(token: &str, key: &str) -> String {
    format!(
        "POST /api/v1/tournaments/lagos/slips HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\
        Authorization: Bearer {token}\r\nIdempotency-Key: {key}\r\nContent-Type: application/json\r\n\
        Content-Length: {}\r\n\r\n{SLIP}",
        SLIP.len()
    )
}

/// Over TLS no cookie travels in the clear, none is set for another host, and one that a plain page set is none.
#[tokio::test]
async fn cookies_are_bound_to_the_host_and_to_tls() {
    let desk = Desk::ready();
    let passphrase = desk.done(&["staff", "add", "Dora", "--role", "director", "--tournament", "lagos"]);
    let code = desk.done(&["station", "create", "Station 1", "--tournament", "lagos"]);
    let server = serve(&desk);
    let client = Client::of(&authority_of(&desk.data()), server.address());
    let post = async |path: &str, body: String, cookie: &str| {
        let length = body.len();
        let request = format!(
            "POST {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nSec-Fetch-Site: same-origin\r\nCookie: {cookie}\r\n\
             Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {length}\r\n\r\n{body}"
        );
        String::from_utf8(client.ask("localhost", &request).await.unwrap()).unwrap()
    };
    let signed_in = post("/sign-in", format!("name=Dora&secret={}", passphrase.trim()), "").await;
    let paired = post("/pair", format!("code={}", code.trim()), "").await;
    for (answer, name) in [(signed_in, "session"), (paired, "device")] {
        let line = answer.lines().find(|line| line.starts_with("set-cookie: ")).unwrap_or_else(|| panic!("{answer}"));
        let (name, rest) = (format!("__Host-adjudge-{name}"), line.trim_start_matches("set-cookie: "));
        let (secret, attributes) = rest.trim_start_matches(&format!("{name}=")).split_once("; ").unwrap();
        assert!(secret.len() >= 43, "{rest}");
        for attribute in ["Path=/", "HttpOnly", "SameSite=Strict", "Secure"] {
            assert!(attributes.split("; ").any(|one| one == attribute), "{rest}");
        }
        assert!(!attributes.contains("Domain"), "{rest}");
        let plain = format!("{}={secret}", name.trim_start_matches("__Host-"));
        let page = async |cookie: String| {
            let request = format!("GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nCookie: {cookie}\r\n\r\n");
            String::from_utf8(client.ask("localhost", &request).await.unwrap()).unwrap()
        };
        assert!(page(format!("{name}={secret}")).await.starts_with("HTTP/1.1 303"));
        assert!(page(plain).await.starts_with("HTTP/1.1 200"), "a plain page's cookie opens nothing");
        assert!(
            page(format!("{name}={}", "A".repeat(43))).await.starts_with("HTTP/1.1 200"),
            "nor does one that was made up"
        );
    }
}

#[tokio::test]
async fn a_slip_is_filed_over_https_by_whoever_trusts_the_venue() {
    let desk = Desk::ready();
    let token = desk.token("client", "client");
    let server = serve(&desk);
    let authority = authority_of(&desk.data());
    let client = Client::of(&authority, server.address());
    for (number, name) in ["localhost", "127.0.0.1", "adjudge.local"].into_iter().enumerate() {
        let answer = client.ask(name, &slip(&token, &format!("k{number}"))).await.expect("it is trusted");
        assert!(answer.starts_with(b"HTTP/1.1 201 ") && answer.ends_with(b"{\"ruling\":\"acceptable\"}"), "{name}");
    }
    assert!(client.ask("elsewhere.example", &slip(&token, "k")).await.is_none(), "it is no other server");
    let stranger = Desk::ready();
    drop(serve(&stranger));
    let other = Client::of(&authority_of(&stranger.data()), server.address());
    assert!(other.ask("localhost", &slip(&token, "k")).await.is_none(), "another venue's device does not trust it");

    let listen = server.address().to_string();
    desk.done(&["healthcheck", "--listen", &listen]);
    let said = stranger.refused(1, &["healthcheck", "--listen", &listen]);
    assert!(said.contains("no server"), "the certificate is not that of this folder: {said}");

    let before = fs::read(desk.data().join("tls/server.pem")).unwrap();
    assert_eq!(server.stop(), Some(0));
    let server = serve(&desk);
    assert_eq!(authority_of(&desk.data()), authority, "it is made once");
    assert_eq!(fs::read(desk.data().join("tls/server.pem")).unwrap(), before);
    drop(server);
    fs::remove_file(desk.data().join("tls/server.pem")).unwrap();
    let server = serve(&desk);
    let client = Client::of(&authority, server.address());
    assert!(client.ask("localhost", &slip(&token, "k0")).await.is_some(), "a new one is trusted as well");
}

#[tokio::test]
async fn the_trust_page_shows_what_the_server_printed() {
    let desk = Desk::empty();
    desk.done(&["init"]);
    let listen = if address_on_the_lan().is_some() { "0.0.0.0:0" } else { "127.0.0.1:0" };
    let server = Server::spawn(desk.command(&["serve", "--tls", "--listen", listen]));
    let authority = authority_of(&desk.data());
    let client = Client::of(&authority, server.address());
    let page = page_of(client.get("/trust").await);
    let groups = PublicCertificate::new(&authority).fingerprint.groups();
    let digits: String = groups.iter().map(|group| format!("<li>{group}</li>")).collect();
    assert!(page.body.contains(&digits) && page.body.contains("/trust/adjudge-ca.crt"), "{}", page.body);
    assert!(!page.body.contains("<script"));
    into_gallery("trust.html", &page);
    assert_eq!(client.get("/trust/adjudge-ca.crt").await, authority.as_ref(), "before anything is set up");
    if address_on_the_lan().is_some() {
        let code = client.get("/trust/code.svg").await;
        assert!(code.windows(4).any(|four| four == b"<svg"));
        let gallery = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/gallery/trust");
        fs::create_dir_all(&gallery).unwrap();
        fs::write(gallery.join("code.svg"), code).unwrap();
    }

    let driver = Driver::start();
    let profile = tempfile::tempdir().unwrap();
    let browser = driver.browser(profile.path(), (390, 844)).await;
    browser.goto(&format!("https://localhost:{}/trust", server.address().port())).await.unwrap();
    picture(&browser, "trust-phone.png").await;
    let wide =
        browser.execute("return document.documentElement.scrollWidth - window.innerWidth", vec![]).await.unwrap();
    assert!(wide.as_i64().unwrap() <= 0, "the page is wider than a phone by {wide}");
    browser.close().await.unwrap();
}

#[tokio::test]
async fn without_tls_the_page_says_what_that_loses() {
    let desk = Desk::empty();
    let server = Server::start(&desk);
    let get = async |path: &str| Answer::of(reqwest::get(format!("{}{path}", server.base)).await.unwrap()).await;
    let page = get("/trust").await;
    assert_eq!((page.status, page.body.contains("plain HTTP"), page.body.contains("code.svg")), (200, true, false));
    into_gallery("trust_plain.html", &page);
    assert_eq!((get("/trust/adjudge-ca.crt").await.status, get("/trust/code.svg").await.status), (404, 404));
    assert!(!desk.data().join("tls").exists());
}

#[tokio::test]
async fn own_files_are_used_and_wrong_ones_are_named() {
    let (desk, issued) = (Desk::ready(), Desk::ready());
    let token = desk.token("client", "client");
    drop(serve(&issued));
    let file = |name: &str| issued.data().join("tls").join(name).display().to_string();
    let settings = |certificate: &str, key: &str| {
        desk.settings(&format!("tls_cert = \"{certificate}\"\ntls_key = \"{key}\"\n"));
    };
    settings(&file("server.pem"), &file("server.pem"));
    let server = Server::start(&desk);
    let client = Client::of(&authority_of(&issued.data()), server.address());
    assert!(client.ask("localhost", &slip(&token, "k")).await.unwrap().starts_with(b"HTTP/1.1 201 "));
    let page = page_of(client.get("/trust").await);
    assert!(page.body.contains("nothing to install"), "{}", page.body);
    into_gallery("trust_own.html", &page);
    desk.done(&["healthcheck", "--listen", &server.address().to_string()]);
    assert!(!desk.data().join("tls").exists(), "no authority is made");
    drop(server);

    for (certificate, key, why) in [
        (file("nowhere.pem"), file("server.pem"), "nowhere.pem cannot be read"),
        (file("ca.key"), file("server.pem"), "ca.key holds no certificate"),
        (file("server.pem"), file("ca.crt"), "ca.crt holds no private key"),
        (file("server.pem"), file("ca.key"), "cannot be used together"),
    ] {
        settings(&certificate, &key);
        let said = desk.refused(2, &["serve", "--listen", "127.0.0.1:0"]);
        assert!(said.contains(why), "{said}");
    }
    desk.settings(&format!("tls_cert = \"{}\"\n", file("server.pem")));
    assert!(desk.refused(2, &["serve"]).contains("tls_key"));
}

/// FAULTS I1, I9
#[tokio::test]
async fn a_client_without_a_tls_handshake_is_cut_within_15_seconds() {
    let desk = Desk::ready();
    let server = serve(&desk);
    let began = Instant::now();
    let kinds: [&[u8]; 4] =
        [b"", &[0x16, 3, 1, 2, 0, 1], b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", &[0x16, 3, 1, 0, 4, 9, 9, 9, 9]];
    let mut left: Vec<TcpStream> = Vec::new();
    for bytes in kinds.into_iter().cycle().take(20) {
        let mut stream = TcpStream::connect(server.address()).unwrap();
        stream.write_all(bytes).unwrap();
        left.push(stream);
    }
    let client = Client::of(&authority_of(&desk.data()), server.address());
    client.get("/healthz").await;
    while !left.is_empty() {
        assert!(began.elapsed() < Duration::from_secs(15), "{} are still connected", left.len());
        left.retain(|stream| !is_closed(stream));
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
}
