//! The command line: global options, subcommands, parsing and exit codes.

use std::ffi::OsString;
use std::io::{self, IsTerminal as _, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Args, CommandFactory as _, FromArgMatches as _, Parser, Subcommand};
use rustix::process::{Resource, getrlimit};

use crate::commands::args::candidates::value_name;
use crate::commands::args::choice::choice;
use crate::commands::setup::help::conventions::{OTHER_NAMES, terms};
use crate::commands::setup::help::paged::show_text;
use crate::commands::setup::help::topics;
use crate::commands::setup::help::topics::{TOPICS, Topic};
use crate::commands::setup::settings::SCHEMA;
use crate::commands::{Request as _, agents, lsp, reading, setup, upkeep, writing};
use crate::config::name_similarity;
use crate::error::{Error, Exit, INTERRUPTED};
use crate::output::sanitise::sanitised;
use crate::output::{Color, Form, Output, shell_word, wrapped};
use crate::session::Environment;
use crate::session::environment::folders_of;

/// Maintains a directory of Markdown notes.
///
/// Notes are plain files for any editor. All other data of mem can be deleted, and every change can
/// be undone. Start with `mem init` in a folder of notes, then `mem search`; `mem sleep --install
/// cron` maintains them every hour.
#[derive(Debug, Parser)]
#[command(name = "mem", version, long_version = long_version(), max_term_width = 100)]
pub struct Cli {
    #[command(flatten)]
    global: Global,
    #[command(subcommand)]
    command: Option<Command>,
}

/// Returns the version, with the commit in a release, whose build sets `MEM_COMMIT`.
fn long_version() -> String {
    let version = env!("CARGO_PKG_VERSION");
    match option_env!("MEM_COMMIT") {
        None => version.to_owned(),
        Some(commit) => format!("{version} ({commit:.12})"),
    }
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Options of every command")]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag")]
struct Global {
    /// Use the vault in this folder or above it; repeat it to search several vaults with `search`,
    /// `recall` and `timeline`
    #[arg(
        short = 'C',
        long = "dir",
        value_name = "DIR",
        global = true,
        env = "MEM_VAULT",
        hide_env_values = true
    )]
    dirs: Vec<PathBuf>,
    /// Print one JSON document; errors are JSON, too
    #[arg(long, global = true, conflicts_with = "jsonl")]
    json: bool,
    /// Print one JSON document per line
    #[arg(long, global = true, hide_short_help = true)]
    jsonl: bool,
    /// Print only warnings and errors on stderr
    #[arg(short, long, global = true, hide_short_help = true)]
    quiet: bool,
    /// When to use colour
    #[arg(
        long,
        value_name = "WHEN",
        default_value = "auto",
        global = true,
        hide_short_help = true,
        value_parser = choice::<Color>([
            ("auto", "On a terminal, unless `NO_COLOR` is set"),
            ("always", "Always"),
            ("never", "Never"),
        ])
    )]
    color: Color,
    /// Use the index as it is, without checking for changed notes
    #[arg(long, global = true, hide_short_help = true)]
    no_sync: bool,
    /// Print long output to the terminal instead of a pager
    #[arg(long, global = true, hide_short_help = true)]
    no_pager: bool,
}

