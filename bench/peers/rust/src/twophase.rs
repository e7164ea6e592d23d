// Two-phase commit for Stateright, as in TwoPhase.tla. Fixed-size arrays and masks: no
// allocation for a state.
use stateright::{Model, Property};

#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[repr(u8)]
pub enum Of { Working, Prepared, Committed, Aborted }

#[derive(Clone, Debug, Eq, Hash, PartialEq)]
pub struct St<const N: usize> {
    rm: [Of; N],
    tm: Of, // its message exists once it is Committed or Aborted
    sent: u16,
    heard: u16,
}

#[derive(Clone, Debug, PartialEq)]
pub enum A { Commit, Abort, RcvPrepared(u8), Prepare(u8), ChooseToAbort(u8), Rcv(u8) }

pub struct TwoPhase<const N: usize>;

impl<const N: usize> Model for TwoPhase<N> {
    type State = St<N>;
    type Action = A;

    fn init_states(&self) -> Vec<Self::State> {
        vec![St { rm: [Of::Working; N], tm: Of::Working, sent: 0, heard: 0 }]
    }

    fn actions(&self, s: &Self::State, a: &mut Vec<A>) {
        if s.tm == Of::Working {
            if s.heard == (1 << N) - 1 { a.push(A::Commit) }
            a.push(A::Abort);
        }
        for r in 0..N {
            let u = r as u8;
            if s.tm == Of::Working && s.sent >> r & 1 == 1 { a.push(A::RcvPrepared(u)) }
            if s.rm[r] == Of::Working {
                a.push(A::Prepare(u));
                a.push(A::ChooseToAbort(u));
            }
            if s.tm != Of::Working { a.push(A::Rcv(u)) }
        }
    }

    fn next_state(&self, last: &Self::State, act: A) -> Option<Self::State> {
        let mut s = last.clone();
        match act {
            A::Commit => s.tm = Of::Committed,
            A::Abort => s.tm = Of::Aborted,
            A::RcvPrepared(r) => s.heard |= 1 << r,
            A::Prepare(r) => { s.rm[r as usize] = Of::Prepared; s.sent |= 1 << r }
            A::ChooseToAbort(r) => s.rm[r as usize] = Of::Aborted,
            A::Rcv(r) => s.rm[r as usize] = s.tm,
        }
        Some(s)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![Property::<Self>::always("consistent", |_, s| {
            !(s.rm.contains(&Of::Committed) && s.rm.contains(&Of::Aborted))
        })]
    }
}
