// FENCE.md (../../../fence) for Stateright. Plain fixed-size arrays (no allocation per state): favourable to the checker.
use stateright::{Model, Property};

#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[repr(u8)]
pub enum Cs { Empty, Preparing, Completing, Stable }
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[repr(u8)]
pub enum Cm { None, Pending, Joined, Synced }
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[repr(u8)]
pub enum Ms { Out, Joining, Member, Paused }
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[repr(u8)]
pub enum Er { Ok, Stale, Regress }

#[derive(Clone, Debug, Eq, Hash, PartialEq)]
pub struct St<const N: usize, const P: usize, const G: usize> {
    cg: u8,
    cs: Cs,
    err: Er,
    cm: [Cm; N],
    ms: [Ms; N],
    mg: [u8; N],
    ma: [u8; N],
    mp: [[u8; P]; N],
    co: [u8; P],
    net: [[[u8; P]; G]; N],
}

pub struct Fence<const N: usize, const P: usize, const G: usize> {
    pub k: u8,
    pub b: usize,
    pub bug: bool,
    pub i3: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub enum A {
    Complete,
    Join(u8), Rejoin(u8), Evict(u8), Leave(u8), Pause(u8), Resume(u8), Sync(u8),
    Process(u8, u8), Send(u8, u8),
    Deliver(u8, u8, u8), Dup(u8, u8, u8), Drop(u8, u8, u8),
}

impl<const N: usize, const P: usize, const G: usize> St<N, P, G> {
    fn forget(&mut self, m: usize) {
        self.mg[m] = 0;
        self.ma[m] = 0;
        self.mp[m] = [0; P];
    }
    fn rebalance(&mut self, j: usize) {
        if self.cm.iter().all(|c| *c == Cm::None) {
            self.cs = Cs::Empty;
            return;
        }
        if self.cs == Cs::Completing || self.cs == Cs::Stable {
            for m in 0..N {
                if self.cm[m] != Cm::None && m != j {
                    self.cm[m] = Cm::Pending;
                }
            }
        }
        self.cs = Cs::Preparing;
    }
}

impl<const N: usize, const P: usize, const G: usize> Fence<N, P, G> {
    fn handle(&self, s: &mut St<N, P, G>, m: usize, g: usize, p: usize) {
        let stale = s.cg as usize != g;
        if s.cm[m] == Cm::None || (stale && !self.bug) {
            return;
        }
        let o = s.net[m][g - 1][p];
        let regress = o < s.co[p];
        if self.i3 {
            if regress { s.err = Er::Regress } else if stale { s.err = Er::Stale }
        } else if stale { s.err = Er::Stale } else if regress { s.err = Er::Regress }
        s.co[p] = o;
    }
}

impl<const N: usize, const P: usize, const G: usize> Model for Fence<N, P, G> {
    type State = St<N, P, G>;
    type Action = A;

    fn init_states(&self) -> Vec<Self::State> {
        vec![St {
            cg: 0, cs: Cs::Empty, err: Er::Ok,
            cm: [Cm::None; N], ms: [Ms::Out; N], mg: [0; N], ma: [0; N],
            mp: [[0; P]; N], co: [0; P], net: [[[0; P]; G]; N],
        }]
    }

