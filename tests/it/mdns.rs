//! The name `adjudge.local`, which a server tells its network where it is asked to. Source: RFC 6762.

use std::net::UdpSocket;
use std::process::Stdio;
use std::time::Duration;

use crate::edge::address_on_the_lan;
use crate::harness::{Answer, Desk, Server};

/// Asks the network who a name is, and returns what a machine answers that knows it.
fn asked(name: &[&str]) -> Option<Vec<u8>> {
    let mut question = vec![0, 7, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0];
    for label in name {
        question.push(u8::try_from(label.len()).unwrap());
        question.extend(label.as_bytes());
    }
    // Type A, class IN, with the bit that asks for a unicast answer.
    question.extend([0, 0, 1, 0x80, 1]);
    let socket = UdpSocket::bind("0.0.0.0:0").unwrap();
    socket.set_read_timeout(Some(Duration::from_secs(1))).unwrap();
    for _ in 0..5 {
        socket.send_to(&question, "224.0.0.251:5353").ok()?;
        let mut answer = [0; 1500];
        if let Ok((size, _)) = socket.recv_from(&mut answer) {
            return Some(answer[..size].to_vec());
        }
    }
    None
}

async fn page(server: &Server, path: &str) -> String {
    Answer::of(reqwest::get(format!("{}{path}", server.base)).await.unwrap()).await.body
}

/// Where there is no network that carries it the server serves all the same, and says what is missing.
#[tokio::test]
async fn a_network_that_asks_is_told_the_servers_name() {
    let Some(lan) = address_on_the_lan() else { return };
    let desk = Desk::ready();
    desk.token("client", "client");
    let log = desk.folder.path().join("log");
    let command = desk.command(&["serve", "--mdns", "--listen", "0.0.0.0:0"]);
    let server = Server::spawn_telling(command, std::fs::File::create(&log).unwrap().into());
    let port = server.address().port();
    let trust = page(&server, "/trust").await;
    let said = std::fs::read_to_string(&log).unwrap();
    let is_told = trust.contains(&format!("<code>http://adjudge.local:{port}</code>"));
    assert_ne!(is_told, said.contains("adjudge.local is not announced"), "{said}");
    if is_told && let Some(answer) = asked(&["adjudge", "local"]) {
        let std::net::IpAddr::V4(own) = lan else { return };
        assert!(answer.windows(4).any(|four| four == own.octets()), "{answer:?}");
    }
    assert_eq!(server.stop(), Some(0));
}

#[tokio::test]
async fn a_server_for_this_machine_alone_tells_no_name() {
    let desk = Desk::ready();
    desk.token("client", "client");
    let log = desk.folder.path().join("log");
    let mut command = desk.command(&["serve", "--listen", "127.0.0.1:0"]);
    command.env("ADJUDGE_MDNS", "1");
    let server = Server::spawn_telling(command, std::fs::File::create(&log).unwrap().into());
    assert!(!page(&server, "/trust").await.contains("adjudge.local"));
    let said = std::fs::read_to_string(&log).unwrap();
    assert!(said.contains("only this machine reaches the server"), "{said}");
    // Nobody asked for it: nothing is said.
    let other = Desk::ready();
    let log = other.folder.path().join("log");
    let silent = Server::spawn_telling(
        other.command(&["serve", "--listen", "127.0.0.1:0"]),
        Stdio::from(std::fs::File::create(&log).unwrap()),
    );
    assert!(!page(&silent, "/trust").await.contains("adjudge.local"));
    assert!(!std::fs::read_to_string(&log).unwrap().contains("adjudge.local"));
}
