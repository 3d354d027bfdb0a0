# cmake -DPROGRAM=FLCC_CLI -DTO=FILE -P ManPage.cmake: the page of flcc-cli is what its --help says, so that
# no option is missing in it.
execute_process(COMMAND ${PROGRAM} --help OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
string(REPLACE "\\" "\\e" text "${text}")
string(REPLACE "-" "\\-" text "${text}")
string(REGEX REPLACE "(^|\n)([.'])" "\\1\\\\&\\2" text "${text}")
file(WRITE ${TO} ".TH FLCC\\-CLI 1 \"\" \"FLCC\" \"User Commands\"
.SH NAME
flcc\\-cli \\- find a template in an image or a volume
.SH SYNOPSIS
.B flcc\\-cli
.I COMMAND
.RI [ OPTION ...]
.SH DESCRIPTION
.nf
${text}.fi
.SH SEE ALSO
.BR flcc (1)
")
