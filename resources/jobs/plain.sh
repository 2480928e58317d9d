#!/bin/bash
# Computes the case @name@ in this folder; started again, it goes on from the last checkpoint.
cd "$(dirname "$0")" || exit 4
what=(run case.json --out run)
if [ -e run/case.json ]; then what=(resume run); fi
exec @command@ "${what[@]}" @options@ --progress plain
