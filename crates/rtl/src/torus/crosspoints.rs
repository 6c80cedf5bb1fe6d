//! Which inputs of a chip lead to which queues.

/// The crossbar of a chip, as arithmetic.
///
/// Virtual channel v of dimension d is input and queue `d * channels + v`; the
/// processor's input and queue are the last. A packet goes on in its dimension, on its
/// virtual channel or from 1 to 0, or turns into a later dimension, on the
/// highest virtual channel, or leaves for the processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Crosspoints {
    pub dims: usize,
    pub channels: usize,
}

/// One place of the crossbar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Crosspoint {
    pub input: usize,
    pub queue: usize,
}

impl Crosspoints {
    /// The number of the processor's input and queue; that of the others is below.
    pub fn processor(self) -> usize {
        self.dims * self.channels
    }

    /// The dimension whose address an input looks at first.
    pub fn first_dim(self, input: usize) -> usize {
        match input < self.processor() {
            true => input / self.channels,
            false => 0,
        }
    }

    /// Packets of this input may go on in their dimension on two virtual channels.
    pub fn splits(self, input: usize) -> bool {
        input < self.processor() && !input.is_multiple_of(self.channels)
    }

    /// The queues of an input: those of its own dimension, then that of each later
    /// dimension that a packet enters, then the processor's.
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

    /// The crosspoints of a queue, its inputs in the order of their priority:
    /// by dimension, virtual channel 0 before 1, the processor last.
    pub fn of_queue(self, queue: usize) -> Vec<Crosspoint> {
        let inputs = 0..=self.processor();
        let leads = |input: &usize| self.queues(*input).contains(&queue);
        let inputs = inputs.filter(leads);
        inputs.map(|input| Crosspoint { input, queue }).collect()
    }

    /// All of them, by queue.
    pub fn all(self) -> Vec<Crosspoint> {
        let queues = 0..=self.processor();
        queues.flat_map(|queue| self.of_queue(queue)).collect()
    }
}

/// What kernels ask, which know numbers only.
pub(super) mod kernel {
    use super::Crosspoints;

    /// The `k`-th input of a queue.
    pub fn input(dims: usize, channels: usize, queue: usize, k: usize) -> usize {
        Crosspoints { dims, channels }.of_queue(queue)[k].input
    }

    /// The place of a queue among those of its `k`-th input.
    pub fn place(dims: usize, channels: usize, queue: usize, k: usize) -> usize {
        let crosspoints = Crosspoints { dims, channels };
        let queues = crosspoints.queues(input(dims, channels, queue, k));
        let place = queues.iter().position(|q| *q == queue);
        place.expect("the input leads to the queue")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Named as in the paper: X0, X1, Y0, Y1, P.
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

    /// 15 of the 25 of a chip with two dimensions.
    #[test]
    fn only_what_can_occur_is_there() {
        let found = names(2, 2);
        let wanted = table("X0: X0 Y1 P; X1: X0 X1 Y1 P; Y0: Y0 P; Y1: Y0 Y1 P; P: X1 Y1 P");
        assert_eq!(found, wanted);
        let two = Crosspoints {
            dims: 2,
            channels: 2,
        };
        assert_eq!(two.all().len(), 15);
        assert_eq!(names(2, 1), table("X0: X0 P; X1: X0 X1 P; P: X1 P"));
        assert_eq!(names(1, 2), table("X0: X0 Y0 P; Y0: Y0 P; P: X0 Y0 P"));
    }

    #[test]
    fn kernels_find_the_same() {
        for (dims, channels) in [(1, 1), (1, 2), (2, 1), (2, 2), (3, 2)] {
            let crosspoints = Crosspoints { dims, channels };
            for queue in 0..=crosspoints.processor() {
                for (k, point) in crosspoints.of_queue(queue).into_iter().enumerate() {
                    let input = kernel::input(dims, channels, queue, k);
                    assert_eq!(input, point.input);
                    let place = kernel::place(dims, channels, queue, k);
                    assert_eq!(crosspoints.queues(input)[place], queue);
                }
            }
        }
    }
}
