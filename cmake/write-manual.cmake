# write-manual.cmake - asks the command for its manual pages and its completion scripts.
#
#   cmake -DSPDML=path/of/spdml -DSHARE=folder -P write-manual.cmake
#
# Writes SHARE/man/man1/*.1, SHARE/completion/SHELL/... for bash, zsh and fish, and SHARE/stamp.

# ask(file argument...): file <- what `spdml help argument...` prints, which must be something.
function(ask file)
    execute_process(COMMAND "${SPDML}" help ${ARGN} OUTPUT_VARIABLE text ERROR_VARIABLE problem
                    RESULT_VARIABLE status)
    if(NOT status EQUAL 0 OR text STREQUAL "")
        message(FATAL_ERROR "spdml help ${ARGN}: status ${status}: ${problem}")
    endif()
    file(WRITE "${file}" "${text}")
endfunction()

file(REMOVE_RECURSE "${SHARE}")
ask("${SHARE}/commands" --commands)
ask("${SHARE}/man/man1/spdml.1" --man)
ask("${SHARE}/completion/bash-completion/completions/spdml" --completion bash)
ask("${SHARE}/completion/zsh/site-functions/_spdml" --completion zsh)
ask("${SHARE}/completion/fish/vendor_completions.d/spdml.fish" --completion fish)
file(STRINGS "${SHARE}/commands" commands)
foreach(command IN LISTS commands)
    ask("${SHARE}/man/man1/spdml-${command}.1" --man ${command})
endforeach()
file(TOUCH "${SHARE}/stamp")
