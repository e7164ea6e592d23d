// peer fence N P G K B | peer twophase N: counts the states with Stateright.
mod fence;
mod twophase;

use stateright::{Checker, Model};
use std::hash::Hash;

fn check<M>(model: M)
where
    M: Model + Send + Sync + 'static,
    M::State: Send + Sync + Hash + Clone + PartialEq + std::fmt::Debug + 'static,
    M::Action: std::fmt::Debug + Clone + PartialEq,
{
    let start = std::time::Instant::now();
    let c = model.checker().threads(2).spawn_bfs().join();
    println!(
        "distinct={} generated={} seconds={:.2} verdict={}",
        c.unique_state_count(),
        c.state_count(),
        start.elapsed().as_secs_f64(),
        if c.discoveries().is_empty() { "holds" } else { "violated" }
    );
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let n: Vec<usize> = args[1..].iter().map(|a| a.parse().expect("a number")).collect();
    macro_rules! fence {
        ($($members:literal $partitions:literal $generations:literal),*) => {
            match (n[0], n[1], n[2]) {
                $(($members, $partitions, $generations) =>
                    check(fence::Fence::<$members, $partitions, $generations> { k: n[3] as u8, b: n[4], bug: false, i3: false }),)*
                _ => panic!("not compiled for this size"),
            }
        };
    }
    macro_rules! twophase {
        ($($managers:literal),*) => {
            match n[0] {
                $($managers => check(twophase::TwoPhase::<$managers>),)*
                _ => panic!("not compiled for this size"),
            }
        };
    }
    match args[0].as_str() {
        "fence" => fence!(2 2 2, 3 2 2, 3 2 3, 3 2 4),
        "twophase" => twophase!(3, 5, 7, 8, 9, 10),
        other => panic!("no model {other}"),
    }
}
