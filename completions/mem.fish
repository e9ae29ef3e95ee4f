# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_mem_global_optspecs
    string join \n C/dir= json jsonl q/quiet color= no-sync no-pager h/help V/version
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

complete -c mem -n "__fish_mem_needs_command" -s C -l dir -d 'Use the vault in this folder or above it' -r -F
complete -c mem -n "__fish_mem_needs_command" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c mem -n "__fish_mem_needs_command" -l json -d 'Print one JSON document; errors are JSON, too'
complete -c mem -n "__fish_mem_needs_command" -l jsonl -d 'Print one JSON document per line'
complete -c mem -n "__fish_mem_needs_command" -s q -l quiet -d 'Print only warnings and errors to stderr'
complete -c mem -n "__fish_mem_needs_command" -l no-sync -d 'Use the index as it is, without checking for changed notes'
complete -c mem -n "__fish_mem_needs_command" -l no-pager -d 'Print long output to the terminal instead of a pager'
complete -c mem -n "__fish_mem_needs_command" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mem -n "__fish_mem_needs_command" -s V -l version -d 'Print version'
complete -c mem -n "__fish_mem_needs_command" -f -a "completions" -d 'Print a shell completion script'
complete -c mem -n "__fish_mem_needs_command" -f -a "config" -d 'Show settings or change one'
complete -c mem -n "__fish_mem_needs_command" -f -a "confirm" -d 'Say that notes are still true'
complete -c mem -n "__fish_mem_needs_command" -f -a "demo" -d 'Show what mem does, on sample notes'
complete -c mem -n "__fish_mem_needs_command" -f -a "doctor" -d 'Check the vault for problems'
complete -c mem -n "__fish_mem_needs_command" -f -a "edit" -d 'Open a note in your editor, or set properties without one'
complete -c mem -n "__fish_mem_needs_command" -f -a "extract" -d 'List what notes state, as subject, predicate, object'
complete -c mem -n "__fish_mem_needs_command" -f -a "graph" -d 'Show links and relations between notes'
complete -c mem -n "__fish_mem_needs_command" -f -a "history" -d 'List the runs that changed notes, or show one'
complete -c mem -n "__fish_mem_needs_command" -f -a "index" -d 'Update the index'
complete -c mem -n "__fish_mem_needs_command" -f -a "init" -d 'Turn a folder of notes into a vault'
complete -c mem -n "__fish_mem_needs_command" -f -a "dedupe" -d 'Merge duplicate notes'
complete -c mem -n "__fish_mem_needs_command" -f -a "conflicts" -d 'Find notes that contradict or replace each other'
complete -c mem -n "__fish_mem_needs_command" -f -a "link" -d 'Link related notes'
complete -c mem -n "__fish_mem_needs_command" -f -a "spaces" -d 'Give notes the space of their neighbours'
complete -c mem -n "__fish_mem_needs_command" -f -a "associate" -d 'Draw a few notes and relate those that have to do with each other'
complete -c mem -n "__fish_mem_needs_command" -f -a "cluster" -d 'Write a summary of each group of similar notes'
complete -c mem -n "__fish_mem_needs_command" -f -a "consolidate" -d 'Propose one note in the place of several that say much the same'
complete -c mem -n "__fish_mem_needs_command" -f -a "split" -d 'Propose one note a fact, where a note has several'
complete -c mem -n "__fish_mem_needs_command" -f -a "decay" -d 'Archive notes that fade, and bring back those that are used'
complete -c mem -n "__fish_mem_needs_command" -f -a "forget" -d 'Forget archival notes that do not matter any more'
complete -c mem -n "__fish_mem_needs_command" -f -a "views" -d 'Keep lists of notes up to date that are marked in notes'
complete -c mem -n "__fish_mem_needs_command" -f -a "judge" -d 'Let a model or any program answer open questions'
complete -c mem -n "__fish_mem_needs_command" -f -a "list" -d 'List notes'
complete -c mem -n "__fish_mem_needs_command" -f -a "man" -d 'Print the manual page, or write the pages of all commands to a folder'
complete -c mem -n "__fish_mem_needs_command" -f -a "mv" -d 'Rename a note, or move notes into a folder, and every link with them'
complete -c mem -n "__fish_mem_needs_command" -f -a "outline" -d 'Show the headings of a note'
complete -c mem -n "__fish_mem_needs_command" -f -a "presets" -d 'List presets, or print one to read and copy'
complete -c mem -n "__fish_mem_needs_command" -f -a "recall" -d 'Print the passages that answer a question'
complete -c mem -n "__fish_mem_needs_command" -f -a "reinforce" -d 'Say that notes were useful, or useless'
complete -c mem -n "__fish_mem_needs_command" -f -a "related" -d 'Show what is related to a note'
complete -c mem -n "__fish_mem_needs_command" -f -a "remember" -d 'Save a text as a new note'
complete -c mem -n "__fish_mem_needs_command" -f -a "restore" -d 'Restore notes from the trash'
complete -c mem -n "__fish_mem_needs_command" -f -a "resurface" -d 'Show notes worth another look'
complete -c mem -n "__fish_mem_needs_command" -f -a "review" -d 'Answer the questions of maintenance jobs'
complete -c mem -n "__fish_mem_needs_command" -f -a "rm" -d 'Move notes to the trash'
complete -c mem -n "__fish_mem_needs_command" -f -a "rules" -d 'Do what your rules say'
complete -c mem -n "__fish_mem_needs_command" -f -a "score" -d 'Recompute signals and show what moved'
complete -c mem -n "__fish_mem_needs_command" -f -a "search" -d 'Search notes by words and meaning'
complete -c mem -n "__fish_mem_needs_command" -f -a "settle" -d 'Write what was learned from use into the notes of mem and agents'
complete -c mem -n "__fish_mem_needs_command" -f -a "show" -d 'Print a note'
complete -c mem -n "__fish_mem_needs_command" -f -a "sleep" -d 'Run the maintenance jobs that are due'
complete -c mem -n "__fish_mem_needs_command" -f -a "status" -d 'Show the state of the vault: notes, index, jobs, open questions'
complete -c mem -n "__fish_mem_needs_command" -f -a "tasks" -d 'List tasks, or tick one'
complete -c mem -n "__fish_mem_needs_command" -f -a "trash" -d 'List or empty the trash'
complete -c mem -n "__fish_mem_needs_command" -f -a "undo" -d 'Undo a run'
complete -c mem -n "__fish_mem_needs_command" -f -a "watch" -d 'Update the index as you write'
complete -c mem -n "__fish_mem_needs_command" -f -a "why" -d 'Explain the numbers of a note'
complete -c mem -n "__fish_mem_needs_command" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c mem -n "__fish_mem_using_subcommand completions" -s C -l dir -d 'Use the vault in this folder or above it' -r -F
complete -c mem -n "__fish_mem_using_subcommand completions" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c mem -n "__fish_mem_using_subcommand completions" -l json -d 'Print one JSON document; errors are JSON, too'
complete -c mem -n "__fish_mem_using_subcommand completions" -l jsonl -d 'Print one JSON document per line'
complete -c mem -n "__fish_mem_using_subcommand completions" -s q -l quiet -d 'Print only warnings and errors to stderr'
complete -c mem -n "__fish_mem_using_subcommand completions" -l no-sync -d 'Use the index as it is, without checking for changed notes'
complete -c mem -n "__fish_mem_using_subcommand completions" -l no-pager -d 'Print long output to the terminal instead of a pager'
complete -c mem -n "__fish_mem_using_subcommand completions" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mem -n "__fish_mem_using_subcommand config" -s C -l dir -d 'Use the vault in this folder or above it' -r -F
complete -c mem -n "__fish_mem_using_subcommand config" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c mem -n "__fish_mem_using_subcommand config" -l vault -d 'Use the vault\'s file instead of yours'
complete -c mem -n "__fish_mem_using_subcommand config" -l unset -d 'Remove the setting from the file'
complete -c mem -n "__fish_mem_using_subcommand config" -l json -d 'Print one JSON document; errors are JSON, too'
complete -c mem -n "__fish_mem_using_subcommand config" -l jsonl -d 'Print one JSON document per line'
complete -c mem -n "__fish_mem_using_subcommand config" -s q -l quiet -d 'Print only warnings and errors to stderr'
complete -c mem -n "__fish_mem_using_subcommand config" -l no-sync -d 'Use the index as it is, without checking for changed notes'
complete -c mem -n "__fish_mem_using_subcommand config" -l no-pager -d 'Print long output to the terminal instead of a pager'
complete -c mem -n "__fish_mem_using_subcommand config" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mem -n "__fish_mem_using_subcommand confirm" -s C -l dir -d 'Use the vault in this folder or above it' -r -F
complete -c mem -n "__fish_mem_using_subcommand confirm" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c mem -n "__fish_mem_using_subcommand confirm" -l json -d 'Print one JSON document; errors are JSON, too'
complete -c mem -n "__fish_mem_using_subcommand confirm" -l jsonl -d 'Print one JSON document per line'
complete -c mem -n "__fish_mem_using_subcommand confirm" -s q -l quiet -d 'Print only warnings and errors to stderr'
complete -c mem -n "__fish_mem_using_subcommand confirm" -l no-sync -d 'Use the index as it is, without checking for changed notes'
complete -c mem -n "__fish_mem_using_subcommand confirm" -l no-pager -d 'Print long output to the terminal instead of a pager'
complete -c mem -n "__fish_mem_using_subcommand confirm" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mem -n "__fish_mem_using_subcommand demo" -s C -l dir -d 'Use the vault in this folder or above it' -r -F
complete -c mem -n "__fish_mem_using_subcommand demo" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c mem -n "__fish_mem_using_subcommand demo" -l json -d 'Print one JSON document; errors are JSON, too'
complete -c mem -n "__fish_mem_using_subcommand demo" -l jsonl -d 'Print one JSON document per line'
complete -c mem -n "__fish_mem_using_subcommand demo" -s q -l quiet -d 'Print only warnings and errors to stderr'
complete -c mem -n "__fish_mem_using_subcommand demo" -l no-sync -d 'Use the index as it is, without checking for changed notes'
complete -c mem -n "__fish_mem_using_subcommand demo" -l no-pager -d 'Print long output to the terminal instead of a pager'
complete -c mem -n "__fish_mem_using_subcommand demo" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mem -n "__fish_mem_using_subcommand doctor" -l only -d 'Only these kinds of problems, comma-separated' -r -f -a "broken-link\t''
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
run-record\t''
journal-copy\t''
shared-device\t''
unreadable-journal\t''"
complete -c mem -n "__fish_mem_using_subcommand doctor" -l expect -d 'Refuse to change anything if more than N notes would change' -r
complete -c mem -n "__fish_mem_using_subcommand doctor" -s C -l dir -d 'Use the vault in this folder or above it' -r -F
complete -c mem -n "__fish_mem_using_subcommand doctor" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c mem -n "__fish_mem_using_subcommand doctor" -l fix -d 'Repair what can be repaired, in your own notes too'
complete -c mem -n "__fish_mem_using_subcommand doctor" -s n -l dry-run -d 'Preview what `--fix` would change'
complete -c mem -n "__fish_mem_using_subcommand doctor" -l sizes -d 'Also show disk usage'
complete -c mem -n "__fish_mem_using_subcommand doctor" -l json -d 'Print one JSON document; errors are JSON, too'
complete -c mem -n "__fish_mem_using_subcommand doctor" -l jsonl -d 'Print one JSON document per line'
complete -c mem -n "__fish_mem_using_subcommand doctor" -s q -l quiet -d 'Print only warnings and errors to stderr'
complete -c mem -n "__fish_mem_using_subcommand doctor" -l no-sync -d 'Use the index as it is, without checking for changed notes'
complete -c mem -n "__fish_mem_using_subcommand doctor" -l no-pager -d 'Print long output to the terminal instead of a pager'
complete -c mem -n "__fish_mem_using_subcommand doctor" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mem -n "__fish_mem_using_subcommand edit" -l set -d 'Set a property; repeatable' -r
complete -c mem -n "__fish_mem_using_subcommand edit" -l unset -d 'Remove a property; repeatable' -r
complete -c mem -n "__fish_mem_using_subcommand edit" -l append -d 'Add a value to a list unless present; repeatable' -r
complete -c mem -n "__fish_mem_using_subcommand edit" -l remove -d 'Remove a value from a list; repeatable' -r
complete -c mem -n "__fish_mem_using_subcommand edit" -s t -l tag -d 'Add tags; repeatable' -r
complete -c mem -n "__fish_mem_using_subcommand edit" -l untag -d 'Remove tags; repeatable' -r
complete -c mem -n "__fish_mem_using_subcommand edit" -l outdated -d 'Mark the note as no longer valid, from DATE [default: now]' -r
complete -c mem -n "__fish_mem_using_subcommand edit" -s C -l dir -d 'Use the vault in this folder or above it' -r -F
complete -c mem -n "__fish_mem_using_subcommand edit" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c mem -n "__fish_mem_using_subcommand edit" -l keep -d 'Protect the note from merging and forgetting'
complete -c mem -n "__fish_mem_using_subcommand edit" -l no-keep -d 'Remove the protection'
complete -c mem -n "__fish_mem_using_subcommand edit" -l no-touch -d 'Do not count this as a use of the notes'
complete -c mem -n "__fish_mem_using_subcommand edit" -s n -l dry-run -d 'Preview the changes without making them'
complete -c mem -n "__fish_mem_using_subcommand edit" -l json -d 'Print one JSON document; errors are JSON, too'
complete -c mem -n "__fish_mem_using_subcommand edit" -l jsonl -d 'Print one JSON document per line'
complete -c mem -n "__fish_mem_using_subcommand edit" -s q -l quiet -d 'Print only warnings and errors to stderr'
complete -c mem -n "__fish_mem_using_subcommand edit" -l no-sync -d 'Use the index as it is, without checking for changed notes'
complete -c mem -n "__fish_mem_using_subcommand edit" -l no-pager -d 'Print long output to the terminal instead of a pager'
complete -c mem -n "__fish_mem_using_subcommand edit" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mem -n "__fish_mem_using_subcommand extract" -l predicate -d 'Only facts of this predicate, like `requires` or `works at`; repeatable' -r
complete -c mem -n "__fish_mem_using_subcommand extract" -s n -l limit -d 'List at most N' -r
complete -c mem -n "__fish_mem_using_subcommand extract" -s C -l dir -d 'Use the vault in this folder or above it' -r -F
complete -c mem -n "__fish_mem_using_subcommand extract" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c mem -n "__fish_mem_using_subcommand extract" -l judge -d 'Have the judge read the notes first'
complete -c mem -n "__fish_mem_using_subcommand extract" -l dry-run -d 'With --judge, show what it would be asked, and ask nobody (-n is --limit here)'
complete -c mem -n "__fish_mem_using_subcommand extract" -l json -d 'Print one JSON document; errors are JSON, too'
complete -c mem -n "__fish_mem_using_subcommand extract" -l jsonl -d 'Print one JSON document per line'
complete -c mem -n "__fish_mem_using_subcommand extract" -s q -l quiet -d 'Print only warnings and errors to stderr'
complete -c mem -n "__fish_mem_using_subcommand extract" -l no-sync -d 'Use the index as it is, without checking for changed notes'
complete -c mem -n "__fish_mem_using_subcommand extract" -l no-pager -d 'Print long output to the terminal instead of a pager'
complete -c mem -n "__fish_mem_using_subcommand extract" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mem -n "__fish_mem_using_subcommand graph" -l hops -d 'Number of edges to follow' -r
complete -c mem -n "__fish_mem_using_subcommand graph" -l relation -d 'Only edges of this relation (in either direction), property or predicate; `link` is a link in the text; repeatable' -r
complete -c mem -n "__fish_mem_using_subcommand graph" -l by -d 'Only edges stated by this job or command: link, conflicts, remember, review, …' -r
complete -c mem -n "__fish_mem_using_subcommand graph" -l where -d 'Only edges between notes that match this query; repeatable' -r
complete -c mem -n "__fish_mem_using_subcommand graph" -l format -d 'Output format' -r -f -a "text\t'For a person'
json\t'One JSON document, as with `--json`; `--jsonl` writes an edge a line'
dot\t'For Graphviz'
mermaid\t'For Markdown'
html\t'One page for a browser, to search and click through: `mem graph --format html > graph.html`'"
complete -c mem -n "__fish_mem_using_subcommand graph" -s C -l dir -d 'Use the vault in this folder or above it' -r -F
complete -c mem -n "__fish_mem_using_subcommand graph" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c mem -n "__fish_mem_using_subcommand graph" -l facts -d 'Show what notes state about it instead of links and relations'
complete -c mem -n "__fish_mem_using_subcommand graph" -l json -d 'Print one JSON document; errors are JSON, too'
complete -c mem -n "__fish_mem_using_subcommand graph" -l jsonl -d 'Print one JSON document per line'
complete -c mem -n "__fish_mem_using_subcommand graph" -s q -l quiet -d 'Print only warnings and errors to stderr'
complete -c mem -n "__fish_mem_using_subcommand graph" -l no-sync -d 'Use the index as it is, without checking for changed notes'
complete -c mem -n "__fish_mem_using_subcommand graph" -l no-pager -d 'Print long output to the terminal instead of a pager'
complete -c mem -n "__fish_mem_using_subcommand graph" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mem -n "__fish_mem_using_subcommand history; and not __fish_seen_subcommand_from purge help" -l job -d 'Only runs of this job' -r
complete -c mem -n "__fish_mem_using_subcommand history; and not __fish_seen_subcommand_from purge help" -s n -l limit -d 'List at most N' -r
complete -c mem -n "__fish_mem_using_subcommand history; and not __fish_seen_subcommand_from purge help" -l format -d 'Print each record by a template, like `\'{{ path }}: {{ tags | join(" ") }}\'`' -r
complete -c mem -n "__fish_mem_using_subcommand history; and not __fish_seen_subcommand_from purge help" -s C -l dir -d 'Use the vault in this folder or above it' -r -F
complete -c mem -n "__fish_mem_using_subcommand history; and not __fish_seen_subcommand_from purge help" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c mem -n "__fish_mem_using_subcommand history; and not __fish_seen_subcommand_from purge help" -l tsv -d 'Print records as columns parted by tabs, below a line with their names'
complete -c mem -n "__fish_mem_using_subcommand history; and not __fish_seen_subcommand_from purge help" -l json -d 'Print one JSON document; errors are JSON, too'
complete -c mem -n "__fish_mem_using_subcommand history; and not __fish_seen_subcommand_from purge help" -l jsonl -d 'Print one JSON document per line'
complete -c mem -n "__fish_mem_using_subcommand history; and not __fish_seen_subcommand_from purge help" -s q -l quiet -d 'Print only warnings and errors to stderr'
complete -c mem -n "__fish_mem_using_subcommand history; and not __fish_seen_subcommand_from purge help" -l no-sync -d 'Use the index as it is, without checking for changed notes'
complete -c mem -n "__fish_mem_using_subcommand history; and not __fish_seen_subcommand_from purge help" -l no-pager -d 'Print long output to the terminal instead of a pager'
complete -c mem -n "__fish_mem_using_subcommand history; and not __fish_seen_subcommand_from purge help" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mem -n "__fish_mem_using_subcommand history; and not __fish_seen_subcommand_from purge help" -a "purge" -d 'Permanently delete undo history'
complete -c mem -n "__fish_mem_using_subcommand history; and not __fish_seen_subcommand_from purge help" -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c mem -n "__fish_mem_using_subcommand history; and __fish_seen_subcommand_from purge" -l note -d 'Delete every copy of this note (its name, or the path of a removed note)' -r
complete -c mem -n "__fish_mem_using_subcommand history; and __fish_seen_subcommand_from purge" -l older-than -d 'Only runs older than this: `90d`, `6m`, `1y`' -r
complete -c mem -n "__fish_mem_using_subcommand history; and __fish_seen_subcommand_from purge" -s C -l dir -d 'Use the vault in this folder or above it' -r -F
complete -c mem -n "__fish_mem_using_subcommand history; and __fish_seen_subcommand_from purge" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c mem -n "__fish_mem_using_subcommand history; and __fish_seen_subcommand_from purge" -s y -l yes -d 'Do not ask for confirmation'
complete -c mem -n "__fish_mem_using_subcommand history; and __fish_seen_subcommand_from purge" -s n -l dry-run -d 'Preview what would be deleted'
complete -c mem -n "__fish_mem_using_subcommand history; and __fish_seen_subcommand_from purge" -l json -d 'Print one JSON document; errors are JSON, too'
complete -c mem -n "__fish_mem_using_subcommand history; and __fish_seen_subcommand_from purge" -l jsonl -d 'Print one JSON document per line'
complete -c mem -n "__fish_mem_using_subcommand history; and __fish_seen_subcommand_from purge" -s q -l quiet -d 'Print only warnings and errors to stderr'
complete -c mem -n "__fish_mem_using_subcommand history; and __fish_seen_subcommand_from purge" -l no-sync -d 'Use the index as it is, without checking for changed notes'
complete -c mem -n "__fish_mem_using_subcommand history; and __fish_seen_subcommand_from purge" -l no-pager -d 'Print long output to the terminal instead of a pager'
complete -c mem -n "__fish_mem_using_subcommand history; and __fish_seen_subcommand_from purge" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mem -n "__fish_mem_using_subcommand history; and __fish_seen_subcommand_from help" -f -a "purge" -d 'Permanently delete undo history'
complete -c mem -n "__fish_mem_using_subcommand history; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c mem -n "__fish_mem_using_subcommand index" -s C -l dir -d 'Use the vault in this folder or above it' -r -F
complete -c mem -n "__fish_mem_using_subcommand index" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c mem -n "__fish_mem_using_subcommand index" -l rebuild -d 'Rebuild the index from the vault as it is now'
complete -c mem -n "__fish_mem_using_subcommand index" -l hnsw -d 'Rebuild the HNSW search graph now if it is incomplete'
complete -c mem -n "__fish_mem_using_subcommand index" -l json -d 'Print one JSON document; errors are JSON, too'
complete -c mem -n "__fish_mem_using_subcommand index" -l jsonl -d 'Print one JSON document per line'
complete -c mem -n "__fish_mem_using_subcommand index" -s q -l quiet -d 'Print only warnings and errors to stderr'
complete -c mem -n "__fish_mem_using_subcommand index" -l no-sync -d 'Use the index as it is, without checking for changed notes'
complete -c mem -n "__fish_mem_using_subcommand index" -l no-pager -d 'Print long output to the terminal instead of a pager'
complete -c mem -n "__fish_mem_using_subcommand index" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mem -n "__fish_mem_using_subcommand init" -l preset -d 'Begin with the settings and rules of these presets; `mem help presets` lists them' -r
complete -c mem -n "__fish_mem_using_subcommand init" -s C -l dir -d 'Use the vault in this folder or above it' -r -F
complete -c mem -n "__fish_mem_using_subcommand init" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c mem -n "__fish_mem_using_subcommand init" -l force -d 'Allow a folder inside a vault, a home folder, or the root'
complete -c mem -n "__fish_mem_using_subcommand init" -l json -d 'Print one JSON document; errors are JSON, too'
complete -c mem -n "__fish_mem_using_subcommand init" -l jsonl -d 'Print one JSON document per line'
complete -c mem -n "__fish_mem_using_subcommand init" -s q -l quiet -d 'Print only warnings and errors to stderr'
complete -c mem -n "__fish_mem_using_subcommand init" -l no-sync -d 'Use the index as it is, without checking for changed notes'
complete -c mem -n "__fish_mem_using_subcommand init" -l no-pager -d 'Print long output to the terminal instead of a pager'
complete -c mem -n "__fish_mem_using_subcommand init" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mem -n "__fish_mem_using_subcommand dedupe" -l apply -d 'Which changes to apply without asking [default: setting `sleep.apply`]' -r -f -a "none\t'Apply nothing; ask about everything'
managed\t'What mem is sure of, in notes written by mem or an agent and not edited since'
all\t'What mem is sure of, in your own notes too'"
complete -c mem -n "__fish_mem_using_subcommand dedupe" -l limit -d 'Make and show at most N changes and N questions' -r
complete -c mem -n "__fish_mem_using_subcommand dedupe" -l expect -d 'Refuse to change anything if more than N changes would be made' -r
complete -c mem -n "__fish_mem_using_subcommand dedupe" -s C -l dir -d 'Use the vault in this folder or above it' -r -F
complete -c mem -n "__fish_mem_using_subcommand dedupe" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c mem -n "__fish_mem_using_subcommand dedupe" -s n -l dry-run -d 'Preview the changes without making them'
complete -c mem -n "__fish_mem_using_subcommand dedupe" -l full -d 'Check all notes, not only those changed since the last run'
complete -c mem -n "__fish_mem_using_subcommand dedupe" -l json -d 'Print one JSON document; errors are JSON, too'
complete -c mem -n "__fish_mem_using_subcommand dedupe" -l jsonl -d 'Print one JSON document per line'
complete -c mem -n "__fish_mem_using_subcommand dedupe" -s q -l quiet -d 'Print only warnings and errors to stderr'
complete -c mem -n "__fish_mem_using_subcommand dedupe" -l no-sync -d 'Use the index as it is, without checking for changed notes'
complete -c mem -n "__fish_mem_using_subcommand dedupe" -l no-pager -d 'Print long output to the terminal instead of a pager'
complete -c mem -n "__fish_mem_using_subcommand dedupe" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mem -n "__fish_mem_using_subcommand conflicts" -l apply -d 'Which changes to apply without asking [default: setting `sleep.apply`]' -r -f -a "none\t'Apply nothing; ask about everything'
managed\t'What mem is sure of, in notes written by mem or an agent and not edited since'
all\t'What mem is sure of, in your own notes too'"
complete -c mem -n "__fish_mem_using_subcommand conflicts" -l limit -d 'Make and show at most N changes and N questions' -r
complete -c mem -n "__fish_mem_using_subcommand conflicts" -l expect -d 'Refuse to change anything if more than N changes would be made' -r
complete -c mem -n "__fish_mem_using_subcommand conflicts" -s C -l dir -d 'Use the vault in this folder or above it' -r -F
complete -c mem -n "__fish_mem_using_subcommand conflicts" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c mem -n "__fish_mem_using_subcommand conflicts" -s n -l dry-run -d 'Preview the changes without making them'
complete -c mem -n "__fish_mem_using_subcommand conflicts" -l full -d 'Check all notes, not only those changed since the last run'
complete -c mem -n "__fish_mem_using_subcommand conflicts" -l json -d 'Print one JSON document; errors are JSON, too'
complete -c mem -n "__fish_mem_using_subcommand conflicts" -l jsonl -d 'Print one JSON document per line'
complete -c mem -n "__fish_mem_using_subcommand conflicts" -s q -l quiet -d 'Print only warnings and errors to stderr'
complete -c mem -n "__fish_mem_using_subcommand conflicts" -l no-sync -d 'Use the index as it is, without checking for changed notes'
complete -c mem -n "__fish_mem_using_subcommand conflicts" -l no-pager -d 'Print long output to the terminal instead of a pager'
complete -c mem -n "__fish_mem_using_subcommand conflicts" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mem -n "__fish_mem_using_subcommand link" -l apply -d 'Which changes to apply without asking [default: setting `sleep.apply`]' -r -f -a "none\t'Apply nothing; ask about everything'
managed\t'What mem is sure of, in notes written by mem or an agent and not edited since'
all\t'What mem is sure of, in your own notes too'"
complete -c mem -n "__fish_mem_using_subcommand link" -l limit -d 'Make and show at most N changes and N questions' -r
complete -c mem -n "__fish_mem_using_subcommand link" -l expect -d 'Refuse to change anything if more than N changes would be made' -r
complete -c mem -n "__fish_mem_using_subcommand link" -s C -l dir -d 'Use the vault in this folder or above it' -r -F
complete -c mem -n "__fish_mem_using_subcommand link" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c mem -n "__fish_mem_using_subcommand link" -s n -l dry-run -d 'Preview the changes without making them'
complete -c mem -n "__fish_mem_using_subcommand link" -l full -d 'Check all notes, not only those changed since the last run'
complete -c mem -n "__fish_mem_using_subcommand link" -l json -d 'Print one JSON document; errors are JSON, too'
complete -c mem -n "__fish_mem_using_subcommand link" -l jsonl -d 'Print one JSON document per line'
complete -c mem -n "__fish_mem_using_subcommand link" -s q -l quiet -d 'Print only warnings and errors to stderr'
complete -c mem -n "__fish_mem_using_subcommand link" -l no-sync -d 'Use the index as it is, without checking for changed notes'
complete -c mem -n "__fish_mem_using_subcommand link" -l no-pager -d 'Print long output to the terminal instead of a pager'
complete -c mem -n "__fish_mem_using_subcommand link" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mem -n "__fish_mem_using_subcommand spaces" -l apply -d 'Which changes to apply without asking [default: setting `sleep.apply`]' -r -f -a "none\t'Apply nothing; ask about everything'
managed\t'What mem is sure of, in notes written by mem or an agent and not edited since'
all\t'What mem is sure of, in your own notes too'"
complete -c mem -n "__fish_mem_using_subcommand spaces" -l limit -d 'Make and show at most N changes and N questions' -r
complete -c mem -n "__fish_mem_using_subcommand spaces" -l expect -d 'Refuse to change anything if more than N changes would be made' -r
complete -c mem -n "__fish_mem_using_subcommand spaces" -s C -l dir -d 'Use the vault in this folder or above it' -r -F
complete -c mem -n "__fish_mem_using_subcommand spaces" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c mem -n "__fish_mem_using_subcommand spaces" -s n -l dry-run -d 'Preview the changes without making them'
complete -c mem -n "__fish_mem_using_subcommand spaces" -l full -d 'Check all notes, not only those changed since the last run'
complete -c mem -n "__fish_mem_using_subcommand spaces" -l json -d 'Print one JSON document; errors are JSON, too'
complete -c mem -n "__fish_mem_using_subcommand spaces" -l jsonl -d 'Print one JSON document per line'
complete -c mem -n "__fish_mem_using_subcommand spaces" -s q -l quiet -d 'Print only warnings and errors to stderr'
complete -c mem -n "__fish_mem_using_subcommand spaces" -l no-sync -d 'Use the index as it is, without checking for changed notes'
complete -c mem -n "__fish_mem_using_subcommand spaces" -l no-pager -d 'Print long output to the terminal instead of a pager'
complete -c mem -n "__fish_mem_using_subcommand spaces" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mem -n "__fish_mem_using_subcommand associate" -l apply -d 'Which changes to apply without asking [default: setting `sleep.apply`]' -r -f -a "none\t'Apply nothing; ask about everything'
managed\t'What mem is sure of, in notes written by mem or an agent and not edited since'
all\t'What mem is sure of, in your own notes too'"
complete -c mem -n "__fish_mem_using_subcommand associate" -l limit -d 'Make and show at most N changes and N questions' -r
complete -c mem -n "__fish_mem_using_subcommand associate" -l expect -d 'Refuse to change anything if more than N changes would be made' -r
complete -c mem -n "__fish_mem_using_subcommand associate" -s C -l dir -d 'Use the vault in this folder or above it' -r -F
complete -c mem -n "__fish_mem_using_subcommand associate" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c mem -n "__fish_mem_using_subcommand associate" -s n -l dry-run -d 'Preview the changes without making them'
complete -c mem -n "__fish_mem_using_subcommand associate" -l full -d 'Check all notes, not only those changed since the last run'
complete -c mem -n "__fish_mem_using_subcommand associate" -l json -d 'Print one JSON document; errors are JSON, too'
complete -c mem -n "__fish_mem_using_subcommand associate" -l jsonl -d 'Print one JSON document per line'
complete -c mem -n "__fish_mem_using_subcommand associate" -s q -l quiet -d 'Print only warnings and errors to stderr'
complete -c mem -n "__fish_mem_using_subcommand associate" -l no-sync -d 'Use the index as it is, without checking for changed notes'
complete -c mem -n "__fish_mem_using_subcommand associate" -l no-pager -d 'Print long output to the terminal instead of a pager'
complete -c mem -n "__fish_mem_using_subcommand associate" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mem -n "__fish_mem_using_subcommand cluster" -l apply -d 'Which changes to apply without asking [default: setting `sleep.apply`]' -r -f -a "none\t'Apply nothing; ask about everything'
managed\t'What mem is sure of, in notes written by mem or an agent and not edited since'
all\t'What mem is sure of, in your own notes too'"
complete -c mem -n "__fish_mem_using_subcommand cluster" -l limit -d 'Make and show at most N changes and N questions' -r
complete -c mem -n "__fish_mem_using_subcommand cluster" -l expect -d 'Refuse to change anything if more than N changes would be made' -r
complete -c mem -n "__fish_mem_using_subcommand cluster" -s C -l dir -d 'Use the vault in this folder or above it' -r -F
complete -c mem -n "__fish_mem_using_subcommand cluster" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c mem -n "__fish_mem_using_subcommand cluster" -s n -l dry-run -d 'Preview the changes without making them'
complete -c mem -n "__fish_mem_using_subcommand cluster" -l full -d 'Check all notes, not only those changed since the last run'
complete -c mem -n "__fish_mem_using_subcommand cluster" -l json -d 'Print one JSON document; errors are JSON, too'
complete -c mem -n "__fish_mem_using_subcommand cluster" -l jsonl -d 'Print one JSON document per line'
complete -c mem -n "__fish_mem_using_subcommand cluster" -s q -l quiet -d 'Print only warnings and errors to stderr'
complete -c mem -n "__fish_mem_using_subcommand cluster" -l no-sync -d 'Use the index as it is, without checking for changed notes'
complete -c mem -n "__fish_mem_using_subcommand cluster" -l no-pager -d 'Print long output to the terminal instead of a pager'
complete -c mem -n "__fish_mem_using_subcommand cluster" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mem -n "__fish_mem_using_subcommand consolidate" -l apply -d 'Which changes to apply without asking [default: setting `sleep.apply`]' -r -f -a "none\t'Apply nothing; ask about everything'
managed\t'What mem is sure of, in notes written by mem or an agent and not edited since'
all\t'What mem is sure of, in your own notes too'"
complete -c mem -n "__fish_mem_using_subcommand consolidate" -l limit -d 'Make and show at most N changes and N questions' -r
complete -c mem -n "__fish_mem_using_subcommand consolidate" -l expect -d 'Refuse to change anything if more than N changes would be made' -r
complete -c mem -n "__fish_mem_using_subcommand consolidate" -s C -l dir -d 'Use the vault in this folder or above it' -r -F
complete -c mem -n "__fish_mem_using_subcommand consolidate" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c mem -n "__fish_mem_using_subcommand consolidate" -s n -l dry-run -d 'Preview the changes without making them'
complete -c mem -n "__fish_mem_using_subcommand consolidate" -l full -d 'Check all notes, not only those changed since the last run'
complete -c mem -n "__fish_mem_using_subcommand consolidate" -l json -d 'Print one JSON document; errors are JSON, too'
complete -c mem -n "__fish_mem_using_subcommand consolidate" -l jsonl -d 'Print one JSON document per line'
complete -c mem -n "__fish_mem_using_subcommand consolidate" -s q -l quiet -d 'Print only warnings and errors to stderr'
complete -c mem -n "__fish_mem_using_subcommand consolidate" -l no-sync -d 'Use the index as it is, without checking for changed notes'
complete -c mem -n "__fish_mem_using_subcommand consolidate" -l no-pager -d 'Print long output to the terminal instead of a pager'
complete -c mem -n "__fish_mem_using_subcommand consolidate" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mem -n "__fish_mem_using_subcommand split" -l apply -d 'Which changes to apply without asking [default: setting `sleep.apply`]' -r -f -a "none\t'Apply nothing; ask about everything'
managed\t'What mem is sure of, in notes written by mem or an agent and not edited since'
all\t'What mem is sure of, in your own notes too'"
complete -c mem -n "__fish_mem_using_subcommand split" -l limit -d 'Make and show at most N changes and N questions' -r
complete -c mem -n "__fish_mem_using_subcommand split" -l expect -d 'Refuse to change anything if more than N changes would be made' -r
complete -c mem -n "__fish_mem_using_subcommand split" -s C -l dir -d 'Use the vault in this folder or above it' -r -F
complete -c mem -n "__fish_mem_using_subcommand split" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c mem -n "__fish_mem_using_subcommand split" -s n -l dry-run -d 'Preview the changes without making them'
complete -c mem -n "__fish_mem_using_subcommand split" -l full -d 'Check all notes, not only those changed since the last run'
complete -c mem -n "__fish_mem_using_subcommand split" -l json -d 'Print one JSON document; errors are JSON, too'
complete -c mem -n "__fish_mem_using_subcommand split" -l jsonl -d 'Print one JSON document per line'
complete -c mem -n "__fish_mem_using_subcommand split" -s q -l quiet -d 'Print only warnings and errors to stderr'
complete -c mem -n "__fish_mem_using_subcommand split" -l no-sync -d 'Use the index as it is, without checking for changed notes'
complete -c mem -n "__fish_mem_using_subcommand split" -l no-pager -d 'Print long output to the terminal instead of a pager'
complete -c mem -n "__fish_mem_using_subcommand split" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mem -n "__fish_mem_using_subcommand decay" -l apply -d 'Which changes to apply without asking [default: setting `sleep.apply`]' -r -f -a "none\t'Apply nothing; ask about everything'
managed\t'What mem is sure of, in notes written by mem or an agent and not edited since'
all\t'What mem is sure of, in your own notes too'"
complete -c mem -n "__fish_mem_using_subcommand decay" -l limit -d 'Make and show at most N changes and N questions' -r
complete -c mem -n "__fish_mem_using_subcommand decay" -l expect -d 'Refuse to change anything if more than N changes would be made' -r
complete -c mem -n "__fish_mem_using_subcommand decay" -s C -l dir -d 'Use the vault in this folder or above it' -r -F
complete -c mem -n "__fish_mem_using_subcommand decay" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c mem -n "__fish_mem_using_subcommand decay" -s n -l dry-run -d 'Preview the changes without making them'
complete -c mem -n "__fish_mem_using_subcommand decay" -l full -d 'Check all notes, not only those changed since the last run'
complete -c mem -n "__fish_mem_using_subcommand decay" -l json -d 'Print one JSON document; errors are JSON, too'
complete -c mem -n "__fish_mem_using_subcommand decay" -l jsonl -d 'Print one JSON document per line'
complete -c mem -n "__fish_mem_using_subcommand decay" -s q -l quiet -d 'Print only warnings and errors to stderr'
complete -c mem -n "__fish_mem_using_subcommand decay" -l no-sync -d 'Use the index as it is, without checking for changed notes'
complete -c mem -n "__fish_mem_using_subcommand decay" -l no-pager -d 'Print long output to the terminal instead of a pager'
complete -c mem -n "__fish_mem_using_subcommand decay" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mem -n "__fish_mem_using_subcommand forget" -l apply -d 'Which changes to apply without asking [default: setting `sleep.apply`]' -r -f -a "none\t'Apply nothing; ask about everything'
managed\t'What mem is sure of, in notes written by mem or an agent and not edited since'
all\t'What mem is sure of, in your own notes too'"
complete -c mem -n "__fish_mem_using_subcommand forget" -l limit -d 'Make and show at most N changes and N questions' -r
complete -c mem -n "__fish_mem_using_subcommand forget" -l expect -d 'Refuse to change anything if more than N changes would be made' -r
complete -c mem -n "__fish_mem_using_subcommand forget" -s C -l dir -d 'Use the vault in this folder or above it' -r -F
complete -c mem -n "__fish_mem_using_subcommand forget" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c mem -n "__fish_mem_using_subcommand forget" -s n -l dry-run -d 'Preview the changes without making them'
complete -c mem -n "__fish_mem_using_subcommand forget" -l full -d 'Check all notes, not only those changed since the last run'
complete -c mem -n "__fish_mem_using_subcommand forget" -l json -d 'Print one JSON document; errors are JSON, too'
complete -c mem -n "__fish_mem_using_subcommand forget" -l jsonl -d 'Print one JSON document per line'
complete -c mem -n "__fish_mem_using_subcommand forget" -s q -l quiet -d 'Print only warnings and errors to stderr'
complete -c mem -n "__fish_mem_using_subcommand forget" -l no-sync -d 'Use the index as it is, without checking for changed notes'
complete -c mem -n "__fish_mem_using_subcommand forget" -l no-pager -d 'Print long output to the terminal instead of a pager'
complete -c mem -n "__fish_mem_using_subcommand forget" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mem -n "__fish_mem_using_subcommand views" -l apply -d 'Which changes to apply without asking [default: setting `sleep.apply`]' -r -f -a "none\t'Apply nothing; ask about everything'
managed\t'What mem is sure of, in notes written by mem or an agent and not edited since'
all\t'What mem is sure of, in your own notes too'"
complete -c mem -n "__fish_mem_using_subcommand views" -l limit -d 'Make and show at most N changes and N questions' -r
complete -c mem -n "__fish_mem_using_subcommand views" -l expect -d 'Refuse to change anything if more than N changes would be made' -r
complete -c mem -n "__fish_mem_using_subcommand views" -s C -l dir -d 'Use the vault in this folder or above it' -r -F
complete -c mem -n "__fish_mem_using_subcommand views" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c mem -n "__fish_mem_using_subcommand views" -s n -l dry-run -d 'Preview the changes without making them'
complete -c mem -n "__fish_mem_using_subcommand views" -l full -d 'Check all notes, not only those changed since the last run'
complete -c mem -n "__fish_mem_using_subcommand views" -l json -d 'Print one JSON document; errors are JSON, too'
complete -c mem -n "__fish_mem_using_subcommand views" -l jsonl -d 'Print one JSON document per line'
complete -c mem -n "__fish_mem_using_subcommand views" -s q -l quiet -d 'Print only warnings and errors to stderr'
complete -c mem -n "__fish_mem_using_subcommand views" -l no-sync -d 'Use the index as it is, without checking for changed notes'
complete -c mem -n "__fish_mem_using_subcommand views" -l no-pager -d 'Print long output to the terminal instead of a pager'
complete -c mem -n "__fish_mem_using_subcommand views" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mem -n "__fish_mem_using_subcommand judge" -l prompt -d 'Print what judges are told about questions of a kind, or before all (`answer`)' -r -f -a "answer\t''
rewrite\t''
facts\t''
merge\t''
conflict\t''
link\t''
mention\t''
space\t''
decay\t''
forget\t''
cluster\t''
consolidate\t''
association\t''
view\t''
split\t''
rule\t''"
complete -c mem -n "__fish_mem_using_subcommand judge" -l kind -d 'Only questions of this kind; repeatable' -r -f -a "merge\t''
conflict\t''
link\t''
mention\t''
space\t''
decay\t''
forget\t''
cluster\t''
consolidate\t''
association\t''
view\t''
split\t''
rule\t''"
complete -c mem -n "__fish_mem_using_subcommand judge" -l where -d 'Only questions about notes that match this query' -r
complete -c mem -n "__fish_mem_using_subcommand judge" -l min-chance -d 'Only questions with at least this chance of a yes, 0–1' -r
complete -c mem -n "__fish_mem_using_subcommand judge" -l limit -d 'At most N questions' -r
complete -c mem -n "__fish_mem_using_subcommand judge" -s C -l dir -d 'Use the vault in this folder or above it' -r -F
complete -c mem -n "__fish_mem_using_subcommand judge" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c mem -n "__fish_mem_using_subcommand judge" -s n -l dry-run -d 'Show what would be asked, and ask nobody'
complete -c mem -n "__fish_mem_using_subcommand judge" -l json -d 'Print one JSON document; errors are JSON, too'
complete -c mem -n "__fish_mem_using_subcommand judge" -l jsonl -d 'Print one JSON document per line'
complete -c mem -n "__fish_mem_using_subcommand judge" -s q -l quiet -d 'Print only warnings and errors to stderr'
complete -c mem -n "__fish_mem_using_subcommand judge" -l no-sync -d 'Use the index as it is, without checking for changed notes'
complete -c mem -n "__fish_mem_using_subcommand judge" -l no-pager -d 'Print long output to the terminal instead of a pager'
complete -c mem -n "__fish_mem_using_subcommand judge" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mem -n "__fish_mem_using_subcommand list" -l tag -d 'Only notes with this tag or one below it; given twice, with both' -r
complete -c mem -n "__fish_mem_using_subcommand list" -l type -d 'Only notes of this type; given twice, of either' -r
complete -c mem -n "__fish_mem_using_subcommand list" -l in -d 'Only notes in this folder of the vault or below it; given twice, in either' -r
complete -c mem -n "__fish_mem_using_subcommand list" -s n -l limit -d 'List at most N' -r
complete -c mem -n "__fish_mem_using_subcommand list" -l sort -d 'Sort key [default: path]' -r -f -a "path\t'By path'
title\t'By title'
created\t'Newest first'
modified\t'Last changed first'
importance\t'Most important first'
retrievability\t'Best remembered first'
relevance\t'Most relevant first'
salience\t'Best feedback first'
accessed\t'Last used first'
length\t'Longest first'"
complete -c mem -n "__fish_mem_using_subcommand list" -l format -d 'Print each record by a template, like `\'{{ path }}: {{ tags | join(" ") }}\'`' -r
complete -c mem -n "__fish_mem_using_subcommand list" -s C -l dir -d 'Use the vault in this folder or above it' -r -F
complete -c mem -n "__fish_mem_using_subcommand list" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c mem -n "__fish_mem_using_subcommand list" -s r -l reverse -d 'Reverse the order'
complete -c mem -n "__fish_mem_using_subcommand list" -s 0 -l null -d 'Print only paths, each followed by a NUL, for `xargs -0`'
complete -c mem -n "__fish_mem_using_subcommand list" -l tsv -d 'Print records as columns parted by tabs, below a line with their names'
complete -c mem -n "__fish_mem_using_subcommand list" -l json -d 'Print one JSON document; errors are JSON, too'
complete -c mem -n "__fish_mem_using_subcommand list" -l jsonl -d 'Print one JSON document per line'
complete -c mem -n "__fish_mem_using_subcommand list" -s q -l quiet -d 'Print only warnings and errors to stderr'
complete -c mem -n "__fish_mem_using_subcommand list" -l no-sync -d 'Use the index as it is, without checking for changed notes'
complete -c mem -n "__fish_mem_using_subcommand list" -l no-pager -d 'Print long output to the terminal instead of a pager'
complete -c mem -n "__fish_mem_using_subcommand list" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mem -n "__fish_mem_using_subcommand man" -s C -l dir -d 'Use the vault in this folder or above it' -r -F
complete -c mem -n "__fish_mem_using_subcommand man" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c mem -n "__fish_mem_using_subcommand man" -l json -d 'Print one JSON document; errors are JSON, too'
complete -c mem -n "__fish_mem_using_subcommand man" -l jsonl -d 'Print one JSON document per line'
complete -c mem -n "__fish_mem_using_subcommand man" -s q -l quiet -d 'Print only warnings and errors to stderr'
complete -c mem -n "__fish_mem_using_subcommand man" -l no-sync -d 'Use the index as it is, without checking for changed notes'
complete -c mem -n "__fish_mem_using_subcommand man" -l no-pager -d 'Print long output to the terminal instead of a pager'
complete -c mem -n "__fish_mem_using_subcommand man" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mem -n "__fish_mem_using_subcommand mv" -s C -l dir -d 'Use the vault in this folder or above it' -r -F
complete -c mem -n "__fish_mem_using_subcommand mv" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c mem -n "__fish_mem_using_subcommand mv" -s n -l dry-run -d 'Preview the changes without making them'
complete -c mem -n "__fish_mem_using_subcommand mv" -l json -d 'Print one JSON document; errors are JSON, too'
complete -c mem -n "__fish_mem_using_subcommand mv" -l jsonl -d 'Print one JSON document per line'
complete -c mem -n "__fish_mem_using_subcommand mv" -s q -l quiet -d 'Print only warnings and errors to stderr'
complete -c mem -n "__fish_mem_using_subcommand mv" -l no-sync -d 'Use the index as it is, without checking for changed notes'
complete -c mem -n "__fish_mem_using_subcommand mv" -l no-pager -d 'Print long output to the terminal instead of a pager'
complete -c mem -n "__fish_mem_using_subcommand mv" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mem -n "__fish_mem_using_subcommand outline" -s C -l dir -d 'Use the vault in this folder or above it' -r -F
complete -c mem -n "__fish_mem_using_subcommand outline" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c mem -n "__fish_mem_using_subcommand outline" -l json -d 'Print one JSON document; errors are JSON, too'
complete -c mem -n "__fish_mem_using_subcommand outline" -l jsonl -d 'Print one JSON document per line'
complete -c mem -n "__fish_mem_using_subcommand outline" -s q -l quiet -d 'Print only warnings and errors to stderr'
complete -c mem -n "__fish_mem_using_subcommand outline" -l no-sync -d 'Use the index as it is, without checking for changed notes'
complete -c mem -n "__fish_mem_using_subcommand outline" -l no-pager -d 'Print long output to the terminal instead of a pager'
complete -c mem -n "__fish_mem_using_subcommand outline" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mem -n "__fish_mem_using_subcommand presets" -s C -l dir -d 'Use the vault in this folder or above it' -r -F
complete -c mem -n "__fish_mem_using_subcommand presets" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c mem -n "__fish_mem_using_subcommand presets" -l json -d 'Print one JSON document; errors are JSON, too'
complete -c mem -n "__fish_mem_using_subcommand presets" -l jsonl -d 'Print one JSON document per line'
complete -c mem -n "__fish_mem_using_subcommand presets" -s q -l quiet -d 'Print only warnings and errors to stderr'
complete -c mem -n "__fish_mem_using_subcommand presets" -l no-sync -d 'Use the index as it is, without checking for changed notes'
complete -c mem -n "__fish_mem_using_subcommand presets" -l no-pager -d 'Print long output to the terminal instead of a pager'
complete -c mem -n "__fish_mem_using_subcommand presets" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mem -n "__fish_mem_using_subcommand recall" -l mode -d 'Rank by words and meaning, by words alone or by meaning alone' -r -f -a "hybrid\t'Words and meaning'
lexical\t'Words alone'
semantic\t'Meaning alone'"
complete -c mem -n "__fish_mem_using_subcommand recall" -l min-cosine -d 'Minimum cosine of a note to the query' -r
complete -c mem -n "__fish_mem_using_subcommand recall" -l space -d 'Space (project) that you ask from: notes of others count less' -r
complete -c mem -n "__fish_mem_using_subcommand recall" -l tag -d 'Only notes with this tag or one below it; given twice, with both' -r
complete -c mem -n "__fish_mem_using_subcommand recall" -l type -d 'Only notes of this type; given twice, of either' -r
complete -c mem -n "__fish_mem_using_subcommand recall" -l in -d 'Only notes in this folder of the vault or below it; given twice, in either' -r
complete -c mem -n "__fish_mem_using_subcommand recall" -l budget -d 'Print at most about this many tokens (1 token is about 4 bytes)' -r
complete -c mem -n "__fish_mem_using_subcommand recall" -s n -l limit -d 'Use passages from at most N notes' -r
complete -c mem -n "__fish_mem_using_subcommand recall" -s C -l dir -d 'Use the vault in this folder or above it' -r -F
complete -c mem -n "__fish_mem_using_subcommand recall" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c mem -n "__fish_mem_using_subcommand recall" -l no-touch -d 'Do not count this as a use of the notes'
complete -c mem -n "__fish_mem_using_subcommand recall" -l all -d 'Also print what is hardly about the question'
complete -c mem -n "__fish_mem_using_subcommand recall" -l explain -d 'Explain each score'
complete -c mem -n "__fish_mem_using_subcommand recall" -l json -d 'Print one JSON document; errors are JSON, too'
complete -c mem -n "__fish_mem_using_subcommand recall" -l jsonl -d 'Print one JSON document per line'
complete -c mem -n "__fish_mem_using_subcommand recall" -s q -l quiet -d 'Print only warnings and errors to stderr'
complete -c mem -n "__fish_mem_using_subcommand recall" -l no-sync -d 'Use the index as it is, without checking for changed notes'
complete -c mem -n "__fish_mem_using_subcommand recall" -l no-pager -d 'Print long output to the terminal instead of a pager'
complete -c mem -n "__fish_mem_using_subcommand recall" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mem -n "__fish_mem_using_subcommand reinforce" -l query -d 'What they were useful for; kept with the note unless `context.keep` is false' -r
complete -c mem -n "__fish_mem_using_subcommand reinforce" -l reward -d 'How useful, from -1 (misleading) to 1' -r
complete -c mem -n "__fish_mem_using_subcommand reinforce" -s C -l dir -d 'Use the vault in this folder or above it' -r -F
complete -c mem -n "__fish_mem_using_subcommand reinforce" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c mem -n "__fish_mem_using_subcommand reinforce" -l json -d 'Print one JSON document; errors are JSON, too'
complete -c mem -n "__fish_mem_using_subcommand reinforce" -l jsonl -d 'Print one JSON document per line'
complete -c mem -n "__fish_mem_using_subcommand reinforce" -s q -l quiet -d 'Print only warnings and errors to stderr'
complete -c mem -n "__fish_mem_using_subcommand reinforce" -l no-sync -d 'Use the index as it is, without checking for changed notes'
complete -c mem -n "__fish_mem_using_subcommand reinforce" -l no-pager -d 'Print long output to the terminal instead of a pager'
complete -c mem -n "__fish_mem_using_subcommand reinforce" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mem -n "__fish_mem_using_subcommand related" -s n -l limit -d 'Show at most N notes in each list' -r
complete -c mem -n "__fish_mem_using_subcommand related" -l min-cosine -d 'Minimum cosine of similar notes [default: the model\'s threshold for related texts]' -r
complete -c mem -n "__fish_mem_using_subcommand related" -l format -d 'Print each record by a template, like `\'{{ path }}: {{ tags | join(" ") }}\'`' -r
complete -c mem -n "__fish_mem_using_subcommand related" -s C -l dir -d 'Use the vault in this folder or above it' -r -F
complete -c mem -n "__fish_mem_using_subcommand related" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c mem -n "__fish_mem_using_subcommand related" -l tsv -d 'Print records as columns parted by tabs, below a line with their names'
complete -c mem -n "__fish_mem_using_subcommand related" -l json -d 'Print one JSON document; errors are JSON, too'
complete -c mem -n "__fish_mem_using_subcommand related" -l jsonl -d 'Print one JSON document per line'
complete -c mem -n "__fish_mem_using_subcommand related" -s q -l quiet -d 'Print only warnings and errors to stderr'
complete -c mem -n "__fish_mem_using_subcommand related" -l no-sync -d 'Use the index as it is, without checking for changed notes'
complete -c mem -n "__fish_mem_using_subcommand related" -l no-pager -d 'Print long output to the terminal instead of a pager'
complete -c mem -n "__fish_mem_using_subcommand related" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mem -n "__fish_mem_using_subcommand remember" -l title -d 'Title [default: the first heading or the first words]' -r
complete -c mem -n "__fish_mem_using_subcommand remember" -l alias -d 'Alias; repeatable' -r
complete -c mem -n "__fish_mem_using_subcommand remember" -s t -l tag -d 'Tags; repeatable' -r
complete -c mem -n "__fish_mem_using_subcommand remember" -l type -d 'Type: fact, decision, preference, event, person, project, …' -r
complete -c mem -n "__fish_mem_using_subcommand remember" -l tier -d 'Tier: core, working, archival, forgotten' -r
complete -c mem -n "__fish_mem_using_subcommand remember" -l space -d 'Space (project)' -r
complete -c mem -n "__fish_mem_using_subcommand remember" -l created -d 'Date, if not now: 2026-01-31 or 2026-01-31T12:00:00Z' -r
complete -c mem -n "__fish_mem_using_subcommand remember" -l confidence -d 'Confidence, 0 to 1' -r
complete -c mem -n "__fish_mem_using_subcommand remember" -l importance -d 'Importance, 0 to 1' -r
complete -c mem -n "__fish_mem_using_subcommand remember" -l valid-until -d 'Date until which it is valid' -r
complete -c mem -n "__fish_mem_using_subcommand remember" -l source -d 'Where it came from' -r
complete -c mem -n "__fish_mem_using_subcommand remember" -l relation -d 'Relation to another note, like `evolved_from="Chose SQLite"`; repeatable' -r
complete -c mem -n "__fish_mem_using_subcommand remember" -l set -d 'Any other property; repeatable' -r
complete -c mem -n "__fish_mem_using_subcommand remember" -l in -d 'Folder [default: setting `remember.folder`]' -r
complete -c mem -n "__fish_mem_using_subcommand remember" -l by -d 'Author; notes of agents can be maintained unattended' -r
complete -c mem -n "__fish_mem_using_subcommand remember" -s C -l dir -d 'Use the vault in this folder or above it' -r -F
complete -c mem -n "__fish_mem_using_subcommand remember" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c mem -n "__fish_mem_using_subcommand remember" -l lock-space -d 'Never let a job move it to another space'
complete -c mem -n "__fish_mem_using_subcommand remember" -l keep -d 'Never merge, demote or forget it'
complete -c mem -n "__fish_mem_using_subcommand remember" -l json -d 'Print one JSON document; errors are JSON, too'
complete -c mem -n "__fish_mem_using_subcommand remember" -l jsonl -d 'Print one JSON document per line'
complete -c mem -n "__fish_mem_using_subcommand remember" -s q -l quiet -d 'Print only warnings and errors to stderr'
complete -c mem -n "__fish_mem_using_subcommand remember" -l no-sync -d 'Use the index as it is, without checking for changed notes'
complete -c mem -n "__fish_mem_using_subcommand remember" -l no-pager -d 'Print long output to the terminal instead of a pager'
complete -c mem -n "__fish_mem_using_subcommand remember" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mem -n "__fish_mem_using_subcommand restore" -l to -d 'Restore under this name or into this folder' -r
complete -c mem -n "__fish_mem_using_subcommand restore" -s C -l dir -d 'Use the vault in this folder or above it' -r -F
complete -c mem -n "__fish_mem_using_subcommand restore" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c mem -n "__fish_mem_using_subcommand restore" -s n -l dry-run -d 'Preview the changes without making them'
complete -c mem -n "__fish_mem_using_subcommand restore" -l json -d 'Print one JSON document; errors are JSON, too'
complete -c mem -n "__fish_mem_using_subcommand restore" -l jsonl -d 'Print one JSON document per line'
complete -c mem -n "__fish_mem_using_subcommand restore" -s q -l quiet -d 'Print only warnings and errors to stderr'
complete -c mem -n "__fish_mem_using_subcommand restore" -l no-sync -d 'Use the index as it is, without checking for changed notes'
complete -c mem -n "__fish_mem_using_subcommand restore" -l no-pager -d 'Print long output to the terminal instead of a pager'
complete -c mem -n "__fish_mem_using_subcommand restore" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mem -n "__fish_mem_using_subcommand resurface" -l tag -d 'Only notes with this tag or one below it; given twice, with both' -r
complete -c mem -n "__fish_mem_using_subcommand resurface" -l type -d 'Only notes of this type; given twice, of either' -r
complete -c mem -n "__fish_mem_using_subcommand resurface" -l in -d 'Only notes in this folder of the vault or below it; given twice, in either' -r
complete -c mem -n "__fish_mem_using_subcommand resurface" -s n -l limit -d 'Show at most N' -r
complete -c mem -n "__fish_mem_using_subcommand resurface" -l seed -d 'What chance is made of, for the same notes again' -r
complete -c mem -n "__fish_mem_using_subcommand resurface" -l format -d 'Print each record by a template, like `\'{{ path }}: {{ tags | join(" ") }}\'`' -r
complete -c mem -n "__fish_mem_using_subcommand resurface" -s C -l dir -d 'Use the vault in this folder or above it' -r -F
complete -c mem -n "__fish_mem_using_subcommand resurface" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c mem -n "__fish_mem_using_subcommand resurface" -l on-this-day -d 'Only notes written on this day'
complete -c mem -n "__fish_mem_using_subcommand resurface" -l due -d 'Only notes about to fade'
complete -c mem -n "__fish_mem_using_subcommand resurface" -l chance -d 'Only notes by chance'
complete -c mem -n "__fish_mem_using_subcommand resurface" -l tsv -d 'Print records as columns parted by tabs, below a line with their names'
complete -c mem -n "__fish_mem_using_subcommand resurface" -l json -d 'Print one JSON document; errors are JSON, too'
complete -c mem -n "__fish_mem_using_subcommand resurface" -l jsonl -d 'Print one JSON document per line'
complete -c mem -n "__fish_mem_using_subcommand resurface" -s q -l quiet -d 'Print only warnings and errors to stderr'
complete -c mem -n "__fish_mem_using_subcommand resurface" -l no-sync -d 'Use the index as it is, without checking for changed notes'
complete -c mem -n "__fish_mem_using_subcommand resurface" -l no-pager -d 'Print long output to the terminal instead of a pager'
complete -c mem -n "__fish_mem_using_subcommand resurface" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mem -n "__fish_mem_using_subcommand review; and not __fish_seen_subcommand_from accept reject forget help" -l apply -d 'Read answers from a file, one JSON document per line; `-` is stdin' -r
complete -c mem -n "__fish_mem_using_subcommand review; and not __fish_seen_subcommand_from accept reject forget help" -l by -d 'With --decided, only answers by WHO: `judge` for all judges, `review` for your own, or a name' -r
complete -c mem -n "__fish_mem_using_subcommand review; and not __fish_seen_subcommand_from accept reject forget help" -l kind -d 'Only questions of this kind; repeatable' -r -f -a "merge\t''
conflict\t''
link\t''
mention\t''
space\t''
decay\t''
forget\t''
cluster\t''
consolidate\t''
association\t''
view\t''
split\t''
rule\t''"
complete -c mem -n "__fish_mem_using_subcommand review; and not __fish_seen_subcommand_from accept reject forget help" -l where -d 'Only questions about notes that match this query' -r
complete -c mem -n "__fish_mem_using_subcommand review; and not __fish_seen_subcommand_from accept reject forget help" -l min-chance -d 'Only questions with at least this chance of a yes, 0–1' -r
complete -c mem -n "__fish_mem_using_subcommand review; and not __fish_seen_subcommand_from accept reject forget help" -l limit -d 'At most N questions' -r
complete -c mem -n "__fish_mem_using_subcommand review; and not __fish_seen_subcommand_from accept reject forget help" -s C -l dir -d 'Use the vault in this folder or above it' -r -F
complete -c mem -n "__fish_mem_using_subcommand review; and not __fish_seen_subcommand_from accept reject forget help" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c mem -n "__fish_mem_using_subcommand review; and not __fish_seen_subcommand_from accept reject forget help" -l decided -d 'Show past answers, newest first'
complete -c mem -n "__fish_mem_using_subcommand review; and not __fish_seen_subcommand_from accept reject forget help" -l all -d 'Suggestions too, after the questions of today'
complete -c mem -n "__fish_mem_using_subcommand review; and not __fish_seen_subcommand_from accept reject forget help" -l teach -d 'First what answers teach most: the least certain of the valuable'
complete -c mem -n "__fish_mem_using_subcommand review; and not __fish_seen_subcommand_from accept reject forget help" -l explain -d 'Show how likely a yes is and what it is worth, as a sum'
complete -c mem -n "__fish_mem_using_subcommand review; and not __fish_seen_subcommand_from accept reject forget help" -l json -d 'Print one JSON document; errors are JSON, too'
complete -c mem -n "__fish_mem_using_subcommand review; and not __fish_seen_subcommand_from accept reject forget help" -l jsonl -d 'Print one JSON document per line'
complete -c mem -n "__fish_mem_using_subcommand review; and not __fish_seen_subcommand_from accept reject forget help" -s q -l quiet -d 'Print only warnings and errors to stderr'
complete -c mem -n "__fish_mem_using_subcommand review; and not __fish_seen_subcommand_from accept reject forget help" -l no-sync -d 'Use the index as it is, without checking for changed notes'
complete -c mem -n "__fish_mem_using_subcommand review; and not __fish_seen_subcommand_from accept reject forget help" -l no-pager -d 'Print long output to the terminal instead of a pager'
complete -c mem -n "__fish_mem_using_subcommand review; and not __fish_seen_subcommand_from accept reject forget help" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mem -n "__fish_mem_using_subcommand review; and not __fish_seen_subcommand_from accept reject forget help" -f -a "accept" -d 'Answer yes and apply it now'
complete -c mem -n "__fish_mem_using_subcommand review; and not __fish_seen_subcommand_from accept reject forget help" -f -a "reject" -d 'Answer no and do not ask again'
complete -c mem -n "__fish_mem_using_subcommand review; and not __fish_seen_subcommand_from accept reject forget help" -f -a "forget" -d 'Forget an answer; the question is asked again, of judges too'
complete -c mem -n "__fish_mem_using_subcommand review; and not __fish_seen_subcommand_from accept reject forget help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c mem -n "__fish_mem_using_subcommand review; and __fish_seen_subcommand_from accept" -l as -d 'Relation of the first note to the second, instead of the proposed one' -r
complete -c mem -n "__fish_mem_using_subcommand review; and __fish_seen_subcommand_from accept" -l kind -d 'Only questions of this kind; repeatable' -r -f -a "merge\t''
conflict\t''
link\t''
mention\t''
space\t''
decay\t''
forget\t''
cluster\t''
consolidate\t''
association\t''
view\t''
split\t''
rule\t''"
complete -c mem -n "__fish_mem_using_subcommand review; and __fish_seen_subcommand_from accept" -l where -d 'Only questions about notes that match this query' -r
complete -c mem -n "__fish_mem_using_subcommand review; and __fish_seen_subcommand_from accept" -l min-chance -d 'Only questions with at least this chance of a yes, 0–1' -r
complete -c mem -n "__fish_mem_using_subcommand review; and __fish_seen_subcommand_from accept" -l limit -d 'At most N questions' -r
complete -c mem -n "__fish_mem_using_subcommand review; and __fish_seen_subcommand_from accept" -s C -l dir -d 'Use the vault in this folder or above it' -r -F
complete -c mem -n "__fish_mem_using_subcommand review; and __fish_seen_subcommand_from accept" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c mem -n "__fish_mem_using_subcommand review; and __fish_seen_subcommand_from accept" -l all -d 'All questions of today that match the filters; with `--min-chance`, suggestions too'
complete -c mem -n "__fish_mem_using_subcommand review; and __fish_seen_subcommand_from accept" -s n -l dry-run -d 'Preview the changes without making them'
complete -c mem -n "__fish_mem_using_subcommand review; and __fish_seen_subcommand_from accept" -l json -d 'Print one JSON document; errors are JSON, too'
complete -c mem -n "__fish_mem_using_subcommand review; and __fish_seen_subcommand_from accept" -l jsonl -d 'Print one JSON document per line'
complete -c mem -n "__fish_mem_using_subcommand review; and __fish_seen_subcommand_from accept" -s q -l quiet -d 'Print only warnings and errors to stderr'
complete -c mem -n "__fish_mem_using_subcommand review; and __fish_seen_subcommand_from accept" -l no-sync -d 'Use the index as it is, without checking for changed notes'
complete -c mem -n "__fish_mem_using_subcommand review; and __fish_seen_subcommand_from accept" -l no-pager -d 'Print long output to the terminal instead of a pager'
complete -c mem -n "__fish_mem_using_subcommand review; and __fish_seen_subcommand_from accept" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mem -n "__fish_mem_using_subcommand review; and __fish_seen_subcommand_from reject" -l kind -d 'Only questions of this kind; repeatable' -r -f -a "merge\t''
conflict\t''
link\t''
mention\t''
space\t''
decay\t''
forget\t''
cluster\t''
consolidate\t''
association\t''
view\t''
split\t''
rule\t''"
complete -c mem -n "__fish_mem_using_subcommand review; and __fish_seen_subcommand_from reject" -l where -d 'Only questions about notes that match this query' -r
complete -c mem -n "__fish_mem_using_subcommand review; and __fish_seen_subcommand_from reject" -l min-chance -d 'Only questions with at least this chance of a yes, 0–1' -r
complete -c mem -n "__fish_mem_using_subcommand review; and __fish_seen_subcommand_from reject" -l limit -d 'At most N questions' -r
complete -c mem -n "__fish_mem_using_subcommand review; and __fish_seen_subcommand_from reject" -s C -l dir -d 'Use the vault in this folder or above it' -r -F
complete -c mem -n "__fish_mem_using_subcommand review; and __fish_seen_subcommand_from reject" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c mem -n "__fish_mem_using_subcommand review; and __fish_seen_subcommand_from reject" -l all -d 'All questions of today that match the filters; with `--min-chance`, suggestions too'
complete -c mem -n "__fish_mem_using_subcommand review; and __fish_seen_subcommand_from reject" -s n -l dry-run -d 'Preview the changes without making them'
complete -c mem -n "__fish_mem_using_subcommand review; and __fish_seen_subcommand_from reject" -l json -d 'Print one JSON document; errors are JSON, too'
complete -c mem -n "__fish_mem_using_subcommand review; and __fish_seen_subcommand_from reject" -l jsonl -d 'Print one JSON document per line'
complete -c mem -n "__fish_mem_using_subcommand review; and __fish_seen_subcommand_from reject" -s q -l quiet -d 'Print only warnings and errors to stderr'
complete -c mem -n "__fish_mem_using_subcommand review; and __fish_seen_subcommand_from reject" -l no-sync -d 'Use the index as it is, without checking for changed notes'
complete -c mem -n "__fish_mem_using_subcommand review; and __fish_seen_subcommand_from reject" -l no-pager -d 'Print long output to the terminal instead of a pager'
complete -c mem -n "__fish_mem_using_subcommand review; and __fish_seen_subcommand_from reject" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mem -n "__fish_mem_using_subcommand review; and __fish_seen_subcommand_from forget" -l by -d 'All by WHO that match the filters: `judge` for all judges, `review` for your own, or a name' -r
complete -c mem -n "__fish_mem_using_subcommand review; and __fish_seen_subcommand_from forget" -l kind -d 'Only questions of this kind; repeatable' -r -f -a "merge\t''
conflict\t''
link\t''
mention\t''
space\t''
decay\t''
forget\t''
cluster\t''
consolidate\t''
association\t''
view\t''
split\t''
rule\t''"
complete -c mem -n "__fish_mem_using_subcommand review; and __fish_seen_subcommand_from forget" -l where -d 'Only questions about notes that match this query' -r
complete -c mem -n "__fish_mem_using_subcommand review; and __fish_seen_subcommand_from forget" -l min-chance -d 'Only questions with at least this chance of a yes, 0–1' -r
complete -c mem -n "__fish_mem_using_subcommand review; and __fish_seen_subcommand_from forget" -l limit -d 'At most N questions' -r
complete -c mem -n "__fish_mem_using_subcommand review; and __fish_seen_subcommand_from forget" -s C -l dir -d 'Use the vault in this folder or above it' -r -F
complete -c mem -n "__fish_mem_using_subcommand review; and __fish_seen_subcommand_from forget" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c mem -n "__fish_mem_using_subcommand review; and __fish_seen_subcommand_from forget" -l all -d 'All that match the filters'
complete -c mem -n "__fish_mem_using_subcommand review; and __fish_seen_subcommand_from forget" -l json -d 'Print one JSON document; errors are JSON, too'
complete -c mem -n "__fish_mem_using_subcommand review; and __fish_seen_subcommand_from forget" -l jsonl -d 'Print one JSON document per line'
complete -c mem -n "__fish_mem_using_subcommand review; and __fish_seen_subcommand_from forget" -s q -l quiet -d 'Print only warnings and errors to stderr'
complete -c mem -n "__fish_mem_using_subcommand review; and __fish_seen_subcommand_from forget" -l no-sync -d 'Use the index as it is, without checking for changed notes'
complete -c mem -n "__fish_mem_using_subcommand review; and __fish_seen_subcommand_from forget" -l no-pager -d 'Print long output to the terminal instead of a pager'
complete -c mem -n "__fish_mem_using_subcommand review; and __fish_seen_subcommand_from forget" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mem -n "__fish_mem_using_subcommand review; and __fish_seen_subcommand_from help" -f -a "accept" -d 'Answer yes and apply it now'
complete -c mem -n "__fish_mem_using_subcommand review; and __fish_seen_subcommand_from help" -f -a "reject" -d 'Answer no and do not ask again'
complete -c mem -n "__fish_mem_using_subcommand review; and __fish_seen_subcommand_from help" -f -a "forget" -d 'Forget an answer; the question is asked again, of judges too'
complete -c mem -n "__fish_mem_using_subcommand review; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c mem -n "__fish_mem_using_subcommand rm" -l reason -d 'Reason, shown in the trash' -r
complete -c mem -n "__fish_mem_using_subcommand rm" -s C -l dir -d 'Use the vault in this folder or above it' -r -F
complete -c mem -n "__fish_mem_using_subcommand rm" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c mem -n "__fish_mem_using_subcommand rm" -s f -l force -d 'Also remove notes marked `keep: true`'
complete -c mem -n "__fish_mem_using_subcommand rm" -s n -l dry-run -d 'Preview the changes without making them'
complete -c mem -n "__fish_mem_using_subcommand rm" -l json -d 'Print one JSON document; errors are JSON, too'
complete -c mem -n "__fish_mem_using_subcommand rm" -l jsonl -d 'Print one JSON document per line'
complete -c mem -n "__fish_mem_using_subcommand rm" -s q -l quiet -d 'Print only warnings and errors to stderr'
complete -c mem -n "__fish_mem_using_subcommand rm" -l no-sync -d 'Use the index as it is, without checking for changed notes'
complete -c mem -n "__fish_mem_using_subcommand rm" -l no-pager -d 'Print long output to the terminal instead of a pager'
complete -c mem -n "__fish_mem_using_subcommand rm" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mem -n "__fish_mem_using_subcommand rules; and not __fish_seen_subcommand_from list check test diff help" -l apply -d 'Which changes to apply without asking [default: setting `sleep.apply`]' -r -f -a "none\t'Apply nothing; ask about everything'
managed\t'What mem is sure of, in notes written by mem or an agent and not edited since'
all\t'What mem is sure of, in your own notes too'"
complete -c mem -n "__fish_mem_using_subcommand rules; and not __fish_seen_subcommand_from list check test diff help" -l limit -d 'Make and show at most N changes and N questions' -r
complete -c mem -n "__fish_mem_using_subcommand rules; and not __fish_seen_subcommand_from list check test diff help" -l expect -d 'Refuse to change anything if more than N changes would be made' -r
complete -c mem -n "__fish_mem_using_subcommand rules; and not __fish_seen_subcommand_from list check test diff help" -s C -l dir -d 'Use the vault in this folder or above it' -r -F
complete -c mem -n "__fish_mem_using_subcommand rules; and not __fish_seen_subcommand_from list check test diff help" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c mem -n "__fish_mem_using_subcommand rules; and not __fish_seen_subcommand_from list check test diff help" -s n -l dry-run -d 'Preview the changes without making them'
complete -c mem -n "__fish_mem_using_subcommand rules; and not __fish_seen_subcommand_from list check test diff help" -l full -d 'Check all notes, not only those changed since the last run'
complete -c mem -n "__fish_mem_using_subcommand rules; and not __fish_seen_subcommand_from list check test diff help" -l json -d 'Print one JSON document; errors are JSON, too'
complete -c mem -n "__fish_mem_using_subcommand rules; and not __fish_seen_subcommand_from list check test diff help" -l jsonl -d 'Print one JSON document per line'
complete -c mem -n "__fish_mem_using_subcommand rules; and not __fish_seen_subcommand_from list check test diff help" -s q -l quiet -d 'Print only warnings and errors to stderr'
complete -c mem -n "__fish_mem_using_subcommand rules; and not __fish_seen_subcommand_from list check test diff help" -l no-sync -d 'Use the index as it is, without checking for changed notes'
complete -c mem -n "__fish_mem_using_subcommand rules; and not __fish_seen_subcommand_from list check test diff help" -l no-pager -d 'Print long output to the terminal instead of a pager'
complete -c mem -n "__fish_mem_using_subcommand rules; and not __fish_seen_subcommand_from list check test diff help" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mem -n "__fish_mem_using_subcommand rules; and not __fish_seen_subcommand_from list check test diff help" -a "list" -d 'List the rules, in the order in which they act'
complete -c mem -n "__fish_mem_using_subcommand rules; and not __fish_seen_subcommand_from list check test diff help" -a "check" -d 'Check the rules: exits with 1 if one is wrong, or if two of them would change a note for ever'
complete -c mem -n "__fish_mem_using_subcommand rules; and not __fish_seen_subcommand_from list check test diff help" -a "test" -d 'Show what the rules would do, and to which notes; changes nothing'
complete -c mem -n "__fish_mem_using_subcommand rules; and not __fish_seen_subcommand_from list check test diff help" -a "diff" -d 'Show how two policies differ, in settings and rules: presets, or `here` for what holds in this vault'
complete -c mem -n "__fish_mem_using_subcommand rules; and not __fish_seen_subcommand_from list check test diff help" -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c mem -n "__fish_mem_using_subcommand rules; and __fish_seen_subcommand_from list" -s C -l dir -d 'Use the vault in this folder or above it' -r -F
complete -c mem -n "__fish_mem_using_subcommand rules; and __fish_seen_subcommand_from list" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c mem -n "__fish_mem_using_subcommand rules; and __fish_seen_subcommand_from list" -l json -d 'Print one JSON document; errors are JSON, too'
complete -c mem -n "__fish_mem_using_subcommand rules; and __fish_seen_subcommand_from list" -l jsonl -d 'Print one JSON document per line'
complete -c mem -n "__fish_mem_using_subcommand rules; and __fish_seen_subcommand_from list" -s q -l quiet -d 'Print only warnings and errors to stderr'
complete -c mem -n "__fish_mem_using_subcommand rules; and __fish_seen_subcommand_from list" -l no-sync -d 'Use the index as it is, without checking for changed notes'
complete -c mem -n "__fish_mem_using_subcommand rules; and __fish_seen_subcommand_from list" -l no-pager -d 'Print long output to the terminal instead of a pager'
complete -c mem -n "__fish_mem_using_subcommand rules; and __fish_seen_subcommand_from list" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mem -n "__fish_mem_using_subcommand rules; and __fish_seen_subcommand_from check" -s C -l dir -d 'Use the vault in this folder or above it' -r -F
complete -c mem -n "__fish_mem_using_subcommand rules; and __fish_seen_subcommand_from check" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c mem -n "__fish_mem_using_subcommand rules; and __fish_seen_subcommand_from check" -l json -d 'Print one JSON document; errors are JSON, too'
complete -c mem -n "__fish_mem_using_subcommand rules; and __fish_seen_subcommand_from check" -l jsonl -d 'Print one JSON document per line'
complete -c mem -n "__fish_mem_using_subcommand rules; and __fish_seen_subcommand_from check" -s q -l quiet -d 'Print only warnings and errors to stderr'
complete -c mem -n "__fish_mem_using_subcommand rules; and __fish_seen_subcommand_from check" -l no-sync -d 'Use the index as it is, without checking for changed notes'
complete -c mem -n "__fish_mem_using_subcommand rules; and __fish_seen_subcommand_from check" -l no-pager -d 'Print long output to the terminal instead of a pager'
complete -c mem -n "__fish_mem_using_subcommand rules; and __fish_seen_subcommand_from check" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mem -n "__fish_mem_using_subcommand rules; and __fish_seen_subcommand_from test" -l at -d 'At this date or moment, as `2027-03-01`: how old notes are then' -r
complete -c mem -n "__fish_mem_using_subcommand rules; and __fish_seen_subcommand_from test" -l event -d 'Only rules that this event calls' -r -f -a "ingest\t''
recall\t''
sleep\t''
pressure\t''"
complete -c mem -n "__fish_mem_using_subcommand rules; and __fish_seen_subcommand_from test" -l note -d 'Say of this note what each rule does to it, and if nothing, why' -r
complete -c mem -n "__fish_mem_using_subcommand rules; and __fish_seen_subcommand_from test" -s C -l dir -d 'Use the vault in this folder or above it' -r -F
complete -c mem -n "__fish_mem_using_subcommand rules; and __fish_seen_subcommand_from test" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c mem -n "__fish_mem_using_subcommand rules; and __fish_seen_subcommand_from test" -l json -d 'Print one JSON document; errors are JSON, too'
complete -c mem -n "__fish_mem_using_subcommand rules; and __fish_seen_subcommand_from test" -l jsonl -d 'Print one JSON document per line'
complete -c mem -n "__fish_mem_using_subcommand rules; and __fish_seen_subcommand_from test" -s q -l quiet -d 'Print only warnings and errors to stderr'
complete -c mem -n "__fish_mem_using_subcommand rules; and __fish_seen_subcommand_from test" -l no-sync -d 'Use the index as it is, without checking for changed notes'
complete -c mem -n "__fish_mem_using_subcommand rules; and __fish_seen_subcommand_from test" -l no-pager -d 'Print long output to the terminal instead of a pager'
complete -c mem -n "__fish_mem_using_subcommand rules; and __fish_seen_subcommand_from test" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mem -n "__fish_mem_using_subcommand rules; and __fish_seen_subcommand_from diff" -s C -l dir -d 'Use the vault in this folder or above it' -r -F
complete -c mem -n "__fish_mem_using_subcommand rules; and __fish_seen_subcommand_from diff" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c mem -n "__fish_mem_using_subcommand rules; and __fish_seen_subcommand_from diff" -l json -d 'Print one JSON document; errors are JSON, too'
complete -c mem -n "__fish_mem_using_subcommand rules; and __fish_seen_subcommand_from diff" -l jsonl -d 'Print one JSON document per line'
complete -c mem -n "__fish_mem_using_subcommand rules; and __fish_seen_subcommand_from diff" -s q -l quiet -d 'Print only warnings and errors to stderr'
complete -c mem -n "__fish_mem_using_subcommand rules; and __fish_seen_subcommand_from diff" -l no-sync -d 'Use the index as it is, without checking for changed notes'
complete -c mem -n "__fish_mem_using_subcommand rules; and __fish_seen_subcommand_from diff" -l no-pager -d 'Print long output to the terminal instead of a pager'
complete -c mem -n "__fish_mem_using_subcommand rules; and __fish_seen_subcommand_from diff" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mem -n "__fish_mem_using_subcommand rules; and __fish_seen_subcommand_from help" -f -a "list" -d 'List the rules, in the order in which they act'
complete -c mem -n "__fish_mem_using_subcommand rules; and __fish_seen_subcommand_from help" -f -a "check" -d 'Check the rules: exits with 1 if one is wrong, or if two of them would change a note for ever'
complete -c mem -n "__fish_mem_using_subcommand rules; and __fish_seen_subcommand_from help" -f -a "test" -d 'Show what the rules would do, and to which notes; changes nothing'
complete -c mem -n "__fish_mem_using_subcommand rules; and __fish_seen_subcommand_from help" -f -a "diff" -d 'Show how two policies differ, in settings and rules: presets, or `here` for what holds in this vault'
complete -c mem -n "__fish_mem_using_subcommand rules; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c mem -n "__fish_mem_using_subcommand score" -l limit -d 'Print at most N notes' -r
complete -c mem -n "__fish_mem_using_subcommand score" -s C -l dir -d 'Use the vault in this folder or above it' -r -F
complete -c mem -n "__fish_mem_using_subcommand score" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c mem -n "__fish_mem_using_subcommand score" -s n -l dry-run -d 'Preview the changes without making them'
complete -c mem -n "__fish_mem_using_subcommand score" -l json -d 'Print one JSON document; errors are JSON, too'
complete -c mem -n "__fish_mem_using_subcommand score" -l jsonl -d 'Print one JSON document per line'
complete -c mem -n "__fish_mem_using_subcommand score" -s q -l quiet -d 'Print only warnings and errors to stderr'
complete -c mem -n "__fish_mem_using_subcommand score" -l no-sync -d 'Use the index as it is, without checking for changed notes'
complete -c mem -n "__fish_mem_using_subcommand score" -l no-pager -d 'Print long output to the terminal instead of a pager'
complete -c mem -n "__fish_mem_using_subcommand score" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mem -n "__fish_mem_using_subcommand search" -l mode -d 'Rank by words and meaning, by words alone or by meaning alone' -r -f -a "hybrid\t'Words and meaning'
lexical\t'Words alone'
semantic\t'Meaning alone'"
complete -c mem -n "__fish_mem_using_subcommand search" -l min-cosine -d 'Minimum cosine of a note to the query' -r
complete -c mem -n "__fish_mem_using_subcommand search" -l space -d 'Space (project) that you ask from: notes of others count less' -r
complete -c mem -n "__fish_mem_using_subcommand search" -l tag -d 'Only notes with this tag or one below it; given twice, with both' -r
complete -c mem -n "__fish_mem_using_subcommand search" -l type -d 'Only notes of this type; given twice, of either' -r
complete -c mem -n "__fish_mem_using_subcommand search" -l in -d 'Only notes in this folder of the vault or below it; given twice, in either' -r
complete -c mem -n "__fish_mem_using_subcommand search" -s n -l limit -d 'Show at most N notes' -r
complete -c mem -n "__fish_mem_using_subcommand search" -l format -d 'Print each record by a template, like `\'{{ path }}: {{ tags | join(" ") }}\'`' -r
complete -c mem -n "__fish_mem_using_subcommand search" -s C -l dir -d 'Use the vault in this folder or above it' -r -F
complete -c mem -n "__fish_mem_using_subcommand search" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c mem -n "__fish_mem_using_subcommand search" -l no-touch -d 'Do not count this as a use of the notes'
complete -c mem -n "__fish_mem_using_subcommand search" -l explain -d 'Explain each score'
complete -c mem -n "__fish_mem_using_subcommand search" -s 0 -l null -d 'Print only paths, each followed by a NUL, for `xargs -0`'
complete -c mem -n "__fish_mem_using_subcommand search" -l vimgrep -d 'Print `path:line:column:text` lines for editors'
complete -c mem -n "__fish_mem_using_subcommand search" -l tsv -d 'Print records as columns parted by tabs, below a line with their names'
complete -c mem -n "__fish_mem_using_subcommand search" -l json -d 'Print one JSON document; errors are JSON, too'
complete -c mem -n "__fish_mem_using_subcommand search" -l jsonl -d 'Print one JSON document per line'
complete -c mem -n "__fish_mem_using_subcommand search" -s q -l quiet -d 'Print only warnings and errors to stderr'
complete -c mem -n "__fish_mem_using_subcommand search" -l no-sync -d 'Use the index as it is, without checking for changed notes'
complete -c mem -n "__fish_mem_using_subcommand search" -l no-pager -d 'Print long output to the terminal instead of a pager'
complete -c mem -n "__fish_mem_using_subcommand search" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mem -n "__fish_mem_using_subcommand settle" -s C -l dir -d 'Use the vault in this folder or above it' -r -F
complete -c mem -n "__fish_mem_using_subcommand settle" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c mem -n "__fish_mem_using_subcommand settle" -s n -l dry-run -d 'Preview the changes without making them'
complete -c mem -n "__fish_mem_using_subcommand settle" -l json -d 'Print one JSON document; errors are JSON, too'
complete -c mem -n "__fish_mem_using_subcommand settle" -l jsonl -d 'Print one JSON document per line'
complete -c mem -n "__fish_mem_using_subcommand settle" -s q -l quiet -d 'Print only warnings and errors to stderr'
complete -c mem -n "__fish_mem_using_subcommand settle" -l no-sync -d 'Use the index as it is, without checking for changed notes'
complete -c mem -n "__fish_mem_using_subcommand settle" -l no-pager -d 'Print long output to the terminal instead of a pager'
complete -c mem -n "__fish_mem_using_subcommand settle" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mem -n "__fish_mem_using_subcommand show" -s C -l dir -d 'Use the vault in this folder or above it' -r -F
complete -c mem -n "__fish_mem_using_subcommand show" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c mem -n "__fish_mem_using_subcommand show" -l links -d 'Show only outgoing and incoming links'
complete -c mem -n "__fish_mem_using_subcommand show" -l raw -d 'Show the text as it is written, without headings, emphasis, lists, tables and links made ready to read'
complete -c mem -n "__fish_mem_using_subcommand show" -l no-touch -d 'Do not count this as a use of the notes'
complete -c mem -n "__fish_mem_using_subcommand show" -l json -d 'Print one JSON document; errors are JSON, too'
complete -c mem -n "__fish_mem_using_subcommand show" -l jsonl -d 'Print one JSON document per line'
complete -c mem -n "__fish_mem_using_subcommand show" -s q -l quiet -d 'Print only warnings and errors to stderr'
complete -c mem -n "__fish_mem_using_subcommand show" -l no-sync -d 'Use the index as it is, without checking for changed notes'
complete -c mem -n "__fish_mem_using_subcommand show" -l no-pager -d 'Print long output to the terminal instead of a pager'
complete -c mem -n "__fish_mem_using_subcommand show" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mem -n "__fish_mem_using_subcommand sleep" -l to -d 'Copy the vault to this new or empty folder and sleep there; this one stays untouched' -r -f -a "(__fish_complete_directories)"
complete -c mem -n "__fish_mem_using_subcommand sleep" -l only -d 'Only these jobs' -r -f -a "index\t''
dedupe\t''
conflicts\t''
link\t''
spaces\t''
associate\t''
cluster\t''
consolidate\t''
split\t''
decay\t''
forget\t''
rules\t''
views\t''
judge\t''
settle\t''"
complete -c mem -n "__fish_mem_using_subcommand sleep" -l skip -d 'Skip these jobs' -r -f -a "index\t''
dedupe\t''
conflicts\t''
link\t''
spaces\t''
associate\t''
cluster\t''
consolidate\t''
split\t''
decay\t''
forget\t''
rules\t''
views\t''
judge\t''
settle\t''"
complete -c mem -n "__fish_mem_using_subcommand sleep" -l event -d 'Raise an event for rules by hand' -r -f -a "ingest\t''
recall\t''
sleep\t''
pressure\t''"
complete -c mem -n "__fish_mem_using_subcommand sleep" -l apply -d 'Which changes to apply without asking [default: setting `sleep.apply`]' -r -f -a "none\t'Apply nothing; ask about everything'
managed\t'What mem is sure of, in notes written by mem or an agent and not edited since'
all\t'What mem is sure of, in your own notes too'"
complete -c mem -n "__fish_mem_using_subcommand sleep" -l max-time -d 'Start no further job or change after this time, like 10m or 90s' -r
complete -c mem -n "__fish_mem_using_subcommand sleep" -l report -d 'Show the report of an earlier sleep: the latest, or the Nth latest' -r
complete -c mem -n "__fish_mem_using_subcommand sleep" -l idle -d 'Skip notes saved within this time, like 10m [default: setting `sleep.idle`]' -r
complete -c mem -n "__fish_mem_using_subcommand sleep" -l commit -d 'Commit the changes if the vault is in a git work tree; `clean` refuses to run while notes have uncommitted changes [default: setting `sleep.commit`]' -r -f -a "never\t'Never'
always\t'Commit every changed note, except those that already had uncommitted changes'
clean\t'The same, and refuse to run while any note has uncommitted changes'"
complete -c mem -n "__fish_mem_using_subcommand sleep" -l install -d 'Schedule an hourly sleep; shows what it adds and asks first' -r -f -a "cron\t'A line in your crontab'
systemd\t'A systemd user timer'
print\t'Only print the crontab line and the units'"
complete -c mem -n "__fish_mem_using_subcommand sleep" -l uninstall -d 'Remove what `--install` added' -r -f -a "cron\t'From your crontab'
systemd\t'The systemd user timer'"
complete -c mem -n "__fish_mem_using_subcommand sleep" -s C -l dir -d 'Use the vault in this folder or above it' -r -F
complete -c mem -n "__fish_mem_using_subcommand sleep" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c mem -n "__fish_mem_using_subcommand sleep" -s n -l dry-run -d 'Preview the changes without making them'
complete -c mem -n "__fish_mem_using_subcommand sleep" -s a -l all -d 'Run all jobs, due or not, but for those that are switched off'
complete -c mem -n "__fish_mem_using_subcommand sleep" -l wait -d 'Wait for another running sleep instead of exiting'
complete -c mem -n "__fish_mem_using_subcommand sleep" -l check -d 'Report today\'s questions and exit with 1 if there are any'
complete -c mem -n "__fish_mem_using_subcommand sleep" -s v -l verbose -d 'Report each job as it starts and finishes, even without a terminal'
complete -c mem -n "__fish_mem_using_subcommand sleep" -s y -l yes -d 'Install or uninstall without confirmation'
complete -c mem -n "__fish_mem_using_subcommand sleep" -l json -d 'Print one JSON document; errors are JSON, too'
complete -c mem -n "__fish_mem_using_subcommand sleep" -l jsonl -d 'Print one JSON document per line'
complete -c mem -n "__fish_mem_using_subcommand sleep" -s q -l quiet -d 'Print only warnings and errors to stderr'
complete -c mem -n "__fish_mem_using_subcommand sleep" -l no-sync -d 'Use the index as it is, without checking for changed notes'
complete -c mem -n "__fish_mem_using_subcommand sleep" -l no-pager -d 'Print long output to the terminal instead of a pager'
complete -c mem -n "__fish_mem_using_subcommand sleep" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mem -n "__fish_mem_using_subcommand status" -s C -l dir -d 'Use the vault in this folder or above it' -r -F
complete -c mem -n "__fish_mem_using_subcommand status" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c mem -n "__fish_mem_using_subcommand status" -l json -d 'Print one JSON document; errors are JSON, too'
complete -c mem -n "__fish_mem_using_subcommand status" -l jsonl -d 'Print one JSON document per line'
complete -c mem -n "__fish_mem_using_subcommand status" -s q -l quiet -d 'Print only warnings and errors to stderr'
complete -c mem -n "__fish_mem_using_subcommand status" -l no-sync -d 'Use the index as it is, without checking for changed notes'
complete -c mem -n "__fish_mem_using_subcommand status" -l no-pager -d 'Print long output to the terminal instead of a pager'
complete -c mem -n "__fish_mem_using_subcommand status" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mem -n "__fish_mem_using_subcommand tasks" -l tag -d 'Only notes with this tag or one below it; given twice, with both' -r
complete -c mem -n "__fish_mem_using_subcommand tasks" -l type -d 'Only notes of this type; given twice, of either' -r
complete -c mem -n "__fish_mem_using_subcommand tasks" -l in -d 'Only notes in this folder of the vault or below it; given twice, in either' -r
complete -c mem -n "__fish_mem_using_subcommand tasks" -l toggle -d 'Tick the task in this line, or take the tick away; as a run that `mem undo` takes back' -r
complete -c mem -n "__fish_mem_using_subcommand tasks" -l text -d 'Only if the task in this line reads so' -r
complete -c mem -n "__fish_mem_using_subcommand tasks" -s C -l dir -d 'Use the vault in this folder or above it' -r -F
complete -c mem -n "__fish_mem_using_subcommand tasks" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c mem -n "__fish_mem_using_subcommand tasks" -l done -d 'List what is done'
complete -c mem -n "__fish_mem_using_subcommand tasks" -l all -d 'List what is done, too'
complete -c mem -n "__fish_mem_using_subcommand tasks" -l dry-run -d 'Show what would change, change nothing'
complete -c mem -n "__fish_mem_using_subcommand tasks" -l json -d 'Print one JSON document; errors are JSON, too'
complete -c mem -n "__fish_mem_using_subcommand tasks" -l jsonl -d 'Print one JSON document per line'
complete -c mem -n "__fish_mem_using_subcommand tasks" -s q -l quiet -d 'Print only warnings and errors to stderr'
complete -c mem -n "__fish_mem_using_subcommand tasks" -l no-sync -d 'Use the index as it is, without checking for changed notes'
complete -c mem -n "__fish_mem_using_subcommand tasks" -l no-pager -d 'Print long output to the terminal instead of a pager'
complete -c mem -n "__fish_mem_using_subcommand tasks" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mem -n "__fish_mem_using_subcommand trash; and not __fish_seen_subcommand_from list empty help" -l format -d 'Print each record by a template, like `\'{{ path }}: {{ tags | join(" ") }}\'`' -r
complete -c mem -n "__fish_mem_using_subcommand trash; and not __fish_seen_subcommand_from list empty help" -s C -l dir -d 'Use the vault in this folder or above it' -r -F
complete -c mem -n "__fish_mem_using_subcommand trash; and not __fish_seen_subcommand_from list empty help" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c mem -n "__fish_mem_using_subcommand trash; and not __fish_seen_subcommand_from list empty help" -l tsv -d 'Print records as columns parted by tabs, below a line with their names'
complete -c mem -n "__fish_mem_using_subcommand trash; and not __fish_seen_subcommand_from list empty help" -l json -d 'Print one JSON document; errors are JSON, too'
complete -c mem -n "__fish_mem_using_subcommand trash; and not __fish_seen_subcommand_from list empty help" -l jsonl -d 'Print one JSON document per line'
complete -c mem -n "__fish_mem_using_subcommand trash; and not __fish_seen_subcommand_from list empty help" -s q -l quiet -d 'Print only warnings and errors to stderr'
complete -c mem -n "__fish_mem_using_subcommand trash; and not __fish_seen_subcommand_from list empty help" -l no-sync -d 'Use the index as it is, without checking for changed notes'
complete -c mem -n "__fish_mem_using_subcommand trash; and not __fish_seen_subcommand_from list empty help" -l no-pager -d 'Print long output to the terminal instead of a pager'
complete -c mem -n "__fish_mem_using_subcommand trash; and not __fish_seen_subcommand_from list empty help" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mem -n "__fish_mem_using_subcommand trash; and not __fish_seen_subcommand_from list empty help" -f -a "list" -d 'List the notes in the trash with date, job, size and reason'
complete -c mem -n "__fish_mem_using_subcommand trash; and not __fish_seen_subcommand_from list empty help" -f -a "empty" -d 'Delete notes from the trash, or all of it'
complete -c mem -n "__fish_mem_using_subcommand trash; and not __fish_seen_subcommand_from list empty help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c mem -n "__fish_mem_using_subcommand trash; and __fish_seen_subcommand_from list" -l format -d 'Print each record by a template, like `\'{{ path }}: {{ tags | join(" ") }}\'`' -r
complete -c mem -n "__fish_mem_using_subcommand trash; and __fish_seen_subcommand_from list" -s C -l dir -d 'Use the vault in this folder or above it' -r -F
complete -c mem -n "__fish_mem_using_subcommand trash; and __fish_seen_subcommand_from list" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c mem -n "__fish_mem_using_subcommand trash; and __fish_seen_subcommand_from list" -l tsv -d 'Print records as columns parted by tabs, below a line with their names'
complete -c mem -n "__fish_mem_using_subcommand trash; and __fish_seen_subcommand_from list" -l json -d 'Print one JSON document; errors are JSON, too'
complete -c mem -n "__fish_mem_using_subcommand trash; and __fish_seen_subcommand_from list" -l jsonl -d 'Print one JSON document per line'
complete -c mem -n "__fish_mem_using_subcommand trash; and __fish_seen_subcommand_from list" -s q -l quiet -d 'Print only warnings and errors to stderr'
complete -c mem -n "__fish_mem_using_subcommand trash; and __fish_seen_subcommand_from list" -l no-sync -d 'Use the index as it is, without checking for changed notes'
complete -c mem -n "__fish_mem_using_subcommand trash; and __fish_seen_subcommand_from list" -l no-pager -d 'Print long output to the terminal instead of a pager'
complete -c mem -n "__fish_mem_using_subcommand trash; and __fish_seen_subcommand_from list" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mem -n "__fish_mem_using_subcommand trash; and __fish_seen_subcommand_from empty" -l older-than -d 'Only notes removed longer ago than this: `30d`, `2w`, `6m`, `1y`' -r
complete -c mem -n "__fish_mem_using_subcommand trash; and __fish_seen_subcommand_from empty" -s C -l dir -d 'Use the vault in this folder or above it' -r -F
complete -c mem -n "__fish_mem_using_subcommand trash; and __fish_seen_subcommand_from empty" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c mem -n "__fish_mem_using_subcommand trash; and __fish_seen_subcommand_from empty" -s y -l yes -d 'Do not ask for confirmation'
complete -c mem -n "__fish_mem_using_subcommand trash; and __fish_seen_subcommand_from empty" -s n -l dry-run -d 'Preview what would be deleted'
complete -c mem -n "__fish_mem_using_subcommand trash; and __fish_seen_subcommand_from empty" -l json -d 'Print one JSON document; errors are JSON, too'
complete -c mem -n "__fish_mem_using_subcommand trash; and __fish_seen_subcommand_from empty" -l jsonl -d 'Print one JSON document per line'
complete -c mem -n "__fish_mem_using_subcommand trash; and __fish_seen_subcommand_from empty" -s q -l quiet -d 'Print only warnings and errors to stderr'
complete -c mem -n "__fish_mem_using_subcommand trash; and __fish_seen_subcommand_from empty" -l no-sync -d 'Use the index as it is, without checking for changed notes'
complete -c mem -n "__fish_mem_using_subcommand trash; and __fish_seen_subcommand_from empty" -l no-pager -d 'Print long output to the terminal instead of a pager'
complete -c mem -n "__fish_mem_using_subcommand trash; and __fish_seen_subcommand_from empty" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mem -n "__fish_mem_using_subcommand trash; and __fish_seen_subcommand_from help" -f -a "list" -d 'List the notes in the trash with date, job, size and reason'
complete -c mem -n "__fish_mem_using_subcommand trash; and __fish_seen_subcommand_from help" -f -a "empty" -d 'Delete notes from the trash, or all of it'
complete -c mem -n "__fish_mem_using_subcommand trash; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c mem -n "__fish_mem_using_subcommand undo" -l note -d 'Undo only the changes to this note and those made with them' -r
complete -c mem -n "__fish_mem_using_subcommand undo" -s C -l dir -d 'Use the vault in this folder or above it' -r -F
complete -c mem -n "__fish_mem_using_subcommand undo" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c mem -n "__fish_mem_using_subcommand undo" -s n -l dry-run -d 'Preview the changes without making them'
complete -c mem -n "__fish_mem_using_subcommand undo" -l json -d 'Print one JSON document; errors are JSON, too'
complete -c mem -n "__fish_mem_using_subcommand undo" -l jsonl -d 'Print one JSON document per line'
complete -c mem -n "__fish_mem_using_subcommand undo" -s q -l quiet -d 'Print only warnings and errors to stderr'
complete -c mem -n "__fish_mem_using_subcommand undo" -l no-sync -d 'Use the index as it is, without checking for changed notes'
complete -c mem -n "__fish_mem_using_subcommand undo" -l no-pager -d 'Print long output to the terminal instead of a pager'
complete -c mem -n "__fish_mem_using_subcommand undo" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mem -n "__fish_mem_using_subcommand watch" -s C -l dir -d 'Use the vault in this folder or above it' -r -F
complete -c mem -n "__fish_mem_using_subcommand watch" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c mem -n "__fish_mem_using_subcommand watch" -l no-sleep -d 'Run no jobs, only update the index'
complete -c mem -n "__fish_mem_using_subcommand watch" -l json -d 'Print one JSON document; errors are JSON, too'
complete -c mem -n "__fish_mem_using_subcommand watch" -l jsonl -d 'Print one JSON document per line'
complete -c mem -n "__fish_mem_using_subcommand watch" -s q -l quiet -d 'Print only warnings and errors to stderr'
complete -c mem -n "__fish_mem_using_subcommand watch" -l no-sync -d 'Use the index as it is, without checking for changed notes'
complete -c mem -n "__fish_mem_using_subcommand watch" -l no-pager -d 'Print long output to the terminal instead of a pager'
complete -c mem -n "__fish_mem_using_subcommand watch" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mem -n "__fish_mem_using_subcommand why" -l query -d 'Compare with the questions that it helped with' -r
complete -c mem -n "__fish_mem_using_subcommand why" -s C -l dir -d 'Use the vault in this folder or above it' -r -F
complete -c mem -n "__fish_mem_using_subcommand why" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c mem -n "__fish_mem_using_subcommand why" -l json -d 'Print one JSON document; errors are JSON, too'
complete -c mem -n "__fish_mem_using_subcommand why" -l jsonl -d 'Print one JSON document per line'
complete -c mem -n "__fish_mem_using_subcommand why" -s q -l quiet -d 'Print only warnings and errors to stderr'
complete -c mem -n "__fish_mem_using_subcommand why" -l no-sync -d 'Use the index as it is, without checking for changed notes'
complete -c mem -n "__fish_mem_using_subcommand why" -l no-pager -d 'Print long output to the terminal instead of a pager'
complete -c mem -n "__fish_mem_using_subcommand why" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c mem -n "__fish_mem_using_subcommand help; and not __fish_seen_subcommand_from completions config confirm demo doctor edit extract graph history index init dedupe conflicts link spaces associate cluster consolidate split decay forget views judge list man mv outline presets recall reinforce related remember restore resurface review rm rules score search settle show sleep status tasks trash undo watch why help" -f -a "completions" -d 'Print a shell completion script'
complete -c mem -n "__fish_mem_using_subcommand help; and not __fish_seen_subcommand_from completions config confirm demo doctor edit extract graph history index init dedupe conflicts link spaces associate cluster consolidate split decay forget views judge list man mv outline presets recall reinforce related remember restore resurface review rm rules score search settle show sleep status tasks trash undo watch why help" -f -a "config" -d 'Show settings or change one'
complete -c mem -n "__fish_mem_using_subcommand help; and not __fish_seen_subcommand_from completions config confirm demo doctor edit extract graph history index init dedupe conflicts link spaces associate cluster consolidate split decay forget views judge list man mv outline presets recall reinforce related remember restore resurface review rm rules score search settle show sleep status tasks trash undo watch why help" -f -a "confirm" -d 'Say that notes are still true'
complete -c mem -n "__fish_mem_using_subcommand help; and not __fish_seen_subcommand_from completions config confirm demo doctor edit extract graph history index init dedupe conflicts link spaces associate cluster consolidate split decay forget views judge list man mv outline presets recall reinforce related remember restore resurface review rm rules score search settle show sleep status tasks trash undo watch why help" -f -a "demo" -d 'Show what mem does, on sample notes'
complete -c mem -n "__fish_mem_using_subcommand help; and not __fish_seen_subcommand_from completions config confirm demo doctor edit extract graph history index init dedupe conflicts link spaces associate cluster consolidate split decay forget views judge list man mv outline presets recall reinforce related remember restore resurface review rm rules score search settle show sleep status tasks trash undo watch why help" -f -a "doctor" -d 'Check the vault for problems'
complete -c mem -n "__fish_mem_using_subcommand help; and not __fish_seen_subcommand_from completions config confirm demo doctor edit extract graph history index init dedupe conflicts link spaces associate cluster consolidate split decay forget views judge list man mv outline presets recall reinforce related remember restore resurface review rm rules score search settle show sleep status tasks trash undo watch why help" -f -a "edit" -d 'Open a note in your editor, or set properties without one'
complete -c mem -n "__fish_mem_using_subcommand help; and not __fish_seen_subcommand_from completions config confirm demo doctor edit extract graph history index init dedupe conflicts link spaces associate cluster consolidate split decay forget views judge list man mv outline presets recall reinforce related remember restore resurface review rm rules score search settle show sleep status tasks trash undo watch why help" -f -a "extract" -d 'List what notes state, as subject, predicate, object'
complete -c mem -n "__fish_mem_using_subcommand help; and not __fish_seen_subcommand_from completions config confirm demo doctor edit extract graph history index init dedupe conflicts link spaces associate cluster consolidate split decay forget views judge list man mv outline presets recall reinforce related remember restore resurface review rm rules score search settle show sleep status tasks trash undo watch why help" -f -a "graph" -d 'Show links and relations between notes'
complete -c mem -n "__fish_mem_using_subcommand help; and not __fish_seen_subcommand_from completions config confirm demo doctor edit extract graph history index init dedupe conflicts link spaces associate cluster consolidate split decay forget views judge list man mv outline presets recall reinforce related remember restore resurface review rm rules score search settle show sleep status tasks trash undo watch why help" -f -a "history" -d 'List the runs that changed notes, or show one'
complete -c mem -n "__fish_mem_using_subcommand help; and not __fish_seen_subcommand_from completions config confirm demo doctor edit extract graph history index init dedupe conflicts link spaces associate cluster consolidate split decay forget views judge list man mv outline presets recall reinforce related remember restore resurface review rm rules score search settle show sleep status tasks trash undo watch why help" -f -a "index" -d 'Update the index'
complete -c mem -n "__fish_mem_using_subcommand help; and not __fish_seen_subcommand_from completions config confirm demo doctor edit extract graph history index init dedupe conflicts link spaces associate cluster consolidate split decay forget views judge list man mv outline presets recall reinforce related remember restore resurface review rm rules score search settle show sleep status tasks trash undo watch why help" -f -a "init" -d 'Turn a folder of notes into a vault'
complete -c mem -n "__fish_mem_using_subcommand help; and not __fish_seen_subcommand_from completions config confirm demo doctor edit extract graph history index init dedupe conflicts link spaces associate cluster consolidate split decay forget views judge list man mv outline presets recall reinforce related remember restore resurface review rm rules score search settle show sleep status tasks trash undo watch why help" -f -a "dedupe" -d 'Merge duplicate notes'
complete -c mem -n "__fish_mem_using_subcommand help; and not __fish_seen_subcommand_from completions config confirm demo doctor edit extract graph history index init dedupe conflicts link spaces associate cluster consolidate split decay forget views judge list man mv outline presets recall reinforce related remember restore resurface review rm rules score search settle show sleep status tasks trash undo watch why help" -f -a "conflicts" -d 'Find notes that contradict or replace each other'
complete -c mem -n "__fish_mem_using_subcommand help; and not __fish_seen_subcommand_from completions config confirm demo doctor edit extract graph history index init dedupe conflicts link spaces associate cluster consolidate split decay forget views judge list man mv outline presets recall reinforce related remember restore resurface review rm rules score search settle show sleep status tasks trash undo watch why help" -f -a "link" -d 'Link related notes'
complete -c mem -n "__fish_mem_using_subcommand help; and not __fish_seen_subcommand_from completions config confirm demo doctor edit extract graph history index init dedupe conflicts link spaces associate cluster consolidate split decay forget views judge list man mv outline presets recall reinforce related remember restore resurface review rm rules score search settle show sleep status tasks trash undo watch why help" -f -a "spaces" -d 'Give notes the space of their neighbours'
complete -c mem -n "__fish_mem_using_subcommand help; and not __fish_seen_subcommand_from completions config confirm demo doctor edit extract graph history index init dedupe conflicts link spaces associate cluster consolidate split decay forget views judge list man mv outline presets recall reinforce related remember restore resurface review rm rules score search settle show sleep status tasks trash undo watch why help" -f -a "associate" -d 'Draw a few notes and relate those that have to do with each other'
complete -c mem -n "__fish_mem_using_subcommand help; and not __fish_seen_subcommand_from completions config confirm demo doctor edit extract graph history index init dedupe conflicts link spaces associate cluster consolidate split decay forget views judge list man mv outline presets recall reinforce related remember restore resurface review rm rules score search settle show sleep status tasks trash undo watch why help" -f -a "cluster" -d 'Write a summary of each group of similar notes'
complete -c mem -n "__fish_mem_using_subcommand help; and not __fish_seen_subcommand_from completions config confirm demo doctor edit extract graph history index init dedupe conflicts link spaces associate cluster consolidate split decay forget views judge list man mv outline presets recall reinforce related remember restore resurface review rm rules score search settle show sleep status tasks trash undo watch why help" -f -a "consolidate" -d 'Propose one note in the place of several that say much the same'
complete -c mem -n "__fish_mem_using_subcommand help; and not __fish_seen_subcommand_from completions config confirm demo doctor edit extract graph history index init dedupe conflicts link spaces associate cluster consolidate split decay forget views judge list man mv outline presets recall reinforce related remember restore resurface review rm rules score search settle show sleep status tasks trash undo watch why help" -f -a "split" -d 'Propose one note a fact, where a note has several'
complete -c mem -n "__fish_mem_using_subcommand help; and not __fish_seen_subcommand_from completions config confirm demo doctor edit extract graph history index init dedupe conflicts link spaces associate cluster consolidate split decay forget views judge list man mv outline presets recall reinforce related remember restore resurface review rm rules score search settle show sleep status tasks trash undo watch why help" -f -a "decay" -d 'Archive notes that fade, and bring back those that are used'
complete -c mem -n "__fish_mem_using_subcommand help; and not __fish_seen_subcommand_from completions config confirm demo doctor edit extract graph history index init dedupe conflicts link spaces associate cluster consolidate split decay forget views judge list man mv outline presets recall reinforce related remember restore resurface review rm rules score search settle show sleep status tasks trash undo watch why help" -f -a "forget" -d 'Forget archival notes that do not matter any more'
complete -c mem -n "__fish_mem_using_subcommand help; and not __fish_seen_subcommand_from completions config confirm demo doctor edit extract graph history index init dedupe conflicts link spaces associate cluster consolidate split decay forget views judge list man mv outline presets recall reinforce related remember restore resurface review rm rules score search settle show sleep status tasks trash undo watch why help" -f -a "views" -d 'Keep lists of notes up to date that are marked in notes'
complete -c mem -n "__fish_mem_using_subcommand help; and not __fish_seen_subcommand_from completions config confirm demo doctor edit extract graph history index init dedupe conflicts link spaces associate cluster consolidate split decay forget views judge list man mv outline presets recall reinforce related remember restore resurface review rm rules score search settle show sleep status tasks trash undo watch why help" -f -a "judge" -d 'Let a model or any program answer open questions'
complete -c mem -n "__fish_mem_using_subcommand help; and not __fish_seen_subcommand_from completions config confirm demo doctor edit extract graph history index init dedupe conflicts link spaces associate cluster consolidate split decay forget views judge list man mv outline presets recall reinforce related remember restore resurface review rm rules score search settle show sleep status tasks trash undo watch why help" -f -a "list" -d 'List notes'
complete -c mem -n "__fish_mem_using_subcommand help; and not __fish_seen_subcommand_from completions config confirm demo doctor edit extract graph history index init dedupe conflicts link spaces associate cluster consolidate split decay forget views judge list man mv outline presets recall reinforce related remember restore resurface review rm rules score search settle show sleep status tasks trash undo watch why help" -f -a "man" -d 'Print the manual page, or write the pages of all commands to a folder'
complete -c mem -n "__fish_mem_using_subcommand help; and not __fish_seen_subcommand_from completions config confirm demo doctor edit extract graph history index init dedupe conflicts link spaces associate cluster consolidate split decay forget views judge list man mv outline presets recall reinforce related remember restore resurface review rm rules score search settle show sleep status tasks trash undo watch why help" -f -a "mv" -d 'Rename a note, or move notes into a folder, and every link with them'
complete -c mem -n "__fish_mem_using_subcommand help; and not __fish_seen_subcommand_from completions config confirm demo doctor edit extract graph history index init dedupe conflicts link spaces associate cluster consolidate split decay forget views judge list man mv outline presets recall reinforce related remember restore resurface review rm rules score search settle show sleep status tasks trash undo watch why help" -f -a "outline" -d 'Show the headings of a note'
complete -c mem -n "__fish_mem_using_subcommand help; and not __fish_seen_subcommand_from completions config confirm demo doctor edit extract graph history index init dedupe conflicts link spaces associate cluster consolidate split decay forget views judge list man mv outline presets recall reinforce related remember restore resurface review rm rules score search settle show sleep status tasks trash undo watch why help" -f -a "presets" -d 'List presets, or print one to read and copy'
complete -c mem -n "__fish_mem_using_subcommand help; and not __fish_seen_subcommand_from completions config confirm demo doctor edit extract graph history index init dedupe conflicts link spaces associate cluster consolidate split decay forget views judge list man mv outline presets recall reinforce related remember restore resurface review rm rules score search settle show sleep status tasks trash undo watch why help" -f -a "recall" -d 'Print the passages that answer a question'
complete -c mem -n "__fish_mem_using_subcommand help; and not __fish_seen_subcommand_from completions config confirm demo doctor edit extract graph history index init dedupe conflicts link spaces associate cluster consolidate split decay forget views judge list man mv outline presets recall reinforce related remember restore resurface review rm rules score search settle show sleep status tasks trash undo watch why help" -f -a "reinforce" -d 'Say that notes were useful, or useless'
complete -c mem -n "__fish_mem_using_subcommand help; and not __fish_seen_subcommand_from completions config confirm demo doctor edit extract graph history index init dedupe conflicts link spaces associate cluster consolidate split decay forget views judge list man mv outline presets recall reinforce related remember restore resurface review rm rules score search settle show sleep status tasks trash undo watch why help" -f -a "related" -d 'Show what is related to a note'
complete -c mem -n "__fish_mem_using_subcommand help; and not __fish_seen_subcommand_from completions config confirm demo doctor edit extract graph history index init dedupe conflicts link spaces associate cluster consolidate split decay forget views judge list man mv outline presets recall reinforce related remember restore resurface review rm rules score search settle show sleep status tasks trash undo watch why help" -f -a "remember" -d 'Save a text as a new note'
complete -c mem -n "__fish_mem_using_subcommand help; and not __fish_seen_subcommand_from completions config confirm demo doctor edit extract graph history index init dedupe conflicts link spaces associate cluster consolidate split decay forget views judge list man mv outline presets recall reinforce related remember restore resurface review rm rules score search settle show sleep status tasks trash undo watch why help" -f -a "restore" -d 'Restore notes from the trash'
complete -c mem -n "__fish_mem_using_subcommand help; and not __fish_seen_subcommand_from completions config confirm demo doctor edit extract graph history index init dedupe conflicts link spaces associate cluster consolidate split decay forget views judge list man mv outline presets recall reinforce related remember restore resurface review rm rules score search settle show sleep status tasks trash undo watch why help" -f -a "resurface" -d 'Show notes worth another look'
complete -c mem -n "__fish_mem_using_subcommand help; and not __fish_seen_subcommand_from completions config confirm demo doctor edit extract graph history index init dedupe conflicts link spaces associate cluster consolidate split decay forget views judge list man mv outline presets recall reinforce related remember restore resurface review rm rules score search settle show sleep status tasks trash undo watch why help" -f -a "review" -d 'Answer the questions of maintenance jobs'
complete -c mem -n "__fish_mem_using_subcommand help; and not __fish_seen_subcommand_from completions config confirm demo doctor edit extract graph history index init dedupe conflicts link spaces associate cluster consolidate split decay forget views judge list man mv outline presets recall reinforce related remember restore resurface review rm rules score search settle show sleep status tasks trash undo watch why help" -f -a "rm" -d 'Move notes to the trash'
complete -c mem -n "__fish_mem_using_subcommand help; and not __fish_seen_subcommand_from completions config confirm demo doctor edit extract graph history index init dedupe conflicts link spaces associate cluster consolidate split decay forget views judge list man mv outline presets recall reinforce related remember restore resurface review rm rules score search settle show sleep status tasks trash undo watch why help" -f -a "rules" -d 'Do what your rules say'
complete -c mem -n "__fish_mem_using_subcommand help; and not __fish_seen_subcommand_from completions config confirm demo doctor edit extract graph history index init dedupe conflicts link spaces associate cluster consolidate split decay forget views judge list man mv outline presets recall reinforce related remember restore resurface review rm rules score search settle show sleep status tasks trash undo watch why help" -f -a "score" -d 'Recompute signals and show what moved'
complete -c mem -n "__fish_mem_using_subcommand help; and not __fish_seen_subcommand_from completions config confirm demo doctor edit extract graph history index init dedupe conflicts link spaces associate cluster consolidate split decay forget views judge list man mv outline presets recall reinforce related remember restore resurface review rm rules score search settle show sleep status tasks trash undo watch why help" -f -a "search" -d 'Search notes by words and meaning'
complete -c mem -n "__fish_mem_using_subcommand help; and not __fish_seen_subcommand_from completions config confirm demo doctor edit extract graph history index init dedupe conflicts link spaces associate cluster consolidate split decay forget views judge list man mv outline presets recall reinforce related remember restore resurface review rm rules score search settle show sleep status tasks trash undo watch why help" -f -a "settle" -d 'Write what was learned from use into the notes of mem and agents'
complete -c mem -n "__fish_mem_using_subcommand help; and not __fish_seen_subcommand_from completions config confirm demo doctor edit extract graph history index init dedupe conflicts link spaces associate cluster consolidate split decay forget views judge list man mv outline presets recall reinforce related remember restore resurface review rm rules score search settle show sleep status tasks trash undo watch why help" -f -a "show" -d 'Print a note'
complete -c mem -n "__fish_mem_using_subcommand help; and not __fish_seen_subcommand_from completions config confirm demo doctor edit extract graph history index init dedupe conflicts link spaces associate cluster consolidate split decay forget views judge list man mv outline presets recall reinforce related remember restore resurface review rm rules score search settle show sleep status tasks trash undo watch why help" -f -a "sleep" -d 'Run the maintenance jobs that are due'
complete -c mem -n "__fish_mem_using_subcommand help; and not __fish_seen_subcommand_from completions config confirm demo doctor edit extract graph history index init dedupe conflicts link spaces associate cluster consolidate split decay forget views judge list man mv outline presets recall reinforce related remember restore resurface review rm rules score search settle show sleep status tasks trash undo watch why help" -f -a "status" -d 'Show the state of the vault: notes, index, jobs, open questions'
complete -c mem -n "__fish_mem_using_subcommand help; and not __fish_seen_subcommand_from completions config confirm demo doctor edit extract graph history index init dedupe conflicts link spaces associate cluster consolidate split decay forget views judge list man mv outline presets recall reinforce related remember restore resurface review rm rules score search settle show sleep status tasks trash undo watch why help" -f -a "tasks" -d 'List tasks, or tick one'
complete -c mem -n "__fish_mem_using_subcommand help; and not __fish_seen_subcommand_from completions config confirm demo doctor edit extract graph history index init dedupe conflicts link spaces associate cluster consolidate split decay forget views judge list man mv outline presets recall reinforce related remember restore resurface review rm rules score search settle show sleep status tasks trash undo watch why help" -f -a "trash" -d 'List or empty the trash'
complete -c mem -n "__fish_mem_using_subcommand help; and not __fish_seen_subcommand_from completions config confirm demo doctor edit extract graph history index init dedupe conflicts link spaces associate cluster consolidate split decay forget views judge list man mv outline presets recall reinforce related remember restore resurface review rm rules score search settle show sleep status tasks trash undo watch why help" -f -a "undo" -d 'Undo a run'
complete -c mem -n "__fish_mem_using_subcommand help; and not __fish_seen_subcommand_from completions config confirm demo doctor edit extract graph history index init dedupe conflicts link spaces associate cluster consolidate split decay forget views judge list man mv outline presets recall reinforce related remember restore resurface review rm rules score search settle show sleep status tasks trash undo watch why help" -f -a "watch" -d 'Update the index as you write'
complete -c mem -n "__fish_mem_using_subcommand help; and not __fish_seen_subcommand_from completions config confirm demo doctor edit extract graph history index init dedupe conflicts link spaces associate cluster consolidate split decay forget views judge list man mv outline presets recall reinforce related remember restore resurface review rm rules score search settle show sleep status tasks trash undo watch why help" -f -a "why" -d 'Explain the numbers of a note'
complete -c mem -n "__fish_mem_using_subcommand help; and not __fish_seen_subcommand_from completions config confirm demo doctor edit extract graph history index init dedupe conflicts link spaces associate cluster consolidate split decay forget views judge list man mv outline presets recall reinforce related remember restore resurface review rm rules score search settle show sleep status tasks trash undo watch why help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c mem -n "__fish_mem_using_subcommand help; and __fish_seen_subcommand_from history" -f -a "purge" -d 'Permanently delete undo history'
complete -c mem -n "__fish_mem_using_subcommand help; and __fish_seen_subcommand_from review" -f -a "accept" -d 'Answer yes and apply it now'
complete -c mem -n "__fish_mem_using_subcommand help; and __fish_seen_subcommand_from review" -f -a "reject" -d 'Answer no and do not ask again'
complete -c mem -n "__fish_mem_using_subcommand help; and __fish_seen_subcommand_from review" -f -a "forget" -d 'Forget an answer; the question is asked again, of judges too'
complete -c mem -n "__fish_mem_using_subcommand help; and __fish_seen_subcommand_from rules" -f -a "list" -d 'List the rules, in the order in which they act'
complete -c mem -n "__fish_mem_using_subcommand help; and __fish_seen_subcommand_from rules" -f -a "check" -d 'Check the rules: exits with 1 if one is wrong, or if two of them would change a note for ever'
complete -c mem -n "__fish_mem_using_subcommand help; and __fish_seen_subcommand_from rules" -f -a "test" -d 'Show what the rules would do, and to which notes; changes nothing'
complete -c mem -n "__fish_mem_using_subcommand help; and __fish_seen_subcommand_from rules" -f -a "diff" -d 'Show how two policies differ, in settings and rules: presets, or `here` for what holds in this vault'
complete -c mem -n "__fish_mem_using_subcommand help; and __fish_seen_subcommand_from trash" -f -a "list" -d 'List the notes in the trash with date, job, size and reason'
complete -c mem -n "__fish_mem_using_subcommand help; and __fish_seen_subcommand_from trash" -f -a "empty" -d 'Delete notes from the trash, or all of it'
