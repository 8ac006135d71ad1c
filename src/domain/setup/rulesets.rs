//! The rulesets that the ledger has: what each is now, and everything that it ever was. A slip names the values that it is
//! judged by, and these are found again whatever its ruleset is by then.

use std::collections::BTreeMap;

use super::Setup;
use crate::domain::ruleset::Ruleset;

/// The shipped rulesets, as far as they were recorded, and the directors' own.
#[derive(Clone, Debug, Default)]
pub(super) struct Rulesets {
    /// As they are now, by name.
    now: BTreeMap<String, Ruleset>,
    /// All that they ever were, by the digest of the values.
    ever: BTreeMap<String, Ruleset>,
}

impl Rulesets {
    /// Takes in a ruleset as it is from now on; the digest of its values.
    pub(super) fn set(&mut self, ruleset: &Ruleset) -> String {
        let sha256 = ruleset.sha256();
        self.now.insert(ruleset.name.clone(), ruleset.clone());
        self.ever.insert(sha256.clone(), ruleset.clone());
        sha256
    }
}

impl Setup {
    /// The ruleset of that name: a director's own, or a shipped one, as the ledger has it or else this program.
    #[must_use]
    pub fn ruleset(&self, name: &str) -> Option<Ruleset> {
        self.rulesets.now.get(name).cloned().or_else(|| Ruleset::shipped(name))
    }

    /// The ruleset that an entry names: by the digest of its values as it was then, or in entries without that by name.
    #[must_use]
    pub fn ruleset_then(&self, name: &str, sha256: Option<&str>) -> Option<Ruleset> {
        let Some(sha256) = sha256 else { return self.ruleset(name) };
        let shipped = || Ruleset::shipped(name).filter(|shipped| shipped.sha256() == sha256);
        self.rulesets.ever.get(sha256).cloned().or_else(shipped)
    }

    /// The shipped rulesets whose values the ledger does not have, or has otherwise: what slips are judged by must be in
    /// it, since another version of the program may ship something else.
    #[must_use]
    pub fn unrecorded_rulesets(&self) -> Vec<Ruleset> {
        let shipped = Ruleset::shipped_names().filter_map(Ruleset::shipped);
        shipped.filter(|shipped| self.rulesets.now.get(&shipped.name) != Some(shipped)).collect()
    }

    /// The directors' own rulesets, by name.
    pub fn own_rulesets(&self) -> impl Iterator<Item = &Ruleset> {
        self.rulesets.now.values().filter(|one| Ruleset::shipped_text(&one.name).is_none())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A version of the program that ships other values changes what is played by from then on, and nothing before it.
    #[test]
    fn a_shipped_ruleset_that_becomes_another_is_still_what_it_was_for_earlier_slips() {
        let now = Ruleset::shipped("wespa").unwrap();
        let then = now.with("unsuccessful.points", "7").unwrap();
        let mut setup = Setup::default();
        assert_eq!(setup.unrecorded_rulesets().len(), 7);
        let recorded = setup.rulesets.set(&then);
        assert_eq!(setup.ruleset("wespa"), Some(then.clone()), "the ledger says what is played by");
        assert_eq!(setup.unrecorded_rulesets().len(), 7, "this program ships another one");
        setup.rulesets.set(&now);
        assert_eq!(setup.unrecorded_rulesets().len(), 6);
        assert_eq!(setup.ruleset("wespa"), Some(now.clone()));
        assert_eq!(setup.ruleset_then("wespa", Some(&recorded)), Some(then));
        assert_eq!(setup.ruleset_then("wespa", Some(&now.sha256())), Some(now.clone()));
        assert_eq!(setup.ruleset_then("wespa", None), Some(now), "entries of earlier versions name no values");
        assert_eq!(setup.ruleset_then("wespa", Some("0")), None, "what is not known is not guessed");
        let nsf = Ruleset::shipped("nsf").unwrap();
        assert_eq!(setup.ruleset_then("nsf", Some(&nsf.sha256())), Some(nsf), "what is shipped need not be recorded");
        assert_eq!(setup.own_rulesets().count(), 0);
    }
}
