//! Chooses between one thread and all threads of a machine.

use super::run::MIN_POOLED_WORK;
use std::time::Duration;

/// Choice between one thread and all, by measured speed.
///
/// The threads of a machine wait for each other in each clock cycle. If a processor is used by other
/// programs, or is not a whole one because a hypervisor shares it, all threads can be slower than
/// one. Trials therefore compare both from time to time. Results are the same.
#[derive(Debug)]
pub struct ThreadChoice {
    /// All threads work outside of trials.
    all: bool,
    /// Time per clock cycle in the latest task.
    cycle: Duration,
    /// Time between this trial and the next.
    interval: Duration,
    state: State,
}

#[derive(Debug)]
enum State {
    /// Time left before the next trial.
    Working(Duration),
    /// The counted work of one thread and of all threads, and time left in this half of a turn.
    /// Halves count from 0. In the first half of a turn the threads wake up, and caches fill. The
    /// second half counts.
    Trying { work: [Work; 2], half: u32, left: Duration },
}

/// Clock cycles, and the time that they took.
#[derive(Clone, Copy, Debug, Default)]
struct Work {
    clock_cycles: u64,
    time: Duration,
}

/// Least and greatest time between trials. Each trial doubles it until the choice changes.
const MIN_INTERVAL: Duration = Duration::from_millis(50);
const MAX_INTERVAL: Duration = Duration::from_millis(1_600);

/// Number of turns of a trial. The choice that is not in use has the first one.
const TURNS: u32 = 8;

/// Time of the two halves of a turn. Turns are short, because the nodes have more to do in some clock
/// cycles than in others.
const HALVES: [Duration; 2] = [Duration::from_millis(1), Duration::from_millis(3)];

impl Default for ThreadChoice {
    fn default() -> Self {
        ThreadChoice {
            all: true,
            cycle: Duration::from_micros(100),
            interval: MIN_INTERVAL,
            state: State::Working(MIN_INTERVAL),
        }
    }
}

impl ThreadChoice {
    /// Returns true if all threads have to run the next clock cycles.
    pub fn all(&self) -> bool {
        match self.state {
            State::Working(_) => self.all,
            State::Trying { half, .. } => self.all != (half / 2 % 2 == 0),
        }
    }

    /// Returns the number of clock cycles after which the choice is due again. They are worth waking
    /// the other threads.
    pub fn clock_cycles(&self) -> u64 {
        let (State::Working(left) | State::Trying { left, .. }) = self.state;
        ((left.as_nanos() / self.cycle.as_nanos().max(1)) as u64).max(MIN_POOLED_WORK)
    }

    /// Records the clock cycles that were run, and the time that they took.
    pub fn record(&mut self, clock_cycles: u64, time: Duration) {
        let Some(cycle) = time.as_nanos().checked_div(clock_cycles.into()) else {
            return;
        };
        self.cycle = Duration::from_nanos(cycle as u64);
        let is_all = self.all();
        if let State::Trying { work, half, .. } = &mut self.state {
            let sum = &mut work[usize::from(is_all)];
            sum.clock_cycles += clock_cycles * u64::from(*half % 2);
            sum.time += time * (*half % 2);
        }
        match &mut self.state {
            State::Working(left) | State::Trying { left, .. } if *left > time => *left -= time,
            State::Working(_) => {
                let work = Default::default();
                self.state = State::Trying { work, half: 0, left: HALVES[0] };
            }
            State::Trying { half, left, .. } if *half + 1 < 2 * TURNS => {
                *half += 1;
                *left = HALVES[(*half % 2) as usize];
            }
            State::Trying { work, .. } => {
                let before = self.all;
                self.all = is_faster_with_all(*work, before);
                self.interval = match self.all == before {
                    true => MAX_INTERVAL.min(2 * self.interval),
                    false => MIN_INTERVAL,
                };
                self.state = State::Working(self.interval);
            }
        }
    }
}

/// Compares one thread with all. The choice in use stays unless the other one is faster by a tenth.
fn is_faster_with_all([one, all]: [Work; 2], in_use: bool) -> bool {
    // The products are times for the same number of clock cycles.
    let time_of_one = one.time.as_nanos() * u128::from(all.clock_cycles);
    let time_of_all = all.time.as_nanos() * u128::from(one.clock_cycles);
    match in_use {
        true => 10 * time_of_all <= 11 * time_of_one,
        false => 11 * time_of_all < 10 * time_of_one,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs the clock cycles of some seconds of one thread. A clock cycle takes this number of
    /// nanoseconds in one thread and in all. Returns the share of clock cycles that all threads ran.
    fn run(choice: &mut ThreadChoice, seconds: u64, [one, all]: [u64; 2]) -> f64 {
        let total = seconds * 1_000_000_000 / one;
        let (mut left, mut by_all) = (total, 0);
        while left > 0 {
            let clock_cycles = choice.clock_cycles().min(left);
            let is_all = choice.all();
            let time = clock_cycles * if is_all { all } else { one };
            choice.record(clock_cycles, Duration::from_nanos(time));
            by_all += if is_all { clock_cycles } else { 0 };
            left -= clock_cycles;
        }
        by_all as f64 / total as f64
    }

    #[test]
    fn the_faster_choice_does_the_work() {
        let mut choice = ThreadChoice::default();
        assert!(choice.all());
        // A machine of 65,536 nodes, and one of 1,024.
        for one in [100_000, 1_000] {
            run(&mut choice, 5, [one, one / 2]);
            assert!(run(&mut choice, 1, [one, one / 2]) > 0.95);
            // Another program takes a processor.
            run(&mut choice, 5, [one, 2 * one]);
            assert!(run(&mut choice, 1, [one, 2 * one]) < 0.05);
        }
    }

    #[test]
    fn equal_choices_stay_as_they_are() {
        for before in [500, 2_000] {
            let mut choice = ThreadChoice::default();
            run(&mut choice, 5, [1_000, before]);
            let in_use = choice.all;
            for all in [950, 1_050] {
                run(&mut choice, 5, [1_000, all]);
                assert_eq!(choice.all, in_use, "{before} {all}");
            }
        }
    }

    /// The work of a clock cycle changes by a factor of ten in each phase of 600 clock cycles.
    #[test]
    fn uneven_work_does_not_mislead() {
        let mut choice = ThreadChoice::default();
        let mut time = 0u64;
        while time < 200_000 {
            let clock_cycles = choice.clock_cycles().min(600 - time % 600).min(60);
            let busy = if time % 600 < 100 { 20_000 } else { 2_000 };
            let cycle = if choice.all() { busy / 2 } else { busy };
            choice.record(clock_cycles, Duration::from_nanos(clock_cycles * cycle));
            time += clock_cycles;
            assert!(choice.all, "after {time} clock cycles");
        }
    }
}
