//! The words by which two statements are told to disagree: verbs of change, and values that exclude each other.
//!
//! Words are listed as a dictionary has them and found by their [`stem`], so that `switch` covers
//! `switched` and `switching`. Words of grammar and denials are those of [`english`]. What is not listed is
//! a plain word: the lists need not be complete, they only must not be wrong.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::frame::Frames;
use crate::note::words::english;
use crate::note::words::english::{Class, Content, stem};

/// What a word does in a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// Says something of its own.
    Plain,
    /// Holds others together.
    Function,
    /// Turns the statement around.
    Negation,
    /// Says that it may be otherwise: a plan, a wish, a condition.
    Hedge,
    /// `switch`: one thing gives way to another, named by `from` and `to`.
    Switch,
    /// `move`: the same, if `from` or `to` say so.
    Change,
    /// `went`: the same, if `from` and `to` say so.
    Passage,
    /// `grow`: a quantity gives way to another.
    Measure,
    /// `stop`: what follows is over.
    End,
    /// `deprecated`: what went before is over.
    Over,
    /// `replace`: what follows gives way; with `by` before what comes.
    Replace,
    /// `choose`: a decision for what follows.
    Choose,
    /// `use`: what follows is so.
    Use,
    /// `join`: a new place or post.
    Start,
}

/// What a word of grammar is to its neighbours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// Nothing that matters here.
    None,
    /// Who writes, or is written for: `I`, `the user`.
    Writer,
    /// Whose it is: `my`.
    Owner,
    /// What a verb goes on in: `off`.
    Particle,
    Over,
    Never,
    /// That it is past: `was`.
    Was,
    /// What makes a fact hold at times only: `sometimes`.
    AtTimes,
}

/// One of several values of which a thing has one at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Value {
    /// Which set of values.
    pub(super) group: u16,
    /// Which of them; synonyms share a number.
    pub(super) member: u16,
    /// True if the set only says that two things are of a kind, not that one excludes the other.
    pub(super) is_kind: bool,
}

impl Value {
    /// Returns true for a day of the week and a month.
    pub(super) fn is_calendar(self) -> bool {
        self.group < 2
    }
}

const HEDGE: &str = "might maybe perhaps would could should consider plan want wish hope propose \
    whether think discuss suggest try wonder possibly probably tentative if unless";

const SWITCH: &str = "switch migrate change convert transition pivot shift rename relocate reschedule \
    postpone swap rewrite";

const CHANGE: &str = "move transfer push upgrade downgrade promote";

const PASSAGE: &str = "went port turn bump evolve";

const MEASURE: &str = "grow grew grown increase decrease rise rose risen fall fell fallen reduce \
    improve expand extend raise lower double triple shrink shrank climb reach decline";

const END: &str = "stop drop quit left leaving abandon ditch cease remove discontinue cancel deprecate \
    retire reject revert undo";

const OVER: &str = "obsolete over ended dead defunct withdrawn expired gone";

const REPLACE: &str = "replace supersede obsolete supplant";

const CHOOSE: &str = "choose chose chosen pick decide adopt select settle opt";

const USE: &str = "use run prefer keep stay rely base live work host target nutze nutzt nutzen verwende \
    verwendet verwenden benutze benutzt benutzen";

const START: &str = "accept join start got hire become became";

const PARTS: &[(Part, &str)] = &[
    (Part::Writer, "i we user ich wir"),
    (
        Part::Owner,
        "my your his her our their its mein meine unser unsere",
    ),
    (Part::Particle, "off out away back"),
    (Part::Over, "over"),
    (Part::Never, "never"),
    (Part::Was, "was were had former formerly previously once"),
    (
        Part::AtTimes,
        "when while if during sometimes often usually mostly occasionally part-time weekends \
         weekend weekdays summers winters holidays also too both",
    ),
];

/// German words of grammar, as far as they are no English words.
const GERMAN: &[(Class, &str)] = &[
    (Class::Be, "ist sind"),
    (Class::Article, "der die das dem ein eine einen einem einer"),
    (Class::At, "im bei"),
    (Class::To, "nach zum zur"),
    (Class::From, "vom aus"),
    (Class::For, "für"),
    (Class::And, "und"),
    (Class::Or, "oder"),
    (Class::Now, "jetzt inzwischen mittlerweile"),
    (Class::Longer, "mehr"),
    (
        Class::Function,
        "ich wir mein meine unser unsere seit auch sehr",
    ),
];

