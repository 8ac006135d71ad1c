//! `healthcheck`: checks that a running server is up.

use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use rustls::pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::transport::pinned;

use super::{Context, Outcome, complain};

/// Checks that the server at the configured address is up.
pub async fn run(context: &Context) -> anyhow::Result<Outcome> {
    // Ids and secrets need randomness; a container without it must not look healthy.
    context.system.random_bytes::<16>()?;
    let answer = tokio::time::timeout(Duration::from_secs(3), ask(context)).await;
    match answer {
        Ok(Ok(head)) if head.starts_with("HTTP/1.1 200 ") => Ok(Outcome::Done),
        Ok(Ok(head)) => {
            complain(format_args!(
                "the server at {} is not up: it answered {}",
                context.config.listen,
                head.lines().next().unwrap_or("nothing")
            ));
            Ok(Outcome::No)
        }
        Ok(Err(error)) => {
            complain(format_args!("no server at {}: {error}", context.config.listen));
            Ok(Outcome::No)
        }
        Err(_) => {
            complain(format_args!("the server at {} did not answer within 3 seconds", context.config.listen));
            Ok(Outcome::No)
        }
    }
}

/// Sends a request in plain HTTP first. If the reply is not HTTP, the server speaks HTTPS; then the command connects
/// over TLS, and the server must prove that it has the key of the certificate in the folder: another server on this
/// port does not count.
async fn ask(context: &Context) -> std::io::Result<String> {
    let mut address = context.config.listen;
    if address.ip().is_unspecified() {
        address.set_ip(Ipv4Addr::LOCALHOST.into());
    }
    let plain = exchange(TcpStream::connect(address).await?).await;
    let certified = context.config.own_certificate.clone().unwrap_or_else(|| context.venue());
    match (plain, certified.public_certificate()) {
        (Ok(head), _) if head.starts_with("HTTP/") => Ok(head),
        (_, Some(certificate)) => {
            let connector = pinned::connector(certificate).map_err(std::io::Error::other)?;
            let stream = TcpStream::connect(address).await?;
            exchange(connector.connect(name_of(address), stream).await?).await
        }
        (plain, None) => plain,
    }
}

fn name_of(address: SocketAddr) -> ServerName<'static> {
    ServerName::IpAddress(address.ip().into())
}

async fn exchange(mut stream: impl AsyncRead + AsyncWrite + Unpin) -> std::io::Result<String> {
    stream.write_all(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").await?;
    let mut head = vec![0; 64];
    let read = stream.read(&mut head).await?;
    head.truncate(read);
    Ok(String::from_utf8_lossy(&head).into_owned())
}
