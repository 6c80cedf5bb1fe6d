use super::chunk::Chunk;
use super::helper::Helper;
use super::run::Task;
use std::sync::mpsc::{channel, Receiver, Sender};
use std::thread::{self, JoinHandle};

/// Threads that wait for tasks. The one that calls does its part too.
#[derive(Debug)]
pub struct Crew {
    workers: Vec<Worker>,
}

#[derive(Debug)]
struct Worker {
    /// Dropped first, which ends the thread.
    tasks: Option<Sender<(Task, Vec<Chunk>)>>,
    done: Receiver<Vec<Chunk>>,
    thread: Option<JoinHandle<()>>,
}

impl Crew {
    /// So many threads, counting the one that calls.
    pub fn new(threads: usize) -> Self {
        let workers = (1..threads).map(|_| Worker::new());
        Crew {
            workers: workers.collect(),
        }
    }

    /// Runs a task on all chunks; how many clock cycles were done.
    pub fn run(&self, task: &Task, chunks: &mut Vec<Chunk>, helper: Option<&mut Helper>) -> u64 {
        let parts = self.workers.len() + 1;
        let all = chunks.len();
        for (i, worker) in self.workers.iter().enumerate().rev() {
            let part = chunks.split_off(all * (i + 1) / parts);
            worker.start(task.clone(), part);
        }
        let done = task.run(chunks, helper);
        for worker in &self.workers {
            chunks.extend(worker.finish());
        }
        done
    }
}

impl Worker {
    fn new() -> Self {
        let (tasks, queue) = channel::<(Task, Vec<Chunk>)>();
        let (report, done) = channel();
        let work = move || {
            while let Ok((task, mut chunks)) = queue.recv() {
                task.run(&mut chunks, None);
                // Nobody waits for it if the machine is gone.
                let _ = report.send(chunks);
            }
        };
        Worker {
            tasks: Some(tasks),
            done,
            thread: Some(thread::spawn(work)),
        }
    }

    fn start(&self, task: Task, chunks: Vec<Chunk>) {
        let tasks = self.tasks.as_ref().expect("dropped with the worker");
        tasks.send((task, chunks)).expect("the thread waits");
    }

    fn finish(&self) -> Vec<Chunk> {
        self.done.recv().expect("the thread answers every task")
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
