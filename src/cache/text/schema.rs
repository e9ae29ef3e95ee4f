//! A note as a tantivy document: columns, key, and tokenizers.

use tantivy::TantivyDocument;
use tantivy::schema::{
    FAST, Field, INDEXED, IndexRecordOption, Schema, TextFieldIndexing, TextOptions,
};
use tantivy::tokenizer::{Token, TokenStream, Tokenizer, TokenizerManager};

use crate::note::words::analyzer::{Scan, mark};
use crate::note::words::lists::named;
use crate::note::{AnalysisPurpose, Analyzer, Language};

/// Version of the text analysis; an index of another version is rebuilt.
const ANALYSIS_VERSION: u32 = 4;

named! {
    /// A searchable part of a note.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub enum Column {
        Title = "title",
        Aliases = "aliases",
        Headings = "headings",
        Tags = "tags",
        /// All text after the front matter.
        Body = "body",
        Path = "path",
        /// Values of user-defined properties.
        Properties = "properties",
    }
}

impl Column {
    pub(super) fn field(self) -> Field {
        Field::from_field_id(self as u32)
    }
}

/// The field after the columns: the caller's key of the note.
pub(super) fn key_field() -> Field {
    Field::from_field_id(Column::ALL.len() as u32)
}

pub(super) const KEY: &str = "key";

/// The field after the key: the code of the note's language.
pub(super) fn language_field() -> Field {
    Field::from_field_id(Column::ALL.len() as u32 + 1)
}

/// A note to be indexed.
#[derive(Clone, Debug)]
pub struct TextIndexEntry {
    pub(super) key: u64,
    pub(super) document: TantivyDocument,
    language: Language,
}

impl TextIndexEntry {
    /// Returns an entry without text for the note `key` in `language`.
    pub fn new(key: u64, language: Language) -> Self {
        let mut document = TantivyDocument::default();
        document.add_u64(key_field(), key);
        document.add_u64(language_field(), language.code().into());
        Self {
            key,
            document,
            language,
        }
    }

    /// Adds a text; no phrase matches across several texts of a column.
    pub fn add(&mut self, column: Column, text: &str) {
        let marked = format!("{}{text}", mark(self.language));
        self.document.add_text(column.field(), marked);
    }
}

pub(super) fn schema(language: Language) -> Schema {
    let mut schema = Schema::builder();
    let indexing = TextFieldIndexing::default()
        .set_tokenizer(&tokenizer_name(language))
        .set_index_option(IndexRecordOption::WithFreqsAndPositions)
        .set_fieldnorms(true);
    let options = TextOptions::default().set_indexing_options(indexing);
    for column in Column::ALL {
        schema.add_text_field(column.name(), options.clone());
    }
    schema.add_u64_field(KEY, INDEXED | FAST);
    schema.add_u64_field("language", INDEXED);
    schema.build()
}

/// Returns the tokenizer name, by which the stored schema identifies the analyzer.
fn tokenizer_name(language: Language) -> String {
    format!("words-{ANALYSIS_VERSION}-{language}")
}

/// Returns the tokenizers of an index in `language`.
pub(super) fn tokenizers(language: Language) -> TokenizerManager {
    let tokenizers = TokenizerManager::default();
    tokenizers.register(&tokenizer_name(language), NoteTokenizer::new(language));
    tokenizers
}

/// [`Analyzer`] as a tantivy tokenizer.
#[derive(Clone)]
struct NoteTokenizer {
    analyzer: Analyzer,
    token: Token,
}

impl NoteTokenizer {
    fn new(language: Language) -> Self {
        Self {
            analyzer: Analyzer::new(language),
            token: Token::default(),
        }
    }
}

impl Tokenizer for NoteTokenizer {
    type TokenStream<'a> = NoteTokens<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> NoteTokens<'a> {
        NoteTokens {
            scan: self.analyzer.scan(text, AnalysisPurpose::Index),
            token: &mut self.token,
        }
    }
}

struct NoteTokens<'a> {
    scan: Scan<'a>,
    token: &'a mut Token,
}

impl TokenStream for NoteTokens<'_> {
    fn advance(&mut self) -> bool {
        match self.scan.advance(&mut self.token.text) {
            Some(token) => {
                self.token.offset_from = token.range.start;
                self.token.offset_to = token.range.end;
                self.token.position = token.position;
                true
            }
            None => false,
        }
    }

    fn token(&self) -> &Token {
        self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        self.token
    }
}