/// Declares the subcommands and how each runs.
macro_rules! commands {
    ($($(#[$attribute:meta])* $name:ident($arguments:ty) $(of $more:expr)?,)*) => {
        /// Alphabetical; the help groups them by task.
        #[derive(Debug, Subcommand)]
        enum Command {
            $($(#[$attribute])* $name($arguments),)*
        }

        impl Command {
            fn run(self, env: &Environment) -> Result<Exit, Error> {
                match self {
                    $(Self::$name(arguments) => arguments$(.of($more))?.run(env),)*
                }
            }

            /// Returns the definition of one command.
            fn definition(name: &str) -> Option<clap::Command> {
                None$(.or_else(|| <$arguments>::definition_of(name, stringify!($name))))*
            }
        }
    };
}

/// The arguments of a command, or of several.
trait Definition {
    /// Returns the definition of `name` if it is `own`, the name of the variant.
    fn definition_of(name: &str, own: &str) -> Option<clap::Command>;
}

impl<A: Args> Definition for A {
    fn definition_of(name: &str, own: &str) -> Option<clap::Command> {
        let is_own = name.eq_ignore_ascii_case(own);
        is_own.then(|| A::augment_args(clap::Command::new(name.to_owned())))
    }
}

impl Definition for upkeep::job::JobCommand {
    fn definition_of(name: &str, _: &str) -> Option<clap::Command> {
        Self::definition(name)
    }
}

commands! {
    Agent(agents::install::AgentArgs),
    Append(writing::append::AppendArgs),
    Audit(upkeep::doctor::AuditRequest),
    Completions(setup::completions::CompletionsRequest),
    Config(setup::config::ConfigRequest),
    Confirm(writing::confirm::ConfirmRequest),
    Context(agents::context::ContextRequest),
    Daily(writing::daily::DailyRequest),
    Demo(setup::demo::DemoArgs),
    Doctor(upkeep::doctor::DoctorRequest),
    #[command(alias = "open")]
    Edit(writing::edit::EditRequest),
    Extract(reading::extract::ExtractRequest),
    Git(setup::git::GitRequest),
    Graph(reading::graph::GraphRequest),
    History(upkeep::history::HistoryArgs),
    Hook(agents::hook::HookArgs),
    Import(writing::import::ImportRequest),
    Index(upkeep::index::IndexRequest),
    Init(setup::init::InitRequest),
    #[command(flatten)]
    Job(upkeep::job::JobCommand),
    Judge(upkeep::judge::JudgingRequest),
    #[command(alias = "ls")]
    List(reading::list::ListRequest),
    Lsp(lsp::LspArgs),
    Mcp(agents::mcp::McpArgs) of execute,
    Merge(writing::merge::MergeRequest),
    MergeFile(upkeep::merge_file::MergeFileRequest),
    #[command(alias = "rename")]
    Mv(writing::mv::MoveRequest),
    New(writing::new::NewArgs),
    Outline(reading::outline::OutlineRequest),
    Pick(reading::pick::PickArgs),
    Presets(setup::presets::PresetsRequest),
    Recall(reading::recall::RecallRequest),
    Reinforce(writing::reinforce::ReinforceRequest),
    Related(reading::related::RelatedRequest),
    #[command(alias = "add")]
    Remember(Box<writing::remember_args::RememberArgs>),
    Restore(writing::restore::RestoreRequest),
    Resurface(reading::resurface::ResurfaceRequest),
    Review(upkeep::review::ReviewArgs),
    Rm(writing::rm::RemoveRequest),
    Rules(upkeep::rules::RulesArgs),
    Score(upkeep::score::ScoreRequest),
    #[command(aliases = ["find", "grep"])]
    Search(reading::search::SearchRequest),
    Settle(upkeep::settle::SettleRequest),
    #[command(alias = "cat")]
    Show(reading::show::ShowRequest),
    Sleep(upkeep::sleep::SleepArgs),
    Status(upkeep::status::StatusRequest),
    Sync(upkeep::sync::SyncArgs),
    Tag(writing::tag::TagArgs),
    Tasks(reading::tasks::TasksRequest),
    Timeline(reading::timeline::TimelineRequest),
    Trash(writing::trash::TrashArgs),
    Undo(writing::undo::UndoRequest),
    Watch(upkeep::watch::WatchArgs),
    Why(reading::why::WhyRequest),
}

/// Returns the definition of the command line with complete help.
pub fn definition() -> clap::Command {
    setup::help::complete(Cli::command())
}

/// Returns the definition without the commands that `arguments` do not name, for valid command lines: the definition
/// of all commands takes a megabyte and longer than a search. `None` for aliases.
fn brief_definition(arguments: &[OsString]) -> Option<clap::Command> {
    let program = clap::Command::new("mem")
        .version(env!("CARGO_PKG_VERSION"))
        .long_version(long_version());
    let base = Global::augment_args(program);
    match command_index(arguments) {
        Some(index) => Some(base.subcommand(Command::definition(arguments[index].to_str()?)?)),
        None => Some(base.subcommand_required(true)),
    }
}

/// Runs a command line of a surface other than the terminal.
fn execute(arguments: Vec<OsString>, env: &Environment) -> Result<Exit, Error> {
    let matches = Cli::command().try_get_matches_from(arguments);
    let cli = matches.and_then(|matches| Cli::from_arg_matches(&matches));
    match cli.map_err(|error| usage_error(&error))?.command {
        Some(command) => command.run(env),
        None => Err(Error::new("no command was given")),
    }
}

/// Runs the program.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let mut arguments: Vec<OsString> = arguments.into_iter().collect();
    if setup::completions::answer(&arguments, definition) {
        return ExitCode::SUCCESS;
    }
    let command: Vec<String> = arguments
        .iter()
        .skip(1)
        .map(|argument| argument.to_string_lossy().into_owned())
        .collect();
    let no_pager = command.iter().any(|word| word == "--no-pager");
    // clap's `help` takes no flags.
    if command_index(&arguments).is_some_and(|index| arguments[index] == "help") {
        arguments.retain(|word| !FLAGS_OF_HELP.iter().any(|flag| word == flag));
    }
    if let Some(topic) = help_topic(&arguments) {
        let has = |flag: &str| command.iter().any(|word| word == flag);
        let form = form(has("--json"), has("--jsonl"));
        return match topics::show(topic, form, no_pager, command.join(" ")) {
            Err(error) if !error.is_quiet() => report(form, &error),
            _ => ExitCode::SUCCESS,
        };
    }
    let brief = brief_definition(&arguments).unwrap_or_else(Cli::command);
    let words = with_negations(arguments.clone(), &brief);
    // Help texts are assembled only if they are printed.
    let parsed = brief.try_get_matches_from(words.clone());
    let matches = parsed.or_else(|error| match error.kind() {
        ErrorKind::DisplayVersion => Err(error),
        _ => definition().try_get_matches_from(words),
    });
    let cli = match matches.and_then(|matches| Cli::from_arg_matches(&matches)) {
        Ok(cli) => cli,
        // Hosts take the exit code 2 of a hook for "block the prompt".
        Err(error) if error.use_stderr() && is_hook(&command) => {
            let message = usage_error(&error).message();
            report(Form::Human, &Error::new(message));
            return ExitCode::SUCCESS;
        }
        Err(error) if error.use_stderr() && command.iter().any(|word| is_json(word)) => {
            return report(Form::Json, &usage_error(&error));
        }
        Err(error)
            if error.kind() == ErrorKind::DisplayHelp
                && show_text(
                    |coloured| help(&error, coloured),
                    no_pager,
                    command.join(" "),
                )
                .is_ok() =>
        {
            return ExitCode::SUCCESS;
        }
        Err(mut error) => {
            suggest_nearest(&mut error, &arguments);
            let printed = print(&error, &arguments).and_then(|()| io::stdout().flush());
            return match printed.map_err(Error::from) {
                _ if error.use_stderr() => ExitCode::from(2),
                Err(unwritten) if !unwritten.is_quiet() => report(Form::Human, &unwritten),
                _ => ExitCode::SUCCESS,
            };
        }
    };
    let Global {
        dirs,
        json,
        jsonl,
        quiet,
        color,
        no_sync,
        no_pager,
    } = cli.global;
    let form = form(json, jsonl);
    let output = Output::new(form, quiet, color);
    let mut starts = dirs.iter().flat_map(|list| folders_of(list));
    let env = match Environment::new(output, starts.next(), no_sync, command.join(" "), &SCHEMA) {
        Ok(env) => Environment {
            no_pager,
            further: starts.collect(),
            ..env
        },
        Err(error) => return report(form, &error),
    };
    let outcome = match cli.command {
        Some(command) => command.run(&env),
        None => run_without_command(&env),
    };
    let ended = outcome.and_then(|exit| env.output.close().map(|()| exit));
    match ended {
        Ok(Exit::Done) => ExitCode::SUCCESS,
        Ok(Exit::Nothing) => ExitCode::from(1),
        Ok(Exit::Interrupted) => ExitCode::from(INTERRUPTED),
        Err(error) if error.is_quiet() => ExitCode::SUCCESS,
        Err(error) => {
            env.output.fail(&error);
            ExitCode::from(2)
        }
    }
}

/// Returns the form that the flags select.
fn form(json: bool, jsonl: bool) -> Form {
    match (json, jsonl) {
        (true, _) => Form::Json,
        (_, true) => Form::JsonLines,
        _ => Form::Human,
    }
}

/// Reports an error before there is an environment.
fn report(form: Form, error: &Error) -> ExitCode {
    Output::new(form, false, Color::Never).fail(error);
    ExitCode::from(2)
}

/// Whether the address space limit of the shell allows starting; prints an error if not. Later, a
/// failed allocation would abort the process.
pub(crate) fn has_address_space() -> bool {
    let Some(limit) = getrlimit(Resource::As).current else {
        return true;
    };
    if limit < MIN_ADDRESS_SPACE {
        let (limit, least) = (limit >> 20, MIN_ADDRESS_SPACE >> 20);
        let _ = writeln!(
            io::stderr(),
            "error: address space limit of {limit} MiB is too low\n\
             hint: mem needs {least} MiB to start; `ulimit -v unlimited` allows it"
        );
    }
    limit >= MIN_ADDRESS_SPACE
}

/// Address space in bytes for code, stacks and the heaps of two threads.
const MIN_ADDRESS_SPACE: u64 = 192 << 20;

/// Prints clap's message, wrapped on a terminal. Quoted arguments with control characters are sanitised, without
/// colours.
fn print(error: &clap::Error, arguments: &[OsString]) -> io::Result<()> {
    let is_harmless = |argument: &OsString| {
        let argument = argument.to_string_lossy();
        sanitised(&argument) == argument
    };
    let is_wrapped = error.use_stderr() && io::stderr().is_terminal();
    let rendered = error.render();
    let text = if !arguments.iter().all(is_harmless) {
        let lines = rendered.to_string();
        lines.lines().map(sanitised).collect::<Vec<_>>().join("\n") + "\n"
    } else if is_wrapped && console::colors_enabled_stderr() {
        rendered.ansi().to_string()
    } else if is_wrapped || error.kind() == ErrorKind::ValueValidation {
        rendered.to_string()
    } else {
        return error.print();
    };
    let text = with_plain_causes(text);
    let text = if is_wrapped {
        wrapped(&text) + "\n"
    } else {
        text
    };
    write!(io::stderr(), "{text}")
}

/// Returns clap's message with the standard library's causes of invalid numbers in plain words.
fn with_plain_causes(message: String) -> String {
    [
        ("invalid digit found in string", "expected a whole number"),
        (
            "cannot parse integer from empty string",
            "expected a whole number",
        ),
        (
            "number too large to fit in target type",
            "the number is too large",
        ),
    ]
    .iter()
    .fold(message, |message, (cause, plain)| {
        message.replace(cause, plain)
    })
}

/// Returns the requested help.
fn help(error: &clap::Error, is_coloured: bool) -> String {
    let text = error.render();
    if is_coloured {
        text.ansi().to_string()
    } else {
        text.to_string()
    }
}

/// Returns the topic of `mem help TOPIC`, which the parser does not know.
fn help_topic(arguments: &[OsString]) -> Option<&'static Topic> {
    let command = command_index(arguments)?;
    let (help, topic) = (arguments.get(command)?, arguments.get(command + 1)?);
    (help == "help").then(|| Topic::named(topic.to_str()?))?
}

/// Rewrites `-word` in a query to `NOT word`, so that it is not a flag: `mem search tea -milk`.
///
/// Short flags stay flags, with values (`-n5`, `-C/notes`) or without (`-r`, `-0`, `-qr`).
fn with_negations(arguments: Vec<OsString>, definition: &clap::Command) -> Vec<OsString> {
    let Some(command) = command_index(&arguments) else {
        return arguments;
    };
    let takes = |value: &str| {
        let taken = definition.find_subcommand(&arguments[command]);
        let mut values = taken
            .into_iter()
            .flat_map(clap::Command::get_positionals)
            .map(value_name);
        values.any(|name| name.split('|').any(|name| name == value))
    };
    if takes("TEXT") {
        return with_escaped_list_items(arguments);
    }
    if !takes("QUERY") {
        return arguments;
    }
    let mut ended = false;
    let negated = |argument: &OsString| -> Option<OsString> {
        let word = argument.to_str()?.strip_prefix('-')?;
        let number = word.strip_prefix('n').unwrap_or(word);
        // A single letter is a mistyped flag: excluding `l` makes no sense.
        let is_letter = word.len() == 1 && word.bytes().all(|byte| byte.is_ascii_alphabetic());
        let is_flag = is_letter
            || word.starts_with(['-', 'C'])
            || number.bytes().all(|byte| byte.is_ascii_digit())
            || word.bytes().all(|byte| b"0hnqrV".contains(&byte));
        (!is_flag).then(|| format!("NOT {word}").into())
    };
    let mut is_key = false;
    let words = arguments.into_iter().enumerate();
    words
        .map(|(index, argument)| {
            ended |= argument == "--";
            // `--sort -created` has its own `-`.
            let is_query = index > command && !ended && !is_key;
            is_key = argument == "--sort";
            let negated = if is_query { negated(&argument) } else { None };
            negated.unwrap_or(argument)
        })
        .collect()
}

/// Prefixes a text that begins with `- ` with a line break, so that it is not a flag: `mem append
/// plan '- Tea'`. Blank lines around a text are removed later.
fn with_escaped_list_items(mut arguments: Vec<OsString>) -> Vec<OsString> {
    for argument in &mut arguments {
        if argument.as_encoded_bytes().starts_with(b"- ") {
            let mut text = OsString::from("\n");
            text.push(&argument);
            *argument = text;
        }
    }
    arguments
}

/// Returns the index of the command: the first word that is neither a flag nor its value.
fn command_index(arguments: &[OsString]) -> Option<usize> {
    let mut index = 1;
    while let Some(argument) = arguments.get(index) {
        if ["-C", "--dir", "--color"]
            .iter()
            .any(|flag| argument == *flag)
        {
            index += 2;
        } else if argument.as_encoded_bytes().starts_with(b"-") {
            index += 1;
        } else {
            return Some(index);
        }
    }
    None
}

/// Whether these words call `mem hook`, in the forms that hosts use.
fn is_hook(command: &[String]) -> bool {
    match command {
        [flag, _, name, ..] if flag == "-C" => name == "hook",
        [name, ..] => name == "hook",
        [] => false,
    }
}

/// Whether the word requests JSON, even if other arguments are invalid.
fn is_json(word: &str) -> bool {
    matches!(word, "--json" | "--jsonl")
}

/// Flags that `mem help COMMAND` accepts.
const FLAGS_OF_HELP: [&str; 5] = ["--no-pager", "--help", "-h", "--quiet", "-q"];

/// Minimum similarity of a suggested subcommand.
const MIN_SUGGESTION_SIMILARITY: f64 = 0.8;

/// Maximum number of suggestions.
const MAX_SUGGESTIONS: usize = 3;

/// Puts the most similar subcommands first.
fn suggest_nearest(error: &mut clap::Error, arguments: &[OsString]) {
    let is_help = arguments.get(1).is_some_and(|word| word == "help");
    if let Some(tip) = quoting_tip(error, arguments) {
        error.insert(
            ContextKind::Suggested,
            ContextValue::StyledStrs(vec![tip.into()]),
        );
        return;
    }
    let Some(ContextValue::String(unknown)) = error.get(ContextKind::InvalidSubcommand).cloned()
    else {
        return suggest_flag_or_value(error, arguments);
    };
    let word = command_index(arguments).and_then(|index| arguments.get(index)?.to_str());
    let parent = word.filter(|parent| *parent != unknown && !is_help);
    let asked = match parent {
        Some(parent) => format!("{parent} {unknown}"),
        None => unknown.clone(),
    };
    if let Some((_, tip)) = terms(OTHER_NAMES).find(|(words, _)| *words == asked) {
        error.remove(ContextKind::SuggestedSubcommand);
        let tip = vec![tip.into()];
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(tip));
        return;
    }
    let mut names = match error.remove(ContextKind::SuggestedSubcommand) {
        Some(ContextValue::Strings(names)) => names,
        // clap suggests none for short names.
        _ => Cli::command()
            .get_subcommands()
            .map(|command| command.get_name().to_owned())
            .filter(|name| name_similarity(name, &unknown) >= MIN_SUGGESTION_SIMILARITY)
            .collect(),
    };
    // Do not suggest aliases, which are undocumented.
    let definition = Cli::command();
    let subcommand = parent.and_then(|parent| definition.find_subcommand(parent));
    let known = subcommand.unwrap_or(&definition);
    names.retain(|name| known.get_subcommands().any(|one| one.get_name() == name));
    let topics = TOPICS.iter().map(|topic| topic.name);
    names.extend(
        topics
            .filter(|name| is_help && name_similarity(name, &unknown) >= MIN_SUGGESTION_SIMILARITY)
            .map(str::to_owned),
    );
    names.sort_by(|a, b| name_similarity(b, &unknown).total_cmp(&name_similarity(a, &unknown)));
    names.truncate(MAX_SUGGESTIONS);
    if !names.is_empty() {
        error.insert(
            ContextKind::SuggestedSubcommand,
            ContextValue::Strings(names),
        );
    } else if is_help {
        let tip = vec!["`mem help` lists commands and topics".into()];
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(tip));
    }
}

