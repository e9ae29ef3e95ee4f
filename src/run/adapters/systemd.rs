//! A service and a timer for a vault, as systemd user units.

use super::timer::SleepTimer;
use super::{failed, run};
use crate::run::prelude::*;

/// The service and the timer of a vault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Units {
    /// File name and contents of the service.
    pub service: (String, String),
    /// The same of the timer.
    pub timer: (String, String),
}

impl SleepTimer {
    /// Returns the units.
    pub fn units(&self) -> Units {
        let description = format!("mem sleep in {}", self.vault.replace('%', "%%"));
        let mut environment = String::new();
        for (name, value) in &self.homes {
            let pair = quoted(&format!("{name}={value}"));
            let _ = writeln!(environment, "Environment={pair}");
        }
        // systemd expands variables in arguments, but not in the program path.
        let (program, vault) = (quoted(&self.program), quoted(&self.vault));
        let vault = vault.replace('$', "$$");
        let minute = self.minute();
        Units {
            service: (
                format!("mem-{}.service", self.key),
                format!(
                    "[Unit]\nDescription={description}\n\n[Service]\nType=oneshot\n{environment}\
                     ExecStart={program} -C {vault} sleep\nNice=19\nIOSchedulingClass=idle\n"
                ),
            ),
            timer: (
                format!("mem-{}.timer", self.key),
                format!(
                    "[Unit]\nDescription={description}, once an hour\n\n[Timer]\n\
                     OnCalendar=*:{minute:02}\nPersistent=true\nRandomizedDelaySec=2min\n\n\
                     [Install]\nWantedBy=timers.target\n"
                ),
            ),
        }
    }
}

impl Units {
    /// Returns both units, each preceded by its path in `folder`.
    pub fn text(&self, folder: &Path) -> String {
        let files = [&self.service, &self.timer]
            .map(|(name, text)| format!("# {}/{name}\n{text}", folder.display()));
        files.join("\n")
    }

    /// Returns the existing unit files in `folder`, the timer first.
    pub fn installed(&self, folder: &Path) -> Vec<PathBuf> {
        [&self.timer, &self.service]
            .into_iter()
            .map(|(name, _)| folder.join(name))
            .filter(|file| file.symlink_metadata().is_ok())
            .collect()
    }

    /// Writes the units to `folder` and starts the timer; errors include the remaining manual
    /// steps.
    pub fn install(&self, folder: &Path) -> Result<()> {
        fs::create_dir_all(folder).map_err(|error| Error::io("make", folder, &error))?;
        for (name, text) in [&self.service, &self.timer] {
            let file = folder.join(name);
            fs::write(&file, text).map_err(|error| Error::io("write", &file, &error))?;
        }
        let timer = &self.timer.0;
        for arguments in [&["daemon-reload"][..], &["enable", "--now", timer]] {
            systemctl(arguments).map_err(|error| {
                error
                    .hint(format!(
                        "wrote the units to `{}`, but the timer is not running",
                        folder.display()
                    ))
                    .hint(format!(
                        "by hand: `systemctl --user daemon-reload && systemctl --user enable --now {timer}`"
                    ))
            })?;
        }
        Ok(())
    }

    /// Stops the timer and removes `files`; errors include the remaining manual steps.
    pub fn uninstall(&self, files: &[PathBuf]) -> Result<()> {
        let timer = &self.timer.0;
        systemctl(&["disable", "--now", timer]).map_err(|error| {
            error.hint("nothing was removed").hint(format!(
                "by hand: `systemctl --user disable --now {timer}`, then remove the files"
            ))
        })?;
        for file in files {
            fs::remove_file(file).map_err(|error| Error::io("remove", file, &error))?;
        }
        systemctl(&["daemon-reload"]).map_err(|error| {
            error
                .hint("disabled the timer and removed its files")
                .hint("by hand: `systemctl --user daemon-reload`")
        })
    }
}

fn systemctl(arguments: &[&str]) -> Result<()> {
    let command = format!("systemctl --user {}", arguments.join(" "));
    let ended = run(Command::new("systemctl").arg("--user").args(arguments), b"");
    let cannot = |error| Error::new(format!("cannot run `{command}`")).caused_by(&error);
    match ended.map_err(cannot)? {
        (ended, _) if ended.status.success() => Ok(()),
        (ended, _) => Err(failed(&command, &ended)),
    }
}

/// Quotes `text` as one word in a unit file.
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
    fn units_name_program_and_vault() {
        let homes = vec![("XDG_STATE_HOME", "/s$ 5%".to_owned())];
        let timer = SleepTimer::new("/opt/my $tools/mem", "/a\"b\\ $c 100%", "notes-01", homes);
        let units = timer.unwrap().units();
        assert_eq!(units.service.0, "mem-notes-01.service");
        assert_eq!(
            units.service.1,
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
        assert_eq!(units.timer.0, "mem-notes-01.timer");
        assert_eq!(
            units.timer.1,
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
