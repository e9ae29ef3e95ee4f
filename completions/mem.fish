complete --keep-order --exclusive --command mem --arguments "(MEM_COMPLETE=fish mem -- (commandline --current-process --tokenize --cut-at-cursor) (commandline --current-token))"
