//! The words by which two statements are told to disagree: own short lists, English first.
//!
//! Words are listed as a dictionary has them and found by their [`stem`], so that `switch` covers
//! `switched` and `switching`. What is not listed is a plain word: the lists need not be complete,
//! they only must not be wrong.

use std::collections::HashMap;

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
    /// `move`: the same, if `from` and `to` say so.
    Change,
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

/// A word of grammar that a cue looks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mark {
    /// None of these.
    None,
    /// `from`.
    From,
    /// `to`, `into`.
    To,
    /// `by`.
    By,
    /// `with`.
    With,
    /// `for`.
    For,
    /// `of`.
    Of,
    /// `in`, `at`, `on`: before a place or a time.
    At,
    /// `than`.
    Than,
    /// `instead`, `rather`.
    Instead,
    /// `longer`, `anymore`.
    Longer,
    /// `more`, `less`, `just`: less than a plain yes or no.
    More,
    /// `is`, `was`.
    Be,
    /// `a`, `an`, `the`.
    A,
    /// `and`, `but`, `because`: another thought begins.
    And,
    /// `or`, `nor`: one of several.
    Or,
    /// `may`, `might`: perhaps not.
    May,
    /// `without`: a denial in passing.
    Without,
    /// `now`, `currently`.
    Now,
    /// `only`, `solely`.
    Only,
    /// `up`, `down`.
    Up,
    /// `no`.
    No,
    /// `will`, `can`: not yet.
    Will,
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

const MARKS: &[(Mark, &str)] = &[
    (Mark::From, "from"),
    (Mark::To, "to into onto towards"),
    (Mark::By, "by"),
    (Mark::With, "with"),
    (Mark::For, "for"),
    (Mark::Of, "of"),
    (Mark::At, "in at on near inside"),
    (Mark::Than, "than"),
    (Mark::Instead, "instead rather"),
    (Mark::Longer, "longer anymore"),
    (
        Mark::More,
        "more less just necessarily entirely completely fully enough alone",
    ),
    (
        Mark::Be,
        "is are was were be been being am isn't aren't wasn't weren't",
    ),
    (Mark::A, "a an the"),
    (
        Mark::And,
        "and but because since when while although though which who that until after before so",
    ),
    (Mark::Or, "or nor"),
    (Mark::May, "may might"),
    (Mark::Without, "without ohne sans"),
    (Mark::Now, "now currently nowadays meanwhile"),
    (Mark::Only, "only solely exclusively"),
    (Mark::Up, "up down"),
    (Mark::No, "no"),
    (Mark::Will, "will shall can"),
];

const FUNCTION: &str = "the this these those it its he she they them his her their theirs we us our \
    ours i me my mine you your yours has have had having do does did doing done will shall there here \
    as if then else also too very without ohne sans still yet again up down out off under about between \
    through during some any all both each few other another such own same can one ones what how why \
    where whose whom get gets got getting been per via already even ever \
    quite really totally definitely actually so such lot lots bit thing things something anything way let \
    lets make makes made take takes took go goes going come comes came say says said seem seems know knew \
    look looks thank thanks hey hi wow yeah yes ok okay well oh please sure s t d ll re ve m etc";

const NEGATION: &str = "not no never zero unable incapable lack lacks lacked refuse refuses refused none nothing neither nor cannot nobody nowhere hardly \
    nicht kein keine nie ne pas jamais aren't isn't wasn't weren't don't doesn't didn't \
    can't couldn't won't wouldn't shouldn't hasn't haven't hadn't mustn't";

const HEDGE: &str = "might maybe perhaps would could should consider plan want wish hope propose \
    whether think discuss suggest try wonder possibly probably tentative if unless";

const SWITCH: &str = "switch migrate change convert transition pivot shift rename relocate reschedule \
    postpone swap rewrite";

const CHANGE: &str = "move transfer push went port turn upgrade downgrade promote bump evolve";

const MEASURE: &str = "grow grew grown increase decrease rise rose risen fall fell fallen reduce \
    improve expand extend raise lower double triple shrink shrank climb reach decline";

const END: &str = "stop drop quit left leaving abandon ditch cease remove discontinue cancel deprecate \
    retire reject revert undo";

const OVER: &str = "obsolete over ended dead defunct withdrawn expired gone";

const REPLACE: &str = "replace supersede obsolete supplant";

const CHOOSE: &str = "choose chose chosen pick decide adopt select settle opt";

const USE: &str = "use run prefer keep stay rely base live work host target";

const START: &str = "accept join start got hire become became";

