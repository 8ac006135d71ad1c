//! The log never keeps a ruling waiting. Source: issue F7 of the trials; FAULTS B6.

use std::fs::File;
use std::process::Stdio;

use crate::harness::{Desk, Floor, Server};

/// More lines at `debug` than a pipe and the log's queue take together.
const REQUESTS: usize = 12_000;
const CLIENTS: usize = 16;

/// A running tournament whose server writes its log to `log`.
fn floor_with_log(level: &str, log: Stdio) -> Floor {
    let desk = Desk::ready();
    let mut command = desk.command(&["serve", "--listen", "127.0.0.1:0"]);
    command.env("ADJUDGE_LOG", level);
    let tokens = ["client", "station", "judge", "director", "observer"].map(|role| desk.token(role, role));
    let server = Server::spawn_telling(command, log);
    let [client, station, judge, director, observer] = tokens;
    Floor { desk, server, http: reqwest::Client::new(), client, station, judge, director, observer }
}

#[tokio::test]
async fn a_log_that_nobody_reads_stops_no_ruling() {
    let floor = floor_with_log("debug", Stdio::piped());
    let url = floor.url("/healthz");
    let clients = (0..CLIENTS).map(|_| {
        let (http, url) = (reqwest::Client::new(), url.clone());
        tokio::spawn(async move {
            for _ in 0..REQUESTS / CLIENTS {
                assert_eq!(http.get(&url).send().await.unwrap().status(), 200);
            }
        })
    });
    for client in clients.collect::<Vec<_>>() {
        client.await.unwrap();
    }
    for table in 1..=30 {
        assert_eq!(floor.challenge(table, "CAT").await.status, 201);
    }
    let metrics = floor.http.get(floor.url("/metrics")).send().await.unwrap().text().await.unwrap();
    let dropped = metrics.lines().find_map(|line| line.strip_prefix("adjudge_log_lines_dropped_total ")).unwrap();
    assert!(dropped.parse::<u64>().unwrap() > 0, "{dropped} lines were dropped");
    assert_eq!(floor.server.stop(), Some(0), "and it stops when it is asked to");
}

#[tokio::test]
async fn slips_that_are_refused_write_no_line_each() {
    let desk_log = tempfile::NamedTempFile::new().unwrap();
    let floor = floor_with_log("info", File::create(desk_log.path()).unwrap().into());
    let database = floor.desk.database().await;
    let held = database.hold_the_write_lock().await;
    let slips = (1..=60).map(|table| floor.challenge(table, "CAT"));
    let answers = futures_util::future::join_all(slips).await;
    held.release().await;
    assert!(answers.iter().all(|answer| answer.problem() == "cannot-record"));
    let log = std::fs::read_to_string(desk_log.path()).unwrap();
    let lines = log.lines().filter(|line| line.contains("no ruling") || line.contains("nothing could be")).count();
    assert!((1..=20).contains(&lines), "60 refusals, {lines} lines:\n{log}");
    database.close().await;
}
