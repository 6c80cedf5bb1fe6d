//! The crosspoints between the inputs and the queues of a chip.

/// Numbering of the crossbar of a chip.
///
/// Virtual channel v of dimension d is input and queue `d * channels + v`. The processor's input
/// and queue are the last. A packet takes one of three routes. It continues in its dimension, on
/// its virtual channel or from 1 to 0. It turns into a later dimension, on the highest virtual
/// channel. Or it leaves for the processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Crosspoints {
    pub dims: usize,
    pub channels: usize,
}

/// One crosspoint of the crossbar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Crosspoint {
    pub input: usize,
    pub queue: usize,
}

impl Crosspoints {
    /// Number of the processor's input and queue, the highest of all.
    pub fn processor(self) -> usize {
        self.dims * self.channels
    }

    /// Dimension of the first address that an input examines.
    pub fn first_dim(self, input: usize) -> usize {
        match input < self.processor() {
            true => input / self.channels,
            false => 0,
        }
    }

    /// True if packets of this input may continue in their dimension on two virtual channels.
    pub fn splits(self, input: usize) -> bool {
        input < self.processor() && !input.is_multiple_of(self.channels)
    }

    /// Queues of an input: the queues of its own dimension, the entry queue of each later
    /// dimension, and the processor's queue.
    pub fn queues(self, input: usize) -> Vec<usize> {
        let Crosspoints { dims, channels } = self;
        let enter = |dim: usize| dim * channels + channels - 1;
        let mut queues = vec![];
        let mut later = 0;
        if input < self.processor() {
            later = input / channels + 1;
            queues.extend((later - 1) * channels..=input);
        }
        queues.extend((later..dims).map(enter));
        queues.push(self.processor());
        queues
    }

    /// Crosspoints of a queue, with its inputs in order of priority: by dimension, virtual channel
    /// 0 before 1, the processor last.
    pub fn of_queue(self, queue: usize) -> Vec<Crosspoint> {
        let inputs = 0..=self.processor();
        let leads = |input: &usize| self.queues(*input).contains(&queue);
        let inputs = inputs.filter(leads);
        inputs.map(|input| Crosspoint { input, queue }).collect()
    }

    /// All crosspoints, by queue.
    pub fn all(self) -> Vec<Crosspoint> {
        let queues = 0..=self.processor();
        queues.flat_map(|queue| self.of_queue(queue)).collect()
    }
}

/// Functions for kernels, which handle only numbers.
pub(super) mod kernel {
    use super::Crosspoints;

    /// Number of the `k`-th input of a queue.
    pub fn input(dims: usize, channels: usize, queue: usize, k: usize) -> usize {
        Crosspoints { dims, channels }.of_queue(queue)[k].input
    }

    /// Index of a queue among the queues of its `k`-th input.
    pub fn queue_index(dims: usize, channels: usize, queue: usize, k: usize) -> usize {
        let crosspoints = Crosspoints { dims, channels };
        let queues = crosspoints.queues(input(dims, channels, queue, k));
        let index = queues.iter().position(|q| *q == queue);
        index.expect("the input leads to the queue")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Names as in the paper: X0, X1, Y0, Y1, P.
    fn names(channels: usize, dims: usize) -> Vec<(String, Vec<String>)> {
        let crosspoints = Crosspoints { dims, channels };
        let name = |port: usize| match port < crosspoints.processor() {
            true => format!("{}{}", ["X", "Y", "Z"][port / channels], port % channels),
            false => "P".into(),
        };
        let inputs = 0..=crosspoints.processor();
        inputs
            .map(|input| {
                let queues = crosspoints.queues(input).into_iter();
                (name(input), queues.map(name).collect())
            })
            .collect()
    }

    fn table(text: &str) -> Vec<(String, Vec<String>)> {
        let line = |line: &str| {
            let (input, queues) = line.split_once(": ").unwrap();
            let queues = queues.split(' ').map(str::to_owned);
            (input.to_owned(), queues.collect())
        };
        text.split("; ").map(line).collect()
    }

    /// A chip with two dimensions has 15 of 25 crosspoints.
    #[test]
    fn chip_has_only_possible_crosspoints() {
        let found = names(2, 2);
        let wanted = table("X0: X0 Y1 P; X1: X0 X1 Y1 P; Y0: Y0 P; Y1: Y0 Y1 P; P: X1 Y1 P");
        assert_eq!(found, wanted);
        let two = Crosspoints { dims: 2, channels: 2 };
        assert_eq!(two.all().len(), 15);
        assert_eq!(names(2, 1), table("X0: X0 P; X1: X0 X1 P; P: X1 P"));
        assert_eq!(names(1, 2), table("X0: X0 Y0 P; Y0: Y0 P; P: X0 Y0 P"));
    }

    #[test]
    fn kernel_functions_match_the_crosspoints() {
        for (dims, channels) in [(1, 1), (1, 2), (2, 1), (2, 2), (3, 2)] {
            let crosspoints = Crosspoints { dims, channels };
            for queue in 0..=crosspoints.processor() {
                for (k, point) in crosspoints.of_queue(queue).into_iter().enumerate() {
                    let input = kernel::input(dims, channels, queue, k);
                    assert_eq!(input, point.input);
                    let index = kernel::queue_index(dims, channels, queue, k);
                    assert_eq!(crosspoints.queues(input)[index], queue);
                }
            }
        }
    }
}
