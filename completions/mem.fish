# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_mem_global_optspecs
    string join \n C/dir= json jsonl q/quiet color= no-sync h/help V/version
end

function __fish_mem_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_mem_global_optspecs) -- $cmd 2>/dev/null
    or return
    if set -q argv[1]
        # Also print the command, so this can be used to figure out what it is.
        echo $argv[1]
        return 1
    end
    return 0
end

function __fish_mem_using_subcommand
    set -l cmd (__fish_mem_needs_command)
    test -z "$cmd"
    and return 1
    contains -- $cmd[1] $argv
end

complete -c mem -n "__fish_mem_needs_command" -s C -l dir -d 'Work in the vault of this folder instead of the one you are in' -r -F
complete -c mem -n "__fish_mem_needs_command" -l color -d 'When to colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c mem -n "__fish_mem_needs_command" -l json -d 'Write one JSON document to stdout; errors as JSON too'
complete -c mem -n "__fish_mem_needs_command" -l jsonl -d 'Write one JSON document a line to stdout'
complete -c mem -n "__fish_mem_needs_command" -s q -l quiet -d 'Say nothing on stderr but warnings and errors'
complete -c mem -n "__fish_mem_needs_command" -l no-sync -d 'Answer from the index as it is, without looking for changed notes'
complete -c mem -n "__fish_mem_needs_command" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mem -n "__fish_mem_needs_command" -s V -l version -d 'Print version'
complete -c mem -n "__fish_mem_needs_command" -f -a "completions" -d 'Print a completion script for a shell'
complete -c mem -n "__fish_mem_needs_command" -f -a "config" -d 'Show the settings, or change one'
complete -c mem -n "__fish_mem_needs_command" -f -a "doctor" -d 'Look for what is wrong with the vault'
complete -c mem -n "__fish_mem_needs_command" -f -a "edit" -d 'Open a note in your editor, or set properties without one'
complete -c mem -n "__fish_mem_needs_command" -f -a "graph" -d 'Show how notes are joined by links and relations'
complete -c mem -n "__fish_mem_needs_command" -f -a "history" -d 'List the runs that changed notes, or show one'
complete -c mem -n "__fish_mem_needs_command" -f -a "index" -d 'Bring the index to where the notes are'
complete -c mem -n "__fish_mem_needs_command" -f -a "init" -d 'Make a folder of notes a vault'
complete -c mem -n "__fish_mem_needs_command" -f -a "dedupe" -d 'Merge notes that say the same'
complete -c mem -n "__fish_mem_needs_command" -f -a "conflicts" -d 'Find notes that contradict or replace each other'
complete -c mem -n "__fish_mem_needs_command" -f -a "link" -d 'Link notes that belong together'
complete -c mem -n "__fish_mem_needs_command" -f -a "list" -d 'List notes'
complete -c mem -n "__fish_mem_needs_command" -f -a "man" -d 'Print the manual page, or write the pages of all commands into a folder'
complete -c mem -n "__fish_mem_needs_command" -f -a "mv" -d 'Rename a note, or move notes into a folder, and every link with them'
complete -c mem -n "__fish_mem_needs_command" -f -a "recall" -d 'Tell what the notes say about something'
complete -c mem -n "__fish_mem_needs_command" -f -a "related" -d 'Show what belongs to a note'
complete -c mem -n "__fish_mem_needs_command" -f -a "remember" -d 'Write down something to remember, as a note of its own'
complete -c mem -n "__fish_mem_needs_command" -f -a "restore" -d 'Bring notes back from the trash'
complete -c mem -n "__fish_mem_needs_command" -f -a "review" -d 'Answer what the jobs may not decide alone'
complete -c mem -n "__fish_mem_needs_command" -f -a "rm" -d 'Move notes to the trash'
complete -c mem -n "__fish_mem_needs_command" -f -a "search" -d 'Find notes by their words and by what they mean'
complete -c mem -n "__fish_mem_needs_command" -f -a "show" -d 'Print a note'
complete -c mem -n "__fish_mem_needs_command" -f -a "sleep" -d 'Do the maintenance that is due: index, then dedupe, conflicts and link'
complete -c mem -n "__fish_mem_needs_command" -f -a "status" -d 'Say how the vault is: notes, index, jobs, what waits for an answer'
complete -c mem -n "__fish_mem_needs_command" -f -a "trash" -d 'Show what was taken away, or empty the trash'
complete -c mem -n "__fish_mem_needs_command" -f -a "undo" -d 'Take back a run'
complete -c mem -n "__fish_mem_needs_command" -f -a "watch" -d 'Keep the index where the notes are, while you write'
complete -c mem -n "__fish_mem_needs_command" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c mem -n "__fish_mem_using_subcommand completions" -s C -l dir -d 'Work in the vault of this folder instead of the one you are in' -r -F
complete -c mem -n "__fish_mem_using_subcommand completions" -l color -d 'When to colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c mem -n "__fish_mem_using_subcommand completions" -l json -d 'Write one JSON document to stdout; errors as JSON too'
complete -c mem -n "__fish_mem_using_subcommand completions" -l jsonl -d 'Write one JSON document a line to stdout'
complete -c mem -n "__fish_mem_using_subcommand completions" -s q -l quiet -d 'Say nothing on stderr but warnings and errors'
complete -c mem -n "__fish_mem_using_subcommand completions" -l no-sync -d 'Answer from the index as it is, without looking for changed notes'
complete -c mem -n "__fish_mem_using_subcommand completions" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mem -n "__fish_mem_using_subcommand config" -s C -l dir -d 'Work in the vault of this folder instead of the one you are in' -r -F
complete -c mem -n "__fish_mem_using_subcommand config" -l color -d 'When to colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c mem -n "__fish_mem_using_subcommand config" -l vault -d 'In the vault\'s own file instead of yours'
complete -c mem -n "__fish_mem_using_subcommand config" -l unset -d 'Take it out of the file'
complete -c mem -n "__fish_mem_using_subcommand config" -l json -d 'Write one JSON document to stdout; errors as JSON too'
complete -c mem -n "__fish_mem_using_subcommand config" -l jsonl -d 'Write one JSON document a line to stdout'
complete -c mem -n "__fish_mem_using_subcommand config" -s q -l quiet -d 'Say nothing on stderr but warnings and errors'
complete -c mem -n "__fish_mem_using_subcommand config" -l no-sync -d 'Answer from the index as it is, without looking for changed notes'
complete -c mem -n "__fish_mem_using_subcommand config" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mem -n "__fish_mem_using_subcommand doctor" -l only -d 'Only these kinds, with commas between them' -r -f -a "broken-link\t''
broken-embed\t''
broken-heading\t''
broken-block\t''
bare-alias\t''
ambiguous-link\t''
duplicate-id\t''
front-matter\t''
same-name\t''
left-out\t''
leftover\t''
unfinished-run\t''
run-record\t''"
complete -c mem -n "__fish_mem_using_subcommand doctor" -l expect -d 'Refuse to change anything if more notes than this would be changed' -r
complete -c mem -n "__fish_mem_using_subcommand doctor" -s C -l dir -d 'Work in the vault of this folder instead of the one you are in' -r -F
complete -c mem -n "__fish_mem_using_subcommand doctor" -l color -d 'When to colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c mem -n "__fish_mem_using_subcommand doctor" -l fix -d 'Repair what can be repaired, in your own notes as well'
complete -c mem -n "__fish_mem_using_subcommand doctor" -s n -l dry-run -d 'Show what `--fix` would change, and change nothing'
complete -c mem -n "__fish_mem_using_subcommand doctor" -l sizes -d 'Say how much lies where as well'
complete -c mem -n "__fish_mem_using_subcommand doctor" -l json -d 'Write one JSON document to stdout; errors as JSON too'
complete -c mem -n "__fish_mem_using_subcommand doctor" -l jsonl -d 'Write one JSON document a line to stdout'
complete -c mem -n "__fish_mem_using_subcommand doctor" -s q -l quiet -d 'Say nothing on stderr but warnings and errors'
complete -c mem -n "__fish_mem_using_subcommand doctor" -l no-sync -d 'Answer from the index as it is, without looking for changed notes'
complete -c mem -n "__fish_mem_using_subcommand doctor" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mem -n "__fish_mem_using_subcommand edit" -l set -d 'Set a property; may be repeated' -r
complete -c mem -n "__fish_mem_using_subcommand edit" -l unset -d 'Remove a property; may be repeated' -r
complete -c mem -n "__fish_mem_using_subcommand edit" -l append -d 'Add a value to a list, unless it is there; may be repeated' -r
complete -c mem -n "__fish_mem_using_subcommand edit" -l remove -d 'Take a value out of a list; may be repeated' -r
complete -c mem -n "__fish_mem_using_subcommand edit" -s t -l tag -d 'Add a tag; may be repeated' -r
complete -c mem -n "__fish_mem_using_subcommand edit" -l untag -d 'Take a tag out of the property `tags`; may be repeated' -r
complete -c mem -n "__fish_mem_using_subcommand edit" -l outdated -d 'It does not hold any more, or not from this day on' -r
complete -c mem -n "__fish_mem_using_subcommand edit" -s C -l dir -d 'Work in the vault of this folder instead of the one you are in' -r -F
complete -c mem -n "__fish_mem_using_subcommand edit" -l color -d 'When to colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c mem -n "__fish_mem_using_subcommand edit" -l keep -d 'Mark it never to be merged, to fade or to be forgotten'
complete -c mem -n "__fish_mem_using_subcommand edit" -l no-keep -d 'Take that mark away'
complete -c mem -n "__fish_mem_using_subcommand edit" -s n -l dry-run -d 'Show what would change, and change nothing'
complete -c mem -n "__fish_mem_using_subcommand edit" -l json -d 'Write one JSON document to stdout; errors as JSON too'
complete -c mem -n "__fish_mem_using_subcommand edit" -l jsonl -d 'Write one JSON document a line to stdout'
complete -c mem -n "__fish_mem_using_subcommand edit" -s q -l quiet -d 'Say nothing on stderr but warnings and errors'
complete -c mem -n "__fish_mem_using_subcommand edit" -l no-sync -d 'Answer from the index as it is, without looking for changed notes'
complete -c mem -n "__fish_mem_using_subcommand edit" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mem -n "__fish_mem_using_subcommand graph" -l hops -d 'How many edges to follow from there' -r
complete -c mem -n "__fish_mem_using_subcommand graph" -l relation -d 'Only edges of this relation, from either end, or of this property; `link` is a link in the text; may be repeated' -r
complete -c mem -n "__fish_mem_using_subcommand graph" -l by -d 'Only edges that this job or command stated: link, conflicts, remember, review, …' -r
complete -c mem -n "__fish_mem_using_subcommand graph" -l where -d 'Only edges between notes that this query finds; may be repeated' -r
complete -c mem -n "__fish_mem_using_subcommand graph" -l format -d 'In which form' -r -f -a "text\t'For a person'
json\t'One JSON document, as with `--json`; `--jsonl` writes an edge a line'
dot\t'For Graphviz'
mermaid\t'For Markdown'"
complete -c mem -n "__fish_mem_using_subcommand graph" -s C -l dir -d 'Work in the vault of this folder instead of the one you are in' -r -F
complete -c mem -n "__fish_mem_using_subcommand graph" -l color -d 'When to colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c mem -n "__fish_mem_using_subcommand graph" -l json -d 'Write one JSON document to stdout; errors as JSON too'
complete -c mem -n "__fish_mem_using_subcommand graph" -l jsonl -d 'Write one JSON document a line to stdout'
complete -c mem -n "__fish_mem_using_subcommand graph" -s q -l quiet -d 'Say nothing on stderr but warnings and errors'
complete -c mem -n "__fish_mem_using_subcommand graph" -l no-sync -d 'Answer from the index as it is, without looking for changed notes'
complete -c mem -n "__fish_mem_using_subcommand graph" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mem -n "__fish_mem_using_subcommand history; and not __fish_seen_subcommand_from purge help" -l job -d 'Only runs of this job' -r
complete -c mem -n "__fish_mem_using_subcommand history; and not __fish_seen_subcommand_from purge help" -s n -l limit -d 'List at most so many' -r
complete -c mem -n "__fish_mem_using_subcommand history; and not __fish_seen_subcommand_from purge help" -s C -l dir -d 'Work in the vault of this folder instead of the one you are in' -r -F
complete -c mem -n "__fish_mem_using_subcommand history; and not __fish_seen_subcommand_from purge help" -l color -d 'When to colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c mem -n "__fish_mem_using_subcommand history; and not __fish_seen_subcommand_from purge help" -l json -d 'Write one JSON document to stdout; errors as JSON too'
complete -c mem -n "__fish_mem_using_subcommand history; and not __fish_seen_subcommand_from purge help" -l jsonl -d 'Write one JSON document a line to stdout'
complete -c mem -n "__fish_mem_using_subcommand history; and not __fish_seen_subcommand_from purge help" -s q -l quiet -d 'Say nothing on stderr but warnings and errors'
complete -c mem -n "__fish_mem_using_subcommand history; and not __fish_seen_subcommand_from purge help" -l no-sync -d 'Answer from the index as it is, without looking for changed notes'
complete -c mem -n "__fish_mem_using_subcommand history; and not __fish_seen_subcommand_from purge help" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mem -n "__fish_mem_using_subcommand history; and not __fish_seen_subcommand_from purge help" -a "purge" -d 'Delete what history keeps, for good'
complete -c mem -n "__fish_mem_using_subcommand history; and not __fish_seen_subcommand_from purge help" -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c mem -n "__fish_mem_using_subcommand history; and __fish_seen_subcommand_from purge" -l note -d 'Every copy of this note: its name, or the path of one that is gone' -r
complete -c mem -n "__fish_mem_using_subcommand history; and __fish_seen_subcommand_from purge" -l older-than -d 'Only runs longer ago than this: `90d`, `6m`, `1y`' -r
complete -c mem -n "__fish_mem_using_subcommand history; and __fish_seen_subcommand_from purge" -s C -l dir -d 'Work in the vault of this folder instead of the one you are in' -r -F
complete -c mem -n "__fish_mem_using_subcommand history; and __fish_seen_subcommand_from purge" -l color -d 'When to colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c mem -n "__fish_mem_using_subcommand history; and __fish_seen_subcommand_from purge" -s y -l yes -d 'Do not ask'
complete -c mem -n "__fish_mem_using_subcommand history; and __fish_seen_subcommand_from purge" -s n -l dry-run -d 'Show what would be deleted, and delete nothing'
complete -c mem -n "__fish_mem_using_subcommand history; and __fish_seen_subcommand_from purge" -l json -d 'Write one JSON document to stdout; errors as JSON too'
complete -c mem -n "__fish_mem_using_subcommand history; and __fish_seen_subcommand_from purge" -l jsonl -d 'Write one JSON document a line to stdout'
complete -c mem -n "__fish_mem_using_subcommand history; and __fish_seen_subcommand_from purge" -s q -l quiet -d 'Say nothing on stderr but warnings and errors'
complete -c mem -n "__fish_mem_using_subcommand history; and __fish_seen_subcommand_from purge" -l no-sync -d 'Answer from the index as it is, without looking for changed notes'
complete -c mem -n "__fish_mem_using_subcommand history; and __fish_seen_subcommand_from purge" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mem -n "__fish_mem_using_subcommand history; and __fish_seen_subcommand_from help" -f -a "purge" -d 'Delete what history keeps, for good'
complete -c mem -n "__fish_mem_using_subcommand history; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c mem -n "__fish_mem_using_subcommand index" -s C -l dir -d 'Work in the vault of this folder instead of the one you are in' -r -F
complete -c mem -n "__fish_mem_using_subcommand index" -l color -d 'When to colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c mem -n "__fish_mem_using_subcommand index" -l rebuild -d 'Build it afresh, taking the vault as it is now'
complete -c mem -n "__fish_mem_using_subcommand index" -l hnsw -d 'Make the graph over the vectors now, if it is not over all of them'
complete -c mem -n "__fish_mem_using_subcommand index" -l json -d 'Write one JSON document to stdout; errors as JSON too'
complete -c mem -n "__fish_mem_using_subcommand index" -l jsonl -d 'Write one JSON document a line to stdout'
complete -c mem -n "__fish_mem_using_subcommand index" -s q -l quiet -d 'Say nothing on stderr but warnings and errors'
complete -c mem -n "__fish_mem_using_subcommand index" -l no-sync -d 'Answer from the index as it is, without looking for changed notes'
complete -c mem -n "__fish_mem_using_subcommand index" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mem -n "__fish_mem_using_subcommand init" -s C -l dir -d 'Work in the vault of this folder instead of the one you are in' -r -F
complete -c mem -n "__fish_mem_using_subcommand init" -l color -d 'When to colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c mem -n "__fish_mem_using_subcommand init" -l json -d 'Write one JSON document to stdout; errors as JSON too'
complete -c mem -n "__fish_mem_using_subcommand init" -l jsonl -d 'Write one JSON document a line to stdout'
complete -c mem -n "__fish_mem_using_subcommand init" -s q -l quiet -d 'Say nothing on stderr but warnings and errors'
complete -c mem -n "__fish_mem_using_subcommand init" -l no-sync -d 'Answer from the index as it is, without looking for changed notes'
complete -c mem -n "__fish_mem_using_subcommand init" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mem -n "__fish_mem_using_subcommand dedupe" -l apply -d 'Which certain changes to make without asking [default: the setting `sleep.apply`]' -r -f -a "none\t'None: everything is proposed'
managed\t'Those that touch only notes written by mem or an agent and not edited since'
all\t'All that rules alone decide'"
complete -c mem -n "__fish_mem_using_subcommand dedupe" -l limit -d 'Make and show at most so many changes and questions each' -r
complete -c mem -n "__fish_mem_using_subcommand dedupe" -l expect -d 'Refuse to change anything if more changes than this would be made' -r
complete -c mem -n "__fish_mem_using_subcommand dedupe" -s C -l dir -d 'Work in the vault of this folder instead of the one you are in' -r -F
complete -c mem -n "__fish_mem_using_subcommand dedupe" -l color -d 'When to colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c mem -n "__fish_mem_using_subcommand dedupe" -s n -l dry-run -d 'Show what would change, and change nothing'
complete -c mem -n "__fish_mem_using_subcommand dedupe" -l full -d 'Look at all notes, not only at those that changed since the last time'
complete -c mem -n "__fish_mem_using_subcommand dedupe" -l json -d 'Write one JSON document to stdout; errors as JSON too'
complete -c mem -n "__fish_mem_using_subcommand dedupe" -l jsonl -d 'Write one JSON document a line to stdout'
complete -c mem -n "__fish_mem_using_subcommand dedupe" -s q -l quiet -d 'Say nothing on stderr but warnings and errors'
complete -c mem -n "__fish_mem_using_subcommand dedupe" -l no-sync -d 'Answer from the index as it is, without looking for changed notes'
complete -c mem -n "__fish_mem_using_subcommand dedupe" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mem -n "__fish_mem_using_subcommand conflicts" -l apply -d 'Which certain changes to make without asking [default: the setting `sleep.apply`]' -r -f -a "none\t'None: everything is proposed'
managed\t'Those that touch only notes written by mem or an agent and not edited since'
all\t'All that rules alone decide'"
complete -c mem -n "__fish_mem_using_subcommand conflicts" -l limit -d 'Make and show at most so many changes and questions each' -r
complete -c mem -n "__fish_mem_using_subcommand conflicts" -l expect -d 'Refuse to change anything if more changes than this would be made' -r
complete -c mem -n "__fish_mem_using_subcommand conflicts" -s C -l dir -d 'Work in the vault of this folder instead of the one you are in' -r -F
complete -c mem -n "__fish_mem_using_subcommand conflicts" -l color -d 'When to colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c mem -n "__fish_mem_using_subcommand conflicts" -s n -l dry-run -d 'Show what would change, and change nothing'
complete -c mem -n "__fish_mem_using_subcommand conflicts" -l full -d 'Look at all notes, not only at those that changed since the last time'
complete -c mem -n "__fish_mem_using_subcommand conflicts" -l json -d 'Write one JSON document to stdout; errors as JSON too'
complete -c mem -n "__fish_mem_using_subcommand conflicts" -l jsonl -d 'Write one JSON document a line to stdout'
complete -c mem -n "__fish_mem_using_subcommand conflicts" -s q -l quiet -d 'Say nothing on stderr but warnings and errors'
complete -c mem -n "__fish_mem_using_subcommand conflicts" -l no-sync -d 'Answer from the index as it is, without looking for changed notes'
complete -c mem -n "__fish_mem_using_subcommand conflicts" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mem -n "__fish_mem_using_subcommand link" -l apply -d 'Which certain changes to make without asking [default: the setting `sleep.apply`]' -r -f -a "none\t'None: everything is proposed'
managed\t'Those that touch only notes written by mem or an agent and not edited since'
all\t'All that rules alone decide'"
complete -c mem -n "__fish_mem_using_subcommand link" -l limit -d 'Make and show at most so many changes and questions each' -r
complete -c mem -n "__fish_mem_using_subcommand link" -l expect -d 'Refuse to change anything if more changes than this would be made' -r
complete -c mem -n "__fish_mem_using_subcommand link" -s C -l dir -d 'Work in the vault of this folder instead of the one you are in' -r -F
complete -c mem -n "__fish_mem_using_subcommand link" -l color -d 'When to colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c mem -n "__fish_mem_using_subcommand link" -s n -l dry-run -d 'Show what would change, and change nothing'
complete -c mem -n "__fish_mem_using_subcommand link" -l full -d 'Look at all notes, not only at those that changed since the last time'
complete -c mem -n "__fish_mem_using_subcommand link" -l json -d 'Write one JSON document to stdout; errors as JSON too'
complete -c mem -n "__fish_mem_using_subcommand link" -l jsonl -d 'Write one JSON document a line to stdout'
complete -c mem -n "__fish_mem_using_subcommand link" -s q -l quiet -d 'Say nothing on stderr but warnings and errors'
complete -c mem -n "__fish_mem_using_subcommand link" -l no-sync -d 'Answer from the index as it is, without looking for changed notes'
complete -c mem -n "__fish_mem_using_subcommand link" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mem -n "__fish_mem_using_subcommand list" -s n -l limit -d 'List at most so many' -r
complete -c mem -n "__fish_mem_using_subcommand list" -l sort -d 'By what to order' -r -f -a "path\t'By path'
title\t'By title'
created\t'Newest first'
modified\t'Changed last first'
length\t'Longest first'"
complete -c mem -n "__fish_mem_using_subcommand list" -s C -l dir -d 'Work in the vault of this folder instead of the one you are in' -r -F
complete -c mem -n "__fish_mem_using_subcommand list" -l color -d 'When to colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c mem -n "__fish_mem_using_subcommand list" -s r -l reverse -d 'Turn the order round'
complete -c mem -n "__fish_mem_using_subcommand list" -s 0 -l null -d 'Only the paths, each followed by a NUL, for `xargs -0`'
complete -c mem -n "__fish_mem_using_subcommand list" -l json -d 'Write one JSON document to stdout; errors as JSON too'
complete -c mem -n "__fish_mem_using_subcommand list" -l jsonl -d 'Write one JSON document a line to stdout'
complete -c mem -n "__fish_mem_using_subcommand list" -s q -l quiet -d 'Say nothing on stderr but warnings and errors'
complete -c mem -n "__fish_mem_using_subcommand list" -l no-sync -d 'Answer from the index as it is, without looking for changed notes'
complete -c mem -n "__fish_mem_using_subcommand list" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mem -n "__fish_mem_using_subcommand man" -s C -l dir -d 'Work in the vault of this folder instead of the one you are in' -r -F
complete -c mem -n "__fish_mem_using_subcommand man" -l color -d 'When to colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c mem -n "__fish_mem_using_subcommand man" -l json -d 'Write one JSON document to stdout; errors as JSON too'
complete -c mem -n "__fish_mem_using_subcommand man" -l jsonl -d 'Write one JSON document a line to stdout'
complete -c mem -n "__fish_mem_using_subcommand man" -s q -l quiet -d 'Say nothing on stderr but warnings and errors'
complete -c mem -n "__fish_mem_using_subcommand man" -l no-sync -d 'Answer from the index as it is, without looking for changed notes'
complete -c mem -n "__fish_mem_using_subcommand man" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mem -n "__fish_mem_using_subcommand mv" -s C -l dir -d 'Work in the vault of this folder instead of the one you are in' -r -F
complete -c mem -n "__fish_mem_using_subcommand mv" -l color -d 'When to colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c mem -n "__fish_mem_using_subcommand mv" -s n -l dry-run -d 'Show what would change, and change nothing'
complete -c mem -n "__fish_mem_using_subcommand mv" -l json -d 'Write one JSON document to stdout; errors as JSON too'
complete -c mem -n "__fish_mem_using_subcommand mv" -l jsonl -d 'Write one JSON document a line to stdout'
complete -c mem -n "__fish_mem_using_subcommand mv" -s q -l quiet -d 'Say nothing on stderr but warnings and errors'
complete -c mem -n "__fish_mem_using_subcommand mv" -l no-sync -d 'Answer from the index as it is, without looking for changed notes'
complete -c mem -n "__fish_mem_using_subcommand mv" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mem -n "__fish_mem_using_subcommand recall" -l mode -d 'Go by words and meaning, by words alone or by meaning alone' -r -f -a "hybrid\t'Words and meaning'
lexical\t'Words alone'
semantic\t'Meaning alone'"
complete -c mem -n "__fish_mem_using_subcommand recall" -l min-cosine -d 'Only notes whose cosine to the query is at least this' -r
complete -c mem -n "__fish_mem_using_subcommand recall" -l budget -d 'Print at most about so many tokens, of 4 bytes each' -r
complete -c mem -n "__fish_mem_using_subcommand recall" -s n -l limit -d 'Take passages of at most so many notes' -r
complete -c mem -n "__fish_mem_using_subcommand recall" -s C -l dir -d 'Work in the vault of this folder instead of the one you are in' -r -F
complete -c mem -n "__fish_mem_using_subcommand recall" -l color -d 'When to colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c mem -n "__fish_mem_using_subcommand recall" -l json -d 'Write one JSON document to stdout; errors as JSON too'
complete -c mem -n "__fish_mem_using_subcommand recall" -l jsonl -d 'Write one JSON document a line to stdout'
complete -c mem -n "__fish_mem_using_subcommand recall" -s q -l quiet -d 'Say nothing on stderr but warnings and errors'
complete -c mem -n "__fish_mem_using_subcommand recall" -l no-sync -d 'Answer from the index as it is, without looking for changed notes'
complete -c mem -n "__fish_mem_using_subcommand recall" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mem -n "__fish_mem_using_subcommand related" -s n -l limit -d 'Show at most so many notes that mean something like it' -r
complete -c mem -n "__fish_mem_using_subcommand related" -l min-cosine -d 'Only notes whose cosine to it is at least this; usually what the model takes for related' -r
complete -c mem -n "__fish_mem_using_subcommand related" -s C -l dir -d 'Work in the vault of this folder instead of the one you are in' -r -F
complete -c mem -n "__fish_mem_using_subcommand related" -l color -d 'When to colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c mem -n "__fish_mem_using_subcommand related" -l json -d 'Write one JSON document to stdout; errors as JSON too'
complete -c mem -n "__fish_mem_using_subcommand related" -l jsonl -d 'Write one JSON document a line to stdout'
complete -c mem -n "__fish_mem_using_subcommand related" -s q -l quiet -d 'Say nothing on stderr but warnings and errors'
complete -c mem -n "__fish_mem_using_subcommand related" -l no-sync -d 'Answer from the index as it is, without looking for changed notes'
complete -c mem -n "__fish_mem_using_subcommand related" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mem -n "__fish_mem_using_subcommand remember" -l title -d 'What to call it [default: the first heading or the first words]' -r
complete -c mem -n "__fish_mem_using_subcommand remember" -l alias -d 'Another name for it; may be repeated' -r
complete -c mem -n "__fish_mem_using_subcommand remember" -s t -l tag -d 'A tag; may be repeated' -r
complete -c mem -n "__fish_mem_using_subcommand remember" -l type -d 'What kind of note it is: fact, decision, preference, event, person, project, …' -r
complete -c mem -n "__fish_mem_using_subcommand remember" -l tier -d 'How close at hand it is: core, working, archival, forgotten' -r
complete -c mem -n "__fish_mem_using_subcommand remember" -l space -d 'The project it belongs to' -r
complete -c mem -n "__fish_mem_using_subcommand remember" -l created -d 'When it was, if not now: 2026-01-31 or 2026-01-31T12:00:00Z' -r
complete -c mem -n "__fish_mem_using_subcommand remember" -l confidence -d 'How sure it is, 0 to 1' -r
complete -c mem -n "__fish_mem_using_subcommand remember" -l importance -d 'How much it matters, 0 to 1' -r
complete -c mem -n "__fish_mem_using_subcommand remember" -l valid-until -d 'Until when it holds' -r
complete -c mem -n "__fish_mem_using_subcommand remember" -l source -d 'Who or what it came from' -r
complete -c mem -n "__fish_mem_using_subcommand remember" -l relation -d 'A relation to another note, like `evolved_from="Chose SQLite"`; may be repeated' -r
complete -c mem -n "__fish_mem_using_subcommand remember" -l set -d 'Any other property; may be repeated' -r
complete -c mem -n "__fish_mem_using_subcommand remember" -l in -d 'The folder to put it into [default: the setting `remember.folder`]' -r
complete -c mem -n "__fish_mem_using_subcommand remember" -l by -d 'Who writes it; notes of agents may be tidied unattended' -r
complete -c mem -n "__fish_mem_using_subcommand remember" -s C -l dir -d 'Work in the vault of this folder instead of the one you are in' -r -F
complete -c mem -n "__fish_mem_using_subcommand remember" -l color -d 'When to colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c mem -n "__fish_mem_using_subcommand remember" -l lock-space -d 'No job may move it to another project'
complete -c mem -n "__fish_mem_using_subcommand remember" -l keep -d 'Never merge, fade or forget it'
complete -c mem -n "__fish_mem_using_subcommand remember" -l json -d 'Write one JSON document to stdout; errors as JSON too'
complete -c mem -n "__fish_mem_using_subcommand remember" -l jsonl -d 'Write one JSON document a line to stdout'
complete -c mem -n "__fish_mem_using_subcommand remember" -s q -l quiet -d 'Say nothing on stderr but warnings and errors'
complete -c mem -n "__fish_mem_using_subcommand remember" -l no-sync -d 'Answer from the index as it is, without looking for changed notes'
complete -c mem -n "__fish_mem_using_subcommand remember" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mem -n "__fish_mem_using_subcommand restore" -l to -d 'Bring it back under this name, or into this folder, instead of where it was' -r
complete -c mem -n "__fish_mem_using_subcommand restore" -s C -l dir -d 'Work in the vault of this folder instead of the one you are in' -r -F
complete -c mem -n "__fish_mem_using_subcommand restore" -l color -d 'When to colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c mem -n "__fish_mem_using_subcommand restore" -s n -l dry-run -d 'Show what would change, and change nothing'
complete -c mem -n "__fish_mem_using_subcommand restore" -l json -d 'Write one JSON document to stdout; errors as JSON too'
complete -c mem -n "__fish_mem_using_subcommand restore" -l jsonl -d 'Write one JSON document a line to stdout'
complete -c mem -n "__fish_mem_using_subcommand restore" -s q -l quiet -d 'Say nothing on stderr but warnings and errors'
complete -c mem -n "__fish_mem_using_subcommand restore" -l no-sync -d 'Answer from the index as it is, without looking for changed notes'
complete -c mem -n "__fish_mem_using_subcommand restore" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mem -n "__fish_mem_using_subcommand review; and not __fish_seen_subcommand_from accept reject forget help" -l apply -d 'Read answers from a file, one JSON document a line; `-` is stdin' -r
complete -c mem -n "__fish_mem_using_subcommand review; and not __fish_seen_subcommand_from accept reject forget help" -l kind -d 'Only questions of this kind; may be repeated' -r -f -a "merge\t''
conflict\t''
link\t''
mention\t''"
complete -c mem -n "__fish_mem_using_subcommand review; and not __fish_seen_subcommand_from accept reject forget help" -l where -d 'Only questions about notes that this query finds' -r
complete -c mem -n "__fish_mem_using_subcommand review; and not __fish_seen_subcommand_from accept reject forget help" -l limit -d 'At most so many' -r
complete -c mem -n "__fish_mem_using_subcommand review; and not __fish_seen_subcommand_from accept reject forget help" -s C -l dir -d 'Work in the vault of this folder instead of the one you are in' -r -F
complete -c mem -n "__fish_mem_using_subcommand review; and not __fish_seen_subcommand_from accept reject forget help" -l color -d 'When to colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c mem -n "__fish_mem_using_subcommand review; and not __fish_seen_subcommand_from accept reject forget help" -l decided -d 'Show what was decided so far, the newest first'
complete -c mem -n "__fish_mem_using_subcommand review; and not __fish_seen_subcommand_from accept reject forget help" -l json -d 'Write one JSON document to stdout; errors as JSON too'
complete -c mem -n "__fish_mem_using_subcommand review; and not __fish_seen_subcommand_from accept reject forget help" -l jsonl -d 'Write one JSON document a line to stdout'
complete -c mem -n "__fish_mem_using_subcommand review; and not __fish_seen_subcommand_from accept reject forget help" -s q -l quiet -d 'Say nothing on stderr but warnings and errors'
complete -c mem -n "__fish_mem_using_subcommand review; and not __fish_seen_subcommand_from accept reject forget help" -l no-sync -d 'Answer from the index as it is, without looking for changed notes'
complete -c mem -n "__fish_mem_using_subcommand review; and not __fish_seen_subcommand_from accept reject forget help" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mem -n "__fish_mem_using_subcommand review; and not __fish_seen_subcommand_from accept reject forget help" -f -a "accept" -d 'Answer yes: do it now'
complete -c mem -n "__fish_mem_using_subcommand review; and not __fish_seen_subcommand_from accept reject forget help" -f -a "reject" -d 'Answer no: leave it, and do not ask again'
complete -c mem -n "__fish_mem_using_subcommand review; and not __fish_seen_subcommand_from accept reject forget help" -f -a "forget" -d 'Forget an answer, so that the question is asked again'
complete -c mem -n "__fish_mem_using_subcommand review; and not __fish_seen_subcommand_from accept reject forget help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c mem -n "__fish_mem_using_subcommand review; and __fish_seen_subcommand_from accept" -l as -d 'What the first note is to the second, if not what the question proposes' -r
complete -c mem -n "__fish_mem_using_subcommand review; and __fish_seen_subcommand_from accept" -l kind -d 'Only questions of this kind; may be repeated' -r -f -a "merge\t''
conflict\t''
link\t''
mention\t''"
complete -c mem -n "__fish_mem_using_subcommand review; and __fish_seen_subcommand_from accept" -l where -d 'Only questions about notes that this query finds' -r
complete -c mem -n "__fish_mem_using_subcommand review; and __fish_seen_subcommand_from accept" -l limit -d 'At most so many' -r
complete -c mem -n "__fish_mem_using_subcommand review; and __fish_seen_subcommand_from accept" -s C -l dir -d 'Work in the vault of this folder instead of the one you are in' -r -F
complete -c mem -n "__fish_mem_using_subcommand review; and __fish_seen_subcommand_from accept" -l color -d 'When to colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c mem -n "__fish_mem_using_subcommand review; and __fish_seen_subcommand_from accept" -l all -d 'All of them'
complete -c mem -n "__fish_mem_using_subcommand review; and __fish_seen_subcommand_from accept" -l json -d 'Write one JSON document to stdout; errors as JSON too'
complete -c mem -n "__fish_mem_using_subcommand review; and __fish_seen_subcommand_from accept" -l jsonl -d 'Write one JSON document a line to stdout'
complete -c mem -n "__fish_mem_using_subcommand review; and __fish_seen_subcommand_from accept" -s q -l quiet -d 'Say nothing on stderr but warnings and errors'
complete -c mem -n "__fish_mem_using_subcommand review; and __fish_seen_subcommand_from accept" -l no-sync -d 'Answer from the index as it is, without looking for changed notes'
complete -c mem -n "__fish_mem_using_subcommand review; and __fish_seen_subcommand_from accept" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mem -n "__fish_mem_using_subcommand review; and __fish_seen_subcommand_from reject" -l kind -d 'Only questions of this kind; may be repeated' -r -f -a "merge\t''
conflict\t''
link\t''
mention\t''"
complete -c mem -n "__fish_mem_using_subcommand review; and __fish_seen_subcommand_from reject" -l where -d 'Only questions about notes that this query finds' -r
complete -c mem -n "__fish_mem_using_subcommand review; and __fish_seen_subcommand_from reject" -l limit -d 'At most so many' -r
complete -c mem -n "__fish_mem_using_subcommand review; and __fish_seen_subcommand_from reject" -s C -l dir -d 'Work in the vault of this folder instead of the one you are in' -r -F
complete -c mem -n "__fish_mem_using_subcommand review; and __fish_seen_subcommand_from reject" -l color -d 'When to colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c mem -n "__fish_mem_using_subcommand review; and __fish_seen_subcommand_from reject" -l all -d 'All of them'
complete -c mem -n "__fish_mem_using_subcommand review; and __fish_seen_subcommand_from reject" -l json -d 'Write one JSON document to stdout; errors as JSON too'
complete -c mem -n "__fish_mem_using_subcommand review; and __fish_seen_subcommand_from reject" -l jsonl -d 'Write one JSON document a line to stdout'
complete -c mem -n "__fish_mem_using_subcommand review; and __fish_seen_subcommand_from reject" -s q -l quiet -d 'Say nothing on stderr but warnings and errors'
complete -c mem -n "__fish_mem_using_subcommand review; and __fish_seen_subcommand_from reject" -l no-sync -d 'Answer from the index as it is, without looking for changed notes'
complete -c mem -n "__fish_mem_using_subcommand review; and __fish_seen_subcommand_from reject" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mem -n "__fish_mem_using_subcommand review; and __fish_seen_subcommand_from forget" -l kind -d 'Only questions of this kind; may be repeated' -r -f -a "merge\t''
conflict\t''
link\t''
mention\t''"
complete -c mem -n "__fish_mem_using_subcommand review; and __fish_seen_subcommand_from forget" -l where -d 'Only questions about notes that this query finds' -r
complete -c mem -n "__fish_mem_using_subcommand review; and __fish_seen_subcommand_from forget" -l limit -d 'At most so many' -r
complete -c mem -n "__fish_mem_using_subcommand review; and __fish_seen_subcommand_from forget" -s C -l dir -d 'Work in the vault of this folder instead of the one you are in' -r -F
complete -c mem -n "__fish_mem_using_subcommand review; and __fish_seen_subcommand_from forget" -l color -d 'When to colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c mem -n "__fish_mem_using_subcommand review; and __fish_seen_subcommand_from forget" -l all -d 'All of them'
complete -c mem -n "__fish_mem_using_subcommand review; and __fish_seen_subcommand_from forget" -l json -d 'Write one JSON document to stdout; errors as JSON too'
complete -c mem -n "__fish_mem_using_subcommand review; and __fish_seen_subcommand_from forget" -l jsonl -d 'Write one JSON document a line to stdout'
complete -c mem -n "__fish_mem_using_subcommand review; and __fish_seen_subcommand_from forget" -s q -l quiet -d 'Say nothing on stderr but warnings and errors'
complete -c mem -n "__fish_mem_using_subcommand review; and __fish_seen_subcommand_from forget" -l no-sync -d 'Answer from the index as it is, without looking for changed notes'
complete -c mem -n "__fish_mem_using_subcommand review; and __fish_seen_subcommand_from forget" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mem -n "__fish_mem_using_subcommand review; and __fish_seen_subcommand_from help" -f -a "accept" -d 'Answer yes: do it now'
complete -c mem -n "__fish_mem_using_subcommand review; and __fish_seen_subcommand_from help" -f -a "reject" -d 'Answer no: leave it, and do not ask again'
complete -c mem -n "__fish_mem_using_subcommand review; and __fish_seen_subcommand_from help" -f -a "forget" -d 'Forget an answer, so that the question is asked again'
complete -c mem -n "__fish_mem_using_subcommand review; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c mem -n "__fish_mem_using_subcommand rm" -l reason -d 'Why, for whoever looks into the trash' -r
complete -c mem -n "__fish_mem_using_subcommand rm" -s C -l dir -d 'Work in the vault of this folder instead of the one you are in' -r -F
complete -c mem -n "__fish_mem_using_subcommand rm" -l color -d 'When to colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c mem -n "__fish_mem_using_subcommand rm" -s f -l force -d 'Also notes that are marked `keep: true`'
complete -c mem -n "__fish_mem_using_subcommand rm" -s n -l dry-run -d 'Show what would change, and change nothing'
complete -c mem -n "__fish_mem_using_subcommand rm" -l json -d 'Write one JSON document to stdout; errors as JSON too'
complete -c mem -n "__fish_mem_using_subcommand rm" -l jsonl -d 'Write one JSON document a line to stdout'
complete -c mem -n "__fish_mem_using_subcommand rm" -s q -l quiet -d 'Say nothing on stderr but warnings and errors'
complete -c mem -n "__fish_mem_using_subcommand rm" -l no-sync -d 'Answer from the index as it is, without looking for changed notes'
complete -c mem -n "__fish_mem_using_subcommand rm" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mem -n "__fish_mem_using_subcommand search" -l mode -d 'Go by words and meaning, by words alone or by meaning alone' -r -f -a "hybrid\t'Words and meaning'
lexical\t'Words alone'
semantic\t'Meaning alone'"
complete -c mem -n "__fish_mem_using_subcommand search" -l min-cosine -d 'Only notes whose cosine to the query is at least this' -r
complete -c mem -n "__fish_mem_using_subcommand search" -s n -l limit -d 'Show at most so many notes' -r
complete -c mem -n "__fish_mem_using_subcommand search" -s C -l dir -d 'Work in the vault of this folder instead of the one you are in' -r -F
complete -c mem -n "__fish_mem_using_subcommand search" -l color -d 'When to colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c mem -n "__fish_mem_using_subcommand search" -l explain -d 'Show how each score comes about'
complete -c mem -n "__fish_mem_using_subcommand search" -s 0 -l null -d 'Only the paths, each followed by a NUL, for `xargs -0`'
complete -c mem -n "__fish_mem_using_subcommand search" -l vimgrep -d 'Lines like `path:line:column:text`, for editors'
complete -c mem -n "__fish_mem_using_subcommand search" -l json -d 'Write one JSON document to stdout; errors as JSON too'
complete -c mem -n "__fish_mem_using_subcommand search" -l jsonl -d 'Write one JSON document a line to stdout'
complete -c mem -n "__fish_mem_using_subcommand search" -s q -l quiet -d 'Say nothing on stderr but warnings and errors'
complete -c mem -n "__fish_mem_using_subcommand search" -l no-sync -d 'Answer from the index as it is, without looking for changed notes'
complete -c mem -n "__fish_mem_using_subcommand search" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mem -n "__fish_mem_using_subcommand show" -s C -l dir -d 'Work in the vault of this folder instead of the one you are in' -r -F
complete -c mem -n "__fish_mem_using_subcommand show" -l color -d 'When to colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c mem -n "__fish_mem_using_subcommand show" -l links -d 'Only what it links to and what links to it'
complete -c mem -n "__fish_mem_using_subcommand show" -l json -d 'Write one JSON document to stdout; errors as JSON too'
complete -c mem -n "__fish_mem_using_subcommand show" -l jsonl -d 'Write one JSON document a line to stdout'
complete -c mem -n "__fish_mem_using_subcommand show" -s q -l quiet -d 'Say nothing on stderr but warnings and errors'
complete -c mem -n "__fish_mem_using_subcommand show" -l no-sync -d 'Answer from the index as it is, without looking for changed notes'
complete -c mem -n "__fish_mem_using_subcommand show" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mem -n "__fish_mem_using_subcommand sleep" -l only -d 'Of the jobs, consider only these' -r -f -a "index\t''
dedupe\t''
conflicts\t''
link\t''"
complete -c mem -n "__fish_mem_using_subcommand sleep" -l skip -d 'Leave these jobs out' -r -f -a "index\t''
dedupe\t''
conflicts\t''
link\t''"
complete -c mem -n "__fish_mem_using_subcommand sleep" -l apply -d 'Which certain changes to make without asking [default: the setting `sleep.apply`]' -r -f -a "none\t'None: everything is proposed'
managed\t'Those that touch only notes written by mem or an agent and not edited since'
all\t'All that rules alone decide'"
complete -c mem -n "__fish_mem_using_subcommand sleep" -l max-time -d 'Begin no further job or change after this time, like 10m or 90s' -r
complete -c mem -n "__fish_mem_using_subcommand sleep" -l report -d 'Only show what an earlier sleep did: the latest, or the one so many back' -r
complete -c mem -n "__fish_mem_using_subcommand sleep" -l idle -d 'Leave notes alone that were saved within this time, like 10m [default: the setting `sleep.idle`]' -r
complete -c mem -n "__fish_mem_using_subcommand sleep" -l commit -d 'Commit what was changed, if the vault lies in a git work tree; `clean` changes nothing at all while notes hold uncommitted changes [default: the setting `sleep.commit`]' -r -f -a "never\t'Never'
always\t'Always: all that was changed, except notes that held uncommitted changes before'
clean\t'Always, and nothing is changed while a note holds uncommitted changes'"
complete -c mem -n "__fish_mem_using_subcommand sleep" -l install -d 'Have it started once an hour: shows what is added where, and asks' -r -f -a "cron\t'A line in your crontab'
systemd\t'A timer of your own systemd'
print\t'Nowhere: prints the line and the units'"
complete -c mem -n "__fish_mem_using_subcommand sleep" -l uninstall -d 'Take out what `--install` added' -r -f -a "cron\t'From your crontab'
systemd\t'From your own systemd'"
complete -c mem -n "__fish_mem_using_subcommand sleep" -s C -l dir -d 'Work in the vault of this folder instead of the one you are in' -r -F
complete -c mem -n "__fish_mem_using_subcommand sleep" -l color -d 'When to colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c mem -n "__fish_mem_using_subcommand sleep" -s n -l dry-run -d 'Show what would change, and change nothing'
complete -c mem -n "__fish_mem_using_subcommand sleep" -s a -l all -d 'Run all jobs, due or not'
complete -c mem -n "__fish_mem_using_subcommand sleep" -l wait -d 'Wait if another sleep is at work, instead of leaving the work to it'
complete -c mem -n "__fish_mem_using_subcommand sleep" -l check -d 'Say so, and end with 1, if questions wait for an answer'
complete -c mem -n "__fish_mem_using_subcommand sleep" -s v -l verbose -d 'Say what each job does as it begins and ends, also where nobody watches'
complete -c mem -n "__fish_mem_using_subcommand sleep" -s y -l yes -d 'Install or uninstall without asking'
complete -c mem -n "__fish_mem_using_subcommand sleep" -l json -d 'Write one JSON document to stdout; errors as JSON too'
complete -c mem -n "__fish_mem_using_subcommand sleep" -l jsonl -d 'Write one JSON document a line to stdout'
complete -c mem -n "__fish_mem_using_subcommand sleep" -s q -l quiet -d 'Say nothing on stderr but warnings and errors'
complete -c mem -n "__fish_mem_using_subcommand sleep" -l no-sync -d 'Answer from the index as it is, without looking for changed notes'
complete -c mem -n "__fish_mem_using_subcommand sleep" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mem -n "__fish_mem_using_subcommand status" -s C -l dir -d 'Work in the vault of this folder instead of the one you are in' -r -F
complete -c mem -n "__fish_mem_using_subcommand status" -l color -d 'When to colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c mem -n "__fish_mem_using_subcommand status" -l json -d 'Write one JSON document to stdout; errors as JSON too'
complete -c mem -n "__fish_mem_using_subcommand status" -l jsonl -d 'Write one JSON document a line to stdout'
complete -c mem -n "__fish_mem_using_subcommand status" -s q -l quiet -d 'Say nothing on stderr but warnings and errors'
complete -c mem -n "__fish_mem_using_subcommand status" -l no-sync -d 'Answer from the index as it is, without looking for changed notes'
complete -c mem -n "__fish_mem_using_subcommand status" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mem -n "__fish_mem_using_subcommand trash; and not __fish_seen_subcommand_from list empty help" -s C -l dir -d 'Work in the vault of this folder instead of the one you are in' -r -F
complete -c mem -n "__fish_mem_using_subcommand trash; and not __fish_seen_subcommand_from list empty help" -l color -d 'When to colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c mem -n "__fish_mem_using_subcommand trash; and not __fish_seen_subcommand_from list empty help" -l json -d 'Write one JSON document to stdout; errors as JSON too'
complete -c mem -n "__fish_mem_using_subcommand trash; and not __fish_seen_subcommand_from list empty help" -l jsonl -d 'Write one JSON document a line to stdout'
complete -c mem -n "__fish_mem_using_subcommand trash; and not __fish_seen_subcommand_from list empty help" -s q -l quiet -d 'Say nothing on stderr but warnings and errors'
complete -c mem -n "__fish_mem_using_subcommand trash; and not __fish_seen_subcommand_from list empty help" -l no-sync -d 'Answer from the index as it is, without looking for changed notes'
complete -c mem -n "__fish_mem_using_subcommand trash; and not __fish_seen_subcommand_from list empty help" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mem -n "__fish_mem_using_subcommand trash; and not __fish_seen_subcommand_from list empty help" -f -a "list" -d 'List the notes in the trash: from when, by which job, of what size, why'
complete -c mem -n "__fish_mem_using_subcommand trash; and not __fish_seen_subcommand_from list empty help" -f -a "empty" -d 'Delete notes from the trash, all of them if none is named'
complete -c mem -n "__fish_mem_using_subcommand trash; and not __fish_seen_subcommand_from list empty help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c mem -n "__fish_mem_using_subcommand trash; and __fish_seen_subcommand_from list" -s C -l dir -d 'Work in the vault of this folder instead of the one you are in' -r -F
complete -c mem -n "__fish_mem_using_subcommand trash; and __fish_seen_subcommand_from list" -l color -d 'When to colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c mem -n "__fish_mem_using_subcommand trash; and __fish_seen_subcommand_from list" -l json -d 'Write one JSON document to stdout; errors as JSON too'
complete -c mem -n "__fish_mem_using_subcommand trash; and __fish_seen_subcommand_from list" -l jsonl -d 'Write one JSON document a line to stdout'
complete -c mem -n "__fish_mem_using_subcommand trash; and __fish_seen_subcommand_from list" -s q -l quiet -d 'Say nothing on stderr but warnings and errors'
complete -c mem -n "__fish_mem_using_subcommand trash; and __fish_seen_subcommand_from list" -l no-sync -d 'Answer from the index as it is, without looking for changed notes'
complete -c mem -n "__fish_mem_using_subcommand trash; and __fish_seen_subcommand_from list" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mem -n "__fish_mem_using_subcommand trash; and __fish_seen_subcommand_from empty" -l older-than -d 'Only what was taken away longer ago than this: `30d`, `2w`, `6m`, `1y`' -r
complete -c mem -n "__fish_mem_using_subcommand trash; and __fish_seen_subcommand_from empty" -s C -l dir -d 'Work in the vault of this folder instead of the one you are in' -r -F
complete -c mem -n "__fish_mem_using_subcommand trash; and __fish_seen_subcommand_from empty" -l color -d 'When to colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c mem -n "__fish_mem_using_subcommand trash; and __fish_seen_subcommand_from empty" -s y -l yes -d 'Do not ask'
complete -c mem -n "__fish_mem_using_subcommand trash; and __fish_seen_subcommand_from empty" -s n -l dry-run -d 'Show what would be deleted, and delete nothing'
complete -c mem -n "__fish_mem_using_subcommand trash; and __fish_seen_subcommand_from empty" -l json -d 'Write one JSON document to stdout; errors as JSON too'
complete -c mem -n "__fish_mem_using_subcommand trash; and __fish_seen_subcommand_from empty" -l jsonl -d 'Write one JSON document a line to stdout'
complete -c mem -n "__fish_mem_using_subcommand trash; and __fish_seen_subcommand_from empty" -s q -l quiet -d 'Say nothing on stderr but warnings and errors'
complete -c mem -n "__fish_mem_using_subcommand trash; and __fish_seen_subcommand_from empty" -l no-sync -d 'Answer from the index as it is, without looking for changed notes'
complete -c mem -n "__fish_mem_using_subcommand trash; and __fish_seen_subcommand_from empty" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mem -n "__fish_mem_using_subcommand trash; and __fish_seen_subcommand_from help" -f -a "list" -d 'List the notes in the trash: from when, by which job, of what size, why'
complete -c mem -n "__fish_mem_using_subcommand trash; and __fish_seen_subcommand_from help" -f -a "empty" -d 'Delete notes from the trash, all of them if none is named'
complete -c mem -n "__fish_mem_using_subcommand trash; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c mem -n "__fish_mem_using_subcommand undo" -l note -d 'Only what it did together with this note' -r
complete -c mem -n "__fish_mem_using_subcommand undo" -s C -l dir -d 'Work in the vault of this folder instead of the one you are in' -r -F
complete -c mem -n "__fish_mem_using_subcommand undo" -l color -d 'When to colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c mem -n "__fish_mem_using_subcommand undo" -s n -l dry-run -d 'Show what would change, and change nothing'
complete -c mem -n "__fish_mem_using_subcommand undo" -l json -d 'Write one JSON document to stdout; errors as JSON too'
complete -c mem -n "__fish_mem_using_subcommand undo" -l jsonl -d 'Write one JSON document a line to stdout'
complete -c mem -n "__fish_mem_using_subcommand undo" -s q -l quiet -d 'Say nothing on stderr but warnings and errors'
complete -c mem -n "__fish_mem_using_subcommand undo" -l no-sync -d 'Answer from the index as it is, without looking for changed notes'
complete -c mem -n "__fish_mem_using_subcommand undo" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mem -n "__fish_mem_using_subcommand watch" -s C -l dir -d 'Work in the vault of this folder instead of the one you are in' -r -F
complete -c mem -n "__fish_mem_using_subcommand watch" -l color -d 'When to colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c mem -n "__fish_mem_using_subcommand watch" -l no-sleep -d 'Run no jobs, only follow the notes'
complete -c mem -n "__fish_mem_using_subcommand watch" -l json -d 'Write one JSON document to stdout; errors as JSON too'
complete -c mem -n "__fish_mem_using_subcommand watch" -l jsonl -d 'Write one JSON document a line to stdout'
complete -c mem -n "__fish_mem_using_subcommand watch" -s q -l quiet -d 'Say nothing on stderr but warnings and errors'
complete -c mem -n "__fish_mem_using_subcommand watch" -l no-sync -d 'Answer from the index as it is, without looking for changed notes'
complete -c mem -n "__fish_mem_using_subcommand watch" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mem -n "__fish_mem_using_subcommand help; and not __fish_seen_subcommand_from completions config doctor edit graph history index init dedupe conflicts link list man mv recall related remember restore review rm search show sleep status trash undo watch help" -f -a "completions" -d 'Print a completion script for a shell'
complete -c mem -n "__fish_mem_using_subcommand help; and not __fish_seen_subcommand_from completions config doctor edit graph history index init dedupe conflicts link list man mv recall related remember restore review rm search show sleep status trash undo watch help" -f -a "config" -d 'Show the settings, or change one'
complete -c mem -n "__fish_mem_using_subcommand help; and not __fish_seen_subcommand_from completions config doctor edit graph history index init dedupe conflicts link list man mv recall related remember restore review rm search show sleep status trash undo watch help" -f -a "doctor" -d 'Look for what is wrong with the vault'
complete -c mem -n "__fish_mem_using_subcommand help; and not __fish_seen_subcommand_from completions config doctor edit graph history index init dedupe conflicts link list man mv recall related remember restore review rm search show sleep status trash undo watch help" -f -a "edit" -d 'Open a note in your editor, or set properties without one'
complete -c mem -n "__fish_mem_using_subcommand help; and not __fish_seen_subcommand_from completions config doctor edit graph history index init dedupe conflicts link list man mv recall related remember restore review rm search show sleep status trash undo watch help" -f -a "graph" -d 'Show how notes are joined by links and relations'
complete -c mem -n "__fish_mem_using_subcommand help; and not __fish_seen_subcommand_from completions config doctor edit graph history index init dedupe conflicts link list man mv recall related remember restore review rm search show sleep status trash undo watch help" -f -a "history" -d 'List the runs that changed notes, or show one'
complete -c mem -n "__fish_mem_using_subcommand help; and not __fish_seen_subcommand_from completions config doctor edit graph history index init dedupe conflicts link list man mv recall related remember restore review rm search show sleep status trash undo watch help" -f -a "index" -d 'Bring the index to where the notes are'
complete -c mem -n "__fish_mem_using_subcommand help; and not __fish_seen_subcommand_from completions config doctor edit graph history index init dedupe conflicts link list man mv recall related remember restore review rm search show sleep status trash undo watch help" -f -a "init" -d 'Make a folder of notes a vault'
complete -c mem -n "__fish_mem_using_subcommand help; and not __fish_seen_subcommand_from completions config doctor edit graph history index init dedupe conflicts link list man mv recall related remember restore review rm search show sleep status trash undo watch help" -f -a "dedupe" -d 'Merge notes that say the same'
complete -c mem -n "__fish_mem_using_subcommand help; and not __fish_seen_subcommand_from completions config doctor edit graph history index init dedupe conflicts link list man mv recall related remember restore review rm search show sleep status trash undo watch help" -f -a "conflicts" -d 'Find notes that contradict or replace each other'
complete -c mem -n "__fish_mem_using_subcommand help; and not __fish_seen_subcommand_from completions config doctor edit graph history index init dedupe conflicts link list man mv recall related remember restore review rm search show sleep status trash undo watch help" -f -a "link" -d 'Link notes that belong together'
complete -c mem -n "__fish_mem_using_subcommand help; and not __fish_seen_subcommand_from completions config doctor edit graph history index init dedupe conflicts link list man mv recall related remember restore review rm search show sleep status trash undo watch help" -f -a "list" -d 'List notes'
complete -c mem -n "__fish_mem_using_subcommand help; and not __fish_seen_subcommand_from completions config doctor edit graph history index init dedupe conflicts link list man mv recall related remember restore review rm search show sleep status trash undo watch help" -f -a "man" -d 'Print the manual page, or write the pages of all commands into a folder'
complete -c mem -n "__fish_mem_using_subcommand help; and not __fish_seen_subcommand_from completions config doctor edit graph history index init dedupe conflicts link list man mv recall related remember restore review rm search show sleep status trash undo watch help" -f -a "mv" -d 'Rename a note, or move notes into a folder, and every link with them'
complete -c mem -n "__fish_mem_using_subcommand help; and not __fish_seen_subcommand_from completions config doctor edit graph history index init dedupe conflicts link list man mv recall related remember restore review rm search show sleep status trash undo watch help" -f -a "recall" -d 'Tell what the notes say about something'
complete -c mem -n "__fish_mem_using_subcommand help; and not __fish_seen_subcommand_from completions config doctor edit graph history index init dedupe conflicts link list man mv recall related remember restore review rm search show sleep status trash undo watch help" -f -a "related" -d 'Show what belongs to a note'
complete -c mem -n "__fish_mem_using_subcommand help; and not __fish_seen_subcommand_from completions config doctor edit graph history index init dedupe conflicts link list man mv recall related remember restore review rm search show sleep status trash undo watch help" -f -a "remember" -d 'Write down something to remember, as a note of its own'
complete -c mem -n "__fish_mem_using_subcommand help; and not __fish_seen_subcommand_from completions config doctor edit graph history index init dedupe conflicts link list man mv recall related remember restore review rm search show sleep status trash undo watch help" -f -a "restore" -d 'Bring notes back from the trash'
complete -c mem -n "__fish_mem_using_subcommand help; and not __fish_seen_subcommand_from completions config doctor edit graph history index init dedupe conflicts link list man mv recall related remember restore review rm search show sleep status trash undo watch help" -f -a "review" -d 'Answer what the jobs may not decide alone'
complete -c mem -n "__fish_mem_using_subcommand help; and not __fish_seen_subcommand_from completions config doctor edit graph history index init dedupe conflicts link list man mv recall related remember restore review rm search show sleep status trash undo watch help" -f -a "rm" -d 'Move notes to the trash'
complete -c mem -n "__fish_mem_using_subcommand help; and not __fish_seen_subcommand_from completions config doctor edit graph history index init dedupe conflicts link list man mv recall related remember restore review rm search show sleep status trash undo watch help" -f -a "search" -d 'Find notes by their words and by what they mean'
complete -c mem -n "__fish_mem_using_subcommand help; and not __fish_seen_subcommand_from completions config doctor edit graph history index init dedupe conflicts link list man mv recall related remember restore review rm search show sleep status trash undo watch help" -f -a "show" -d 'Print a note'
complete -c mem -n "__fish_mem_using_subcommand help; and not __fish_seen_subcommand_from completions config doctor edit graph history index init dedupe conflicts link list man mv recall related remember restore review rm search show sleep status trash undo watch help" -f -a "sleep" -d 'Do the maintenance that is due: index, then dedupe, conflicts and link'
complete -c mem -n "__fish_mem_using_subcommand help; and not __fish_seen_subcommand_from completions config doctor edit graph history index init dedupe conflicts link list man mv recall related remember restore review rm search show sleep status trash undo watch help" -f -a "status" -d 'Say how the vault is: notes, index, jobs, what waits for an answer'
complete -c mem -n "__fish_mem_using_subcommand help; and not __fish_seen_subcommand_from completions config doctor edit graph history index init dedupe conflicts link list man mv recall related remember restore review rm search show sleep status trash undo watch help" -f -a "trash" -d 'Show what was taken away, or empty the trash'
complete -c mem -n "__fish_mem_using_subcommand help; and not __fish_seen_subcommand_from completions config doctor edit graph history index init dedupe conflicts link list man mv recall related remember restore review rm search show sleep status trash undo watch help" -f -a "undo" -d 'Take back a run'
complete -c mem -n "__fish_mem_using_subcommand help; and not __fish_seen_subcommand_from completions config doctor edit graph history index init dedupe conflicts link list man mv recall related remember restore review rm search show sleep status trash undo watch help" -f -a "watch" -d 'Keep the index where the notes are, while you write'
complete -c mem -n "__fish_mem_using_subcommand help; and not __fish_seen_subcommand_from completions config doctor edit graph history index init dedupe conflicts link list man mv recall related remember restore review rm search show sleep status trash undo watch help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c mem -n "__fish_mem_using_subcommand help; and __fish_seen_subcommand_from history" -f -a "purge" -d 'Delete what history keeps, for good'
complete -c mem -n "__fish_mem_using_subcommand help; and __fish_seen_subcommand_from review" -f -a "accept" -d 'Answer yes: do it now'
complete -c mem -n "__fish_mem_using_subcommand help; and __fish_seen_subcommand_from review" -f -a "reject" -d 'Answer no: leave it, and do not ask again'
complete -c mem -n "__fish_mem_using_subcommand help; and __fish_seen_subcommand_from review" -f -a "forget" -d 'Forget an answer, so that the question is asked again'
complete -c mem -n "__fish_mem_using_subcommand help; and __fish_seen_subcommand_from trash" -f -a "list" -d 'List the notes in the trash: from when, by which job, of what size, why'
complete -c mem -n "__fish_mem_using_subcommand help; and __fish_seen_subcommand_from trash" -f -a "empty" -d 'Delete notes from the trash, all of them if none is named'
