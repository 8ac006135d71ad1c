//! The rulesets that the ledger records: the present values of each, and all earlier ones. A slip names the values that
//! apply to it, and they are found even after its ruleset has changed.

use std::collections::BTreeMap;

use super::Setup;
use crate::domain::ruleset::Ruleset;

/// The shipped rulesets, as far as they were recorded, and the directors' own.
#[derive(Clone, Debug, Default)]
pub(super) struct Rulesets {
    /// The present rulesets, by name.
    now: BTreeMap<String, Ruleset>,
    /// All present and earlier rulesets, by the digest of their values.
    ever: BTreeMap<String, Ruleset>,
}

impl Rulesets {
    /// Sets a ruleset to these values and returns their digest.
    pub(super) fn set(&mut self, ruleset: &Ruleset) -> String {
        let sha256 = ruleset.sha256();
        self.now.insert(ruleset.name.clone(), ruleset.clone());
        self.ever.insert(sha256.clone(), ruleset.clone());
        sha256
    }
}

impl Setup {
    /// The ruleset of that name: a director's own, or a shipped one, with the ledger's values or else this program's.
    #[must_use]
    pub fn ruleset(&self, name: &str) -> Option<Ruleset> {
        self.rulesets.now.get(name).cloned().or_else(|| Ruleset::shipped(name))
    }

    /// The ruleset that an entry names: by the digest of its values, or by name in entries without a digest.
    #[must_use]
    pub fn ruleset_then(&self, name: &str, sha256: Option<&str>) -> Option<Ruleset> {
        let Some(sha256) = sha256 else { return self.ruleset(name) };
        let shipped = || Ruleset::shipped(name).filter(|shipped| shipped.sha256() == sha256);
        self.rulesets.ever.get(sha256).cloned().or_else(shipped)
    }

    /// The shipped rulesets whose values the ledger does not have, or has differently. The ledger must record the
    /// values that apply to slips, since another version of the program may ship others.
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

    /// A version of the program that ships other values changes the ruleset for later slips and not for earlier ones.
    #[test]
    fn a_shipped_ruleset_whose_values_change_keeps_the_old_values_for_earlier_slips() {
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
