//! Declares the settings of one owner.

/// Declares a struct of settings, their defaults and a [`SettingsSection`](super::SettingsSection).
///
/// ```text
/// section! {
///     /// Which notes are merged.
///     #[derive(Copy)]
///     pub struct Options: "dedupe", everyday [ask] {
///         /// minimum similarity of two notes to ask whether they are duplicates
///         ask: f64 = 0.6, 0.0..=1.0;
///         /// minimum overlap for automatic merging
///         certain: f64 = 0.6, 0.5..=1.0, Trust::Nothing;
///     }
///     fixed {
///         /// Number of nearest notes that each short note is compared with.
///         neighbours: usize = 5;
///     }
/// }
/// ```
///
/// The comment of a setting is also its help and its row in the manual. After type and default
/// (`Default::default()` if omitted) come the accepted values, a [`Domain`](super::values::Domain),
/// and what a vault may do, [`Trust::Sets`](super::Trust::Sets) if omitted. `name as "key"` gives a
/// key other than the field name. `everyday` lists the fields of everyday settings; all others are
/// expert settings. Fields after `fixed` are not settings.
macro_rules! section {
    (
        $(#[$meta:meta])*
        $vis:vis struct $owner:ident: $section:literal $(, everyday [$($everyday:ident),+])? {
            $(
                $(#[doc = $about:literal])+
                $field:ident $(as $key:literal)?: $type:ty $(= $default:expr)?,
                $domain:expr $(, $trust:expr)?;
            )*
        }
        $(fixed {
            $($(#[$fixed_meta:meta])* $fixed:ident: $fixed_type:ty = $fixed_default:expr;)*
        })?
    ) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq)]
        $vis struct $owner {
            $($(#[doc = $about])+ pub $field: $type,)*
            $($($(#[$fixed_meta])* pub $fixed: $fixed_type,)*)?
        }

        impl Default for $owner {
            fn default() -> Self {
                Self {
                    $($field: $crate::config::section!(@or $($default)?; Default::default()),)*
                    $($($fixed: $fixed_default,)*)?
                }
            }
        }

        impl $crate::config::SettingsSection for $owner {
            const NAME: &'static str = $section;

            fn keys() -> Vec<$crate::config::SettingBinding<Self>> {
                // A name that is not a field does not compile.
                $($(let _ = |section: &Self| std::ptr::from_ref(&section.$everyday);)+)?
                #[allow(unused_variables, reason = "a section may have no settings of this form")]
                let everyday: &[&str] = &[$($(stringify!($everyday)),+)?];
                vec![$({
                    let domain: &dyn $crate::config::values::Domain<$type> = &$domain;
                    let default: $type =
                        $crate::config::section!(@or $($default)?; Default::default());
                    let name = $crate::config::section!(@or $($key)?; stringify!($field));
                    let setting = $crate::config::Setting {
                        key: format!("{}.{name}", $section),
                        about: concat!($($about),+).trim_start(),
                        takes: domain.takes(),
                        vault: $crate::config::section!(
                            @or $($trust)?; $crate::config::Trust::Sets
                        ),
                        is_everyday: everyday.contains(&stringify!($field)),
                        is_secret: domain.is_secret(),
                        default: domain.write(&default),
                        canonical: |value| $crate::config::values::canonical::<$type>(&$domain, value),
                    };
                    let set: fn(&mut Self, &toml::Value) -> bool = |section, value| {
                        let domain: &dyn $crate::config::values::Domain<$type> = &$domain;
                        let value = domain.read(value);
                        value.map(|value| section.$field = value).is_some()
                    };
                    (setting, set)
                }),*]
            }
        }
    };
    (@or $given:expr; $else:expr) => { $given };
    (@or ; $else:expr) => { $else };
}

pub(crate) use section;
