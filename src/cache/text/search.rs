//! Search in the text index: matching notes and their scores.

use std::cmp::{Ordering, Reverse};
use std::collections::{BTreeSet, HashSet};

use tantivy::DocId;

use super::bm25::{Evaluation, Matches, keep_adjacent, rarity};
use super::clause::Clause;
use super::error::{Result, guard};
use super::reader::TextReader;
use super::schema::Column;
use super::scored_docs::ScoredDocs;
use crate::cache::top_k::TopK;
use crate::note::words::english::query_weight;
use crate::note::{AnalysisPurpose, Analyzer, Language};

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TextHit {
    /// The caller's key of the note.
    pub key: u64,
    /// The sum of its clause scores.
    ///
    /// The matched share of the clauses does not scale it, since `how` and `did` are clauses too: on questions
    /// to a diary (`LoCoMo`) recall at 10 is .628 without the factor and .590 with it.
    pub score: f32,
    /// Number of matching clauses, at least one.
    pub coverage: u16,
    /// Share of the query that matches, weighted by rarity.
    pub share: f32,
    /// Whether all words of the query are adjacent and in order.
    pub is_phrase: bool,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct TextResults {
    /// The best notes: those that match all clauses first, then by score, then by key.
    ///
    /// Exceeds the limit if the last ones are equal, so that the caller can break the tie.
    pub hits: Vec<TextHit>,
    /// Number of clauses with at least one term.
    pub clauses: usize,
    /// Number of notes that match every clause.
    pub complete: usize,
    /// Number of notes that match at least one clause.
    pub total: usize,
    /// Upper bound of the scores: that of a note which only repeats the query.
    pub bound: f32,
    /// Indexes of the clauses that no note matches.
    pub unmatched: Vec<usize>,
    /// Indexes of the clauses with at least one term, and their rarity times their weight in the query.
    pub rarities: Vec<(usize, f32)>,
    /// Whether the clauses include both function words and others.
    pub asks: bool,
    /// Scores of the notes requested by key, in any order; notes that match no clause are missing.
    pub asked: Vec<TextHit>,
}

impl TextReader {
    /// Returns the best `limit` notes that match at least one of `clauses` and that `accept` admits.
    pub fn search(
        &self,
        clauses: &[Clause],
        limit: usize,
        accept: Option<&dyn Fn(u64) -> bool>,
    ) -> Result<TextResults> {
        self.search_and_score(clauses, limit, accept, HashSet::new)
    }

    /// As [`TextReader::search`], with the scores of the notes that `asked` returns after the postings are
    /// read.
    pub fn search_and_score(
        &self,
        clauses: &[Clause],
        limit: usize,
        accept: Option<&dyn Fn(u64) -> bool>,
        asked: impl FnOnce() -> HashSet<u64>,
    ) -> Result<TextResults> {
        guard(&self.path, || {
            let mut evaluation = Evaluation::new(self);
            let mut matched = Vec::with_capacity(clauses.len());
            let mut rarities = Vec::with_capacity(clauses.len());
            let term_weights = self.term_weights(clauses);
            let asks = term_weights.iter().any(|&term_weight| term_weight < 1.0);
            let mut unmatched = Vec::new();
            for (at, (clause, term_weight)) in clauses.iter().zip(term_weights).enumerate() {
                let Some(mut found) = evaluation.clause(clause)? else {
                    continue;
                };
                if term_weight < 1.0 {
                    let scores = found.iter_mut().flat_map(|docs| &mut docs.scores);
                    scores.for_each(|score| *score *= term_weight);
                }
                let having = found.iter().map(|docs| docs.docs.len()).sum();
                if having == 0 {
                    unmatched.push(at);
                }
                rarities.push((at, term_weight * rarity(self.notes, having)));
                matched.push(found);
            }
            let (best, asked, found) = self.rank(&matched, limit, accept, &asked());
            let adjacent = self.adjacent_in(clauses, best.iter().chain(&asked))?;
            let bound = rarities.iter().map(|(_, rarity)| rarity).sum();
            let scored = |candidate: &Candidate| TextHit {
                key: self.key(candidate),
                score: candidate.score,
                coverage: candidate.coverage,
                share: share(&matched, &rarities, candidate),
                is_phrase: adjacent.contains(&(candidate.segment, candidate.doc)),
            };
            Ok(TextResults {
                hits: best.iter().map(scored).collect(),
                asked: asked.iter().map(scored).collect(),
                bound,
                unmatched,
                rarities,
                asks,
                ..found
            })
        })
    }

    /// Returns the weight of each clause. Single function words weigh little, unless they are the
    /// only words.
    fn term_weights(&self, clauses: &[Clause]) -> Vec<f32> {
        let language = self.language_of(clauses);
        let weights = clauses.iter().map(|clause| term_weight(clause, language));
        let mut term_weights: Vec<f32> = weights.collect();
        if term_weights.iter().all(|&term_weight| term_weight < 1.0) {
            term_weights.fill(1.0);
        }
        term_weights
    }

    /// Returns the language of a question: of the vault's languages the one with most stop words in it.
    pub fn language_of(&self, clauses: &[Clause]) -> Language {
        if let [language] = self.languages[..] {
            return language;
        }
        let lower_words = clauses.iter().filter_map(Clause::word).map(lower_case);
        let words: Vec<String> = lower_words.collect();
        let stop_words = |language: &&Language| {
            let is_stop_word = |word: &&String| language.is_stop_word(word);
            words.iter().filter(is_stop_word).count()
        };
        // The last of equals, which is the default language.
        let languages = self.languages.iter().rev();
        languages
            .max_by_key(stop_words)
            .copied()
            .unwrap_or_default()
    }

    /// Returns whether `clause` of `question` is more than a stop word.
    pub fn is_content(&self, clause: &Clause, question: &[Clause]) -> bool {
        term_weight(clause, self.language_of(question)) >= 1.0
    }

    /// Returns the keys of the notes that match `clause`, ascending.
    pub fn matches(&self, clause: &Clause) -> Result<Vec<u64>> {
        guard(&self.path, || {
            let matched = Evaluation::new(self).clause(clause)?.unwrap_or_default();
            let mut keys = Vec::new();
            for (segment, hits) in self.segments.iter().zip(&matched) {
                keys.extend(hits.docs.iter().map(|&doc| segment.keys.get_val(doc)));
            }
            keys.sort_unstable();
            Ok(keys)
        })
    }

    fn key(&self, candidate: &Candidate) -> u64 {
        let segment = &self.segments[candidate.segment as usize];
        segment.keys.get_val(candidate.doc)
    }

    /// Returns those of `candidates` with the words of all clauses adjacent and in order.
    fn adjacent_in<'c>(
        &self,
        clauses: &[Clause],
        candidates: impl Iterator<Item = &'c Candidate>,
    ) -> tantivy::Result<HashSet<(u32, DocId)>> {
        let words: Option<Vec<&str>> = clauses.iter().map(Clause::word).collect();
        let Some(words) = words.filter(|words| words.len() > 1) else {
            return Ok(HashSet::new());
        };
        let terms = Analyzer::of(&self.languages).terms(&words.join(" "), AnalysisPurpose::Query);
        let mut docs = vec![BTreeSet::new(); self.segments.len()];
        for candidate in candidates.filter(|candidate| candidate.is_complete) {
            docs[candidate.segment as usize].insert(candidate.doc);
        }
        let mut adjacent = HashSet::new();
        for (at, (segment, docs)) in self.segments.iter().zip(docs).enumerate() {
            let mut hits = ScoredDocs::default();
            for doc in docs {
                hits.push(doc, 0.0);
            }
            let kept = keep_adjacent(segment, &hits, &terms, &Column::ALL)?;
            adjacent.extend(kept.docs.into_iter().map(|doc| (at as u32, doc)));
        }
        Ok(adjacent)
    }

    /// Combines the matches of the clauses: best notes, requested notes and counts.
    fn rank(
        &self,
        matched: &[Matches],
        limit: usize,
        accept: Option<&dyn Fn(u64) -> bool>,
        asked: &HashSet<u64>,
    ) -> (Vec<Candidate>, Vec<Candidate>, TextResults) {
        let mut ranking = Ranking::new(matched.len(), limit);
        let mut sums = Vec::new();
        for (at, segment) in self.segments.iter().enumerate() {
            let mut offer = |doc: DocId, score: f32, coverage: u16| {
                let key = || segment.keys.get_val(doc);
                if accept.is_none_or(|accept| accept(key())) {
                    let is_asked = !asked.is_empty() && asked.contains(&key());
                    ranking.offer(at as u32, doc, score, coverage, is_asked);
                }
            };
            if let [matches] = matched {
                let ScoredDocs { docs, scores } = &matches[at];
                for (&doc, &score) in docs.iter().zip(scores) {
                    offer(doc, score, 1);
                }
                continue;
            }
            sums.clear();
            sums.resize(segment.reader.max_doc() as usize, (0.0_f32, 0_u16));
            for matches in matched {
                for (&doc, score) in matches[at].docs.iter().zip(&matches[at].scores) {
                    let (sum, coverage) = &mut sums[doc as usize];
                    *sum += score;
                    *coverage += 1;
                }
            }
            for (doc, &(score, coverage)) in sums.iter().enumerate() {
                if coverage > 0 {
                    offer(doc as DocId, score, coverage);
                }
            }
        }
        let mut best = ranking.best.into_vec();
        best.sort_by_cached_key(|candidate| (Reverse(*candidate), self.key(candidate)));
        (best, ranking.asked, ranking.found)
    }
}

