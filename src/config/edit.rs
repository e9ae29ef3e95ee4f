//! Sets one value in a settings file and keeps every other byte.

use std::fmt::Write as _;

use toml_edit::{DocumentMut, Item, Value};

use super::syntax_error;

/// Returns `text` with `key` set, or removed if `value` is `None`; else why it cannot be.
pub fn with_value(text: &str, key: &str, value: Option<&toml::Value>) -> Result<String, String> {
    // An edit could damage a file that is not TOML further.
    let mut document: DocumentMut = text.parse().map_err(|error: toml_edit::TomlError| {
        let why = syntax_error(text, error.span(), error.message());
        format!("cannot be read: {why}")
    })?;
    let (table, name) = key.split_once('.').unwrap_or(("", key));
    let not_a_table = || format!("has a value where the table [{table}] should be");
    let Some(value) = value else {
        if let Some(item) = document.get_mut(table) {
            item.as_table_like_mut()
                .ok_or_else(not_a_table)?
                .remove(name);
        }
        return Ok(document.to_string());
    };
    let new: Value = match value {
        toml::Value::Boolean(truth) => (*truth).into(),
        toml::Value::Integer(number) => (*number).into(),
        toml::Value::Float(number) => (*number).into(),
        toml::Value::String(text) => text.as_str().into(),
        other => other.to_string().into(),
    };
    let Some(item) = document.get_mut(table) else {
        // Append the table after any final comments, which belong to the text above.
        let mut text = text.to_owned();
        if !text.is_empty() {
            text.push_str(if text.ends_with('\n') { "\n" } else { "\n\n" });
        }
        let _ = write!(text, "[{table}]\n{name} = {new}\n");
        return Ok(text);
    };
    let values = item.as_table_like_mut().ok_or_else(not_a_table)?;
    match values.get_mut(name).and_then(Item::as_value_mut) {
        // Keep a comment after the value.
        Some(old) => {
            let decor = old.decor().clone();
            *old = new;
            *old.decor_mut() = decor;
        }
        None => {
            values.insert(name, Item::Value(new));
        }
    }
    Ok(document.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edit_changes_only_the_value() {
        let all = toml::Value::from("all");
        for (text, value, expected) in [
            ("", Some(&all), "[sleep]\napply = \"all\"\n"),
            (
                "# mine\n[sleep]   # at night\napply = 'none' # why\n\n[x]\ny=1",
                Some(&all),
                "# mine\n[sleep]   # at night\napply = \"all\" # why\n\n[x]\ny=1\n",
            ),
            (
                "sleep.apply = 'none'\n",
                Some(&all),
                "sleep.apply = \"all\"\n",
            ),
            (
                "sleep = { apply = 'none' }\n",
                Some(&all),
                "sleep = { apply = \"all\" }\n",
            ),
            (
                "[index]\n# c\nlanguage = 'none'\n",
                Some(&all),
                "[index]\n# c\nlanguage = 'none'\n\n[sleep]\napply = \"all\"\n",
            ),
            (
                "[index]\nlanguage = 'none'\n# end",
                Some(&all),
                "[index]\nlanguage = 'none'\n# end\n\n[sleep]\napply = \"all\"\n",
            ),
            (
                "[sleep]\napply = 1 # x\n",
                Some(&toml::Value::Integer(2)),
                "[sleep]\napply = 2 # x\n",
            ),
            ("", Some(&toml::Value::Float(0.5)), "[sleep]\napply = 0.5\n"),
            ("[sleep]\napply = 'all'\nx = 1\n", None, "[sleep]\nx = 1\n"),
            ("# c\n", None, "# c\n"),
        ] {
            assert_eq!(
                with_value(text, "sleep.apply", value),
                Ok(expected.to_owned())
            );
        }
        assert_eq!(
            with_value("sleep = 1", "sleep.apply", Some(&all)),
            Err("has a value where the table [sleep] should be".to_owned())
        );
        let broken = with_value("[", "sleep.apply", Some(&all)).unwrap_err();
        assert!(broken.starts_with("cannot be read: "), "{broken}");
    }
}
