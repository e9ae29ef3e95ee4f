//! Numbers with a unit, compared across units: 20 °C is 68 °F.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::validity::LISTS;
use crate::note::words::lists;

/// A number with its unit.
#[derive(Clone, Debug)]
pub struct Quantity {
    /// The value in the base unit of the dimension.
    value: f64,
    unit: Unit,
    /// The number as written.
    written: String,
}

/// A unit of `validity.txt`.
#[derive(Clone, Copy, Debug)]
struct Unit {
    dimension: &'static str,
    /// Factor to the base unit, after the offset.
    factor: f64,
    offset: f64,
}

static UNITS: LazyLock<HashMap<&str, Unit>> = LazyLock::new(|| {
    let rows = lists::rows(LISTS, "units").flat_map(|row| {
        let [dimension, factor, offset, names] = lists::columns(row);
        let [factor, offset] = [factor, offset].map(|text| text.parse().unwrap_or_default());
        let unit = Unit {
            dimension,
            factor,
            offset,
        };
        names.split(' ').map(move |name| (name, unit))
    });
    rows.collect()
});

/// Relative difference below which two quantities are equal: people round when they convert.
const MAX_ROUNDING: f64 = 0.02;
/// The same for sizes of data.
const MAX_BINARY_ROUNDING: f64 = 0.05;

impl Quantity {
    /// Returns what it measures: `length`, `euro`.
    pub fn dimension(&self) -> &'static str {
        self.unit.dimension
    }

    /// Returns whether `other` is the same quantity in another unit or notation: `1,5 h`, `90 min`.
    pub fn is_converted(&self, other: &Self) -> bool {
        let most = self.value.abs().max(other.value.abs());
        let is_other_unit = self.unit.factor.to_bits() != other.unit.factor.to_bits();
        // A gigabyte has 1000 or 1024 megabytes.
        let rounding = match self.unit.dimension {
            _ if !is_other_unit => f64::EPSILON,
            "data" => MAX_BINARY_ROUNDING,
            _ => MAX_ROUNDING,
        };
        self.unit.dimension == other.unit.dimension
            && (is_other_unit || self.written != other.written)
            && (self.value - other.value).abs() <= rounding * most
    }
}

/// Returns whether two texts state one quantity in different units.
pub fn share_quantity(first: &[Quantity], second: &[Quantity]) -> bool {
    first
        .iter()
        .any(|one| second.iter().any(|other| one.is_converted(other)))
}

/// Returns the quantities in `text`.
pub fn quantities(text: &str) -> Vec<Quantity> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find(|c: char| c.is_ascii_digit()) {
        let sign = rest[..start].trim_end().chars().next_back();
        rest = &rest[start..];
        let is_part = |c: char| c.is_ascii_digit() || matches!(c, '.' | ',');
        let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        let written = rest[..end].trim_end_matches(['.', ',']);
        let end = written.len();
        let after = rest[end..].trim_start_matches([' ', '\u{a0}', '-', '°']);
        let first_word = after.split(|c: char| !c.is_alphabetic()).next();
        let word = first_word.unwrap_or_default().to_lowercase();
        let characters = [after.chars().next(), sign];
        let signs = characters.into_iter().flatten();
        let signs = signs.filter(|c| !c.is_alphabetic()).map(String::from);
        let mut names = std::iter::once(word).chain(signs);
        let unit = names.find_map(|name| UNITS.get(name.as_str()));
        if let (Some(number), Some(&unit)) = (parse_number(written), unit) {
            found.push(Quantity {
                value: (number + unit.offset) * unit.factor,
                unit,
                written: written.to_owned(),
            });
        }
        rest = &rest[end..];
    }
    found
}

/// Parses `1.5`, `1,5` and `1,000`, the comma before three digits as a separator of thousands.
fn parse_number(written: &str) -> Option<f64> {
    let mut groups = written.split(',').skip(1);
    let is_grouped = written.contains(',') && groups.all(|group| group.len() == 3);
    let point = if is_grouped || written.contains('.') {
        ""
    } else {
        "."
    };
    written.replace(',', point).parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_quantities_in_other_units() {
        for (first, second, expected) in [
            ("kept at 20 °C", "kept at 68 °F", true),
            ("10 km long", "6.2 miles long", true),
            ("takes 90 minutes", "takes 1.5 hours", true),
            ("weighs 2kg", "weighs 4.4 lbs", true),
            ("kept at 20 °C", "kept at 70 °F", false),
            ("10 km long", "10 km long", false),
            ("10 km long", "10 kg", false),
            ("port 8080", "port 9090", false),
            ("costs 12.00 EUR", "costs 12 EUR", true),
            ("costs € 9.50", "costs 9,5 €", true),
            ("costs 1,000 dollars", "costs 1000 dollars", true),
            ("costs 12 EUR", "costs 13 EUR", false),
            ("4 GB of memory", "4096 MB of memory", true),
            ("4 GB of memory", "8192 MB of memory", false),
            ("dauert 1,5 h", "dauert 90 min", true),
            ("pesa 2,5 kg", "pesa 2500 g", true),
            ("kept for 2 weeks", "kept for 14 days", true),
            ("weighs 71 kg", "weighs 70 kg", false),
        ] {
            let is_same = share_quantity(&quantities(first), &quantities(second));
            assert_eq!(is_same, expected, "{first} / {second}");
        }
    }
}