/// Sets of values of which a thing has one: members by spaces, synonyms by `=`. The calendar comes
/// first.
const EXCLUSIVE: &[&str] = &[
    "monday=mon tuesday=tue wednesday=wed thursday=thu friday=fri saturday=sat sunday=sun",
    "january=jan february=feb march=mar april=apr may june=jun july=jul august=aug september=sep=sept \
     october=oct november=nov december=dec",
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
    "america=usa britain=uk=england france germany italy spain portugal netherlands belgium \
     switzerland austria poland russia ukraine sweden norway denmark finland ireland scotland wales \
     greece turkey egypt israel iran india pakistan china japan korea vietnam thailand indonesia \
     australia canada mexico brazil argentina chile colombia cuba africa europe asia",
];

/// Every listed word by its stem.
#[derive(Debug)]
pub(super) struct Lexicon {
    /// As they are listed.
    words: HashMap<String, Known>,
    /// Without their endings.
    stems: HashMap<String, Known>,
}

/// What is known of a word.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Known {
    pub(super) role: Role,
    pub(super) mark: Mark,
    pub(super) values: Vec<Value>,
}

impl Lexicon {
    /// Reads the lists.
    pub(super) fn new() -> Self {
        let mut words: HashMap<String, Known> = HashMap::new();
        let mut stems: HashMap<String, Known> = HashMap::new();
        for (role, listed) in [
            (Role::Function, FUNCTION),
            (Role::Hedge, HEDGE),
            (Role::Negation, NEGATION),
            (Role::Use, USE),
            (Role::Choose, CHOOSE),
            (Role::Start, START),
            (Role::Replace, REPLACE),
            (Role::Measure, MEASURE),
            (Role::Change, CHANGE),
            (Role::Switch, SWITCH),
            (Role::End, END),
            (Role::Over, OVER),
        ] {
            for word in listed.split_whitespace() {
                known(&mut words, word.to_owned()).role = role;
                // Words of grammar have no endings to take off, and others mean something else with one.
                if !matches!(role, Role::Function | Role::Negation | Role::Over) {
                    known(&mut stems, stem(word)).role = role;
                }
            }
        }
        for (mark, listed) in MARKS {
            for word in listed.split_whitespace() {
                let known = known(&mut words, word.to_owned());
                known.mark = *mark;
                if known.role == Role::Plain {
                    known.role = Role::Function;
                }
            }
        }
        let sets = EXCLUSIVE.iter().map(|set| (set, false));
        let sets = sets.chain(KINDS.iter().map(|set| (set, true)));
        for (group, (set, is_kind)) in sets.enumerate() {
            for (member, listed) in set.split_whitespace().enumerate() {
                let value = Value {
                    group: group as u16,
                    member: member as u16,
                    is_kind,
                };
                for word in listed.split('=') {
                    known(&mut words, word.to_owned()).values.push(value);
                    known(&mut stems, stem(word)).values.push(value);
                }
            }
        }
        for (word, known) in &mut words {
            if known.role == Role::Plain
                && let Some(stem) = stems.get(&stem(word))
            {
                known.role = stem.role;
            }
        }
        Self { words, stems }
    }

    /// Returns what is known of a lower-case word with this stem.
    pub(super) fn get(&self, word: &str, stem: &str) -> Option<&Known> {
        self.words.get(word).or_else(|| self.stems.get(stem))
    }
}

fn known(words: &mut HashMap<String, Known>, word: String) -> &mut Known {
    words.entry(word).or_insert_with(|| Known {
        role: Role::Plain,
        mark: Mark::None,
        values: Vec::new(),
    })
}

/// Takes off the endings that English verbs and nouns take on.
///
/// Rough, and the same on both sides of a comparison: that two words meet matters, not how they are
/// written then.
pub(super) fn stem(word: &str) -> String {
    if !word.is_ascii() || word.len() < 3 {
        return word.to_owned();
    }
    let mut stem = word.strip_suffix("'s").unwrap_or(word);
    if let Some(base) = stem.strip_suffix("ies").filter(|base| base.len() > 1) {
        return format!("{base}i");
    }
    if stem.len() > 3 && stem.ends_with('s') && !stem.ends_with("ss") && !stem.ends_with("us") {
        stem = &stem[..stem.len() - 1];
    }
    let has_vowel = |base: &str| base.bytes().any(|byte| b"aeiouy".contains(&byte));
    let verb = stem
        .strip_suffix("ing")
        .or_else(|| stem.strip_suffix("ed").filter(|base| !base.ends_with('e')))
        .filter(|base| base.len() > 1 && has_vowel(base));
    if let Some(base) = verb {
        stem = base;
        let bytes = stem.as_bytes();
        if let [.., a, b] = bytes
            && a == b
            && !b"aeioulsz".contains(a)
        {
            stem = &stem[..stem.len() - 1];
        }
    }
    if stem.len() > 2 && stem.ends_with('e') {
        stem = &stem[..stem.len() - 1];
    }
    match stem.strip_suffix('y') {
        Some(base) if base.len() > 1 => format!("{base}i"),
        _ => stem.to_owned(),
    }
}
