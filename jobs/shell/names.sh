# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
#
# Names are data (names.py): text that others chose, as one line for the terminal, logs and markers.

# shown TEXT...: a line without control characters and those that change the direction of text.
shown() {
  local LC_ALL=C text=$*
  text=${text//$'\n'/\\n}
  text=${text//[[:cntrl:]]/?}
  text=${text//$'\xc2'[$'\x80'-$'\x9f']/?}
  text=${text//$'\xe2\x80'[$'\x8b'-$'\x8f'$'\xa8'-$'\xae']/?}
  text=${text//$'\xe2\x81'[$'\xa0'-$'\xaf']/?}
  printf '%s\n' "$text"
}
