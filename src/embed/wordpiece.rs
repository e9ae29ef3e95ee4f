//! BERT's `WordPiece` tokenizer. It cleans, lower-cases, strips accents, splits at white space, punctuation and
//! Chinese characters, then takes the longest known pieces of each word.
//!
//! Works on tables in the model file. They contain the reference tokenizer's result for each code point, so
//! the output equals the reference on every text, for any Unicode version either supports. Nothing is
//! allocated: a word is collected in an array and looked up by the hashes of its prefixes.
//!
//! The reference reorders several accents on one letter. No accent that it keeps has a token, so such a word
//! is unknown in any order; a test checks this for the file.

use zerocopy::little_endian::{U16, U32};

/// The token of a word that the vocabulary cannot spell.
pub(super) const UNKNOWN: u32 = u32::MAX;

/// Maximum characters of a word; longer words are unknown.
const MAX_WORD_CHARS: usize = 100;

/// Maximum bytes of a token.
const MAX_PIECE_BYTES: usize = 32;

/// Initial hash of tokens that begin a word.
const BEGIN_HASH: u32 = 0x811C_9DC5;

/// Initial hash of tokens that continue a word.
const CONTINUATION_HASH: u32 = 0x7B9D_4D63;

/// The tokenizer tables of the model file.
#[derive(Debug)]
pub(super) struct WordPiece {
    /// Page number for each block of 256 code points.
    pub(super) blocks: &'static [u8],
    /// Mapping of each code point of a page.
    pub(super) pages: &'static [U16],
    /// Location of a spelling, or its token.
    pub(super) spellings: &'static [U32],
    pub(super) spelling_text: &'static [u8],
    /// Hash table: the token plus one, and the upper byte of its hash.
    pub(super) slots: &'static [[u8; 3]],
    /// Start of each token's text, and the end of the last.
    pub(super) starts: &'static [U32],
    pub(super) text: &'static [u8],
    /// Number of tokens that begin a word; the others continue one.
    pub(super) begin: usize,
    /// Bytes of the longest token.
    pub(super) longest: usize,
}

enum Mapping {
    /// A letter that no token contains.
    Unknown,
    Removed,
    Space,
    /// A separate word.
    Token(u32),
    Hangul,
    Letters(&'static [u8]),
}

impl WordPiece {
    /// Calls `each` with the tokens of `text` in order, [`UNKNOWN`] among them.
    pub(super) fn each_token(&self, text: &str, mut each: impl FnMut(u32)) {
        let mut word = Word::new();
        for c in text.chars() {
            // Fast path without tables for most text.
            if c.is_ascii_alphanumeric() {
                word.push(c.to_ascii_lowercase() as u8);
            } else if c == ' ' {
                self.end(&mut word, &mut each);
            } else {
                self.feed(c, &mut word, &mut each);
            }
        }
        self.end(&mut word, &mut each);
    }

    fn feed(&self, c: char, word: &mut Word, each: &mut impl FnMut(u32)) {
        match self.mapping(c) {
            Mapping::Unknown => word.is_unknown = true,
            Mapping::Removed => {}
            Mapping::Space => self.end(word, each),
            Mapping::Token(token) => {
                self.end(word, each);
                each(token);
            }
            Mapping::Hangul => {
                for jamo in jamo(c).into_iter().flatten() {
                    self.feed(jamo, word, each);
                }
            }
            Mapping::Letters(letters) => {
                for &byte in letters {
                    word.push(byte);
                }
            }
        }
    }

    fn mapping(&self, c: char) -> Mapping {
        let point = c as usize;
        let page = usize::from(self.blocks[point / 256]);
        match self.pages[page * 256 + point % 256].get() {
            0 => Mapping::Unknown,
            1 => Mapping::Removed,
            2 => Mapping::Space,
            3 => Mapping::Token(UNKNOWN),
            4 => Mapping::Hangul,
            spelled => {
                let spelling = self.spellings[usize::from(spelled) - 5].get();
                if spelling >> 31 == 1 {
                    return Mapping::Token(spelling & 0xFFFF);
                }
                let (start, length) = ((spelling >> 8) as usize, (spelling & 0xFF) as usize);
                Mapping::Letters(&self.spelling_text[start..start + length])
            }
        }
    }

