//! Arguments with a fixed set of names.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use serde::de::DeserializeOwned;
use serde::de::value::{Error, StrDeserializer};

/// Parses one of `all` by its name.
pub(crate) fn named<T: Copy + Send + Sync + 'static, const N: usize>(
    all: [T; N],
    name: fn(T) -> &'static str,
) -> impl TypedValueParser<Value = T> {
    PossibleValuesParser::new(all.map(name)).map(move |chosen| {
        let known = all.into_iter().find(|one| name(*one) == chosen);
        known.expect("the parser lets only these names pass")
    })
}

/// Parses one of `names`, each with its help; the names are those of the serde variants of `T`.
pub(crate) fn choice<T>(
    names: impl IntoIterator<Item = (&'static str, &'static str)>,
) -> impl TypedValueParser<Value = T>
where
    T: DeserializeOwned + Clone + Send + Sync + 'static,
{
    let values = names
        .into_iter()
        .map(|(name, help)| PossibleValue::new(name).help(help));
    PossibleValuesParser::new(values).map(|name| {
        let name = StrDeserializer::<Error>::new(&name);
        T::deserialize(name).expect("the names are those of serde")
    })
}
