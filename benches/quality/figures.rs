//! Metrics of a method's answers, and their table.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::time::Duration;

/// Cut-offs of recall.
const DEPTHS: [usize; 2] = [10, 40];

/// Cut-off of the reciprocal rank.
const RANKS: usize = 20;

/// Sums over the questions of one row.
#[derive(Default)]
pub(crate) struct Figures {
    questions: usize,
    recall: [f64; 2],
    all: usize,
    first: usize,
    hit: usize,
    reciprocal: f64,
    times: Vec<Duration>,
    /// Questions that the method could not answer; they count as empty results.
    pub(crate) failed: usize,
}

impl Figures {
    /// Adds one question: relevant paths, and hits from best to worst.
    pub(crate) fn add(&mut self, relevant: &[String], hits: &[String], time: Duration) {
        let relevant: HashSet<&str> = relevant.iter().map(String::as_str).collect();
        let mut seen = HashSet::new();
        let ranked = hits
            .iter()
            .map(String::as_str)
            .filter(|hit| seen.insert(*hit));
        let right: Vec<usize> = ranked
            .enumerate()
            .filter(|(_, hit)| relevant.contains(hit))
            .map(|(at, _)| at + 1)
            .collect();
        self.questions += 1;
        for (recall, depth) in self.recall.iter_mut().zip(DEPTHS) {
            let found = right.iter().filter(|rank| **rank <= depth).count();
            *recall += found as f64 / relevant.len().max(1) as f64;
        }
        let among_ten = right.iter().filter(|rank| **rank <= 10).count();
        self.all += usize::from(!relevant.is_empty() && among_ten == relevant.len());
        if let Some(&rank) = right.first().filter(|rank| **rank <= RANKS) {
            self.first += usize::from(rank == 1);
            self.hit += usize::from(rank <= 10);
            self.reciprocal += 1.0 / rank as f64;
        }
        self.times.push(time);
    }

    fn milliseconds(&self) -> f64 {
        let mut times = self.times.clone();
        times.sort_unstable();
        times
            .get(times.len() / 2)
            .map_or(0.0, |time| time.as_secs_f64() * 1000.0)
    }
}

/// One row of the table.
pub(crate) struct Row {
    /// Name of the question set.
    pub(crate) set: String,
    /// Part of the set, or `all`.
    pub(crate) group: String,
    /// Name of the method.
    pub(crate) method: String,
    /// The metrics.
    pub(crate) figures: Figures,
}

/// Returns the rows as a Markdown table, grouped by set and part.
pub(crate) fn table(rows: &[Row]) -> String {
    let mut order: Vec<(&str, &str)> = Vec::new();
    for row in rows {
        if !order.contains(&(&row.set, &row.group)) {
            order.push((&row.set, &row.group));
        }
    }
    let mut table = String::from(
        "| set | questions | n | method | recall@10 | recall@40 | all@10 | hit@10 | first | MRR | ms | failed |\n\
         |---|---|---:|---|---:|---:|---:|---:|---:|---:|---:|---:|\n",
    );
    for (set, group) in order {
        for row in rows
            .iter()
            .filter(|row| row.set == set && row.group == group)
        {
            let figures = &row.figures;
            let mean = |sum: f64| sum / figures.questions.max(1) as f64;
            let _ = writeln!(
                table,
                "| {set} | {group} | {} | {} | {:.3} | {:.3} | {:.3} | {:.3} | {:.3} | {:.3} | {:.2} | {} |",
                figures.questions,
                row.method,
                mean(figures.recall[0]),
                mean(figures.recall[1]),
                mean(figures.all as f64),
                mean(figures.hit as f64),
                mean(figures.first as f64),
                mean(figures.reciprocal),
                figures.milliseconds(),
                figures.failed,
            );
        }
    }
    table
}
