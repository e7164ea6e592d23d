------------------------------ MODULE TwoPhase ------------------------------
(* Two-phase commit as in Gray and Lamport, "Consensus on Transaction        *)
(* Commit": messages form a set that is never emptied.                       *)
EXTENDS Naturals
CONSTANT N
VARIABLES rm, tm, heard, msgs
vars == <<rm, tm, heard, msgs>>

RM == 1..N
Prepared(r) == <<"Prepared", r>>

Init ==
  /\ rm = [r \in RM |-> "working"]
  /\ tm = "init" /\ heard = {} /\ msgs = {}

RcvPrepared(r) ==
  /\ tm = "init" /\ Prepared(r) \in msgs
  /\ heard' = heard \cup {r}
  /\ UNCHANGED <<rm, tm, msgs>>

Commit ==
  /\ tm = "init" /\ heard = RM
  /\ tm' = "committed" /\ msgs' = msgs \cup {<<"Commit">>}
  /\ UNCHANGED <<rm, heard>>

Abort ==
  /\ tm = "init"
  /\ tm' = "aborted" /\ msgs' = msgs \cup {<<"Abort">>}
  /\ UNCHANGED <<rm, heard>>

Prepare(r) ==
  /\ rm[r] = "working"
  /\ rm' = [rm EXCEPT ![r] = "prepared"]
  /\ msgs' = msgs \cup {Prepared(r)}
  /\ UNCHANGED <<tm, heard>>

ChooseToAbort(r) ==
  /\ rm[r] = "working"
  /\ rm' = [rm EXCEPT ![r] = "aborted"]
  /\ UNCHANGED <<tm, heard, msgs>>

RcvCommit(r) ==
  /\ <<"Commit">> \in msgs
  /\ rm' = [rm EXCEPT ![r] = "committed"]
  /\ UNCHANGED <<tm, heard, msgs>>

RcvAbort(r) ==
  /\ <<"Abort">> \in msgs
  /\ rm' = [rm EXCEPT ![r] = "aborted"]
  /\ UNCHANGED <<tm, heard, msgs>>

Next ==
  \/ Commit \/ Abort
  \/ \E r \in RM : \/ RcvPrepared(r) \/ Prepare(r) \/ ChooseToAbort(r)
                   \/ RcvCommit(r) \/ RcvAbort(r)

Spec == Init /\ [][Next]_vars

Consistent == \A r, s \in RM : ~ (rm[r] = "aborted" /\ rm[s] = "committed")
=============================================================================