/// Replaces clap's tips about an unknown flag or value that do not help.
fn suggest_flag_or_value(error: &mut clap::Error, arguments: &[OsString]) {
    let text = |error: &clap::Error, kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.clone()),
        _ => None,
    };
    if let Some(given) = text(error, ContextKind::InvalidValue)
        && let Some(suggested) = text(error, ContextKind::SuggestedValue)
        && name_similarity(&suggested, &given) < MIN_SUGGESTION_SIMILARITY
    {
        error.remove(ContextKind::SuggestedValue);
    }
    let Some(flag) = text(error, ContextKind::InvalidArg) else {
        return;
    };
    let is_far = |suggested: String| name_similarity(&suggested, &flag) < MIN_SUGGESTION_SIMILARITY;
    if text(error, ContextKind::SuggestedArg).is_some_and(is_far) {
        error.remove(ContextKind::SuggestedArg);
        // It names the suggested flag.
        error.remove(ContextKind::Usage);
    }
    let usage = error.get(ContextKind::Usage).map(ToString::to_string);
    let takes_text = usage.is_some_and(|usage| usage.contains("<QUERY>") || usage.contains("TEXT"));
    // `-n` was the short form of `--dry-run` once, and is so elsewhere.
    let lacks_limit = flag.starts_with("--limit")
        && text(error, ContextKind::InvalidValue).is_some_and(|given| given.is_empty());
    let is_n = flag == "-n" || lacks_limit;
    if !(lacks_limit || error.kind() == ErrorKind::UnknownArgument) || takes_text {
        return;
    }
    // clap's tip to pass the flag as a value.
    error.remove(ContextKind::Suggested);
    let definition = Cli::command();
    let name = command_index(arguments).and_then(|index| arguments[index].to_str());
    let command = name.and_then(|name| definition.find_subcommand(name));
    let Some(command) = command.filter(|_| error.get(ContextKind::SuggestedArg).is_none()) else {
        return;
    };
    let has_dry_run = |command: &clap::Command| {
        let mut longs = command.get_arguments().filter_map(clap::Arg::get_long);
        longs.any(|long| long == "dry-run")
    };
    let tip = if is_n && (has_dry_run(command) || command.get_subcommands().any(has_dry_run)) {
        "`--dry-run` previews the changes".to_owned()
    } else if command.get_name() == "edit" && flag.starts_with("--") {
        let key = flag.trim_start_matches('-');
        format!(
            "a property is set with `mem edit NOTE --set {}=VALUE`",
            shell_word(key)
        )
    } else {
        return;
    };
    error.insert(
        ContextKind::Suggested,
        ContextValue::StyledStrs(vec![tip.into()]),
    );
}