/// Weight of a stop word in languages other than English, whose list has weights.
const STOP_WORD_WEIGHT: f32 = 0.1;

fn term_weight(clause: &Clause, language: Language) -> f32 {
    let Some(word) = clause.word() else {
        return 1.0;
    };
    if language != Language::ENGLISH {
        let is_stop_word = language.is_stop_word(&lower_case(word));
        return if is_stop_word { STOP_WORD_WEIGHT } else { 1.0 };
    }
    match &Analyzer::new(Language::NONE).terms(word, AnalysisPurpose::Query)[..] {
        [term] => query_weight(&term.text),
        _ => 1.0,
    }
}

fn lower_case(word: &str) -> String {
    word.trim_matches(|c: char| !c.is_alphanumeric())
        .to_lowercase()
}

/// Returns the matched share of the total rarity.
fn share(matched: &[Matches], rarities: &[(usize, f32)], candidate: &Candidate) -> f32 {
    let has = |matches: &Matches| {
        let docs = &matches[candidate.segment as usize].docs;
        docs.binary_search(&candidate.doc).is_ok()
    };
    let all: f32 = rarities.iter().map(|(_, rarity)| rarity).sum();
    let having = matched
        .iter()
        .zip(rarities)
        .filter(|(matches, _)| has(matches));
    having.map(|(_, (_, rarity))| rarity).sum::<f32>() / all.max(f32::MIN_POSITIVE)
}

