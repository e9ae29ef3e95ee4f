//! No query is an error, and parsed queries have the documented properties.

#![no_main]

use jiff::civil::date;
use jiff::tz::TimeZone;
use libfuzzer_sys::fuzz_target;
use mem::recall::query::{Expr, Filter, Hint, Query, Value, parse};

fuzz_target!(|text: &str| {
    let now = date(2026, 4, 1)
        .at(12, 0, 0, 0)
        .to_zoned(TimeZone::UTC)
        .expect("a moment that exists");
    let query = parse(text, &now);
    assert_eq!(parse(text, &now).expr, query.expr);
    for hint in &query.hints {
        // A hint quotes a word of the query.
        if let Hint::StrayOperator(word) | Hint::UnknownState(word) | Hint::UnknownTier(word) = hint
        {
            assert!(!word.is_empty());
        }
    }
    if query.expr != Expr::And(Vec::new()) {
        well_formed(&query.expr);
    }
    used(&query);
    used(&query.with_known_properties(&["due", "status"]));
});

/// Calls everything that consumers of a query use.
fn used(query: &Query) {
    let _ = (query.text(), query.expr.clause(), query.expr.patterns());
    let _ = query.expr.holds(&mut |_| true);
    let _ = query.expr.holds(&mut |_| false);
}

fn well_formed(expr: &Expr) {
    match expr {
        Expr::And(members) => {
            assert!(members.len() >= 2);
            assert!(!members.iter().any(|member| matches!(member, Expr::And(_))));
            members.iter().for_each(well_formed);
        }
        Expr::Or(members) => {
            assert!(members.len() >= 2);
            assert!(!members.iter().any(|member| matches!(member, Expr::Or(_))));
            members.iter().for_each(well_formed);
        }
        Expr::Not(inner) => {
            assert!(!matches!(**inner, Expr::Not(_)));
            well_formed(inner);
        }
        Expr::Filter(Filter::Number { value, .. }) => assert!(value.is_finite()),
        Expr::Filter(Filter::Property {
            value: Value::Number(value),
            ..
        }) => {
            assert!(value.is_finite());
        }
        Expr::Text(_) | Expr::Filter(_) => {}
    }
}
