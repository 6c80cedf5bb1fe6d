//! Threads of a machine, and the shortest run for which they are woken.

use super::run::ParallelRun;
use std::ops::Range;
use std::sync::mpsc::{channel, Sender};
use std::sync::Arc;
use std::thread::{self, JoinHandle};

/// Worker threads that wait for tasks. The calling thread does a share of the work too.
#[derive(Debug)]
pub struct ThreadPool {
    /// Chunks of the calling thread.
    share: Range<usize>,
    workers: Vec<Worker>,
}

#[derive(Debug)]
struct Worker {
    /// Dropping the sender ends the thread.
    tasks: Option<Sender<Arc<ParallelRun>>>,
    thread: Option<JoinHandle<()>>,
}

/// Number of clock cycles from which waking the workers pays off.
const MIN_POOLED_CYCLES: u64 = 4;

impl ThreadPool {
    /// Divides `chunks` chunks among `threads` threads, including the calling thread.
    pub fn new(threads: usize, chunks: usize) -> Self {
        let share = |i: usize| i * chunks / threads..(i + 1) * chunks / threads;
        ThreadPool {
            share: share(0),
            workers: (1..threads).map(|i| Worker::new(share(i))).collect(),
        }
    }

    /// Returns true if a task of this many clock cycles is worth waking the workers.
    pub fn is_worth_waking(&self, clock_cycles: u64) -> bool {
        !self.workers.is_empty() && clock_cycles >= MIN_POOLED_CYCLES
    }

    /// Runs a task to its end and returns the number of clock cycles done.
    pub fn run(&self, task: &Arc<ParallelRun>) -> u64 {
        for worker in &self.workers {
            let tasks = worker.tasks.as_ref().expect("dropped with the worker");
            // A worker thread ends only by a panic. The calling thread then does all the work.
            let _ = tasks.send(task.clone());
        }
        task.run(self.share.clone())
    }
}

impl Worker {
    fn new(share: Range<usize>) -> Self {
        let (tasks, queue) = channel::<Arc<ParallelRun>>();
        let work = move || {
            while let Ok(task) = queue.recv() {
                task.run(share.clone());
            }
        };
        Worker {
            tasks: Some(tasks),
            thread: Some(thread::spawn(work)),
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.tasks = None;
        if let Some(thread) = self.thread.take() {
            // The panic was reported when it happened.
            let _ = thread.join();
        }
    }
}
