_mem() {
    local line
    COMPREPLY=()
    if [[ $2 == @* ]]; then
        compopt +o bashdefault 2> /dev/null
    fi
    while IFS= read -r line; do
        COMPREPLY+=("$line")
    done < <(MEM_COMPLETE=bash mem "${COMP_LINE:0:COMP_POINT}" "$2")
    if [[ ${COMPREPLY-} == *[=/:] ]]; then
        compopt -o nospace 2> /dev/null
    fi
}
complete -o bashdefault -o nosort -F _mem mem 2> /dev/null || complete -o bashdefault -F _mem mem
