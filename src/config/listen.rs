//! The address that a server listens on, as people write it.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

const LOCALHOST: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

const DEFAULT_PORT: u16 = 8017;

/// `127.0.0.1:8017`
pub const DEFAULT_LISTEN: SocketAddr = SocketAddr::new(LOCALHOST, DEFAULT_PORT);

/// Reads `ADDRESS:PORT`, `localhost:PORT`, an address alone, whose port is 8017, or a port alone, on this machine.
///
/// # Errors
/// How to write it.
pub fn parse_listen(text: &str) -> Result<SocketAddr, &'static str> {
    let (host, port) = match text.rsplit_once(':') {
        Some(("localhost", port)) => (Some(LOCALHOST), port.parse().ok()),
        _ if text == "localhost" => (Some(LOCALHOST), Some(DEFAULT_PORT)),
        _ => match text.parse::<u16>() {
            Ok(port) => (Some(LOCALHOST), Some(port)),
            Err(_) => (text.parse().ok(), Some(DEFAULT_PORT)),
        },
    };
    let typed = text.parse().ok().or_else(|| Some(SocketAddr::new(host?, port?)));
    typed.ok_or("write ADDRESS:PORT, like 127.0.0.1:8017 for this machine only or 0.0.0.0:8017 for the whole network")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_may_be_written_in_short() {
        for (typed, meant) in [
            ("8017", "127.0.0.1:8017"),
            ("0", "127.0.0.1:0"),
            ("localhost", "127.0.0.1:8017"),
            ("localhost:8020", "127.0.0.1:8020"),
            ("0.0.0.0", "0.0.0.0:8017"),
            ("::1", "[::1]:8017"),
            ("[::]:80", "[::]:80"),
            ("10.0.0.3:8017", "10.0.0.3:8017"),
        ] {
            assert_eq!(parse_listen(typed).map(|address| address.to_string()), Ok(meant.to_owned()), "{typed}");
        }
        for wrong in
            ["", ":8017", "70000", "localhost:", "adjudge.local:8017", "10.0.0.3:port", "http://127.0.0.1:8017"]
        {
            assert!(parse_listen(wrong).unwrap_err().contains("write ADDRESS:PORT"), "{wrong}");
        }
    }
}
