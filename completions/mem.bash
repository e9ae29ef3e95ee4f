
_clap_complete_mem() {
    local IFS=$'\013'
    local _CLAP_COMPLETE_INDEX
    local _CLAP_COMPLETE_COMP_TYPE=${COMP_TYPE}
    if compopt +o nospace 2> /dev/null; then
        local _CLAP_COMPLETE_SPACE=false
    else
        local _CLAP_COMPLETE_SPACE=true
    fi
    local words=() start="" rest="${COMP_LINE:0:COMP_POINT}" word i
    for ((i = 0; i <= COMP_CWORD; i++)); do
        word="${COMP_WORDS[i]}"
        if [[ $i -gt 0 && $rest != [[:space:]]* && "${COMP_WORDS[i-1]}$word" == *[:=]* ]]; then
            start="${words[${#words[@]}-1]}"
        else
            start=""
            words+=("")
        fi
        rest="${rest#*"$word"}"
        if [[ $i -eq COMP_CWORD && $word == [:=]* ]]; then
            start="$start$word"
            word=""
        elif [[ $i -eq COMP_CWORD && "${BASH_VERSINFO[0]}" -ge 4 ]]; then
            word="$2"
        fi
        words[${#words[@]}-1]="$start$word"
    done
    _CLAP_COMPLETE_INDEX=$((${#words[@]} - 1))
    COMPREPLY=( $( \
        _CLAP_IFS="$IFS" \
        _CLAP_COMPLETE_INDEX="$_CLAP_COMPLETE_INDEX" \
        _CLAP_COMPLETE_COMP_TYPE="$_CLAP_COMPLETE_COMP_TYPE" \
        _CLAP_COMPLETE_SPACE="$_CLAP_COMPLETE_SPACE" \
        MEM_COMPLETE="bash" \
        "mem" -- "${words[@]}" \
    ) )
    local status=$?
    COMPREPLY=("${COMPREPLY[@]#"$start"}")
    for word in "${COMPREPLY[@]}"; do
        if [[ -d $word && $word != */ ]] && compopt +o filenames 2> /dev/null; then
            for i in "${!COMPREPLY[@]}"; do
                printf -v "COMPREPLY[$i]" %q "${COMPREPLY[$i]}"
            done
            break
        fi
    done
    if [[ $status != 0 ]]; then
        unset COMPREPLY
    elif [[ $_CLAP_COMPLETE_SPACE == false ]] && [[ "${COMPREPLY-}" =~ [=/:]$ ]]; then
        compopt -o nospace
    fi
}
if [[ "${BASH_VERSINFO[0]}" -eq 4 && "${BASH_VERSINFO[1]}" -ge 4 || "${BASH_VERSINFO[0]}" -gt 4 ]]; then
    complete -o nospace -o bashdefault -o filenames -o nosort -F _clap_complete_mem mem
else
    complete -o nospace -o bashdefault -o filenames -F _clap_complete_mem mem
fi