    /// Ends the current word, if any: emits all its pieces, or one unknown token.
    fn end(&self, word: &mut Word, each: &mut impl FnMut(u32)) {
        if word.is_unknown {
            each(UNKNOWN);
        } else if word.length > 0 {
            // Most words are single tokens whose hash is already computed.
            match self.token(&word.bytes[..word.length], word.hash, true) {
                Some(token) => each(token),
                None => self.pieces(&word.bytes[..word.length], each),
            }
        }
        word.begin();
    }

    fn pieces(&self, word: &[u8], each: &mut impl FnMut(u32)) {
        let mut pieces = [0; MAX_WORD_CHARS];
        let mut count = 0;
        let mut rest = word;
        while !rest.is_empty() {
            let Some((token, length)) = self.longest_piece(rest, count == 0) else {
                return each(UNKNOWN);
            };
            pieces[count] = token;
            count += 1;
            rest = &rest[length..];
        }
        for &piece in &pieces[..count] {
            each(piece);
        }
    }

    /// Returns the longest token that `rest` starts with, and its length.
    fn longest_piece(&self, rest: &[u8], begins: bool) -> Option<(u32, usize)> {
        let mut hashes = [0; MAX_PIECE_BYTES];
        let mut hash = if begins {
            BEGIN_HASH
        } else {
            CONTINUATION_HASH
        };
        let rest = &rest[..rest.len().min(self.longest)];
        for (&byte, stored) in rest.iter().zip(&mut hashes) {
            hash = hashed(hash, byte);
            *stored = hash;
        }
        let lengths = (1..=rest.len()).rev();
        lengths
            .map(|length| {
                (
                    self.token(&rest[..length], hashes[length - 1], begins),
                    length,
                )
            })
            .find_map(|(token, length)| Some((token?, length)))
    }

    /// Returns the token with this text and hash.
    fn token(&self, text: &[u8], hash: u32, begins: bool) -> Option<u32> {
        let mut slot = hash as usize;
        loop {
            let [low, high, mark] = self.slots[slot & (self.slots.len() - 1)];
            let token = u32::from(u16::from_le_bytes([low, high])).checked_sub(1)?;
            if u32::from(mark) == hash >> 24
                && ((token as usize) < self.begin) == begins
                && self.text_of(token) == text
            {
                return Some(token);
            }
            slot += 1;
        }
    }

    fn text_of(&self, token: u32) -> &'static [u8] {
        let start = self.starts[token as usize].get() as usize;
        let end = self.starts[token as usize + 1].get() as usize;
        &self.text[start..end]
    }
}

/// The current word.
struct Word {
    bytes: [u8; MAX_WORD_CHARS * 4],
    length: usize,
    characters: usize,
    hash: u32,
    /// Whether it has an unknown letter, or too many.
    is_unknown: bool,
}

impl Word {
    fn new() -> Self {
        Self {
            bytes: [0; MAX_WORD_CHARS * 4],
            length: 0,
            characters: 0,
            hash: BEGIN_HASH,
            is_unknown: false,
        }
    }

    fn push(&mut self, byte: u8) {
        // Continuation bytes of a character do not count.
        self.characters += usize::from(byte & 0xC0 != 0x80);
        if self.characters > MAX_WORD_CHARS {
            self.is_unknown = true;
        } else {
            self.bytes[self.length] = byte;
            self.length += 1;
            self.hash = hashed(self.hash, byte);
        }
    }

    fn begin(&mut self) {
        (self.length, self.characters, self.is_unknown) = (0, 0, false);
        self.hash = BEGIN_HASH;
    }
}

