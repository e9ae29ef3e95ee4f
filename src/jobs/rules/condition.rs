//! `when`: a condition on the vault as a whole.

use crate::jobs::prelude::*;
use crate::recall::query::{self, Comparison, Expr, Filter, PropertyValue};

/// Totals that conditions refer to. Forgotten notes do not count, so forgetting reduces pressure.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct VaultTotals {
    pub notes: u64,
    /// Notes written by mem or an agent.
    pub managed: u64,
    /// Total size of the bodies.
    pub bytes: u64,
}

/// Approximate number of bytes per token of a language model.
const BYTES_PER_TOKEN: u64 = 4;

const TOTAL_NAMES: [&str; 4] = ["notes", "managed", "bytes", "tokens"];

impl VaultTotals {
    pub fn of(entries: &[Entry]) -> Self {
        let mut numbers = Self::default();
        for entry in entries {
            let flags = entry.row.flags;
            if flags.tier() != Tier::Forgotten && !flags.has(Flags::UNREADABLE) {
                numbers.notes += 1;
                numbers.managed += u64::from(entry.is_managed());
                numbers.bytes += u64::from(entry.row.length);
            }
        }
        numbers
    }

    pub fn tokens(&self) -> u64 {
        self.bytes / BYTES_PER_TOKEN
    }

    fn named(&self, name: &str) -> Option<f64> {
        let number = match name {
            "notes" => self.notes,
            "managed" => self.managed,
            "bytes" => self.bytes,
            "tokens" => self.tokens(),
            _ => return None,
        };
        Some(number as f64)
    }
}

/// A parsed condition.
#[derive(Clone, Debug, PartialEq)]
pub struct Condition {
    /// The source text.
    pub text: String,
    expr: Expr,
}

impl Condition {
    /// Parses a condition in the query grammar.
    pub(super) fn read(text: &str) -> Result<Self, String> {
        let read = query::parse(text, &jiff::Zoned::default());
        if let Some(hint) = read.hints.first() {
            return Err(hint.to_string());
        }
        let is_unknown = |member: &&str| {
            let read = query::parse(member, &jiff::Zoned::default());
            read.expr
                .leaves()
                .into_iter()
                .any(|leaf| comparison(leaf).is_none())
        };
        match query::members(text).into_iter().find(is_unknown) {
            Some(member) => Err(format!(
                "`{member}` is not a condition on the vault; use {} with a number, as in `notes:>500`",
                TOTAL_NAMES.join(", ")
            )),
            None => Ok(Self {
                text: text.to_owned(),
                expr: read.expr,
            }),
        }
    }

    pub fn holds(&self, numbers: &VaultTotals) -> bool {
        self.expr.holds(&mut |leaf| {
            comparison(leaf).is_some_and(|(name, comparison, value)| {
                let number = numbers.named(name);
                number.is_some_and(|number| comparison.holds(&number, &value))
            })
        })
    }
}

fn comparison(leaf: &Expr) -> Option<(&str, Comparison, f64)> {
    let Expr::Filter(Filter::Property {
        name,
        comparison,
        value,
        ..
    }) = leaf
    else {
        return None;
    };
    let value = match value {
        PropertyValue::Number(number) => *number,
        PropertyValue::Text(text) => text.parse().ok()?,
        PropertyValue::Time(_) => return None,
    };
    TOTAL_NAMES
        .contains(&name.as_str())
        .then_some((name, *comparison, value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_evaluate_vault_totals() {
        let numbers = VaultTotals {
            notes: 500,
            managed: 20,
            bytes: 4_000,
        };
        for (text, expected) in [
            ("notes:>=500", Ok(true)),
            ("notes:>500", Ok(false)),
            ("notes:500", Ok(true)),
            ("notes:>2000 OR tokens:>=1000", Ok(true)),
            ("-managed:>0", Ok(false)),
            ("managed:<21 bytes:<=4000", Ok(true)),
            ("notez:>5", Err("`notez:>5`")),
            ("notes:many", Err("`notes:many`")),
            ("many notes", Err("`many`")),
            ("importance:>0.5", Err("`importance:>0.5`")),
            ("(notes:>5", Err("unclosed")),
        ] {
            let read = Condition::read(text);
            match (read, expected) {
                (Ok(condition), Ok(expected)) => {
                    assert_eq!(condition.holds(&numbers), expected, "{text}");
                }
                (Err(why), Err(part)) => assert!(why.contains(part), "{text}: {why}"),
                (read, _) => panic!("{text}: {read:?}"),
            }
        }
    }
}