/// Sets of values of which a thing has one: members by spaces, synonyms by `=`. The calendar comes
/// first.
const EXCLUSIVE: &[&str] = &[
    "monday=mon=montag tuesday=tue=dienstag wednesday=wed=mittwoch thursday=thu=donnerstag \
     friday=fri=freitag saturday=sat=samstag sunday=sun=sonntag",
    "january=jan=januar february=feb=februar march=mar=märz april=apr may=mai june=jun=juni \
     july=jul=juli august=aug september=sep=sept october=oct=oktober november=nov december=dec=dezember",
    "black white red green blue yellow orange purple=violet pink brown grey=gray",
    "daily weekly fortnightly=biweekly monthly quarterly yearly=annual=annually hourly nightly",
    "spring summer autumn winter",
    "morning noon afternoon evening midnight",
    "northern southern",
    "eastern western",
    "north south",
    "east west",
    "on off",
    "up down",
    "onto off",
    "inside outside",
    "above below",
    "before after",
    "near far",
    "front back",
    "top bottom",
    "left right",
    "enable=enabled=activate disable=disabled=deactivate",
    "allow=allowed=permit forbid=forbidden=ban=banned=prohibit=disallow",
    "always never",
    "everyone=everybody nobody",
    "everything nothing",
    "all none",
    "many few",
    "most least",
    "true=correct=right false=incorrect=wrong",
    "yes no",
    "valid invalid",
    "legal illegal",
    "possible impossible",
    "likely unlikely",
    "able unable",
    "known unknown=obscure",
    "certain uncertain",
    "safe unsafe=dangerous",
    "stable unstable",
    "available unavailable",
    "complete=completed incomplete=pending",
    "public private",
    "open closed=close=shut",
    "start=begin=began stop=end=finish=cease",
    "accept=accepted=approve=approved reject=rejected=refuse=refused=decline=denied=deny",
    "win=won lose=lost",
    "success=succeed=successful=pass=passed failure=fail=failed=unsuccessful",
    "buy=bought=purchase sell=sold",
    "love=like=enjoy hate=dislike=loathe=detest",
    "prefer avoid",
    "support=endorse oppose",
    "agree disagree",
    "increase=grow=grew=rise=rose=gain decrease=shrink=shrank=fall=fell=decline=reduce",
    "add remove=delete",
    "gain lose",
    "high=higher low=lower",
    "big=large=larger=huge small=smaller=tiny=little",
    "long short",
    "tall short",
    "old=older young=younger",
    "old new",
    "fast=faster=quick slow=slower",
    "hot cold",
    "warm cool=cold",
    "hard=difficult easy=simple",
    "hard soft",
    "heavy light",
    "dark light=bright",
    "wet dry",
    "full empty",
    "clean dirty",
    "rich poor",
    "good=better bad=worse=poor",
    "best worst",
    "strong weak",
    "cheap=inexpensive expensive=costly",
    "early late",
    "earlier later",
    "first last=final",
    "maximum=max=most minimum=min=least",
    "alive=living dead=died=deceased",
    "married=wed single=unmarried=divorced",
    "male female",
    "awake asleep=sleeping",
    "sit=sitting=sat stand=standing=stood",
    "silent=quiet=mute loud=noisy=talking",
    "run=running walk=walking",
    "inside outdoors",
    "indoor=indoors outdoor=outdoors",
    "vegetarian=vegan meat",
    "urban rural",
    "fiction=fictional nonfiction=real",
    "major minor",
    "majority minority",
    "sync=synchronous async=asynchronous",
    "manual=manually automatic=automatically=automated",
    "static dynamic",
    "mutable immutable",
    "required=mandatory=must optional",
    "local remote",
    "online offline",
    "temporary permanent",
    "central=centralized=centralised decentralized=decentralised=distributed",
    "tabs spaces",
    "paper digital",
    "solo team",
    "present absent",
    "ancient modern",
    "primary secondary",
    "positive negative",
    "include=including=included exclude=excluding=excluded",
    "attack defend",
    "push pull",
    "lend borrow",
    "teach learn",
    "arrive=arrived depart=departed",
    "enter exit",
    "create destroy",
    "ask answer",
    "continue=continued discontinue=discontinued",
    "introvert extrovert",
    "pro amateur",
    "guilty innocent",
    "tight loose",
    "deep shallow",
    "wide narrow",
    "smooth rough",
    "sharp blunt",
    "thick thin",
];

/// Sets of things of a kind: one may stand where the other stood.
const KINDS: &[&str] = &[
    "sqlite postgres=postgresql mysql mariadb mongodb=mongo duckdb oracle dynamodb cassandra bigquery \
     snowflake redis",
    "vim=neovim=nvim emacs vscode sublime zed helix intellij",
    "linux windows macos freebsd android ios",
    "github gitlab bitbucket codeberg gitea",
    "aws azure gcp heroku hetzner",
    "firefox chrome safari edge brave",
    "rust python java javascript typescript go=golang ruby kotlin swift haskell scala perl php",
    "npm yarn pnpm bun",
    "react vue svelte angular",
    "slack discord teams zulip matrix",
    "obsidian notion evernote logseq roam",
    "mit gpl apache bsd mpl",
    "american british=english french german italian spanish=spaniard portuguese dutch belgian swiss \
     austrian polish russian ukrainian swedish norwegian danish finnish irish scottish welsh greek \
     turkish egyptian israeli iranian indian pakistani chinese japanese korean vietnamese thai \
     indonesian australian canadian mexican brazilian argentine=argentinian chilean colombian cuban \
     african=nigerian european asian",
    "america=usa britain=uk=england france=frankreich germany=deutschland italy=italien spain=spanien \
     portugal netherlands belgium=belgien switzerland=schweiz austria=österreich poland=polen russia ukraine sweden norway denmark finland ireland scotland wales \
     greece turkey egypt israel iran india pakistan china japan korea vietnam thailand indonesia \
     australia canada mexico brazil argentina chile colombia cuba africa europe=europa asia",
    "texas california florida oregon ohio illinois massachusetts bavaria=bayern saxony=sachsen hessen \
     catalonia tuscany provence ontario quebec queensland",
];

