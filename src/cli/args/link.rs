use super::Choice;
use clap::Args;

/// What a receiver does about a frame (design, section 4, receive register).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Link {
    /// It answers, and a frame without an answer is repeated.
    Acked,
    /// It stays silent, as in the published machine, and messages may be lost.
    Raw,
}

impl Choice for Link {
    const WHAT: &'static str = "link";
    const READY: &'static [(&'static str, Self)] = &[("acked", Self::Acked), ("raw", Self::Raw)];
    const PLANNED: &'static [&'static str] = &[];
}

#[derive(Clone, Debug, Args)]
pub struct LinkArgs {
    /// acked: nothing is lost; raw: the published link, without answers, which loses messages
    #[arg(long, value_name = "NAME", default_value = "acked", value_parser = Link::parse)]
    pub link: Link,
}
