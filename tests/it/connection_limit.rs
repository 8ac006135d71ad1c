//! A crowd of strangers at many addresses, and a paired device among them. Source: FAULTS H10, I5.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use reqwest::Client;
use tokio::net::{TcpSocket, TcpStream};

use crate::edge::is_closed;
use crate::harness::Floor;

/// How many addresses the crowd has, and how often each of them connects.
const ADDRESSES: u8 = 50;
const CONNECTIONS_PER_ADDRESS: usize = 100;

/// Another address of this machine than the one that the server gives privileges to.
fn loopback(network: u8, host: u8) -> IpAddr {
    Ipv4Addr::new(127, 0, network, host).into()
}

async fn connect_from(from: IpAddr, to: SocketAddr) -> std::io::Result<TcpStream> {
    let socket = TcpSocket::new_v4()?;
    socket.bind(SocketAddr::new(from, 0))?;
    socket.connect(to).await
}

/// Connects again and again from one address, holds on to what is let in, and says nothing.
async fn crowd_in(from: IpAddr, to: SocketAddr, is_over: Arc<AtomicBool>, tried: Arc<AtomicUsize>) {
    let mut held = Vec::new();
    for _ in 0..CONNECTIONS_PER_ADDRESS {
        if let Ok(stream) = connect_from(from, to).await {
            held.push(stream.into_std().unwrap());
        }
        tried.fetch_add(1, Ordering::Relaxed);
        held.retain(|stream| !is_closed(stream));
    }
    while !is_over.load(Ordering::Relaxed) {
        held.extend(connect_from(from, to).await.ok().map(|stream| stream.into_std().unwrap()));
        held.retain(|stream| !is_closed(stream));
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crowd_of_fifty_addresses_keeps_no_device_out() {
    let floor = Floor::open();
    let (is_over, tried) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
    let address = floor.server.address();
    let crowd: Vec<_> = (1..=ADDRESSES)
        .map(|host| tokio::spawn(crowd_in(loopback(1, host), address, Arc::clone(&is_over), Arc::clone(&tried))))
        .collect();
    let whole = usize::from(ADDRESSES) * CONNECTIONS_PER_ADDRESS;
    for _ in 0..600 {
        if tried.load(Ordering::Relaxed) == whole {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    }
    assert_eq!(tried.load(Ordering::Relaxed), whole, "the crowd has connected");
    let mut ruled = 0;
    for table in 1..=15 {
        // A connection of its own for each slip: that is what a tablet makes that was asleep.
        let http = Client::builder().local_address(loopback(2, 1)).pool_max_idle_per_host(0).build().unwrap();
        let slip = serde_json::json!({"division": "A", "words": ["CAT"], "table": table});
        let request = http.post(floor.url("/api/v1/tournaments/lagos/slips")).bearer_auth(&floor.station);
        let sent = request.header("Idempotency-Key", format!("k{table}")).json(&slip).send().await;
        ruled += usize::from(sent.is_ok_and(|answer| answer.status() == 201));
    }
    is_over.store(true, Ordering::Relaxed);
    for one in crowd {
        one.await.unwrap();
    }
    assert_eq!(ruled, 15);
}