/// Returns a tip to quote a title if a command for one note gets several words.
fn quoting_tip(error: &clap::Error, arguments: &[OsString]) -> Option<String> {
    let ContextValue::StyledStr(usage) = error.get(ContextKind::Usage)? else {
        return None;
    };
    let typed = arguments.get(command_index(arguments)?..)?.iter();
    let words: Vec<&str> = typed.map(|word| word.to_str()).collect::<Option<_>>()?;
    let (command, title) = words.split_first()?;
    let is_title = error.kind() == ErrorKind::UnknownArgument
        && usage.to_string().contains("<NOTE>")
        && title.iter().all(|word| !word.starts_with('-'));
    let title = shell_word(&title.join(" "));
    is_title.then(|| format!("quote a title of several words: `mem {command} {title}`"))
}

/// Converts a clap error: the first line becomes the message, the rest hints.
fn usage_error(error: &clap::Error) -> Error {
    let rendered = with_plain_causes(error.render().to_string());
    let mut lines = rendered
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty());
    let first = lines.next().unwrap_or_default();
    let message = first.strip_prefix("error: ").unwrap_or(first);
    lines.fold(Error::new(message), Error::hint)
}

/// Runs without a command: opens the picker on a terminal, else prints help and an error.
fn run_without_command(env: &Environment) -> Result<Exit, Error> {
    if let Some(exit) = reading::pick::alone(env)? {
        return Ok(exit);
    }
    let error = Error::new("no command was given");
    if env.output.form != Form::Human {
        return Err(error.hint("`mem --help` lists them"));
    }
    let help = definition().render_help().to_string();
    help.lines().for_each(|line| env.output.say(line));
    if env.open().is_ok() {
        return Err(error);
    }
    Err(error.hint("`mem demo` shows what it does; `mem init FOLDER` makes your notes a vault"))
}
