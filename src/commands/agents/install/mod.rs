//! `mem agent`

mod document;
mod host;
mod plan;

use std::path::absolute;

use crate::commands::prelude::*;
use crate::commands::upkeep::sleep::install::{program, text};
use host::{Command, Host, Part, WholeFile, hosts};
use plan::{FilePlan, PartState};

/// Connect programs that run agents to the vault
#[derive(Debug, clap::Args)]
pub struct AgentArgs {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Write hooks, tools and the skill into the settings of hosts
    ///
    /// Shows each change as a diff and asks; without a terminal, pass `--yes`. Other settings and
    /// comments stay as they are. Hosts: claude, codex, cursor, opencode, pi, copilot, openclaw,
    /// hermes, antigravity, zed, claude-desktop.
    Install(InstallRequest),
    /// List the hosts on this machine and what they use of mem
    Status(AgentStatusRequest),
}

#[derive(Debug, clap::Args)]
pub struct InstallRequest {
    /// The hosts, like `claude` and `codex`
    #[arg(required = true, value_name = "HOST")]
    pub hosts: Vec<String>,
    /// Preview the changes without making them
    #[arg(long)]
    pub dry_run: bool,
    /// Remove what mem wrote
    #[arg(long)]
    pub remove: bool,
    /// Do not ask for confirmation
    #[arg(short, long)]
    pub yes: bool,
    /// Use this home folder and ignore variables like `CODEX_HOME`
    #[arg(long, value_name = "DIR")]
    pub home: Option<PathBuf>,
}

#[derive(Debug, clap::Args)]
pub struct AgentStatusRequest {
    /// Use this home folder and ignore variables like `CODEX_HOME`
    #[arg(long, value_name = "DIR")]
    pub home: Option<PathBuf>,
}

impl AgentArgs {
    pub fn run(&self, env: &Environment) -> Result<Exit> {
        match &self.action {
            Action::Install(request) => request.run(env),
            Action::Status(request) => request.run(env),
        }
    }
}

