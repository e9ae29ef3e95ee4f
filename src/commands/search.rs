//! `mem search`

use serde::Serialize;

use super::hit_record::{HitRecord, highlighted};
use super::query_args::QueryArgs;
use crate::error::{Error, Exit};
use crate::output::{Form, Output, Style};
use crate::recall::mode::Mode;
use crate::recall::{Hit, Results};
use crate::session::Environment;

/// Find notes by their words and by what they mean
///
/// All words are looked for, whatever their form or case, and notes that mean something like the
/// query are found without any of its words. Also understood: `"a phrase"`, `word*`, `-without`,
/// `this OR that`, parentheses, and the fields `title: tag: type: space: tier: path: link:
/// linked-from: created: after: before: length: degree: is: has:` and any property, like
/// `status:draft`. A phrase, a `word*` or a field is meant to the letter: meaning then only orders
/// the notes that have it.
///
/// Examples: `mem search green tea`, `mem search '"port 8080" tag:work'`,
/// `mem search postgres 'created:>2026-01'`. Exit code 1 says that nothing was found.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    query: QueryArgs,
    /// Show at most so many notes
    #[arg(short = 'n', long, value_name = "N", default_value_t = 10)]
    limit: usize,
    /// Show how each score comes about
    #[arg(long, conflicts_with_all = ["null", "vimgrep"])]
    explain: bool,
    /// Only the paths, each followed by a NUL, for `xargs -0`
    #[arg(short = '0', long, conflicts_with_all = ["json", "jsonl", "vimgrep"])]
    null: bool,
    /// Lines like `path:line:column:text`, for editors
    #[arg(long, conflicts_with_all = ["json", "jsonl"])]
    vimgrep: bool,
}

#[derive(Debug, Serialize)]
struct Record<'q> {
    query: &'q str,
    /// `hybrid`, `lexical` or `semantic`: what the answer comes from.
    mode: Mode,
    total: usize,
    /// True if notes with only some of the words are among the hits.
    relaxed: bool,
    hits: Vec<HitRecord>,
}

/// Searches.
pub fn run(env: &Environment, args: &Args) -> Result<Exit, Error> {
    let session = env.open()?;
    let output = &env.output;
    let Results {
        hits,
        mode,
        total,
        relaxed,
        ..
    } = args.query.search(&session, args.limit, false)?;
    let found = !hits.is_empty();
    if found && relaxed && mode == Mode::Lexical && output.form == Form::Human {
        output.say("few notes have all of these words; notes with some of them follow");
    }
    match output.form {
        _ if args.null => {
            for hit in &hits {
                output.raw(hit.entry.path.as_str().as_bytes())?;
                output.raw(b"\0")?;
            }
        }
        _ if args.vimgrep => vimgrep(output, &hits)?,
        Form::Human => {
            for hit in &hits {
                show(output, hit)?;
                if args.explain {
                    output.line(&format!("  {}", explanation(hit)))?;
                }
            }
        }
        Form::Json => {
            let hits = hits
                .into_iter()
                .map(|hit| HitRecord::new(hit, args.explain));
            output.record(&Record {
                query: &args.query.text(),
                mode,
                total,
                relaxed,
                hits: hits.collect(),
            })?;
        }
        Form::JsonLines => {
            for hit in hits {
                output.record(&HitRecord::new(hit, args.explain))?;
            }
        }
    }
    Ok(Exit::found(found))
}

/// Says how a score comes about.
fn explanation(hit: &Hit) -> String {
    let score = &hit.score;
    let cosine = match hit.cosine {
        Some(cosine) => format!("cosine {cosine:.3}"),
        None => "no vectors".to_owned(),
    };
    format!(
        "score {:.4} = (words {:.4} + meaning {:.4} + context {:.4}) × standing {:.3}; {cosine}",
        score.total(),
        score.words,
        score.meaning,
        score.context,
        score.weight
    )
}

fn show(output: &Output, hit: &Hit) -> Result<(), Error> {
    let mut head = output.paint(Style::Place, hit.entry.path.as_str());
    if hit.details.title != hit.entry.path.stem() {
        head.push_str("  ");
        head.push_str(&output.paint(Style::Title, &hit.details.title));
    }
    if !hit.excerpt.heading.is_empty() {
        head.push_str(" > ");
        head.push_str(&output.paint(Style::Title, &hit.excerpt.heading));
    }
    output.line(&head)?;
    if let Some(snippet) = &hit.excerpt.snippet {
        output.line(&format!("  {}", highlighted(output, snippet)))?;
    }
    Ok(())
}

fn vimgrep(output: &Output, hits: &[Hit]) -> Result<(), Error> {
    for hit in hits {
        let path = output.clean(hit.entry.path.as_str());
        match &hit.excerpt.snippet {
            Some(snippet) => output.line(&format!(
                "{path}:{}:1:{}",
                snippet.line,
                output.clean(&snippet.text)
            ))?,
            None => output.line(&format!("{path}:1:1:{}", output.clean(&hit.details.title)))?,
        }
    }
    Ok(())
}