    fn actions(&self, s: &Self::State, a: &mut Vec<A>) {
        let n = s.net.iter().flatten().flatten().filter(|x| **x != 0).count();
        if s.cs == Cs::Preparing && (s.cg as usize) < G
            && s.cm.iter().all(|c| *c == Cm::None || *c == Cm::Joined) {
            a.push(A::Complete);
        }
        for m in 0..N {
            let u = m as u8;
            match s.ms[m] {
                Ms::Out => a.push(A::Join(u)),
                Ms::Paused => {
                    a.push(A::Resume(u));
                    if s.cm[m] != Cm::None { a.push(A::Evict(u)) }
                }
                Ms::Member => {
                    a.push(A::Pause(u));
                    a.push(A::Leave(u));
                    for p in 0..P {
                        if s.ma[m] >> p & 1 == 0 { continue }
                        if s.mp[m][p] < self.k { a.push(A::Process(u, p as u8)) }
                        if s.mp[m][p] > 0 && n < self.b && s.net[m][s.mg[m] as usize - 1][p] == 0 {
                            a.push(A::Send(u, p as u8))
                        }
                    }
                }
                Ms::Joining => {}
            }
            if (s.ms[m] == Ms::Joining || s.ms[m] == Ms::Member) && s.cm[m] == Cm::Pending {
                a.push(A::Rejoin(u));
            }
            if s.cs == Cs::Completing && s.ms[m] == Ms::Joining && s.cm[m] == Cm::Joined {
                a.push(A::Sync(u));
            }
            for g in 1..=G {
                for p in 0..P {
                    if s.net[m][g - 1][p] != 0 {
                        a.push(A::Deliver(u, g as u8, p as u8));
                        a.push(A::Dup(u, g as u8, p as u8));
                        a.push(A::Drop(u, g as u8, p as u8));
                    }
                }
            }
        }
    }

    fn next_state(&self, last: &Self::State, act: A) -> Option<Self::State> {
        let mut s = last.clone();
        match act {
            A::Complete => { s.cg += 1; s.cs = Cs::Completing }
            A::Join(m) => {
                let m = m as usize;
                s.ms[m] = Ms::Joining;
                s.cm[m] = Cm::Joined;
                s.rebalance(m);
            }
            A::Rejoin(m) => {
                let m = m as usize;
                s.ms[m] = Ms::Joining;
                s.cm[m] = Cm::Joined;
                s.forget(m);
            }
            A::Evict(m) => { s.cm[m as usize] = Cm::None; s.rebalance(N) }
            A::Leave(m) => {
                let m = m as usize;
                s.ms[m] = Ms::Out;
                s.forget(m);
                if s.cm[m] != Cm::None { s.cm[m] = Cm::None; s.rebalance(N) }
            }
            A::Pause(m) => s.ms[m as usize] = Ms::Paused,
            A::Resume(m) => s.ms[m as usize] = Ms::Member,
            A::Sync(m) => {
                let m = m as usize;
                let n = s.cm.iter().filter(|c| **c != Cm::None).count();
                let r = s.cm[..m].iter().filter(|c| **c != Cm::None).count();
                s.cm[m] = Cm::Synced;
                s.ms[m] = Ms::Member;
                s.mg[m] = s.cg;
                s.ma[m] = 0;
                s.mp[m] = [0; P];
                for p in 0..P {
                    if p % n == r { s.ma[m] |= 1 << p; s.mp[m][p] = s.co[p] }
                }
                if s.cm.iter().all(|c| *c == Cm::None || *c == Cm::Synced) { s.cs = Cs::Stable }
            }
            A::Process(m, p) => s.mp[m as usize][p as usize] += 1,
            A::Send(m, p) => {
                let (m, p) = (m as usize, p as usize);
                s.net[m][s.mg[m] as usize - 1][p] = s.mp[m][p];
            }
            A::Deliver(m, g, p) => {
                self.handle(&mut s, m as usize, g as usize, p as usize);
                s.net[m as usize][g as usize - 1][p as usize] = 0;
            }
            A::Dup(m, g, p) => self.handle(&mut s, m as usize, g as usize, p as usize),
            A::Drop(m, g, p) => s.net[m as usize][g as usize - 1][p as usize] = 0,
        }
        Some(s)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        let i3 = Property::<Self>::always("I3", |_, s| s.err != Er::Regress);
        if self.i3 { return vec![i3] }
        vec![
            Property::<Self>::always("I1", |_, s| {
                for m in 0..N {
                    for j in m + 1..N {
                        let live = |x: usize| s.ms[x] == Ms::Member || s.ms[x] == Ms::Paused;
                        if live(m) && live(j) && s.mg[m] == s.mg[j] && s.ma[m] & s.ma[j] != 0 { return false }
                    }
                }
                true
            }),
            Property::<Self>::always("I2", |_, s| s.err != Er::Stale),
            i3,
        ]
    }
}
