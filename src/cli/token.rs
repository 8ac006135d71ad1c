//! `token create | list | revoke`.

use anyhow::bail;
use serde_json::json;

use crate::domain::names;
use crate::domain::{Role, Timestamp};
use crate::snapshot::floor_of;
use crate::store::tokens::{self, NewToken};

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
            if floor_of(&ledger, context.system.now()).await?.tournament(&tournament).is_none() {
                bail!("there is no tournament {tournament:?}; adjudge tournament list shows the tournaments");
            }
            let new = NewToken { role, tournament: &tournament, name: &name, per_minute };
            println!("{}", tokens::create(&ledger, &context.system, &operator(), new).await?);
        }
        TokenCommand::List(output) => list(&tokens::holders(&ledger.db).await?, output.json),
        TokenCommand::Revoke(NameInTournament { name, tournament }) => {
            let holders = tokens::holders(&ledger.db).await?;
            let of_name = holders.iter().filter(|holder| names::are_same(&holder.name, &name));
            let all = of_name.map(|holder| (holder.tournament.as_str(), holder)).collect();
            let holder = only(all, &name, tournament.as_deref());
            let holder = holder.map_err(|why| why.into_error("no token", "adjudge token list shows the tokens"))?;
            tokens::revoke(&ledger, &context.system, &operator(), holder).await?;
            println!("The token {:?} is revoked.", holder.name);
        }
    }
    ledger.db.close().await;
    Ok(Outcome::Done)
}

fn list(holders: &[tokens::Holder], as_json: bool) {
    if as_json {
        let all: Vec<_> = holders
            .iter()
            .map(|holder| {
                json!({
                    "id": holder.id, "name": holder.name, "role": holder.role, "tournament": holder.tournament,
                    "per_minute": holder.per_minute,
                    "created_at": Timestamp::from_micros(holder.created_us).to_string(),
                })
            })
            .collect();
        println!("{}", json!({ "tokens": all }));
        return;
    }
    for holder in holders {
        let since = Timestamp::from_micros(holder.created_us);
        println!("{:<10} {:<16} since {since}  {}", holder.role, holder.tournament, holder.name);
    }
}