/// The only one there is.
pub(super) static LEXICON: LazyLock<Lexicon> = LazyLock::new(Lexicon::new);

/// Verbs and values, by word and by stem.
#[derive(Debug)]
pub(super) struct Lexicon {
    words: HashMap<String, Listed>,
    stems: HashMap<String, Listed>,
    parts: HashMap<&'static str, Part>,
    german: HashMap<&'static str, Class>,
    pub(super) frames: Frames,
}

/// What is listed of a word.
#[derive(Clone, Debug, Default)]
struct Listed {
    role: Option<Role>,
    values: Vec<Value>,
}

/// What is known of a word.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lexeme {
    pub(super) role: Role,
    pub(super) class: Class,
    pub(super) part: Part,
    pub(super) values: &'static [Value],
}

impl Lexicon {
    fn new() -> Self {
        let mut words: HashMap<String, Listed> = HashMap::new();
        let mut stems: HashMap<String, Listed> = HashMap::new();
        for (role, listed) in [
            (Role::Hedge, HEDGE),
            (Role::Use, USE),
            (Role::Choose, CHOOSE),
            (Role::Start, START),
            (Role::Replace, REPLACE),
            (Role::Measure, MEASURE),
            (Role::Change, CHANGE),
            (Role::Passage, PASSAGE),
            (Role::Switch, SWITCH),
            (Role::End, END),
            (Role::Over, OVER),
        ] {
            for word in listed.split_whitespace() {
                words.entry(word.to_owned()).or_default().role = Some(role);
                // What is over has no endings to take off: `gone`.
                if role != Role::Over {
                    stems.entry(stem(word)).or_default().role = Some(role);
                }
            }
        }
        for (word, value) in values() {
            words.entry(word.to_owned()).or_default().values.push(value);
            stems.entry(stem(word)).or_default().values.push(value);
        }
        for (word, listed) in &mut words {
            let stemmed = stems.get(&stem(word)).and_then(|stem| stem.role);
            listed.role = listed.role.or(stemmed);
        }
        Self {
            words,
            stems,
            parts: by_word(PARTS),
            german: by_word(GERMAN),
            frames: Frames::new(),
        }
    }

    /// Returns what is known of a lower-case word with this stem.
    pub(super) fn get(&'static self, word: &str, stem: &str) -> Lexeme {
        let known = english::word(word.strip_suffix("n't").unwrap_or(word));
        let class = self.german.get(word).copied().unwrap_or(known.class);
        let denies = english::denies(word);
        let exact = self.words.get(word);
        // A word of grammar is none of the verbs that it looks like.
        let is_open = class == Class::Plain && !denies;
        let listed = exact.or_else(|| self.stems.get(stem).filter(|_| is_open));
        let role = match listed.and_then(|listed| listed.role) {
            _ if denies => Role::Negation,
            Some(role) => role,
            None if class == Class::Plain && known.content != Content::Light => Role::Plain,
            None => Role::Function,
        };
        Lexeme {
            role,
            class,
            part: self.parts.get(word).copied().unwrap_or(Part::None),
            values: listed.map_or(&[], |listed| &listed.values),
        }
    }
}

fn by_word<T: Copy>(lists: &[(T, &'static str)]) -> HashMap<&'static str, T> {
    let words = lists.iter().flat_map(|(value, words)| {
        let words = words.split_whitespace();
        words.map(|word| (word, *value))
    });
    words.collect()
}

/// Returns the words that are values, group by group.
fn values() -> impl Iterator<Item = (&'static str, Value)> {
    let sets = EXCLUSIVE.iter().map(|set| (set, false));
    let sets = sets.chain(KINDS.iter().map(|set| (set, true)));
    sets.enumerate().flat_map(|(group, (set, is_kind))| {
        let members = set.split_whitespace().enumerate();
        members.flat_map(move |(member, synonyms)| {
            let value = Value {
                group: group as u16,
                member: member as u16,
                is_kind,
            };
            synonyms.split('=').map(move |word| (word, value))
        })
    })
}
