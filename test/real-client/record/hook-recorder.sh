#!/bin/sh
# hook-recorder.sh <directory>: keeps a hook's payload as <epoch ms>-<pid>.json.
at=$(date +%s%3N)
cat >"$1/.$$" && mv "$1/.$$" "$1/$at-$$.json"
