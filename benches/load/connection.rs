//! One keep-alive connection, as plain as can be, so that the client takes little of the machine.

use std::net::SocketAddr;

use anyhow::{Context as _, bail, ensure};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use super::slips::Slip;

/// No answer is as long.
const LONGEST_ANSWER: usize = 64 * 1024;

pub struct Connection {
    stream: TcpStream,
    read: Vec<u8>,
}

impl Connection {
    pub async fn open(address: SocketAddr) -> anyhow::Result<Self> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        Ok(Self { stream, read: Vec::with_capacity(4096) })
    }

    /// Files a slip and checks the ruling.
    pub async fn file(&mut self, slip: &Slip) -> anyhow::Result<()> {
        self.stream.write_all(slip.request.as_bytes()).await?;
        self.read.clear();
        let head = loop {
            self.read_more().await?;
            if let Some(end) = self.read.windows(4).position(|four| four == b"\r\n\r\n") {
                break end + 4;
            }
        };
        let (status, length) = head_of(self.read.get(..head).unwrap_or_default())?;
        while self.read.len() < head + length {
            self.read_more().await?;
        }
        let body = String::from_utf8_lossy(self.read.get(head..).unwrap_or_default());
        ensure!(status == 201, "status {status} to {}: {body}", slip.request);
        ensure!(body == slip.answer, "wrong answer {body}, expected {} to {}", slip.answer, slip.request);
        Ok(())
    }

    async fn read_more(&mut self) -> anyhow::Result<()> {
        let read = self.stream.read_buf(&mut self.read).await?;
        if read == 0 || self.read.len() > LONGEST_ANSWER {
            bail!("the server hung up, or answered without end");
        }
        Ok(())
    }
}

/// Status and length of the body.
fn head_of(head: &[u8]) -> anyhow::Result<(u16, usize)> {
    let head = std::str::from_utf8(head)?;
    let status = head.split(' ').nth(1).context("an answer begins with its status")?.parse()?;
    let length = head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse().ok())?
    });
    Ok((status, length.context("an answer says how long it is")?))
}
