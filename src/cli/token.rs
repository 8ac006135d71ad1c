//! `token create | list | revoke`.

use anyhow::bail;
use serde_json::json;

use crate::domain::player_name;
use crate::domain::{Role, Timestamp};
use crate::snapshot::setup_of;
use crate::store::accounts::tokens::{self, NewToken};

use super::args::{NameInTournament, TokenCommand};
use super::named::only;
use super::staff::name_of;
use super::{Context, Outcome, operator};

pub async fn run(context: &Context, command: TokenCommand) -> anyhow::Result<Outcome> {
    let ledger = context.ledger().await?;
    match command {
        TokenCommand::Create { role, tournament, name, per_minute } => {
            if per_minute.is_some() && role != Role::Client {
                bail!("--per-minute is for the role client only: leave it off");
            }
            let name = name_of(&name)?;
            if setup_of(&ledger, context.system.now()).await?.tournament(&tournament).is_none() {
                bail!("there is no tournament {tournament:?}; adjudge tournament list shows the tournaments");
            }
            let new = NewToken { role, tournament: &tournament, name: &name, per_minute };
            println!("{}", tokens::create(&ledger, &context.system, &operator(), new).await?);
        }
        TokenCommand::List(output) => list(&tokens::principals(&ledger.db).await?, output.json),
        TokenCommand::Revoke(NameInTournament { name, tournament }) => {
            let holders = tokens::principals(&ledger.db).await?;
            let of_name = holders.iter().filter(|principal| player_name::are_same(&principal.name, &name));
            let all = of_name.map(|principal| (principal.tournament.as_str(), principal)).collect();
            let principal = only(all, &name, tournament.as_deref());
            let principal =
                principal.map_err(|why| why.into_error("no token", "adjudge token list shows the tokens"))?;
            tokens::revoke(&ledger, &context.system, &operator(), principal).await?;
            println!("The token {:?} is revoked.", principal.name);
        }
    }
    ledger.db.close().await;
    Ok(Outcome::Done)
}

fn list(holders: &[tokens::Principal], as_json: bool) {
    if as_json {
        let all: Vec<_> = holders
            .iter()
            .map(|principal| {
                json!({
                    "id": principal.id, "name": principal.name, "role": principal.role, "tournament": principal.tournament,
                    "per_minute": principal.per_minute,
                    "created_at": Timestamp::from_micros(principal.created_us).to_string(),
                })
            })
            .collect();
        println!("{}", json!({ "tokens": all }));
        return;
    }
    for principal in holders {
        let since = Timestamp::from_micros(principal.created_us);
        println!("{:<10} {:<16} since {since}  {}", principal.role, principal.tournament, principal.name);
    }
}
