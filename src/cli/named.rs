//! Finding people, devices and tokens by name; a name may occur in several tournaments.

use crate::domain::accounts::meet;

/// Why a name matches nothing, or more than one thing.
#[derive(Debug)]
pub(super) enum Unclear {
    None { name: String },
    Several { name: String, tournaments: Vec<String> },
}

impl Unclear {
    /// As an error: `none` names what is missing, `help` says where to look.
    pub(super) fn into_error(self, none: &str, help: &str) -> anyhow::Error {
        match self {
            Self::None { name } => anyhow::anyhow!("there is {none} named {name:?}; {help}"),
            Self::Several { name, tournaments } => {
                anyhow::anyhow!("{name:?} is a name in {}: add --tournament ID", tournaments.join(" and in "))
            }
        }
    }
}

/// The only item of that name. `all` gives each item with its tournament; if a tournament is given, only its items and
/// those of all tournaments count.
pub(super) fn only<'a, T>(all: Vec<(&'a str, &'a T)>, name: &str, tournament: Option<&str>) -> Result<&'a T, Unclear> {
    let found: Vec<(&str, &T)> =
        all.into_iter().filter(|(of, _)| tournament.is_none_or(|wanted| meet(of, wanted))).collect();
    match found.as_slice() {
        [(_, only)] => Ok(*only),
        [] => Err(Unclear::None { name: name.to_owned() }),
        several => {
            let tournaments = several.iter().map(|(of, _)| (*of).to_owned()).collect();
            Err(Unclear::Several { name: name.to_owned(), tournaments })
        }
    }
}
