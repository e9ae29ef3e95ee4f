//! `split`: proposes one note per fact for notes with several unrelated facts.
//!
//! | condition | result |
//! |---|---|
//! | the paragraphs, items or sections of a working note written by mem or an agent share no content word, and none refers to another | question: a note for each fact, `part_of` the note, which becomes archival |
//! | it has a title or an introduction that applies to all, code, tables, tasks, footnotes, internal links or reference links | nothing |
//! | it has `keep`, states relations, is a template, a daily note or replaced, or its parts exist already | nothing |
//!
//! The reverse of `consolidate`, and likewise always a proposal. The original note keeps its place and text, so
//! that links to it stay valid. `cluster` and `consolidate` count its parts as one note and so never rejoin them.

mod parts;
#[cfg(test)]
mod tests;

use self::parts::{SplitPart, parts};
use super::find::living;
use super::fresh::{self, PathAllocator};
use crate::jobs::prelude::*;
use crate::note;
use crate::note::front_matter::property::standard_name;
use crate::note::markdown::document::Document;
use crate::note::words::speaker;
use crate::note::{is_daily, is_template};

/// Job table entry.
pub static JOB: Job = Job {
    name: SplitOptions::NAME,
    aliases: &[],
    about: "Propose to split notes that hold several facts",
    help: include_str!("help.txt"),
    looks: ("note", "looked at"),
    done: "split",
    nothing: "nothing to split: no note by mem or an agent has several unrelated facts",
    every: Interval::days(1),
    every_about: "how often `mem sleep` runs split",
    kinds: &[QuestionKind::Split],
    options: job::JobOptions::of::<SplitOptions>(),
};

/// Prior probability that a proposal is accepted, used before there are answers.
const PRIOR_ACCEPTANCE: f32 = 0.6;

/// Properties that parts do not inherit.
const UNINHERITED_PROPERTIES: [&str; 8] = [
    "id",
    "title",
    "aliases",
    "tier",
    "created",
    "updated",
    "mem",
    "related_to",
];

section! {
    /// The job has no options besides its interval.
    pub struct SplitOptions: "split" {}
}

impl Find for SplitOptions {
    fn find(&self, view: &View<'_>, answers: &Answers, seeds: &Seeds) -> Result<Findings> {
        let mut findings = Findings::default();
        let now = view.now.timestamp().as_second();
        let mut pool = living(view)?;
        pool.retain(|entry| {
            let flags = entry.row.flags;
            seeds.has(entry.slot)
                && entry.is_managed()
                && flags.tier() == Tier::Working
                && !flags.has(Flags::KEEP)
                && entry.row.expires > now
                && !is_template(entry.path.as_str())
                && !is_daily(entry.path.stem())
        });
        findings.compared = pool.len();
        let mut paths = PathAllocator::default();
        for entry in &pool {
            let texts = fresh::texts(view, &[entry], &mut findings.skipped);
            let Some(text) = texts.and_then(|mut texts| texts.pop()) else {
                continue;
            };
            let title = view.details(entry.slot)?.title;
            let body = &text[split::split(&text).body];
            let Some(parts) = parts(&title, body).filter(|_| !depends_on_note(body)) else {
                continue;
            };
            if !has_parts(view, entry)? && view.replaced_by(entry)?.is_none() {
                findings
                    .found
                    .extend(finding(view, entry, &parts, answers, &mut paths)?);
            }
        }
        Ok(findings)
    }
}

/// Returns the note that `entry` was split from, else `entry` itself. Jobs that combine notes count all parts of
/// a note as one.
pub(super) fn original(view: &View<'_>, entry: &Entry) -> Result<Slot> {
    if speaker::writer(&view.details(entry.slot)?.properties()) != Some(SplitOptions::NAME) {
        return Ok(entry.slot);
    }
    let originals = view.linked_by(entry, Relation::PartOf)?;
    Ok(originals
        .first()
        .map_or(entry.slot, |original| original.slot))
}

/// Returns true if parts of `entry` exist already.
fn has_parts(view: &View<'_>, entry: &Entry) -> Result<bool> {
    for (relation, other) in view.relations_of(entry)? {
        if relation == Relation::PartOf && original(view, &other)? == entry.slot {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Returns true if the text has an internal link or a reference definition, whose links would break in the parts.
fn depends_on_note(body: &str) -> bool {
    let links = note::read(body, "").links;
    let has_definition = !Document::of_body(body).definitions().is_empty();
    has_definition || links.iter().any(|link| link.target.is_empty())
}

fn finding(
    view: &View<'_>,
    entry: &Entry,
    parts: &[SplitPart],
    answers: &Answers,
    paths: &mut PathAllocator,
) -> Result<Option<Finding>> {
    let key = QuestionKey::new(QuestionKind::Split, &[view.content_key(entry)?]);
    if answers.get(key) == Some(Answer::No) {
        return Ok(None);
    }
    let Some(links) = fresh::links(view, &[entry])? else {
        return Ok(None);
    };
    let mut stated = Vec::new();
    for (key, value) in view.details(entry.slot)?.properties() {
        if UNINHERITED_PROPERTIES.contains(&standard_name(&key)) {
            continue;
        }
        // A relation cannot be assigned to one of the facts.
        if Relation::named(&key).is_some() {
            return Ok(None);
        }
        stated.push((key, value));
    }
    let mut acts = Vec::new();
    for part in parts {
        let title = fresh::plain(&part.title, usize::MAX);
        let Some(path) = paths.allocate(view, &[entry], &title)? else {
            return Ok(None);
        };
        let mut properties: Vec<(String, Value)> = vec![("title".to_owned(), title.into())];
        properties.extend(stated.iter().cloned());
        properties.push((Relation::PartOf.name().to_owned(), links.clone().into()));
        acts.push(Act::Create {
            path,
            text: fresh::text(
                SplitOptions::NAME,
                entry.row.created,
                properties,
                &part.body,
            ),
        });
    }
    let retired = vec![Edit::set("tier", Tier::Archival.name())];
    acts.push(Act::edit(&entry.path, retired));
    Ok(Some(Finding::new(
        key,
        vec![entry.path.clone()],
        acts,
        PRIOR_ACCEPTANCE,
        format!("{} facts without a common content word", parts.len()),
    )))
}