/// The best notes so far, the requested notes, and counts.
struct Ranking {
    best: TopK<Candidate>,
    asked: Vec<Candidate>,
    found: TextResults,
}

impl Ranking {
    fn new(clauses: usize, limit: usize) -> Self {
        Self {
            best: TopK::new(limit),
            asked: Vec::new(),
            found: TextResults {
                clauses,
                ..TextResults::default()
            },
        }
    }

    fn offer(&mut self, segment: u32, doc: DocId, score: f32, coverage: u16, is_asked: bool) {
        let is_complete = usize::from(coverage) == self.found.clauses;
        self.found.complete += usize::from(is_complete);
        self.found.total += 1;
        let candidate = Candidate {
            is_complete,
            score,
            coverage,
            segment,
            doc,
        };
        if is_asked {
            self.asked.push(candidate);
        }
        self.best.offer(candidate);
    }
}

/// A matching note; ordered by rank only.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    is_complete: bool,
    score: f32,
    coverage: u16,
    segment: u32,
    doc: DocId,
}

impl Ord for Candidate {
    fn cmp(&self, other: &Self) -> Ordering {
        let complete = self.is_complete.cmp(&other.is_complete);
        complete.then(self.score.total_cmp(&other.score))
    }
}

impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Candidate {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Candidate {}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;
    use tempfile::TempDir;

    use super::*;
    use crate::cache::text::index::TextIndex;
    use crate::cache::text::schema::TextIndexEntry;
    use crate::cache::text::writer::Load;
    use crate::note::words::analyzer::Pattern;

    type Note = Vec<(Column, String)>;

    fn entry(key: u64, note: &[(Column, String)]) -> TextIndexEntry {
        let mut entry = TextIndexEntry::new(key, Language::ENGLISH);
        for (column, text) in note {
            entry.add(*column, text);
        }
        entry
    }

    fn reader_of(notes: &[(u64, Note)]) -> (TempDir, TextReader) {
        let folder = tempfile::tempdir().unwrap();
        let index = TextIndex::create(folder.path(), Language::ENGLISH).unwrap();
        let mut writer = index.writer(Load::Few).unwrap();
        for (key, note) in notes {
            writer.insert(entry(*key, note)).unwrap();
        }
        writer.commit("").unwrap();
        let reader = index.reader().unwrap();
        (folder, reader)
    }

    fn bodies(texts: &[&str]) -> (TempDir, TextReader) {
        let notes: Vec<_> = (0..)
            .zip(texts)
            .map(|(key, text)| (key, vec![(Column::Body, (*text).to_owned())]))
            .collect();
        reader_of(&notes)
    }

    fn word(text: &str) -> Clause {
        Clause::of(Pattern::Word(text.to_owned()))
    }

    fn phrase(text: &str) -> Clause {
        Clause::of(Pattern::Phrase(text.to_owned()))
    }

    fn prefix(text: &str) -> Clause {
        Clause::of(Pattern::Prefix(text.to_owned()))
    }

    fn search(reader: &TextReader, clauses: &[Clause]) -> Vec<u64> {
        let found = reader.search(clauses, 100, None).unwrap();
        found.hits.iter().map(|hit| hit.key).collect()
    }

    #[test]
    fn question_words_weigh_little() {
        let (_folder, reader) = bodies(&[
            "when did they ask, and did they when asked",
            "the tea was green",
            "did anyone say where",
            "it rained all day",
        ]);
        assert_eq!(
            search(&reader, &[word("When"), word("did"), word("tea?")]),
            [1, 0, 2]
        );
        // Alone or in quotes, stop words are matched.
        assert_eq!(search(&reader, &[word("when"), word("did")]), [0, 2]);
        assert_eq!(search(&reader, &[phrase("when did"), word("tea")]), [0, 1]);
        let asks = |clauses: &[Clause]| {
            let found = reader.search(clauses, 1, None);
            found.unwrap().asks
        };
        assert!(asks(&[word("when"), word("tea")]));
        assert!(!asks(&[word("when"), word("did")]) && !asks(&[word("green"), word("tea")]));
    }

    #[test]
    fn every_script_is_found() {
        let texts = [
            (
                "我们昨天在北京开会讨论了数据库",
                &["北京", "数据库", "讨论"][..],
            ),
            (
                "昨日の会議でデータベースを決めた",
                &["会議", "データベース", "決めた"],
            ),
            (
                "우리는 학교에서 데이터베이스를 배웠다",
                &["학교", "데이터베이스", "배웠다", "우"],
            ),
            ("เราเรียนภาษาไทยที่โรงเรียน", &["ภาษาไทย", "โรงเรียน"]),
            ("قرأتُ الكِتابَ في المكتبة", &["الكتاب", "المكتبة"]),
            ("קראתי את הַסֵּפֶר בספרייה", &["הספר", "בספרייה"]),
            ("Мы ёлку нарядили дома", &["елку", "НАРЯДИЛИ"]),
            ("Η βιβλιοθήκη στην Αθήνα", &["βιβλιοθηκη", "ΑΘΗΝΑ"]),
            ("हम हिन्दी में किताब पढ़ते हैं", &["हिन्दी", "किताब"]),
            ("Crème brûlée à Zürich", &["creme", "BRULEE", "zurich"]),
            ("Shipped it 🎉 today 🇩🇪", &["🎉", "🇩🇪", "ships"]),
            ("ចំណេះដឹងខ្មែរ", &["ខ្មែរ"]),
            (
                "EIP-1559 and node.js in foo_bar",
                &["eip-1559", "eip 1559", "node.js", "foo_bar"],
            ),
        ];
        let (_folder, reader) = bodies(&texts.map(|(text, _)| text));
        for (key, (text, words)) in (0..).zip(texts) {
            for asked in words {
                assert_eq!(search(&reader, &[word(asked)]), [key], "{asked} in {text}");
            }
        }
    }

    #[test]
    fn patterns() {
        let (_folder, reader) = bodies(&[
            "the quick brown fox",
            "a brown quick dog, node then js",
            "node.js migrations",
            "migrating the database",
            "東京都の天気",
            "京都と東京",
            "tokens by ERC-20",
            "an erc20 token",
        ]);
        let body = |pattern| Clause::Text {
            pattern,
            column: Some(Column::Body),
        };
        let title = |pattern| Clause::Text {
            pattern,
            column: Some(Column::Title),
        };
        for (clause, expected) in [
            (phrase("quick brown"), &[0][..]),
            (phrase("brown quick"), &[1]),
            (phrase("quick fox"), &[]),
            (word("quick"), &[0, 1]),
            (word("node.js"), &[2]),
            (word("fox.quick"), &[0]),
            (prefix("migr"), &[2, 3]),
            (prefix("migration"), &[2, 3]),
            (prefix("qui"), &[0, 1]),
            (prefix("node.j"), &[1, 2]),
            (prefix("東"), &[4, 5]),
            (word("京都"), &[4, 5]),
            (phrase("東京都"), &[4]),
            (word("東京の天気予報は"), &[4]),
            (word("erc20"), &[6, 7]),
            (word("ERC-20"), &[6, 7]),
            (phrase("erc 20"), &[6]),
            (body(Pattern::Word("fox".into())), &[0]),
            (title(Pattern::Word("fox".into())), &[]),
            (Clause::Any(vec![word("fox"), word("dog")]), &[0, 1]),
            (Clause::All(vec![word("quick"), word("dog")]), &[1]),
            (Clause::All(vec![word("quick"), word("--")]), &[0, 1]),
            (word("--"), &[]),
        ] {
            assert_eq!(reader.matches(&clause).unwrap(), expected, "{clause:?}");
        }
    }

    #[test]
    fn phrases_do_not_span_texts() {
        let (_folder, reader) = reader_of(&[
            (
                1,
                vec![(Column::Title, "red".into()), (Column::Body, "car".into())],
            ),
            (
                2,
                vec![(Column::Tags, "red".into()), (Column::Tags, "car".into())],
            ),
            (3, vec![(Column::Tags, "red car".into())]),
        ]);
        assert_eq!(reader.matches(&phrase("red car")).unwrap(), [3]);
    }

    #[test]
    fn order() {
        let note = |column, text: &str| vec![(column, text.to_owned())];
        let filler = "one two three four five six seven eight nine ten";
        let (_folder, reader) = reader_of(&[
            (1, note(Column::Body, &format!("tea ceremony {filler}"))),
            (
                2,
                [note(Column::Title, "tea"), note(Column::Body, filler)].concat(),
            ),
            (3, note(Column::Body, &format!("tea tea ceremony {filler}"))),
            (
                4,
                note(
                    Column::Body,
                    &format!("tea {filler} {filler} {filler} {filler}"),
                ),
            ),
            (5, note(Column::Tags, "ceremony")),
        ]);
        assert_eq!(
            search(&reader, &[word("tea")]),
            [2, 3, 1, 4],
            "column, frequency, length"
        );
        let found = reader
            .search(&[word("tea"), word("ceremony"), word("!")], 100, None)
            .unwrap();
        assert_eq!((found.clauses, found.complete, found.total), (2, 2, 5));
        assert_eq!(
            found.hits[..2]
                .iter()
                .map(|hit| hit.key)
                .collect::<Vec<_>>(),
            [3, 1]
        );
        assert!(found.hits[2..].iter().all(|hit| hit.coverage == 1));
        let even = |key: u64| key.is_multiple_of(2);
        let found = reader.search(&[word("tea")], 1, Some(&even)).unwrap();
        assert_eq!(
            found.hits.iter().map(|hit| hit.key).collect::<Vec<_>>(),
            [2]
        );
        assert_eq!(found.total, 2);
    }

    #[test]
    fn ties_at_the_limit_are_all_returned() {
        let (_folder, reader) = bodies(&["tea", "tea", "tea tea", "tea"]);
        let found = reader.search(&[word("tea")], 2, None).unwrap();
        assert_eq!(
            found.hits.iter().map(|hit| hit.key).collect::<Vec<_>>(),
            [2, 0, 1, 3]
        );
    }

    #[derive(Clone, Debug)]
    enum Step {
        Replace(u64, Note),
        Remove(u64),
        Commit,
        Merge,
        Reopen,
    }

    fn note() -> impl Strategy<Value = Note> {
        let word = prop::sample::select(vec!["tea", "green", "pot", "kettle", "東京", "eip-1559"]);
        let text = prop::collection::vec(word, 0..12).prop_map(|words| words.join(" "));
        let column = prop::sample::select(Column::ALL.to_vec());
        prop::collection::vec((column, text), 0..4)
    }

    fn steps() -> impl Strategy<Value = Vec<Step>> {
        let step = prop_oneof![
            6 => (0..12_u64, note()).prop_map(|(key, note)| Step::Replace(key, note)),
            2 => (0..12_u64).prop_map(Step::Remove),
            3 => Just(Step::Commit),
            1 => Just(Step::Merge),
            1 => Just(Step::Reopen),
        ];
        prop::collection::vec(step, 1..40)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]

        #[test]
        fn scores_ignore_earlier_updates(steps in steps()) {
            let folder = tempfile::tempdir().unwrap();
            let index = TextIndex::create(folder.path(), Language::ENGLISH).unwrap();
            let mut writer = index.writer(Load::Few).unwrap();
            let mut expected = BTreeMap::new();
            for step in steps {
                match step {
                    Step::Replace(key, note) => {
                        writer.replace(entry(key, &note)).unwrap();
                        expected.insert(key, note);
                    }
                    Step::Remove(key) => {
                        writer.remove(key);
                        expected.remove(&key);
                    }
                    Step::Commit => writer.commit("").unwrap(),
                    Step::Merge => {
                        writer.commit("").unwrap();
                        writer.merge_all().unwrap();
                    }
                    Step::Reopen => {
                        writer.commit("").unwrap();
                        drop(writer);
                        writer = index.writer(Load::Few).unwrap();
                    }
                }
            }
            writer.commit("").unwrap();
            let grown = index.reader().unwrap();
            let (_fresh, fresh) = reader_of(&expected.clone().into_iter().collect::<Vec<_>>());
            prop_assert_eq!(grown.keys().unwrap(), expected.into_keys().collect::<Vec<_>>());
            prop_assert_eq!(grown.lengths, fresh.lengths);
            for clauses in [
                vec![word("tea")],
                vec![word("tea"), word("pots"), word("東京")],
                vec![phrase("green tea"), word("eip-1559")],
                vec![prefix("k"), Clause::Any(vec![word("green"), word("pot")])],
            ] {
                let ask = |reader: &TextReader| {
                    reader.search(&clauses, 5, None).unwrap()
                };
                prop_assert_eq!(ask(&grown), ask(&fresh));
            }
        }
    }
}