/// One step of FNV-1a.
fn hashed(hash: u32, byte: u8) -> u32 {
    (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
}

/// Returns the letters of a Hangul syllable (The Unicode Standard, 3.12).
fn jamo(syllable: char) -> [Option<char>; 3] {
    let number = syllable as u32 - 0xAC00;
    let tail = number % 28;
    [
        char::from_u32(0x1100 + number / 588),
        char::from_u32(0x1161 + number % 588 / 28),
        char::from_u32(0x11A7 + tail).filter(|_| tail > 0),
    ]
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;
    use std::fs;
    use std::sync::LazyLock;

    use proptest::prelude::*;
    use tokenizers::models::wordpiece::WordPiece as ReferenceModel;
    use tokenizers::normalizers::BertNormalizer;
    use tokenizers::pre_tokenizers::bert::BertPreTokenizer;
    use tokenizers::{DecoderWrapper, PostProcessorWrapper, TokenizerBuilder, TokenizerImpl};

    use super::*;
    use crate::embed::model_file::ModelFile;

    static WORDS: LazyLock<WordPiece> = LazyLock::new(|| {
        ModelFile::of(crate::embed::static_model::BYTES)
            .unwrap()
            .wordpiece
    });

    type Reference = TokenizerImpl<
        ReferenceModel,
        BertNormalizer,
        BertPreTokenizer,
        PostProcessorWrapper,
        DecoderWrapper,
    >;

    /// The reference tokenizer with the vocabulary of the file.
    static REFERENCE: LazyLock<Reference> = LazyLock::new(|| {
        let mut lines = String::new();
        for token in 0..tokens() {
            writeln!(lines, "{}", written(token)).unwrap();
        }
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("vocab.txt");
        fs::write(&file, lines + "[UNK]\n").unwrap();
        let model = ReferenceModel::from_file(file.to_str().unwrap()).build();
        TokenizerBuilder::new()
            .with_model(model.unwrap())
            .with_normalizer(Some(BertNormalizer::default()))
            .with_pre_tokenizer(Some(BertPreTokenizer))
            .with_post_processor(None)
            .with_decoder(None)
            .build()
            .unwrap()
    });

    fn tokens() -> u32 {
        WORDS.starts.len() as u32 - 1
    }

    /// Returns a token as the reference writes it.
    fn written(token: u32) -> String {
        let mark = if (token as usize) < WORDS.begin {
            ""
        } else {
            "##"
        };
        mark.to_owned() + std::str::from_utf8(WORDS.text_of(token)).unwrap()
    }

    fn pieces(text: &str) -> Vec<String> {
        let mut pieces = Vec::new();
        WORDS.each_token(text, |token| {
            pieces.push(match token {
                UNKNOWN => "[UNK]".to_owned(),
                token => written(token),
            });
        });
        pieces
    }

    fn reference(text: &str) -> Vec<String> {
        let encoding = REFERENCE.encode(text, false).unwrap();
        encoding.get_tokens().to_vec()
    }

    fn assert_equal(text: &str) {
        assert_eq!(pieces(text), reference(text), "{text:?}");
    }

    #[test]
    fn splits_words_into_pieces() {
        let long = "a".repeat(MAX_WORD_CHARS + 1);
        let just = "é".repeat(MAX_WORD_CHARS);
        for (text, expected) in [
            ("", ""),
            (" \t\r\n\u{a0}\u{2028}\u{85}", ""),
            ("Hello, World!", "hello , world !"),
            ("unaffable", "una ##ffa ##ble"),
            ("[CLS] ##ing", "[ cl ##s ] # # ing"),
            ("İstanbul ΑΣ", "istanbul α ##σ"),
            ("naïve nai\u{308}ve n\u{308}\u{301}a", "naive naive na"),
            ("re\u{ad}sume\u{200b}d\u{202e}", "resumed"),
            ("x\u{0}y \u{fffd} \u{7}bell\u{e000}", "x ##y bell"),
            ("東京 大a", "東 京 大 a"),
            ("\u{f900} x\u{20000}y", "[UNK] x [UNK] y"),
            ("👩\u{200d}💻 👩ok ok", "[UNK] [UNK] ok"),
            ("a—b…c«d» 5€", "a — b … c « d » 5 ##€"),
            (&long, "[UNK]"),
            (&just, &reference(&just).join(" ")),
        ] {
            assert_equal(text);
            assert_eq!(pieces(text).join(" "), expected, "{text:?}");
        }
    }

    #[test]
    fn matches_the_reference_on_unusual_texts() {
        let marks = "\u{302e}\u{1d165}\u{8d4}\u{5b0}\u{93c}\u{1e944}";
        for text in [
            // Marks: alone, many, of old and new versions of Unicode, in both orders.
            "\u{301}",
            "e\u{301}\u{327}o\u{327}\u{301}",
            marks,
            &format!("a{marks}b {}", marks.chars().rev().collect::<String>()),
            "क्षत्रिय नमस्ते की",
            "ภาษาไทย กำ น้ำ",
            "Tiếng Việt ẤẦẨẪẬ",
            "한국어 각 \u{1112}\u{1161}\u{11ab} \u{1112} 뷁 ᄒ\u{1161}",
            "ひらがな カタカナ ｶﾞｷﾞ がぎ",
            "مُحَمَّد ٱلْقُرْآن ﷺ",
            "שָׁלוֹם",
            // Compatibility characters.
            "ﬁ ﬀ Ⅷ ½ ² ℃ ㎏ ａｂｃ １２３ 𝔘𝔫𝔦",
            "ẞ ß ǅ ŉ ΐ ΰ İi̇ ſ K Å Ω",
            "≠ ≮ ; ` · ὐ ά",
            "豈更車 \u{2f800} 〆 々 〇 ㄅ 㐀 𠀀 𪜀 𫝀 𫠠 𬺰",
            // Invisible characters.
            "a\u{200b}b\u{200c}c\u{200d}d\u{2060}e\u{feff}f\u{ad}g\u{61c}h\u{180e}i",
            "\u{feff}# Title",
            "a\u{2028}b\u{2029}c\u{85}d\u{b}e\u{c}f\u{1c}g\u{1f}h\u{7f}i\u{9f}j",
            "\u{1680}\u{2000}x\u{200a}y\u{202f}z\u{205f}\u{3000}",
            "\u{e000}a\u{f8ff}\u{f0000}b\u{10ffff}",
            "\u{fdd0}x \u{fffe}y \u{ffff}z \u{1ffff}",
            "\u{d7ff}\u{e000}",
            // Emoji.
            "👩\u{200d}👩\u{200d}👧 🏳\u{fe0f}\u{200d}🌈 👍🏽 🇩🇪 1\u{fe0f}\u{20e3} ☺\u{fe0f} ❤ ✓",
            "🏴\u{e0067}\u{e0062}\u{e007f}",
            // Punctuation of all kinds, and similar characters.
            "_ ‿ ⁀ - – — ― 〜 ( ) [ ] { } 〈〉 “ ” ‘ ’ « » ‹ › ! ¡ ¿ § ¶ † • ‰ ′ ※ 、 。 ・ ؟ ، ।",
            "$ + < = > ^ ` | ~ ¢ £ ¤ ¥ ¦ ¨ © ¬ ® ¯ ° ± ´ ¸ × ÷ ← ∑ √ ∞ ∫ ▁ ■ ☃",
            "snake_case kebab-case a/b/c.d https://example.com/?q=1&r=%20#x user@host 3.14e-10",
            "|a|b|\n|:-|-:|\n```rust\nfn f() -> Vec<u8> { vec![0; 1] }\n```\n- [x] ~~a~~ **b** [[c|d]]",
            "don't I'll 'quoted' it’s",
            // Words at the maximum length in characters, not bytes, and their separators.
            &"x".repeat(MAX_WORD_CHARS),
            &"x".repeat(MAX_WORD_CHARS + 1),
            &format!("{}\u{301}", "ñ".repeat(MAX_WORD_CHARS)),
            &format!(
                "{}一{}",
                "я".repeat(MAX_WORD_CHARS),
                "я".repeat(MAX_WORD_CHARS + 1)
            ),
            &"각".repeat(34),
            &"가".repeat(51),
            &"ab\u{301}cé".repeat(10_000),
        ] {
            assert_equal(text);
        }
    }

    /// Between letters, to show which characters join and which separate.
    #[test]
    fn matches_the_reference_on_every_character() {
        let assigned = (0..=0x3_FFFF_u32).chain(0xE_0000..=0xE_0FFF);
        let points = assigned.chain((0x4_0000..=0x10_FFFF).step_by(997));
        let all: Vec<char> = points.filter_map(char::from_u32).collect();
        for some in all.chunks(256) {
            let mut text = String::new();
            for c in some {
                write!(text, "{c} a{c}a ").unwrap();
            }
            if pieces(&text) != reference(&text) {
                for c in some {
                    assert_equal(&format!("{c} a{c}a "));
                }
                panic!("{text:?}");
            }
        }
    }

    const NOTE: &str = "---\ntitle: Über Größe\ntags: [a/b, c-d]\n---\n# Heading\n\nSome *text*, \
        with [[a link|its name]] and `code()`.\n\n- [ ] 東京 — naïve\n| x | 1,5 € |\n> “quoted”…\n";

    fn any_character() -> impl Strategy<Value = char> {
        prop_oneof![
            any::<char>(),
            // Ranges with marks, punctuation, invisible characters and decompositions.
            proptest::char::range('\u{80}', '\u{36f}'),
            proptest::char::range('\u{590}', '\u{1fff}'),
            proptest::char::range('\u{2000}', '\u{206f}'),
            proptest::char::range('\u{ac00}', '\u{d7a3}'),
            proptest::char::range('\u{f900}', '\u{ffff}'),
            proptest::char::range('\0', '\u{7f}'),
        ]
    }

    proptest! {
        #[test]
        fn matches_the_reference_on_any_text(text in proptest::collection::vec(any_character(), 0..60)) {
            assert_equal(&text.into_iter().collect::<String>());
        }

        #[test]
        fn matches_the_reference_on_notes(
            edits in proptest::collection::vec((0..NOTE.chars().count(), 0..3, any_character()), 0..30),
        ) {
            let mut note: Vec<char> = NOTE.chars().collect();
            for (at, edit, c) in edits {
                let at = at.min(note.len() - 1);
                match edit {
                    0 => note[at] = c,
                    1 => note.insert(at, c),
                    _ => note.truncate(at.max(1)),
                }
            }
            assert_equal(&note.into_iter().collect::<String>());
        }
    }

    /// References in the tables are valid, and every token can be found.
    #[test]
    fn tables_are_consistent() {
        assert!(WORDS.longest <= MAX_PIECE_BYTES && WORDS.slots.len() > tokens() as usize);
        let pages = WORDS.pages.len() / 256;
        assert!(WORDS.blocks.iter().all(|&page| usize::from(page) < pages));
        let spelled = WORDS.pages.iter().map(|code| code.get());
        let most = usize::from(spelled.max().unwrap());
        assert_eq!(most, 4 + WORDS.spellings.len());
        for spelling in (0..WORDS.spellings.len()).map(|at| WORDS.spellings[at].get()) {
            let (start, length) = ((spelling >> 8) as usize, (spelling & 0xFF) as usize);
            if spelling >> 31 == 1 {
                assert!(((spelling & 0xFFFF) as usize) < WORDS.begin);
            } else {
                std::str::from_utf8(&WORDS.spelling_text[start..start + length]).unwrap();
            }
        }
        assert_eq!(
            WORDS.starts[tokens() as usize].get() as usize,
            WORDS.text.len()
        );
        for token in 0..tokens() {
            let text = WORDS.text_of(token);
            let begins = (token as usize) < WORDS.begin;
            assert_eq!(WORDS.longest_piece(text, begins), Some((token, text.len())));
            // Reachable from a text as well.
            let word = written(token).replace("##", "");
            if begins {
                assert_eq!(pieces(&word), [word]);
            }
            // No token contains a mark that the reference would reorder.
            for c in std::str::from_utf8(text).unwrap().chars() {
                assert_eq!(
                    unicode_normalization::char::canonical_combining_class(c),
                    0,
                    "{c:?}"
                );
            }
        }
    }
}
