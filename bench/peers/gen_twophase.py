#!/usr/bin/env python3
"""gen_twophase.py N > twophase.pml : two-phase commit, one process, one d_step per action instance.
rm: 0 working 1 prepared 2 committed 3 aborted; tm: 0 undecided 2 committed 3 aborted (its message
exists from then on); sent, heard: masks of those who sent Prepared, and whose it was received."""
import sys
N = int(sys.argv[1])
R = range(N)
some = lambda v: "(" + " || ".join(f"rm[{r}]=={v}" for r in R) + ")"
check = f"assert(!({some(2)} && {some(3)}))"
print(f"/* two-phase commit, {N} resource managers */")
print(f"byte tm; short sent, heard; byte rm[{N}];")
print("active proctype all() {\nend: do")
print(f" :: d_step {{ tm==0 && heard=={2**N - 1} -> tm=2 }} /* Commit */")
print(" :: d_step { tm==0 -> tm=3 } /* Abort */")
for r in R:
    b = 1 << r
    print(f" :: d_step {{ tm==0 && (sent & {b}) -> heard=heard|{b} }} /* RcvPrepared */")
    print(f" :: d_step {{ rm[{r}]==0 -> rm[{r}]=1; sent=sent|{b} }} /* Prepare */")
    print(f" :: d_step {{ rm[{r}]==0 -> rm[{r}]=3; {check} }} /* ChooseToAbort */")
    print(f" :: d_step {{ tm==2 -> rm[{r}]=2; {check} }} /* RcvCommit */")
    print(f" :: d_step {{ tm==3 -> rm[{r}]=3; {check} }} /* RcvAbort */")
print(" od }")
