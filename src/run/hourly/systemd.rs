//! A service and a timer for a vault, as units of the person's own systemd.

use std::fmt::Write as _;

use super::Hourly;

/// The two units of a vault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Units {
    /// The file name of the service.
    pub service_name: String,
    /// Its text.
    pub service: String,
    /// The file name of the timer.
    pub timer_name: String,
    /// Its text.
    pub timer: String,
}

impl Hourly {
    /// Returns the units that start it.
    #[must_use]
    pub fn units(&self) -> Units {
        let description = format!("mem sleep in {}", self.vault.replace('%', "%%"));
        let mut environment = String::new();
        for (name, value) in &self.homes {
            let pair = quoted(&format!("{name}={value}"));
            let _ = writeln!(environment, "Environment={pair}");
        }
        // Of a variable's name, systemd looks only in what follows the program.
        let (program, vault) = (quoted(&self.program), quoted(&self.vault));
        let vault = vault.replace('$', "$$");
        let minute = self.minute();
        Units {
            service_name: format!("mem-{}.service", self.key),
            service: format!(
                "[Unit]\nDescription={description}\n\n[Service]\nType=oneshot\n{environment}\
                 ExecStart={program} -C {vault} sleep\nNice=19\nIOSchedulingClass=idle\n"
            ),
            timer_name: format!("mem-{}.timer", self.key),
            timer: format!(
                "[Unit]\nDescription={description}, once an hour\n\n[Timer]\n\
                 OnCalendar=*:{minute:02}\nPersistent=true\nRandomizedDelaySec=2min\n\n\
                 [Install]\nWantedBy=timers.target\n"
            ),
        }
    }
}

/// Returns `text` as one word of a unit's line.
fn quoted(text: &str) -> String {
    let mut word = "\"".to_owned();
    for c in text.chars() {
        match c {
            '"' | '\\' => word.extend(['\\', c]),
            '%' => word.push_str("%%"),
            c => word.push(c),
        }
    }
    word.push('"');
    word
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_say_who_is_run_where() {
        let homes = vec![("XDG_STATE_HOME", "/s$ 5%".to_owned())];
        let hourly = Hourly::new("/opt/my $tools/mem", "/a\"b\\ $c 100%", "notes-01", homes);
        let units = hourly.unwrap().units();
        assert_eq!(units.service_name, "mem-notes-01.service");
        assert_eq!(
            units.service,
            r#"[Unit]
Description=mem sleep in /a"b\ $c 100%%

[Service]
Type=oneshot
Environment="XDG_STATE_HOME=/s$ 5%%"
ExecStart="/opt/my $tools/mem" -C "/a\"b\\ $$c 100%%" sleep
Nice=19
IOSchedulingClass=idle
"#
        );
        assert_eq!(units.timer_name, "mem-notes-01.timer");
        assert_eq!(
            units.timer,
            r#"[Unit]
Description=mem sleep in /a"b\ $c 100%%, once an hour

[Timer]
OnCalendar=*:40
Persistent=true
RandomizedDelaySec=2min

[Install]
WantedBy=timers.target
"#
        );
    }
}
