//! `mem tag`

use clap::Subcommand;

use crate::commands::prelude::*;
use crate::note::folded;
use crate::note::retag::{edits, renamed};

/// List the tags, or rename one
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct TagArgs {
    #[command(subcommand)]
    action: Option<Action>,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// List the tags with the number of their notes
    ///
    /// A note with `#tea/green` also counts for `#tea`. Exits with 1 if there are none.
    #[command(alias = "ls")]
    List(TagsRequest),
    /// Rename a tag and those below it, in front matter and text
    ///
    /// Code and comments are not changed, and case is ignored. If the new tag exists, both become
    /// one. This is one run, which `mem undo` reverts.
    #[command(alias = "rename")]
    Mv(RenameTagRequest),
}

#[derive(Debug, clap::Args)]
pub struct TagsRequest {}

#[derive(Debug, clap::Args)]
pub struct RenameTagRequest {
    /// The current tag
    #[arg(value_name = "TAG", value_parser = tag)]
    pub old: String,
    /// The new tag
    #[arg(value_name = "NEW", value_parser = new_tag)]
    pub new: String,
    /// Preview the changes without making them
    #[arg(long)]
    pub dry_run: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Tags {
    tags: Vec<Tag>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Tag {
    tag: String,
    notes: usize,
}

impl TagArgs {
    /// Lists tags, or renames one.
    pub fn run(&self, env: &Environment) -> Result<Exit> {
        match &self.action {
            Some(Action::Mv(request)) => request.run(env),
            Some(Action::List(request)) => request.run(env),
            None => TagsRequest {}.run(env),
        }
    }
}

impl Request for TagsRequest {
    type Reply<'s> = Tags;

    fn answer(&self, session: &Session) -> Result<Tags> {
        let (_cache, view) = session.fresh_view()?;
        // Keyed by lower case; the first spelling is shown.
        let mut counted: BTreeMap<String, Tag> = BTreeMap::new();
        for entry in view.entries()? {
            let tags = view.details(entry.slot)?.tags;
            let mut seen = BTreeSet::new();
            for name in tags.iter().flat_map(|tag| with_ancestors(tag)) {
                let key = folded(name);
                if seen.insert(key.clone()) {
                    let tag = counted.entry(key).or_insert_with(|| Tag {
                        tag: name.to_owned(),
                        notes: 0,
                    });
                    tag.notes += 1;
                }
            }
        }
        Ok(Tags {
            tags: counted.into_values().collect(),
        })
    }
}

/// Returns a tag and its ancestors.
fn with_ancestors(tag: &str) -> impl Iterator<Item = &str> {
    let ends = tag.match_indices('/').map(|(at, _)| at);
    ends.map(|end| &tag[..end]).chain([tag])
}

impl Reply for Tags {
    fn show(&self, page: &Page<'_>) {
        let most = self.tags.iter().map(|tag| tag.notes).max();
        let width = most.unwrap_or_default().to_string().len();
        for Tag { tag, notes } in &self.tags {
            let notes = page.paint(Style::Faint, &format!("{notes:>width$}"));
            page.line(&format!("{notes}  #{}", page.clean(tag)));
        }
    }

    list!(tags, "no tags");
}

impl Request for RenameTagRequest {
    type Reply<'s> = ChangeReport;

    fn answer(&self, session: &Session) -> Result<ChangeReport> {
        let Self { old, new, dry_run } = self;
        let (cache, view) = session.fresh_view()?;
        let mut notes: Vec<(Entry, Vec<String>)> = Vec::new();
        let mut known = 0;
        for entry in view.entries()? {
            let tags = view.details(entry.slot)?.tags;
            known += usize::from(tags.iter().any(|tag| renamed(tag, new, new).is_some()));
            if tags.iter().any(|tag| renamed(tag, old, new).is_some()) {
                notes.push((entry, tags));
            }
        }
        if notes.is_empty() {
            return Err(Error::new(format!("no note has the tag `#{old}`"))
                .hint("`mem tag list` lists them"));
        }
        let is_inside = renamed(new, old, "").is_some() || renamed(old, new, "").is_some();
        if known > 0 && !is_inside {
            let notes = count(known, "note");
            session.env.output.say(&format!(
                "`#{new}` is already a tag of {notes}; both become one"
            ));
        }
        let (mut groups, mut is_named) = (Vec::new(), false);
        for (Entry { path: note, .. }, tags) in notes {
            let Ok(file) = session.vault.read(&note) else {
                session.env.output.warn(&format!("cannot read `{note}`"));
                continue;
            };
            let edits = edits(&file.text, old, new);
            let mut tags = tags.iter();
            if edits.is_empty()
                && tags.all(|tag| renamed(tag, old, new).is_none_or(|new| new == *tag))
            {
                is_named = true;
                continue;
            }
            if edits.is_empty() {
                session.env.output.warn(&format!(
                    "`{note}` has the tag where it cannot be renamed: see `mem doctor`"
                ));
                continue;
            }
            let title = format!("rename #{old} to #{new} in {note}");
            let group = acts::manual_group(&view, "requested", &[Act::Edit { note, edits }])?;
            groups.push(Group { title, ..group });
        }
        if groups.is_empty() && is_named {
            return Err(Error::new(format!("`#{new}` already has this name"))
                .hint("give the current name, then the new one: `mem tag mv tea drink/tea`"));
        }
        drop(view);
        change_report::make(session, cache, "tag", groups, *dry_run)
    }
}
