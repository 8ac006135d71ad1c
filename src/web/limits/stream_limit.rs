//! Limits on event streams: each costs a connection and reads the ledger four times a second.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;

use crate::domain::Role;

/// Streams of one token at once.
const MAX_STREAMS_PER_TOKEN: usize = 4;

/// Streams of all tokens at once.
const MAX_STREAMS: usize = 256;

/// The open streams, the oldest first.
#[derive(Clone, Debug, Default)]
pub struct StreamLimiter(Arc<Mutex<Vec<Follower>>>);

#[derive(Debug)]
struct Follower {
    token: String,
    /// The tournament and the role for which the stream's reader answers calls; `None` if they answer none.
    answers: Option<(String, Role)>,
    evict: watch::Sender<bool>,
}

/// An open stream's place, given back when dropped.
#[derive(Debug)]
pub struct StreamPermit {
    evicted: watch::Receiver<bool>,
    stream_limit: StreamLimiter,
}

impl StreamLimiter {
    /// Takes a place. If there are too many streams, the oldest stream of the same token ends or, if it has none, the
    /// oldest of all: a page that was just opened is in use, and one that was left open may not be.
    #[must_use]
    pub fn acquire(&self, token: &str, answers: Option<(String, Role)>) -> StreamPermit {
        let (evict, evicted) = watch::channel(false);
        let mut all = self.locked();
        let own = all.iter().filter(|follower| follower.token == token).count();
        if own >= MAX_STREAMS_PER_TOKEN || all.len() >= MAX_STREAMS {
            let oldest = all.iter().position(|follower| own == 0 || follower.token == token);
            if let Some(oldest) = oldest {
                all.remove(oldest).evict.send_replace(true);
            }
        }
        all.push(Follower { token: token.to_owned(), answers, evict });
        StreamPermit { evicted, stream_limit: self.clone() }
    }

    /// Whether a judge or director of the tournament has a stream open; for the director, only a director counts.
    #[must_use]
    pub fn answers_calls(&self, tournament: &str, is_for_director: bool) -> bool {
        self.locked().iter().filter_map(|follower| follower.answers.as_ref()).any(|(follows, role)| {
            let is_asked = *role == Role::Director || (*role == Role::Judge && !is_for_director);
            follows == tournament && is_asked
        })
    }

    fn locked(&self) -> MutexGuard<'_, Vec<Follower>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl StreamPermit {
    /// Resolves when a newer stream took the place.
    pub fn evicted(&self) -> impl Future<Output = ()> + use<> {
        let mut evicted = self.evicted.clone();
        async move {
            let _ = evicted.wait_for(|is_evicted| *is_evicted).await;
        }
    }
}

impl Drop for StreamPermit {
    fn drop(&mut self) {
        let is_mine = |follower: &Follower| follower.evict.subscribe().same_channel(&self.evicted);
        self.stream_limit.locked().retain(|follower| !is_mine(follower));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_evicted(permit: &StreamPermit) -> bool {
        *permit.evicted.borrow()
    }

    #[test]
    fn the_fifth_stream_of_a_token_ends_its_first() {
        let stream_limit = StreamLimiter::default();
        let other = stream_limit.acquire("other", None);
        let own: Vec<StreamPermit> = (0..6).map(|_| stream_limit.acquire("own", None)).collect();
        assert_eq!(own.iter().map(is_evicted).collect::<Vec<_>>(), [true, true, false, false, false, false]);
        assert!(!is_evicted(&other));
        drop(own);
        assert_eq!(stream_limit.locked().len(), 1, "places are given back once");
    }

    #[test]
    fn at_the_total_limit_the_oldest_stream_of_the_token_ends_or_else_the_oldest_of_all() {
        let stream_limit = StreamLimiter::default();
        let all: Vec<StreamPermit> =
            (0..MAX_STREAMS).map(|number| stream_limit.acquire(&format!("token {}", number / 2), None)).collect();
        let more = stream_limit.acquire("token 3", None);
        assert_eq!(all.iter().position(is_evicted), Some(6));
        let newcomer = stream_limit.acquire("newcomer", None);
        assert_eq!(all.iter().position(is_evicted), Some(0));
        assert!(!is_evicted(&more) && !is_evicted(&newcomer));
        assert_eq!(stream_limit.locked().len(), MAX_STREAMS);
    }

    #[test]
    fn a_call_is_answered_while_a_judge_or_director_of_the_tournament_follows() {
        let stream_limit = StreamLimiter::default();
        let follows = |tournament: &str, role| stream_limit.acquire("token", Some((tournament.to_owned(), role)));
        let answers = || (stream_limit.answers_calls("demo", false), stream_limit.answers_calls("demo", true));
        let _others =
            (follows("demo", Role::Observer), follows("other", Role::Director), stream_limit.acquire("x", None));
        assert_eq!(answers(), (false, false));
        let judge = follows("demo", Role::Judge);
        assert_eq!(answers(), (true, false));
        drop(judge);
        let _director = follows("demo", Role::Director);
        assert_eq!(answers(), (true, true));
    }
}
