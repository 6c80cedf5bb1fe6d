//! The threads of a machine, and when it pays to wake them.

use super::run::Task;
use std::ops::Range;
use std::sync::mpsc::{channel, Sender};
use std::sync::Arc;
use std::thread::{self, JoinHandle};

/// Threads that wait for tasks. The one that calls does its part too.
#[derive(Debug)]
pub struct Crew {
    /// Of the chunks, that of the thread that calls.
    share: Range<usize>,
    workers: Vec<Worker>,
}

#[derive(Debug)]
struct Worker {
    /// Dropped first, which ends the thread.
    tasks: Option<Sender<Arc<Task>>>,
    thread: Option<JoinHandle<()>>,
}

/// Clock cycles for which it isn't worth to wake the others.
const SHORT: u64 = 4;

impl Crew {
    /// So many threads, counting the one that calls, that share so many chunks.
    pub fn new(threads: usize, chunks: usize) -> Self {
        let share = |i: usize| i * chunks / threads..(i + 1) * chunks / threads;
        Crew {
            share: share(0),
            workers: (1..threads).map(|i| Worker::new(share(i))).collect(),
        }
    }

    /// Whether it is worth to make a task of so many clock cycles.
    pub fn helps(&self, clock_cycles: u64) -> bool {
        !self.workers.is_empty() && clock_cycles >= SHORT
    }

    /// Runs a task to its end; how many clock cycles were done.
    pub fn run(&self, task: &Arc<Task>) -> u64 {
        for worker in &self.workers {
            let tasks = worker.tasks.as_ref().expect("dropped with the worker");
            // A thread that has ended did so with a panic; then this one does all
            // the work.
            let _ = tasks.send(task.clone());
        }
        task.run(self.share.clone())
    }
}

impl Worker {
    fn new(share: Range<usize>) -> Self {
        let (tasks, queue) = channel::<Arc<Task>>();
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
            // A panic in it was reported when it happened.
            let _ = thread.join();
        }
    }
}
