#!/bin/sh
# mkcfg.sh fence N P G K B > x.cfg   |   mkcfg.sh twophase N > x.cfg
if [ "$1" = twophase ]; then
  printf 'CONSTANT N = %s\nINIT Init\nNEXT Next\nINVARIANT Consistent\n' "$2"
else
  printf 'CONSTANTS N = %s\nP = %s\nG = %s\nK = %s\nB = %s\nBUG = FALSE\nI3FIRST = FALSE\n' "$2" "$3" "$4" "$5" "$6"
  printf 'INIT Init\nNEXT Next\nINVARIANTS I1 I2 I3\n'
fi
