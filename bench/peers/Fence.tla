------------------------------- MODULE Fence --------------------------------
(* See ../fence/FENCE.md. Sets and functions, as a TLA+ author would write it. *)
EXTENDS Naturals, FiniteSets
CONSTANTS N, P, G, K, B, BUG, I3FIRST
VARIABLES cg, cs, cm, ms, mg, ma, mp, co, net, err
vars == <<cg, cs, cm, ms, mg, ma, mp, co, net, err>>

M  == 1..N
PT == 0..(P-1)
Zero == [p \in PT |-> 0]

Init ==
  /\ cg = 0 /\ cs = "Empty"
  /\ cm = [m \in M |-> "none"]
  /\ ms = [m \in M |-> "out"]
  /\ mg = [m \in M |-> 0]
  /\ ma = [m \in M |-> {}]
  /\ mp = [m \in M |-> Zero]
  /\ co = Zero
  /\ net = {}
  /\ err = "none"

(* rebalance after the membership changed to the non-"none" members of c; *)
(* j has just joined (0: nobody) *)
Rebalance(c, j) ==
  IF \A m \in M : c[m] = "none"
  THEN cs' = "Empty" /\ cm' = c
  ELSE /\ cs' = "Preparing"
       /\ cm' = IF cs \in {"Completing", "Stable"}
                THEN [m \in M |-> IF c[m] # "none" /\ m # j THEN "pending" ELSE c[m]]
                ELSE c

(* round robin: rank of m among the members *)
InGroup == {m \in M : cm[m] # "none"}
Assign(m) ==
  LET n == Cardinality(InGroup)
      r == Cardinality({j \in InGroup : j < m})
  IN {p \in PT : p % n = r}

Forget(m) ==
  /\ mg' = [mg EXCEPT ![m] = 0]
  /\ ma' = [ma EXCEPT ![m] = {}]
  /\ mp' = [mp EXCEPT ![m] = Zero]

Join(m) ==
  /\ ms[m] = "out"
  /\ ms' = [ms EXCEPT ![m] = "joining"]
  /\ Rebalance([cm EXCEPT ![m] = "joined"], m)
  /\ UNCHANGED <<cg, mg, ma, mp, co, net, err>>

Rejoin(m) ==
  /\ ms[m] \in {"joining", "member"} /\ cm[m] = "pending"
  /\ ms' = [ms EXCEPT ![m] = "joining"]
  /\ cm' = [cm EXCEPT ![m] = "joined"]
  /\ Forget(m)
  /\ UNCHANGED <<cg, cs, co, net, err>>

Evict(m) ==
  /\ ms[m] = "paused" /\ cm[m] # "none"
  /\ Rebalance([cm EXCEPT ![m] = "none"], 0)
  /\ UNCHANGED <<cg, ms, mg, ma, mp, co, net, err>>

Leave(m) ==
  /\ ms[m] = "member"
  /\ ms' = [ms EXCEPT ![m] = "out"]
  /\ Forget(m)
  /\ IF cm[m] # "none" THEN Rebalance([cm EXCEPT ![m] = "none"], 0)
                       ELSE UNCHANGED <<cs, cm>>
  /\ UNCHANGED <<cg, co, net, err>>

Pause(m) ==
  /\ ms[m] = "member"
  /\ ms' = [ms EXCEPT ![m] = "paused"]
  /\ UNCHANGED <<cg, cs, cm, mg, ma, mp, co, net, err>>

Resume(m) ==
  /\ ms[m] = "paused"
  /\ ms' = [ms EXCEPT ![m] = "member"]
  /\ UNCHANGED <<cg, cs, cm, mg, ma, mp, co, net, err>>

Complete ==
  /\ cs = "Preparing" /\ cg < G
  /\ \A m \in M : cm[m] \in {"none", "joined"}
  /\ cg' = cg + 1 /\ cs' = "Completing"
  /\ UNCHANGED <<cm, ms, mg, ma, mp, co, net, err>>

Sync(m) ==
  /\ cs = "Completing" /\ ms[m] = "joining" /\ cm[m] = "joined"
  /\ LET a == Assign(m)
         c == [cm EXCEPT ![m] = "synced"]
     IN /\ cm' = c
        /\ ms' = [ms EXCEPT ![m] = "member"]
        /\ mg' = [mg EXCEPT ![m] = cg]
        /\ ma' = [ma EXCEPT ![m] = a]
        /\ mp' = [mp EXCEPT ![m] = [p \in PT |-> IF p \in a THEN co[p] ELSE 0]]
        /\ cs' = IF \A j \in M : c[j] \in {"none", "synced"} THEN "Stable" ELSE cs
  /\ UNCHANGED <<cg, co, net, err>>

Process(m, p) ==
  /\ ms[m] = "member" /\ p \in ma[m] /\ mp[m][p] < K
  /\ mp' = [mp EXCEPT ![m][p] = @ + 1]
  /\ UNCHANGED <<cg, cs, cm, ms, mg, ma, co, net, err>>

Send(m, p) ==
  /\ ms[m] = "member" /\ p \in ma[m] /\ mp[m][p] > 0
  /\ Cardinality(net) < B
  /\ \A x \in net : ~ (x[1] = m /\ x[2] = mg[m] /\ x[3] = p)
  /\ net' = net \cup {<<m, mg[m], p, mp[m][p]>>}
  /\ UNCHANGED <<cg, cs, cm, ms, mg, ma, mp, co, err>>

Handle(x) ==
  IF cm[x[1]] # "none" /\ (BUG \/ x[2] = cg)
  THEN /\ co' = [co EXCEPT ![x[3]] = x[4]]
       /\ err' = IF I3FIRST
                 THEN IF x[4] < co[x[3]] THEN "regress" ELSE IF x[2] # cg THEN "stale" ELSE err
                 ELSE IF x[2] # cg THEN "stale" ELSE IF x[4] < co[x[3]] THEN "regress" ELSE err
  ELSE UNCHANGED <<co, err>>

Deliver(x) == Handle(x) /\ net' = net \ {x} /\ UNCHANGED <<cg, cs, cm, ms, mg, ma, mp>>
Dup(x)     == Handle(x) /\ UNCHANGED <<cg, cs, cm, ms, mg, ma, mp, net>>
Drop(x)    == net' = net \ {x} /\ UNCHANGED <<cg, cs, cm, ms, mg, ma, mp, co, err>>

Next ==
  \/ Complete
  \/ \E m \in M : \/ Join(m) \/ Rejoin(m) \/ Evict(m) \/ Leave(m) \/ Pause(m) \/ Resume(m) \/ Sync(m)
                  \/ \E p \in PT : Process(m, p) \/ Send(m, p)
  \/ \E x \in net : Deliver(x) \/ Dup(x) \/ Drop(x)

Spec == Init /\ [][Next]_vars

Live(m) == ms[m] \in {"member", "paused"}
I1 == \A m, j \in M : m < j /\ Live(m) /\ Live(j) /\ mg[m] = mg[j] => ma[m] \cap ma[j] = {}
I2 == err # "stale"
I3 == err # "regress"
=============================================================================
