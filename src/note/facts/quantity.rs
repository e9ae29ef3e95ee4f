//! Numbers with a unit, compared across units: 20 °C is 68 °F.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::validity::LISTS;
use crate::note::words::lists;

/// A number with its unit.
#[derive(Clone, Copy, Debug)]
pub struct Quantity {
    /// The value in the base unit of the dimension.
    value: f64,
    unit: Unit,
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

impl Quantity {
    /// Returns whether `other` is the same quantity in another unit.
    pub fn is_converted(&self, other: &Self) -> bool {
        let most = self.value.abs().max(other.value.abs());
        self.unit.dimension == other.unit.dimension
            && self.unit.factor.to_bits() != other.unit.factor.to_bits()
            && (self.value - other.value).abs() <= MAX_ROUNDING * most
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
        rest = &rest[start..];
        let end = rest
            .find(|c: char| !c.is_ascii_digit() && c != '.')
            .unwrap_or(rest.len());
        let number = rest[..end].trim_end_matches('.').parse::<f64>();
        let after = rest[end..].trim_start_matches([' ', '\u{a0}', '-', '°']);
        let word = after
            .split(|c: char| !c.is_alphabetic())
            .next()
            .unwrap_or_default();
        let word = word.to_lowercase();
        if let (Ok(number), Some(&unit)) = (number, UNITS.get(word.as_str())) {
            let value: f64 = (number + unit.offset) * unit.factor;
            found.push(Quantity { value, unit });
        }
        rest = &rest[end..];
    }
    found
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
        ] {
            let is_same = share_quantity(&quantities(first), &quantities(second));
            assert_eq!(is_same, expected, "{first} / {second}");
        }
    }
}
