//! How many follow what happens at once. Every stream costs a connection and looks into the ledger four times a second.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;

use crate::domain::Role;

/// How many streams one token may have.
const OF_A_TOKEN: usize = 4;

/// How many streams there may be in all.
const IN_ALL: usize = 256;

/// Everybody who follows, the longest first.
#[derive(Clone, Debug, Default)]
pub struct StreamLimiter(Arc<Mutex<Vec<Follower>>>);

#[derive(Debug)]
struct Follower {
    token: String,
    /// The tournament and the role by which the stream's reader answers calls; `None` where they do not.
    answers: Option<(String, Role)>,
    recall: watch::Sender<bool>,
}

/// A place in the audience, given back when dropped.
#[derive(Debug)]
pub struct StreamPermit {
    recalled: watch::Receiver<bool>,
    stream_limit: StreamLimiter,
}

impl StreamLimiter {
    /// Lets one more in. Where there are too many the oldest of the same token goes, or, if it has none, the oldest of
    /// all: whoever opens a page sees it live, and a page that was left open somewhere does not.
    #[must_use]
    pub fn admit(&self, token: &str, answers: Option<(String, Role)>) -> StreamPermit {
        let (recall, recalled) = watch::channel(false);
        let mut all = self.locked();
        let own = all.iter().filter(|follower| follower.token == token).count();
        if own >= OF_A_TOKEN || all.len() >= IN_ALL {
            let oldest = all.iter().position(|follower| own == 0 || follower.token == token);
            if let Some(oldest) = oldest {
                all.remove(oldest).recall.send_replace(true);
            }
        }
        all.push(Follower { token: token.to_owned(), answers, recall });
        StreamPermit { recalled, stream_limit: self.clone() }
    }

    /// Whether the stream of a judge or director of the tournament is open; for the director, one of a director.
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
    /// Resolves when the place was given to another.
    pub fn recalled(&self) -> impl Future<Output = ()> + use<> {
        let mut recalled = self.recalled.clone();
        async move {
            let _ = recalled.wait_for(|is_recalled| *is_recalled).await;
        }
    }
}

impl Drop for StreamPermit {
    fn drop(&mut self) {
        let is_mine = |follower: &Follower| follower.recall.subscribe().same_channel(&self.recalled);
        self.stream_limit.locked().retain(|follower| !is_mine(follower));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_recalled(ticket: &StreamPermit) -> bool {
        *ticket.recalled.borrow()
    }

    #[test]
    fn the_fifth_stream_of_a_token_ends_its_first() {
        let stream_limit = StreamLimiter::default();
        let other = stream_limit.admit("other", None);
        let own: Vec<StreamPermit> = (0..6).map(|_| stream_limit.admit("own", None)).collect();
        assert_eq!(own.iter().map(is_recalled).collect::<Vec<_>>(), [true, true, false, false, false, false]);
        assert!(!is_recalled(&other));
        drop(own);
        assert_eq!(stream_limit.locked().len(), 1, "places are given back once");
    }

    #[test]
    fn beyond_all_the_oldest_of_the_token_goes_or_the_oldest_of_all() {
        let stream_limit = StreamLimiter::default();
        let all: Vec<StreamPermit> =
            (0..IN_ALL).map(|number| stream_limit.admit(&format!("token {}", number / 2), None)).collect();
        let more = stream_limit.admit("token 3", None);
        assert_eq!(all.iter().position(is_recalled), Some(6));
        let newcomer = stream_limit.admit("newcomer", None);
        assert_eq!(all.iter().position(is_recalled), Some(0));
        assert!(!is_recalled(&more) && !is_recalled(&newcomer));
        assert_eq!(stream_limit.locked().len(), IN_ALL);
    }

    #[test]
    fn a_call_is_answered_while_a_judge_or_director_of_the_tournament_follows() {
        let stream_limit = StreamLimiter::default();
        let follows = |tournament: &str, role| stream_limit.admit("token", Some((tournament.to_owned(), role)));
        let answers = || (stream_limit.answers_calls("demo", false), stream_limit.answers_calls("demo", true));
        let _others =
            (follows("demo", Role::Observer), follows("other", Role::Director), stream_limit.admit("x", None));
        assert_eq!(answers(), (false, false));
        let judge = follows("demo", Role::Judge);
        assert_eq!(answers(), (true, false));
        drop(judge);
        let _director = follows("demo", Role::Director);
        assert_eq!(answers(), (true, true));
    }
}