/// What was written, or would be.
#[derive(Debug, Serialize, JsonSchema)]
pub struct InstallReport {
    /// Whether the files were written.
    written: bool,
    files: Vec<FileRecord>,
    /// What a person has to do next.
    notes: Vec<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct FileRecord {
    host: String,
    path: String,
    change: FileChange,
    #[serde(skip_serializing_if = "String::is_empty")]
    diff: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum FileChange {
    Unchanged,
    Created,
    Changed,
    Removed,
}

/// The plans of an installation, and their report.
struct Installation {
    plans: Vec<FilePlan>,
    report: InstallReport,
    home: PathBuf,
}

impl Request<Environment> for InstallRequest {
    type Reply<'s> = InstallReport;

    /// Shows the changes and asks a person first.
    fn run(&self, env: &Environment) -> Result<Exit> {
        let installation = self.plan(env)?;
        let is_change = installation.plans.iter().any(FilePlan::is_change);
        if self.dry_run || !is_change {
            return env.print(&installation.report);
        }
        if env.output.form == Form::Human {
            installation.report.show(&Page::new(&env.output, &env.now));
            env.output.flush()?;
        }
        if !confirmed(env, self.yes, "write these files", None)? {
            return Ok(Exit::Nothing);
        }
        let report = installation.write()?;
        if env.output.form != Form::Human {
            return env.print(&report);
        }
        report
            .messages()
            .iter()
            .for_each(|message| env.output.print_message(message));
        report.exit()
    }

    fn answer(&self, env: &Environment) -> Result<InstallReport> {
        let installation = self.plan(env)?;
        if self.yes && !self.dry_run {
            installation.write()
        } else {
            Ok(installation.report)
        }
    }
}

impl InstallRequest {
    fn plan(&self, env: &Environment) -> Result<Installation> {
        let home = home(self.home.as_deref())?;
        let command = (!self.remove).then(|| command(env)).transpose()?;
        let all = hosts()?;
        let real_home = home.as_deref().unwrap_or(&env.folders.home);
        let mut installation = Installation {
            home: real_home.canonicalize().unwrap_or_default(),
            plans: Vec::new(),
            report: InstallReport {
                written: false,
                files: Vec::new(),
                notes: Vec::new(),
            },
        };
        for name in &self.hosts {
            let Some(host) = all.iter().find(|host| host.name == *name) else {
                let names: Vec<&str> = all.iter().map(|host| host.name.as_str()).collect();
                return Err(Error::new(format!("unknown host `{name}`"))
                    .hint(format!("known hosts: {}", names.join(", "))));
            };
            let mut is_change = false;
            for file in &host.files {
                let path = host.path(env, home.as_deref(), file);
                if installation.plans.iter().any(|plan| plan.path == path) {
                    continue;
                }
                let plan = FilePlan::of(path, file, command.as_ref())?;
                is_change |= plan.is_change();
                let record = FileRecord::of(host, &plan);
                installation.report.files.push(record);
                installation.plans.push(plan);
            }
            let host_note = host.note.as_ref().filter(|_| is_change && !self.remove);
            let note = host_note.map(|note| format!("{}: {note}", host.about));
            installation.report.notes.extend(note);
        }
        Ok(installation)
    }
}

impl Installation {
    fn write(mut self) -> Result<InstallReport> {
        for plan in self.plans.iter().filter(|plan| plan.is_change()) {
            plan.write(&self.home)?;
        }
        self.report.written = true;
        Ok(self.report)
    }
}

impl FileRecord {
    fn of(host: &Host, plan: &FilePlan) -> Self {
        let path = plan.path.display().to_string();
        let change = match (&plan.before, &plan.after) {
            (before, after) if before == after => FileChange::Unchanged,
            (None, _) => FileChange::Created,
            (_, None) => FileChange::Removed,
            _ => FileChange::Changed,
        };
        let shown = path.trim_start_matches('/');
        let [before, after] = [&plan.before, &plan.after].map(Option::as_deref);
        Self {
            host: host.name.clone(),
            diff: match change {
                FileChange::Unchanged => String::new(),
                _ => diff::between([shown, shown], before, after),
            },
            path,
            change,
        }
    }
}

impl Reply for InstallReport {
    fn show(&self, page: &Page<'_>) {
        for file in &self.files {
            diff::print(page, &file.diff);
        }
    }

    fn messages(&self) -> Vec<Message> {
        let files = self.files.iter();
        let changed = files.filter(|file| file.change != FileChange::Unchanged);
        let words = match changed.count() {
            0 => "nothing to change".to_owned(),
            changed if self.written => format!("wrote {}", count(changed, "file")),
            changed => format!("{} would change", count(changed, "file")),
        };
        let notes = self.notes.iter().filter(|_| self.written).cloned();
        [Message::Status(words)]
            .into_iter()
            .chain(notes.map(Message::Hint))
            .collect()
    }
}

/// What the hosts on this machine use.
#[derive(Debug, Serialize, JsonSchema)]
pub struct HostList {
    hosts: Vec<HostRecord>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct HostRecord {
    name: String,
    about: String,
    /// Whether the folder of its settings exists.
    found: bool,
    parts: BTreeMap<Part, PartState>,
    /// Whether the host recorded that a person approved the hooks; they may have changed since.
    #[serde(skip_serializing_if = "Option::is_none")]
    approved: Option<bool>,
    /// Why its files cannot be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<String>,
}

impl Request<Environment> for AgentStatusRequest {
    type Reply<'s> = HostList;

    fn answer(&self, env: &Environment) -> Result<HostList> {
        let home = home(self.home.as_deref())?;
        // Without a vault any of its entries counts.
        let command = command(env).ok();
        let known = hosts()?.into_iter();
        let hosts = known.map(|host| HostRecord::of(env, home.as_deref(), &host, command.as_ref()));
        Ok(HostList {
            hosts: hosts.collect(),
        })
    }
}

impl HostRecord {
    fn of(env: &Environment, home: Option<&Path>, host: &Host, command: Option<&Command>) -> Self {
        let mut record = Self {
            name: host.name.clone(),
            about: host.about.clone(),
            found: host.folder(env, home).is_dir(),
            parts: BTreeMap::new(),
            approved: None,
            problem: None,
        };
        for file in &host.files {
            let states =
                plan::states(&host.path(env, home, file), file, command).unwrap_or_else(|error| {
                    record.problem = Some(error.message());
                    vec![PartState::Missing; file.entries.len().max(1)]
                });
            let entry_parts = file.entries.iter().map(|entry| entry.part);
            let parts = entry_parts.chain(file.whole.map(WholeFile::part));
            for (part, state) in parts.zip(states) {
                let known = record.parts.entry(part).or_insert(state);
                if *known != state {
                    *known = PartState::Outdated;
                }
            }
        }
        let entries = host.files.iter().flat_map(|file| &file.entries);
        let mut events = entries.filter_map(|entry| entry.trust.as_deref());
        if record.uses(Part::Hooks) && events.clone().next().is_some() {
            let is_trusted = |event| plan::is_trusted(env, home, host, event);
            record.approved = Some(events.all(is_trusted));
        }
        record
    }

    fn uses(&self, part: Part) -> bool {
        let state = self.parts.get(&part);
        state.is_some_and(|state| *state != PartState::Missing)
    }
}

impl Reply for HostList {
    fn show(&self, page: &Page<'_>) {
        let is_used =
            |host: &&HostRecord| host.found || host.parts.keys().any(|part| host.uses(*part));
        let (used, others): (Vec<_>, Vec<_>) = self.hosts.iter().partition(is_used);
        let lengths = self.hosts.iter().map(|host| host.name.len());
        let longest = lengths.max().unwrap_or_default();
        for host in used {
            let parts = host.parts.iter().map(|(part, state)| {
                let (part, state) = (part.name(), state.name());
                format!("{part} {state}")
            });
            let mut parts: Vec<String> = parts.collect();
            if host.approved == Some(false) {
                parts.push("hooks not approved yet: `/hooks`".to_owned());
            }
            parts.extend(host.problem.clone());
            page.line(&format!(
                "{:<longest$}{GAP}{}",
                host.name,
                page.clean(&parts.join(", "))
            ));
        }
        let others: Vec<&str> = others.iter().map(|host| host.name.as_str()).collect();
        if !others.is_empty() {
            page.line(&format!("not found: {}", others.join(", ")));
        }
    }

    list!(hosts);
}

/// Returns the absolute path of `--home`.
fn home(home: Option<&Path>) -> Result<Option<PathBuf>> {
    let absolute = |home: &Path| absolute(home).map_err(|error| Error::io("find", home, &error));
    home.map(absolute).transpose()
}

/// Returns the command that hosts run: this program, in the vault of the current folder.
fn command(env: &Environment) -> Result<Command> {
    let vault = Vault::find(&env.start)?;
    Ok(Command {
        mem: program()?,
        vault: text(vault.root())?,
    })
}

impl Part {
    fn name(self) -> &'static str {
        match self {
            Self::Hooks => "hooks",
            Self::Tools => "tools",
            Self::Skill => "skill",
        }
    }
}

impl PartState {
    fn name(self) -> &'static str {
        match self {
            Self::Missing => "missing",
            Self::Outdated => "outdated",
            Self::Active => "active",
        }
    }
}
